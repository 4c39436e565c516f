import Timeline

/// Walks through the occurrences of a set, in the order of their instants, each once.
///
/// It begins anywhere: without COUNT nothing before is walked through. With COUNT it walks from the
/// start, since COUNT counts distinct instants.
public struct RecurrenceIterator: IteratorProtocol, Sequence {
  private static let earliest = -100_000_000_000

  private let set: RecurrenceSet
  private var calendar: CalendarSeries?
  /// One for a rule in elapsed time; a list, so that the others do not carry its size.
  private var elapsed: [ElapsedSeries] = []
  private var zone: ZoneCursor
  private let lastInstant: Int
  /// How many instants COUNT has left.
  private var left: Int
  private var ahead: (instant: Int, ruled: Int)?
  private var nextAdded = 0
  private var nextExcluded = 0
  private var isPlain: Bool
  /// Why it ended before its time; nil if it has not.
  public private(set) var failure: RecurrenceError?

  /// Starts at the first occurrence at or after an instant in seconds.
  ///
  /// - Parameter end: an instant from which on nothing is looked for.
  init(_ set: RecurrenceSet, from instant: Int, before end: Int = .max) {
    self.set = set
    // Far beyond the calendar nothing changes, and nothing overflows.
    let instant = Swift.min(Swift.max(instant, Self.earliest), 300_000_000_000)
    zone = ZoneCursor(set.zone)
    zone.seek(instant)
    let isFloating = set.zone == nil
    left = set.rule?.count ?? .max
    let last = set.rule?.lastInstant(isFloating: isFloating) ?? .max
    lastInstant = Swift.min(last, end == .max ? .max : end - 1)
    isPlain = set.added.isEmpty && set.excluded.isEmpty
    if let rule = set.rule {
      // Before the start's instant, too: one that a gap moves lies after others of its series.
      let begin = rule.count == nil ? instant : Self.earliest
      if rule.frequency.isElapsed {
        elapsed = [ElapsedSeries(set, rule, from: begin, upTo: lastInstant)]
      } else {
        calendar = CalendarSeries(set, rule, from: begin)
      }
      if rule.count != nil, begin < instant { passBy(until: instant) }
    }
    while nextAdded < set.added.count, set.added[nextAdded] < instant { nextAdded += 1 }
  }

  /// The next occurrence, or nil at the end; see ``failure``.
  public mutating func next() -> Occurrence? {
    let (instant, ruled) = nextInstant()
    guard instant != .max else { return nil }
    guard set.zone != nil else {
      let local = LocalDateTime(wall: instant)
      return Occurrence(local: local, ruled: local, offsetSeconds: nil)
    }
    zone.advance(to: instant)
    let local = LocalDateTime(wall: instant + zone.offset)
    return Occurrence(
      local: local,
      ruled: ruled == .min ? local : LocalDateTime(wall: ruled),
      offsetSeconds: zone.offset
    )
  }

  /// The next instant in seconds, or `Int.max`, and the wall time that the rule gave, `Int.min` if it
  /// is what the clock shows.
  @inline(__always)
  mutating func nextInstant() -> (instant: Int, ruled: Int) {
    if isPlain { return nextOfRule() }
    return nextMerged()
  }

  private mutating func nextMerged() -> (instant: Int, ruled: Int) {
    while true {
      let ruled = ahead ?? nextOfRule()
      ahead = ruled
      let added = nextAdded < set.added.count ? set.added[nextAdded] : .max
      let found = ruled.instant <= added ? ruled : (instant: added, ruled: .min)
      guard found.instant != .max else { return (.max, .min) }
      if ruled.instant == found.instant { ahead = nil }
      if added == found.instant { nextAdded += 1 }
      if !isExcluded(found.instant) { return found }
    }
  }

  private mutating func isExcluded(_ instant: Int) -> Bool {
    // Days may overlap instants, so some before the present one may still count.
    while nextExcluded < set.excluded.count, set.excluded[nextExcluded].upperBound < instant {
      nextExcluded += 1
    }
    var index = nextExcluded
    while index < set.excluded.count, set.excluded[index].lowerBound <= instant {
      if set.excluded[index].upperBound >= instant { return true }
      index += 1
    }
    return false
  }

  // MARK: - The rule

  @inline(__always)
  private mutating func nextOfRule() -> (instant: Int, ruled: Int) {
    guard left > 0 else { return (.max, .min) }
    var found = (instant: Int.max, ruled: Int.min)
    if let next = calendar?.next() {
      found = next
    } else if !elapsed.isEmpty {
      found.instant = elapsed[0].next()
      if found.instant == .max, elapsed[0].isGivenUp { failure = RecurrenceSet.tooManySteps }
    }
    guard found.instant <= lastInstant, found.instant != .max else {
      left = 0
      return (.max, .min)
    }
    left -= 1
    return found
  }

  /// How many places were looked at for steps in elapsed time.
  var steps: Int { elapsed.isEmpty ? 0 : elapsed[0].steps }

  /// Counts what comes before an instant.
  private mutating func passBy(until instant: Int) {
    for _ in 0..<RecurrenceSet.maximumSteps {
      if steps > RecurrenceSet.maximumSteps { break }
      let found = nextOfRule()
      if found.instant == .max { return }
      if found.instant >= instant {
        ahead = found
        isPlain = false
        return
      }
    }
    left = 0
    failure = RecurrenceSet.tooManySteps
  }
}
