import NearMeEngine
import Places
import Recurrence
import Testing
import Timeline
import Traces

/// Clocks that jump, days of 23 and 25 hours, and another zone under way.
@Suite struct ClockTests {
  private static let rest = Reminder(id: "rest", title: "lie down", target: .place("hut"))
  private static let hut = Scene.place("hut", mile: 0)

  private static func at(_ text: String) -> Timestamp {
    RFC3339.parse(text) ?? Timestamp(milliseconds: .min)
  }

  private static func fix(_ mile: Double, _ instant: Timestamp) -> Event.Kind {
    .fix(
      .init(
        at: instant,
        coordinate: Scene.coordinate(mile: mile),
        horizontalAccuracyMeters: 10,
        speedMetersPerSecond: 1
      )
    )
  }

  @Test func `a clock set back an hour shifts what is left, and silences nobody`() throws {
    var scene = try Scene([Self.rest], places: [Self.hut])
    scene.at(1, minute: 0)
    scene.at(0, minute: 10, speed: 0)
    scene.wait(until: 12)
    #expect(scene.heard() == ["10.33 n1: Arriving at Hut — lie down now?"])
    // Two of five minutes have passed; the clock now says an hour less.
    scene.send(.clockChanged(by: .minutes(-60)), minute: -48)
    #expect(scene.heard() == [])
    scene.wait(until: -44)
    #expect(scene.heard() == ["-45.00 n2: Still need to lie down?"])
    // Fixes of the new time are not late.
    scene.at(4, minute: -40)
    scene.at(4, minute: -39)
    scene.at(0, minute: -20, speed: 0)
    scene.wait(until: -19)
    #expect(scene.heard() == ["-19.67 n3: Arriving at Hut — lie down now?"])
  }

  @Test func `a clock set ahead a day ends no snooze of fifteen minutes, but the one for today`()
    throws
  {
    let both = [Self.rest, Reminder(id: "cook", title: "cook", target: .place("hut"))]
    var scene = try Scene(both, places: [Self.hut])
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    scene.act("rest", .snoozeFor(.minutes(15)), minute: 10)
    scene.act("cook", .snoozeToday, minute: 10)
    _ = scene.heard()
    let day = 24.0 * 60
    scene.send(.clockChanged(by: .minutes(1_440)), minute: day + 12)
    #expect(scene.heard() == [])
    scene.wait(until: day + 61)
    #expect(
      scene.heard() == [
        "1465.00 n2: You're 5 miles from Hut — lie down?",
        "1500.00 n3: You're 5 miles from Hut — cook?",
      ]
    )
  }

  @Test func `a jump that the host does not name moves nothing back in time`() throws {
    var scene = try Scene([Self.rest], places: [Self.hut])
    scene.at(7, minute: 60)
    // The clock went back by an hour: answers count at the newest instant known.
    scene.act("rest", .snoozeFor(.minutes(15)), minute: 10)
    #expect(
      scene.engine.state.currentReminders[0].snooze == .until(scene.instant(75))
    )
    scene.at(4.9, minute: 30)
    #expect(scene.heard() == [])
    #expect(scene.engine.state.newestInstant == scene.instant(60))
    // Once it has caught up, everything is as ever.
    scene.at(4.9, minute: 64)
    scene.wait(until: 80)
    #expect(scene.heard() == ["75.00 n1: You're 5 miles from Hut — lie down?"])
  }

  private static func due(
    _ id: String,
    _ start: String,
    _ rule: String? = nil,
    anchor: Anchor = .catchUp,
    leads: [Milliseconds] = []
  ) throws -> Reminder {
    let schedule = Schedule(
      start: try #require(WrittenTime(start)),
      rule: try rule.map { try RecurrenceRule($0) },
      anchor: anchor,
      leads: leads
    )
    return Reminder(id: id, title: "do \(id)", triggers: [.schedule(schedule)])
  }

  /// A board without a battery shows another year until it has the time.
  @Test(arguments: [400.0, 1.0])
  func `what rang by a clock that was days ahead rings again at its time`(_ days: Double) throws {
    let (day, wrong) = (24.0 * 60, days * 24 * 60)
    var scene = try Scene([
      try Self.due("pills", "2026-01-05T08:30", "FREQ=DAILY", leads: [.minutes(10)]),
      try Self.due("bins", "2026-01-05T09:00", "FREQ=WEEKLY"),
      try Self.due("gym", "2026-01-05T18:00"),
      try Self.due("plants", "2026-01-05T10:00", "FREQ=DAILY;INTERVAL=3", anchor: .completion),
    ])
    scene.send(.focus(false), minute: 1)
    scene.send(.clockChanged(by: .minutes(Int64(wrong))), minute: wrong + 2)
    scene.wait(until: wrong + 15)
    scene.act("plants", .complete, minute: wrong + 16)
    scene.act("pills", .snoozeToday, minute: wrong + 17)
    scene.send(.clockChanged(by: .minutes(-Int64(wrong))), minute: 18)
    _ = scene.heard()
    scene.act("pills", .reopen, minute: 19)
    scene.wait(until: 2 * day)
    let heard = scene.heard()
      .flatMap { line in
        let words = line.split(separator: " ", maxSplits: 2)
        return words[2].split(separator: "\n").map { "\(words[0]) \($0)" }
      }
    #expect(heard.contains("20.00 In 10 minutes: do pills."), "\(heard)")
    #expect(heard.contains("30.00 Do pills."), "\(heard)")
    #expect(heard.contains("1470.00 Do pills."), "\(heard)")
    #expect(heard.contains("60.00 Do bins."), "\(heard)")
    #expect(heard.contains("600.00 Do gym."), "\(heard)")
    #expect(heard.count { $0.hasSuffix("pills.") } == 4, "\(heard)")
    scene.wait(until: 4 * day)
    #expect(scene.heard().contains { $0.hasSuffix("Do plants.") }, "\(heard)")
    #expect(scene.engine.violations() == [])
  }

  @Test func `a snooze for the day of a clock that was far ahead ends with today`() throws {
    let year = 365.0 * 24 * 60
    var scene = try Scene([try Self.due("pills", "2026-01-05T08:30", "FREQ=DAILY")])
    scene.wait(until: 31)
    scene.send(.clockChanged(by: .minutes(Int64(year))), minute: year + 32)
    scene.act("pills", .snoozeToday, minute: year + 33)
    scene.send(.clockChanged(by: .minutes(-Int64(year))), minute: 34)
    _ = scene.heard()
    scene.wait(until: 24 * 60)
    _ = scene.heard()
    scene.wait(until: 3 * 24 * 60)
    #expect(
      scene.heard().map { String($0.prefix { $0 != " " }) } == ["1470.00", "2910.00"],
      "on the mornings after it"
    )
  }

  @Test func `a clock that is set back by hand rings nothing twice`() throws {
    var scene = try Scene([try Self.due("pills", "2026-01-05T08:30", "FREQ=DAILY")])
    scene.wait(until: 40)
    #expect(scene.heard() == ["30.00 n1: Do pills."])
    scene.send(.clockChanged(by: .minutes(-60)), minute: -20)
    scene.wait(until: 24 * 60)
    #expect(scene.heard() == [])
  }

  @Test func `a clock that was never right by a century is not believed`() throws {
    var scene = try Scene([Self.rest], places: [Self.hut])
    scene.at(7, minute: 1)
    let before = scene.engine.state.newestInstant
    scene.send(.clockChanged(by: Milliseconds(.max)), minute: 2)
    scene.send(.clockChanged(by: Milliseconds(.min)), minute: 2)
    #expect(scene.engine.state.newestInstant == scene.instant(2))
    #expect(before == scene.instant(1))
  }

  /// One who sleeps at 4.9 miles, in quiet hours from 22:00 to 02:30, on a night on which clocks change.
  private func summaryInstant(_ start: Timestamp, zone: UTCOffsetTable) throws -> Timestamp? {
    var scene = try Scene([Self.rest], places: [Self.hut], zone: zone, from: start) {
      $0.quietHours = DailyWindow(startMinute: 22 * 60, endMinute: 2 * 60 + 30)
    }
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 10)
    scene.wait(until: 12 * 60)
    for effect in scene.effects {
      if case .post(let notification) = effect { return notification.at }
    }
    return nil
  }

  @Test func `quiet hours end at their local time on both edges of summer time`() throws {
    let zone = RandomLife.newYork
    // 02:30 does not exist on 8 March: it is the jump, 03:00 EDT.
    #expect(
      try summaryInstant(Self.at("2026-03-08T04:00:00Z"), zone: zone)
        == Self.at("2026-03-08T07:00:00Z")
    )
    // On 1 November the night is an hour longer.
    #expect(
      try summaryInstant(Self.at("2026-11-01T03:00:00Z"), zone: zone)
        == Self.at("2026-11-01T07:30:00Z")
    )
  }

  @Test func `a flight to another zone moves the end of the quiet hours`() throws {
    var scene = try Scene([Self.rest], places: [Self.hut], from: Self.at("2026-01-05T21:00:00Z")) {
      $0.quietHours = DailyWindow(startMinute: 20 * 60, endMinute: 7 * 60)
    }
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 10)
    #expect(scene.log.last == "10.00 rest approach:5mi deferred quiet_hours")
    let east = UTCOffsetTable(identifier: "x", initialOffsetSeconds: 5 * 3_600, eras: [])
    scene.send(.zoneChanged(east), minute: 20)
    #expect(scene.log.last == "20.00 rest approach:5mi deferred quiet_hours")
    scene.wait(until: 600)
    // 07:00 there is 02:00 in Greenwich: five hours after 21:00.
    #expect(scene.heard() == ["300.00 n1: You're 5 miles from Hut — lie down?"])
    // And where it is day already, it is told at once.
    var other = try Scene([Self.rest], places: [Self.hut], from: Self.at("2026-01-05T21:00:00Z")) {
      $0.quietHours = DailyWindow(startMinute: 20 * 60, endMinute: 7 * 60)
    }
    other.at(7, minute: 0)
    other.at(4.9, minute: 10)
    let far = UTCOffsetTable(identifier: "y", initialOffsetSeconds: 12 * 3_600, eras: [])
    other.send(.zoneChanged(far), minute: 20)
    #expect(other.heard() == ["20.00 n1: You're 5 miles from Hut — lie down?"])
  }

  @Test func `a restart in another zone reckons local times anew`() throws {
    var scene = try Scene([Self.rest], places: [Self.hut], from: Self.at("2026-01-05T21:00:00Z")) {
      $0.quietHours = DailyWindow(startMinute: 20 * 60, endMinute: 7 * 60)
    }
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 10)
    var moved = try Scene(
      [],
      places: [],
      zone: UTCOffsetTable(identifier: "x", initialOffsetSeconds: 12 * 3_600, eras: []),
      state: scene.engine.state,
      from: Self.at("2026-01-05T21:00:00Z")
    ) { $0.quietHours = DailyWindow(startMinute: 20 * 60, endMinute: 7 * 60) }
    #expect(moved.heard() == ["10.00 n1: You're 5 miles from Hut — lie down?"])
  }

  @Test func `what an evening owed does not wake a sleeper`() throws {
    var scene = try Scene([Self.rest], places: [Self.hut], from: Self.at("2026-01-05T21:50:00Z")) {
      $0.quietHours = DailyWindow(startMinute: 22 * 60, endMinute: 7 * 60)
    }
    scene.at(1, minute: 0)
    scene.at(0, minute: 3, speed: 0)
    // No timer comes; the app is started again an hour later.
    var late = scene.engine
    let effects = late.handle(Event(at: scene.instant(60), .launched))
    #expect(!effects.contains { if case .post = $0 { true } else { false } })
    // The system shows it in the morning, also if the app sleeps until then.
    let shownAt = effects.compactMap { if case .schedule(_, let at) = $0 { at } else { nil } }
    #expect(shownAt == [Self.at("2026-01-06T07:00:00Z")])
    #expect(late.state.waitingCount == 1)
  }
}
