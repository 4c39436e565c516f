import Geodesy
import Timeline
import Traces

/// One point of a trace file while its parts come in.
struct PointBuilder {
  var kind = PointKind.track
  var line = 0
  var latitude = NumberField.absent
  var longitude = NumberField.absent
  var time = TimeField.absent
  var accuracy = NumberField.absent
  var hdop = NumberField.absent
  /// Whether the maker writes an accuracy in meters where a dilution belongs.
  var hdopIsMeters = false
  var speed = NumberField.absent
  var course = NumberField.absent
  /// The rest, where it is kept.
  var details = PointDetails()

  enum NumberField {
    case absent, unreadable
    case value(Double)

    /// The number, if there is one.
    var number: Double? {
      guard case .value(let number) = self else { return nil }
      return number
    }
  }

  enum TimeField {
    case absent, unreadable
    case value(Timestamp)
  }

  /// The instant of a point without one, until ``TraceReader`` gives it another.
  static let untimed = Timestamp(milliseconds: .min)

  /// Half the way around the Earth: who claims to be less exact says nothing, and means no number.
  static let farthestMeters = 20_037_508.0

  /// Nothing that a receiver sits in is as fast, in meters a second: more than ten times what leaves the solar system.
  static let fastest = 600_000.0

  /// The fix, or the first reason why there is none.
  ///
  /// - Parameter keepsUntimed: whether a point without a time becomes a fix at ``untimed``.
  func outcome(
    model: AccuracyModel,
    keepsUntimed: Bool = false
  ) -> (TraceRecord.Outcome, AccuracySource) {
    if case .unreadable = latitude { return (.refused(.badNumber), .assumed) }
    if case .unreadable = longitude { return (.refused(.badNumber), .assumed) }
    guard case .value(let degreesNorth) = latitude, case .value(let degreesEast) = longitude,
      (-90.0...90.0).contains(degreesNorth), (-180.0...180.0).contains(degreesEast)
    else { return (.refused(.badCoordinate), .assumed) }

    let instant: Timestamp
    switch time {
    case .absent:
      guard keepsUntimed else { return (.refused(.noTime), .assumed) }
      instant = PointBuilder.untimed
    case .unreadable: return (.refused(.badTime), .assumed)
    case .value(let value): instant = value
    }

    var accuracyMeters = model.defaultMeters
    var source = AccuracySource.assumed
    if case .unreadable = accuracy { return (.refused(.badNumber), .assumed) }
    if let reported = accuracy.number, reported < 0 {
      return (.refused(.invalidAccuracy), .assumed)
    }
    // Zero is how receivers and phones write "unknown": no position is exact.
    if let reported = accuracy.number, reported > 0 {
      accuracyMeters = reported
      source = .reported
    } else if let dilution = hdop.number, dilution > 0 {
      let meters = hdopIsMeters ? dilution : dilution * model.metersPerHDOP
      // Receivers write a dilution beyond all measure for "very poor".
      accuracyMeters = min(meters, Self.farthestMeters)
      source = hdopIsMeters ? .reported : .modeledFromHDOP
    }

    guard accuracyMeters <= Self.farthestMeters else {
      return (.refused(.invalidAccuracy), .assumed)
    }

    let fix = Fix(
      at: instant,
      coordinate: Coordinate(uncheckedLatitude: degreesNorth, longitude: degreesEast),
      horizontalAccuracyMeters: accuracyMeters,
      // Core Location writes -1 where it does not know.
      speedMetersPerSecond: speed.number.flatMap { (0...Self.fastest).contains($0) ? $0 : nil },
      courseDegrees: course.number.flatMap { $0 >= 0 && $0 <= 360 ? ($0 == 360 ? 0 : $0) : nil }
    )
    return (.fix(fix), source)
  }
}
