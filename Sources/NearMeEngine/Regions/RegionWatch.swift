import Fencing
import Geodesy
import Places
import Timeline
import Traces

/// Which regions the location service watches: the plan, its difference to what is watched, what is let
/// go of, what the plan guarantees, and how long it stays right.
package struct RegionWatch: Sendable {
  /// What survives.
  package struct State: Hashable, Sendable, Codable {
    /// The regions that are watched.
    package var regions: [RegionPlan.Entry] = []
    package var certificate: Certificate?
    /// Where and for which ladders the present plan was made, while the app follows.
    package var standing: StandingPlan?
    /// How many regions the location service took when it last refused one; nil if it never has.
    package var acceptedRegions: Int?
    /// The number of the newest safe circle.
    package var safeCircleSerial = 0
    /// Up to when the host was asked for every position.
    package var followUntil: Timestamp?
    /// Since when it has been.
    package var followedSince: Timestamp?
    /// From when on a position now and then is enough, while the app follows.
    package var easedFrom: Timestamp?
    /// Where the phone is beside a fence that is smaller than any region; nil where it is beside none.
    package var beside: RestBeside?

    package init() {}

    init(
      regions: [RegionPlan.Entry],
      certificate: Certificate?,
      standing: StandingPlan?,
      acceptedRegions: Int?,
      safeCircleSerial: Int,
      followUntil: Timestamp?,
      followedSince: Timestamp? = nil,
      easedFrom: Timestamp? = nil
    ) {
      self.regions = regions
      self.certificate = certificate
      self.standing = standing
      self.acceptedRegions = acceptedRegions
      self.safeCircleSerial = safeCircleSerial
      self.followUntil = followUntil
      self.followedSince = followedSince
      self.easedFrom = easedFrom
    }
  }

  package var state: State
  package let limits: MonitorLimits
  package let policy: Policy.Monitor
  /// Plans in ``RegionPlanner``'s place; nil in an app.
  let chooser: (any RegionChooser)?
  /// Where the phone crosses no edge that was asked for, while the plan stands; nil where that is not known.
  var askedCircle: (center: SurfacePoint, chordSquared: Double)?
  /// Whether the next position has been asked for: until it comes, nothing is promised.
  package private(set) var isPositionAwaited = false

  /// Makes a watch; where every fix is handed over, there is nothing for it to do.
  package init(
    _ monitoring: Monitoring,
    _ policy: Policy.Monitor,
    _ state: State,
    chooser: (any RegionChooser)? = nil
  ) {
    switch monitoring {
    case .everyFix: limits = MonitorLimits()
    case .regions(let limits): self.limits = limits
    }
    self.policy = policy
    self.chooser = chooser
    self.state = state
  }

  /// A position that the app was woken with.
  package struct Sighted {
    package let fix: Fix
    /// The position before it, where the service handed it over.
    package let cameFrom: Fix?
    /// Whether positions come every few seconds.
    package let isQuick: Bool

    package init(fix: Fix, cameFrom: Fix?, isQuick: Bool) {
      self.fix = fix
      self.cameFrom = cameFrom
      self.isQuick = isQuick
    }
  }

  /// What an event leaves to be done, besides what the ladders say.
  package struct Needs {
    /// The position that the event brought; nil for none.
    package var sighted: Sighted?
    /// An earlier position from which to plan anew, where the event brought none; nil where nothing asks for that.
    package var lastSeen: Sighted?
    /// Whether crossings may have gone unnoticed.
    package var needsPosition: Bool
    /// Whether no position comes while the app sleeps.
    package var isBlind: Bool
    /// Up to when an arrival or an exit must hold, or may turn out to be one.
    package var followUntil: Timestamp?
    /// From when on the receiver may rest; nil where it may not.
    package var easing: Easing?
    /// Whether the user agrees that registrations are counted.
    package var areCounted: Bool
    /// Whether a reminder has ended by itself, so that its regions are not needed any more.
    package var hasEnded: Bool
    /// Whether the app may ask to be woken at times.
    package var hasTimers: Bool

    package init(
      sighted: Sighted? = nil,
      lastSeen: Sighted? = nil,
      needsPosition: Bool = false,
      isBlind: Bool = false,
      followUntil: Timestamp? = nil,
      easing: Easing? = nil,
      areCounted: Bool = false,
      hasEnded: Bool = false,
      hasTimers: Bool = false
    ) {
      self.sighted = sighted
      self.lastSeen = lastSeen
      self.needsPosition = needsPosition
      self.isBlind = isBlind
      self.followUntil = followUntil
      self.easing = easing
      self.areCounted = areCounted
      self.hasEnded = hasEnded
      self.hasTimers = hasTimers
    }

    /// What says from when on the receiver may rest.
    package struct Easing {
      /// Up to when every position counts, as far as is known.
      package var everyPositionUntil: Timestamp?
      /// When the newest position was measured.
      package var lastFixAt: Timestamp?

      package init(everyPositionUntil: Timestamp?, lastFixAt: Timestamp?) {
        self.everyPositionUntil = everyPositionUntil
        self.lastFixAt = lastFixAt
      }
    }
  }

  /// Chooses the regions after an event, and asks for the positions that the ladders need.
  ///
  /// - Returns: whether the plan stays right around the position while the app follows.
  package mutating func adapt(
    to needs: Needs,
    at now: Timestamp,
    _ ladders: some LadderSource,
    _ turn: inout EventTurn
  ) -> Bool {
    let (asks, isStanding) = choose(needs, at: now, ladders, &turn)
    if asks { turn.emit(.locate) }
    if asks || needs.sighted != nil { isPositionAwaited = asks }
    follow(needs, at: now, asks: asks, &turn)
    return isStanding
  }

  /// Chooses the regions anew, where the position is good enough for that.
  ///
  /// - Returns: whether the next position must be asked for, and whether the plan stays right.
  private mutating func choose(
    _ needs: Needs,
    at now: Timestamp,
    _ ladders: some LadderSource,
    _ turn: inout EventTurn
  ) -> (asks: Bool, isStanding: Bool) {
    guard let sighted = needs.sighted ?? needs.lastSeen else {
      release(at: now, areCounted: needs.areCounted, ladders, &turn)
      if needs.isBlind || ladders.liveOwners.isEmpty { state.beside = nil }
      awaitLook(at: now, needs)
      let asks = ladders.anyLadderNeedsFix || (needs.needsPosition && !ladders.liveOwners.isEmpty)
      return (asks && !needs.isBlind, false)
    }
    // A poor position moves nothing; without the next one, what it was woken for would be lost.
    if sighted.fix.horizontalAccuracyMeters > policy.poorAccuracyMeters {
      if needs.hasEnded { release(at: now, areCounted: needs.areCounted, ladders, &turn) }
      replaceLeftSafeCircle(around: sighted, at: now, areCounted: needs.areCounted, &turn)
      awaitLook(at: now, needs)
      return (!needs.isBlind, false)
    }
    let isFollowing = needs.followUntil != nil
    if isFollowing, sighted.isQuick, !needs.hasEnded,
      stands(at: sighted.fix, now, areCounted: needs.areCounted, ladders, &turn)
    {
      return (ladders.anyLadderNeedsFix && !needs.isBlind, true)
    }
    var kept = regions(of: ladders.ownersOfMissingCategories)
    if needs.hasEnded {
      let live = Set(ladders.liveOwners)
      for i in kept.indices { kept[i].owners.removeAll { !live.contains($0) } }
    }
    let plan = plan(around: sighted, keeping: kept.count, isFollowing: isFollowing, ladders)
    // What the plan has itself, for others, is not kept besides.
    if !kept.isEmpty {
      let planned = Set(plan.entries.map(\.region.id))
      kept.removeAll { planned.contains($0.region.id) }
    }
    change(
      to: kept.isEmpty ? plan.entries : kept + plan.entries,
      plan.certificate,
      from: sighted.fix.coordinate,
      anticipationMeters: chooser == nil ? policy.anticipationMeters : 0,
      at: now,
      areCounted: needs.areCounted,
      &turn
    )
    let isStanding =
      isFollowing && sighted.isQuick && chooser == nil && kept.isEmpty && !plan.needsNextFix
    if isStanding { stand(at: sighted.fix, ladders) }
    // Where one was last seen may lie outside of the place, and then its way out is known from the next position on.
    let rests = rests(plan.needsNextFix, at: sighted.fix, now, needs)
    let asks =
      ladders.anyLadderNeedsFix || (plan.needsNextFix && !rests) || needs.sighted == nil
    return (asks && !needs.isBlind, isStanding)
  }

  private mutating func plan(
    around sighted: Sighted,
    keeping keptCount: Int,
    isFollowing: Bool,
    _ ladders: some LadderSource
  ) -> RegionPlan {
    var limits = limits
    if let accepted = state.acceptedRegions {
      limits.slots = min(accepted, limits.slots ?? accepted)
    }
    limits.slots = limits.slots.map { max(1, $0 - keptCount) }
    let (fix, cameFrom) = (sighted.fix, sighted.cameFrom)
    let current = state.regions.map(\.region)
    let safeID = "safe:\(state.safeCircleSerial + 1)"
    let plan: RegionPlan
    if let chooser {
      plan = chooser.plan(
        around: fix.coordinate,
        ladders.watchedLadders(),
        in: ladders.catalog,
        limits: limits,
        current: current,
        safeID: safeID
      )
    } else {
      plan = RegionPlanner(catalog: ladders.catalog, limits: limits)
        .plan(
          around: fix.coordinate,
          cameFrom: Self.isTraveling(fix, from: cameFrom) ? cameFrom?.coordinate : nil,
          ladders.watchedLadders(),
          current: current,
          isFollowing: isFollowing && cameFrom.map { fix.at - $0.at <= Self.quickCadence } ?? false,
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

  /// Whether the way from the fix before says where the phone is going.
  ///
  /// - Source: faster than a receiver's noise drifts; corpora at rest show 0.25–0.7 m/s.
  private static func isTraveling(_ fix: Fix, from before: Fix?) -> Bool {
    guard let before else { return false }
    let seconds = (fix.at - before.at).seconds
    guard seconds > 0, seconds <= 60 else { return false }
    let meters = fix.coordinate.distanceMeters(to: before.coordinate)
    return min(meters / seconds, fix.speedMetersPerSecond ?? .infinity) >= 1
  }

  /// Regions of categories that this catalog has none of, while one before it had: a cache that failed
  /// to load never unregisters anything.
  private func regions(of owners: [String]) -> [RegionPlan.Entry] {
    guard !owners.isEmpty else { return [] }
    let kept = state.regions.filter { entry in
      entry.region.kind != .safe && entry.owners.contains { owners.contains($0) }
    }
    // One slot is left for the plan: without it the app would not be woken at all.
    let slots = min(limits.slots ?? .max, state.acceptedRegions ?? .max)
    return Array(kept.prefix(max(0, slots - 1)))
  }

  /// Asks for every position for a while.
  ///
  /// Without that, an arrival that begins and does not hold is two wakes, and nothing comes of either.
  private mutating func follow(
    _ needs: Needs,
    at now: Timestamp,
    asks: Bool,
    _ turn: inout EventTurn
  ) {
    let isSighted = needs.sighted != nil
    if let last = state.followUntil, last <= now { state.followUntil = nil }
    let hasFollowed = state.followUntil != nil
    // The position after the hold is awaited, too: the plan is made from there.
    var until = needs.followUntil.map { $0 + Self.quickCadence }
    if !isSighted, let last = state.followUntil { until = max(until ?? last, last) }
    // What was asked for comes within this wake, if it comes soon.
    if isSighted, asks { until = max(until ?? now, now + policy.patience) }
    // Where the receiver rests, the app stays awake for the sake of motion.
    if needs.easing != nil, let lookAt = state.beside?.lookAt {
      until = max(until ?? lookAt, lookAt)
    }
    if until != state.followUntil {
      state.followUntil = until
      turn.emit(.follow(until: until))
    }
    if !hasFollowed { (state.followedSince, state.easedFrom) = (now, nil) }
    ease(needs.easing, &turn)
  }

  /// Lets the receiver rest some time after the last motion, or where it measures nothing.
  private mutating func ease(_ easing: Needs.Easing?, _ turn: inout EventTurn) {
    guard state.followUntil != nil, let easing, let since = state.followedSince else {
      if let from = state.easedFrom, let until = state.followUntil, from < until {
        turn.emit(.ease(from: until, every: policy.easedInterval))
      }
      state.easedFrom = nil
      return
    }
    // Who has just been woken is looked at for a while.
    let still = max(since + policy.easesAfter, easing.everyPositionUntil ?? since)
    let silent = max(since, easing.lastFixAt ?? since) + policy.easesInSilenceAfter
    // The host is not asked anew with every fix in motion.
    let grain = Self.easeGrain.value
    let from = Timestamp(
      milliseconds: (min(still, silent).milliseconds + grain - 1) / grain * grain
    )
    guard from != state.easedFrom else { return }
    state.easedFrom = from
    turn.emit(.ease(from: from, every: policy.easedInterval))
  }

  private static let easeGrain = Milliseconds.seconds(10)

  /// Positions that come at least this often let a plan be made for the next moment only.
  ///
  /// - Source: phones that drive or walk give one each second; the corpora's slower ones every 15 s.
  static let quickCadence = Milliseconds.seconds(5)

  // MARK: What the service says

  /// Timers and requests of an earlier process are gone with it; and regions that were refused then may
  /// be free now.
  ///
  /// What was followed when the app was ended a moment ago is followed on: nothing would wake it for that again.
  package mutating func launch(
    at now: Timestamp,
    lastAlive: Timestamp?,
    _ turn: inout EventTurn
  ) {
    if let until = state.followUntil, until > now,
      lastAlive.map({ now - $0 <= policy.patience }) ?? false
    {
      turn.emit(.follow(until: until))
    } else {
      state.followUntil = nil
    }
    state.easedFrom = nil
    state.beside = nil
    state.acceptedRegions = nil
    state.standing = nil
  }

  /// Forgets regions that the location service did not take, and plans with fewer from now on.
  ///
  /// - Returns: whether the position is needed for a plan that fits: where others of them are watched. Where none is at
  ///   all, the next plan would be refused as well, and it is for the host to say when to try again.
  package mutating func lose(_ ids: [String], at now: Timestamp, _ turn: inout EventTurn) -> Bool {
    let refused = state.regions.map(\.region.id).filter { ids.contains($0) }
    guard !refused.isEmpty else { return false }
    state.regions.removeAll { refused.contains($0.region.id) }
    state.standing = nil
    let slots = max(1, state.regions.count)
    state.acceptedRegions = slots
    turn.record(.regionsRefused(at: now, ids: refused, slots: slots))
    guard state.regions.isEmpty else { return true }
    state.certificate = nil
    return false
  }

  /// Goes on by a clock that was set: the host's requests were made by the old one.
  package mutating func shiftClock(by span: Milliseconds, _ turn: inout EventTurn) {
    if let beside = state.beside {
      state.beside?.since = beside.since + span
      state.beside?.lookAt = beside.lookAt.map { $0 + span }
    }
    guard let until = state.followUntil else { return }
    state.followUntil = until + span
    turn.emit(.follow(until: until + span))
    state.followedSince = state.followedSince.map { $0 + span }
    guard let from = state.easedFrom else { return }
    state.easedFrom = from + span
    turn.emit(.ease(from: from + span, every: policy.easedInterval))
  }

  /// Checks by brute force what the present certificate promises; while a position has been asked for,
  /// it promises nothing.
  package func violations(_ ladders: some LadderSource) -> [CertificateCheck.Violation] {
    guard let certificate = state.certificate, !isPositionAwaited else { return [] }
    return CertificateCheck.violations(
      of: certificate,
      regions: state.regions.map(\.region),
      slots: limits.slots,
      ladders.watchedLadders(),
      in: ladders.catalog
    )
  }
}

/// The ladders that regions are watched for.
package protocol LadderSource {
  /// The points of interest that they stand around.
  var catalog: POICatalog { get }
  /// All ladders, live or not, in a fixed order.
  var ladderCount: Int { get }
  func ladder(_ i: Int) -> Ladder
  /// Where the live ones would change.
  func watchedLadders() -> [WatchedLadder]
  /// The reminders whose ladders are live.
  var liveOwners: [String] { get }
  /// Those of a category that the catalog has none of; they wait for a catalog.
  var ownersOfMissingCategories: [String] { get }
  /// Whether some live ladder waits for the next fix.
  var anyLadderNeedsFix: Bool { get }
}
