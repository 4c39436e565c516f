import Logging
import NearMeEngine
import Places
import SettingsFiles
import Timeline
import Tones
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
  static let mostUnderWay = 256

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
    /// Whether a sink that is not among today's will never come back, by its name: what waits for it is told to nobody.
    package var isOver: @Sendable (_ sink: String) -> Bool = { _ in false }

    /// What the engine decides by.
    ///
    /// By the clock on the wall the host is the system, which shows nothing while it does not run: nothing may be taken for
    /// shown then, so nothing is handed over.
    var enginePolicy: Policy {
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
  package internal(set) var counts = HostCounts()

  let setup: Setup
  let store: UserStore
  let clock: any HostClock
  var time: HostTime
  let journal: Journal?
  let log: Logger
  let couriers: [Courier]

  var engine: Engine
  var shown: ShownNews
  var follower: CatalogFollower?
  var memory: HostMemory
  /// Fixes up to this instant were taken by an earlier life; nil once a newer one has come.
  var takenBefore: Timestamp?
  var hasLaunched = false
  var inbox: [InboxEntry]
  var dataVersion: Int
  /// What whoever feeds the host keeps with the next commit.
  var guest: (any HostGuest)?
  /// What takes its place with the next thing that comes in.
  var comingGuest: (any HostGuest)?
  var hasKeptGuest = true

  /// Whether it goes on while another program holds the database; else that is a failure.
  var outlivesHolds = false
  /// Whether another program holds the database.
  var isHeld = false
  let hold: DatabaseHold

  // What is not in the database yet.
  var pendingNews: [Delivery] = []
  var pendingRecords: [Record] = []
  var archived: [Reminder] = []
  var usedInbox: [Int64] = []
  var isDirty = false
  /// What is to be stored next, in order, and what it tells: more than one where another program holds the database.
  var turns: [(turn: Turn, news: [Delivery])] = []
  var lastCommit: Timestamp
  /// What is in the database and not yet with the couriers.
  var handovers: [(courier: Courier, deliveries: [Delivery])] = []

  /// Takes up what an earlier life left.
  ///
  /// - Parameter sinks: what is told; each name once.
  /// - Parameter generator: makes the randomness of a sink's waits, by its number.
  /// - Parameter lanes: what bounds how much is delivered at once, of all hosts together.
  /// - Throws: ``HostFailure`` if the database cannot be read.
  package init(
    _ setup: Setup,
    store: UserStore,
    sinks: [any Sink],
    clock: any HostClock,
    generator: (Int) -> any RandomNumberGenerator & Sendable,
    journal: Journal? = nil,
    lanes: DeliveryLanes = .shared,
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
    // What was scheduled in an earlier life has come by the clock of that one.
    let zone = memory.zone.flatMap {
      $0 == setup.zone.identifier ? nil : SystemZones().zone(named: $0)
    }
    engine = Engine(
      policy: setup.enginePolicy,
      zone: zone ?? setup.zone,
      zones: SystemZones(),
      tones: setup.tones,
      catalog: setup.catalog,
      monitoring: setup.monitoring,
      state: life.state ?? EngineState()
    )
    shown = ShownNews(engine)
    follower = setup.parts.map(CatalogFollower.init)
    follower?.resume(&engine)
    let hold = DatabaseHold(store.path, clock: clock, log: log)
    self.hold = hold
    couriers = sinks.enumerated()
      .map { number, sink in
        Courier(
          sink: sink,
          store: store,
          hold: hold,
          clock: clock,
          backoff: setup.backoff,
          isPresent: setup.time == .wall,
          generator: generator(number),
          lanes: lanes,
          log: log
        )
      }
    try journal?
      .begin(
        JournalLaunch(
          identity: store.identity,
          serial: memory.serial,
          policy: setup.enginePolicy,
          zone: engine.zone,
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
}
