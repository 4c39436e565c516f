import Arrivals
import Fencing
import Geodesy
import Timeline
import Traces

/// Where a ladder cannot change, and need not be looked at.
struct LadderCalm: Sendable {
  /// The aim that the ladder belongs to.
  let aim: Int
  /// The ladder for which it holds.
  let ladder: Ladder
  /// Where that would change.
  ///
  /// A ladder has two such boundaries at most; no array of them, for these are copied all the time.
  let boundary: Boundary?
  let otherBoundary: Boundary?
  /// A position, and how far one can be from it in a straight line.
  var center: SurfacePoint
  var chordMeters: Double
}

/// The circle within which no ladder can change.
struct CalmCircle: Sendable {
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
  func isCalm(
    _ i: Int,
    _ ladder: Ladder,
    at point: SurfacePoint,
    from start: SurfacePoint?
  ) -> Bool {
    guard ladderCalms.indices.contains(i), let own = ladderCalms[i], own.ladder == ladder,
      !ladder.needsNextFix
    else { return false }
    let reach = own.chordMeters * own.chordMeters
    return own.center.chordSquared(to: point) <= reach
      && start.map { own.center.chordSquared(to: $0) <= reach } ?? true
  }

  /// Draws the calm circles around a position that was observed: one of a stream, or one that an app
  /// follows.
  mutating func drawCalm(around fix: Fix, at known: SurfacePoint? = nil) {
    let point = known ?? SurfacePoint(fix.coordinate)
    if ladderCalms.count != targets.count {
      ladderCalms = [LadderCalm?](repeating: nil, count: targets.count)
    }
    var least = Self.largestCalmMeters
    for a in state.aims.indices where state.aims[a].isLive {
      for i in state.aims[a].range {
        let ladder = state.ladders[i].ladder
        var chord = 0.0
        if let own = ladderCalms[i], own.ladder == ladder {
          let left = calmLeft(own, at: point)
          if left > own.chordMeters * Self.calmWorthKeeping { chord = left }
        }
        if chord <= 0 { chord = measureCalm(a, i, ladder, from: point) }
        least = min(least, chord)
      }
    }
    if seesEveryFix {
      calm = CalmCircle(at: fix.coordinate, center: point, chordSquared: least * least)
    }
  }

  /// Measures anew those ladders whose circle was left, if no boundary can have been crossed.
  ///
  /// - Parameter known: the point of the fix before, where it is known.
  /// - Returns: false where the targets must be looked at; then nothing is changed that counts.
  mutating func redrawCalm(
    _ fix: Fix,
    at point: SurfacePoint,
    previous: Fix?,
    _ known: SurfacePoint? = nil
  ) -> Bool {
    guard let previous, !ladderCalms.isEmpty else { return false }
    var least = Self.largestCalmMeters
    var cameFrom: SurfacePoint?
    // Where there is a circle in which nothing can change, every ladder has one, and stands as it did.
    for i in ladderCalms.indices {
      guard let own = ladderCalms[i] else { continue }
      var chord = calmLeft(own, at: point)
      if chord <= own.chordMeters * Self.calmWorthKeeping {
        let isInside = chord >= 0
        chord = measureCalm(own.aim, i, own.ladder, from: point)
        if !isInside {
          let before = cameFrom ?? known ?? SurfacePoint(previous.coordinate)
          cameFrom = before
          let chordBefore = calmLeft(own, at: before)
          // Each point of the way here is nearer to one of its ends than the boundaries are.
          guard chord > 0, chordBefore >= 0,
            chordBefore + chord > before.chordSquared(to: point).squareRoot()
          else {
            ladderCalms[i] = nil
            return false
          }
        }
      }
      least = min(least, chord)
    }
    calm = CalmCircle(at: fix.coordinate, center: point, chordSquared: least * least)
    return true
  }

  /// How much of a circle is left around a position; negative outside.
  private func calmLeft(_ own: LadderCalm, at point: SurfacePoint) -> Double {
    own.chordMeters - own.center.chordSquared(to: point).squareRoot()
  }

  private mutating func measureCalm(
    _ a: Int,
    _ i: Int,
    _ ladder: Ladder,
    from point: SurfacePoint
  ) -> Double {
    effort.measures += 1
    if ladderCalms[i]?.ladder != ladder {
      let boundaries = ladder.watchedBoundaries(
        state.aims[a].plan.shape,
        made.value.fencing(of: state.aims[a])
      )
      precondition(boundaries.count <= 2, "a ladder with more than two boundaries cannot be calm")
      ladderCalms[i] = LadderCalm(
        aim: a,
        ladder: ladder,
        boundary: boundaries.first,
        otherBoundary: boundaries.dropFirst().first,
        center: point,
        chordMeters: 0
      )
    }
    guard let own = ladderCalms[i] else { return 0 }
    var slack = Double.infinity
    if let boundary = own.boundary {
      slack = slackMeters(of: boundary, around: targets[i], from: point)
    }
    if let boundary = own.otherBoundary {
      slack = min(slack, slackMeters(of: boundary, around: targets[i], from: point))
    }
    let chord = chordSquared(arcMeters: min(slack, Self.largestCalmMeters)).squareRoot()
    ladderCalms[i]?.center = point
    ladderCalms[i]?.chordMeters = chord
    return chord
  }

  private mutating func slackMeters(
    of boundary: Boundary,
    around resolved: ResolvedTarget,
    from point: SurfacePoint
  ) -> Double {
    // Not by way of the watch, which is being changed: all of it would be copied.
    let catalog = catalog
    return catalog.slackMeters(
      of: boundary,
      around: resolved.target,
      arrival: resolved.arrival,
      from: point,
      &near
    )
  }

  /// Beyond 1 000 km the measure is coarser; a larger circle is not needed.
  private static let largestCalmMeters = 1_000_000.0
  /// A circle of which less than this share is left is measured anew: it would soon be left.
  private static let calmWorthKeeping = 0.25

  // MARK: Many fixes at once

  /// Takes in the fixes of a stream as long as they change nothing but the newest position.
  ///
  /// - Parameter end: an instant at which something else happens.
  /// - Parameter timer: the host's, which goes on as nothing comes of it.
  /// - Returns: how many rows from the first of the range on were taken in.
  mutating func skip(
    through rows: FixColumns.Rows,
    _ range: Range<Int>,
    before end: Timestamp,
    _ timer: inout HostTimer
  ) -> Int {
    let first = range.lowerBound
    var row = first
    // What was weighed ahead is taken in as any other fix, also where the detector has fallen asleep at it.
    while row < range.upperBound, foreseen == nil {
      row += skipCalm(through: rows, row..<range.upperBound, before: end, timer: timer.next)
      guard row < range.upperBound else { break }
      if redrawCalm(rows.fix(row), before: end, timer: timer.next) {
        row += 1
        continue
      }
      let left = row..<range.upperBound
      var weighed = playCalm(through: rows, left, before: end, &timer)
      if weighed == 0, foreseen == nil {
        weighed = weighCalm(through: rows, left, before: end, &timer)
      }
      if weighed == 0 { break }
      row += weighed
    }
    return row - first
  }

  /// Lets the arrival detector see fixes, and silence, as long as it finds nothing in them and no ladder can change.
  ///
  /// Near places it looks at every fix, and of nearly all of them nothing comes. Of what ends this
  /// it has weighed what it is; ``weigh(_:at:before:awakeUntil:)`` or ``weighSilence(upTo:awakeUntil:)`` then has
  /// the answer ready.
  private mutating func weighCalm(
    through rows: FixColumns.Rows,
    _ range: Range<Int>,
    before end: Timestamp,
    _ timer: inout HostTimer
  ) -> Int {
    guard !isUndecided, !mustLook, !sources.isEmpty || state.arrivals.detector != nil,
      !state.lateness.isInBatches, var middle = calm
    else { return 0 }
    var row = range.lowerBound
    while row < range.upperBound {
      let fix = rows.fix(row)
      guard fix.at < end, pass(&timer, upTo: fix.at) else { break }
      let point = SurfacePoint(fix.coordinate)
      guard state.gate.lets(fix, at: point, gateSettings) else { break }
      let (findings, needsTimer) = weigh(fix, at: point, before: timer.next, awakeUntil: nil)
      var isCalm = findings.isEmpty && (!needsTimer || timer.passes(fix.at))
      if isCalm, point.chordSquared(to: middle.center) > middle.chordSquared {
        isCalm = redrawCalm(fix, at: point, previous: state.lastFix)
        mustLook = !isCalm
        if let calm { middle = calm }
      }
      guard isCalm else {
        foreseen = FoundAhead(at: fix.at, findings: findings, isFix: true, needsTimer: needsTimer)
        break
      }
      if needsTimer { timer.set(forTick: nextTick) }
      pass(fix, at: point)
      state.lateness.note(fix.at, heardAt: fix.at)
      row += 1
      // Asleep again, it looks at circles and not at fixes.
      if !sources.isEmpty || state.arrivals.detector?.calmWithin != nil { break }
    }
    return row - range.lowerBound
  }

  /// Lets a source play as long as it finds nothing and no ladder can change.
  private mutating func playCalm(
    through rows: FixColumns.Rows,
    _ range: Range<Int>,
    before end: Timestamp,
    _ timer: inout HostTimer
  ) -> Int {
    guard !sources.isEmpty, !isUndecided, !mustLook, !state.lateness.isInBatches, let calm,
      let last = state.gate.last
    else { return 0 }
    let inside = CalmColumns(around: calm.at, chordSquared: calm.chordSquared)
      .count(rows, range, before: end.milliseconds, after: last, gateSettings)
    guard inside > 0 else { return 0 }
    let times = UnsafeBufferPointer(start: UnsafePointer(rows.at) + range.lowerBound, count: inside)
    let (count, found) = sources[0].play(times, &timer)
    foreseen = found
    guard count > 0 else { return 0 }
    let fix = rows.fix(range.lowerBound + count - 1)
    pass(fix, at: SurfacePoint(fix.coordinate))
    state.lateness.note(fix.at, heardAt: fix.at)
    return count
  }

  /// Lets those of the host's timers come that are due by an instant, as long as nothing comes of them.
  ///
  /// - Returns: false where one is left to come.
  private mutating func pass(_ timer: inout HostTimer, upTo instant: Timestamp) -> Bool {
    while let due = timer.next, due <= instant {
      guard timer.passes(due) else { return false }
      while let tick = nextTick, tick <= due {
        let findings = look(upTo: tick)
        guard findings.isEmpty else {
          foreseen = FoundAhead(at: tick, findings: findings, isFix: false, needsTimer: false)
          return false
        }
      }
      timer.pass(forTick: nextTick)
    }
    return true
  }

  /// Takes in fixes as long as they stay in the circle in which nothing can change.
  private mutating func skipCalm(
    through rows: FixColumns.Rows,
    _ range: Range<Int>,
    before end: Timestamp,
    timer: Timestamp?
  ) -> Int {
    guard !isUndecided, let calm, let last = state.gate.last,
      let chordSquared = calmChordSquared(in: calm)
    else { return 0 }
    let count = CalmColumns(around: calm.at, chordSquared: chordSquared)
      .count(
        rows,
        range,
        before: min(end, timer ?? end).milliseconds,
        after: last,
        gateSettings
      )
    let calmCount = calmFixes(count, timer)
    guard calmCount > 0 else { return 0 }
    let fix = rows.fix(range.lowerBound + calmCount - 1)
    pass(fix, at: SurfacePoint(fix.coordinate))
    if !sources.isEmpty { sources[0].skip(calmCount) }
    return calmCount
  }

  /// Takes in a fix that leaves the circle, if another can be drawn around it.
  ///
  /// - Returns: false where the targets must be looked at, or the fix may be refused.
  private mutating func redrawCalm(_ fix: Fix, before end: Timestamp, timer: Timestamp?) -> Bool {
    guard !isUndecided, !mustLook, calm != nil, calmFixes(1, timer) == 1,
      fix.at < min(end, timer ?? end)
    else { return false }
    let point = SurfacePoint(fix.coordinate)
    guard isCalm(at: point), state.gate.lets(fix, at: point, gateSettings) else {
      return false
    }
    let known = state.gate.last?.at == state.lastFix?.at ? state.gate.lastPoint : nil
    guard redrawCalm(fix, at: point, previous: state.lastFix, known) else {
      mustLook = true
      return false
    }
    pass(fix, at: point)
    if !sources.isEmpty { sources[0].skip(1) }
    return true
  }

  /// Leaves out of some fixes at which nothing happens to ladders those at which something is weighed.
  ///
  /// - Returns: how many are left.
  private func calmFixes(_ count: Int, _ timer: Timestamp?) -> Int {
    guard count > 0, !sources.isEmpty else { return count }
    return sources[0].calmFixes(atMost: count, timer)
  }

  private mutating func pass(_ fix: Fix, at point: SurfacePoint) {
    state.gate.accept(fix, at: point)
    state.lastFix = fix
  }
}
