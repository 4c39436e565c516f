import Fencing
import NearMeEngine
import OutputLines
import Places
import Timeline
import Traces

/// What the person does at an instant of a replay.
public struct ReplayAction: Hashable, Sendable {
  /// What is done.
  public enum Kind: Hashable, Sendable {
    /// A reminder is acted on.
    case reminder(String, ReminderAction)
    /// The phone says something.
    case signal(Signal)
    /// Do Not Disturb is switched.
    case focus(Bool)
    /// Something goes wrong with the phone, or right again.
    case incident(Incident)
  }

  /// When.
  public let at: Timestamp
  /// What.
  public let kind: Kind

  /// Makes an action.
  public init(at: Timestamp, _ kind: Kind) {
    self.at = at
    self.kind = kind
  }
}

/// One trace on its way through a location service and the engine.
///
/// - Complexity: memory does not grow with the trace.
public struct ReplaySession: Sendable {
  /// The engine, to be looked at.
  public internal(set) var engine: Engine
  /// Everything counted so far.
  public internal(set) var summary = ReplaySummary()
  /// What certificates promised and did not hold, with the instant; the first hundred.
  public private(set) var violations: [(at: Timestamp, CertificateCheck.Violation)] = []
  let checksCertificates: Bool
  /// The location service, to be looked at; nil where the engine sees every fix.
  public internal(set) var twin: IdealTwin?
  /// The phone with its latencies, in its place; nil where there is none.
  public internal(set) var phone: PhoneTwin?
  private let restore: @Sendable (EngineState) -> EngineState
  private(set) var actions: ArraySlice<ReplayAction>
  private(set) var hasLaunched = false
  var wakeAt: Timestamp?
  /// While the app stays awake to follow: since when, and up to when.
  private(set) var following: Following?
  private var lines: [ReplayLine] = []
  /// The reminders that have ended, oldest first, as a host keeps them.
  private var archive: [Reminder] = []
  /// What the engine was sent, in order, to be sent to another engine; nil: not kept.
  package var events: [Event]?
  /// What the app was woken for and told to do, in order; nil: not kept.
  package var log: ReplayLog?
  /// Fixes of columns that had to be taken in one by one.
  package internal(set) var exactFixes = 0
  /// The newest position that the engine was given by the phone.
  private var newestGiven: Timestamp?
  private(set) var isKilled = false
  private(set) var access = LocationAccess.always
  /// What a phone gathers that hands fixes over late; nil where each comes at once.
  var batch: Batch?
  /// What keeps the engine's catalog to the places around; nil where it has all of them.
  var follower: CatalogFollower?
  /// The cell of the catalog in which the engine is; nil where it has all of it.
  public var cell: CellGrid.Cell? { follower?.cell }
  /// Since when something has been at risk.
  private var riskSince: Timestamp?

  /// What the app follows.
  struct Following: Sendable {
    /// Since when, as far as it has not been counted.
    var since: Timestamp
    var until: Timestamp
    /// From when on the receiver rests between positions, and how often it measures one.
    var easing: (from: Timestamp, interval: Milliseconds)?
  }

  /// Makes a session.
  ///
  /// - Parameter twin: nil where the engine sees every fix, or a phone is given instead.
  /// - Parameter handOver: of a phone that hands over fixes late; only where the engine sees every fix.
  /// - Parameter restore: what storing a state and reading it again makes of it, for an app that is
  ///   killed.
  /// - Parameter follower: for an engine that is given the places around each position.
  /// - Parameter checksCertificates: whether every plan's certificate is checked by brute force, after
  ///   every event; slow.
  public init(
    engine: Engine,
    twin: IdealTwin?,
    phone: PhoneTwin? = nil,
    handOver: HandOver? = nil,
    actions: [ReplayAction] = [],
    restore: @escaping @Sendable (EngineState) -> EngineState = { $0 },
    follower: CatalogFollower? = nil,
    checksCertificates: Bool = false
  ) {
    self.follower = follower
    precondition(
      (twin == nil && phone == nil) == (engine.monitoring == .everyFix)
        && (twin == nil || phone == nil),
      "an engine that sleeps needs one location service, and one that does not has none"
    )
    self.engine = engine
    self.twin = twin
    self.phone = phone
    if twin == nil, phone == nil { batch = handOver.map { Batch(handOver: $0) } }
    self.restore = restore
    self.checksCertificates = checksCertificates
    self.actions =
      actions.enumerated().sorted { ($0.1.at, $0.0) < ($1.1.at, $1.0) }
      .map(\.element)[...]
  }

  /// Has the engine look at silence also where nothing can be decided.
  package mutating func lookAtEveryTick() { engine.looksAtEveryTick = true }

  /// Counts a point of the trace that never became a fix, at the last fix before it.
  public mutating func refuse(_ refusal: FixRefusal) -> [ReplayLine] {
    [counted(refusal, at: summary.end)]
  }

  /// Takes in the trace's next fix.
  ///
  /// - Returns: what happened up to it and because of it, in order of time.
  /// - Throws: ``RegionLimitExceeded`` if the planner asks an ideal service for more than there is: a
  ///   bug.
  public mutating func consume(_ fix: Fix) throws(RegionLimitExceeded) -> [ReplayLine] {
    lines.removeAll(keepingCapacity: true)
    if !hasLaunched {
      hasLaunched = true
      summary.start = fix.at
      // What the person did before the first fix happened then, not at the fix.
      try send(Event(at: min(fix.at, actions.first?.at ?? fix.at), .launched))
    }
    if batch != nil {
      try gather(fix)
      return lines
    }
    if actions.isEmpty, phone == nil, wakeAt.map({ fix.at < $0 }) ?? true {
      // Nothing is due before this fix: the usual case.
    } else {
      try runTimeline(upTo: fix.at, before: fix)
    }
    fallAsleep(at: fix.at)
    if access != .always {
      summary.note(fix)
    } else if phone != nil {
      try passToPhone(fix)
    } else if let answer = twin?.consume(fix) {
      switch answer {
      case .refused(let refusal): lines.append(counted(refusal, at: fix.at))
      case .silent: summary.note(fix)
      case .wake(let cause, let previous):
        // The first position is the one that the app asked for when it was started.
        wake(summary.fixes == 0 && cause == .fix ? .launch : cause, at: fix.at)
        summary.note(fix)
        try send(Event(at: fix.at, .woken(by: fix, previous: previous)))
      case .followed(let previous):
        summary.note(fix)
        try send(Event(at: fix.at, .woken(by: fix, previous: previous)))
      }
    } else {
      let refusedBefore = summary.refusedCount
      try send(Event(at: fix.at, .fix(fix)))
      if summary.refusedCount == refusedBefore { summary.note(fix) }
    }
    return lines
  }

  /// Takes in something else that happens between two fixes, such as a new reminder.
  ///
  /// - Returns: what happened up to it and because of it.
  public mutating func take(_ event: Event) throws(RegionLimitExceeded) -> [ReplayLine] {
    lines.removeAll(keepingCapacity: true)
    try runTimeline(upTo: event.at)
    fallAsleep(at: event.at)
    try send(event)
    return lines
  }

  /// Gives the engine a newer cache between two fixes.
  ///
  /// - Returns: what happened up to it and because of it.
  public mutating func replaceCatalog(
    _ catalog: POICatalog,
    at now: Timestamp
  ) throws(RegionLimitExceeded) -> [ReplayLine] {
    lines.removeAll(keepingCapacity: true)
    try runTimeline(upTo: now)
    fallAsleep(at: now)
    try apply(engine.replaceCatalog(catalog, at: now), at: now)
    return lines
  }

  /// Ends the trace: what is due by its last fix happens, later things do not.
  ///
  /// - Parameter end: until when the phone went on, where that is known: a phone at rest may be silent for
  ///   hours, and what its silence tells happens then.
  public mutating func finish(
    at end: Timestamp? = nil
  ) throws(RegionLimitExceeded) -> [ReplayLine] {
    lines.removeAll(keepingCapacity: true)
    if let due = batch?.due {
      try handOverBatch(at: due)
      // What the last batch has shown is told when it is clear that none follows.
      try runTimeline(upTo: due + .seconds(2))
    }
    if let last = summary.end {
      let end = end.map { max($0, last) } ?? last
      try runTimeline(upTo: end)
      stopFollowing(at: end)
      endRisk(at: end)
    }
    summary.actionsLeft = actions.count
    return lines
  }

  private mutating func passToPhone(_ fix: Fix) throws(RegionLimitExceeded) {
    if let refusal = phone?.consume(fix) {
      lines.append(counted(refusal, at: fix.at))
      return
    }
    summary.note(fix)
    while let instant = phone?.nextInstant, instant <= fix.at {
      if let wake = phone?.advance(to: instant) { try take(wake) }
    }
  }

  /// Wakes the app; a position that it knows already tells nothing, so it asks for a new one.
  private mutating func take(_ wake: PhoneTwin.Wake) throws(RegionLimitExceeded) {
    fallAsleep(at: wake.at)
    let isFirst = newestGiven == nil && wake.cause == .fix
    if !wake.isFollowed { self.wake(isFirst ? .launch : wake.cause, at: wake.at) }
    if let newestGiven, wake.fix.at <= newestGiven {
      if isKilled { try relaunch(at: wake.at) } else { phone?.locate() }
      return
    }
    if wake.isFollowed, let newestGiven, let (from, interval) = following?.easing, wake.at > from,
      wake.at - newestGiven < interval
    {
      // Motion was felt, or a position awaited: the receiver did not rest since the one before.
      summary.noteOn(for: wake.at - max(newestGiven, from))
    }
    newestGiven = wake.fix.at
    try send(Event(at: wake.at, .woken(by: wake.fix, previous: wake.previous)))
  }

  // MARK: Time

  /// Runs timers, wakes and actions up to an instant, in this order where they come together.
  ///
  /// - Parameter next: the fix of that instant, if one follows: its wakes come with it.
  mutating func runTimeline(
    upTo end: Timestamp,
    before next: Fix? = nil
  ) throws(RegionLimitExceeded) {
    while true {
      let timer = wakeAt.flatMap { $0 <= end ? $0 : nil }
      let action = actions.first.flatMap { $0.at <= end ? $0 : nil }
      let wakeInstant = phone?.nextInstant
        .flatMap { $0 < end || ($0 == end && next == nil) ? $0 : nil }
      if let timer, action.map({ timer <= $0.at }) ?? true,
        wakeInstant.map({ timer <= $0 }) ?? true
      {
        wakeAt = nil
        // What comes while the app follows does not have to wake it.
        if following.map({ $0.until < timer }) ?? true { wake(.scheduled, at: timer) }
        try send(Event(at: timer, .timer))
      } else if let wakeInstant, action.map({ wakeInstant <= $0.at }) ?? true {
        if let wake = phone?.advance(to: wakeInstant, toward: next) { try take(wake) }
      } else if let action {
        actions.removeFirst()
        switch action.kind {
        case .reminder(let id, let answer):
          try send(Event(at: action.at, kind(of: answer, on: id)))
        case .signal(let signal):
          try send(Event(at: action.at, .signal(signal)))
        case .focus(let isOn):
          try send(Event(at: action.at, .focus(isOn)))
        case .incident(let incident):
          try undergo(incident, at: action.at)
        }
      } else {
        return
      }
    }
  }

  // MARK: Incidents

  private mutating func undergo(
    _ incident: Incident,
    at instant: Timestamp
  ) throws(RegionLimitExceeded) {
    switch incident {
    case .killed:
      // Regions stay with the system; what the process had asked for is gone.
      isKilled = true
      wakeAt = nil
      stopFollowing(at: instant)
      twin?.forgetRequest()
      phone?.forgetRequest()
    case .launched: try relaunch(at: instant)
    case .permissionReduced: try change(to: .whileInUse, at: instant)
    case .servicesOff: try change(to: .servicesOff, at: instant)
    case .permissionGranted, .servicesOn: try change(to: .always, at: instant)
    }
  }

  private mutating func change(
    to access: LocationAccess,
    at instant: Timestamp
  ) throws(RegionLimitExceeded) {
    self.access = access
    phone?.goBlind(access != .always)
    if access != .always { twin?.forgetRequest() }
    try send(Event(at: instant, .locationAccess(access)))
  }

  /// The process starts again, with the state that it had stored.
  private mutating func relaunch(at instant: Timestamp) throws(RegionLimitExceeded) {
    isKilled = false
    engine = engine.restarted(with: restore(engine.state))
    wake(.launch, at: instant)
    try send(Event(at: instant, .launched))
  }

  /// Notes timers of which nothing came.
  mutating func wakes(by timers: [Timestamp]) -> [ReplayLine] {
    lines.removeAll(keepingCapacity: true)
    for timer in timers { wake(.scheduled, at: timer) }
    return lines
  }

  private mutating func wake(_ cause: WakeCause, at instant: Timestamp) {
    // An app that sees every fix is never asleep.
    guard twin != nil || phone != nil || cause == .scheduled else { return }
    summary.wakes[cause, default: 0] += 1
    lines.append(.wake(at: instant, cause))
    if log != nil {
      let crossed = phone?.crossed ?? twin?.crossed ?? []
      log?.wakes.append((instant, cause, cause.isByRegion ? crossed : []))
    }
  }

  /// An answer as an event: what has ended is handed back to be reopened.
  private mutating func kind(of answer: ReminderAction, on id: String) -> Event.Kind {
    guard answer == .reopen, let ended = archive.lastIndex(where: { $0.id == id }) else {
      return .action(reminder: id, answer)
    }
    return .reminderReopened(archive.remove(at: ended))
  }

  // MARK: Effects

  mutating func send(_ event: Event) throws(RegionLimitExceeded) {
    if isKilled { try relaunch(at: event.at) }
    events?.append(event)
    follower?.prepare(&engine, for: event)
    try apply(engine.handle(event), at: event.at)
  }

  private mutating func apply(
    _ effects: [Effect],
    at now: Timestamp
  ) throws(RegionLimitExceeded) {
    var refused: [String] = []
    for effect in effects {
      log?.effects.append((now, effect))
      switch effect {
      case .monitor(let change):
        try twin?.apply(change)
        let failed = phone?.apply(start: change.start, stop: change.stop) ?? []
        refused += failed
        summary.note(change, refused: failed.count)
        lines.append(.regions(at: now, change))
      case .locate:
        twin?.locate()
        phone?.locate()
      case .follow(let until): follow(until: until, at: now)
      case .ease(let from, let interval): ease(from: from, every: interval, at: now)
      case .wakeAt(let instant): wakeAt = instant
      case .post(let notification): show(notification, isUpdate: false)
      case .replace(let notification):
        // A notification that only lost a line keeps its instant: nothing new is said.
        if notification.at == engine.newestInstant {
          show(notification, isUpdate: true)
        }
      case .record(let record): note(record)
      case .archive(let reminder): archive.append(reminder)
      case .withdraw, .schedule, .unschedule, .listen: break
      }
    }
    log?.note(waiting: engine.waitingNow, at: now)
    noteRisk(at: now)
    if checksCertificates { checkCertificate(at: now) }
    if !refused.isEmpty { try send(Event(at: now, .regionsRefused(refused))) }
  }

  private mutating func checkCertificate(at now: Timestamp) {
    summary.certificatesChecked += 1
    for violation in engine.certificateViolations() where violations.count < 100 {
      violations.append((now, violation))
    }
  }

  private mutating func noteRisk(at instant: Timestamp) {
    endRisk(at: instant)
    if engine.isAtRisk || access != .always { riskSince = instant }
  }

  private mutating func endRisk(at instant: Timestamp) {
    if let since = riskSince, instant > since {
      summary.atRisk = summary.atRisk + (instant - since)
    }
    riskSince = nil
  }

  private mutating func follow(until: Timestamp?, at now: Timestamp) {
    guard let until else { return stopFollowing(at: now) }
    fallAsleep(at: now)
    twin?.follow(until: until)
    phone?.follow(until: until)
    following = Following(since: following?.since ?? now, until: until, easing: following?.easing)
  }

  private mutating func ease(from: Timestamp, every interval: Milliseconds, at now: Timestamp) {
    twin?.ease(from: from, every: interval)
    phone?.ease(from: from, every: interval)
    // What has passed was by the rule of then.
    note(followedUntil: now)
    following?.since = now
    following?.easing = (from, interval)
  }

  /// The app has slept since it had to follow no longer.
  private mutating func fallAsleep(at now: Timestamp) {
    if let following, following.until < now { stopFollowing(at: following.until) }
  }

  private mutating func stopFollowing(at now: Timestamp) {
    note(followedUntil: now)
    following = nil
    twin?.follow(until: nil)
    phone?.follow(until: nil)
  }

  private mutating func note(followedUntil now: Timestamp) {
    guard let following else { return }
    let end = min(now, following.until)
    summary.followed = summary.followed + (end - following.since)
    guard let (from, interval) = following.easing, from < end else { return }
    summary.noteEased(for: end - max(from, following.since), every: interval)
  }

  private mutating func show(_ notification: ReminderNotification, isUpdate: Bool) {
    summary.note(notification, isUpdate: isUpdate)
    lines.append(.notification(notification, isUpdate: isUpdate))
  }

  private mutating func note(_ record: Record) {
    switch record {
    case .fixRefused(let at, let refusal): lines.append(counted(refusal, at: at))
    case .transition(let transition):
      summary.note(transition)
      lines.append(.transition(transition))
    case .decision(let decision):
      summary.note(decision)
      lines.append(.decision(decision))
    case .presented(let notification): show(notification, isUpdate: false)
    case .locationAccess(let at, let access): lines.append(.access(at: at, access))
    case .regionsRefused(let at, let ids, let slots):
      summary.regionsRefused += ids.count
      lines.append(.regionsRefused(at: at, ids: ids, slots: slots))
    case .canceled(let canceled): lines.append(.canceled(canceled))
    case .actionRefused(let at, let reminder, let refusal):
      summary.actionsRefused += 1
      lines.append(.actionRefused(at: at, reminder: reminder, refusal))
    case .answered(let at, let reminder, let times):
      lines.append(.answered(at: at, reminder: reminder, times: times))
    case .answerTakenBack(let at, let reminder, let times):
      lines.append(.answerTakenBack(at: at, reminder: reminder, times: times))
    case .schedulesLeftOut(let at, let count, let heldUntil):
      lines.append(.schedulesLeftOut(at: at, count: count, heldUntil: heldUntil))
    case .signalRefused(let at, let signal, let refusal):
      lines.append(.signalRefused(at: at, signal, refusal))
    case .reminderRefused, .placeRefused, .emptyCatalogRefused, .entitlement, .analyticsConsent,
      .powerLevel, .analytics:
      break
    }
  }

  private mutating func counted(_ refusal: FixRefusal, at instant: Timestamp?) -> ReplayLine {
    let count = summary.refused[refusal, default: 0] + 1
    summary.refused[refusal] = count
    return .fixRefused(at: instant, refusal, count: count)
  }
}
