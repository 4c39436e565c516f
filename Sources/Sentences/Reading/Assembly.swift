import NearMeEngine
import Places
import Recurrence
import Timeline

/// Makes a reminder of the parts of a sentence.
struct Assembly {
  let resolver: Resolver
  let language: Language
  /// The ids of the places that are home and work.
  let home: String
  let work: String
  private(set) var understanding = Understanding(title: "")

  // What the parts say, gathered.
  var moments: [Moment] = []
  var intervals: [Interval] = []
  var repetition: Repetition?
  /// Others, on days of their own at times of their own.
  var repetitions: [Repetition] = []
  var count: Int?
  var lasting: TimeSpan?
  var exceptDays = 0
  var exceptDates: [Day] = []
  var exceptMonths: [Int] = []
  var places: [(target: SpokenTarget, tiers: [Tier]?, isSoft: Bool)] = []
  var edges: [Trigger] = []
  var levels: [(name: String, level: String, isEdge: Bool)] = []
  var insides: [(target: SpokenTarget, isInside: Bool)] = []
  var onlys: [Part] = []
  var leads: [TimeSpan] = []
  /// The part of the day before, where it is to speak then.
  var eve: PartOfDay?
  /// The hour of that day before, where one is said behind it.
  var eveClock: Clock?
  var nextOn: Moment?
  /// Why it speaks, in the order of the words; nil stands for all times.
  var reasons: [Trigger?] = []
  /// Whether each of them is a reason by itself, and none a condition of another.
  var isAlso = false
  var added: [Day] = []
  var zone: String?
  var gap = GapRule.shift
  var anchor: Anchor?
  /// Conditions that stand as they were said.
  var exacts: [SpokenCondition] = []
  var conditions: [Condition] = []

  init(_ resolver: Resolver, language: Language, places: PlaceNames) {
    self.resolver = resolver
    self.language = language
    home = places.id(of: "home")
    work = places.id(of: "work")
  }

  /// Takes the parts of a sentence.
  mutating func take(_ items: [Item]) {
    let items = PairedTimes.paired(HourLists.settled(Self.joined(items), resolver))
    isAlso = Self.hasChoice(items)
    for item in items { gather(item.part) }
    if let formal = items.lazy
      .compactMap({ item -> String? in
        if case .formal(let text) = item.part { text } else { nil }
      })
      .first, let whole = FormalText.read(formal)
    {
      understanding = whole
    } else {
      makeTriggers()
      understanding.isOver = understanding.isOver && understanding.triggers.isEmpty
    }
    var marker = SpanMarker(resolver: resolver, schedule: understanding.schedule)
    marker.hasEdges = hasEdges && !isAlso
    understanding.spans = marker.spans(of: items)
  }

  /// Puts a day and a time of day together that stand beside each other.
  private static func joined(_ items: [Item]) -> [Item] {
    var result: [Item] = []
    for item in items {
      if case .time(let next) = item.part, let last = result.last,
        case .time(let first) = last.part,
        item.start - last.end <= 1, let both = first.joined(with: next)
      {
        result[result.count - 1].part = .time(both)
        result[result.count - 1].end = item.end
        result[result.count - 1].to = item.to
      } else {
        result.append(item)
      }
    }
    return result
  }

  /// Whether a time and a place, or what the phone says, are said to be one as good as the other.
  private static func hasChoice(_ items: [Item]) -> Bool {
    items.indices.dropFirst().dropLast()
      .contains { place in
        guard items[place].part == .either else { return false }
        let (before, after) = (items[place - 1].part, items[place + 1].part)
        return before.isTime && after.isEdge || before.isEdge && after.isTime
      }
  }

  private mutating func gather(_ part: Part) {
    switch part {
    case .carrier, .unsupported, .formal, .either, .source, .alternative, .corrected, .text: break
    case .time(let moment) where eve != nil && moment.isClock: eveClock = moment.clock
    case .time(let moment):
      noteTimes()
      moments.append(moment)
    case .interval(let interval):
      noteTimes()
      intervals.append(interval)
    case .clocks(let clocks): moments += clocks.map { Moment(clock: $0) }
    case .repetition(let next):
      noteTimes()
      if let before = repetition, before.isApart(from: next) {
        repetitions.append(next)
      } else {
        repetition = repetition.map { $0.merged(with: next) } ?? next
      }
    case .completion:
      if repetition == nil { repetition = Repetition() }
      repetition?.isFromDone = true
    case .count(let number): count = number
    case .lasting(let span): lasting = span
    case .exceptDays(let days): exceptDays |= days
    case .exceptDates(let days): exceptDates += days
    case .exceptMonths(let months): exceptMonths += months
    case .place(let target, let tiers, let isSoft):
      places.append((target, tiers, isSoft))
      if let target = target.target { reasons.append(.place(target, tiers: tiers)) }
    case .leave(let target):
      if let target = target.target { takeEdge(.leave(target)) }
    case .signal(let name, let from, let to): takeEdge(.signal(name, from: from, to: to))
    case .level(let name, let level, let isEdge): levels.append((name, level, isEdge))
    case .inside(let target): insides.append((target, true))
    case .outside(let target): insides.append((target, false))
    case .onlyTime, .onlyInterval, .onlyDays, .onlyPart: onlys.append(part)
    case .priority(let number): understanding.priority = number
    case .tone(let tone): understanding.tone = tone
    case .nag(let span, let most, let until): setNag(span, most, until)
    case .persistence(let name): understanding.persistence = .init(rawValue: name)
    case .leads(let spans): leads += spans
    case .eve(let part): eve = part
    case .nextOn(let moment):
      noteTimes()
      nextOn = moment
    default: gatherExact(part)
    }
  }

  /// What sentences said back have.
  private mutating func gatherExact(_ part: Part) {
    switch part {
    case .also: isAlso = true
    case .exactly(let condition): exacts.append(condition)
    case .added(let days): added += days
    case .zone(let name): zone = name
    case .gap(let name): gap = GapRule(rawValue: name) ?? .shift
    case .anchor(let name): anchor = Anchor(rawValue: name)
    case .expires(let moment): understanding.expires = resolver.point(moment).map(Self.end)
    case .fallback(let clock):
      understanding.fallbackMinute = minute(clock)
    case .notes(let text): understanding.notes = text
    default: preconditionFailure("a part that nobody gathers: \(part)")
    }
  }

  /// When something is over: a day when the next one begins.
  private static func end(_ point: Point) -> WrittenTime {
    guard !point.hasClock else { return point.written }
    return WrittenTime(CivilDate(daysSinceEpoch: point.lastDay + 1))
  }

  private func minute(_ clock: Clock) -> Int {
    clock.isNextDay ? 0 : resolver.secondOfDay(clock) / 60
  }

  private mutating func noteTimes() {
    if !reasons.contains(where: { $0 == nil }) { reasons.append(nil) }
  }

  private mutating func takeEdge(_ trigger: Trigger) {
    edges.append(trigger)
    reasons.append(trigger)
  }

  private mutating func setNag(_ span: TimeSpan?, _ most: Int?, _ until: Clock?) {
    var nag = Reminder.Nag(every: .minutes(10))
    if let span { nag.every = span.elapsed }
    if let most { nag.atMost = most }
    nag.untilMinute = until.map(minute)
    understanding.nag = nag
  }

  /// Whether something else than time makes it speak.
  var hasEdges: Bool {
    !edges.isEmpty || !places.filter { $0.target.target != nil }.isEmpty
  }

  // MARK: - Triggers

  private mutating func makeTriggers() {
    let hasClock =
      moments.contains { $0.clock.map { !$0.isPart } ?? ($0.later != nil) }
      || repetition.map { !$0.clocks.filter { !$0.isPart }.isEmpty || $0.unit < .day } ?? false
    let hasSignal = edges.contains { if case .signal = $0 { true } else { false } }
    let hasLeave = edges.contains { if case .leave = $0 { true } else { false } }
    let isTimed = hasClock && !hasSignal && !hasLeave
    if isTimed || hasSignal {
      // Nobody is at two places at once: one of them is enough.
      let insides = places.compactMap { $0.target.target }.map { Condition.inside($0) }
      if insides.count == 1 { conditions += insides }
      if insides.count > 1 { conditions.append(.any(insides)) }
    }
    for place in places {
      guard let target = place.target.target else { continue }
      if !isTimed, !hasSignal {
        understanding.triggers.append(
          .place(target, tiers: place.tiers)
        )
      }
    }
    understanding.triggers += edges
    takeLoneLevels(isTimed: isTimed)
    if isAlso {
      conditions = []
      understanding.triggers = []
      makeSchedules()
      let times = understanding.triggers
      understanding.triggers = reasons.flatMap { reason in reason.map { [$0] } ?? times }
    } else if !understanding.triggers.isEmpty {
      limitByTimes()
    } else {
      makeSchedules()
      takeLoneInsides()
    }
    if !understanding.triggers.isEmpty {
      for inside in insides {
        guard let target = inside.target.target else { continue }
        conditions.append(inside.isInside ? .inside(target) : .outside(target))
      }
      conditions += levels.map { .signal($0.name, is: $0.level) }
    }
    limitByOnlys()
    understanding.conditions = Self.merged(conditions) + exacts.compactMap(resolved)
  }

  /// While charging is a moment where nothing else is.
  private mutating func takeLoneLevels(isTimed: Bool) {
    guard understanding.triggers.isEmpty, !isTimed, moments.isEmpty, intervals.isEmpty,
      repetition == nil, let first = levels.first
    else { return }
    levels.removeFirst()
    understanding.triggers.append(
      .signal(
        first.name,
        to: first.level == "true" ? nil : first.level == "false" ? "unplugged" : first.level
      )
    )
  }

  /// So is being somewhere.
  private mutating func takeLoneInsides() {
    guard understanding.triggers.isEmpty, let first = insides.first,
      let target = first.target.target
    else { return }
    insides.removeFirst()
    understanding.triggers.append(first.isInside ? .place(target) : .leave(target))
  }

  // MARK: - Schedules

  /// "Trash only on Tuesdays at 7pm": where nothing else makes it speak, these days do.
  private mutating func takeOnlyDays() {
    let days = onlys.reduce(0) { days, part in
      if case .onlyDays(let more) = part { days | more } else { days }
    }
    guard !isAlso, repetition == nil, days != 0, intervals.isEmpty, moments.allSatisfy(\.isClock),
      !moments.isEmpty || insides.isEmpty
    else { return }
    repetition = Action.weekly(days, every: 1)
    onlys.removeAll { if case .onlyDays = $0 { true } else { false } }
  }

  private mutating func makeSchedules() {
    // "At 8 for the next three days" is each of them.
    if repetition == nil, !moments.isEmpty, moments.allSatisfy(\.isClock),
      lasting?.isOfDays ?? false
        || intervals.count == 1 && (intervals[0].isOfEachDay || intervals[0].isInWeek)
    {
      repetition = Repetition()
    }
    takeOnlyDays()
    moveToEve()
    if repetition == nil { takeEachHour() }
    if let first = repetition {
      for said in [first] + repetitions {
        var maker = ScheduleMaker(resolver)
        maker.take(said, beside: self)
        understanding.triggers += maker.schedules.map { .schedule(completed($0)) }
        if let hours = maker.window { conditions.append(.window(hours)) }
      }
      exceptDays = 0
      return
    }
    var points: [Point] = []
    let days = moments.filter { $0.day != nil }
    let clocks = moments.compactMap(\.clock)
    var lastDay: Day?
    // "June 22 to 26 at 9" begins at 9 on the 22nd.
    let firstDay = intervals.lazy.compactMap(\.firstOfDays).first
    // "Tuesday and Thursday 7-8pm": from 7 on both.
    let beginning = intervals.lazy.compactMap(\.hoursOfDay).first
      .map { Clock(second: resolver.hours($0.from, $0.to).start) }
    for moment in moments {
      var moment = moment
      if moment.isClock, let day = days.first(where: { $0.clock == nil })?.day ?? firstDay {
        moment.day = day
      } else if moment.isClock, let day = lastDay {
        // "Friday at 9 or at 2" is both times on Friday.
        moment.day = day
      }
      lastDay = moment.day
      if moment.clock == nil, moment.later == nil, moments.contains(where: \.isClock) { continue }
      // "on Tuesday and Thursday at 5": at 5 on both.
      if moment.clock == nil, moment.later == nil {
        moment.clock = days.count > 1 && clocks.count == 1 ? clocks[0] : beginning
      }
      // What is said to be over is no time to speak at.
      if let later = moment.later, later.seconds < 0 {
        understanding.isOver = true
        continue
      }
      if let point = resolver.point(moment) { points.append(soon(point, moment)) }
    }
    for interval in intervals {
      var interval = interval
      if let day = days.first(where: { $0.clock == nil })?.day {
        if interval.hoursOfDay == nil {
          interval.from?.addDay(day)
          interval.to?.addDay(day)
        }
        if interval.hasClocks { points.removeAll { !$0.hasClock } }
      } else if points.contains(where: \.hasClock), interval.kind != .lasting {
        continue
      }
      if let stretch = resolver.stretch(interval), var point = stretch.from ?? stretch.to {
        // Before Friday is over when Friday begins.
        if interval.kind == .before, !point.hasClock, point.day > resolver.today {
          point.second = (point.day - 1) * 86_400
        }
        points.append(point)
      }
    }
    // A day that is set need not be still to come.
    let isSet = points.isEmpty && nextOn != nil
    if let start = nextOn.flatMap(resolver.point), isSet { points = [start] }
    for point in points {
      guard isSet || isComing(point) else {
        understanding.isOver = true
        continue
      }
      var point = point
      let day = point.day
      if let eve { point = Self.eve(of: point, at: eveClock(in: eve)) }
      // Of days that have begun, today is the first that can still be meant.
      if !isSet, !point.hasClock, point.day < resolver.today {
        point.second = resolver.today * 86_400
      }
      let schedule = Schedule(
        start: nextOn.flatMap(resolver.point)?.written ?? point.written,
        leads: leads.map { $0.elapsed(before: day) }
      )
      if !understanding.triggers.contains(.schedule(completed(schedule))) {
        understanding.triggers.append(.schedule(completed(schedule)))
      }
    }
  }

  /// What has begun today and is said without an hour, as "tonight" at eleven, is told in a while.
  private func soon(_ point: Point, _ moment: Moment) -> Point {
    guard moment.day == .offset(0), moment.clock?.isPart ?? false, moment.shift == 0,
      point.hasClock, point.second <= resolver.now
    else { return point }
    var point = point
    point.second = (resolver.now / 900 + 2) * 900
    return point
  }

  /// The hour at which it is to speak on the day before.
  private func eveClock(in part: PartOfDay) -> Clock {
    guard var clock = eveClock else { return Clock(part) }
    if clock.isOpen, part.hour >= 12 {
      clock.second += 12 * 3_600
      clock.isOpen = false
    }
    return clock
  }

  /// Has what comes each week come on the day before: "trash every Thursday, remind me the night before at 8".
  private mutating func moveToEve() {
    guard let eve, let days = repetition?.weekdays, days != 0 else { return }
    let clock = eveClock(in: eve)
    repetition?.weekdays = days >> 1 | (days & 1) << 6
    repetition?.clocks = [clock]
    // The hour of the thing itself is none to speak at.
    moments.removeAll(where: \.isClock)
  }

  /// The evening before something, or another part of that day.
  private static func eve(of point: Point, at clock: Clock) -> Point {
    var eve = point
    eve.lastDay = point.day - 1
    eve.second = eve.lastDay * 86_400 + clock.second
    eve.hasClock = true
    eve.grain = clock.grain
    return eve
  }

  /// A schedule with what is said of it beside its times.
  private func completed(_ schedule: Schedule) -> Schedule {
    var schedule = schedule
    schedule.added = added.compactMap { resolver.point(Moment(day: $0))?.written }
    schedule.zone = zone ?? schedule.zone
    schedule.gap = gap
    schedule.anchor = anchor ?? schedule.anchor
    return schedule
  }

  /// Whether it is not over.
  private func isComing(_ point: Point) -> Bool {
    point.hasClock ? point.second >= resolver.now - 3_600 * 12 : point.lastDay >= resolver.today
  }
}

extension SpokenTarget {
  /// What a reminder can aim at; nil where nothing is known of it.
  var target: Reminder.Target? {
    switch self {
    case .category(let name): .category(CategoryID(name))
    case .place(let id): .place(id)
    case .unknown: nil
    }
  }
}

extension Moment {
  /// The point that a day and a time of day make together; nil if they do not.
  func joined(with next: Moment) -> Moment? {
    guard later == nil, next.later == nil, shift == 0, next.shift == 0 else { return nil }
    var both = Moment(day: day ?? next.day)
    if let first = day, let second = next.day {
      guard let one = first.joined(with: second) ?? second.joined(with: first) else { return nil }
      both.day = one
    }
    switch (clock, next.clock) {
    case (let one?, let two?):
      if one.isPart, let part = one.part, !two.isPart {
        both.clock = two.in(part)
      } else if two.isPart, let part = two.part, !one.isPart {
        both.clock = one.in(part)
      } else {
        return nil
      }
    case (let one, let two): both.clock = one ?? two
    }
    return both
  }

  /// Whether it is a weekday alone: "Paket Montag abholen".
  var isWeekday: Bool {
    guard clock == nil, later == nil, case .weekday? = day else { return false }
    return true
  }

  /// Adds a day where there is only a time of day.
  mutating func addDay(_ other: Day) {
    if day == nil, clock != nil { day = other }
  }
}

extension Day {
  /// The day that a stretch and a day in it say together, such as "next month" and "the 5th"; nil if they do not.
  fileprivate func joined(with day: Day) -> Day? {
    switch (self, day) {
    case (.month(let month, let year, .plain), .dayOfMonth(let number, nil)):
      Action.isDay(month, number) ? .date(year: year, month: month, day: number) : nil
    case (.unit(.month, let count), .dayOfMonth(let number, nil)):
      .dayOfMonth(number, month: count)
    case (.unit(.year, let count), .date(nil, let month, let day)) where month > 0:
      .dateIn(year: count, month: month, day: day)
    case (.unit(.year, let count), .month(let month, nil, .plain)):
      .monthIn(year: count, month: month)
    case (.unit(.week, _), .weekday(let weekday, .plain)): .weekdayIn(weekday, self)
    case (.shifted(.offset(0), let span, 1), .weekday(let weekday, .plain)) where span.days >= 7:
      .weekdayIn(weekday, .weekOf(self))
    default: nil
    }
  }
}

extension Interval {
  /// Whether it is one of times of day.
  var hasClocks: Bool { from?.clock != nil || to?.clock != nil }

  /// Whether it is some days of one week: "Tuesday to Thursday next week", "Monday to Wednesday", but not the stay of
  /// "Friday to Sunday".
  fileprivate var isInWeek: Bool {
    guard kind == .between, !hasClocks else { return false }
    switch (from?.day, to?.day) {
    case (.weekdayIn, .weekday(_, .plain)), (.weekdayIn, .weekdayIn): return true
    case (.weekday(let first, .plain), .weekday(let last, .plain)): return first < last && last <= 5
    case (.weekday(_, .next), .weekday(_, .plain)), (.weekday(_, .next), .weekday(_, .next)):
      return true
    default: return false
    }
  }

  /// The first of several days, where it says no more than days.
  var firstOfDays: Day? {
    guard kind == .between, !isOfEachDay, !hasClocks, to?.day != nil else { return nil }
    return from?.day
  }

  /// From which hour to which, where both are of one day that is said with them.
  fileprivate var hoursOfDay: (from: Clock, to: Clock)? {
    guard kind == .between, let from, let to, let day = from.day, to.day == nil || to.day == day,
      let first = from.clock, let last = to.clock
    else { return nil }
    return (first, last)
  }

  /// Whether it says nothing but times of day.
  var isOfClocks: Bool {
    let ends = [from, to].compactMap { $0 }
    return !ends.isEmpty && ends.allSatisfy(\.isClock)
  }
}
