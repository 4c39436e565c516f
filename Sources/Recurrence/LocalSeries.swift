/// The local times of a rule that steps on the calendar, ascending, each once.
struct LocalSeries {
  private let times: TimesOfDay
  private let start: Int
  private var walk: DayWalk
  /// One where periods must be known as a whole; a list, so that the others do not carry its size.
  private var periods: [PeriodDays] = []
  private let picksPositions: Bool
  /// The day of the next time, and the first second of it that is not given out.
  private var day: Int
  private var second: Int

  /// - Parameter wall: the earliest time of interest, in wall seconds.
  init(rule: RecurrenceRule, start: LocalDateTime, from wall: Int) {
    let filter = DayFilter(rule: rule, start: start)
    times = TimesOfDay(rule: rule, start: start)
    self.start = max(start.wall, wall)
    walk = DayWalk(filter: filter, grid: PeriodGrid(rule: rule, start: start))
    picksPositions = !rule.positions.isEmpty
    day = floorQuotient(self.start, secondsInDay)
    second = self.start - day * secondsInDay
    if PeriodDays.areNeeded(for: rule, filter) {
      periods = [PeriodDays(rule: rule, start: start, from: day)]
    }
    let first = nextDay(onOrAfter: day)
    if first != day {
      day = first
      second = 0
    }
  }

  /// The next time in wall seconds, or `Int.max` at the end.
  @inline(__always)
  mutating func next() -> Int {
    if picksPositions { return nextPosition() }
    while day != .max {
      if second < secondsInDay, let time = times.next(onOrAfter: second) {
        second = time + 1
        return day * secondsInDay + time
      }
      day = nextDay(onOrAfter: day + 1)
      second = 0
    }
    return .max
  }

  @inline(__always)
  private mutating func nextDay(onOrAfter day: Int) -> Int {
    if picksPositions { return day }
    return periods.isEmpty ? walk.next(onOrAfter: day) : nextMovedDay(onOrAfter: day)
  }

  private mutating func nextMovedDay(onOrAfter day: Int) -> Int {
    while true {
      let next = periods[0].next()
      if next >= day { return next }
    }
  }

  private mutating func nextPosition() -> Int {
    while true {
      let next = periods[0].next()
      if next >= start { return next }
    }
  }
}
