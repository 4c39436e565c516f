import Dispatch
import Fencing
import Foundation
import LiveHost
import Logging
import NearMeEngine
import Phones
import TimeZones
import Timeline
import TraceFiles
import Traces
import UserStore

/// Where one person's bodies are taken in, one after the other, and answered.
///
/// It owns the person's host while somebody comes in, and lets go of it after a while. What comes in stands in the log
/// first, so that a desk that fails or is killed finds it again: bodies are taken in in the order of their serials,
/// and those of apps that send in parallel are held for a moment and put in order of time.
actor Desk {
  nonisolated let person: DoorPerson
  nonisolated let mailbox = Mailbox()
  private let setup: DoorSetup
  private let log: Logger

  private var open: OpenDesk?
  private var isWorking = false
  private var isHolding = false

  init(_ person: DoorPerson, _ setup: DoorSetup) {
    self.person = person
    self.setup = setup
    log = setup.log
  }

  /// What a desk has while it is open.
  struct OpenDesk {
    let host: LiveHost
    let store: UserStore
    let lock: HostLock
    let hasRegions: Bool
    var memory: DeskMemory
    /// Bodies up to this one were taken in, in this life or an earlier one.
    var taken: Int64
    var usedAt: ContinuousClock.Instant
    var file: FileStamp?
  }

  // MARK: What comes in

  /// Takes in what is in the mailbox.
  func work() async {
    guard !isWorking else { return }
    isWorking = true
    defer { isWorking = false }
    while true {
      do throws(HostFailure) {
        try await opening()
        if mailbox.hasHeld { await hold() }
        let letters = mailbox.take()
        guard !letters.isEmpty else { return }
        do throws(HostFailure) {
          try await take(letters.map(\.body))
        } catch {
          for letter in letters { letter.answer(.failure(error)) }
          throw error
        }
        for letter in letters { letter.answer(.success(await answer(to: letter.body))) }
        noteWorkedOff()
      } catch {
        await fail(error)
        return
      }
    }
  }

  /// Waits for what an app sends at the same time.
  private func hold() async {
    try? await Task.sleep(for: .milliseconds(setup.hold.value))
  }

  /// Takes in bodies together: what they hold, in order of time.
  private func take(_ bodies: [LoggedBody]) async throws(HostFailure) {
    guard let taken = open?.taken else { return }
    let fresh = bodies.filter { $0.serial > taken }
    guard let last = fresh.map(\.serial).max() else { return }
    var items: [DeskItem] = []
    for body in fresh { items += DeskItem.items(of: body) }
    items.sort { ($0.at, $0.body.serial, $0.index) < ($1.at, $1.body.serial, $1.index) }
    for item in items { try await take(item) }
    open?.memory.workedOff = last
    open?.memory.done = []
    open?.taken = last
    for body in fresh { note(body) }
    await keep()
    try await changeMonitoring()
  }

  private func take(_ item: DeskItem) async throws(HostFailure) {
    guard var open else { return }
    let mark = DeskMemory.Item(serial: item.body.serial, index: item.index)
    guard !open.memory.done.contains(mark) else { return }
    open.memory.done.append(mark)
    var feed: FeedItem?
    switch item.item {
    case .fix(let fix, _):
      if open.memory.follow(fix, of: item.body.device.id) {
        feed = .point(TraceRecord(outcome: .fix(fix), line: 0))
      } else {
        setup.ledger.note("not_leading", of: item.body.device, at: setup.clock.now())
      }
    case .signal(let signal):
      feed = .signal(
        FeedSignal(
          name: signal.name,
          level: signal.level,
          id: signal.id ?? "body-\(item.body.serial)-\(item.index)",
          at: signal.at
        )
      )
    case .held(let held): try await compare(held, of: item.body.device, &open.memory)
    case .status(let status):
      for value in status {
        open.memory[device: item.body.device.id].status[value.name] = value.value
      }
    case .heldOne(let region):
      if region.slotID != nil { open.memory[device: item.body.device.id].hasShownRegions = true }
    case .still, .crossing, .battery: break
    }
    self.open = open
    await open.host.keep(open.memory)
    if let feed { try await open.host.take([feed]) }
  }

  /// Compares what a phone says it holds with what was asked of it.
  private func compare(
    _ held: [HeldRegion],
    of device: DoorDevice,
    _ memory: inout DeskMemory
  ) async throws(HostFailure) {
    var known = memory[device: device.id]
    let (missing, _) = differences(asked: known.slots, held: held)
    if !known.slots.isEmpty, missing.count < known.slots.count {
      known.hasShownRegions = true
      known.bodiesWithoutRegions = 0
      // What was on its way when the list was made is there in the next one.
      let lost = missing.filter { known.missing.contains($0) }
      if !lost.isEmpty, memory.leading == device.id { try await open?.host.lose(regions: lost) }
    }
    known.missing = missing
    known.isToBeAsked = !missing.isEmpty
    memory[device: device.id] = known
  }

  private func note(_ body: LoggedBody) {
    guard var memory = open?.memory else { return }
    var device = memory[device: body.device.id]
    device.userAgent = body.userAgent ?? device.userAgent
    if !device.slots.isEmpty, !device.hasShownRegions { device.bodiesWithoutRegions += 1 }
    memory[device: body.device.id] = device
    open?.memory = memory
  }

  private func keep() async {
    guard let open else { return }
    await open.host.keep(open.memory)
  }

  private func noteWorkedOff() {
    guard let open else { return }
    let upTo = open.memory.workedOff
    let person = person.id
    let intake = setup.intake
    Task { if await open.host.isStored { intake.isWorkedOff(person, upTo: upTo) } }
  }

  // MARK: Answers

  /// What is said to the app that sent a body.
  private func answer(to body: LoggedBody) async -> DeskAnswer {
    guard let open, body.source == .owntracks else { return DeskAnswer() }
    let id = body.device.id
    guard open.hasRegions, open.memory.leading == id else { return DeskAnswer() }
    let asked = await open.host.asked
    var device = open.memory[device: id]
    let isFirst = device.slots.isEmpty
    let text = ownTracksAnswer(
      kind: PhoneKind.kind(userAgent: body.userAgent),
      orders: PhoneOrders(
        regions: asked.regions,
        wantsPosition: asked.wantsPosition,
        followUntil: asked.followUntil,
        wantsHeldRegions: isFirst || device.isToBeAsked
      ),
      slots: &device.slots,
      hasFollowRegion: body.device.settings.hasFollowRegion
    )
    device.isToBeAsked = false
    self.open?.memory[device: id] = device
    await keep()
    return DeskAnswer(text: text)
  }

  // MARK: People

  /// Does something with the person's database, and has the engine take in at once what was changed.
  ///
  /// - Throws: ``HostFailure``, or what the body throws, as it is.
  func edit<Value: Sendable>(_ body: @Sendable (UserStore) throws -> Value) async throws -> Value {
    try await opening()
    guard let open else { throw HostFailure(.busy, "the person's database has just been closed") }
    let value = try body(open.store)
    try await open.host.takeEdits()
    return value
  }

  /// Looks at the person's database, the engine's state and what is known of its phones.
  func look<Value: Sendable>(
    _ body: @Sendable (UserStore, EngineState, DeskMemory) throws -> Value
  ) async throws -> Value {
    try await opening()
    guard let open else { throw HostFailure(.busy, "the person's database has just been closed") }
    return try body(open.store, await open.host.state, open.memory)
  }

  // MARK: Time

  /// Does what time brings, and looks for what commands have asked for where the file has changed.
  func tick() async {
    do throws(HostFailure) {
      let stamp = FileStamp(setup.store.folder.database(of: person.name))
      guard let open else {
        // Nobody has been here in this life: timers and deliveries may wait.
        try await opening()
        return
      }
      if stamp != open.file {
        self.open?.file = stamp
        try await open.host.tick()
      } else {
        try await open.host.wake()
      }
      noteWorkedOff()
    } catch {
      await fail(error)
    }
  }

  /// When the host has something to do; nil if nothing is known.
  var nextTick: Timestamp? { get async { await open?.host.nextTick } }

  /// Whether commands have changed the person's file since the last look.
  var hasEdits: Bool {
    guard let open else { return false }
    return FileStamp(setup.store.folder.database(of: person.name)) != open.file
  }

  /// Lets go of what is not needed by somebody who has not come in for a while.
  ///
  /// - Parameter closes: whether the host ends, too.
  func rest(closes: Bool) async {
    guard let open, !isWorking else { return }
    do throws(HostFailure) {
      guard await open.host.waitingCount == 0 else { return }
      if closes {
        try await open.host.flush()
        setup.intake.isWorkedOff(person.id, upTo: open.memory.workedOff)
        await close()
      } else {
        try HostFailure.mapping { () throws(UserStoreError) in try open.store.rest() }
      }
    } catch {
      await fail(error)
    }
  }

  /// How long nobody has come in; nil while it is closed.
  var idle: Duration? { open.map { $0.usedAt.duration(to: .now) } }

  /// Ends this life: everything is in the person's database.
  func end() async {
    guard let open else { return }
    do throws(HostFailure) {
      try await open.host.flush()
      setup.intake.isWorkedOff(person.id, upTo: open.memory.workedOff)
      try await open.host.finish()
    } catch {
      log.error("a person's host ends with a failure", metadata: ["person": "\(person.id)"])
    }
    await close()
  }

  // MARK: Opening and closing

  private func opening() async throws(HostFailure) {
    guard open == nil else {
      open?.usedAt = .now
      return
    }
    let path = setup.store.folder.database(of: person.name)
    let lock = try HostLock(database: path)
    let store = try HostFailure.mapping { () throws(UserStoreError) in
      try UserStore(path: path, key: .besides(path), policy: setup.policy, zones: SystemZones())
    }
    let memory = try storedMemory(store)
    let hasRegions = setup.hasRegions(memory)
    let host = try await setup.host(of: person, store, hasRegions: hasRegions)
    open = OpenDesk(
      host: host,
      store: store,
      lock: lock,
      hasRegions: hasRegions,
      memory: memory,
      taken: memory.workedOff,
      usedAt: .now,
      file: FileStamp(path)
    )
    try await takeRest()
  }

  private func storedMemory(_ store: UserStore) throws(HostFailure) -> DeskMemory {
    let kept = try LiveHost.keptForGuest(in: store)
    guard let kept else { return DeskMemory() }
    guard let memory = try? JSONDecoder().decode(DeskMemory.self, from: kept) else {
      throw HostFailure(
        .badInput,
        "\(store.path): was last used by another version of Near Me: run that one, or a newer one"
      )
    }
    return memory
  }

  /// Takes in what an earlier life has not worked off.
  private func takeRest() async throws(HostFailure) {
    let rest = try setup.intake.rest(of: person.id, setup.credentials.devices)
    guard !rest.isEmpty else { return }
    // An app that sends in parallel sends again what was not answered.
    if rest.contains(where: { mailbox.isHeld($0) }) {
      await hold()
      let more = try setup.intake.rest(of: person.id, setup.credentials.devices)
      try await take(more)
    } else {
      try await take(rest)
    }
    noteWorkedOff()
  }

  /// Begins anew with another way to learn of positions, where the leading phone asks for it.
  private func changeMonitoring() async throws(HostFailure) {
    guard let open, setup.hasRegions(open.memory) != open.hasRegions else { return }
    try await open.host.flush()
    await close()
    try await opening()
  }

  private func close() async {
    guard let open else { return }
    self.open = nil
    await open.host.abandon()
    try? open.store.close()
  }

  /// Ends what does not work; what is not worked off is in the log.
  private func fail(_ failure: HostFailure) async {
    log.error(
      "a person's host failed: it begins anew with the next body",
      metadata: ["person": "\(person.id)", "reason": "\(failure.code)"]
    )
    for letter in mailbox.take() { letter.answer(.failure(failure)) }
    await close()
  }
}

/// Something of a body, with the time by which it is put in order.
private struct DeskItem {
  let body: LoggedBody
  let index: Int
  let item: IntakeItem
  let at: Timestamp

  /// What a body holds; what has no time of its own comes with what is before it.
  static func items(of body: LoggedBody) -> [DeskItem] {
    var last = Timestamp(milliseconds: .min)
    return body.reading.items.enumerated()
      .map { index, item in
        last = item.at ?? last
        return DeskItem(body: body, index: index, item: item, at: last)
      }
  }
}

/// What is said to an app beside its own word for "taken"; nil: nothing.
struct DeskAnswer: Sendable {
  var text: String?
}

/// What a file looked like: cheap enough to ask for every second for thousands of them.
struct FileStamp: Hashable, Sendable {
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    size = Int(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
