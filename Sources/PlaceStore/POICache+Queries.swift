import Geodesy
import GRDB
import Places

/// A place and how far it is from where one asked.
public struct PlaceAtDistance<Found: Sendable>: Sendable {
  /// The place.
  public let place: Found
  /// Meters on the ellipsoid, exact as ``Coordinate/distanceMeters(to:)``.
  public let distanceMeters: Double
}

extension POICache {
  /// The places of a category that are nearest to a coordinate, the nearest first.
  ///
  /// Equal distances are in order of source id. nil stands for every category.
  ///
  /// - Complexity: as many rows as lie in a box twice as wide as the answer needs.
  public func nearest(
    category: CategoryID?,
    to center: Coordinate,
    limit: Int
  ) throws(PlaceStoreError) -> [PlaceAtDistance<PointOfInterest>] {
    guard limit > 0, let filter = categoryFilter(category) else { return [] }
    return try database.read { database in
      let found = try nearestHits(limit: limit, to: center) { box in
        try hits(database, in: box, filter: filter, around: center)
      }
      return try load(found, from: database)
    }
  }

  /// The places of a category within a distance, the nearest first; nil stands for every category.
  ///
  /// Equal distances are in order of source id.
  public func pointsOfInterest(
    category: CategoryID?,
    within radiusMeters: Double,
    of center: Coordinate
  ) throws(PlaceStoreError) -> [PlaceAtDistance<PointOfInterest>] {
    guard radiusMeters >= 0, let filter = categoryFilter(category) else { return [] }
    return try database.read { database in
      let box = BoundingBox(around: center, radiusMeters: radiusMeters)
      let inBox = try hits(database, in: box, filter: filter, around: center)
      return try load(inBox.filter { $0.distanceMeters <= radiusMeters }.sorted(), from: database)
    }
  }

  /// The places of a category in a box, edges included, in order of source id; nil stands for every
  /// category.
  public func pointsOfInterest(
    category: CategoryID?,
    in box: BoundingBox
  ) throws(PlaceStoreError) -> [PointOfInterest] {
    guard let filter = categoryFilter(category) else { return [] }
    return try database.read { database in
      let center = Coordinate(uncheckedLatitude: 0, longitude: 0)
      var inBox = try hits(database, in: box, filter: filter, around: center)
      inBox.removeAll { !box.contains($0.coordinate) }
      let keyed = inBox.map { (SourceIDKey($0.sourceID), $0) }
      inBox = keyed.sorted { $0.0 < $1.0 }.map(\.1)
      return try load(inBox, from: database).map(\.place)
    }
  }

  /// The row id of a category, 0 for all of them; nil for a category that the cache does not know.
  private func categoryFilter(_ category: CategoryID?) -> Int64? {
    guard let category else { return 0 }
    return categories.id(of: category)
  }

  private func hits(
    _ database: Database,
    in box: BoundingBox,
    filter: Int64,
    around center: Coordinate
  ) throws -> [SpatialHit] {
    let from = "SELECT p.id, p.source_id, p.geom FROM idx_poi_geom r JOIN poi p ON p.id = r.pkid"
    let inBox = " WHERE r.xmin <= ? AND r.xmax >= ? AND r.ymin <= ? AND r.ymax >= ?"
    let sql =
      filter == 0
      ? from + inBox
      : from + " JOIN poi_category c ON c.poi_id = p.id AND c.category_id = ?" + inBox
    return try spatialHits(
      database,
      sql: sql,
      prefix: filter == 0 ? [] : [filter],
      in: box,
      around: center
    )
  }

  private func load(
    _ hits: [SpatialHit],
    from database: Database
  ) throws -> [PlaceAtDistance<PointOfInterest>] {
    let select = try database.cachedStatement(sql: POIRow.selectOne)
    let link = try database.cachedStatement(
      sql: "SELECT category_id FROM poi_category WHERE poi_id = ? ORDER BY category_id"
    )
    return try hits.map { hit in
      let rows = try PlainRows(select, [hit.id])
      guard try rows.next() else {
        throw damaged("the spatial index names a row that is not there")
      }
      let poi = try POIRow(rows)
      let ids = try Int64.fetchAll(link, arguments: [hit.id])
      return PlaceAtDistance(
        place: try poi.pointOfInterest(categories.named(ids, poi: poi)),
        distanceMeters: hit.distanceMeters
      )
    }
  }
}
