import Foundation
import NearMeEngine
import Places
import TestSupport
import Testing
import Timeline
import UserStore

/// Three live reminders without entitlement (NM-7.3), whoever adds them.
@Suite struct LimitTests {
  @Test
  func `NM-7.3: a fourth live reminder is refused, done and muted and deleted ones do not count`()
    throws
  {
    let user = try User()
    for title in ["one", "two", "three"] { _ = try user.add(title, "bank") }
    #expect(throws: EditRefusal.limitReached(live: 3)) { try user.add("four", "bank") }
    _ = try user.store.act(.complete, on: "r1", at: user.tick(), zone: .utc).get()
    _ = try user.add("four", "bank")
    _ = try user.store.act(.mute, on: "r2", at: user.tick(), zone: .utc).get()
    _ = try user.add("five", "bank")
    #expect(throws: EditRefusal.limitReached(live: 3)) {
      try user.store.act(.unmute, on: "r2", at: user.tick(), zone: .utc).get()
    }
    #expect(try user.store.reminders().first { $0.id == "r2" }?.isMuted ?? false)
    _ = try user.store.deleteReminder("r3", at: user.tick()).get()
    _ = try user.store.act(.unmute, on: "r2", at: user.tick(), zone: .utc).get()
    #expect(try user.store.reminders().count(where: \.isLive) == 3)
  }

  @Test func `NM-7.3: of many that add at once exactly three succeed`() async throws {
    for round in 0..<5 {
      let user = try User()
      let path = user.path
      let added = await withTaskGroup(of: Int.self) { group in
        for worker in 0..<8 {
          group.addTask {
            guard let store = try? UserStore(path: path, key: .besides(path), access: .edit) else {
              return 0
            }
            return (0..<4)
              .count { number in
                let made = try? store.addReminder(at: Timestamp(seconds: 1_772_546_400)) {
                  Reminder(
                    id: $0,
                    title: "\(worker).\(number)",
                    target: .category(CategoryID("bank"))
                  )
                }
                return (try? made?.get()) != nil
              }
          }
        }
        return await group.reduce(0, +)
      }
      #expect(added == 3, "round \(round)")
      #expect(try user.store.reminders().count == 3)
      #expect(try user.store.pendingInbox().count { $0.isReminder } == 3)
    }
  }

  @Test func `NM-7.6: on the way back from premium the first three in order of making stay`() throws
  {
    let user = try User()
    try user.store.setEntitlement(.premium, at: user.tick())
    for title in ["one", "two", "three", "four", "five"] { _ = try user.add(title, "bank") }
    _ = try user.store.act(.mute, on: "r2", at: user.tick(), zone: .utc).get()
    try user.store.setEntitlement(.free, at: user.tick())
    let waiting = try UserStore.waiting(user.store.reminders(), user.store.entitlement())
    #expect(waiting.map(\.id) == ["r5"])
    // The engine keeps the same three.
    let host = try Host(user)
    #expect(host.engine.state.entitledReminders() == ["r1", "r3", "r4"])
    #expect(throws: EditRefusal.limitReached(live: 4)) { try user.add("six", "bank") }
  }
}

extension InboxEntry {
  var isReminder: Bool {
    if case .reminderSaved = event.kind { true } else { false }
  }
}
