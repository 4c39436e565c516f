import NearMe

/// Owns an engine on a phone: feeds it with what happens, and does what it asks for.
///
/// A happening is taken in at once and to its end: the engine handles its events, regions and positions
/// are asked for, the new state is kept, and only then anything is told. So a kill at any instant loses
/// nothing; at worst a notification that was on its way is shown once more, silently if it is still there.
///
/// It lives on the main actor: Core Location calls back on the thread that made its manager, an app that is
/// launched in the background has some seconds from there on, and between two steps of a turn nothing else
/// may come in. A turn takes milliseconds.
///
/// Make it and call ``launch()`` before the app's launch ends, each time: what the system has noticed
/// while the app was not running is handed over then.
@MainActor
public final class PhoneHost: PhoneListener {
  /// A position that is older than this when it is asked for says nothing of now.
  ///
  /// - Source: Apple's guide to location recommends 15 s for cached positions.
  private static let longestCached = Milliseconds.seconds(15)
  /// Changes of which nothing came are kept at the latest after this.
  private static let quietSpan = Milliseconds.seconds(5)
  /// A state that could not be kept or read is tried again after this.
  private static let retrySpan = Milliseconds.seconds(30)
  /// A clock that is off by less is followed without a word, as one that is slewed.
  private static let slewed = Milliseconds.seconds(2)
  /// So many notifications that the system does not take are offered again: as many as it would hold, and
  /// as many on the screen.
  private static let mostUntold = 128
  /// News that waited for the system longer than this is shown without a sound.
  private static let oldNews = Milliseconds.minutes(15)

  /// Who is told what is the app's business.
  public weak var app: (any PhoneApp)? {
    didSet { if !signals.isEmpty { app?.listen(to: signals) } }
  }
  /// The names of the signals that the engine asks for.
  public private(set) var signals: [String] = []
  /// What decides.
  public let settings: PhoneSettings
  /// The last thing that went wrong and has not gone right since.
  public private(set) var failure: PhoneFailure?

  private let phone: Phone
  /// Nil until the kept state has been read.
  private var engine: Engine?
  private var memory = PhoneMemory()
  private var isDirty = false
  /// Whether what has changed is more than a position.
  private var isUrgent = false
  private var lastSave: Timestamp?
  private var retryAt: Timestamp?
  /// Whether the system's notifications have been compared with what was kept.
  private var isReconciled = false
  /// The tellings that the system has been given and not answered yet.
  private var underWay: Set<Int> = []
  /// Whether the user does not let the app show notifications, as far as the last answer says.
  private var isDenied = false
  /// The newest telling that waits for the user to allow notifications; 0: none.
  private var deniedSerial = 0
  /// When the system last did not take a telling, by its number.
  private var refused: [Int: Timestamp] = [:]
  private var newlyEnded: [Reminder] = []

  /// When the next position was asked for; nil: it was not.
  private var locatingSince: Timestamp?
  private var followUntil: Timestamp?
  private var isMeasuring = false
  /// How the receiver rests while the engine follows; nil where it does not.
  private var easing: PhoneEasing?
  private var isEased = false
  /// Nil until the system was asked by this process.
  private var wakesOnMove: Bool?
  /// Whether a position was given up.
  private var mustMove = false
  private var lastFix: Fix?
  /// Whether this turn brought a position that says on which side of regions the phone is.
  private var knowsPosition = false
  /// What the phone's clock shows when the other one shows 0.
  private var clockOffset: Milliseconds
  /// What the system was asked to watch by this process; nil: nothing yet.
  private var watched: [Region]?
  /// Up to when a system is waited for that takes a while to watch regions.
  private var settlesUntil: Timestamp?
  /// When a region was last armed again, and how often since it was asked for.
  private var rearmed: [String: (at: Timestamp, count: Int)] = [:]
  /// What the engine has taken for shown since notifications were compared.
  private var justPresented: Set<String> = []
  /// What has happened and is not taken in yet.
  private var inbox: [(PhoneHost) -> Void] = []
  private var isTakingIn = false
  /// Who waits until all is told.
  private var whenTold: [@MainActor @Sendable () -> Void] = []
  /// Whether the app is on the screen, which is when it is told positions without the permission for always.
  private var isOnScreen = false
  /// What the app has been told of.
  private var shown = Shown()

  /// What an app shows of its host.
  private struct Shown: Equatable {
    var isReady = false
    var access: LocationAccess?
    var reminders: [Reminder] = []
    var places: [Place] = []
    var ended: [Reminder] = []
  }

  /// Makes a host; nothing happens before ``launch()``.
  public init(_ phone: Phone, _ settings: PhoneSettings) {
    self.phone = phone
    self.settings = settings
    clockOffset = phone.clock.now - Timestamp(milliseconds: phone.clock.uptime.value)
  }

  // MARK: For the app

  /// Reads what was kept and begins; at every start of the process, in the background, too.
  ///
  /// A state that cannot be read, as before the first unlock of a phone, is tried again with everything
  /// that happens: it is never taken for an empty one.
  ///
  /// - Parameter isOnScreen: whether the app has come to the screen before; the system says that only when it happens.
  public func launch(isOnScreen: Bool = false) {
    phone.regions.listener = self
    phone.positions.listener = self
    phone.authorization.listener = self
    phone.notifications.listener = self
    phone.clock.listener = self
    turn { host in if isOnScreen { host.comeToScreen() } }
  }

  /// Begins without what was kept, where it is damaged (``PhoneFailure/stateDamaged(_:)``): the storage puts that aside.
  ///
  /// A state that is only out of reach, as on a phone that is locked, stays where it is.
  ///
  /// - Throws: what the storage throws if it cannot.
  public func beginAnew() throws {
    guard engine == nil, case .stateDamaged = failure else { return }
    try phone.storage.setAside()
    turn { _ in }
  }

  /// Asks the user for positions at all times, and for notifications.
  public func askForPermission() {
    phone.authorization.ask()
    phone.notifications.ask()
  }

  /// Whether the kept state has been read.
  public var isReady: Bool { engine != nil }
  /// What the app may know of the position now.
  public var access: LocationAccess { phone.authorization.access }
  /// The reminders as they stand, in the order in which they were made.
  public var reminders: [Reminder] { engine?.state.currentReminders ?? [] }
  /// The places, in order of their ids.
  public var places: [Place] { engine?.state.currentPlaces ?? [] }
  /// Reminders that have ended, oldest first, until ``takeOver(ended:)``; ``reopen(_:)`` finds them here.
  public var ended: [Reminder] { memory.ended }
  /// When ``tick()`` has something to do, such as the earliest begin of a background task; nil: never.
  public var nextTimer: Timestamp? { engine?.nextTimer }

  /// Makes a reminder, or edits the one of its id.
  ///
  /// One that has ended is refused, with a record that says so: ``reopen(_:)-(Reminder)`` brings it back.
  public func save(_ reminder: Reminder) { tell(.reminderSaved(reminder)) }
  /// Makes or edits several, in one turn: a thousand one by one would keep the state a thousand times.
  public func save(_ reminders: [Reminder]) {
    turn { host in
      host.isUrgent = true
      host.send(.written(reminders.map { Event(at: host.now, .reminderSaved($0)) }))
    }
  }
  /// Deletes a reminder.
  public func deleteReminder(_ id: String) { tell(.reminderDeleted(id)) }
  /// Makes a place, or changes the one of its id.
  public func save(_ place: Place) { tell(.placeSaved(place)) }
  /// Deletes a place.
  public func deletePlace(_ id: String) { tell(.placeDeleted(id)) }
  /// Does what the user answers in the app.
  public func act(on reminder: String, _ action: ReminderAction) {
    if action == .reopen { return reopen(reminder) }
    tell(.action(reminder: reminder, action))
  }
  /// Passes on what the phone says, such as that it is charging.
  public func signal(_ signal: Signal) { tell(.signal(signal)) }
  /// Says that Do Not Disturb or a Focus was switched.
  public func focus(isOn: Bool) { tell(.focus(isOn)) }
  /// Says how many reminders may be live.
  public func entitle(_ entitlement: Entitlement) { tell(.entitlement(entitlement)) }
  /// Says whether the user agrees to analytics, whose events come as records.
  public func allowAnalytics(_ isOn: Bool) { tell(.analytics(isOn)) }

  /// Takes an answer back, also one that ended a reminder.
  public func reopen(_ reminder: String) {
    turn { host in
      guard let ended = host.memory.ended.last(where: { $0.id == reminder }) else {
        return host.send(.action(reminder: reminder, .reopen))
      }
      host.bringBack(ended)
    }
  }

  /// Brings back a reminder that has ended and that the app has taken over, as it was archived.
  public func reopen(_ reminder: Reminder) {
    turn { $0.bringBack(reminder) }
  }

  /// Has a reminder that has ended begin again; one that is refused, as its days are over, is kept as it was.
  private func bringBack(_ reminder: Reminder) {
    isUrgent = true
    send(.reminderReopened(reminder))
    if reminders.contains(where: { $0.id == reminder.id }) {
      memory.ended.removeAll { $0.id == reminder.id }
    }
  }

  /// Forgets reminders that have ended, by id, for the app keeps them now.
  public func takeOver(ended ids: [String]) {
    turn { host in
      host.memory.ended.removeAll { ids.contains($0.id) }
      host.isDirty = true
      host.isUrgent = true
    }
  }

  /// Replaces the points of interest by those of a newer cache.
  public func replaceCatalog(_ catalog: POICatalog) {
    turn { host in
      // The time looks at the engine, too, which is not to be while that is changed.
      let now = host.now
      guard let effects = host.engine?.replaceCatalog(catalog, at: now) else { return }
      host.absorb(effects)
    }
  }

  /// Does what time brings, from a background task; while the app runs, that happens by itself.
  ///
  /// The task is done when ``whenTold(_:)`` calls back: in a process that was launched for it, what is due is told
  /// only after the system has said which notifications it holds.
  public func tick() { take(.timer) }

  private func tell(_ kind: Event.Kind) {
    turn { host in
      host.isUrgent = true
      host.send(kind)
    }
  }

  // MARK: What happens

  /// Takes in one happening, and does what follows from it, before it returns.
  public func take(_ happening: PhoneHappening) {
    turn { host in
      switch happening {
      case .crossed(let id):
        host.noteCrossing(of: id)
        host.locateAnew()
      case .visited:
        // Visits are the app's as well: those of its own are none of this host's business.
        if host.wakesOnMove == true, host.looksAtPlaces { host.locateAnew() }
      case .regionsWatched: host.settlesUntil = nil
      case .regionsRefused(let ids):
        host.memory.regions.removeAll { ids.contains($0.id) }
        host.memory.crossed.removeAll { ids.contains($0) }
        host.send(.regionsRefused(ids))
      case .positions(let fixes): for fix in fixes { host.take(fix) }
      case .accessMayHaveChanged:
        host.watched = nil
        host.send(.locationAccess(host.phone.authorization.access))
      case .answered(let answer): host.take(answer)
      case .timer, .clockMayHaveChanged: break
      case .leftScreen: host.isOnScreen = false
      case .answersGoElsewhere: host.report(.answersGoElsewhere)
      case .becameActive:
        host.comeToScreen()
        // The user may just have allowed notifications: what was not taken is offered again.
        host.refused = [:]
        host.deniedSerial = 0
        host.compareNotifications()
      }
    }
  }

  /// Without the permission for always, this is when the position can be known.
  private func comeToScreen() {
    isOnScreen = true
    if access == .whileInUse, looksAtPlaces { locateAnew() }
  }

  /// Whether a reminder that may speak looks at places: without one, nobody needs the position.
  private var looksAtPlaces: Bool {
    reminders.contains { reminder in
      guard reminder.isLive else { return false }
      return reminder.triggers.contains { $0.target != nil }
        || !reminder.conditions.targets.isEmpty
    }
  }

  /// Calls back when everything that is to be told has been handed to the system.
  public func whenTold(_ done: @escaping @MainActor @Sendable () -> Void) {
    whenTold.append(done)
    callBack()
  }

  /// Nothing can be told while the state cannot be read or kept.
  private func callBack() {
    guard !isTakingIn, engine == nil || isUrgent || isReconciled && underWay.isEmpty else { return }
    let waiting = whenTold
    whenTold = []
    for done in waiting { done() }
  }

  private func take(_ fix: Fix) {
    // One that moves no regions is not what was asked for.
    let isPoor = isPoor(fix)
    if let since = locatingSince {
      guard since - fix.at <= Self.longestCached else { return }
      if !isPoor { locatingSince = nil }
    }
    if !isPoor {
      if failure == .noPosition { failure = nil }
      mustMove = false
      knowsPosition = true
    }
    let previous = lastFix
    lastFix = fix
    send(.woken(by: fix, previous: previous))
  }

  private func isPoor(_ fix: Fix) -> Bool {
    fix.horizontalAccuracyMeters > settings.policy.monitor.poorAccuracyMeters
  }

  private func take(_ answer: PhoneAnswer) {
    switch answer.choice {
    case .opened: app?.open(reminders: answer.reminders)
    case .button("open_map"): if let link = answer.mapLink { app?.openMap(link) }
    case .button, .dismissed: break
    }
    guard let action = answer.action else { return }
    isUrgent = true
    for reminder in answer.reminders { send(.action(reminder: reminder, action)) }
  }

  // MARK: Turns

  /// The host's time; behind the engine's, it stands until it has come up with it.
  private var now: Timestamp {
    let now = Timestamp(milliseconds: phone.clock.uptime.value) + clockOffset
    return max(now, engine?.newestInstant ?? now)
  }

  /// Takes in what a body sends, with what has become due before it, and does what follows.
  ///
  /// What comes meanwhile, as when a piece of the phone answers while it is asked, is a turn after this one;
  /// what comes before the state could be read waits for that.
  private func turn(_ body: @escaping (PhoneHost) -> Void) {
    inbox.append(body)
    guard !isTakingIn else { return }
    isTakingIn = true
    defer {
      isTakingIn = false
      callBack()
    }
    while !inbox.isEmpty {
      guard begin() else {
        // Should the app sleep before the state can be read, the next move wakes it.
        if wakesOnMove != true { phone.positions.wakeOnMove(true) }
        wakesOnMove = true
        return phone.clock.wake(at: retryAt)
      }
      let body = inbox.removeFirst()
      followClock()
      if let timer = engine?.nextTimer, timer <= now { send(.timer) }
      body(self)
      endPatience()
      rearm()
      watch()
      measure()
      save()
      tellAll()
      setTimer()
      tellOfChange()
    }
  }

  /// Tells the app, once in a turn, that what it shows is another.
  private func tellOfChange() {
    let now = Shown(
      isReady: isReady,
      access: access,
      reminders: reminders,
      places: places,
      ended: ended
    )
    guard now != shown else { return }
    shown = now
    app?.changed()
  }

  /// Reads what was kept, once.
  private func begin() -> Bool {
    if engine != nil { return true }
    do {
      memory = try phone.storage.load() ?? PhoneMemory()
    } catch {
      report(error as? PhoneFailure ?? .stateUnreadable("\(error)"))
      retryAt = phone.clock.now + Self.retrySpan
      return false
    }
    switch failure {
    case .stateUnreadable, .stateDamaged: failure = nil
    default: break
    }
    retryAt = nil
    // Asked for before this could be read.
    if wakesOnMove == true { memory.wakesOnMove = true }
    // What the clock did before, the state knows nothing of.
    clockOffset = phone.clock.now - Timestamp(milliseconds: phone.clock.uptime.value)
    let zone = phone.clock.zone
    engine = Engine(
      policy: settings.policy,
      zone: zone,
      zones: phone.clock.zones,
      tones: settings.tones,
      catalog: settings.catalog,
      monitoring: .regions(settings.policy.monitor.limits(slots: settings.policy.monitor.slots)),
      state: memory.state
    )
    if let event = engine?.clockSetBack(at: phone.clock.now) { engineHandle(event) }
    send(.launched)
    if let known = memory.zone, known != zone.identifier { send(.zoneChanged(zone)) }
    memory.zone = zone.identifier
    send(.locationAccess(phone.authorization.access))
    compareNotifications()
    return true
  }

  private func compareNotifications() {
    phone.notifications.standing { [weak self] pending, shown in
      self?.reconcile(pending: pending, shown: shown)
    }
  }

  /// Follows a clock that was set, and a zone that was changed.
  private func followClock() {
    let old = Timestamp(milliseconds: phone.clock.uptime.value) + clockOffset
    let span = phone.clock.now - old
    clockOffset = clockOffset + span
    if span.value.magnitude > Self.slewed.value.magnitude {
      if let since = locatingSince { locatingSince = since + span }
      retryAt = retryAt.map { $0 + span }
      settlesUntil = settlesUntil.map { $0 + span }
      rearmed = rearmed.mapValues { ($0.at + span, $0.count) }
      refused = refused.mapValues { $0 + span }
      lastSave = nil
      lastFix = nil
      engineHandle(Event(at: phone.clock.now, .clockChanged(by: span)))
    }
    let zone = phone.clock.zone
    if zone.identifier != memory.zone {
      memory.zone = zone.identifier
      send(.zoneChanged(zone))
    }
  }

  private func send(_ kind: Event.Kind) { engineHandle(Event(at: now, kind)) }

  private func engineHandle(_ event: Event) {
    guard let effects = engine?.handle(event) else { return }
    isDirty = true
    absorb(effects)
  }

  /// Notes what is to be done.
  private func absorb(_ effects: [Effect]) {
    isDirty = true
    for effect in effects {
      switch effect {
      case .monitor(let change):
        memory.apply(change)
        isUrgent = true
      case .locate: locate()
      case .follow(until: let instant):
        followUntil = instant
        if instant == nil { easing = nil }
      case .ease(from: let instant, every: let interval):
        easing = PhoneEasing(from: instant, every: interval)
      case .post(let news): note { $0.tell(news, isSilent: false) }
      case .replace(let news): note { $0.tell(news, isSilent: true) }
      case .withdraw(id: let id), .unschedule(id: let id): note { $0.remove(id) }
      case .schedule(let news, at: _):
        note {
          $0.tell(news, isSilent: false, isScheduled: true)
          $0.scheduled.append(news)
        }
      // Read from the engine at the end of the turn.
      case .wakeAt: break
      case .listen(to: let names):
        signals = names
        app?.listen(to: names)
      case .archive(let reminder):
        note { $0.ended.append(reminder) }
        newlyEnded.append(reminder)
      case .record(let record):
        if case .presented(let news) = record {
          memory.scheduled.removeAll { $0.id == news.id }
          justPresented.insert(news.id)
        }
        app?.note(record)
      }
    }
  }

  private func note(_ change: (inout PhoneMemory) -> Void) {
    change(&memory)
    isUrgent = true
  }

  // MARK: Positions

  private func watch() {
    guard memory.regions != watched else { return }
    watched = memory.regions
    let ids = Set(memory.regions.map(\.id))
    rearmed = rearmed.filter { id, _ in ids.contains(id) }
    phone.regions.watch(memory.regions)
    waitForRegions()
  }

  private func waitForRegions() {
    settlesUntil = phone.regions.isSettling ? now + settings.policy.monitor.patience : nil
  }

  private func noteCrossing(of id: String) {
    guard memory.regions.contains(where: { $0.id == id }), !memory.crossed.contains(id) else {
      return
    }
    memory.crossed.append(id)
    isDirty = true
    isUrgent = true
  }

  /// Has the regions watched anew of which the system says that they were crossed and a position that they were not:
  /// for the system the phone is on the other side, and it would say nothing when it gets there.
  private func rearm() {
    guard knowsPosition else { return }
    knowsPosition = false
    // One that the system keeps saying was crossed is armed again ever less often.
    let due = memory.crossed.filter { id in
      guard let last = rearmed[id] else { return true }
      let minutes: Int64 = 1 << min(Int64(last.count) - 1, 4)
      return now - last.at >= .minutes(minutes)
    }
    guard !due.isEmpty else { return }
    for id in due { rearmed[id] = (now, (rearmed[id]?.count ?? 0) + 1) }
    memory.crossed.removeAll { due.contains($0) }
    isDirty = true
    watch()
    phone.regions.rearm(due)
    waitForRegions()
  }

  private func locate() {
    if locatingSince == nil { locatingSince = now }
  }

  /// Asks for a position for what has just woken the app: one that it has waited for in vain before it slept is not
  /// given up in its place.
  private func locateAnew() {
    if let since = locatingSince, now - since >= settings.policy.monitor.patience {
      locatingSince = now
    }
    locate()
  }

  /// Measures while a position is awaited or the engine follows.
  private func measure() {
    if let until = followUntil, until <= now { (followUntil, easing) = (nil, nil) }
    let canKnow = access != .servicesOff
    if let until = settlesUntil, until <= now { settlesUntil = nil }
    // Until the new regions are watched, nothing else would wake the app.
    let isSettling = isMeasuring && settlesUntil != nil
    let isSeen = isOnScreen && access == .whileInUse && looksAtPlaces
    let shouldMeasure =
      canKnow && (locatingSince != nil || followUntil != nil || isSettling || isSeen)
    easing?.pass(until: now)
    let shouldEase =
      shouldMeasure && !isSeen && locatingSince == nil && easing?.rests(at: now) ?? false
    guard shouldMeasure != isMeasuring || shouldEase != isEased else { return setWakeOnMove() }
    let isBegun = isMeasuring
    (isMeasuring, isEased) = (shouldMeasure, shouldEase)
    setWakeOnMove()
    // It could not come before.
    if shouldMeasure, !isBegun, locatingSince != nil { locatingSince = now }
    guard shouldMeasure else { return phone.positions.stop() }
    if !isBegun || !shouldEase { phone.positions.start() }
    if shouldEase { phone.positions.ease() }
  }

  /// Gives up on a position that does not come, in favor of the next move: what woke the app may not
  /// wake it again.
  private func endPatience() {
    guard isMeasuring, let since = locatingSince, now - since >= settings.policy.monitor.patience
    else { return }
    locatingSince = nil
    // Where positions come and all are poor, the engine would be followed for ever; where none come, it may be right
    // to wait for them, as indoors.
    if lastFix.map(isPoor) ?? false { (followUntil, easing) = (nil, nil) }
    mustMove = true
    report(.noPosition)
  }

  /// While a position is awaited, what woke the app may not wake it again: should the process end, the
  /// phone's next move launches it.
  ///
  /// So it is while a region waits to be armed again. Only what this host has begun, in this process or in an earlier
  /// one, is ended: the system knows one switch for all of the app, which may be on for the app's own sake.
  private func setWakeOnMove() {
    let isOn = isMeasuring || mustMove || !memory.crossed.isEmpty
    let isToBegin = isOn && wakesOnMove != true
    let isToEnd = !isOn && wakesOnMove ?? memory.wakesOnMove
    wakesOnMove = isOn
    guard isToBegin || isToEnd else { return }
    phone.positions.wakeOnMove(isOn)
    guard memory.wakesOnMove != isOn else { return }
    memory.wakesOnMove = isOn
    isDirty = true
    isUrgent = true
  }

  // MARK: Keeping and telling

  /// Keeps what has changed; positions of which nothing came may wait while more of them come.
  private func save() {
    guard isDirty, let engine else { return }
    let now = now
    if !isUrgent, isMeasuring, let last = lastSave, now - last < Self.quietSpan { return }
    memory.state = engine.state
    if memory.untold.count > Self.mostUntold {
      memory.untold.removeFirst(memory.untold.count - Self.mostUntold)
    }
    do {
      try phone.storage.save(memory)
    } catch {
      retryAt = now + Self.retrySpan
      return report(.stateNotSaved("\(error)"))
    }
    if case .stateNotSaved = failure { failure = nil }
    isDirty = false
    isUrgent = false
    lastSave = now
    retryAt = nil
  }

  /// Tells what is kept and not told.
  private func tellAll() {
    guard isReconciled, !isUrgent else { return }
    let reminders = newlyEnded
    newlyEnded = []
    for reminder in reminders { app?.archive(reminder) }
    if !memory.removed.isEmpty {
      phone.notifications.remove(memory.removed)
      memory.removed = []
      isDirty = true
    }
    for telling in memory.untold where !underWay.contains(telling.serial) {
      if telling.serial <= deniedSerial { continue }
      if let last = refused[telling.serial], now - last < Self.retrySpan { continue }
      underWay.insert(telling.serial)
      // At an instant that has passed by the time it is handed over, the system shows nothing.
      let isToCome = telling.isScheduled && telling.news.at > now + .seconds(1)
      let isOld = telling.news.isOfPlace && now - telling.news.at > Self.oldNews
      phone.notifications.show(
        PhoneNotification(telling.news, isSilent: telling.isSilent || isOld),
        at: isToCome ? telling.news.at : nil
      ) { [weak self] receipt in
        self?.wasTold(telling, receipt)
      }
    }
  }

  private func wasTold(_ telling: PhoneMemory.Telling, _ receipt: PhoneReceipt) {
    underWay.remove(telling.serial)
    refused[telling.serial] = nil
    switch receipt {
    case .taken: break
    case .notAllowed:
      // Half a minute later it would be no other: it waits until the app comes to the screen, or newer news is taken.
      deniedSerial = max(deniedSerial, telling.serial)
      if !isDenied { report(.notificationsNotAllowed) }
      isDenied = true
      return callBack()
    case .refused(let why):
      refused = refused.filter { number, _ in memory.untold.contains { $0.serial == number } }
      refused[telling.serial] = now
      if !isTakingIn { setTimer() }
      report(.notificationRefused(telling.news.id, why: why))
      return callBack()
    }
    if case .notificationRefused(telling.news.id, why: _) = failure { failure = nil }
    memory.untold.removeAll { $0.serial == telling.serial }
    isDirty = true
    if isDenied {
      (isDenied, deniedSerial) = (false, 0)
      if failure == .notificationsNotAllowed { failure = nil }
      return turn { _ in }
    }
    // Where it is the last of a turn: else the turn itself keeps it.
    guard !isTakingIn, underWay.isEmpty else { return }
    save()
    setTimer()
    callBack()
  }

  /// Compares what an earlier process has kept with what the system has, and begins to tell.
  private func reconcile(pending: [String], shown: [String]) {
    turn { host in
      host.memory.settle(pending: pending, shown: shown)
      for news in host.memory.scheduled where news.at > host.now && !pending.contains(news.id) {
        guard !host.memory.untold.contains(where: { $0.news.id == news.id }) else { continue }
        host.memory.tell(news, isSilent: false, isScheduled: true)
      }
      // What the engine takes for shown, the system shows within a second: it takes whole ones.
      let wanted = host.justPresented.union(host.memory.scheduled.map(\.id))
      host.justPresented = []
      for id in pending where !wanted.contains(id) && !host.memory.removed.contains(id) {
        host.memory.removed.append(id)
      }
      host.isReconciled = true
      host.isDirty = true
      host.isUrgent = true
    }
  }

  /// Asks the clock for the next instant at which something is due while the app runs.
  private func setTimer() {
    var instants = [engine?.nextTimer, retryAt, isMeasuring ? followUntil : nil]
    instants.append(refused.values.min().map { $0 + Self.retrySpan })
    if isMeasuring { instants.append(easing?.nextChange(after: now)) }
    if isMeasuring { instants.append(settlesUntil) }
    if isMeasuring, let since = locatingSince {
      instants.append(since + settings.policy.monitor.patience)
    }
    phone.clock.wake(at: instants.compactMap { $0 }.min())
  }

  private func report(_ failure: PhoneFailure) {
    self.failure = failure
    app?.failed(failure)
  }
}
