import Basics
import Foundation
import Logging
import NearMeEngine
import Timeline
import UserStore

/// Takes deliveries to one sink, in order, and notes in the database what became of them.
///
/// One that fails for now is tried again; those behind it wait, so that nothing overtakes the
/// notification that it replaces. While one waits, what has become of its notification since takes its
/// place: the sink does not hear of what has been taken away in the meantime.
actor Courier {
  /// What has not been delivered yet.
  struct Waiting: Sendable {
    let delivery: Delivery
    var attempts = 0
    /// How many of them this process has made since it is old.
    var attemptsWhenOld = 0
    var notBefore: Timestamp?
  }

  /// So often a stopped host tries to note what was told, ten seconds with the waits between.
  private static let mostAttemptsWhenStopped = 10

  nonisolated let sink: any Sink
  private let store: UserStore
  private let hold: DatabaseHold
  private let clock: any HostClock
  private let backoff: Backoff
  /// Whether what is told has the time of the clock, and is not of a recorded day.
  private let isPresent: Bool
  private let log: Logger
  private var generator: any RandomNumberGenerator & Sendable
  private let lanes: DeliveryLanes
  private let ticket = DeliveryLanes.Ticket()
  /// Whether it has taken room in its sink's lane.
  private var isInLane = false

  private var queue: [Waiting] = []
  private var work: Task<Void, Never>?
  private var isStopped = false
  private var outlivesHolds = false
  /// Whether it has ended while another program held the database.
  private(set) var hasLeftHold = false
  private var isLeaving = false
  /// How often it was asked to hurry.
  private var hurries = 0
  /// What keeps it from going on; nothing is taken any more.
  private(set) var failure: HostFailure?
  /// How many deliveries the sink took, by what it was that was told.
  private(set) var delivered = 0
  /// How many will never be.
  private(set) var givenUp = 0

  init(
    sink: any Sink,
    store: UserStore,
    hold: DatabaseHold,
    clock: any HostClock,
    backoff: Backoff,
    isPresent: Bool,
    generator: any RandomNumberGenerator & Sendable,
    lanes: DeliveryLanes,
    log: Logger
  ) {
    self.sink = sink
    self.store = store
    self.hold = hold
    self.clock = clock
    self.backoff = backoff
    self.isPresent = isPresent
    self.generator = generator
    self.lanes = lanes
    self.log = log
  }

  /// The key of a delivery in the outbox: each sink has its own.
  nonisolated func outboxKey(_ delivery: Delivery) -> String { "\(sink.name)/\(delivery.key)" }

  /// Whether the sink is told of it.
  nonisolated func takes(_ delivery: Delivery) -> Bool { sink.takesRecords || !delivery.isRecord }

  /// How many deliveries wait, the one under way included.
  var waitingCount: Int { queue.count }

  /// When the next one may be tried, nil if none waits or one is under way; and how many wait.
  var agenda: (next: Timestamp?, waitingCount: Int) {
    (work == nil ? queue.first?.notBefore : nil, queue.count)
  }

  /// Takes over what an earlier life left, leaving out what it had delivered.
  func resume(_ pending: [Waiting]) throws(HostFailure) {
    let known = try sink.alreadyDelivered(among: pending.map(\.delivery))
    let keys = pending.filter { known.contains($0.delivery.key) }.map { outboxKey($0.delivery) }
    if !keys.isEmpty {
      try HostFailure.mapping { () throws(UserStoreError) in try store.markPerformed(keys) }
    }
    queue = pending.filter { !known.contains($0.delivery.key) }
    // What it waited for may have happened meanwhile; and what an earlier life owed to a person may be over by now.
    for i in queue.indices
    where queue[i].attempts == 0 && (queue[i].notBefore != nil || !sink.takesRecords) {
      queue[i].notBefore = clock.now()
    }
    start()
  }

  /// Takes new deliveries, which are in the database already.
  func enqueue(_ deliveries: [Delivery]) {
    queue += deliveries.map { Waiting(delivery: $0) }
    start()
  }

  /// Goes on, if there is something that may be tried now.
  func start() {
    guard work == nil, failure == nil, !isStopped, !hasLeftHold, !queue.isEmpty else { return }
    work = Task {
      await deliverDue()
      work = nil
    }
  }

  /// Asks again at once about what waits for its time; what has failed waits on.
  func hurry() {
    hurries += 1
    if let first = queue.first, first.attempts == 0, first.notBefore != nil {
      queue[0].notBefore = clock.now()
    }
    start()
  }

  /// Goes on from now on while another program holds the database; else that is a failure.
  func outliveHolds() { outlivesHolds = true }

  /// Waits for no other program any more, nor behind other deliveries, for the host ends: what cannot be noted now is
  /// delivered once more, and what waits behind others by the next host.
  func leaveHolds() {
    isLeaving = true
    lanes.leave(ticket)
  }

  /// Waits until nothing more can be done now.
  func settle() async {
    while let work { await work.value }
  }

  /// Lets what is under way end, and begins nothing more.
  func stop() async {
    isStopped = true
    lanes.leave(ticket)
    await settle()
  }

  private func deliverDue() async {
    do throws(HostFailure) {
      while !isStopped, let next = queue.first {
        guard isDue(next), await enterLane() else { return }
        defer { leaveLane() }
        guard !isStopped, let first = queue.first else { return }
        // A log has everything, also what is over by now.
        if !sink.takesRecords, first.attempts > 0 || first.notBefore != nil {
          guard try await dropOvertaken() else { continue }
        }
        let isNew = first.attempts == 0 && first.notBefore == nil
        let batch = queue.prefix(isNew ? sink.batchLimit : 1)
          .prefix { $0.attempts == first.attempts && ($0.notBefore == nil || !isNew) }
        try await deliver(Array(batch))
      }
    } catch {
      if !hasLeftHold { failure = error }
    }
  }

  /// Waits until one more may be on its way to where the sink delivers.
  ///
  /// - Returns: false where the host ends first: what waits is in the database.
  private func enterLane() async -> Bool {
    guard let lane = sink.lane else { return true }
    if !lanes.enterNow(lane) {
      note("waits", queue[0], reason: DeliveryLanes.noRoom, level: .info)
      guard await lanes.enter(lane, ticket) else { return false }
      // What came meanwhile may say that it is over.
      queue[0].notBefore = queue[0].notBefore ?? clock.now()
    }
    isInLane = true
    return true
  }

  /// Lets the next one go.
  private func leaveLane() {
    guard isInLane, let lane = sink.lane else { return }
    isInLane = false
    lanes.leave(lane)
  }

  private func markPerformed(_ keys: [String]) async throws(HostFailure) {
    try await write { (store) throws(UserStoreError) in try store.markPerformed(keys) }
  }

  /// Writes into the outbox, also where it has to wait for another program: what the sink has had, it would have again.
  private func write(
    _ body: (UserStore) throws(UserStoreError) -> Void
  ) async throws(HostFailure) {
    var attemptsWhenStopped = 0
    while true {
      do throws(UserStoreError) {
        try body(store)
        return hold.end()
      } catch {
        if isStopped { attemptsWhenStopped += 1 }
        guard error.code == .busy, outlivesHolds,
          isLeaving || attemptsWhenStopped <= Self.mostAttemptsWhenStopped
        else {
          throw HostFailure(error)
        }
        guard !isLeaving else {
          hasLeftHold = true
          throw HostFailure(error)
        }
        hold.note()
        try? await Task.sleep(for: .milliseconds(DatabaseHold.attempt.value))
      }
    }
  }

  private func isDue(_ waiting: Waiting) -> Bool {
    guard let notBefore = waiting.notBefore else { return true }
    let left = notBefore - clock.now()
    // No wait is longer than that: the clock was set back.
    return left <= Milliseconds(0) || left > max(backoff.longestAsked, backoff.cap)
  }

  private func deliver(_ batch: [Waiting]) async throws(HostFailure) {
    let keys = batch.map { outboxKey($0.delivery) }
    let hurriesBefore = hurries
    let outcome = await sink.deliver(batch.map(\.delivery))
    leaveLane()
    switch outcome {
    case .delivered:
      try await markPerformed(keys)
      queue.removeFirst(batch.count)
      delivered += batch.count
      for waiting in batch { note("delivered", waiting, level: .debug) }
    case .refused(let reason):
      try await giveUp(reason)
    case .waits(let instant):
      // Asked again after an hour at the latest: a longer wait is taken for a clock that was set back.
      let until = min(instant, clock.now() + max(backoff.longestAsked, backoff.cap))
      let attempts = queue[0].attempts
      try await write { (store) throws(UserStoreError) in
        try store.putOff(keys[0], until: until, attempts: attempts)
      }
      // What it waits for may have happened while the sink was asked, or another program held the database.
      queue[0].notBefore = hurries == hurriesBefore ? until : clock.now()
    case .putOff(let reason, let asked):
      let attempts = queue[0].attempts + 1
      if isPresent, clock.now() - queue[0].delivery.at > backoff.longestAge {
        queue[0].attemptsWhenOld += 1
      }
      // A log has everything, however long its disk was full: news for people grow old.
      guard
        sink.takesRecords
          || !backoff.gives(upAfter: attempts, whenOld: queue[0].attemptsWhenOld)
      else {
        return try await giveUp("expired after \(attempts) attempts, the last: \(reason)")
      }
      let wait = drawWait(attempts, asked)
      let until = clock.now() + wait
      try await write { (store) throws(UserStoreError) in
        try store.putOff(keys[0], until: until, attempts: attempts)
      }
      queue[0].attempts = attempts
      queue[0].notBefore = until
      note("put off", queue[0], reason: reason, level: attempts == 1 ? .warning : .info, wait)
    case .broken(let failure):
      throw failure
    }
  }

  private func drawWait(_ attempts: Int, _ asked: Milliseconds?) -> Milliseconds {
    var generator = AnyGenerator(generator)
    defer { self.generator = generator.base }
    return backoff.wait(attempts: attempts, atLeast: asked, using: &generator)
  }

  private func giveUp(_ reason: String) async throws(HostFailure) {
    let first = queue[0]
    // Before it is noted: killed between both, it is given up once more, and not never.
    await sink.gaveUp(first.delivery)
    try await markPerformed([outboxKey(first.delivery)])
    queue.removeFirst()
    givenUp += 1
    note("given up", first, reason: reason, level: .error)
  }

  /// Drops the first delivery, which was put off, if later ones say more about its notification.
  ///
  /// - Returns: whether it is still wanted.
  private func dropOvertaken() async throws(HostFailure) -> Bool {
    guard let id = queue[0].delivery.notificationID,
      let later = queue.dropFirst().firstIndex(where: { $0.delivery.notificationID == id })
    else { return true }
    let first = queue[0]
    let wasShown = if case .posted = first.delivery.news { false } else { true }
    switch queue[later].delivery.news {
    case .withdrawn where !wasShown:
      // Nothing is left of it.
      let gone = queue[later].delivery
      try await markPerformed([outboxKey(first.delivery), outboxKey(gone)])
      queue.remove(at: later)
      queue.removeFirst()
      note("dropped", first, reason: "withdrawn_before_delivery", level: .info)
    case .replaced(let notification, _) where !wasShown:
      // The first that is told of it is not an update.
      try await markPerformed([outboxKey(first.delivery)])
      let newer = queue[later].delivery
      queue[later] = Waiting(
        delivery: Delivery(key: newer.key, at: newer.at, .posted(notification)),
        attempts: queue[later].attempts,
        // As old as what it takes the place of: what comes behind it may say that it is over, too.
        notBefore: queue[later].notBefore ?? first.notBefore ?? clock.now()
      )
      queue.removeFirst()
      note("dropped", first, reason: "replaced_before_delivery", level: .info)
    default:
      try await markPerformed([outboxKey(first.delivery)])
      queue.removeFirst()
      note("dropped", first, reason: "replaced_before_delivery", level: .info)
    }
    return false
  }

  private func note(
    _ what: String,
    _ waiting: Waiting,
    reason: String? = nil,
    level: Logger.Level,
    _ wait: Milliseconds? = nil
  ) {
    var metadata: Logger.Metadata = [
      "sink": "\(sink.name)", "key": "\(waiting.delivery.key)",
    ]
    if case .posted(let notification) = waiting.delivery.news {
      // Whatever handler an app brings, it prints nothing of it.
      metadata["text"] = .stringConvertible(Redacted(notification.text))
    }
    if let reason { metadata["reason"] = "\(reason)" }
    if let wait { metadata["again_in_seconds"] = "\(fixed(wait.seconds, 1))" }
    log.log(level: level, "\(what)", metadata: metadata)
  }
}

/// A generator of a type that is known at run time only.
private struct AnyGenerator: RandomNumberGenerator {
  var base: any RandomNumberGenerator & Sendable

  init(_ base: any RandomNumberGenerator & Sendable) { self.base = base }

  mutating func next() -> UInt64 { base.next() }
}
