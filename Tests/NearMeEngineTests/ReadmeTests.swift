import Foundation
import Testing

/// The README's example is a file of this target, so it compiles; and it is that file.
@Suite struct ReadmeTests {
  @Test func `the example in the README compiles as it stands`() throws {
    let file = URL(fileURLWithPath: #filePath)
    let example = try String(
      contentsOf: file.deletingLastPathComponent().appendingPathComponent("ReadmeExample.swift"),
      encoding: .utf8
    )
    let root = file.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    #expect(readme.contains("```swift\n" + example + "```"))
  }

  @Test func `the demo in the README is what the demo prints`() throws {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    func lines(_ path: String) throws -> [String] {
      try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        .components(separatedBy: "\n")
    }
    let printed = try lines("traces/expected/errands.txt")
    let demo = try lines("README.md").drop { $0 != "<!-- demo output -->" }.dropFirst(2)
      .prefix { $0 != "```" }
    #expect(demo.count > 10)
    var rest = printed[...]
    for line in demo where line != "…" {
      let found = try #require(rest.firstIndex(of: line), "\(line)")
      rest = rest[(found + 1)...]
    }
  }
}
