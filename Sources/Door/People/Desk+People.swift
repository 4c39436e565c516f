import Foundation
import LiveHost
import Logging
import NearMeEngine
import UserStore

/// What people and programs ask for and change.
extension Desk {
  /// Does something with the person's database, and has the engine take in at once what was changed.
  ///
  /// - Throws: ``HostFailure``, or what the body throws, as it is; then nothing has changed.
  package func edit<Value: Sendable>(
    _ body: @Sendable (UserStore) throws -> Value
  ) async throws -> Value {
    try await inTurn {
      try await patiently { () async throws(HostFailure) in
        try await opening()
        try HostFailure.mapping { () throws(UserStoreError) in
          try open?.store.requireRightToWrite()
        }
        hold.end()
      }
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
      try await patiently {
        try await opening()
        guard let open else {
          throw HostFailure(.busy, "the person's database has just been closed")
        }
        return try body(open.store, await open.host.state, open.memory)
      }
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

  /// Deletes the person's database with its key, and what was told in files; the desk does nothing any more.
  func erase() async throws(HostFailure) {
    try await inTurn { () async throws(HostFailure) in
      await endForGood()
      try HostFailure.mapping { () throws(UserStoreError) in
        try UserStore.erase(path, withKey: true)
      }
      try setup.store.eraseTold(to: person.name)
    }
  }

  /// Ends for somebody whom a command has removed: what is left of the person's database has everything.
  func leave() async {
    await inTurn {
      // Where the command has deleted the database, this fails, and is to: nothing of it may come back.
      if let host = open?.host { try? await host.flush() }
      await endForGood()
      // What was told since the command has deleted all of it.
      guard !FileManager.default.fileExists(atPath: path) else { return }
      do throws(HostFailure) { try setup.store.eraseTold(to: person.name) } catch {
        log.error("\(error)")
      }
    }
  }

  func endForGood() async {
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
}
