import Basics
import Geodesy
import Timeline
import Traces

/// The members of a position, under whatever names they come.
struct PositionFields {
  var latitude: Double?
  var longitude: Double?
  var time: PayloadTime
  var accuracyMeters: Double?
  var dilution: Double?
  var speedMetersPerSecond: Double?
  var courseDegrees: Double?
}

extension IntakeReader {
  /// Makes a fix of what was found, or says why there is none.
  ///
  /// An accuracy of 0 or below is how apps write "unknown"; then it is that of ``Traces/AccuracyModel``, as
  /// for traces.
  static func fix(_ fields: PositionFields) -> Result<Fix, IntakeRefusal> {
    guard let latitude = fields.latitude, let longitude = fields.longitude else {
      return .failure(.noPosition)
    }
    // Where receivers are that have no position yet.
    guard latitude != 0 || longitude != 0 else { return .failure(.noPosition) }
    guard let coordinate = try? Coordinate(latitude: latitude, longitude: longitude) else {
      return .failure(.badCoordinate)
    }
    guard let at = fields.time.instant else { return .failure(fields.time.refusal ?? .noTime) }
    let model = AccuracyModel()
    var accuracyMeters = model.defaultMeters
    if let stated = fields.accuracyMeters, stated > 0 {
      accuracyMeters = stated
    } else if let dilution = fields.dilution, dilution > 0 {
      accuracyMeters = dilution * model.metersPerHDOP
    }
    return .success(
      Fix(
        at: at,
        coordinate: coordinate,
        horizontalAccuracyMeters: min(accuracyMeters, mostAccuracyMeters),
        speedMetersPerSecond: fields.speedMetersPerSecond.flatMap {
          (0...mostSpeedMetersPerSecond).contains($0) ? $0 : nil
        },
        courseDegrees: fields.courseDegrees.flatMap {
          (0...360).contains($0) ? ($0 == 360 ? 0 : $0) : nil
        }
      )
    )
  }

  /// Half of the way around the globe: no position is less exact.
  static let mostAccuracyMeters = 20_000_000.0
  /// Three times the speed of sound: what is said to be faster is a unit mistaken.
  static let mostSpeedMetersPerSecond = 1_000.0

  /// A speed in m/s, from the unit that the app documents or the one that the owner says.
  func speed(_ value: Double?, documented: SpeedUnit) -> Double? {
    guard let value, value >= 0 else { return nil }
    let unit = body.settings.speedUnit == .asDocumented ? documented : body.settings.speedUnit
    switch unit {
    case .asDocumented, .metersPerSecond: return value
    // A nautical mile is 1,852 m.
    case .knots: return value * 1_852 / 3_600
    case .kilometersPerHour: return value / 3.6
    }
  }

  mutating func add(_ fields: PositionFields, _ trigger: IntakeTrigger = .ordinary) {
    switch Self.fix(fields) {
    case .success(let fix): add(.fix(fix, trigger))
    case .failure(let reason): pass(over: reason)
    }
  }
}

extension IntakeRefusal: Error {}
