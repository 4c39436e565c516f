extension Action {
  /// What comes again and again.
  func again(_ a: Arguments) -> Value? {
    switch self {
    case .nthday2: return ints(a, 2).map { .list([.int($0[0]), .int($0[1])]) }
    case .weekdaybit: return a[0].int.flatMap { (1...7).contains($0) ? .int(1 << ($0 - 1)) : nil }
    case .mask: return a[0].int.map { .int($0) }
    case .masks:
      let masks = a.compactMap(Self.mask)
      return masks.count == a.count ? .int(masks.reduce(0, |)) : nil
    case .weekdayrange: return Self.range(a).map { .int($0) }
    case .shortdays:
      guard let days = ints(a, 2), days[0] != days[1] else { return nil }
      let ends = days.map { Moment(day: .weekday($0, .plain)) }
      return .interval(Interval(kind: .between, from: ends[0], to: ends[1], isShort: true))
    default: break
    }
    return repetition(a).map { .repetition($0) }
  }

  /// The days from one weekday to another, which may run over Sunday.
  private static func range(_ a: Arguments) -> Int? {
    guard let first = a[0].int, let last = a[1].int, first != last else { return nil }
    return days(from: first, to: last)
  }

  static func days(from first: Int, to last: Int) -> Int {
    let length = (last - first + 7) % 7
    return (0...length).reduce(0) { $0 | 1 << ((first - 1 + $1) % 7) }
  }

  private func repetition(_ a: Arguments) -> Repetition? {
    switch self {
    case .every, .everyspan: return ints(a, 2).flatMap { Self.every($0[0], unit: $0[1]) }
    case .every2: return ints(a, 3).flatMap { Self.every($0[0] + $0[1], unit: $0[2]) }
    case .everydone:
      var repetition = ints(a, 2).flatMap { Self.every($0[0], unit: $0[1]) }
      repetition?.isFromDone = true
      return repetition
    case .everyspans: return a.compactMap(\.span).first.flatMap(Self.every)
    case .everyotherpart:
      var repetition = Self.daily(a, isClock: false)
      repetition?.interval = 2
      return repetition
    case .everypart, .everyclock: return Self.daily(a, isClock: self == .everyclock)
    case .onweekdays:
      guard let n = a[0].int, let days = Self.mask(a[1]) else { return nil }
      return Self.weekly(days, every: n, part: a.count > 2 ? a[2] : .none)
    case .onweekdayeves:
      guard let n = a[0].int, let days = Self.mask(a[1]) else { return nil }
      return Self.weekly(
        days >> 1 | (days & 1) << 6,
        every: n,
        part: a.count > 2 ? a[2] : .none
      )
    case .onweekdaysn:
      guard let n = a.compactMap(\.int).first, (1...52).contains(n), let day = a.last?.int else {
        return nil
      }
      return Self.weekly(1 << (day - 1), every: n)
    case .weekdaysat:
      guard let days = Self.mask(a[0]), let clock = a[1].clock else { return nil }
      var repetition = Self.weekly(days, every: 1)
      repetition?.clocks = [clock]
      return repetition
    case .onlast: return a.last.flatMap(Self.mask).flatMap { Self.weekly($0, every: 1) }
    case .maskpart:
      guard let days = a[0].int else { return nil }
      return Self.weekly(days, every: 1, part: a[1])
    case .weekdayspan2: return Self.range(a).flatMap { Self.weekly($0, every: 1) }
    case .weekdaypair:
      let days = a.compactMap(\.int)
      guard days.count > 1, days.allSatisfy({ (1...7).contains($0) }) else { return nil }
      return Self.weekly(days.reduce(0) { $0 | 1 << ($1 - 1) }, every: 1)
    case .often: return a.compactMap(\.int).first.flatMap(Self.often)
    case .timesper: return ints(a, 2).flatMap { Self.times($0[0], per: $0[1]) }
    case .ruletext:
      var repetition = Repetition()
      repetition.rule = a[0].text
      return repetition
    default: return onDates(a)
    }
  }

  /// On days of months and years.
  private func onDates(_ a: Arguments) -> Repetition? {
    var repetition = Repetition()
    repetition.unit = .month
    switch self {
    case .nthmonthlies:
      // One alone, "the first Monday of the month", is that of this month.
      return (a[0].ints?.count ?? 0) > 1 ? Action.nthmonthly.onDates(a) : nil
    case .nthmonthly, .nthmonthly1, .nthmonthlyn:
      let values = self == .nthmonthly1 ? Array(a.suffix(2)) : Array(a)
      let isEveryOther = self == .nthmonthlyn
      if isEveryOther { repetition.interval = a[0].int ?? 1 }
      let rest = isEveryOther ? Array(values.dropFirst()) : values
      guard rest.count >= 2, let numbers = rest[0].ints, let weekday = rest[1].int,
        numbers.allSatisfy(Self.isNthOfMonth)
      else { return nil }
      repetition.nths = numbers.map { .init(number: $0, weekday: weekday) }
      if rest.count > 2, let part = rest[2].int.flatMap(PartOfDay.init) {
        repetition.clocks = [Clock(part)]
      }
    case .nthyearly:
      guard let numbers = a[0].ints, let weekday = a[1].int, let months = a[2].ints,
        numbers.allSatisfy(Self.isNthOfMonth)
      else { return nil }
      repetition.unit = .year
      repetition.nths = numbers.map { .init(number: $0, weekday: weekday) }
      repetition.months = months
    case .nthofyear:
      guard let n = ints(a, 2), n[0] != 0, n[0] <= 53 else { return nil }
      repetition.unit = .year
      repetition.nths = [.init(number: n[0], weekday: n[1])]
    case .yearlynth:
      let n = a.compactMap(\.int)
      guard n.count == 3 else { return nil }
      repetition.unit = .year
      repetition.nths = [.init(number: n[0], weekday: n[1])]
      repetition.months = [n[2]]
    case .nthdays:
      let pairs = a[0].list?.compactMap(\.ints) ?? []
      guard !pairs.isEmpty, pairs.allSatisfy({ Self.isNthOfMonth($0[0]) }) else { return nil }
      repetition.nths = pairs.map { .init(number: $0[0], weekday: $0[1]) }
    case .nthweekdays:
      guard let number = a[0].int, Self.isNthOfMonth(number), let days = Self.mask(a[1]) else {
        return nil
      }
      repetition.nths = (1...7).filter { days >> ($0 - 1) & 1 == 1 }
        .map { .init(number: number, weekday: $0) }
    case .weekdaythe:
      guard let n = ints(a, 2) else { return nil }
      repetition.weekdays = 1 << (n[0] - 1)
      repetition.monthDays = [n[1]]
    case .monthly, .monthlyn:
      let days = a[a.count - 1].ints ?? a[0].ints
      if self == .monthlyn { repetition.interval = a[0].int ?? 1 }
      guard let days, days.allSatisfy({ (1...31).contains($0) || $0 == -1 || $0 == -2 }) else {
        return nil
      }
      repetition.monthDays = days
    case .quarterly:
      guard let days = a[0].ints, days.allSatisfy({ (1...31).contains($0) || $0 == -1 }) else {
        return nil
      }
      repetition.interval = 3
      repetition.isOfQuarters = true
      repetition.monthDays = days
    case .workmonthly, .workmonthlyn:
      let isEvery = self == .workmonthlyn
      guard let position = a[isEvery ? 1 : 0].int, (1...23).contains(position) || position < 0
      else { return nil }
      if isEvery { repetition.interval = a[0].int ?? 1 }
      repetition.weekdays = 31
      repetition.positions = [position]
    case .yearly, .yearlyslash:
      let said = self == .yearly ? a.compactMap(\.day).first : a[0].int.flatMap(Self.slash)
      guard case .date(nil, let month, let day)? = said else { return nil }
      repetition.unit = .year
      repetition.months = [month]
      repetition.monthDays = [day]
    case .yearlymonth:
      guard let months = a.last?.ints else { return nil }
      repetition.unit = .year
      repetition.months = months
      repetition.monthDays = [1]
    case .yearlymonthday:
      guard let months = a[0].ints, let days = a[1].ints,
        days.allSatisfy({ (1...31).contains($0) || $0 == -1 })
      else { return nil }
      repetition.unit = .year
      repetition.months = months
      repetition.monthDays = days
    case .yearlyholiday:
      guard let code = a.compactMap(\.int).last else { return nil }
      repetition.unit = .year
      repetition.months = [code / 100]
      repetition.monthDays = [code % 100]
    case .weekdaysinmonth:
      guard let days = Self.mask(a[0]), let months = a[1].ints else { return nil }
      repetition.unit = .year
      repetition.weekdays = days
      repetition.months = months
    case .daysinmonth:
      guard let months = a.last?.ints else { return nil }
      repetition.unit = .day
      repetition.months = months
    default: return nil
    }
    return repetition
  }

  /// Whether a month can have it: the first to the fifth, the last, the one before.
  private static func isNthOfMonth(_ number: Int) -> Bool {
    (1...5).contains(number) || (-2 ... -1).contains(number)
  }

  /// Weekdays as bits: one set, or several.
  static func mask(_ value: Value) -> Int? {
    guard let masks = value.ints, !masks.isEmpty else { return nil }
    return masks.reduce(0, |)
  }

  private static func every(_ count: Int, unit: Int) -> Repetition? {
    guard (1...1_000).contains(count) else { return nil }
    var repetition = Repetition()
    switch unit {
    case 8:
      repetition.unit = .week
      repetition.interval = count * 2
    case 9:
      guard count == 1 else { return nil }
      return weekly(31, every: 1)
    case 6:
      repetition.unit = .month
      repetition.interval = count * 3
      repetition.isOfQuarters = count == 1
    default:
      guard let grain = Grain(rawValue: unit) else { return nil }
      repetition.unit = grain
      repetition.interval = count
    }
    return repetition
  }

  private static func every(_ span: TimeSpan) -> Repetition? {
    var repetition = Repetition()
    let parts = [span.months, span.days, span.seconds].filter { $0 != 0 }
    guard parts.count == 1 else { return nil }
    if span.months > 0 {
      repetition.unit = span.months % 12 == 0 ? .year : .month
      repetition.interval = span.months % 12 == 0 ? span.months / 12 : span.months
    } else if span.days > 0 {
      repetition.unit = span.days % 7 == 0 && span.grain == .week ? .week : .day
      repetition.interval = repetition.unit == .week ? span.days / 7 : span.days
    } else {
      let (unit, length): (Grain, Int) =
        span.seconds % 3_600 == 0
        ? (.hour, 3_600) : span.seconds % 60 == 0 ? (.minute, 60) : (.second, 1)
      repetition.unit = unit
      repetition.interval = span.seconds / length
    }
    return (1...100_000).contains(repetition.interval) ? repetition : nil
  }

  private static func daily(_ a: Arguments, isClock: Bool) -> Repetition? {
    var repetition = Repetition()
    if isClock {
      guard let hour = a.compactMap(\.int).last else { return nil }
      repetition.clocks = [Clock(second: hour * 3_600)]
      return repetition
    }
    let numbers = a.flatMap { $0.ints ?? [] }
    repetition.clocks = numbers.compactMap(PartOfDay.init).map { Clock($0) }
    return repetition.clocks.isEmpty ? nil : repetition
  }

  static func weekly(_ days: Int, every interval: Int, part: Value = .none) -> Repetition? {
    guard days > 0, days < 128, (1...52).contains(interval) else { return nil }
    var repetition = Repetition()
    repetition.unit = .week
    repetition.interval = interval
    repetition.weekdays = days
    if let part = part.int.flatMap(PartOfDay.init) { repetition.clocks = [Clock(part)] }
    return repetition
  }

  private static func often(_ code: Int) -> Repetition? {
    switch code {
    case 8: return every(2, unit: 4)
    case 10: return every(2, unit: 5)
    case 11: return every(6, unit: 5)
    case 13: return every(2, unit: 7)
    case 12:
      var repetition = every(1, unit: 3)
      repetition?.clocks = [Clock(.night)]
      return repetition
    default: return every(1, unit: code)
    }
  }

  /// So many times in a unit, at stated times: a day 9, 15 and 21 o'clock, a week Monday, Wednesday and Friday.
  private static func times(_ count: Int, per unit: Int) -> Repetition? {
    guard count > 0 else { return nil }
    guard count > 1 else { return every(1, unit: unit) }
    var repetition = every(1, unit: unit)
    switch unit {
    case 2:
      guard 60 % count == 0 else { return nil }
      return every(60 / count, unit: 1)
    case 3:
      let hours = [
        2: [9, 21], 3: [9, 15, 21], 4: [9, 13, 17, 21], 5: [9, 12, 15, 18, 21],
        6: [8, 11, 14, 17, 20, 23],
      ]
      guard let hours = hours[count] else { return nil }
      repetition?.clocks = hours.map { Clock(usual: $0) }
    case 4:
      let days = [2: 0b0001001, 3: 0b0010101, 4: 0b0011011, 5: 0b0011111, 6: 0b0111111]
      guard let mask = days[count] else { return nil }
      repetition?.weekdays = mask
    case 5:
      let days = [2: [1, 15], 3: [1, 11, 21], 4: [1, 8, 15, 22]]
      guard let list = days[count] else { return nil }
      repetition?.monthDays = list
    case 7:
      guard 12 % count == 0 else { return nil }
      return every(12 / count, unit: 5)
    default: return nil
    }
    return repetition
  }

  /// How often, how long, except when.
  func bounds(_ a: Arguments) -> Value? {
    switch self {
    case .clocklist:
      let clocks = a[0].list?.compactMap(\.clock) ?? []
      return clocks.count > 1 ? .part(.clocks(clocks)) : nil
    case .count: return a[0].int.flatMap { (1...10_000).contains($0) ? .part(.count($0)) : nil }
    case .forspan: return a[0].span.map { .part(.lasting($0)) }
    case .eachdayfor:
      guard let span = a.compactMap(\.span).first, span.isOfDays,
        let daily = Self.every(1, unit: 3)
      else { return nil }
      return .part(.several([.repetition(daily), .lasting(span)]))
    case .nextweekdays:
      guard let numbers = ints(a, 2), (2...52).contains(numbers[0]), (1...7).contains(numbers[1]),
        let weekly = Self.weekly(1 << (numbers[1] - 1), every: 1)
      else { return nil }
      return .part(.several([.repetition(weekly), .count(numbers[0])]))
    case .exceptdays: return Self.mask(a[0]).map { .part(.exceptDays($0)) }
    case .exceptdates:
      let days = a[0].list?.compactMap(\.day) ?? []
      return days.isEmpty ? nil : .part(.exceptDates(days))
    case .exceptseason:
      // Whole months, as seasons are.
      return a.compactMap(\.int).first
        .map { first in .part(.exceptMonths((0..<3).map { (first - 1 + $0) % 12 + 1 })) }
    case .exceptmonths: return a[0].ints.map { .part(.exceptMonths($0)) }
    case .completion:
      guard let span = a[0].span, var repetition = Self.every(span) else { return nil }
      repetition.isFromDone = true
      repetition.beginsLater = true
      return .part(.repetition(repetition))
    case .completionflag: return .part(.completion)
    case .eve: return a[0].int.flatMap(PartOfDay.init).map { .part(.eve($0)) }
    default: return nil
    }
  }
}
