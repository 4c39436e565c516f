import Logging
import NearMeEngine
import Timeline
import TraceFiles
import Traces
import UserStore

/// What happens, as events for the engine.
extension LiveHost {
  /// Takes in points of a feed, in order.
  package func take(_ records: [TraceRecord]) async throws(HostFailure) {
    try await take(records.map { FeedItem.point($0) })
  }

  /// Takes in one thing that a feed brings.
  ///
  /// - Parameter guest: what is kept from then on, and not with what time brought before it: it says that the thing
  ///   has come in.
  /// - Returns: why the engine has not used a fix; nil for one that was used, and for all else.
  @discardableResult
  package func take(
    _ item: FeedItem,
    keeping guest: any HostGuest
  ) async throws(HostFailure) -> FixRefusal? {
    comingGuest = guest
    let refusal = try await takeOne(item)
    try commitIfQuiet()
    keep(guest)
    return refusal
  }

  /// Takes in what a feed brings, in order.
  package func take(_ items: [FeedItem]) async throws(HostFailure) {
    var items = items[...]
    try await take(&items)
  }

  /// Takes in what a feed brings, in order, and leaves what comes after another program has got hold of the database.
  func take(_ items: inout ArraySlice<FeedItem>) async throws(HostFailure) {
    while !isHeld, let item = items.popFirst() { try await takeOne(item) }
    try commitIfQuiet()
  }

  @discardableResult
  private func takeOne(_ item: FeedItem) async throws(HostFailure) -> FixRefusal? {
    var reason: FixRefusal?
    switch item {
    case .signal(let signal): try take(signal)
    case .point(let record):
      switch record.outcome {
      case .fix(let fix): reason = try take(fix)
      case .refused(let refusal):
        count(refusal)
        reason = refusal
      }
    }
    try await handOver()
    return reason
  }

  private func take(_ fix: Fix) throws(HostFailure) -> FixRefusal? {
    if let taken = takenBefore {
      guard fix.at > taken else {
        counts.takenBefore += 1
        return nil
      }
      takenBefore = nil
    }
    counts.fixes += 1
    guard setup.time == .fixes else {
      // Of a trace each fix is old; phones send what they have gathered, too.
      if setup.make == nil, counts.fixes == 1, now - fix.at > .minutes(10) {
        log.warning(
          """
          fixes are older than ten minutes, which is no news: a recorded trace wants nearme run --clock fixes with a \
          database of its own; this one has taken these fixes
          """,
          metadata: ["fix": "\(RFC3339.format(fix.at))"]
        )
      }
      if let span = time.follow(fix.at) { try setClock(by: span) }
      return try turn(Event(at: now, kind(of: fix)))
    }
    try catchUp(with: fix.at)
    return try turn(Event(at: fix.at, kind(of: fix)))
  }

  /// A phone that watches regions hands over a position when it was woken.
  func kind(of fix: Fix) -> Event.Kind {
    memory.phone.wantsPosition = false
    return setup.monitoring == .everyFix ? .fix(fix) : .woken(by: fix, previous: nil)
  }

  /// Takes in what the phone says.
  ///
  /// Those before the newest of their name that says when it was have been seen, or come too late; of those of one
  /// instant the engine knows the ids.
  private func take(_ signal: FeedSignal) throws(HostFailure) {
    if let at = signal.at, memory.signals.isOld(signal.name, at: at) {
      counts.takenBefore += 1
      return
    }
    try followClock()
    var present = now
    if setup.time == .fixes {
      // Fed again after a kill, it could not be told from another one.
      guard let at = signal.at else {
        counts.untimedSignals += 1
        if counts.untimedSignals == 1 {
          log.warning("a signal of a recorded day that does not say when is passed over")
        }
        return
      }
      present = max(at, engine.newestInstant ?? at)
      try catchUp(with: present)
    }
    // One from the future has been seen by now, or the true ones until then would come too late.
    if let at = signal.at { memory.signals.note(signal.name, at: min(at, present)) }
    counts.signals += 1
    let id = signal.id ?? "\((signal.at ?? present).milliseconds)"
    try turn(
      Event(
        at: present,
        .signal(Signal(name: signal.name, id: id, level: signal.level)),
        madeAt: signal.at.flatMap { $0 < present ? $0 : nil }
      )
    )
  }

  /// Where the feed tells the time: lets everything happen that is due by an instant.
  func catchUp(with instant: Timestamp) throws(HostFailure) {
    try launch(at: engine.newestInstant ?? instant)
    while let timer = engine.nextTimer, timer <= instant {
      try turn(Event(at: timer, .timer))
    }
  }

  /// Does what time brings: timers, what commands have asked for, deliveries that are tried again.
  package func tick() async throws(HostFailure) {
    try await pass { () throws(HostFailure) in
      let version = try whereFree { () throws(UserStoreError) in try store.dataVersion() }
      if let version, version != dataVersion, try lookIntoInbox() { dataVersion = version }
    }
  }

  /// Takes in what has been asked for through the host's own store, which shows no other version of it.
  package func takeEdits() async throws(HostFailure) {
    try await pass { () throws(HostFailure) in _ = try lookIntoInbox() }
  }

  /// Does what time brings without a look into the database.
  package func wake() async throws(HostFailure) { try await pass {} }

  private func pass(_ look: () throws(HostFailure) -> Void) async throws(HostFailure) {
    try tryAgain()
    guard !isHeld else { return }
    try followClock()
    try look()
    // Before a recorded trace begins the time is not known.
    if hasLaunched { try takeInbox() }
    // Not before: what was answered meanwhile is not heard of any more.
    if setup.time == .wall, !isHeld, let timer = engine.nextTimer, timer <= now {
      try turn(Event(at: now, .timer))
    }
    try commitIfQuiet()
    try await handOver()
    for courier in couriers { await courier.start() }
  }

  /// Tries again now what waits to be told.
  package func hurry() async {
    for courier in couriers { await courier.hurry() }
  }

  /// - Returns: whether it could look.
  private func lookIntoInbox() throws(HostFailure) -> Bool {
    // What waits to be stored has used up some of it.
    guard !isHeld,
      let pending = try whereFree({ () throws(UserStoreError) in try store.pendingInbox() })
    else { return false }
    inbox = pending.filter { !usedInbox.contains($0.serial) }
    return true
  }
}
