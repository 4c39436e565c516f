import Basics
import Geodesy
import Timeline
import Traces

extension IntakeReader {
  /// A batch of Overland, and of what has taken over its form.
  ///
  /// - Source: README of Overland for iOS, "API"; what its version of 2024-10 sends.
  mutating func readOverland(_ list: [JSONValue], in node: JSONValue) {
    readEach(of: list) { reader, feature in
      if reader.takesOneMore() { reader.readFeature(feature) }
    }
    if case .object? = node["current"] { pass(over: .current) }
    if case .object? = node["trip"] { pass(over: .trip) }
    if list.isEmpty { pass(over: .empty) }
  }

  /// One entry of such a list.
  mutating func readFeature(_ node: JSONValue) {
    guard let properties = node["properties"], properties.members != nil else {
      return pass(over: .unknownType)
    }
    if node["type"]?.text == "trip" || properties["type"]?.text == "trip" {
      return pass(over: .trip)
    }
    let time = PayloadTime(of: properties, Self.timeKeys)
    noteBattery(
      properties["battery_level"]?.looseNumber.map { ($0 * 100).rounded() },
      isCharging: Self.isCharging(properties["battery_state"]?.text),
      at: time.instant ?? body.receivedAt
    )
    let action = properties["action"]?.text
    // The others carry the position that was known before, dated now.
    guard action == nil || action == "visit" else { return pass(over: .action) }
    guard let geometry = node["geometry"], geometry.members != nil else {
      return pass(over: .noGeometry)
    }
    let position = geometry["coordinates"]?.elements ?? []
    var fields = PositionFields(
      latitude: position.count >= 2 ? position[1].looseNumber : nil,
      longitude: position.first?.looseNumber,
      time: time,
      accuracyMeters: properties.first(Self.accuracyKeys)?.looseNumber,
      speedMetersPerSecond: speed(
        properties.first(Self.speedKeys)?.looseNumber,
        documented: .metersPerSecond
      ),
      courseDegrees: properties.first(Self.courseKeys)?.looseNumber
    )
    if action == "visit" {
      // A visit that is over was true when it ended, and is told some minutes later.
      if let end = PayloadTime(properties["departure_date"]).instant { fields.time = .value(end) }
      return add(fields, .visit)
    }
    guard Self.isZone(properties) else { return add(fields) }
    fields.accuracyMeters = Self.zoneAccuracyMeters
    fields.speedMetersPerSecond = nil
    fields.courseDegrees = nil
    add(fields, .zone)
  }

  /// On a network whose place the person has set, Overland sends that place in place of all that was
  /// measured, with these very numbers.
  private static func isZone(_ properties: JSONValue) -> Bool {
    !(properties["wifi"]?.text ?? "").isEmpty
      && properties["horizontal_accuracy"]?.looseNumber == 1
      && properties["vertical_accuracy"]?.looseNumber == 0
      && properties["altitude"]?.looseNumber == -1
      && properties["speed"]?.looseNumber == 0
  }

  /// Its 1 m is not measured: a network at home reaches some 50 m.
  static let zoneAccuracyMeters = 50.0

  private static func isCharging(_ state: String?) -> Bool? {
    switch state {
    case "charging", "full": true
    case "unplugged": false
    default: nil
    }
  }
}

/// Whether a position was made up by an app: Colota, when it leaves a pause zone, sends the zone's center one
/// second before the first position that it measured, with the zone's radius as its accuracy.
///
/// Two positions of a second can only be told apart so where both are at hand: in one list, or held to be put
/// in order. A measured position that looks like it is one that a second later turned out to be wrong by more
/// than it claimed.
///
/// - Source: Colota's `api-reference`; a zone has at least 20 m there.
package func isInvented(_ fix: Fix, before next: Fix) -> Bool {
  let radiusMeters = fix.horizontalAccuracyMeters
  guard next.at - fix.at == .seconds(1), radiusMeters >= 20, radiusMeters == radiusMeters.rounded(),
    next.horizontalAccuracyMeters < radiusMeters, (fix.speedMetersPerSecond ?? 0) == 0
  else { return false }
  let chordSquared = SurfacePoint(fix.coordinate).chordSquared(to: SurfacePoint(next.coordinate))
  return chordSquared >= radiusMeters * radiusMeters
}
