import CSpatiaLite
import Foundation
import Geodesy
import PlaceStore
import Places
import TestSupport
import Testing

/// A cache is input as any other: whatever its bytes are, reading ends with places that are sound, or
/// with an error that names the row.
@Suite struct AlteredCacheTests {
  private let folder: TemporaryFolder
  private let whole: Data
  private var path: String { folder.path("a.sqlite") }

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.path("whole.sqlite")
    try writeCache(randomWorld(seed: 7, count: 60), to: path)
    whole = try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// Runs SQL on a new copy, with nothing in the way that would keep the values sound.
  ///
  /// - Returns: whether SQLite took it.
  private func alter(_ statements: [String]) throws -> Bool {
    try whole.write(to: URL(fileURLWithPath: path))
    let lifting = """
      PRAGMA ignore_check_constraints = 1; PRAGMA writable_schema = 1;
      DELETE FROM sqlite_master WHERE type = 'trigger' OR name = 'poi_source_id';
      """
    for sql in [lifting] + statements {
      var connection: OpaquePointer?
      defer { sqlite3_close(connection) }
      try #require(sqlite3_open(path, &connection) == SQLITE_OK)
      sqlite3_exec(connection, "PRAGMA ignore_check_constraints = 1", nil, nil, nil)
      guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { return false }
    }
    return true
  }

  /// Uses the cache in each way, and checks what it says.
  ///
  /// - Returns: the errors.
  @discardableResult
  private func use(_ label: String) -> [PlaceStoreError] {
    var errors: [PlaceStoreError] = []
    func attempt(_ body: () throws(PlaceStoreError) -> Void) {
      let spent = WorkClock.measure {
        do throws(PlaceStoreError) { try body() } catch {
          errors.append(error)
          #expect(error.description.hasPrefix(path + ": "), "\(label): \(error)")
          #expect(!error.detail.isEmpty || !error.advice.isEmpty, "\(label): \(error)")
        }
      }
      #expect(spent < .seconds(10), "\(label)")
    }
    attempt { () throws(PlaceStoreError) in
      let cache = try POICache.open(path)
      attempt { () throws(PlaceStoreError) in _ = try cache.summary() }
      attempt { () throws(PlaceStoreError) in _ = try cache.provenance() }
      attempt { () throws(PlaceStoreError) in _ = try cache.problems(known: testCategories) }
      attempt { () throws(PlaceStoreError) in
        _ = try cache.nearest(
          category: nil,
          to: Coordinate(uncheckedLatitude: 1, longitude: 2),
          limit: 5
        )
      }
      attempt { () throws(PlaceStoreError) in
        let box = BoundingBox(west: -180, south: -90, east: 180, north: 90)
        for place in try cache.pointsOfInterest(category: testCategories[0], in: box) {
          check(place, label)
        }
      }
      attempt { () throws(PlaceStoreError) in _ = try cache.attributes(of: "node/3") }
      attempt { () throws(PlaceStoreError) in
        let places = try cache.allPointsOfInterest()
        for place in places { check(place, label) }
        // It ends the program where an id comes twice.
        #expect(POICatalog(places).points.count == places.count, "\(label)")
      }
    }
    return errors
  }

  private func check(_ place: PointOfInterest, _ label: String) {
    #expect(!place.sourceID.isEmpty, "\(label)")
    #expect((-90.0...90.0).contains(place.coordinate.latitude), "\(label)")
    #expect((-180.0...180.0).contains(place.coordinate.longitude), "\(label)")
    #expect((0...1_000_000).contains(place.footprintRadiusMeters), "\(label)")
    #expect(!place.categories.isEmpty, "\(label)")
  }

  private static let tables: [(name: String, columns: [String])] = [
    ("poi", ["id", "source_id", "name", "brand", "footprint_radius_m", "attributes", "geom"]),
    ("poi_category", ["poi_id", "category_id"]), ("category", ["id", "name"]),
    (
      "provenance",
      [
        "id", "input_name", "input_format", "input_bytes", "input_crc32", "data_timestamp",
        "licence", "attribution", "poi_count",
      ]
    ), ("build", ["id", "built_at", "tool_version", "selection", "category_rules"]),
    ("idx_poi_geom_node", ["nodeno", "data"]), ("idx_poi_geom_rowid", ["rowid", "nodeno"]),
    ("idx_poi_geom_parent", ["nodeno", "parentnode"]),
    ("geometry_columns", ["f_table_name", "geometry_type", "coord_dimension", "srid"]),
  ]

  private static let values = [
    "NULL", "0", "-1", "1", "9223372036854775807", "-9223372036854775807 - 1", "9e999", "-9e999",
    "1e308", "0.5", "''", "'x'", "'node/1'", "x''", "zeroblob(60)", "zeroblob(960)",
    "CAST(x'C328' AS TEXT)", "printf('%.*c', 100000, 'x')", "zeroblob(20000000)",
  ]

  @Test func `no value in any column of any table is too much`() throws {
    var refused = 0
    for (table, columns) in Self.tables {
      for column in columns {
        for value in Self.values {
          for rows in ["", " WHERE rowid = (SELECT max(rowid) FROM \(table))"] {
            if table == "poi_category", !rows.isEmpty { continue }
            // 60 copies of a long text take their time to write.
            if rows.isEmpty, value.contains("000000") { continue }
            let sql = "UPDATE OR REPLACE \(table) SET \(column) = \(value)\(rows)"
            guard try alter([sql]) else { continue }
            if !use(sql).isEmpty { refused += 1 }
          }
        }
      }
    }
    print("values out of range: \(refused) altered caches refused")
    #expect(refused > 200)
  }

  @Test(arguments: [
    (
      // As versions without that limit have made them of a corner that is elsewhere.
      "UPDATE poi SET footprint_radius_m = 1000001 WHERE id = 17",
      "table poi, row 17 (", "its footprint is no length up to 1,000 km"
    ), ("UPDATE poi SET footprint_radius_m = -1 WHERE id = 17", "table poi, row 17 (", "footprint"),
    ("UPDATE poi SET footprint_radius_m = 'wide' WHERE id = 17", "row 17 (", "footprint"),
    ("UPDATE poi SET geom = zeroblob(60) WHERE id = 9", "table poi, row 9 (", "its point is none"),
    // The last of the four numbers of the box, which QGIS looks at.
    (
      "UPDATE poi SET geom = CAST(substr(geom, 1, 36) || x'0000' || substr(geom, 39) AS BLOB) "
        + "WHERE id = 9", "table poi, row 9 (", "its point is none"
    ), ("UPDATE poi SET source_id = '' WHERE id = 5", "table poi, row 5: ", "no source id"),
    ("UPDATE poi SET source_id = 'node/1'", "table poi: two rows are ", "node/1"),
    // Equal as texts, though their bytes differ.
    (
      "UPDATE poi SET source_id = CASE WHEN id = 3 THEN 'é' ELSE CAST(x'65CC81' AS TEXT) END "
        + "WHERE id IN (3, 40)", "table poi: two rows are ", "é"
    ),
    (
      "UPDATE poi_category SET category_id = 99 WHERE poi_id = 12",
      "table poi, row 12 (", "its category 99 is not known"
    ), ("DELETE FROM poi_category WHERE poi_id = 12", "table poi, row 12 (", "it has no category"),
    (
      "INSERT INTO poi_category VALUES (0, 1)", "table poi_category: ",
      "place 0, which is not there"
    ),
    (
      "INSERT INTO poi_category VALUES (77, 1)",
      "table poi_category: ", "place 77, which is not there"
    ), ("UPDATE category SET name = '' WHERE id = 2", "table category, row 2: ", "no name"),
    (
      "INSERT INTO poi SELECT 99, 'mine/x', name, brand, 1, NULL, geom FROM poi WHERE id = 1",
      "the spatial index has", "60 entries for 61 places"
    ),
    (
      "DROP TABLE poi; CREATE VIEW poi AS WITH RECURSIVE r(id) AS (VALUES (1) UNION ALL SELECT id + 1 "
        + "FROM r) SELECT id, 'x' AS source_id FROM r", "table poi", "is not there"
    ),
  ])
  func `an error names the row and what is wrong with it`(
    sql: String,
    place: String,
    what: String
  ) throws {
    try #require(try alter([sql]))
    let errors = use(sql)
    #expect(
      errors.contains {
        $0.code == .damaged && $0.detail.contains(place) && $0.detail.contains(what)
          && $0.advice == "rebuild it with `nearme cache build`"
      },
      "\(errors)"
    )
  }

  @Test(arguments: (0..<12).map { UInt64($0) })
  func `no bit matters so much that reading has no end`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var refused = 0
    for round in 0..<50 {
      var bytes = whole
      for _ in 0..<[1, 1, 2, 8][generator.integer(0...3)] {
        let at = generator.integer(0...bytes.count - 1)
        switch generator.integer(0...3) {
        case 0: bytes[at] = [0, 0x7F, 0x80, 0xFF][generator.integer(0...3)]
        case 1:
          for offset in at..<min(at + 8, bytes.count) { bytes[offset] = 0xFF }
        default: bytes[at] ^= 1 << UInt8(generator.integer(0...7))
        }
      }
      if generator.integer(0...9) == 0 { bytes.removeLast(generator.integer(0...bytes.count - 1)) }
      try bytes.write(to: URL(fileURLWithPath: path))
      if !use("seed \(seed), round \(round)").isEmpty { refused += 1 }
    }
    #expect(refused > 5)
  }
}
