import Fencing
import LiveHost
import NearMeEngine
import Phones
import Timeline
import TraceFiles
import Traces

/// What phones send, in order, to the host.
extension Desk {
  /// Takes in what is in the mailbox.
  func work() async {
    await alone { () async throws(HostFailure) in
      // Who came in before has taken it along.
      while !mailbox.isEmpty {
        try await patiently { () async throws(HostFailure) in try await opening() }
        if mailbox.hasHeld { await hold() }
        try await takeLetters()
      }
    }
  }

  func takeLetters() async throws(HostFailure) {
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
  func alone(_ body: () async throws(HostFailure) -> Void) async {
    await inTurn { await attempt(body) }
  }

  /// Does something in turn; what fails is tried again.
  func attempt(_ body: () async throws(HostFailure) -> Void) async {
    do throws(HostFailure) {
      try await body()
      // What has nothing to do where the file could not be opened is no success.
      guard open != nil else { return }
      if failures > 0 { hold.end() }
      (failures, triesAgainAt) = (0, nil)
    } catch {
      await fail(error)
    }
  }

  /// Does something that nothing else comes between, and shows what there is to be done afterward.
  func inTurn<Value: Sendable, Failure>(
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
  func hold() async {
    try? await Task.sleep(for: .milliseconds(setup.hold.value))
  }

  /// Takes in bodies together: what they hold, in order of time.
  func take(_ bodies: [LoggedBody]) async throws(HostFailure) {
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

  func keep() async {
    guard let open else { return }
    await open.host.keep(open.memory)
  }

  func noteWorkedOff() async {
    guard let open, await open.host.isStored else { return }
    setup.intake.isWorkedOff(person.id, upTo: open.memory.workedOff)
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
