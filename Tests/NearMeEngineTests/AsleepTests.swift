import NearMeEngine
import Places
import Recurrence
import Testing
import Timeline

/// What the system is to show while the app sleeps, where something keeps it silent at its time.
@Suite struct AsleepTests {
  /// A phone whose app runs at one minute, and then not until another one: what the system shows meanwhile, at which
  /// minute, and what is told when the app is started again.
  private static func slept(
    _ scene: inout Scene,
    until minute: Double
  ) throws -> (shown: [String], atLaunch: [String]) {
    var pending: [String: (at: Timestamp, notification: ReminderNotification)] = [:]
    for effect in scene.effects {
      switch effect {
      case .schedule(let notification, let at): pending[notification.id] = (at, notification)
      case .unschedule(let id): pending[id] = nil
      default: break
      }
    }
    let end = scene.instant(minute)
    let shown = pending.values.filter { $0.at <= end }
      .sorted { ($0.at, $0.notification.id) < ($1.at, $1.notification.id) }
    var late = scene.engine
    let effects = late.handle(Event(at: end, .launched))
    let atLaunch = effects.compactMap { effect -> String? in
      if case .post(let notification) = effect { notification.text } else { nil }
    }
    #expect(late.violations() == [])
    return (
      shown.map { "\((($0.at - scene.instant(0)).seconds / 60)) \($0.notification.text)" }, atLaunch
    )
  }

  private static func pills(_ start: String, _ rule: String? = nil) throws -> Reminder {
    var schedule = Schedule(start: try #require(WrittenTime(start)))
    if let rule { schedule.rule = try RecurrenceRule(rule) }
    return Reminder(id: "pills", title: "take pills", triggers: [.schedule(schedule)])
  }

  @Test func `a time in the quiet hours is shown at their end`() throws {
    var scene = try Scene([try Self.pills("2026-01-05T08:30")]) {
      $0.quietHours = DailyWindow(startMinute: 8 * 60 + 10, endMinute: 9 * 60)
    }
    scene.wait(until: 1)
    let (shown, atLaunch) = try Self.slept(&scene, until: 90)
    #expect(shown == ["60.0 Take pills."])
    #expect(atLaunch == [])
  }

  @Test func `of a series in the quiet hours the newest time is shown, once`() throws {
    var scene = try Scene([try Self.pills("2026-01-05T08:15", "FREQ=MINUTELY;INTERVAL=10;COUNT=5")])
    {
      $0.quietHours = DailyWindow(startMinute: 8 * 60 + 10, endMinute: 9 * 60)
    }
    scene.wait(until: 1)
    let (shown, atLaunch) = try Self.slept(&scene, until: 90)
    #expect(shown == ["60.0 Take pills."])
    #expect(atLaunch == [])
    // And by an app that runs on, too.
    scene.wait(until: 90)
    #expect(scene.heard() == ["60.00 n1: Take pills."])
  }

  @Test(arguments: [Reminder.Persistence?.none, .once])
  func `days that were slept through are as the system showed them`(
    _ persistence: Reminder.Persistence?
  ) throws {
    var pills = try Self.pills("2026-01-05T08:30", "FREQ=DAILY")
    if let persistence { pills.persistence = persistence }
    var scene = try Scene([pills]) {
      $0.quietHours = DailyWindow(startMinute: 8 * 60 + 10, endMinute: 9 * 60)
    }
    scene.wait(until: 1)
    let morning = 3.0 * 1_440 - 600
    let (shown, atLaunch) = try Self.slept(&scene, until: morning)
    let days: [Double] = persistence == .once ? [60] : [60, 1_500, 2_940]
    #expect(shown == days.map { "\($0) Take pills." })
    #expect(atLaunch == [])
    var late = scene.engine
    var heard: [Double] = []
    for effect in late.handle(Event(at: scene.instant(morning), .launched)) {
      switch effect {
      case .schedule(_, let at): #expect(at > scene.instant(morning))
      case .unschedule(let id): Issue.record("\(id) has been shown, and is taken back")
      case .record(.presented(let news)): heard.append((news.at - scene.instant(0)).seconds / 60)
      case .record(.decision(let decision)): #expect(decision.outcome != .suppressed(.superseded))
      default: break
      }
    }
    #expect(heard == days)
  }

  @Test func `of a series that nothing showed the newest time is told, as of then`() throws {
    var scene = try Scene([try Self.pills("2026-01-05T08:30", "FREQ=DAILY")]) {
      $0.schedules.mostPending = 0
    }
    scene.wait(until: 1)
    var late = scene.engine
    let end = scene.instant(2 * 1_440 + 31)
    let told = late.handle(Event(at: end, .launched))
      .compactMap { effect in
        if case .post(let news) = effect { news.at } else { nil }
      }
    #expect(told == [scene.instant(2 * 1_440 + 30)])
  }

  @Test func `a time outside its window is shown when that opens`() throws {
    var pills = try Self.pills("2026-01-05T08:30")
    pills.conditions = [.window(try #require(WeeklyWindow(startMinute: 540, endMinute: 600)))]
    var scene = try Scene([pills])
    scene.wait(until: 1)
    let (shown, atLaunch) = try Self.slept(&scene, until: 90)
    #expect(shown == ["60.0 Take pills."])
    #expect(atLaunch == [])
  }

  @Test(arguments: [true, false])
  func `an arrival before its window is shown when that opens, to who is still there`(
    leaves: Bool
  ) throws {
    var rest = Reminder(id: "rest", title: "lie down", target: .place("hut"))
    rest.tiers = [.arrival]
    rest.conditions = [.window(try #require(WeeklyWindow(startMinute: 540, endMinute: 600)))]
    var scene = try Scene([rest], places: [Scene.place("hut", mile: 0)])
    scene.at(2, minute: 0)
    for minute in 3...20 { scene.at(0, minute: Double(minute)) }
    if leaves { for minute in 21...30 { scene.at(2, minute: Double(minute), speed: 10) } }
    let (shown, atLaunch) = try Self.slept(&scene, until: 90)
    #expect(shown == (leaves ? [] : ["60.0 Still need to lie down?"]))
    #expect(atLaunch == [])
  }

  /// Woken inside the next night: what was shown in the morning was heard then.
  @Test func `what was shown in the morning is not shown again the morning after`() throws {
    var scene = try Scene([try Self.pills("2026-01-05T23:00")]) {
      $0.quietHours = DailyWindow(startMinute: 22 * 60, endMinute: 7 * 60)
    }
    scene.wait(until: 1)
    var late = scene.engine
    let effects = late.handle(Event(at: scene.instant(38 * 60 + 30), .launched))
    let shown = effects.compactMap { effect -> Timestamp? in
      if case .record(.presented(let notification)) = effect { notification.at } else { nil }
    }
    #expect(shown == [scene.instant(23 * 60)])
    #expect(
      !effects.contains {
        switch $0 {
        case .post, .schedule: true
        default: false
        }
      }
    )
  }

  @Test func `nags that fall into the quiet hours are one, and go on after them`() throws {
    var pills = try Self.pills("2026-01-05T21:00")
    pills.nag = Reminder.Nag(every: .minutes(30), atMost: 6)
    var scene = try Scene([pills]) {
      $0.quietHours = DailyWindow(startMinute: 22 * 60, endMinute: 7 * 60)
    }
    scene.wait(until: 1)
    let (shown, _) = try Self.slept(&scene, until: 26 * 60)
    let minutes = shown.compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(minutes == ["780.0", "810.0", "1380.0", "1410.0", "1440.0", "1470.0", "1500.0"])
  }

  @Test func `of two times of one that speaks once one is shown`() throws {
    var pills = try Self.pills("2026-01-05T22:30")
    pills.triggers += try Self.pills("2026-01-05T23:30").triggers
    pills.persistence = .once
    var scene = try Scene([pills]) {
      $0.quietHours = DailyWindow(startMinute: 22 * 60, endMinute: 7 * 60)
    }
    scene.wait(until: 1)
    let (shown, _) = try Self.slept(&scene, until: 26 * 60)
    #expect(shown.count == 1, "\(shown)")
  }

  @Test func `a lead as long as the period sounds once`() throws {
    var pills = try Self.pills("2026-01-05T08:30", "FREQ=DAILY")
    guard case .schedule(var schedule) = pills.triggers[0] else { return }
    schedule.leads = [.minutes(24 * 60)]
    pills.triggers = [.schedule(schedule)]
    var scene = try Scene([pills])
    scene.wait(until: 24 * 60 + 60)
    #expect(
      scene.heard() == ["30.00 n1: Take pills.", "1470.00 n2: Take pills."]
    )
  }
}

/// What is asked for anew knows what is known.
@Suite struct TakenUpTests {
  private static func call(at minute: Int, _ condition: Condition) -> Reminder {
    Reminder(
      id: "call",
      title: "call Ann",
      triggers: [.schedule(.instant(Scene.start + .minutes(Int64(minute))))],
      conditions: [condition]
    )
  }

  /// Half an hour in the hut, where the phone falls silent; then a reminder is made, edited or unmuted.
  @Test(arguments: [true, false])
  func `a reminder that is made at a place knows that one is there`(isUnmuted: Bool) throws {
    var keys = Reminder(id: "keys", title: "x", triggers: [.leave(.place("hut"))])
    keys.isMuted = isUnmuted
    var scene = try Scene([keys], places: [Scene.place("hut", mile: 0)])
    scene.at(2, minute: 0)
    for minute in 3...30 { scene.at(0, minute: Double(minute)) }
    scene.send(.reminderSaved(Self.call(at: 35, .outside(.place("hut")))), minute: 31)
    if isUnmuted { scene.act("keys", .unmute, minute: 32) }
    scene.wait(until: 40)
    #expect(scene.heard() == [])
    for minute in 41...45 { scene.at(2, minute: Double(minute), speed: 10) }
    let heard = scene.heard().map { String($0.drop { $0 != ":" }) }
    #expect(heard.contains { $0.contains("Leaving Hut") }, "\(heard)")
    #expect(heard.contains { $0.contains("Call Ann") }, "\(heard)")
  }

  @Test func `one that spoke once and is given another time speaks again`() throws {
    var call = Self.call(at: 5, .not(.inside(.place("hut"))))
    call.persistence = .once
    var scene = try Scene([call], places: [Scene.place("hut", mile: 9)])
    scene.wait(until: 6)
    #expect(scene.heard() == ["5.00 n1: Call Ann."])
    var later = Self.call(at: 20, .not(.inside(.place("hut"))))
    later.persistence = .once
    scene.send(.reminderSaved(later), minute: 7)
    scene.wait(until: 30)
    #expect(scene.heard() == ["20.00 n2: Call Ann."])
  }

  @Test func `who takes the nagging away is not nagged, and who takes an answer back is`() throws {
    var call = Self.call(at: 5, .not(.inside(.place("hut"))))
    call.nag = Reminder.Nag(every: .minutes(10))
    var scene = try Scene([call], places: [Scene.place("hut", mile: 9)])
    scene.wait(until: 6)
    _ = scene.heard()
    var slower = call
    slower.nag = Reminder.Nag(every: .minutes(30))
    scene.send(.reminderSaved(slower), minute: 7)
    scene.wait(until: 36)
    #expect(scene.heard() == ["35.00 n4: Still open: call Ann."])
    slower.nag = nil
    scene.send(.reminderSaved(slower), minute: 37)
    scene.wait(until: 100)
    #expect(scene.heard() == [])
    var daily = call
    daily.triggers = [
      .schedule(
        Schedule(start: try #require(WrittenTime("2026-01-05T08:05")), rule: RecurrenceRule(.daily))
      )
    ]
    var other = try Scene([daily], places: [Scene.place("hut", mile: 9)])
    other.wait(until: 6)
    other.act("call", .complete, minute: 7)
    other.wait(until: 20)
    _ = other.heard()
    other.act("call", .reopen, minute: 21)
    other.wait(until: 32)
    let again = other.heard()
    #expect(again.count == 1 && again[0].hasPrefix("31.00"), "\(again)")
  }
}
