import Foundation
import Testing

/// docs/requirements.md beside the names of the tests, both read as text.
///
/// Whether the tests pass is the matter of `make requirements`.
@Suite struct RequirementTests {
  private struct Row {
    let state: String
    let tests: [String]
  }

  /// The rows of the table by their ids.
  private static func table() throws -> [String: Row] {
    var rows: [String: Row] = [:]
    for line in try Repository.text("docs/requirements.md").split(separator: "\n") {
      guard line.hasPrefix("| "), let id = line.dropFirst(2).split(separator: " ").first,
        id.wholeMatch(of: /(NM|CTX|YOMO|MOM|TODO)-[A-Z]*[0-9.]+[a-z]?/) != nil
      else { continue }
      let cells = line.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
      try #require(cells.count == 6, "\(line)")
      #expect(rows[String(id)] == nil, "\(id) comes twice")
      rows[String(id)] = Row(
        state: cells[3],
        tests: cells[4] == "–" ? [] : cells[4].components(separatedBy: " · ")
      )
    }
    return rows
  }

  /// For each row the tests whose names begin with it.
  private static func tests() throws -> [String: Set<String>] {
    var tests: [String: Set<String>] = [:]
    for path in try Repository.paths(in: "Tests", ["swift"]) {
      for name in try Repository.text(path).matches(of: /func\s+`([^`]+)`/).map(\.1) {
        guard let colon = name.firstRange(of: ": ") else { continue }
        for id in name[..<colon.lowerBound]
          .matches(of: /(NM|CTX|YOMO|MOM|TODO)-[A-Z]*[0-9.]+[a-z]?/)
        {
          tests[String(id.0), default: []].insert(String(name[colon.upperBound...]))
        }
      }
    }
    return tests
  }

  @Test func `the table has every row of the five documents, and three states`() throws {
    let rows = try Self.table()
    #expect(rows.count == 256)
    for (prefix, count) in [("NM", 57), ("CTX", 65), ("YOMO", 65), ("MOM", 19), ("TODO", 50)] {
      #expect(rows.keys.count { $0.hasPrefix("\(prefix)-") } == count, "\(prefix)")
    }
    #expect(Set(rows.values.map(\.state)) == ["works", "partly", "not here"])
  }

  @Test func `a row that works is named by a test, one that is not here by none`() throws {
    let rows = try Self.table()
    let tests = try Self.tests()
    #expect(tests.count > 100)
    for id in tests.keys.sorted() where rows[id] == nil {
      Issue.record("\(id) is in the name of a test and not in the table")
    }
    for (id, row) in rows.sorted(by: { $0.key < $1.key }) {
      #expect((tests[id] != nil) == (row.state != "not here"), "\(id): \(row.state)")
      // The names in the table are those of the tests: `make requirements` writes them.
      let written = Set(
        row.tests.map { $0.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? "" }
      )
      #expect(written == tests[id] ?? [], "\(id)")
    }
  }
}
