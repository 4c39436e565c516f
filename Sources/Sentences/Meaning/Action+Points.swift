extension Action {
  /// Points in time.
  func point(_ a: Arguments) -> Value? {
    switch self {
    case .at:
      guard a.count == 2 else { return a[0].day.map { .moment(Moment(day: $0)) } }
      guard !(a[0].isNone && a[1].isNone) else { return nil }
      guard let clock = a[1].clock else { return a[0].day.map { .moment(Moment(day: $0)) } }
      if let day = a[0].day, day.isLong { return nil }
      return .moment(Moment(day: a[0].day, clock: clock))
    case .atpart: return Self.dayWithPart(a)
    case .partat:
      guard var moment = a[0].moment, let clock = a[1].clock, let part = moment.clock?.part else {
        return nil
      }
      moment.clock = clock.in(part)
      return .moment(moment)
    case .daypart:
      guard let offset = a[0].int, let part = a[1].int.flatMap(PartOfDay.init) else { return nil }
      return .moment(Moment(day: .offset(offset), clock: Clock(part)))
    case .daypartat:
      guard let offset = a[0].int, let part = a[1].int.flatMap(PartOfDay.init),
        let clock = a[2].clock
      else { return nil }
      var there = clock.in(part)
      // One o'clock tonight is tomorrow's, also where am is said.
      if part == .night, !clock.isOpen, !clock.isPart, clock.second < 5 * 3_600 {
        there.isNextDay = true
      }
      return .moment(Moment(day: .offset(offset), clock: there))
    case .isotime:
      guard let packed = a[0].int else { return nil }
      let (year, month, day) = Packed.parts(packed / 1_000_000)
      let (hour, minute, second) = Packed.parts(packed % 1_000_000)
      var clock = Clock(second: hour * 3_600 + minute * 60 + second)
      if second > 0 { clock.grain = .second }
      return .moment(Moment(day: .date(year: year, month: month, day: day), clock: clock))
    case .later: return a[0].span.flatMap { $0.isOfDays ? nil : .moment(Moment(later: $0)) }
    // Days are those of the calendar: the clock shows the same.
    case .sametime: return a[0].span.map { .moment(Moment(later: $0)) }
    case .earlier:
      guard let span = a[0].span, !span.isOfDays else { return nil }
      return .moment(Moment(later: TimeSpan(seconds: -span.elapsedSeconds)))
    case .now: return .moment(Moment(later: TimeSpan(seconds: 0)))
    case .shifted, .shiftedback:
      guard let span = a[0].span, span.months == 0, var moment = a[1].moment, moment.clock != nil
      else { return nil }
      let shift = span.elapsedSeconds * (self == .shifted ? 1 : -1)
      if moment.isClock, var clock = moment.clock, !clock.isOpen, !clock.isNextDay,
        (0..<86_400).contains(clock.second + shift)
      {
        // A time of day by itself, also for what comes each day.
        clock.second += shift
        clock.isPart = false
        return .moment(Moment(clock: clock))
      }
      moment.shift = shift
      return .moment(moment)
    default: return nil
    }
  }

  private static func dayWithPart(_ a: Arguments) -> Value? {
    if a.count == 2 {
      guard let day = a[0].day, let part = a[1].int.flatMap(PartOfDay.init) else { return nil }
      return .moment(Moment(day: day, clock: Clock(part)))
    }
    guard let day = a[0].day, let clock = a[1].clock, let part = a[2].int.flatMap(PartOfDay.init)
    else { return nil }
    return .moment(Moment(day: day, clock: clock.in(part)))
  }

  /// Intervals.
  func stretch(_ a: Arguments) -> Value? {
    switch self {
    case .between, .clocks: return Self.between(a[0].asMoment, a[1].asMoment)
    case .hours12:
      guard let first = a[0].int, let last = a[1].int, let half = a[2].int, (1...12).contains(last),
        (1...12).contains(first)
      else { return nil }
      return Self.between(
        Moment(clock: Clock(second: first % 12 * 3_600, isOpen: true)),
        Moment(clock: Clock(second: (last % 12 + half) * 3_600))
      )
    case .daywith:
      guard let day = a[0].day ?? a[0].moment?.day, !day.isLong, var interval = a[1].interval
      else { return nil }
      interval.from?.day = day
      interval.to?.day = day
      // "tonight from 8 to 10".
      if let part = a[0].moment?.clock?.part {
        let (from, to) = (interval.from?.clock, interval.to?.clock)
        interval.from?.clock = from?.in(part)
        interval.to?.clock = to?.in(part)
      }
      return .interval(interval)
    case .dayafter, .daybefore:
      guard let day = a[0].day, !day.isLong, let clock = a[1].clock else { return nil }
      let moment = Moment(day: day, clock: clock)
      return .interval(
        self == .dayafter
          ? Interval(kind: .after, isWithinDay: true, from: moment)
          : Interval(kind: .before, isWithinDay: true, to: moment)
      )
    case .dayhours:
      guard let day = a[0].day, let from = a[1].int.flatMap(Self.hour)?.clock,
        let to = a[2].int.flatMap(Self.hour)?.clock
      else { return nil }
      return Self.between(Moment(day: day, clock: from), Moment(day: day, clock: to))
    case .monthdays:
      guard let n = ints(a, 3), Self.isDay(n[0], n[1]), Self.isDay(n[0], n[2]), n[1] < n[2] else {
        return nil
      }
      let year = a.count > 3 ? a[3].int : nil
      return Self.between(
        Moment(day: .date(year: year, month: n[0], day: n[1])),
        Moment(day: .date(year: year, month: n[0], day: n[2]))
      )
    case .dayspan:
      guard let n = ints(a, 2) else { return nil }
      return Self.between(
        Moment(day: .dayOfMonth(n[0], month: nil)),
        Moment(day: .dayOfMonth(n[1], month: nil))
      )
    case .monthspan:
      guard let n = ints(a, 2) else { return nil }
      let year = a.count > 2 ? a[2].int : nil
      return Self.between(
        Moment(day: .month(n[0], year: year, which: .plain)),
        Moment(day: .month(n[1], year: year, which: .plain))
      )
    case .lasting:
      // "At 8 for 5 days" is each day at 8, and no stretch of time.
      guard let moment = a[0].asMoment, let span = a[1].span, moment.clock != nil || span.isOfDays,
        !moment.isClock || !span.isOfDays
      else { return nil }
      return .interval(Interval(kind: .lasting, from: moment, span: span))
    case .nextspan: return a[0].span.map { .interval(Interval(kind: .next, span: $0)) }
    case .nextdays:
      return a[0].span
        .map { .interval(Interval(kind: .next, span: $0, isOfEachDay: $0.isOfDays)) }
    case .nextunit:
      return a[0].int.flatMap { TimeSpan(milli: 1_000, unit: $0) }
        .map { .interval(Interval(kind: .next, span: $0)) }
    case .lastspan:
      guard let span = a[0].span else { return nil }
      var back = span
      back.months.negate()
      back.days.negate()
      back.seconds.negate()
      return .interval(Interval(kind: .next, span: back))
    case .by, .bydays: return a[0].asMoment.map { .interval(Interval(kind: .by, to: $0)) }
    case .before: return a[0].asMoment.map { .interval(Interval(kind: .before, to: $0)) }
    case .after: return a[0].asMoment.map { .interval(Interval(kind: .after, from: $0)) }
    case .until: return a[0].asMoment.map { .interval(Interval(kind: .until, to: $0)) }
    case .since, .from: return a[0].asMoment.map { .interval(Interval(kind: .from, from: $0)) }
    case .nowuntil:
      return a[0].asMoment
        .map {
          .interval(Interval(kind: .between, from: Moment(later: TimeSpan(seconds: 0)), to: $0))
        }
    default: return nil
    }
  }

  private static func between(_ from: Moment?, _ to: Moment?) -> Value? {
    guard var from, let to else { return nil }
    // "Thursday to Friday next week" begins in that week, too.
    if case .weekday(let first, .plain) = from.day, case .weekdayIn(let last, let week) = to.day,
      first < last
    {
      from.day = .weekdayIn(first, week)
    }
    // A day and an hour without one have no order.
    if from.isClock, to.day != nil { return nil }
    // "Monday to Wednesday at 5" is two days, and a time of day for both.
    if from.day != nil, from.clock == nil, to.clock != nil { return nil }
    return .interval(Interval(kind: .between, from: from, to: to))
  }
}

extension Day {
  /// Whether it is months or years, which have no time of day: "15 July" is none at three in July.
  var isLong: Bool {
    switch self {
    case .month, .monthIn, .year, .quarter, .season: true
    default: false
    }
  }
}

extension Value {
  /// A point in time, if it can be read as one.
  var asMoment: Moment? {
    switch self {
    case .moment(let moment): moment
    case .clock(let clock): Moment(clock: clock)
    case .day(let day): Moment(day: day)
    default: nil
    }
  }
}
