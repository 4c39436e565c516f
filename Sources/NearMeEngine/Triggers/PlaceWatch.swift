import Arrivals
import Fencing
import Geodesy
import Places
import Timeline
import Traces

/// Watches places: how near each target is, and whether the person has arrived there.
///
/// It states facts. Whether anything is said of them, `Gates` decide.
struct PlaceWatch: Sendable {
  /// What survives.
  struct State: Hashable, Sendable {
    /// What is believed of a stream of fixes.
    var gate = FixGate()
    /// The newest position that was used.
    var lastFix: Fix?
    /// What the arrival detector remembers; nothing if none ever weighed.
    var arrivals = ArrivalMemory()
    /// How late fixes come.
    var lateness = Lateness()
    /// What the reminders' triggers aim at, in the order of the reminders.
    var aims: [PlaceAim] = []
    /// Those of the first aim, then those of the second, and so on.
    var ladders: [PlaceLadder] = []

    /// Takes up a stored aim with its ladders.
    mutating func append(_ aim: PlaceAim, _ own: [PlaceLadder]) {
      var aim = aim
      aim.range = ladders.count..<ladders.count + own.count
      aims.append(aim)
      ladders += own
    }

    /// Notes which reminders may speak at all.
    ///
    /// - Returns: whether every aim is that of a reminder, in the order of the reminders.
    /// - Complexity: O(reminders), for both are in one order.
    mutating func follow(_ reminders: [Reminder]) -> Bool {
      var r = reminders.startIndex
      for a in aims.indices {
        while r < reminders.endIndex, reminders[r].id != aims[a].reminder { r += 1 }
        guard r < reminders.endIndex else { return false }
        aims[a].isLive = reminders[r].isLive
      }
      return true
    }
  }

  /// What a watch is made with.
  struct Settings: Sendable {
    let tiers: Policy.Tiers
    let arrival: ArrivalSettings
    let gate: FixGateSettings
    let fencing: FencingSettings
    /// The same for a place whose radius is its user's word.
    let measuring: FencingSettings
    /// Whether every fix is handed over.
    let seesEveryFix: Bool

    init(_ policy: Policy, _ monitoring: Monitoring) {
      tiers = policy.tiers
      arrival = policy.arrival
      gate = policy.gate
      fencing = PlaceWatch.fencing(policy, monitoring)
      var measuring = fencing
      measuring.arrivalDetection = .radius
      measuring.watchesDiscs = false
      self.measuring = measuring
      seesEveryFix = monitoring == .everyFix
    }

    /// The numbers for an aim's ladders.
    func fencing(of aim: PlaceAim) -> FencingSettings { isMeasured(aim) ? measuring : fencing }

    /// Whether an aim's radius alone says that one is there, and not the detector.
    ///
    /// That finds at which of many doors one is. That one is on a campus of a kilometer is so because its user says how
    /// large it is.
    func isMeasured(_ aim: PlaceAim) -> Bool {
      guard fencing.arrivalDetection == .posterior, case .place = aim.target else { return false }
      return (aim.plan.arrivalRadiusMeters ?? 0) > arrival.places.largestOutlineMeters
    }
  }

  var state: State
  let made: Shared<Settings>
  var tiers: Policy.Tiers { made.value.tiers }
  var gateSettings: FixGateSettings { made.value.gate }
  var fencing: FencingSettings { made.value.fencing }
  var seesEveryFix: Bool { made.value.seesEveryFix }
  var arrivalSettings: ArrivalSettings { made.value.arrival }

  private(set) var catalog: POICatalog
  /// The user's places, as in the roster.
  var places: [Place] = []
  /// Whether the detector looks at silence also where nothing can be decided; for explanations.
  var looksAtEveryTick = false {
    didSet { state.arrivals.detector?.looksAtEveryTick = looksAtEveryTick }
  }

  // Derived, and made anew.

  /// Whether some aim is left or asked about, and does not speak.
  private var hasSilentAims = false
  /// Finds arrivals in the detector's place: one, or in an app none.
  ///
  /// In an array, for a value of unknown size among the others would make the whole watch slow to copy.
  var sources: [any ArrivalSource] = []
  /// What each ladder stands around.
  var targets: [ResolvedTarget] = []
  /// Where each ladder is calm.
  var ladderCalms: [LadderCalm?] = []
  /// The circle within which no boundary can be crossed.
  var calm: CalmCircle?
  /// Whether some ladder waits for the next fix.
  var isUndecided = true
  /// Whether an arrival was found of which no way out is watched yet, outside of the disc as it was last seen.
  var hasArrivedUnwatched = false
  /// Whether somebody seems to have left the points of interest that were arrived at: what is due there waits.
  ///
  /// It is not certain yet. One's own places have a rule of their own.
  var hasSteppedOut = false
  /// Whether the next fix of a stream has been found to need a look at the targets.
  var mustLook = false
  /// What the detector has found already in a stream's next fix, or in the silence before it.
  var foreseen: FoundAhead?
  /// The points near the last position.
  var near = NearbyPoints()
  var effort = EngineEffort()

  init(_ state: State, policy: Policy, monitoring: Monitoring, catalog: POICatalog) {
    made = Shared(Settings(policy, monitoring))
    self.catalog = catalog
    self.state = state
  }

  /// The numbers for ladders: a sleeping app is woken at arrival discs, and weighs while it follows;
  /// one that cannot follow measures.
  static func fencing(_ policy: Policy, _ monitoring: Monitoring) -> FencingSettings {
    var fencing = policy.fencing
    guard case .regions = monitoring, fencing.arrivalDetection == .posterior else { return fencing }
    if policy.monitor.longestWeighing.value > 0 {
      fencing.watchesDiscs = true
    } else {
      fencing.arrivalDetection = .radius
    }
    return fencing
  }

  // MARK: Aims

  /// What a reminder's triggers aim at, with their tiers: their own, or those that the policy has for
  /// the target.
  ///
  /// - Throws: why the reminder cannot be watched for.
  func aims(of reminder: Reminder) throws(ReminderError) -> [PlaceAim] {
    var aims: [PlaceAim] = []
    for wanted in PlaceAim.wanted(by: reminder) {
      let plan = try plan(for: wanted.target, wanted.role == .speaks ? wanted.tiers : [.arrival])
      aims.append(
        PlaceAim(
          reminder.id,
          trigger: wanted.number,
          wanted.target,
          role: wanted.role,
          plan,
          hasOwnTiers: wanted.tiers != nil
        )
      )
    }
    return aims
  }

  private func plan(
    for target: Reminder.Target,
    _ own: [Tier]?
  ) throws(ReminderError) -> TierPlan {
    switch target {
    case .category:
      return try TierPlan(
        own ?? tiers.category,
        arrivalRadiusMeters: tiers.arrivalRadiusMeters
      )
    case .place(let id):
      guard let place = places.first(where: { $0.id == id }) else { throw .unknownPlace(id) }
      return try TierPlan(
        own ?? tiers.tiers(of: place.kind),
        arrivalRadiusMeters: tiers.arrivalRadiusMeters,
        placeRadiusMeters: place.arrivalRadiusMeters
      )
    }
  }

  /// Takes up a reminder's aims after all others.
  mutating func add(_ aims: [PlaceAim]) {
    for aim in aims { state.append(aim, freshLadders(of: aim)) }
  }

  /// Begins the ladders of a reminder anew, as if no ring had been entered yet.
  ///
  /// - Parameters:
  ///   - target: those at one target; nil: all.
  ///   - kept: the numbers of triggers whose ladders stay as they are.
  mutating func beginAnew(
    reminder id: String,
    at target: Reminder.Target? = nil,
    besides kept: Set<Int> = []
  ) {
    for a in state.aims.indices
    where state.aims[a].isOf(id, at: target) && !kept.contains(state.aims[a].trigger) {
      beginAnew(a)
    }
  }

  private mutating func beginAnew(_ a: Int) {
    setLadders(of: a, to: freshLadders(of: state.aims[a]))
  }

  /// Aims at what an edited reminder aims at now, in the place that the reminder has in the roster.
  ///
  /// - Parameter numbers: those that its triggers which stay as they were have now, by those that they had: their tiers and
  ///   ladders stay, too.
  mutating func replace(
    _ id: String,
    by aims: [PlaceAim],
    keeping numbers: [Int: Int],
    _ roster: Roster
  ) {
    let all = state
    var left = all.aims[...]
    state.aims = []
    state.ladders = []
    for reminder in roster.reminders {
      let isReplaced = reminder.id == id
      var before: [PlaceAim] = []
      while let aim = left.first, aim.reminder == reminder.id {
        left.removeFirst()
        if isReplaced {
          before.append(aim)
        } else {
          state.append(aim, Array(all.ladders[aim.range]))
        }
      }
      guard isReplaced else { continue }
      for aim in aims {
        let old = before.first {
          numbers[$0.trigger] == aim.trigger && $0.target == aim.target && $0.role == aim.role
        }
        if let old {
          state.append(PlaceAim(old, trigger: aim.trigger), Array(all.ladders[old.range]))
        } else {
          add([aim])
        }
      }
    }
  }

  mutating func remove(reminder id: String) {
    for a in state.aims.indices where state.aims[a].reminder == id { setLadders(of: a, to: []) }
    state.aims.removeAll { $0.reminder == id }
  }

  /// Gives a reminder whose place has changed the tiers that it was made with, unless another kind of
  /// place has others; it arrives where the place says.
  ///
  /// - Throws: why the rings do not fit; then they stay as they are.
  mutating func move(
    _ reminder: Reminder,
    to place: Place,
    from old: Place?
  ) throws(ReminderError) {
    for a in state.aims.indices
    where state.aims[a].reminder == reminder.id && state.aims[a].target == .place(place.id) {
      let plan = state.aims[a].plan
      let isOtherKind = old.map { $0.kind != place.kind } ?? false
      let keepsTiers = state.aims[a].hasOwnTiers || !isOtherKind || state.aims[a].role != .speaks
      let isSame = place.arrivalRadiusMeters == old?.arrivalRadiusMeters
      let kept = isSame ? plan.arrivalRadiusMeters : nil
      state.aims[a].plan = try TierPlan(
        keepsTiers ? plan.tiers : tiers.tiers(of: place.kind),
        arrivalRadiusMeters: kept ?? tiers.arrivalRadiusMeters,
        placeRadiusMeters: place.arrivalRadiusMeters.map { kept ?? $0 },
        leftOut: keepsTiers ? plan.leftOut : []
      )
    }
  }

  /// Whether a reminder has the tier arrival.
  func awaitsArrival(reminder id: String) -> Bool {
    state.aims.contains { $0.reminder == id && $0.role == .speaks && $0.plan.shape.hasArrival }
  }

  func freshLadders(of aim: PlaceAim) -> [PlaceLadder] {
    let rings = aim.plan.shape.rings.count
    switch aim.target {
    case .place(let id):
      return places.contains { $0.id == id } ? [PlaceLadder(poi: nil, rings: rings)] : []
    case .category(let category):
      guard tiers.fenceSemantics == .perPOI else { return [PlaceLadder(poi: nil, rings: rings)] }
      guard let slot = catalog.slot(of: category) else { return [] }
      return catalog.indices(slot: slot)
        .map { PlaceLadder(poi: catalog.points[$0].sourceID, rings: rings) }
    }
  }

  private mutating func setLadders(of a: Int, to fresh: [PlaceLadder]) {
    let range = state.aims[a].range
    state.ladders.replaceSubrange(range, with: fresh)
    let growth = fresh.count - range.count
    state.aims[a].range = range.lowerBound..<range.lowerBound + fresh.count
    for later in state.aims.indices.dropFirst(a + 1) {
      let old = state.aims[later].range
      state.aims[later].range = old.lowerBound + growth..<old.upperBound + growth
    }
  }

  /// Where something happened: the aim, the ladder, and how deep; nil if it was on no ladder of today.
  func rung(_ key: OccasionKey) -> (aim: Int, ladder: Int, depth: Int)? {
    guard case .rung(_, let depth, let poi) = key.happening,
      let a = state.aims.firstIndex(where: {
        $0.reminder == key.reminder && $0.trigger == key.trigger
      }), let i = state.aims[a].range.first(where: { state.ladders[$0].poi == poi })
    else { return nil }
    return (a, i, depth)
  }

  /// Whether one is at what reminders' conditions ask about.
  var presences: [Presence] {
    guard hasSilentAims else { return [] }
    return state.aims.filter { $0.role == .watches }
      .map { aim in
        let there = aim.range.first {
          state.ladders[$0].ladder.level == aim.plan.shape.rings.count
        }
        return Presence(
          reminder: aim.reminder,
          target: aim.target,
          isThere: there != nil,
          since: there.flatMap { state.ladders[$0].ladder.arrivedAt },
          openUntil: there == nil ? openUntil(aim) : nil
        )
      }
  }

  /// Up to when an arrival at what an aim is about may still be found: one has moved a short while ago, and is near.
  private func openUntil(_ aim: PlaceAim) -> Timestamp? {
    let seenAt = sources.isEmpty ? state.arrivals.detector?.tracker.movedAt : sources[0].movedAt
    let movedAt = made.value.isMeasured(aim) ? nil : seenAt
    let pendingAt = aim.range.compactMap { state.ladders[$0].ladder.arrivalPendingSince }.max()
    guard let fix = state.lastFix, let since = [movedAt, pendingAt].compactMap(\.self).max() else {
      return nil
    }
    let isNear: Bool
    if pendingAt != nil {
      isNear = true
    } else {
      let nearMeters = arrivalSettings.decision.ownAwayMeters
      switch aim.target {
      case .place(let id):
        isNear = places.contains {
          $0.id == id && $0.coordinate.distanceMeters(to: fix.coordinate) <= nearMeters
        }
      case .category(let category):
        isNear =
          catalog.slot(of: category)
          .flatMap { catalog.nearest(slot: $0, to: SurfacePoint(fix.coordinate)) }
          .map { $0.distanceMeters <= nearMeters } ?? false
      }
    }
    return isNear ? since + Presence.longestOpen : nil
  }

  /// Takes in that one is at an own place already, of which a new aim has not seen the arrival.
  mutating func noteStays(_ a: Int, _ i: Int) {
    guard hasSilentAims, state.aims[a].role != .speaks, case .place(let id) = state.aims[a].target,
      let fix = state.lastFix, state.arrivals.detector?.stays(at: id) ?? false
    else { return }
    _ = state.ladders[i].ladder.arrive(at: fix.at, since: fix.at, state.aims[a].plan.shape)
  }

  /// The own places at which one is known to be, by their ids, and where they lie.
  func staysNow() -> [String: Coordinate] {
    guard !state.aims.isEmpty else { return [:] }
    var stays: [String: Coordinate] = [:]
    for aim in state.aims {
      guard case .place(let id) = aim.target, stays[id] == nil else { continue }
      let isThere =
        aim.plan.shape.hasArrival
        && aim.range.contains { state.ladders[$0].ladder.level == aim.plan.shape.rings.count }
      if isThere || state.arrivals.detector?.stays(at: id) ?? false {
        stays[id] = places.first { $0.id == id }?.coordinate
      }
    }
    return stays
  }

  /// Takes in for what listens, and has seen nothing yet, that one is at an own place already.
  ///
  /// - Parameter known: where one was known to be, which is so still unless the place has moved away from there, and from
  ///   the newest position. Besides, one is where that lies, if it is no older than what is news.
  mutating func noteStays(known: [String: Coordinate], at now: Timestamp) {
    guard hasSilentAims, let fix = state.lastFix else { return }
    let isFresh = now - fix.at <= Lateness.ofNews
    for a in state.aims.indices where state.aims[a].isLive && state.aims[a].role != .speaks {
      guard case .place(let id) = state.aims[a].target,
        let place = places.first(where: { $0.id == id })
      else { continue }
      let shape = state.aims[a].plan.shape
      let isWithin: (Coordinate) -> Bool = {
        place.coordinate.distanceMeters(to: $0) <= shape.rings.last?.radiusMeters ?? 0
      }
      let isNear = isFresh && isWithin(fix.coordinate)
      let stays = known[id].map { isWithin($0) || isWithin(fix.coordinate) } ?? false
      guard isNear || stays else { continue }
      for i in state.aims[a].range where state.ladders[i].ladder.level == nil {
        _ = state.ladders[i].ladder.arrive(at: fix.at, since: fix.at, shape)
      }
    }
  }

  // MARK: The world

  /// Looks up what every ladder stands around.
  mutating func resolve(_ roster: Roster) {
    follow(roster)
    hasSilentAims = state.aims.contains { $0.role != .speaks }
    // One that waited for the detector, in a state of before, waits for nothing now.
    for a in state.aims.indices where made.value.isMeasured(state.aims[a]) {
      let waits = state.ladders[state.aims[a].range]
        .contains { $0.ladder.arrivalPendingSince != nil && $0.ladder.arrivalHoldsAt == nil }
      if waits { beginAnew(a) }
    }
    ladderCalms = []
    resolveDetector()
    targets = state.aims.flatMap { aim in
      let arrival = fencing.arrivalDiscs(aim.plan.shape)
      return state.ladders[aim.range].map { resolved(aim.target, $0.poi, arrival) }
    }
  }

  /// Notes the places, and which reminders may speak at all.
  mutating func follow(_ roster: Roster) {
    places = roster.places
    let isKnown = state.follow(roster.reminders)
    precondition(isKnown, "every aim is that of a reminder, in the roster's order")
  }

  private func resolved(
    _ target: Reminder.Target,
    _ poi: String?,
    _ arrival: DiscRadius?
  ) -> ResolvedTarget {
    let missing = ResolvedTarget(target: .category(slot: nil), arrival: arrival)
    switch (target, poi) {
    case (.place(let id), _):
      guard let place = places.first(where: { $0.id == id }) else { return missing }
      return ResolvedTarget(target: .place(id: id, coordinate: place.coordinate), arrival: arrival)
    case (.category(let category), nil):
      return ResolvedTarget(target: .category(slot: catalog.slot(of: category)), arrival: arrival)
    case (.category, let poi?):
      guard let index = catalog.index(ofSourceID: poi) else { return missing }
      let point = catalog.points[index]
      let own = arrival.map {
        DiscRadius(leastMeters: $0.meters(footprintMeters: point.footprintRadiusMeters))
      }
      return ResolvedTarget(target: .place(id: poi, coordinate: point.coordinate), arrival: own)
    }
  }

  /// Takes up the points of a newer catalog.
  ///
  /// Where fences are per point, its new points get ladders, and those that it has no more lose theirs; an empty one
  /// takes none away.
  mutating func replaceCatalog(_ catalog: POICatalog) {
    precondition(sources.isEmpty, "a recording is of another catalog")
    self.catalog = catalog
    near = NearbyPoints()
    fitLadders()
  }

  /// Gives each aim at a category the ladders of today's policy and catalog; those that it had stay as they are.
  mutating func fitLadders() {
    guard !catalog.points.isEmpty || tiers.fenceSemantics != .perPOI else { return }
    for a in state.aims.indices {
      guard case .category = state.aims[a].target else { continue }
      let old = state.ladders[state.aims[a].range]
      let fresh = freshLadders(of: state.aims[a])
      guard !fresh.elementsEqual(old, by: { $0.poi == $1.poi }) else { continue }
      setLadders(of: a, to: fresh.map { new in old.first { $0.poi == new.poi } ?? new })
    }
  }

  /// How many points of the categories that are being looked for lie near a position; one of several
  /// categories counts once.
  func countPoints(withinMeters meters: Double, of position: SurfacePoint) -> Int {
    var slots: [Int] = []
    for a in state.aims.indices where state.aims[a].isLive && state.aims[a].role == .speaks {
      guard case .category(let category) = state.aims[a].target else { continue }
      if let slot = catalog.slot(of: category), !slots.contains(slot) { slots.append(slot) }
    }
    var points: [Int] = []
    for slot in slots {
      catalog.forEach(slot: slot, withinMeters: meters, of: position) { points.append($0) }
    }
    points.sort()
    return points.count - zip(points, points.dropFirst()).count { $0 == $1 }
  }

  /// Goes on by a clock that was set; the arrival detector gathers its evidence anew.
  mutating func shiftClock(by span: Milliseconds) {
    precondition(sources.isEmpty, "a recording is by another clock")
    state.gate.shiftClock(by: span)
    if let fix = state.lastFix { state.lastFix?.at = fix.at + span }
    state.lateness.shiftClock(by: span)
    for i in state.ladders.indices {
      state.ladders[i].ladder.shiftClock(by: span)
      state.ladders[i].arrivalHeardAt = state.ladders[i].arrivalHeardAt.map { $0 + span }
    }
    state.arrivals = ArrivalMemory()
  }

  /// Forgets the circles in which nothing can happen: reminders or places have changed.
  mutating func invalidateCircles() {
    calm = nil
    ladderCalms = []
    isUndecided = true
  }
}

/// What a reminder's trigger aims at.
struct PlaceAim: Hashable, Sendable {
  let reminder: String
  /// Which of the reminder's triggers.
  let trigger: Int
  let target: Reminder.Target
  /// What becomes of what happens there.
  let role: Role
  var plan: TierPlan
  /// Whether the tiers are the reminder's own, and not those of the policy.
  let hasOwnTiers: Bool
  /// Its ladders: one, or one for each point where fences are per point; none while its place is
  /// unknown.
  var range: Range<Int>
  /// Whether the reminder may speak at all, as the roster has it.
  var isLive: Bool

  init(
    _ reminder: String,
    trigger: Int,
    _ target: Reminder.Target,
    role: Role = .speaks,
    _ plan: TierPlan,
    hasOwnTiers: Bool
  ) {
    self.reminder = reminder
    self.trigger = trigger
    self.target = target
    self.role = role
    self.plan = plan
    self.hasOwnTiers = hasOwnTiers
    range = 0..<0
    isLive = false
  }

  /// The same under the number that its trigger has now.
  init(_ other: PlaceAim, trigger: Int) {
    self.init(
      other.reminder,
      trigger: trigger,
      other.target,
      role: other.role,
      other.plan,
      hasOwnTiers: other.hasOwnTiers
    )
    isLive = other.isLive
  }

  /// Whether it is one of a reminder, and at a target; nil: at any.
  func isOf(_ id: String, at target: Reminder.Target?) -> Bool {
    reminder == id && (target == nil || target == self.target)
  }

  /// Whether its target is points of interest, and not one of the user's own places.
  var isOfPoints: Bool { if case .category = target { true } else { false } }

  /// Whether an arrival of a group is one at its target.
  func wants(_ group: ArrivalGroup) -> Bool {
    switch (target, group) {
    case (.category(let wanted), .category(let found)): wanted == found
    case (.place(let wanted), .place(let found)): wanted == found
    default: false
    }
  }

  /// What becomes of what happens at an aim.
  enum Role: String, Hashable, Sendable, Codable {
    /// Its tiers speak.
    case speaks
    /// Leaving it speaks.
    case leaves
    /// A condition asks whether one is there.
    case watches
  }

  /// What a reminder asks to be aimed at.
  typealias Wanted = (number: Int, target: Reminder.Target, role: Role, tiers: [Tier]?)

  /// What a reminder's triggers and conditions aim at, each with a number: those of its triggers are
  /// their positions, those of its conditions come after.
  static func wanted(by reminder: Reminder) -> [Wanted] {
    var wanted: [Wanted] = []
    for (i, trigger) in reminder.triggers.enumerated() {
      switch trigger {
      case .place(let target, let tiers): wanted.append((i, target, .speaks, tiers))
      case .leave(let target): wanted.append((i, target, .leaves, nil))
      case .schedule, .signal: continue
      }
    }
    for (i, target) in reminder.conditions.targets.enumerated() {
      wanted.append((reminder.triggers.count + i, target, .watches, nil))
    }
    return wanted
  }

  /// The name under which regions are held for it: one of several triggers may lose its category, and
  /// only its regions are kept then.
  var owner: String { trigger == 0 ? reminder : "\(reminder)#\(trigger)" }

  func key(_ tier: Tier, depth: Int, poi: String?) -> OccasionKey {
    OccasionKey(
      reminder: reminder,
      trigger: trigger,
      happening: .rung(tier, depth: depth, poi: poi)
    )
  }
}

/// A ladder with what was said on it.
struct PlaceLadder: Hashable, Sendable, Codable {
  /// The point it stands around, by source id, where fences are per point.
  var poi: String?
  var ladder = Ladder()
  /// Which rings have spoken since they were last left.
  var said: [Bool]
  /// Whether the tier after arrival has been dealt with in this arrival.
  var isPostArrivalDone = false
  /// When the present arrival was found, with the fixes that say so in hand; nil in states stored before it was kept.
  var arrivalHeardAt: Timestamp?
  /// What was seen when the pending arrival or exit began: there is no new sighting when it holds.
  var pendingSpot: Spot?
  /// Where the arrival was.
  var arrivalSpot: Spot?
  /// What was last spoken of on the way.
  var saidSpot: Spot?

  init(poi: String?, rings: Int) {
    self.poi = poi
    said = [Bool](repeating: false, count: rings)
  }
}

/// A ladder's target, ready for looking at.
struct ResolvedTarget: Sendable {
  var target: FenceTarget
  var arrival: DiscRadius?
}

/// What an engine did, in numbers that do not depend on the machine.
package struct EngineEffort: Hashable, Sendable {
  /// Fixes at which something was looked at.
  package internal(set) var evaluations = 0
  /// Targets that were looked at.
  package internal(set) var sightings = 0
  /// Ladders whose way to the nearest boundary was measured.
  package internal(set) var measures = 0
  /// Triggers that were looked at because of a signal.
  package internal(set) var listeners = 0
}
