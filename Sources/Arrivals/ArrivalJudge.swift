import Geodesy
import Places
import Timeline

/// Decides when evidence has been enough for long enough: one arrival for each stay.
package struct ArrivalJudge: Hashable, Sendable, Codable {
  private struct Hold: Hashable, Sendable, Codable {
    var group: ArrivalGroup
    var since: Timestamp
    /// Whether another look has been had since then; nil for no.
    var isSeenAgain: Bool?
  }

  private struct Told: Hashable, Sendable, Codable {
    var place: ArrivalPlace
    var at: Timestamp
  }

  /// Fixes within so long are one look: some receivers tell each twice.
  ///
  /// - Source: judgment: less than any cadence at which one look could be enough by itself.
  private static let anotherLook = Milliseconds(10_000)

  private var holds: [Hold] = []
  /// What has been arrived at and not left since.
  private var told: [Told] = []
  /// Where the last arrival was decided.
  private var toldAt: SpacePoint?
  /// The point of the place that was meant then, which may be some way on; nil in states of earlier versions.
  private var toldPoint: SpacePoint?
  /// Since when every fix has been farther from there than ``DecisionSettings/rearmMeters``; nil if the last was not.
  private var outSince: Timestamp?
  /// Whether more than one fix was; nil for no.
  private var isOutAgain: Bool?
  /// Whether some fix since the last arrival was, so that another place is news as anywhere; nil for no.
  private var hasBeenOut: Bool?
  private var ownStays = OwnStays()

  /// Remembers nothing yet.
  package init() {}

  /// The probability of a candidate.
  static func probability(
    of candidate: ArrivalTracker.Candidate,
    _ weights: ArrivalTerms
  ) -> Double {
    Arrivals.probability(logOdds: candidate.terms.logOdds(weights))
  }

  /// Looks at what may be arrived at, at an instant.
  ///
  /// - Parameter chances: the groups whose probability is at least ``DecisionSettings/leastProbability``; more
  ///   of them change nothing.
  package mutating func judge(
    _ chances: ArraySlice<ArrivalChance>,
    at moment: ArrivalMoment,
    _ settings: DecisionSettings,
    _ world: ArrivalWorld
  ) -> [ArrivalFinding] {
    // As of most fixes of a stay.
    if ignores(chances, here: moment.here, inSilence: !moment.isFix, settings, world) { return [] }
    let found = ownStays.learn(world, at: moment, settings)
      .map { ArrivalFinding.wasThere(at: moment.at, place: $0) }
    let wentAway = goAway(from: ownStays.end(at: moment, settings, world), at: moment.at)
    let departures = moment.isFix ? depart(at: moment, settings) : []
    let (likely, best) = weigh(chances, at: moment, settings, world)
    let arrivals = best.map { arrive(at: $0, likely: likely, moment, settings, world) } ?? []
    return found + wentAway + departures + arrivals
  }

  /// Whether what was arrived at has been left, or seems to have been, as a fix shows.
  private mutating func depart(
    at moment: ArrivalMoment,
    _ settings: DecisionSettings
  ) -> [ArrivalFinding] {
    let (now, here) = (moment.at, moment.here)
    // Who is at rest there has jumped, or has gone and stays away.
    let mayHaveJumped =
      moment.isAtRest && !moment.isAfterSleep && !isFarther(here, than: settings.ownJumpMeters)
    let outFor = outSince.map { now - $0 } ?? .seconds(0)
    let staysOut = !mayHaveJumped || outFor >= settings.jumpLasts
    // The estimate follows a jump, and takes what comes back for another.
    let hasComeBack =
      mayHaveJumped && hasSteppedOut && outFor < settings.ownSilence
      && moment.measured.map { !isOut($0, settings) } ?? false
    if !hasComeBack, staysOut, hasSteppedOut, outFor >= settings.leaveAfter,
      isOutAgain ?? false || isOut(here, settings)
    {
      // Also where nothing was heard meanwhile, and the first fix is back inside; but one alone that lay outside is a
      // position that jumped.
      return [leave(at: now)]
    }
    let wasOut = hasSteppedOut
    let liesOutside = !hasComeBack && isOut(here, settings)
    isOutAgain = liesOutside && wasOut ? true : nil
    outSince = liesOutside ? outSince ?? now : nil
    if outSince != nil { hasBeenOut = true }
    if staysOut, hasSteppedOut, hasLeft(here, deviationMeters: moment.deviationMeters, settings) {
      return [leave(at: now)]
    }
    guard hasSteppedOut != wasOut else { return [] }
    return [wasOut ? .cameBack(at: now) : .steppedOut(at: now)]
  }

  /// Which places are probable, and which of them has been for long enough to be arrived at; the others are held.
  private mutating func weigh(
    _ chances: ArraySlice<ArrivalChance>,
    at moment: ArrivalMoment,
    _ settings: DecisionSettings,
    _ world: ArrivalWorld
  ) -> (likely: [Arrival], best: Arrival?) {
    var kept: [Hold] = []
    var sure: [Arrival] = []
    var likely: [Arrival] = []
    let least = min(settings.sameSpotThreshold, settings.leastProbability)
    let isBesideTold = !told.isEmpty && hasBeenOut == nil
    for chance in chances {
      let sum = probability(chance)
      guard sum >= least else { continue }
      let candidate = chance.candidate
      let guards = guards(on: candidate, probability: sum, at: moment, settings, world)
      guard guards.isDisjoint(with: [.told, .passing]) else { continue }
      let group = world.group(candidate.place)
      let before = holds.first { $0.group == group }
      let since = before?.since ?? moment.at
      let arrival = Arrival(
        at: moment.at,
        since: since,
        group: group,
        place: world.name(candidate.place),
        index: candidate.place,
        probability: sum,
        terms: candidate.terms(whileStaying: !ownStays.isEmpty),
        distanceMeters: candidate.distanceMeters
      )
      likely.append(arrival)
      // Beside another place, one of the guards has asked for more.
      let threshold = settings.threshold(for: candidate)
      guard guards.isEmpty, sum >= threshold || isBesideTold else { continue }
      let isLater = moment.isFix && moment.at - since >= Self.anotherLook
      let isSeenAgain = before.map { isLater || $0.isSeenAgain ?? false } ?? false
      // One fix holds for nothing before the next is due: who rides past a door has gone on by then.
      guard moment.at - since >= settings.hold,
        isSeenAgain || moment.isFixOverdue || settings.hold.value <= 0
      else {
        kept.append(Hold(group: group, since: since, isSeenAgain: isSeenAgain ? true : nil))
        continue
      }
      sure.append(arrival)
    }
    holds = kept
    // Of several at one instant, the most probable is meant.
    let best = sure.max {
      ($0.probability, $1.index.slot, $1.index.index)
        < ($1.probability, $0.index.slot, $0.index.index)
    }
    return (likely, best)
  }

  /// Arrives at a place, and at what cannot be told apart from it.
  private mutating func arrive(
    at best: Arrival,
    likely: [Arrival],
    _ moment: ArrivalMoment,
    _ settings: DecisionSettings,
    _ world: ArrivalWorld
  ) -> [ArrivalFinding] {
    var findings: [ArrivalFinding] = []
    // Who is there is no longer where they were.
    if hasSteppedOut || hasGoneHome(to: best.index, world) {
      findings.append(leave(at: moment.at))
    }
    findings += goAway(
      from: ownStays.end(farFrom: world.point(best.index), settings, world),
      at: moment.at
    )
    for arrival in likely
    where arrival.index == best.index
      || world.isSameSpot(arrival.index, best.index)
        && arrival.probability >= settings.leastAtSpot(of: best.index, arrival.index)
    {
      findings.append(.arrived(arrival))
      told.append(Told(place: arrival.place, at: moment.at))
      ownStays.begin(at: arrival.place, moment, settings)
    }
    (toldAt, hasBeenOut) = (SpacePoint(moment.here), nil)
    toldPoint = SpacePoint(world.point(best.index))
    return findings
  }

  /// Whether ``ignores(_:here:inSilence:_:_:)`` depends on the chances, and is not false in any case.
  @inline(__always)
  func mayIgnore(
    here: SurfacePoint,
    inSilence: Bool,
    _ settings: DecisionSettings,
    _ world: ArrivalWorld
  ) -> Bool {
    // Nobody comes or goes in silence, as far as is known.
    holds.isEmpty && (inSilence || !hasSteppedOut && !isOut(here, settings))
      && ownStays.knows(world) && ownStays.isCalm(at: here, settings, world)
  }

  private func probability(_ chance: ArrivalChance) -> Double {
    ownStays.isEmpty ? chance.probability : chance.probabilityWhileStaying
  }

  /// What keeps a place that is so probable from being arrived at.
  func guards(
    on candidate: ArrivalTracker.Candidate,
    probability: Double,
    at moment: ArrivalMoment,
    _ settings: DecisionSettings,
    _ world: ArrivalWorld
  ) -> ArrivalGuards {
    var guards: ArrivalGuards = []
    if isTold(world.name(candidate.place)) { guards.insert(.told) }
    // People pass their own homes on foot far more often than any one shop: there, being near is not enough.
    if candidate.place.slot < 0, !candidate.hasStopped { guards.insert(.passing) }
    if moment.motionSeconds < settings.leastMotionSeconds { guards.insert(.leastMotion) }
    guard let last = told.last, hasBeenOut == nil else { return guards }
    if moment.at - last.at < settings.nextPlaceAfter { guards.insert(.nextPlaceAfter) }
    if let toldAt, isTooNear(moment.here, to: toldAt, settings) { guards.insert(.nextPlaceWay) }
    if probability < min(settings.threshold + settings.nextPlaceMargin, 0.99) {
      guards.insert(.nextPlaceMargin)
    }
    return guards
  }

  private func isTooNear(
    _ here: SurfacePoint,
    to spot: SpacePoint,
    _ settings: DecisionSettings
  ) -> Bool {
    here.chordSquared(to: spot.surface) < settings.nextPlaceMeters * settings.nextPlaceMeters
  }

  /// Whether an arrival at a place would be no news.
  func isTold(_ place: ArrivalPlace) -> Bool {
    told.contains { $0.place == place } || ownStays.contains(place)
  }

  /// Whether one has come from a shop to a place of one's own that can be told apart from it: there one stays for hours, and
  /// who goes out then leaves no shop.
  private func hasGoneHome(to place: ArrivalPlaceIndex, _ world: ArrivalWorld) -> Bool {
    guard place.slot < 0, let shop = toldPoint?.surface else { return false }
    let isShop = told.contains { if case .pointOfInterest = $0.place { true } else { false } }
    return isShop
      && shop.distanceMeters(to: world.point(place)) > world.settings.places.sameSpotMeters
  }

  /// Whether one is so far from where the last arrival was decided that another place is news as anywhere.
  @inline(__always)
  private func isOut(_ here: SurfacePoint, _ settings: DecisionSettings) -> Bool {
    isFarther(here, than: settings.rearmMeters)
  }

  /// Whether one is farther away from where the last arrival was decided, and from the place that was meant: who goes
  /// on to its door does not leave it.
  @inline(__always)
  private func isFarther(_ here: SurfacePoint, than meters: Double) -> Bool {
    guard let spot = toldAt?.surface, here.chordSquared(to: spot) > meters * meters else {
      return false
    }
    return toldPoint.map { here.chordSquared(to: $0.surface) > meters * meters } ?? true
  }

  /// Whether one has left what was arrived at: positions jump indoors, and come back.
  private func hasLeft(
    _ here: SurfacePoint,
    deviationMeters: Double,
    _ settings: DecisionSettings
  ) -> Bool {
    if settings.leaveAfter.value == 0 { return true }
    return isFarther(
      here,
      than: settings.awayMeters(beyond: settings.leaveMeters, deviationMeters: deviationMeters)
    )
  }

  private mutating func leave(at now: Timestamp) -> ArrivalFinding {
    (told, toldAt, toldPoint, outSince, isOutAgain, hasBeenOut) = ([], nil, nil, nil, nil, nil)
    return .left(at: now, staysAt: ownStays.places)
  }

  /// Whether the judge would find nothing and change nothing, as far as a short look can tell.
  ///
  /// - Parameter inSilence: whether no fix comes with it.
  package func ignores(
    _ chances: ArraySlice<ArrivalChance>,
    here: SurfacePoint,
    inSilence: Bool,
    _ settings: DecisionSettings,
    _ world: ArrivalWorld
  ) -> Bool {
    guard mayIgnore(here: here, inSilence: inSilence, settings, world) else { return false }
    if isAtTold(here, settings) { return true }
    return chances.allSatisfy { chance in
      probability(chance) < settings.leastProbability(of: chance.candidate.place)
        || isTold(world.name(chance.candidate.place))
    }
  }

  /// Whether the judge would find nothing and change nothing whatever the chances: one is still where one has arrived,
  /// or was never seen moving.
  @inline(__always)
  func ignoresAll(
    here: SurfacePoint,
    motionSeconds: Double,
    _ settings: DecisionSettings,
    _ world: ArrivalWorld
  ) -> Bool {
    mayIgnore(here: here, inSilence: false, settings, world)
      && (motionSeconds < settings.leastMotionSeconds || isAtTold(here, settings))
  }

  /// Whether one is so near to the last arrival that there is no other.
  @inline(__always)
  private func isAtTold(_ here: SurfacePoint, _ settings: DecisionSettings) -> Bool {
    guard let toldAt, !told.isEmpty, hasBeenOut == nil else { return false }
    return isTooNear(here, to: toldAt, settings)
  }

  /// Whether the person seems to have left what was arrived at, which is not certain.
  @inline(__always)
  package var hasSteppedOut: Bool { outSince != nil }

  /// Whether a hold or an arrival is in hand.
  @inline(__always)
  package var remembersSomething: Bool { !holds.isEmpty || toldAt != nil || !ownStays.isEmpty }

  /// Up to when something that is probable and waited for must last to be an arrival; nil if nothing is.
  func holdsUntil(
    _ settings: DecisionSettings,
    isAwaited: (ArrivalGroup) -> Bool
  ) -> Timestamp? {
    var last: Timestamp?
    for hold in holds where isAwaited(hold.group) {
      last = max(last ?? hold.since, hold.since)
    }
    return last.map { $0 + settings.hold }
  }

  mutating func forget(_ place: String) {
    ownStays.forget(place)
    told.removeAll { $0.place == .place(place) }
  }

  mutating func endStay(at place: String) { ownStays.end(at: place) }

  package func stays(at place: String) -> Bool { ownStays.contains(.place(place)) }

  package func standing(since start: Timestamp) -> [ArrivalPlace] {
    hasSteppedOut ? [] : told.filter { $0.at >= start }.map(\.place)
  }

  func leavingUntil(_ settings: DecisionSettings) -> Timestamp? {
    ownStays.awaySince.map { $0 + settings.ownAwayFor }
  }

  /// Whether the user's places are the ones that it has heard of.
  package func knows(_ world: ArrivalWorld) -> Bool { ownStays.knows(world) }

  private mutating func goAway(from places: [String], at now: Timestamp) -> [ArrivalFinding] {
    places.map { id in
      told.removeAll { $0.place == .place(id) }
      return .wentAway(at: now, from: id)
    }
  }

  /// Takes in that the app has slept: nothing has held meanwhile, and a person who was last seen away from
  /// a place may have been anywhere.
  mutating func resume(at now: Timestamp) -> [ArrivalFinding] {
    holds = []
    return goAway(from: ownStays.endUnseen(), at: now)
  }

  /// Forgets what was going on: the person is far from every place.
  package mutating func reset(at now: Timestamp, _ world: ArrivalWorld) -> [ArrivalFinding] {
    holds = []
    var findings = goAway(from: ownStays.endFarAway(world), at: now)
    if toldAt != nil { findings.append(leave(at: now)) }
    return findings
  }
}

extension DecisionSettings {
  /// From which probability on one is there.
  fileprivate func threshold(for candidate: ArrivalTracker.Candidate) -> Double {
    guard candidate.isOwnInSilence else { return threshold }
    return min(threshold, candidate.isOnlyAhead ? ownThreshold : ownSilenceThreshold)
  }
}

extension ArrivalWorld {
  /// The place that an index names.
  func name(_ index: ArrivalPlaceIndex) -> ArrivalPlace {
    index.slot < 0
      ? .place(places[index.index].id)
      : .pointOfInterest(catalog.points[index.index].sourceID)
  }

  /// Whether two places cannot be told apart: one of two categories, or points next to each other.
  func isSameSpot(_ a: ArrivalPlaceIndex, _ b: ArrivalPlaceIndex) -> Bool {
    guard a != b else { return true }
    return point(a).distanceMeters(to: point(b)) <= settings.places.sameSpotMeters
  }

  /// Where it is.
  func point(_ index: ArrivalPlaceIndex) -> SurfacePoint {
    index.slot < 0 ? placePoints[index.index] : catalog.positions[index.index]
  }

  /// The group that an index belongs to.
  func group(_ index: ArrivalPlaceIndex) -> ArrivalGroup {
    index.slot < 0
      ? .place(places[index.index].id) : .category(catalog.categories[index.slot])
  }
}
