import Timeline

extension Action {
  /// Days.
  func day(_ a: Arguments) -> Value? {
    let day: Day?
    switch self {
    case .dayoffset: day = a[0].int.map { .offset($0) }
    case .weekday: day = Self.weekday(a)
    case .weekdayplus:
      day = ints(a, 2)
        .map { .shifted(.weekday($0[1], .plain), by: TimeSpan(days: $0[0]), sign: 1) }
    case .weekdaysfrom:
      day = ints(a, 2)
        .flatMap { n in
          (1...500).contains(n[0])
            ? .shifted(.weekday(n[1], .plain), by: TimeSpan(days: (n[0] - 1) * 7), sign: 1) : nil
        }
    case .weekdayafter: day = a[0].int.map { .weekdayIn($0, .unit(.week, 2)) }
    case .weekdayin: day = a[0].int.flatMap { weekday in a[1].day.map { .weekdayIn(weekday, $0) } }
    case .weekdayspan:
      guard let weekday = a[0].int, let span = a[1].span, span.isOfDays, span.months == 0 else {
        return nil
      }
      day = .weekdayIn(weekday, .weekOf(.shifted(.offset(0), by: span, sign: 1)))
    case .dayofmonth: day = a[0].int.map { .dayOfMonth($0, month: nil) }
    case .dayofmonthin: day = ints(a, 2).map { .dayOfMonth($0[1], month: $0[0]) } ?? reversed(a)
    case .monthday: day = Self.monthDay(a)
    case .monthdayin:
      guard let n = ints(a, 3), Self.isDay(n[0], n[1]) else { return nil }
      day = .dateIn(year: n[2], month: n[0], day: n[1])
    case .monthyear: day = ints(a, 2).map { .month($0[0], year: $0[1], which: .plain) }
    case .monthinyear: day = ints(a, 2).map { .monthIn(year: $0[1], month: $0[0]) }
    case .monthref: day = a[0].int.map { .month($0, year: nil, which: .plain) }
    case .monthnext: day = a[0].int.map { .month($0, year: nil, which: .next) }
    case .monthlast: day = a[0].int.map { .month($0, year: nil, which: .last) }
    case .year: day = a[0].int.map { .year($0) }
    case .unitref:
      day = ints(a, 2).flatMap { n in Grain(rawValue: n[0]).map { .unit($0, n[1]) } }
    case .quarter:
      day = a[0].int.flatMap { (1...4).contains($0) ? .quarter($0, year: a[1].int) : nil }
    case .weekend: day = a[0].int.map { .weekend($0) }
    case .weekendof: day = a[0].day.map { .weekendOf($0) }
    case .weekof: day = a[0].day.map { .weekOf($0) }
    default: return laterDay(a)
    }
    return day.map { .day($0) }
  }

  private func laterDay(_ a: Arguments) -> Value? {
    let day: Day?
    switch self {
    case .edge: day = edge(a[0], a[1].day)
    case .edgeof:
      day = a[0].int.flatMap(Grain.init).map { .edge(.end, of: .unit($0, 0)) }
    case .monthedge:
      day = a[1].int
        .flatMap { edge(a[0], .month($0, year: a.count > 2 ? a[2].int : nil, which: .plain)) }
    case .nth: day = ints(a, 2).map { .nth($0[0], weekday: $0[1], of: nil) }
    case .nthin:
      day = ints(a, 2).flatMap { n in a[2].day.map { .nth(n[0], weekday: n[1], of: $0) } }
    case .nthinmonth:
      day = ints(a, 3)
        .map { .nth($0[0], weekday: $0[1], of: .month($0[2], year: a[3].int, which: .plain)) }
    case .nthday:
      day = ints(a, 3).map { .annual($0[0], weekday: $0[1], month: $0[2], year: nil) }
    case .workday: day = a[0].int.flatMap { n in a[1].day.map { .workday(n, of: $0) } }
    case .fixedday: day = ints(a, 2).map { .date(year: nil, month: $0[0], day: $0[1]) }
    case .holiday: day = Self.holiday(a)
    case .season:
      guard let n = ints(a, 2) else { return nil }
      day = .season(month: n[1], n[0] > 0 ? .next : n[0] < 0 ? .last : .plain, year: nil)
    case .seasonyear: day = ints(a, 2).map { .season(month: $0[0], .plain, year: $0[1]) }
    case .slash: day = a[0].int.flatMap(Self.slash)
    case .iso:
      day = a[0].int
        .map {
          let (year, month, day) = Packed.parts($0)
          return .date(year: year, month: month, day: day)
        }
    case .dot:
      guard let packed = a[0].int else { return nil }
      let (year, month, date) = Packed.parts(packed)
      guard Self.isDay(month, date) else { return nil }
      day = .date(year: year == 0 ? nil : year, month: month, day: date)
    case .dotday: day = Self.dotDay(a, monthUnit: 10)
    case .dotdaydigit: day = Self.dotDay(a, monthUnit: 100)
    case .fromnow: day = a[0].span.flatMap { Self.shifted(.offset(0), by: $0, sign: 1) }
    case .ago: day = a[0].span.flatMap { Self.shifted(.offset(0), by: $0, sign: -1) }
    case .plus: day = shift(a, sign: 1)
    case .minus: day = shift(a, sign: -1)
    case .plusweekday:
      day = a[0].span
        .flatMap { span in
          a[1].int.flatMap { Self.shifted(.weekday($0, .plain), by: span, sign: 1) }
        }
    case .dayshift:
      day = a[0].int
        .flatMap { n in
          a[1].day.map { .shifted($0, by: TimeSpan(days: abs(n)), sign: n < 0 ? -1 : 1) }
        }
    default: return nil
    }
    return day.map { .day($0) }
  }

  /// The first values as whole numbers.
  func ints(_ a: Arguments, _ count: Int) -> [Int]? {
    guard a.count >= count else { return nil }
    let ints = a[..<count].compactMap(\.int)
    return ints.count == count ? ints : nil
  }

  private func reversed(_ a: Arguments) -> Day? {
    a[1].int.map { .dayOfMonth($0, month: a[0].int) }
  }

  private func edge(_ which: Value, _ day: Day?) -> Day? {
    guard let edge = which.int.flatMap(Day.Edge.init), let day else { return nil }
    return .edge(edge, of: day)
  }

  private func shift(_ a: Arguments, sign: Int) -> Day? {
    a[0].span.flatMap { span in a[1].day.flatMap { Self.shifted($0, by: span, sign: sign) } }
  }

  private static func shifted(_ day: Day, by span: TimeSpan, sign: Int) -> Day? {
    span.isOfDays ? .shifted(day, by: span, sign: sign) : nil
  }

  private static func weekday(_ a: Arguments) -> Day? {
    guard let which = a[0].int.flatMap(Which.init), let weekday = a[1].int else { return nil }
    return .weekday(weekday, which)
  }

  static func isDay(_ month: Int, _ day: Int) -> Bool {
    CivilDate(year: 2_000, month: month, day: day) != nil
  }

  private static func monthDay(_ a: Arguments) -> Day? {
    guard let month = a[0].int, let day = a[1].int, isDay(month, day) else { return nil }
    let year = a.count > 2 ? a[2].int : nil
    if let year, CivilDate(year: year, month: month, day: day) == nil { return nil }
    return .date(year: year, month: month, day: day)
  }

  /// "8.12", in thousandths, which is a date for sure or, behind its weekday, where it falls on that.
  ///
  /// - Parameter monthUnit: what one month is of the thousandths of the number: 10 with two digits of the month, 100
  ///   with one.
  private static func dotDay(_ a: Arguments, monthUnit: Int) -> Day? {
    let numbers = a.compactMap(\.int)
    guard let point = numbers.last, point % monthUnit == 0,
      case let (day, month) = (point / 1_000, point % 1_000 / monthUnit), isDay(month, day)
    else { return nil }
    guard numbers.count > 1 else { return .date(year: nil, month: month, day: day) }
    return .weekdayDate(numbers[0], month: month, day: day)
  }

  private static func holiday(_ a: Arguments) -> Day? {
    guard let code = a[0].int else { return nil }
    return .date(year: a.count > 1 ? a[1].int : nil, month: code / 100, day: code % 100)
  }

  /// Both numbers of 3/4 stay, until the locale says which is the month: the month carries them, turned around.
  static func slash(_ packed: Int) -> Day? {
    let (year, first, second) = Packed.parts(packed)
    guard isDay(first, second) || isDay(second, first) else { return nil }
    return .date(year: year == 0 ? nil : year, month: -first, day: second)
  }
}

extension TimeSpan {
  /// So many days.
  init(days: Int) {
    self.days = days
    grain = .day
  }

  /// So many seconds.
  init(seconds: Int) {
    self.seconds = seconds
    grain = seconds % 60 == 0 ? .minute : .second
  }
}
