import Foundation
import NearMeEngine
import Places
import Recurrence
import TestSupport
import Testing
import Timeline
import UserStore

/// What has ended: out of the engine's state, kept for as long as anybody wants it.
@Suite struct ArchiveTests {
  @Test func `what a running host sees end is archived with the turn, and its answers are kept`()
    throws
  {
    let user = try User()
    let reminder = try user.add("buy milk", "grocery")
    var host = try Host(user)
    #expect(host.engine.state.currentReminders.map(\.id) == [reminder.id])
    let done = try user.store.act(.complete, on: reminder.id, at: user.tick(), zone: .utc).get()
    #expect(done.status == .completed)
    // At once, whether or not a host runs.
    #expect(try user.store.reminders() == [])
    #expect(try user.store.history().map(\.id) == ["r1"])
    try host.takeInbox()
    #expect(host.engine.state.currentReminders == [])
    #expect(try user.store.history().map(\.reminder) == [done])
    // Had back while the host still runs.
    _ = try user.store.act(.reopen, on: "r1", at: user.tick(), zone: .utc).get()
    try host.takeInbox()
    #expect(host.engine.state.currentReminders.map(\.status) == [.active])
    #expect(try user.store.reminders() == host.engine.state.currentReminders)
    #expect(try user.store.history() == [])
  }

  @Test func `an answer that is taken back before the host has seen it leaves nothing behind`()
    throws
  {
    let user = try User()
    let reminder = try user.add("buy milk", "grocery")
    var host = try Host(user)
    _ = try user.store.act(.complete, on: reminder.id, at: user.tick(), zone: .utc).get()
    _ = try user.store.act(.reopen, on: reminder.id, at: user.tick(), zone: .utc).get()
    try host.takeInbox()
    #expect(host.engine.state.currentReminders.map(\.id) == ["r1"])
    #expect(try user.store.reminders().map(\.status) == [.active])
    #expect(try user.store.history() == [])
  }

  @Test func `an edit that meets the end of its reminder leaves it among what has ended`() throws {
    let user = try User()
    let made = try user.store
      .addReminder(at: user.tick()) {
        var reminder = Reminder(id: $0, title: "mail it", triggers: [.signal("unlock")])
        reminder.expires = WrittenTime("2026-03-03T15:00")
        return reminder
      }
      .get()
    var host = try Host(user)
    _ = try user.store.editReminder(made.id, at: user.tick()) { $0.title = "mail them" }.get()
    let end = user.tick(minutes: 120)
    try host.take(Event(at: end, .timer))
    for entry in try user.store.pendingInbox() {
      try host.take(Event(at: end + .seconds(1), entry.event.kind), inbox: entry.serial)
    }
    #expect(host.engine.state.currentReminders == [])
    #expect(try user.store.reminders() == [])
    #expect(try user.store.history().map { $0.reminder?.status } == [.expired])
  }

  @Test(arguments: [ReminderAction.mute, .snoozeFor(.minutes(30)), .complete])
  func `an answer that meets the end of its reminder leaves it among what has ended`(
    action: ReminderAction
  ) throws {
    let user = try User()
    let made = try user.store
      .addReminder(at: user.tick()) {
        var reminder = Reminder(id: $0, title: "mail it", triggers: [.signal("unlock")])
        reminder.expires = WrittenTime("2026-03-03T15:00")
        return reminder
      }
      .get()
    var host = try Host(user)
    let end = user.tick(minutes: 120)
    // Between the turn in which it ends and its commit.
    try host.take(Event(at: end, .timer)) {
      _ = try user.store
        .act(action, on: made.id, at: end - .minutes(90), zone: .utc)
        .get()
    }
    for entry in try user.store.pendingInbox() {
      try host.take(Event(at: end + .seconds(1), entry.event.kind), inbox: entry.serial)
    }
    #expect(host.engine.state.currentReminders == [])
    #expect(try user.store.reminders() == [])
    let status: Reminder.Status = action == .complete ? .completed : .expired
    #expect(try user.store.history().map { $0.reminder?.status } == [status])
  }

  @Test func `what is made anew under the id of one that has ended is heard of by the host`() throws
  {
    let user = try User()
    var host = try Host(user)
    for id in ["added", "restored"] {
      let new = Reminder(id: id, title: "water them", triggers: [.signal("unlock")])
      _ = try user.store.addReminder(id: id, at: user.tick()) { _ in new }.get()
      try host.takeInbox()
      _ = try user.store.act(.complete, on: id, at: user.tick(), zone: .utc).get()
      try host.takeInbox()
      if id == "added" {
        _ = try user.store.deleteReminder(id, at: user.tick()).get()
        _ = try user.store.addReminder(id: id, at: user.tick()) { _ in new }.get()
      } else {
        // From a backup.
        let intake = try user.store.takeIn(new, replacing: true, at: user.tick()).get()
        #expect(intake == .replaced)
      }
      try host.takeInbox()
      #expect(host.engine.state.currentReminders.last?.id == id)
      #expect(try user.store.reminders() == host.engine.state.currentReminders)
    }
  }

  @Test func `each time of what recurs that was answered is a row, never overwritten`() throws {
    let user = try User()
    let first = try #require(WrittenTime("2026-03-03T14:30"))
    let made = try user.store
      .addReminder(at: user.tick()) {
        Reminder(
          id: $0,
          title: "pills",
          triggers: [
            .schedule(Schedule(start: first, rule: try? RecurrenceRule("FREQ=HOURLY")))
          ]
        )
      }
      .get()
    var host = try Host(user)
    for _ in 0..<3 {
      _ = try user.store.act(.complete, on: made.id, at: user.tick(minutes: 60), zone: .utc).get()
      try host.takeInbox()
    }
    let past = try user.store.history()
    #expect(past.count == 3)
    #expect(past.map(\.at) == past.map(\.at).sorted(by: >))
    #expect(Set(past.compactMap(\.due)).count == 3)
    #expect(past.allSatisfy { $0.reminder?.title == "pills" && $0.id == made.id })
    #expect(try user.store.reminders().map(\.status) == [.active])
    // The last answer is taken back: it was a mistake.
    let answered = host.engine.state
    _ = try user.store.act(.reopen, on: made.id, at: user.tick(), zone: .utc).get()
    try host.takeInbox()
    #expect(host.engine.state != answered)
    #expect(try user.store.history().count == 2)
    #expect(try user.store.reminders().map(\.status) == [.active])
  }

  @Test func `an answer is in the history before any host hears of it, and once`() throws {
    let user = try User()
    let first = try #require(WrittenTime("2026-03-03T14:30"))
    let id =
      try user.store
      .addReminder(at: user.tick()) {
        Reminder(
          id: $0,
          title: "pills",
          triggers: [.schedule(Schedule(start: first, rule: RecurrenceRule(.daily)))]
        )
      }
      .get()
      .id
    func history(limit: Int = 20) throws -> [PastReminder] {
      try user.store.history(limit: limit, at: user.now, zone: .utc)
    }
    var host = try Host(user)
    _ = try user.store.act(.complete, on: id, at: user.tick(), zone: .utc).get()
    try host.takeInbox()
    _ = try user.store.act(.complete, on: id, at: user.tick(), zone: .utc).get()
    let both = try history()
    #expect(both.map(\.id) == [id, id] && both.allSatisfy { $0.reminder?.title == "pills" })
    #expect(try user.store.history().count == 1)
    let page = try history(limit: 1)
    #expect(page == Array(both.prefix(1)))
    let cursor = try #require(page.first).cursor
    #expect(
      try user.store.history(after: cursor, at: user.now, zone: .utc) == Array(both.dropFirst())
    )
    // Taken back while no host runs.
    _ = try user.store.act(.reopen, on: id, at: user.tick(), zone: .utc).get()
    #expect(try history() == Array(both.dropFirst()))
    try host.takeInbox()
    #expect(try history() == Array(both.dropFirst()))
    #expect(try history() == user.store.history())
  }

  @Test func `what was told its one time is in the history, also while its line can be answered`()
    throws
  {
    let user = try User()
    let id =
      try user.store
      .addReminder(at: user.tick()) {
        Reminder(id: $0, title: "call Ann", triggers: [.signal("unlock")], persistence: .once)
      }
      .get()
      .id
    func history() throws -> [PastReminder] { try user.store.history(at: user.now, zone: .utc) }
    var host = try Host(user)
    #expect(try history() == [])
    let told = user.tick()
    try host.take(Event(at: told, .signal(Signal(name: "unlock", id: "1"))))
    _ = user.tick(minutes: 3 * 1_440)
    #expect(try user.store.reminders().map(\.status) == [.fired])
    #expect(try history().map(\.id) == [id] && history().map(\.at) == [told])
    #expect(try history().first?.reminder?.status == .fired)
    let cursor = try #require(history().first).cursor
    #expect(try user.store.history(after: cursor, at: user.now, zone: .utc) == [])
    // Taken off the screen, it is over.
    _ = try user.store.dismiss(id, at: user.tick()).get()
    try host.takeInbox()
    #expect(try user.store.reminders() == [])
    #expect(try history() == user.store.history())
    #expect(try history().map { $0.reminder?.status } == [.fired])
  }

  @Test func `pages are the whole in order, wherever they are cut`() throws {
    let user = try User()
    let start = user.now
    // Several end at one instant.
    try user.store.takeIn(
      ended: (0..<57).map { ("number \($0)", start + .seconds(Int64($0 / 5))) }
    )
    let whole = try user.store.history(limit: 1_000)
    #expect(whole.count == 57)
    for limit in [1, 2, 3, 7, 56, 57] {
      var pages: [PastReminder] = []
      var cursor: PastReminder.Cursor?
      while true {
        let page = try user.store.history(after: cursor, limit: limit)
        pages += page
        guard page.count == limit, let last = page.last else { break }
        cursor = PastReminder.Cursor(last.cursor.text)
        #expect(cursor == last.cursor)
      }
      #expect(pages == whole, "\(limit)")
    }
    #expect(PastReminder.Cursor("yesterday") == nil)
    #expect(PastReminder.Cursor("1-x2") == nil)
  }

  @Test
  func `TODO-NFR14: of ten thousand that are done none is let go of, and pages reach the last`()
    throws
  {
    let user = try User()
    let (start, count) = (user.now, 10_000)
    try user.store.takeIn(ended: (0..<count).map { ("number \($0)", start + .seconds(Int64($0))) })
    // What comes in later pushes nothing out.
    _ = try Host(user)
    let last = try user.add("the last", "bank")
    _ = try user.store.act(.complete, on: last.id, at: user.tick(), zone: .utc).get()
    var titles: Set<String> = []
    var cursor: PastReminder.Cursor?
    while true {
      let page = try user.store.history(after: cursor, limit: 1_000)
      titles.formUnion(page.compactMap { $0.reminder?.title })
      guard page.count == 1_000, let oldest = page.last else { break }
      cursor = oldest.cursor
    }
    #expect(titles.count == count + 1 && titles.contains("number 0") && titles.contains("the last"))
  }

  @Test func `a search finds what a look at every title finds`() throws {
    let user = try User()
    var random = SeededGenerator(seed: 5)
    try user.store.setEntitlement(.premium, at: user.tick())
    let words = ["Milk", "crème", "BRÛLÉE", "straße", "ΑΒΓ", "x", "fence", "\u{1F95B}"]
    var titles: [String: String] = [:]
    for _ in 0..<300 {
      let title = (0...random.integer(0...3)).map { _ in words[random.integer(0...7)] }
        .joined(separator: " ")
      titles[try user.add(title, "bank").id] = title
      if random.integer(0...3) == 0, let id = titles.keys.sorted().first {
        _ = try user.store.deleteReminder(id, at: user.tick()).get()
        titles[id] = nil
      }
      if random.integer(0...3) == 0, let id = titles.keys.sorted().last {
        _ = try user.store.act(.complete, on: id, at: user.tick(), zone: .utc)
      }
    }
    for wanted in ["milk", "CREME", "brulee", "milk x", "αβγ", "\u{1F95B}", "nothing", ""] {
      func folded(_ text: String) -> String {
        text.folding(
          options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive],
          locale: nil
        )
      }
      let expected = titles.filter { folded($0.value).contains(folded(wanted)) }.keys.sorted()
      #expect(
        try user.store.search(wanted).sorted() == (wanted.isEmpty ? [] : expected),
        "\(wanted)"
      )
    }
    // No title can be read without the key.
    let bytes = try Data(contentsOf: URL(fileURLWithPath: user.path))
    #expect(bytes.range(of: Data("milk".utf8)) == nil)
  }
}
