/// The periods of a rule one after the other, where what lies in a period must be known as a whole:
/// for BYSETPOS, and where days that do not exist are moved (SKIP).
///
/// What a period gives may lie in the period beside it, so it is kept until nothing earlier can come.
struct PeriodDays {
  private let filter: DayFilter
  private let grid: PeriodGrid
  private let frequency: Frequency
  private let skip: SkipRule
  private let positions: LargeNumbers
  private let times: TimesOfDay
  private var walk: DayWalk
  /// The next day that the walk has found.
  private var upcoming = Int.min
  /// A day of the next period to look at; `Int.max` after the last one.
  private var nextDay: Int
  /// What is given out already, or lies before what was asked for.
  private var given: Int
  /// What is known, ascending: days, or wall seconds where positions are picked.
  private var known: [Int] = []
  private var head = 0
  private var days: [Int] = []

  /// - Parameter day: what lies before it is of no interest.
  init(rule: RecurrenceRule, start: LocalDateTime, from day: Int) {
    filter = DayFilter(rule: rule, start: start)
    grid = PeriodGrid(rule: rule, start: start)
    frequency = rule.frequency
    positions = rule.positions
    times = TimesOfDay(rule: rule, start: start)
    walk = DayWalk(filter: filter, grid: grid)
    skip = Self.moving(rule, filter)
    let startDay = start.dayNumber
    given = (rule.positions.isEmpty ? max(day, startDay) : max(day, startDay) * secondsInDay) - 1
    nextDay = startDay
    nextDay = firstPeriod(startDay: startDay, day: day)
    // No position of a day is beyond its times.
    if frequency == .daily, !positions.isEmpty, chosen(of: times.count).isEmpty { nextDay = .max }
  }

  /// What SKIP comes to: nothing where no day that the rule names can be lacking.
  private static func moving(_ rule: RecurrenceRule, _ filter: DayFilter) -> SkipRule {
    guard rule.frequency >= .monthly else { return .omit }
    let movesYearDays = filter.canMoveYearDays && rule.frequency == .yearly
    return filter.canMoveMonthDays || movesYearDays ? rule.skip : .omit
  }

  /// Whether a rule must be followed period by period.
  static func areNeeded(for rule: RecurrenceRule, _ filter: DayFilter) -> Bool {
    !rule.positions.isEmpty || moving(rule, filter) != .omit
  }

  private var picksPositions: Bool { !positions.isEmpty }

  /// The next day, or wall second where positions are picked; `Int.max` at the end.
  mutating func next() -> Int {
    while true {
      if head < known.count, nextDay == .max || known[head] < horizon {
        defer { head += 1 }
        return known[head]
      }
      if nextDay == .max { return .max }
      addPeriod()
    }
  }

  /// Nothing earlier than this can come from the periods to come.
  private var horizon: Int {
    let first = periodBegin(of: nextDay) - (skip == .omit ? 0 : 1)
    return picksPositions ? first * secondsInDay : first
  }

  // MARK: - Periods

  /// The first period that can reach a day: the one before that of the day, for days moved forward.
  private func firstPeriod(startDay: Int, day: Int) -> Int {
    guard day > startDay else { return periodBegin(of: startDay) }
    var begin = periodBegin(of: day)
    if skip != .omit { begin = periodBegin(of: begin - 1) }
    return max(begin, periodBegin(of: startDay))
  }

  private func periodBegin(of day: Int) -> Int {
    switch frequency {
    case .yearly: MonthOnCalendar(day: day).newYear
    case .monthly: MonthOnCalendar(day: day).firstDay
    case .weekly: day - floorRemainder(day - grid.origin, 7)
    default: day
    }
  }

  private func periodEnd(of begin: Int) -> Int {
    switch frequency {
    case .yearly: begin + MonthOnCalendar(day: begin).yearLength
    case .monthly: begin + MonthOnCalendar(day: begin).length
    case .weekly: begin + 7
    default: begin + 1
    }
  }

  private mutating func addPeriod() {
    var begin = nextDay
    if skip == .omit {
      // Periods without a day give nothing.
      if upcoming < begin { upcoming = walk.next(onOrAfter: begin) }
      guard upcoming != .max else {
        nextDay = .max
        return
      }
      begin = periodBegin(of: upcoming)
    } else if grid.days(of: MonthOnCalendar(day: begin)) == 0 {
      // Months and years between those that count.
      begin = grid.firstDay(after: MonthOnCalendar(day: begin))
      nextDay = begin > MonthOnCalendar.lastDay ? .max : begin
      return
    }
    let end = periodEnd(of: begin)
    fillDays(from: begin, to: end)
    keepWhatIsLeft()
    if !days.isEmpty { addKnown() }
    nextDay = end > MonthOnCalendar.lastDay ? .max : end
  }

  private mutating func fillDays(from begin: Int, to end: Int) {
    days.removeAll(keepingCapacity: true)
    // What lies beyond the period was found before; it is not searched for again.
    if upcoming < begin { upcoming = walk.next(onOrAfter: begin) }
    while upcoming < end {
      days.append(upcoming)
      upcoming = walk.next(onOrAfter: upcoming + 1)
    }
    guard skip != .omit else { return }
    let regular = days.count
    var month = MonthOnCalendar(day: begin)
    if filter.canMoveYearDays {
      filter.addMovedDays(ofYear: month.year, skip: skip, to: &days)
    } else if filter.canMoveMonthDays {
      while month.firstDay < end {
        filter.addMovedDays(of: month, skip: skip, to: &days)
        month.advance()
      }
    }
    if days.count > regular { Self.sortDistinct(&days) }
  }

  /// Forgets what is given out.
  private mutating func keepWhatIsLeft() {
    if head > 0 {
      given = max(given, known[head - 1])
      known.removeFirst(head)
      head = 0
    }
  }

  private mutating func addKnown() {
    let before = known.count
    if picksPositions {
      for index in chosen(of: days.count * times.count) {
        let (day, time) = index.quotientAndRemainder(dividingBy: times.count)
        let wall = days[day] * secondsInDay + times.time(at: time)
        if wall > given { known.append(wall) }
      }
      if known.count > before { Self.sortDistinct(&known) }
    } else {
      for day in days where day > given { known.append(day) }
      if before > 0 { Self.sortDistinct(&known) }
    }
  }

  /// The places in a period of so many that the positions name, perhaps twice and in no order.
  private func chosen(of total: Int) -> [Int] {
    var places: [Int] = []
    for word in 0..<8 {
      var forward = positions.positive[word]
      while forward != 0 {
        let place = word * 64 + forward.trailingZeroBitCount
        if place < total { places.append(place) }
        forward &= forward - 1
      }
      var backward = positions.negative[word]
      while backward != 0 {
        let place = total - 1 - word * 64 - backward.trailingZeroBitCount
        if place >= 0 { places.append(place) }
        backward &= backward - 1
      }
    }
    return places
  }

  private static func sortDistinct(_ numbers: inout [Int]) {
    numbers.sort()
    var kept = 0
    for index in numbers.indices where index == 0 || numbers[index] != numbers[kept - 1] {
      numbers[kept] = numbers[index]
      kept += 1
    }
    numbers.removeSubrange(kept...)
  }
}
