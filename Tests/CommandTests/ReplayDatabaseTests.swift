import Foundation
import TestSupport
import Testing

/// A replay of what somebody has asked for, as it lies in their database.
@Suite struct ReplayDatabaseTests {
  private let folder: TemporaryFolder
  private let cache: String
  private let trace: String
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    cache = folder.path("pois.sqlite")
    trace = folder.path("day.csv")
    database = folder.path("my.db")
    let places = folder.path("places.csv")
    try "id,lat,lon,category,name\n1,39.3,-76.6,pharmacy,Corner Pharmacy\n"
      .write(toFile: places, atomically: true, encoding: .utf8)
    // North past the pharmacy, a mile a minute.
    let rows = (0..<20)
      .map { "2026-01-05T12:\($0 < 10 ? "0" : "")\($0):00Z,\(39.1 + Double($0) * 0.01449),-76.6\n" }
    try ("time,lat,lon\n" + rows.joined())
      .write(toFile: trace, atomically: true, encoding: .utf8)
    #expect(try Command(["cache", "build", places, "-o", cache]).status == 0)
    #expect(
      try Command(["reminder", "add", "fetch meds", "--category", "pharmacy", "--db", database])
        .status == 0
    )
  }

  private func replay(_ more: [String]) throws -> Command {
    try Command(["replay", trace, "--cache", cache, "--monitor", "stream"] + more)
  }

  @Test func `text is not written into a page`() throws {
    let page = FileManager.default.temporaryDirectory.appendingPathComponent("day.html").path
    let run = try Command([
      "replay", "a.gpx", "--cache", "c.sqlite", "--reminders", "r.json", "-o", page,
    ])
    #expect(run.status == 64)
    #expect(run.errors.contains("add --format html for a page"), "\(run.errors)")
  }

  @Test func `a user database says what its reminders file says, and is left as it is`() throws {
    let file = folder.path("reminders.json")
    #expect(try Command(["reminder", "export", "--db", database, "-o", file]).status == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: database))
    let (from, of) = (
      try replay(["--db", database, "--format", "ndjson"]),
      try replay(["--reminders", file, "--format", "ndjson"])
    )
    #expect(from.status == 0 && of.status == 0, "\(from.errors) \(of.errors)")
    #expect(from.output == of.output && from.output.contains("fetch meds"), "\(from.output)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: database)) == before)
  }

  @Test func `one of the two is named, and it is there`() throws {
    #expect(try replay([]).status == 64)
    #expect(try replay(["--db", database, "--reminders", database]).status == 64)
    #expect(try replay(["--db", folder.path("none.db")]).status == 66)
    #expect(try replay(["--reminders", database, "--key-file", database]).status == 64)
  }
}
