import NearMe

/// What the phone tells.
extension PhoneHost {
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
      case .regionsRefused(let ids): host.refuse(ids)
      case .positions(let fixes): for fix in fixes { host.take(fix) }
      case .accessMayHaveChanged:
        host.watched = nil
        host.send(.locationAccess(host.phone.authorization.access))
      case .answered(let answer): host.take(answer)
      case .timer, .clockMayHaveChanged: break
      case .leftScreen: host.isOnScreen = false
      case .answersGoElsewhere: host.report(.answersGoElsewhere)
      case .failed(let failure): host.report(failure)
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
  func comeToScreen() {
    isOnScreen = true
    if access == .whileInUse, looksAtPlaces { locateAnew() }
  }

  /// Whether a reminder that may speak looks at places: without one, nobody needs the position.
  var looksAtPlaces: Bool {
    reminders.contains { reminder in
      guard reminder.isLive else { return false }
      return reminder.triggers.contains { $0.target != nil }
        || !reminder.conditions.targets.isEmpty
    }
  }

  /// Does what time brings, and returns when everything that is to be told has been handed to the system, or when its task
  /// is canceled: what a background task calls.
  public func refresh() async {
    tick()
    let gate = Gate()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        gate.wait(continuation)
        whenTold { gate.open() }
      }
    } onCancel: {
      Task { @MainActor in gate.open() }
    }
  }

  /// Lets somebody through once it is open.
  @MainActor
  private final class Gate {
    private var waiting: CheckedContinuation<Void, Never>?
    private var isOpen = false

    func wait(_ continuation: CheckedContinuation<Void, Never>) {
      guard !isOpen else { return continuation.resume() }
      waiting = continuation
    }

    func open() {
      isOpen = true
      waiting?.resume()
      waiting = nil
    }
  }

  /// Calls back when everything that is to be told has been handed to the system.
  public func whenTold(_ done: @escaping @MainActor @Sendable () -> Void) {
    whenTold.append(done)
    callBack()
  }

  /// Nothing can be told while the state cannot be read or kept.
  ///
  /// What is due may need a position that is asked for: who looks at the time waits for that, too.
  func callBack() {
    let isLocating = isTicking && isMeasuring && locatingSince != nil
    guard !isTakingIn,
      engine == nil || isUrgent || isReconciled && underWay.isEmpty && !isLocating
    else { return }
    if !whenTold.isEmpty { isTicking = false }
    let waiting = whenTold
    whenTold = []
    for done in waiting { done() }
  }

  func take(_ fix: Fix) {
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

  func isPoor(_ fix: Fix) -> Bool {
    fix.horizontalAccuracyMeters > settings.policy.monitor.poorAccuracyMeters
  }

  func take(_ answer: PhoneAnswer) {
    switch answer.choice {
    case .opened: toApp.append { $0.open(reminders: answer.reminders) }
    case .button("open_map"):
      if let link = answer.mapLink { toApp.append { $0.openMap(link) } }
    case .button, .dismissed: break
    }
    guard let action = answer.action else { return }
    isUrgent = true
    for reminder in answer.reminders { send(.action(reminder: reminder, action)) }
  }
}
