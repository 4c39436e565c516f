import Foundation
import GRDBSQLite
import Geodesy
import NearMeEngine
import Places
import Recurrence
import Testing
import Timeline
import UserStore

/// What comes from elsewhere, and when things happened to a reminder.
@Suite struct IntakeTests {
  private let user: User

  init() throws {
    user = try User()
    try user.store.setEntitlement(.premium, at: user.tick())
  }

  private func reminder(_ id: String, _ title: String = "roses") -> Reminder {
    Reminder(id: id, title: title, triggers: [.signal("unlock")])
  }

  private func takeIn(_ reminder: Reminder, replacing: Bool = false) throws -> Intake {
    try user.store.takeIn(reminder, replacing: replacing, at: user.tick()).get()
  }

  @Test func `what is there is passed over, refused, or replaced where that is asked for`() throws {
    #expect(try takeIn(reminder("a")) == .added)
    #expect(try takeIn(reminder("a")) == .unchanged)
    #expect(throws: EditRefusal.idTaken("a")) { try takeIn(reminder("a", "lilies")) }
    #expect(try user.store.reminders().map(\.title) == ["roses"])
    var done = reminder("a", "lilies")
    (done.status, done.isMuted) = (.completed, true)
    #expect(try takeIn(done, replacing: true) == .replaced)
    #expect(try user.store.reminders() == [])
    #expect(try user.store.everyReminder() == [done])
    // The engine hears of it, in order; what has ended is none of its business.
    let events = try user.store.pendingInbox().map(\.event.kind)
    #expect(events.suffix(2) == [.reminderSaved(reminder("a")), .reminderDeleted("a")])
  }

  @Test func `what is replaced by the same in other words is changed, and not made anew`() throws {
    _ = try takeIn(reminder("a"))
    #expect(try takeIn(reminder("a", "lilies"), replacing: true) == .replaced)
    let events = try user.store.pendingInbox().map(\.event.kind)
    let saved: [Event.Kind] = [
      .reminderSaved(reminder("a")), .reminderSaved(reminder("a", "lilies")),
    ]
    #expect(events.suffix(2) == saved)
    #expect(try user.store.reminders() == [reminder("a", "lilies")])
  }

  @Test func `answers from elsewhere are kept once, and the engine hears of those that count`()
    throws
  {
    let now = user.tick()
    func answer(due: Int64, at: Int64) -> ReminderAnswer {
      ReminderAnswer(due: now + .minutes(due), at: now + .minutes(at))
    }
    // Two that are past, two that were done before they were due.
    let answers = [
      answer(due: -200, at: -190), answer(due: 90, at: -80), answer(due: -100, at: -90),
      answer(due: 80, at: -85),
    ]
    let coming = UserStore.Coming(reminder("a"), answers: answers)
    #expect(try user.store.takeIn([coming], at: now) == [.success(.added)])
    let inOrder = answers.sorted { $0.at < $1.at }
    #expect(try user.store.answers(at: now, zone: .utc) == ["a": inOrder])
    let heard = try user.store.pendingInbox().map(\.event.kind).suffix(3)
    let counting = inOrder.suffix(2).map { Event.Kind.reminderAnswered("a", $0) }
    #expect(Array(heard) == [.reminderSaved(reminder("a"))] + counting)
    // Once more with another title: nothing is kept twice, nothing is heard twice.
    var again = coming
    again.reminder.title = "lilies"
    #expect(try user.store.takeIn([again], replacing: true, at: now) == [.success(.replaced)])
    #expect(try user.store.answers(at: now, zone: .utc) == ["a": inOrder])
    #expect(
      try user.store.pendingInbox().last?.event.kind == .reminderSaved(reminder("a", "lilies"))
    )
  }

  @Test func `the answers of a reminder that is otherwise the same are taken in`() throws {
    let now = user.tick()
    _ = try takeIn(reminder("a"))
    let answer = ReminderAnswer(due: now + .minutes(90), at: now - .minutes(5))
    let coming = UserStore.Coming(reminder("a"), answers: [answer])
    #expect(try user.store.takeIn([coming], at: now) == [.success(.replaced)])
    #expect(try user.store.answers(at: now, zone: .utc) == ["a": [answer]])
    let heard = try user.store.pendingInbox()
    #expect(heard.last?.event.kind == .reminderAnswered("a", answer))
    #expect(try user.store.takeIn([coming], at: now) == [.success(.unchanged)])
    #expect(try user.store.pendingInbox().count == heard.count)
  }

  @Test func `an older answer from elsewhere does not undo one that no host has heard of yet`()
    throws
  {
    let first = try #require(WrittenTime("2026-03-04T09:00"))
    let daily = Schedule(start: first, rule: try RecurrenceRule("FREQ=DAILY"))
    let pills = Reminder(id: "a", title: "pills", triggers: [.schedule(daily)])
    _ = try takeIn(pills)
    let old = ReminderAnswer(due: user.now - .minutes(2_000), at: user.now - .minutes(1_900))
    _ = try user.store.act(.complete, on: "a", at: user.tick(), zone: .utc).get()
    let here = try user.store.answers(at: user.now, zone: .utc)["a"] ?? []
    #expect(here.map(\.at) == [user.now])
    func heard() throws -> [Event.Kind] {
      try user.store.pendingInbox().map(\.event.kind)
        .filter { if case .reminderAnswered = $0 { true } else { false } }
    }
    var changed = pills
    changed.title = "two pills"
    let coming = UserStore.Coming(changed, answers: [old])
    #expect(
      try user.store.takeIn([coming], replacing: true, at: user.tick()) == [.success(.replaced)]
    )
    #expect(try heard() == [])
    // What is exported now is there already.
    let same = UserStore.Coming(changed, answers: [old] + here)
    #expect(try user.store.takeIn([same], at: user.tick()) == [.success(.unchanged)])
    // One that was taken back holds up none.
    _ = try user.store.act(.reopen, on: "a", at: user.tick(), zone: .utc).get()
    let newer = ReminderAnswer(due: old.due + .minutes(1_440), at: old.at + .minutes(60))
    let more = UserStore.Coming(changed, answers: [old, newer])
    #expect(try user.store.takeIn([more], at: user.tick()) == [.success(.replaced)])
    #expect(try heard() == [.reminderAnswered("a", newer)])
  }

  @Test func `an answer that came in can be taken back before a host has heard of it, once`() throws
  {
    let first = try #require(WrittenTime("2026-03-04T09:00"))
    let daily = Schedule(start: first, rule: try RecurrenceRule("FREQ=DAILY"))
    let pills = Reminder(id: "a", title: "pills", triggers: [.schedule(daily)])
    let due = first.instant(in: .utc)
    let answer = ReminderAnswer(due: due, at: due + .minutes(5))
    let coming = UserStore.Coming(pills, answers: [answer])
    #expect(try user.store.takeIn([coming], at: user.tick()) == [.success(.added)])
    _ = try user.store.act(.reopen, on: "a", at: user.tick(), zone: .utc).get()
    let again = try user.store.act(.reopen, on: "a", at: user.tick(), zone: .utc)
    #expect(again == .failure(.nothingToChange("a")))
  }

  @Test func `what is there but for alarms that have passed since is there already`() throws {
    let start = user.tick()
    // Due in 100 minutes; alarms 60 and 20 minutes before, and 30 minutes from now by another clock.
    var due = Schedule.instant(start + .minutes(100))
    due.leads = [.minutes(60), .minutes(20)]
    let alarm = Trigger.schedule(.instant(start + .minutes(30)))
    let whole = Reminder(id: "a", title: "tax", triggers: [.schedule(due), alarm])
    _ = try takeIn(whole)
    due.leads = [.minutes(20)]
    let rest = Reminder(id: "a", title: "tax", triggers: [.schedule(due)])
    func result(_ reminder: Reminder, minutes: Int64) throws -> Result<Intake, EditRefusal>? {
      let coming = UserStore.Coming(reminder)
      return try user.store.takeIn([coming], at: start + .minutes(minutes)).first
    }
    // None, and one of the two has passed.
    for minutes in [0, 35] as [Int64] {
      #expect(try result(rest, minutes: minutes) == .failure(.idTaken("a")))
    }
    #expect(try result(rest, minutes: 40) == .success(.unchanged))
    #expect(try user.store.reminders() == [whole])
    // What is to come, or says something else, is another one.
    due.leads = []
    let none = Reminder(id: "a", title: "tax", triggers: [.schedule(due)])
    #expect(try result(none, minutes: 40) == .failure(.idTaken("a")))
    var other = rest
    other.title = "taxes"
    #expect(try result(other, minutes: 40) == .failure(.idTaken("a")))
    // Asked for, it is replaced.
    let coming = UserStore.Coming(rest)
    let replaced = try user.store.takeIn([coming], replacing: true, at: start + .minutes(40))
    #expect(replaced == [.success(.replaced)])
    #expect(try user.store.reminders() == [rest])
  }

  /// At 18:00 in New York it is the next day in Berlin.
  @Test func `a whole day whose alarm is on another day elsewhere is there already`() throws {
    let alarm = try #require(WrittenTime("2098-12-05T23:00:00Z")).instant(in: .utc)
    func reminder(_ id: String, _ day: String?, leads: [Milliseconds] = []) throws -> Reminder {
      var first = Schedule.instant(alarm)
      if let day { first = Schedule(start: try #require(WrittenTime(day))) }
      first.leads = leads
      return Reminder(
        id: id,
        title: "tax",
        triggers: [.schedule(first)] + (day == nil ? [] : [.schedule(.instant(alarm))])
      )
    }
    func result(_ reminder: Reminder) throws -> Result<Intake, EditRefusal>? {
      try user.store.takeIn([UserStore.Coming(reminder)], at: user.tick()).first
    }
    let hour = [Milliseconds.minutes(1_440)]
    let readings = [
      try reminder("a", nil, leads: hour), try reminder("b", "2098-12-05", leads: hour),
    ]
    for one in readings { #expect(try result(one) == .success(.added)) }
    #expect(try result(reminder("a", "2098-12-05", leads: hour)) == .success(.unchanged))
    #expect(try result(reminder("b", nil, leads: hour)) == .success(.unchanged))
    #expect(try user.store.reminders() == readings)
    // What has passed since is left out where the task has a time of its own.
    let day = try Reminder(
      id: "a",
      title: "tax",
      triggers: [
        .schedule(Schedule(start: #require(WrittenTime("2098-12-05"))))
      ]
    )
    let after = alarm + .minutes(60)
    let late = try user.store.takeIn([UserStore.Coming(day)], at: after)
    #expect(late == [.success(.unchanged)])
    // Another day is another task's.
    #expect(try result(reminder("a", "2098-12-08", leads: hour)) == .failure(.idTaken("a")))
    #expect(try result(reminder("b", "2098-12-08", leads: hour)) == .failure(.idTaken("b")))
  }

  @Test func `ids are those of elsewhere, and ours go on behind them`() throws {
    let uid = "040000008200E00074C5B7101A82E008@example.org/" + String(repeating: "x", count: 200)
    for id in ["r7", "r3", uid, "rx"] { #expect(try takeIn(reminder(id)) == .added) }
    let made = try user.store.addReminder(at: user.tick()) { reminder($0) }.get()
    let number = try #require(Int(made.id.dropFirst()))
    #expect(number > 7)
    for id in ["", "two words", "-x", "é", "a\u{7}", String(repeating: "x", count: 256)] {
      #expect(throws: EditRefusal.badID(id)) { try takeIn(reminder(id)) }
    }
    let place = Place(
      id: "p9",
      name: "Shed",
      kind: .other,
      coordinate: Coordinate(uncheckedLatitude: 39.29, longitude: -76.61)
    )
    #expect(try user.store.takeIn(place, at: user.tick()).get() == .added)
    #expect(try user.store.takeIn(place, at: user.tick()).get() == .unchanged)
    let next = try user.add(place: "Hut", .other, 39, -76)
    #expect(Int(next.id.dropFirst()).map { $0 > 9 } == true)
    let moved = Place(
      id: "p9",
      name: "Shed",
      kind: .home,
      coordinate: place.coordinate
    )
    #expect(throws: EditRefusal.idTaken("p9")) {
      try user.store.takeIn(moved, at: user.tick()).get()
    }
    #expect(try user.store.takeIn(moved, replacing: true, at: user.tick()).get() == .replaced)
    #expect(try user.store.places().contains(moved))
  }

  @Test func `a place from elsewhere is the one of its name and position here, or gets a free id`()
    throws
  {
    func place(_ id: String, _ name: String, _ latitude: Double) -> Place {
      Place(
        id: id,
        name: name,
        kind: .other,
        coordinate: Coordinate(uncheckedLatitude: latitude, longitude: -76.61)
      )
    }
    let gym = place("p1", "Gym", 39.3)
    #expect(try user.store.takeIn(gym, at: user.tick()).get() == .added)
    let coming = [
      place("p1", "Home", 39.29), place("p2", "Gym ", 39.3001), place("p4", "Gym", 39.4),
      place("x", "Gym", 39.30001),
    ]
    #expect(
      try user.store.placesHere(coming)
        == [place("p5", "Home", 39.29), gym, place("p4", "Gym", 39.4), gym]
    )
    #expect(
      try user.store.placesHere(coming, replacing: true)
        == [
          place("p5", "Home", 39.29), place("p1", "Gym ", 39.3001), place("p4", "Gym", 39.4),
          place("p1", "Gym", 39.30001),
        ]
    )
    // One that was renamed here is still that one.
    let renamed = place("p1", "Fitness", 39.30001)
    #expect(try user.store.placesHere([renamed]) == [gym])
    #expect(try user.store.placesHere([renamed], replacing: true) == [renamed])
    // Where the file says no more of it, it is replaced.
    #expect(try user.store.placesHere([coming[0]], replacing: true) == [coming[0]])
  }

  @Test func `of many that come together each is taken in or refused by itself`() throws {
    let lost = Reminder(id: "b", title: "b", triggers: [.leave(.place("nowhere"))])
    let coming = [reminder("a"), lost, reminder("a", "lilies"), reminder("a"), reminder("r8")]
    let results = try user.store.takeIn(
      coming.map { UserStore.Coming($0) },
      at: user.tick()
    )
    #expect(results.map { try? $0.get() } == [.added, nil, nil, .unchanged, .added])
    #expect(results[2] == .failure(.idTaken("a")))
    #expect(try user.store.reminders() == [reminder("a"), reminder("r8")])
  }

  @Test func `a reminder of a place that is not there is refused`() throws {
    let before = try user.store.pendingInbox().count
    let lost = Reminder(id: "a", title: "b", triggers: [.leave(.place("nowhere"))])
    #expect(throws: EditRefusal.self) { try takeIn(lost) }
    // Also one that is done: it may be reopened.
    var done = lost
    done.status = .completed
    #expect(throws: EditRefusal.self) { try takeIn(done) }
    #expect(try user.store.reminders().isEmpty && user.store.pendingInbox().count == before)
  }

  @Test func `when a reminder was made, changed and completed is known, until it is deleted`()
    throws
  {
    let store = user.store
    let made = user.tick()
    _ = try store.addReminder(id: "a", at: made) { reminder($0) }.get()
    #expect(try store.reminderDates() == ["a": ReminderDates(made: made)])
    let changed = user.tick()
    _ = try store.editReminder("a", at: changed) { $0.title = "lilies" }.get()
    let completed = user.tick()
    _ = try store.act(.complete, on: "a", at: completed, zone: .utc).get()
    let dates = ReminderDates(made: made, changed: changed, completed: completed)
    #expect(try store.reminderDates() == ["a": dates])
    let old = ReminderDates(made: Timestamp(seconds: 0), completed: Timestamp(seconds: 1))
    _ = try store.takeIn(reminder("b"), dates: old, at: user.tick()).get()
    #expect(try store.reminderDates()["b"] == old)
    _ = try store.deleteReminder("a", at: user.tick()).get()
    #expect(try store.reminderDates() == ["b": old])
  }

  @Test func `dates that no calendar has are passed over, and all others stay readable`() throws {
    let beyond = Timestamp(milliseconds: 253_402_300_800_000)
    let made = Timestamp(milliseconds: 253_402_300_799_999)
    let dates = ReminderDates(
      made: made,
      changed: Timestamp(milliseconds: .max),
      completed: beyond
    )
    var done = reminder("a")
    done.status = .completed
    let now = user.tick()
    #expect(try user.store.takeIn(done, dates: dates, at: now).get() == .added)
    // When it was completed is not known: it is when it came.
    #expect(try user.store.reminderDates() == ["a": ReminderDates(made: made, completed: now)])
    #expect(try user.store.everyReminder() == [done])
  }

  @Test func `a file of version 2 gets the dates, and keeps what it has`() throws {
    _ = try takeIn(reminder("a"))
    try user.store.close()
    var database: OpaquePointer?
    #expect(sqlite3_open(user.path, &database) == SQLITE_OK)
    let older =
      "DROP TABLE reminder_date; DROP TABLE archive; DROP TABLE completion; DROP TABLE title;"
      + "DELETE FROM setting WHERE name = 'titles'; PRAGMA user_version = 2"
    #expect(sqlite3_exec(database, older, nil, nil, nil) == SQLITE_OK)
    #expect(sqlite3_close(database) == SQLITE_OK)
    let store = try user.open()
    #expect(try store.reminders() == [reminder("a")])
    #expect(try store.reminderDates().isEmpty)
    let completed = user.tick()
    _ = try store.act(.complete, on: "a", at: completed, zone: .utc).get()
    #expect(try store.reminderDates() == ["a": ReminderDates(completed: completed)])
    #expect(try store.search("roses") == ["a"])
  }
}
