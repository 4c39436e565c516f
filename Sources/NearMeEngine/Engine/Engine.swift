import Arrivals
import Fencing
import Geodesy
import Places
import Timeline
import Traces

/// How the engine learns where the phone is.
public enum Monitoring: Hashable, Sendable {
  /// Every fix is passed on: a server, or an app that tracks anyway.
  case everyFix
  /// The app sleeps; the location service wakes it for regions.
  case regions(MonitorLimits, RegionStrategy = .safeRegion)
}

/// The reminder engine: events in, effects out.
///
/// Pure: it reads no clock, no file, no zone and no random number; the event carries its instant.
/// The same events from the same state give the same effects, bit for bit.
///
/// - Complexity: a fix within the still circle of the last evaluation costs O(1), any other
///   O(reminders · log points).
public struct Engine: Sendable {
  /// What decides.
  public let policy: Policy
  /// Where midnight and quiet hours are; ``Event/Kind/zoneChanged(_:)`` gives another.
  public internal(set) var zone: UTCOffsetTable
  /// How positions come in.
  public let monitoring: Monitoring
  /// The points of interest.
  public private(set) var catalog: POICatalog
  /// What survives.
  public internal(set) var state: EngineState

  /// The numbers for ladders.
  let fencing: FencingSettings
  /// Whether the detector looks at silence also where nothing can be decided; for explanations.
  package var looksAtEveryTick = false {
    didSet { state.arrivals.detector?.looksAtEveryTick = looksAtEveryTick }
  }
  /// Decides on arrivals in the detector's place, where the way is recorded.
  var playback: ArrivalPlayback?
  /// What reminders aim at, resolved against the catalog; one array for each reminder.
  var targets: [[ResolvedTarget]] = []
  /// The effects of the event in hand.
  var effects: [Effect] = []
  /// When what is said now is heard: the event's instant, later than what it catches up with.
  var heardAt: Timestamp?
  /// What the machine did, whatever its speed.
  package internal(set) var effort = EngineEffort()
  /// The points near the last position; derived, never stored.
  var near = NearbyPoints()
  /// Whether positions come every few seconds; derived, never stored.
  private var isQuick = false
  /// Whether the next fix of a stream has been found to need a look at the targets.
  var mustLook = false
  /// For each watch, where it can rest; derived, never stored.
  var rests: [WatchRest?] = []
  /// The circle within which no boundary can be crossed; derived, never stored.
  var still: (at: Coordinate, centre: SurfacePoint, chordSquared: Double)?
  private(set) var isUndecided = true
  /// Whether the next position has been asked for: until it comes, nothing is promised.
  private var isPositionAwaited = false

  /// A watch's target, ready for looking at.
  struct ResolvedTarget: Sendable {
    var target: FenceTarget
    var arrival: DiscRadius?
  }

  /// Makes an engine, new or with the state of an earlier one.
  public init(
    policy: Policy,
    zone: UTCOffsetTable,
    catalog: POICatalog,
    monitoring: Monitoring,
    state: EngineState = EngineState()
  ) {
    self.policy = policy
    fencing = Self.fencing(policy, monitoring)
    self.zone = zone
    self.catalog = catalog
    self.monitoring = monitoring
    self.state = state
    resolveTargets()
  }

  /// Takes in one event.
  ///
  /// - Returns: what the host is to do, in order.
  public mutating func handle(_ event: Event) -> [Effect] {
    effects.removeAll(keepingCapacity: true)
    heardAt = event.at
    var sighted: Fix?
    var cameFrom: Fix?
    var needsPosition = false
    switch event.kind {
    case .fix(let fix):
      let point = SurfacePoint(fix.coordinate)
      if let refusal = isFuture(fix, event) ? .future : gateRefusal(of: fix, point) {
        effects.append(.record(.fixRefused(at: fix.at, refusal)))
        return effects
      }
      let previous = state.lastFix
      guard take(fix, at: point, previous: previous) else { return effects }
      sighted = fix
    case .woken(let fix, let previous):
      if isFuture(fix, event) {
        effects.append(.record(.fixRefused(at: fix.at, .future)))
      } else if let last = state.lastFix, fix.at <= last.at {
        // A cached position: it says nothing of the crossing that it was sent for.
        effects.append(.record(.fixRefused(at: fix.at, fix.at < last.at ? .late : .duplicateTime)))
      } else {
        advance(to: fix.at)
        let before = (previous ?? state.lastFix)?.at
        isQuick = before.map { fix.at - $0 <= Self.quickCadence } ?? false
        state.lastFix = fix
        let weighed = weigh(fix, at: SurfacePoint(fix.coordinate))
        observe(
          Whereabouts(fix: fix, previous: previous, fencing, policy.gate),
          findings: weighed.findings
        )
        sighted = fix
        cameFrom = previous
      }
      needsPosition = sighted == nil
    case .launched:
      // Timers and requests of an earlier process are gone with it.
      state.wakeAt = nil
      state.followUntil = nil
      // Who took the regions that were refused may be gone, too.
      state.acceptedRegions = nil
      state.standing = nil
      // The state does not hold the zone: it may be another one.
      waitAnewForLocalTimes(at: state.now ?? event.at)
      needsPosition = true
    case .timer:
      state.wakeAt = nil
    case .action, .focus, .reminderSaved, .reminderDeleted, .placeSaved, .placeDeleted,
      .entitlement, .analytics:
      // What the user says holds before what is overdue: nothing is heard of it any more.
      noteShown(upTo: event.at)
      obey(event.kind, at: clock(event.at))
    case .zoneChanged(let zone):
      advance(to: event.at)
      self.zone = zone
      waitAnewForLocalTimes(at: clock(event.at))
    case .clockChanged(let span):
      guard let span = shiftable(span) else { break }
      advance(to: event.at - span)
      shiftClock(by: span)
    case .locationAccess(let access):
      advance(to: event.at)
      needsPosition = change(to: access, at: clock(event.at))
    case .regionsRefused(let ids):
      advance(to: event.at)
      needsPosition = loseRegions(ids, at: clock(event.at))
    }
    advance(to: event.at)
    finish(sighted, cameFrom: cameFrom, at: clock(event.at), needsPosition: needsPosition)
    return effects
  }

  /// Replaces the points of interest by those of a newer cache.
  ///
  /// Nothing is unregistered before the next position is known, and a catalog without a single
  /// point, as a failed load makes one, changes nothing.
  ///
  /// - Returns: what the host is to do, in order.
  public mutating func replaceCatalog(_ catalog: POICatalog, at now: Timestamp) -> [Effect] {
    effects.removeAll(keepingCapacity: true)
    heardAt = now
    guard !catalog.points.isEmpty || self.catalog.points.isEmpty else {
      effects.append(.record(.emptyCatalogRefused(at: clock(now))))
      return effects
    }
    advance(to: now)
    precondition(playback == nil, "a recording is of another catalog")
    self.catalog = catalog
    near = NearbyPoints()
    refreshPerPOIWatches(at: clock(now))
    resolveTargets()
    finish(nil, at: clock(now), needsPosition: true)
    return effects
  }

  private mutating func gateRefusal(of fix: Fix, _ point: SurfacePoint) -> FixRefusal? {
    state.gate.refuse(fix, at: point, policy.gate)
  }

  /// A fix from the future would make every later one late.
  ///
  /// - Source: one minute is more than receivers' and phones' clocks differ by.
  private func isFuture(_ fix: Fix, _ event: Event) -> Bool {
    fix.at - event.at > .minutes(1)
  }

  /// The event's instant or, when the clock was set back, the newest instant known.
  private func clock(_ at: Timestamp) -> Timestamp { max(at, state.now ?? at) }

  // MARK: Positions

  /// Takes in a fix of a stream.
  ///
  /// - Returns: whether anything changed but the newest position.
  private mutating func take(_ fix: Fix, at point: SurfacePoint, previous: Fix?) -> Bool {
    let hadTimer = state.wakeAt.map { $0 <= fix.at } ?? false
    if hadTimer { advance(to: fix.at) }
    state.now = clock(fix.at)
    state.lastFix = fix
    let weighed = weigh(fix, at: point)
    if !hadTimer, !isUndecided, weighed.findings.isEmpty, !weighed.needsTimer, let still {
      if point.chordSquared(to: still.centre) <= still.chordSquared { return false }
      if !mustLook, restAnew(fix, at: point, previous: previous) { return false }
    }
    mustLook = false
    let hasChanged = observe(
      Whereabouts(fix: fix, at: point, previous: previous, fencing, policy.gate),
      findings: weighed.findings
    )
    if !hadTimer, !hasChanged, !weighed.needsTimer {
      // Nothing that is due or scheduled depends on a position that changed nothing.
      restStill(around: fix, at: point)
      return false
    }
    return true
  }

  /// Looks at all targets that may have come nearer than their ladders allow to overlook.
  ///
  /// - Parameter findings: what the arrival detector made of the same fix.
  /// - Returns: whether a ladder changed, or anything else came of it.
  @discardableResult
  private mutating func observe(_ here: Whereabouts, findings: [ArrivalFinding] = []) -> Bool {
    let now = here.fix.at
    state.now = clock(now)
    effort.evaluations += 1
    var hasChanged = false
    var candidates: [Candidate] = []
    var seen: [(key: SightKey, sighting: TargetSighting?)] = []
    isUndecided = false
    let start = monitoring == .everyFix ? nil : here.cameFrom
    var watchIndex = -1
    for r in state.reminders.indices {
      guard isLive(r) else {
        watchIndex += state.reminders[r].watches.count
        continue
      }
      for w in state.reminders[r].watches.indices {
        watchIndex += 1
        let before = state.reminders[r].watches[w].ladder
        if isResting(watchIndex, before, at: here.point, from: start) { continue }
        let plan = state.reminders[r].plan
        let key = SightKey(targets[r][w], approachesAhead(before, plan.shape))
        let sighting: TargetSighting?
        if let known = seen.first(where: { $0.key == key }) {
          sighting = known.sighting
        } else {
          effort.sightings += 1
          sighting = here.sight(
            of: key.target,
            arrival: key.arrival,
            approachesAhead: key.approachesAhead,
            in: catalog,
            &near
          )
          // One target for each point: nothing is looked at twice, and the list would only grow.
          if state.reminders[r].watches.count == 1 { seen.append((key, sighting)) }
        }
        guard let sighting else { continue }
        let transitions = state.reminders[r].watches[w].ladder
          .observe(
            sighting.sight,
            accuracyMeters: here.fix.horizontalAccuracyMeters,
            speedMetersPerSecond: here.fix.speedMetersPerSecond,
            at: now,
            plan.shape,
            fencing
          )
        let after = state.reminders[r].watches[w].ladder
        if after.needsNextFix { isUndecided = true }
        if before == after, transitions.isEmpty { continue }
        hasChanged = true
        if before.arrivalPendingSince != nil, after.arrivalPendingSince == nil {
          cancelArrival(r, w, .left, at: now)
        }
        notePendingSpot(r, w, before: before, after: after, sighting, here)
        for transition in transitions {
          let spot = spot(r, w, of: transition, sighting, here)
          candidates += note(transition, r, w, spot, at: here.point)
        }
      }
    }
    candidates += self.candidates(of: findings)
    candidates += duePostArrivals(at: now)
    hasChanged = hasChanged || !candidates.isEmpty || !effects.isEmpty
    decide(candidates, at: now)
    return hasChanged
  }

  /// What a sighting depends on: reminders that share it look only once.
  private struct SightKey: Hashable {
    let target: FenceTarget
    let arrival: DiscRadius?
    let approachesAhead: [Double]

    init(_ resolved: ResolvedTarget, _ approachesAhead: [Double]) {
      target = resolved.target
      arrival = resolved.arrival
      self.approachesAhead = approachesAhead
    }
  }

  /// The radii of the approaches that have not been entered, the largest first.
  private func approachesAhead(_ ladder: Ladder, _ shape: LadderShape) -> [Double] {
    guard let level = ladder.level else { return [] }
    var radii: [Double] = []
    for ring in shape.rings.dropFirst(level) where ring.kind == .approach {
      radii.append(ring.radiusMeters)
    }
    return radii
  }

  /// Remembers what was seen when an arrival or an exit began to be pending.
  private mutating func notePendingSpot(
    _ r: Int,
    _ w: Int,
    before: Ladder,
    after: Ladder,
    _ sighting: TargetSighting,
    _ here: Whereabouts
  ) {
    let beganArrival = before.arrivalPendingSince == nil && after.arrivalPendingSince != nil
    let beganExit = before.exitHoldsAt == nil && after.exitHoldsAt != nil
    if beganArrival || beganExit {
      state.reminders[r].watches[w].pendingSpot = spot(
        r,
        w,
        poi: sighting.arrivalPOI,
        distanceMeters: sighting.sight.distanceMeters,
        here
      )
    }
  }

  private func spot(
    _ r: Int,
    _ w: Int,
    of transition: RingTransition,
    _ sighting: TargetSighting,
    _ here: Whereabouts
  ) -> Spot {
    let isArrival = state.reminders[r].plan.shape.rings[transition.ring].kind == .arrival
    if isArrival {
      return spot(
        r,
        w,
        poi: sighting.arrivalPOI,
        distanceMeters: sighting.sight.distanceMeters,
        here
      )
    }
    let passing = sighting.sight.passingDistanceMeters ?? .infinity
    if transition.kind == .enter, passing < sighting.sight.distanceMeters {
      return spot(r, w, poi: sighting.passedPOI, distanceMeters: passing, here, isPassing: true)
    }
    return spot(r, w, poi: sighting.nearestPOI, distanceMeters: sighting.sight.distanceMeters, here)
  }

  private func spot(
    _ r: Int,
    _ w: Int,
    poi: Int?,
    distanceMeters: Double,
    _ here: Whereabouts,
    isPassing: Bool = false
  ) -> Spot {
    switch state.reminders[r].reminder.target {
    case .place(let id):
      let place = state.places.first { $0.id == id }
      return Spot(
        poi: nil,
        name: place?.name ?? id,
        coordinate: place?.coordinate ?? here.fix.coordinate,
        distanceMeters: distanceMeters
      )
    case .category(let category):
      let index =
        poi ?? state.reminders[r].watches[w].poi.flatMap { catalog.index(ofSourceID: $0) }
      guard let index else {
        return Spot(
          poi: nil,
          name: category.label,
          coordinate: here.fix.coordinate,
          distanceMeters: distanceMeters
        )
      }
      let point = catalog.points[index]
      return Spot(
        poi: point.sourceID,
        name: point.name ?? category.label,
        coordinate: point.coordinate,
        distanceMeters: isPassing
          ? distanceMeters : catalog.positions[index].distanceMeters(to: here.point)
      )
    }
  }

  // MARK: After every event

  private mutating func finish(
    _ sighted: Fix?,
    cameFrom: Fix? = nil,
    at now: Timestamp,
    needsPosition: Bool
  ) {
    state.now = clock(now)
    endSnoozes(at: now)
    lookAgainAtFreed(at: now)
    reconcileSchedule(at: now)
    switch monitoring {
    case .everyFix:
      if let sighted { restStill(around: sighted) } else { still = nil }
    case .regions(let limits, let strategy):
      // An app that has slept or was dead weighs again from its next fix on, and not from what it knew.
      let isAwake = sighted != nil || state.followUntil.map { $0 > now } ?? false
      let until = [mustHoldUntil(at: now), isAwake ? weighsUntil(at: now) : nil]
        .compactMap { $0 }.max()
      let asks = watchRegions(
        sighted,
        cameFrom: cameFrom,
        limits,
        strategy,
        needsPosition: needsPosition,
        isFollowing: until != nil
      )
      if asks { effects.append(.locate) }
      if asks || sighted != nil { isPositionAwaited = asks }
      follow(until: until, at: now, isSighted: sighted != nil, asks: asks)
    }
    let next = nextInstant().map { max($0, now) }
    if next != state.wakeAt {
      state.wakeAt = next
      effects.append(.wakeAt(next))
    }
  }

  /// Up to when an arrival or an exit that has begun must hold; nil if none is under way.
  private func mustHoldUntil(at now: Timestamp) -> Timestamp? {
    var until: Timestamp?
    // By index, as in ``nextInstant()``.
    for r in state.reminders.indices where isLive(r) {
      for w in state.reminders[r].watches.indices {
        guard let holdsAt = state.reminders[r].watches[w].ladder.nextInstant,
          holdsAt - now <= policy.monitor.longestFollow
        else { continue }
        until = max(until ?? holdsAt, holdsAt)
      }
    }
    return until
  }

  /// Asks for every position for a while.
  ///
  /// Without that, an arrival that begins and does not hold is two wakes, and nothing comes of either.
  private mutating func follow(
    until: Timestamp?,
    at now: Timestamp,
    isSighted: Bool,
    asks: Bool
  ) {
    if let last = state.followUntil, last <= now { state.followUntil = nil }
    // The position after the hold is awaited, too: the plan is made from there.
    var until = until.map { $0 + Self.quickCadence }
    if !isSighted, let last = state.followUntil { until = max(until ?? last, last) }
    // What was asked for comes within this wake, if it comes soon.
    if isSighted, asks { until = max(until ?? now, now + policy.monitor.patience) }
    guard until != state.followUntil else { return }
    state.followUntil = until
    effects.append(.follow(until: until))
  }

  /// Positions that come at least this often let a plan be made for the next moment only.
  ///
  /// - Source: phones that drive or walk give one each second; the corpora's slower ones every 15 s.
  static let quickCadence = Milliseconds.seconds(5)

  /// Chooses the regions anew, where the position is good enough for that.
  ///
  /// - Returns: whether the next position must be asked for.
  private mutating func watchRegions(
    _ sighted: Fix?,
    cameFrom: Fix?,
    _ limits: MonitorLimits,
    _ strategy: RegionStrategy,
    needsPosition: Bool,
    isFollowing: Bool
  ) -> Bool {
    let isBlind = state.access.map { $0 != .always } ?? false
    // A poor position moves nothing; without the next one, what it was woken for would be lost.
    if let sighted, sighted.horizontalAccuracyMeters > policy.monitor.poorAccuracyMeters {
      return !isBlind
    }
    guard let sighted else {
      releaseUnneededRegions()
      return !isBlind && (isSomebodyLost || (needsPosition && hasLiveWatches))
    }
    if isFollowing, isQuick, stands(at: sighted, limits) {
      restStill(around: sighted)
      return !isBlind && isSomebodyLost
    }
    let kept = regionsOfMissingCategories()
    var limits = limits
    if let accepted = state.acceptedRegions {
      limits.slots = min(accepted, limits.slots ?? accepted)
    }
    limits.slots = limits.slots.map { max(1, $0 - kept.count) }
    let plan = plan(around: sighted, cameFrom: cameFrom, limits, strategy, isFollowing: isFollowing)
    change(
      to: kept.isEmpty ? plan.entries : kept + plan.entries,
      plan.certificate,
      from: sighted.coordinate,
      anticipationMeters: strategy.bubbleMeters == nil ? policy.monitor.anticipationMeters : 0
    )
    if isFollowing, isQuick, strategy.bubbleMeters == nil, kept.isEmpty, !plan.needsNextFix {
      stand(at: sighted)
      restStill(around: sighted)
    }
    return !isBlind && (isSomebodyLost || plan.needsNextFix)
  }

  private mutating func plan(
    around fix: Fix,
    cameFrom: Fix?,
    _ limits: MonitorLimits,
    _ strategy: RegionStrategy,
    isFollowing: Bool
  ) -> RegionPlan {
    let current = state.regions.map(\.region)
    let safeID = "safe:\(state.safeCircleSerial + 1)"
    let plan: RegionPlan
    if strategy.bubbleMeters != nil, let slots = limits.slots {
      plan = RivalPlanner(strategy, slots: slots, catalog: catalog)
        .plan(around: fix.coordinate, watchedLadders(), current: current, safeID: safeID)
    } else {
      plan = RegionPlanner(catalog: catalog, limits: limits)
        .plan(
          around: fix.coordinate,
          cameFrom: Self.isTravelling(fix, from: cameFrom) ? cameFrom?.coordinate : nil,
          watchedLadders(),
          current: current,
          isFollowing: isFollowing
            && cameFrom.map { fix.at - $0.at <= Self.quickCadence } ?? false,
          marginMeters: limits.marginMeters(after: fix),
          safeID: safeID
        )
    }
    // An id is used for one circle only.
    if plan.entries.contains(where: { $0.region.id.hasSuffix(safeID) }) {
      state.safeCircleSerial += 1
    }
    return plan
  }

  /// Whether the way from the fix before says where somebody is going.
  ///
  /// - Source: faster than a receiver's noise drifts; corpora at rest show 0.25–0.7 m/s.
  private static func isTravelling(_ fix: Fix, from before: Fix?) -> Bool {
    guard let before else { return false }
    let seconds = (fix.at - before.at).seconds
    guard seconds > 0, seconds <= 60 else { return false }
    let meters = fix.coordinate.distanceMeters(to: before.coordinate)
    return min(meters / seconds, fix.speedMetersPerSecond ?? .infinity) >= 1
  }

  /// Whether some ladder waits for the next fix.
  ///
  /// Those of a category that the catalog has none of
  /// wait for a catalog.
  private var isSomebodyLost: Bool {
    for r in state.reminders.indices where isLive(r) {
      for w in state.reminders[r].watches.indices
      where state.reminders[r].watches[w].ladder.needsNextFix {
        if targets[r][w].target != .category(slot: nil) { return true }
      }
    }
    return false
  }

  private var hasLiveWatches: Bool {
    state.reminders.contains { $0.reminder.isLive && !$0.watches.isEmpty }
  }

  /// Regions of categories that this catalog has none of, while one before it had: a cache that
  /// failed to load never unregisters anything.
  private func regionsOfMissingCategories() -> [RegionPlan.Entry] {
    var missing: [String] = []
    for r in state.reminders.indices where isLive(r) {
      if targets[r].contains(where: { $0.target == .category(slot: nil) }) {
        missing.append(state.reminders[r].reminder.id)
      }
    }
    guard !missing.isEmpty else { return [] }
    return state.regions.filter { entry in
      entry.region.kind != .safe && entry.owners.contains { missing.contains($0) }
    }
  }

  /// Lets go of regions that nobody needs any more; nothing is started, for nobody knows where the
  /// phone is.
  private mutating func releaseUnneededRegions() {
    guard !state.regions.isEmpty else { return }
    var live: [String] = []
    for r in state.reminders.indices
    where isLive(r) && !state.reminders[r].watches.isEmpty {
      live.append(state.reminders[r].reminder.id)
    }
    let isNeeded = !live.isEmpty
    if isNeeded,
      state.regions.indices.allSatisfy({ i in
        state.regions[i].region.kind == .safe
          || state.regions[i].owners.allSatisfy { live.contains($0) }
      })
    {
      return
    }
    var kept: [RegionPlan.Entry] = []
    for var entry in state.regions {
      if entry.region.kind != .safe {
        entry.owners.removeAll { !live.contains($0) }
        if entry.owners.isEmpty { continue }
      }
      kept.append(entry)
    }
    if !isNeeded { kept = [] }
    guard kept != state.regions, let certificate = state.certificate else { return }
    change(to: kept, certificate.covering(kept.map(\.region.id)))
  }

  /// Asks for the difference between what is watched and what a plan wants.
  ///
  /// - Parameter position: from which the plan was made; nil where nothing new is in it.
  private mutating func change(
    to entries: [RegionPlan.Entry],
    _ certificate: Certificate,
    from position: Coordinate? = nil,
    anticipationMeters: Double = 0
  ) {
    // A table by id for thousands of regions without a limit; nothing walks through it.
    let table =
      state.regions.count > 64
      ? Dictionary(state.regions.enumerated().map { ($1.region.id, $0) }) { first, _ in first }
      : [:]
    func known(_ id: String) -> Int? {
      table.isEmpty ? state.regions.firstIndex { $0.region.id == id } : table[id]
    }
    let here = position.map(SurfacePoint.init)
    func distance(to region: Region) -> Double? {
      here?.distanceMeters(to: SurfacePoint(region.centre))
    }
    var after = entries
    var start: [Region] = []
    var isStaying = [Bool](repeating: false, count: state.regions.count)
    for i in after.indices {
      let region = after[i].region
      let old = known(region.id).flatMap { state.regions[$0].region == region ? $0 : nil }
      if let old, !isSpent(state.regions[old], distance) {
        after[i].askedRadiusMeters = state.regions[old].askedRadiusMeters
        isStaying[old] = true
      } else if anticipationMeters > 0, let distance = distance(to: region) {
        let asked = region.anticipated(byMeters: anticipationMeters, fromMeters: distance)
        after[i].askedRadiusMeters = asked.radiusMeters
        start.append(asked)
      } else {
        start.append(region)
      }
    }
    let stop = state.regions.indices
      .filter { i in
        !isStaying[i] && !(known(state.regions[i].region.id).map { isStaying[$0] } ?? false)
      }
      .map { state.regions[$0].region.id }
    state.standing = nil
    state.regions = after
    state.certificate = certificate
    guard !start.isEmpty || !stop.isEmpty else { return }
    if state.isAnalyticsOn, let now = state.now {
      for region in start where region.kind != .safe { count(.geofenceRegistered, at: now) }
    }
    effects.append(
      .monitor(
        RegionChange(
          start: start,
          stop: stop.sorted(),
          held: after.count,
          certificate: certificate
        )
      )
    )
  }

  /// Whether a region was asked for earlier than its boundary, and the phone is beyond what was asked:
  /// it will not fire again, and the boundary is still ahead.
  private func isSpent(_ entry: RegionPlan.Entry, _ distance: (Region) -> Double?) -> Bool {
    guard let asked = entry.askedRadiusMeters, let distanceMeters = distance(entry.region) else {
      return false
    }
    return switch entry.region.kind {
    case .enter: asked > entry.region.radiusMeters && distanceMeters <= asked
    case .exit: asked < entry.region.radiusMeters && distanceMeters >= asked
    case .safe: false
    }
  }

  /// Checks by brute force what the present certificate promises; while a position has been asked for,
  /// it promises nothing.
  ///
  /// - Returns: what is wrong; nothing where every fix is handed over.
  /// - Complexity: O(boundaries · points · regions): for tests and for `replay --check-certificate`.
  public func certificateViolations() -> [CertificateCheck.Violation] {
    guard case .regions(let limits, _) = monitoring, let certificate = state.certificate,
      !isPositionAwaited
    else { return [] }
    return CertificateCheck.violations(
      of: certificate,
      regions: state.regions.map(\.region),
      slots: limits.slots,
      watchedLadders(),
      in: catalog
    )
  }

  private func watchedLadders() -> [WatchedLadder] {
    var ladders: [WatchedLadder] = []
    for (tracked, resolved) in zip(state.reminders, targets) where tracked.reminder.isLive {
      for (watch, target) in zip(tracked.watches, resolved) {
        let boundaries = watch.ladder.watchedBoundaries(tracked.plan.shape, fencing)
        guard !boundaries.isEmpty else { continue }
        ladders.append(
          WatchedLadder(
            owner: tracked.reminder.id,
            target: target.target,
            arrival: target.arrival,
            boundaries: boundaries
          )
        )
      }
    }
    return ladders
  }

  /// Forgets the circle in which nothing can happen: reminders or places have changed.
  mutating func loseStillness() {
    still = nil
    rests = []
    state.standing = nil
    isUndecided = true
  }
}
