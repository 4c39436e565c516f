import Basics
import Fencing
import Geodesy
import Phones

/// OwnTracks as far as regions go, from what is documented of the apps and from nothing of ours but the JSON
/// parser.
struct PhoneModel {
  struct Circle: Hashable {
    let name: String
    let latitude: Double
    let longitude: Double
    let radiusMeters: Double
  }

  enum App { case iOS, android }

  let app: App
  /// What it watches: by `rid` on iOS, by `tst` on Android.
  private(set) var circles: [String: Circle] = [:]
  /// Regions that were stopped and started, or added.
  private(set) var starts = 0
  private(set) var mode = 1
  private(set) var actions: [String] = []

  init(_ app: App) { self.app = app }

  private static let known: Set = [
    "setWaypoints", "setConfiguration", "reportLocation", "waypoints", "status",
  ]

  /// Obeys an answer.
  ///
  /// - Returns: false for one that the app throws away.
  mutating func obey(_ answer: String) -> Bool {
    guard let commands = try? JSONValue.parse(answer).elements else { return false }
    let names = commands.map { $0["action"]?.text ?? "" }
    if app == .android, !names.allSatisfy(Self.known.contains) { return false }
    // The two run at once there.
    if names.contains("clearWaypoints"), names.contains("setWaypoints") { return false }
    for command in commands where command["_type"]?.text == "cmd" {
      actions.append(command["action"]?.text ?? "")
      switch command["action"]?.text {
      case "setWaypoints":
        for waypoint in command["waypoints"]?["waypoints"]?.elements ?? [] { set(waypoint) }
      case "setConfiguration":
        if let value = command["configuration"]?["monitoring"]?.double { mode = Int(value) }
      default: break
      }
    }
    return true
  }

  private mutating func set(_ waypoint: JSONValue) {
    guard waypoint["_type"]?.text == "waypoint", let name = waypoint["desc"]?.text,
      let tst = waypoint["tst"]?.double, let latitude = waypoint["lat"]?.double,
      let longitude = waypoint["lon"]?.double, let radius = waypoint["rad"]?.double
    else { return }
    let isValid = abs(latitude) <= 90 && abs(longitude) <= 180
    let circle = Circle(name: name, latitude: latitude, longitude: longitude, radiusMeters: radius)
    switch app {
    case .iOS:
      guard let rid = waypoint["rid"]?.text else { return }
      guard isValid else {
        circles[rid] = nil
        return
      }
      if circles[rid] != circle { starts += 1 }
      circles[rid] = circle
    case .android:
      guard isValid, radius > 0, radius == radius.rounded() else { return }
      starts += 1
      circles[String(Int(tst))] = circle
    }
  }

  /// What it watches where people are, as Near Me means it; a parked circle is at the pole.
  var watched: Set<Circle> { Set(circles.values.filter { $0.latitude > -84 }) }

  /// Whether the system would take all of it: twenty regions, each with a name of its own that means nothing
  /// else.
  var isSound: Bool {
    let names = circles.values.map(\.name)
    // An iPhone's twenty are too few to park any.
    let areAllUseful = app == .android || watched.count == circles.count
    return areAllUseful && circles.count <= 20 && Set(names).count == names.count
      && names.allSatisfy { name in
        !name.contains(":") && !name.contains("|") && !name.hasPrefix("+") && !name.hasPrefix("-")
      }
  }

  /// As it answers the command `waypoints`.
  var waypoints: String {
    let list = circles.sorted { $0.key < $1.key }
      .map { key, circle in
        let id = app == .iOS ? #""rid":"\#(key)","tst":1"# : #""tst":\#(key)"#
        return #"{"_type":"waypoint","desc":"\#(circle.name)",\#(id),"lat":\#(circle.latitude),"#
          + #""lon":\#(circle.longitude),"rad":\#(circle.radiusMeters)}"#
      }
    return #"{"_type":"waypoints","waypoints":[\#(list.joined(separator: ","))]}"#
  }

  /// A person deletes one in the app.
  mutating func delete(_ key: String) { circles[key] = nil }

  /// A person adds one in the app.
  mutating func add(_ key: String, _ circle: Circle) { circles[key] = circle }
}

func region(
  _ id: String,
  _ latitude: Double,
  _ longitude: Double,
  _ radius: Double,
  _ kind: Region.Kind = .enter
)
  -> Region
{
  Region(
    id: id,
    center: Coordinate(uncheckedLatitude: latitude, longitude: longitude),
    radiusMeters: radius,
    kind: kind
  )
}
