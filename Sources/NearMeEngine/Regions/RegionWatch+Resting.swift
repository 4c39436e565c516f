import Fencing
import Geodesy
import Timeline
import Traces

/// A phone beside a fence that is smaller than any region, and inside of the region that is watched instead.
package struct RestBeside: Hashable, Sendable, Codable {
  /// Where it is, as the mean of its positions there says.
  package private(set) var anchor: Coordinate
  /// Since when it has been there.
  package var since: Timestamp
  /// When it is looked where it is, if nothing tells of that before; nil while every position is asked for, and while the
  /// one that was asked for then is awaited.
  package var lookAt: Timestamp?
  /// How many positions the mean is of.
  private var count = 1.0
  /// What they count for together: the exacter one is, the more.
  private var weight: Double
  /// How many positions in a row were farther off than it reaches.
  private(set) var outliersInARow = 0

  init(at fix: Fix, since instant: Timestamp) {
    anchor = fix.coordinate
    since = instant
    weight = Self.weight(of: fix)
  }

  /// Takes in the next position.
  ///
  /// - Returns: whether it may be of a phone that has not moved.
  mutating func takes(_ fix: Fix) -> Bool {
    let accuracy = max(fix.horizontalAccuracyMeters, Self.leastAccuracyMeters)
    let both = (accuracy * accuracy + count / weight).squareRoot()
    let reachMeters = max(Self.restMeters, Self.deviations * both)
    guard fix.coordinate.distanceMeters(to: anchor) <= reachMeters else {
      outliersInARow += 1
      return outliersInARow < Self.mostOutliersInARow
    }
    outliersInARow = 0
    (count, weight) = (count + 1, weight + Self.weight(of: fix))
    let share = Self.weight(of: fix) / weight
    let plane = LocalPlane(origin: anchor)
    let (east, north) = plane.project(fix.coordinate)
    anchor = plane.coordinate(eastMeters: east * share, northMeters: north * share)
    return true
  }

  private static func weight(of fix: Fix) -> Double {
    let accuracy = max(fix.horizontalAccuracyMeters, leastAccuracyMeters)
    return 1 / (accuracy * accuracy)
  }

  /// Who has gone so far is not at rest any more.
  ///
  /// - Source: judgment: farther than a receiver in the open is wrong by, and a few steps beside a fence of 30 m.
  private static let restMeters = 25.0

  /// So many accuracies of both positions are no way that was gone.
  ///
  /// - Source: an accuracy is a radius of 68 %, 1.51 deviations: beyond twice that lies one of a hundred. Of receivers
  ///   that claim one deviation it is one of eight.
  private static let deviations = 2.0

  /// A single position may be far off, and the next one tells.
  ///
  /// - Source: simulated errors of 4 to 43 m that last for 30 to 300 s: with it, the receiver is on for 5 to 9 % of eight
  ///   hours.
  private static let mostOutliersInARow = 2

  /// What claims to be exacter is not believed.
  private static let leastAccuracyMeters = 5.0
}

/// Inside the region of a fence that is smaller than it, only the next positions say whether the fence is reached.
/// Who sits there for hours would have the receiver on for hours: so one who has come to rest is looked for now and then.
extension RegionWatch {
  /// Whether the phone has come to rest beside a fence that is smaller than the smallest region.
  ///
  /// While the app follows and its receiver may rest, a position every so often comes by itself, and one as soon as the
  /// phone is moved; else a timer asks for it, where timers wake an app that sleeps.
  mutating func rests(_ isBeside: Bool, at fix: Fix, _ now: Timestamp, _ needs: Needs) -> Bool {
    let interval = policy.easedInterval
    let isWoken = needs.easing != nil || (needs.hasTimers && policy.sleepingTimers == .wake)
    guard interval > Milliseconds(0), isWoken else {
      state.beside = nil
      return false
    }
    guard isBeside else {
      // An error of the receiver may have carried it across an edge, and the next one carries it back.
      guard var known = state.beside, known.takes(fix), known.outliersInARow == 0 else {
        state.beside = nil
        return false
      }
      known.lookAt = nil
      state.beside = known
      return false
    }
    guard var beside = state.beside, beside.takes(fix) else {
      state.beside = RestBeside(at: fix, since: now)
      return false
    }
    let isAtRest = now - beside.since >= policy.easesAfter
    beside.lookAt = isAtRest ? now + self.interval(after: beside, needs) : nil
    state.beside = beside
    return isAtRest
  }

  /// How long nobody looks after a position.
  ///
  /// Who may have moved is looked for sooner; where the app follows, motion itself tells.
  private func interval(after beside: RestBeside, _ needs: Needs) -> Milliseconds {
    if needs.easing != nil { return policy.easedInterval + policy.patience }
    return beside.outliersInARow == 0
      ? policy.easedInterval : min(policy.easedInterval, Self.secondLook)
  }

  /// Whether it is time to look where the phone is that rests beside a fence.
  ///
  /// The position that is then asked for sets the next time: what catches up after months looks once.
  package mutating func takeLook(at now: Timestamp) -> Bool {
    guard let lookAt = state.beside?.lookAt, lookAt <= now else { return false }
    state.beside?.lookAt = nil
    return true
  }

  /// Sets when it is asked for again if nothing good comes of what is asked for now.
  mutating func awaitLook(at now: Timestamp, _ needs: Needs) {
    guard needs.needsPosition, let beside = state.beside, beside.lookAt == nil else { return }
    let again = now + max(policy.easedInterval, Milliseconds.seconds(1))
    state.beside?.lookAt = again
  }

  /// So long after a position that is farther off than others the next one is looked at.
  ///
  /// - Source: judgment: errors in a city last for half a minute, and who walks on is not lost for longer.
  private static let secondLook = Milliseconds.seconds(60)
}
