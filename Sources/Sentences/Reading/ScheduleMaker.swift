import NearMeEngine
import Recurrence
import Timeline

/// Makes schedules of something that comes again: a rule, its first time, its end.
struct ScheduleMaker {
  private var resolver: Resolver
  /// The zone by whose clock it comes, where another one was said.
  private var zone: String?
  private(set) var schedules: [Schedule] = []
  /// Hours that the rule itself cannot say.
  private(set) var window: WeeklyWindow?

  private var repetition = Repetition()
  /// The first day that may count, and the time of day that was said with it.
  private var start: Point?
  /// Whether today is named beside it.
  private var saysToday = false
  private var until: Point?
  private var count: Int?
  private var range: Interval?
  /// For how long, where that is no number of times.
  private var lasting: TimeSpan?
  private var exceptions: [WrittenTime] = []
  /// Whether its days are the first Monday and so on of the months, where only the weekdays are named.
  private var isOnFirsts = false

  init(_ resolver: Resolver) { self.resolver = resolver }

  mutating func take(_ said: Repetition, beside assembly: Assembly) {
    repetition = said
    count = assembly.count
    goThere((said.clocks + assembly.moments.compactMap(\.clock)).lazy.compactMap(\.zone).first)
    if let rule = said.rule {
      takeRule(rule, assembly)
      return
    }
    // The first number of 4/15, which the locale says the meaning of.
    if let first = repetition.months.first, first < 0, let day = repetition.monthDays.first,
      let found = resolver.monthDay(-first, day)
    {
      repetition.months = [found.month]
      repetition.monthDays = [found.day]
    }
    // "Every month on Fridays" is each of them.
    if repetition.isOfEachWeek { repetition.unit = .week }
    var clocks: [Clock] = []
    for moment in assembly.moments {
      if let clock = moment.clock { clocks.append(shifted(clock, by: moment.shift)) }
      if let day = moment.day, !absorb(day) { bound(by: day) }
      if case .offset(0) = moment.day { saysToday = true }
      if moment.later != nil { start = start ?? resolver.point(moment) }
    }
    for interval in assembly.intervals { take(interval, &clocks) }
    endAfterStart(assembly.intervals)
    if !clocks.isEmpty {
      let parts = repetition.clocks.filter(\.isPart).compactMap(\.part)
      repetition.clocks =
        repetition.clocks.filter { !$0.isPart } + Self.clocks(clocks, in: parts)
    }
    // One o'clock on Saturday night is on Sunday.
    if repetition.weekdays != 0, !repetition.clocks.isEmpty,
      repetition.clocks.allSatisfy({ $0.isNextDay && ($0.second > 0 || $0.part != nil) })
    {
      repetition.weekdays = (repetition.weekdays << 1 | repetition.weekdays >> 6) & 127
    }
    except(assembly)
    if let span = assembly.lasting { limit(to: span) }
    for case .onlyDays(let days) in assembly.onlys { restrict(to: days) }
    make(leads: assembly.leads, nextOn: assembly.nextOn.flatMap(resolver.point))
  }

  /// Ends at the first such time after the beginning: "weekly starting April 1 through October", said in October.
  private mutating func endAfterStart(_ intervals: [Interval]) {
    guard let start, let until, until.lastDay < start.day,
      let end = intervals.first(where: { $0.kind == .until || $0.kind == .by })?.to
    else { return }
    var later = resolver
    later.now = start.day * 86_400
    if let point = later.point(end), point.lastDay >= start.day { self.until = point }
  }

  /// The hours in parts of the day: "every morning and evening at 8" is at 8 and at 20, "at 7 and 6" at 7 and at 18.
  private static func clocks(_ clocks: [Clock], in parts: [PartOfDay]) -> [Clock] {
    guard !parts.isEmpty else { return clocks }
    if clocks.count == parts.count { return zip(clocks, parts).map { $0.in($1) } }
    return clocks.flatMap { clock in
      clock.isOpen && clocks.count == 1 ? parts.map { clock.in($0) } : [clock.in(parts[0])]
    }
  }

  /// A time of day that is so long before or after an hour: "every day just before 8".
  private func shifted(_ clock: Clock, by seconds: Int) -> Clock {
    guard seconds != 0 else { return clock }
    var clock = clock
    let second = (clock.isNextDay ? clock.second : resolver.secondOfDay(clock)) + seconds
    clock.isOpen = false
    if second < 0 { clock.isNextDay = false }
    clock.second = (second + 86_400) % 86_400
    return clock
  }

  /// Reckons by the clock of another zone, as it comes by that in every season.
  private mutating func goThere(_ said: SpokenZone?) {
    guard let said, let name = said.name, let there = resolver.elsewhere(said)?.resolver,
      there.now != resolver.now
    else { return }
    resolver = there
    zone = name
  }

  // MARK: - What stands beside it

  /// Begins on a day, or comes within some days, such as this week.
  private mutating func bound(by day: Day) {
    guard start == nil, let point = resolver.point(Moment(day: day)) else { return }
    if point.lastDay > point.day, repetition.unit <= .week, point.lastDay >= resolver.today {
      until = until ?? point
      // What has begun goes on from now.
      guard point.day > resolver.today else { return }
    }
    start = point
  }

  /// Takes a day as the day of the month, week or year on which it comes; false if it is no such day.
  private mutating func absorb(_ day: Day) -> Bool {
    switch (repetition.unit, day) {
    case (.week, .weekday(let weekday, .plain)):
      guard repetition.weekdays == 0 else { return false }
      repetition.weekdays = 1 << (weekday - 1)
    case (.month, .dayOfMonth(let number, nil)) where !repetition.choosesDays:
      repetition.monthDays = [number]
    // "On the 1st of every month and on the 15th."
    case (.month, .dayOfMonth(let number, nil))
    where !repetition.monthDays.isEmpty && repetition.weekdays == 0 && repetition.nths.isEmpty:
      if !repetition.monthDays.contains(number) { repetition.monthDays.append(number) }
    case (.month, .nth(let number, let weekday, _)) where !repetition.choosesDays:
      repetition.nths = [.init(number: number, weekday: weekday)]
    case (.month, .edge(.end, .unit(.month, _))) where !repetition.choosesDays:
      repetition.monthDays = [-1]
    case (.month, .edge(.start, .unit(.month, _))) where !repetition.choosesDays:
      repetition.monthDays = [1]
    case (.month, .workday(let number, _)) where !repetition.choosesDays:
      repetition.weekdays = 31
      repetition.positions = [number]
    // "Monthly on Friday" is one of them: the first.
    case (.month, .weekday(let weekday, .plain)) where !repetition.choosesDays || isOnFirsts:
      isOnFirsts = true
      repetition.nths.append(.init(number: 1, weekday: weekday))
    case (.year, .date(nil, let month, let day)) where !repetition.choosesDays && month > 0:
      repetition.months = [month]
      repetition.monthDays = [day]
    case (.year, .month(let month, nil, .plain)) where !repetition.choosesDays:
      repetition.months = [month]
      repetition.monthDays = [1]
    case (.year, .nth(let number, let weekday, .some(.month(let month, nil, .plain))))
    where !repetition.choosesDays:
      repetition.nths = [.init(number: number, weekday: weekday)]
      repetition.months = [month]
    case (.year, .annual(let number, let weekday, let month, nil)) where !repetition.choosesDays:
      repetition.nths = [.init(number: number, weekday: weekday)]
      repetition.months = [month]
    case (_, .month(let month, nil, .plain))
    where repetition.months.isEmpty && repetition.unit < .month:
      repetition.months = [month]
    case (_, .offset(0)): break
    default: return false
    }
    return true
  }

  /// Takes "by the 20th" beside "every month" as the day on which it comes, and not as its end.
  private mutating func absorbDue(_ interval: Interval, _ clocks: inout [Clock]) -> Bool {
    guard let to = interval.to, let day = to.day else { return false }
    let due: Day
    switch (repetition.unit, day, interval.kind == .before) {
    case (.week, .weekday, false), (.month, .dayOfMonth(_, nil), false), (.month, .edge, false),
      (.year, .date(nil, _, _), false):
      due = day
    case (.week, .weekday(let weekday, .plain), true):
      due = .weekday((weekday + 5) % 7 + 1, .plain)
    case (.month, .dayOfMonth(let number, nil), true):
      due = number > 1 ? .dayOfMonth(number - 1, month: nil) : .edge(.end, of: .unit(.month, 0))
    case (.year, .date(nil, let month, let number), true) where number > 1:
      due = .date(year: nil, month: month, day: number - 1)
    default: return false
    }
    guard absorb(due) else { return false }
    if let clock = to.clock { clocks.append(clock) }
    return true
  }

  private mutating func take(_ interval: Interval, _ clocks: inout [Clock]) {
    if interval.isOfClocks, interval.kind != .lasting {
      // From an hour on, it begins then; between two, it begins anew each day.
      if repetition.unit < .day, interval.kind == .until || interval.kind == .by {
        until = interval.to.flatMap(resolver.point)
      } else if repetition.unit < .day, interval.kind != .from || interval.to != nil {
        range = interval
      } else if let clock = interval.from?.clock ?? interval.to?.clock {
        var first = clock
        if let last = interval.to?.clock, interval.kind == .between {
          first.isOpen = false
          first.second = resolver.hours(clock, last).start
        }
        clocks.append(first)
      }
      return
    }
    switch interval.kind {
    case .by where absorbDue(interval, &clocks), .before where absorbDue(interval, &clocks): break
    case .until, .by, .before:
      guard var end = interval.to else { return }
      // Every day until Friday at eight is at eight every day.
      if interval.kind == .until, end.day != nil, repetition.unit >= .day, clocks.isEmpty,
        repetition.clocks.allSatisfy(\.isPart), let clock = end.clock
      {
        clocks.append(clock)
        end.clock = nil
      }
      guard let to = resolver.point(end) else { return }
      until = to
      if interval.kind == .before, !to.hasClock {
        until?.lastDay = to.day - 1
        until?.second = (to.day - 1) * 86_400
      }
    case .from, .after, .lasting:
      guard let from = interval.from else { return }
      if let clock = from.clock {
        clocks.append(from.day == .offset(0) && mayComeToday ? today(clock) : clock)
      }
      if let span = interval.span, span.isOfDays { limit(to: span) }
      if from.day == nil, from.later == nil { return }
      start = resolver.point(Moment(day: from.day, later: from.later))
    case .between where takeSeason(interval): break
    case .between:
      guard let stretch = resolver.stretch(interval) else { return }
      if let clock = interval.from?.clock { clocks.append(clock) }
      start = stretch.from
      until = stretch.to
    case .next:
      if let span = interval.span { limit(to: span) }
    }
  }

  /// Whether today is one of the days that it is said for.
  private var mayComeToday: Bool {
    repetition.unit >= .day
      && (!repetition.choosesDays
        || repetition.weekdays & 1 << Resolver.weekday(resolver.today) != 0)
  }

  /// An hour that is said of today, and means the one that is still to come: "every day, starting today at 9".
  private func today(_ clock: Clock) -> Clock {
    guard clock.isOpen, let second = resolver.second(of: clock, on: resolver.today) else {
      return clock
    }
    return Clock(second: second - resolver.today * 86_400)
  }

  /// "Every Saturday from April to October": each year's.
  private mutating func takeSeason(_ interval: Interval) -> Bool {
    guard repetition.unit == .day || repetition.unit == .week, repetition.months.isEmpty,
      case .month(let first, nil, .plain)? = interval.from?.day,
      case .month(let last, nil, .plain)? = interval.to?.day
    else { return false }
    let count = (last - first + 12) % 12 + 1
    repetition.months = (0..<count).map { (first - 1 + $0) % 12 + 1 }.sorted()
    return true
  }

  /// For so long: as many times, where the rule goes by its unit, else up to a day.
  private mutating func limit(to span: TimeSpan) {
    let each = repetition.interval
    let units: Int? =
      switch repetition.unit {
      case .day where span.months == 0 && span.seconds == 0 && !repetition.choosesDays: span.days
      case .week
      where span.months == 0 && span.days % 7 == 0 && repetition.weekdays.nonzeroBitCount <= 1:
        span.days / 7
      case .month where span.days == 0: span.months
      case .year where span.days == 0 && span.months % 12 == 0: span.months / 12
      default: nil
      }
    if let units, units % each == 0, units > 0, repetition.clocks.count <= 1 {
      count = units / each
      return
    }
    lasting = span
  }

  private mutating func except(_ assembly: Assembly) {
    if assembly.exceptDays != 0 { restrict(to: 127 & ~assembly.exceptDays) }
    for day in exceptNumbered(assembly.exceptDates) {
      guard let range = resolver.range(day), range.last - range.first < 62 else { continue }
      exceptions += (range.first...range.last).map { WrittenTime(resolver.date($0)) }
    }
    if !assembly.exceptMonths.isEmpty {
      repetition.months = (1...12).filter { !assembly.exceptMonths.contains($0) }
    }
  }

  /// Takes days of each month away from what comes each week, such as the first Monday from all Mondays.
  ///
  /// - Returns: the other days.
  private mutating func exceptNumbered(_ days: [Day]) -> [Day] {
    guard repetition.unit == .day || repetition.unit == .week, repetition.interval == 1,
      repetition.nths.isEmpty, repetition.monthDays.isEmpty, repetition.positions.isEmpty
    else { return days }
    var others: [Day] = []
    var numbers: [Int: Set<Int>] = [:]
    let all = repetition.weekdays == 0 ? 127 : repetition.weekdays
    for day in days {
      switch day {
      case .nth(let number, let weekday, nil), .nth(let number, let weekday, .unit(.month, 0)):
        guard all >> (weekday - 1) & 1 == 1, number > 0 || all.nonzeroBitCount == 1 else {
          fallthrough
        }
        numbers[weekday, default: []].insert(number)
      default: others.append(day)
      }
    }
    guard !numbers.isEmpty else { return days }
    repetition.unit = .month
    if all.nonzeroBitCount == 1, let said = numbers.values.first, said.contains(where: { $0 < 0 }) {
      // Counted from the end of the month, since the last is the fourth or the fifth.
      guard said.allSatisfy({ $0 < 0 }) else {
        repetition.unit = .week
        return days
      }
      repetition.weekdays = all
      repetition.positions = (-5 ... -1).filter { !said.contains($0) }
      return others
    }
    repetition.weekdays = all
    for (weekday, said) in numbers.sorted(by: { $0.key < $1.key }) {
      repetition.weekdays &= ~(1 << (weekday - 1))
      repetition.nths += (1...5).filter { !said.contains($0) }
        .map { .init(number: $0, weekday: weekday) }
    }
    return others
  }

  private mutating func restrict(to days: Int) {
    let all = repetition.weekdays == 0 ? 127 : repetition.weekdays
    if repetition.unit == .day, repetition.interval == 1 { repetition.unit = .week }
    if all & days != 0 { repetition.weekdays = all & days }
  }

  // MARK: - Rules

  private mutating func make(leads: [TimeSpan], nextOn: Point?) {
    // Not every month has a 29th, 30th or 31st: "every three months", said on one of them, is on the last days.
    if repetition.unit == .month, repetition.interval % 12 != 0, !repetition.choosesDays,
      !repetition.isFromDone, !repetition.beginsLater, start == nil, !saysToday, nextOn == nil,
      resolver.date(resolver.today).day > 28
    {
      repetition.monthDays = [-1]
      repetition.isOfQuarters = false
    }
    for group in timeGroups() {
      guard var schedule = schedule(group) else { continue }
      schedule.leads = Set(leads.map(\.elapsed)).sorted(by: >)
      if let nextOn { schedule.start = Self.start(nextOn, schedule.start) }
      schedules.append(schedule)
    }
  }

  /// The day that is said to be next, at the time of day of the rule.
  private static func start(_ next: Point, _ start: WrittenTime) -> WrittenTime {
    guard !next.hasClock, !start.isDate else { return next.written }
    return WrittenTime(
      local: LocalDateTime(next.written.local.date, minuteOfDay: start.local.secondOfDay / 60)
    )
  }

  /// Times of day that one rule can say: the same minute at several hours.
  private func timeGroups() -> [[Int]] {
    var seconds: [Int] = []
    for clock in repetition.clocks {
      let second = clock.isNextDay ? clock.second : resolver.secondOfDay(clock)
      if !seconds.contains(second) { seconds.append(second) }
    }
    guard seconds.count > 1 else { return [seconds] }
    var groups: [[Int]] = []
    for second in seconds.sorted() {
      if let i = groups.firstIndex(where: { $0[0] % 3_600 == second % 3_600 }) {
        groups[i].append(second)
      } else {
        groups.append([second])
      }
    }
    return groups
  }

  private func schedule(_ seconds: [Int]) -> Schedule? {
    // Every 30 February would be looked for up to year 9999.
    if !repetition.months.isEmpty, !repetition.monthDays.isEmpty,
      !repetition.months.contains(where: { month in
        repetition.monthDays.contains { $0 < 0 || Action.isDay(month, $0) }
      })
    {
      return nil
    }
    var parts = RuleParts(repetition)
    var times = seconds
    if repetition.unit < .day, let steps = steps() {
      // Positions are counted in the period of the rule, and these are those of a day.
      parts.frequency = repetition.weekdays == 0 || !steps.positions.isEmpty ? "DAILY" : "WEEKLY"
      parts.interval = 1
      parts.hours = steps.hours
      parts.minutes = steps.minutes
      parts.positions = steps.positions
      times = [steps.hours[0] * 3_600 + (steps.minutes.first ?? 0) * 60]
    } else if seconds.count > 1 {
      parts.hours = seconds.map { $0 / 3_600 }
      if seconds[0] % 3_600 != 0 { parts.minutes = [seconds[0] / 60 % 60] }
    }
    guard let first = first(parts, times) else { return nil }
    parts.count = count
    if let lasting, let day = Resolver.day(first.day, plusMonths: lasting.months) {
      let last = (day + lasting.days) * 86_400 + lasting.seconds
      parts.until =
        repetition.unit < .day && first.hasClock
        // Every 8 hours for 7 days is 21 times, whenever it begins.
        ? LocalDateTime(clamping: Int64(last + first.second - first.day * 86_400 - 1)).compact
        : Self.compact(resolver.date(Resolver.day(last - 1)))
    } else if let until {
      parts.until =
        until.hasClock
        ? LocalDateTime(clamping: Int64(until.second)).compact
        : Self.compact(resolver.date(until.lastDay))
      parts.count = nil
    }
    guard let rule = try? RecurrenceRule(parts.text) else { return nil }
    var schedule = Schedule(
      start: first.written,
      rule: rule,
      excluded: exceptions,
      anchor: repetition.isFromDone ? .completion : .catchUp
    )
    schedule.zone = zone
    return schedule
  }

  private static func compact(_ date: CivilDate) -> String {
    String(LocalDateTime(date, minuteOfDay: 0).compact.prefix(8))
  }

  /// The times of a day between two, so many hours or minutes apart.
  private func steps() -> (hours: [Int], minutes: [Int], positions: [Int])? {
    guard let interval = range, repetition.unit == .hour || repetition.unit == .minute else {
      return nil
    }
    let step = repetition.interval * (repetition.unit == .hour ? 60 : 1)
    var start = 0
    var length = 1_439
    if let first = interval.from?.clock, let last = interval.to?.clock {
      let hours = resolver.hours(first, last)
      (start, length) = (hours.start / 60, hours.length / 60)
    } else if let first = interval.from?.clock {
      start = resolver.secondOfDay(first) / 60
      length = 1_439 - start
    } else if let last = interval.to?.clock {
      length = resolver.secondOfDay(last) / 60
    }
    guard step > 0, length >= 0 else { return nil }
    let times = stride(from: start, through: start + length, by: step).map { $0 % 1_440 }.sorted()
    let hours = Set(times.map { $0 / 60 }).sorted()
    let minutes = Set(times.map { $0 % 60 }).sorted()
    if hours.count * minutes.count == times.count {
      return (hours, minutes == [0] ? [] : minutes, [])
    }
    // The hours and minutes make more times than there are: those that count are numbered.
    let all = hours.flatMap { hour in minutes.map { hour * 60 + $0 } }
    let positions = all.indices.filter { times.contains(all[$0]) }.map { $0 + 1 }
    return positions.count <= 366 ? (hours, minutes, positions) : nil
  }

  /// The first time that fits, from the start or from now on.
  private func first(_ parts: RuleParts, _ seconds: [Int]) -> Point? {
    let now = resolver.now
    let today = resolver.today
    if repetition.unit < .day, parts.hours.isEmpty, range == nil {
      if let start { return start.hasClock ? start : timed(start.day, seconds) }
      let length = [1, 60, 3_600][repetition.unit.rawValue] * repetition.interval
      // Nobody who says "every hour" means its seconds.
      let begun = repetition.unit.rawValue == 0 ? now : now / 60 * 60
      let second = seconds.first.map { today * 86_400 + $0 } ?? begun + length
      let coming = second <= now && !seconds.isEmpty ? second + 86_400 : second
      return Point(second: coming, grain: .minute, lastDay: Resolver.day(coming), hasClock: true)
    }
    if repetition.beginsLater, start == nil {
      let days = repetition.unit == .week ? 7 : repetition.unit == .day ? 1 : 0
      let months = repetition.unit == .month ? 1 : repetition.unit == .year ? 12 : 0
      guard let day = Resolver.day(today, plusMonths: months * repetition.interval) else {
        return nil
      }
      return timed(day + days * repetition.interval, seconds)
    }
    let earliest = start?.day ?? today
    // The day and the time from which the rule is followed to its first occurrence.
    let begin = timed(earliest, seconds)
    // Nobody who says "starting today" means an hour of today that is over.
    let isFromNow = start.map { $0.day == today } ?? true
    guard repetition.choosesDays || !parts.hours.isEmpty else {
      let isOver = isFromNow && begin.hasClock && begin.second <= now
      guard isOver || repetition.unit == .day else { return begin }
      var day = earliest
      if isOver { day = start == nil ? earliest + 1 : next(earliest) }
      // What is skipped is not the first.
      if repetition.unit == .day, repetition.interval == 1 {
        while exceptions.contains(WrittenTime(resolver.date(day))) { day += 1 }
      }
      return timed(day, seconds)
    }
    var search = parts
    search.interval = 1
    if repetition.isOfQuarters, start == nil, search.months.isEmpty {
      search.months = repetition.monthsOfQuarters
    }
    guard let rule = try? RecurrenceRule(search.text) else { return nil }
    let origin =
      parts.hours.isEmpty ? begin.second : earliest * 86_400 + (seconds.first ?? 0) % 3_600
    guard
      let set = try? RecurrenceSet(
        start: WrittenTime(local: LocalDateTime(clamping: Int64(origin))),
        rule: rule,
        excluded: exceptions
      )
    else { return nil }
    let from = isFromNow && !seconds.isEmpty ? max(now + 1, origin) : origin
    guard let next = try? set.next(after: Timestamp(seconds: Int64(from) - 1)) else { return nil }
    let second = Int(next.local.wallSeconds)
    return Point(
      second: second,
      grain: seconds.isEmpty ? .day : .minute,
      lastDay: Resolver.day(second),
      hasClock: !seconds.isEmpty
    )
  }

  /// The day of the time after the one on a day, where the rule goes by its unit.
  private func next(_ day: Int) -> Int {
    let count = repetition.interval
    switch repetition.unit {
    case .week: return day + 7 * count
    case .month: return Resolver.day(day, plusMonths: count) ?? day
    case .year: return Resolver.day(day, plusMonths: 12 * count) ?? day
    default: return day + count
    }
  }

  private func timed(_ day: Int, _ seconds: [Int]) -> Point {
    Point(
      second: day * 86_400 + (seconds.first ?? 0),
      grain: seconds.isEmpty ? .day : .minute,
      lastDay: day,
      hasClock: !seconds.isEmpty
    )
  }

  // MARK: - A rule as it is

  private mutating func takeRule(_ text: String, _ assembly: Assembly) {
    guard let rule = try? RecurrenceRule(text) else { return }
    let point =
      assembly.nextOn.flatMap(resolver.point) ?? assembly.moments.lazy.compactMap(resolver.point)
      .first
      ?? Point(
        second: resolver.today * 86_400,
        grain: .day,
        lastDay: resolver.today,
        hasClock: false
      )
    except(assembly)
    schedules = [
      Schedule(
        start: point.written,
        rule: rule,
        excluded: exceptions,
        anchor: repetition.isFromDone ? .completion : .catchUp,
        leads: assembly.leads.map(\.elapsed)
      )
    ]
  }
}

/// The parts of a rule of iCalendar.
struct RuleParts {
  var frequency: String
  var interval: Int
  var count: Int?
  var until: String?
  var hours: [Int] = []
  var minutes: [Int] = []
  var positions: [Int]
  var months: [Int]
  private let repetition: Repetition

  init(_ repetition: Repetition) {
    self.repetition = repetition
    interval = repetition.interval
    positions = repetition.positions
    months = repetition.months
    frequency =
      switch repetition.unit {
      case .second: "SECONDLY"
      case .minute: "MINUTELY"
      case .hour: "HOURLY"
      case .day: "DAILY"
      case .week: "WEEKLY"
      case .month, .quarter: "MONTHLY"
      case .year: "YEARLY"
      }
  }

  var text: String {
    var text = "FREQ=" + frequency
    if let until { text += ";UNTIL=" + until }
    if let count { text += ";COUNT=\(count)" }
    if interval != 1 { text += ";INTERVAL=\(interval)" }
    text += Self.list("BYMINUTE", minutes) + Self.list("BYHOUR", hours)
    let names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    var days = (0..<7).filter { repetition.weekdays >> $0 & 1 == 1 }.map { names[$0] }
    days += repetition.nths.map { "\($0.number)\(names[$0.weekday - 1])" }
    if !days.isEmpty { text += ";BYDAY=" + days.joined(separator: ",") }
    text += Self.list("BYMONTHDAY", repetition.monthDays) + Self.list("BYMONTH", months)
    return text + Self.list("BYSETPOS", positions)
  }

  private static func list(_ name: String, _ numbers: [Int]) -> String {
    numbers.isEmpty ? "" : ";\(name)=" + numbers.map(String.init).joined(separator: ",")
  }
}

extension Repetition {
  /// Whether another one comes on days of its own at times of its own, so that both together would be more than was
  /// said.
  func isApart(from other: Repetition) -> Bool {
    weekdays != 0 && other.weekdays != 0 && !clocks.isEmpty && !other.clocks.isEmpty
      && clocks != other.clocks
  }

  /// Whether it names weekdays of each month, which are those of each week.
  var isOfEachWeek: Bool {
    unit == .month && interval == 1 && weekdays != 0 && nths.isEmpty && monthDays.isEmpty
      && positions.isEmpty
  }

  /// The first months of the quarters, or their last, where its days are counted from the end.
  var monthsOfQuarters: [Int] {
    let isFromEnd = monthDays.contains { $0 < 0 } || nths.contains { $0.number < 0 }
    return isFromEnd ? [3, 6, 9, 12] : [1, 4, 7, 10]
  }

  /// What two of them say together: how often the one, on which days the other.
  func merged(with other: Repetition) -> Repetition {
    var (coarse, fine) = choosesDays && !other.choosesDays ? (other, self) : (self, other)
    if coarse.unit == .day, coarse.interval == 1, !coarse.choosesDays {
      fine.clocks = coarse.clocks + fine.clocks
      fine.isFromDone = fine.isFromDone || coarse.isFromDone
      return fine
    }
    if fine.unit == .day, fine.interval == 1, !fine.choosesDays {
      coarse.clocks += fine.clocks
      coarse.isFromDone = coarse.isFromDone || fine.isFromDone
      return coarse
    }
    coarse.weekdays |= fine.weekdays
    coarse.nths += fine.nths
    coarse.monthDays += fine.monthDays
    for month in fine.months where !coarse.months.contains(month) { coarse.months.append(month) }
    coarse.positions += fine.positions
    coarse.clocks += fine.clocks
    coarse.isFromDone = coarse.isFromDone || fine.isFromDone
    coarse.interval = max(coarse.interval, fine.interval)
    return coarse
  }
}
