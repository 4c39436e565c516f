import Basics
import Geodesy
import Places
import Timeline
import Traces

/// Follows a person from fix to fix and weighs the places nearby: evidence, no decisions.
///
/// Far from every place it sleeps: it then knows a circle, and fixes within it change nothing at
/// all, so that a host may leave them out.
///
/// What is asked with every fix is always inlined: a call would copy all of the tracker first.
public struct ArrivalTracker: Sendable {
  /// What survives a restart.
  public private(set) var state: State

  package let world: ArrivalWorld
  private var plane: TangentPlane?
  private var nearby: PlacesNearby?
  private var decays = StepDecays()

  /// All that the tracker remembers.
  public struct State: Hashable, Sendable, Codable {
    var track: Boxed<Track>?
    var sleep: Sleep?
    var familiar = FamiliarPlaces()
    /// The newest tick or fix that has been looked at.
    var lookedAt: Timestamp?
    /// What is known of the way to the fix at which watching begins again.
    var resumed: StopEvidence?
    /// When motion was last seen, or found to have been.
    var movedAt: Timestamp?
    /// What the receiver is found to do; nil before the first fix.
    var habits: ReceiverHabits?

    /// Nothing yet.
    public init() {}
  }

  struct Track: Hashable, Sendable, Codable {
    var origin: Coordinate
    var position: PositionFilter
    var motion = MotionFilter()
    var stop: StopEvidence
    var displacement = Displacement()
    var velocity: PlanePoint?
    /// Where the newest fix was measured.
    var measured: PlanePoint?
    /// Around where the places nearby were fetched: when they are fetched again depends on it.
    var fetchedAround: PlanePoint?
    var speedReportedAt: Timestamp?
    var staying: Staying
    /// The velocity that positions show, where none is reported or believed; zero within noise.
    var shown: PlanePoint?
  }

  struct Sleep: Hashable, Sendable, Codable {
    var center: SpacePoint
    var radiusMeters: Double

    /// The names in states, which outlive those of the source.
    private enum CodingKeys: String, CodingKey {
      case radiusMeters
      case center = "centre"
    }
  }

  /// A place with what speaks for it.
  public struct Candidate: Hashable, Sendable {
    /// Which place.
    public let place: ArrivalPlaceIndex
    /// The evidence.
    public let terms: ArrivalTerms
    /// What the term for the place is while the person stays at one of their own.
    package let placeWhileStaying: Double
    /// Whether the person has stopped, walked into silence, or has been silent or hardly farther away for long.
    let hasStopped: Bool
    /// Whether it is one of the user's own and nothing has been heard for long.
    let isOwnInSilence: Bool
    /// Whether it only lies ahead of the last fix, as far as a phone may go on unheard.
    let isOnlyAhead: Bool
    /// From the estimate of position to the place's point, in meters.
    public let distanceMeters: Double
  }

  /// Makes a tracker, new or with the state of an earlier one.
  ///
  /// - Parameter places: the user's own places, which are known and can be arrived at.
  public init(
    settings: ArrivalSettings,
    catalog: POICatalog,
    places: [Place] = [],
    state: State = State()
  ) {
    world = ArrivalWorld(settings: settings, catalog: catalog, places: places)
    self.state = state
    if let sleep = state.sleep {
      // The state may be of before a place was added, or moved into the circle.
      let clear = PlacesNearby.clearMeters(around: sleep.center.surface, in: world)
      let needed = sleep.radiusMeters + settings.places.sleepMarginMeters
      if clear < needed - Self.roundingMeters { self.state.sleep = nil }
    }
    guard let track = state.track else { return }
    let plane = TangentPlane(at: track.value.origin)
    self.plane = plane
    nearby = track.value.fetchedAround.map { PlacesNearby(around: $0, on: plane, in: world) }
  }

  /// A circle that was drawn around a position is checked around its middle, which is not quite the same arithmetic.
  private static let roundingMeters = 1.0

  /// The circle within which fixes change nothing; nil while something is followed.
  @inline(__always)
  public var calmWithin: (center: SurfacePoint, radiusMeters: Double)? {
    state.sleep.map { ($0.center.surface, $0.radiusMeters) }
  }

  /// The newest fix or tick that has been looked at; nil while asleep.
  @inline(__always)
  package var lookedAt: Timestamp? { state.lookedAt }

  /// The estimate of where one is; nil while asleep.
  @inline(__always)
  public var estimate: SurfacePoint? {
    guard let track = state.track, let plane else { return nil }
    return plane.point(track.value.position.position)
  }

  /// Where the newest fix was measured; nil while asleep.
  @inline(__always)
  package var measured: SurfacePoint? {
    guard let track = state.track, let plane else { return nil }
    return track.value.measured.map { plane.point($0) }
  }

  /// The standard deviation of the estimate per axis, in meters; 0 while asleep.
  @inline(__always)
  package var deviationMeters: Double { state.track?.value.position.variance.squareRoot() ?? 0 }

  /// The probability of standing still; nil while asleep.
  @inline(__always)
  public var restProbability: Double? { state.track?.value.motion.rest }

  /// Whether the person is thought to stand still; no while asleep.
  @inline(__always)
  package var isAtRest: Bool { (restProbability ?? 0) >= 0.5 }

  /// Seconds in motion since the record began, or since the last sleep.
  @inline(__always)
  public var motionSeconds: Double { state.track?.value.stop.motionSeconds ?? 0 }

  /// Whether there is no doubt about motion on wheels at an instant.
  @inline(__always)
  public func isClearlyMoving(at now: Timestamp) -> Bool {
    guard let speed = state.track?.value.stop.lastSpeed,
      speed > world.settings.motion.wheelsMetersPerSecond
    else { return false }
    return restInSilence(at: now) < world.settings.motion.clearlyMovingRest
  }

  /// When motion was last seen, or found to have been; nil if never.
  public var movedAt: Timestamp? { state.movedAt }

  /// Whether the speeds that the receiver reports mean anything.
  @inline(__always)
  private var believesSpeed: Bool {
    state.habits?.believesSpeed(world.settings.habits) ?? true
  }

  /// Whether the receiver is found to tell nothing at rest.
  @inline(__always)
  package var isSilentAtRest: Bool {
    state.habits?.isSilentAtRest(world.settings.habits) ?? false
  }

  /// Whether its fixes on the way lie far apart, so that each says less of where one stopped.
  @inline(__always)
  private var isThin: Bool {
    let settings = world.settings.habits
    if let track = state.track, track.value.stop.interval >= settings.thinSeconds { return true }
    return isSilentAtRest && (state.habits?.leastMeters ?? 0) >= settings.thinMeters
  }

  /// Whether its positions are poor as a rule, by what it claims, and that counts: without speeds the evidence is
  /// discounted already, and a sleeping app's weights are careful.
  @inline(__always)
  private var isPoor: Bool {
    let settings = world.settings.habits
    return settings.poorBias != 1 && hasReportedSpeed && believesSpeed
      && (state.habits?.meanAccuracyMeters ?? 0) > settings.poorMeters
  }

  /// How many times the bias counts: being there takes more where fixes say less.
  @inline(__always)
  private var bias: Double {
    let settings = world.settings.habits
    return max(isThin ? settings.thinBias : 1, isPoor ? settings.poorBias : 1)
  }

  /// Which evidence counts for less, or for nothing, because of what this phone is found to do: a sentence each.
  package var discounted: [String] {
    guard state.track != nil else { return [] }
    var sentences: [String] = []
    if !believesSpeed {
      sentences.append("its speeds are not believed, for positions contradict them")
    } else if !hasReportedSpeed {
      sentences.append("it reports no speed: motion is taken from positions, and counts for less")
    }
    if isSilentAtRest {
      sentences.append("it tells nothing at rest: its silence counts as rest, and not as a roof")
    }
    if isThin { sentences.append("its fixes lie far apart: being there takes more evidence") }
    if isPoor { sentences.append("its positions are poor: being there takes more evidence") }
    return sentences
  }

  /// Since when one has stood still; nil in motion.
  public var stoppedSince: Timestamp? { state.track?.value.stop.began }

  /// Whether the receiver reports speeds; without them the evidence is weaker.
  public var hasReportedSpeed: Bool {
    guard let track = state.track, let reported = track.value.speedReportedAt else { return false }
    return (track.value.stop.lastFixAt - reported).seconds
      <= world.settings.motion.withoutSpeedSeconds
  }

  /// Whether some place is within reach.
  @inline(__always)
  public var isNearSomething: Bool {
    guard let position = state.track?.value.position.position, let nearby else { return false }
    return nearby.hasAnything(withinReachOf: position) || hasOwn(aheadOf: position, nearby)
  }

  /// The user's own places that are within reach of the estimate, or not so much farther away.
  func ownPlaces(beyondReachBy meters: Double) -> [ArrivalPlaceIndex] {
    guard let position = state.track?.value.position.position, let nearby else { return [] }
    return nearby.own(of: position, beyondReachBy: meters)
  }

  /// Whether one of the user's own places may be where the way ends before the next fix.
  @inline(__always)
  private func hasOwn(aheadOf position: PlanePoint, _ nearby: PlacesNearby) -> Bool {
    longStrideMeters != nil && nearby.hasOwn(aheadOf: position)
  }

  // MARK: Fixes

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
    track.stop.observe(
      at: fix.at,
      speed: speed,
      rest: track.motion.rest,
      world.settings,
      &decays.wheels
    )
    if gone > world.settings.habits.clearNoises * track.position.deviationMeters {
      track.stop.hasGone(world.settings.decision)
    }
    if track.stop.began == nil { state.movedAt = fix.at }
    state.familiar.observe(track.position.position, at: fix.at, world.settings.places, plane)
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
        world.settings.places,
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

  private mutating func begin(_ fix: Fix, _ deviation: Double, hasMoved: Bool) {
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
      stop: state.resumed
        ?? StopEvidence(
          at: fix.at,
          motionSeconds: hasMoved ? world.settings.decision.leastMotionSeconds : 0
        ),
      staying: Staying(at: fix.at, .zero)
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
    }
    state.track = Boxed(track)
    state.lookedAt = fix.at
    nearby = nil
    state.familiar.observe(.zero, at: fix.at, world.settings.places, plane)
    _ = settle(fix)
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
      return speed
    }
    // A receiver that reports speeds and leaves one out is asked again at its next fix.
    if believesSpeed, let reported = track.speedReportedAt,
      (fix.at - reported).seconds <= settings.withoutSpeedSeconds
    {
      return track.stop.lastSpeed
    }
    guard
      let latest = track.displacement.latest(
        errorTime: world.settings.position.errorTimeSeconds,
        settings,
        &decays.displacement
      )
    else {
      track.shown = nil
      return nil
    }
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

  /// The velocity that a fix reports; nil if it does not.
  private func velocity(of fix: Fix) -> PlanePoint? {
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

  /// Goes to sleep, fetches places or moves to another plane, as the new estimate asks for.
  ///
  /// - Returns: whether some place is within reach.
  private mutating func settle(_ fix: Fix) -> Bool {
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
    track.measured = track.measured.map { $0 + (after - before) }
    track.origin = origin
    state.familiar.shift(by: after - before)
    state.track = Boxed(track)
    plane = new
  }

  /// Some doubt of rest is left however long a silence lasts.
  ///
  /// - Source: judgment: log odds of 4.6, within what the term for rest counts for.
  private static let leastDoubtOfRest = 0.01

  /// A position that claims to be off by more than this, in meters, is as good as none.
  private static let mostAccuracyMeters = 1e6

  /// Below this speed in m/s a velocity has no direction that tells where a way goes on.
  ///
  /// - Source: judgment: below any walk, and what noise makes of rest over some seconds.
  private static let leastHeading = 0.5

  /// Beyond 100 km a tangent plane is 800 m above the ground, and soon far out in space.
  private static let farSquared = 1e5 * 1e5

  // MARK: Silence

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

  /// Notes that the silence has lasted until an instant.
  package mutating func tick(at now: Timestamp) { state.lookedAt = now }

  // MARK: Looking

  /// Every place within reach with what speaks for it, the user's own first, then by category.
  ///
  /// - Parameter least: where no category and none of the user's own places can be so probable, there is nothing to
  ///   see; nil to see all.
  public func look(at now: Timestamp, atLeast least: Double? = nil) -> [Candidate] {
    guard let track = state.track, let plane, let nearby, !nearby.entries.isEmpty else {
      return []
    }
    let settings = world.settings.places
    let ahead = wayIntoSilence(at: now)
    let position = track.value.position.position + ahead.way
    let variance =
      settings.varianceFactor * track.value.position.variance + settings.addedVariance
      + ahead.variance
    let common = track.value.stop.terms(
      rest: restInSilence(at: now),
      staying: track.value.staying.term(at: now, world.settings.habits),
      isSilentAtRest: isSilentAtRest,
      bias: bias,
      at: now,
      world.settings
    )
    let stride = strideAhead()
    var sights: [(squared: Double, log: Double?)] = []
    sights.reserveCapacity(nearby.entries.count)
    var mostLog = -Double.infinity
    // Most have the variance of the one before.
    var spread = (variance: -1.0, log: 0.0)
    for i in nearby.entries.indices {
      let squared = (nearby.entries[i].position - position).lengthSquared
      guard squared <= nearby.entries[i].reachSquared else {
        sights.append((squared, nil))
        continue
      }
      let own = variance + nearby.entries[i].variance
      if own != spread.variance { spread = (own, naturalLogarithm(2 * .pi * own)) }
      let log = -squared / (2 * own) - spread.log
      sights.append((squared, log))
      mostLog = max(mostLog, log + nearby.entries[i].favor)
    }
    if let least, stride == nil {
      let most = min(max(mostLog - world.unknownLog, settings.leastTerm), settings.mostTerm)
      if mostProbability(common, place: most) * Double(nearby.largestGroup) < least { return [] }
    }
    var rivals = Rivals(settings, known: familiarDensity(around: position, variance, plane))
    rivals.densities.reserveCapacity(nearby.entries.count)
    for i in nearby.entries.indices {
      rivals.add(
        slot: nearby.entries[i].slot,
        weight: nearby.entries[i].weight,
        sights[i].log,
        isRival: sights[i].squared <= nearby.entries[i].rivalSquared
      )
    }
    let isLongSilent = now - track.value.stop.lastFixAt >= world.settings.decision.ownSilence
    // Some receivers report a walk's speed at rest.
    let hasStayed =
      track.value.staying.hasLasted(at: now) >= world.settings.decision.ownSilence
    let hasStrideEnded =
      now - track.value.stop.lastFixAt >= world.settings.decision.ownAheadSilence
    var candidates: [Candidate] = []
    for i in nearby.entries.indices {
      let isWithinReach = sights[i].log != nil
      let atStrideEnd = stride?.term(of: nearby.entries[i], settings)
      guard isWithinReach || atStrideEnd != nil else { continue }
      var terms = nearby.entries[i].isDrivenTo ? common.driven : common.others
      terms.place = settings.leastTerm
      if isWithinReach {
        terms.place = rivals.term(of: i, in: nearby.entries, whileStaying: false)
      }
      let placeWhileStaying =
        isWithinReach && rivals.hasOwn
        ? rivals.term(of: i, in: nearby.entries, whileStaying: true) : terms.place
      let isOnlyAhead = hasStrideEnded && atStrideEnd.map { $0 > terms.place } ?? false
      if let atStrideEnd, isOnlyAhead { terms.place = atStrideEnd }
      candidates.append(
        Candidate(
          place: ArrivalPlaceIndex(slot: nearby.entries[i].slot, index: nearby.entries[i].index),
          terms: terms,
          placeWhileStaying: placeWhileStaying,
          hasStopped: terms.rest >= 0 || terms.silence > 0 || isLongSilent || hasStayed,
          isOwnInSilence: isLongSilent && nearby.entries[i].slot < 0,
          isOnlyAhead: isOnlyAhead,
          distanceMeters: sights[i].squared.squareRoot()
        )
      )
    }
    return candidates
  }

  /// The probability of rest when no fix has come for a while; motion ends some day, and who is silent at rest
  /// has stopped.
  @inline(__always)
  private func restInSilence(at now: Timestamp) -> Double {
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

  /// The most that can be had by any place whose own term is at most so much.
  private func mostProbability(
    _ common: (driven: ArrivalTerms, others: ArrivalTerms),
    place most: Double
  ) -> Double {
    let (weights, least) = (world.settings.weights, world.settings.places.leastTerm)
    func logOdds(_ terms: ArrivalTerms) -> Double {
      var (atMost, atLeast) = (terms, terms)
      (atMost.place, atLeast.place) = (most, least)
      return max(atMost.logOdds(weights), atLeast.logOdds(weights))
    }
    // What the terms are rounded by.
    return probability(logOdds: max(logOdds(common.driven), logOdds(common.others)) + 1e-9)
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
  private var longStrideMeters: Double? {
    guard let meters = state.habits?.strideMeters,
      meters > world.settings.places.ownReachMeters
    else { return nil }
    return meters
  }

  /// Where the way under way has ended if the phone is heard of no more; nil where its fixes are so near each other
  /// that it would be, and where no way was under way.
  @inline(__always)
  private func strideAhead() -> StrideAhead? {
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

  /// The density of familiar places: of all, and of those that are none of the user's own.
  private func familiarDensity(
    around position: PlanePoint,
    _ variance: Double,
    _ plane: TangentPlane
  ) -> (all: Double, others: Double) {
    let settings = world.settings.places
    let spread = settings.footprintDeviationMeters * settings.footprintDeviationMeters
    let radius = settings.familiarRadiusMeters
    var sums = (all: 0.0, others: 0.0)
    for place in state.familiar.points {
      let point = place.surface
      let squared = (plane.project(point) - position).lengthSquared
      guard squared < 250_000 else { continue }
      let density = exponential(logNormalDensity(squared, variance: variance + spread))
      sums.all += density
      let isOwn = world.placePoints.contains { $0.chordSquared(to: point) <= radius * radius }
      if !isOwn { sums.others += density }
    }
    return sums
  }
}

/// A place as a candidate: one of a category's, or one of the user's own.
public struct ArrivalPlaceIndex: Hashable, Sendable {
  /// Slot of the category in the catalog; −1 for the user's own places.
  public let slot: Int
  /// Index into the catalog's points, or into the user's places in the order of their ids.
  public let index: Int

  /// Makes an index.
  public init(slot: Int, index: Int) {
    self.slot = slot
    self.index = index
  }
}
