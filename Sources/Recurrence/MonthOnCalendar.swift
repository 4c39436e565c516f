import Timeline

/// A month of the Gregorian calendar with what a rule asks of it, found without a date in between.
struct MonthOnCalendar {
  private(set) var year: Int
  /// 1 … 12.
  private(set) var month: Int
  /// The day number of its first day, counted from 1970-01-01.
  private(set) var firstDay: Int
  /// Days in it.
  private(set) var length: Int
  /// The day number of 1 January.
  private(set) var newYear: Int

  /// The last day of year 9999, counted from 1970-01-01.
  static let lastDay = 2_932_896

  /// The month of a day.
  init(day: Int) {
    let date = CivilDate(daysSinceEpoch: day)
    self.init(year: date.year, month: date.month)
  }

  /// A month of a year.
  init(year: Int, month: Int) {
    self.year = year
    self.month = month
    newYear = Self.newYear(of: year)
    length = Self.length(of: month, in: year)
    firstDay = newYear
    if month > 1 {
      for earlier in 1..<month { firstDay += Self.length(of: earlier, in: year) }
    }
  }

  private init(year: Int, month: Int, firstDay: Int, length: Int, newYear: Int) {
    (self.year, self.month, self.firstDay) = (year, month, firstDay)
    (self.length, self.newYear) = (length, newYear)
  }

  /// A month without days, far before all others.
  static let none = MonthOnCalendar(
    year: 0,
    month: 1,
    firstDay: -1_000_000_000,
    length: 0,
    newYear: -1_000_000_000
  )

  /// Months since year 0.
  var index: Int { year * 12 + month - 1 }
  /// Days in its year.
  var yearLength: Int { Self.isLeap(year) ? 366 : 365 }
  /// The day after its last one.
  var end: Int { firstDay + length }
  /// The weekday of its first day, Monday being 0.
  var firstWeekday: Int { weekdayIndex(ofDay: firstDay) }

  /// Goes on to the next month.
  mutating func advance() {
    firstDay += length
    month += 1
    if month == 13 {
      month = 1
      year += 1
      newYear = firstDay
    }
    length = Self.length(of: month, in: year)
  }

  static func isLeap(_ year: Int) -> Bool {
    year & 3 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  static func length(of month: Int, in year: Int) -> Int {
    // 30 days hath September …: two bits for each month, what it has beyond 28.
    month == 2 && isLeap(year) ? 29 : 28 + 0x3BB_EECC >> (month * 2) & 3
  }

  /// The day number of 1 January, counted from 1970-01-01.
  static func newYear(of year: Int) -> Int {
    // From 1 January of year 1, which is day -719,162.
    let before = year - 1
    return before * 365 + floorQuotient(before, 4) - floorQuotient(before, 100)
      + floorQuotient(before, 400) - 719_162
  }
}

/// The weekday of a day counted from 1970-01-01, Monday being 0.
func weekdayIndex(ofDay day: Int) -> Int {
  // 1970-01-01 was a Thursday.
  floorRemainder(day + 3, 7)
}
