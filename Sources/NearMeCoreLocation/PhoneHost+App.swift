import NearMe

/// What an app asks of its host, and tells it.
extension PhoneHost {
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
  /// One that cannot be watched for is refused, as ``PhoneFailure/reminderRefused(_:why:)`` says: one at a place that is
  /// not saved yet, for places come first, and one that has ended, which ``reopen(_:)-(Reminder)`` brings back.
  public func save(_ reminder: Reminder) {
    turn { host in
      guard !host.refusesEnded(reminder) else { return }
      host.isUrgent = true
      host.send(.reminderSaved(reminder))
    }
  }
  /// Makes or edits several, in one turn: a thousand one by one would keep the state a thousand times.
  public func save(_ reminders: [Reminder]) {
    turn { host in
      let taken = reminders.filter { !host.refusesEnded($0) }
      guard !taken.isEmpty else { return }
      host.isUrgent = true
      host.send(.written(taken.map { Event(at: host.now, .reminderSaved($0)) }))
    }
  }
  /// Refuses one that lies among those that have ended, of which the engine knows the last ones only.
  private func refusesEnded(_ reminder: Reminder) -> Bool {
    guard memory.ended.contains(where: { $0.id == reminder.id }) else { return false }
    let refusal = ReminderLoadError(reminder: reminder.id, reason: .hasEnded)
    note(.reminderRefused(at: now, refusal))
    return true
  }
  /// Deletes a reminder.
  public func deleteReminder(_ id: String) {
    turn { host in
      host.isUrgent = true
      host.send(.reminderDeleted(id))
      host.memory.ended.removeAll { $0.id == id }
    }
  }
  /// Makes a place, or changes the one of its id; before the reminders that are told there.
  ///
  /// One that lies nowhere on the globe is refused, as ``PhoneFailure/placeRefused(_:why:)`` says.
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
      if !catalog.points.isEmpty { host.hasCatalog = true }
      host.absorb(effects)
    }
  }

  /// Does what time brings, from a background task; while the app runs, that happens by itself.
  ///
  /// The task is done when ``whenTold(_:)`` calls back: in a process that was launched for it, what is due is told
  /// only after the system has said which notifications it holds, and after the position that it needs, if it needs one.
  public func tick() {
    isTicking = true
    take(.timer)
  }

  func tell(_ kind: Event.Kind) {
    turn { host in
      host.isUrgent = true
      host.send(kind)
    }
  }
}
