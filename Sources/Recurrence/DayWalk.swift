import Timeline

/// Which periods count: every interval-th from the one that the start is in.
struct PeriodGrid {
  enum Kind { case all, days, weeks, months, years }

  let kind: Kind
  let interval: Int
  /// The first period: a day number, the day number of the first day of a week, months since year 0
  /// or a year.
  let origin: Int

  static let all = PeriodGrid(kind: .all, interval: 1, origin: 0)

  private init(kind: Kind, interval: Int, origin: Int) {
    self.kind = kind
    self.interval = interval
    self.origin = origin
  }

  /// The grid of a rule that steps on the calendar.
  init(rule: RecurrenceRule, start: LocalDateTime) {
    // Longer than all days of the calendar is as good as never again.
    interval = min(rule.interval, 4_000_000)
    let day = start.dayNumber
    switch rule.frequency {
    case .yearly: (kind, origin) = (.years, start.date.year)
    case .monthly:
      let date = start.date
      (kind, origin) = (.months, date.year * 12 + date.month - 1)
    case .weekly:
      let since = floorRemainder(weekdayIndex(ofDay: day) - rule.weekStart.index, 7)
      (kind, origin) = (.weeks, day - since)
    default: (kind, origin) = (.days, day)
    }
  }

  /// Days in a period; 0 for months and years.
  private var stride: Int { kind == .weeks ? interval * 7 : interval }

  /// The days of a month that lie in periods that count.
  @inline(__always)
  func days(of month: MonthOnCalendar) -> UInt32 {
    if interval == 1 { return .max }
    switch kind {
    case .all: return .max
    case .months: return floorRemainder(month.index - origin, interval) == 0 ? .max : 0
    case .years: return floorRemainder(month.year - origin, interval) == 0 ? .max : 0
    case .days, .weeks:
      let width = kind == .weeks ? 7 : 1
      var mask: UInt32 = 0
      // The last period that begins at or before the first of the month.
      var shift = -floorRemainder(month.firstDay - origin, stride)
      if shift + width <= 0 { shift += stride }
      let block: UInt32 = width == 7 ? 0x7F : 1
      while shift < month.length {
        mask |= shift < 0 ? block >> UInt32(-shift) : block << UInt32(shift)
        shift += stride
      }
      return mask
    }
  }

  /// The first day from which a period that counts can have days, after a month.
  @inline(__always)
  func firstDay(after month: MonthOnCalendar) -> Int {
    let next = month.end
    if interval == 1 { return next }
    switch kind {
    case .all: return next
    case .months:
      let index = month.index + interval - floorRemainder(month.index - origin, interval)
      return index > 120_000
        ? .max : MonthOnCalendar(year: index / 12, month: index % 12 + 1).firstDay
    case .years:
      let since = floorRemainder(month.year - origin, interval)
      if since == 0, month.month < 12 { return next }
      let year = month.year + interval - since
      return year > 9_999 ? .max : MonthOnCalendar.newYear(of: year)
    case .days, .weeks:
      let since = floorRemainder(next - origin, stride)
      if since < (kind == .weeks ? 7 : 1) { return next }
      return next + stride - since
    }
  }
}

/// Finds the days that a rule allows, in order, a month at a time.
///
/// Each step of it looks at one month, so no answer takes more than the 119,988 of the calendar.
struct DayWalk {
  let filter: DayFilter
  let grid: PeriodGrid
  private var month = MonthOnCalendar.none
  /// The days of the month that count.
  private var days: UInt32 = 0

  init(filter: DayFilter, grid: PeriodGrid) {
    self.filter = filter
    self.grid = grid
  }

  /// The first day at or after another, or `Int.max` if there is none until the end of year 9999.
  @inline(__always)
  mutating func next(onOrAfter day: Int) -> Int {
    if day >= month.firstDay, day < month.end {
      let left = days >> UInt32(day - month.firstDay)
      if left != 0 { return day + left.trailingZeroBitCount }
    }
    return search(from: day)
  }

  private mutating func search(from start: Int) -> Int {
    var day = start
    while day <= MonthOnCalendar.lastDay {
      load(day)
      let left = days >> UInt32(day - month.firstDay)
      if left != 0 { return day + left.trailingZeroBitCount }
      day = grid.firstDay(after: month)
    }
    return .max
  }

  private mutating func load(_ day: Int) {
    if day >= month.firstDay, day < month.end { return }
    if day == month.end { month.advance() } else { month = MonthOnCalendar(day: day) }
    days = filter.days(of: month) & grid.days(of: month)
  }
}
