import Foundation
import GRDBSQLite
import TestSupport
import Testing

/// Commands on caches and user databases whose bytes were altered: each ends in 10 s, with at most
/// 512 MB, in the status for what it found and a sentence that names the file.
@Suite struct AlteredFilesTests {
  private let day: LiveDay
  private let reminders = LiveDay.root.appendingPathComponent("traces/reminders.json").path
  private let trace = LiveDay.root.appendingPathComponent("traces/errands.gpx.gz").path

  init() throws { day = try LiveDay() }

  private func sql(_ statements: String, on path: String) throws {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    try #require(sqlite3_open(path, &connection) == SQLITE_OK)
    // Without what would keep the values sound.
    let lifting = """
      PRAGMA ignore_check_constraints = 1; PRAGMA writable_schema = 1;
      DELETE FROM sqlite_master WHERE type = 'trigger' OR name = 'poi_source_id';
      """
    try #require(sqlite3_exec(connection, lifting, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(connection)
    connection = nil
    try #require(sqlite3_open(path, &connection) == SQLITE_OK)
    sqlite3_exec(connection, "PRAGMA ignore_check_constraints = 1", nil, nil, nil)
    let message = { String(cString: sqlite3_errmsg(connection)) }
    try #require(sqlite3_exec(connection, statements, nil, nil, nil) == SQLITE_OK, "\(message())")
  }

  /// Everything that reads a cache.
  private func commands() throws -> [(arguments: [String], input: String)] {
    let fixes = try String(contentsOfFile: day.feed, encoding: .utf8)
    return [
      (["cache", "info", day.cache], ""), (["cache", "verify", day.cache], ""),
      (["cache", "export", day.cache, "--format", "csv"], ""),
      (
        [
          "replay", trace, "--cache", day.cache, "--reminders", reminders, "--monitor", "stream",
        ], ""
      ), (day.arguments(try day.database("me.db"), ["ndjson"]), fixes),
    ]
  }

  /// - Returns: what those said that refused.
  private func runAll(_ label: String) throws -> [String] {
    var errors: [String] = []
    for (arguments, input) in try commands() {
      let result = try Command(arguments, input: input, measuresMemory: true, killedAfter: 10)
      let name = "\(label): \(arguments.prefix(2))"
      #expect([0, 1, 65].contains(result.status), "\(name): \(result.status) \(result.errors)")
      #expect(result.peakMebibytes ?? 0 < 512, "\(name)")
      if result.status == 65 {
        #expect(result.errors.contains("pois.sqlite: "), "\(name): \(result.errors)")
      }
      if result.status != 0 { errors.append(result.errors + result.output) }
    }
    return errors
  }

  @Test(arguments: [
    ("UPDATE poi SET source_id = 'node/1'", "table poi: two rows are node/1"),
    ("UPDATE poi SET footprint_radius_m = 1e300 WHERE id = 3", "table poi, row 3 ("),
    ("UPDATE poi SET geom = zeroblob(60) WHERE id = 3", "table poi, row 3 ("),
    ("UPDATE poi_category SET category_id = 9e15 WHERE poi_id = 3", "table poi, row 3 ("),
    ("UPDATE poi SET id = 9223372036854775807 WHERE id = 3", "place 3, which is not there"),
    ("UPDATE category SET name = '' WHERE id = 1", "table category, row 1: no name"),
    ("DELETE FROM idx_poi_geom_rowid WHERE rowid = 3", "the spatial index has"),
    (
      "DROP TABLE poi; CREATE VIEW poi AS WITH RECURSIVE r(id) AS "
        + "(VALUES (1) UNION ALL SELECT id + 1 FROM r) SELECT id, 'x' AS source_id FROM r",
      "table poi is not there"
    ),
  ])
  func `a cache with a value that no place can have is refused by every command, with the row`(
    statements: String,
    hint: String
  ) throws {
    try sql(statements, on: day.cache)
    let errors = try runAll(statements)
    #expect(errors.count == 5, "\(statements): \(errors)")
    for error in errors { #expect(error.contains(hint), "\(error)") }
  }

  @Test(arguments: [
    "UPDATE provenance SET input_bytes = -1", "UPDATE build SET built_at = 'never'",
    "UPDATE idx_poi_geom_node SET data = zeroblob(960)", "UPDATE poi SET name = zeroblob(9999999)",
    "UPDATE idx_poi_geom_node SET data = CAST(x'0021' || substr(data, 3) AS BLOB) WHERE nodeno = 1",
    "UPDATE idx_poi_geom_parent SET parentnode = nodeno", "UPDATE geometry_columns SET srid = -1",
    "UPDATE poi SET attributes = '[' ", "UPDATE poi SET attributes = printf('%.*c', 100000, '[')",
  ])
  func `what only some commands look at stops only those`(statements: String) throws {
    try sql(statements, on: day.cache)
    let errors = try runAll(statements)
    // `cache verify` looks at everything.
    #expect(errors.contains { $0.contains("not sound") || $0.contains("damaged") }, "\(errors)")
  }

  @Test(arguments: ["--near 35.8, 14.5 --within 5km", "--near 95,14.5 --within 5km", "--nearby"])
  func `a selection that update cannot read is not sound`(selection: String) throws {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    try #require(sqlite3_open(day.cache, &connection) == SQLITE_OK)
    let statement = "UPDATE build SET selection = '\(selection)'"
    try #require(sqlite3_exec(connection, statement, nil, nil, nil) == SQLITE_OK)
    let result = try Command(["cache", "verify", day.cache])
    #expect(result.status == 1)
    #expect(result.output.contains("pois.sqlite: "), "\(result.output)")
  }

  @Test(arguments: ["{bad", "[1]", "5"])
  func `attributes that are no JSON are refused by export, with the row`(value: String) throws {
    try sql("UPDATE poi SET attributes = '\(value)' WHERE id = 3", on: day.cache)
    for format in ["csv", "geojson"] {
      let result = try Command(["cache", "export", day.cache, "--format", format])
      #expect(result.status == 65)
      #expect(result.errors.contains("table poi, row 3 ("), "\(result.errors)")
      #expect(result.errors.contains("its attributes are no JSON"), "\(result.errors)")
    }
  }

  @Test(arguments: (0..<8).map { UInt64($0) })
  func `flipped bits cost no command its end`(seed: UInt64) throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: day.cache))
    var generator = SeededGenerator(seed: seed)
    for round in 0..<6 {
      var bytes = whole
      for _ in 0..<[1, 2, 8, 64][generator.integer(0...3)] {
        bytes[generator.integer(100...bytes.count - 1)] ^= 1 << UInt8(generator.integer(0...7))
      }
      try bytes.write(to: URL(fileURLWithPath: day.cache))
      _ = try runAll("seed \(seed), round \(round)")
    }
  }

  // MARK: User databases

  @Test(arguments: [
    ("PRAGMA user_version = 99", "a newer version of Near Me made it (schema 99"),
    ("PRAGMA user_version = 1", "no such"), ("PRAGMA user_version = -3", "no user database"),
    ("PRAGMA application_id = 1", "no user database of Near Me"),
    ("UPDATE reminder SET body = zeroblob(100)", "does not open"),
    ("UPDATE reminder SET body = zeroblob(90000000)", "damaged"),
    ("UPDATE place SET body = x''", "does not open"), ("DELETE FROM setting", "its settings are"),
    ("UPDATE setting SET value = -9e999 WHERE name = 'entitlement'", "damaged"),
    (
      "DROP TABLE inbox; CREATE VIEW inbox AS WITH RECURSIVE r(serial) AS (VALUES (1) UNION ALL "
        + "SELECT serial + 1 FROM r) SELECT serial, NULL AS reminder, x'' AS body FROM r",
      "table inbox is not there"
    ),
  ])
  func `a user database that was altered is refused with what is wrong, and left as it is`(
    statements: String,
    hint: String
  ) throws {
    let database = try day.database("altered.db")
    try sql(statements, on: database)
    let before = try Data(contentsOf: URL(fileURLWithPath: database))
    for arguments in [day.arguments(database, ["ndjson"]), ["reminder", "list", "--db", database]] {
      let result = try Command(arguments, measuresMemory: true, killedAfter: 10)
      #expect(result.status == 65, "\(statements): \(result.status) \(result.errors)")
      #expect(result.errors.contains("altered.db: "), "\(result.errors)")
      #expect(result.errors.contains(hint), "\(result.errors)")
      #expect(result.peakMebibytes ?? 0 < 512)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: database)) == before)
  }

  @Test func `flipped bits in a user database end in an answer or a refusal`() throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: try day.database("me.db")))
    let database = day.folder.path("me.db")
    var generator = SeededGenerator(seed: 4)
    var refused = 0
    for round in 0..<40 {
      var bytes = whole
      for _ in 0..<[1, 2, 8, 64][generator.integer(0...3)] {
        bytes[generator.integer(16...bytes.count - 1)] ^= 1 << UInt8(generator.integer(0...7))
      }
      try bytes.write(to: URL(fileURLWithPath: database))
      let result = try Command(
        day.arguments(database, ["ndjson"]),
        input: "{\"time\":\"2026-03-03T09:00:00Z\",\"lat\":38.0,\"lon\":-34.1,\"accuracy_m\":5}\n",
        measuresMemory: true,
        killedAfter: 10
      )
      #expect([0, 65, 74].contains(result.status), "round \(round): \(result.errors)")
      #expect(result.peakMebibytes ?? 0 < 512, "round \(round)")
      if result.status != 0 { refused += 1 }
    }
    #expect(refused > 10)
  }
}
