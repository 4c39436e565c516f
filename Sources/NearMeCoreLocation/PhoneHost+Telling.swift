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
  func reconcile(pending: [String], shown: [String]) {
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
  func setTimer() {
    var instants = [engine?.nextTimer, retryAt, isMeasuring ? followUntil : nil]
    instants.append(refused.values.min().map { $0 + Self.retrySpan })
    if isMeasuring { instants.append(easing?.nextChange(after: now)) }
    if isMeasuring { instants.append(settlesUntil) }
    if isMeasuring, let since = locatingSince {
      instants.append(since + settings.policy.monitor.patience)
    }
    phone.clock.wake(at: instants.compactMap { $0 }.min())
  }

  func report(_ failure: PhoneFailure) {
    self.failure = failure
    app?.failed(failure)
  }
}
