import Recurrence
import Timeline

/// Some days: from the first to the last, both included, as days since 1970.
struct DayRange: Hashable {
  var first: Int
  var last: Int
  var grain: Grain

  init(_ day: Int) {
    first = day
    last = day
    grain = .day
  }

  init(_ first: Int, _ last: Int, _ grain: Grain) {
    self.first = first
    self.last = last
    self.grain = grain
  }
}

/// Says which times are meant by what was said at a time.
struct Resolver {
  let context: SentenceContext
  /// The wall clock that counts, in seconds.
  var now: Int
  /// Whether hours of one half of the day are taken from the file's convention.
  var usesClock24 = false
  /// The part of the day in which such things are done; nil where that says nothing.
  var leaning: PartOfDay?

  /// The day, since 1970.
  var today: Int { Self.day(now) }

  init(_ context: SentenceContext, usesClock24: Bool) {
    self.context = context
    self.usesClock24 = usesClock24
    now = Int(context.now.wallSeconds)
  }

  static func day(_ second: Int) -> Int { floored(second, by: 86_400).quotient }

  /// Monday is 0.
  static func weekday(_ day: Int) -> Int { floored(day + 3, by: 7).rest }

  /// A division whose rest is never below 0, whatever lies before 1970.
  private static func floored(_ number: Int, by length: Int) -> (quotient: Int, rest: Int) {
    let (quotient, rest) = number.quotientAndRemainder(dividingBy: length)
    return rest < 0 ? (quotient - 1, rest + length) : (quotient, rest)
  }

  func date(_ day: Int) -> CivilDate { CivilDate(daysSinceEpoch: day) }

  static func number(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    guard (1...9_999).contains(year) else { return nil }
    return CivilDate(year: year, month: month, day: day)?.daysSinceEpoch
  }

  /// The first day of a month that lies so many months from one.
  static func month(_ year: Int, _ month: Int, plus months: Int = 0) -> (year: Int, month: Int) {
    let index = floored(year * 12 + month - 1 + months, by: 12)
    return (index.quotient, index.rest + 1)
  }

  static func monthRange(_ year: Int, _ month: Int) -> DayRange? {
    guard let first = number(year, month, 1) else { return nil }
    let next = Self.month(year, month, plus: 1)
    guard let end = number(next.year, next.month, 1) else { return nil }
    return DayRange(first, end - 1, .month)
  }

  /// A day so many months later: the same of its month, or its last.
  static func day(_ day: Int, plusMonths months: Int) -> Int? {
    let date = CivilDate(daysSinceEpoch: day)
    let later = month(date.year, date.month, plus: months)
    guard let range = monthRange(later.year, later.month) else { return nil }
    return min(range.first + date.day - 1, range.last)
  }

  /// The days that are meant; nil if there are none.
  func range(_ day: Day) -> DayRange? {
    switch day {
    case .offset(let days): return DayRange(today + days)
    case .weekday(let weekday, let which): return DayRange(self.weekday(weekday - 1, which))
    case .dayOfMonth(let number, let offset): return dayOfMonth(number, offset).map { DayRange($0) }
    case .date(let year, let month, let day):
      return self.date(year, month, day).map { DayRange($0) }
    case .weekdayDate(let weekday, let month, let day):
      return self.date(nil, month, day)
        .flatMap { Self.weekday($0) == weekday - 1 ? DayRange($0) : nil }
    case .dateIn(let years, let month, let day):
      return Self.number(date(today).year + years, month, day).map { DayRange($0) }
    case .month(let month, let year, let which): return self.month(month, year, which)
    case .monthIn(let years, let month):
      return Self.monthRange(date(today).year + years, month)
    case .year(let year):
      guard let first = Self.number(year, 1, 1), let last = Self.number(year, 12, 31) else {
        return nil
      }
      return DayRange(first, last, .year)
    case .unit(let grain, let count): return unit(grain, count)
    case .quarter(let number, let year): return quarter(number, year)
    case .weekend(let count):
      let saturday = today - Self.weekday(today) + 5 + count * 7
      // On Sunday, this weekend's Saturday was yesterday.
      return DayRange(saturday, saturday + 1, .day)
    case .weekendOf(let day):
      guard let day = range(day) else { return nil }
      let saturday = day.first - Self.weekday(day.first) + 5
      return DayRange(saturday, saturday + 1, .day)
    case .weekOf(let day):
      guard let day = range(day) else { return nil }
      let monday = day.first - Self.weekday(day.first)
      return DayRange(monday, monday + 6, .week)
    default: return derived(day)
    }
  }

  private func derived(_ day: Day) -> DayRange? {
    switch day {
    case .edge(let edge, let whole):
      guard let range = range(whole) else { return nil }
      switch edge {
      case .start: return DayRange(range.first)
      case .end: return DayRange(range.last)
      case .middle: return DayRange((range.first + range.last) / 2)
      }
    case .nth(let number, let weekday, let whole): return nth(number, weekday - 1, whole)
    case .workday(let number, let whole):
      guard let range = range(whole) else { return nil }
      var days = (range.first...range.last).filter { Self.weekday($0) < 5 }
      if number < 0 { days.reverse() }
      let index = abs(number) - 1
      guard days.indices.contains(index) else { return nil }
      // Of the month is of the next one once it is past.
      if whole == .unit(.month, 0), days[index] < today {
        return self.range(.workday(number, of: .unit(.month, 1)))
      }
      return DayRange(days[index])
    case .weekdayIn(let weekday, let whole):
      guard let range = range(whole) else { return nil }
      let shift = (weekday - 1 - Self.weekday(range.first) + 7) % 7
      return DayRange(range.first + shift)
    case .shifted(let day, let span, let sign):
      guard let range = range(day),
        let moved = Self.day(range.first, plusMonths: span.months * sign)
      else { return nil }
      return DayRange(moved + span.days * sign)
    case .season(let month, let which, let year): return season(month, which, year)
    case .annual(let number, let weekday, let month, let year):
      let thisYear = year ?? date(today).year
      for year in thisYear...thisYear + 1 {
        guard let whole = Self.monthRange(year, month),
          let day = Self.nth(number, weekday - 1, in: whole)
        else { return nil }
        if day >= today || year > thisYear { return DayRange(day) }
      }
      return nil
    default: return nil
    }
  }

  private func weekday(_ weekday: Int, _ which: Which) -> Int {
    let own = Self.weekday(today)
    let ahead = (weekday - own + 7) % 7
    switch which {
    case .plain: return today + (ahead == 0 ? 7 : ahead)
    case .this: return today + ahead
    case .next: return today - own + 7 + weekday
    case .last: return today - (7 - ahead == 0 ? 7 : (7 - ahead))
    }
  }

  private func dayOfMonth(_ number: Int, _ offset: Int?) -> Int? {
    let date = date(today)
    if let offset {
      let month = Self.month(date.year, date.month, plus: offset)
      return Self.number(month.year, month.month, number)
    }
    for count in 0..<12 {
      let month = Self.month(date.year, date.month, plus: count)
      if let day = Self.number(month.year, month.month, number), day >= today { return day }
    }
    return nil
  }

  /// The month and the day of 3/4: as the locale has it, or the other way around where only that is a date.
  func monthDay(_ first: Int, _ second: Int) -> (month: Int, day: Int)? {
    let (month, day) = context.isDayFirst ? (second, first) : (first, second)
    if Action.isDay(month, day) { return (month, day) }
    return Action.isDay(day, month) ? (day, month) : nil
  }

  /// A month below 0 is the first number of 3/4.
  private func date(_ year: Int?, _ month: Int, _ day: Int) -> Int? {
    var (month, day) = (month, day)
    if month < 0 {
      guard let found = monthDay(-month, day) else { return nil }
      (month, day) = found
    }
    if let year { return Self.number(year, month, day) }
    let thisYear = date(today).year
    for year in thisYear...thisYear + 8 {
      if let found = Self.number(year, month, day), found >= today { return found }
    }
    return nil
  }

  private func month(_ month: Int, _ year: Int?, _ which: Which) -> DayRange? {
    if let year { return Self.monthRange(year, month) }
    let date = date(today)
    switch which {
    case .plain, .this: return Self.monthRange(date.year + (month < date.month ? 1 : 0), month)
    case .next: return Self.monthRange(date.year + (month <= date.month ? 1 : 0), month)
    case .last: return Self.monthRange(date.year - (month >= date.month ? 1 : 0), month)
    }
  }

  private func unit(_ grain: Grain, _ count: Int) -> DayRange? {
    let date = date(today)
    switch grain {
    case .week:
      let monday = today - Self.weekday(today) + count * 7
      return DayRange(monday, monday + 6, .week)
    case .month:
      let month = Self.month(date.year, date.month, plus: count)
      return Self.monthRange(month.year, month.month)
    case .quarter:
      let first = Self.month(date.year, (date.month - 1) / 3 * 3 + 1, plus: count * 3)
      return quarter((first.month - 1) / 3 + 1, first.year)
    case .year:
      guard let first = Self.number(date.year + count, 1, 1),
        let last = Self.number(date.year + count, 12, 31)
      else { return nil }
      return DayRange(first, last, .year)
    default: return DayRange(today + count)
    }
  }

  private func quarter(_ number: Int, _ year: Int?) -> DayRange? {
    let thisYear = date(today).year
    for year in year.map({ $0...$0 }) ?? thisYear...thisYear + 1 {
      guard let first = Self.monthRange(year, number * 3 - 2),
        let last = Self.monthRange(year, number * 3)
      else { return nil }
      if last.last >= today || year != thisYear {
        return DayRange(first.first, last.last, .quarter)
      }
    }
    return nil
  }

  /// Whole months: spring is March to May (meteorological seasons of the north).
  private func season(_ month: Int, _ which: Which, _ year: Int?) -> DayRange? {
    let thisYear = date(today).year
    func range(_ year: Int) -> DayRange? {
      let end = Self.month(year, month, plus: 2)
      guard let first = Self.monthRange(year, month),
        let last = Self.monthRange(end.year, end.month)
      else { return nil }
      return DayRange(first.first, last.last, .day)
    }
    if let year { return range(year) }
    let seasons = (thisYear - 2...thisYear + 2).compactMap(range)
    switch which {
    case .plain, .this: return seasons.first { $0.last >= today }
    case .next: return seasons.first { $0.first > today }
    case .last: return seasons.last { $0.last < today }
    }
  }

  /// The n-th weekday of some days; without them, of this month or the next that has it still to come.
  private func nth(_ number: Int, _ weekday: Int, _ whole: Day?) -> DayRange? {
    if let whole {
      guard let range = range(whole) else { return nil }
      guard let day = Self.nth(number, weekday, in: range) else { return nil }
      if day < today, case .month(_, nil, .plain) = whole, range.first <= today {
        let date = date(range.first)
        return Self.monthRange(date.year + 1, date.month)
          .flatMap { Self.nth(number, weekday, in: $0) }.map { DayRange($0) }
      }
      return DayRange(day)
    }
    let date = date(today)
    for count in 0..<12 {
      let month = Self.month(date.year, date.month, plus: count)
      guard let range = Self.monthRange(month.year, month.month) else { return nil }
      if let day = Self.nth(number, weekday, in: range), day >= today { return DayRange(day) }
    }
    return nil
  }

  static func nth(_ number: Int, _ weekday: Int, in range: DayRange) -> Int? {
    let day: Int
    if number > 0 {
      let first = range.first + (weekday - self.weekday(range.first) + 7) % 7
      day = first + (number - 1) * 7
    } else {
      let last = range.last - (self.weekday(range.last) - weekday + 7) % 7
      day = last + (number + 1) * 7
    }
    return day >= range.first && day <= range.last ? day : nil
  }
}
