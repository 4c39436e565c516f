import Basics
import Geodesy
import Timeline

/// What it means that no fix comes.
extension ArrivalTracker {
  /// When the silence since the last fix is to be looked at next; nil if it would say nothing.
  @inline(__always)
  public var nextTick: Timestamp? {
    guard let track = state.track, let lookedAt = state.lookedAt, isNearSomething else {
      return nil
    }
    let lastFixAt = track.value.stop.lastFixAt
    var earliest = lastFixAt
    if !track.value.stop.isSlow(world.settings.motion), !isSilentAtRest {
      // Whoever was fast beside an own place, and is not heard of for long, has driven in under a roof.
      let position = track.value.position.position
      guard let nearby,
        nearby.hasOwn(withinReachOf: position) || hasOwn(aheadOf: position, nearby)
      else { return nil }
      earliest = lastFixAt + world.settings.decision.ownSilence
    }
    for seconds in world.settings.decision.ticksSeconds {
      let tick = lastFixAt + .seconds(seconds)
      if tick > lookedAt, tick >= earliest { return tick }
    }
    return nil
  }

  /// From when on the fix that was due after the newest has not come; nil before the first.
  package var fixOverdueAt: Timestamp? {
    guard let stop = state.track?.value.stop else { return nil }
    let interval = min(stop.interval, world.settings.stop.longestIntervalSeconds)
    return stop.lastFixAt + Milliseconds(Int64(Self.overdueIntervals * interval * 1_000))
  }

  /// When it is looked at for the first time after that.
  var lookAfterOverdue: Timestamp? {
    guard let overdue = fixOverdueAt, let lastFixAt = state.track?.value.stop.lastFixAt else {
      return nil
    }
    return world.settings.decision.ticksSeconds.lazy.map { lastFixAt + .seconds($0) }
      .first { $0 >= overdue }
  }

  /// After so many of the receiver's own intervals a fix is late.
  ///
  /// - Source: judgment: phones that report each minute do so within some seconds.
  private static let overdueIntervals = 1.2

  /// Notes that the silence has lasted until an instant.
  package mutating func tick(at now: Timestamp) { state.lookedAt = now }

  /// The probability of rest when no fix has come for a while; motion ends some day, and who is silent at rest
  /// has stopped.
  @inline(__always)
  func restInSilence(at now: Timestamp) -> Double {
    guard let rest = state.track?.value.motion.rest,
      let lastFixAt = state.track?.value.stop.lastFixAt
    else {
      return 0.5
    }
    guard rest < 0.5 else { return rest }
    let seconds = (now - lastFixAt).seconds
    let kept = exponential(-2 * seconds / world.settings.motion.meanSpellSeconds)
    guard isSilentAtRest else {
      return 0.5 + (rest - 0.5) * kept
    }
    return 1 - (1 - rest) * max(kept, Self.leastDoubtOfRest)
  }

  /// A person who walks into silence goes on for some part of the usual time between fixes before the sky is
  /// lost: the middle of that way, and its variance.
  func wayIntoSilence(at now: Timestamp) -> (way: PlanePoint, variance: Double) {
    // By its numbers: passing on the track as a whole would copy it.
    guard let track = state.track else { return (.zero, 0) }
    let lastFixAt = track.value.stop.lastFixAt
    if isSilentAtRest, now > lastFixAt {
      // One has stopped before the next fix was due.
      let settings = world.settings.habits
      let ahead = min(state.habits?.leastMeters ?? settings.stayMeters, settings.stayMeters)
      let deviation = settings.aheadDeviation * ahead
      let velocity = track.value.velocity ?? .zero
      let speed = velocity.lengthSquared.squareRoot()
      let way = speed > Self.leastHeading ? velocity * (settings.aheadShare * ahead / speed) : .zero
      return (way, deviation * deviation)
    }
    guard track.value.motion.rest < 0.5, track.value.stop.isSlow(world.settings.motion),
      let velocity = track.value.velocity
    else { return (.zero, 0) }
    let seconds = min(
      (now - lastFixAt).seconds,
      track.value.stop.interval,
      world.settings.way.silentSeconds
    )
    let way = velocity * seconds
    return (way * 0.5, way.lengthSquared / 12)
  }

  /// How far this phone goes from fix to fix, in meters, if that is farther than its user's own places are looked for.
  @inline(__always)
  var longStrideMeters: Double? {
    guard let meters = state.habits?.strideMeters,
      meters > world.settings.places.ownReachMeters
    else { return nil }
    return meters
  }

  /// Where the way under way has ended if the phone is heard of no more; nil where its fixes are so near each other
  /// that it would be, and where no way was under way.
  @inline(__always)
  func strideAhead() -> StrideAhead? {
    guard let meters = longStrideMeters, let track = state.track,
      let velocity = track.value.velocity
    else { return nil }
    let speed = velocity.lengthSquared.squareRoot()
    guard speed > Self.leastHeading else { return nil }
    let settings = world.settings
    let deviation = settings.habits.aheadDeviation * meters
    let position = track.value.position
    return StrideAhead(
      from: position.position,
      end: position.position + velocity * (settings.habits.aheadShare * meters / speed),
      variance: settings.places.varianceFactor * position.variance + deviation * deviation
    )
  }

  /// Some doubt of rest is left however long a silence lasts.
  ///
  /// - Source: judgment: log odds of 4.6, within what the term for rest counts for.
  private static let leastDoubtOfRest = 0.01

  /// Below this speed in m/s a velocity has no direction that tells where a way goes on.
  ///
  /// - Source: judgment: below any walk, and what noise makes of rest over some seconds.
  private static let leastHeading = 0.5
}
