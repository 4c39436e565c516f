import NearMeEngine
import Places
import Recurrence
import SettingsFiles
import Timeline

/// Reminders in the form in which they are stored everywhere, read strictly.
extension RemindersFile {
  /// Reads a reminder: its target with its tiers or any triggers, its window or any conditions.
  static func reminder(
    _ node: StrictNode,
    _ places: [Place]
  ) throws(SettingsError) -> Reminder {
    let keys = try node.mapping(keys: reminderKeys)
    return Reminder(
      id: try required("id", keys, node).text(),
      title: try required("title", keys, node).text(),
      notes: try keys["notes"]?.string(),
      triggers: try triggers(keys, node, places),
      conditions: try conditions(keys, places),
      status: try keys["status"]?.choice(Reminder.Status.self) ?? .active,
      isMuted: try keys["muted"]?.bool() ?? false,
      snooze: try keys["snoozed_until"].map(snoozeEnd),
      priority: try keys["priority"]?.integer(-1_000...1_000) ?? 0,
      persistence: try keys["persistence"]?.choice(Reminder.Persistence.self),
      nag: try keys["nag"].map(nag),
      expires: try keys["expires"].map(time),
      tone: try keys["tone"]?.text(),
      fallbackMinute: try keys["fallback"].map(fallback)
    )
  }

  private static let reminderKeys = [
    "id", "title", "notes", "target", "tiers", "triggers", "window", "conditions", "status",
    "muted", "snoozed_until", "priority", "persistence", "nag", "expires", "tone", "fallback",
    "answers",
  ]

  /// Reads the times of a reminder that were answered; a replay begins without any.
  static func answers(_ node: StrictNode) throws(SettingsError) -> [ReminderAnswer] {
    try list(node.mapping(keys: reminderKeys)["answers"]) { (item) throws(SettingsError) in
      let keys = try item.mapping(keys: ReminderAnswer.keys)
      return ReminderAnswer(
        due: try instant(required("due", keys, item)),
        at: try instant(required("at", keys, item))
      )
    }
  }

  private static func instant(_ node: StrictNode) throws(SettingsError) -> Timestamp {
    let text = try node.text()
    guard let instant = RFC3339.parse(text) else {
      throw node.failure("\"\(text)\" is no instant such as 2026-03-02T07:00:00Z")
    }
    return instant
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
    guard !triggers.isEmpty || keys["triggers"] != nil else {
      throw node.failure("needs the key \"target\", or at least one of \"triggers\"; [] is none")
    }
    return triggers
  }

  private static func trigger(
    _ node: StrictNode,
    _ places: [Place]
  ) throws(SettingsError) -> Trigger {
    let keys = try node.mapping(keys: Trigger.keys)
    let kinds = Trigger.keys.filter { !["tiers", "from", "to"].contains($0) }
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
    if let signal = keys["signal"] {
      return .signal(
        try signal.text(),
        from: try keys["from"]?.text(),
        to: try keys["to"]?.text()
      )
    }
    if let key = keys["from"] ?? keys["to"] {
      throw key.failure("belongs to a signal: leave it out here")
    }
    if let leave = keys["leave"] {
      let target = try leave.mapping(keys: ["category", "place"])
      return .leave(try self.target(target, leave, places))
    }
    if let schedule = keys["schedule"] { return .schedule(try self.schedule(schedule)) }
    return try node.decoded(Trigger.self)
  }

  private static func schedule(_ node: StrictNode) throws(SettingsError) -> Schedule {
    let keys = try node.mapping(keys: Schedule.keys)
    var rule: RecurrenceRule?
    if let text = keys["rrule"] {
      let written = try text.string()
      do throws(RecurrenceError) {
        rule = try RecurrenceRule(written)
      } catch {
        throw text.failure("\(error)")
      }
    }
    if let zone = keys["zone"] {
      let name = try zone.text()
      guard UTCOffsetTable(systemZone: name) != nil else {
        throw zone.failure(
          "\"\(name)\" is no time zone this system knows, such as America/New_York"
        )
      }
    }
    let schedule = Schedule(
      start: try time(required("start", keys, node)),
      zone: try keys["zone"]?.text(),
      rule: rule,
      added: try list(keys["rdates"], time),
      excluded: try list(keys["exdates"], time),
      gap: try keys["gap"]?.choice(GapRule.self) ?? .shift,
      anchor: try keys["anchor"]?.choice(Anchor.self) ?? .catchUp,
      leads: try list(keys["before"]) { (lead) throws(SettingsError) in
        let span = try lead.duration()
        guard span.value > 0 else { throw lead.failure("must be longer than 0") }
        return span
      }
    )
    return schedule
  }

  private static func time(_ node: StrictNode) throws(SettingsError) -> WrittenTime {
    let text = try node.text()
    guard let time = WrittenTime(text) else {
      throw node.failure(
        "\"\(text)\" is no time such as 2026-03-02T07:00, where the phone is, or "
          + "2026-03-02T07:00:00Z"
      )
    }
    return time
  }

  private static func fallback(_ node: StrictNode) throws(SettingsError) -> Int {
    try required("at", node.mapping(keys: ["at"]), node).minuteOfDay()
  }

  private static func nag(_ node: StrictNode) throws(SettingsError) -> Reminder.Nag {
    let keys = try node.mapping(keys: Reminder.Nag.keys)
    let every = try required("every", keys, node)
    let span = try every.duration()
    guard span >= .minutes(1) else { throw every.failure("must be one minute at least") }
    return Reminder.Nag(
      every: span,
      atMost: try keys["at_most"]?.integer(1...1_000) ?? 10,
      untilMinute: try keys["until"]?.minuteOfDay()
    )
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
    _ keys: [String: StrictNode],
    _ places: [Place]
  ) throws(SettingsError) -> [Condition] {
    var conditions = try list(keys["conditions"]) { (node) throws(SettingsError) in
      try condition(node, places)
    }
    if let window = keys["window"] { conditions.append(.window(try self.window(window))) }
    return conditions
  }

  private static func condition(
    _ node: StrictNode,
    _ places: [Place]
  ) throws(SettingsError) -> Condition {
    let keys = try node.mapping(keys: Condition.keys)
    let kinds = Condition.keys.filter { $0 != "for" && keys[$0] != nil }
    guard kinds.count == 1, let kind = kinds.first, let part = keys[kind] else {
      let names = Condition.keys.filter { $0 != "for" }.joined(separator: ", ")
      throw node.failure("needs exactly one of \(names)")
    }
    var condition: Condition
    switch kind {
    case "window": condition = .window(try window(part))
    case "inside", "outside":
      let target = try target(part.mapping(keys: ["category", "place"]), part, places)
      condition = kind == "inside" ? .inside(target) : .outside(target)
    case "not": condition = .not(try self.condition(part, places))
    case "all", "any":
      let parts = try list(part) { (item) throws(SettingsError) in
        try self.condition(item, places)
      }
      condition = kind == "all" ? .all(parts) : .any(parts)
    default: condition = try node.decoded(Condition.self)
    }
    if let span = keys["for"] {
      if case .lasting(let level, _) = condition { condition = level }
      condition = .lasting(condition, for: try span.duration())
    }
    if let fault = condition.fault { throw node.failure(fault) }
    return condition
  }

  /// When a reminder may speak: `mon,fri 17:00-20:00`, or
  /// `{days: [mon, fri], start: "17:00", end: "20:00"}`.
  private static func window(_ node: StrictNode) throws(SettingsError) -> WeeklyWindow {
    if node.isScalar {
      let text = try node.text()
      guard let window = WeeklyWindow(text) else {
        throw node.failure("\"\(text)\" is no window such as \"mon-fri 17:00-20:00\"")
      }
      return window
    }
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
