import LiveHost
import UserStore

/// What time brings, and when a desk rests.
extension Desk {
  /// Does what time brings, and looks for what commands have asked for where the file has changed.
  package func tick() async {
    await inTurn {
      // What is open stays so: what is under way is noted as soon as the file is free.
      guard !isHeld() else { return }
      await attempt { () async throws(HostFailure) in
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

  nonisolated var path: String { setup.store.folder.database(of: person.name) }

  /// Ends this life: everything is in the person's database.
  func end() async {
    await alone { () async throws(HostFailure) in
      guard let open else { return }
      try await open.host.flush()
      setup.intake.isWorkedOff(person.id, upTo: open.memory.workedOff)
      await open.host.leaveHolds()
      try await open.host.finish()
    }
    await close()
  }
}
