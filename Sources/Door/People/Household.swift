import Foundation
import LiveHost
import Logging
import NearMeEngine
import Phones
import Timeline

/// Everybody at this door: a desk each, and what has to be done now and then.
package final class Household: Sendable {
  /// Somebody who has not come in for so long has no open file any more; open pages come in each two seconds, and take
  /// a file that was opened again for one that has changed.
  private static let restsAfter = Duration.seconds(3)
  /// Somebody who has not come in for so long is put away: longer than phones on the way are silent.
  private static let closesAfter = Duration.seconds(120)
  private static let roundSpan = Duration.milliseconds(250)
  private static let readsAgainAfter = Duration.seconds(1)
  /// So many are looked at before others have their turn.
  private static let desksAtOnce = 50
  /// A minute.
  private static let roundsBetweenTrims = 240
  private static let tidySpan = Duration.seconds(1)
  /// Ten minutes.
  private static let tidiesBetweenSweeps = 600

  let setup: DoorSetup
  private let lock = NSLock()
  private nonisolated(unsafe) var desks: [Int64: Desk] = [:]
  /// At whose desks something is done as soon as who is there has gone.
  private nonisolated(unsafe) var awaited: Set<Int64> = []
  /// How the door's file was when everybody was last looked at; nil before the first time.
  private nonisolated(unsafe) var seenVersion: Int?
  /// Who was there when everybody was last looked at; nil until it has begun.
  private nonisolated(unsafe) var known: Set<Int64>?
  private nonisolated(unsafe) var clockLook = ClockLook()

  init(_ setup: DoorSetup) { self.setup = setup }

  /// A person's desk, which is opened when something comes in.
  package func desk(_ person: DoorPerson) -> Desk {
    lock.withLock {
      if let desk = desks[person.id] { return desk }
      let desk = Desk(person, setup)
      desks[person.id] = desk
      return desk
    }
  }

  /// Deletes a person's database with its key; nobody comes in for the person any more.
  func erase(_ person: DoorPerson) async throws(HostFailure) {
    let desk = desk(person)
    try await desk.erase()
    drop(desk)
  }

  /// Forgets the desk of somebody who is not at home here any more.
  private func drop(_ desk: Desk) {
    lock.withLock { if desks[desk.person.id] === desk { desks[desk.person.id] = nil } }
  }

  /// How many people's desks are open.
  var openCount: Int {
    lock.withLock { desks.values.count { $0.sign.reading.usedAt != nil } }
  }

  /// Takes in a body: it is on the disk, taken in and answered, or nothing of it has happened.
  ///
  /// - Returns: what is said to the app; nil if too much waits.
  func take(
    _ body: IntakeBody,
    _ reading: IntakeReading,
    of device: DoorDevice
  ) async throws(HostFailure) -> DeskAnswer? {
    let desk = desk(DoorPerson(id: device.person, name: device.personName))
    let message = body.message
    desk.mailbox.begin(device.id)
    defer { desk.mailbox.end(device.id) }
    let outcome: Result<DeskAnswer, HostFailure>? = await withCheckedContinuation { continuation in
      let isTaken = setup.intake.append(body, reading, message: message, of: device) {
        result in
        switch result {
        case .failure(let failure): continuation.resume(returning: .failure(failure))
        case .success(let logged):
          // Who sends in parallel waits for no regions: it is answered as soon as it is on the disk.
          if logged.source.sendsInParallel {
            continuation.resume(returning: .success(DeskAnswer()))
            desk.mailbox.put(logged) { _ in }
          } else {
            desk.mailbox.put(logged) { continuation.resume(returning: $0) }
          }
          Task { await desk.work() }
        }
      }
      if !isTaken { continuation.resume(returning: nil) }
    }
    return try outcome?.get()
  }

  // MARK: Now and then

  /// Works off what an earlier life left, and then does what time brings, until it is canceled.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.begin() }
      group.addTask { await self.keepTidy() }
      var round = 0
      var lastCount = Int.max
      while !Task.isCancelled {
        try? await Task.sleep(for: Self.roundSpan)
        round += 1
        await goRound(round)
        if round % Self.roundsBetweenTrims == 0 {
          let count = openCount
          if count < lastCount { FreedMemory.giveBack() }
          lastCount = count
        }
      }
    }
    await end()
  }

  /// Looks after the door's file beside the rounds: no timer waits for another program that holds it.
  private func keepTidy() async {
    var count = 0
    while (try? await Task.sleep(for: Self.tidySpan)) != nil {
      await tidy()
      if count % Self.tidiesBetweenSweeps == 0 { sweep() }
      count += 1
    }
  }

  /// Timers and deliveries of everybody go on, whoever comes in first.
  package func begin() async {
    guard let (people, waiting) = await everybody() else { return }
    // Whoever was added since they were read is found by looking once more.
    lock.withLock { (known, seenVersion) = (Set(people.map(\.id)), nil) }
    for person in people.filter({ waiting.contains($0.id) }) { await desk(person).tick() }
    for person in people where !waiting.contains(person.id) {
      guard !Task.isCancelled else { return }
      await lookAt(person)
    }
  }

  /// Everybody, and of whom the log has bodies: tried again until it can be read.
  ///
  /// - Returns: nil once canceled.
  private func everybody() async -> (people: [DoorPerson], waiting: Set<Int64>)? {
    while !Task.isCancelled {
      do throws(HostFailure) {
        return (try setup.store.people(), Set(try setup.intake.peopleWithRest()))
      } catch {
        setup.log.error("\(error)")
      }
      try? await Task.sleep(for: Self.readsAgainAfter)
    }
    return nil
  }

  /// Finds out when there is something to do for somebody who has not come in.
  private func lookAt(_ person: DoorPerson) async {
    let desk = desk(person)
    await desk.tick()
    await desk.rest(closes: true)
  }

  package func goRound(_ round: Int) async {
    let now = setup.clock.now()
    let clockWasSet = lock.withLock { clockLook.wasJustSet(setup.clock) }
    for (index, desk) in all.enumerated() {
      // Whoever comes in goes first.
      if index % Self.desksAtOnce == 0 { await Task.yield() }
      let reading = desk.sign.reading
      guard !reading.isGone else {
        drop(desk)
        continue
      }
      let isLooked = isLooked(at: desk, reading, in: round)
      let looksAtClock = clockWasSet && reading.usedAt != nil
      // What waits for another program is neither tried again before its time nor put away.
      let looks = isLooked && reading.triesAgainAt == nil
      if reading.isDue(at: now) || (looks && (looksAtClock || desk.hasEdits(since: reading))) {
        await goTo(desk) { await $0.tick() }
      } else if reading.waitingCount > 0 {
        await goTo(desk) { await $0.lookAgain() }
      } else if desk.isBusy {
        continue
      } else if looks, let idle = reading.idle {
        if idle > Self.closesAfter {
          await desk.rest(closes: true)
        } else if idle > Self.restsAfter, !reading.isResting {
          await desk.rest(closes: false)
        }
      }
    }
  }

  /// Has a desk do something; nobody else waits for one at which somebody is, as who waits for the rest of what an app
  /// sends, nor for long where what it ends has to be waited for.
  private func goTo(_ desk: Desk, _ work: @escaping @Sendable (Desk) async -> Void) async {
    let (id, isBusy) = (desk.person.id, desk.isBusy)
    guard lock.withLock({ awaited.insert(id).inserted }) else { return }
    await doForAWhile(waits: !isBusy) { [self] in
      await work(desk)
      _ = lock.withLock { awaited.remove(id) }
    }
  }

  /// Does something, and waits for its end as long as anybody waits, or not at all: then it goes on by itself.
  private func doForAWhile(
    waits: Bool = true,
    _ body: @escaping @Sendable () async -> Void
  ) async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    Task {
      await body()
      end.finish()
    }
    guard waits else { return }
    let alarm = Task { [setup] in
      try? await Task.sleep(for: setup.longestWait)
      end.finish()
    }
    for await _ in ends {}
    alarm.cancel()
  }

  /// Whether it is time to look what else is to be done at a desk: each second, where nobody is each four seconds.
  private func isLooked(at desk: Desk, _ reading: DeskSign.Reading, in round: Int) -> Bool {
    let (second, rest) = round.quotientAndRemainder(dividingBy: 4)
    return rest == 0 && (reading.usedAt != nil || (second + Int(desk.person.id)) % 4 == 0)
  }

  package func tidy() async {
    do throws(HostFailure) {
      try await lookAfterCommands()
      try await setup.intake.tidy()
      try await setup.ledger.tidy(at: setup.clock.now())
    } catch {
      note(error)
    }
  }

  /// Where a command has changed the door's file, ends the desks of those who were removed, has others see what was
  /// set, and begins for those who were added.
  private func lookAfterCommands() async throws(HostFailure) {
    let version = try setup.credentials.refresh()
    guard lock.withLock({ seenVersion != version }) else { return }
    let people = try setup.store.people()
    let ids = Set(people.map(\.id))
    for desk in all {
      if ids.contains(desk.person.id) {
        await doForAWhile { await desk.renewIfSet() }
      } else {
        await doForAWhile { [self] in
          await desk.leave()
          drop(desk)
        }
      }
    }
    for person in people where isNew(person) {
      await doForAWhile { [self] in await lookAt(person) }
    }
    // Only now: what could not be read is looked at again.
    lock.withLock {
      seenVersion = version
      if known != nil { known = ids }
    }
  }

  /// Whether somebody was added since everybody was last looked at, and has not come in.
  private func isNew(_ person: DoorPerson) -> Bool {
    lock.withLock {
      guard let known else { return false }
      return !known.contains(person.id) && desks[person.id] == nil
    }
  }

  /// Forgets what is of no use to anybody any more.
  package func sweep() {
    do throws(HostFailure) {
      let now = setup.clock.now()
      try setup.store.sweepAnswers(at: now)
      try setup.store.sweepChannels(at: now)
    } catch {
      note(error)
    }
  }

  /// Says what failed; that another program writes in the door's file is said once, by the file itself.
  private func note(_ failure: HostFailure) {
    guard failure.code != .held else { return }
    setup.log.error("\(failure)")
  }

  private func end() async {
    await endAll()
    await tidy()
  }

  /// Ends every desk: everything is in the people's databases.
  package func endAll() async {
    await withTaskGroup(of: Void.self) { group in
      for desk in all { group.addTask { await desk.end() } }
    }
  }

  private var all: [Desk] { lock.withLock { desks.sorted { $0.key < $1.key }.map(\.value) } }
}
