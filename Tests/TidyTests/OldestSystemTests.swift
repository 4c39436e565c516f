import Testing

/// iOS 17 and macOS 14 are the oldest that Package.swift names: what Linux compiles knows of no such thing.
///
/// scripts/check-oldest.sh has a compiler look at the modules that apps embed, where it can.
@Suite struct OldestSystemTests {
  /// What came later, and what to write instead.
  private static let newer = [
    "String(validating:": "String(ifUTF8:) of Basics",
    "Int128": "two of 64 bits",
    "import Synchronization": "a lock, or an actor",
    "Mutex(": "a lock, or an actor",
    "InlineArray": "a tuple, or an array",
  ]

  @Test func `the sources use nothing of a newer system`() throws {
    #expect(try Repository.text("Package.swift").contains("[.macOS(.v14), .iOS(.v17)]"))
    for path in try Repository.paths(in: "Sources", ["swift"]) {
      for line in try Repository.text(path).split(separator: "\n") {
        let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
        for (name, instead) in Self.newer where code.contains(name) {
          Issue.record("\(path): \(name) is of a newer system than iOS 17: \(instead)")
        }
      }
    }
  }
}
