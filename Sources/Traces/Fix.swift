import Geodesy
import Timeline

/// One position that a location service reported.
///
/// ```swift
/// let fix = Fix(
///   at: Timestamp(seconds: 1_772_539_200),
///   coordinate: try Coordinate(latitude: 39.2854, longitude: -76.6089),
///   horizontalAccuracyMeters: 8,
///   speedMetersPerSecond: 1.4
/// )
/// ```
public struct Fix: Hashable, Sendable, Codable {
  /// When the position was measured.
  public var at: Timestamp
  /// Where.
  public var coordinate: Coordinate
  /// Radius in meters within which the device claims to be with 68 % probability.
  public var horizontalAccuracyMeters: Double
  /// Speed over ground; nil if the device did not say.
  public var speedMetersPerSecond: Double?
  /// Direction of movement in degrees clockwise from north; nil if the device did not say.
  public var courseDegrees: Double?

  /// Makes a fix.
  public init(
    at: Timestamp,
    coordinate: Coordinate,
    horizontalAccuracyMeters: Double,
    speedMetersPerSecond: Double? = nil,
    courseDegrees: Double? = nil
  ) {
    self.at = at
    self.coordinate = coordinate
    self.horizontalAccuracyMeters = horizontalAccuracyMeters
    self.speedMetersPerSecond = speedMetersPerSecond
    self.courseDegrees = courseDegrees
  }

  /// It without a speed or a course that is no number.
  package var readable: Fix {
    var fix = self
    if let speed = fix.speedMetersPerSecond, !speed.isFinite { fix.speedMetersPerSecond = nil }
    if let course = fix.courseDegrees, !course.isFinite { fix.courseDegrees = nil }
    return fix
  }

  /// Whether the device knew how exact it is.
  package var hasValidAccuracy: Bool {
    horizontalAccuracyMeters >= 0 && horizontalAccuracyMeters.isFinite
  }
}
