import Fencing
import Foundation
import LiveHost
import Logging
import NearMeEngine
import Phones
import Timeline
import TraceFiles
import Traces
import UserStore

/// Where one person's bodies are taken in, one after the other, and answered.
///
/// It owns the person's host while somebody comes in, and lets go of it after a while. What comes in stands in the log
/// first, so that a desk that fails or is killed finds it again: bodies are taken in in the order of their serials,
/// and those of apps that send in parallel are held for a moment and put in order of time.
package actor Desk {
  nonisolated let person: DoorPerson
  nonisolated let mailbox = Mailbox()
  /// What its household goes by.
  package nonisolated let sign = DeskSign()
  private let setup: DoorSetup
  private let log: Logger

  private var open: OpenDesk?
  /// What was left when it was put away, since when nobody else has had it.
  private var left: LeftDesk?
  private let turnstile = Turnstile()
  /// Whether somebody is at it, for whom others wait.
  nonisolated var isBusy: Bool { turnstile.isTaken }
  /// Whether bodies may be in the log that were taken in and not kept, or not taken in: at first, and after a failure.
  private var mayHaveRest = true
  /// Bodies up to this one may have been answered.
  private var answered: Int64
  /// Bodies up to this one were taken in by this desk; 0: none yet.
  private var takenHere: Int64 = 0
  /// The body whose list of held regions was compared last: its answer mends what differs.
  private var comparedBody: Int64?
  /// Whether the person was erased or removed: nothing is opened any more.
  private var isGone = false
  /// Where the leading phone was today; it goes with the process.
  private(set) var way = DayWay()
  /// How often it has failed since it last worked, and when it tries again.
  private var failures = 0
  private var triesAgainAt: ContinuousClock.Instant?

  init(_ person: DoorPerson, _ setup: DoorSetup) {
    self.person = person
    self.setup = setup
    log = setup.log
    answered = setup.intake.lastSerialBefore
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
    /// What the person had set when it was opened.
    let settings: Data
    /// Whether the file is let go of until the next use.
    var isResting = false
  }

  /// What is left of a desk that was put away.
  private struct LeftDesk {
    let next: Timestamp?
    let file: FileStamp?
    let settings: Data
  }

  // MARK: What comes in

  /// Takes in what is in the mailbox.
  func work() async {
    await alone { () async throws(HostFailure) in
      // Who came in before has taken it along.
      while !mailbox.isEmpty {
        try await opening()
        if mailbox.hasHeld { await hold() }
        try await takeLetters()
      }
    }
  }

  private func takeLetters() async throws(HostFailure) {
    let letters = mailbox.take()
    do throws(HostFailure) {
      try await take(letters.map(\.body))
    } catch {
      for letter in letters { letter.answer(.failure(error)) }
      throw error
    }
    for letter in letters {
      answered = max(answered, letter.body.serial)
      letter.answer(.success(await answer(to: letter.body)))
    }
    await noteWorkedOff()
  }

  /// Does something that nothing else comes between; what fails is tried again.
  private func alone(_ body: () async throws(HostFailure) -> Void) async {
    await inTurn {
      do throws(HostFailure) {
        try await body()
        failures = 0
        triesAgainAt = nil
      } catch {
        await fail(error)
      }
    }
  }

  /// Does something that nothing else comes between, and shows what there is to be done afterward.
  private func inTurn<Value: Sendable, Failure>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    await turnstile.enter()
    defer { turnstile.leave() }
    let value: Value
    do throws(Failure) {
      value = try await body()
    } catch {
      await show()
      throw error
    }
    await show()
    return value
  }

  private func show() async {
    var reading = DeskSign.Reading(triesAgainAt: triesAgainAt, isGone: isGone)
    if let open {
      reading.usedAt = open.usedAt
      reading.isResting = open.isResting
      reading.file = open.file
      (reading.next, reading.waitingCount) = await open.host.agenda
    } else if let left {
      reading.next = left.next
      reading.file = left.file
    }
    sign.show(reading)
  }

  /// Waits for what an app sends at the same time.
  private func hold() async {
    try? await Task.sleep(for: .milliseconds(setup.hold.value))
  }

  /// Takes in bodies together: what they hold, in order of time.
  private func take(_ bodies: [LoggedBody]) async throws(HostFailure) {
    if let first = bodies.first { try await welcome(first) }
    guard let taken = open?.taken else { return }
    let fresh = bodies.filter { $0.serial > taken }
    guard let last = fresh.map(\.serial).max() else { return }
    let new = withoutRepeats(fresh)
    var items = new.flatMap(DeskItem.items)
    items.sort { ($0.at, $0.body.serial, $0.index) < ($1.at, $1.body.serial, $1.index) }
    for item in items { try await take(item) }
    open?.memory.workedOff = last
    open?.memory.done = []
    open?.taken = last
    takenHere = max(takenHere, last)
    for body in new { note(body) }
    await keep()
    try await changeMonitoring()
  }

  /// The bodies that neither were taken in before nor are among them twice.
  private func withoutRepeats(_ bodies: [LoggedBody]) -> [LoggedBody] {
    var messages: [Int64: RecentMessages] = [:]
    return bodies.filter { body in
      guard body.reading.isTheSameTwice else { return true }
      let id = body.device.id
      let isNew = messages[id, default: open?.memory[device: id].messages ?? RecentMessages()]
        .note(body.message)
      if !isNew { setup.ledger.note("repeated", of: body.device, at: body.receivedAt) }
      return isNew
    }
  }

  /// The first phone of a person leads, and says how positions will come; so does the first one that reports after
  /// the leading one was taken off.
  private func welcome(_ body: LoggedBody) async throws(HostFailure) {
    guard var memory = open?.memory else { return }
    if let leading = memory.leading {
      guard leading != body.device.id, setup.credentials.devices[leading] == nil else { return }
      memory.devices.removeAll { $0.id == leading }
    }
    memory.leading = body.device.id
    memory[device: body.device.id].userAgent = body.userAgent
    open?.memory = memory
    await keep()
    try await changeMonitoring()
  }

  /// An instant by a phone's clock, which may be somewhat ahead: nothing happened later than it was heard of, and
  /// what is told would wait until the door's clock has come so far.
  private func soonest(_ at: Timestamp, _ body: LoggedBody) -> Timestamp {
    setup.time == .wall ? min(at, body.receivedAt) : at
  }

  private func take(_ item: DeskItem) async throws(HostFailure) {
    guard var open else { return }
    guard open.memory.noteDone(serial: item.body.serial, index: item.index) else { return }
    var feed: FeedItem?
    var here: Fix?
    switch item.item {
    case .fix(var fix, _):
      if setup.time == .wall, Engine.isFuture(fix, at: item.body.receivedAt) {
        // Taken in once more after a kill, it may be of the past by now: it was not when it came.
        setup.ledger.note(
          FixRefusal.future.rawValue,
          of: item.body.device,
          at: item.body.receivedAt
        )
        break
      }
      fix.at = soonest(fix.at, item.body)
      if open.memory.follow(fix, of: item.body.device.id) {
        feed = .point(TraceRecord(outcome: .fix(fix), line: 0))
        here = fix
      } else {
        setup.ledger.note("not_leading", of: item.body.device, at: setup.clock.now())
      }
    case .signal(let signal):
      feed = .signal(
        FeedSignal(
          name: signal.name,
          level: signal.level,
          id: signal.id ?? "body-\(item.body.serial)-\(item.index)",
          at: signal.at.map { soonest($0, item.body) }
        )
      )
    case .held(let held): try await compare(held, of: item.body, &open.memory)
    case .status(let status):
      for value in status {
        open.memory[device: item.body.device.id].status[value.name] = value.value
      }
    case .heldOne(let region):
      if region.slotID != nil { open.memory[device: item.body.device.id].hasShownRegions = true }
    case .crossing(_, let slotID, _, _, _):
      if slotID != nil { open.memory[device: item.body.device.id].hasShownRegions = true }
    case .battery(let given, let isCharging, let at):
      // What is being charged need not be saved.
      let told = isCharging == true ? 100 : given
      let percent = { (value: Double) in
        value.isFinite ? Int(min(max(value, 0), 100).rounded()) : nil
      }
      let charge = told.flatMap(percent)
      if let battery = given.flatMap(percent) {
        open.memory[device: item.body.device.id].battery = battery
      }
      if let charge, open.memory.leading == item.body.device.id,
        open.memory[device: item.body.device.id].charge != charge
      {
        open.memory[device: item.body.device.id].charge = charge
        let id = "body-\(item.body.serial)-\(item.index)"
        feed = .signal(
          FeedSignal(name: "battery", level: "\(charge)", id: id, at: soonest(at, item.body))
        )
      }
    case .still: break
    }
    self.open = open
    guard let feed else { return await open.host.keep(open.memory) }
    if let refusal = try await open.host.take(feed, keeping: open.memory) {
      setup.ledger.note(refusal.rawValue, of: item.body.device, at: setup.clock.now())
    } else if let here {
      way.add(here.coordinate, at: here.at, accuracyMeters: here.horizontalAccuracyMeters)
    }
  }

  /// Compares what a phone says it holds with what it had been told when it was asked.
  ///
  /// A list that nobody asked for may have waited on the phone since before the regions were changed.
  private func compare(
    _ held: [HeldRegion],
    of body: LoggedBody,
    _ memory: inout DeskMemory
  ) async throws(HostFailure) {
    let id = body.device.id
    var known = memory[device: id]
    guard let told = known.slotsWhenAsked else { return }
    known.slotsWhenAsked = nil
    comparedBody = body.serial
    let missing = differences(asked: told, held: held).missing
      .filter { id in
        told.regions.contains { $0?.id == id && $0 != nil && known.slots.regions.contains($0) }
      }
    if !told.isEmpty, missing.count < told.count {
      known.hasShownRegions = true
      known.bodiesWithoutRegions = 0
      // What was on its way when the list was made is there in the next one.
      let lost = missing.filter { known.missing.contains($0) }
      if !lost.isEmpty, memory.leading == id { try await open?.host.lose(regions: lost) }
    }
    // What it still lacks when it was told twice is lost: asking on would have no end.
    known.isToBeAsked = missing.contains { !known.missing.contains($0) }
    known.missing = missing
    memory[device: id] = known
  }

  private func note(_ body: LoggedBody) {
    guard var memory = open?.memory else { return }
    var device = memory[device: body.device.id]
    device.userAgent = body.userAgent ?? device.userAgent
    let fixes = body.reading.fixes
    if fixes.count == 1, setup.time == .wall {
      device.clockLag = .after(device.clockLag, fixAt: fixes[0].at, heardAt: body.receivedAt)
    }
    if !device.slots.isEmpty, !device.hasShownRegions { device.bodiesWithoutRegions += 1 }
    device.bodiesSinceAsked = device.bodiesSinceAsked.map { $0 + 1 }
    if body.reading.isTheSameTwice {
      device.messages = device.messages ?? RecentMessages()
      device.messages?.note(body.message)
    }
    memory[device: body.device.id] = device
    open?.memory = memory
  }

  private func keep() async {
    guard let open else { return }
    await open.host.keep(open.memory)
  }

  private func noteWorkedOff() async {
    guard let open, await open.host.isStored else { return }
    setup.intake.isWorkedOff(person.id, upTo: open.memory.workedOff)
  }

  // MARK: Answers

  /// What is said to the app that sent a body.
  private func answer(to body: LoggedBody) async -> DeskAnswer {
    let (sender, reading) = (body.device, body.reading)
    guard let open, body.source == .owntracks else { return DeskAnswer() }
    let id = sender.id
    guard open.memory.leading == id else { return DeskAnswer() }
    guard open.hasRegions else { return await tryRegions(answering: body) }
    let isCompared = body.serial == comparedBody
    // Lists come by themselves, too, and the same one again: only one that was asked for leads to more.
    guard reading.held == nil || isCompared else { return DeskAnswer() }
    let asked = await open.host.asked
    var device = open.memory[device: id]
    let later = device.messages?.after(body.message) ?? []
    let questions =
      later.isEmpty
      ? device.ask(asked, in: reading, message: body.message)
      : PhoneQuestions(message: body.message)
    if questions.wantsPosition { await open.host.notePositionAsked() }
    let text = ownTracksAnswer(
      kind: PhoneKind.kind(userAgent: body.userAgent),
      orders: PhoneOrders(
        regions: asked.regions,
        wantsPosition: questions.wantsPosition,
        followUntil: asked.followUntil,
        wantsHeldRegions: questions.wantsHeldRegions,
        mode: device.status["mode"]
      ),
      slots: &device.slots,
      knownHeld: isCompared ? reading.held : nil,
      options: AnswerOptions(
        hasFollowRegion: sender.settings.hasFollowRegion,
        message: body.message,
        later: later
      )
    )
    if questions.wantsHeldRegions { device.slotsWhenAsked = device.slots }
    self.open?.memory[device: id] = device
    await keep()
    return DeskAnswer(text: text)
  }

  /// Asks a phone that has shown no region, now and then, to watch one around where it is, and what it holds: once it has
  /// shown that one, it is given the others.
  private func tryRegions(answering body: LoggedBody) async -> DeskAnswer {
    let kind = PhoneKind.kind(userAgent: body.userAgent)
    guard var memory = open?.memory, body.device.settings.regions == .auto, kind.hasRegions,
      body.reading.held == nil
    else { return DeskAnswer() }
    var device = memory[device: body.device.id]
    // Where it comes once more, its answer may have been lost.
    let isAgain = device.lastQuestions?.message == body.message
    guard device.isToBeTried || isAgain, let here = body.reading.fixes.last?.coordinate else {
      return DeskAnswer()
    }
    // It may never have taken what it was told before.
    device.slots.doubt()
    let text = ownTracksAnswer(
      kind: kind,
      orders: PhoneOrders(
        regions: [
          Region(id: "trial", center: here, radiusMeters: Self.trialMeters, kind: .exit)
        ],
        // Until then every position counts.
        followUntil: .endOfTime,
        wantsHeldRegions: true,
        mode: device.status["mode"]
      ),
      slots: &device.slots,
      options: AnswerOptions(
        hasFollowRegion: body.device.settings.hasFollowRegion,
        message: body.message
      )
    )
    device.bodiesSinceAsked = 0
    device.lastQuestions = PhoneQuestions(message: body.message, wantsHeldRegions: true)
    device.slotsWhenAsked = device.slots
    memory[device: body.device.id] = device
    open?.memory = memory
    await keep()
    return DeskAnswer(text: text)
  }

  /// How large a region is with which it is tried whether a phone takes any, in meters.
  private static let trialMeters = 200.0

  // MARK: People

  /// Does something with the person's database, and has the engine take in at once what was changed.
  ///
  /// - Throws: ``HostFailure``, or what the body throws, as it is; then nothing has changed.
  package func edit<Value: Sendable>(
    _ body: @Sendable (UserStore) throws -> Value
  ) async throws -> Value {
    try await inTurn {
      try await opening()
      guard let open else { throw HostFailure(.busy, "the person's database has just been closed") }
      let value = try body(open.store)
      do throws(HostFailure) {
        try await open.host.takeEdits()
      } catch {
        // A host that could not store a turn has to begin again from what is stored, and takes in then what was changed.
        await fail(error)
      }
      return value
    }
  }

  /// Looks at the person's database, the engine's state and what is known of its phones.
  func look<Value: Sendable>(
    _ body: @Sendable (UserStore, EngineState, DeskMemory) throws -> Value
  ) async throws -> Value {
    try await inTurn {
      try await opening()
      guard let open else { throw HostFailure(.busy, "the person's database has just been closed") }
      return try body(open.store, await open.host.state, open.memory)
    }
  }

  /// Begins anew, with what the person has set by now.
  package func renew() async throws(HostFailure) {
    try await inTurn { () async throws(HostFailure) in
      do throws(HostFailure) {
        try await beginAnew()
      } catch {
        await fail(error)
        throw error
      }
    }
  }

  private func beginAnew() async throws(HostFailure) {
    // The whole desk is not held on to: its lock must be free for the next one.
    if let host = open?.host {
      try await host.flush()
      if let last = open?.memory.workedOff { setup.intake.isWorkedOff(person.id, upTo: last) }
      await close()
    }
    // Also where it was put away: what is due next may be another instant now.
    left = nil
    try await opening()
  }

  /// Begins anew where a command has set something since.
  func renewIfSet() async {
    do throws(HostFailure) {
      guard let known = open?.settings ?? left?.settings,
        try setup.store.settingsStamp(of: person) != known
      else {
        return
      }
    } catch {
      // Opened again after a while, it has read them.
      return await inTurn { await fail(error) }
    }
    // What fails is logged there, and tried again.
    try? await renew()
  }

  /// Deletes the person's database with its key; the desk does nothing any more.
  func erase() async throws(HostFailure) {
    try await inTurn { () async throws(HostFailure) in
      await endForGood()
      try HostFailure.mapping { () throws(UserStoreError) in
        try UserStore.erase(path, withKey: true)
      }
    }
  }

  /// Ends for somebody whom a command has removed: what is left of the person's database has everything.
  func leave() async {
    await inTurn {
      // Where the command has deleted the database, this fails, and is to: nothing of it may come back.
      if let host = open?.host { try? await host.flush() }
      await endForGood()
    }
  }

  private func endForGood() async {
    isGone = true
    way = DayWay()
    await close()
    left = nil
    (failures, triesAgainAt) = (0, nil)
    // What came in on the way is of no use to anybody.
    setup.intake.isWorkedOff(person.id, upTo: .max)
    for letter in mailbox.take() { letter.answer(.failure(.gone)) }
  }

  /// Has what waits to be told tried again now.
  func hurry() async { await inTurn { await open?.host.hurry() } }

  // MARK: Time

  /// Does what time brings, and looks for what commands have asked for where the file has changed.
  package func tick() async {
    await alone { () async throws(HostFailure) in
      // Nobody has been here for a while, or ever: timers and deliveries may wait.
      guard let open else {
        try await opening()
        try await self.open?.host.wake()
        return await noteWorkedOff()
      }
      self.open?.isResting = false
      let stamp = FileStamp(path)
      if stamp != open.file {
        self.open?.file = stamp
        try await open.host.tick()
      } else {
        try await open.host.wake()
      }
      await noteWorkedOff()
    }
  }

  /// Shows anew what there is to be done: deliveries may have been made.
  func lookAgain() async { await inTurn {} }

  /// Whether commands have changed the person's file since the last look.
  nonisolated func hasEdits(since reading: DeskSign.Reading) -> Bool {
    reading.file.map { $0 != FileStamp(path) } ?? false
  }

  /// Lets go of what is not needed by somebody who has not come in for a while.
  ///
  /// - Parameter closes: whether the host ends, too: the next one goes on where it stood.
  package func rest(closes: Bool) async {
    await alone { () async throws(HostFailure) in
      // The whole desk is not held on to: its lock must be free for the next one.
      guard let host = open?.host, await host.waitingCount == 0 else { return }
      guard closes else {
        try HostFailure.mapping { () throws(UserStoreError) in try open?.store.rest() }
        open?.isResting = true
        return
      }
      try await host.flush()
      let next = await host.nextTick
      guard let (memory, settings) = open.map({ ($0.memory, $0.settings) }) else { return }
      setup.intake.isWorkedOff(person.id, upTo: memory.workedOff)
      await close()
      left = LeftDesk(next: next, file: FileStamp(path), settings: settings)
    }
  }

  private nonisolated var path: String { setup.store.folder.database(of: person.name) }

  /// Ends this life: everything is in the person's database.
  func end() async {
    await alone { () async throws(HostFailure) in
      guard let open else { return }
      try await open.host.flush()
      setup.intake.isWorkedOff(person.id, upTo: open.memory.workedOff)
      try await open.host.finish()
    }
    await close()
  }

  // MARK: Opening and closing

  private func opening() async throws(HostFailure) {
    guard !isGone else { throw .gone }
    guard open == nil else {
      open?.usedAt = .now
      open?.isResting = false
      return
    }
    do throws(HostFailure) {
      open = try await opened()
    } catch {
      isGone = error == .gone
      throw error
    }
    left = nil
    if mayHaveRest { try await takeRest() }
  }

  /// Takes the person's database, which nobody holds on to here: what waits may have it opened anew.
  private func opened() async throws(HostFailure) -> OpenDesk {
    // Somebody whom a command has removed a moment ago would get a new database.
    guard try setup.store.isThere(person) else { throw .gone }
    let (lock, store) = try setup.store.openDatabase(of: person, policy: setup.policy)
    let memory = try storedMemory(store)
    let hasRegions = setup.hasRegions(memory)
    let settings = try setup.store.settingsStamp(of: person)
    let host = try await setup.host(of: person, store, hasRegions: hasRegions) { [weak self] in
      Task { await self?.hurry() }
    }
    return OpenDesk(
      host: host,
      store: store,
      lock: lock,
      hasRegions: hasRegions,
      memory: memory,
      taken: memory.workedOff,
      usedAt: .now,
      file: FileStamp(path),
      settings: settings
    )
  }

  private func storedMemory(_ store: UserStore) throws(HostFailure) -> DeskMemory {
    let kept = try LiveHost.keptForGuest(in: store)
    let intake = setup.intake
    guard let kept else { return DeskMemory(door: intake.identity) }
    guard let memory = try? JSONDecoder().decode(DeskMemory.self, from: kept) else {
      throw HostFailure(
        .badInput,
        "\(store.path): was last used by another version of Near Me: run that one, or a newer one"
      )
    }
    // Not those that came in meanwhile: they are what is to be taken in.
    var present = memory.at(
      door: intake.identity,
      newestSerial: max(intake.serialAtStart, takenHere)
    )
    // Of a phone that was taken off nothing is remembered; who leads after it is seen when one comes in.
    let phones = setup.credentials.devices
    present.devices.removeAll { $0.id != present.leading && phones[$0.id] == nil }
    return present
  }

  /// Takes in what an earlier life has not worked off.
  private func takeRest() async throws(HostFailure) {
    mayHaveRest = false
    var rest = try setup.intake.rest(of: person.id, setup.credentials.devices)
    guard !rest.isEmpty else { return }
    // An app that sends in parallel sends again what was not answered.
    if rest.contains(where: { mailbox.isHeld($0) }) {
      await hold()
      rest = try setup.intake.rest(of: person.id, setup.credentials.devices)
    }
    for group in rest.groups(within: setup.hold, isHeld: mailbox.isHeld) {
      let (taken, answered) = (open?.taken ?? 0, answered)
      try await take(group)
      // As in that life: what was said then was not kept. Whether the phone heard it nobody knows.
      for body in group where body.serial > taken && body.serial <= answered {
        _ = await answer(to: body)
        open?.memory[device: body.device.id].slots.doubt()
      }
    }
    await keep()
    await noteWorkedOff()
  }

  /// Begins anew with another way to learn of positions, where the leading phone asks for it.
  private func changeMonitoring() async throws(HostFailure) {
    guard let memory = open?.memory, setup.hasRegions(memory) != open?.hasRegions else { return }
    // The whole desk is not held on to: its lock must be free for the next one.
    try await open?.host.flush()
    await close()
    try await opening()
  }

  private func close() async {
    guard let open else { return }
    self.open = nil
    await open.host.abandon()
    try? open.store.close()
  }

  /// Ends what does not work; what is not worked off is in the log, and is tried again after a while.
  private func fail(_ failure: HostFailure) async {
    guard !isGone else { return await endForGood() }
    log.error(
      "a person's host failed: it is tried again",
      metadata: ["person": "\(person.id)", "reason": "\(failure.code)"]
    )
    failures += 1
    triesAgainAt = .now + .seconds(min(60, 1 << min(6, failures)))
    for letter in mailbox.take() { letter.answer(.failure(failure)) }
    await close()
    left = nil
    mayHaveRest = true
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
