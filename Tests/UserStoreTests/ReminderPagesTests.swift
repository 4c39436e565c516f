import NearMeEngine
import Testing
import Timeline
import UserStore

/// Reminders by page: what is to be done, and what has ended.
@Suite struct ReminderPagesTests {
  /// All pages of what has ended.
  private static func ended(
    _ store: UserStore,
    among ids: Set<String>? = nil,
    limit: Int
  ) throws -> [Reminder] {
    var all: [Reminder] = []
    var cursor: PastReminder.Cursor?
    while true {
      let page = try store.endedReminders(after: cursor, among: ids, limit: limit)
      all += page.map(\.reminder)
      guard page.count == limit, let last = page.last else { return all }
      cursor = PastReminder.Cursor(last.place.text)
      #expect(cursor == last.place)
    }
  }

  @Test func `pages of what has ended are the whole in order, wherever they are cut`() throws {
    let user = try User()
    let start = user.now
    // Several end at one instant.
    try user.store.takeIn(
      ended: (0..<23).map { ("number \($0)", start + .seconds(Int64($0 / 5))) }
    )
    let whole = try user.store.history(limit: 100).compactMap(\.reminder)
    #expect(whole.count == 23)
    let some = Set(whole.filter { $0.title.hasSuffix("2") }.map(\.id))
    for limit in [1, 2, 5, 22, 23, 24] {
      #expect(try Self.ended(user.store, limit: limit) == whole, "\(limit)")
      let found = try Self.ended(user.store, among: some, limit: limit)
      #expect(found.map(\.title) == ["number 22", "number 12", "number 2"], "\(limit)")
    }
    #expect(try user.store.openReminders(after: nil, among: nil, limit: 100) == [])
  }

  @Test func `a page of what is to be done goes on behind one that has ended, not behind one gone`()
    throws
  {
    let user = try User()
    try user.store.setEntitlement(.premium, at: user.tick())
    let made = try (0..<5).map { try user.add("number \($0)", "bank") }
    _ = try user.store.act(.complete, on: made[1].id, at: user.tick(), zone: .utc).get()
    #expect(try user.store.endedAt(made[1].id) == user.now)
    #expect(try user.store.endedAt(made[0].id) == nil)
    let pages = { (id: String?, limit: Int) in
      try user.store.openReminders(after: id, among: nil, limit: limit)?.map(\.id)
    }
    #expect(try pages(nil, 2) == [made[0].id, made[2].id])
    #expect(try pages(made[1].id, 2) == [made[2].id, made[3].id])
    #expect(try pages(made[4].id, 2) == [])
    _ = try user.store.deleteReminder(made[3].id, at: user.tick()).get()
    #expect(try pages(made[3].id, 2) == nil)
    _ = try user.store.act(.reopen, on: made[1].id, at: user.tick(), zone: .utc).get()
    #expect(try user.store.endedAt(made[1].id) == nil)
    #expect(try pages(nil, 9) == [0, 1, 2, 4].map { made[$0].id })
  }
}
