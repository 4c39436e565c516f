import Arrivals
import Fencing
import Geodesy
import Places
import Timeline
import Tones
import Traces

/// How the engine learns where the phone is.
///
/// ```swift
/// let asleep = Monitoring.regions(MonitorLimits(slots: 20))
/// let tracking = Monitoring.everyFix
/// ```
public enum Monitoring: Hashable, Sendable {
  /// Every fix is passed on: a server, or an app that tracks anyway.
  case everyFix
  /// The app sleeps; the location service wakes it for regions.
  case regions(MonitorLimits)
}

/// The reminder engine: events in, effects out.
///
/// It routes events to its parts and owns the order in which they are asked. Watches state facts, gates
/// object, the screen tells, and the region watch sees to it that the app is woken.
///
/// Pure: it reads no clock, no file, no zone and no random number; the event carries its instant.
/// The same events from the same state give the same effects, bit for bit.
///
/// ```swift
/// var engine = Engine(
///   policy: policy,
///   zone: .utc,
///   catalog: catalog,
///   monitoring: .regions(MonitorLimits(slots: policy.monitor.slots))
/// )
/// try engine.load(places: [home], reminders: [meds, trash])
/// var effects = engine.handle(Event(at: now, .launched))
/// ```
///
/// - Complexity: a fix within the calm circle of the last evaluation costs O(1), any other
///   O(reminders · log points).
public struct Engine: Sendable {
  /// What decides.
  public var policy: Policy {
    // Lent, for a copy would count some dozens of references.
    _read { yield shared.value }
  }
  let shared: Shared<Policy>
  /// Where midnight and quiet hours are; ``Event/Kind/zoneChanged(_:)`` gives another.
  public private(set) var zone: UTCOffsetTable
  /// How positions come in.
  public let monitoring: Monitoring

  /// The newest instant that has been handled.
  private(set) var now: Timestamp?
  /// When the host was asked to wake the engine.
  private(set) var wakeAt: Timestamp?
  var roster: Roster
  var surroundings: Surroundings
  var places: PlaceWatch
  var clock: ClockWatch
  var signals: SignalWatch
  var waiting: Waiting
  var screen: Screen
  var regions: RegionWatch
  /// When the next reminder's days are over; derived.
  var nextEnd: Timestamp?
  /// Whether some reminder has ended and is still held; derived.
  var hasEndedReminders = false
  /// Where zones are found by their names.
  let zones: Shared<any ZoneSource>
  /// The tones that reminders can speak in.
  let tones: Shared<TonePacks>
  /// The last turn's effects, for their memory.
  private var usedEffects: [Effect] = []

  /// Makes an engine, new or with the state of an earlier one.
  ///
  /// - Parameters:
  ///   - zone: the one in which the state was left: if it is another now, ``Event/Kind/zoneChanged(_:)`` says so
  ///     before anything else, and what the system has shown meanwhile stays at the times of the old one.
  ///   - zones: where the zones of schedules are found that name one.
  ///   - tones: those that reminders can speak in, and the usual one.
  public init(
    policy: Policy,
    zone: UTCOffsetTable,
    zones: any ZoneSource = NoZones(),
    tones: TonePacks = TonePacks(),
    catalog: POICatalog,
    monitoring: Monitoring,
    state: EngineState = EngineState()
  ) {
    self.init(
      policy: policy,
      zone: zone,
      zones: zones,
      tones: tones,
      catalog: catalog,
      monitoring: monitoring,
      chooser: nil,
      state: state
    )
  }

  /// Makes an engine whose regions are chosen by another planner than its own.
  package init(
    policy: Policy,
    zone: UTCOffsetTable,
    zones: any ZoneSource = NoZones(),
    tones: TonePacks = TonePacks(),
    catalog: POICatalog,
    monitoring: Monitoring,
    chooser: (any RegionChooser)?,
    state: EngineState = EngineState()
  ) {
    shared = Shared(policy)
    self.zones = Shared(zones)
    self.tones = Shared(tones)
    self.zone = zone
    self.monitoring = monitoring
    now = state.now
    wakeAt = state.wakeAt
    roster = state.roster
    surroundings = state.surroundings
    places = PlaceWatch(
      state.places,
      policy: policy,
      monitoring: monitoring,
      catalog: catalog
    )
    clock = ClockWatch(zone, policy: policy.schedules, zones: zones, state.clock)
    signals = SignalWatch(state.signals)
    waiting = state.waiting
    screen = state.screen
    regions = RegionWatch(monitoring, policy.monitor, state.regions, chooser: chooser)
    places.fitLadders()
    followRoster()
  }

  // MARK: Events

  /// Takes in one event.
  ///
  /// - Returns: what the host is to do, in order.
  public mutating func handle(_ event: Event) -> [Effect] {
    var turn = EventTurn(heardAt: event.at, reusing: &usedEffects)
    defer { usedEffects = turn.effects }
    var sighted: RegionWatch.Sighted?
    var needsPosition = false
    clock.begin(at: atLatest(event.at))
    switch event.kind {
    case .fix(let measured):
      let fix = measured.readable
      if event.at - fix.at > Lateness.ofBatches {
        takeLate(fix, at: event.at, &turn)
        return turn.effects
      }
      guard take(fix, at: event.at, &turn) else { return turn.effects }
      sighted = RegionWatch.Sighted(fix: fix, cameFrom: nil, isQuick: false)
    case .woken(let fix, let previous):
      sighted = wake(
        by: fix.readable,
        previous: previous?.usable,
        at: event.at,
        &turn
      )
      needsPosition = sighted == nil
    case .launched:
      // Timers of an earlier process are gone with it.
      wakeAt = nil
      signals.forgetAsked()
      regions.launch(at: event.at, lastAlive: now, &turn)
      // The state does not hold the zone, which may have changed.
      reckonLocalTimesAnew(at: now ?? event.at, &turn)
      needsPosition = true
    case .timer: wakeAt = nil
    case .action, .focus, .reminderSaved, .reminderReopened, .reminderDeleted,
      .reminderAnswered, .placeSaved, .placeDeleted, .entitlement, .analytics:
      // What the user says holds before what is overdue: nothing is heard of it any more.
      noteShown(upTo: event.at, &turn)
      let at = instant(of: event.kind, madeAt: event.madeAt, heardAt: atLatest(event.at))
      apply(event.kind, at: at, &turn)
      if let madeAt = event.madeAt { clock.begin(at: min(madeAt, event.at)) }
    case .written(let events):
      noteShown(upTo: event.at, &turn)
      takeIn(events, at: atLatest(event.at), &turn)
    case .zoneChanged(let zone):
      // What the system has shown came by the old clock; whatever else is overdue is heard now, by the new one.
      noteShown(upTo: event.at, &turn)
      roster.moveSnoozes(from: self.zone, to: zone, at: atLatest(event.at), policy)
      self.zone = zone
      clock.change(to: zone)
      findNextEnd()
      advance(to: event.at, &turn)
      reckonLocalTimesAnew(at: atLatest(event.at), &turn)
    case .clockChanged(let span):
      guard Self.isPlausible(span) else { break }
      advance(to: event.at - span, &turn)
      shiftClock(by: span, &turn)
    case .signal(let signal):
      advance(to: event.at, &turn)
      take(signal, madeAt: event.madeAt, at: atLatest(event.at), &turn)
    case .locationAccess(let access):
      advance(to: event.at, &turn)
      needsPosition = change(to: access, at: atLatest(event.at), &turn)
    case .regionsRefused(let ids):
      advance(to: event.at, &turn)
      needsPosition = regions.lose(ids, at: atLatest(event.at), &turn)
    }
    advance(to: event.at, &turn)
    finish(sighted, at: atLatest(event.at), needsPosition: needsPosition, &turn)
    return turn.effects
  }

  /// Replaces the points of interest by those of a newer cache.
  ///
  /// Nothing is unregistered before the next position is known, and a catalog without a single
  /// point, as a failed load makes one, changes nothing.
  ///
  /// - Returns: what the host is to do, in order.
  public mutating func replaceCatalog(_ catalog: POICatalog, at instant: Timestamp) -> [Effect] {
    var turn = EventTurn(heardAt: instant, reusing: &usedEffects)
    defer { usedEffects = turn.effects }
    guard !catalog.points.isEmpty || self.catalog.points.isEmpty else {
      turn.record(.emptyCatalogRefused(at: atLatest(instant)))
      return turn.effects
    }
    advance(to: instant, &turn)
    places.replaceCatalog(catalog)
    close(.stale, at: atLatest(instant), &turn) { [places] in
      if case .rung = $0.key.happening { places.rung($0.key) == nil } else { false }
    }
    places.resolve(roster)
    finish(nil, at: atLatest(instant), needsPosition: true, &turn)
    return turn.effects
  }

  /// Goes on with another part of the same catalog, before a position that lies in it.
  ///
  /// Not an event: no time passes, and nothing is told or asked for, for within
  /// ``POICatalog/knownMeters`` of the position both parts say the same. Rings that are farther away
  /// are none of the two parts' business: see ``farthestRingMeters``.
  ///
  /// - Precondition: fences are per category, for those per point would be lost with their points.
  public mutating func move(to part: POICatalog) {
    precondition(policy.tiers.fenceSemantics != .perPOI, "fences per point need the whole catalog")
    places.replaceCatalog(part)
    places.resolve(roster)
    invalidateCircles()
  }

  /// Whether the position of an event will be used, as far as is known before it is handled.
  func believes(_ fix: Fix, of event: Event) -> Bool {
    guard !Self.isFuture(fix, at: event.at), fix.coordinate.fault == nil else { return false }
    guard monitoring == .everyFix else {
      return places.state.lastFix.map { fix.at > $0.at } ?? true
    }
    var gate = places.state.gate
    return gate.refuse(fix, at: SurfacePoint(fix.coordinate), places.gateSettings) == nil
  }

  /// The newest position that was used.
  public var newestFix: Fix? { places.state.lastFix }

  /// How far from a point of a category anything of today's reminders begins or ends; 0 without any.
  public var farthestRingMeters: Double {
    places.state.aims.reduce(0) { farthest, aim in
      guard case .category = aim.target, let ring = aim.plan.shape.rings.first else {
        return farthest
      }
      return max(farthest, ring.radiusMeters + places.fencing.exitBandMeters(for: ring))
    }
  }

  /// Takes in the fixes of a stream as long as they change nothing but the newest position.
  ///
  /// The same as ``handle(_:)`` with each of them in turn, and with each timer that is due, of which no effect
  /// would come but the next timer.
  ///
  /// - Parameter end: an instant at which something else happens.
  /// - Parameter passesTimers: whether timers may come and go. The host must note those of the answer as come, and
  ///   ``nextTimer`` as set.
  /// - Returns: how many rows from the first of the range on were taken in, and the timers that came.
  /// - Complexity: a few nanoseconds a fix where nothing is near.
  package mutating func skip(
    through rows: FixColumns.Rows,
    _ range: Range<Int>,
    before end: Timestamp,
    passesTimers: Bool
  ) -> (count: Int, timers: [Timestamp]) {
    guard monitoring == .everyFix, !waiting.awaitsPosition else { return (0, []) }
    var timer = HostTimer(next: wakeAt)
    if passesTimers, policy.schedules.timers == .allowed {
      timer = HostTimer(
        next: wakeAt,
        otherwiseDue: nextInstant(withLooks: false),
        // A snooze ends with the first timer after it.
        end: roster.firstSnoozeEnd ?? Timestamp(milliseconds: .max)
      )
    }
    let count = places.skip(through: rows, range, before: end, &timer)
    wakeAt = timer.next
    if let last = timer.passed.last { now = atLatest(last) }
    if count > 0, let last = places.state.lastFix { now = atLatest(last.at) }
    return (count, timer.passed)
  }

  // MARK: Positions

  /// The event's instant or, when the clock was set back, the newest instant known.
  private func atLatest(_ at: Timestamp) -> Timestamp { max(at, now ?? at) }

  /// What is ahead of the clock by more is of another one.
  ///
  /// - Source: one minute is more than receivers' and phones' clocks differ by.
  private static let longestAhead = Milliseconds.minutes(1)

  /// A fix from the future would make every later one late.
  package static func isFuture(_ fix: Fix, at instant: Timestamp) -> Bool {
    fix.at - instant > longestAhead
  }

  /// The event that tells of a clock which was set back while no process ran; nil where it was not.
  ///
  /// By the old clock no position would be new and no time due. How long none ran is not known; that it was not at all
  /// is the least that is true.
  ///
  /// - Parameter now: what the clock shows.
  public func clockSetBack(at now: Timestamp) -> Event? {
    guard let newest = newestInstant, newest - now > Self.longestAhead else { return nil }
    return Event(at: now, .clockChanged(by: now - newest))
  }

  /// Takes in a fix of a stream.
  ///
  /// - Returns: whether anything changed but the newest position.
  private mutating func take(_ fix: Fix, at instant: Timestamp, _ turn: inout EventTurn) -> Bool {
    guard fix.coordinate.fault == nil else {
      turn.record(.fixRefused(at: fix.at, .badCoordinate))
      return false
    }
    let point = SurfacePoint(fix.coordinate)
    if let refusal = Self.isFuture(fix, at: instant)
      ? .future : places.refusal(of: fix, at: point)
    {
      turn.record(.fixRefused(at: fix.at, refusal))
      return false
    }
    places.state.lateness.note(fix.at, heardAt: instant)
    // Within a batch the timer is set to its end.
    let hadTimer =
      wakeAt.map { $0 <= fix.at } ?? false || places.state.lateness.isInBatches
    if hadTimer { advance(to: fix.at, &turn) }
    now = atLatest(fix.at)
    let mustReport = hadTimer || waiting.awaitsPosition
    let found = places.take(
      fix,
      at: point,
      mustReport: mustReport,
      before: wakeAt,
      awakeUntil: regions.state.followUntil
    )
    guard let found else { return false }
    let hasChanged = decide(on: found, from: point, at: fix.at, &turn)
    if mustReport || hasChanged || found.needsTimer { return true }
    // Nothing that is due or scheduled depends on a position that changed nothing.
    places.drawCalm(around: fix, at: point)
    return false
  }

  /// Takes in a fix of a batch that was handed over late, by its own time.
  ///
  /// Newer ones of the batch are still to come, so nothing is concluded from the time since the fix, and what it
  /// shows is told only if it is still so at the batch's end.
  private mutating func takeLate(_ fix: Fix, at instant: Timestamp, _ turn: inout EventTurn) {
    turn.settlesAt = instant + Lateness.grace
    _ = take(fix, at: instant, &turn)
    places.calm = nil
    setTimer(turn.settlesAt, &turn)
  }

  /// Takes in the position with which the location service woke the app.
  ///
  /// - Returns: nil if it was refused.
  private mutating func wake(
    by fix: Fix,
    previous: Fix?,
    at instant: Timestamp,
    _ turn: inout EventTurn
  ) -> RegionWatch.Sighted? {
    if Self.isFuture(fix, at: instant) {
      turn.record(.fixRefused(at: fix.at, .future))
      return nil
    }
    guard fix.hasValidAccuracy, fix.coordinate.fault == nil else {
      let refusal: FixRefusal = fix.hasValidAccuracy ? .badCoordinate : .invalidAccuracy
      turn.record(.fixRefused(at: fix.at, refusal))
      return nil
    }
    let last = places.state.lastFix
    if let last, fix.at <= last.at {
      // A cached position: it says nothing of the crossing that it was sent for.
      turn.record(.fixRefused(at: fix.at, fix.at < last.at ? .late : .duplicateTime))
      return nil
    }
    advance(to: fix.at, &turn)
    now = atLatest(fix.at)
    let found = places.wake(
      by: fix,
      previous: previous,
      before: wakeAt,
      awakeUntil: regions.state.followUntil
    )
    decide(on: found, from: SurfacePoint(fix.coordinate), at: fix.at, &turn)
    return RegionWatch.Sighted(
      fix: fix,
      cameFrom: previous,
      isQuick: (previous ?? last).map { fix.at - $0.at <= RegionWatch.quickCadence } ?? false
    )
  }

  /// Takes in what the phone says.
  ///
  /// - Parameter madeAt: when it said so, where that is only heard of now.
  private mutating func take(
    _ signal: Signal,
    madeAt: Timestamp?,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    if signals.hasHeard(signal) {
      return turn.record(.signalRefused(at: now, signal, .repeated))
    }
    let before = surroundings.level(of: signal.name)
    surroundings.note(signal, at: now, isListenedTo: signals.listens(to:))
    if Signal.namesOfPower.contains(signal.name),
      let level = surroundings.followPower(policy.power)
    {
      turn.record(.powerLevel(at: now, level))
    }
    let facts = signals.take(signal, before: before, at: now)
    var occasions = occasions(of: facts, from: nil, &turn)
    for i in occasions.indices { occasions[i].cameAt = madeAt }
    decide(occasions, at: now, &turn)
  }

  // MARK: Time

  /// Lets everything happen that is due up to an instant, each at its own.
  mutating func advance(to instant: Timestamp, _ turn: inout EventTurn) {
    while let next = nextInstant(), next <= instant {
      // What became due behind the clock's back happens now, not in the past.
      let due = max(next, now ?? next)
      now = due
      step(at: due, &turn)
    }
    now = atLatest(instant)
  }

  /// When something happens without an event; nil if nothing does.
  ///
  /// Mutating, though nothing changes: so the engine is looked at where it is, and not copied.
  ///
  /// - Parameter withLooks: whether the arrival detector's looks at silence count.
  private mutating func nextInstant(withLooks: Bool = true) -> Timestamp? {
    let ofPlaces = earliest(
      places.nextInstant(shownLater: screen.scheduled, within: policy.bundle.window),
      withLooks ? places.nextLook(awakeUntil: regions.state.followUntil) : nil
    )
    let ofClock = clock.nextInstant(shownLater: screen.scheduled)
    let ofWaiting = waiting.nextInstant(
      shownLater: screen.scheduled,
      within: policy.bundle.window
    )
    return earliest(
      earliest(earliest(ofPlaces, regions.state.beside?.lookAt), ofClock),
      earliest(screen.nextInstant, earliest(ofWaiting, nextEnd))
    )
  }

  private mutating func step(at due: Timestamp, _ turn: inout EventTurn) {
    if regions.takeLook(at: due) { turn.needsPosition = true }
    let facts = places.advance(to: due, awakeUntil: regions.state.followUntil)
    var occasions = occasions(of: facts, from: nil, &turn)
    occasions += dueOccasions(at: due, &turn)
    decide(occasions, at: due, &turn)
    let (shownLater, window) = (screen.scheduled, policy.bundle.window)
    lookAgain(at: due, &turn) {
      $0.until.map { $0 <= due } ?? false && !shownLater.tell($0, within: window)
    }
    expire(at: due, &turn)
    // As the app would have done if it had run: an app that catches up late tells the same.
    reconcileSchedule(at: due, &turn)
  }

  /// A span that a clock may be set by.
  ///
  /// - Source: a phone without a battery starts in 1970; sums of a century do not overflow.
  private static func isPlausible(_ span: Milliseconds) -> Bool {
    span.value.magnitude <= 100 * 366 * 86_400_000
  }

  /// Moves every instant that was reckoned from the old clock.
  ///
  /// Holds, cooldowns, bundle windows, delays after arrival and snoozes for a span keep what is left
  /// of them. What ends at a local time does so by the new clock, and what rang by one that was far ahead rings
  /// again. The arrival detector gathers its evidence anew.
  private mutating func shiftClock(by span: Milliseconds, _ turn: inout EventTurn) {
    if let old = now {
      now = old + span
      roster.shiftSnoozes(by: span, to: old + span, in: zone, policy)
      clock.followSetBack(to: old + span, from: old)
    }
    surroundings.shiftClock(by: span)
    places.shiftClock(by: span)
    waiting.shiftClock(by: span, gateWorld)
    screen.shiftClock(by: span, &turn)
    // The host's timers were set by the old clock.
    wakeAt = nil
    regions.shiftClock(by: span, &turn)
    places.resolve(roster)
    invalidateCircles()
    if let now { reckonLocalTimesAnew(at: now, &turn) }
  }

  /// Takes in that the position can be known, or no longer.
  ///
  /// Regions stay as they are, for the system keeps them; timers go on.
  ///
  /// - Returns: whether the position is needed now, because crossings may have gone unnoticed.
  private mutating func change(
    to access: LocationAccess,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) -> Bool {
    guard access != surroundings.access ?? .always else { return false }
    surroundings.access = access
    regions.state.standing = nil
    regions.state.acceptedRegions = nil
    turn.record(.locationAccess(at: now, access))
    // What falls back to a time begins or ends to.
    clock.follow(roster, isBlind: surroundings.isBlind)
    clock.begin(at: now)
    close(.stale, at: now, &turn) { [clock] in
      $0.key.trigger == Reminder.fallbackTrigger && !clock.isStillTrue($0.key)
    }
    return access == .always
  }

  // MARK: After every event

  private mutating func finish(
    _ sighted: RegionWatch.Sighted?,
    at instant: Timestamp,
    needsPosition: Bool,
    _ turn: inout EventTurn
  ) {
    now = atLatest(instant)
    roster.endSnoozes(at: instant)
    clock.begin(at: instant)
    expire(at: instant, &turn)
    if let names = signals.namesToAsk() { turn.emit(.listen(to: names)) }
    // A batch that came late has brought a position, too.
    let newest = places.state.lastFix?.at
    lookAgain(at: instant, &turn) { occasion in
      guard let since = occasion.locatingSince else { return false }
      return sighted != nil || newest.map { $0 >= since } ?? false
    }
    lookAgainAtFreed(at: instant, &turn)
    letGoOfEnded(&turn)
    reconcileSchedule(at: instant, &turn)
    if monitoring == .everyFix {
      if let sighted { places.drawCalm(around: sighted.fix) } else { places.calm = nil }
    } else {
      let needsPosition = needsPosition || turn.needsPosition
      watchRegions(sighted, at: instant, needsPosition: needsPosition, &turn)
    }
    setTimer(nextInstant().map { max($0, instant) }, &turn)
  }

  /// Asks to be woken at an instant, where the app may ask for it; else what is due is told at the next event.
  private mutating func setTimer(_ next: Timestamp?, _ turn: inout EventTurn) {
    guard next != wakeAt else { return }
    wakeAt = next
    if policy.schedules.timers == .allowed { turn.emit(.wakeAt(next)) }
  }

  private mutating func watchRegions(
    _ sighted: RegionWatch.Sighted?,
    at now: Timestamp,
    needsPosition: Bool,
    _ turn: inout EventTurn
  ) {
    // Where an arrival was found in silence, no position may come for as long as the person stays under a roof, and
    // then they leave: the way out is planned from where they were last seen.
    let seen = places.takeUnwatchedArrival() ? places.state.lastFix : nil
    // An app that has slept or was dead weighs again from its next fix on, and not from what it knew.
    let isAwake = sighted != nil || regions.state.followUntil.map { $0 > now } ?? false
    let level = surroundings.powerLevel
    let eases = policy.monitor.eases(at: level)
    // Whose receiver rests saves more by that than by staying awake for less.
    let weighing = policy.power
      .weighing(at: eases ? level.above : level, atMost: policy.monitor.longestWeighing)
    let until = [
      places.mustHoldUntil(at: now, atMost: policy.monitor.longestFollow),
      isAwake ? places.weighsUntil(at: now, atMost: weighing) : nil,
    ]
    let needs = RegionWatch.Needs(
      sighted: sighted,
      lastSeen: seen.map { RegionWatch.Sighted(fix: $0, cameFrom: nil, isQuick: false) },
      needsPosition: needsPosition,
      isBlind: surroundings.isBlind,
      followUntil: until.compactMap { $0 }.max(),
      easing: eases
        ? RegionWatch.Needs.Easing(
          everyPositionUntil: places.everyPositionCountsUntil(
            holding: until[0],
            restingAfter: policy.monitor.easesAfter
          ),
          lastFixAt: places.state.lastFix?.at
        ) : nil,
      areCounted: roster.allowsAnalytics,
      hasEnded: turn.hasEnded,
      hasTimers: policy.schedules.timers == .allowed
    )
    let isStanding = regions.adapt(to: needs, at: now, places.ladderView, &turn)
    if isStanding, let sighted { places.drawCalm(around: sighted.fix) }
  }

  // MARK: Ends

  /// Ends the reminders whose days are over.
  mutating func expire(at now: Timestamp, _ turn: inout EventTurn) {
    guard let nextEnd, nextEnd <= now else { return }
    for id in roster.ended(by: now, in: zone) {
      finish(id, as: .expired, .expired, at: now, following: false, &turn)
    }
    followChange()
  }

  mutating func findNextEnd() {
    nextEnd = roster.firstEnd(in: zone)
  }

  /// Forgets the circles in which nothing can happen: reminders or places have changed.
  mutating func invalidateCircles() {
    places.invalidateCircles()
    regions.state.standing = nil
  }
}
