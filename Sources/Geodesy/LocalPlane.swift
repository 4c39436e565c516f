import Basics

/// A flat map around an origin, in meters east and north.
///
/// For drawing and for the geometry of buildings, where a plane is needed; distances that decide
/// anything are measured with ``SurfacePoint``.
///
/// - Precision: relative 1e-3 within 10 km of the origin below 80° of latitude.
/// - Source: radii of curvature of the meridian and of the prime vertical at the origin.
public struct LocalPlane: Hashable, Sendable {
  /// Where east and north are 0.
  public let origin: Coordinate
  /// Meters in one degree of longitude at the origin.
  public let metersPerDegreeEast: Double
  /// Meters in one degree of latitude at the origin.
  public let metersPerDegreeNorth: Double

  /// Lays a plane against the ellipsoid at a coordinate.
  public init(origin: Coordinate) {
    self.origin = origin
    let (sine, cosine) = sineAndCosine(degrees: origin.latitude)
    let e2 = WGS84.eccentricitySquared
    let w2 = 1 - e2 * sine * sine
    let primeVertical = WGS84.equatorialRadiusMeters / w2.squareRoot()
    let meridian = primeVertical * (1 - e2) / w2
    metersPerDegreeNorth = meridian * .pi / 180
    // At a pole every longitude is the same place: one meter keeps the inverse finite.
    metersPerDegreeEast = max(primeVertical * cosine * .pi / 180, 1e-6)
  }

  /// Meters east and north of the origin, by the shorter way round the globe.
  public func project(_ coordinate: Coordinate) -> (eastMeters: Double, northMeters: Double) {
    var degreesEast = coordinate.longitude - origin.longitude
    if degreesEast > 180 { degreesEast -= 360 }
    if degreesEast < -180 { degreesEast += 360 }
    return (
      degreesEast * metersPerDegreeEast,
      (coordinate.latitude - origin.latitude) * metersPerDegreeNorth
    )
  }

  /// The coordinate that lies so many meters east and north of the origin.
  public func coordinate(eastMeters: Double, northMeters: Double) -> Coordinate {
    var longitude = origin.longitude + eastMeters / metersPerDegreeEast
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    let latitude = origin.latitude + northMeters / metersPerDegreeNorth
    return Coordinate(
      uncheckedLatitude: min(90, max(-90, latitude)),
      longitude: min(180, max(-180, longitude))
    )
  }
}
