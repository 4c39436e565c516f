import Foundation
import Geodesy
import NearMeEngine
import Places
import Recurrence
import TestSupport
import Testing
import Timeline
import UserStore

/// What the user changes reaches the engine, whether the host runs or sleeps.
@Suite struct EditTests {
  @Test func `YOMO-4.5.1a: the host's policy says how long a snooze may last`() throws {
    let user = try User()
    _ = try user.add("buy milk", "grocery")
    let now = user.tick()
    let long = ReminderAction.snoozeFor(.minutes(90))
    let refused = try user.store.act(long, on: "r1", at: now, zone: .utc)
    #expect(refused == .failure(.cannotBeDone("r1", .snoozeOutOfRange)))
    #expect(try user.store.reminders().first?.snooze == nil)
    var policy = Policy()
    policy.snooze.most = .minutes(120)
    let store = try user.open(policy: policy)
    let taken = try store.act(long, on: "r1", at: now, zone: .utc).get()
    #expect(taken.snooze == .until(now + .minutes(90)))
    #expect(try user.store.reminders().first?.snooze == taken.snooze)
    let longer = try store.act(.snoozeFor(.minutes(121)), on: "r1", at: now, zone: .utc)
    #expect(longer == .failure(.cannotBeDone("r1", .snoozeOutOfRange)))
  }

  @Test func `one whose days are over gets a new end, and nothing else`() throws {
    let user = try User()
    let end = try #require(WrittenTime("2026-03-03T15:00"))
    _ = try user.store
      .addReminder(at: user.tick()) {
        Reminder(id: $0, title: "mail it", triggers: [.signal("unlock")], expires: end)
      }
      .get()
    var host = try Host(user)
    try host.take(Event(at: user.tick(minutes: 120), .timer))
    #expect(try user.store.everyReminder().map(\.status) == [.expired])
    let edited = try user.store.editReminder("r1", at: user.tick()) { $0.title = "post it" }
    #expect(edited == .failure(.hasExpired("r1")))
    #expect("\(EditRefusal.hasExpired("r1"))".contains("nearme reminder reopen r1 --expires"))
    let muted = try user.store.act(.mute, on: "r1", at: user.tick(), zone: .utc)
    #expect(muted == .failure(.hasExpired("r1")))
    let bare = try user.store.act(.reopen, on: "r1", at: user.tick(), zone: .utc)
    #expect(bare == .failure(.hasExpired("r1")))
    func reopened(until text: String) throws -> Result<Reminder, EditRefusal> {
      let end = try #require(WrittenTime(text))
      return try user.store.reopenReminder("r1", at: user.tick(), zone: .utc) { $0.expires = end }
    }
    #expect(try reopened(until: "2026-03-03T15:30") == .failure(.hasExpired("r1")))
    let again = try reopened(until: "2026-03-05").get()
    #expect(again.status == .active && again.title == "mail it")
    try host.takeInbox()
    #expect(host.engine.state.currentReminders == [again])
    // One that has not ended is edited.
    #expect(try reopened(until: "2026-03-06") == .failure(.nothingToChange("r1")))
  }

  @Test func `what is refused of one that has ended says how to have it back`() throws {
    let user = try User()
    _ = try user.store
      .addReminder(at: user.tick()) {
        Reminder(id: $0, title: "mail it", triggers: [.signal("unlock")])
      }
      .get()
    _ = try user.store.act(.complete, on: "r1", at: user.tick(), zone: .utc).get()
    let muted = try user.store.act(.mute, on: "r1", at: user.tick(), zone: .utc)
    #expect(muted == .failure(.completed("r1")))
    let back = "r1 is done: `nearme reminder reopen r1` has it back"
    #expect("\(EditRefusal.completed("r1"))" == back)
    #expect("\(EditRefusal.cannotBeDone("r1", .completed))" == back)
    // Those whose dates are over have no end that could be put off: to edit them is refused, too.
    #expect("\(EditRefusal.cannotBeDone("r1", .daysAreOver))".contains("add it anew"))
  }

  @Test
  func `a series whose last time has passed is refused, a single time that has passed is not`()
    throws
  {
    let user = try User()
    let first = try #require(WrittenTime("2026-03-02T09:00"))
    let rule = try RecurrenceRule("FREQ=DAILY;COUNT=3")
    func refusal(_ triggers: [Trigger]) throws -> EditRefusal? {
      let reminder = Reminder(id: "new", title: "pills", triggers: triggers)
      // On 5 March 2026 at 08:40.
      return try user.store
        .refusal(of: reminder, at: Timestamp(seconds: 1_772_700_000), zone: .utc)
    }
    let series = Schedule(start: first, rule: rule)
    #expect(try refusal([.schedule(series)]) == .isOver("2026-03-02T09:00, \(rule)"))
    #expect(try refusal([.schedule(Schedule(start: first))]) == nil)
    // There is another reason to speak.
    #expect(try refusal([.schedule(series), .place(.category(CategoryID("pharmacy")))]) == nil)
    let longer = try RecurrenceRule("FREQ=DAILY;COUNT=4")
    #expect(try refusal([.schedule(Schedule(start: first, rule: longer))]) == nil)
    // Of dates, the last one is not over.
    let day = try #require(WrittenTime("2026-03-03"))
    #expect(try refusal([.schedule(Schedule(start: day, rule: rule))]) == nil)
  }

  @Test func `one that would end before its only time is refused, with both`() throws {
    let user = try User()
    let time = try #require(WrittenTime("2026-03-04T09:00"))
    let day = try #require(WrittenTime("2026-03-04"))
    func added(
      _ end: WrittenTime,
      leads: [Milliseconds] = [],
      _ more: [Trigger] = []
    ) throws -> Result<Reminder, EditRefusal> {
      try user.store.addReminder(at: user.tick()) {
        Reminder(
          id: $0,
          title: "call the bank",
          triggers: [.schedule(Schedule(start: time, leads: leads))] + more,
          expires: end
        )
      }
    }
    let refusal = EditRefusal.endsBefore("2026-03-04T09:00", end: "2026-03-04")
    #expect(try added(day) == .failure(refusal))
    #expect(try added(time) == .failure(.endsBefore("2026-03-04T09:00", end: "2026-03-04T09:00")))
    for text in ["2026-03-04T09:00", "2026-03-04"] {
      #expect(refusal.description.contains("\(text),") || refusal.description.contains("\(text):"))
    }
    // Ten hours before, or by another reason, it speaks.
    #expect(try added(day, leads: [.minutes(600)]).get().id == "r1")
    #expect(try added(day, [.signal("unlock")]).get().id == "r2")
    let edited = try user.store.editReminder("r1", at: user.tick()) {
      $0.triggers = [.schedule(Schedule(start: time))]
    }
    #expect(edited == .failure(refusal))
    let named = try user.store.editReminder("r1", at: user.tick()) { $0.title = "ring the bank" }
    #expect(try named.get().title == "ring the bank")
    let asked = try #require(try user.store.reminders().first { $0.id == "r2" })
    #expect(try user.store.refusal(of: asked, at: user.now, zone: .utc) == nil)
  }

  /// In New York the evening of the last day is the next day by the clock of Greenwich.
  @Test func `on its last evening a reminder can be edited, by the clock of its person`() throws {
    let user = try User()
    let newYork = UTCOffsetTable(
      identifier: "America/New_York",
      initialOffsetSeconds: -5 * 3_600,
      eras: []
    )
    let end = try #require(WrittenTime("2026-03-05"))
    _ = try user.store
      .addReminder(at: user.tick(), zone: newYork) {
        Reminder(id: $0, title: "mail it", triggers: [.signal("unlock")], expires: end)
      }
      .get()
    let evening = try #require(RFC3339.parse("2026-03-05T02:00:00Z"))
    let edited = try user.store.editReminder("r1", at: evening, zone: newYork) {
      $0.title = "post it"
    }
    #expect(try edited.get().status == .active)
    #expect(try user.store.reminders().map(\.status) == [.active])
    let later = try #require(RFC3339.parse("2026-03-05T06:00:00Z"))
    let over = try user.store.editReminder("r1", at: later, zone: newYork) { $0.title = "fax it" }
    #expect(over == .failure(.cannotBeDone("r1", .daysAreOver)))
    #expect(try user.store.reminders().map(\.title) == ["post it"])
  }

  @Test func `a snooze that was a mistake is taken back`() throws {
    let user = try User()
    _ = try user.add("take out the trash", at: try user.add(place: "Home", .home, 39.29, -76.59))
    let snoozed = try user.store.act(.snoozeToday, on: "r1", at: user.tick(), zone: .utc)
    #expect(try snoozed.get().snooze != nil)
    let awake = try user.store.act(.reopen, on: "r1", at: user.tick(), zone: .utc)
    #expect(try awake.get().snooze == nil)
    let again = try user.store.act(.reopen, on: "r1", at: user.tick(), zone: .utc)
    #expect(again == .failure(.nothingToChange("r1")))
    var host = try Host(user)
    try host.takeInbox()
    #expect(host.engine.state.currentReminders.map(\.snooze) == [nil])
  }

  @Test func `a fence that two reminders share survives the deletion of one`() throws {
    let user = try User()
    let home = try user.add(place: "Home", .home, 39.29, -76.59)
    _ = try user.add("take out the trash", at: home)
    _ = try user.add("water the roses", at: home)
    var host = try Host(user)
    try host.fix(39.50, -76.59, at: user.tick())
    _ = try user.store.deleteReminder("r1", at: user.tick()).get()
    try host.takeInbox()
    try host.arrive(39.29, -76.59, at: user.tick(minutes: 30))
    #expect(host.said.contains("Arriving at Home — water the roses now?"))
    #expect(!host.said.contains { $0.contains("trash") })
  }

  @Test func `NM-3.5: a place that moves takes its fences along at once`() throws {
    let user = try User()
    let home = try user.add(place: "Home", .home, 39.29, -76.59)
    _ = try user.add("take out the trash", at: home)
    var host = try Host(user)
    try host.fix(39.50, -76.59, at: user.tick())
    _ = try user.store
      .editPlace("p1", at: user.tick()) { old in
        Place(
          id: old.id,
          name: old.name,
          kind: old.kind,
          coordinate: Coordinate(uncheckedLatitude: 39.70, longitude: -76.59)
        )
      }
      .get()
    try host.takeInbox()
    try host.arrive(39.29, -76.59, at: user.tick(minutes: 30))
    #expect(host.said.isEmpty, "the old circle fired: \(host.said)")
    try host.fix(39.50, -76.59, at: user.tick(minutes: 30))
    try host.arrive(39.70, -76.59, at: user.tick(minutes: 30))
    #expect(host.said.contains("Arriving at Home — take out the trash now?"))
  }

  @Test func `a place can be changed whose reminders are about another one, too`() throws {
    let user = try User()
    let home = try user.add(place: "Home", .home, 39.29, -76.59)
    let work = try user.add(place: "Work", .work, 39.31, -76.61)
    let made = try user.store.addReminder(at: user.tick()) {
      Reminder(
        id: $0,
        title: "call",
        triggers: [.leave(.place(work.id))],
        conditions: [.outside(.place(home.id))]
      )
    }
    _ = try made.get()
    for place in [home, work] {
      let moved = try user.store.editPlace(place.id, at: user.tick()) { old in
        Place(
          id: old.id,
          name: old.name,
          kind: old.kind,
          coordinate: Coordinate(uncheckedLatitude: 39.70, longitude: -76.59)
        )
      }
      #expect(try moved.get().coordinate.latitude == 39.70)
    }
  }

  @Test func `CTX-6.6: what is changed while the host is asleep is taken in at its next start`()
    throws
  {
    let user = try User()
    let home = try user.add(place: "Home", .home, 39.29, -76.59)
    _ = try user.add("take out the trash", at: home)
    do {
      var host = try Host(user)
      try host.fix(39.50, -76.59, at: user.tick())
    }
    _ = try user.store.act(.complete, on: "r1", at: user.tick(), zone: .utc).get()
    _ = try user.add("water the roses", at: home)
    _ = try user.store.editReminder("r2", at: user.tick()) { $0.title = "water the tulips" }.get()
    var host = try Host(user)
    try host.fix(39.50, -76.59, at: user.tick())
    try host.arrive(39.29, -76.59, at: user.tick(minutes: 30))
    #expect(host.said.contains("Arriving at Home — water the tulips now?"))
    #expect(!host.said.contains { $0.contains("trash") || $0.contains("roses") })
    #expect(try user.store.reminders() == host.engine.state.currentReminders)
  }

  @Test func `what the host's policy refuses stands in the list as the host has it`() throws {
    let user = try User()
    _ = try user.add("buy milk", "grocery")
    _ = try user.add("call Ann", "bank")
    var host = try Host(user)
    var policy = Policy()
    policy.snooze.most = .minutes(120)
    let other = try user.open(policy: policy)
    let long = ReminderAction.snoozeFor(.minutes(90))
    _ = try other.act(long, on: "r1", at: user.tick(), zone: .utc).get()
    try host.takeInbox()
    #expect(host.engine.state.currentReminders.map(\.title) == ["buy milk", "call Ann"])
    #expect(try user.store.reminders() == host.engine.state.currentReminders)
  }

  @Test func `a place in use is not deleted, unless its reminders may go, too`() throws {
    let user = try User()
    let home = try user.add(place: "Home", .home, 39.29, -76.59)
    _ = try user.add("take out the trash", at: home)
    _ = try user.add("buy milk", "grocery")
    let kept = try user.store.deletePlace("p1", withReminders: false, at: user.tick())
    #expect(throws: EditRefusal.placeInUse("p1", by: ["r1"])) { try kept.get() }
    #expect(try user.store.places().count == 1)
    let gone = try user.store.deletePlace("p1", withReminders: true, at: user.tick())
    #expect(try gone.get() == ["r1"])
    #expect(try user.store.places().isEmpty)
    #expect(try user.store.reminders().map(\.id) == ["r2"])
    var host = try Host(user)
    try host.arrive(39.29, -76.59, at: user.tick())
    #expect(host.said.isEmpty)
  }

  @Test func `an unknown id names the nearest known one`() throws {
    let user = try User()
    _ = try user.add("buy milk", "grocery")
    _ = try user.store
      .addReminder(id: "prescription", at: user.tick()) {
        Reminder(id: $0, title: "pills", target: .category(CategoryID("pharmacy")))
      }
      .get()
    let edited = try user.store.act(.mute, on: "perscription", at: user.tick(), zone: .utc)
    #expect(throws: EditRefusal.unknownReminder("perscription", nearest: "prescription")) {
      try edited.get()
    }
    let placed = try user.store.addReminder(at: user.tick()) {
      Reminder(id: $0, title: "x", target: .place("hom"))
    }
    #expect(throws: EditRefusal.missingPlace("hom", nearest: nil)) { try placed.get() }
  }

  @Test func `what cannot be watched for is refused, and the list stays as it was`() throws {
    let user = try User()
    let home = try user.add(place: "Home", .home, 39.29, -76.59)
    for tiers: [Tier] in [[], [.approach(meters: 100), .arrival]] {
      let made = try user.store.addReminder(at: user.tick()) {
        Reminder(id: $0, title: "x", target: .place(home.id), tiers: tiers)
      }
      #expect(throws: EditRefusal.self) { try made.get() }
    }
    _ = try user.add("trash", at: home)
    let grown = try user.store.editPlace("p1", at: user.tick()) { old in
      Place(
        id: old.id,
        name: old.name,
        kind: old.kind,
        coordinate: old.coordinate,
        arrivalRadiusMeters: 5_000
      )
    }
    // As large as that, it is around the tiers before it: its reminders are told at arrival.
    #expect(try user.store.places() == [try grown.get()])
    #expect(try user.store.reminders().map(\.title) == ["trash"])
    #expect(try user.store.pendingInbox().count == 4)
    for title in [" \n ", "\u{0}", "\u{200B} \u{7}"] {
      let blank = try user.store.addReminder(at: user.tick()) {
        Reminder(id: $0, title: title, target: .category(CategoryID("bank")))
      }
      #expect(throws: EditRefusal.blank, "\(title.debugDescription)") { try blank.get() }
    }
  }

  @Test func `every silence leaves its reason in the store, without a place or a title`() throws {
    let user = try User()
    let home = try user.add(place: "Home", .home, 39.29, -76.59)
    _ = try user.add("take out the trash", at: home)
    var host = try Host(user)
    try host.fix(39.50, -76.59, at: user.tick())
    try user.store.setFocus(true, at: user.tick())
    try host.takeInbox()
    try host.arrive(39.29, -76.59, at: user.tick(minutes: 30))
    try host.fix(39.50, -76.59, at: user.tick(minutes: 30))
    try host.arrive(39.50, -76.59, at: user.tick(minutes: 1))
    let decisions = try user.store.decisions(of: "r1")
    let reasons = Set(decisions.map { "\($0.tier ?? "") \($0.outcome) \($0.reason ?? "")" })
    #expect(reasons.contains("arrival deferred focus"), "\(reasons)")
    #expect(reasons.contains("arrival suppressed exit"), "\(reasons)")
    #expect(reasons.contains("post_arrival:5m suppressed stale"), "\(reasons)")
    #expect(try user.store.decisions(of: "r2").isEmpty)
    #expect(try user.store.decisions(limit: 1).count == 1)
  }

  @Test func `decisions are forgotten after thirty days`() throws {
    let user = try User()
    let home = try user.add(place: "Home", .home, 39.29, -76.59)
    _ = try user.add("take out the trash", at: home)
    var host = try Host(user)
    try host.fix(39.50, -76.59, at: user.tick())
    try host.arrive(39.29, -76.59, at: user.tick(minutes: 30))
    try host.fix(39.50, -76.59, at: user.tick(minutes: 30))
    try host.arrive(39.50, -76.59, at: user.tick(minutes: 1))
    let first = try user.store.decisions(limit: 100).last?.at
    try host.arrive(39.29, -76.59, at: user.tick(minutes: 31 * 1_440))
    let kept = try user.store.decisions(limit: 100)
    #expect(!kept.isEmpty)
    #expect(try first.map { try #require(kept.last).at > $0 } ?? false)
  }
}

/// Events are counted only at the user's wish, and without anything of theirs (NM-9).
@Suite struct AnalyticsTests {
  @Test
  func
    `NM-9.5, CTX-1.7: nothing is counted before opting in, and opting out deletes what was counted`()
    throws
  {
    let user = try User()
    var host = try Host(user)
    _ = try user.add("take out the trash", "bank")
    try host.takeInbox()
    #expect(try user.store.analyticsQueue().isEmpty)
    try user.store.setAnalytics(true, at: user.tick())
    let home = try user.add(place: "Home", .home, 39.29, -76.59)
    _ = try user.add("water the roses", at: home)
    _ = try user.store.act(.snoozeFor(.minutes(15)), on: "r2", at: user.tick(), zone: .utc).get()
    _ = try user.store.act(.complete, on: "r2", at: user.tick(), zone: .utc).get()
    try host.takeInbox()
    let events = try user.store.analyticsQueue()
    #expect(
      events.map(\.event) == ["place_added", "task_created", "snooze_selected", "task_completed"]
    )
    #expect(events.allSatisfy { $0.at.milliseconds % 3_600_000 == 0 })
    #expect(Set(events.map(\.subject)).count == 1)
    #expect(!events[0].subject.contains(user.store.identity))
    try user.store.dropAnalytics(through: events[1].serial)
    #expect(try user.store.analyticsQueue().count == 2)
    // The host has not heard of it yet, and still reports; nothing of it is kept.
    try user.store.setAnalytics(false, at: user.tick())
    #expect(try user.store.analyticsQueue().isEmpty)
    _ = try user.add("buy milk", "grocery")
    try host.takeInbox()
    #expect(try user.store.analyticsQueue().isEmpty)
    #expect(try !user.store.isCounting())
  }

  @Test func `NM-9.2: the pseudonym changes with the month and with the database`() throws {
    var subjects: Set<String> = []
    for _ in 0..<2 {
      let user = try User()
      var host = try Host(user)
      try user.store.setAnalytics(true, at: user.tick())
      _ = try user.add("one", "bank")
      _ = user.tick(minutes: 31 * 1_440)
      _ = try user.add("two", "bank")
      try host.takeInbox()
      let queue = try user.store.analyticsQueue()
      #expect(queue.count == 2)
      subjects.formUnion(queue.map(\.subject))
    }
    #expect(subjects.count == 4)
  }
}
