import Basics
import Timeline

/// A recurrence in the form of Yomo's documents: every so many hours, days, weeks or months.
///
/// "Every 3 hours from 9 to 18" starts anew each day at the range's start, its end included, so it is a
/// daily rule with hours; one in elapsed time would drift when the clocks change.
public struct YomoRecurrence: Hashable, Sendable {
  /// What is counted.
  public enum Unit: String, Hashable, Sendable, CaseIterable {
    case hour, day, week, month
  }

  /// Every how many units, at least 1.
  public let interval: Int
  /// What is counted.
  public let unit: Unit
  /// The days on which it may come, Monday first; empty for all, or for what the start says.
  public let daysOfWeek: [Weekday]
  /// Minutes after midnight from which and to which the hours go, both included; it may run over
  /// midnight.
  public let timeRange: TimeRange?
  /// Whether it is counted from the completion.
  public let isBasedOnCompletion: Bool

  /// A range of times of day.
  public struct TimeRange: Hashable, Sendable {
    /// Minutes after midnight, 0 … 1439.
    public let startMinute: Int
    /// Minutes after midnight, 0 … 1439; before the start for a range over midnight.
    public let endMinute: Int

    /// Makes a range from minutes after midnight.
    public init?(startMinute: Int, endMinute: Int) {
      guard (0..<1_440).contains(startMinute), (0..<1_440).contains(endMinute) else { return nil }
      self.startMinute = startMinute
      self.endMinute = endMinute
    }

    /// Minutes from the start to the end.
    var length: Int { (endMinute - startMinute + 1_440) % 1_440 }
  }

  /// Makes a recurrence.
  ///
  /// - Throws: ``RecurrenceError`` for an interval below 1 or above 10,000, and for a range without
  ///   hours.
  public init(
    interval: Int,
    unit: Unit,
    daysOfWeek: [Weekday] = [],
    timeRange: TimeRange? = nil,
    isBasedOnCompletion: Bool = false
  ) throws(RecurrenceError) {
    guard (1...10_000).contains(interval) else {
      throw RecurrenceError(part: "interval", "\(interval) is none: write 1 to 10000")
    }
    if timeRange != nil, unit != .hour {
      throw RecurrenceError(
        part: "time_range_start",
        "a range goes with the unit hour only: leave it out"
      )
    }
    self.interval = interval
    self.unit = unit
    self.daysOfWeek = Weekday.allCases.filter { daysOfWeek.contains($0) }
    self.timeRange = timeRange
    self.isBasedOnCompletion = isBasedOnCompletion
  }

  /// What the next occurrence is counted from.
  public var anchor: Anchor { isBasedOnCompletion ? .completion : .schedule }

  /// The rule that says the same.
  ///
  /// - Parameter start: the first date. A month's weekday is the n-th that this date is, the last if
  ///   it is the fifth: Yomo's form has no place for the number.
  /// - Throws: ``RecurrenceError`` for days of the week with a range over midnight: no rule says on
  ///   which day the hours after midnight count; and for hours counted from the completion whose range
  ///   does not begin and end on the hour.
  public func rule(start: LocalDateTime) throws(RecurrenceError) -> RecurrenceRule {
    var rule: RecurrenceRule
    switch unit {
    case .hour: return try hourly()
    case .day: rule = RecurrenceRule(.daily, interval: interval)
    case .week: rule = RecurrenceRule(.weekly, interval: interval)
    case .month: rule = RecurrenceRule(.monthly, interval: interval)
    }
    for day in daysOfWeek {
      guard unit == .month else {
        rule.weekdays |= 1 << UInt32(day.index)
        continue
      }
      let number = (start.date.day - 1) / 7 + 1
      rule.ordinals.insert(number == 5 ? -1 : number, weekday: day.index)
    }
    return rule
  }

  private func hourly() throws(RecurrenceError) -> RecurrenceRule {
    var weekdays: UInt32 = 0
    for day in daysOfWeek { weekdays |= 1 << UInt32(day.index) }
    guard let timeRange else {
      var rule = RecurrenceRule(.hourly, interval: interval)
      rule.weekdays = weekdays
      return rule
    }
    if weekdays != 0, timeRange.endMinute < timeRange.startMinute {
      throw RecurrenceError(
        .inexpressible,
        part: "days_of_week",
        "no rule has days with a range over midnight: end the range by 23:59 or leave the days out"
      )
    }
    // The last minute of an hour bounds the same hours as its first.
    let endsOnHour = [0, 59].contains(timeRange.endMinute % 60)
    if isBasedOnCompletion, timeRange.startMinute % 60 != 0 || !endsOnHour {
      throw RecurrenceError(
        .inexpressible,
        part: timeRange.startMinute % 60 != 0 ? "time_range_start" : "time_range_end",
        "no rule has parts of an hour as bounds of what is counted from the completion: begin the range on "
          + "the hour, and end it there or a minute before"
      )
    }
    var rule = RecurrenceRule(isBasedOnCompletion ? .hourly : .daily)
    rule.weekdays = weekdays
    if isBasedOnCompletion {
      // So long after the completion, as long as that is within the range.
      rule.interval = interval
      for minute in stride(from: 0, to: max(timeRange.length, 1), by: 60) {
        rule.hours |= 1 << UInt32((timeRange.startMinute + minute) / 60 % 24)
      }
      return rule
    }
    for minute in stride(from: 0, through: timeRange.length, by: interval * 60) {
      rule.hours |= 1 << UInt32((timeRange.startMinute + minute) / 60 % 24)
    }
    rule.minutes = 1 << UInt64(timeRange.startMinute % 60)
    return rule
  }
}

// MARK: - From a rule

extension YomoRecurrence {
  /// The recurrence that says the same as a rule.
  ///
  /// - Parameter start: the first date, from which the form is read again: the number of a month's day or weekday is
  ///   what it says.
  /// - Throws: ``RecurrenceError`` for what Yomo's form has no place for.
  public init(
    _ rule: RecurrenceRule,
    start: LocalDateTime,
    anchor: Anchor = .schedule
  ) throws(RecurrenceError) {
    // What is counted from the completion comes on the day of that, and not of the start.
    let rule = Self.plain(rule, day: anchor == .completion ? nil : start.date.day)
    if let part = Self.inexpressiblePart(of: rule) {
      throw RecurrenceError(.inexpressible, part: part, "Yomo's form has no place for it")
    }
    var interval = rule.interval
    var unit: Unit
    var range: TimeRange?
    switch rule.frequency {
    case .hourly: unit = .hour
    case .daily: unit = .day
    case .weekly: unit = .week
    default: unit = .month
    }
    if rule.hours != 0 {
      unit = .hour
      let hours =
        rule.frequency == .daily
        ? try Self.steps(of: rule) : try Self.run(of: rule)
      if rule.frequency == .daily { interval = hours.step }
      let minute = rule.minutes.trailingZeroBitCount % 60
      range = TimeRange(
        startMinute: hours.first * 60 + (rule.frequency == .daily ? minute : 0),
        endMinute: hours.last * 60 % 1_440 + (rule.frequency == .daily ? minute : 0)
      )
    }
    try self.init(
      interval: interval,
      unit: unit,
      daysOfWeek: rule.byDay.map(\.weekday),
      timeRange: range,
      isBasedOnCompletion: anchor == .completion
    )
    let read = try self.rule(start: start)
    guard read == rule else {
      throw RecurrenceError(
        .inexpressible,
        part: rule.hours != 0 ? "BYHOUR" : "BYDAY",
        "Yomo's form has no place for it: from \(start.date) it would be read as \(read)"
      )
    }
  }

  /// A rule of the same meaning without what its start says already, and without a beginning of the week that changes
  /// nothing.
  ///
  /// - Parameter day: the day of the month on which it comes where it says none; nil: nobody knows.
  private static func plain(_ rule: RecurrenceRule, day: Int?) -> RecurrenceRule {
    var plain = rule
    let countsWeeks = rule.frequency == .weekly && rule.interval > 1 || !rule.byWeekNumber.isEmpty
    if !countsWeeks { plain.weekStart = .monday }
    if rule.frequency == .monthly, let day, rule.byMonthDay == [day], rule.byDay.isEmpty {
      plain.monthDays = SmallNumbers()
    }
    return plain
  }

  private static func inexpressiblePart(of rule: RecurrenceRule) -> String? {
    if [.secondly, .minutely, .yearly].contains(rule.frequency) { return "FREQ" }
    if rule.count != nil { return "COUNT" }
    if rule.until != nil { return "UNTIL" }
    if rule.seconds != 0 { return "BYSECOND" }
    if rule.minutes != 0, rule.hours == 0 || rule.minutes.nonzeroBitCount > 1 { return "BYMINUTE" }
    if rule.hours != 0, rule.frequency > .daily { return "BYHOUR" }
    if rule.hours != 0, rule.frequency == .daily, rule.interval > 1 || rule.minutes == 0 {
      return "BYHOUR"
    }
    if rule.months != 0 { return "BYMONTH" }
    if !rule.monthDays.isEmpty { return "BYMONTHDAY" }
    if !rule.yearDays.isEmpty { return "BYYEARDAY" }
    if !rule.weekNumbers.isEmpty { return "BYWEEKNO" }
    if !rule.positions.isEmpty { return "BYSETPOS" }
    if rule.skip != .omit { return "SKIP" }
    if rule.weekStart != .monday { return "WKST" }
    if rule.frequency == .monthly, rule.weekdays != 0 { return "BYDAY" }
    return nil
  }

  /// Hours at equal steps, perhaps over midnight.
  private static func steps(
    of rule: RecurrenceRule
  ) throws(RecurrenceError) -> (first: Int, last: Int, step: Int) {
    let hours = rule.byHour
    // One time a day is a step that no range has room for twice.
    guard hours.count > 1 else { return (hours[0], hours[0], 24) }
    for begin in hours.indices {
      let turned = (hours[begin...] + hours[..<begin].map { $0 + 24 }).map { $0 }
      let step = turned[1] - turned[0]
      let isEven = zip(turned, turned.dropFirst()).allSatisfy { $1 - $0 == step }
      // What is left of the day must not have room for one more, or the range would be longer.
      if isEven { return (turned[0], turned[turned.count - 1] % 24, step) }
    }
    throw RecurrenceError(.inexpressible, part: "BYHOUR", "the hours do not come at equal steps")
  }

  /// Hours one after the other; the range ends where the last is over.
  private static func run(
    of rule: RecurrenceRule
  ) throws(RecurrenceError) -> (first: Int, last: Int, step: Int) {
    let hours = rule.byHour
    let begins = hours.filter { !hours.contains(($0 + 23) % 24) }
    guard begins.count == 1, rule.minutes == 0 else {
      throw RecurrenceError(.inexpressible, part: "BYHOUR", "the hours are not one range")
    }
    return (begins[0], begins[0] + hours.count, 1)
  }
}

// MARK: - JSON

extension YomoRecurrence {
  /// Reads `{"interval":3,"unit":"hour","days_of_week":null,"time_range_start":"09:00",
  /// "time_range_end":"18:00","based_on_completion":false}`.
  ///
  /// - Throws: ``RecurrenceError`` with the key that is wrong.
  package init(json: JSONValue) throws(RecurrenceError) {
    guard let members = json.members else {
      throw RecurrenceError(part: "recurrence_rule", "it is no object: write {\"interval\":…}")
    }
    let known = [
      "interval", "unit", "days_of_week", "time_range_start", "time_range_end",
      "based_on_completion",
    ]
    if let other = members.first(where: { !known.contains($0.key) }) {
      throw RecurrenceError(
        part: other.key,
        "there is no such key: write \(known.joined(separator: ", "))"
      )
    }
    if let again = known.first(where: { key in members.count { $0.key == key } > 1 }) {
      throw RecurrenceError(part: again, "it comes twice: write it once")
    }
    guard case .number(let number)? = json["interval"], let interval = Int(number) else {
      throw RecurrenceError(part: "interval", "write a whole number from 1 to 10000")
    }
    guard let name = json["unit"]?.text, let unit = Unit(rawValue: name) else {
      throw RecurrenceError(part: "unit", "write hour, day, week or month")
    }
    var days: [Weekday] = []
    switch json["days_of_week"] {
    case nil, .null: break
    case .array(let values):
      for value in values {
        guard let name = value.text, let day = Weekday(rawValue: name) else {
          throw RecurrenceError(part: "days_of_week", "write mon, tue, wed, thu, fri, sat or sun")
        }
        days.append(day)
      }
    default: throw RecurrenceError(part: "days_of_week", "write a list such as [\"mon\"], or null")
    }
    var isBasedOnCompletion = false
    switch json["based_on_completion"] {
    case nil, .null: break
    case .bool(let value): isBasedOnCompletion = value
    default: throw RecurrenceError(part: "based_on_completion", "write true or false")
    }
    try self.init(
      interval: interval,
      unit: unit,
      daysOfWeek: days,
      timeRange: try Self.range(json),
      isBasedOnCompletion: isBasedOnCompletion
    )
  }

  private static func range(_ json: JSONValue) throws(RecurrenceError) -> TimeRange? {
    func minute(_ key: String) throws(RecurrenceError) -> Int? {
      switch json[key] {
      case nil, .null: return nil
      case .string(let text):
        if let minute = WeeklyWindow.minuteOfDay(text), minute < 1_440 { return minute }
      default: break
      }
      throw RecurrenceError(part: key, "write a time such as \"09:00\", or null")
    }
    let start = try minute("time_range_start")
    let end = try minute("time_range_end")
    guard let start, let end else {
      guard start == nil, end == nil else {
        throw RecurrenceError(
          part: start == nil ? "time_range_start" : "time_range_end",
          "a range needs both its ends: write it, or leave the other out"
        )
      }
      return nil
    }
    return TimeRange(startMinute: start, endMinute: end)
  }

  /// The recurrence as Yomo's documents have it, all keys there.
  package var json: String {
    var json = JSONText()
    json.add("interval", interval)
    json.add("unit", unit.rawValue)
    let days = daysOfWeek.map { JSONText.quoted($0.rawValue) }
    json.add("days_of_week", json: days.isEmpty ? "null" : JSONText.array(days))
    json.add("time_range_start", timeRange.map { Self.clock($0.startMinute) })
    json.add("time_range_end", timeRange.map { Self.clock($0.endMinute) })
    json.add("based_on_completion", json: isBasedOnCompletion ? "true" : "false")
    return json.closed
  }

  private static func clock(_ minute: Int) -> String { WeeklyWindow.text(ofMinute: minute) }
}
