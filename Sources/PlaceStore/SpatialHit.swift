import Geodesy
import GRDB

/// A row that a spatial query found, with what is needed to put it in order.
struct SpatialHit: Comparable {
  let id: Int64
  let sourceID: String
  let coordinate: Coordinate
  let distanceMeters: Double

  static func < (a: SpatialHit, b: SpatialHit) -> Bool {
    if a.distanceMeters != b.distanceMeters { return a.distanceMeters < b.distanceMeters }
    return SourceIDKey(a.sourceID) < SourceIDKey(b.sourceID)
  }
}

/// The nearest rows, found by boxes that grow until the answer cannot lie outside.
///
/// - Parameter hits: every row in a box.
/// - Complexity: at most 18 boxes, each four times as large as the one before.
func nearestHits(
  limit: Int,
  to center: Coordinate,
  hits: (BoundingBox) throws -> [SpatialHit]
) rethrows -> [SpatialHit] {
  var radiusMeters = 250.0
  while radiusMeters < WGS84.halfMeridianMeters {
    let inBox = try hits(BoundingBox(around: center, radiusMeters: radiusMeters))
    // The corners of the box lie farther out; a place beyond its sides may be nearer than those.
    let inCircle = inBox.filter { $0.distanceMeters <= radiusMeters }
    if inCircle.count >= limit { return Array(inCircle.sorted().prefix(limit)) }
    radiusMeters *= 2
  }
  let world = BoundingBox(west: -180, south: -90, east: 180, north: 90)
  return Array(try hits(world).sorted().prefix(limit))
}

/// Every row of a query over an R*Tree that lies in a box, edges included.
///
/// The tree rounds outward to 32 bits, so that each point is looked at again.
///
/// - Parameter sql: selects row id, source id and point; takes the prefix, then east, west, north
///   and south.
func spatialHits(
  _ database: Database,
  sql: String,
  prefix: [Int64],
  in box: BoundingBox,
  around center: Coordinate
) throws -> [SpatialHit] {
  let origin = SurfacePoint(center)
  let statement = try database.cachedStatement(sql: sql)
  var hits: [SpatialHit] = []
  for (west, east) in longitudeRanges(of: box) {
    let arguments: [any DatabaseValueConvertible] =
      prefix + [east, west, box.north, box.south] as [any DatabaseValueConvertible]
    let rows = try Row.fetchCursor(statement, arguments: StatementArguments(arguments))
    while let row = try rows.next() {
      let point = try row.withUnsafeData(atIndex: 2) { $0.flatMap(PointBlob.decode) }
      let id = try row.decode(Int64.self, atIndex: 0)
      guard let point else { throw damaged("row \(id) has no valid point") }
      guard (west...east).contains(point.longitude),
        (box.south...box.north).contains(point.latitude)
      else { continue }
      hits.append(
        SpatialHit(
          id: id,
          sourceID: try row.decode(atIndex: 1),
          coordinate: point,
          distanceMeters: origin.distanceMeters(to: SurfacePoint(point))
        )
      )
    }
  }
  return hits
}

/// The box as ranges of longitude that do not run over ±180° and have no point in common.
///
/// −180 and 180 are the same meridian: a range that ends at one of them takes the other along.
private func longitudeRanges(of box: BoundingBox) -> [(west: Double, east: Double)] {
  guard box.south <= box.north else { return [] }
  if box.crossesAntimeridian { return [(box.west, 180), (-180, box.east)] }
  if box.west == -180, box.east < 180 { return [(box.west, box.east), (180, 180)] }
  if box.east == 180, box.west > -180 { return [(box.west, box.east), (-180, -180)] }
  return [(box.west, box.east)]
}
