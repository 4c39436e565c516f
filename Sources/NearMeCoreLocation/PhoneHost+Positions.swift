import NearMe

/// Regions, and positions that are asked for.
extension PhoneHost {
  func watch() {
    guard memory.regions != watched else { return }
    watched = memory.regions
    let ids = Set(memory.regions.map(\.id))
    rearmed = rearmed.filter { id, _ in ids.contains(id) }
    if !memory.regions.isEmpty {
      refusal?.wasAsked(at: uptime, patience: settings.policy.monitor.patience)
    }
    phone.regions.watch(memory.regions)
    waitForRegions()
  }

  private func waitForRegions() {
    settlesUntil = phone.regions.isSettling ? now + settings.policy.monitor.patience : nil
  }

  func noteCrossing(of id: String) {
    guard memory.regions.contains(where: { $0.id == id }), !memory.crossed.contains(id) else {
      return
    }
    memory.crossed.append(id)
    isDirty = true
    isUrgent = true
  }

  /// Has the regions watched anew of which the system says that they were crossed and a position that they were not:
  /// for the system the phone is on the other side, and it would say nothing when it gets there.
  func rearm() {
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

  func locate() {
    if locatingSince == nil { locatingSince = now }
  }

  /// Asks for a position for what has just woken the app: one that it has waited for in vain before it slept is not
  /// given up in its place.
  func locateAnew() {
    if let since = locatingSince, now - since >= settings.policy.monitor.patience {
      locatingSince = now
    }
    locate()
  }

  /// Measures while a position is awaited or the engine follows.
  func measure() {
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
  func endPatience() {
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
  /// So it is while a region waits to be armed again, while the system takes none, and while the catalog is awaited. Only
  /// what this host has begun, in this process or in an earlier one, is ended: the system knows one switch for all of the app, which may be on for the app's own sake.
  private func setWakeOnMove() {
    let isOn =
      isMeasuring || mustMove || !memory.crossed.isEmpty || refusal != nil || awaitsCatalog
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

  /// Whether a reminder looks for places of a kind of which none has been read yet: a plan that is made meanwhile has no
  /// circle for it, and nothing would wake the app.
  private var awaitsCatalog: Bool {
    guard !hasCatalog else { return false }
    return reminders.contains { reminder in
      guard reminder.isLive else { return false }
      return (reminder.triggers.compactMap(\.target) + reminder.conditions.targets)
        .contains { if case .category = $0 { true } else { false } }
    }
  }
}
