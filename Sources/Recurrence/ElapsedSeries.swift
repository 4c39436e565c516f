import Timeline

/// The instants of a rule that steps in elapsed time: seconds, minutes, hours.
///
/// A period is so many seconds, counted from the start; what the clocks do does not move it. The BY
/// parts read the wall clock at each instant of a period. So the series is: every instant that lies in
/// a period that counts, and at which the wall clock shows what the BY parts allow.
struct ElapsedSeries {
  private let times: TimesOfDay
  private var days: DayWalk
  private var zone: ZoneCursor
  /// The instant at which the first period begins.
  private let origin: Int
  /// Seconds from one period that counts to the next.
  private let stride: Int
  /// Seconds of a period that count: one where only the step itself does.
  private let length: Int
  private let start: Int
  private let lastWall: Int
  private let latest: Int
  private let positions: LargeNumbers
  /// Whether no position can ever be met.
  private var isOutOfReach = false
  /// What the positions pick from the present period, descending.
  private var picked: [Int] = []
  /// The earliest instant to look at.
  private var from: Int
  /// The earliest instant to give; before it lies the begin of its period.
  private var wanted = Int.min
  /// Up to which instant it is known that no period can meet the times asked for.
  private var judgedUntil = Int.min
  /// What was found of an offset: where in what periods and weeks have in common the first begins.
  private var judged: [(begin: Int, canMeet: Bool)] = []
  /// How many places were looked at.
  private(set) var steps = 0
  /// Whether the search was given up.
  private(set) var isGivenUp = false

  /// - Parameter instant: the earliest instant of interest.
  init(_ set: RecurrenceSet, _ rule: RecurrenceRule, from instant: Int, upTo end: Int = .max) {
    let start = set.resolvedStart
    times = TimesOfDay(rule: rule, start: set.start)
    days = DayWalk(filter: DayFilter(rule: rule, start: set.start), grid: .all)
    zone = ZoneCursor(set.zone)
    let unit = rule.frequency.unitSeconds
    // Longer than the calendar is as good as never again.
    stride = min(rule.interval, 400_000_000_000 / unit) * unit
    let shown = set.start
    switch rule.frequency {
    case .hourly where rule.minutes != 0:
      origin = start.instant - shown.minute * 60 - shown.second
      length = 3_600
    case .hourly where rule.seconds != 0, .minutely where rule.seconds != 0:
      origin = start.instant - shown.second
      length = 60
    default:
      origin = start.instant
      length = 1
    }
    self.start = start.instant
    lastWall = rule.lastWall(isFloating: set.zone == nil)
    latest = min(LocalDateTime.last.wall + secondsInDay, end)
    positions = rule.positions
    from = max(instant, start.instant)
    zone.seek(from)
    if !positions.isEmpty {
      isOutOfReach = areOutOfReach(set.zone)
      beginAtPeriod(of: from)
    }
  }

  /// The next instant, or `Int.max` at the end.
  @inline(__always)
  mutating func next() -> Int {
    if !positions.isEmpty { return nextPicked() }
    let found = search(upTo: latest)
    if found != .max { from = found + 1 }
    return found
  }

  // MARK: - Searching

  /// The first instant at or after `from` that counts.
  private mutating func search(upTo limit: Int) -> Int {
    var place = from
    var tries = 0
    while place <= limit {
      // To the periods.
      let since = place - origin
      var period = origin
      if since > 0 {
        period += since / stride * stride
        if place >= period + length { period += stride }
      }
      if place < period { place = period }
      // To the wall clock.
      zone.advance(to: place)
      let wall = place + zone.offset
      let allowed = nextAllowed(onOrAfter: wall)
      if allowed == .max { return .max }
      let reached = allowed - zone.offset
      steps += 1
      tries += 1
      if reached >= zone.nextChange {
        place = zone.nextChange
        continue
      }
      if reached < period + length {
        if allowed <= lastWall { return reached }
        // The wall clock may come back to earlier times once more.
        guard zone.nextChange <= reached + 2 * secondsInDay else { return .max }
        place = zone.nextChange
        continue
      }
      place = reached
      if tries >= RecurrenceSet.maximumSteps {
        isGivenUp = true
        return .max
      }
      // So many misses: perhaps steps and times never meet at this offset.
      if tries >= 64, place >= judgedUntil {
        judgedUntil = zone.nextChange
        if !canMeet() {
          if zone.nextChange == .max { return .max }
          place = zone.nextChange
        }
      }
    }
    return .max
  }

  /// The first wall time at or after another that the BY parts allow.
  @inline(__always)
  private mutating func nextAllowed(onOrAfter wall: Int) -> Int {
    let day = floorQuotient(wall, secondsInDay)
    let found = days.next(onOrAfter: day)
    if found == day, let time = times.next(onOrAfter: wall - day * secondsInDay) {
      return day * secondsInDay + time
    }
    let later = found == day ? days.next(onOrAfter: day + 1) : found
    return later == .max ? .max : later * secondsInDay + times.first
  }

  /// Whether any period can meet any time of any weekday asked for, as long as the offset stays.
  ///
  /// Periods and weeks repeat together, so it is enough to look at one week, modulo what both have in
  /// common.
  private mutating func canMeet() -> Bool {
    let common = greatestCommonDivisor(stride, 7 * secondsInDay)
    if common <= length { return true }
    let begin = floorRemainder(origin + zone.offset, common)
    // A zone has few offsets, most of them again and again.
    if let known = judged.first(where: { $0.begin == begin }) { return known.canMeet }
    let canMeet = meets(begin: begin, common: common)
    if judged.count < 64 { judged.append((begin, canMeet)) }
    return canMeet
  }

  private func meets(begin: Int, common: Int) -> Bool {
    for dayOfWeek in 0..<7 {
      // The week of wall time 0 begins on a Thursday.
      let weekday = (dayOfWeek + 3) % 7
      let weekdays = days.filter.weekdays
      if weekdays != 0, weekdays >> UInt32(weekday) & 1 == 0 { continue }
      var second = 0
      while second < secondsInDay, let time = times.next(onOrAfter: second) {
        if floorRemainder(dayOfWeek * secondsInDay + time - begin, common) < length { return true }
        second = time + 1
      }
    }
    return false
  }

  // MARK: - Positions

  private mutating func beginAtPeriod(of instant: Int) {
    let since = instant - origin
    if since > 0 { from = origin + since / stride * stride }
    zone.seek(from)
    wanted = instant
  }

  private mutating func nextPicked() -> Int {
    if isOutOfReach { return .max }
    let stepsBefore = steps
    while picked.isEmpty {
      let first = search(upTo: latest)
      guard first != .max else { return .max }
      let begin = origin + (first - origin) / stride * stride
      var members = [first]
      from = first + 1
      while true {
        let next = search(upTo: begin + length - 1)
        if next == .max || next >= begin + length { break }
        members.append(next)
        from = next + 1
      }
      if isGivenUp { return .max }
      from = begin + stride
      zone.seek(from)
      for index in members.indices.reversed() {
        let isNamed =
          index < 512 && positions.contains(positive: index)
          || members.count - index <= 512
            && positions.contains(negative: members.count - index - 1)
        if isNamed, members[index] >= max(start, wanted) { picked.append(members[index]) }
      }
      if steps - stepsBefore >= RecurrenceSet.maximumSteps { isGivenUp = true }
      if isGivenUp { return .max }
    }
    return picked.removeLast()
  }

  /// Whether no position is among the members that a period can have at most.
  private func areOutOfReach(_ zone: UTCOffsetTable?) -> Bool {
    var most = 1
    if length > 1 { most = times.seconds.nonzeroBitCount }
    if length == 3_600 {
      // Where clocks are set back by less than an hour, one can show a minute twice.
      let isRepeated = zone?.isSetBackWithinHours(after: start) == true
      most *= times.minutes.nonzeroBitCount * (isRepeated ? 2 : 1)
    }
    return !(0..<min(most, 366))
      .contains {
        positions.contains(positive: $0) || positions.contains(negative: $0)
      }
  }
}

extension UTCOffsetTable {
  /// Whether its clocks are set back by something but whole hours after an instant in seconds.
  fileprivate func isSetBackWithinHours(after second: Int) -> Bool {
    var before = initialOffsetSeconds
    for era in eras {
      let change = before - era.offsetSeconds
      before = era.offsetSeconds
      if change > 0, change % 3_600 != 0, era.start.milliseconds / 1_000 >= second { return true }
    }
    return false
  }
}

func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}
