import Fencing
import Geodesy
import Timeline
import Traces

/// Where a watch's ladder cannot change, and need not be looked at.
struct WatchRest: Sendable {
  /// Whose it is: the reminder and its watch, as indices.
  let r: Int
  let w: Int
  /// The ladder for which it holds.
  let ladder: Ladder
  /// Where that would change.
  ///
  /// A ladder has two such boundaries at most; no array of them, for rests are copied all the time.
  let boundary: Boundary?
  let otherBoundary: Boundary?
  /// A position, and how far one can be from it in a straight line.
  var centre: SurfacePoint
  var chordMeters: Double
}

/// What an engine did, in numbers that do not depend on the machine.
package struct EngineEffort: Hashable, Sendable {
  /// Fixes at which something was looked at.
  package internal(set) var evaluations = 0
  /// Targets that were looked at.
  package internal(set) var sightings = 0
  /// Ladders whose way to the nearest boundary was measured.
  package internal(set) var measures = 0
}

/// Between two positions at which something changes, most ladders are far from any boundary. Each has
/// a circle of its own, measured when it was last left; a fix is compared with those, and with the
/// targets only where a circle was left.
extension Engine {
  /// Whether a reminder may speak at all.
  ///
  /// What `reminder.isLive` says, field by field: to ask the reminder itself would copy all of it, and
  /// that several times for each fix.
  func isLive(_ r: Int) -> Bool {
    state.reminders[r].reminder.status == .active && !state.reminders[r].reminder.isMuted
  }

  /// Whether a ladder cannot have changed on the way to a position.
  ///
  /// - Parameter start: where the way began, if one is known. Of a stream every fix was looked at, so
  ///   the way began in the circle; a sleeping app may have been far outside of it.
  func isResting(
    _ watchIndex: Int,
    _ ladder: Ladder,
    at point: SurfacePoint,
    from start: SurfacePoint?
  ) -> Bool {
    guard rests.indices.contains(watchIndex), let rest = rests[watchIndex],
      rest.ladder == ladder, !ladder.needsNextFix
    else { return false }
    let reach = rest.chordMeters * rest.chordMeters
    return rest.centre.chordSquared(to: point) <= reach
      && start.map { rest.centre.chordSquared(to: $0) <= reach } ?? true
  }

  /// Lets the ladders rest around a position that was observed: one of a stream, or one that an app
  /// follows.
  mutating func restStill(around fix: Fix, at known: SurfacePoint? = nil) {
    let point = known ?? SurfacePoint(fix.coordinate)
    let count = targets.reduce(0) { $0 + $1.count }
    if rests.count != count { rests = [WatchRest?](repeating: nil, count: count) }
    var least = Self.largestStillMeters
    var watchIndex = -1
    for r in state.reminders.indices {
      for w in state.reminders[r].watches.indices {
        watchIndex += 1
        guard isLive(r) else { continue }
        let ladder = state.reminders[r].watches[w].ladder
        var chord = 0.0
        if let rest = rests[watchIndex], rest.ladder == ladder {
          let left = restLeft(rest, at: point)
          if left > rest.chordMeters * Self.restWorthKeeping { chord = left }
        }
        if chord <= 0 { chord = measureRest(watchIndex, r, w, ladder, from: point) }
        least = min(least, chord)
      }
    }
    if monitoring == .everyFix { still = (fix.coordinate, point, least * least) }
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
    for watchIndex in rests.indices {
      guard let rest = rests[watchIndex] else { continue }
      var chord = restLeft(rest, at: point)
      if chord <= rest.chordMeters * Self.restWorthKeeping {
        let isInside = chord >= 0
        chord = measureRest(watchIndex, rest.r, rest.w, rest.ladder, from: point)
        if !isInside {
          let before = cameFrom ?? known ?? SurfacePoint(previous.coordinate)
          cameFrom = before
          let chordBefore = restLeft(rest, at: before)
          // Each point of the way here is nearer to one of its ends than the boundaries are.
          guard chord > 0, chordBefore >= 0,
            chordBefore + chord > before.chordSquared(to: point).squareRoot()
          else {
            rests[watchIndex] = nil
            return false
          }
        }
      }
      least = min(least, chord)
    }
    still = (fix.coordinate, point, least * least)
    return true
  }

  /// How much of a circle is left around a position; negative outside.
  private func restLeft(_ rest: WatchRest, at point: SurfacePoint) -> Double {
    rest.chordMeters - rest.centre.chordSquared(to: point).squareRoot()
  }

  private mutating func measureRest(
    _ watchIndex: Int,
    _ r: Int,
    _ w: Int,
    _ ladder: Ladder,
    from point: SurfacePoint
  ) -> Double {
    effort.measures += 1
    if rests[watchIndex]?.ladder != ladder {
      let boundaries = ladder.watchedBoundaries(state.reminders[r].plan.shape, fencing)
      precondition(boundaries.count <= 2, "a ladder with more than two boundaries cannot rest")
      rests[watchIndex] = WatchRest(
        r: r,
        w: w,
        ladder: ladder,
        boundary: boundaries.first,
        otherBoundary: boundaries.dropFirst().first,
        centre: point,
        chordMeters: 0
      )
    }
    guard let rest = rests[watchIndex] else { return 0 }
    var slack = Double.infinity
    let resolved = targets[r][w]
    if let boundary = rest.boundary {
      slack = slackMeters(of: boundary, around: resolved, from: point)
    }
    if let boundary = rest.otherBoundary {
      slack = min(slack, slackMeters(of: boundary, around: resolved, from: point))
    }
    let chord = chordSquared(arcMeters: min(slack, Self.largestStillMeters)).squareRoot()
    rests[watchIndex]?.centre = point
    rests[watchIndex]?.chordMeters = chord
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

  /// Beyond 1 000 km the measure is coarser; nobody needs a larger circle.
  private static let largestStillMeters = 1_000_000.0
  /// A circle of which less than this share is left is measured anew: it would soon be left.
  private static let restWorthKeeping = 0.25
}
