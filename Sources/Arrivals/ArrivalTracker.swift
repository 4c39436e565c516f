import Geodesy
import Places
import Timeline

/// Follows a person from fix to fix and weighs the places nearby: evidence, no decisions.
///
/// Far from every place it sleeps: it then knows a circle, and fixes within it change nothing at
/// all, so that a host may leave them out.
///
/// What is asked with every fix is always inlined: a call would copy all of the tracker first.
public struct ArrivalTracker: Sendable {
  /// What survives a restart.
  public internal(set) var state: State

  package let world: ArrivalWorld
  var plane: TangentPlane?
  var nearby: PlacesNearby?
  var decays = StepDecays()

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
    /// Since when every fix has been measured there, to the last digit; nil where the one before was not, and in states of
    /// earlier versions.
    var heldSince: Timestamp?
    /// Around where the places nearby were fetched: when they are fetched again depends on it.
    var fetchedAround: PlanePoint?
    var speedReportedAt: Timestamp?
    /// Whether the fixes without a speed since then are known to be more than one that was left out; nil for no.
    var isSilenceOfSpeedsNoted: Bool?
    /// Under which roof one is; nil under the sky, and where the receiver tells no speeds at all.
    var roof: Roof?
    var staying: Staying
    /// Nil in states of earlier versions.
    var walk: WalkWatch?
    /// The velocity that positions show, where none is reported or believed; zero within noise.
    var shown: PlanePoint?
  }

  /// Where networks alone tell.
  struct Roof: Hashable, Sendable, Codable {
    /// Since when.
    let since: Timestamp
    /// Where one was thought to be then.
    var point: PlanePoint
    /// Since when every fix has been farther from there than a roof reaches; nil where the newest is not.
    var beyondSince: Timestamp?

    /// Moves by the same way, on to another plane.
    mutating func shift(by way: PlanePoint) { point = point + way }
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

  /// Whether positions show a walk, whatever speeds say; no while asleep.
  @inline(__always)
  package func isWalking(at now: Timestamp) -> Bool {
    state.track?.value.walk?.isWalking(at: now, world) ?? false
  }

  /// Seconds in motion since the record began, or since the last sleep.
  @inline(__always)
  public var motionSeconds: Double { state.track?.value.stop.motionSeconds ?? 0 }

  /// Since when every fix has come from networks nearby, by a receiver that tells speeds under the sky; nil where the
  /// newest did not.
  @inline(__always)
  package var underRoofSince: Timestamp? { state.track?.value.roof?.since }

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
  var believesSpeed: Bool {
    state.habits?.believesSpeed(world.settings.habits) ?? true
  }

  /// Whether the receiver is found to tell nothing at rest.
  @inline(__always)
  package var isSilentAtRest: Bool {
    state.habits?.isSilentAtRest(world.settings.habits) ?? false
  }

  /// Whether its fixes on the way lie far apart in meters, so that each says less of where one stopped.
  @inline(__always)
  private var isThin: Bool {
    isSilentAtRest && (state.habits?.leastMeters ?? 0) >= world.settings.habits.thinMeters
  }

  /// Whether its fixes on the way lie far apart in time.
  @inline(__always)
  private var isSparse: Bool {
    guard let track = state.track else { return false }
    return track.value.stop.interval >= world.settings.habits.thinSeconds
  }

  /// Whether its positions are poor as a rule, by what it claims, and that counts: without speeds the evidence is
  /// discounted already, and a sleeping app's weights are careful.
  @inline(__always)
  private var isPoor: Bool {
    let settings = world.settings.habits
    return settings.poorBias != 1 && hasReportedSpeed && believesSpeed
      && (state.habits?.meanAccuracyMeters ?? 0) > settings.poorMeters
  }

  /// How many times the bias counts: being there takes more where fixes say less, and less where a second one has to come.
  @inline(__always)
  var bias: Double {
    let settings = world.settings.habits
    let poor = isPoor ? settings.poorBias : 1
    if isThin { return max(settings.thinBias, poor) }
    return isSparse ? settings.sparseBias * poor : poor
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
    if underRoofSince != nil {
      sentences.append("networks alone tell where: that the sky is lost is a roof")
    }
    if isSilentAtRest {
      sentences.append("it tells nothing at rest: its silence counts as rest, and not as a roof")
    }
    if isThin {
      sentences.append("its fixes lie far apart: being there takes more evidence")
    } else if isSparse {
      sentences.append("its fixes come rarely: being there takes two, or that the next is late")
    }
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
  func hasOwn(aheadOf position: PlanePoint, _ nearby: PlacesNearby) -> Bool {
    longStrideMeters != nil && nearby.hasOwn(aheadOf: position)
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
