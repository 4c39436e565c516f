import Basics
import Geodesy
import Places
import Timeline
import Traces

/// Follows a person from fix to fix and weighs the places nearby: evidence, no decisions.
///
/// Far from every place it sleeps: it then knows a circle, and fixes within it change nothing at
/// all, so that a host may leave them out.
public struct ArrivalTracker: Sendable {
  /// What survives a restart.
  public private(set) var state: State

  package let world: ArrivalWorld
  private var plane: TangentPlane?
  private var nearby: PlacesNearby?

  /// All that the tracker remembers.
  public struct State: Hashable, Sendable, Codable {
    var track: Track?
    var sleep: Sleep?
    var familiar = FamiliarPlaces()
    /// The newest tick or fix that has been looked at.
    var lookedAt: Timestamp?
    /// What is known of the way to the fix at which watching begins again.
    var resumed: StopEvidence?
    /// When motion was last seen, or found to have been.
    var movedAt: Timestamp?
    /// What is known of the receiver since an earlier track.
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
    var habits = ReceiverHabits()
    /// Whether the speeds that the receiver reports mean anything.
    var believesSpeed = true
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
    guard let track = state.track else { return }
    let plane = TangentPlane(at: track.origin)
    self.plane = plane
    nearby = track.fetchedAround.map { PlacesNearby(around: $0, on: plane, in: world) }
  }

  /// The circle within which fixes change nothing; nil while something is followed.
  public var calmWithin: (center: SurfacePoint, radiusMeters: Double)? {
    state.sleep.map { ($0.center.surface, $0.radiusMeters) }
  }

  /// The newest fix or tick that has been looked at; nil while asleep.
  package var lookedAt: Timestamp? { state.lookedAt }

  /// The estimate of where one is; nil while asleep.
  public var estimate: SurfacePoint? {
    guard let track = state.track, let plane else { return nil }
    return plane.point(track.position.position)
  }

  /// The probability of standing still; nil while asleep.
  public var restProbability: Double? { state.track?.motion.rest }

  /// Seconds in motion since the record began, or since the last sleep.
  public var motionSeconds: Double { state.track?.stop.motionSeconds ?? 0 }

  /// Whether there is no doubt about motion on wheels at an instant.
  public func isClearlyMoving(at now: Timestamp) -> Bool {
    guard let track = state.track else { return false }
    return restInSilence(track, at: now) < world.settings.motion.clearlyMovingRest
      && (track.stop.lastSpeed ?? 0) > world.settings.motion.wheelsMetersPerSecond
  }

  /// When motion was last seen, or found to have been; nil if never.
  public var movedAt: Timestamp? { state.movedAt }

  /// Whether the receiver is found to tell nothing at rest.
  package var isSilentAtRest: Bool {
    state.track?.habits.isSilentAtRest(world.settings.habits) ?? false
  }

  /// Since when one has stood still; nil in motion.
  public var stoppedSince: Timestamp? { state.track?.stop.began }

  /// Whether the receiver reports speeds; without them the evidence is weaker.
  public var hasReportedSpeed: Bool {
    guard let track = state.track, let reported = track.speedReportedAt else { return false }
    return (track.stop.lastFixAt - reported).seconds
      <= world.settings.motion.withoutSpeedSeconds
  }

  /// Whether some place is within reach.
  public var isNearSomething: Bool {
    guard let position = state.track?.position.position else { return false }
    return nearby?.hasAnything(withinReachOf: position) ?? false
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
    let accuracy = max(
      fix.horizontalAccuracyMeters.isFinite ? fix.horizontalAccuracyMeters : 1e4,
      world.settings.position.leastAccuracyMeters
    )
    let deviation = accuracy / world.settings.position.accuracyPerDeviation
    guard let plane, var track = state.track else {
      begin(fix, deviation, hasMoved: hasMoved)
      return isNearSomething
    }
    guard fix.at > track.stop.lastFixAt else { return false }
    // Then nothing else holds the track's array, and it is changed in place.
    state.track = nil
    let seconds = (fix.at - track.stop.lastFixAt).seconds
    let measured = plane.project(point)
    let restBefore = track.motion.rest
    if let before = track.measured {
      track.habits.space(
        meters: (measured - before).lengthSquared.squareRoot(),
        seconds: seconds,
        world.settings.habits
      )
    }
    track.measured = measured
    let speed = observeMotion(fix, at: measured, deviation: deviation, seconds: seconds, &track)
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
      world.settings.position
    )
    let gone = track.staying.observe(track.position.position, at: fix.at, world.settings.habits)
    state.habits = track.habits
    track.stop.observe(
      at: fix.at,
      speed: speed,
      rest: track.motion.rest,
      world.settings
    )
    if gone > world.settings.habits.clearNoises * track.position.deviationMeters {
      track.stop.hasGone(world.settings.decision)
    }
    if track.stop.began == nil { state.movedAt = fix.at }
    state.track = track
    state.lookedAt = fix.at
    state.familiar.observe(track.position.position, at: fix.at, world.settings.places, plane)
    return settle(fix)
  }

  /// Forgets the way here, of which nothing was seen, but not where one was and what one came by.
  ///
  /// The fix itself is for ``observe(_:at:)``.
  package mutating func resume(at fix: Fix, _ point: SurfacePoint) {
    guard let track = state.track, let plane, fix.at > track.stop.lastFixAt else { return }
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
    if let habits = state.habits {
      track.habits = habits
      track.believesSpeed = habits.believesSpeed(world.settings.habits)
    }
    state.resumed = nil
    if hasMoved { state.movedAt = fix.at }
    track.displacement.add(.zero, deviation: deviation, at: fix.at, world.settings.motion)
    if track.believesSpeed, let speed = fix.speedMetersPerSecond, speed.isFinite, speed >= 0 {
      let speed = min(speed, WaySettings.mostMetersPerSecond)
      track.motion.observe(reported: speed, world.settings.motion, world.speeds)
      track.stop.begin(speed: speed, rest: track.motion.rest, world.settings.motion)
      track.speedReportedAt = fix.at
    }
    state.track = track
    state.lookedAt = fix.at
    nearby = nil
    state.familiar.observe(.zero, at: fix.at, world.settings.places, plane)
    _ = settle(fix)
  }

  /// - Returns: the speed, reported or taken from the way; nil if neither is known.
  private func observeMotion(
    _ fix: Fix,
    at measured: PlanePoint,
    deviation: Double,
    seconds: Double,
    _ track: inout Track
  ) -> Double? {
    let settings = world.settings.motion
    track.motion.pass(seconds: seconds, settings)
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
        settings
      )
    {
      track.habits.compare(
        reported: reported,
        meters: latest.way.lengthSquared.squareRoot(),
        seconds: latest.seconds,
        noise: latest.noise,
        world.settings.habits
      )
    }
    track.believesSpeed = track.habits.believesSpeed(world.settings.habits)
    if track.believesSpeed, let speed = reported {
      let speed = min(speed, WaySettings.mostMetersPerSecond)
      track.motion.observe(reported: speed, settings, world.speeds)
      track.speedReportedAt = fix.at
      return speed
    }
    // A receiver that reports speeds and leaves one out is asked again at its next fix.
    if track.believesSpeed, let reported = track.speedReportedAt,
      (fix.at - reported).seconds <= settings.withoutSpeedSeconds
    {
      return track.stop.lastSpeed
    }
    guard
      let latest = track.displacement.latest(
        errorTime: world.settings.position.errorTimeSeconds,
        settings
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

  private func movePosition(
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
    if track.believesSpeed, let reported {
      if let course = fix.courseDegrees, course.isFinite, abs(course) <= 360 {
        let (sine, cosine) = sineAndCosine(degrees: course)
        let along = min(reported, WaySettings.mostMetersPerSecond)
        velocity = PlanePoint(along * sine, along * cosine)
      }
    } else if let shown = track.shown {
      velocity = shown
      perSpeed = settings.shownNoisePerSpeed
    }
    let isMeasured = track.believesSpeed && reported != nil
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
      world.settings.position
    )
  }

  /// Goes to sleep, fetches places or moves to another plane, as the new estimate asks for.
  ///
  /// - Returns: whether some place is within reach.
  private mutating func settle(_ fix: Fix) -> Bool {
    guard let position = state.track?.position.position else { return false }
    if nearby.map({ !$0.covers(position) }) ?? true {
      if position.lengthSquared > 5_000 * 5_000 { rebase(to: fix.coordinate) }
      guard let plane = self.plane, let track = state.track else { return false }
      let places = PlacesNearby(around: track.position.position, on: plane, in: world)
      nearby = places
      state.track?.fetchedAround = track.position.position
      let margin = world.settings.places.sleepMarginMeters
      if let clear = places.clearMeters, clear > 2 * margin {
        fallAsleep(around: plane.point(track.position.position), radiusMeters: clear - margin)
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
    guard let old = plane, var track = state.track else { return }
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
    state.track = track
    plane = new
  }

  /// Beyond 100 km a tangent plane is 800 m above the ground, and soon far out in space.
  private static let farSquared = 1e5 * 1e5

  // MARK: Silence

  /// When the silence since the last fix is to be looked at next; nil if it would say nothing.
  public var nextTick: Timestamp? {
    guard let track = state.track, let lookedAt = state.lookedAt, isNearSomething,
      track.stop.isSlow(world.settings.motion)
        || track.habits.isSilentAtRest(world.settings.habits)
    else { return nil }
    for seconds in world.settings.decision.ticksSeconds {
      let tick = track.stop.lastFixAt + .seconds(seconds)
      if tick > lookedAt { return tick }
    }
    return nil
  }

  /// Notes that the silence has lasted until an instant.
  package mutating func tick(at now: Timestamp) { state.lookedAt = now }

  // MARK: Looking

  /// Every place within reach with what speaks for it, the user's own first, then by category.
  public func look(at now: Timestamp) -> [Candidate] {
    guard let track = state.track, let plane, let nearby, !nearby.entries.isEmpty else {
      return []
    }
    let settings = world.settings.places
    let ahead = wayIntoSilence(track, at: now)
    let position = track.position.position + ahead.way
    let variance =
      settings.varianceFactor * track.position.variance + settings.addedVariance + ahead.variance
    var total = 0.0
    var logs: [(log: Double, density: Double, squared: Double)] = []
    logs.reserveCapacity(nearby.entries.count)
    for entry in nearby.entries {
      let squared = (entry.position - position).lengthSquared
      guard squared <= entry.reachSquared else {
        logs.append((0, 0, .infinity))
        continue
      }
      let log = Self.logDensity(squared, variance + entry.variance)
      let density = exponential(log)
      total += entry.weight * density
      logs.append((log, density, squared))
    }
    let known = familiarDensity(around: position, variance, plane)
    let rest = restInSilence(track, at: now)
    let staying = track.staying.term(at: now, world.settings.habits)
    let isSilentAtRest = track.habits.isSilentAtRest(world.settings.habits)
    var candidates: [Candidate] = []
    for (entry, log) in zip(nearby.entries, logs) where log.squared <= entry.reachSquared {
      let own = entry.slot < 0 ? entry.weight : 1
      let others =
        settings.unknownPerSquareMeter + max(total - entry.weight * log.density, 0)
        + (entry.slot < 0 ? 0 : settings.familiarWeight * known)
      var terms = ArrivalTerms()
      terms.place = min(
        max(log.log + naturalLogarithm(own) - naturalLogarithm(others), settings.leastTerm),
        settings.mostTerm
      )
      track.stop.fill(
        &terms,
        isDrivenTo: entry.isDrivenTo,
        rest: rest,
        staying: staying,
        isSilentAtRest: isSilentAtRest,
        at: now,
        world.settings
      )
      candidates.append(
        Candidate(
          place: ArrivalPlaceIndex(slot: entry.slot, index: entry.index),
          terms: terms,
          distanceMeters: log.squared.squareRoot()
        )
      )
    }
    return candidates
  }

  /// The probability of rest when no fix has come for a while; motion ends some day, and who is silent at rest
  /// has stopped.
  private func restInSilence(_ track: Track, at now: Timestamp) -> Double {
    let rest = track.motion.rest
    guard rest < 0.5 else { return rest }
    let settings = world.settings
    let seconds = (now - track.stop.lastFixAt).seconds
    let kept = exponential(-2 * seconds / settings.motion.meanSpellSeconds)
    guard track.habits.isSilentAtRest(settings.habits) else {
      return 0.5 + (rest - 0.5) * kept
    }
    return 1 - (1 - rest) * max(kept, 0.01)
  }

  /// A person who walks into silence goes on for some part of the usual time between fixes before the sky is
  /// lost: the middle of that way, and its variance.
  func wayIntoSilence(
    _ track: Track,
    at now: Timestamp
  ) -> (way: PlanePoint, variance: Double) {
    if track.habits.isSilentAtRest(world.settings.habits), now > track.stop.lastFixAt {
      // One has stopped before the next fix was due.
      let settings = world.settings.habits
      let ahead = min(track.habits.leastMeters, settings.stayMeters)
      let deviation = settings.aheadDeviation * ahead
      let velocity = track.velocity ?? .zero
      let speed = velocity.lengthSquared.squareRoot()
      let way = speed > 0.5 ? velocity * (settings.aheadShare * ahead / speed) : .zero
      return (way, deviation * deviation)
    }
    guard track.motion.rest < 0.5, track.stop.isSlow(world.settings.motion),
      let velocity = track.velocity
    else { return (.zero, 0) }
    let seconds = min(
      (now - track.stop.lastFixAt).seconds,
      track.stop.interval,
      world.settings.way.silentSeconds
    )
    let way = velocity * seconds
    return (way * 0.5, way.lengthSquared / 12)
  }

  private func familiarDensity(
    around position: PlanePoint,
    _ variance: Double,
    _ plane: TangentPlane
  ) -> Double {
    let spread = world.settings.places.footprintDeviationMeters
    var sum = 0.0
    for place in state.familiar.points {
      let squared = (plane.project(place.surface) - position).lengthSquared
      guard squared < 250_000 else { continue }
      sum += exponential(Self.logDensity(squared, variance + spread * spread))
    }
    return sum
  }

  /// The logarithm of a normal density in two axes, per square meter.
  private static func logDensity(_ squared: Double, _ variance: Double) -> Double {
    -squared / (2 * variance) - naturalLogarithm(2 * .pi * variance)
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
