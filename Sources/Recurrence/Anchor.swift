import Timeline

/// What the next occurrence of a recurring reminder is counted from.
public enum Anchor: String, Hashable, Sendable, CaseIterable {
  /// From the one that was answered, even if the next is overdue, too: they stack. Org-mode's `+`.
  case schedule
  /// The next of the series that is in the future. Org-mode's `++`.
  case catchUp = "catch_up"
  /// So long after it was completed. Org-mode's `.+`.
  case completion
}

extension RecurrenceSet {
  /// The occurrence that follows when one was answered.
  ///
  /// Counted from the completion, a rule that steps on the calendar keeps its time of day: INTERVAL
  /// days, weeks, months or years after the completion's date, on the last day of a month that is too
  /// short. Where a BY part chooses days, the next day that it allows: INTERVAL days later for DAILY;
  /// for the others after INTERVAL - 1 periods, so that every Monday done on a Friday is next Monday, and
  /// every other Monday done on the Monday is in two weeks.
  /// A rule in elapsed time begins anew at the completion. COUNT does not count here. What would not
  /// come after the answered one, since that was done long before or the clock was set back, is counted
  /// from the answered one.
  ///
  /// - Parameters:
  ///   - answered: the instant of the occurrence that was answered.
  ///   - completedAt: when that was.
  /// - Returns: nil if the series is over.
  /// - Throws: ``RecurrenceError`` if it takes more than ``maximumSteps``.
  public func next(
    answered: Timestamp,
    completedAt: Timestamp,
    anchor: Anchor
  ) throws(RecurrenceError) -> Occurrence? {
    switch anchor {
    case .schedule: return try next(after: answered)
    case .catchUp: return try next(after: max(answered, completedAt))
    case .completion:
      guard let rule else { return try next(after: max(answered, completedAt)) }
      let found = try next(rule, completedAt: completedAt)
      // Done long before it was due, or by a clock that was set back: never again what was answered.
      let last = floorQuotient(Int(answered.milliseconds), 1_000)
      guard let found, found.second <= last else { return found }
      return try next(rule, completedAt: answered)
    }
  }

  private func next(
    _ rule: RecurrenceRule,
    completedAt: Timestamp
  ) throws(RecurrenceError) -> Occurrence? {
    var again = rule.withDays(of: start.date)
    again.interval = 1
    again.count = nil
    let offset = zone?.offsetSeconds(at: completedAt) ?? 0
    let second = floorQuotient(Int(completedAt.milliseconds), 1_000)
    let shown = LocalDateTime(clamping: Int64(second + offset))
    let earliest: WrittenTime
    if rule.frequency.isElapsed {
      let unit = rule.frequency.unitSeconds
      let later = second + min(rule.interval, 400_000_000_000 / unit) * unit
      let local = LocalDateTime(clamping: Int64(later))
      guard local.wall == later else { return nil }
      earliest = WrittenTime(local: local, offsetSeconds: zone == nil ? nil : 0)
    } else {
      let times = TimesOfDay(rule: rule, start: start)
      (again.hours, again.minutes, again.seconds) = (times.hours, times.minutes, times.seconds)
      guard let day = firstDay(rule, completedOn: shown.dayNumber) else { return nil }
      if !rule.choosesDays, rule.months == 0 {
        // Whatever day it falls on; later days only where the clocks leave that one out.
        again.frequency = .daily
        again.skip = .omit
        again.positions = LargeNumbers()
      }
      earliest = WrittenTime(local: LocalDateTime(wall: day * secondsInDay))
    }
    let later = try RecurrenceSet(start: earliest, zone: zone, rule: again, gap: gap)
    var iterator = later.occurrences()
    while let found = iterator.next() {
      if found.second > second, !isExcluded(found.second) { return found }
    }
    if let failure = iterator.failure { throw failure }
    return nil
  }

  func isExcluded(_ second: Int) -> Bool { excluded.contains { $0.contains(second) } }

  /// The first day that can follow a completion, or nil if it is beyond year 9999.
  private func firstDay(_ rule: RecurrenceRule, completedOn day: Int) -> Int? {
    let choosesDays = rule.choosesDays || rule.months != 0
    let periods = choosesDays && rule.frequency != .daily ? rule.interval - 1 : rule.interval
    let many = min(periods, 4_000_000)
    let later: Int
    switch rule.frequency {
    case .weekly: later = day + many * 7
    case .monthly: later = Self.day(day, plusMonths: many)
    case .yearly: later = Self.day(day, plusMonths: many * 12)
    default: later = day + many
    }
    var first = later
    if choosesDays, rule.frequency != .daily, later < MonthOnCalendar.lastDay {
      // Done on a day that it chooses, that day's period is over, too: every other Monday is in two weeks.
      first = max(later + 1, periodAfter(rule, completedOn: day) ?? day)
    }
    return first > MonthOnCalendar.lastDay ? nil : max(first, day + 1)
  }

  /// The first day of the month or year INTERVAL after that of a completion, if that has days that the rule chooses, but
  /// none behind the completion: three months after the last Friday, the last may be of a later date.
  private func periodAfter(_ rule: RecurrenceRule, completedOn day: Int) -> Int? {
    let month = MonthOnCalendar(day: day)
    let isMonthly = rule.frequency == .monthly
    guard isMonthly || rule.frequency == .yearly else { return nil }
    let first = isMonthly ? month.firstDay : month.newYear
    var days = rule.withDays(of: start.date).endless
    (days.interval, days.hours, days.minutes, days.seconds) = (1, 1, 1, 1)
    let midnight = LocalDateTime(wall: first * secondsInDay)
    var series = LocalSeries(rule: days, start: midnight, from: midnight.wall)
    let end = Self.day(first, plusMonths: isMonthly ? 1 : 12)
    var hasDays = false
    while true {
      let wall = series.next()
      guard wall != .max, floorQuotient(wall, secondsInDay) < end else { break }
      if floorQuotient(wall, secondsInDay) > day { return nil }
      hasDays = true
    }
    guard hasDays else { return nil }
    return Self.day(first, plusMonths: min(rule.interval, 4_000_000) * (isMonthly ? 1 : 12))
  }

  /// The same day of a later month, or its last if it is shorter.
  private static func day(_ day: Int, plusMonths months: Int) -> Int {
    let month = MonthOnCalendar(day: day)
    let index = month.index + months
    guard index < 120_000 else { return .max }
    let later = MonthOnCalendar(year: index / 12, month: index % 12 + 1)
    return later.firstDay + min(day - month.firstDay, later.length - 1)
  }
}

extension RecurrenceRule {
  /// The rule with the days that it takes from its start, where it names months or weeks without days.
  fileprivate func withDays(of date: CivilDate) -> RecurrenceRule {
    var rule = self
    let weekday: UInt32 = 1 << UInt32(date.weekday.index)
    if months != 0, !choosesDays {
      switch frequency {
      case .yearly, .monthly: rule.monthDays.insert(date.day)
      case .weekly: rule.weekdays = weekday
      default: break
      }
    }
    if !weekNumbers.isEmpty, weekdays == 0, monthDays.isEmpty, yearDays.isEmpty {
      rule.weekdays = weekday
    }
    return rule
  }
}
