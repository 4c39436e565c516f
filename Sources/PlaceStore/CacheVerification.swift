import GRDB

extension POICache {
  /// Everything that is wrong with the cache, one sentence each; empty for a sound one.
  ///
  /// - Complexity: reads the whole file.
  public func problems() throws(PlaceStoreError) -> [String] {
    try database.read { database in
      var problems: [String] = []
      let integrity = try String.fetchAll(database, sql: "PRAGMA integrity_check(20)")
      problems += integrity.filter { $0 != "ok" }.map { "integrity check: \($0)" }
      let tree = try String.fetchOne(database, sql: "SELECT rtreecheck('idx_poi_geom')")
      if tree != "ok" { problems.append("spatial index: \(tree ?? "cannot be checked")") }
      for check in checks {
        guard let count = try Int.fetchOne(database, sql: check.sql), count > 0 else { continue }
        problems.append("\(check.problem): \(count)")
      }
      return problems + (try invalidPoints(database))
    }
  }

  private func invalidPoints(_ database: Database) throws -> [String] {
    var invalid = 0
    let rows = try Row.fetchCursor(database, sql: "SELECT geom FROM poi ORDER BY id")
    while let row = try rows.next() {
      let point = try row.withUnsafeData(atIndex: 0) { $0.flatMap(PointBlob.decode) }
      if point == nil { invalid += 1 }
    }
    return invalid == 0 ? [] : ["places without a valid point: \(invalid)"]
  }
}

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
]
