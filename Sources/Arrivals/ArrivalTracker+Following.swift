import Geodesy
import Timeline
import Traces

/// When following begins and ends, and on which plane it goes on.
extension ArrivalTracker {
  /// Begins to follow at a fix.
  mutating func begin(_ fix: Fix, _ deviation: Double, hasMoved: Bool) {
    let plane = TangentPlane(at: fix.coordinate)
    self.plane = plane
    var track = Track(
      origin: fix.coordinate,
      position: PositionFilter(
        at: .zero,
        deviationMeters: deviation,
        world.settings.position
      ),
      // Leaving the calm circle takes motion.
      stop: stopEvidence(at: fix.at, hasMoved: hasMoved),
      staying: Staying(at: fix.at, .zero),
      walk: WalkWatch(at: fix.at, .zero)
    )
    if state.habits == nil { state.habits = ReceiverHabits() }
    state.resumed = nil
    if hasMoved { state.movedAt = fix.at }
    track.displacement.add(.zero, deviation: deviation, at: fix.at, world.settings.motion)
    if believesSpeed, let speed = fix.speedMetersPerSecond, speed.isFinite, speed >= 0 {
      let speed = min(speed, WaySettings.mostMetersPerSecond)
      track.motion.observe(reported: speed, world.settings.motion, world.speeds)
      track.stop.begin(speed: speed, rest: track.motion.rest, world.settings.motion)
      track.speedReportedAt = fix.at
      track.velocity = velocity(of: fix)
    } else if believesSpeed, state.habits?.tellsRest(world.settings.habits) ?? false {
      // A receiver that tells speeds under the sky is under none; that it goes on without says nothing new of it.
      track.speedReportedAt = fix.at
      track.isSilenceOfSpeedsNoted = true
      track.roof = Roof(since: fix.at, point: .zero)
    }
    state.track = Boxed(track)
    state.lookedAt = fix.at
    nearby = nil
    state.familiar.observe(.zero, at: fix.at, world, plane)
    _ = settle(fix)
  }

  /// What is known of the way to a fix at which following begins.
  private func stopEvidence(at now: Timestamp, hasMoved: Bool) -> StopEvidence {
    let motionSeconds = hasMoved ? world.settings.decision.leastMotionSeconds : 0
    guard let known = state.resumed else {
      return StopEvidence(at: now, motionSeconds: motionSeconds)
    }
    // What was known before the circle is of then.
    return known.lastFixAt == now ? known : known.again(at: now, motionSeconds: motionSeconds)
  }

  /// Forgets the way here, of which nothing was seen, but not where one was and what one came by.
  ///
  /// The fix itself is for ``observe(_:at:)``.
  package mutating func resume(at fix: Fix, _ point: SurfacePoint) {
    guard let track = state.track?.value, let plane, fix.at > track.stop.lastFixAt else { return }
    let seconds = (fix.at - track.stop.lastFixAt).seconds
    let before = plane.point(track.position.position)
    let meters = before.chordSquared(to: point).squareRoot()
    let noise =
      2 * (track.position.deviationMeters + fix.horizontalAccuracyMeters)
    if track.motion.rest >= 0.5 {
      // If the phone stood still, it has stayed up to some moment before now.
      state.familiar.observe(
        track.position.position,
        at: fix.at,
        world,
        plane
      )
    }
    state.familiar.endStay()
    let hasMoved = meters > max(noise, 100)
    if hasMoved { state.movedAt = fix.at }
    state.resumed = track.stop.resumed(
      at: fix.at,
      speed: max(0, meters - noise) / max(seconds, 1),
      hasMoved: hasMoved,
      world.settings
    )
    state.track = nil
    state.lookedAt = nil
    nearby = nil
    self.plane = nil
  }

  /// Goes to sleep, fetches places or moves to another plane, as the new estimate asks for.
  ///
  /// - Returns: whether some place is within reach.
  mutating func settle(_ fix: Fix) -> Bool {
    guard let position = state.track?.value.position.position else { return false }
    let margin = world.settings.places.sleepMarginMeters
    // A circle around where one may not be is none to sleep in.
    let mayFallAsleep = 2 * deviationMeters <= margin
    if !(nearby?.covers(position) ?? false)
      || mayFallAsleep && nearby?.clearMeters.map({ $0 > 2 * margin }) ?? false
    {
      if position.lengthSquared > 5_000 * 5_000 { rebase(to: fix.coordinate) }
      guard let plane = self.plane, let position = state.track?.value.position.position else {
        return false
      }
      let places = PlacesNearby(around: position, on: plane, in: world)
      nearby = places
      state.track?.value.fetchedAround = position
      if mayFallAsleep, let clear = places.clearMeters, clear > 2 * margin {
        fallAsleep(around: plane.point(position), radiusMeters: clear - margin)
        return false
      }
    }
    return isNearSomething
  }

  private mutating func fallAsleep(around center: SurfacePoint, radiusMeters: Double) {
    state.sleep = Sleep(center: SpacePoint(center), radiusMeters: radiusMeters)
    // How often the receiver reports is as it was when the circle is left.
    state.resumed = state.track?.value.stop
    state.track = nil
    state.familiar.endStay()
    state.lookedAt = nil
    nearby = nil
    plane = nil
  }

  /// Puts the plane under the newest fix, unless that is an outlier far from where one is.
  ///
  /// The plane is not a map of another country: a position that has jumped there is taken over as its
  /// way from the fix, and where even that is far, one is thought to be at the fix.
  private mutating func rebase(to origin: Coordinate) {
    guard let old = plane, var track = state.track?.value else { return }
    let new = TangentPlane(at: origin)
    let before = track.position.position
    let fix = SurfacePoint(origin)
    let after: PlanePoint
    if before.lengthSquared < Self.farSquared {
      guard fix.chordSquared(to: old.point(before)) < Self.farSquared else { return }
      after = new.project(old.point(before))
    } else {
      let way = before - old.project(fix)
      after = way.lengthSquared < Self.farSquared ? way : .zero
    }
    track.position.move(to: after)
    track.displacement.shift(by: after - before)
    track.staying.shift(by: after - before)
    track.walk?.shift(by: after - before)
    track.roof?.shift(by: after - before)
    track.measured = track.measured.map { $0 + (after - before) }
    track.origin = origin
    state.familiar.shift(by: after - before)
    state.track = Boxed(track)
    plane = new
  }

  /// Beyond 100 km a tangent plane is 800 m above the ground, and soon far out in space.
  private static let farSquared = 1e5 * 1e5
}
