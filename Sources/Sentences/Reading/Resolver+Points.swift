import Recurrence
import Timeline

/// A time that is meant: on the wall clock, and how exactly it was said.
struct Point: Hashable {
  /// Seconds of the wall clock since 1970.
  var second: Int
  var grain: Grain
  /// The last day, of several; since 1970.
  var lastDay: Int
  /// Whether a time of day was said.
  var hasClock: Bool

  var day: Int { Resolver.day(second) }

  /// As a reminder's file has it: a date where no time of day was said.
  var written: WrittenTime {
    let local = LocalDateTime(clamping: Int64(second))
    return hasClock ? WrittenTime(local: local) : WrittenTime(local.date)
  }

  /// As output has it.
  var text: String { LocalDateTime(clamping: Int64(second)).description }
}

/// An interval that is meant.
struct Stretch: Hashable {
  var from: Point?
  var to: Point?
}

extension Resolver {
  /// From when on people are awake: an hour that could be of both halves of the day is the one that lies here.
  static let wakingSecond = 7 * 3_600

  /// Which point in time is meant; nil if there is none.
  func point(_ moment: Moment) -> Point? {
    if let later = moment.later { return self.later(later, moment) }
    guard let clock = moment.clock else {
      guard let range = moment.day.flatMap(range) else { return nil }
      return Point(
        second: range.first * 86_400,
        grain: range.grain,
        lastDay: range.last,
        hasClock: false
      )
    }
    if let zone = clock.zone, let there = elsewhere(zone) {
      var bare = moment
      bare.clock?.zone = nil
      // Tomorrow is that of who says it, though it may be another day there already.
      if case .offset(let days)? = moment.day {
        bare.day = .offset(days + today - there.resolver.today)
      }
      return there.resolver.point(bare).map { moved($0, to: there.toLocal($0.second)) }
    }
    var day: Int?
    if let said = moment.day {
      guard let range = range(said) else { return nil }
      // In a week or a month, its first day that is not over.
      day = range.last >= today ? max(range.first, min(today, range.last)) : range.first
    }
    let found = second(of: clock, on: day)
    guard let second = found else { return nil }
    let shifted = second + moment.shift
    return Point(second: shifted, grain: clock.grain, lastDay: Self.day(shifted), hasClock: true)
  }

  private func moved(_ point: Point, to second: Int) -> Point {
    Point(second: second, grain: point.grain, lastDay: Self.day(second), hasClock: true)
  }

  private func later(_ span: TimeSpan, _ moment: Moment) -> Point? {
    guard let day = Self.day(today, plusMonths: span.months) else { return nil }
    var second = (day + span.days) * 86_400 + (now - today * 86_400)
    second = elapsed(second, span.seconds)
    return Point(
      second: second,
      grain: span.grain == .second || second % 60 != 0 ? .second : .minute,
      lastDay: Self.day(second),
      hasClock: true
    )
  }

  /// The wall clock so many seconds of elapsed time after it showed something.
  private func elapsed(_ wall: Int, _ seconds: Int) -> Int {
    guard let zone = context.zone else { return wall + seconds }
    return Self.wall(Self.instant(wall, in: zone) + seconds, in: zone)
  }

  static func instant(_ wall: Int, in zone: UTCOffsetTable) -> Int {
    let day = Self.day(wall)
    let inDay = wall - day * 86_400
    let minute = zone.instant(of: CivilDate(daysSinceEpoch: day), minuteOfDay: inDay / 60)
    return Int(minute.wholeSeconds) + inDay % 60
  }

  static func wall(_ instant: Int, in zone: UTCOffsetTable) -> Int {
    instant + zone.offsetSeconds(at: Timestamp(seconds: Int64(instant)))
  }

  /// How it looks where another clock counts, and the way back.
  func elsewhere(
    _ zone: SpokenZone
  ) -> (resolver: Resolver, toLocal: (Int) -> Int)? {
    guard let local = context.zone else { return nil }
    let instant = Self.instant(now, in: local)
    var there = self
    switch zone {
    case .minutes(let minutes):
      there.now = instant + minutes * 60
      return (there, { Self.wall($0 - minutes * 60, in: local) })
    case .named(let name):
      guard let table = context.zones.zone(named: name) else { return nil }
      there.now = Self.wall(instant, in: table)
      return (there, { Self.wall(Self.instant($0, in: table), in: local) })
    }
  }

  /// The second that a time of day means, on a day or, without one, as soon as it comes.
  func second(of clock: Clock, on day: Int?) -> Int? {
    let clock = leant(clock)
    if clock.isNextDay {
      let base = (day ?? today) + 1
      return base * 86_400 + clock.second
    }
    let options = clock.isOpen ? [clock.second, clock.second + 43_200] : [clock.second]
    if let day {
      var left = options.map { day * 86_400 + $0 }
      if day == today {
        let coming = left.filter { $0 > now }
        if !coming.isEmpty { left = coming }
      }
      return left.first { isWaking($0, clock) } ?? left.first
    }
    let coming = (0...1).flatMap { ahead in options.map { (today + ahead) * 86_400 + $0 } }
      .filter { clock.isOpen ? $0 > now : $0 >= now }
    return coming.first { isWaking($0, clock) } ?? coming.first
  }

  /// The second of the day that a time of day means by itself, whenever it is said.
  func secondOfDay(_ clock: Clock) -> Int {
    let clock = leant(clock)
    guard clock.isOpen else { return clock.second }
    return isWaking(clock.second, clock) ? clock.second : clock.second + 43_200
  }

  /// The seconds of the day that a time of day may mean.
  func halves(_ clock: Clock) -> [Int] {
    let clock = settled(leant(clock))
    if clock.isNextDay { return [86_400 + clock.second] }
    return clock.isOpen ? [clock.second, clock.second + 43_200] : [clock.second]
  }

  /// The hour that what is to be done leans to: one wakes from 4 to 11, has lunch from 9 to 3, dines from 5 to 11, and
  /// goes to a concert from 5 to 9.
  private func leant(_ clock: Clock) -> Clock {
    guard clock.isOpen, let leaning else { return clock }
    let hour = clock.second / 3_600
    switch leaning {
    case .morning: return (4..<12).contains(hour) ? clock.in(.morning) : clock
    case .lunch where hour >= 9: return clock.in(.morning)
    case .lunch: return hour < 4 ? clock.in(.lunch) : clock
    case .night: return (5..<12).contains(hour) ? clock.in(.night) : clock
    default: return (5..<10).contains(hour) ? clock.in(leaning) : clock
    }
  }

  private func isWaking(_ second: Int, _ clock: Clock) -> Bool {
    guard clock.isOpen else { return true }
    let inDay = second - Self.day(second) * 86_400
    // A clock of 24 hours that shows minutes says which half it means.
    if usesClock24, clock.isWritten { return (inDay < 43_200) == (clock.second >= 3_600) }
    return inDay >= Self.wakingSecond
  }

  /// A time of day that leaves no choice where a clock of 24 hours says which half of the day it means.
  private func settled(_ clock: Clock) -> Clock {
    guard usesClock24, clock.isWritten, clock.isOpen else { return clock }
    var clock = clock
    clock.second = secondOfDay(clock)
    clock.isOpen = false
    return clock
  }

  // MARK: - Intervals

  /// Which interval is meant.
  func stretch(_ interval: Interval) -> Stretch? {
    switch interval.kind {
    case .between: return between(interval)
    case .by, .before, .until: return interval.to.flatMap(point).map { Stretch(from: nil, to: $0) }
    case .after, .from: return interval.from.flatMap(point).map { Stretch(from: $0, to: nil) }
    case .next: return interval.span.flatMap(next)
    case .lasting:
      guard let from = interval.from.flatMap(point), let span = interval.span else { return nil }
      guard let day = Self.day(from.day, plusMonths: span.months) else { return nil }
      var end = from
      let whole = from.hasClock ? 0 : 1
      end.second += (day - from.day + span.days - whole) * 86_400 + span.seconds
      end.lastDay = Self.day(end.second)
      return Stretch(from: from, to: end)
    }
  }

  private func next(_ span: TimeSpan) -> Stretch? {
    let isBack = span.months < 0 || span.days < 0 || span.seconds < 0
    guard let day = Self.day(today, plusMonths: span.months) else { return nil }
    if span.isOfDays {
      let here = Point(second: today * 86_400, grain: .day, lastDay: today, hasClock: false)
      let far = day + span.days
      let there = Point(second: far * 86_400, grain: .day, lastDay: far, hasClock: false)
      return isBack ? Stretch(from: there, to: here) : Stretch(from: here, to: there)
    }
    let here = Point(second: now, grain: .minute, lastDay: today, hasClock: true)
    let second = elapsed(now + (day + span.days - today) * 86_400, span.seconds)
    let there = Point(second: second, grain: .minute, lastDay: Self.day(second), hasClock: true)
    return isBack ? Stretch(from: there, to: here) : Stretch(from: here, to: there)
  }

  private func between(_ interval: Interval) -> Stretch? {
    guard var from = interval.from, var to = interval.to else { return nil }
    if let zone = to.clock?.zone ?? from.clock?.zone {
      from.clock?.zone = zone
      to.clock?.zone = zone
    }
    if let first = from.clock, let last = to.clock, to.day == nil || to.day == from.day {
      let (start, length) = hours(first, last)
      var clock = first
      clock.isOpen = false
      clock.second = start
      clock.isNextDay = first.isNextDay
      from.clock = clock
      guard let begin = point(from) else { return nil }
      var end = begin
      end.second += length
      end.lastDay = Self.day(end.second)
      return Stretch(from: begin, to: end)
    }
    guard let begin = point(from) else { return nil }
    guard let end = end(to, after: begin) else { return nil }
    return Stretch(from: begin, to: end)
  }

  /// The end of an interval, looked for from its beginning on.
  private func end(_ moment: Moment, after begin: Point) -> Point? {
    if moment.day == nil, moment.later == nil, let clock = moment.clock {
      // "from Monday to 5pm": on the same day.
      return second(of: clock, on: begin.day)
        .map { Point(second: $0, grain: clock.grain, lastDay: Self.day($0), hasClock: true) }
    }
    switch moment.day {
    case .weekday(_, .plain), .dayOfMonth(_, nil), .date(nil, _, _), .month(_, nil, .plain),
      .nth(_, _, nil):
      var later = self
      later.now = begin.day * 86_400
      return later.point(moment)
    default:
      guard let end = point(moment), end.second >= begin.second else { return nil }
      return end
    }
  }

  /// The hours between two times of day: when they begin, and how long they are.
  func hours(_ from: Clock, _ to: Clock) -> (start: Int, length: Int) {
    // "11:30 to 1:30" ends in the afternoon, and "18:30 to 12:22" at noon.
    let (from, to) = (settled(from), to.second < 3_600 ? settled(to) : to)
    let end = to.isNextDay ? 86_400 : to.second
    var start = from.second
    if from.isOpen, to.isOf24, from.second < end {
      // Who says 23 for eleven in the evening means seven in the morning by 7: "from 7 to 23".
      start = from.second
    } else if from.isOpen, !to.isOpen {
      let options = [from.second + 43_200, from.second].filter { $0 < end }
      start = options.first { end - $0 <= 43_200 } ?? options.last ?? from.second + 43_200
    } else if from.isOpen {
      start = secondOfDay(from)
    }
    var length = end - start
    if to.isOpen {
      while length <= 0 { length += 43_200 }
    } else if length <= 0 {
      length += 86_400
    }
    return (start, length)
  }
}
