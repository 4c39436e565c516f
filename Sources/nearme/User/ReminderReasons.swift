import ArgumentParser
import Foundation
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
      "How it recurs: day, \"2 weeks\", mon,fri, weekdays, month, or a rule such as FREQ=MONTHLY;BYDAY=-1FR.",
      valueName: "RULE"
    )
  )
  var every: String?

  @Option(help: ArgumentHelp("Count the next time from when it was done, not from its date."))
  var from: RecurrenceOrigin?

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

  @Option(
    help: ArgumentHelp(
      "When it ends unspoken: 2098-12-24, which is its midnight, or 2098-12-24T18:00."
    )
  )
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

  /// Gives a category its id, or says that there is none of its name.
  typealias CategoryCheck = (_ name: String) throws -> CategoryID

  /// The triggers that the options name.
  func triggers(
    now: Timestamp,
    zone local: UTCOffsetTable,
    category: CategoryCheck
  ) throws -> [Trigger] {
    if from == .done, every == nil {
      throw CommandFailure(.usage, "--from done belongs to what recurs: add --every \"3 days\"")
    }
    guard at != nil || !amendsTime else { throw lackOfTime() }
    let schedule = try schedule(amending: nil, now: now, local)
    return try (schedule.map { [Trigger.schedule($0)] } ?? []) + triggersWithoutTime(category)
  }

  private func triggersWithoutTime(_ category: CategoryCheck) throws -> [Trigger] {
    try leave.map { .leave(try Self.target($0, category)) }
      + on.map { text in
        let (name, level) = try Self.signal(text, "--on")
        return .signal(name, to: level)
      }
  }

  /// Whether something is said of a time, such as how it recurs.
  private var amendsTime: Bool { every != nil || before != nil || zone != nil || from != nil }

  private func lackOfTime() -> CommandFailure {
    let name =
      every != nil ? "--every" : before != nil ? "--before" : from != nil ? "--from" : "--zone"
    return CommandFailure(.usage, "\(name) belongs to a time: add --at 08:00")
  }

  /// What `--no` takes away.
  enum Removal: String, ExpressibleByArgument, CaseIterable {
    case at, every, before, on, leave, `if`, nag, expires, tone, once, place, fallback
  }

  /// What the options and removals make of a reminder; nil if they say nothing.
  ///
  /// Triggers of a sort take the place of those of that sort; conditions take the place of all but the hours that
  /// `--when` sets, which are the first. Of a time, what is not said stays as it is: how it recurs, how long before, in which zone.
  func change(
    removing removals: [Removal],
    now: Timestamp,
    zone: UTCOffsetTable,
    category: CategoryCheck
  ) throws -> ((inout Reminder) throws -> Void)? {
    let new = try triggersWithoutTime(category)
    // What is wrong with it is said before anything is opened.
    _ = try schedule(amending: nil, now: now, zone)
    let amends = at != nil || amendsTime || removals.contains { $0 == .every || $0 == .before }
    let conditions = try conditions(category)
    let nag = try chosenNag()
    let expires = try chosenEnd(now: now, zone: zone)
    let fallback = try chosenFallback()
    guard
      !new.isEmpty || amends || !conditions.isEmpty || nag != nil || expires != nil || tone != nil
        || once
        || fallback != nil || !removals.isEmpty
    else { return nil }
    let sorts = Set(new.map(Self.sort) + removals.map(\.rawValue))
    return { reminder in
      reminder.triggers.removeAll { sorts.contains(Self.sort($0)) }
      if amends { try amendTimes(of: &reminder, removing: removals, now: now, zone) }
      reminder.triggers += new
      if !conditions.isEmpty || removals.contains(.if) {
        let hours = reminder.window.map { [Condition.window($0)] } ?? []
        // Where these hours are all that there is, they are what is to go.
        let goesOn = !(removals.contains(.if) && hours == reminder.conditions)
        reminder.conditions = (goesOn ? hours : []) + conditions
      }
      if nag != nil || removals.contains(.nag) { reminder.nag = nag }
      if expires != nil || removals.contains(.expires) { reminder.expires = expires }
      if tone != nil || removals.contains(.tone) { reminder.tone = tone }
      if fallback != nil || removals.contains(.fallback) { reminder.fallbackMinute = fallback }
      if once { reminder.persistence = .once }
      if removals.contains(.once) { reminder.persistence = nil }
      if once || nag != nil, reminder.persistence == .once, reminder.nag != nil {
        throw CommandFailure(
          .usage,
          once
            ? "it is said again until it is answered: --once needs --no nag"
            : "it speaks once: --nag needs --no once"
        )
      }
    }
  }

  /// Changes the times of a reminder, or gives it one.
  private func amendTimes(
    of reminder: inout Reminder,
    removing removals: [Removal],
    now: Timestamp,
    _ local: UTCOffsetTable
  ) throws {
    let times = reminder.triggers.indices.filter {
      if case .schedule = reminder.triggers[$0] { true } else { false }
    }
    func amended(_ old: Schedule?) throws -> Schedule? {
      var old = old
      if removals.contains(.every), var once = old {
        (once.rule, once.added, once.excluded, once.anchor) = (nil, [], [], .catchUp)
        old = once
      }
      if removals.contains(.before) { old?.leads = [] }
      return try schedule(amending: old, now: now, local)
    }
    // Of several, a new time takes the place of all.
    if times.count == 1 || at == nil, !times.isEmpty {
      for i in times {
        guard case .schedule(let old) = reminder.triggers[i], let new = try amended(old) else {
          continue
        }
        reminder.triggers[i] = .schedule(new)
      }
    } else {
      guard let new = try amended(nil) else {
        if amendsTime { throw lackOfTime() }
        return
      }
      reminder.triggers.removeAll { if case .schedule = $0 { true } else { false } }
      reminder.triggers.insert(.schedule(new), at: 0)
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
  func conditions(_ category: CategoryCheck) throws -> [Condition] {
    try conditionTexts.map { try Self.condition($0, category) }
  }

  /// How often it repeats itself.
  func chosenNag() throws -> Reminder.Nag? {
    guard let nag else { return nil }
    guard let span = typedSpan(nag), span >= .minutes(1) else {
      throw CommandFailure(.usage, "--nag \(nag): write a span of a minute at least, such as 10m")
    }
    if once {
      throw CommandFailure(
        .usage,
        "--once speaks once, and --nag until it is answered: choose one of them"
      )
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
  func chosenEnd(now: Timestamp, zone: UTCOffsetTable) throws -> WrittenTime? {
    try expires.map { try Self.end($0, now: now, zone: zone) }
  }

  /// Reads when something ends.
  static func end(_ text: String, now: Timestamp, zone: UTCOffsetTable) throws -> WrittenTime {
    guard let time = WrittenTime(text) else {
      throw CommandFailure(.usage, "--expires \(text): write 2098-12-24 or 2098-12-24T18:00")
    }
    guard time.instant(in: zone) > now else {
      throw CommandFailure(
        .usage,
        "--expires \(text) is past" + (time.isDate ? ": a date is its midnight" : "")
          + "; write a later one"
      )
    }
    return time
  }

  /// The time that the options name.
  ///
  /// - Parameter old: what stays where they are silent; nil if there was none, which without a time gives nil.
  private func schedule(
    amending old: Schedule?,
    now: Timestamp,
    _ local: UTCOffsetTable
  ) throws -> Schedule? {
    if let zone, SystemZones().zone(named: zone) == nil {
      throw CommandFailure(
        .usage,
        "--zone \(zone): this system has no such time zone; write one such as Europe/Malta"
      )
    }
    let leads = try (before?.split(separator: ",") ?? [])
      .map { text in
        guard let span = typedSpan(text), span.value > 0 else {
          throw CommandFailure(
            .usage,
            "--before \(text): write spans with their units, such as 10m,1h"
          )
        }
        return span
      }
    let rule = try every.map(Self.rule) ?? old?.rule
    let zone = zone ?? old?.zone
    let day = every == nil && old?.rule != nil ? old?.start.local.date : nil
    let first = try at.map { try start($0, on: day, rule, in: zone, now: now, local) } ?? old?.start
    guard let first else { return nil }
    var schedule = old ?? Schedule(start: first)
    if let from { schedule.anchor = from == .done ? .completion : .catchUp }
    // Days that were left out or added belong to the times of before.
    if at != nil || every != nil { (schedule.excluded, schedule.added) = ([], []) }
    schedule.start = first
    schedule.zone = zone
    schedule.rule = rule
    if let every, !every.contains("=") { schedule.takeLastDays() }
    // As it is kept: each once, the longest first.
    if before != nil { schedule.leads = Schedule(start: first, leads: leads).leads }
    return schedule
  }

  private func start(
    _ text: String,
    on day: CivilDate?,
    _ rule: RecurrenceRule?,
    in zone: String?,
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
    // An hour alone leaves a series on its days.
    if let day { return WrittenTime(local: LocalDateTime(day, minuteOfDay: minute)) }
    let clock = zone.flatMap { SystemZones().zone(named: $0) } ?? local
    // What comes several times a day has begun today.
    let isWithinDay = rule.map { $0.frequency < .daily } ?? false
    let next = isWithinDay ? now : clock.next(minuteOfDay: minute, after: now)
    return WrittenTime(local: LocalDateTime(clock.local(at: next).date, minuteOfDay: minute))
  }

  /// `day`, `2 weeks`, `mon,fri`, or a rule of iCalendar.
  private static func rule(_ text: String) throws -> RecurrenceRule {
    let plain = plainDays(text)
    let words = plain.split(separator: " ").map(String.init)
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
    } else if let window = WeeklyWindow(plain), !plain.contains(":") {
      let days = window.days.map { $0.rawValue.prefix(2).uppercased() }
      written = "FREQ=WEEKLY;BYDAY=" + days.joined(separator: ",")
    }
    do {
      return try RecurrenceRule(written)
    } catch {
      // Of what is no rule there is nothing to say that its writer has asked for.
      let fault = text.contains("=") ? "\(error). Write" : "write"
      throw CommandFailure(
        .usage,
        "--every \"\(text)\": \(fault) day, \"2 weeks\", mon,fri, weekdays or FREQ=MONTHLY;BYDAY=-1FR"
      )
    }
  }

  /// Full names of days as the short ones, and words such as `daily` as their units.
  private static func plainDays(_ text: String) -> String {
    var plain = text.lowercased()
    let words = [
      "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "hourly": "hour",
      "weekdays": "mon-fri", "weekday": "mon-fri", "weekends": "sat,sun", "weekend": "sat,sun",
    ]
    if let word = words[plain] { return word }
    for day in ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] {
      for name in [day + "s", day] {
        plain = plain.replacingOccurrences(of: name, with: day.prefix(3))
      }
    }
    return plain
  }

  private static func condition(_ text: String, _ category: CategoryCheck) throws -> Condition {
    var body = text
    var lasting: Milliseconds?
    if let plus = text.lastIndex(of: "+") {
      guard let span = typedSpan(text[text.index(after: plus)...]) else {
        throw CommandFailure(.usage, "--if \(text): write how long as +10m")
      }
      (body, lasting) = (String(text[..<plus]), span)
    }
    body = body.trimmingCharacters(in: .whitespaces)
    let level: Condition
    if body.hasPrefix("at:") {
      level = .inside(try target(String(body.dropFirst(3)), category))
    } else if body.hasPrefix("not-at:") {
      level = .outside(try target(String(body.dropFirst(7)), category))
    } else if let window = WeeklyWindow(body) {
      level = .window(window)
    } else if body.contains(where: { $0 == ":" || $0 == " " })
      || body.first?.isNumber ?? false || ["weekdays", "weekends"].contains(body)
    {
      // A signal of that name would never come, and the reminder never speak.
      throw CommandFailure(
        .usage,
        "--if \"\(text)\": write days, hours or both, such as \"mon-fri 17:00-20:00\", at:ID or charging"
      )
    } else {
      let (name, value) = try signal(body, "--if")
      level = .signal(name, is: value ?? "true")
    }
    let condition = lasting.map { Condition.lasting(level, for: $0) } ?? level
    if let fault = condition.fault { throw CommandFailure(.usage, "--if \(text): \(fault)") }
    return condition
  }

  private static func target(
    _ text: String,
    _ category: CategoryCheck
  ) throws -> Reminder.Target {
    text.hasPrefix("any:") ? .category(try category(String(text.dropFirst(4)))) : .place(text)
  }

  private static func signal(
    _ text: String,
    _ option: String
  ) throws -> (name: String, level: String?) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty, parts.count == 1 || !parts[1].isEmpty else {
      throw CommandFailure(.usage, "\(option) \(text): write charging or connectivity=online")
    }
    // Automations may give theirs any name.
    if !usualSignals.contains(String(name)),
      let meant = nearestName(to: String(name), among: usualSignals)
    {
      printError(
        "nearme: note: \(option) \(text): no phone says \(name) by itself: did you mean \(meant)?"
      )
    }
    return (String(name), parts.count == 2 ? String(parts[1]) : nil)
  }
}

/// The signals that phones and their automations usually give, by name.
let usualSignals =
  Signal.namesOfPower + [Signal.appOpened, "boot", "car", "connectivity", "unlock", "wifi"]

/// What the next time of a recurring reminder is counted from.
enum RecurrenceOrigin: String, ExpressibleByArgument, CaseIterable {
  case date, done
}

extension Schedule {
  /// Has a plain month or year from a day that not all have be on the last day of the others, as it is meant.
  ///
  /// What is counted from when it was done is on any day.
  fileprivate mutating func takeLastDays() {
    guard let frequency = rule?.frequency, anchor != .completion else { return }
    let first = start.local.date
    let isMissed =
      frequency == .monthly && first.day > 28
      || frequency == .yearly && first.month == 2 && first.day == 29
    if isMissed { rule?.skip = .backward }
  }
}
