import Arrivals
import Geodesy
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
    guard monitoring == .everyFix else { return 0 }
    let first = range.lowerBound
    var row = first
    while row < range.upperBound {
      row += restStill(through: rows, row..<range.upperBound, before: end)
      guard row < range.upperBound, restAnew(rows.fix(row), before: end) else { break }
      row += 1
    }
    return row - first
  }

  /// Takes in fixes as long as they stay in the circle in which nothing can change.
  private mutating func restStill(
    through rows: FixColumns.Rows,
    _ range: Range<Int>,
    before end: Timestamp
  ) -> Int {
    guard !isUndecided, let still, let last = state.gate.last,
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
    let quiet = quietFixes(count)
    guard quiet > 0 else { return 0 }
    let fix = rows.fix(range.lowerBound + quiet - 1)
    pass(fix, at: SurfacePoint(fix.coordinate))
    playback?.skip(quiet)
    return quiet
  }

  /// Takes in a fix that leaves the circle, if another can be drawn around it.
  ///
  /// - Returns: false where the targets must be looked at, or the fix may be refused.
  private mutating func restAnew(_ fix: Fix, before end: Timestamp) -> Bool {
    guard !isUndecided, !mustLook, still != nil, quietFixes(1) == 1,
      fix.at < min(end, state.wakeAt ?? end)
    else { return false }
    let point = SurfacePoint(fix.coordinate)
    guard sleeps(through: point), state.gate.lets(fix, at: point, policy.gate) else { return false }
    let known = state.gate.last?.at == state.lastFix?.at ? state.gate.lastPoint : nil
    guard restAnew(fix, at: point, previous: state.lastFix, known) else {
      mustLook = true
      return false
    }
    pass(fix, at: point)
    playback?.skip(1)
    return true
  }

  private mutating func pass(_ fix: Fix, at point: SurfacePoint) {
    state.gate.accept(fix, at: point)
    state.lastFix = fix
    state.now = max(fix.at, state.now ?? fix.at)
  }
}
