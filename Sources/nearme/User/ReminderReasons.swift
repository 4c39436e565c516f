import ArgumentParser
import NearMeEngine
import Places
import Recurrence
import SettingsFiles
import Timeline

/// Reasons to speak that are no approach to a place, and conditions, as options of `add`.
struct ReminderReasons: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "When it is due: 08:00 (the next time that is), 2026-12-01 or 2026-12-01T09:30.",
      valueName: "TIME"
    )
  )
  var at: String?

  @Option(
    help: ArgumentHelp(
      "How it recurs: day, \"2 weeks\", mon,fri, month, or a rule such as FREQ=MONTHLY;BYDAY=-1FR.",
      valueName: "RULE"
    )
  )
  var every: String?

  @Option(help: ArgumentHelp("Count the next time from when it was done, not from its date."))
  var from: RecurrenceOrigin = .date

  @Option(help: ArgumentHelp("How long before its time it speaks as well, such as 10m,1h."))
  var before: String?

  @Option(help: ArgumentHelp("The time zone of --at; without it, that of wherever the phone is."))
  var zone: String?

  @Option(
    help: ArgumentHelp(
      "Speak when the phone says something, such as unlock, charging or car=connected.",
      valueName: "SIGNAL"
    )
  )
  var on: [String] = []

  @Option(
    help: ArgumentHelp(
      "Speak when this place is left, by its id, or any of a category, as any:grocery.",
      valueName: "ID"
    )
  )
  var leave: [String] = []

  @Option(
    name: .customLong("if"),
    help: ArgumentHelp(
      "Only if: at:ID, at:any:CATEGORY, not-at:ID, charging, connectivity=online, or hours as --when "
        + "has them; each time it is given, one more must hold. at:ID+10m asks for ten minutes of it.",
      valueName: "CONDITION"
    )
  )
  var conditionTexts: [String] = []

  @Flag(help: "Speak once, and be over.")
  var once = false

  @Option(help: ArgumentHelp("Say it again after so long if it is not answered, such as 10m."))
  var nag: String?

  @Option(help: ArgumentHelp("When it ends unspoken: 2026-12-24 or 2026-12-24T18:00."))
  var expires: String?

  @Option(help: "The tone that it speaks in.")
  var tone: String?

  @Option(
    help: ArgumentHelp(
      "Speak each day at this time while the phone cannot tell where it is, such as 18:00.",
      valueName: "TIME"
    )
  )
  var fallback: String?

  /// The triggers that the options name.
  func triggers(now: Timestamp, zone local: UTCOffsetTable) throws -> [Trigger] {
    var triggers = try schedule(now: now, local).map { [Trigger.schedule($0)] } ?? []
    triggers += leave.map { .leave(Self.target($0)) }
    triggers += try on.map { text in
      let (name, level) = try Self.signal(text, "--on")
      return .signal(name, to: level)
    }
    return triggers
  }

  /// What `--no` takes away.
  enum Removal: String, ExpressibleByArgument, CaseIterable {
    case at, on, leave, `if`, nag, expires, tone, once, place, fallback
  }

  /// What the options and removals make of a reminder; nil if they say nothing.
  ///
  /// Triggers of a sort take the place of those of that sort; conditions take the place of all but the hours.
  func change(
    removing removals: [Removal],
    now: Timestamp,
    zone: UTCOffsetTable
  ) throws -> ((inout Reminder) -> Void)? {
    let new = try triggers(now: now, zone: zone)
    let conditions = try conditions()
    let nag = try chosenNag()
    let expires = try chosenEnd()
    let fallback = try chosenFallback()
    guard
      !new.isEmpty || !conditions.isEmpty || nag != nil || expires != nil || tone != nil || once
        || fallback != nil || !removals.isEmpty
    else { return nil }
    let sorts = Set(new.map(Self.sort) + removals.map(\.rawValue))
    return { reminder in
      reminder.triggers.removeAll { sorts.contains(Self.sort($0)) }
      reminder.triggers += new
      if !conditions.isEmpty || removals.contains(.if) {
        reminder.conditions =
          reminder.conditions.filter { if case .window = $0 { true } else { false } } + conditions
      }
      if nag != nil || removals.contains(.nag) { reminder.nag = nag }
      if expires != nil || removals.contains(.expires) { reminder.expires = expires }
      if tone != nil || removals.contains(.tone) { reminder.tone = tone }
      if fallback != nil || removals.contains(.fallback) { reminder.fallbackMinute = fallback }
      if once { reminder.persistence = .once }
      if removals.contains(.once) { reminder.persistence = nil }
    }
  }

  /// The option that makes a trigger.
  private static func sort(_ trigger: Trigger) -> String {
    switch trigger {
    case .place: Removal.place.rawValue
    case .schedule: Removal.at.rawValue
    case .leave: Removal.leave.rawValue
    default: Removal.on.rawValue
    }
  }

  /// The conditions that the options name.
  func conditions() throws -> [Condition] { try conditionTexts.map(Self.condition) }

  /// How often it repeats itself.
  func chosenNag() throws -> Reminder.Nag? {
    guard let nag else { return nil }
    guard let span = Milliseconds(nag), span >= .minutes(1) else {
      throw CommandFailure(.usage, "--nag \(nag): write a span of a minute at least, such as 10m")
    }
    return Reminder.Nag(every: span)
  }

  /// When it speaks while the position is unknown, in minutes of the day.
  func chosenFallback() throws -> Int? {
    guard let fallback else { return nil }
    guard let minute = WeeklyWindow.minuteOfDay(fallback), minute < WeeklyWindow.minutesOfDay else {
      throw CommandFailure(.usage, "--fallback \(fallback): write a time of day, such as 18:00")
    }
    return minute
  }

  /// When it ends unspoken.
  func chosenEnd() throws -> WrittenTime? { try expires.map(Self.end) }

  /// Reads when something ends.
  static func end(_ text: String) throws -> WrittenTime {
    guard let time = WrittenTime(text) else {
      throw CommandFailure(.usage, "--expires \(text): write 2026-12-24 or 2026-12-24T18:00")
    }
    return time
  }

  private func schedule(now: Timestamp, _ local: UTCOffsetTable) throws -> Schedule? {
    guard let at else {
      for (name, value) in [("--every", every), ("--before", before), ("--zone", zone)]
      where value != nil {
        throw CommandFailure(.usage, "\(name) belongs to a time: add --at 08:00")
      }
      return nil
    }
    if let zone, SystemZones().zone(named: zone) == nil {
      throw CommandFailure(
        .usage,
        "--zone \(zone): this system has no such time zone; write one such as Europe/Malta"
      )
    }
    let leads = try (before?.split(separator: ",") ?? [])
      .map { text in
        guard let span = Milliseconds(String(text)), span.value > 0 else {
          throw CommandFailure(.usage, "--before \(text): write spans such as 10m,1h")
        }
        return span
      }
    let rule = try every.map(Self.rule)
    return Schedule(
      start: try start(at, rule, now: now, local),
      zone: zone,
      rule: rule,
      anchor: from == .done ? .completion : .catchUp,
      leads: leads
    )
  }

  private func start(
    _ text: String,
    _ rule: RecurrenceRule?,
    now: Timestamp,
    _ local: UTCOffsetTable
  ) throws -> WrittenTime {
    if let time = WrittenTime(text) { return time }
    guard let minute = WeeklyWindow.minuteOfDay(text), minute < WeeklyWindow.minutesOfDay else {
      throw CommandFailure(
        .usage,
        "--at \(text): write 08:00, 2026-12-01 or 2026-12-01T09:30"
      )
    }
    let clock = zone.flatMap { SystemZones().zone(named: $0) } ?? local
    let next = rule == nil ? clock.next(minuteOfDay: minute, after: now) : now
    return WrittenTime(local: LocalDateTime(clock.local(at: next).date, minuteOfDay: minute))
  }

  /// `day`, `2 weeks`, `mon,fri`, or a rule of iCalendar.
  private static func rule(_ text: String) throws -> RecurrenceRule {
    let words = text.lowercased().split(separator: " ").map(String.init)
    let units = [
      "minute": "MINUTELY", "hour": "HOURLY", "day": "DAILY", "week": "WEEKLY",
      "month": "MONTHLY", "year": "YEARLY",
    ]
    var written = text
    let unit = words.last.map { $0.hasSuffix("s") ? String($0.dropLast()) : $0 }
    if let frequency = unit.flatMap({ units[$0] }), words.count <= 2,
      let count = words.count == 2 ? Int(words[0]) : 1
    {
      written = "FREQ=\(frequency);INTERVAL=\(count)"
    } else if let window = WeeklyWindow(text), !text.contains(":") {
      let days = window.days.map { $0.rawValue.prefix(2).uppercased() }
      written = "FREQ=WEEKLY;BYDAY=" + days.joined(separator: ",")
    }
    do {
      return try RecurrenceRule(written)
    } catch {
      throw CommandFailure(
        .usage,
        "--every \"\(text)\": \(error). Write day, \"2 weeks\", mon,fri or FREQ=MONTHLY;BYDAY=-1FR"
      )
    }
  }

  private static func condition(_ text: String) throws -> Condition {
    var body = Substring(text)
    var lasting: Milliseconds?
    if let plus = text.lastIndex(of: "+") {
      guard let span = Milliseconds(String(text[text.index(after: plus)...])) else {
        throw CommandFailure(.usage, "--if \(text): write how long as +10m")
      }
      (body, lasting) = (text[..<plus], span)
    }
    let level: Condition
    if body.hasPrefix("at:") {
      level = .inside(target(String(body.dropFirst(3))))
    } else if body.hasPrefix("not-at:") {
      level = .outside(target(String(body.dropFirst(7))))
    } else if let window = WeeklyWindow(String(body)) {
      level = .window(window)
    } else {
      let (name, value) = try signal(String(body), "--if")
      level = .signal(name, is: value ?? "true")
    }
    let condition = lasting.map { Condition.lasting(level, for: $0) } ?? level
    if let fault = condition.fault { throw CommandFailure(.usage, "--if \(text): \(fault)") }
    return condition
  }

  private static func target(_ text: String) -> Reminder.Target {
    text.hasPrefix("any:")
      ? .category(CategoryID(String(text.dropFirst(4)))) : .place(text)
  }

  private static func signal(
    _ text: String,
    _ option: String
  ) throws -> (name: String, level: String?) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty, parts.count == 1 || !parts[1].isEmpty else {
      throw CommandFailure(.usage, "\(option) \(text): write charging or connectivity=online")
    }
    return (String(name), parts.count == 2 ? String(parts[1]) : nil)
  }
}

/// What the next time of a recurring reminder is counted from.
enum RecurrenceOrigin: String, ExpressibleByArgument, CaseIterable {
  case date, done
}
