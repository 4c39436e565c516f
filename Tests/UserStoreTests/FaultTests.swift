import FaultyDisk
import Foundation
import NearMeEngine
import Places
import TestSupport
import Testing
import Timeline
import UserStore

/// A disk that fails at each write in turn: afterward a turn is there whole, or not at all.
@Suite struct FaultTests {
  init() { FaultyDisk.install() }

  /// What a turn leaves behind, as far as it can be asked for.
  private struct Contents: Equatable {
    var state: EngineState?
    var reminders: [Reminder]
    var inbox: [Int64]
    var outbox: [String]
    var decisions: Int

    init(_ store: UserStore) throws {
      let stored = try store.load()
      state = stored.state
      reminders = stored.reminders
      inbox = stored.inbox.map(\.serial)
      outbox = try store.unperformed().map(\.key)
      decisions = try store.decisions(limit: 1_000).count
    }
  }

  /// A user, up to the arrival that ends a snooze: a turn that touches every table.
  private struct Scene {
    let user: User
    let before: Contents
    let turn: Turn

    init() throws {
      user = try User()
      let home = try user.add(place: "Home", .home, 39.29, -76.59)
      _ = try user.add("take out the trash", at: home)
      _ = try user.store.act(.snoozeUntilNextArrival, on: "r1", at: user.tick(), zone: .utc).get()
      var host = try Host(user)
      try host.fix(39.50, -76.59, at: user.tick())
      var last: Turn?
      try host.arrive(39.29, -76.59, at: user.tick(minutes: 30), last: &last)
      _ = try user.add("buy milk", "grocery")
      before = try Contents(user.store)
      guard var turn = last else { preconditionFailure("an arrival ends with a turn") }
      turn.usedInbox = before.inbox
      self.turn = turn
      try user.store.close()
    }

    /// What the turn makes of it.
    func after() throws -> Contents {
      let copy = try User.copy(of: user)
      _ = try copy.load()
      try copy.commit(turn)
      return try Contents(copy)
    }
  }

  private static let faults: [(String, @Sendable (UInt64) -> FaultyDisk.Fault)] = [
    ("full", { _ in .full }), ("broken", { _ in .broken }),
    ("power failure", { .powerFailure(seed: $0) }),
  ]

  @Test(arguments: faults.indices)
  func `CTX-6.4: a turn that fails at any write is there whole or not at all`(_ kind: Int) throws {
    let (name, fault) = Self.faults[kind]
    let scene = try Scene()
    let after = try scene.after()
    #expect(after != scene.before)
    #expect(after.outbox.count > scene.before.outbox.count)
    #expect(after.inbox.isEmpty)
    #expect(after.decisions > scene.before.decisions)
    #expect(after.reminders != scene.before.reminders)
    var failed = 0
    var landed = 0
    for write in 1...1_000 {
      let copy = try User.copyPath(of: scene.user)
      let store = try UserStore(path: copy, key: .besides(copy), access: .edit)
      _ = try store.load()
      FaultyDisk.plan(copy, fault(UInt64(write)), atWrite: write)
      do {
        try store.commit(scene.turn)
        // Where no space is left, only writes fail: the end of a commit has none.
        if name != "full" {
          #expect(!FaultyDisk.hasFailed(copy), "\(name) at write \(write): no error")
        }
      } catch {
        let expected: [UserStoreError.Code] =
          if case .full = fault(0) { [.full] } else { [.inputOutput] }
        #expect(expected.contains(error.code), "\(name) at write \(write): \(error)")
        #expect(error.path == copy)
      }
      let hasFailed = FaultyDisk.hasFailed(copy)
      try? store.close()
      try FaultyDisk.repair(copy)
      // What is on the disk now is all that a new process has.
      let again = try UserStore(path: copy, key: .besides(copy), access: .edit)
      let found = try Contents(again)
      if found == after { landed += 1 } else { failed += 1 }
      #expect(found == scene.before || found == after, "\(name) at write \(write): half a turn")
      if found == scene.before {
        // There is space again: nothing was lost.
        _ = try again.load()
        try again.commit(scene.turn)
        #expect(try Contents(again) == after)
      }
      try? again.close()
      guard hasFailed else { break }
    }
    print("\(name): \(failed) turns were undone, \(landed) were whole")
    #expect(failed > 10)
    #expect(landed >= 1)
  }

  @Test(arguments: faults.indices)
  func `an edit that fails at any write is there whole or not at all`(_ kind: Int) throws {
    let (name, fault) = Self.faults[kind]
    let folder = try TemporaryFolder()
    let path = folder.path("user.db")
    let first = try UserStore(path: path, key: .besides(path))
    try first.close()
    var isDone = false
    var write = 0
    while !isDone, write < 200 {
      write += 1
      let store = try UserStore(path: path, key: .besides(path), access: .edit)
      let before = try store.reminders().count
      FaultyDisk.plan(path, fault(UInt64(write) &* 77), atWrite: write)
      let made = try? store.addReminder(at: Timestamp(seconds: Int64(write))) {
        Reminder(id: $0, title: "milk", target: .category(CategoryID("grocery")), isMuted: true)
      }
      isDone = !FaultyDisk.hasFailed(path)
      try? store.close()
      try FaultyDisk.repair(path)
      let again = try UserStore(path: path, key: .besides(path), access: .edit)
      let count = try again.reminders().count
      #expect(count == before || count == before + 1, "\(name) at write \(write)")
      #expect(made == nil || count == before + 1, "\(name) at write \(write): lost")
      #expect(
        try again.pendingInbox().count { $0.isReminder } == count,
        "\(name) at write \(write)"
      )
      try again.close()
    }
    #expect(isDone)
  }

  @Test(arguments: [0, 1])
  func `a database that cannot be made leaves nothing but its key`(_ kind: Int) throws {
    let (name, fault) = Self.faults[kind]
    let folder = try TemporaryFolder()
    let path = folder.path("user.db")
    var write = 0
    repeat {
      write += 1
      FaultyDisk.plan(path, fault(0), atWrite: write)
      do {
        try UserStore(path: path, key: .besides(path)).close()
      } catch {
        #expect(error.path == path && error.code == (kind == 0 ? .full : .inputOutput), "\(error)")
        #expect(folder.names == ["user.db.key"], "\(name) at write \(write)")
      }
      try FaultyDisk.repair(path)
    } while !FileManager.default.fileExists(atPath: path) && write < 200
    #expect(write > 5)
    #expect(try UserStore(path: path, key: .besides(path), access: .edit).reminders().isEmpty)
  }
}
