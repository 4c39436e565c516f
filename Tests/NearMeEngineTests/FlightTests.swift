import NearMeEngine
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
}
