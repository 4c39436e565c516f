import Basics
import Geodesy
import Timeline
import Traces

/// How a fix moves the estimates on.
extension ArrivalTracker {
  /// Takes in a fix that is believed, newer than all before it.
  ///
  /// - Returns: whether there is anything to look at.
  /// - Complexity: O(1), and O(log points + places nearby) every 150 m.
  public mutating func observe(_ fix: Fix, at point: SurfacePoint) -> Bool {
    var hasMoved = false
    if let sleep = state.sleep {
      let radius = sleep.radiusMeters
      if point.chordSquared(to: sleep.center.surface) <= radius * radius { return false }
      state.sleep = nil
      hasMoved = true
    }
    // The squares of larger ones would be no numbers.
    let accuracy = max(
      fix.horizontalAccuracyMeters.isFinite
        ? min(fix.horizontalAccuracyMeters, Self.mostAccuracyMeters) : 1e4,
      world.settings.position.leastAccuracyMeters
    )
    let deviation = accuracy / world.settings.position.accuracyPerDeviation
    guard let plane, let lastFixAt = state.track?.value.stop.lastFixAt else {
      begin(fix, deviation, hasMoved: hasMoved)
      return isNearSomething
    }
    // Taken out, so that nothing else holds it, and it is changed in place.
    guard fix.at > lastFixAt, var track = state.track.take() else { return false }
    moveOn(to: fix, at: plane.project(point), on: plane, deviation: deviation, &track.value)
    state.track = track
    state.lookedAt = fix.at
    return settle(fix)
  }

  /// Moves the estimates on to a fix, which is newer than the one before.
  private mutating func moveOn(
    to fix: Fix,
    at measured: PlanePoint,
    on plane: TangentPlane,
    deviation: Double,
    _ track: inout Track
  ) {
    let seconds = (fix.at - track.stop.lastFixAt).seconds
    let restBefore = track.motion.rest
    var meters: Double?
    if let before = track.measured {
      let way = (measured - before).lengthSquared.squareRoot()
      state.habits?.space(meters: way, seconds: seconds, world.settings.habits)
      meters = way
      track.heldSince = measured == before ? track.heldSince ?? track.stop.lastFixAt : nil
    }
    track.measured = measured
    let speed = observeMotion(fix, at: measured, deviation: deviation, seconds: seconds, &track)
    if let meters, max(restBefore, track.motion.rest) < 0.5 {
      state.habits?.stride(meters: meters, world.settings.habits)
      let accuracy = deviation * world.settings.position.accuracyPerDeviation
      state.habits?.claim(accuracyMeters: accuracy, world.settings.habits)
    }
    movePosition(
      fix,
      speed: speed,
      seconds: seconds,
      // If one of the two fixes was in motion, there may have been some way between them.
      isAtRest: min(restBefore, track.motion.rest) > 0.5,
      &track
    )
    track.position.observe(
      measured,
      deviationMeters: deviation,
      seconds: seconds,
      world.settings.position,
      &decays.accuracy
    )
    let gone = track.staying.observe(track.position.position, at: fix.at, world.settings.habits)
    var walk = track.walk ?? WalkWatch(at: fix.at, track.position.position)
    let walked = walk.observe(track.position.position, at: fix.at, world)
    track.walk = walk
    noteRoof(fix, at: measured, deviation: deviation, &track)
    track.stop.observe(
      at: fix.at,
      speed: speed,
      rest: track.motion.rest,
      isUnderSky: track.roof == nil,
      world,
      &decays.wheels
    )
    if max(gone, walked) > world.settings.habits.clearNoises * track.position.deviationMeters {
      track.stop.hasGone(world.settings.decision)
    }
    if track.stop.began == nil { state.movedAt = fix.at }
    state.familiar.observe(track.position.position, at: fix.at, world, plane)
  }

  /// - Returns: the speed, reported or taken from the way; nil if neither is known.
  private mutating func observeMotion(
    _ fix: Fix,
    at measured: PlanePoint,
    deviation: Double,
    seconds: Double,
    _ track: inout Track
  ) -> Double? {
    let settings = world.settings.motion
    track.shown = nil
    track.motion.pass(seconds: seconds, settings, &decays.motion)
    let isNewMean = track.displacement.add(
      measured,
      deviation: deviation,
      at: fix.at,
      settings
    )
    let reported = fix.speedMetersPerSecond.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    if isNewMean, let reported,
      let latest = track.displacement.latest(
        errorTime: world.settings.position.errorTimeSeconds,
        settings,
        &decays.displacement
      )
    {
      state.habits?
        .compare(
          reported: reported,
          meters: latest.way.lengthSquared.squareRoot(),
          seconds: latest.seconds,
          noise: latest.noise,
          world.settings.habits
        )
    }
    let believesSpeed = believesSpeed
    if believesSpeed, let speed = reported {
      let speed = min(speed, WaySettings.mostMetersPerSecond)
      track.motion.observe(reported: speed, settings, world.speeds)
      track.speedReportedAt = fix.at
      state.habits?.tell(speed: speed, seconds: seconds, world.settings.habits)
      return speed
    }
    // A receiver that reports speeds and leaves one out is asked again at its next fix.
    if believesSpeed, let reported = track.speedReportedAt,
      (fix.at - reported).seconds <= settings.withoutSpeedSeconds
    {
      return track.stop.lastSpeed
    }
    if holdsStill(fix, track) {
      track.shown = .zero
      track.motion.observe(reported: 0, settings, world.speeds)
      return 0
    }
    guard
      let latest = track.displacement.latest(
        errorTime: world.settings.position.errorTimeSeconds,
        settings,
        &decays.displacement
      )
    else { return nil }
    let length = latest.way.lengthSquared.squareRoot()
    track.shown = length > 2 * latest.noise ? latest.way * (1 / latest.seconds) : .zero
    track.motion.observe(
      displacement: length,
      noise: latest.noise,
      seconds: latest.seconds,
      fresh: min(1, seconds / settings.displacementFreshSeconds),
      world.speeds
    )
    return max(0, length - settings.displacementNoiseShare * latest.noise) / latest.seconds
  }

  /// Whether a fix without a speed that counts lies where those before it did, to the last digit.
  ///
  /// No receiver measures the same twice on the way: one that repeats a position feels that it rests.
  private func holdsStill(_ fix: Fix, _ track: Track) -> Bool {
    // Twice the same may be one fix that is told again.
    guard let since = track.heldSince, since < track.stop.lastFixAt else { return false }
    return (fix.at - since).seconds >= Self.heldSeconds
      && fix.horizontalAccuracyMeters <= Self.heldMeters
  }

  /// For so long a position must have been repeated to tell of rest.
  ///
  /// - Source: judgment: longer than loggers repeat a fix on the way.
  private static let heldSeconds = 20.0
  /// Nor may it claim to be off by more than this, in meters: in one cell of a telephone network one rides for minutes.
  ///
  /// - Source: judgment: the reach of a network in a house.
  private static let heldMeters = 100.0

  /// Takes in whether a fix comes from satellites, or from networks nearby: those tell no speed.
  ///
  /// Who goes farther by networks than any roof reaches is under none: then the receiver tells no speeds any more.
  private mutating func noteRoof(
    _ fix: Fix,
    at measured: PlanePoint,
    deviation: Double,
    _ track: inout Track
  ) {
    guard believesSpeed, let reportedAt = track.speedReportedAt, reportedAt < fix.at else {
      track.roof = nil
      track.isSilenceOfSpeedsNoted = nil
      return
    }
    let settings = world.settings.habits
    // One speed that is left out now and then is no silence.
    if track.isSilenceOfSpeedsNoted == nil, track.stop.lastFixAt > reportedAt,
      (fix.at - reportedAt).seconds >= settings.untoldSeconds
    {
      state.habits?.leaveOutSpeeds(settings)
      track.isSilenceOfSpeedsNoted = true
    }
    guard state.habits?.tellsRest(settings) ?? false else {
      track.roof = nil
      return
    }
    var roof = track.roof ?? Roof(since: fix.at, point: track.position.position)
    let meters = settings.roofMeters + 3 * deviation
    let isBeyond = (measured - roof.point).lengthSquared > meters * meters
    roof.beyondSince = isBeyond ? roof.beyondSince ?? fix.at : nil
    track.roof = roof
    if let beyondSince = roof.beyondSince, (fix.at - beyondSince).seconds >= settings.beyondSeconds
    {
      // An app that sleeps has not noted it: see `begin`.
      state.habits?.leaveOutSpeeds(settings)
      track.speedReportedAt = nil
      track.roof = nil
      track.stop.goOn()
    }
  }

  /// The velocity that a fix reports; nil if it does not.
  func velocity(of fix: Fix) -> PlanePoint? {
    guard let speed = fix.speedMetersPerSecond, speed.isFinite, speed >= 0,
      let course = fix.courseDegrees, course.isFinite, abs(course) <= 360
    else { return nil }
    let (sine, cosine) = sineAndCosine(degrees: course)
    let along = min(speed, WaySettings.mostMetersPerSecond)
    return PlanePoint(along * sine, along * cosine)
  }

  private mutating func movePosition(
    _ fix: Fix,
    speed: Double?,
    seconds: Double,
    isAtRest: Bool,
    _ track: inout Track
  ) {
    let settings = world.settings.way
    var way = PlanePoint.zero
    var variance: Double
    let v = speed ?? settings.assumedMetersPerSecond
    // How much farther one may be for each second in which the direction is unknown.
    let fastest = max(v, track.stop.lastSpeed ?? v)
    let aside = settings.unknownDirectionShare * fastest
    var velocity: PlanePoint?
    var perSpeed = settings.noisePerSpeed
    let reported = fix.speedMetersPerSecond.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    let believesSpeed = believesSpeed
    if believesSpeed, reported != nil {
      velocity = self.velocity(of: fix)
    } else if let shown = track.shown {
      velocity = shown
      perSpeed = settings.shownNoisePerSpeed
    }
    let isMeasured = believesSpeed && reported != nil
    let before = track.velocity
    track.velocity = velocity
    if isAtRest, isMeasured || velocity != nil {
      variance = settings.variancePerSecondAtRest * seconds
    } else if let velocity {
      let before = before ?? velocity
      let change = (velocity - before).lengthSquared
      let reckoned = min(seconds, settings.reckoningSeconds)
      way = (before + velocity) * (reckoned / 2)
      let noise = settings.noiseMeters * settings.noiseMeters
      let beyond = aside * max(0, seconds - reckoned)
      // Between the two velocities anything is as likely: a twelfth of the square of the difference.
      variance =
        (noise + perSpeed * perSpeed * v * v) * reckoned + change * reckoned * reckoned / 12
        + beyond * beyond
    } else {
      let straight = min(seconds, settings.straightSeconds)
      let beyond = aside * max(0, seconds - straight)
      variance =
        aside * aside * straight + beyond * beyond + settings.variancePerSecond * seconds
    }
    if seconds > settings.longGapSeconds, !isAtRest {
      variance += settings.longGapVariancePerSecond * seconds
    }
    variance = min(variance, 1e7)
    track.position.pass(
      seconds: seconds,
      way: way,
      varianceAdded: variance,
      isAtRest: isAtRest,
      world.settings.position,
      &decays.error
    )
  }

  /// A position that claims to be off by more than this, in meters, is as good as none.
  private static let mostAccuracyMeters = 1e6
}
