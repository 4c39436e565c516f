import Timeline

/// The instants of a rule that steps on the calendar: the wall clock is kept.
struct CalendarSeries {
  private var locals: LocalSeries
  private var zone: ZoneCursor
  private let skipsGaps: Bool
  private let start: ResolvedStart
  /// The last wall time that counts, as the rule gives it.
  private let lastWall: Int
  /// The next instant that was not moved; nil if not known yet, `Int.max` at the end.
  private var ahead: Int?
  private var aheadRuled = 0
  /// Instants that a gap moved, ascending, each with the wall time that the rule gave.
  private var moved: [(instant: Int, ruled: Int)] = []
  private var head = 0
  /// The last instant given out, or one second before what was asked for.
  private var last: Int

  /// - Parameter instant: the earliest instant of interest.
  init(_ set: RecurrenceSet, _ rule: RecurrenceRule, from instant: Int) {
    start = set.resolvedStart
    zone = ZoneCursor(set.zone)
    skipsGaps = set.gap == .skip
    lastWall = rule.lastWall(isFloating: set.zone == nil)
    // The rule begins at a wall time; an instant counts only where the start says that it is one.
    let from = start.isExplicit ? max(instant, start.instant) : instant
    last = from - 1
    guard instant > start.instant else {
      locals = LocalSeries(rule: rule, start: set.start, from: start.wall)
      zone.seek(start.instant - 2 * secondsInDay)
      return
    }
    locals = LocalSeries(rule: rule, start: set.start, from: zone.seekWall(from))
  }

  /// The next instant, or `Int.max` at the end, and the wall time that the rule gave for it.
  @inline(__always)
  mutating func next() -> (instant: Int, ruled: Int) {
    if head == moved.count, ahead == nil {
      let wall = locals.next()
      if wall > lastWall { return (.max, 0) }
      let (instant, isInGap) = zone.instant(ofWall: wall)
      if !isInGap, instant > last, wall != start.wall {
        last = instant
        return (instant, wall)
      }
      take(wall, instant, isInGap)
    }
    return nextMerged()
  }

  private mutating func take(_ wall: Int, _ instant: Int, _ isInGap: Bool) {
    if wall == start.wall, start.isExplicit {
      ahead = start.instant
      aheadRuled = wall
    } else if !isInGap {
      ahead = instant
      aheadRuled = wall
    } else if !skipsGaps {
      moved.append((instant, wall))
    }
  }

  private mutating func nextMerged() -> (instant: Int, ruled: Int) {
    while true {
      if ahead == nil {
        let wall = locals.next()
        guard wall > lastWall else {
          let (instant, isInGap) = zone.instant(ofWall: wall)
          take(wall, instant, isInGap)
          continue
        }
        ahead = .max
      }
      let unmoved = ahead ?? .max
      var found = (instant: unmoved, ruled: aheadRuled)
      if head < moved.count, moved[head].instant <= unmoved {
        found = moved[head]
        head += 1
        if head == moved.count {
          moved.removeAll(keepingCapacity: true)
          head = 0
        }
      } else if unmoved == .max {
        return (.max, 0)
      } else {
        ahead = nil
      }
      // A moved time may meet one that the rule has there: they are one.
      if found.instant > last {
        last = found.instant
        return found
      }
    }
  }
}

/// The start as an instant.
struct ResolvedStart: Hashable, Sendable {
  /// Wall seconds of the start.
  let wall: Int
  /// Seconds since the epoch; the wall seconds where there is no zone.
  let instant: Int
  /// Whether the start was given with an offset, and so says itself which of two readings it is.
  let isExplicit: Bool
}

extension RecurrenceRule {
  /// The last wall time that counts, `Int.max` if the end is an instant or there is none.
  func lastWall(isFloating: Bool) -> Int {
    switch until {
    case .wall(let time): time.wall
    case .day(let date): (date.daysSinceEpoch + 1) * secondsInDay - 1
    case .utc(let time): isFloating ? time.wall : .max - 1
    case nil: .max - 1
    }
  }

  /// The last instant that counts, `Int.max` if the end is a wall time or there is none.
  func lastInstant(isFloating: Bool) -> Int {
    if case .utc(let time) = until, !isFloating { return time.wall }
    return .max
  }
}
