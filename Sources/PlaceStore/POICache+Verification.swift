import GRDB
import Geodesy
import Places
import Timeline

extension POICache {
  /// Everything that is wrong with the cache, one sentence each; empty for a sound one.
  ///
  /// What is counted names the first of the rows, in order of their ids.
  ///
  /// - Parameter known: the categories that the rules of the cache make; nil for any.
  /// - Parameter onStep: told how many of the checks are done before each of them, and of how many.
  /// - Complexity: reads the whole file.
  public func problems(
    known: [CategoryID]? = nil,
    onStep: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(PlaceStoreError) -> [String] {
    var problems = try foundProblems(known: known, onStep: onStep)
    guard problems.isEmpty else { return problems }
    // What is told above already would come again as what some command stumbles over.
    func attempt(_ body: () throws(PlaceStoreError) -> Void) throws(PlaceStoreError) {
      do throws(PlaceStoreError) { try body() } catch {
        guard error.code == .damaged else { throw error }
        problems.append(error.detail)
      }
    }
    try attempt { () throws(PlaceStoreError) in _ = try provenance() }
    try attempt { () throws(PlaceStoreError) in _ = try allAttributes() }
    return problems
  }

  private func foundProblems(
    known: [CategoryID]?,
    onStep: (_ done: Int, _ total: Int) -> Void
  ) throws(PlaceStoreError) -> [String] {
    try database.readWithFunctions { database in
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
        let first = try check.first.flatMap { try Row.fetchOne(database, sql: $0) }
        problems.append("\(check.problem): \(count)" + (first.map { ", \(firstRow($0))" } ?? ""))
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

  /// The first row that holds what no place can have, with what is wrong.
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
    var invalid: (count: Int, first: String) = (0, "")
    var zero = invalid
    let rows = try Row.fetchCursor(database, sql: "SELECT id, source_id, geom FROM poi ORDER BY id")
    while let row = try rows.next() {
      let point = try row.withUnsafeData(atIndex: 2) { $0.flatMap(PointBlob.decode) }
      guard let point else {
        if invalid.count == 0 { invalid.first = firstRow(row) }
        invalid.count += 1
        continue
      }
      guard point.latitude == 0, point.longitude == 0 else { continue }
      if zero.count == 0 { zero.first = firstRow(row) }
      zero.count += 1
    }
    return [("places without a valid point on the earth", invalid), ("places at 0,0", zero)]
      .filter { $0.1.count > 0 }.map { "\($0): \($1.count), \($1.first)" }
  }
}

/// What a row is called whose first two columns are the id of a place and its source id.
private func firstRow(_ row: Row) -> String {
  let id = (try? row.decode(Int64.self, atIndex: 0)).map(String.init) ?? "without a number"
  let sourceID = row.count > 1 ? try? row.decode(String.self, atIndex: 1) : nil
  return "the first is row \(id)" + (sourceID.map { " (\(quoted($0)))" } ?? "")
}

/// What SpatiaLite makes for the column `geom` of `poi`: checks of a point's type, and the index.
///
/// - Source: SpatiaLite 5, `CreateSpatialIndex` and `AddGeometryColumn`: `gg` checks, `gi` indexes.
private let indexTriggers = ["ggi", "ggu", "gii", "giu", "gid"].map { "\($0)_poi_geom" }

/// What must not be: a query that counts it, and one for the first place that it is so of.
private struct Check {
  let problem: String
  let sql: String
  let first: String?

  /// A count of what has no row.
  init(_ problem: String, count sql: String) {
    self.problem = problem
    self.sql = sql
    first = nil
  }

  /// Rows to be counted.
  ///
  /// - Parameter columns: the id of the place, and its source id where it has one.
  init(_ problem: String, _ columns: String = "id, source_id", from rows: String) {
    self.problem = problem
    sql = "SELECT count(*) FROM \(rows)"
    first = "SELECT \(columns) FROM \(rows) ORDER BY 1 LIMIT 1"
  }
}

private let checks = [
  Check(
    "places that the spatial index does not hold where they are",
    "p.id, p.source_id",
    from: """
      poi p LEFT JOIN idx_poi_geom r ON r.pkid = p.id
      WHERE r.pkid IS NULL OR NOT (ST_X(p.geom) BETWEEN r.xmin AND r.xmax
        AND ST_Y(p.geom) BETWEEN r.ymin AND r.ymax)
      """
  ),
  Check(
    // SQLite and SpatiaLite each round outward, by a few steps of the numbers of 32 bits that it has.
    "places whose box in the spatial index is larger than their point",
    "p.id, p.source_id",
    from: """
      poi p JOIN idx_poi_geom r ON r.pkid = p.id
      WHERE r.xmax - r.xmin > 2e-6 * max(abs(r.xmin), abs(r.xmax)) + 1e-30
        OR r.ymax - r.ymin > 2e-6 * max(abs(r.ymin), abs(r.ymax)) + 1e-30
      """
  ),
  Check(
    "missing unique indexes over the source ids",
    count: """
      SELECT 1 - count(*) FROM pragma_index_list('poi') WHERE name = 'poi_source_id' AND "unique" = 1
      """
  ),
  Check(
    // Caches of older versions have neither.
    "views that geometry columns speak of and that are not there, or that they do not know",
    count: """
      SELECT abs(
        (SELECT count(*) FROM sqlite_master WHERE type = 'view' AND name = '\(CacheSchema.view)')
        - (SELECT count(*) FROM views_geometry_columns WHERE view_name = '\(CacheSchema.view)'))
      """
  ),
  Check(
    "entries of the spatial index without a place",
    "r.pkid",
    from: "idx_poi_geom r LEFT JOIN poi p ON p.id = r.pkid WHERE p.id IS NULL"
  ),
  Check(
    "layers that geometry_columns does not describe as points in WGS 84 with an index",
    count: """
      SELECT 1 - count(*) FROM geometry_columns
      WHERE f_table_name = 'poi' AND f_geometry_column = 'geom' AND geometry_type = 1
        AND coord_dimension = 2 AND srid = 4326 AND spatial_index_enabled = 1
      """
  ),
  Check(
    "reference systems missing in spatial_ref_sys",
    count: "SELECT 1 - count(*) FROM spatial_ref_sys WHERE srid = 4326"
  ),
  Check(
    "places without a category",
    from: "poi WHERE id NOT IN (SELECT poi_id FROM poi_category)"
  ),
  Check(
    "categories of places that are not there",
    "poi_id",
    from: "poi_category WHERE poi_id NOT IN (SELECT id FROM poi)"
  ),
  Check(
    "places of unknown categories",
    "c.poi_id, p.source_id",
    from: """
      poi_category c LEFT JOIN poi p ON p.id = c.poi_id
      WHERE c.category_id NOT IN (SELECT id FROM category)
      """
  ),
  Check(
    "places whose footprint is no length up to 1,000 km",
    from: "poi WHERE NOT (footprint_radius_m BETWEEN 0 AND \(PointOfInterest.mostFootprintMeters))"
  ),
  Check(
    "places whose attributes are not JSON",
    from: "poi WHERE attributes IS NOT NULL AND NOT json_valid(attributes)"
  ),
  Check("missing records of the build", count: "SELECT 1 - count(*) FROM build"),
  Check(
    "places more or fewer than the inputs of the provenance gave",
    count: """
      SELECT abs((SELECT count(*) FROM poi) - (SELECT coalesce(sum(poi_count), 0) FROM provenance))
      """
  ),
  Check(
    "inputs of the provenance without a name, a format or a checksum",
    count: """
      SELECT count(*) FROM provenance
      WHERE input_name = '' OR input_format = '' OR NOT input_crc32 GLOB '????????'
        OR input_bytes < 0 OR poi_count < 0
      """
  ),
]
