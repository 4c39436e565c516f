extension Action {
  /// Times of day.
  func timeOfDay(_ a: Arguments) -> Value? {
    switch self {
    case .hour: return a[0].int.flatMap { Self.hour($0) }
    case .hourword, .hour12: return hourOfWord(a[0])
    case .hour24:
      guard let hour = a[0].int, hour < 24 else { return nil }
      guard a.count > 1 else { return .clock(Clock(second: hour * 3_600)) }
      guard let minute = a[1].int, minute < 60 else { return nil }
      // "14h30"; "1h30" is how long something takes, and "at 4h15" says no more of the half of the day than 4:15 does.
      if (1...4).contains(hour) {
        return a.count > 2 ? Self.written(Packed.clock(hour, minute)) : nil
      }
      return .clock(Clock(second: hour * 3_600 + minute * 60))
    case .hourof: return a[0].int.map { .clock(Clock(second: $0 * 3_600)) }
    case .hourminute:
      guard let hour = a[0].int, let minute = a[1].int, (1...12).contains(hour),
        (10...59).contains(minute)
      else { return nil }
      return Self.open(hour, minute)
    case .hmm: return a[0].int.flatMap { Self.written(Packed.clock($0 / 100, $0 % 100)) }
    case .hhmm:
      guard let value = a[0].int else { return nil }
      return .clock(Clock(second: value / 100 * 3_600 + value % 100 * 60))
    case .clock: return a[0].int.flatMap(Self.written)
    case .dotclock:
      // 17.30, in thousandths. By itself it may be a price, a version or a date: an hour is one of the day's quarters.
      if a.count > 1, let number = a[0].int, let earliest = a[1].int {
        guard number / 1_000 >= earliest, number % 1_000 / 10 % 15 == 0 else { return nil }
      }
      return a[0].int.flatMap { Self.written(Packed.clock($0 / 1_000, $0 % 1_000 / 10)) }
    case .clock24:
      guard let (hour, minute, second) = a[0].int.map(Packed.parts) else { return nil }
      var clock = Clock(second: hour * 3_600 + minute * 60 + second)
      clock.isWritten = true
      return .clock(clock)
    case .clock12: return Self.withHalf(a)
    case .digits12:
      // 930am.
      guard let n = ints(a, 2), n[0] >= 100 else { return nil }
      return Self.twelveHours(n[0] / 100, n[0] % 100, 0, half: n[1])
    case .past, .to, .past12, .to12: return Self.counted(self, a)
    case .fixed:
      var clock = Clock(second: (a[0].int ?? 0) * 3_600)
      clock.isNextDay = a[0].int == 0
      return .clock(clock)
    case .zone: return a[0].text.map { .text($0) }
    case .clockzone:
      guard var clock = a[0].clock else { return nil }
      if let name = a[1].text {
        clock.zone = .named(name)
      } else if let minutes = a[1].int {
        clock.zone = .minutes(minutes)
      }
      return .clock(clock)
    case .part: return a[0].int.flatMap(PartOfDay.init).map { .clock(Clock($0)) }
    case .inpart: return Self.inPart(a)
    case .meal, .mealafter:
      guard let hour = a[0].int else { return nil }
      return .clock(Clock(second: (hour + (self == .meal ? 0 : 1)) * 3_600))
    case .uhr:
      guard let hour = a[0].int, let minute = a[1].int, minute < 60 else { return nil }
      return Self.written(Packed.clock(hour, minute))
    case .halfto:
      // "halb acht" is half past seven.
      return a[0].int.map { Self.open(($0 + 11) % 12, 30) }
    case .dayat:
      guard let part = a[0].int.flatMap(PartOfDay.init), let day = a[1].int else { return nil }
      return .moment(Moment(day: .weekday(day, .plain), clock: Clock(part)))
    case .dayatclock:
      guard let part = a[0].int.flatMap(PartOfDay.init), let day = a[1].int, let clock = a[2].clock
      else { return nil }
      return .moment(Moment(day: .weekday(day, .plain), clock: clock.in(part)))
    case .weekdaynext: return a[0].int.map { .day(.weekdayIn($0, .unit(.week, 1))) }
    case .mealatday:
      guard let hour = a[0].int, let day = a[1].day else { return nil }
      return .moment(Moment(day: day, clock: Clock(second: hour * 3_600)))
    case .mealat:
      return a[0].int.map { .moment(Moment(clock: Clock(second: $0 * 3_600))) }
    default: return nil
    }
  }

  /// A bare hour: with both halves of the day if it is one of twelve.
  static func hour(_ hour: Int) -> Value? {
    guard (0...24).contains(hour) else { return nil }
    if (1...12).contains(hour) { return open(hour, 0) }
    var clock = Clock(second: hour % 24 * 3_600)
    clock.isNextDay = hour == 24
    clock.isOf24 = hour > 12
    return .clock(clock)
  }

  static func open(_ hour: Int, _ minute: Int) -> Value {
    .clock(Clock(second: hour % 12 * 3_600 + minute * 60, isOpen: true))
  }

  private func hourOfWord(_ word: Value) -> Value? {
    guard let hour = word.int, (1...12).contains(hour) else { return nil }
    return self == .hour12 ? .int(hour) : Self.open(hour, 0)
  }

  /// 8:30 has both halves of the day, 08:30 and 14:30 have not.
  static func written(_ packed: Int) -> Value? {
    let (hour, minute, second) = Packed.parts(packed)
    guard hour <= 24, minute < 60, second < 60 else { return nil }
    var clock = Clock(second: hour % 24 * 3_600 + minute * 60 + second)
    if (1...12).contains(hour) {
      clock = Clock(second: hour % 12 * 3_600 + minute * 60 + second, isOpen: true)
    }
    clock.isNextDay = hour == 24
    clock.isWritten = true
    clock.isOf24 = hour > 12
    if second > 0 { clock.grain = .second }
    return .clock(clock)
  }

  /// An hour or a written clock with am, 0, or pm, 12.
  private static func withHalf(_ a: Arguments) -> Value? {
    guard let half = a[1].int, half == 0 || half == 12 else { return nil }
    guard let value = a[0].int else {
      guard var clock = a[0].clock, clock.isOpen else { return nil }
      clock.isOpen = false
      clock.second += half * 3_600
      return .clock(clock)
    }
    // An hour; 3:30 packed; 3.30 in thousandths.
    var (hour, minute, second) = (value, 0, 0)
    if value >= 10_000 {
      (hour, minute, second) = Packed.parts(value)
    } else if value >= 1_000 {
      (hour, minute) = (value / 1_000, value % 1_000 / 10)
    }
    return twelveHours(hour, minute, second, half: half)
  }

  /// A time of a clock of twelve hours; `half` is 0 for am and 12 for pm.
  private static func twelveHours(_ hour: Int, _ minute: Int, _ second: Int, half: Int) -> Value? {
    guard (1...12).contains(hour), minute < 60, second < 60 else { return nil }
    var clock = Clock(second: (hour % 12 + half) * 3_600 + minute * 60 + second)
    if second > 0 { clock.grain = .second }
    return .clock(clock)
  }

  /// So many minutes past or to an hour, with am or pm perhaps.
  private static func counted(_ action: Action, _ a: Arguments) -> Value? {
    guard let minutes = a[0].int, (0...59).contains(minutes), let hour = a[1].int ?? hour(of: a[1])
    else { return nil }
    let isPast = action == .past || action == .past12
    // "9 to 5" are two hours, "ten to 5" is one time.
    guard isPast || minutes % 5 == 0 else { return nil }
    let total = (hour % 12 * 60 + (isPast ? minutes : 720 - minutes)) % 720
    guard action == .past12 || action == .to12 else {
      return .clock(Clock(second: total * 60, isOpen: true))
    }
    guard let half = a[2].int else { return nil }
    return .clock(Clock(second: (total + half * 60) * 60))
  }

  private static func hour(of value: Value) -> Int? {
    guard let clock = value.clock, clock.isOpen, clock.second % 3_600 == 0 else { return nil }
    return clock.second / 3_600
  }

  /// A time of day with the part of the day that it lies in.
  private static func inPart(_ a: Arguments) -> Value? {
    guard let clock = a[0].clock, let part = a[1].int.flatMap(PartOfDay.init) else { return nil }
    return .clock(clock.in(part))
  }
}

extension Clock {
  /// The time of day in the half of the day that a part of it says.
  func `in`(_ part: PartOfDay) -> Clock {
    guard isOpen else { return self }
    var clock = self
    clock.isOpen = false
    clock.part = part
    switch part {
    case .morning: break
    // "Halb zwölf mittags" is no time of the night.
    case .afternoon where second >= 10 * 3_600: break
    case .night where second < 5 * 3_600, .evening where second < 3_600: clock.isNextDay = true
    default: clock.second += 12 * 3_600
    }
    return clock
  }
}
