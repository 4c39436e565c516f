import Arrivals
import Fencing
import Geodesy
import Timeline
import Traces

/// Where a ladder cannot change, and need not be looked at.
struct LadderRest: Sendable {
  /// The aim that the ladder belongs to.
  let aim: Int
  /// The ladder for which it holds.
  let ladder: Ladder
  /// Where that would change.
  ///
  /// A ladder has two such boundaries at most; no array of them, for rests are copied all the time.
  let boundary: Boundary?
  let otherBoundary: Boundary?
  /// A position, and how far one can be from it in a straight line.
  var center: SurfacePoint
  var chordMeters: Double
}

/// The circle within which no ladder can change.
struct StillCircle: Sendable {
  let at: Coordinate
  let center: SurfacePoint
  let chordSquared: Double
}

/// Between two positions at which something changes, most ladders are far from any boundary. Each has
/// a circle of its own, measured when it was last left; a fix is compared with those, and with the
/// targets only where a circle was left.
extension PlaceWatch {
  /// Whether a ladder cannot have changed on the way to a position.
  ///
  /// - Parameter start: where the way began, if one is known. Of a stream every fix was looked at, so
  ///   the way began in the circle; a sleeping app may have been far outside of it.
  func isResting(
    _ i: Int,
    _ ladder: Ladder,
    at point: SurfacePoint,
    from start: SurfacePoint?
  ) -> Bool {
    guard rests.indices.contains(i), let rest = rests[i], rest.ladder == ladder,
      !ladder.needsNextFix
    else { return false }
    let reach = rest.chordMeters * rest.chordMeters
    return rest.center.chordSquared(to: point) <= reach
      && start.map { rest.center.chordSquared(to: $0) <= reach } ?? true
  }

  /// Lets the ladders rest around a position that was observed: one of a stream, or one that an app
  /// follows.
  mutating func restStill(around fix: Fix, at known: SurfacePoint? = nil) {
    let point = known ?? SurfacePoint(fix.coordinate)
    if rests.count != targets.count { rests = [LadderRest?](repeating: nil, count: targets.count) }
    var least = Self.largestStillMeters
    for a in state.aims.indices where state.aims[a].isLive {
      for i in state.aims[a].range {
        let ladder = state.ladders[i].ladder
        var chord = 0.0
        if let rest = rests[i], rest.ladder == ladder {
          let left = restLeft(rest, at: point)
          if left > rest.chordMeters * Self.restWorthKeeping { chord = left }
        }
        if chord <= 0 { chord = measureRest(a, i, ladder, from: point) }
        least = min(least, chord)
      }
    }
    if seesEveryFix {
      still = StillCircle(at: fix.coordinate, center: point, chordSquared: least * least)
    }
  }

  /// Measures anew those ladders whose circle was left, if no boundary can have been crossed.
  ///
  /// - Parameter known: the point of the fix before, where it is known.
  /// - Returns: false where the targets must be looked at; then nothing is changed that counts.
  mutating func restAnew(
    _ fix: Fix,
    at point: SurfacePoint,
    previous: Fix?,
    _ known: SurfacePoint? = nil
  ) -> Bool {
    guard let previous, !rests.isEmpty else { return false }
    var least = Self.largestStillMeters
    var cameFrom: SurfacePoint?
    // Where there is a circle in which nothing can change, every ladder has one, and stands as it did.
    for i in rests.indices {
      guard let rest = rests[i] else { continue }
      var chord = restLeft(rest, at: point)
      if chord <= rest.chordMeters * Self.restWorthKeeping {
        let isInside = chord >= 0
        chord = measureRest(rest.aim, i, rest.ladder, from: point)
        if !isInside {
          let before = cameFrom ?? known ?? SurfacePoint(previous.coordinate)
          cameFrom = before
          let chordBefore = restLeft(rest, at: before)
          // Each point of the way here is nearer to one of its ends than the boundaries are.
          guard chord > 0, chordBefore >= 0,
            chordBefore + chord > before.chordSquared(to: point).squareRoot()
          else {
            rests[i] = nil
            return false
          }
        }
      }
      least = min(least, chord)
    }
    still = StillCircle(at: fix.coordinate, center: point, chordSquared: least * least)
    return true
  }

  /// How much of a circle is left around a position; negative outside.
  private func restLeft(_ rest: LadderRest, at point: SurfacePoint) -> Double {
    rest.chordMeters - rest.center.chordSquared(to: point).squareRoot()
  }

  private mutating func measureRest(
    _ a: Int,
    _ i: Int,
    _ ladder: Ladder,
    from point: SurfacePoint
  ) -> Double {
    effort.measures += 1
    if rests[i]?.ladder != ladder {
      let boundaries = ladder.watchedBoundaries(state.aims[a].plan.shape, fencing)
      precondition(boundaries.count <= 2, "a ladder with more than two boundaries cannot rest")
      rests[i] = LadderRest(
        aim: a,
        ladder: ladder,
        boundary: boundaries.first,
        otherBoundary: boundaries.dropFirst().first,
        center: point,
        chordMeters: 0
      )
    }
    guard let rest = rests[i] else { return 0 }
    var slack = Double.infinity
    if let boundary = rest.boundary {
      slack = slackMeters(of: boundary, around: targets[i], from: point)
    }
    if let boundary = rest.otherBoundary {
      slack = min(slack, slackMeters(of: boundary, around: targets[i], from: point))
    }
    let chord = chordSquared(arcMeters: min(slack, Self.largestStillMeters)).squareRoot()
    rests[i]?.center = point
    rests[i]?.chordMeters = chord
    return chord
  }

  private mutating func slackMeters(
    of boundary: Boundary,
    around resolved: ResolvedTarget,
    from point: SurfacePoint
  ) -> Double {
    catalog.slackMeters(
      of: boundary,
      around: resolved.target,
      arrival: resolved.arrival,
      from: point,
      &near
    )
  }

  /// Beyond 1 000 km the measure is coarser; a larger circle is not needed.
  private static let largestStillMeters = 1_000_000.0
  /// A circle of which less than this share is left is measured anew: it would soon be left.
  private static let restWorthKeeping = 0.25

  // MARK: Many fixes at once

  /// Takes in the fixes of a stream as long as they change nothing but the newest position.
  ///
  /// - Parameter end: an instant at which something else happens.
  /// - Parameter timer: when the host wakes the engine next.
  /// - Returns: how many rows from the first of the range on were taken in.
  mutating func rest(
    through rows: FixColumns.Rows,
    _ range: Range<Int>,
    before end: Timestamp,
    timer: Timestamp?
  ) -> Int {
    let first = range.lowerBound
    var row = first
    while row < range.upperBound {
      row += restStill(through: rows, row..<range.upperBound, before: end, timer: timer)
      guard row < range.upperBound, restAnew(rows.fix(row), before: end, timer: timer) else {
        break
      }
      row += 1
    }
    return row - first
  }

  /// Takes in fixes as long as they stay in the circle in which nothing can change.
  private mutating func restStill(
    through rows: FixColumns.Rows,
    _ range: Range<Int>,
    before end: Timestamp,
    timer: Timestamp?
  ) -> Int {
    guard !isUndecided, let still, let last = state.gate.last,
      let chordSquared = chordSquaredAsleep(in: still)
    else { return 0 }
    let count = RestingCircle(around: still.at, chordSquared: chordSquared)
      .count(
        rows,
        range,
        before: min(end, timer ?? end).milliseconds,
        after: last,
        gateSettings
      )
    let quiet = quietFixes(count, timer)
    guard quiet > 0 else { return 0 }
    let fix = rows.fix(range.lowerBound + quiet - 1)
    pass(fix, at: SurfacePoint(fix.coordinate))
    playback?.skip(quiet)
    return quiet
  }

  /// Takes in a fix that leaves the circle, if another can be drawn around it.
  ///
  /// - Returns: false where the targets must be looked at, or the fix may be refused.
  private mutating func restAnew(_ fix: Fix, before end: Timestamp, timer: Timestamp?) -> Bool {
    guard !isUndecided, !mustLook, still != nil, quietFixes(1, timer) == 1,
      fix.at < min(end, timer ?? end)
    else { return false }
    let point = SurfacePoint(fix.coordinate)
    guard sleeps(through: point), state.gate.lets(fix, at: point, gateSettings) else {
      return false
    }
    let known = state.gate.last?.at == state.lastFix?.at ? state.gate.lastPoint : nil
    guard restAnew(fix, at: point, previous: state.lastFix, known) else {
      mustLook = true
      return false
    }
    pass(fix, at: point)
    playback?.skip(1)
    return true
  }

  /// Leaves out of some fixes at which nothing happens to ladders those at which something is weighed.
  ///
  /// - Returns: how many are left.
  private func quietFixes(_ count: Int, _ timer: Timestamp?) -> Int {
    guard count > 0, let playback else { return count }
    return playback.quietFixes(atMost: count, timer)
  }

  private mutating func pass(_ fix: Fix, at point: SurfacePoint) {
    state.gate.accept(fix, at: point)
    state.lastFix = fix
  }
}
