import Fencing
import Geodesy
import Timeline
import Traces

/// A phone beside a fence that is smaller than any region, and inside of the region that is watched instead.
package struct RestBeside: Hashable, Sendable, Codable {
  /// Where it came to rest, or was last seen to move.
  package let anchor: Coordinate
  /// Since when it has been there.
  package var since: Timestamp
  /// When it is looked where it is, if nothing tells of that before; nil while every position is asked for.
  package var lookAt: Timestamp?
}

/// Inside the region of a fence that is smaller than it, only the next positions say whether the fence is reached.
/// Who sits there for hours would have the receiver on for hours: so one who has come to rest is looked for now and then.
extension RegionWatch {
  /// Whether the phone has come to rest beside a fence that is smaller than the smallest region.
  ///
  /// While the app follows and its receiver may rest, a position every so often comes by itself, and one as soon as the
  /// phone is moved; else a timer asks for it.
  mutating func rests(_ isBeside: Bool, at fix: Fix, _ now: Timestamp, _ needs: Needs) -> Bool {
    let interval = policy.easedInterval
    guard isBeside, interval > Milliseconds(0), needs.hasTimers || needs.easing != nil else {
      state.beside = nil
      return false
    }
    let reachMeters = max(Self.restMeters, fix.horizontalAccuracyMeters)
    guard let known = state.beside,
      fix.coordinate.distanceMeters(to: known.anchor) <= reachMeters
    else {
      state.beside = RestBeside(anchor: fix.coordinate, since: now)
      return false
    }
    guard now - known.since >= policy.easesAfter else {
      state.beside?.lookAt = nil
      return false
    }
    let slack = needs.easing == nil ? Milliseconds(0) : policy.patience
    state.beside?.lookAt = now + interval + slack
    return true
  }

  /// Whether it is time to look where the phone is that rests beside a fence; then the next time is set.
  package mutating func takeLook(at now: Timestamp) -> Bool {
    guard let lookAt = state.beside?.lookAt, lookAt <= now else { return false }
    let interval = max(policy.easedInterval, Milliseconds.seconds(1))
    state.beside?.lookAt = now + interval
    return true
  }

  /// Who has gone so far is not at rest any more.
  ///
  /// - Source: judgment: farther than a receiver in the open is wrong by, and a few steps beside a fence of 30 m.
  private static let restMeters = 25.0
}
