import NearMeEngine
import Places
import Recurrence
import Testing
import Timeline

/// What has come by the clock of one zone, answered by that of another.
@Suite struct FlightTests {
  private static let newYork = UTCOffsetTable(
    identifier: "New York",
    initialOffsetSeconds: -18_000,
    eras: []
  )
  private static let malta = UTCOffsetTable(
    identifier: "Malta",
    initialOffsetSeconds: 3_600,
    eras: []
  )
  private static let losAngeles = UTCOffsetTable(
    identifier: "Los Angeles",
    initialOffsetSeconds: -28_800,
    eras: []
  )
  private static let day = 24.0 * 60

  private static func pills(
    _ start: String,
    _ rule: String? = nil,
    anchor: Anchor = .catchUp
  ) throws -> Reminder {
    var schedule = Schedule(start: try #require(WrittenTime(start)), anchor: anchor)
    if let rule { schedule.rule = try RecurrenceRule(rule) }
    return Reminder(id: "pills", title: "take pills", triggers: [.schedule(schedule)])
  }

  private static func answered(_ scene: Scene) -> [[Timestamp]] {
    scene.effects.compactMap { effect in
      if case .record(.answered(_, _, let times)) = effect { times } else { nil }
    }
  }

  /// The minutes at which something was heard.
  private static func times(_ scene: inout Scene) -> [Substring] {
    scene.heard().map { $0.prefix { $0 != " " } }
  }

  @Test func `done is done after a flight, too`() throws {
    var pills = try Self.pills("2026-01-05T08:00", "FREQ=DAILY", anchor: .schedule)
    pills.nag = Reminder.Nag(every: .minutes(60), atMost: 5)
    var scene = try Scene([pills], zone: Self.newYork)
    // 8 o'clock in New York.
    scene.wait(until: 361)
    #expect(scene.heard().count == 2)
    scene.send(.zoneChanged(Self.malta), minute: 390)
    scene.act("pills", .complete, minute: 400)
    scene.wait(until: 900)
    #expect(scene.heard() == [])
    #expect(Self.answered(scene) == [[scene.instant(300)]])
    // The next is at 8 o'clock in Malta.
    scene.wait(until: Self.day - 59)
    #expect(Self.times(&scene) == ["1380.00"])
  }

  @Test(arguments: [false, true])
  func `done before its time leaves the time here out`(wasDead: Bool) throws {
    var scene = try Scene(
      [try Self.pills("2026-01-06T08:00", "FREQ=DAILY")],
      zone: Self.newYork
    )
    scene.wait(until: 1)
    if wasDead {
      scene = try Scene([], zone: Self.malta, state: scene.engine.state)
    }
    scene.send(.zoneChanged(Self.malta), minute: 60)
    scene.act("pills", .complete, minute: Self.day - 120)
    #expect(Self.answered(scene) == [[scene.instant(Self.day - 60)]])
    scene.wait(until: 2 * Self.day - 59)
    #expect(Self.times(&scene) == ["2820.00"])
  }

  @Test(arguments: [true, false])
  func `a snooze after a flight ends`(east: Bool) throws {
    let (from, to) = east ? (Self.newYork, Self.malta) : (Self.malta, Self.newYork)
    let start = east ? "2026-01-05T04:00" : "2026-01-05T10:00"
    var scene = try Scene([try Self.pills(start)], zone: from)
    scene.wait(until: 61)
    #expect(scene.heard() == ["60.00 n1: Take pills."])
    scene.send(.zoneChanged(to), minute: 65)
    scene.act("pills", .snoozeFor(.minutes(15)), minute: 70)
    scene.wait(until: 120)
    #expect(Self.times(&scene) == ["85.00"])
  }

  /// The minutes at which something is heard up to an instant, if no timer is late from now on.
  private static func minutes(
    _ engine: inout Engine,
    _ effects: [Effect],
    until end: Timestamp
  ) -> [Double] {
    var effects = effects
    while let due = engine.nextTimer, due <= end {
      effects += engine.handle(Event(at: due, .timer))
    }
    return effects.compactMap { effect in
      switch effect {
      case .post(let news), .record(.presented(let news)): (news.at - Scene.start).seconds / 60
      default: nil
      }
    }
  }

  /// The app sleeps at 8 o'clock in New York, or is dead, and hears of it an hour later in Los Angeles.
  @Test(arguments: [false, true], [nil, "FREQ=DAILY"])
  func `what the system has shown is not told again after a flight west`(
    wasDead: Bool,
    rule: String?
  ) throws {
    for persistence in [nil, Reminder.Persistence.once] {
      var pills = try Self.pills("2026-01-05T08:00", rule)
      if rule == nil { pills.persistence = persistence }
      let scene = try Scene([pills], zone: Self.newYork)
      var engine = scene.engine
      if wasDead {
        engine = Engine(
          policy: engine.policy,
          zone: Self.newYork,
          catalog: .empty,
          monitoring: .everyFix,
          state: engine.state
        )
      }
      var effects = engine.handle(Event(at: scene.instant(360), .zoneChanged(Self.losAngeles)))
      if wasDead { effects += engine.handle(Event(at: scene.instant(360), .launched)) }
      let heard = Self.minutes(&engine, effects, until: scene.instant(2 * Self.day))
      #expect(heard == (rule == nil ? [300] : [300, Self.day + 480]))
    }
  }

  @Test(arguments: [false, true])
  func `a snooze for today lasts as long as the day does after a flight west`(isQuiet: Bool) throws
  {
    var scene = try Scene([try Self.pills("2026-01-05T08:00")], zone: Self.newYork) {
      if isQuiet { $0.quietHours = DailyWindow(startMinute: 22 * 60, endMinute: 7 * 60) }
    }
    scene.act("pills", .snoozeToday, minute: 600)
    _ = scene.heard()
    // It is 10 in the evening in New York, and 7 in Los Angeles.
    scene.send(.zoneChanged(Self.losAngeles), minute: 1_140)
    scene.wait(until: 2 * Self.day)
    // At 9 in the morning there; or at 7, at the end of quiet hours.
    #expect(Self.times(&scene) == [isQuiet ? "1860.00" : "1980.00"])
  }

  @Test func `a snooze for today holds for the day into which one flies`() throws {
    var scene = try Scene([try Self.pills("2026-01-05T04:00")], zone: Self.newYork)
    let tokyo = UTCOffsetTable(identifier: "Tokyo", initialOffsetSeconds: 32_400, eras: [])
    scene.wait(until: 61)
    _ = scene.heard()
    // 8 in the evening in New York is 10 in the morning of the next day there.
    scene.act("pills", .snoozeToday, minute: 1_020)
    scene.send(.zoneChanged(tokyo), minute: 1_021)
    scene.wait(until: 3 * Self.day)
    #expect(Self.times(&scene) == ["2400.00"])
  }

  @Test func `a border crossed in the morning does not put off what a snooze held back`() throws {
    var scene = try Scene([try Self.pills("2026-01-05T04:00")], zone: Self.newYork)
    scene.wait(until: 61)
    scene.act("pills", .snoozeToday, minute: 70)
    _ = scene.heard()
    let halifax = UTCOffsetTable(identifier: "Halifax", initialOffsetSeconds: -14_400, eras: [])
    // Half past eight is half past nine.
    scene.send(.zoneChanged(halifax), minute: Self.day + 330)
    #expect(Self.times(&scene) == ["1770.00"])
  }
}
