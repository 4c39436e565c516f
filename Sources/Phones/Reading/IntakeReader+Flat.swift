import Basics
import Geodesy
import Timeline
import Traces

extension IntakeReader {
  /// The names under which apps send a time; those of our own readers of traces first.
  static let timeKeys = [
    "time", "timestamp", "tst", "timestampMs", "datetime", "dateTime", "date", "when",
    "recorded_at",
    "recordedAt", "time_long", "created_at", "t",
  ]
  static let accuracyKeys = [
    "accuracy_m", "accuracy", "acc", "horizontal_accuracy", "horizontalAccuracy", "hacc",
    "gps_accuracy",
    "accuracyMeters", "precision",
  ]
  static let speedKeys = ["speed_mps", "spd", "speed", "velocity", "speedMetersPerSecond", "vel"]
  static let speedKeysKilometers = ["speed_kmh", "speed_kph", "spd_kph"]
  static let courseKeys = [
    "course_deg", "course", "bearing", "heading", "cog", "direction", "dir", "bear",
  ]

  /// An object that is no message of OwnTracks and no feature: Traccar Client 9, Home Assistant, our own
  /// lines, Colota.
  mutating func readObject(_ node: JSONValue) {
    if let location = node["location"], location.members != nil {
      if location.first(["coords", "event", "is_moving", "odometer"]) != nil {
        return readTraccar(location)
      }
      return readNested(node, location)
    }
    // The companion app's own call: what it says is inside, and of now.
    if let data = node["data"], data["gps"] != nil || data["in_zones"] != nil {
      return readCompanion(data)
    }
    if node["gps"]?.elements != nil { return readCompanion(node) }
    readFields(of: node, isForm: false)
  }

  // MARK: - Names and values in one row

  /// A form, a query, or an object without others inside.
  ///
  /// - Parameter isForm: whether it came as the body of a form, as Traccar's own app sends it.
  mutating func readFields(of node: JSONValue, isForm: Bool) {
    if node["notificationToken"] != nil { return pass(over: .pushToken) }
    if node["valid"]?.looseTruth == false { return pass(over: .invalidFix) }
    let time = PayloadTime(of: node, Self.timeKeys)
    noteBattery(
      node.first(["batt", "battery", "battery_level"])?.looseNumber,
      isCharging: Self.isCharging(node),
      at: time.instant ?? body.receivedAt
    )
    var fields = fields(in: node, documented: unit(of: node, isForm: isForm))
    fields.time = time
    guard fields.latitude != nil || fields.longitude != nil || Self.namesPosition(node) else {
      return pass(over: isHeartbeat(node, time) ? .heartbeat : .noPosition)
    }
    add(fields)
  }

  private static let latitudeKeys = ["lat", "latitude", "Latitude"]
  private static let longitudeKeys = ["lon", "lng", "long", "longitude", "Longitude"]

  private static func namesPosition(_ node: JSONValue) -> Bool {
    node.first(latitudeKeys + longitudeKeys + ["location"]) != nil
  }

  /// Traccar's apps say that they live without saying where.
  private func isHeartbeat(_ node: JSONValue, _ time: PayloadTime) -> Bool {
    (body.source == .traccar || body.source == .osmand) && time.instant != nil
      && node.first(["id", "deviceid", "device_id"]) != nil
  }

  /// What the speed counts that stands in these names.
  ///
  /// Traccar's app sends knots, OsmAnd's and Colota meters a second, under the same names. Traccar's is known
  /// by its form: an id, an accuracy in meters and the battery, in a body; OsmAnd's has a dilution, and both
  /// others a query.
  private func unit(of node: JSONValue, isForm: Bool) -> SpeedUnit {
    switch body.source {
    case .traccar: .knots
    case .osmand:
      isForm && node["id"] != nil && node["accuracy"] != nil && node["batt"] != nil
        ? .knots : .metersPerSecond
    default: .metersPerSecond
    }
  }

  private func fields(in node: JSONValue, documented: SpeedUnit) -> PositionFields {
    var speed = speed(node.first(Self.speedKeys)?.looseNumber, documented: documented)
    if let kilometers = node.first(Self.speedKeysKilometers)?.looseNumber,
      node["speed_mps"] == nil, node["spd"] == nil
    {
      speed = kilometers >= 0 ? kilometers / 3.6 : nil
    }
    var (latitude, longitude) = (
      node.first(Self.latitudeKeys)?.looseNumber, node.first(Self.longitudeKeys)?.looseNumber
    )
    if latitude == nil, longitude == nil, let pair = node["location"]?.text, pair.utf8.count <= 100
    {
      let parts = pair.split(separator: ",", omittingEmptySubsequences: false)
      if parts.count >= 2 {
        (latitude, longitude) = (
          DecimalText.parse(String(parts[0])), DecimalText.parse(String(parts[1]))
        )
      }
    }
    return PositionFields(
      latitude: latitude,
      longitude: longitude,
      time: .absent,
      accuracyMeters: node.first(Self.accuracyKeys)?.looseNumber,
      dilution: node["hdop"]?.looseNumber,
      speedMetersPerSecond: speed,
      courseDegrees: node.first(Self.courseKeys)?.looseNumber
    )
  }

  private static func isCharging(_ node: JSONValue) -> Bool? {
    if let isSo = node.first(["charge", "charging", "ischarging", "is_charging"])?.looseTruth {
      return isSo
    }
    // Colota has OwnTracks' numbers: 1 unplugged, 2 charging, 3 full.
    switch node["bs"]?.looseNumber {
    case 1: return false
    case 2, 3: return true
    default: return nil
    }
  }

  // MARK: - Objects inside

  /// Traccar Client 9: `location.coords`, with speeds in m/s and a battery from 0 to 1.
  private mutating func readTraccar(_ location: JSONValue) {
    let time = PayloadTime(of: location, Self.timeKeys)
    if let battery = location["battery"] {
      noteBattery(
        battery["level"]?.looseNumber.map { ($0 * 100).rounded() },
        isCharging: battery["is_charging"]?.looseTruth,
        at: time.instant ?? body.receivedAt
      )
    }
    guard let coords = location["coords"], coords.members != nil else {
      return pass(over: .heartbeat)
    }
    var fields = fields(in: coords, documented: .metersPerSecond)
    fields.time = time
    add(fields)
  }

  /// Home Assistant's usual form: the position inside, the time beside it.
  private mutating func readNested(_ node: JSONValue, _ location: JSONValue) {
    var time = PayloadTime(of: node, Self.timeKeys)
    if time == .absent { time = PayloadTime(of: location, Self.timeKeys) }
    let battery = node["battery"]
    noteBattery(
      (battery?["level"] ?? battery)?.looseNumber,
      isCharging: (battery?["is_charging"] ?? battery?["charging"])?.looseTruth,
      at: time.instant ?? body.receivedAt
    )
    var fields = fields(in: location, documented: .metersPerSecond)
    fields.time = time
    add(fields)
  }

  /// The webhook of Home Assistant's companion app, which has no time of the fix: it is of now.
  private mutating func readCompanion(_ node: JSONValue) {
    noteBattery(node["battery"]?.looseNumber, isCharging: nil, at: body.receivedAt)
    // A phone that sends no positions says in which zones it is.
    guard let position = node["gps"]?.elements else { return pass(over: .noPosition) }
    var fields = fields(in: node, documented: .metersPerSecond)
    fields.latitude = position.first?.looseNumber
    fields.longitude = position.count >= 2 ? position[1].looseNumber : nil
    fields.time = .value(body.receivedAt)
    add(fields)
  }
}
