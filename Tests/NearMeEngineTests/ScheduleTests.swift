import Foundation
import NearMeEngine
import Places
import Recurrence
import Testing
import Timeline

/// Reminders that recur: when they ring, what an answer does, what is handed to the system.
@Suite struct ScheduleTests {
  private static func pills(
    _ rule: String = "FREQ=DAILY",
    start: String = "2026-01-05T08:30",
    anchor: Anchor = .catchUp,
    leads: [Milliseconds] = [],
    zone: String? = nil
  ) throws -> Reminder {
    let first = try #require(WrittenTime(start))
    return Reminder(
      id: "pills",
      title: "take the pills",
      triggers: [
        .schedule(
          Schedule(
            start: first,
            zone: zone,
            rule: try RecurrenceRule(rule),
            anchor: anchor,
            leads: leads
          )
        )
      ]
    )
  }

  private static let day = 24.0 * 60

  /// The minutes at which something was heard.
  private func minutes(_ heard: [String]) -> [String] {
    heard.map { String($0.prefix { $0 != " " }) }
  }

  @Test func `MOM-3, MOM-16: a daily one rings each day, whether or not it was answered`() throws {
    var scene = try Scene([try Self.pills()])
    scene.wait(until: 3 * Self.day)
    #expect(minutes(scene.heard()) == ["30.00", "1470.00", "2910.00"])
    scene.act("pills", .complete, minute: 3 * Self.day + 1)
    scene.wait(until: 4 * Self.day)
    #expect(minutes(scene.heard()) == ["4350.00"])
    #expect(scene.engine.state.currentReminders[0].status == .active)
    #expect(scene.engine.violations() == [])
  }

  @Test func `what an answer is taken back of is said, and the time is open again`() throws {
    var scene = try Scene([try Self.pills(leads: [.minutes(10)])])
    scene.wait(until: 31)
    scene.act("pills", .complete, minute: 40)
    scene.act("pills", .reopen, minute: 41)
    scene.act("pills", .complete, minute: 42)
    // Before it comes.
    scene.act("pills", .complete, minute: 43)
    scene.act("pills", .reopen, minute: 44)
    let records = scene.effects.compactMap { effect -> String? in
      switch effect {
      case .record(.answered(_, _, let times)):
        "done " + times.map { "\(($0 - scene.instant(0)).seconds / 60)" }.joined(separator: " ")
      case .record(.answerTakenBack(_, _, let times)):
        "back " + times.map { "\(($0 - scene.instant(0)).seconds / 60)" }.joined(separator: " ")
      default: nil
      }
    }
    #expect(records == ["done 30.0", "back 30.0", "done 30.0", "done 1470.0", "back 1470.0"])
    // When it speaks next is when it speaks, ahead of its time.
    #expect(scene.engine.nextTimes(ofReminder: "pills", 2) == [1_460, 1_470].map(scene.instant))
  }

  /// In the spring the day before is 23 hours before, in the fall 25.
  @Test(arguments: [
    ("2026-03-28T06:00:00Z", "2026-03-29T08:00", 60.0, 1_440.0),
    ("2026-10-24T05:00:00Z", "2026-10-25T08:00", 60.0, 1_560.0),
  ])
  func `a lead of a day is the day before at the same hour`(
    _ from: String,
    _ start: String,
    _ lead: Double,
    _ due: Double
  ) throws {
    let start = try #require(WrittenTime(start))
    func instant(_ text: String) throws -> Timestamp { try #require(RFC3339.parse(text)) }
    let berlin = UTCOffsetTable(
      identifier: "Europe/Berlin",
      initialOffsetSeconds: 3_600,
      eras: [
        UTCOffsetTable.Era(start: try instant("2026-03-29T01:00:00Z"), offsetSeconds: 7_200),
        UTCOffsetTable.Era(start: try instant("2026-10-25T01:00:00Z"), offsetSeconds: 3_600),
      ]
    )
    for rule in [nil, try RecurrenceRule("FREQ=YEARLY")] {
      let schedule = Schedule(start: start, rule: rule, leads: [.minutes(1_440)])
      let lunch = Reminder(id: "a", title: "have lunch", triggers: [.schedule(schedule)])
      var scene = try Scene([], zone: berlin, from: try instant(from))
      // Less than 24 hours before it, and less than an hour before the lead.
      scene.send(.reminderSaved(lunch), minute: 30)
      scene.wait(until: 2 * Self.day)
      let heard = scene.heard()
      #expect(minutes(heard) == [lead, due].map { String(format: "%.2f", $0) }, "\(heard)")
      #expect(heard.first?.contains("In 1 day") == true, "\(heard)")
    }
  }

  @Test func `an answer before its time is an answer to the next time`() throws {
    var scene = try Scene([try Self.pills()])
    scene.act("pills", .complete, minute: 10)
    scene.wait(until: 2 * Self.day)
    #expect(minutes(scene.heard()) == ["1470.00"])
    let answers = scene.effects.compactMap { effect -> [Timestamp]? in
      if case .record(.answered(_, "pills", let times)) = effect { times } else { nil }
    }
    #expect(answers == [[scene.instant(30)]])
  }

  @Test func `one with a count is done when its last time is answered`() throws {
    var scene = try Scene([try Self.pills("FREQ=DAILY;COUNT=2")])
    scene.wait(until: 30)
    scene.act("pills", .complete, minute: 31)
    #expect(scene.engine.state.currentReminders[0].status == .active)
    scene.wait(until: Self.day + 31)
    scene.act("pills", .complete, minute: Self.day + 32)
    #expect(scene.ended == ["pills completed"])
    scene.wait(until: 5 * Self.day)
    #expect(minutes(scene.heard()) == ["30.00", "1470.00"])
  }

  @Test func `counted from the answer, nothing rings before it`() throws {
    var scene = try Scene([try Self.pills("FREQ=DAILY;INTERVAL=3", anchor: .completion)])
    scene.wait(until: 10 * Self.day)
    #expect(minutes(scene.heard()) == ["30.00"])
    scene.act("pills", .complete, minute: 10 * Self.day + 200)
    scene.wait(until: 14 * Self.day)
    #expect(minutes(scene.heard()) == ["18750.00"])
    #expect(18_750 == 13 * Self.day + 30)
  }

  @Test func `counted from an answer elsewhere, it goes on from there`() throws {
    var scene = try Scene([try Self.pills("FREQ=DAILY;INTERVAL=3", anchor: .completion)])
    scene.wait(until: 4 * Self.day)
    #expect(minutes(scene.heard()) == ["30.00"])
    let answer = ReminderAnswer(due: scene.instant(30), at: scene.instant(2 * Self.day))
    scene.send(.reminderAnswered("pills", answer), minute: 4 * Self.day)
    scene.wait(until: 6 * Self.day)
    #expect(minutes(scene.heard()) == ["\(fixedMinute(5 * Self.day + 30))"])
    #expect(scene.engine.violations() == [])
  }

  /// Of an earlier form of the series, of year 1, of year 9999, and such that the series would go back.
  @Test func `counted from answers, it neither goes back nor ends by an answer elsewhere`() throws {
    var scene = try Scene([
      try Self.pills(
        "FREQ=DAILY;INTERVAL=3",
        start: "2026-01-16T08:30",
        anchor: .completion,
        leads: [.minutes(10)]
      )
    ])
    scene.wait(until: 1)
    let first = 11 * Self.day + 30
    let farBack = try #require(WrittenTime("0001-01-01T00:00")).instant(in: .utc)
    let answers = [
      ReminderAnswer(due: scene.instant(30), at: scene.instant(40)),
      ReminderAnswer(due: scene.instant(30), at: scene.instant(30 * Self.day)),
      ReminderAnswer(due: farBack, at: farBack),
    ]
    for answer in answers { scene.send(.reminderAnswered("pills", answer), minute: 60) }
    scene.wait(until: first + 1)
    #expect(minutes(scene.heard()) == [fixedMinute(first - 10), fixedMinute(first)])
    scene.act("pills", .complete, minute: first + 2 * Self.day)
    // Known already, and older than the answer here.
    let known = ReminderAnswer(due: scene.instant(first), at: scene.instant(first + 10))
    let farAhead = try #require(WrittenTime("9999-12-31T00:00")).instant(in: .utc)
    let last = ReminderAnswer(due: scene.instant(first), at: farAhead)
    for answer in answers + [known, last] {
      scene.send(.reminderAnswered("pills", answer), minute: first + 2 * Self.day + 1)
    }
    let next = first + 5 * Self.day
    scene.wait(until: next + 1)
    #expect(minutes(scene.heard()) == [fixedMinute(next - 10), fixedMinute(next)])
    // What is open and newer stays so, and what is answered rings no more.
    scene.send(.reminderAnswered("pills", known), minute: next + 2)
    scene.wait(until: next + 10 * Self.day)
    #expect(scene.heard() == [])
    #expect(scene.engine.violations() == [])
  }

  /// Done four days late, and brought here before the next time.
  @Test func `counted from answers, one that comes in comes when it does where it was answered`()
    throws
  {
    var scene = try Scene([])
    let pills = try Self.pills("FREQ=DAILY;INTERVAL=10", anchor: .completion)
    let answer = ReminderAnswer(due: scene.instant(30), at: scene.instant(4 * Self.day + 60))
    let (arrival, next) = (12 * Self.day, 14 * Self.day + 30)
    let written = [Event.Kind.reminderSaved(pills), .reminderAnswered("pills", answer)]
    let events = written.map { Event(at: scene.instant(arrival), $0) }
    scene.send(.written(events), minute: arrival)
    scene.wait(until: next + 1)
    #expect(minutes(scene.heard()) == [fixedMinute(next)])
    #expect(scene.engine.violations() == [])
  }

  /// Answered at its time, ahead of it, and ahead of it where it comes in only after it.
  @Test(arguments: [Anchor.catchUp, .schedule, .completion])
  func `an answer that came in is taken back as where it was given`(_ anchor: Anchor) throws {
    for (answeredAt, cameAt, takenBackAt) in [(35.0, 60.0, 61.0), (10, 15, 24), (10, 60, 61)] {
      for leads in [[], [Milliseconds.minutes(5)]] {
        let pills = try Self.pills("FREQ=DAILY;INTERVAL=3", anchor: anchor, leads: leads)
        var there = try Scene([pills])
        there.act("pills", .complete, minute: answeredAt)
        there.wait(until: takenBackAt)
        _ = there.heard()
        var here = try Scene([])
        let answer = ReminderAnswer(due: here.instant(30), at: here.instant(answeredAt))
        let written = [Event.Kind.reminderSaved(pills), .reminderAnswered("pills", answer)]
        let events = written.map { Event(at: here.instant(cameAt), $0) }
        here.send(.written(events), minute: cameAt)
        here.wait(until: takenBackAt)
        #expect(here.heard() == [])
        var heard: [[String]] = []
        for var scene in [there, here] {
          scene.act("pills", .reopen, minute: takenBackAt)
          let times = scene.effects.compactMap { effect -> [Timestamp]? in
            if case .record(.answerTakenBack(_, _, let times)) = effect { times } else { nil }
          }
          #expect(times == [[scene.instant(30)]], "\(anchor) \(answeredAt) \(cameAt) \(leads)")
          scene.wait(until: 8 * Self.day)
          #expect(scene.engine.violations() == [])
          heard.append(minutes(scene.heard()))
        }
        #expect(heard[0] == heard[1], "\(anchor) \(answeredAt) \(cameAt) \(leads)")
        #expect(!heard[0].isEmpty)
      }
    }
  }

  @Test func `times that stack are answered one by one, the oldest first`() throws {
    var scene = try Scene([try Self.pills(anchor: .schedule)])
    scene.wait(until: 2 * Self.day + 31)
    func answered() -> [Timestamp] {
      scene.effects.flatMap { effect -> [Timestamp] in
        if case .record(.answered(_, _, let times)) = effect { times } else { [] }
      }
    }
    for number in 1...3 {
      scene.act("pills", .complete, minute: 2 * Self.day + 40 + Double(number))
    }
    #expect(
      answered() == [
        scene.instant(30), scene.instant(30 + Self.day), scene.instant(30 + 2 * Self.day),
      ]
    )
  }

  @Test func `YOMO-2.1: an answer that is taken back leaves all as before`() throws {
    var scene = try Scene([try Self.pills(anchor: .completion)])
    scene.wait(until: 31)
    scene.act("pills", .complete, minute: 32)
    scene.act("pills", .reopen, minute: 33)
    scene.wait(until: 3 * Self.day)
    // Its line is on the screen again.
    let heard = scene.heard()
    #expect(minutes(heard) == ["30.00", "33.00"])
    #expect(heard.last?.hasSuffix("Take the pills.") == true, "\(heard)")
    scene.act("pills", .complete, minute: 3 * Self.day)
    scene.wait(until: 5 * Self.day)
    #expect(minutes(scene.heard()) == ["\(fixedMinute(4 * Self.day + 30))"])
  }

  @Test func `one that nags speaks next when it nags`() throws {
    var pills = try Self.pills()
    pills.nag = Reminder.Nag(every: .minutes(10))
    var scene = try Scene([pills])
    scene.wait(until: 31)
    let next = scene.engine.nextTimes(ofReminder: "pills", 2)
    #expect(next == [scene.instant(40), scene.instant(30 + Self.day)])
  }

  private func fixedMinute(_ minute: Double) -> String { String(format: "%.2f", minute) }

  @Test func `it rings before its time as well, and says how long before`() throws {
    var scene = try Scene([
      try Self.pills("FREQ=DAILY", start: "2026-01-05T10:00", leads: [.minutes(10), .minutes(60)])
    ])
    scene.wait(until: 130)
    #expect(
      scene.heard() == [
        "60.00 n1: In 1 hour: take the pills.", "110.00 n2: In 10 minutes: take the pills.",
        "120.00 n3: Take the pills.",
      ]
    )
    // Done early: neither the next lead nor the time itself is heard.
    scene.act("pills", .complete, minute: 131)
    scene.wait(until: Self.day + 61)
    scene.act("pills", .complete, minute: Self.day + 62)
    scene.wait(until: Self.day + 200)
    #expect(minutes(scene.heard()) == ["1500.00"])
    #expect(scene.engine.violations() == [])
  }

  @Test func `after a long sleep the newest speaks, and the others are named`() throws {
    let hourly = try Self.pills("FREQ=HOURLY", start: "2026-01-05T08:30")
    var engine = Engine(
      policy: Policy(),
      zone: .utc,
      catalog: POICatalog([]),
      monitoring: .everyFix
    )
    try engine.load(places: [], reminders: [hourly])
    _ = engine.handle(Event(at: Scene.start, .launched))
    // Nobody was woken for 400 days: neither what the system held nor what came after it.
    let effects = engine.handle(Event(at: Scene.start + .minutes(400 * 1_440), .launched))
    let posted = effects.count { if case .post = $0 { true } else { false } }
    let shown = effects.count { if case .record(.presented) = $0 { true } else { false } }
    #expect(shown == 64 && posted <= 1, "\(shown) \(posted)")
    #expect(engine.violations() == [])
  }

  @Test func `what is held by the system is the soonest of all`() throws {
    let many = try (0..<100)
      .map { i in
        Reminder(
          id: "r\(100 + i)",
          title: "x",
          triggers: [
            .schedule(
              Schedule(
                start: WrittenTime("2026-01-05T09:00")!,
                rule: try RecurrenceRule("FREQ=DAILY;BYMINUTE=\(i % 60);BYHOUR=\(9 + i / 60)")
              )
            )
          ]
        )
      }
    var scene = try Scene(many)
    func held() -> [Timestamp] {
      var held: [String: Timestamp] = [:]
      for effect in scene.effects {
        switch effect {
        case .schedule(let n, let at): held[n.id] = at
        case .unschedule(let id): held[id] = nil
        case .record(.presented(let n)): held[n.id] = nil
        default: break
        }
      }
      return held.values.sorted()
    }
    #expect(held().count <= 64)
    #expect(held().last.map { $0 < scene.instant(3 * 60) } ?? false)
    let leftOut = scene.effects.compactMap { effect -> Int? in
      if case .record(.schedulesLeftOut(_, let count, _)) = effect { count } else { nil }
    }
    #expect(leftOut == [36])
    scene.wait(until: 2 * Self.day)
    let told = scene.heard().flatMap { $0.split(separator: "/") }.count
    #expect(told == 200)
    #expect(scene.engine.violations() == [])
  }

  @Test func `what cannot be watched for is refused with a sentence`() throws {
    var scene = try Scene([])
    var never = try Self.pills()
    never.triggers = [
      .schedule(
        Schedule(
          start: WrittenTime("2026-01-05T08:30")!,
          rule: try RecurrenceRule("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30")
        )
      )
    ]
    scene.send(.reminderSaved(never), minute: 1)
    scene.send(.reminderSaved(try Self.pills(zone: "Europe/Nowhere")), minute: 2)
    let refusals = scene.effects.compactMap { effect -> String? in
      if case .record(.reminderRefused(_, let error)) = effect { error.description } else { nil }
    }
    #expect(refusals.count == 2)
    #expect(refusals.last?.contains("no time zone \"Europe/Nowhere\"") == true)
    #expect(scene.engine.state.currentReminders.isEmpty)
  }

  @Test func `in a new zone a time of the clock is not heard twice on a day, nor left out`() throws
  {
    let east = UTCOffsetTable(identifier: "East", initialOffsetSeconds: 6 * 3_600, eras: [])
    let west = UTCOffsetTable(identifier: "West", initialOffsetSeconds: -6 * 3_600, eras: [])
    // West after it has rung: not again on that day.
    var scene = try Scene([try Self.pills()])
    scene.wait(until: 31)
    scene.send(.zoneChanged(west), minute: 40)
    scene.wait(until: Self.day + 12 * 60)
    #expect(minutes(scene.heard()) == ["30.00", fixedMinute(Self.day + 30 + 360)])
    // East over it: it has come, and is heard at once.
    var other = try Scene([try Self.pills()])
    other.send(.zoneChanged(east), minute: 10)
    other.wait(until: Self.day)
    #expect(minutes(other.heard()) == ["10.00", fixedMinute(Self.day + 30 - 360)])
  }

  @Test func `it goes through a restart at any minute`() throws {
    for minute in stride(from: 5.0, through: 3 * Self.day, by: 211) {
      var scene = try Scene([
        try Self.pills("FREQ=HOURLY;INTERVAL=7", leads: [.minutes(5)])
      ])
      var whole = scene
      whole.wait(until: 4 * Self.day)
      scene.wait(until: minute)
      let data = try JSONEncoder().encode(scene.engine.state)
      let state = try JSONDecoder().decode(EngineState.self, from: data)
      #expect(state == scene.engine.state)
      var late = try Scene([], state: state)
      late.wait(until: 4 * Self.day)
      #expect(scene.heard() + late.heard() == whole.heard(), "\(minute)")
    }
  }

  @Test func `what is not answered is told again, as often as it says`() throws {
    var nagging = try Self.pills()
    nagging.nag = Reminder.Nag(every: .minutes(10), atMost: 3)
    var scene = try Scene([nagging])
    scene.wait(until: 100)
    #expect(minutes(scene.heard()) == ["30.00", "40.00", "50.00", "60.00"])
    scene.wait(until: Self.day + 35)
    scene.act("pills", .complete, minute: Self.day + 45)
    scene.wait(until: Self.day + 200)
    #expect(minutes(scene.heard()) == ["1470.00", "1480.00"])
    scene.wait(until: 2 * Self.day + 35)
    scene.act("pills", .snoozeFor(.minutes(20)), minute: 2 * Self.day + 36)
    scene.wait(until: 2 * Self.day + 70)
    #expect(minutes(scene.heard()) == ["2910.00", "2936.00", "2946.00"])
    #expect(scene.engine.violations() == [])
  }

  /// It is due at 8:30; the quiet hours end at 9:15.
  @Test func `what was due in quiet hours is told once at their end, and only then again`() throws {
    var nagging = try Self.pills()
    nagging.nag = Reminder.Nag(every: .minutes(30), atMost: 2)
    var scene = try Scene([nagging]) {
      $0.quietHours = DailyWindow(startMinute: 8 * 60, endMinute: 9 * 60 + 15)
    }
    scene.wait(until: 200)
    #expect(
      scene.heard()
        .map {
          $0.replacingOccurrences(of: "take the pills", with: "x")
            .replacingOccurrences(of: "Take the pills", with: "X")
        } == [
          "75.00 n1: X.", "105.00 n2: Still open: x.", "135.00 n3: Still open: x.",
        ]
    )
    #expect(scene.engine.violations() == [])
  }

  /// The quiet hours end at 9:15, and what is told then is as it is then.
  @Test(arguments: [
    ("2026-01-05T09:25", ["75.00 In 10 minutes: x.", "85.00 X."]),
    ("2026-01-05T09:15:20", ["75.00 In 20 seconds: x.", "75.33 X."]),
    ("2026-01-05T09:10", ["75.00 X."]),
    ("2026-01-05T09:50", ["80.00 In 30 minutes: x.", "110.00 X."]),
  ])
  func `a lead that waited says how long it is from now on`(
    start: String,
    heard: [String]
  ) throws {
    var scene = try Scene([try Self.pills("FREQ=DAILY", start: start, leads: [.minutes(30)])]) {
      $0.quietHours = DailyWindow(startMinute: 8 * 60, endMinute: 9 * 60 + 15)
    }
    scene.wait(until: 200)
    let told = scene.heard()
      .map {
        $0.replacing("take the pills", with: "x").replacing("Take the pills", with: "X")
      }
      .map { $0.replacing(/\ n[0-9]+:/, with: "") }
    #expect(told == heard)
    #expect(scene.engine.violations() == [])
  }

  /// Due at 8:30 and every four hours, an hour ahead, too.
  @Test func `the lead of the next time ends no nagging for the one that has come`() throws {
    var nagging = try Self.pills("FREQ=HOURLY;INTERVAL=4", leads: [.minutes(60)])
    nagging.nag = Reminder.Nag(every: .minutes(40), atMost: 20)
    var scene = try Scene([nagging])
    scene.wait(until: 269)
    let heard = minutes(scene.heard())
    #expect(heard == ["30.00", "70.00", "110.00", "150.00", "190.00", "210.00", "230.00"])
  }

  @Test func `what is told again is not told beside a newer time, and a lead is told once`() throws
  {
    var nagging = try Self.pills("FREQ=MINUTELY;INTERVAL=30;COUNT=9", leads: [.minutes(10)])
    nagging.nag = Reminder.Nag(every: .minutes(10), atMost: 9)
    var scene = try Scene([nagging])
    scene.wait(until: 95)
    let heard = scene.heard()
      .map {
        $0.replacingOccurrences(of: "take the pills", with: "x")
          .replacingOccurrences(of: "Take the pills", with: "X")
      }
    #expect(
      heard.map { String($0.drop { $0 != ":" }.dropFirst(2)) } == [
        "In 10 minutes: x.", "X.", "Still open: x.", "Still open: x.", "In 10 minutes: x.", "X.",
        "Still open: x.", "Still open: x.", "In 10 minutes: x.", "X.",
      ],
      "\(heard)"
    )
  }

  @Test func `what was to come is not told when it has come`() throws {
    for (heardAt, told) in [(35.0, "35.00 n1: Take the pills."), (25, "5 minutes")] {
      var scene = try Scene([try Self.pills(leads: [.minutes(10)])]) { $0.schedules.timers = .none }
      scene.send(.focus(false), minute: heardAt)
      let heard = scene.heard()
      #expect(heard.count == 1 && heard[0].contains(told), "\(heard)")
    }
  }

  @Test func `what speaks once and has spoken promises no other time`() throws {
    var once = try Self.pills(
      "FREQ=DAILY;BYHOUR=0,6,23;BYMINUTE=30",
      start: "2026-01-05T23:30",
      leads: [.minutes(60)]
    )
    once.persistence = .once
    var scene = try Scene([once]) {
      $0.quietHours = DailyWindow(startMinute: 23 * 60, endMinute: 6 * 60 + 15)
    }
    scene.wait(until: 2 * Self.day)
    let heard = scene.heard()
    #expect(heard.last?.contains("Take the pills.") == true, "\(heard)")
    #expect(heard.filter { $0.contains("In ") }.count == 1, "\(heard)")
    #expect(heard.count == 2, "\(heard)")
  }

  @Test func `times within one bundle window are heard each at its own`() throws {
    var scene = try Scene([try Self.pills("FREQ=MINUTELY")])
    scene.wait(until: 33)
    #expect(minutes(scene.heard()) == ["30.00", "31.00", "32.00", "33.00"])
  }

  @Test(arguments: [20, 40])
  func `an answer that is taken back after the next time rings no time again`(
    answered: Double
  ) throws {
    var scene = try Scene([try Self.pills(leads: [.minutes(5)])])
    scene.wait(until: answered)
    scene.act("pills", .complete, minute: answered)
    scene.wait(until: Self.day + 31)
    let next = [fixedMinute(Self.day + 25), fixedMinute(Self.day + 30)]
    #expect(minutes(scene.heard()) == (answered > 30 ? ["25.00", "30.00"] : []) + next)
    scene.act("pills", .reopen, minute: Self.day + 35)
    scene.wait(until: 2 * Self.day)
    #expect(minutes(scene.heard()) == [])
    // Only the newer one is open: it had rung when the answer to the older one was taken back.
    scene.act("pills", .complete, minute: 2 * Self.day)
    let done = scene.effects.compactMap { effect in
      if case .record(.answered(_, _, let times)) = effect { times.count } else { nil }
    }
    #expect(done.last == 1)
    #expect(scene.engine.violations() == [])
  }

  @Test func `CTX-6.3, CTX-9.2: one that is to speak once is over when it has`() throws {
    var once = try Self.pills()
    once.persistence = .once
    once.triggers.append(.signal("unlock"))
    var scene = try Scene([once])
    scene.send(.signal(Signal(name: "unlock", id: "1")), minute: 5)
    scene.send(.signal(Signal(name: "unlock", id: "2")), minute: 6)
    scene.wait(until: 3 * Self.day)
    #expect(minutes(scene.heard()) == ["5.00"])
    #expect(scene.engine.state.currentReminders[0].status == .fired)
    // A snooze says it once more.
    scene.act("pills", .snoozeFor(.minutes(15)), minute: 3 * Self.day + 1)
    scene.wait(until: 4 * Self.day)
    #expect(minutes(scene.heard()) == [fixedMinute(3 * Self.day + 16)])
    scene.act("pills", .reopen, minute: 4 * Self.day)
    scene.wait(until: 6 * Self.day)
    #expect(minutes(scene.heard()) == [fixedMinute(4 * Self.day + 30)])
    #expect(scene.engine.violations() == [])
  }

  @Test func `one that is to speak once is told ahead of its time, and at it`() throws {
    var once = try Self.pills("FREQ=DAILY;COUNT=1", leads: [.minutes(20)])
    once.persistence = .once
    var scene = try Scene([once])
    scene.wait(until: Self.day)
    #expect(minutes(scene.heard()) == ["10.00", "30.00"])
    #expect(scene.engine.state.currentReminders[0].status == .fired)
    #expect(scene.engine.violations() == [])
  }

  @Test func `CTX-5.1: one whose days are over ends unspoken`() throws {
    var brief = try Self.pills()
    brief.expires = WrittenTime("2026-01-07")
    var scene = try Scene([brief])
    scene.wait(until: 5 * Self.day)
    #expect(minutes(scene.heard()) == ["30.00", "1470.00"])
    #expect(scene.ended == ["pills expired"])
    #expect(scene.engine.violations() == [])
  }

  @Test func `what is called next, and what the system is handed, end with its days`() throws {
    var brief = try Self.pills()
    brief.expires = WrittenTime("2026-01-07")
    let scene = try Scene([brief])
    let two = [scene.instant(30), scene.instant(30 + Self.day)]
    #expect(scene.engine.nextTimes(ofReminder: "pills", 5) == two)
    let handed = scene.effects.compactMap { effect -> Timestamp? in
      if case .schedule(_, let at) = effect { at } else { nil }
    }
    #expect(handed == two)
  }

  @Test func `a snooze that ends before anything is due is no time at which it speaks`() throws {
    var scene = try Scene([try Self.pills()])
    scene.act("pills", .snoozeFor(.minutes(10)), minute: 5)
    #expect(
      scene.engine.nextTimes(ofReminder: "pills", 2) == [
        scene.instant(30), scene.instant(30 + Self.day),
      ]
    )
    scene.act("pills", .snoozeFor(.minutes(40)), minute: 5)
    #expect(scene.engine.nextTimes(ofReminder: "pills").first == scene.instant(45))
  }

  @Test func `what waits for its hours speaks next when they begin, also after a snooze`() throws {
    var pills = try Self.pills("FREQ=DAILY;COUNT=1")
    pills.conditions = [.window(try #require(WeeklyWindow(startMinute: 600, endMinute: 660)))]
    var scene = try Scene([pills])
    scene.wait(until: 60)
    #expect(scene.heard() == [])
    let opens = scene.instant(120)
    #expect(scene.engine.nextTimes(ofReminder: "pills", 3) == [opens])
    scene.act("pills", .snoozeFor(.minutes(15)), minute: 61)
    #expect(scene.engine.nextTimes(ofReminder: "pills", 3) == [opens])
    scene.wait(until: 121)
    #expect(minutes(scene.heard()) == ["120.00"])
    #expect(scene.engine.nextTimes(ofReminder: "pills", 3) == [])
  }
}
