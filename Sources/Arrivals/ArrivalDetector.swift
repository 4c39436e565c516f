import Geodesy
import Places
import Timeline
import Traces

/// Tells from fixes, and from their absence, at which place someone has arrived.
///
/// Pure: fixes and instants in, findings out. It states facts; whether anything is said is for the
/// engine's policy. The same fixes give the same findings, whenever and however often
/// ``advance(to:)`` is called between them, or at the instant of the next one.
///
/// - Complexity: a fix costs O(1); far from every place, a comparison.
/// - Source: `docs/arrival.md`.
public struct ArrivalDetector: Sendable {
  /// What has been gathered.
  public private(set) var tracker: ArrivalTracker
  private var judge: ArrivalJudge
  /// When the detector wants to look without a fix; nil if only a fix can tell it anything.
  ///
  /// This and the circle are kept, for they are asked for with every fix, and a detector is large to copy.
  public private(set) var nextInstant: Timestamp?
  /// The circle within which fixes change nothing; nil while something is followed.
  public private(set) var calmWithin: (center: SurfacePoint, radiusMeters: Double)?
  /// After which fix nothing can be decided any more without another one.
  private var settledAfter: Timestamp?
  /// Whether silence is looked at also where nothing can be decided; for explanations.
  package var looksAtEveryTick = false

  /// All that the detector remembers.
  public struct State: Hashable, Sendable, Codable {
    var tracker = ArrivalTracker.State()
    var judge = ArrivalJudge()
    var settledAfter: Timestamp?

    /// Nothing yet.
    public init() {}

    /// Forgets what was known of one of the user's own places, by its id, for it has moved.
    public mutating func forget(place: String) { judge.forget(place) }
  }

  /// Makes a detector, new or with the state of an earlier one.
  ///
  /// - Parameter places: the user's own places, which are known and can be arrived at.
  public init(
    settings: ArrivalSettings,
    catalog: POICatalog,
    places: [Place] = [],
    state: State = State()
  ) {
    tracker = ArrivalTracker(
      settings: settings,
      catalog: catalog,
      places: places,
      state: state.tracker
    )
    judge = state.judge
    settledAfter = state.settledAfter
    // With other places or numbers, something may come of this silence after all.
    if isSettled, let looked = tracker.lookedAt, !nothingCanCome(after: looked) {
      settledAfter = nil
    }
    note()
  }

  /// What survives a restart.
  public var state: State {
    var state = State()
    state.tracker = tracker.state
    state.judge = judge
    state.settledAfter = settledAfter
    return state
  }

  /// Whether nothing can be decided before the next fix.
  @inline(__always)
  private var isSettled: Bool {
    settledAfter.map { $0 == tracker.state.track?.value.stop.lastFixAt } ?? false
  }

  /// Whether more fixes of this stop would hardly tell anything: for a while one of the user's own places
  /// has been thought to be the one, or none has been thought likely.
  ///
  /// - Parameter isAwaited: whether somebody waits for an arrival there.
  /// - Complexity: O(places nearby).
  public func needsNoMoreFixes(
    at now: Timestamp,
    isAwaited: (ArrivalGroup) -> Bool
  ) -> Bool {
    let settings = tracker.world.settings
    guard let since = tracker.stoppedSince, now - since >= settings.asleep.givesUpAfter else {
      return false
    }
    var isOpen = false
    for candidate in tracker.look(at: now) {
      let p = ArrivalJudge.probability(of: candidate, settings.weights)
      if candidate.place.slot < 0 {
        if p >= settings.decision.threshold {
          // It has been told or, for nobody was seen moving, never will be.
          return judge.isTold(tracker.world.name(candidate.place))
            || tracker.motionSeconds < settings.decision.leastMotionSeconds
        }
        // Whoever waits around the corner from their own place has nothing that would wake the app at its door.
        if candidate.distanceMeters <= settings.places.reachMeters,
          isNews(candidate.place, isAwaited)
        {
          isOpen = true
        }
      }
      if p >= settings.asleep.givesUpBelow { isOpen = true }
    }
    return !isOpen
  }

  /// Up to when something that is probable must last to be an arrival, or a silence to show that somebody who was
  /// not seen to stop at their own place has; not before the next fix is late; nil if nothing is.
  ///
  /// - Parameter isAwaited: whether somebody waits for an arrival there.
  /// - Complexity: O(places nearby) beside one of the user's own places, else O(1).
  package func holdsUntil(isAwaited: (ArrivalGroup) -> Bool) -> Timestamp? {
    let settings = tracker.world.settings.decision
    let holds = judge.holdsUntil(settings, isAwaited: isAwaited)
      .map { max($0, tracker.lookAfterOverdue ?? $0) }
    guard let lastFixAt = tracker.state.track?.value.stop.lastFixAt,
      !tracker.ownPlaces(beyondReachBy: 0).isEmpty,
      let silence = settings.ownSilenceTold(after: lastFixAt),
      let chances = tracker.chancesInSilence(
        at: lastFixAt,
        atLeast: min(settings.threshold, settings.ownSilenceThreshold)
      ),
      chances.contains(where: { chance in
        chance.candidate.place.slot < 0 && !chance.candidate.hasStopped
          && isNews(chance.candidate.place, isAwaited)
      })
    else { return holds }
    return holds.map { max($0, silence) } ?? silence
  }

  /// Whether one of the user's own places that is waited for may be where the person is: somewhat probable, or no
  /// farther away than the position may be off.
  ///
  /// - Parameter isAwaited: whether somebody waits for an arrival there.
  /// - Complexity: O(places nearby) beside one of the user's own places, else O(1).
  package func mayBeAtOwn(at now: Timestamp, isAwaited: (ArrivalGroup) -> Bool) -> Bool {
    let settings = tracker.world.settings
    let blurred = tracker.ownPlaces(beyondReachBy: 2 * tracker.deviationMeters)
      .filter { isNews($0, isAwaited) }
    guard !blurred.isEmpty else { return false }
    let candidates = tracker.look(at: now)
    return blurred.contains { place in
      guard let candidate = candidates.first(where: { $0.place == place }) else { return true }
      let p = ArrivalJudge.probability(of: candidate, settings.weights)
      return p >= settings.asleep.givesUpBelow
    }
  }

  /// Whether an arrival at a place would be news that somebody waits for.
  private func isNews(
    _ place: ArrivalPlaceIndex,
    _ isAwaited: (ArrivalGroup) -> Bool
  ) -> Bool {
    !judge.isTold(tracker.world.name(place)) && isAwaited(tracker.world.group(place))
  }

  /// What kept a place that is so probable from being arrived at, as things stand.
  package func guards(
    on candidate: ArrivalTracker.Candidate,
    probability: Double,
    at now: Timestamp
  ) -> ArrivalGuards {
    guard let here = tracker.estimate else { return [] }
    return judge.guards(
      on: candidate,
      probability: probability,
      at: moment(at: now, here: here, isFix: false),
      tracker.world.settings.decision,
      tracker.world
    )
  }

  /// Whether the person is at one of their own places, by id, as far as is known.
  public func stays(at place: String) -> Bool { judge.stays(at: place) }
  /// Where the person has arrived since an instant and is still, as far as is known; the last is the newest.
  public func standing(since start: Timestamp) -> [ArrivalPlace] { judge.standing(since: start) }
  /// Takes in that one has been seen to leave one of the user's own places, by its id.
  public mutating func endStay(at place: String) { judge.endStay(at: place) }

  /// Whether the person seems to have left what was arrived at, which is not certain.
  public var hasSteppedOut: Bool { judge.hasSteppedOut }

  /// Up to when a way out of one of the user's own places must last to count; nil if none is under way.
  public var leavingUntil: Timestamp? { judge.leavingUntil(tracker.world.settings.decision) }

  /// Takes in a fix; one that is not newer than all before it changes nothing.
  ///
  /// - Parameter point: the fix's coordinate in space.
  /// - Parameter afterSleep: whether the app has slept since the fix before: then the time between
  ///   the two is no silence, and what happened in it is unknown.
  /// - Returns: what was found out up to and at the fix, in order.
  public mutating func observe(
    _ fix: Fix,
    at point: SurfacePoint,
    afterSleep: Bool = false
  ) -> [ArrivalFinding] {
    var findings: [ArrivalFinding] = []
    if afterSleep {
      tracker.resume(at: fix, point)
      findings += judge.resume(at: fix.at)
    }
    // What is due at the fix's own instant comes before it, as it does after ``advance(to:)``.
    while let tick = nextTick, tick <= fix.at { findings += look(tick: tick) }
    let looksCloser = tracker.observe(fix, at: point)
    note()
    if calmWithin != nil {
      findings += judge.reset(at: fix.at, tracker.world)
    } else if looksCloser || judge.remembersSomething || !judge.knows(tracker.world) {
      findings += decide(at: fix.at, isFix: true, afterSleep: afterSleep)
    }
    return findings
  }

  /// Lets time pass without a fix, up to an instant, inclusive.
  ///
  /// - Returns: what the silence has shown, in order.
  public mutating func advance(to now: Timestamp) -> [ArrivalFinding] {
    var findings: [ArrivalFinding] = []
    while let tick = nextInstant, tick <= now {
      findings += look(tick: tick)
      note()
    }
    return findings
  }

  @inline(__always)
  private var nextTick: Timestamp? { isSettled ? nil : tracker.nextTick }

  @inline(__always)
  private mutating func note() {
    nextInstant = nextTick
    calmWithin = tracker.calmWithin
  }

  private mutating func look(tick: Timestamp) -> [ArrivalFinding] {
    tracker.tick(at: tick)
    let seen = ignoresAll ? nil : tracker.look(at: tick)
    let findings = decide(at: tick, isFix: false, seen)
    if !looksAtEveryTick, nothingCanCome(after: tick, seen) {
      settledAfter = tracker.state.track?.value.stop.lastFixAt
    }
    return findings
  }

  /// Whether nothing will be decided in this silence, however long it lasts.
  private func nothingCanCome(
    after now: Timestamp,
    _ seen: [ArrivalTracker.Candidate]? = nil
  ) -> Bool {
    let settings = tracker.world.settings.decision
    guard let here = tracker.estimate,
      judge.mayIgnore(here: here, inSilence: true, settings, tracker.world),
      tracker.motionSeconds < settings.leastMotionSeconds
        || tracker.lastLookInSilence(at: now) != nil
    else { return false }
    if ignoresAll { return true }
    guard
      let chances = tracker.chancesInSilence(at: now, atLeast: settings.leastProbability, seen)
    else { return false }
    return judge.ignores(chances[...], here: here, inSilence: true, settings, tracker.world)
  }

  /// Whether nothing can be decided whatever is seen.
  @inline(__always)
  private var ignoresAll: Bool {
    guard let here = tracker.estimate else { return false }
    return judge.ignoresAll(
      here: here,
      motionSeconds: tracker.motionSeconds,
      tracker.world.settings.decision,
      tracker.world
    )
  }

  private mutating func decide(
    at now: Timestamp,
    isFix: Bool,
    afterSleep: Bool = false,
    _ seen: [ArrivalTracker.Candidate]? = nil
  ) -> [ArrivalFinding] {
    guard let here = tracker.estimate, !ignoresAll else { return [] }
    let settings = tracker.world.settings.decision
    // Without anything to arrive at, the distance from the last arrival still counts.
    return judge.judge(
      tracker.chances(at: now, atLeast: settings.leastProbability, seen)[...],
      at: moment(at: now, here: here, isFix: isFix, isAfterSleep: afterSleep),
      settings,
      tracker.world
    )
  }

  @inline(__always)
  private func moment(
    at now: Timestamp,
    here: SurfacePoint,
    isFix: Bool,
    isAfterSleep: Bool = false
  ) -> ArrivalMoment {
    ArrivalMoment(
      at: now,
      here: here,
      measured: tracker.measured,
      deviationMeters: tracker.deviationMeters,
      isFix: isFix,
      isFixOverdue: tracker.fixOverdueAt.map { $0 <= now } ?? false,
      isAfterSleep: isAfterSleep,
      isAtRest: tracker.isAtRest,
      isWalking: tracker.isWalking(at: now),
      isOnWheels: isAfterSleep && tracker.isClearlyMoving(at: now),
      underRoofSince: tracker.underRoofSince,
      motionSeconds: tracker.motionSeconds
    )
  }
}
