import CSpatiaLite
import Foundation
import Geodesy
import PlaceStore
import Places
import TestSupport
import Testing

/// The file as others see it: replaced in one step, refused where it is not ours.
@Suite struct CacheFileTests {
  /// Runs SQL on a file with nothing but SQLite.
  private static func execute(_ sql: String, on path: String) throws {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    try #require(sqlite3_open(path, &connection) == SQLITE_OK)
    try #require(sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK)
  }

  @Test func `the same places give the same bytes`() throws {
    let folder = try TemporaryFolder()
    let world = randomWorld(seed: 4, count: 400)
    try writeCache(world, to: folder.path("a.sqlite"))
    try writeCache(world.shuffled(), to: folder.path("b.sqlite"))
    let a = try Data(contentsOf: URL(fileURLWithPath: folder.path("a.sqlite")))
    let b = try Data(contentsOf: URL(fileURLWithPath: folder.path("b.sqlite")))
    #expect(a == b)
    #expect(folder.names == ["a.sqlite", "b.sqlite"])
  }

  @Test func `programs for maps find a layer that has the category, and how far it reaches`() throws
  {
    let folder = try TemporaryFolder()
    let world = randomWorld(seed: 6, count: 300)
    try writeCache(world, to: folder.path("a.sqlite"))
    let file = try Tool(folder.path("a.sqlite"))
    #expect(
      try file.rows("SELECT layer_type || ' ' || table_name FROM vector_layers ORDER BY 1")
        == ["SpatialTable poi", "SpatialView poi_with_category"]
    )
    for statistics in ["geometry_columns_statistics", "views_geometry_columns_statistics"] {
      let latitudes = world.map { Double($0.coordinate.latitudeE7) / 1e7 }
      let (least, most) = (latitudes.min() ?? 0, latitudes.max() ?? 0)
      let isRight = try file.rows(
        """
        SELECT row_count = 300 AND abs(extent_min_y - \(least)) < 1e-9
          AND abs(extent_max_y - \(most)) < 1e-9 FROM \(statistics)
        """
      )
      #expect(isRight == ["1"])
    }
    let rows = try file.rows(
      "SELECT source_id || ' ' || category || ' ' || categories FROM poi_with_category ORDER BY 1"
    )
    #expect(rows.count == 300)
    let order = testCategories.map(\.name)
    for place in world {
      let names = place.categories.map(\.name)
        .sorted { order.firstIndex(of: $0) ?? 0 < order.firstIndex(of: $1) ?? 0 }
      let row = "\(place.sourceID) \(names[0]) \(names.joined(separator: ";"))"
      #expect(rows.contains(row), "\(row)")
    }
    #expect(try file.rows("SELECT srid FROM spatial_ref_sys ORDER BY 1") == ["3857", "4326"])
  }

  @Test func `a build that fails leaves the old file and nothing else`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sqlite")
    try writeCache(randomWorld(seed: 1, count: 5), to: path)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let twins = randomWorld(seed: 1, count: 1) + randomWorld(seed: 1, count: 1)
    let error = #expect(throws: PlaceStoreError.self) { try writeCache(twins, to: path) }
    #expect(error?.code == .invalidValue)
    #expect(error?.path == path)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(folder.names == ["a.sqlite"])
  }

  @Test(arguments: [0, 1, 2, 5, 50])
  func `an interrupted build leaves the old file and nothing else`(questions: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sqlite")
    try writeCache(randomWorld(seed: 1, count: 5), to: path)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let countdown = Countdown(questions)
    let error = #expect(throws: PlaceStoreError.self) {
      let writer = try POICacheWriter(target: path, isInterrupted: { countdown.isOver })
      try writer.write(
        randomWorld(seed: 2, count: 60_000),
        categories: testCategories,
        provenance: testProvenance(60_000)
      )
    }
    #expect(error?.code == .interrupted)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(folder.names == ["a.sqlite"])
  }

  @Test func `what a killed build left goes with the next one`() throws {
    let folder = try TemporaryFolder()
    // No system has processes of such numbers; the other one is this process, which still builds.
    let names = [".a.sqlite.2147483646-1.building", ".a.sqlite.\(getpid())-1.building"]
    for name in names { try Data([1]).write(to: URL(fileURLWithPath: folder.path(name))) }
    try writeCache([], to: folder.path("a.sqlite"))
    #expect(folder.names == [names[1], "a.sqlite"])
  }

  @Test func `only a cache is replaced`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("holiday.jpg")
    try Data("not a cache, and dear to somebody".utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: PlaceStoreError.self) { try POICacheWriter(target: path) }
    try Self.execute("CREATE TABLE t (x)", on: folder.path("other.sqlite"))
    let error = #expect(throws: PlaceStoreError.self) {
      try POICacheWriter(target: folder.path("other.sqlite"))
    }
    #expect(error?.code == .foreignDatabase)
    #expect(throws: PlaceStoreError.self) { try POICacheWriter(target: folder.url.path) }
    #expect(folder.names == ["holiday.jpg", "other.sqlite"])
  }

  @Test(arguments: ["-wal", "-journal"], [true, false])
  func `no cache is put beside a journal that would be played into it`(
    suffix: String,
    isEmptyFileThere: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sqlite")
    try Data([1]).write(to: URL(fileURLWithPath: path + suffix))
    if isEmptyFileThere { try Data().write(to: URL(fileURLWithPath: path)) }
    let error = #expect(throws: PlaceStoreError.self) { try POICacheWriter(target: path) }
    #expect(error?.code == .busy)
    #expect(error?.detail == "its journal \(path + suffix) is there")
    let advice = isEmptyFileThere ? "`PRAGMA journal_mode = DELETE`" : "its own file is gone"
    #expect(error?.advice.contains(advice) == true)
    #expect(folder.names == (isEmptyFileThere ? ["a.sqlite"] : []) + ["a.sqlite\(suffix)"])
  }

  @Test func `a folder that is not there is an error of input and output`() throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: PlaceStoreError.self) {
      try POICacheWriter(target: folder.path("nowhere/a.sqlite"))
    }
    #expect(error?.code == .inputOutput)
  }

  @Test func `other files are refused with what to do`() throws {
    let folder = try TemporaryFolder()
    func code(_ name: String) -> PlaceStoreError.Code? {
      #expect(throws: PlaceStoreError.self) { try POICache.open(folder.path(name)) }?.code
    }
    #expect(code("missing.sqlite") == .missing)
    #expect(code("") == .notAFile)
    try Data("hello".utf8).write(to: URL(fileURLWithPath: folder.path("text")))
    #expect(code("text") == .notADatabase)
    try Data().write(to: URL(fileURLWithPath: folder.path("empty")))
    #expect(code("empty") == .notADatabase)
    try Self.execute("CREATE TABLE t (x)", on: folder.path("foreign.sqlite"))
    #expect(code("foreign.sqlite") == .foreignDatabase)
    try writeCache([], to: folder.path("old.sqlite"))
    try Self.execute("PRAGMA user_version = 7", on: folder.path("old.sqlite"))
    #expect(code("old.sqlite") == .otherSchemaVersion(found: 7, supported: 2))
    let error = #expect(throws: PlaceStoreError.self) {
      try POICache.open(folder.path("old.sqlite"))
    }
    #expect(
      error?.description
        .hasSuffix(
          "built by another version (schema 7, this is 2); update Near Me, or rebuild it with `nearme cache build`"
        ) == true
    )
  }

  @Test(arguments: (0..<40).map { UInt64($0) })
  func `a damaged file gives an error or an answer, never a crash`(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sqlite")
    try writeCache(randomWorld(seed: 3, count: 200), to: path)
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 { bytes[generator.integer(100...bytes.count - 1)] ^= 0xFF }
    if seed % 4 == 0 { bytes.removeLast(bytes.count / 3) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    do throws(PlaceStoreError) {
      let cache = try POICache.open(path)
      _ = try cache.problems()
      _ = try cache.allPointsOfInterest()
    } catch {
      #expect(!error.description.isEmpty)
    }
  }

  @Test func `verify finds what is wrong`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sqlite")
    try writeCache(randomWorld(seed: 3, count: 20), to: path)
    try Self.execute(
      "PRAGMA foreign_keys = OFF; DELETE FROM poi_category WHERE poi_id = 3; DELETE FROM build",
      on: path
    )
    let problems = try POICache.open(path).problems()
    #expect(
      problems == [
        "places without a category: 1, the first is row 3 (mine/8)",
        "missing records of the build: 1",
        "table poi, row 3 (mine/8): it has no category",
      ]
    )
  }

  /// A point as SpatiaLite stores it.
  private static func point(_ longitude: Double, _ latitude: Double) -> String {
    func hex(_ value: some FixedWidthInteger) -> String {
      withUnsafeBytes(of: value.littleEndian) {
        $0.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      }
      .joined()
    }
    let xy = hex(longitude.bitPattern) + hex(latitude.bitPattern)
    return "x'0001" + hex(UInt32(4_326)) + xy + xy + "7c" + hex(UInt32(1)) + xy + "fe'"
  }

  private static let withoutTriggers =
    ["ggi", "ggu", "gii", "giu", "gid", "tmi", "tmu", "tmd"].map { "DROP TRIGGER \($0)_poi_geom;" }
    .joined()

  @Test(arguments: [
    ("DELETE FROM geometry_columns", "layers that geometry_columns does not describe"),
    ("UPDATE geometry_columns SET spatial_index_enabled = 0", "layers that geometry_columns"),
    ("DELETE FROM spatial_ref_sys", "reference systems missing in spatial_ref_sys: 1"),
    ("DROP TRIGGER gid_poi_geom", "missing triggers of the spatial index: gid_poi_geom"),
    ("DROP INDEX poi_source_id", "missing unique indexes over the source ids: 1"),
    ("DROP VIEW poi_with_category", "views that geometry columns speak of and that are not there"),
    (
      "UPDATE poi SET footprint_radius_m = 2e6 WHERE id = 3",
      "whose footprint is no length up to 1,000 km: 1, the first is row 3 (mine/8)"
    ),
    (
      "UPDATE poi SET attributes = '[1]' WHERE id = 3",
      "table poi, row 3 (mine/8): its attributes are no JSON"
    ),
    (
      "UPDATE idx_poi_geom SET xmin = -180, xmax = 180 WHERE pkid = 3",
      "whose box in the spatial index is larger than their point: 1, the first is row 3 (mine/8)"
    ),
    ("DELETE FROM provenance", "places more or fewer than the inputs of the provenance gave: 20"),
    ("UPDATE provenance SET poi_count = 21", "places more or fewer than the inputs"),
    ("UPDATE provenance SET input_crc32 = ''", "inputs of the provenance without a name"),
    ("UPDATE build SET built_at = 'lately'", "the time of the build is no time: lately"),
    ("UPDATE category SET name = 'zoo' WHERE name = 'bank'", "its rules do not know: zoo"),
    (
      withoutTriggers + "UPDATE poi SET geom = \(point(0, 0)) WHERE id < 3",
      "places at 0,0: 2, the first is row 1 ("
    ),
    (
      withoutTriggers + "UPDATE poi SET geom = \(point(0, 91)) WHERE id = 3",
      "places without a valid point on the earth: 1, the first is row 3 (mine/8)"
    ),
    (
      withoutTriggers + "UPDATE poi SET geom = \(point(1, 2)) WHERE id IN (3, 7)",
      "does not hold where they are: 2, the first is row 3 (mine/8)"
    ),
    (
      "DELETE FROM poi WHERE id = 3",
      "categories of places that are not there: 2, the first is row 3"
    ),
    (
      "PRAGMA ignore_check_constraints = 1; UPDATE poi SET attributes = '{bad' WHERE id = 3",
      "attributes are not JSON: 1, the first is row 3 (mine/8)"
    ),
    (
      "UPDATE OR REPLACE poi_category SET category_id = 99 WHERE poi_id = 3",
      "places of unknown categories: 1, the first is row 3 (mine/8)"
    ),
  ])
  func `verify finds what other programs and hands can break`(sql: String, hint: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sqlite")
    try writeCache(randomWorld(seed: 3, count: 20), to: path)
    #expect(try POICache.open(path).problems(known: testCategories) == [])
    try Self.execute("PRAGMA foreign_keys = OFF;" + sql, on: path)
    let problems = try POICache.open(path).problems(known: testCategories)
    #expect(problems.contains { $0.contains(hint) }, "\(problems)")
  }
}

/// True from the given question on.
private final class Countdown: @unchecked Sendable {
  // One thread asks: the one that builds.
  private var left: Int
  init(_ questions: Int) { left = questions }
  var isOver: Bool {
    left -= 1
    return left < 0
  }
}
