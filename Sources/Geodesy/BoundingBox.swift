import Basics

/// A box of latitudes and longitudes, edges included.
///
/// `west` may be greater than `east`: such a box crosses the antimeridian.
public struct BoundingBox: Hashable, Sendable, Codable {
  /// Western edge, degrees.
  public var west: Double
  /// Southern edge, degrees.
  public var south: Double
  /// Eastern edge, degrees.
  public var east: Double
  /// Northern edge, degrees.
  public var north: Double

  /// Makes a box from its edges in degrees, in the order of GeoJSON.
  public init(west: Double, south: Double, east: Double, north: Double) {
    self.west = west
    self.south = south
    self.east = east
    self.north = north
  }

  /// The smallest box found simply that holds every point within a distance of a center.
  ///
  /// - Precision: never too small; at most 1 % too large below 80° of latitude. Near a pole it
  ///   takes all longitudes.
  public init(around center: Coordinate, radiusMeters: Double) {
    // The smallest radius of curvature gives the largest angle; 1 % covers the bend of parallels.
    let degreesNorth = radiusMeters / 110_574 * 1.0001
    south = max(-90, center.latitude - degreesNorth)
    north = min(90, center.latitude + degreesNorth)
    let widest = sineAndCosine(degrees: max(abs(south), abs(north))).cosine
    let degreesEast = widest < 1e-6 ? 360 : radiusMeters / (110_574 * widest) * 1.01
    guard degreesEast < 180, south > -90, north < 90 else {
      west = -180
      east = 180
      return
    }
    west = center.longitude - degreesEast
    east = center.longitude + degreesEast
    if west < -180 { west += 360 }
    if east > 180 { east -= 360 }
  }

  /// Whether the box runs over ±180° of longitude.
  public var crossesAntimeridian: Bool { west > east }

  /// Whether a coordinate lies in the box or on its edge; 180° east and 180° west are one edge.
  public func contains(_ coordinate: Coordinate) -> Bool {
    guard coordinate.latitude >= south, coordinate.latitude <= north else { return false }
    if crossesAntimeridian { return coordinate.longitude >= west || coordinate.longitude <= east }
    if coordinate.longitude >= west, coordinate.longitude <= east { return true }
    return abs(coordinate.longitude) == 180 && (west == -180 || east == 180)
  }
}
