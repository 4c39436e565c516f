import Geodesy
import NearMeEngine
import Places
import Replay
import SettingsFiles
import Timeline

/// A person as a file: places, reminders, and what they do during a replay.
package struct RemindersFile: Sendable {
  package let zone: UTCOffsetTable
  package let places: [Place]
  package let reminders: [Reminder]
  package let actions: [ReplayAction]
  package let entitlement: Entitlement

  /// Reads a reminders file, YAML or JSON.
  ///
  /// - Throws: ``SettingsError`` that names the line, the key and what is expected.
  package init(path: String) throws(SettingsError) {
    try self.init(StrictDocument(path: path).root)
  }

  /// Reads a reminders file's text.
  package init(text: String, file: String) throws(SettingsError) {
    try self.init(StrictDocument(text: text, file: file).root)
  }

  private init(_ root: StrictNode) throws(SettingsError) {
    let keys = try root.mapping(keys: [
      "time_zone", "places", "reminders", "actions", "entitlement",
    ])
    zone = try keys["time_zone"].map(Self.zone) ?? .utc
    entitlement = try Self.entitlement(keys["entitlement"])
    let places = try Self.list(keys["places"], Self.place)
    try Self.checkUnique(places.map(\.id), keys["places"])
    let reminders = try Self.list(keys["reminders"]) { (node) throws(SettingsError) in
      try Self.reminder(node, places)
    }
    try Self.checkUnique(reminders.map(\.id), keys["reminders"])
    guard !reminders.isEmpty else {
      throw root.failure("has no reminders: add at least one under \"reminders\"")
    }
    self.places = places
    self.reminders = reminders
    actions = try Self.list(keys["actions"]) { (node) throws(SettingsError) in
      try Self.action(node, reminders)
    }
  }

  static func list<Item>(
    _ node: StrictNode?,
    _ read: (StrictNode) throws(SettingsError) -> Item
  ) throws(SettingsError) -> [Item] {
    var items: [Item] = []
    guard let node else { return items }
    for item in try node.list() { items.append(try read(item)) }
    return items
  }

  private static func checkUnique(_ ids: [String], _ node: StrictNode?) throws(SettingsError) {
    guard let node else { return }
    for (i, id) in ids.enumerated() where ids[..<i].contains(id) {
      throw node.failure("the id \"\(id)\" comes twice")
    }
  }

  private static func zone(_ node: StrictNode) throws(SettingsError) -> UTCOffsetTable {
    let name = try node.text()
    guard let zone = UTCOffsetTable(systemZone: name) else {
      throw node.failure("\"\(name)\" is no time zone this system knows, such as America/New_York")
    }
    return zone
  }

  private static func entitlement(_ node: StrictNode?) throws(SettingsError) -> Entitlement {
    guard let node else { return .premium }
    switch try node.string() {
    case "free": return .free
    case "premium": return .premium
    default: throw node.failure("must be free or premium")
    }
  }

  // MARK: Places

  static func place(_ node: StrictNode) throws(SettingsError) -> Place {
    let keys = try node.mapping(keys: ["id", "name", "kind", "lat", "lon", "arrival_radius"])
    let id = try required("id", keys, node).text()
    let radius = try keys["arrival_radius"]?.lengthMeters()
    if let radius, radius <= 0 {
      throw keys["arrival_radius"]?.failure("must be above 0") ?? node.failure("radius of 0")
    }
    let latitude = try required("lat", keys, node).number()
    let longitude = try required("lon", keys, node).number()
    let coordinate: Coordinate
    do {
      coordinate = try Coordinate(latitude: latitude, longitude: longitude)
    } catch {
      throw node.failure("\(error)")
    }
    return Place(
      id: id,
      name: try keys["name"]?.text() ?? id,
      kind: try keys["kind"]?.choice(PlaceKind.self) ?? .other,
      coordinate: coordinate,
      arrivalRadiusMeters: radius
    )
  }

  // MARK: Actions

  private static func action(
    _ node: StrictNode,
    _ reminders: [Reminder]
  ) throws(SettingsError) -> ReplayAction {
    let keys = try node.mapping(keys: ["at", "reminder", "action", "for", "signal", "to", "id"])
    let at = try required("at", keys, node).instant()
    if let signal = keys["signal"] {
      if let key = keys["reminder"] ?? keys["action"] ?? keys["for"] {
        throw key.failure("a signal concerns the phone: leave this out")
      }
      let name = try signal.text()
      return ReplayAction(
        at: at,
        .signal(
          Signal(
            name: name,
            id: try keys["id"]?.text() ?? RFC3339.format(at),
            level: try keys["to"]?.text()
          )
        )
      )
    }
    if let key = keys["to"] ?? keys["id"] { throw key.failure("belongs to a signal") }
    let name = try required("action", keys, node)
    let verb = try name.string()
    if verb != "snooze", let span = keys["for"] {
      throw span.failure("only snooze has a \"for\", not \(verb)")
    }
    if verb == "focus_on" || verb == "focus_off" {
      if let reminder = keys["reminder"] {
        throw reminder.failure("a focus concerns all reminders: leave this out")
      }
      return ReplayAction(at: at, .focus(verb == "focus_on"))
    }
    let id = try required("reminder", keys, node)
    let reminder = try id.text()
    guard reminders.contains(where: { $0.id == reminder }) else {
      let hint = nearestName(to: reminder, among: reminders.map(\.id))
        .map { ": did you mean \"\($0)\"?" }
      throw id.failure("no reminder has the id \"\(reminder)\"\(hint ?? "")")
    }
    let answer: ReminderAction
    switch verb {
    case "complete": answer = .complete
    case "mute": answer = .mute
    case "unmute": answer = .unmute
    case "dismiss": answer = .dismiss
    case "reopen": answer = .reopen
    case "snooze": answer = try snooze(required("for", keys, node))
    default:
      let verbs = [
        "complete", "snooze", "mute", "unmute", "dismiss", "reopen", "focus_on", "focus_off",
      ]
      throw name.failure("\"\(verb)\" is none of \(verbs.joined(separator: ", "))")
    }
    return ReplayAction(at: at, .reminder(reminder, answer))
  }

  private static func snooze(_ node: StrictNode) throws(SettingsError) -> ReminderAction {
    switch try node.string() {
    case "today": return .snoozeToday
    case "next_arrival": return .snoozeUntilNextArrival
    default:
      let span = try node.duration()
      guard span.value > 0 else { throw node.failure("must be longer than 0") }
      return .snoozeFor(span)
    }
  }

  static func required(
    _ key: String,
    _ keys: [String: StrictNode],
    _ node: StrictNode
  ) throws(SettingsError) -> StrictNode {
    guard let value = keys[key] else { throw node.failure("needs the key \"\(key)\"") }
    return value
  }
}
