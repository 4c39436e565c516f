import Foundation
import Logging
import NearMeEngine
import Places
import SettingsFiles
import Timeline
import Tones
import TraceFiles
import Traces
import UserStore

/// Owns an engine, its database and its sinks, and feeds it with what happens.
///
/// A turn takes one event: it is written to the journal, the engine handles it, and the new state goes
/// into the database together with what is to be told, in one transaction. Only then it is told, and
/// noted as told. Turns never wait for sinks, so a server that does not answer holds up nothing.
///
/// Fixes of which nothing came are kept with the next turn of which something came, at the latest
/// after ``quietSpan``; an earlier life that ended before that has not seen them, as ``newestFix``
/// says, and takes them again.
///
/// One caller at a time: a turn that waits for its caller's next one would be out of order.
package actor LiveHost {
  /// How long fixes of which nothing came may be missing from the database.
  package static let quietSpan = Milliseconds.seconds(1)
  /// So many deliveries may be under way while fixes are read as fast as they can be.
  private static let mostUnderWay = 256

  /// What a host is made of.
  package struct Setup: Sendable {
    /// What decides.
    package var policy: Policy
    /// Where midnight and quiet hours are.
    package var zone: UTCOffsetTable
    /// The tones that reminders can speak in.
    package var tones: TonePacks
    /// The points of interest.
    package var catalog: POICatalog
    /// Where the places around each position are found; nil where the catalog has all of them.
    package var parts: (any CatalogSource)?
    /// Where the engine's time comes from.
    package var time: TimeSource
    /// How failed deliveries are tried again.
    package var backoff: Backoff
    /// Whether each fix comes in, or a phone that sleeps is woken for regions.
    package var monitoring: Monitoring
    /// How long fixes of which nothing came may be missing from the database; longer where whoever feeds the
    /// host keeps them until it has them.
    package var quietSpan: Milliseconds
    /// What the engine is made of, where the phone is another machine; nil where each life is a new start of it.
    ///
    /// After a life of the same make this one goes on in the middle of what the phone was asked for.
    package var make: String?

    /// What the engine decides by.
    ///
    /// By the clock on the wall the host is the system, which shows nothing while it does not run: nothing may be taken for
    /// shown then, so nothing is handed over.
    fileprivate var enginePolicy: Policy {
      var policy = policy
      if time == .wall { policy.schedules.mostPending = 0 }
      return policy
    }

    /// Makes a setup.
    package init(
      policy: Policy,
      zone: UTCOffsetTable,
      tones: TonePacks = TonePacks(),
      catalog: POICatalog,
      parts: (any CatalogSource)? = nil,
      time: TimeSource = .wall,
      backoff: Backoff = Backoff(),
      monitoring: Monitoring = .everyFix,
      quietSpan: Milliseconds = LiveHost.quietSpan,
      make: String? = nil
    ) {
      self.policy = policy
      self.zone = zone
      self.tones = tones
      self.catalog = catalog
      self.parts = parts
      self.time = time
      self.backoff = backoff
      self.monitoring = monitoring
      self.quietSpan = quietSpan
      self.make = make
    }
  }

  /// What came in and went out in this life.
  package private(set) var counts = HostCounts()

  private let setup: Setup
  private let store: UserStore
  private let clock: any HostClock
  private var time: HostTime
  private let journal: Journal?
  private let log: Logger
  private let couriers: [Courier]

  private var engine: Engine
  private var shown: ShownNews
  private var follower: CatalogFollower?
  private var memory: HostMemory
  /// Fixes up to this instant were taken by an earlier life; nil once a newer one has come.
  private var takenBefore: Timestamp?
  private var hasLaunched = false
  private var inbox: [InboxEntry]
  private var dataVersion: Int
  /// What whoever feeds the host keeps with the next commit.
  private var guest: (any HostGuest)?
  /// What takes its place with the next thing that comes in.
  private var comingGuest: (any HostGuest)?
  private var hasKeptGuest = true

  // What is not in the database yet.
  private var pendingNews: [Delivery] = []
  private var pendingRecords: [Record] = []
  private var archived: [Reminder] = []
  private var usedInbox: [Int64] = []
  private var isDirty = false
  private var lastCommit: Timestamp
  /// What is in the database and not yet with the couriers.
  private var handovers: [(courier: Courier, deliveries: [Delivery])] = []

  /// Takes up what an earlier life left.
  ///
  /// - Parameter sinks: what is told; each name once.
  /// - Parameter generator: makes the randomness of a sink's waits, by its number.
  /// - Throws: ``HostFailure`` if the database cannot be read.
  package init(
    _ setup: Setup,
    store: UserStore,
    sinks: [any Sink],
    clock: any HostClock,
    generator: (Int) -> any RandomNumberGenerator & Sendable,
    journal: Journal? = nil,
    log: Logger
  ) async throws(HostFailure) {
    self.setup = setup
    self.store = store
    self.clock = clock
    time = HostTime(clock)
    self.journal = journal
    self.log = log
    let (version, life, outbox) = try HostFailure.mapping { () throws(UserStoreError) in
      (try store.dataVersion(), try store.load(), try store.unperformed())
    }
    dataVersion = version
    memory = try life.host.map { data throws(HostFailure) in try Self.memory(data) } ?? HostMemory()
    inbox = life.inbox
    takenBefore = memory.guest == nil ? memory.newestFix : nil
    lastCommit = clock.now()
    engine = Engine(
      policy: setup.enginePolicy,
      zone: setup.zone,
      zones: SystemZones(),
      tones: setup.tones,
      catalog: setup.catalog,
      monitoring: setup.monitoring,
      state: life.state ?? EngineState()
    )
    shown = ShownNews(engine)
    follower = setup.parts.map(CatalogFollower.init)
    follower?.resume(&engine)
    couriers = sinks.enumerated()
      .map { number, sink in
        Courier(
          sink: sink,
          store: store,
          clock: clock,
          backoff: setup.backoff,
          generator: generator(number),
          log: log
        )
      }
    try journal?
      .begin(
        JournalLaunch(
          identity: store.identity,
          serial: memory.serial,
          policy: setup.enginePolicy,
          zone: setup.zone,
          tones: setup.tones,
          catalog: CatalogFingerprint(setup.catalog).text,
          state: engine.state
        )
      )
    try await resumeDeliveries(outbox)
    if let newest = takenBefore {
      log.notice(
        "an earlier life has taken in fixes: those up to its last are passed over",
        metadata: ["last_fix": "\(RFC3339.format(newest))"]
      )
    }
    if setup.time == .wall { try followClockSetBack() }
    if let make = setup.make, make == memory.phone.make {
      hasLaunched = true
      try takeInbox()
    } else if setup.time == .wall {
      // A recorded trace has no present: its first new fix says when the host was started.
      try launch(at: now)
    }
    try commitIfDirty()
    try await handOver()
  }

  /// The newest fix that the engine has been handed, in this life or an earlier one.
  package var newestFix: Timestamp? { memory.newestFix }

  /// The engine's state, to be looked at.
  package var state: EngineState { engine.state }

  // MARK: What happens

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
    for item in items { try await takeOne(item) }
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
          "fixes are older than ten minutes, which is no news: a recorded trace wants nearme run --clock fixes",
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
  private func kind(of fix: Fix) -> Event.Kind {
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
  private func catchUp(with instant: Timestamp) throws(HostFailure) {
    try launch(at: engine.newestInstant ?? instant)
    while let timer = engine.nextTimer, timer <= instant {
      try turn(Event(at: timer, .timer))
    }
  }

  /// Does what time brings: timers, what commands have asked for, deliveries that are tried again.
  package func tick() async throws(HostFailure) {
    try await pass { () throws(HostFailure) in
      let version = try HostFailure.mapping { () throws(UserStoreError) in
        try store.dataVersion()
      }
      if version != dataVersion {
        dataVersion = version
        try lookIntoInbox()
      }
    }
  }

  /// Takes in what has been asked for through the host's own store, which shows no other version of it.
  package func takeEdits() async throws(HostFailure) {
    try await pass { () throws(HostFailure) in try lookIntoInbox() }
  }

  /// Does what time brings without a look into the database.
  package func wake() async throws(HostFailure) { try await pass {} }

  private func pass(_ look: () throws(HostFailure) -> Void) async throws(HostFailure) {
    try followClock()
    if setup.time == .wall, let timer = engine.nextTimer, timer <= now {
      try turn(Event(at: now, .timer))
    }
    try look()
    // Before a recorded trace begins the time is not known.
    if hasLaunched { try takeInbox() }
    try commitIfQuiet()
    try await handOver()
    for courier in couriers { await courier.start() }
  }

  /// Tries again now what waits to be told.
  package func hurry() async {
    for courier in couriers { await courier.hurry() }
  }

  private func lookIntoInbox() throws(HostFailure) {
    let pending = try HostFailure.mapping { () throws(UserStoreError) in try store.pendingInbox() }
    inbox = pending.filter { !usedInbox.contains($0.serial) }
  }

  // MARK: A phone at the door

  /// What the engine asks of a phone that watches regions.
  package var asked: AskedOfPhone {
    // Nothing is heard of an end that has passed.
    let present = setup.time == .wall ? now : engine.newestInstant
    var followUntil = memory.phone.followUntil
    if let until = followUntil, let present, until <= present { followUntil = nil }
    return AskedOfPhone(
      regions: engine.state.currentRegions,
      wantsPosition: memory.phone.wantsPosition,
      followUntil: followUntil
    )
  }

  /// Notes that the phone has been told to send a position: it is told once.
  package func notePositionAsked() { memory.phone.wantsPosition = false }

  /// What was kept with the last commit for whoever feeds the host; nil if nothing ever was.
  package static func keptForGuest(in store: UserStore) throws(HostFailure) -> Data? {
    let kept = try HostFailure.mapping { () throws(UserStoreError) in try store.hostMemory() }
    return try kept.map { data throws(HostFailure) in try memory(data) }?.guest
  }

  /// Keeps something with every commit from now on, in the same transaction as what led to it.
  package func keep(_ guest: any HostGuest) {
    comingGuest = nil
    self.guest = guest
    hasKeptGuest = false
  }

  /// Whether the database has everything, what is kept for whoever feeds the host included.
  package var isStored: Bool { !isDirty && hasKeptGuest }

  /// Takes the news that the phone has not taken regions, by the ids of ``asked``.
  package func lose(regions ids: [String]) async throws(HostFailure) {
    guard hasLaunched, !ids.isEmpty else { return }
    try turn(
      Event(at: setup.time == .wall ? now : engine.newestInstant ?? now, .regionsRefused(ids))
    )
    try await handOver()
  }

  /// Puts everything into the database, whether or not something came of it.
  package func flush() async throws(HostFailure) {
    isDirty = isDirty || !hasKeptGuest
    try commitIfDirty()
    try await handOver()
  }

  /// When ``tick()`` has something to do, as far as is known; nil if it has nothing.
  package var nextTick: Timestamp? { get async { await agenda.next } }

  /// How many deliveries are not made yet.
  package var waitingCount: Int { get async { await agenda.waitingCount } }

  /// What is to be done, as far as is known: only deliveries under way change it by themselves.
  package var agenda: (next: Timestamp?, waitingCount: Int) {
    get async {
      var instants: [Timestamp] = []
      if setup.time == .wall, let timer = engine.nextTimer { instants.append(timer) }
      if isDirty { instants.append(lastCommit + setup.quietSpan) }
      var count = 0
      for courier in couriers {
        let agenda = await courier.agenda
        count += agenda.waitingCount
        if let next = agenda.next { instants.append(next) }
      }
      return (instants.min(), count)
    }
  }

  /// Waits until every delivery that can be made now has been made.
  package func settle() async throws(HostFailure) {
    for courier in couriers {
      await courier.start()
      await courier.settle()
    }
    try await throwFailure()
  }

  /// Ends this life: everything is in the database, and what can be delivered now is.
  ///
  /// With the time of the fixes, what is due by the last of them has happened; later things have not.
  package func finish() async throws(HostFailure) {
    if setup.time == .fixes, let newest = engine.newestInstant {
      try catchUp(with: newest)
      try takeInbox()
    }
    try commitIfDirty()
    try await handOver()
    for courier in couriers {
      await courier.start()
      await courier.settle()
      await courier.stop()
      await courier.sink.end()
      counts.delivered += await courier.delivered
      counts.givenUp += await courier.givenUp
      counts.waiting += await courier.waitingCount
    }
    try await throwFailure()
  }

  /// Ends this life where it stands, after a failure: what is under way ends, nothing else begins.
  ///
  /// In the database is what the next life needs.
  package func abandon() async {
    for courier in couriers { await courier.stop() }
  }

  // MARK: Turns

  /// The host's time; behind the engine's, it stands until it has come up with it.
  private var now: Timestamp { max(time.now, engine.newestInstant ?? time.now) }

  /// Goes on by a clock that was set a while ago, where no fix could have told.
  private func followClock() throws(HostFailure) {
    if setup.time == .wall, let span = time.followLasting() { try setClock(by: span) }
  }

  /// Goes on by a clock that was set.
  private func setClock(by span: Milliseconds) throws(HostFailure) {
    log.notice("the clock was set", metadata: ["by_seconds": "\(span.value / 1_000)"])
    try turn(Event(at: time.now, .clockChanged(by: span)))
  }

  /// Goes on by a clock that was set back while no host ran.
  private func followClockSetBack() throws(HostFailure) {
    guard let event = engine.clockSetBack(at: time.now) else { return }
    log.warning(
      "the clock shows an earlier time than in an earlier life, which is taken for wrong",
      metadata: ["by_seconds": "\((now - event.at).value / 1_000)"]
    )
    try turn(event)
    if takenBefore != nil { takenBefore = memory.newestFix }
  }

  private func launch(at instant: Timestamp) throws(HostFailure) {
    guard !hasLaunched else { return }
    hasLaunched = true
    memory.phone = HostMemory.Phone(make: setup.make)
    // What was answered while no host ran is not heard of any more.
    if setup.time == .wall { try takeInbox(heardAt: instant) }
    try turn(Event(at: instant, .launched))
    if let zone = memory.zone, zone != setup.zone.identifier {
      try turn(Event(at: instant, .zoneChanged(setup.zone)))
    }
    memory.zone = setup.zone.identifier
    try takeInbox()
  }

  /// - Parameter heardAt: when it is heard of; nil: as it was made.
  private func takeInbox(heardAt: Timestamp? = nil) throws(HostFailure) {
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
  private func turn(_ event: Event) throws(HostFailure) -> FixRefusal? {
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

  private func count(_ refusal: FixRefusal) {
    counts.refused[refusal, default: 0] += 1
    if counts.refused[refusal] == 1 {
      log.notice("a position is refused", metadata: ["reason": "\(refusal.rawValue)"])
    }
  }

  private func commitIfQuiet() throws(HostFailure) {
    let age = clock.now() - lastCommit
    // A clock that was set back makes it younger than it is.
    if age >= setup.quietSpan || age < Milliseconds(0) { try commitIfDirty() }
  }

  private func commitIfDirty() throws(HostFailure) {
    guard isDirty else { return }
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
    try HostFailure.mapping { () throws(UserStoreError) in try store.commit(turn) }
    for courier in couriers {
      let deliveries = pendingNews.filter { courier.takes($0) }
      if !deliveries.isEmpty { handovers.append((courier, deliveries)) }
    }
    for delivery in pendingNews {
      if case .posted = delivery.news { counts.notifications += 1 }
    }
    pendingNews = []
    pendingRecords = []
    archived = []
    usedInbox = []
    isDirty = false
    hasKeptGuest = true
    lastCommit = clock.now()
  }

  // MARK: Deliveries

  /// Hands to the couriers what is in the database.
  private func handOver() async throws(HostFailure) {
    guard !handovers.isEmpty else { return try await throwFailure() }
    let handovers = handovers
    self.handovers = []
    for (courier, deliveries) in handovers { await courier.enqueue(deliveries) }
    // Where fixes come as fast as they can be read, sinks set the pace.
    if setup.time == .fixes, await waitingCount > Self.mostUnderWay { try await settle() }
    try await throwFailure()
  }

  private func throwFailure() async throws(HostFailure) {
    for courier in couriers {
      if let failure = await courier.failure { throw failure }
    }
  }

  private func resumeDeliveries(_ outbox: [OutboxEntry]) async throws(HostFailure) {
    var rest = outbox
    for courier in couriers {
      var pending: [Courier.Waiting] = []
      var others: [OutboxEntry] = []
      for entry in rest {
        guard entry.key.hasPrefix(courier.sink.name + "/") else {
          others.append(entry)
          continue
        }
        pending.append(
          Courier.Waiting(
            delivery: try Self.delivery(entry.payload),
            attempts: entry.attempts,
            notBefore: entry.notBefore
          )
        )
      }
      rest = others
      try await courier.resume(pending)
    }
    guard !rest.isEmpty else { return }
    var sinks: [String: Int] = [:]
    for entry in rest {
      sinks[String(entry.key.prefix { $0 != "/" }), default: 0] += 1
    }
    for (sink, count) in sinks.sorted(by: { $0.key < $1.key }) {
      log.warning(
        "deliveries wait for a sink that is not among today's",
        metadata: ["sink": "\(sink)", "count": "\(count)"]
      )
    }
  }

  // MARK: Stored forms

  private static func memory(_ data: Data) throws(HostFailure) -> HostMemory {
    do {
      return try JSONDecoder().decode(HostMemory.self, from: data)
    } catch {
      throw otherVersion
    }
  }

  private static func delivery(_ data: Data) throws(HostFailure) -> Delivery {
    do {
      return try JSONDecoder().decode(Delivery.self, from: data)
    } catch {
      throw otherVersion
    }
  }

  private static let otherVersion = HostFailure(
    .badInput,
    "the database was last used by another version of Near Me: run that one, or a newer one"
  )

  private static func encode(_ value: some Encodable) -> Data {
    do {
      return try JSONEncoder().encode(value)
    } catch {
      preconditionFailure("what a host remembers can always be written: \(error)")
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

/// What came in and went out in one life of a host.
package struct HostCounts: Hashable, Sendable {
  /// Fixes that were handed to the engine.
  package var fixes = 0
  /// Signals that were handed to the engine.
  package var signals = 0
  /// Signals of a recorded day that do not say when.
  package var untimedSignals = 0
  /// Fixes and signals that an earlier life had taken in.
  package var takenBefore = 0
  /// Positions that were not used, by reason.
  package var refused: [FixRefusal: Int] = [:]
  /// Notifications shown.
  package var notifications = 0
  /// Deliveries that were made.
  package var delivered = 0
  /// Deliveries that will never be.
  package var givenUp = 0
  /// Deliveries that wait for the next life.
  package var waiting = 0
}
