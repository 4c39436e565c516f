import Fencing
import NearMeEngine
import Places
import Recurrence
import Testing
import Timeline
import Traces

/// What is told later, or again, is told only if it is still so.
@Suite struct StillSoTests {
  private static let home = Scene.place("home", mile: 0, kind: .home)
  private static let keys = Reminder(id: "keys", title: "x", triggers: [.leave(.place("home"))])

  private static func meds(_ tiers: [Tier]?, nag: Reminder.Nag? = nil) -> Reminder {
    var meds = Reminder(id: "meds", title: "x", target: .category(CategoryID("pharmacy")))
    meds.tiers = tiers
    meds.nag = nag
    return meds
  }

  /// Half an hour at home, away at two miles from minute 30 on.
  private static func gone(_ scene: inout Scene) {
    scene.at(0, minute: 0)
    scene.at(0, minute: 29)
    for minute in 30...34 { scene.at(2, minute: Double(minute), speed: 10) }
  }

  private static func drive(_ scene: inout Scene, _ minute: Double) {
    scene.at(8.8 + 0.485 * minute, minute: minute, speed: 13)
  }

  /// A bank was told at minute 1, which holds back a pharmacy until minute 11; from minute 7 on no position comes.
  private static func intoTunnel() throws -> Scene {
    let bank = Reminder(
      id: "cash",
      title: "y",
      triggers: [.place(.category(CategoryID("bank")), tiers: [.approach(miles: 1)])]
    )
    let pois = [(10.0, "bank"), (16.0, "pharmacy")]
    var scene = try Scene([bank, meds([.approach(miles: 5)])], pois: pois) {
      $0.cooldown.overall = .minutes(10)
    }
    for minute in 0...7 { drive(&scene, Double(minute)) }
    return scene
  }

  /// Out of a tunnel: a cooldown has ended in it, and nobody knew where one was.
  @Test func `how far something is is said when that is known again`() throws {
    var scene = try Self.intoTunnel()
    #expect(scene.heard().count == 1)
    scene.wait(until: 13)
    #expect(scene.heard() == [])
    scene.at(15.6, minute: 14, speed: 13)
    #expect(scene.heard() == ["14.00 n2: You're 0.4 miles from pharmacy — x?"])
    #expect(scene.engine.violations() == [])
  }

  @Test func `a line of what was driven away from does not come again with news`() throws {
    let bank = Reminder(id: "cash", title: "y", target: .category(CategoryID("bank")))
    var scene = try Scene(
      [Self.meds([.approach(miles: 1), .arrival]), bank],
      pois: [(5, "pharmacy"), (8.85, "bank")]
    )
    for step in 0...85 {
      let mile = Double(step) / 10
      scene.at(mile, minute: mile / 0.56, speed: 15)
      let heard = scene.heard()
      if mile > 6.3 { #expect(!heard.contains { $0.contains("pharmacy") }, "\(mile): \(heard)") }
    }
  }

  @Test func `the line of a reminder that has spoken its one time stays beside news`() throws {
    var once = Self.meds(nil)
    once = Reminder(
      id: "once",
      title: "y",
      triggers: [.place(.category(CategoryID("pharmacy")), tiers: [.approach(miles: 5)])],
      persistence: .once
    )
    var scene = try Scene([Self.meds(nil), once], pois: [(0, "pharmacy")])
    for step in 0...30 { scene.at(6 - Double(step) * 0.15, minute: Double(step), speed: 4) }
    let last = try #require(scene.heard().last)
    #expect(last.hasSuffix("— x? / You're 5 miles from pharmacy — y?"), "\(last)")
    scene.act("once", .snoozeFor(.minutes(15)), minute: 31)
    #expect(!scene.log.contains { $0.contains("refused") }, "\(scene.log)")
  }

  /// A position each few minutes, at 67 mph past a pharmacy: the way between two leads through rings, and out of them.
  @Test(arguments: [(5.2, -3.0), (0.9, -1.9), (6, -6)])
  func `how far something is is said of where one is, however one came there`(
    _ from: Double,
    _ to: Double
  ) throws {
    var scene = try Scene([Self.meds(nil)], pois: [(0, "pharmacy")])
    scene.at(8, minute: 0, speed: 30)
    scene.at(from, minute: 3, speed: 30)
    _ = scene.heard()
    scene.at(to, minute: 8, speed: 30)
    scene.wait(until: 20)
    let heard = scene.heard()
    if to == -3 {
      #expect(heard.contains { $0.contains("You're 3 miles from pharmacy") }, "\(heard)")
    } else {
      #expect(heard == [])
    }
    #expect(scene.engine.violations() == [])
  }

  @Test func `a leaving that is told again does not come back with the next day's hours`() throws {
    var keys = Self.keys
    keys.nag = Reminder.Nag(every: .minutes(10))
    keys.conditions = [.window(try #require(WeeklyWindow("mon-sun 08:00-09:00")))]
    var scene = try Scene([keys], places: [Self.home])
    Self.gone(&scene)
    scene.wait(until: 59)
    #expect(scene.heard().count >= 2)
    scene.wait(until: 3 * 24 * 60)
    #expect(scene.heard() == [])
    #expect(scene.engine.violations() == [])
  }

  @Test func `nearer tiers are told after a reminder was muted and is not any more`() throws {
    var scene = try Scene([Self.meds(nil)], pois: [(0, "pharmacy")])
    for step in 0...40 {
      let mile = 6 - Double(step) * 0.13
      scene.at(mile, minute: Double(step) * 0.3, speed: 12)
      if step == 12 { scene.act("meds", .mute, minute: 12 * 0.3 + 0.1) }
      if step == 18 { scene.act("meds", .unmute, minute: 18 * 0.3 + 0.1) }
    }
    let heard = scene.heard().filter { !$0.contains("~") }
    for miles in ["You're 5 miles", "You're 3 miles"] {
      #expect(heard.contains { $0.contains(miles) }, "\(heard)")
    }
  }

  @Test func `who asked to be told a while after arriving is told nothing at the door`() throws {
    let tea = Reminder(
      id: "tea",
      title: "x",
      triggers: [.place(.place("home"), tiers: [.postArrival(delay: .minutes(10))])]
    )
    for leaves in [false, true] {
      var scene = try Scene([tea], places: [Self.home])
      scene.at(0.5, minute: 0)
      for minute in 2...8 { scene.at(0, minute: Double(minute), speed: 0) }
      if leaves { for minute in 9...11 { scene.at(1, minute: Double(minute), speed: 10) } }
      scene.wait(until: 60)
      let heard = scene.heard()
      #expect(heard.count == (leaves ? 0 : 1), "\(heard)")
      #expect(heard.allSatisfy { $0.contains("Still need to x?") }, "\(heard)")
      #expect(scene.engine.violations() == [])
    }
  }

  @Test
  func `an arrival that nobody is told of ends a snooze, and overtakes what was told on the way`()
    throws
  {
    var tea = Reminder(
      id: "tea",
      title: "x",
      triggers: [
        .place(.place("home"), tiers: [.approach(miles: 1), .postArrival(delay: .minutes(10))])
      ]
    )
    tea.snooze = .untilNextArrival
    var scene = try Scene([tea], places: [Self.home])
    scene.at(0.5, minute: 0)
    for minute in 2...20 { scene.at(0, minute: Double(minute), speed: 0) }
    let heard = scene.heard()
    #expect(heard.count == 1 && heard[0].contains("Still need to x?"), "\(heard)")
    #expect(scene.engine.state.currentReminders[0].snooze == nil)
  }

  @Test(arguments: [true, false])
  func `what waits for a position is told with a batch, and is stale when none comes`(
    comes: Bool
  ) throws {
    var scene = try Self.intoTunnel()
    scene.wait(until: 13)
    _ = scene.heard()
    if comes {
      scene.keepFixes()
      for minute in 8...14 { Self.drive(&scene, Double(minute)) }
      scene.handOver(minute: 16)
    }
    scene.wait(until: 120)
    #expect(scene.heard().count == (comes ? 1 : 0))
    #expect(scene.log.contains { $0.contains("meds approach:5mi suppressed stale") } == !comes)
    #expect(scene.engine.violations() == [])
  }

  @Test func `what one reminder says of two targets at one spot in the same words is said once`()
    throws
  {
    let both = Reminder(
      id: "both",
      title: "x",
      triggers: [.place(.category(CategoryID("pharmacy"))), .place(.place("home"))]
    )
    var scene = try Scene([both], pois: [(0, "pharmacy")], places: [Self.home])
    scene.at(0.5, minute: 0)
    for minute in 2...20 { scene.at(0, minute: Double(minute), speed: 0) }
    let asked = scene.heard().filter { $0.contains("Still") }
    #expect(!asked.isEmpty)
    for line in asked { #expect(line.split(separator: "Still").count == 2, "\(line)") }
  }

  @Test(arguments: [true, false])
  func `a snoozed way out is said again only to who is still out`(comesBack: Bool) throws {
    var scene = try Scene([Self.keys], places: [Self.home])
    Self.gone(&scene)
    #expect(scene.heard().count == 1)
    scene.act("keys", .snoozeFor(.minutes(30)), minute: 35)
    scene.at(comesBack ? 0 : 5, minute: 45)
    scene.at(comesBack ? 0 : 5, minute: 50)
    scene.wait(until: 120)
    #expect(scene.heard().count == (comesBack ? 0 : 1))
    #expect(scene.engine.violations() == [])
  }

  /// Home again under a focus, and out once more: of the first time nothing is left to say.
  @Test func `of two ways out the newest is said`() throws {
    var scene = try Scene([Self.keys], places: [Self.home])
    Self.gone(&scene)
    #expect(scene.heard().count == 1)
    scene.at(0, minute: 45)
    scene.at(0, minute: 59)
    scene.send(.focus(true), minute: 60)
    for minute in 61...65 { scene.at(2, minute: Double(minute), speed: 10) }
    scene.act("keys", .snoozeFor(.minutes(1)), minute: 66)
    scene.wait(until: 70)
    scene.send(.focus(false), minute: 75)
    scene.wait(until: 120)
    #expect(scene.heard().map { String($0.drop { $0 != ":" }) } == [": Still open: x."])
  }

  @Test(arguments: [nil, Reminder.Nag(every: .minutes(10), atMost: 9)])
  func `a snooze until the next arrival is not ended by the one that is there`(
    nag: Reminder.Nag?
  ) throws {
    var bins = Reminder(
      id: "bins",
      title: "x",
      triggers: [.place(.place("home"), tiers: [.arrival, .postArrival(delay: .minutes(5))])]
    )
    bins.nag = nag
    var scene = try Scene([bins], places: [Self.home])
    scene.at(3, minute: 0, speed: 10)
    for minute in 5...8 { scene.at(0, minute: Double(minute)) }
    #expect(scene.heard().map { String($0.drop { $0 != ":" }) } == [": Arriving at Home — x now?"])
    // Once more, and after a snooze for a time: what was said is not what is waited for.
    scene.act("bins", .snoozeUntilNextArrival, minute: 9)
    scene.act("bins", .snoozeFor(.minutes(15)), minute: 9.5)
    scene.act("bins", .snoozeUntilNextArrival, minute: 10)
    for minute in 11...60 { scene.at(0, minute: Double(minute)) }
    #expect(scene.heard().isEmpty)
    for minute in 61...70 { scene.at(3, minute: Double(minute), speed: 10) }
    for minute in 80...83 { scene.at(0, minute: Double(minute)) }
    #expect(scene.heard().map { String($0.drop { $0 != ":" }) } == [": Arriving at Home — x now?"])
    #expect(scene.engine.violations() == [])
  }

  @Test func `who leaves is not told any more that they arrive`() throws {
    let hut = Scene.place("hut", mile: 0)
    let arrive = Reminder(
      id: "a",
      title: "x",
      triggers: [.place(.place("hut"), tiers: [.arrival])]
    )
    let leave = Reminder(id: "b", title: "y", triggers: [.leave(.place("hut"))])
    var scene = try Scene([arrive, leave], places: [hut]) {
      $0.bundle.window = .minutes(10)
    }
    scene.at(3, minute: 0, speed: 10)
    for minute in 5...7 { scene.at(0, minute: Double(minute)) }
    for minute in 8...10 { scene.at(2, minute: Double(minute), speed: 10) }
    for minute in 12...14 { scene.at(0, minute: Double(minute)) }
    #expect(
      scene.heard().map { String($0.drop { $0 != ":" }) } == [
        ": Arriving at Hut — x now?", ": Leaving Hut — y?", ": Arriving at Hut — x now?",
      ]
    )
  }

  @Test func `a way out is not said again to who has come back`() throws {
    var keys = Self.keys
    keys.nag = Reminder.Nag(every: .minutes(10), atMost: 9)
    var scene = try Scene([keys], places: [Self.home])
    Self.gone(&scene)
    scene.wait(until: 44)
    #expect(scene.heard().count == 2)
    for minute in 50...60 { scene.at(0, minute: Double(minute)) }
    scene.wait(until: 150)
    #expect(scene.heard().isEmpty)
  }

  /// All of it is handed over at once, an hour and a half after the way out or some minutes after it.
  @Test(arguments: [(120.0, true, 0), (40, false, 1), (120, false, 0)])
  func `a way out in a late batch is told while it is news and one is out`(
    handedOver: Double,
    comesBack: Bool,
    count: Int
  ) throws {
    var scene = try Scene([Self.keys], places: [Self.home])
    scene.at(0, minute: 0)
    scene.keepFixes()
    Self.gone(&scene)
    if comesBack { for minute in 50...60 { scene.at(0, minute: Double(minute)) } }
    scene.handOver(minute: handedOver)
    scene.at(comesBack ? 0 : 3, minute: handedOver + 1)
    scene.wait(until: handedOver + 30)
    #expect(scene.heard().count == count)
  }

  /// Out of the door under a focus that ends half an hour later.
  @Test(arguments: [true, false])
  func `a way out under a focus is summed up to who is still out`(comesBack: Bool) throws {
    var scene = try Scene([Self.keys], places: [Self.home])
    scene.send(.focus(true), minute: 0)
    Self.gone(&scene)
    if comesBack { for minute in 50...55 { scene.at(0, minute: Double(minute)) } }
    #expect(scene.heard().isEmpty)
    scene.send(.focus(false), minute: 60)
    scene.wait(until: 120)
    // One has long left: it is not said that one is leaving.
    #expect(
      scene.heard().map { String($0.drop { $0 != ":" }) } == (comesBack ? [] : [": Still open: x."])
    )
  }

  /// Out of the door at half past eight; the window opens a while after it.
  @Test(arguments: [(38, [": Still open: x."]), (33, [": Leaving Home — x?"]), (50, [])])
  func `a way out before its window is told while it is news`(opens: Int, told: [String]) throws {
    var keys = Self.keys
    keys.conditions = [
      .window(try #require(WeeklyWindow(startMinute: 480 + opens, endMinute: 600)))
    ]
    var scene = try Scene([keys], places: [Self.home])
    Self.gone(&scene)
    scene.wait(until: 120)
    #expect(scene.heard().map { String($0.drop { $0 != ":" }) } == told)
  }

  @Test func `a way out that is told again is not said as if it were now`() throws {
    var keys = Self.keys
    keys.nag = Reminder.Nag(every: .minutes(10), atMost: 1)
    var scene = try Scene([keys], places: [Self.home])
    Self.gone(&scene)
    scene.wait(until: 60)
    #expect(
      scene.heard().map { String($0.drop { $0 != ":" }) } == [
        ": Leaving Home — x?", ": Still open: x.",
      ]
    )
  }

  /// The phone was off all the way: the first position is miles away.
  @Test func `a way out that is found out far away is not said as if it were now`() throws {
    var scene = try Scene([Self.keys], places: [Self.home])
    scene.at(0, minute: 0)
    scene.at(0, minute: 29)
    for minute in 180...184 { scene.at(6, minute: Double(minute)) }
    #expect(scene.heard().map { String($0.drop { $0 != ":" }) } == [": Still open: x."])
  }

  @Test func `an arrival that waited for its window is not said as if it were now`() throws {
    var meds = Self.meds([.arrival])
    meds.conditions = [.window(try #require(WeeklyWindow(startMinute: 510, endMinute: 600)))]
    var scene = try Scene([meds], pois: [(0, "pharmacy")])
    scene.at(2, minute: 0)
    for minute in 3...40 { scene.at(0, minute: Double(minute)) }
    #expect(scene.heard().map { String($0.drop { $0 != ":" }) } == [": Still need to x?"])
  }

  @Test func `what is asked for every three minutes comes every three minutes on the way`() throws {
    let meds = Self.meds(
      [.approach(meters: 5 * Tier.metersPerMile)],
      nag: Reminder.Nag(every: .minutes(3), atMost: 9)
    )
    var scene = try Scene([meds], pois: [(0, "pharmacy")])
    scene.at(7, minute: 0)
    for minute in 1...10 { scene.at(5 - 0.1 * Double(minute), minute: Double(minute)) }
    #expect(scene.heard().map { String($0.prefix(5)) } == ["1.00 ", "4.00 ", "7.00 ", "10.00"])
    // Driving away is not news, long before the ring is left.
    scene.at(4.95, minute: 11)
    scene.wait(until: 60)
    #expect(scene.heard().isEmpty)
  }

  @Test func `a reminder of two reasons is told again by one clock`() throws {
    var both = Self.meds([.arrival], nag: Reminder.Nag(every: .minutes(10), atMost: 9))
    both.triggers.append(.schedule(Schedule(start: try #require(WrittenTime("2026-01-05T08:08")))))
    var scene = try Scene([both], pois: [(0, "pharmacy")])
    scene.at(2, minute: 0)
    scene.at(0, minute: 3)
    scene.wait(until: 40)
    let minutes = scene.heard().compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(minutes == ["3.33", "8.00", "18.00", "28.00", "38.00"])
  }

  /// Weighed as in the default policy, by a phone that is seen each second.
  private static func weighed(
    _ scene: inout Scene,
    at mile: Double,
    from: Double,
    until: Double,
    speed: Double = 0
  ) {
    let count = Int(((until - from) * 60).rounded())
    for second in 0..<count { scene.at(mile, minute: from + Double(second) / 60, speed: speed) }
  }

  private static func weighing(_ reminders: [Reminder]) throws -> Scene {
    try Scene(reminders, places: [home]) { $0 = Policy() }
  }

  @Test(arguments: [35.0, 45, 55])
  func `positions that jump out of home and back are no way out, and the next one is`(
    seconds: Double
  ) throws {
    var scene = try Self.weighing([Self.keys])
    Self.weighed(&scene, at: 0, from: 0, until: 20)
    Self.weighed(&scene, at: 0.16, from: 20, until: 20 + seconds / 60)
    Self.weighed(&scene, at: 0, from: 20 + seconds / 60, until: 40)
    #expect(scene.heard().isEmpty)
    for second in 0..<180 {
      scene.at(0.008 * Double(second), minute: 40 + Double(second) / 60, speed: 13)
    }
    #expect(scene.heard().map { $0.drop { $0 != ":" } } == [": Leaving Home — x?"])
    #expect(scene.engine.violations() == [])
  }
}
