import NearMeEngine
import Timeline

/// Where a place or the phone makes a reminder speak, times say when it may.
extension Assembly {
  /// When the evening of a day begins for who waits to come somewhere: at the end of the day's work.
  private static let eveningMinute = 17 * 60

  mutating func limitByTimes() {
    for moment in moments { limit(by: moment) }
    for interval in intervals { limit(by: interval) }
    if let repetition { limit(by: repetition) }
    if exceptDays != 0 { add(days: 127 & ~exceptDays) }
    for day in exceptDates {
      guard let range = resolver.range(day) else { continue }
      conditions.append(
        .not(.dates(from: resolver.date(range.first), until: resolver.date(range.last)))
      )
    }
  }

  mutating func limitByOnlys() {
    for part in onlys {
      switch part {
      case .onlyTime(let moment): limit(by: moment)
      case .onlyInterval(let interval): limit(by: interval)
      case .onlyDays(let days): add(days: days)
      case .onlyPart(let part): add(hours: part)
      default: break
      }
    }
    if exceptDays != 0, understanding.triggers.contains(where: { $0.isSchedule }) {
      add(days: 127 & ~exceptDays)
    }
  }

  private mutating func limit(by moment: Moment) {
    if let clock = moment.clock {
      if clock.isPart, let part = clock.part {
        // "When I get home tonight" may be at six, and at midnight.
        if moment.day != nil, part == .evening || part == .night {
          add(from: Self.eveningMinute, to: 1_440)
        } else {
          add(hours: part)
        }
      } else {
        add(from: resolver.secondOfDay(clock) / 60, to: 1_440)
      }
    }
    if let day = moment.day, let range = resolver.range(day) {
      add(from: max(range.first, min(resolver.today, range.last)), until: range.last)
    }
  }

  private mutating func limit(by interval: Interval) {
    if interval.isOfClocks {
      limitHours(by: interval)
      return
    }
    if interval.kind == .between, let first = interval.from?.clock, let last = interval.to?.clock {
      let (start, length) = resolver.hours(first, last)
      add(from: start / 60, to: (start + length) / 60)
    }
    guard let stretch = resolver.stretch(interval) else { return }
    switch interval.kind {
    case .after:
      guard let from = stretch.from else { return }
      if from.hasClock { add(from: from.second % 86_400 / 60, to: 1_440) }
      let until = interval.isWithinDay ? from.day : nil
      add(from: from.hasClock ? from.day : from.lastDay + 1, until: until)
    case .before:
      guard let to = stretch.to else { return }
      if interval.isWithinDay { add(from: 0, to: to.second % 86_400 / 60) }
      add(from: interval.isWithinDay ? to.day : nil, until: to.hasClock ? to.day : to.day - 1)
    default: add(from: stretch.from?.day, until: stretch.to?.lastDay)
    }
  }

  private mutating func limitHours(by interval: Interval) {
    if let first = interval.from?.clock, let last = interval.to?.clock {
      let (start, length) = resolver.hours(first, last)
      let end = start + length
      if interval.isOutside {
        add(from: end % 86_400 / 60, to: (start == 0 ? 86_400 : start) / 60)
      } else {
        add(from: start / 60, to: end / 60)
      }
    } else if let first = interval.from?.clock {
      add(from: resolver.secondOfDay(ofEvening(first)) / 60, to: 1_440)
    } else if let last = interval.to?.clock {
      add(from: 0, to: last.isNextDay ? 1_440 : resolver.secondOfDay(ofEvening(last)) / 60)
    }
  }

  /// Whether it is about coming home, or about leaving work, as people do in the evening.
  private var isOfEvening: Bool {
    understanding.triggers.contains { trigger in
      switch trigger {
      case .place(.place(let id), _): id == home
      case .leave(.place(let id)): id == work
      default: false
      }
    }
  }

  /// An hour before or after which one comes home, or leaves work, is one of the evening: "when I get home after 7".
  private func ofEvening(_ clock: Clock) -> Clock {
    isOfEvening && (1..<12).contains(clock.second / 3_600) ? clock.in(.evening) : clock
  }

  private mutating func limit(by repetition: Repetition) {
    if repetition.weekdays != 0 { add(days: repetition.weekdays) }
    for clock in repetition.clocks {
      if clock.isPart, let part = clock.part {
        // "When I get home on weeknights" may be at six.
        if isOfEvening, part == .evening || part == .night {
          add(from: Self.eveningMinute, to: 1_440)
        } else {
          add(hours: part)
        }
      } else {
        add(from: resolver.secondOfDay(clock) / 60, to: 1_440)
      }
    }
  }

  // MARK: - As they were said

  /// The condition that was said; nil if a place or a day in it is not known.
  func resolved(_ said: SpokenCondition) -> Condition? {
    switch said {
    case .inside(let target): target.target.map { .inside($0) }
    case .outside(let target): target.target.map { .outside($0) }
    case .window(let days, let from, let to): window(days, from, to).map { .window($0) }
    case .dates(let from, let until): dates(from, until)
    case .signal(let name, let level): .signal(name, is: level)
    case .lasting(let part, let span): resolved(part).map { .lasting($0, for: span.elapsed) }
    case .all(let parts): resolved(parts).map { .all($0) }
    case .any(let parts): resolved(parts).map { .any($0) }
    case .not(let part): resolved(part).map { .not($0) }
    }
  }

  private func resolved(_ parts: [SpokenCondition]) -> [Condition]? {
    let conditions = parts.compactMap(resolved)
    return conditions.count == parts.count ? conditions : nil
  }

  private func window(_ days: Int, _ from: Clock?, _ to: Clock?) -> WeeklyWindow? {
    let days = Self.weekdays(days)
    guard let from, let to else { return WeeklyWindow(days: days) }
    return WeeklyWindow(
      days: days,
      startMinute: resolver.secondOfDay(from) / 60,
      endMinute: to.isNextDay ? WeeklyWindow.minutesOfDay : resolver.secondOfDay(to) / 60
    )
  }

  private func dates(_ from: Day?, _ until: Day?) -> Condition? {
    let (first, last) = (from.flatMap(resolver.range), until.flatMap(resolver.range))
    guard (from == nil) == (first == nil), (until == nil) == (last == nil) else { return nil }
    return .dates(
      from: first.map { resolver.date($0.first) },
      until: last.map { resolver.date($0.last) }
    )
  }

  // MARK: - Conditions

  /// The days of the week that are set as bits, Monday being the first.
  private static func weekdays(_ bits: Int) -> [Weekday] {
    Weekday.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
  }

  private mutating func add(days: Int) {
    if let window = WeeklyWindow(days: Self.weekdays(days)) { conditions.append(.window(window)) }
  }

  private mutating func add(hours part: PartOfDay) {
    add(from: part.hours.from * 60, to: part.hours.to * 60)
  }

  private mutating func add(from start: Int, to end: Int) {
    let end = end > 1_440 ? end - 1_440 : end
    let window = WeeklyWindow(startMinute: start % 1_440, endMinute: end)
    if let window { conditions.append(.window(window)) }
  }

  private mutating func add(from first: Int?, until last: Int?) {
    guard first != nil || last != nil else { return }
    conditions.append(.dates(from: first.map(resolver.date), until: last.map(resolver.date)))
  }

  /// Windows make one where they can: the days of both, and the hours of the one that has any; windows first.
  static func merged(_ conditions: [Condition]) -> [Condition] {
    var windows: [WeeklyWindow] = []
    var rest: [Condition] = []
    for condition in conditions {
      guard case .window(let window) = condition else {
        if !rest.contains(condition) { rest.append(condition) }
        continue
      }
      if let last = windows.last, let both = last.both(window) {
        windows[windows.count - 1] = both
      } else {
        windows.append(window)
      }
    }
    return windows.map { .window($0) } + rest
  }
}

extension WeeklyWindow {
  private var isWholeDay: Bool { startMinute == 0 && endMinute == WeeklyWindow.minutesOfDay }

  /// The hours in which both are open, as one window; nil if they are none.
  fileprivate func both(_ other: WeeklyWindow) -> WeeklyWindow? {
    let common = days.filter(other.days.contains)
    if isWholeDay {
      return WeeklyWindow(days: common, startMinute: other.startMinute, endMinute: other.endMinute)
    }
    if other.isWholeDay {
      return WeeklyWindow(days: common, startMinute: startMinute, endMinute: endMinute)
    }
    guard startMinute < endMinute, other.startMinute < other.endMinute else { return nil }
    let start = max(startMinute, other.startMinute)
    let end = min(endMinute, other.endMinute)
    return start < end ? WeeklyWindow(days: common, startMinute: start, endMinute: end) : nil
  }
}

extension Trigger {
  /// Whether it is a time.
  var isSchedule: Bool { if case .schedule = self { true } else { false } }
}
