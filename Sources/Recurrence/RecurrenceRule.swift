import Timeline

/// A rule of RFC 5545, section 3.3.10, with SKIP of RFC 7529: the whole grammar but `BYEASTER` and
/// calendars other than the Gregorian one.
///
/// The parts are sets of small numbers, each a bit of it, so that a rule is read, copied and followed
/// without memory from the heap.
public struct RecurrenceRule: Hashable, Sendable {
  /// The length of the period.
  public internal(set) var frequency: Frequency
  /// Every how manyth period counts, at least 1.
  public internal(set) var interval = 1
  /// How many instants there are, or nil for no end by number.
  public internal(set) var count: Int?
  /// When it ends, or nil.
  public package(set) var until: Until?
  /// The day on which weeks begin.
  public internal(set) var weekStart = Weekday.monday
  /// What becomes of dates that do not exist.
  public package(set) var skip = SkipRule.omit

  /// Bit n: second n, 0 … 59.
  var seconds: UInt64 = 0
  /// Bit n: minute n, 0 … 59.
  var minutes: UInt64 = 0
  /// Bit n: hour n, 0 … 23.
  var hours: UInt32 = 0
  /// Bit n: month n, 1 … 12.
  var months: UInt32 = 0
  /// Bit n: weekday n, Monday being 0, on whichever week.
  var weekdays: UInt32 = 0
  /// Weekdays with a number: for each the numbers of it.
  var ordinals = WeekdayOrdinals()
  var monthDays = SmallNumbers()
  var weekNumbers = SmallNumbers()
  var yearDays = LargeNumbers()
  var positions = LargeNumbers()

  /// The end of a rule.
  public enum Until: Hashable, Sendable {
    /// The last local time that counts; a date counts to its last second.
    case wall(LocalDateTime)
    /// The last instant that counts, as UTC shows it. A rule without a zone ignores that it is UTC.
    case utc(LocalDateTime)
    /// The last day that counts, the whole of it.
    case day(CivilDate)
  }

  /// Makes a rule without any BY part.
  ///
  /// - Parameter interval: at least 1.
  public init(_ frequency: Frequency, interval: Int = 1) {
    precondition(interval >= 1, "an interval is at least 1")
    self.frequency = frequency
    self.interval = interval
  }

  /// BYSECOND, ascending; 60 is read as 59.
  public var bySecond: [Int] { bits(seconds) }
  /// BYMINUTE, ascending.
  public var byMinute: [Int] { bits(minutes) }
  /// BYHOUR, ascending.
  public var byHour: [Int] { bits(UInt64(hours)) }
  /// BYMONTH, ascending.
  public var byMonth: [Int] { bits(UInt64(months)) }
  /// BYMONTHDAY, ascending.
  public var byMonthDay: [Int] { monthDays.numbers }
  /// BYYEARDAY, ascending.
  public var byYearDay: [Int] { yearDays.numbers }
  /// BYWEEKNO, ascending.
  public var byWeekNumber: [Int] { weekNumbers.numbers }
  /// BYSETPOS, ascending.
  public var bySetPosition: [Int] { positions.numbers }

  /// BYDAY: first the weekdays without a number, Monday first, then those with one.
  public var byDay: [(number: Int?, weekday: Weekday)] {
    var days: [(number: Int?, weekday: Weekday)] = []
    for index in bits(UInt64(weekdays)) { days.append((nil, Weekday.allCases[index])) }
    for index in 0..<7 {
      for number in ordinals.numbers(of: index).numbers {
        days.append((number, Weekday.allCases[index]))
      }
    }
    return days
  }

  /// Whether any part chooses days within its period, so that the start's day does not.
  var choosesDays: Bool {
    weekdays != 0 || !ordinals.isEmpty || !monthDays.isEmpty || !yearDays.isEmpty
      || !weekNumbers.isEmpty
  }

  /// Whether it surely fires again and again, as can be seen without looking at the calendar.
  func surelyFires(startDay: Int) -> Bool {
    guard interval == 1, frequency >= .daily, positions.isEmpty, yearDays.isEmpty,
      weekNumbers.isEmpty
    else { return false }
    let hasWeekdays = weekdays != 0 || !ordinals.isEmpty
    if !monthDays.isEmpty {
      // Every month has 28 days.
      let always: UInt64 = 1 << 28 - 1
      return !hasWeekdays && (monthDays.positive | monthDays.negative) & always != 0
    }
    // Every month has four of each weekday.
    if hasWeekdays { return weekdays != 0 || ordinals.hasOneToFour }
    return frequency <= .weekly || startDay <= 28
  }

  /// The rule without an end by number or time.
  package var endless: RecurrenceRule {
    var rule = self
    rule.count = nil
    rule.until = nil
    return rule
  }

  private func bits(_ set: UInt64) -> [Int] { (0..<64).filter { set >> UInt64($0) & 1 == 1 } }
}

/// The numbers of each weekday, such as the first and the last Friday.
struct WeekdayOrdinals: Hashable, Sendable {
  /// For each weekday, bit n - 1 stands for the n-th.
  var positive = SIMD8<UInt64>()
  /// For each weekday, bit n - 1 stands for the n-th from the end.
  var negative = SIMD8<UInt64>()
  private(set) var isEmpty = true

  mutating func insert(_ number: Int, weekday: Int) {
    isEmpty = false
    var numbers = numbers(of: weekday)
    numbers.insert(number)
    positive[weekday] = numbers.positive
    negative[weekday] = numbers.negative
  }

  /// Whether a first to fourth is among them, from either end.
  var hasOneToFour: Bool {
    (0..<7).contains { (positive[$0] | negative[$0]) & 0xF != 0 }
  }

  func numbers(of weekday: Int) -> SmallNumbers {
    SmallNumbers(positive: positive[weekday], negative: negative[weekday])
  }
}

extension Weekday {
  /// Monday is 0.
  var index: Int {
    switch self {
    case .monday: 0
    case .tuesday: 1
    case .wednesday: 2
    case .thursday: 3
    case .friday: 4
    case .saturday: 5
    case .sunday: 6
    }
  }

  /// The two letters of iCalendar, such as `MO`.
  public var iCalendarName: String { ["MO", "TU", "WE", "TH", "FR", "SA", "SU"][index] }
}
