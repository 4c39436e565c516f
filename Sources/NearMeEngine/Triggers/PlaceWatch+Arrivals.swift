import Arrivals
import Fencing
import Geodesy
import Places
import Timeline
import Traces

/// Arrivals that are weighed, not measured: what the detector finds becomes transitions of ladders.
extension PlaceWatch {
  /// What finds arrivals; nil where a radius decides.
  var arrivalDetector: ArrivalDetector? { state.arrivals.detector }

  /// Whether the detector can be looked after at an instant without a fix.
  func isAwake(at instant: Timestamp, until end: Timestamp?) -> Bool {
    !fencing.watchesDiscs || end.map { instant <= $0 } ?? false
  }

  /// Up to when a sleeping app follows because an arrival may be under way; nil if none is.
  ///
  /// - Parameter longest: for how long after the last motion, at most.
  func weighsUntil(at now: Timestamp, atMost longest: Milliseconds) -> Timestamp? {
    guard fencing.watchesDiscs else { return nil }
    let detector = state.arrivals.detector
    let movedAt = detector?.tracker.movedAt
    var last: Timestamp?
    for aim in state.aims where aim.isLive {
      for i in aim.range {
        guard let since = state.ladders[i].ladder.arrivalPendingSince else { continue }
        let moved = max(since, movedAt ?? since)
        last = max(last ?? moved, moved)
      }
    }
    if let leaving = state.arrivals.detector?.leavingUntil, leaving > now,
      state.aims.contains(where: {
        $0.isLive && $0.role == .leaves && !made.value.isMeasured($0)
      })
    {
      // A way out that a reminder waits for is followed to its end.
      return last.map { max($0 + longest, leaving) } ?? leaving
    }
    // Beside a place of their own, positions may be too poor for a ladder to see anything pending.
    // Closures here and below: the bare name of the method would copy all of the watch for each.
    if last == nil, let movedAt,
      detector?.mayBeAtOwn(at: now, isAwaited: { isAwaited($0) }) ?? false
    {
      last = movedAt
    }
    var end: Timestamp?
    if let last, last + longest > now,
      !(detector?.needsNoMoreFixes(at: now, isAwaited: { isAwaited($0) }) ?? false)
    {
      end = last + longest
    }
    // Positions that are too poor for a ladder may be good enough to arrive by.
    if let holds = detector?.holdsUntil(isAwaited: { isAwaited($0) }), holds > now {
      end = max(end ?? holds, holds)
    }
    // The host is not asked anew with every fix in motion.
    let grain = Self.followGrain.value
    return end.map {
      Timestamp(milliseconds: (min($0.milliseconds, .max - grain) + grain - 1) / grain * grain)
    }
  }

  /// Up to when every position counts: in motion, for some time after it, and while something must hold.
  ///
  /// - Parameter held: up to when a ladder's arrival or exit must hold.
  /// - Parameter rest: for how long after the last motion.
  func everyPositionCountsUntil(
    holding held: Timestamp?,
    restingAfter rest: Milliseconds
  ) -> Timestamp? {
    guard let detector = state.arrivals.detector else { return held }
    let moved = detector.tracker.movedAt.map { $0 + rest }
    return [held, moved, detector.leavingUntil, detector.holdsUntil(isAwaited: { isAwaited($0) })]
      .compactMap(\.self).max()
  }

  /// Whether a live reminder is of a group.
  private func isAwaited(_ group: ArrivalGroup) -> Bool {
    state.aims.contains { $0.isLive && $0.wants(group) && !made.value.isMeasured($0) }
  }

  private static let followGrain = Milliseconds.seconds(30)

  /// Makes the detector of the present catalog and places, with what it knew.
  mutating func resolveDetector() {
    if let source = sources.first {
      precondition(source.places == places, "a recording is of other places")
      return
    }
    hasSteppedOut = false
    let remembered = state.arrivals.state
    state.arrivals = ArrivalMemory(remembered)
    guard fencing.arrivalDetection == .posterior else { return }
    state.arrivals.detector = ArrivalDetector(
      settings: fencing.watchesDiscs ? arrivalSettings.whileAsleep : arrivalSettings,
      catalog: catalog,
      places: places,
      state: remembered ?? ArrivalDetector.State()
    )
    state.arrivals.detector?.looksAtEveryTick = looksAtEveryTick
    hasSteppedOut = state.arrivals.detector?.hasSteppedOut ?? false
  }

  /// Lets the detector see a fix.
  ///
  /// - Parameter timer: when the host wakes the engine next.
  /// - Returns: what it found, and whether it wants to be asked before that timer.
  mutating func weigh(
    _ fix: Fix,
    at point: SurfacePoint,
    before timer: Timestamp?,
    awakeUntil: Timestamp?
  ) -> (findings: [ArrivalFinding], needsTimer: Bool) {
    if let known = foreseen {
      precondition(known.isFix && known.at == fix.at, "the fix that was weighed ahead comes next")
      foreseen = nil
      return (known.findings, known.needsTimer)
    }
    if !sources.isEmpty {
      let findings = sources[0].observe(fix)
      return (findings, isSoon(sources[0].nextInstant, before: timer))
    }
    guard state.arrivals.detector != nil else { return ([], false) }
    let hasSlept = !isAwake(at: fix.at, until: awakeUntil)
    let findings = state.arrivals.detector?.observe(fix, at: point, afterSleep: hasSlept) ?? []
    return (findings, isSoon(state.arrivals.detector?.nextInstant, before: timer))
  }

  /// A timer that comes too early finds nothing due and asks again.
  private func isSoon(_ tick: Timestamp?, before timer: Timestamp?) -> Bool {
    guard let tick = tick.map(state.lateness.known(from:)) else { return false }
    return timer.map { tick < $0 } ?? true
  }

  /// How much of a circle the detector sleeps through, as the square of a chord.
  ///
  /// - Returns: nil if it is awake, or wakes at the circle's middle.
  func calmChordSquared(in circle: CalmCircle) -> Double? {
    guard state.arrivals.detector != nil else { return circle.chordSquared }
    guard let sleep = state.arrivals.detector?.calmWithin else { return nil }
    let left = sleep.radiusMeters - sleep.center.chordSquared(to: circle.center).squareRoot()
    return left > 0 ? min(circle.chordSquared, left * left) : nil
  }

  /// Whether a fix at a position is nothing to the detector.
  func isCalm(at point: SurfacePoint) -> Bool {
    guard state.arrivals.detector != nil else { return true }
    guard let sleep = state.arrivals.detector?.calmWithin else { return false }
    return sleep.center.chordSquared(to: point) <= sleep.radiusMeters * sleep.radiusMeters
  }

  /// When the detector wants to look without a fix, and can; nil if it does not.
  func nextLook(awakeUntil: Timestamp?) -> Timestamp? {
    nextTick.flatMap { isAwake(at: $0, until: awakeUntil) ? $0 : nil }
  }

  /// When the detector wants to look without a fix.
  ///
  /// Silence is looked at when fixes that were measured in it would have been handed over.
  var nextTick: Timestamp? {
    if let foreseen, !foreseen.isFix { return foreseen.at }
    let tick = sources.isEmpty ? state.arrivals.detector?.nextInstant : sources[0].nextInstant
    return tick.map(state.lateness.known(from:))
  }

  /// Lets the detector see that time has passed without a fix.
  mutating func weighSilence(upTo now: Timestamp, awakeUntil: Timestamp?) -> [Fact] {
    guard let tick = nextTick, tick <= now, isAwake(at: tick, until: awakeUntil) else { return [] }
    if let known = foreseen {
      precondition(!known.isFix, "the silence before a fix is looked at before the fix")
      foreseen = nil
      return facts(of: known.findings)
    }
    return facts(of: look(upTo: state.lateness.knownUpTo(now)))
  }

  /// Lets the detector look at silence.
  mutating func look(upTo known: Timestamp) -> [ArrivalFinding] {
    if !sources.isEmpty { return sources[0].advance(to: known) }
    return state.arrivals.detector?.advance(to: known) ?? []
  }

  /// Climbs and leaves ladders as the detector found.
  mutating func facts(of findings: [ArrivalFinding]) -> [Fact] {
    var facts: [Fact] = []
    for finding in findings {
      switch finding {
      case .steppedOut: hasSteppedOut = true
      case .cameBack, .left: hasSteppedOut = false
      case .arrived, .wasThere, .wentAway: break
      }
      for a in state.aims.indices where state.aims[a].isLive {
        if made.value.isMeasured(state.aims[a]) { continue }
        let shape = state.aims[a].plan.shape
        for i in state.aims[a].range {
          switch finding {
          case .arrived(let arrival):
            guard isMeant(arrival, a, i) else { continue }
            let spot = spot(of: arrival)
            let wasPending = state.ladders[i].ladder.arrivalPendingSince != nil
            for transition in state.ladders[i].ladder
              .arrive(at: arrival.at, since: arrival.since, shape)
            {
              if let fact = fact(of: transition, a, i, at: spot) { facts.append(fact) }
              if !wasPending { hasArrivedUnwatched = true }
            }
          case .wasThere(let at, let id):
            // Ladders that speak of arrivals have none to tell.
            guard state.aims[a].target == .place(id), state.aims[a].role != .speaks else {
              continue
            }
            for transition in state.ladders[i].ladder.arrive(at: at, since: at, shape) {
              _ = fact(of: transition, a, i, at: fallbackSpot(a))
              hasArrivedUnwatched = true
            }
          case .left(let at, let staysAt):
            if case .place(let id) = state.aims[a].target, staysAt.contains(id) { continue }
            facts += leave(a, i, at: at)
          case .wentAway(let at, let id):
            if state.aims[a].target == .place(id) { facts += leave(a, i, at: at) }
          case .steppedOut, .cameBack: break
          }
        }
      }
    }
    return facts
  }

  /// Whether an arrival was found of which no way out is watched yet; asked once.
  mutating func takeUnwatchedArrival() -> Bool {
    defer { hasArrivedUnwatched = false }
    return hasArrivedUnwatched
  }

  /// What a single fix outside of an aim's arrival ring is worth.
  ///
  /// A radius takes positions at their word. A sleeping app is woken by a way out, and has seen one: but people stay at
  /// their own places for hours, and in that time a position jumps. It may not be woken again before they are back, so
  /// that only another arrival waits for the doubt to end, and not what is to be said on the way out.
  func doubt(_ a: Int) -> SingleFixDoubt {
    guard fencing.arrivalDetection == .posterior else { return .none }
    guard fencing.watchesDiscs else { return .untilTheNext }
    guard state.aims[a].role == .speaks, case .place = state.aims[a].target else { return .none }
    return .forAWhile
  }

  /// Whether the detector decides when one has left what an aim is about: one's own place, where it has found a stay.
  ///
  /// A ring is left sooner: who came back between the two would be neither there nor away.
  func isKept(_ a: Int) -> Bool {
    guard !fencing.watchesDiscs, case .place(let id) = state.aims[a].target,
      !made.value.isMeasured(state.aims[a])
    else { return false }
    return sources.first?.stays(at: id) ?? state.arrivals.detector?.stays(at: id) ?? false
  }

  private mutating func leave(_ a: Int, _ i: Int, at instant: Timestamp) -> [Fact] {
    var facts: [Fact] = []
    for transition in state.ladders[i].ladder.leave(at: instant, state.aims[a].plan.shape) {
      let spot = fromHere(state.ladders[i].arrivalSpot ?? fallbackSpot(a))
      if let fact = fact(of: transition, a, i, at: spot) { facts.append(fact) }
    }
    return facts
  }

  private func isMeant(_ arrival: Arrival, _ a: Int, _ i: Int) -> Bool {
    guard state.aims[a].wants(arrival.group) else { return false }
    // Where every point has a fence of its own, the one that was reached is meant.
    guard let poi = state.ladders[i].poi, case .category = arrival.group else { return true }
    return arrival.place == .pointOfInterest(poi)
  }

  // MARK: Beginning anew

  /// Has a reminder that listens anew arrive where one arrived a short while ago, and still is.
  ///
  /// A sleeping app begins its ladders anew within the disc, and weighs again.
  mutating func arriveAgain(reminder id: String, at now: Timestamp) -> [Fact] {
    guard seesEveryFix else { return [] }
    let start = now - Self.arrivalNewsSpan
    let all =
      sources.first?.standing(since: start) ?? state.arrivals.detector?.standing(since: start) ?? []
    var facts: [Fact] = []
    for a in state.aims.indices
    where state.aims[a].reminder == id && state.aims[a].isLive && state.aims[a].role == .speaks
      && !made.value.isMeasured(state.aims[a])
    {
      for i in state.aims[a].range {
        guard let spot = newestSpot(of: all, a, i) else { continue }
        for transition in state.ladders[i].ladder
          .arrive(at: now, since: now, state.aims[a].plan.shape)
        {
          if let fact = fact(of: transition, a, i, at: spot) { facts.append(fact) }
        }
      }
    }
    return facts
  }

  /// For so long after an arrival it is worth telling to who did not hear of it.
  ///
  /// - Source: judgment: an errand takes less; who has been at home for hours knows.
  private static let arrivalNewsSpan = Milliseconds.minutes(30)

  /// The place that was arrived at last of those that a ladder means.
  private func newestSpot(of places: [ArrivalPlace], _ a: Int, _ i: Int) -> Spot? {
    for place in places.reversed() {
      if let spot = spot(of: place, a, i) { return spot }
    }
    return nil
  }

  /// A place that was arrived at, if a ladder means it.
  private func spot(of place: ArrivalPlace, _ a: Int, _ i: Int) -> Spot? {
    switch (place, state.aims[a].target) {
    case (.place(let id), .place(let wanted)): return id == wanted ? fallbackSpot(a) : nil
    case (.pointOfInterest(let id), .category(let category)):
      guard let index = catalog.index(ofSourceID: id),
        catalog.points[index].categories.contains(category),
        state.ladders[i].poi.map({ $0 == id }) ?? true
      else { return nil }
      let point = catalog.points[index]
      return fromHere(spot(of: point, distanceMeters: 0))
    default: return nil
    }
  }

  private func spot(of point: PointOfInterest, distanceMeters: Double) -> Spot {
    Spot(
      poi: point.sourceID,
      name: point.spokenName ?? point.categories[0].label,
      coordinate: point.coordinate,
      distanceMeters: distanceMeters
    )
  }

  private func spot(of arrival: Arrival) -> Spot {
    switch arrival.place {
    case .pointOfInterest:
      return spot(
        of: catalog.points[arrival.index.index],
        distanceMeters: arrival.distanceMeters
      )
    case .place:
      let place = places[arrival.index.index]
      return Spot(
        poi: nil,
        name: place.name,
        coordinate: place.coordinate,
        distanceMeters: arrival.distanceMeters
      )
    }
  }

  // MARK: The seam

  /// Has the arrivals on the coming fixes found by another source.
  ///
  /// The state then leaves out what the detector remembers, so it is not to be stored; places and
  /// catalog must stay as they are.
  mutating func findArrivals(with source: any ArrivalSource) {
    precondition(
      state.arrivals.detector != nil && seesEveryFix && state.lastFix == nil,
      "a source takes the place of a detector that has seen nothing of a stream"
    )
    state.arrivals = ArrivalMemory()
    sources = [source]
  }
}
