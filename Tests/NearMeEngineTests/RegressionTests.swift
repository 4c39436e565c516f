import Fencing
import Foundation
import NearMeEngine
import Places
import Testing
import Timeline
import Traces

/// Cases that once went wrong.
@Suite struct RegressionTests {
  private static let pharmacy = Reminder(
    id: "meds",
    title: "fetch meds",
    target: .category(CategoryID("pharmacy"))
  )

  private static func fix(_ mile: Double, _ scene: Scene, _ minute: Double) -> Fix {
    Fix(
      at: scene.instant(minute),
      coordinate: Scene.coordinate(mile: mile),
      horizontalAccuracyMeters: 10,
      speedMetersPerSecond: 0
    )
  }

  private static func regions(_ effects: [Effect]) -> [RegionChange] {
    effects.compactMap { if case .monitor(let change) = $0 { change } else { nil } }
  }

  @Test func `passing through a ring does not silence the next approach`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(3.5, minute: 0)
    scene.at(-3.5, minute: 5)
    #expect(scene.heard().count == 1)
    scene.at(-0.9, minute: 60)
    #expect(scene.heard() == ["60.00 n2: You're 1 mile from pharmacy — fetch meds?"])
  }

  /// Where the first fix lay far from every place, the detector sleeps in a circle; a place that is added in it wakes it.
  @Test(arguments: [[], [("work", 0.05)], [("pool", 3.0)]])
  func `a place that is added, or moved, where one is is left, and come back to`(
    _ others: [(String, Double)]
  ) throws {
    let aims = [
      Reminder(id: "keys", title: "keys", triggers: [.leave(.place("home"))]),
      Reminder(id: "post", title: "post", target: .place("home")),
    ]
    let home = Scene.place("home", mile: 0, kind: .home)
    for isMoved in [false, true] {
      let others = others.map { Scene.place($0.0, mile: $0.1) }
      var scene = try Scene(
        isMoved ? aims : [],
        pois: [(30, "bank")],
        places: isMoved ? others + [Scene.place("home", mile: 20, kind: .home)] : others
      ) { $0.fencing.arrivalDetection = .posterior }
      for minute in 0...5 { scene.at(0, minute: Double(minute), speed: 0) }
      scene.send(.placeSaved(home), minute: 5.5)
      if !isMoved { for aim in aims { scene.send(.reminderSaved(aim), minute: 5.6) } }
      for minute in 6...40 { scene.at(0, minute: Double(minute), speed: 0) }
      _ = scene.heard()
      for second in 0...200 {
        scene.at(Double(second) * 0.008, minute: 40.5 + Double(second) / 60, speed: 13)
      }
      let left = scene.heard()
      #expect(left.contains { $0.contains("Leaving Home") }, "\(others) \(isMoved) \(left)")
      for second in 0...200 {
        scene.at(1.6 - Double(second) * 0.008, minute: 60 + Double(second) / 60, speed: 13)
      }
      for minute in 64...74 { scene.at(0, minute: Double(minute), speed: 0) }
      let came = scene.heard()
      #expect(came.contains { $0.contains("Arriving at Home") }, "\(others) \(isMoved) \(came)")
      #expect(scene.engine.violations() == [])
    }
  }

  /// A phone that was far from every network empties its queue: what it saw hours ago is where nobody is now.
  @Test func `positions of long ago are no news until a newer one shows that it is so`() throws {
    for (minute, next, told) in [
      (20.0, 0.5, [1, 0]), (60, 0.5, [0, 1]), (60, 20, [0, 0]),
    ] {
      var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
      scene.keepFixes()
      for mile in stride(from: 6, to: 0.6, by: -0.2) {
        scene.at(mile, minute: (6 - mile) * 2, speed: 13)
      }
      scene.handOver(minute: minute)
      scene.wait(until: minute + 5)
      let early = scene.heard().count
      scene.at(next, minute: minute + 6, speed: 0)
      scene.wait(until: minute + 7)
      #expect([early, scene.heard().count] == told, "\(minute), \(next): \(scene.log)")
      #expect(scene.engine.violations() == [])
    }
  }

  @Test func `an arrival that waits for quiet hours is told, though a later position came late`()
    throws
  {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")]) {
      $0.quietHours = DailyWindow(startMinute: 8 * 60, endMinute: 9 * 60 + 15)
    }
    scene.at(0.5, minute: 0)
    for minute in [2.0, 3] { scene.at(0, minute: minute, speed: 0) }
    scene.keepFixes()
    scene.at(0, minute: 10, speed: 0)
    scene.handOver(minute: 50)
    scene.wait(until: 80)
    #expect(scene.heard().first?.hasPrefix("75.00") == true, "\(scene.log)")
  }

  @Test func `a snooze on the last question asks it again`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(0.5, minute: 0)
    for minute in [2.0, 3, 8] { scene.at(0, minute: minute, speed: 0) }
    #expect(scene.heard().last == "7.00 n2: Still need to fetch meds?")
    scene.act("meds", .snoozeFor(.minutes(15)), minute: 8)
    scene.wait(until: 60)
    #expect(scene.heard() == ["23.00 n3: Still need to fetch meds?"])
  }

  @Test func `an approach that waited for its snooze needs no cooldown of its own`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    _ = scene.heard()
    scene.act("meds", .snoozeFor(.minutes(15)), minute: 6)
    scene.wait(until: 60)
    #expect(scene.heard() == ["21.00 n2: You're 5 miles from pharmacy — fetch meds?"])
  }

  @Test func `a failed cache load unregisters nothing`() throws {
    var scene = try Scene(
      [Self.pharmacy],
      pois: [(0, "pharmacy"), (30, "pharmacy")],
      monitoring: .regions(MonitorLimits())
    )
    var engine = scene.engine
    let first = engine.handle(
      Event(at: scene.instant(1), .woken(by: Self.fix(7, scene, 1), previous: nil))
    )
    #expect(Self.regions(first).first?.held ?? 0 > 0)
    let refused = engine.replaceCatalog(.empty, at: scene.instant(2))
    #expect(refused == [.record(.emptyCatalogRefused(at: scene.instant(2)))])

    // The same, when a restart finds no cache.
    var restarted = Engine(
      policy: Policy(),
      zone: .utc,
      catalog: .empty,
      monitoring: .regions(MonitorLimits()),
      state: engine.state
    )
    let effects = restarted.handle(
      Event(at: scene.instant(3), .woken(by: Self.fix(6.9, scene, 3), previous: nil))
    )
    #expect(Self.regions(effects).allSatisfy { $0.stop.allSatisfy { $0.hasPrefix("safe") } })
    scene.wait(until: 4)
  }

  @Test func `a new cache, a launch and a stale position ask for the next one`() throws {
    let scene = try Scene(
      [Self.pharmacy],
      pois: [(0, "pharmacy")],
      monitoring: .regions(MonitorLimits())
    )
    var engine = scene.engine
    _ = engine.handle(
      Event(at: scene.instant(1), .woken(by: Self.fix(7, scene, 1), previous: nil))
    )
    #expect(engine.replaceCatalog(engine.catalog, at: scene.instant(2)).contains(.locate))
    #expect(engine.handle(Event(at: scene.instant(3), .launched)).contains(.locate))
    let stale = engine.handle(
      Event(at: scene.instant(9), .woken(by: Self.fix(7, scene, 0.5), previous: nil))
    )
    #expect(stale.contains(.locate))
    #expect(stale.contains(.record(.fixRefused(at: scene.instant(0.5), .late))))
  }

  @Test func `a category without any point does not keep the phone awake`() throws {
    let scene = try Scene(
      [Self.pharmacy, Reminder(id: "x", title: "x", target: .category(CategoryID("bank")))],
      pois: [(0, "pharmacy")],
      monitoring: .regions(MonitorLimits())
    )
    var engine = scene.engine
    let effects = engine.handle(
      Event(at: scene.instant(1), .woken(by: Self.fix(7, scene, 1), previous: nil))
    )
    #expect(!effects.contains(.locate))
  }

  @Test func `a position from the future is refused`() throws {
    var scene = try Scene([Self.pharmacy], pois: [(0, "pharmacy")])
    scene.at(7, minute: 0)
    var engine = scene.engine
    let effects = engine.handle(Event(at: scene.instant(1), .fix(Self.fix(7, scene, 90))))
    #expect(effects == [.record(.fixRefused(at: scene.instant(90), .future))])
  }

  @Test func `what the system showed on time is not shown again when the wake comes late`() throws {
    let scene = try Scene(
      [Self.pharmacy],
      pois: [(0, "pharmacy")],
      monitoring: .regions(MonitorLimits())
    )
    var engine = scene.engine
    func wake(_ mile: Double, fix minute: Double, event: Double) -> [Effect] {
      engine.handle(
        Event(
          at: scene.instant(event),
          .woken(by: Self.fix(mile, scene, minute), previous: nil)
        )
      )
    }
    _ = wake(0.5, fix: 0.5, event: 0.5)
    _ = wake(0, fix: 2, event: 2)
    let arrived = engine.handle(Event(at: scene.instant(2.5), .timer))
    #expect(arrived.contains { if case .schedule = $0 { true } else { false } })
    // Due at 7:00; the wake comes at 7:01 with a position of 6:59.
    let late = wake(0, fix: 6.98, event: 7.02)
    #expect(!late.contains { if case .schedule = $0 { true } else { false } })
    #expect(!late.contains { if case .unschedule = $0 { true } else { false } })
    #expect(late.contains { if case .record(.presented) = $0 { true } else { false } })
  }

  @Test func `odd tiers survive being stored`() throws {
    for text in ["0.25mi", "3mi", "402m", "0.3m", "1234.5m", "2km", "arrival", "post_arrival:90s"] {
      let tier = try #require(Tier(text))
      let data = try JSONEncoder().encode([tier])
      #expect(try JSONDecoder().decode([Tier].self, from: data) == [tier], "\(text)")
      #expect(Tier(tier.name) == tier, "\(text)")
    }
    #expect(Tier("99999999999999999999m") == nil)
  }

  @Test func `a deleted place lets go of its regions`() throws {
    let scene = try Scene(
      [Reminder(id: "a", title: "rest", target: .place("home"))],
      places: [Scene.place("home", mile: 0, kind: .home)],
      monitoring: .regions(MonitorLimits())
    )
    var engine = scene.engine
    _ = engine.handle(
      Event(at: scene.instant(1), .woken(by: Self.fix(7, scene, 1), previous: nil))
    )
    let effects = engine.handle(Event(at: scene.instant(2), .placeDeleted("home")))
    #expect(Self.regions(effects).last?.held == 0)
  }

  @Test func `a snooze until an arrival that is not watched is refused with its reason`() throws {
    var scene = try Scene(
      [Reminder(id: "a", title: "look", target: .place("hut"), tiers: [.approach(miles: 2)])],
      places: [Scene.place("hut", mile: 0)]
    )
    scene.act("a", .snoozeUntilNextArrival, minute: 1)
    #expect(
      scene.effects.contains {
        if case .record(.actionRefused(_, "a", .snoozeWithoutArrival)) = $0 { true } else { false }
      }
    )
    scene.at(7, minute: 2)
    scene.at(1.9, minute: 10)
    #expect(scene.heard().count == 1)
  }

  @Test func `an arrival disc around a huge outline stays inside the ring around it`() throws {
    let shape = try LadderShape([
      Ring(kind: .approach, radiusMeters: 500), Ring(kind: .arrival, radiusMeters: 150),
    ])
    let discs = try #require(FencingSettings().arrivalDiscs(shape))
    #expect(discs.meters(footprintMeters: 5_000) == 400)
    #expect(discs.meters(footprintMeters: 300) == 350)
    #expect(discs.meters(footprintMeters: 0) == 150)
  }
}
