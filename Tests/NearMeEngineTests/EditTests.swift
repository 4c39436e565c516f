import Fencing
import Foundation
import Geodesy
import NearMeEngine
import Places
import Recurrence
import Testing
import Timeline
import Traces

/// What an edit has nothing to do with goes on as it was.
@Suite struct EditTests {
  private static let hut = Scene.place("hut", mile: 0)

  /// The hut some meters away, or with another radius.
  private static func hut(meters: Double, radiusMeters: Double? = nil) -> Event.Kind {
    .placeSaved(
      Place(
        id: "hut",
        name: "Hut",
        kind: .other,
        coordinate: Scene.coordinate(mile: meters / Tier.metersPerMile),
        arrivalRadiusMeters: radiusMeters
      )
    )
  }

  private static func time(_ minute: Int64) -> Trigger {
    .schedule(.instant(Scene.start + .minutes(minute)))
  }

  private static func daily(_ minute: Int64) throws -> Trigger {
    let start = WrittenTime(
      local: LocalDateTime(clamping: (Scene.start + .minutes(minute)).wholeSeconds)
    )
    return .schedule(Schedule(start: start, rule: try RecurrenceRule("FREQ=DAILY")))
  }

  /// What was heard at which minute, whatever number it has.
  private static func heard(_ scene: inout Scene) -> [String] {
    scene.heard()
      .map { line in
        line.split(separator: " ").enumerated().filter { $0.offset != 1 }.map(\.element)
          .joined(separator: " ")
      }
  }

  private static func call(_ triggers: Trigger...) -> Reminder {
    Reminder(id: "call", title: "call Ann", triggers: triggers)
  }

  private static func quiet(_ policy: inout Policy) {
    policy.quietHours = DailyWindow(startMinute: 8 * 60, endMinute: 9 * 60)
  }

  private static let edits: [Event.Kind] = [
    hut(meters: 3), hut(meters: 0, radiusMeters: 300), .placeDeleted("hut"),
  ]

  // MARK: Places

  @Test(arguments: edits)
  func `a time that waits goes on waiting when a place of its reminder is edited`(
    _ edit: Event.Kind
  ) throws {
    var asked = Self.call(Self.time(30))
    asked.conditions = [.outside(.place("hut"))]
    for call in [asked, Self.call(.place(.place("hut"), tiers: nil), Self.time(30))] {
      var scene = try Scene([call], places: [Self.hut], Self.quiet)
      scene.wait(until: 40)
      scene.send(edit, minute: 41)
      scene.wait(until: 120)
      #expect(Self.heard(&scene) == ["60.00 Call Ann."], "\(call.conditions)")
      #expect(scene.engine.violations() == [])
    }
  }

  @Test(arguments: edits)
  func `what was told of a time stays on the screen and is told again when a place is edited`(
    _ edit: Event.Kind
  ) throws {
    var call = Self.call(Self.time(30), .leave(.place("hut")))
    call.nag = Reminder.Nag(every: .minutes(10), atMost: 2)
    var scene = try Scene([call], places: [Self.hut])
    scene.wait(until: 31)
    scene.send(edit, minute: 32)
    #expect(!scene.log.contains { $0.contains("withdraw") }, "\(scene.log)")
    scene.wait(until: 120)
    let minutes = scene.heard().map { $0.prefix { $0 != " " } }
    #expect(minutes == ["30.00", "40.00", "50.00"])
  }

  @Test func `what was seen of a place that has moved is not told any more, and what was not is`()
    throws
  {
    let both = Reminder(
      id: "both",
      title: "look around",
      triggers: [.place(.place("hut"), tiers: nil), .place(.place("den"), tiers: nil)]
    )
    var scene = try Scene(
      [both],
      places: [Self.hut, Scene.place("den", mile: 0.1)],
      Self.quiet
    )
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 10)
    scene.send(Self.hut(meters: 3), minute: 11)
    #expect(scene.log.count { $0.contains("suppressed stale") } == 1, "\(scene.log)")
    scene.wait(until: 70)
    let heard = scene.heard()
    #expect(heard == ["60.00 n1: You're 5 miles from Den — look around?"])
  }

  // MARK: Where one is

  /// Of two reminders at one time, the one that asks one to be at the hut, and the one that asks the opposite.
  private static let inOrOut = [
    Reminder(
      id: "in",
      title: "be in",
      triggers: [time(60)],
      conditions: [.inside(.place("hut"))]
    ),
    Reminder(
      id: "out",
      title: "be out",
      triggers: [time(60)],
      conditions: [.outside(.place("hut"))]
    ),
  ]

  /// Ten minutes at the hut, where the phone falls silent; then the hut is edited.
  private static func told(after edit: [Event.Kind], isWritten: Bool) throws -> [String] {
    var scene = try Scene(inOrOut, places: [hut])
    scene.at(2, minute: 0)
    for minute in 3...13 { scene.at(0, minute: Double(minute)) }
    if isWritten {
      let events = edit.map { Event(at: scene.instant(40), $0) }
      scene.send(.written(events), minute: 40)
    } else {
      for kind in edit { scene.send(kind, minute: 40) }
    }
    scene.wait(until: 70)
    #expect(scene.engine.violations() == [])
    return scene.heard().map { String($0.drop { $0 != ":" }.dropFirst(2)) }
  }

  @Test(arguments: [true, false])
  func `who is at a place whose pin is set right is there still`(isWritten: Bool) throws {
    for edit in [hut(meters: 3), hut(meters: 0, radiusMeters: 300), hut(meters: -100)] {
      let told = try Self.told(after: [edit, .analytics(false)], isWritten: isWritten)
      #expect(told == ["Be in."], "\(edit)")
    }
    func hut(meters: Double, radiusMeters: Double? = nil) -> Event.Kind {
      Self.hut(meters: meters, radiusMeters: radiusMeters)
    }
  }

  @Test(arguments: [true, false])
  func `who was at a place that has moved far away is there no more`(isWritten: Bool) throws {
    for edit in [
      [Self.hut(meters: 11_000), .analytics(false)],
      [.placeDeleted("hut"), Self.hut(meters: 11_000)],
    ] {
      #expect(try Self.told(after: edit, isWritten: isWritten) == ["Be out."], "\(edit)")
    }
  }

  // MARK: Reminders

  @Test func `a time that waits goes on waiting when its reminder gets another trigger`() throws {
    for edited in [
      Self.call(.place(.place("hut"), tiers: nil), Self.time(30)),
      Self.call(.signal("unlock"), Self.time(600), Self.time(30)), Self.call(Self.time(30)),
    ] {
      var scene = try Scene(
        [Self.call(Self.time(30), .leave(.place("hut")))],
        places: [Self.hut],
        Self.quiet
      )
      scene.wait(until: 40)
      scene.send(.reminderSaved(edited), minute: 41)
      scene.wait(until: 120)
      #expect(Self.heard(&scene) == ["60.00 Call Ann."], "\(edited.triggers)")
      #expect(scene.engine.violations() == [])
    }
  }

  @Test func `a time that is taken away does not wait any longer`() throws {
    var scene = try Scene([Self.call(Self.time(30))], places: [Self.hut], Self.quiet)
    scene.wait(until: 40)
    scene.send(.reminderSaved(Self.call(Self.time(300))), minute: 41)
    scene.wait(until: 120)
    #expect(scene.heard() == [])
  }

  @Test func `a snooze that ends with another trigger tells what was snoozed`() throws {
    var scene = try Scene([Self.call(Self.time(30))], places: [Self.hut])
    scene.wait(until: 31)
    scene.act("call", .snoozeFor(.minutes(60)), minute: 32)
    #expect(Self.heard(&scene) == ["30.00 Call Ann."])
    let edited = Self.call(.place(.place("hut"), tiers: nil), Self.time(30))
    scene.send(.reminderSaved(edited), minute: 40)
    #expect(Self.heard(&scene) == ["40.00 Call Ann."])
    scene.wait(until: 200)
    #expect(scene.heard() == [])
  }

  @Test func `a snooze of a time that is taken back tells it at once`() throws {
    var edited = Self.call(Self.time(30))
    for isEdited in [false, true] {
      var scene = try Scene([Self.call(Self.time(30))])
      scene.wait(until: 31)
      scene.act("call", .snoozeFor(.minutes(60)), minute: 32)
      edited.conditions = [.window(try #require(WeeklyWindow("mon-sun 08:00-20:00")))]
      scene.send(
        isEdited ? .reminderSaved(edited) : .action(reminder: "call", .reopen),
        minute: 40
      )
      scene.wait(until: 200)
      #expect(Self.heard(&scene) == ["30.00 Call Ann.", "40.00 Call Ann."], "\(isEdited)")
    }
  }

  @Test func `what is told again is so with another trigger, and stays on the screen`() throws {
    var call = Self.call(Self.time(30))
    call.nag = Reminder.Nag(every: .minutes(10), atMost: 2)
    var scene = try Scene([call], places: [Self.hut])
    scene.wait(until: 31)
    call.triggers = [.leave(.place("hut")), Self.time(30)]
    scene.send(.reminderSaved(call), minute: 32)
    #expect(!scene.log.contains { $0.contains("withdraw") }, "\(scene.log)")
    scene.wait(until: 120)
    let minutes = scene.heard().map { $0.prefix { $0 != " " } }
    #expect(minutes == ["30.00", "40.00", "50.00"])
  }

  @Test(arguments: [nil, Reminder.Nag(every: .minutes(5), atMost: 1)])
  func `a snooze of what is told again ends as it was asked for, however the reminder nags by then`(
    _ nag: Reminder.Nag?
  ) throws {
    for trigger in [Self.time(1), .signal("unlock")] {
      var call = Self.call(trigger)
      call.nag = Reminder.Nag(every: .minutes(10), atMost: 3)
      var scene = try Scene([call])
      scene.send(Self.unlock("1"), minute: 1)
      scene.wait(until: 22)
      #expect(Self.minutes(&scene) == ["1.00", "11.00", "21.00"])
      scene.act("call", .snoozeFor(.minutes(30)), minute: 23)
      call.nag = nag
      scene.send(.reminderSaved(call), minute: 24)
      scene.wait(until: 200)
      #expect(Self.minutes(&scene) == ["53.00"], "\(trigger)")
      #expect(scene.engine.violations() == [])
    }
  }

  // MARK: Leads

  private static func time(_ minute: Int64, leads: [Milliseconds]) -> Trigger {
    var schedule = Schedule.instant(Scene.start + .minutes(minute))
    schedule.leads = leads
    return .schedule(schedule)
  }

  @Test func `a time that has come does not come anew with a lead`() throws {
    let leads = [[Milliseconds.minutes(10)], []]
    for (before, after) in [(leads[0], leads[1]), (leads[1], leads[0])] {
      var call = Self.call(Self.time(30, leads: before))
      for isOnce in [false, true] {
        if isOnce { call.persistence = .once }
        var scene = try Scene([call])
        scene.wait(until: 31)
        #expect(Self.minutes(&scene).last == "30.00")
        var edited = call
        edited.triggers = [Self.time(30, leads: after)]
        let known = scene.log.count
        scene.send(.reminderSaved(edited), minute: 40)
        scene.wait(until: 200)
        #expect(scene.heard() == [], "\(before) \(isOnce)")
        let isGone = scene.log.dropFirst(known).contains { $0.contains("withdraw") }
        #expect(!isGone, "\(scene.log)")
        #expect(scene.engine.violations() == [])
      }
    }
  }

  @Test func `a time that waits or is snoozed goes on when a lead is added`() throws {
    let edited = Self.call(Self.time(30, leads: [.minutes(10)]))
    var waiting = try Scene([Self.call(Self.time(30))], Self.quiet)
    waiting.wait(until: 40)
    waiting.send(.reminderSaved(edited), minute: 41)
    waiting.wait(until: 120)
    #expect(Self.minutes(&waiting) == ["60.00"])
    var snoozed = try Scene([Self.call(Self.time(30))])
    snoozed.wait(until: 31)
    snoozed.act("call", .snoozeFor(.minutes(60)), minute: 32)
    snoozed.send(.reminderSaved(edited), minute: 40)
    snoozed.wait(until: 120)
    #expect(Self.minutes(&snoozed) == ["30.00", "40.00"])
  }

  @Test func `a lead that is added goes by what was answered`() throws {
    func series(_ rule: String, _ anchor: Anchor, leads: [Milliseconds]) throws -> Reminder {
      let start = try #require(WrittenTime("2026-01-05T08:30"))
      let schedule = Schedule(
        start: start,
        rule: try RecurrenceRule(rule),
        anchor: anchor,
        leads: leads
      )
      return Self.call(.schedule(schedule))
    }
    // Done ahead of its time.
    var daily = try Scene([try series("FREQ=DAILY", .catchUp, leads: [])])
    daily.act("call", .complete, minute: 10)
    daily.send(
      .reminderSaved(try series("FREQ=DAILY", .catchUp, leads: [.minutes(15)])),
      minute: 11
    )
    daily.wait(until: 1_500)
    #expect(Self.minutes(&daily) == ["1455.00", "1470.00"])
    // Done a day late: it comes on the fourth day, and not on the third.
    let rule = "FREQ=DAILY;INTERVAL=3"
    var counted = try Scene([try series(rule, .completion, leads: [])])
    counted.wait(until: 1_500)
    counted.act("call", .complete, minute: 1_500)
    counted.send(
      .reminderSaved(try series(rule, .completion, leads: [.minutes(15)])),
      minute: 2_000
    )
    counted.wait(until: 9_000)
    #expect(Self.minutes(&counted) == ["30.00", "5775.00", "5790.00"])
    // Nothing is due before the answer.
    counted.send(
      .reminderSaved(try series(rule, .completion, leads: [.minutes(15), .minutes(20)])),
      minute: 9_001
    )
    counted.wait(until: 20_000)
    #expect(counted.heard() == [])
  }

  // MARK: Visits

  /// A reminder of the hut that gets a time, before its place or behind it, or another condition.
  private static func edits(of hut: Trigger) -> [Reminder] {
    var elsewhere = Self.call(hut)
    elsewhere.conditions = [.outside(.place("den"))]
    return [Self.call(hut, Self.time(6_000)), Self.call(Self.time(6_000), hut), elsewhere]
  }

  private static let den = Scene.place("den", mile: 50)

  @Test func `what was seen of a place goes on when its reminder gets another trigger`() throws {
    let hut = Trigger.place(.place("hut"), tiers: nil)
    for edited in Self.edits(of: hut) {
      var scene = try Scene([Self.call(hut)], places: [Self.hut, Self.den])
      scene.at(7, minute: 0)
      scene.at(4.9, minute: 4)
      #expect(scene.heard() == ["4.00 n1: You're 5 miles from Hut — call Ann?"])
      scene.send(.reminderSaved(edited), minute: 5)
      #expect(!scene.log.contains { $0.contains("withdraw") }, "\(scene.log)")
      // On the way to the door, where one has been within five miles before.
      scene.at(4.5, minute: 6)
      #expect(scene.heard() == [])
      for minute in 20...24 { scene.at(0, minute: Double(minute), speed: 0) }
      #expect(scene.heard().count { $0.contains("Arriving at Hut") } == 1, "\(edited)")
      // Once more within the five minutes after which one is asked.
      var again = edited
      again.triggers.append(.signal("unlock"))
      scene.send(.reminderSaved(again), minute: 24)
      scene.wait(until: 60)
      let asked = scene.heard()
      #expect(asked.count == 1 && asked[0].contains("Still need to call Ann?"), "\(asked)")
      #expect(scene.engine.violations() == [])
    }
  }

  @Test func `an approach that is snoozed is told when its reminder gets another trigger`() throws {
    let hut = Trigger.place(.place("hut"), tiers: nil)
    for edited in Self.edits(of: hut) {
      var scene = try Scene([Self.call(hut)], places: [Self.hut, Self.den])
      scene.at(7, minute: 0)
      scene.at(4.9, minute: 4)
      scene.act("call", .snoozeFor(.minutes(30)), minute: 5)
      scene.at(4.8, minute: 9)
      scene.send(.reminderSaved(edited), minute: 10)
      scene.wait(until: 100)
      #expect(Self.minutes(&scene) == ["4.00", "10.00"], "\(edited)")
      #expect(scene.engine.violations() == [])
    }
  }

  @Test func `an app that sleeps is woken at a place whose reminder has got another trigger`()
    throws
  {
    let hut = Trigger.place(.place("hut"), tiers: nil)
    for edited in Self.edits(of: hut) {
      var scene = try Scene(
        [Self.call(hut)],
        places: [Self.hut, Self.den],
        monitoring: .regions(MonitorLimits())
      )
      let first = scene.start(at: 20, minute: 0, speed: 20)
      let known = scene.effects.count
      scene.send(.reminderSaved(edited), minute: 5)
      let asks = scene.effects.dropFirst(known)
        .contains { if case .locate = $0 { true } else { false } }
      #expect(asks)
      _ = scene.pass(from: first, to: 19, minute: 6, speed: 20)
      #expect(!scene.engine.state.currentRegions.isEmpty)
      #expect(scene.engine.certificateViolations() == [])
      #expect(scene.engine.violations() == [])
    }
  }

  // MARK: Series

  /// What comes from 08:30 on.
  private static func series(
    _ rule: String = "FREQ=DAILY",
    _ anchor: Anchor = .catchUp,
    added: String? = nil,
    without: String? = nil,
    leads: [Milliseconds] = []
  ) throws -> Reminder {
    let times = try [added, without]
      .map { text in
        try text.map { try #require(WrittenTime($0)) }
      }
    let schedule = Schedule(
      start: try #require(WrittenTime("2026-01-05T08:30")),
      rule: try RecurrenceRule(rule),
      added: times[0].map { [$0] } ?? [],
      excluded: times[1].map { [$0] } ?? [],
      anchor: anchor,
      leads: leads
    )
    return Self.call(.schedule(schedule))
  }

  @Test func `a time that was told stays told when another one of its series is left out`() throws {
    var scene = try Scene([try Self.series()])
    scene.wait(until: 31)
    #expect(Self.minutes(&scene) == ["30.00"])
    scene.send(.reminderSaved(try Self.series(without: "2026-01-06T08:30")), minute: 40)
    #expect(!scene.log.contains { $0.contains("withdraw") }, "\(scene.log)")
    scene.wait(until: 3_000)
    #expect(Self.minutes(&scene) == ["2910.00"])
    // Its own day is left out.
    let known = scene.log.count
    scene.send(.reminderSaved(try Self.series(without: "2026-01-07T08:30")), minute: 3_001)
    let isGone = scene.log.dropFirst(known).contains { $0.contains("withdraw") }
    #expect(isGone, "\(scene.log)")
    scene.wait(until: 4_400)
    #expect(Self.minutes(&scene) == ["4350.00"])
    #expect(scene.engine.violations() == [])
  }

  @Test func `a time that was added comes, and one that was answered ahead does not`() throws {
    for isAnswered in [false, true] {
      var scene = try Scene([try Self.series()])
      if isAnswered { scene.act("call", .complete, minute: 10) }
      scene.send(.reminderSaved(try Self.series(added: "2026-01-05T12:00")), minute: 11)
      scene.wait(until: 1_500)
      let heard = Self.minutes(&scene)
      #expect(heard == (isAnswered ? [] : ["30.00"]) + ["240.00", "1470.00"])
    }
  }

  @Test(arguments: [("20260301", ["30.00", "5790.00"]), ("20260108", ["30.00"])])
  func `what is counted from answers is so still when it gets an end`(
    _ end: String,
    _ heard: [String]
  ) throws {
    let rule = "FREQ=DAILY;INTERVAL=3"
    var scene = try Scene([try Self.series(rule, .completion)])
    scene.wait(until: 1_500)
    // A day late: it comes on the fourth day, and not on the third.
    scene.act("call", .complete, minute: 1_500)
    scene.send(
      .reminderSaved(try Self.series("\(rule);UNTIL=\(end)", .completion)),
      minute: 2_000
    )
    scene.wait(until: 9_000)
    #expect(Self.minutes(&scene) == heard)
    #expect(scene.engine.violations() == [])
  }

  @Test func `what is counted from answers does not ring at a time that is left out`() throws {
    let rule = "FREQ=DAILY;INTERVAL=3"
    for leads in [[], [Milliseconds.minutes(15)]] {
      var scene = try Scene([try Self.series(rule, .completion, leads: leads)])
      scene.wait(until: 1_500)
      // A day late: it comes on Friday.
      scene.act("call", .complete, minute: 1_500)
      _ = scene.heard()
      scene.send(
        .reminderSaved(
          try Self.series(rule, .completion, without: "2026-01-09T08:30", leads: leads)
        ),
        minute: 2_000
      )
      scene.wait(until: 12_000)
      #expect(Self.minutes(&scene) == (leads.isEmpty ? [] : ["10095.00"]) + ["10110.00"])
      #expect(scene.engine.violations() == [])
    }
  }

  @Test func `what was told of a time that is left out is not waited for to be answered`() throws {
    let rule = "FREQ=DAILY;INTERVAL=3"
    for leads in [[], [Milliseconds.minutes(15)]] {
      var call = try Self.series(rule, .completion, leads: leads)
      call.nag = Reminder.Nag(every: .minutes(10), atMost: 5)
      var scene = try Scene([call])
      scene.wait(until: 31)
      #expect(Self.minutes(&scene).last == "30.00")
      var edited = try Self.series(rule, .completion, without: "2026-01-05T08:30", leads: leads)
      edited.nag = call.nag
      let known = scene.log.count
      scene.send(.reminderSaved(edited), minute: 35)
      let isGone = scene.log.dropFirst(known).contains { $0.contains("withdraw") }
      #expect(isGone, "\(scene.log)")
      scene.wait(until: 4_351)
      #expect(Self.minutes(&scene) == (leads.isEmpty ? [] : ["4335.00"]) + ["4350.00"])
      #expect(scene.engine.violations() == [])
    }
  }

  /// What is heard after an answer, an edit, and that the answer is taken back.
  private static func reopened(
    _ call: Reminder,
    doneAt minute: Double,
    to edited: Reminder,
    until end: Double
  ) throws -> [String] {
    var scene = try Scene([call])
    scene.wait(until: minute)
    scene.act("call", .complete, minute: minute)
    scene.send(.reminderSaved(edited), minute: minute + 1)
    scene.act("call", .reopen, minute: minute + 2)
    scene.wait(until: minute + 3)
    #expect(!isRefused(scene), "\(scene.log)")
    _ = scene.heard()
    scene.wait(until: end)
    #expect(scene.engine.violations() == [])
    return minutes(&scene)
  }

  /// Whether there was nothing to take back.
  private static func isRefused(_ scene: Scene) -> Bool {
    scene.effects.contains { effect in
      if case .record(.actionRefused(_, _, .nothingToReopen)) = effect { true } else { false }
    }
  }

  private static func takenBack(_ scene: Scene) -> [[Timestamp]] {
    scene.effects.compactMap { effect in
      if case .record(.answerTakenBack(_, _, let times)) = effect { times } else { nil }
    }
  }

  @Test func `an answer that is taken back after an edit of its series loses none of its times`()
    throws
  {
    let lead = [Milliseconds.minutes(15)]
    let (noon, tuesday) = ("2026-01-05T12:00", "2026-01-06T08:30")
    let added = try Self.reopened(
      try Self.series(),
      doneAt: 35,
      to: try Self.series(added: noon),
      until: 1_500
    )
    #expect(added == ["240.00", "1470.00"])
    let withLeads = try Self.reopened(
      try Self.series(leads: lead),
      doneAt: 35,
      to: try Self.series(added: noon, leads: lead),
      until: 1_500
    )
    #expect(withLeads == ["225.00", "240.00", "1455.00", "1470.00"])
    let takenIn = try Self.reopened(
      try Self.series(without: tuesday),
      doneAt: 35,
      to: try Self.series(),
      until: 3_000
    )
    #expect(takenIn == ["1470.00", "2910.00"])
    // Done ahead of its time.
    let ahead = try Self.reopened(
      try Self.series(),
      doneAt: 10,
      to: try Self.series(leads: lead),
      until: 1_400
    )
    #expect(ahead == ["15.00", "30.00"])
  }

  @Test func `a series that was over and goes on longer does so after an answer is taken back`()
    throws
  {
    var scene = try Scene([try Self.series("FREQ=DAILY;UNTIL=20260107", .schedule)])
    scene.wait(until: 31)
    scene.act("call", .complete, minute: 35)
    scene.wait(until: 3_000)
    scene.act("call", .complete, minute: 3_001)
    let longer = try Self.series("FREQ=DAILY;UNTIL=20260109", .schedule)
    scene.send(.reminderSaved(longer), minute: 3_010)
    scene.act("call", .reopen, minute: 3_020)
    scene.wait(until: 3_030)
    #expect(Self.takenBack(scene) == [[scene.instant(1_470)]])
    _ = scene.heard()
    scene.wait(until: 9_000)
    #expect(Self.minutes(&scene) == ["4350.00", "5790.00"])
    #expect(scene.engine.violations() == [])
  }

  @Test func `an answer to a time that was left out meanwhile cannot be taken back`() throws {
    for leads in [[], [Milliseconds.minutes(15)]] {
      var scene = try Scene([try Self.series(leads: leads)])
      scene.wait(until: 31)
      scene.act("call", .complete, minute: 35)
      scene.send(
        .reminderSaved(try Self.series(without: "2026-01-05T08:30", leads: leads)),
        minute: 40
      )
      scene.act("call", .reopen, minute: 45)
      #expect(Self.isRefused(scene))
      // Of two of them, the other one is open again.
      var two = try Scene([try Self.series(leads: leads)])
      two.wait(until: 1_475)
      two.act("call", .complete, minute: 1_480)
      two.send(
        .reminderSaved(try Self.series(without: "2026-01-05T08:30", leads: leads)),
        minute: 1_485
      )
      two.act("call", .reopen, minute: 1_490)
      #expect(Self.takenBack(two) == [[two.instant(1_470)]])
    }
  }

  @Test func `one that was answered ahead does not come behind a time that was added before it`()
    throws
  {
    let edited = try Self.series(added: "2026-01-05T08:20")
    for (reopenedAt, heard) in [(nil, ["20.00"]), (12.0, ["20.00", "30.00"]), (25, ["30.00"])] {
      var scene = try Scene([try Self.series()])
      scene.act("call", .complete, minute: 10)
      scene.send(.reminderSaved(edited), minute: 11)
      if let reopenedAt {
        scene.wait(until: reopenedAt)
        scene.act("call", .reopen, minute: reopenedAt)
        scene.wait(until: reopenedAt + 1)
        #expect(Self.takenBack(scene) == [[scene.instant(30)]])
        _ = scene.heard()
      }
      scene.wait(until: 1_500)
      #expect(Self.minutes(&scene) == heard + ["1470.00"], "\(String(describing: reopenedAt))")
      #expect(scene.engine.violations() == [])
    }
    // It survives with the state.
    var before = try Scene([try Self.series()])
    before.act("call", .complete, minute: 10)
    before.send(.reminderSaved(edited), minute: 11)
    let stored = try JSONEncoder().encode(before.engine.state)
    var after = try Scene([], state: try JSONDecoder().decode(EngineState.self, from: stored))
    after.wait(until: 1_500)
    #expect(Self.minutes(&after) == ["20.00", "1470.00"])
    // Also after one more edit, and where the time that was added is answered, too.
    var scene = try Scene([try Self.series()])
    scene.act("call", .complete, minute: 10)
    scene.send(.reminderSaved(edited), minute: 11)
    scene.act("call", .complete, minute: 12)
    scene.send(.reminderSaved(try Self.series(added: "2026-01-05T08:25")), minute: 13)
    scene.wait(until: 1_500)
    #expect(Self.minutes(&scene) == ["25.00", "1470.00"])
  }

  @Test func `taken back is the newest answer, also after an older one from elsewhere`() throws {
    var scene = try Scene([try Self.series()])
    scene.wait(until: 1_475)
    scene.act("call", .complete, minute: 1_480)
    let older = ReminderAnswer(due: scene.instant(30), at: scene.instant(40))
    scene.send(.reminderAnswered("call", older), minute: 1_490)
    scene.act("call", .reopen, minute: 1_495)
    #expect(Self.takenBack(scene) == [[scene.instant(30), scene.instant(1_470)]])
    // One to another trigger is the last one.
    var two = try Scene([Self.call(try Self.daily(30), try Self.daily(90))])
    two.wait(until: 31)
    two.act("call", .complete, minute: 35)
    two.wait(until: 91)
    let newer = ReminderAnswer(due: two.instant(90), at: two.instant(92))
    two.send(.reminderAnswered("call", newer), minute: 95)
    two.act("call", .reopen, minute: 100)
    #expect(Self.takenBack(two) == [[two.instant(90)]])
  }

  // MARK: Moments

  private static func unlock(_ id: String) -> Event.Kind {
    .signal(Signal(name: "unlock", id: id))
  }

  private static func minutes(_ scene: inout Scene) -> [String] {
    scene.heard().map { String($0.prefix { $0 != " " }) }
  }

  @Test func `a snoozed signal is told when its reminder gets another trigger`() throws {
    for edited in [
      Self.call(.signal("unlock"), Self.time(600)), Self.call(Self.time(600), .signal("unlock")),
    ] {
      var scene = try Scene([Self.call(.signal("unlock"))])
      scene.send(Self.unlock("1"), minute: 1)
      scene.act("call", .snoozeFor(.minutes(60)), minute: 2)
      scene.send(.reminderSaved(edited), minute: 10)
      #expect(Self.minutes(&scene) == ["1.00", "10.00"], "\(edited.triggers)")
      // Whatever number its trigger has by now, it is said again.
      scene.act("call", .snoozeFor(.minutes(30)), minute: 11)
      scene.wait(until: 100)
      #expect(Self.minutes(&scene) == ["41.00"], "\(edited.triggers)")
      #expect(scene.engine.violations() == [])
    }
  }

  @Test func `of a signal that is not listened to any longer nothing is told again`() throws {
    var scene = try Scene([Self.call(.signal("unlock"))])
    scene.send(Self.unlock("1"), minute: 1)
    scene.act("call", .snoozeFor(.minutes(60)), minute: 2)
    scene.send(.reminderSaved(Self.call(.signal("car"))), minute: 10)
    scene.act("call", .snoozeFor(.minutes(30)), minute: 11)
    scene.wait(until: 100)
    #expect(Self.minutes(&scene) == ["1.00"])
  }

  @Test func `a signal that was told stays on the screen and is told again with another trigger`()
    throws
  {
    var call = Self.call(.signal("unlock"))
    call.nag = Reminder.Nag(every: .minutes(10), atMost: 2)
    var scene = try Scene([call])
    scene.send(Self.unlock("1"), minute: 1)
    call.triggers = [Self.time(600), .signal("unlock")]
    scene.send(.reminderSaved(call), minute: 2)
    #expect(!scene.log.contains { $0.contains("withdraw") }, "\(scene.log)")
    scene.wait(until: 120)
    #expect(Self.minutes(&scene) == ["1.00", "11.00", "21.00"])
  }

  @Test func `that a place was left stays on the screen and is told again with another trigger`()
    throws
  {
    var scene = try Scene([Self.call(.leave(.place("hut")))], places: [Self.hut])
    scene.at(0, minute: 0)
    scene.at(0, minute: 29)
    for minute in 30...34 { scene.at(2, minute: Double(minute), speed: 10) }
    #expect(scene.heard().count == 1)
    scene.send(.reminderSaved(Self.call(Self.time(600), .leave(.place("hut")))), minute: 40)
    #expect(!scene.log.contains { $0.contains("withdraw") }, "\(scene.log)")
    scene.act("call", .snoozeFor(.minutes(30)), minute: 41)
    scene.wait(until: 100)
    #expect(Self.minutes(&scene) == ["71.00"])
    #expect(scene.engine.violations() == [])
  }

  @Test func `what was told of a category or a level goes with it, whatever else there is`() throws
  {
    let pharmacy = Trigger.place(.category(CategoryID("pharmacy")), tiers: nil)
    let bakery = Trigger.place(.category(CategoryID("bakery")), tiers: nil)
    let low = Trigger.signal("dock", from: nil, to: "low")
    let full = Trigger.signal("dock", from: nil, to: "full")
    for (told, other) in [(pharmacy, bakery), (low, full)] {
      for (kept, isGone) in [(told, false), (other, true)] {
        var scene = try Scene(
          [Self.call(told, other)],
          pois: [(mile: 0, category: "pharmacy"), (mile: 80, category: "bakery")]
        )
        scene.at(7, minute: 0)
        scene.at(4.9, minute: 3)
        scene.at(0.9, minute: 4)
        scene.send(.signal(Signal(name: "dock", id: "1", level: "low")), minute: 5)
        let heard = scene.heard()
        #expect(!heard.isEmpty, "\(told)")
        let known = scene.log.count
        scene.send(.reminderSaved(Self.call(kept)), minute: 6)
        let isWithdrawn = scene.log.dropFirst(known).contains { $0.contains("withdraw") }
        #expect(isWithdrawn == isGone, "\(kept)")
        #expect(scene.engine.violations() == [])
      }
    }
  }

  // MARK: Muted for a while

  @Test func `a time that waited is told after it was muted and unmuted`() throws {
    var scene = try Scene([Self.call(Self.time(30))], Self.quiet)
    scene.wait(until: 31)
    scene.act("call", .mute, minute: 40)
    scene.act("call", .unmute, minute: 41)
    scene.wait(until: 120)
    #expect(Self.heard(&scene) == ["60.00 Call Ann."])
    #expect(scene.engine.violations() == [])
  }

  @Test func `of what came while it was muted, the newest is told when it is unmuted`() throws {
    let triggers = [
      [Self.time(20), Self.time(30)], [try Self.daily(30)], [try Self.daily(30 - 1_440)],
    ]
    for triggers in triggers {
      let call = Reminder(id: "call", title: "call Ann", triggers: triggers)
      var scene = try Scene([call])
      scene.act("call", .mute, minute: 10)
      scene.wait(until: 40)
      scene.act("call", .unmute, minute: 41)
      scene.wait(until: 120)
      #expect(Self.heard(&scene) == ["41.00 Call Ann."], "\(triggers)")
    }
  }

  @Test func `of a series, what is answered or of another day is not told when it is unmuted`()
    throws
  {
    for isAnswered in [true, false] {
      var scene = try Scene([Self.call(try Self.daily(30))])
      scene.act("call", .mute, minute: 10)
      scene.wait(until: 40)
      if isAnswered { scene.act("call", .complete, minute: 45) }
      scene.act("call", .unmute, minute: isAnswered ? 50 : 17 * 60)
      scene.wait(until: 23 * 60)
      #expect(scene.heard() == [], "\(isAnswered)")
      scene.wait(until: 25 * 60)
      #expect(scene.heard().map { $0.prefix { $0 != " " } } == ["1470.00"])
    }
  }
}
