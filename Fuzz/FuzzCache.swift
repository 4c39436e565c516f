import CSpatiaLite
import Foundation
import Geodesy
import NearMeEngine
import Places
import Timeline
import Traces

@testable import PlaceStore

// A cache of its own is made once; the input says what is done to it. Bytes of a whole cache would be
// 150 kB of SpatiaLite's tables, in which a fuzzer finds the few that matter by chance only.

private let folder = "/dev/shm/nearme-fuzz-\(getpid())"
private let path = folder + "/cache.sqlite"
private let categories = ["bank", "grocery", "pharmacy"].map { CategoryID($0) }
private let whole: [UInt8] = makeCache()
private let start = Timestamp(seconds: 1_772_550_000)

/// Alters a cache: values out of range in any column, bits flipped, bytes overwritten, the end cut off.
///
/// What it then holds is sound, or refused with a sentence, and an engine can live on it.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  let steps = stride(from: 0, to: count - 5, by: 6).map { Array(input[$0..<$0 + 6]) }
  write(whole)
  let values = steps.filter { $0[0] % 4 == 3 }
  if !values.isEmpty { setValues(values) }
  var file = [UInt8](FileManager.default.contents(atPath: path) ?? Data())
  // Several long values are no more than one, and the memory would be that of this harness.
  guard file.count < 40_000_000 else { return 0 }
  for step in steps where step[0] % 4 != 3 && !file.isEmpty {
    let at = (Int(step[1]) << 16 | Int(step[2]) << 8 | Int(step[3])) % file.count
    switch step[0] % 16 {
    case 0, 4, 8: file[at] ^= 1 << (step[4] & 7)
    case 1, 5, 9: file[at] = step[4]
    case 2, 6, 10: for i in at..<min(at + 8, file.count) { file[i] = step[4] }
    default: file.removeLast(file.count - at)
    }
  }
  write(file)
  use()
  return 0
}

private func write(_ bytes: [UInt8]) {
  precondition(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
}

private func makeCache() -> [UInt8] {
  try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  // Two rows of houses along a road.
  var places: [PointOfInterest] = []
  for i in 0..<40 {
    let kind = ["node", "way", "mine"][i % 3]
    let row = Int32(i % 2)
    places.append(
      PointOfInterest(
        sourceID: "\(kind)/\(i)",
        categories: i % 5 == 0 ? Array(categories.prefix(2)) : [categories[i % 3]],
        name: i % 4 == 0 ? nil : "House \(i)",
        coordinate: Coordinate(
          latitudeE7: 390_000_000 + row * 4_000,
          longitudeE7: -760_000_000 + Int32(i) * 9_000
        ),
        footprintRadiusMeters: Double(i % 7) * 10
      )
    )
  }
  let provenance = CacheProvenance(
    inputs: [
      .init(
        name: "a.csv",
        format: "csv",
        byteCount: 1,
        crc32: "00000000",
        dataTimestamp: nil,
        license: nil,
        attribution: nil,
        placeCount: places.count
      )
    ],
    builtAt: Timestamp(seconds: 0),
    toolVersion: "fuzz",
    selection: ""
  )
  do {
    try POICacheWriter(target: path)
      .write(places, details: ["mine/2": "{}"], categories: categories, provenance: provenance)
  } catch {
    preconditionFailure("no cache can be made: \(error)")
  }
  return [UInt8](FileManager.default.contents(atPath: path) ?? Data())
}

private let columns: [(table: String, column: String)] = [
  ("poi", "id"), ("poi", "source_id"), ("poi", "name"), ("poi", "brand"),
  ("poi", "footprint_radius_m"), ("poi", "attributes"), ("poi", "geom"),
  ("poi_category", "poi_id"), ("poi_category", "category_id"), ("category", "id"),
  ("category", "name"), ("provenance", "input_name"), ("provenance", "input_bytes"),
  ("provenance", "input_crc32"), ("provenance", "poi_count"), ("build", "built_at"),
  ("build", "tool_version"), ("build", "selection"), ("build", "category_rules"),
  ("idx_poi_geom_node", "nodeno"), ("idx_poi_geom_node", "data"), ("idx_poi_geom_rowid", "nodeno"),
  ("idx_poi_geom_parent", "parentnode"), ("geometry_columns", "geometry_type"),
  ("geometry_columns", "srid"),
]

private let outOfRange = [
  "NULL", "0", "-1", "9223372036854775807", "-9223372036854775807 - 1", "9e999", "-9e999", "1e308",
  "5e-324", "''", "'x'", "'node/1'", "x''", "zeroblob(60)", "zeroblob(17000000)",
  "printf('%.*c', 70000, '[')", "CAST(x'C328' AS TEXT)", "CAST(x'65CC81' AS TEXT)",
]

/// Puts values into columns, with nothing in the way that would keep them sound.
private func setValues(_ steps: [[UInt8]]) {
  func execute(_ statements: [String]) {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    guard sqlite3_open(path, &connection) == SQLITE_OK else { return }
    for sql in statements { sqlite3_exec(connection, sql, nil, nil, nil) }
  }
  execute([
    "PRAGMA writable_schema = 1",
    "DELETE FROM sqlite_master WHERE type = 'trigger' OR name = 'poi_source_id'",
  ])
  execute(
    ["PRAGMA ignore_check_constraints = 1", "PRAGMA journal_mode = OFF"]
      + steps.prefix(8)
      .map { step in
        let (table, column) = columns[Int(step[1]) % columns.count]
        // A blob of the table with one byte changed, or a value of the list.
        let value =
          step[3] % 3 == 0 && ["geom", "data"].contains(column)
          ? "CAST(substr(\(column), 1, \(step[4])) || x'\(String(step[5] | 16, radix: 16))' "
            + "|| substr(\(column), \(Int(step[4]) + 2)) AS BLOB)"
          : outOfRange[Int(step[4]) % outOfRange.count]
        let isLong = value.contains("000")
        let row =
          step[5] % 4 == 0 && !isLong
          ? ""
          : isLong && table != "poi_category"
            ? " WHERE rowid = (SELECT max(rowid) FROM \(table))"
            : " WHERE \(column) IN (SELECT \(column) FROM \(table) LIMIT 1 OFFSET \(step[2] % 40))"
        return "UPDATE OR REPLACE \(table) SET \(column) = \(value)\(row)"
      }
  )
}

private func use() {
  func attempt(_ body: () throws(PlaceStoreError) -> Void) {
    do throws(PlaceStoreError) { try body() } catch {
      precondition(error.description.hasPrefix(path + ": "), "\(error)")
    }
  }
  attempt { () throws(PlaceStoreError) in
    let cache = try POICache.open(path)
    attempt { () throws(PlaceStoreError) in _ = try cache.summary() }
    attempt { () throws(PlaceStoreError) in _ = try cache.provenance() }
    attempt { () throws(PlaceStoreError) in _ = try cache.problems(known: categories) }
    attempt { () throws(PlaceStoreError) in _ = try cache.attributes(of: "mine/2") }
    let center = Coordinate(latitudeE7: 390_000_000, longitudeE7: -760_000_000)
    attempt { () throws(PlaceStoreError) in
      _ = try cache.nearest(category: categories[1], to: center, limit: 3)
    }
    attempt { () throws(PlaceStoreError) in
      let places = try cache.allPointsOfInterest()
      for place in places { check(place) }
      live(on: POICatalog(places))
    }
  }
}

private func check(_ place: PointOfInterest) {
  precondition(!place.sourceID.isEmpty && !place.categories.isEmpty, "\(place)")
  precondition((-90.0...90.0).contains(place.coordinate.latitude), "\(place)")
  precondition((-180.0...180.0).contains(place.coordinate.longitude), "\(place)")
  precondition((0...WGS84.halfMeridianMeters).contains(place.footprintRadiusMeters), "\(place)")
}

/// A way along the houses, each fix passed on.
private func live(on catalog: POICatalog) {
  var engine = Engine(policy: Policy(), zone: .utc, catalog: catalog, monitoring: .everyFix)
  let reminders = categories.map {
    Reminder(id: $0.name, title: $0.name, target: .category($0))
  }
  guard (try? engine.load(places: [], reminders: reminders)) != nil else {
    preconditionFailure("reminders of categories are refused")
  }
  for i in 0..<120 {
    let fix = Fix(
      at: start + .seconds(Int64(10 * i)),
      coordinate: Coordinate(latitudeE7: 390_002_000, longitudeE7: -760_000_000 + Int32(i) * 3_000),
      horizontalAccuracyMeters: 8
    )
    _ = engine.handle(Event(at: fix.at, .fix(fix)))
  }
  precondition(engine.violations().isEmpty, "\(engine.violations())")
}
