import Basics
import Geodesy

/// What the answers of a server ask an OwnTracks app for, as both apps name it.
enum OwnTracksCommand: Hashable, Sendable {
  /// Waypoints to take over, those that are complete; the rest is passed over in silence.
  case setWaypoints([PhoneRegion], removed: [String])
  case clearWaypoints
  /// The members of a configuration that a simulated app obeys.
  case setConfiguration(monitoring: Int?, intervalSeconds: Int?, displacementMeters: Double?)
  case reportLocation
  case waypoints
  case status
  /// An action by a name that is none of these.
  case other(String)

  /// Reads an answer: one object or a list of them.
  ///
  /// - Returns: nil if it is not JSON; objects that are no commands are left out.
  static func read(_ text: String) -> [OwnTracksCommand]? {
    guard let value = try? JSONValue.parse(text) else { return nil }
    let objects = value.elements ?? [value]
    return objects.compactMap { object in
      guard object["_type"]?.text == "cmd", let action = object["action"]?.text else { return nil }
      return command(action, object)
    }
  }

  private static func command(_ action: String, _ object: JSONValue) -> OwnTracksCommand {
    switch action {
    case "setWaypoints":
      let list = object["waypoints"]?["waypoints"]?.elements ?? []
      return .setWaypoints(list.compactMap(region), removed: list.compactMap(removedID))
    case "clearWaypoints": return .clearWaypoints
    case "setConfiguration":
      let settings = object["configuration"]
      return .setConfiguration(
        monitoring: settings?["monitoring"]?.double.flatMap { Int(exactly: $0) },
        intervalSeconds: settings?["locatorInterval"]?.double.flatMap { Int(exactly: $0) },
        displacementMeters: settings?["locatorDisplacement"]?.double
      )
    case "reportLocation": return .reportLocation
    case "waypoints": return .waypoints
    case "status": return .status
    default: return .other(action)
    }
  }

  /// A waypoint with all that a region needs and a place on the globe.
  private static func region(_ value: JSONValue) -> PhoneRegion? {
    guard value["_type"]?.text == "waypoint", let name = value["desc"]?.text,
      let seconds = value["tst"]?.double.flatMap({ Int(exactly: $0) }),
      let latitude = value["lat"]?.double, let longitude = value["lon"]?.double,
      let radius = value["rad"]?.double, radius > 0,
      let center = try? Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    return PhoneRegion(
      name: name,
      rid: value["rid"]?.text,
      seconds: seconds,
      center: center,
      radiusMeters: radius
    )
  }

  /// The id of a waypoint with a latitude off the globe, which takes one away on an iPhone.
  private static func removedID(_ value: JSONValue) -> String? {
    guard value["_type"]?.text == "waypoint", let latitude = value["lat"]?.double,
      !(-90.0...90.0).contains(latitude)
    else { return nil }
    return value["rid"]?.text
  }
}

/// What an OwnTracks app writes of regions it holds.
func waypointText(_ region: PhoneRegion, _ type: String = "waypoint") -> JSONText {
  var json = JSONText()
  json.add("_type", type)
  json.add("desc", region.name)
  if let rid = region.rid { json.add("rid", rid) }
  json.add("tst", region.seconds)
  json.add("lat", region.center.latitude, digits: 6)
  json.add("lon", region.center.longitude, digits: 6)
  json.add("rad", Int(region.radiusMeters.rounded()))
  return json
}

/// The list of regions that an app holds.
func waypointsText(_ regions: [PhoneRegion], topic: String) -> String {
  var json = JSONText()
  json.add("_type", "waypoints")
  json.add("topic", topic)
  json.add("waypoints", json: JSONText.array(regions.map { waypointText($0).closed }))
  return json.closed
}
