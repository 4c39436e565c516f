import Fencing
import Geodesy
import NearMeEngine
import Places
import Recurrence
import Testing
import Timeline
import Traces

/// Each rule of the pipeline in one small scene.
@Suite struct NotificationTests {
  private static let pharmacy = Reminder(
    id: "meds",
    title: "pick up the prescription",
    target: .category(CategoryID("pharmacy"))
  )
  private static let bank = Reminder(
    id: "cash",
    title: "get cash",
    target: .category(CategoryID("bank"))
  )

  /// Drives from a mile to another, a fix every half minute.
  private static func drive(
    _ scene: inout Scene,
    from: Double,
    to: Double,
    minutes: ClosedRange<Double>
  ) {
    var minute = minutes.lowerBound
    while minute <= minutes.upperBound {
      let share = (minute - minutes.lowerBound) / (minutes.upperBound - minutes.lowerBound)
      scene.at(from + (to - from) * share, minute: minute, speed: 20)
      minute += 0.5
    }
  }

  @Test
  func
    `NM-4.4, NM-5.1, NM-5.2, NM-5.3: a drive to the pharmacy says the three texts, byte for byte`()
    throws
  {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")]) {
      $0.cooldown.perReminder = .minutes(0)
      $0.cooldown.overall = .minutes(0)
    }
    Self.drive(&scene, from: 6.99, to: -0.01, minutes: 0...14)
    for minute in 15...21 { scene.at(0, minute: Double(minute), speed: 0) }
    #expect(
      scene.heard() == [
        "4.00 n1: You're 5 miles from pharmacy — pick up the prescription?",
        "8.00 n2: You're 3 miles from pharmacy — pick up the prescription?",
        "12.00 n3: You're 1 mile from pharmacy — pick up the prescription?",
        "14.67 n4: Arriving at Pharmacy 1 — pick up the prescription now?",
        "19.00 n5: Still need to pick up the prescription?",
      ]
    )
  }

  @Test func `kilometers are an option`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")]) {
      $0.text.distanceUnit = .kilometers
    }
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    #expect(
      scene.heard() == ["4.00 n1: You're 8 kilometers from pharmacy — pick up the prescription?"]
    )
  }

  @Test func `a late wake tells the real distance, and only the innermost tier speaks`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(7, minute: 0)
    scene.at(0.7, minute: 30)
    #expect(
      scene.heard() == ["30.00 n1: You're 0.7 miles from pharmacy — pick up the prescription?"]
    )
    #expect(
      scene.log == [
        "30.00 meds approach:5mi suppressed superseded",
        "30.00 meds approach:3mi suppressed superseded",
        "30.00 meds approach:1mi delivered",
      ]
    )
  }

  @Test func `who begins inside is told nothing until they have left and come back`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(0, minute: 0)
    scene.at(0, minute: 10)
    #expect(scene.heard() == [])
    scene.at(3.5, minute: 20)
    scene.at(0.8, minute: 40)
    #expect(
      scene.heard() == ["40.00 n1: You're 1 mile from pharmacy — pick up the prescription?"]
    )
  }

  @Test func `one mile re-arms beyond three, not at the first bend of the road`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(2, minute: 0)
    scene.at(0.9, minute: 10)
    scene.at(1.5, minute: 50)
    scene.at(0.9, minute: 90)
    #expect(scene.heard().count == 1)
    scene.at(3.1, minute: 120)
    scene.at(0.9, minute: 150)
    #expect(scene.heard().count == 1)
  }

  @Test func `NM-4.5: two targets within a minute are one notification, nearest first`() throws {
    var scene = try Scene([Self.pharmacy, Self.bank], pois: [(0, "pharmacy"), (-0.25, "bank")])
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    scene.at(4.7, minute: 4.5)
    #expect(
      scene.heard() == [
        "4.00 n1: You're 5 miles from pharmacy — pick up the prescription?",
        "4.50 ~n1: You're 5 miles from pharmacy — pick up the prescription? "
          + "/ You're 5 miles from bank — get cash?",
      ]
    )
  }

  @Test func `NM-4.6: an approach waits for the cooldown and is told if it is still true`() throws {
    var scene = try Scene([Self.pharmacy, Self.bank], pois: [(0, "pharmacy"), (-1, "bank")])
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    scene.at(3.9, minute: 6)
    scene.wait(until: 10)
    #expect(
      scene.heard() == [
        "4.00 n1: You're 5 miles from pharmacy — pick up the prescription?",
        "9.00 n2: You're 5 miles from bank — get cash?",
      ]
    )
    #expect(scene.log.contains("6.00 cash approach:5mi deferred cooldown_overall"))
  }

  @Test func `what is no longer true after the cooldown is closed as stale`() throws {
    var scene = try Scene([Self.pharmacy, Self.bank], pois: [(0, "pharmacy"), (-1, "bank")])
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    scene.at(3.9, minute: 6)
    scene.at(8, minute: 8)
    scene.wait(until: 30)
    #expect(scene.heard().count == 1)
    #expect(scene.log.contains("8.00 cash approach:5mi suppressed stale"))
  }

  /// A straight way past all rings of a pharmacy, with a fix every 10 s.
  ///
  /// - Returns: what was heard, without the minutes.
  private func approach(metersPerSecond: Double, monitoring: Monitoring) throws -> [String] {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")], monitoring: monitoring)
    var mile = 6.0
    var minute = 1.0
    var last = scene.start(at: mile, minute: minute, speed: metersPerSecond)
    while mile > 0.05 {
      mile -= metersPerSecond * 10 / Tier.metersPerMile
      minute += 10.0 / 60
      last = scene.pass(from: last, to: max(mile, 0), minute: minute, speed: metersPerSecond)
    }
    for _ in 0..<12 {
      minute += 10.0 / 60
      last = scene.pass(from: last, to: 0, minute: minute, speed: 0)
    }
    return scene.heard().map { String($0.drop { $0 != " " }.dropFirst()) }
  }

  @Test(arguments: [5.0, 10, 15, 20, 30], [Monitoring.everyFix, .regions(MonitorLimits())])
  func `no tier on the way is lost, and only the first and the arrival make a sound`(
    metersPerSecond: Double,
    monitoring: Monitoring
  ) throws {
    // Three and one mile come within the reminder's own cooldown of 30 minutes.
    #expect(
      try approach(metersPerSecond: metersPerSecond, monitoring: monitoring) == [
        "n1: You're 5 miles from pharmacy — pick up the prescription?",
        "~n1: You're 3 miles from pharmacy — pick up the prescription?",
        "~n1: You're 1 mile from pharmacy — pick up the prescription?",
        "n2: Arriving at Pharmacy 1 — pick up the prescription now?",
      ]
    )
  }

  @Test func `a nearer tier after the cooldown makes a sound`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    scene.at(2.9, minute: 40)
    #expect(
      scene.heard() == [
        "4.00 n1: You're 5 miles from pharmacy — pick up the prescription?",
        "40.00 n2: You're 3 miles from pharmacy — pick up the prescription?",
      ]
    )
    #expect(scene.log.contains("40.00 withdraw n1"))
  }

  @Test func `a nearer tier of what was taken away is told after the cooldown over all`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    scene.act("meds", .dismiss, minute: 5)
    scene.at(2.9, minute: 8)
    #expect(scene.heard().count == 1)
    scene.wait(until: 60)
    #expect(
      scene.heard() == ["9.00 n2: You're 3 miles from pharmacy — pick up the prescription?"]
    )
  }

  @Test func `what waited is told with the distance from here, or not at all`() throws {
    var scene = try Scene([Self.pharmacy, Self.bank], pois: [(0, "pharmacy"), (-1, "bank")])
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    scene.at(3.9, minute: 6)
    scene.at(2.2, minute: 8)
    scene.wait(until: 10)
    // Nearer to the bank than when its ring was entered.
    #expect(scene.heard().last == "9.00 n2: You're 3.2 miles from bank — get cash?")
    // Still inside the ring's hysteresis, and yet farther away than it says.
    var out = try Scene([Self.pharmacy, Self.bank], pois: [(0, "pharmacy"), (-1, "bank")])
    out.at(7, minute: 0)
    out.at(4.9, minute: 4)
    out.at(3.9, minute: 6)
    out.at(4.03, minute: 8)
    out.wait(until: 10)
    #expect(out.heard().count == 1)
    #expect(out.log.contains("9.00 cash approach:5mi suppressed stale"))
  }

  @Test func `two targets of one reminder come nearer on one line of the screen, without a sound`()
    throws
  {
    var errand = Self.pharmacy
    errand.triggers.append(.place(.category(CategoryID("grocery")), tiers: nil))
    var scene = try Scene([errand], pois: [(0, "pharmacy"), (-0.01, "grocery")])
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    #expect(scene.heard().count == 1)
    scene.at(2.9, minute: 8)
    #expect(
      scene.heard() == [
        "8.00 ~n1: You're 3 miles from pharmacy — pick up the prescription? "
          + "/ You're 3 miles from grocery — pick up the prescription?"
      ]
    )
  }

  @Test func `a sleeping app looks where it is once, and sums up the quiet hours once`() throws {
    var rest = Self.pharmacy
    rest = Reminder(id: "rest", title: "lie down", target: .place("hut"))
    var scene = try Scene(
      [Self.bank, rest],
      pois: [(-3, "bank")],
      places: [Scene.place("hut", mile: 0)],
      monitoring: .regions(MonitorLimits())
    ) { $0.quietHours = DailyWindow(startMinute: 8 * 60, endMinute: 9 * 60) }
    var last = scene.start(at: 7, minute: 1, speed: 20)
    for (minute, mile) in [(5.0, 4.0), (10, 1), (12, 0), (12.5, 0), (13, 0), (20, 0)] {
      last = scene.pass(from: last, to: mile, minute: minute, speed: mile == 0 ? 0 : 20)
    }
    #expect(scene.heard() == [])
    // The system shows what needs no position; what needs one joins it without a sound.
    scene.wait(until: 60.1)
    #expect(scene.heard() == ["60.00 n1: Still need to lie down?"])
    _ = scene.pass(from: last, to: 0, minute: 60.2, speed: 0)
    let summary = scene.heard()
    #expect(summary.count == 1, "\(summary)")
    #expect(summary.first?.contains("3 miles from bank") == true, "\(summary)")
    #expect(summary.first?.contains("~n1") == true, "\(summary)")
    #expect(summary.first?.contains("lie down") == true, "\(summary)")
  }

  @Test func `a snooze ends the search for a position`() throws {
    var scene = try Scene(
      [Self.pharmacy, Self.bank],
      pois: [(0, "pharmacy"), (-1, "bank")],
      monitoring: .regions(MonitorLimits())
    )
    var last = scene.start(at: 7, minute: 1, speed: 20)
    last = scene.pass(from: last, to: 4.9, minute: 4, speed: 20)
    last = scene.pass(from: last, to: 3.9, minute: 6, speed: 20)
    // The bank waits for the pharmacy's cooldown, and from minute 9 on for a position.
    scene.wait(until: 9.1)
    scene.act("cash", .snoozeFor(.minutes(30)), minute: 9.2)
    _ = scene.heard()
    let told = scene.log.count
    _ = scene.pass(from: last, to: 3.5, minute: 9.4, speed: 20)
    #expect(scene.heard() == [])
    #expect(!scene.log.dropFirst(told).contains { $0.contains("cash") }, "\(scene.log)")
  }

  @Test func `a snooze of a minute is over after a minute`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    scene.act("meds", .snoozeFor(.minutes(1)), minute: 4.5)
    scene.wait(until: 20)
    // Its own approach was told 90 s ago, which is no reason to wait any longer.
    #expect(scene.heard().last?.hasPrefix("5.50 n2: You're 5 miles from pharmacy") == true)
  }

  @Test func `an arrival needs no cooldown and spends none`() throws {
    var scene = try Scene(
      [Self.pharmacy, Self.bank],
      pois: [(0, "pharmacy"), (0.05, "bank")]
    )
    scene.at(0.5, minute: 0)
    scene.at(0, minute: 2, speed: 0)
    scene.at(0, minute: 3, speed: 0)
    #expect(
      scene.heard() == [
        "2.33 n1: Arriving at Pharmacy 1 — pick up the prescription now? "
          + "/ Arriving at Bank 2 — get cash now?"
      ]
    )
  }

  @Test
  func `NM-5.5, YOMO-4.5.1b: a snooze is counted from the tap and says again what is still true`()
    throws
  {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    #expect(scene.heard().count == 1)
    scene.act("meds", .snoozeFor(.minutes(15)), minute: 6)
    #expect(scene.log.last == "6.00 withdraw n1")
    scene.at(2.9, minute: 10)
    #expect(scene.heard() == [])
    scene.wait(until: 40)
    #expect(
      scene.heard() == ["21.00 n2: You're 3 miles from pharmacy — pick up the prescription?"]
    )
    #expect(scene.log.contains("10.00 meds approach:3mi deferred snoozed"))
  }

  /// Snoozed on the way, one has arrived when the snooze ends.
  @Test(arguments: [4, 6, 10])
  func `an arrival during a snooze is asked about once`(_ length: Int64) throws {
    let rest = Reminder(id: "rest", title: "rest", target: .place("hut"))
    var scene = try Scene([rest], places: [Scene.place("hut", mile: 0)])
    scene.at(7, minute: 0, speed: 20)
    scene.at(4.9, minute: 2, speed: 20)
    scene.at(0.9, minute: 5, speed: 20)
    scene.act("rest", .snoozeFor(.minutes(length)), minute: 6)
    scene.at(0, minute: 8)
    scene.at(0, minute: 9)
    scene.wait(until: 40)
    let heard = scene.heard().dropFirst().map { $0.split(separator: " ") }
    #expect(heard.map { $0[0] } == ["\(6 + length).00"], "\(heard)")
    #expect(heard.first?.dropFirst(2).joined(separator: " ") == "Still need to rest?")
    let isCanceled = scene.effects.contains {
      if case .record(.canceled(let canceled)) = $0 { canceled.reason == .asked } else { false }
    }
    #expect(isCanceled == (length < 10), "\(scene.log)")
  }

  @Test func `a question of two hours later is asked though the arrival was told late`() throws {
    let tiers: [Tier] = [.arrival, .postArrival(delay: .minutes(120))]
    let rest = Reminder(id: "rest", title: "rest", target: .place("hut"), tiers: tiers)
    var scene = try Scene([rest], places: [Scene.place("hut", mile: 0)])
    scene.at(7, minute: 0, speed: 20)
    scene.act("rest", .snoozeFor(.minutes(10)), minute: 6)
    scene.at(0, minute: 8)
    scene.at(0, minute: 9)
    scene.wait(until: 200)
    let heard = scene.heard().map { $0.split(separator: " ") }
    #expect(heard.map { $0[0] } == ["16.00", "128.00"], "\(heard)")
  }

  @Test func `a snooze until the next arrival ends with it`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(7, minute: 0)
    scene.act("meds", .snoozeUntilNextArrival, minute: 1)
    scene.at(4.9, minute: 4)
    scene.at(0.9, minute: 40)
    #expect(scene.heard() == [])
    scene.at(0, minute: 50, speed: 0)
    scene.at(0, minute: 51, speed: 0)
    #expect(
      scene.heard() == ["50.33 n1: Arriving at Pharmacy 1 — pick up the prescription now?"]
    )
    #expect(scene.log.contains("50.33 meds approach:1mi suppressed superseded"))
  }

  @Test func `NM-5.5: today ends at the next local midnight`() throws {
    let zone = UTCOffsetTable(identifier: "x", initialOffsetSeconds: -3_600, eras: [])
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")], zone: zone)
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    _ = scene.heard()
    scene.act("meds", .snoozeToday, minute: 10)
    // 08:00 UTC is 07:00 local: 17 hours to midnight, which wakes nobody, and 26 to 9 in the morning.
    scene.wait(until: 26 * 60)
    #expect(
      scene.heard() == ["1560.00 n2: You're 5 miles from pharmacy — pick up the prescription?"]
    )
  }

  @Test func `a snooze for today holds back nothing of tomorrow`() throws {
    var pills = Reminder(id: "pills", title: "take the pills", triggers: [])
    pills.triggers = [
      .schedule(
        Schedule(
          start: try #require(WrittenTime("2026-01-05T07:30")),
          rule: try RecurrenceRule("FREQ=DAILY;BYHOUR=7,18")
        )
      )
    ]
    for mostPending in [0, 64] {
      var scene = try Scene([pills, Self.pharmacy], pois: [(0, "pharmacy")]) {
        $0.schedules.mostPending = mostPending
      }
      scene.at(7, minute: 0)
      scene.at(4.9, minute: 4)
      _ = scene.heard()
      scene.act("pills", .snoozeToday, minute: 10)
      scene.act("meds", .snoozeToday, minute: 10)
      scene.send(.focus(false), minute: 16 * 60 + 5)
      #expect(
        scene.engine.nextTimes(ofReminder: "pills", 2)
          == [scene.instant(23.5 * 60), scene.instant(25 * 60)]
      )
      // Yesterday's pills are not told again beside those of today; at 9 the rest is told.
      scene.wait(until: 25 * 60 + 1)
      #expect(
        scene.heard().map { String($0.prefix { $0 != " " }) } == ["1410.00", "1500.00"],
        "room for \(mostPending)"
      )
    }
  }

  /// Told on Monday at 8:30, with room for nothing and for what the system holds.
  @Test(arguments: [
    ("06:00-08:40", "", 22.0), ("mon,tue 06:00-08:40", "", 22), ("06:00-12:00", "", 25),
    ("10:00-12:00", "", 26), ("20:00-08:40", "", 16), ("", "2026-01-06T08:40", 16),
    ("", "2026-01-06T09:30", 25),
  ])
  func `what a snooze for today holds back is told in its own hours of the next day`(
    _ hours: String,
    _ expires: String,
    _ told: Double
  ) throws {
    let time = try #require(WrittenTime("2026-01-05T08:30"))
    var pills = Reminder(id: "pills", title: "take pills", triggers: [])
    pills.triggers = [.schedule(Schedule(start: time))]
    if !hours.isEmpty { pills.conditions = [.window(try #require(WeeklyWindow(hours)))] }
    if !expires.isEmpty { pills.expires = WrittenTime(expires) }
    for mostPending in [0, 64] {
      var scene = try Scene([pills]) { $0.schedules.mostPending = mostPending }
      scene.wait(until: 31)
      _ = scene.heard()
      scene.act("pills", .snoozeToday, minute: 32)
      #expect(scene.engine.nextTimes(ofReminder: "pills") == [scene.instant(told * 60)])
      scene.wait(until: told * 60 - 1)
      #expect(scene.heard() == [], "room for \(mostPending)")
      scene.wait(until: told * 60 + 1)
      #expect(scene.heard().count == 1, "room for \(mostPending)")
      #expect(scene.engine.violations() == [])
    }
  }

  @Test func `what a snooze for today holds back is summed up at the end of the quiet hours`()
    throws
  {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")]) {
      $0.quietHours = DailyWindow(startMinute: 22 * 60, endMinute: 7 * 60)
    }
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    _ = scene.heard()
    scene.act("meds", .snoozeToday, minute: 10)
    scene.wait(until: 26 * 60)
    #expect(scene.heard().map { String($0.prefix { $0 != " " }) } == ["1380.00"])
  }

  @Test func `NM-5.6: muted means silent until unmuted by hand`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(7, minute: 0)
    scene.act("meds", .mute, minute: 1)
    scene.at(0, minute: 30, speed: 0)
    scene.at(7, minute: 60)
    #expect(scene.heard() == [])
    scene.act("meds", .unmute, minute: 61)
    scene.at(7, minute: 62)
    scene.at(4.9, minute: 66)
    #expect(scene.heard().count == 1)
  }

  @Test
  func
    `NM-2.5, YOMO-4.5.1e, MOM-15: completing takes its line out of a bundle, and the last line takes it away`()
    throws
  {
    var scene = try Scene([Self.pharmacy, Self.bank], pois: [(0, "pharmacy"), (-0.1, "bank")])
    scene.at(7, minute: 0)
    scene.at(4.8, minute: 4)
    #expect(scene.heard().count == 1)
    scene.act("meds", .complete, minute: 5)
    #expect(scene.heard() == ["5.00 ~n1: You're 5 miles from bank — get cash?"])
    scene.act("cash", .complete, minute: 6)
    #expect(scene.log.last == "6.00 withdraw n1")
    scene.at(0, minute: 20, speed: 0)
    scene.wait(until: 60)
    #expect(scene.heard() == [])
  }

  @Test func `NM-5.7: quiet hours keep silent and end in one summary of what is still true`() throws
  {
    var scene = try Scene(
      [Self.pharmacy, Self.bank],
      pois: [(0, "pharmacy"), (-4, "bank")]
    ) { $0.quietHours = DailyWindow(startMinute: 8 * 60, endMinute: 9 * 60) }
    scene.at(10, minute: 0)
    scene.at(4.9, minute: 10)
    scene.at(0.9, minute: 40)
    scene.wait(until: 59)
    #expect(scene.heard() == [])
    scene.wait(until: 61)
    #expect(
      scene.heard() == [
        "60.00 n1: You're 1 mile from pharmacy — pick up the prescription? "
          + "/ You're 5 miles from bank — get cash?"
      ]
    )
    #expect(scene.log.contains("40.00 meds approach:5mi suppressed superseded"))
  }

  @Test func `NM-5.7: a focus holds everything back until it ends`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(7, minute: 0)
    scene.send(.focus(true), minute: 1)
    scene.at(0, minute: 30, speed: 0)
    scene.at(0, minute: 31, speed: 0)
    scene.at(0, minute: 39, speed: 0)
    #expect(scene.heard() == [])
    scene.send(.focus(false), minute: 40)
    #expect(scene.heard() == ["40.00 n1: Still need to pick up the prescription?"])
  }

  @Test func `who leaves before five minutes is not asked whether they still need to`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(0.5, minute: 0)
    scene.at(0, minute: 2, speed: 0)
    scene.at(0, minute: 4, speed: 0)
    scene.at(0.5, minute: 5)
    scene.at(0.5, minute: 6)
    scene.wait(until: 30)
    #expect(
      scene.heard() == ["2.33 n1: Arriving at Pharmacy 1 — pick up the prescription now?"]
    )
    #expect(scene.effects.contains { if case .unschedule = $0 { true } else { false } })
  }

  @Test func `two visits are two arrivals`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(0.5, minute: 0)
    for minute in [2.0, 30] {
      scene.at(0, minute: minute, speed: 0)
      scene.at(0, minute: minute + 1, speed: 0)
      scene.at(0.5, minute: minute + 3)
      scene.at(0.5, minute: minute + 4)
    }
    #expect(scene.heard().count == 2)
  }

  @Test func `driving by is not arriving`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(0.5, minute: 0)
    // 30 m/s through 300 m: ten seconds.
    for second in 0...60 {
      let meters = 900 - 30 * Double(second)
      scene.at(meters / Tier.metersPerMile, minute: 1 + Double(second) / 60, speed: 30)
    }
    scene.wait(until: 30)
    #expect(scene.heard() == [])
  }

  @Test func `a poor position enters nothing and leaves nothing`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(2, minute: 0)
    scene.at(0.9, minute: 10, accuracy: 900)
    #expect(scene.heard() == [])
    scene.at(0.9, minute: 12)
    #expect(scene.heard().count == 1)
    scene.at(3.2, minute: 30, accuracy: 4_000)
    #expect(!scene.log.contains { $0.contains("exit") })
  }

  @Test func `a mile ring crossed between two fixes is seen, and not told from beyond it`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(2.5, minute: 0)
    scene.at(-2.5, minute: 5)
    #expect(scene.heard() == [])
    #expect(scene.log.contains("5.00 meds approach:1mi suppressed stale"), "\(scene.log)")
    #expect(!scene.log.contains { $0.contains("arrival") })
  }

  @Test func `NM-7.6: the free tier speaks for the first three live reminders`() throws {
    let reminders = (1...4)
      .map {
        Reminder(id: "r\($0)", title: "t\($0)", target: .category(CategoryID("pharmacy")))
      }
    var scene = try Scene(reminders, pois: [(0, "pharmacy")], entitlement: .free)
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    #expect(scene.heard().first?.contains("t4") == false)
    #expect(scene.log.contains("4.00 r4 approach:5mi suppressed not_entitled"))
    scene.act("r1", .complete, minute: 5)
    scene.at(0.9, minute: 60)
    #expect(scene.heard().last?.contains("t4") == true)
  }

  @Test func `two people waiting at one place are told together after five minutes`() throws {
    var scene = try Scene(
      [
        Reminder(id: "a", title: "rest", target: .place("home")),
        Reminder(id: "b", title: "cook", target: .place("home")),
      ],
      places: [Scene.place("home", mile: 0, kind: .home)]
    )
    scene.at(1, minute: 0)
    for minute in [2.0, 3, 6, 8] { scene.at(0, minute: minute, speed: 0) }
    #expect(
      scene.heard() == [
        "2.33 n1: Arriving at Home — rest now? / Arriving at Home — cook now?",
        "7.00 n2: Still need to rest? / Still need to cook?",
      ]
    )
  }

  @Test func `NM-3.5: editing a place moves its fences at once`() throws {
    var scene = try Scene(
      [Reminder(id: "a", title: "rest", target: .place("hut"))],
      places: [Scene.place("hut", mile: 0)]
    )
    scene.at(20, minute: 0)
    scene.send(.placeSaved(Scene.place("hut", mile: 40)), minute: 1)
    scene.at(20, minute: 2)
    scene.at(4, minute: 30)
    #expect(scene.heard() == [])
    scene.at(35.5, minute: 90)
    #expect(scene.heard() == ["90.00 n1: You're 5 miles from Hut — rest?"])
  }

  @Test func `a title cannot break the text`() throws {
    let reminder = Reminder(
      id: "x",
      title: " a\nb\u{202E}c " + String(repeating: "é", count: 200),
      target: .place("hut")
    )
    var scene = try Scene([reminder], places: [Scene.place("hut", mile: 0)])
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    let text = scene.heard().first ?? ""
    #expect(!text.contains("\n"))
    #expect(!text.contains("\u{202E}"))
    #expect(text.hasSuffix("…?"))
  }

  @Test func `a new title stands on the screen at once`() throws {
    var rest = Reminder(id: "rest", title: "lie down", target: .place("hut"))
    var scene = try Scene([rest], places: [Scene.place("hut", mile: 0, kind: .home)])
    let far = scene.start(at: 3, minute: 0, speed: 10)
    _ = scene.pass(from: far, to: 1.99, minute: 3, speed: 10)
    #expect(scene.heard() == ["3.00 n1: You're 2 miles from Hut — lie down?"])
    for (minute, title) in zip(4..., ["hut", "Hut", "really?", "sit down", "sit down"]) {
      rest.title = title
      scene.send(.reminderSaved(rest), minute: Double(minute))
    }
    // What stands there already is not put there again.
    #expect(
      scene.heard() == [
        "4.00 ~n1: You're 2 miles from Hut — hut?", "5.00 ~n1: You're 2 miles from Hut — Hut?",
        "6.00 ~n1: You're 2 miles from Hut — really?",
        "7.00 ~n1: You're 2 miles from Hut — sit down?",
      ]
    )
  }

  @Test func `a place's new name stands on the screen at once, and is what is said next`() throws {
    let rest = Reminder(id: "rest", title: "hut", target: .place("hut"))
    let lock = Reminder(id: "lock", title: "lock up", triggers: [.leave(.place("hut"))])
    var scene = try Scene([rest, lock], places: [Scene.place("hut", mile: 0, kind: .home)])
    let far = scene.start(at: 3, minute: 0, speed: 10)
    var here = scene.pass(from: far, to: 1.99, minute: 3, speed: 10)
    #expect(scene.heard() == ["3.00 n1: You're 2 miles from Hut — hut?"])
    func hut(named name: String) -> Place {
      Place(id: "hut", name: name, kind: .home, coordinate: Scene.coordinate(mile: 0))
    }
    scene.send(.placeSaved(hut(named: "The old cabin")), minute: 4)
    #expect(scene.heard() == ["4.00 ~n1: You're 2 miles from The old cabin — hut?"])
    for minute in 10...20 { here = scene.pass(from: here, to: 0, minute: Double(minute), speed: 0) }
    scene.send(.placeSaved(hut(named: "Home")), minute: 21)
    _ = scene.heard()
    for minute in 22...25 {
      here = scene.pass(from: here, to: Double(minute - 21) / 2, minute: Double(minute), speed: 10)
    }
    let heard = scene.heard()
    #expect(heard.contains { $0.hasSuffix("Leaving Home — lock up?") }, "\(heard)")
  }

  /// It has waited for a cooldown, and one has driven by meanwhile.
  @Test(arguments: [0.0, 180])
  func `an approach to what lies behind is no news any more`(_ course: Double) throws {
    let reminders = ["a", "b"]
      .map { Reminder(id: $0, title: "look for \($0)", target: .place($0)) }
    var scene = try Scene(
      reminders,
      places: [
        Scene.place("a", mile: 3, kind: .home), Scene.place("b", mile: 3.8, kind: .home),
      ]
    )
    for second in stride(from: 0, through: 460, by: 20) {
      let minute = Double(second) / 60
      let mile = Double(second) * 15 / Tier.metersPerMile
      let fix = Fix(
        at: scene.instant(minute),
        coordinate: Scene.coordinate(mile: mile),
        horizontalAccuracyMeters: 10,
        speedMetersPerSecond: 15,
        courseDegrees: course
      )
      scene.send(.fix(fix), minute: minute)
    }
    let toldOfB = scene.heard().contains { $0.contains("from B") }
    #expect(toldOfB == (course == 180))
    #expect(scene.log.contains { $0.contains("b approach:2mi suppressed stale") } == !toldOfB)
  }

  /// A detector of doors does not know where a campus ends.
  @Test(arguments: [Monitoring.everyFix, .regions(MonitorLimits())])
  func `a place as large as its user says is arrived at within its radius, and left beyond it`(
    _ monitoring: Monitoring
  ) throws {
    let campus = Place(
      id: "campus",
      name: "Campus",
      kind: .other,
      coordinate: Scene.coordinate(mile: 0),
      arrivalRadiusMeters: 1_000
    )
    let reminders = [
      Reminder(id: "in", title: "return the key", target: .place("campus")),
      Reminder(id: "out", title: "lock the bike", triggers: [.leave(.place("campus"))]),
    ]
    var scene = try Scene(reminders, places: [campus], monitoring: monitoring) {
      $0.fencing.arrivalDetection = .posterior
    }
    var last = scene.start(at: 4, minute: 0, speed: 10)
    func go(to mile: Double, minute: Double, speed: Double, _ scene: inout Scene) {
      last = scene.pass(from: last, to: mile, minute: minute, speed: speed)
    }
    for minute in 1...10 {
      go(to: 4 - Double(minute) * 0.36, minute: Double(minute), speed: 10, &scene)
    }
    for minute in 11...40 { go(to: 0.4, minute: Double(minute), speed: 0, &scene) }
    let there = scene.heard()
    #expect(there.contains { $0.contains("Arriving at Campus — return the key now?") }, "\(there)")
    #expect(!there.contains { $0.contains("Leaving") }, "\(there)")
    for minute in 41...50 {
      go(to: 0.4 + Double(minute - 40) * 0.36, minute: Double(minute), speed: 10, &scene)
    }
    scene.wait(until: 55)
    let away = scene.heard()
    #expect(away.contains { $0.contains("Leaving Campus — lock the bike?") }, "\(away)")
    #expect(scene.engine.violations() == [])
  }
}
