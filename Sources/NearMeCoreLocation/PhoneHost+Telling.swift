import NearMe

/// What is kept in the file, and what the phone is told.
extension PhoneHost {
  /// Keeps what has changed; positions of which nothing came may wait while more of them come.
  func save() {
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
  func tellAll() {
    guard isReconciled, !isUrgent else { return }
    let reminders = newlyEnded
    newlyEnded = []
    for reminder in reminders { app?.archive(reminder) }
    if !memory.removed.isEmpty {
      phone.notifications.remove(memory.removed)
      memory.removed = []
      isDirty = true
    }
    // What replaces news that is under way waits: whether it is heard hangs on what becomes of that.
    for telling in memory.untold where !underWay.values.contains(telling.news.id) {
      if telling.serial <= deniedSerial { continue }
      if let last = refused[telling.serial], now - last < Self.retrySpan { continue }
      underWay[telling.serial] = telling.news.id
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
    underWay[telling.serial] = nil
    refused[telling.serial] = nil
    if receipt != .taken, memory.hear(insteadOf: telling) { isDirty = true }
    switch receipt {
    case .taken: break
    case .notAllowed:
      // Half a minute later it would be no other: it waits until the app comes to the screen, or newer news is taken.
      deniedSerial = max(deniedSerial, telling.serial)
      if !isDenied { report(.notificationsNotAllowed) }
      isDenied = true
      tellReplacement(of: telling)
      return callBack()
    case .refused(let why):
      refused = refused.filter { number, _ in memory.untold.contains { $0.serial == number } }
      refused[telling.serial] = now
      tellReplacement(of: telling)
      if !isTakingIn { setTimer() }
      report(.notificationRefused(telling.news.id, why: why))
      return callBack()
    }
    if case .notificationRefused(telling.news.id, why: _) = failure { failure = nil }
    memory.untold.removeAll { $0.serial == telling.serial }
    missing[telling.news.id] = nil
    isDirty = true
    if isDenied {
      (isDenied, deniedSerial) = (false, 0)
      if failure == .notificationsNotAllowed { failure = nil }
      return turn { _ in }
    }
    tellReplacement(of: telling)
    // Where it is the last of a turn: else the turn itself keeps it.
    guard !isTakingIn, underWay.isEmpty else { return }
    save()
    setTimer()
    callBack()
  }

  /// Tells what has waited for the system's word on the news that it replaces; in a turn, the turn itself does.
  private func tellReplacement(of telling: PhoneMemory.Telling) {
    let isThere = memory.untold.contains {
      $0.news.id == telling.news.id && $0.serial > telling.serial
    }
    if isThere, !isTakingIn { tellAll() }
  }

  /// Compares what an earlier process has kept with what the system has, and begins to tell.
  func reconcile(pending: [String], shown: [String]) {
    turn { host in
      host.memory.settle(pending: pending, shown: shown)
      for news in host.memory.scheduled where news.at > host.now && !pending.contains(news.id) {
        guard !host.memory.untold.contains(where: { $0.news.id == news.id }) else { continue }
        host.memory.tell(news, isSilent: false, isScheduled: true)
      }
      // What the engine takes for shown, the system shows within a second: it takes whole ones.
      let wanted = host.justPresented.union(host.memory.scheduled.map(\.id))
      host.dismissCleared(standing: Set(pending + shown))
      host.justPresented = []
      for id in pending where !wanted.contains(id) && !host.memory.removed.contains(id) {
        host.memory.removed.append(id)
      }
      host.isReconciled = true
      host.isDirty = true
      host.isUrgent = true
    }
  }

  /// Tells the engine what the user has cleared away, of which the system says nothing to the app.
  ///
  /// An answer comes after its notification is gone: only what has been missing for a while counts as dismissed.
  private func dismissCleared(standing: Set<String>) {
    let now = now
    let shownNow = engine?.state.shownNow ?? []
    let coming = justPresented.union(memory.untold.map(\.news.id))
    let gone = shownNow.filter { !standing.contains($0.id) && !coming.contains($0.id) }
    let known = missing
    missing = [:]
    for news in gone { missing[news.id] = known[news.id] ?? now }
    // One that another notification tells of as well is still on the screen.
    var kept = Set(
      shownNow.filter { missing[$0.id] == nil }.flatMap(\.members).map(\.reminder)
    )
    for news in gone {
      guard let since = missing[news.id], now - since >= Self.clearedSpan else { continue }
      missing[news.id] = nil
      for line in news.members where kept.insert(line.reminder).inserted {
        send(.action(reminder: line.reminder, .dismiss))
      }
    }
  }

  /// Asks the clock for the next instant at which something is due while the app runs.
  func setTimer() {
    var instants = [engine?.nextTimer, retryAt, isMeasuring ? followUntil : nil]
    instants.append(nextOffer)
    instants.append(nextLookAtRefusal)
    if isMeasuring { instants.append(easing?.nextChange(after: now)) }
    if isMeasuring { instants.append(settlesUntil) }
    if isMeasuring, let since = locatingSince {
      instants.append(since + settings.policy.monitor.patience)
    }
    phone.clock.wake(at: instants.compactMap { $0 }.min())
  }

  /// When the first of what the system did not take is offered again.
  ///
  /// What is withdrawn, under way or not allowed is not: its instant would pass without anything to do.
  private var nextOffer: Timestamp? {
    guard isReconciled, !isUrgent else { return nil }
    return memory.untold
      .filter { underWay[$0.serial] == nil && $0.serial > deniedSerial }
      .compactMap { refused[$0.serial] }
      .min()
      .map { $0 + Self.retrySpan }
  }

  func report(_ failure: PhoneFailure) {
    self.failure = failure
    toApp.append { $0.failed(failure) }
    if !isTakingIn { tellApp() }
  }
}
