import Foundation
import Testing

/// The tables of targets in docs/ARCHITECTURE.md beside Package.swift, both read as text.
@Suite struct TargetTableTests {
  /// Targets, and the names that each depends on.
  private typealias Targets = [String: Set<String>]

  /// The table under a bold title: a target, one line, and its dependencies, those of others after
  /// a semicolon.
  private static func table(_ title: String) throws -> Targets {
    let rows = try Repository.text("docs/ARCHITECTURE.md").components(separatedBy: "\n")
      .drop { !$0.hasPrefix("**\(title).**") }
      .drop { !$0.hasPrefix("| `") }
      .prefix { $0.hasPrefix("| `") }
    var targets: Targets = [:]
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      try #require(cells.count == 3, "\(row)")
      let name = cells[0].trimmingCharacters(in: ["`"])
      #expect(targets[name] == nil, "\(name) comes twice")
      targets[name] = Set(cells[2].split { ",; ".contains($0) }.map(String.init))
        .subtracting(["–"])
    }
    return targets
  }

  /// The libraries of the package but those for tests.
  private static func libraries() throws -> Targets {
    var targets: Targets = [:]
    for declaration in try Repository.text("Package.swift").components(separatedBy: "\n    .")
    where declaration.hasPrefix("target(") && !declaration.contains("path: \"Tests/") {
      // The name, then the dependencies; neither the package of a product nor a folder nor files are one.
      let head = declaration.split(separator: /(swiftSettings|resources):/)[0]
      let names = head.matches(of: /(package: |path: )?"([^"]+)"/).filter { $0.1 == nil }
        .map { String($0.2) }
      targets[try #require(names.first)] = Set(names.dropFirst())
    }
    return targets
  }

  @Test func `the tables name every library with what it depends on`() throws {
    let libraries = try Self.libraries()
    let tables = try Self.table("Pure")
      .merging(Self.table("Edges")) { pure, _ in
        Issue.record("pure and an edge: \(pure)")
        return pure
      }
    #expect(libraries.count > 20)
    #expect(libraries.keys.sorted() == tables.keys.sorted())
    for (name, dependencies) in libraries.sorted(by: { $0.key < $1.key }) {
      #expect(tables[name]?.sorted() == dependencies.sorted(), "\(name)")
    }
  }

  @Test func `NM-8.1, CTX-2.3: pure targets depend on pure targets`() throws {
    let pure = try Self.table("Pure")
    #expect(pure.count > 10)
    for (name, dependencies) in pure {
      #expect(dependencies.subtracting(pure.keys).isEmpty, "\(name)")
    }
  }
}
