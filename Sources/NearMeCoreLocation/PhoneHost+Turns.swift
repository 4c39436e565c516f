import NearMe

/// An event for the engine, and what comes of it.
extension PhoneHost {
  /// The host's time; behind the engine's, it stands until it has come up with it.
  var now: Timestamp {
    let now = Timestamp(milliseconds: phone.clock.uptime.value) + clockOffset
    return max(now, engine?.newestInstant ?? now)
  }

  /// Takes in what a body sends, with what has become due before it, and does what follows.
  ///
  /// What comes meanwhile, as when a piece of the phone answers while it is asked, is a turn after this one;
  /// what comes before the state could be read waits for that.
  func turn(_ body: @escaping (PhoneHost) -> Void) {
    inbox.append(body)
    guard !isTakingIn else { return }
    isTakingIn = true
    defer {
      isTakingIn = false
      tellApp()
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
      tryRegionsAgain()
      rearm()
      watch()
      measure()
      save()
      tellApp()
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
  func begin() -> Bool {
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
    // What the system has shown since came by the clock that the state was left with.
    let zone = phone.clock.zone
    let known = memory.zone.flatMap {
      $0 == zone.identifier ? zone : phone.clock.zones.zone(named: $0)
    }
    engine = Engine(
      policy: settings.policy,
      zone: known ?? zone,
      zones: phone.clock.zones,
      tones: settings.tones,
      catalog: settings.catalog,
      monitoring: .regions(settings.policy.monitor.limits(slots: settings.policy.monitor.slots)),
      state: memory.state
    )
    if let event = engine?.clockSetBack(at: phone.clock.now) { engineHandle(event) }
    if let known = memory.zone, known != zone.identifier { send(.zoneChanged(zone)) }
    memory.zone = zone.identifier
    send(.launched)
    send(.locationAccess(phone.authorization.access))
    compareNotifications()
    return true
  }

  func compareNotifications() {
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
      missing = missing.mapValues { $0 + span }
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

  func send(_ kind: Event.Kind) { engineHandle(Event(at: now, kind)) }

  private func engineHandle(_ event: Event) {
    guard let effects = engine?.handle(event) else { return }
    isDirty = true
    absorb(effects)
  }

  /// Notes what is to be done.
  func absorb(_ effects: [Effect]) {
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
      case .replace(let news):
        let underWay = Set(underWay.keys)
        note { $0.tell(news, isSilent: true, underWay: underWay) }
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
        toApp.append { $0.listen(to: names) }
      case .archive(let reminder):
        note { $0.ended.append(reminder) }
        newlyEnded.append(reminder)
      case .record(let record):
        if case .presented(let news) = record {
          memory.scheduled.removeAll { $0.id == news.id }
          justPresented.insert(news.id)
        }
        note(record)
      }
    }
  }

  /// Tells the app what the engine says, and what of it could not be done.
  func note(_ record: Record) {
    toApp.append { $0.note(record) }
    switch record {
    case .reminderRefused(_, let refusal):
      toApp.append { $0.failed(.reminderRefused(refusal.reminder, why: "\(refusal.reason)")) }
    case .placeRefused(_, let refusal):
      toApp.append { $0.failed(.placeRefused(refusal.place, why: refusal.reason)) }
    default: break
    }
  }

  /// Tells the app what has waited for the state to be kept: an app that fails with what it is told would else lose it.
  func tellApp() {
    let waiting = toApp
    toApp = []
    guard let app else { return }
    for tell in waiting { tell(app) }
  }

  private func note(_ change: (inout PhoneMemory) -> Void) {
    change(&memory)
    isUrgent = true
  }
}
