import Timeline

/// Which days the parts of a rule allow, a month at a time: bit 0 is the first of the month.
struct DayFilter {
  /// Bit n: month n; all set if the rule does not say.
  var months: UInt32
  /// Bit n - 1: day n of a month.
  private var monthDays: UInt32
  /// Bit 32 - n: day n from the month's end.
  private var monthDaysFromEnd: UInt32
  private var limitsMonthDays: Bool
  private(set) var weekdays: UInt32
  private let ordinals: WeekdayOrdinals
  private let hasOrdinalsOfYear: Bool
  private let weekNumbers: SmallNumbers
  private let yearDays: LargeNumbers
  /// Monday being 0.
  private let weekStart: Int

  /// The filter of a rule; where no part chooses days, the start does.
  init(rule: RecurrenceRule, start: LocalDateTime) {
    var months = rule.months
    var days = rule.monthDays
    var weekdays = rule.weekdays
    let date = start.date
    // The day that YEARLY, MONTHLY and WEEKLY take from the start if nothing chooses days.
    if !rule.choosesDays {
      switch rule.frequency {
      case .yearly:
        if months == 0 { months = 1 << UInt32(date.month) }
        days.insert(date.day)
      case .monthly: days.insert(date.day)
      case .weekly: weekdays = 1 << UInt32(date.weekday.index)
      default: break
      }
    } else if !rule.weekNumbers.isEmpty, rule.weekdays == 0, days.isEmpty, rule.yearDays.isEmpty,
      rule.frequency >= .weekly
    {
      // A week without a day in it: the start's weekday.
      weekdays = 1 << UInt32(date.weekday.index)
    }
    self.months = months == 0 ? .max : months
    limitsMonthDays = !days.isEmpty
    monthDays = UInt32(truncatingIfNeeded: days.positive)
    monthDaysFromEnd = 0
    if days.negative != 0 {
      for bit in 0..<31 where days.negative >> UInt64(bit) & 1 == 1 {
        monthDaysFromEnd |= 1 << UInt32(31 - bit)
      }
    }
    self.weekdays = weekdays
    ordinals = rule.ordinals
    hasOrdinalsOfYear = rule.frequency == .yearly && rule.months == 0
    weekNumbers = rule.weekNumbers
    yearDays = rule.yearDays
    weekStart = rule.weekStart.index
  }

  /// The days of a month that all parts allow.
  @inline(__always)
  func days(of month: MonthOnCalendar) -> UInt32 {
    guard months >> UInt32(month.month) & 1 == 1 else { return 0 }
    var mask = UInt32.max >> UInt32(32 - month.length)
    if limitsMonthDays { mask &= monthDays | monthDaysFromEnd >> UInt32(32 - month.length) }
    if weekdays != 0, ordinals.isEmpty, mask != 0 { mask &= plainWeekdays(of: month) }
    return isPlain ? mask : rarer(mask, month)
  }

  private var isPlain: Bool { ordinals.isEmpty && weekNumbers.isEmpty && yearDays.isEmpty }

  private func rarer(_ days: UInt32, _ month: MonthOnCalendar) -> UInt32 {
    var mask = days
    if !ordinals.isEmpty, mask != 0 { mask &= weekdays(of: month) }
    if !yearDays.isEmpty, mask != 0 { mask &= yearDays(of: month) }
    if !weekNumbers.isEmpty, mask != 0 { mask &= weeks(of: month) }
    return mask
  }

  // MARK: - Parts

  private func plainWeekdays(of month: MonthOnCalendar) -> UInt32 {
    // A week of seven bits that begins on the first of the month, five times.
    let week = (weekdays | weekdays << 7) >> UInt32(month.firstWeekday) & 0x7F
    return UInt32(truncatingIfNeeded: UInt64(week) * 0x1020_4081)
  }

  /// The days that BYDAY allows, those with a number and those without.
  func weekdays(of month: MonthOnCalendar) -> UInt32 {
    guard weekdays != 0 || !ordinals.isEmpty else { return .max }
    var mask = plainWeekdays(of: month)
    guard !ordinals.isEmpty else { return mask }
    let firstWeekday = month.firstWeekday
    for weekday in 0..<7 {
      let forward = ordinals.positive[weekday]
      let backward = ordinals.negative[weekday]
      if forward | backward == 0 { continue }
      let first = (weekday - firstWeekday + 7) % 7
      // How many of this weekday come before, and how many there are in all.
      var before = 0
      var total = (month.length - 1 - first) / 7 + 1
      let inMonth = total
      if hasOrdinalsOfYear {
        let inYear = month.firstDay - month.newYear + first
        before = inYear / 7
        total = (month.yearLength - 1 - inYear % 7) / 7 + 1
      }
      for index in 0..<inMonth {
        let isNamed =
          forward >> UInt64(before + index)
          | backward >> UInt64(total - before - index - 1)
        mask |= UInt32(isNamed & 1) << UInt32(first + index * 7)
      }
    }
    return mask
  }

  private func yearDays(of month: MonthOnCalendar) -> UInt32 {
    var mask: UInt32 = 0
    let before = month.firstDay - month.newYear
    let last = month.yearLength - 1
    for index in 0..<month.length {
      let day = before + index
      if yearDays.contains(positive: day) || yearDays.contains(negative: last - day) {
        mask |= 1 << UInt32(index)
      }
    }
    return mask
  }

  /// The days whose week's number is named, or all if none is.
  ///
  /// A week belongs to the year that has four of its days or more, so to that of its fourth day.
  func weeks(of month: MonthOnCalendar) -> UInt32 {
    guard !weekNumbers.isEmpty else { return .max }
    guard canHaveWeeks(month) else { return 0 }
    var mask: UInt32 = 0
    var first = month.firstDay - (month.firstWeekday - weekStart + 7) % 7
    while first < month.end {
      let fourth = first + 3
      var (newYear, length) = (month.newYear, month.yearLength)
      if fourth < newYear {
        length = MonthOnCalendar.isLeap(month.year - 1) ? 366 : 365
        newYear -= length
      } else if fourth >= newYear + length {
        newYear += length
        length = MonthOnCalendar.isLeap(month.year + 1) ? 366 : 365
      }
      let inYear = fourth - newYear
      let number = inYear / 7
      let total = (length - 1 - inYear % 7) / 7 + 1
      let isNamed =
        weekNumbers.positive >> UInt64(number)
        | weekNumbers.negative >> UInt64(total - number - 1)
      if isNamed & 1 == 1 {
        let shift = first - month.firstDay
        mask |= shift < 0 ? 0x7F >> UInt32(-shift) : 0x7F << UInt32(shift)
      }
      first += 7
    }
    return mask
  }

  /// Whether a number is near those of the month's weeks; those at a year's ends are looked at anyway.
  private func canHaveWeeks(_ month: MonthOnCalendar) -> Bool {
    guard month.month != 1, month.month != 12 else { return true }
    let before = max(0, (month.firstDay - month.newYear) / 7 - 1)
    // A month has days of six weeks at most; two more for how the year begins.
    let near: UInt64 = 0xFF << UInt64(before)
    let nearFromEnd: UInt64 = 0x3FF << UInt64(max(0, 44 - before))
    return weekNumbers.positive & near | weekNumbers.negative & nearFromEnd != 0
  }

  // MARK: - Days that a month or a year does not have

  /// The days that take the place of those that a month lacks, in no order, each perhaps twice.
  func addMovedDays(of month: MonthOnCalendar, skip: SkipRule, to days: inout [Int]) {
    guard limitsMonthDays, months >> UInt32(month.month) & 1 == 1 else { return }
    let beyond = ~(UInt32.max >> UInt32(32 - month.length))
    if monthDays & beyond != 0 {
      add(skip == .forward ? month.end : month.end - 1, to: &days)
    }
    // Days from the end that would lie before the first.
    if monthDaysFromEnd << UInt32(month.length) != 0 {
      add(skip == .forward ? month.firstDay : month.firstDay - 1, to: &days)
    }
  }

  /// The day that takes the place of day 366 in a common year.
  func addMovedDays(ofYear year: Int, skip: SkipRule, to days: inout [Int]) {
    guard !yearDays.isEmpty, !MonthOnCalendar.isLeap(year) else { return }
    let newYear = MonthOnCalendar.newYear(of: year)
    if yearDays.contains(positive: 365), months >> 12 & 1 == 1 {
      add(skip == .forward ? newYear + 365 : newYear + 364, to: &days)
    }
    if yearDays.contains(negative: 365), months >> 1 & 1 == 1 {
      add(skip == .forward ? newYear : newYear - 1, to: &days)
    }
  }

  /// Whether days of a month can be lacking; beside days of the year they only limit those.
  var canMoveMonthDays: Bool { limitsMonthDays && yearDays.isEmpty }
  /// Whether a day of a year can be lacking.
  var canMoveYearDays: Bool { !limitsMonthDays && !yearDays.isEmpty }

  /// BYDAY comes after days were moved, and so asks the moved day (RFC 7529, section 4.1).
  private func add(_ day: Int, to days: inout [Int]) {
    guard day <= MonthOnCalendar.lastDay, day >= -719_162 else { return }
    let month = MonthOnCalendar(day: day)
    let bit = UInt32(day - month.firstDay)
    if (weekdays(of: month) & weeks(of: month)) >> bit & 1 == 1 { days.append(day) }
  }
}
