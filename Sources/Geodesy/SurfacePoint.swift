import Basics

/// A coordinate as a point in space, from which distances cost no trigonometry.
///
/// Earth-centered and earth-fixed: x toward 0°N 0°E, y toward 0°N 90°E, z toward the north pole.
/// Two of them are compared by their chord, which has no special cases at the poles or at ±180°.
///
/// - Units: meters.
public struct SurfacePoint: Hashable, Sendable {
  /// Meters toward 0°N 0°E.
  public var x: Double
  /// Meters toward 0°N 90°E.
  public var y: Double
  /// Meters toward the north pole.
  public var z: Double

  /// Makes a point from its three parts in meters.
  public init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The point of the ellipsoid (height 0) at a coordinate.
  ///
  /// - Source: NIMA TR8350.2, equation 4-14.
  public init(_ coordinate: Coordinate) {
    let (sinLatitude, cosLatitude) = sineAndCosine(degrees: coordinate.latitude)
    let (sinLongitude, cosLongitude) = sineAndCosine(degrees: coordinate.longitude)
    let e2 = WGS84.eccentricitySquared
    let primeVertical =
      WGS84.equatorialRadiusMeters / (1 - e2 * sinLatitude * sinLatitude).squareRoot()
    x = primeVertical * cosLatitude * cosLongitude
    y = primeVertical * cosLatitude * sinLongitude
    z = primeVertical * (1 - e2) * sinLatitude
  }

  /// The square of the straight line to another point, in square meters.
  @inlinable
  public func chordSquared(to other: SurfacePoint) -> Double {
    let dx = x - other.x
    let dy = y - other.y
    let dz = z - other.z
    return dx * dx + dy * dy + dz * dz
  }

  /// The distance on the ellipsoid to another point.
  ///
  /// - Units: meters.
  /// - Precision: within 2 mm of the geodesic up to 50 km and within 0.002 % up to 1 000 km; beyond,
  ///   within 0.1 % everywhere, antipodes included (`DistanceOracleTests` against PROJ).
  /// - Complexity: O(1) up to 1 000 km, at most 32 chords beyond.
  /// - Source: an arc of radius R over the chord c is c(1 + c²/24R² + 3c⁴/640R⁴ + …).
  public func distanceMeters(to other: SurfacePoint) -> Double {
    let chordSquared = chordSquared(to: other)
    if chordSquared <= longestBentChordSquared { return arcMeters(chordSquared: chordSquared) }
    return min(greatEllipseMeters(to: other), WGS84.halfMeridianMeters)
  }

  /// Halves the way until every piece is short; each middle lies on the ellipsoid, in the plane of
  /// the two ends and the center of the earth.
  private func greatEllipseMeters(to other: SurfacePoint) -> Double {
    let chordSquared = chordSquared(to: other)
    if chordSquared <= longestBentChordSquared { return arcMeters(chordSquared: chordSquared) }
    let middle = SurfacePoint(x: x + other.x, y: y + other.y, z: z + other.z)
    guard let onSurface = middle.projectedFromCenter() else {
      // Antipodes: no way is shorter than a meridian.
      return WGS84.halfMeridianMeters
    }
    return greatEllipseMeters(to: onSurface) + onSurface.greatEllipseMeters(to: other)
  }

  /// Where the ray from the center of the earth through this point meets the ellipsoid; nil where
  /// the point is too near the center to have a direction.
  private func projectedFromCenter() -> SurfacePoint? {
    let a = WGS84.equatorialRadiusMeters
    let b = WGS84.polarRadiusMeters
    let scale = ((x * x + y * y) / (a * a) + z * z / (b * b)).squareRoot()
    guard scale > 1e-6 else { return nil }
    return SurfacePoint(x: x / scale, y: y / scale, z: z / scale)
  }
}

/// Chords up to 1 000 km are bent in one step.
private let longestBentChordSquared = 1e12
/// The arcs that have them; of longer ones the series below is of no use.
private let longestBentArcMeters = 1_002_000.0

/// The arc over a chord, for chords of at most 1 000 km.
///
/// - Parameter chordSquared: square meters.
/// - Returns: meters.
public func arcMeters(chordSquared: Double) -> Double {
  let r2 = WGS84.meanCurvatureRadiusMeters * WGS84.meanCurvatureRadiusMeters
  let t = chordSquared / r2
  return chordSquared.squareRoot() * (1 + t * (1.0 / 24 + t * (3.0 / 640)))
}

/// The square of the chord under an arc, the inverse of ``arcMeters(chordSquared:)``.
///
/// - Parameter arcMeters: a negative arc has the chord of no length, one of more than half of the way around the
///   earth that of a diameter.
/// - Returns: square meters; the more for the longer arc.
/// - Precision: relative 1e-9 up to 1 000 km; beyond, a sphere's, within 1 % in length.
public func chordSquared(arcMeters: Double) -> Double {
  guard arcMeters > 0 else { return 0 }
  if arcMeters > longestBentArcMeters {
    let diameter = 2 * WGS84.meanCurvatureRadiusMeters
    let half = min(arcMeters / diameter * 180 / Double.pi, 90)
    let chord = diameter * sineAndCosine(degrees: half).sine
    return chord * chord
  }
  let r2 = WGS84.meanCurvatureRadiusMeters * WGS84.meanCurvatureRadiusMeters
  let t = arcMeters * arcMeters / r2
  let chord = arcMeters * (1 - t * (1.0 / 24 - t * (1.0 / 1_920)))
  return chord * chord
}

extension Coordinate {
  /// The distance on the ellipsoid to another coordinate, in meters.
  ///
  /// - Precision: as ``SurfacePoint/distanceMeters(to:)``.
  public func distanceMeters(to other: Coordinate) -> Double {
    SurfacePoint(self).distanceMeters(to: SurfacePoint(other))
  }
}
