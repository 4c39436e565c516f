/// The ellipsoid that GPS and OpenStreetMap coordinates refer to.
///
/// - Source: NIMA TR8350.2, third edition, tables 3.1 and 3.3.
public enum WGS84 {
  /// Equatorial radius in meters (defining).
  public static let equatorialRadiusMeters = 6_378_137.0
  /// Flattening (defining, as 1 / f).
  public static let flattening = 1 / 298.257223563
  /// Polar radius in meters, a(1 − f).
  public static let polarRadiusMeters = equatorialRadiusMeters * (1 - flattening)
  /// First eccentricity squared, f(2 − f).
  public static let eccentricitySquared = flattening * (2 - flattening)
  /// Half of a meridian in meters: the longest shortest way between two points.
  ///
  /// - Source: PROJ 9.1 `geod_inverse` from pole to pole; confirmed by `DistanceOracleTests`.
  public static let halfMeridianMeters = 20_003_931.4586
  /// The radius at which a chord is bent into an arc, in meters.
  ///
  /// The middle of the radii of curvature that the ellipsoid has anywhere, in any direction:
  /// b²/a = 6 335 439 m along the meridian at the equator, a²/b = 6 399 594 m at the poles.
  static let meanCurvatureRadiusMeters = 6_367_516.0
}
