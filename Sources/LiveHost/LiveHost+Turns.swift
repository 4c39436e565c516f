import Logging
import NearMeEngine
import Places
import Timeline
import Traces
import UserStore

/// An event for the engine, and what comes of it, kept together.
extension LiveHost {
  /// The host's time; behind the engine's, it stands until it has come up with it.
  var now: Timestamp { max(time.now, engine.newestInstant ?? time.now) }

  /// Goes on by a clock that was set a while ago, where no fix could have told.
  func followClock() throws(HostFailure) {
    if setup.time == .wall, let span = time.followLasting() { try setClock(by: span) }
  }

  /// Goes on by a clock that was set.
  func setClock(by span: Milliseconds) throws(HostFailure) {
    log.notice("the clock was set", metadata: ["by_seconds": "\(span.value / 1_000)"])
    try turn(Event(at: time.now, .clockChanged(by: span)))
  }

  /// Goes on by a clock that was set back while no host ran.
  func followClockSetBack() throws(HostFailure) {
    guard let event = engine.clockSetBack(at: time.now) else { return }
    log.warning(
      "the clock shows an earlier time than in an earlier life, which is taken for wrong",
      metadata: ["by_seconds": "\((now - event.at).value / 1_000)"]
    )
    try turn(event)
    if takenBefore != nil { takenBefore = memory.newestFix }
  }

  func launch(at instant: Timestamp) throws(HostFailure) {
    guard !hasLaunched else { return }
    hasLaunched = true
    memory.phone = HostMemory.Phone(make: setup.make)
    if let zone = memory.zone, zone != setup.zone.identifier {
      // Commands come by the new zone, and before what is overdue: until they are taken in, no time passes.
      let isAhead = setup.time == .wall && !inbox.isEmpty
      let known = isAhead ? engine.newestInstant : nil
      try turn(Event(at: known ?? instant, .zoneChanged(setup.zone)))
    }
    // What was answered while no host ran is not heard of any more.
    if setup.time == .wall { try takeInbox(heardAt: instant) }
    memory.zone = setup.zone.identifier
    try turn(Event(at: instant, .launched))
    try takeInbox()
  }

  /// - Parameter heardAt: when it is heard of; nil: as it was made.
  func takeInbox(heardAt: Timestamp? = nil) throws(HostFailure) {
    let entries = inbox
    inbox = []
    guard !entries.isEmpty else { return }
    let (known, now) = (engine.newestInstant, self.now)
    // Where the fixes tell the time, a command comes when the host learns of it; and a command that
    // was given by a clock ahead of the host's comes now.
    let made = entries.map { entry in
      let at = setup.time == .fixes ? known ?? entry.event.at : min(entry.event.at, now)
      return Event(at: at, entry.event.kind)
    }
    var serials = entries.map(\.serial)[...]
    for event in Event.together(made, at: { max(known ?? $0.at, $0.at, heardAt ?? $0.at) }) {
      let count = if case .written(let events) = event.kind { events.count } else { 1 }
      usedInbox += serials.prefix(count)
      serials = serials.dropFirst(count)
      try turn(event)
    }
    try commitIfDirty()
  }

  /// Takes in one event; whatever is to be told is in the database afterward.
  /// - Returns: why a fix was not used.
  @discardableResult
  func turn(_ event: Event) throws(HostFailure) -> FixRefusal? {
    try journal?.append(event)
    let cell = follower?.cell
    follower?.prepare(&engine, for: event)
    if let next = follower?.cell, next != cell {
      log.notice(
        "goes on with the places of another cell",
        metadata: ["cell": "\(next.name)", "places": "\(engine.catalog.points.count)"]
      )
    }
    if event.isFromFeed, let coming = comingGuest { keep(coming) }
    let effects = engine.handle(event)
    isDirty = true
    if case .clockChanged(let span) = event.kind {
      memory.newestFix = memory.newestFix.map { $0 + span }
      memory.signals.shiftClock(by: span)
    }
    var refusal: FixRefusal?
    for effect in effects {
      switch effect {
      case .archive(let reminder): archived.append(reminder)
      case .locate: memory.phone.wantsPosition = true
      case .follow(let until): memory.phone.followUntil = until
      case .record(let record):
        pendingRecords.append(record)
        if case .fixRefused(_, let reason) = record { refusal = reason }
      default: continue
      }
    }
    if let refusal { count(refusal) }
    // A fix from the future has not been seen: the true one of that instant is still to come.
    if case .fix(let fix) = event.kind, refusal != .future {
      memory.newestFix = max(fix.at, memory.newestFix ?? fix.at)
    }
    for news in shown.news(of: effects, event, engine) {
      memory.serial += 1
      pendingNews.append(
        Delivery(key: "\(store.identity)-\(memory.serial)", at: news.at, news.news)
      )
    }
    // When it ended is when it is stored.
    if !pendingNews.isEmpty || !archived.isEmpty { try commitIfDirty() }
    return refusal
  }

  func count(_ refusal: FixRefusal) {
    counts.refused[refusal, default: 0] += 1
    if counts.refused[refusal] == 1 {
      log.notice("a position is refused", metadata: ["reason": "\(refusal.rawValue)"])
    }
  }

  func commitIfQuiet() throws(HostFailure) {
    let age = clock.now() - lastCommit
    // A clock that was set back makes it younger than it is.
    if age >= setup.quietSpan || age < Milliseconds(0) { try commitIfDirty() }
  }

  func commitIfDirty() throws(HostFailure) {
    if isDirty { endTurn() }
    if !isHeld { try storeTurns() }
  }

  /// Puts what is not in the database yet behind the turns that are to be stored.
  private func endTurn() {
    if let guest { memory.guest = guest.stored }
    var drafts: [OutboxDraft] = []
    for courier in couriers {
      for delivery in pendingNews where courier.takes(delivery) {
        drafts.append(
          OutboxDraft(key: courier.outboxKey(delivery), payload: Self.encode(delivery))
        )
      }
    }
    let turn = Turn(
      state: engine.state,
      host: Self.encode(memory),
      effects: drafts,
      archived: archived,
      records: pendingRecords,
      usedInbox: usedInbox
    )
    turns.append((turn, pendingNews))
    pendingNews = []
    pendingRecords = []
    archived = []
    usedInbox = []
    isDirty = false
    hasKeptGuest = true
  }

  /// Stores the turns that are to be, in order, and has told what came of each.
  func storeTurns() throws(HostFailure) {
    while let (turn, news) = turns.first {
      guard try whereFree({ () throws(UserStoreError) in try store.commit(turn) }) != nil else {
        return
      }
      turns.removeFirst()
      for courier in couriers {
        let deliveries = news.filter { courier.takes($0) }
        if !deliveries.isEmpty { handovers.append((courier, deliveries)) }
      }
      for delivery in news {
        if case .posted = delivery.news { counts.notifications += 1 }
      }
      lastCommit = clock.now()
    }
  }
}

extension Event {
  /// Whether it is something that came in, and nothing that time or a command brought.
  fileprivate var isFromFeed: Bool {
    switch kind {
    case .fix, .woken, .signal: true
    default: false
    }
  }
}
