import GRDB
import Geodesy
import Places
import Timeline

extension POICache {
  /// Everything that is wrong with the cache, one sentence each; empty for a sound one.
  ///
  /// - Parameter known: the categories that the rules of the cache make; nil for any.
  /// - Parameter onStep: told how many of the checks are done before each of them, and of how many.
  /// - Complexity: reads the whole file.
  public func problems(
    known: [CategoryID]? = nil,
    onStep: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(PlaceStoreError) -> [String] {
    try database.read { database in
      var problems: [String] = []
      let others = [missingTriggers, wrongTimes, wrongPoints, wrongRow]
      var done = 0
      func step() {
        onStep(done, checks.count + others.count + 2)
        done += 1
      }
      step()
      let integrity = try String.fetchAll(database, sql: "PRAGMA integrity_check(20)")
      problems += integrity.filter { $0 != "ok" }.map { "integrity check: \($0)" }
      step()
      let tree = try String.fetchOne(database, sql: "SELECT rtreecheck('idx_poi_geom')")
      if tree != "ok" { problems.append("spatial index: \(tree ?? "cannot be checked")") }
      for check in checks {
        step()
        guard let count = try Int.fetchOne(database, sql: check.sql), count > 0 else { continue }
        problems.append("\(check.problem): \(count)")
      }
      for check in others {
        step()
        problems += try check(database)
      }
      if let known {
        let others = knownCategories.filter { !known.contains($0) }.map(\.name)
        if !others.isEmpty {
          problems.append(
            "categories that its rules do not know: \(others.joined(separator: ", "))"
          )
        }
      }
      return problems
    }
  }

  /// Without them, an index would not follow what other programs change.
  private func missingTriggers(_ database: Database) throws -> [String] {
    let found = try String.fetchAll(
      database,
      sql: "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'poi'"
    )
    let missing = indexTriggers.filter { !found.contains($0) }
    return missing.isEmpty
      ? [] : ["missing triggers of the spatial index: \(missing.joined(separator: ", "))"]
  }

  /// The first row that holds what no place can have, with what is wrong: the counts name no row.
  private func wrongRow(_ database: Database) throws -> [String] {
    do {
      try forEachPlace(database) { _ in }
      try requireDistinctIDs(database)
      return []
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      return error.message.map { [$0] } ?? []
    }
  }

  private func wrongTimes(_ database: Database) throws -> [String] {
    let times = try String.fetchAll(database, sql: "SELECT built_at FROM build")
    return times.filter { RFC3339.parse($0) == nil }
      .map { "the time of the build is no time: \($0)" }
  }

  private func wrongPoints(_ database: Database) throws -> [String] {
    var (invalid, zero) = (0, 0)
    let rows = try Row.fetchCursor(database, sql: "SELECT geom FROM poi ORDER BY id")
    while let row = try rows.next() {
      let point = try row.withUnsafeData(atIndex: 0) { $0.flatMap(PointBlob.decode) }
      guard let point else {
        invalid += 1
        continue
      }
      if point.latitude == 0, point.longitude == 0 { zero += 1 }
    }
    return (invalid == 0 ? [] : ["places without a valid point on the earth: \(invalid)"])
      + (zero == 0 ? [] : ["places at 0,0: \(zero)"])
  }
}

/// What SpatiaLite makes for the column `geom` of `poi`: checks of a point's type, and the index.
///
/// - Source: SpatiaLite 5, `CreateSpatialIndex` and `AddGeometryColumn`: `gg` checks, `gi` indexes.
private let indexTriggers = ["ggi", "ggu", "gii", "giu", "gid"].map { "\($0)_poi_geom" }

/// Queries that count what must not be.
private let checks: [(problem: String, sql: String)] = [
  (
    "places that the spatial index does not hold where they are",
    """
    SELECT count(*) FROM poi p LEFT JOIN idx_poi_geom r ON r.pkid = p.id
    WHERE r.pkid IS NULL OR NOT (ST_X(p.geom) BETWEEN r.xmin AND r.xmax
      AND ST_Y(p.geom) BETWEEN r.ymin AND r.ymax)
    """
  ),
  (
    "entries of the spatial index without a place",
    "SELECT count(*) FROM idx_poi_geom r LEFT JOIN poi p ON p.id = r.pkid WHERE p.id IS NULL"
  ),
  (
    "layers that geometry_columns does not describe as points in WGS 84 with an index",
    """
    SELECT 1 - count(*) FROM geometry_columns
    WHERE f_table_name = 'poi' AND f_geometry_column = 'geom' AND geometry_type = 1
      AND coord_dimension = 2 AND srid = 4326 AND spatial_index_enabled = 1
    """
  ),
  (
    "reference systems missing in spatial_ref_sys",
    "SELECT 1 - count(*) FROM spatial_ref_sys WHERE srid = 4326"
  ),
  (
    "places without a category",
    "SELECT count(*) FROM poi WHERE id NOT IN (SELECT poi_id FROM poi_category)"
  ),
  (
    "categories of places that are not there",
    "SELECT count(*) FROM poi_category WHERE poi_id NOT IN (SELECT id FROM poi)"
  ),
  (
    "places of unknown categories",
    "SELECT count(*) FROM poi_category WHERE category_id NOT IN (SELECT id FROM category)"
  ),
  (
    "places whose footprint is not a length",
    "SELECT count(*) FROM poi WHERE NOT (footprint_radius_m BETWEEN 0 AND 20003932)"
  ),
  (
    "places whose attributes are not JSON",
    "SELECT count(*) FROM poi WHERE attributes IS NOT NULL AND NOT json_valid(attributes)"
  ),
  (
    "missing records of the build",
    "SELECT 1 - count(*) FROM build"
  ),
  (
    "places more or fewer than the inputs of the provenance gave",
    """
    SELECT abs((SELECT count(*) FROM poi) - (SELECT coalesce(sum(poi_count), 0) FROM provenance))
    """
  ),
  (
    "inputs of the provenance without a name, a format or a checksum",
    """
    SELECT count(*) FROM provenance
    WHERE input_name = '' OR input_format = '' OR NOT input_crc32 GLOB '????????'
      OR input_bytes < 0 OR poi_count < 0
    """
  ),
]
