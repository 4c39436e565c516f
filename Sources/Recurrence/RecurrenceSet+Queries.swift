import Timeline

/// Instants are those of the set's zone. Where it has none, an instant stands for the wall clock that
/// shows in UTC what it is to show.
extension RecurrenceSet {
  /// Walks through the occurrences at or after an instant.
  ///
  /// - Complexity: without COUNT the same wherever it begins; with COUNT it grows with the occurrences
  ///   from the start on, at most ``maximumSteps``.
  public func occurrences(from instant: Timestamp) -> RecurrenceIterator {
    RecurrenceIterator(self, from: second(atOrAfter: instant))
  }

  /// Walks through all occurrences.
  public func occurrences() -> RecurrenceIterator {
    RecurrenceIterator(self, from: .min)
  }

  /// The first occurrence after an instant, or nil if there is none.
  ///
  /// - Throws: ``RecurrenceError`` if it takes more than ``maximumSteps``.
  public func next(after instant: Timestamp) throws(RecurrenceError) -> Occurrence? {
    try first(from: second(after: instant))
  }

  /// The last occurrence before an instant, or nil if there is none.
  ///
  /// - Throws: ``RecurrenceError`` if it takes more than ``maximumSteps``.
  /// - Complexity: without COUNT, O(log of the time since the start) times what the next one costs.
  public func previous(before instant: Timestamp) throws(RecurrenceError) -> Occurrence? {
    let end = second(atOrAfter: instant)
    if rule?.count != nil { return try lastCounted(before: end) }
    let begin = min(
      min(resolvedStart.wall, resolvedStart.instant) - 2 * secondsInDay,
      added.first ?? .max
    )
    // Further and further back, until there is one; then ever closer.
    var reach = 64
    var found: Occurrence?
    while true {
      let from = end - reach
      found = try first(from: max(from, begin), before: end)
      if found != nil || from <= begin { break }
      reach *= 2
    }
    guard var best = found else { return nil }
    var high = end
    while best.second + 1 < high {
      let middle = best.second + (high - best.second + 1) / 2
      if let later = try first(from: middle, before: high) {
        best = later
      } else {
        high = middle
      }
    }
    return best
  }

  /// The occurrences from one instant to another, the end not included, the first so many.
  ///
  /// - Throws: ``RecurrenceError`` if one of them takes more than ``maximumSteps``.
  public func occurrences(
    between start: Timestamp,
    and end: Timestamp,
    limit: Int = .max
  ) throws(RecurrenceError) -> [Occurrence] {
    var iterator = occurrences(from: start)
    let end = second(atOrAfter: end)
    var result: [Occurrence] = []
    while result.count < limit, let next = iterator.next(), next.second < end {
      result.append(next)
    }
    if let failure = iterator.failure { throw failure }
    return result
  }

  /// So many occurrences after an instant, or from the first one on.
  ///
  /// - Throws: ``RecurrenceError`` if one of them takes more than ``maximumSteps``.
  public func occurrences(
    after instant: Timestamp? = nil,
    limit: Int
  ) throws(RecurrenceError) -> [Occurrence] {
    guard limit > 0 else { return [] }
    var iterator = RecurrenceIterator(self, from: instant.map(second(after:)) ?? .min)
    var result: [Occurrence] = []
    while result.count < limit, let next = iterator.next() { result.append(next) }
    if let failure = iterator.failure { throw failure }
    return result
  }

  /// The instant of a time as people write it: of one that the clocks jump over as much later, of one
  /// that they show twice the first.
  public func instant(of time: WrittenTime) -> Timestamp {
    Timestamp(seconds: Int64(TimeReading(zone: zone, gap: gap).shiftedInstant(time)))
  }

  /// Whether an instant is among those that are left out.
  package func leavesOut(_ instant: Timestamp) -> Bool {
    isExcluded(floorQuotient(Int(instant.milliseconds), 1_000))
  }

  // MARK: - Steps

  private func first(
    from second: Int,
    before end: Int = .max
  ) throws(RecurrenceError) -> Occurrence? {
    var iterator = RecurrenceIterator(self, from: second, before: end)
    let next = iterator.next()
    if let failure = iterator.failure { throw failure }
    return next.flatMap { $0.second < end ? $0 : nil }
  }

  private func lastCounted(before end: Int) throws(RecurrenceError) -> Occurrence? {
    var iterator = RecurrenceIterator(self, from: .min)
    var last: Occurrence?
    for _ in 0..<Self.maximumSteps {
      guard let next = iterator.next(), next.second < end else {
        if let failure = iterator.failure { throw failure }
        return last
      }
      last = next
      if iterator.steps > Self.maximumSteps { break }
    }
    throw Self.tooManySteps
  }

  private func second(atOrAfter instant: Timestamp) -> Int {
    let milliseconds = Int(instant.milliseconds)
    let second = floorQuotient(milliseconds, 1_000)
    return floorRemainder(milliseconds, 1_000) == 0 ? second : second + 1
  }

  private func second(after instant: Timestamp) -> Int {
    floorQuotient(Int(instant.milliseconds), 1_000) + 1
  }
}
