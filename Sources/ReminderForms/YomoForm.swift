import Basics
import Recurrence
import Timeline

/// The form of recurring reminders that are kept on several devices (YOMO-4.6.1c), with two keys more: `timeZone`, and
/// `skip` in a recurrence of months.
///
/// An instant alone cannot say "every day at 9" where clocks change (conflict 25), so the zone goes along; it may be
/// left out when one is read. What becomes of the 31st in months without one, `backward` or `forward` to a day that they
/// have, is said only of those that are not to leave it out.
public enum YomoForm {
  private enum State: String, CaseIterable {
    case active, completed
  }

  private enum Kind: String, CaseIterable {
    case none, daily, weekly, custom
  }

  private enum Skip: String, CaseIterable {
    case backward, forward
  }

  private static let keys = [
    "id", "title", "notes", "triggerDate", "timeZone", "recurrence", "status", "snoozedUntil",
    "createdAt", "updatedAt", "completedAt",
  ]
  private static let recurrenceKeys = [
    "type", "interval", "unit", "daysOfWeek", "monthOrdinal", "monthDay", "timeRangeStart",
    "timeRangeEnd", "basedOnCompletion", "skip",
  ]

  /// Reads a reminder.
  ///
  /// - Parameters:
  ///   - here: the zone of times that name none.
  ///   - zones: where the zone is found that stands beside the reminder's time; nil: nowhere.
  public static func read(
    _ text: String,
    here: UTCOffsetTable = .utc,
    zones: (any ZoneSource)? = nil
  ) throws(FormError) -> PlainReminder {
    let reader = try FormReader(text: text, here: here, keys: keys)
    var reminder = PlainReminder(id: try reader.text("id"), title: try reader.text("title"))
    reminder.notes = try reader.optionalText("notes") ?? ""
    reminder.zone = try reader.optionalText("timeZone")
    let zone = reminder.zone.flatMap { zones?.zone(named: $0) }
    guard let due = try reader.instant("triggerDate", in: zone) else {
      throw reader.failure("triggerDate", "must be a time such as 2026-02-06T15:00:00Z")
    }
    reminder.due = .instant(due)
    if let recurrence = try reader.object("recurrence", keys: recurrenceKeys) {
      reminder.repetition = try repetition(recurrence)
    }
    guard let state = try reader.choice("status", State.self) else {
      throw reader.failure("status", "write active or completed")
    }
    reminder.status = state == .active ? .open : .completed
    reminder.snoozedUntil = try reader.instant("snoozedUntil")
    reminder.createdAt = try reader.instant("createdAt")
    reminder.updatedAt = try reader.instant("updatedAt")
    reminder.completedAt = try reader.instant("completedAt")
    return reminder
  }

  private static func repetition(
    _ reader: FormReader
  ) throws(FormError) -> PlainReminder
    .Repetition?
  {
    let days = try reader.weekdays("daysOfWeek") ?? []
    switch try reader.choice("type", Kind.self) {
    case nil: throw reader.failure("type", "write none, daily, weekly or custom")
    case .none?:
      if !days.isEmpty { throw reader.failure("daysOfWeek", goesElsewhere) }
      if try isCountedFromCompletion(reader, every: nil) {
        throw reader.failure("basedOnCompletion", goesElsewhere)
      }
      return nil
    case .daily?:
      if !days.isEmpty { throw reader.failure("daysOfWeek", goesElsewhere) }
      guard try isCountedFromCompletion(reader, every: .day) else { return .daily }
      var custom = PlainReminder.Custom(interval: 1, unit: .day)
      custom.isBasedOnCompletion = true
      return .custom(custom)
    case .weekly?:
      guard try isCountedFromCompletion(reader, every: .week) else { return .weekly(days) }
      var custom = PlainReminder.Custom(interval: 1, unit: .week)
      custom.daysOfWeek = days
      custom.isBasedOnCompletion = true
      return .custom(custom)
    case .custom?: return .custom(try custom(reader, days))
    }
  }

  private static let goesElsewhere = "does not go with this type: leave it out, or write custom"

  /// Whether what has a name of its own is counted from the completion.
  ///
  /// - Parameter unit: what the name says; an interval and a unit beside it must say the same.
  /// - Throws: ``FormError`` for keys of custom recurrences.
  private static func isCountedFromCompletion(
    _ reader: FormReader,
    every unit: YomoRecurrence.Unit?
  ) throws(FormError) -> Bool {
    for key in ["monthOrdinal", "monthDay", "timeRangeStart", "timeRangeEnd", "skip"] {
      if reader.optional(key) != nil { throw reader.failure(key, goesElsewhere) }
    }
    if let interval = try reader.integer("interval"), unit == nil || interval != 1 {
      throw reader.failure("interval", goesElsewhere)
    }
    if let said = try reader.choice("unit", YomoRecurrence.Unit.self), said != unit {
      throw reader.failure("unit", goesElsewhere)
    }
    return try reader.bool("basedOnCompletion") ?? false
  }

  private static func custom(
    _ reader: FormReader,
    _ days: [Weekday]
  ) throws(FormError) -> PlainReminder.Custom {
    guard let interval = try reader.integer("interval"), (1...10_000).contains(interval) else {
      throw reader.failure("interval", "must be a whole number from 1 to 10000")
    }
    guard let unit = try reader.choice("unit", YomoRecurrence.Unit.self) else {
      throw reader.failure("unit", "write hour, day, week or month")
    }
    var custom = PlainReminder.Custom(interval: interval, unit: unit)
    custom.daysOfWeek = days
    custom.monthOrdinal = try reader.integer("monthOrdinal")
    custom.monthDay = try reader.choice("monthDay", Weekday.self)
    guard (custom.monthOrdinal == nil) == (custom.monthDay == nil) else {
      throw reader.failure("monthOrdinal", "goes with monthDay: write both or neither")
    }
    if let ordinal = custom.monthOrdinal, !(1...5).contains(ordinal), ordinal != -1 {
      throw reader.failure("monthOrdinal", "must be 1 to 5, or -1 for the last")
    }
    let (start, end) = (try reader.minute("timeRangeStart"), try reader.minute("timeRangeEnd"))
    switch (start, end) {
    case (nil, nil): break
    case (let start?, let end?):
      guard let range = YomoRecurrence.TimeRange(startMinute: start, endMinute: end) else {
        throw reader.failure("timeRangeEnd", "must be a time of day up to 23:59")
      }
      custom.timeRange = range
    default: throw reader.failure("timeRangeStart", "goes with timeRangeEnd: write both or neither")
    }
    custom.isBasedOnCompletion = try reader.bool("basedOnCompletion") ?? false
    if let skip = try reader.choice("skip", Skip.self) {
      guard unit == .month else {
        throw reader.failure("skip", "goes with the unit month: leave it out")
      }
      custom.skip = skip == .backward ? .backward : .forward
    }
    return custom
  }

  /// Writes a reminder, all keys of the document there.
  public static func write(_ reminder: PlainReminder) throws(FormError) -> String {
    try refuse(!reminder.triggers.isEmpty, "triggers")
    try refuse(!reminder.conditions.isEmpty, "conditions")
    try refuse(reminder.tone != nil, "tone")
    try refuse(reminder.priority != nil, "priority")
    guard case .instant(let due)? = reminder.due else {
      throw FormError("due", "this form needs an instant")
    }
    guard [.open, .completed].contains(reminder.status) else {
      throw FormError("status", "this form has active and completed only")
    }
    var json = JSONText()
    json.add("id", reminder.id)
    json.add("title", reminder.title)
    json.add("notes", reminder.notes)
    json.add("triggerDate", RFC3339.format(due))
    json.add("timeZone", reminder.zone)
    json.add("recurrence", json: written(reminder.repetition))
    json.add("status", (reminder.status == .open ? State.active : .completed).rawValue)
    json.add("snoozedUntil", reminder.snoozedUntil.map(RFC3339.format))
    json.add("createdAt", reminder.createdAt.map(RFC3339.format))
    json.add("updatedAt", reminder.updatedAt.map(RFC3339.format))
    json.add("completedAt", reminder.completedAt.map(RFC3339.format))
    return json.closed
  }

  private static func written(_ repetition: PlainReminder.Repetition?) -> String {
    var custom: PlainReminder.Custom?
    var days: [Weekday] = []
    let kind: Kind
    switch repetition {
    case nil: kind = .none
    case .daily?: kind = .daily
    case .weekly(let weekdays)?: (kind, days) = (.weekly, weekdays)
    case .custom(let numbers)?: (kind, days, custom) = (.custom, numbers.daysOfWeek, numbers)
    }
    let range = custom?.timeRange
    var json = JSONText()
    json.add("type", kind.rawValue)
    json.add("interval", custom?.interval)
    json.add("unit", custom?.unit.rawValue)
    let names = days.map { JSONText.quoted($0.rawValue) }
    json.add("daysOfWeek", json: names.isEmpty ? "null" : JSONText.array(names))
    json.add("monthOrdinal", custom?.monthOrdinal)
    json.add("monthDay", custom?.monthDay?.rawValue)
    json.add("timeRangeStart", range.map { WeeklyWindow.text(ofMinute: $0.startMinute) })
    json.add("timeRangeEnd", range.map { WeeklyWindow.text(ofMinute: $0.endMinute) })
    json.add("basedOnCompletion", json: custom?.isBasedOnCompletion ?? false ? "true" : "false")
    switch custom?.skip {
    case nil, .omit?: break
    case .backward?: json.add("skip", Skip.backward.rawValue)
    case .forward?: json.add("skip", Skip.forward.rawValue)
    }
    return json.closed
  }
}
