import NearMeEngine
import Places
import SettingsFiles
import Timeline

/// Reminders in the form in which they are stored everywhere, read strictly.
extension RemindersFile {
  /// Reads a reminder: its target with its tiers or any triggers, its window or any conditions.
  static func reminder(
    _ node: StrictNode,
    _ places: [Place]
  ) throws(SettingsError) -> Reminder {
    let keys = try node.mapping(keys: [
      "id", "title", "notes", "target", "tiers", "triggers", "window", "conditions", "status",
      "muted", "snoozed_until", "priority",
    ])
    return Reminder(
      id: try required("id", keys, node).text(),
      title: try required("title", keys, node).text(),
      notes: try keys["notes"]?.string(),
      triggers: try triggers(keys, node, places),
      conditions: try conditions(keys),
      status: try keys["status"]?.choice(Reminder.Status.self) ?? .active,
      isMuted: try keys["muted"]?.bool() ?? false,
      snooze: try keys["snoozed_until"].map(snoozeEnd),
      priority: try keys["priority"]?.integer(-1_000...1_000) ?? 0
    )
  }

  // MARK: Triggers

  private static func triggers(
    _ keys: [String: StrictNode],
    _ node: StrictNode,
    _ places: [Place]
  ) throws(SettingsError) -> [Trigger] {
    var triggers: [Trigger] = []
    if let target = keys["target"] {
      let aim = try self.target(target.mapping(keys: ["category", "place"]), target, places)
      triggers.append(.place(aim, tiers: try keys["tiers"]?.tiers()))
    } else if let tiers = keys["tiers"] {
      throw tiers.failure("belongs to a target: write it beside the place or category it is for")
    }
    triggers += try list(keys["triggers"]) { (item) throws(SettingsError) in
      try trigger(item, places)
    }
    guard !triggers.isEmpty else {
      throw node.failure("needs the key \"target\", or at least one of \"triggers\"")
    }
    return triggers
  }

  private static func trigger(
    _ node: StrictNode,
    _ places: [Place]
  ) throws(SettingsError) -> Trigger {
    let keys = try node.mapping(keys: Trigger.keys)
    let kinds = Trigger.keys.filter { $0 != "tiers" }
    guard kinds.count(where: { keys[$0] != nil }) == 1 else {
      let names = kinds.dropLast().joined(separator: ", ") + " and \(kinds.last ?? "")"
      throw node.failure("needs exactly one of \(names)")
    }
    if keys["category"] != nil || keys["place"] != nil {
      return .place(try target(keys, node, places), tiers: try keys["tiers"]?.tiers())
    }
    if let tiers = keys["tiers"] {
      throw tiers.failure("belongs to a place or a category: leave it out here")
    }
    if let signal = keys["signal"] { return .signal(try signal.text()) }
    if let schedule = keys["schedule"] { return .schedule(try self.schedule(schedule)) }
    return try node.decoded(Trigger.self)
  }

  private static func schedule(_ node: StrictNode) throws(SettingsError) -> Schedule {
    let start = try required("start", node.mapping(keys: ["start"]), node)
    let text = try start.text()
    guard let schedule = Schedule(text) else {
      throw start.failure(
        "\"\(text)\" is no time such as 2026-03-02T07:00, where the phone is, or "
          + "2026-03-02T07:00:00Z"
      )
    }
    return schedule
  }

  private static func target(
    _ keys: [String: StrictNode],
    _ node: StrictNode,
    _ places: [Place]
  ) throws(SettingsError) -> Reminder.Target {
    switch (keys["category"], keys["place"]) {
    case (let category?, nil): return .category(CategoryID(try category.text()))
    case (nil, let place?):
      let id = try place.text()
      guard places.contains(where: { $0.id == id }) else {
        let hint = nearestName(to: id, among: places.map(\.id))
          .map { ": did you mean \"\($0)\"?" }
        throw place.failure("no place has the id \"\(id)\"\(hint ?? "")")
      }
      return .place(id)
    default: throw node.failure("needs exactly one of category and place")
    }
  }

  // MARK: Conditions

  private static func conditions(
    _ keys: [String: StrictNode]
  ) throws(SettingsError) -> [Condition] {
    var conditions = try list(keys["conditions"]) { (node) throws(SettingsError) in
      let keys = try node.mapping(keys: Condition.keys)
      guard let window = keys["window"] else {
        guard !keys.isEmpty else {
          throw node.failure("needs the key \"\(Condition.keys.joined(separator: "\" or \""))\"")
        }
        return try node.decoded(Condition.self)
      }
      return Condition.window(try self.window(window))
    }
    if let window = keys["window"] { conditions.append(.window(try self.window(window))) }
    return conditions
  }

  /// When a reminder may speak: `{days: [mon, fri], start: "17:00", end: "20:00"}`.
  private static func window(_ node: StrictNode) throws(SettingsError) -> WeeklyWindow {
    let keys = try node.mapping(keys: ["days", "start", "end"])
    var days = Weekday.allCases
    if let named = keys["days"] {
      days = try list(named) { (day) throws(SettingsError) in try day.choice(Weekday.self) }
      if days.isEmpty { throw named.failure("names no day: leave it out for all seven") }
    }
    guard (keys["start"] == nil) == (keys["end"] == nil) else {
      throw node.failure("needs both start and end, or neither for the whole day")
    }
    let start = try keys["start"]?.minuteOfDay() ?? 0
    let end = try keys["end"]?.minuteOfDay(latest: WeeklyWindow.minutesOfDay)
    let window = WeeklyWindow(
      days: days,
      startMinute: start,
      endMinute: end ?? WeeklyWindow.minutesOfDay
    )
    guard let window else {
      throw node.failure(
        "never opens, for start and end are equal: leave the window out for always"
      )
    }
    return window
  }

  // MARK: Snoozes

  private static func snoozeEnd(_ node: StrictNode) throws(SettingsError) -> Reminder.Snooze {
    if try node.string() == "next_arrival" { return .untilNextArrival }
    return .until(try node.instant())
  }
}
