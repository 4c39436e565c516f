import Timeline
import Traces

extension Engine {
  /// Takes in the fixes of a stream as long as they change nothing but the newest position.
  ///
  /// The same as ``handle(_:)`` with each of them in turn, of which no effect would come.
  ///
  /// - Parameter end: an instant at which something else happens.
  /// - Returns: how many rows from the first of the range on were taken in.
  /// - Complexity: a few nanoseconds a fix.
  package mutating func rest(
    through rows: FixColumns.Rows,
    _ range: Range<Int>,
    before end: Timestamp
  ) -> Int {
    guard monitoring == .everyFix, !isUndecided, let still, let last = state.gate.last,
      let chordSquared = chordSquaredAsleep(around: still.centre, within: still.chordSquared)
    else { return 0 }
    let count = RestingCircle(around: still.at, chordSquared: chordSquared)
      .count(
        rows,
        range,
        before: min(end, state.wakeAt ?? end).milliseconds,
        after: last,
        policy.gate
      )
    guard count > 0 else { return 0 }
    let fix = rows.fix(range.lowerBound + count - 1)
    state.gate.accept(fix)
    state.lastFix = fix
    state.now = max(fix.at, state.now ?? fix.at)
    return count
  }
}
