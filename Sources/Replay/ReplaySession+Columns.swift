import NearMeEngine
import OutputLines
import Timeline
import Traces

extension ReplaySession {
  /// Takes in fixes as long as nothing comes of them but wakes by the app's own timer.
  ///
  /// The same as ``consume(_:)`` with each of them in turn.
  ///
  /// - Returns: how many rows from the first of the range on were taken in, and the wakes; the next row may be any.
  /// - Complexity: a few nanoseconds a fix where nothing is near.
  package mutating func skip(
    through rows: FixColumns.Rows,
    _ range: Range<Int>
  ) -> (count: Int, wakes: [ReplayLine]) {
    guard hasLaunched, following == nil, batch == nil, access == .always, !isKilled else {
      return (0, [])
    }
    let action = actions.first?.at ?? Timestamp(milliseconds: .max)
    let end = min(action, wakeAt ?? action)
    var timers: [Timestamp] = []
    var count = 0
    if phone != nil {
      count = phone?.skip(through: rows, range, before: end) ?? 0
    } else if twin != nil {
      count = twin?.skip(through: rows, range, before: end) ?? 0
    } else {
      // Whoever keeps what the engine is sent, or looks at what it does, sees each timer.
      let passesTimers =
        events == nil && log == nil && follower == nil && !checksCertificates
        && wakeAt == engine.nextTimer
      (count, timers) = engine.skip(
        through: rows,
        atHome(rows, range),
        before: passesTimers ? action : end,
        passesTimers: passesTimers
      )
      if passesTimers { wakeAt = engine.nextTimer }
    }
    if count > 0 {
      summary.note(fixes: count, last: rows.at[range.lowerBound + count - 1])
    }
    return (count, timers.isEmpty ? [] : wakes(by: timers))
  }

  /// The first of some rows that need no other part of the catalog; some thousand at a time.
  private func atHome(_ rows: FixColumns.Rows, _ range: Range<Int>) -> Range<Int> {
    guard let follower else { return range }
    let most = min(range.upperBound, range.lowerBound + 1_024)
    var end = range.lowerBound
    while end < most, follower.isAtHome(rows.fix(end).coordinate) { end += 1 }
    return range.lowerBound..<end
  }

  /// Takes in the trace's next points.
  ///
  /// - Parameter tell: is given what happens, in order of time, and the row of the fix by which it
  ///   happened; nil for a point that became no fix, and for timers. Where nothing happens it is not called.
  /// - Throws: what ``consume(_:)`` and `tell` throw.
  package mutating func consume(
    _ columns: FixColumns,
    _ tell: (_ lines: [ReplayLine], _ row: Int?) throws -> Void
  ) throws {
    let rows = columns.rows
    var row = 0
    for refused in columns.refused {
      try consume(rows, row..<refused.row, tell)
      row = refused.row
      try tell(refuse(refused.refusal), nil)
    }
    try consume(rows, row..<columns.count, tell)
  }

  /// Takes in some of the trace's next fixes.
  ///
  /// - Parameter tell: as for ``consume(_:_:)``.
  package mutating func consume(
    _ rows: FixColumns.Rows,
    _ range: Range<Int>,
    _ tell: (_ lines: [ReplayLine], _ row: Int?) throws -> Void
  ) throws {
    var row = range.lowerBound
    while row < range.upperBound {
      let (rested, wakes) = skip(through: rows, row..<range.upperBound)
      row += rested
      if !wakes.isEmpty { try tell(wakes, nil) }
      // A phone looks only so far ahead.
      if rested > 0, phone != nil { continue }
      guard row < range.upperBound else { return }
      exactFixes += 1
      let lines = try consume(rows.fix(row))
      if !lines.isEmpty { try tell(lines, row) }
      row += 1
    }
  }
}

extension IdealTwin {
  /// Takes in fixes as long as they change nothing but the newest position.
  ///
  /// The same as ``consume(_:)`` with each of them in turn, of which all would be silent.
  ///
  /// - Returns: how many rows from the first of the range on were taken in.
  mutating func skip(
    through rows: FixColumns.Rows,
    _ range: Range<Int>,
    before end: Timestamp
  ) -> Int {
    guard !isAskedForNext, followUntil == nil, let calm, let last = gate.last else { return 0 }
    let count = CalmColumns(around: calm.at, chordSquared: calm.chordSquared)
      .count(rows, range, before: end.milliseconds, after: last, gateSettings)
    if count > 0 { gate.accept(rows.fix(range.lowerBound + count - 1)) }
    return count
  }
}
