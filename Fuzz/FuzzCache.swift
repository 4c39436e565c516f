import Foundation
import Geodesy
import NearMeEngine
import Places
import Timeline
import Traces

@testable import PlaceStore

// A cache of its own is made once; the input says what is done to it. Bytes of a whole cache would be
// 150 kB of SpatiaLite's tables, in which a fuzzer finds the few that matter by chance only.

private let database = AlteredDatabase(named: "cache.sqlite")
private let path = database.path
private let categories = ["bank", "grocery", "pharmacy"].map { CategoryID($0) }
private let whole: [UInt8] = makeCache()
private let start = Timestamp(seconds: 1_772_550_000)

/// Alters a cache: values out of range in any column, bits flipped, bytes overwritten, the end cut off.
///
/// What it then holds is sound, or refused with a sentence, and an engine can live on it.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  let isSmall = database.alter(
    whole,
    input[...],
    prelude: [
      "PRAGMA writable_schema = 1",
      "DELETE FROM sqlite_master WHERE type = 'trigger' OR name = 'poi_source_id'",
    ]
  ) { step in
    let column = columns[Int(step[1]) % columns.count]
    // A blob of the table with one byte changed, or a value that is out of range.
    let isBlob = step[3] % 3 == 0 && ["geom", "data"].contains(column.name)
    return database.update(
      column,
      step,
      rows: 40,
      to: isBlob
        ? "CAST(substr(\(column.name), 1, \(step[4])) || x'\(String(step[5] | 16, radix: 16))' "
          + "|| substr(\(column.name), \(Int(step[4]) + 2)) AS BLOB)" : nil
    )
  }
  if isSmall { use() }
  return 0
}

private func makeCache() -> [UInt8] {
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
  return database.bytes
}

private let columns: [(table: String, name: String)] = [
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
