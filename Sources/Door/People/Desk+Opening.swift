import Foundation
import LiveHost
import Logging
import Phones
import UserStore

/// The database and its host, opened and closed.
extension Desk {
  func opening() async throws(HostFailure) {
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
    guard mayHaveRest else { return }
    do throws(HostFailure) {
      try await takeRest()
    } catch {
      // Open, it would take what comes in next for all there is.
      await close()
      mayHaveRest = true
      // Whoever only looks does not try again.
      triesAgainAt = .now + .seconds(1)
      throw error
    }
  }

  /// Takes the person's database, which nobody holds on to here: what waits may have it opened anew.
  func opened() async throws(HostFailure) -> OpenDesk {
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
  func changeMonitoring() async throws(HostFailure) {
    guard let memory = open?.memory, setup.hasRegions(memory) != open?.hasRegions else { return }
    // The whole desk is not held on to: its lock must be free for the next one.
    try await open?.host.flush()
    await close()
    try await opening()
  }

  func close() async {
    guard let open else { return }
    self.open = nil
    await open.host.abandon()
    try? open.store.close()
  }

  /// Ends what does not work; what is not worked off is in the log, and is tried again after a while.
  func fail(_ failure: HostFailure) async {
    guard !isGone else { return await endForGood() }
    if failure.code == .held {
      putOffForHold()
    } else {
      log.error(
        "a person's host failed: it is tried again",
        metadata: ["person": "\(person.id)", "reason": "\(failure.code)"]
      )
      failures += 1
      triesAgainAt = .now + .seconds(min(60, 1 << min(6, failures)))
    }
    for letter in mailbox.take() { letter.answer(.failure(failure)) }
    await close()
    left = nil
    mayHaveRest = true
  }
}
