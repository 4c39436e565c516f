import Arrivals
import Geodesy
import Places
import Testing
import Timeline
import Traces

/// The shops of a street: drives, walks and waits with a known right answer.
///
/// Each is played with several seeds of noise, and must come out right with all of them.
struct SceneTests {
  typealias Spot = Street.Spot
  static let seeds: [UInt64] = [1, 2, 3, 4, 5]

  /// Drives in from 900 m away, parks, walks to a door, and is inside, unseen, for a while.
  private func visitByCar(
    seed: UInt64,
    door: Spot,
    insideSeconds: Int = 900,
    change: (inout Street) -> Void = { _ in }
  ) -> Street {
    var street = Street(from: Spot(-900, -40), seed: seed)
    change(&street)
    street.go(to: Spot(door.east - 30, door.north - 30), metersPerSecond: 11)
    street.stay(seconds: 15)
    street.go(to: door, metersPerSecond: 1.3)
    street.hasSky = false
    street.stay(seconds: insideSeconds)
    street.hasSky = true
    return street
  }

  @Test(arguments: seeds) func `who parks, walks to the door and vanishes inside has arrived`(
    seed: UInt64
  ) {
    let street = visitByCar(seed: seed, door: Spot(8, 5))
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    let findings = street.findings(at: [shop])
    guard case .arrived(let arrival)? = findings.first, findings.count == 1 else {
      Issue.record("seed \(seed): \(findings)")
      return
    }
    #expect(arrival.place == .pointOfInterest("node/1"))
    #expect(arrival.group == .category(CategoryID("pharmacy")))
    // 900 m at 11 m/s, 15 s in the car, 33 s on foot: 130 s to the door.
    let delay = (arrival.at - street.fixes[0].at).seconds - 130
    #expect((30...150).contains(delay), "seed \(seed): \(delay) s after the door")
    #expect(arrival.at - arrival.since >= ArrivalSettings().decision.hold)
  }

  @Test(arguments: seeds) func `a door 40 m from the point of a place with an outline is its door`(
    seed: UInt64
  ) {
    let street = visitByCar(seed: seed, door: Spot(0, -40))
    let market = street.poi("way/1", "grocery", Spot(0, 0), outline: 55)
    #expect(street.arrivals(at: [market]) == ["way/1"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `the shop next door is not the one visited`(seed: UInt64) {
    let street = visitByCar(seed: seed, door: Spot(5, -5))
    let pois = [
      street.poi("node/1", "pharmacy", Spot(0, 0)),
      street.poi("node/2", "bank", Spot(45, 10)),
      street.poi("node/3", "grocery", Spot(-20, 50)),
    ]
    #expect(street.arrivals(at: pois) == ["node/1"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `waiting in the car at a curb 45 m away is no arrival`(seed: UInt64)
  {
    var street = Street(from: Spot(-900, -30), seed: seed)
    street.go(to: Spot(-33, -30), metersPerSecond: 11)
    street.stay(seconds: 300)
    street.go(to: Spot(700, -30), metersPerSecond: 11)
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    #expect(street.arrivals(at: [shop]).isEmpty, "seed \(seed)")
  }

  @Test(arguments: seeds) func `a red light in front of the door is no arrival`(seed: UInt64) {
    var street = Street(from: Spot(-900, -12), seed: seed)
    street.go(to: Spot(0, -12), metersPerSecond: 11)
    street.stay(seconds: 55)
    street.go(to: Spot(700, -12), metersPerSecond: 11)
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    #expect(street.arrivals(at: [shop]).isEmpty, "seed \(seed)")
  }

  @Test(arguments: seeds) func `a drive-through is arrived at, in the car and under the sky`(
    seed: UInt64
  ) {
    var street = Street(from: Spot(-900, -5), seed: seed)
    street.go(to: Spot(-3, -5), metersPerSecond: 9)
    street.stay(seconds: 240)
    street.go(to: Spot(700, -5), metersPerSecond: 9)
    let bank = street.poi("node/1", "bank", Spot(0, 0))
    #expect(street.arrivals(at: [bank]) == ["node/1"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `at a pump nobody is expected to walk`(seed: UInt64) {
    var street = Street(from: Spot(-900, -8), seed: seed)
    street.go(to: Spot(-6, -8), metersPerSecond: 9)
    street.stay(seconds: 180)
    street.go(to: Spot(700, -8), metersPerSecond: 9)
    let pumps = street.poi("node/1", "gas_station", Spot(0, 0))
    #expect(street.arrivals(at: [pumps]) == ["node/1"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `who is seen standing in a car is still in it, however long`(
    seed: UInt64
  ) {
    var street = Street(from: Spot(-900, -8), seed: seed)
    street.go(to: Spot(-6, -8), metersPerSecond: 9)
    street.stay(seconds: 600)
    let pois = [
      street.poi("node/1", "gas_station", Spot(0, 0)), street.poi("node/2", "bank", Spot(30, 0)),
    ]
    var tracker = ArrivalTracker(settings: ArrivalSettings(), catalog: POICatalog(pois))
    for fix in street.fixes { _ = tracker.observe(fix, at: SurfacePoint(fix.coordinate)) }
    let candidates = tracker.look(at: street.now)
    #expect(candidates.map(\.terms.atPump) == [0, 1], "seed \(seed)")
    #expect(candidates.map(\.terms.pastLight) == [0, 1], "seed \(seed)")
    #expect(candidates.map(\.terms.onFoot) == [0, 0], "seed \(seed)")
  }

  @Test(arguments: seeds) func `a long wait in the car, 25 m from a door, is no arrival`(
    seed: UInt64
  ) {
    var street = Street(from: Spot(-900, -20), seed: seed)
    street.go(to: Spot(-15, -20), metersPerSecond: 11)
    street.stay(seconds: 660)
    street.go(to: Spot(700, -20), metersPerSecond: 11)
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    #expect(street.arrivals(at: [shop]).isEmpty, "seed \(seed)")
  }

  @Test(arguments: seeds) func `a phone that saves power at the curb is not silent under a roof`(
    seed: UInt64
  ) {
    var street = Street(from: Spot(-900, -25), seed: seed)
    street.go(to: Spot(-20, -25), metersPerSecond: 11)
    street.stay(seconds: 90)
    street.interval = 120
    street.stay(seconds: 600)
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    var tracker = ArrivalTracker(settings: ArrivalSettings(), catalog: POICatalog([shop]))
    for fix in street.fixes { _ = tracker.observe(fix, at: SurfacePoint(fix.coordinate)) }
    #expect(tracker.look(at: street.now + .seconds(60)).map(\.terms.silence) == [0], "seed \(seed)")
  }

  @Test(arguments: seeds)
  func `who vanishes into the shop is not at its pumps, who stays outside is`(
    seed: UInt64
  ) {
    let inside = visitByCar(seed: seed, door: Spot(14, 0))
    let pois = [
      inside.poi("node/1", "gas_station", Spot(0, 0)), inside.poi("node/2", "grocery", Spot(26, 0)),
    ]
    #expect(inside.arrivals(at: pois) == ["node/2"], "seed \(seed)")
    var outside = Street(from: Spot(-900, -4), seed: seed)
    outside.go(to: Spot(10, -4), metersPerSecond: 9)
    outside.stay(seconds: 240)
    outside.go(to: Spot(700, -4), metersPerSecond: 9)
    #expect(outside.arrivals(at: pois) == ["node/1"], "seed \(seed)")
  }

  @Test func `who has not moved since an arrival has not arrived next door`() {
    // Between two doors, either is as probable, and without margins both would be told.
    let street = visitByCar(seed: 1, door: Spot(6, 0)) { $0.sigma = 2 }
    let pois = [
      street.poi("node/1", "pharmacy", Spot(0, 0)), street.poi("node/2", "bank", Spot(12, 0)),
    ]
    var settings = ArrivalSettings()
    settings.decision.nextPlaceMargin = 0
    settings.decision.nextPlaceAfter = .seconds(10)
    #expect(street.arrivals(at: pois, settings: settings).count == 1)
    settings.decision.nextPlaceMeters = 0
    #expect(street.arrivals(at: pois, settings: settings).count == 2)
  }

  @Test(arguments: seeds) func `speeds that are never exactly 0 do as well`(seed: UInt64) {
    let street = visitByCar(seed: seed, door: Spot(8, 5)) { $0.zeroAtRest = false }
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    #expect(street.arrivals(at: [shop]) == ["node/1"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `speeds of exactly 0 tell rest, in a shop as at a light`(
    seed: UInt64
  ) {
    let shop = Street(from: Spot(0, 0)).poi("node/1", "pharmacy", Spot(0, 0))
    var street = visitByCar(seed: seed, door: Spot(8, 5))
    #expect(street.fixes.contains { $0.speedMetersPerSecond == 0 })
    #expect(street.arrivals(at: [shop]) == ["node/1"], "seed \(seed)")
    street = Street(from: Spot(-900, -12), seed: seed)
    street.go(to: Spot(0, -12), metersPerSecond: 11)
    street.stay(seconds: 55)
    street.go(to: Spot(900, -12), metersPerSecond: 11)
    #expect(street.fixes.count { $0.speedMetersPerSecond == 0 } == 55)
    #expect(street.arrivals(at: [shop]).isEmpty, "seed \(seed)")
  }

  /// Settings that take fixes without a speed for what a receiver without any tells.
  private static let withoutNetworks = {
    var settings = ArrivalSettings()
    settings.habits.toldRestSeconds = .infinity
    return settings
  }()

  @Test(arguments: seeds) func `who is told of by networks alone, once inside, has arrived`(
    seed: UInt64
  ) {
    let street = visitByCar(seed: seed, door: Spot(8, 5)) { street in
      street.networks = [Spot(30, 10), Spot(-45, -15), Spot(10, -40), Spot(60, 30)]
    }
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    #expect(street.arrivals(at: [shop]) == ["node/1"], "seed \(seed)")
    func mostSilence(_ settings: ArrivalSettings) -> Double {
      var tracker = ArrivalTracker(settings: settings, catalog: POICatalog([shop]))
      var most = 0.0
      for fix in street.fixes {
        guard tracker.observe(fix, at: SurfacePoint(fix.coordinate)) else { continue }
        for candidate in tracker.look(at: fix.at) { most = max(most, candidate.terms.silence) }
      }
      return most
    }
    #expect(mostSilence(ArrivalSettings()) > 2, "the sky is lost")
    #expect(mostSilence(Self.withoutNetworks) < 1)
  }

  @Test(arguments: seeds) func `a network of home that has moved house ends no stay`(seed: UInt64) {
    var street = Street(from: Spot(-2_000, -40), seed: seed)
    street.go(to: Spot(-600, -40), metersPerSecond: 11)
    street.stay(seconds: 40)
    street.go(to: Spot(-30, -30), metersPerSecond: 11)
    street.go(to: Spot(0, 0), metersPerSecond: 1.3)
    street.hasSky = false
    street.networks = [Spot(-16, 16), Spot(118, -128)]
    street.networkSeconds = 1_000
    street.stay(seconds: 4 * 3_600)
    let home = Self.home(street)
    func comingAndGoing(_ settings: ArrivalSettings) -> Int {
      street.findings(at: [], places: [home], settings: settings)
        .count { finding in
          switch finding {
          case .arrived, .wentAway: true
          default: false
          }
        }
    }
    #expect(comingAndGoing(ArrivalSettings()) == 1, "seed \(seed)")
    var hasty = Self.withoutNetworks
    hasty.decision.echoTimes = .max
    #expect(comingAndGoing(hasty) > 4, "the scene is hard")
  }

  @Test(arguments: seeds) func `without speeds such a network is learned after two mistakes`(
    seed: UInt64
  ) {
    var street = Street(from: Spot(-2_000, -40), seed: seed)
    street.reportsSpeed = false
    street.go(to: Spot(-30, -30), metersPerSecond: 11)
    street.go(to: Spot(0, 0), metersPerSecond: 1.3)
    street.hasSky = false
    street.networks = [Spot(-16, 16), Spot(118, -128)]
    street.networkSeconds = 1_000
    street.stay(seconds: 8 * 3_600)
    let home = Self.home(street)
    let told = street.arrivals(at: [], places: [home])
    #expect((1...3).contains(told.count), "seed \(seed): \(told)")
    var unlearned = ArrivalSettings()
    unlearned.decision.echoTimes = .max
    let more = street.arrivals(at: [], places: [home], settings: unlearned)
    #expect(more.count > 5, "the scene is hard: \(more)")
    // A way out of the house is one all the same.
    street.hasSky = true
    street.go(to: Spot(900, -900), metersPerSecond: 1.3)
    street.stay(seconds: 600)
    street.go(to: Spot(0, 0), metersPerSecond: 1.3)
    street.stay(seconds: 600)
    #expect(street.arrivals(at: [], places: [home]).count == told.count + 1, "seed \(seed)")
  }

  @Test(arguments: seeds) func `a receiver that leaves out speeds of 0 waits at a light`(
    seed: UInt64
  ) {
    var street = Street(from: Spot(-2_900, -12), seed: seed)
    street.leavesOutZero = true
    for east in [-2_000.0, -1_000, 0] {
      street.go(to: Spot(east, -12), metersPerSecond: 11)
      street.stay(seconds: 55)
    }
    street.go(to: Spot(700, -12), metersPerSecond: 11)
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    #expect(street.arrivals(at: [shop]).isEmpty, "seed \(seed)")
  }

  @Test(arguments: seeds) func `who walks on by networks alone is under no roof`(seed: UInt64) {
    var street = Street(from: Spot(-450, -300), seed: seed)
    street.go(to: Spot(-300, -300), metersPerSecond: 9)
    street.stay(seconds: 60)
    street.hasSky = false
    street.networks = [Spot(8, 4), Spot(-6, 2), Spot(2, -7)]
    street.go(to: Spot(-300, -45), metersPerSecond: 1.3)
    street.go(to: Spot(900, -45), metersPerSecond: 1.3)
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    // Without speeds a slow walk beside a shop may be told; it is told no more than of a receiver that has none.
    let told = street.arrivals(at: [shop])
    #expect(told == street.arrivals(at: [shop], settings: Self.withoutNetworks), "seed \(seed)")
    // Nor does what went before count where they stop.
    street.stay(seconds: 60)
    let bank = street.poi("node/2", "bank", Spot(900, -20))
    var tracker = ArrivalTracker(settings: ArrivalSettings(), catalog: POICatalog([shop, bank]))
    var wasUnderRoof = false
    for fix in street.fixes {
      _ = tracker.observe(fix, at: SurfacePoint(fix.coordinate))
      wasUnderRoof = wasUnderRoof || tracker.underRoofSince != nil
    }
    #expect(wasUnderRoof && tracker.underRoofSince == nil, "seed \(seed)")
    let candidates = tracker.look(at: street.now)
    #expect(candidates.allSatisfy { $0.terms.silence < 1 }, "seed \(seed): \(candidates)")
  }

  @Test(arguments: seeds) func `a receiver that is stuck at 0 makes no arrivals of passing`(
    seed: UInt64
  ) {
    var street = Street(from: Spot(-900, -8), seed: seed)
    street.isStuckAtZero = true
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    for _ in 0..<3 {
      street.go(to: Spot(900, -8), metersPerSecond: 11)
      street.go(to: Spot(-900, -8), metersPerSecond: 1.4)
    }
    #expect(street.arrivals(at: [shop]).isEmpty, "seed \(seed)")
  }

  @Test(arguments: seeds)
  func `a receiver that is stuck at 0 is not believed, and who goes in arrives`(
    seed: UInt64
  ) {
    let street = visitByCar(seed: seed, door: Spot(8, 5)) { $0.isStuckAtZero = true }
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    #expect(street.arrivals(at: [shop]) == ["node/1"], "seed \(seed)")
  }

  /// Drives about before, so that the phone is known.
  private func byTheWay(seed: UInt64, spacing: Double) -> Street {
    var street = Street(from: Spot(-900, -8), seed: seed)
    street.spacing = spacing
    for _ in 0..<2 {
      street.go(to: Spot(-300, -8), metersPerSecond: 12)
      street.go(to: Spot(-200, -8), metersPerSecond: 4)
      street.go(to: Spot(700, -8), metersPerSecond: 9)
      street.stay(seconds: 40)
      street.go(to: Spot(-900, -8), metersPerSecond: 14)
    }
    return street
  }

  @Test(arguments: seeds, [10.0, 50])
  func `where fixes come by the way, silence on wheels is a stop, also at pumps`(
    seed: UInt64,
    spacing: Double
  ) {
    var street = byTheWay(seed: seed, spacing: spacing)
    street.go(to: Spot(-6, -8), metersPerSecond: 9)
    street.stay(seconds: 300)
    street.go(to: Spot(700, -8), metersPerSecond: 9)
    let pumps = street.poi("node/1", "gas_station", Spot(0, 0))
    #expect(street.arrivals(at: [pumps]) == ["node/1"], "seed \(seed), \(spacing) m")
  }

  @Test(arguments: seeds, [10.0, 50])
  func `where fixes come by the way, a red light is no arrival`(seed: UInt64, spacing: Double) {
    var street = byTheWay(seed: seed, spacing: spacing)
    street.go(to: Spot(0, -12), metersPerSecond: 11)
    street.stay(seconds: 55)
    street.go(to: Spot(700, -12), metersPerSecond: 11)
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    #expect(street.arrivals(at: [shop]).isEmpty, "seed \(seed), \(spacing) m")
  }

  @Test(arguments: seeds) func `a phone whose fixes lie far apart is known by it, and no other`(
    seed: UInt64
  ) {
    // Three quarters of an hour about town, slower and faster, beside a shop.
    let cases: [(interval: Double, spacing: Double?, isThin: Bool)] = [
      (1, nil, false), (15, nil, false), (30, nil, false), (1, 10, false), (1, 50, true),
      (90, nil, true),
    ]
    for (interval, spacing, isThin) in cases {
      var street = Street(from: Spot(0, 0), seed: seed)
      street.interval = interval
      street.spacing = spacing
      for round in 0..<6 {
        street.go(to: .init(1_200, 0), metersPerSecond: round.isMultiple(of: 2) ? 12 : 5)
        street.go(to: .init(0, 0), metersPerSecond: round.isMultiple(of: 2) ? 8 : 3)
      }
      let shop = street.poi("node/1", "pharmacy", .init(600, 30))
      var tracker = ArrivalTracker(
        settings: ArrivalSettings(),
        catalog: POICatalog([shop]),
        places: []
      )
      for fix in street.fixes { _ = tracker.observe(fix, at: SurfacePoint(fix.coordinate)) }
      let says = tracker.discounted.contains {
        $0.contains("lie far apart") || $0.contains("come rarely")
      }
      #expect(says == isThin, "every \(interval) s, \(spacing.map { "\($0) m" } ?? "by the clock")")
    }
  }

  @Test(arguments: seeds) func `a receiver whose positions are poor as a rule is known by it`(
    seed: UInt64
  ) {
    let cases: [(accuracy: Double, speeds: Bool, isPoor: Bool)] = [
      (8, true, false), (15, true, false), (30, true, true), (60, true, true), (30, false, false),
    ]
    for (accuracy, speeds, isPoor) in cases {
      var street = Street(from: Spot(0, 0), seed: seed)
      street.reportsSpeed = speeds
      for _ in 0..<4 {
        street.go(to: .init(1_200, 0), metersPerSecond: 9)
        street.go(to: .init(0, 0), metersPerSecond: 7)
      }
      let shop = street.poi("node/1", "pharmacy", .init(600, 30))
      for (settings, counts) in [
        (ArrivalSettings(), isPoor), (ArrivalSettings().whileAsleep, false),
      ] {
        var tracker = ArrivalTracker(
          settings: settings,
          catalog: POICatalog([shop]),
          places: []
        )
        for fix in street.fixes {
          var fix = fix
          fix.horizontalAccuracyMeters = accuracy
          _ = tracker.observe(fix, at: SurfacePoint(fix.coordinate))
        }
        let says = tracker.discounted.contains { $0.contains("positions are poor") }
        #expect(says == counts, "\(accuracy) m, speeds: \(speeds)")
      }
    }
  }

  @Test(arguments: seeds) func `a fix each 30 s is no outlier after a way`(seed: UInt64) {
    let street = visitByCar(seed: seed, door: Spot(8, 5)) { street in
      street.interval = 30
      // It is known that fixes come so rarely.
      street.go(to: Spot(-900, -1_500), metersPerSecond: 11)
      street.go(to: Spot(-900, -40), metersPerSecond: 11)
    }
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    #expect(street.arrivals(at: [shop]) == ["node/1"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `a shop of two categories is arrived at as both, at one instant`(
    seed: UInt64
  ) {
    let street = visitByCar(seed: seed, door: Spot(8, 5))
    let shop = PointOfInterest(
      sourceID: "node/1",
      categories: [CategoryID("grocery"), CategoryID("pharmacy")],
      coordinate: street.poi("node/1", "grocery", Spot(0, 0)).coordinate
    )
    let findings = street.findings(at: [shop, street.poi("node/2", "bank", Spot(40, 20))])
    let groups = findings.compactMap { finding -> ArrivalGroup? in
      if case .arrived(let arrival) = finding { arrival.group } else { nil }
    }
    #expect(
      groups == [.category(CategoryID("grocery")), .category(CategoryID("pharmacy"))],
      "seed \(seed): \(findings)"
    )
  }

  @Test(arguments: seeds) func `a pharmacy 3 m from a market cannot be told apart from it`(
    seed: UInt64
  ) {
    let street = visitByCar(seed: seed, door: Spot(4, 5))
    let pois = [
      street.poi("node/1", "grocery", Spot(0, 0)), street.poi("node/2", "pharmacy", Spot(3, 0)),
    ]
    #expect(street.arrivals(at: pois).sorted() == ["node/1", "node/2"], "seed \(seed)")
  }

  @Test(arguments: seeds)
  func `pumps and a shop at one spot are told together, to who fuels and to who goes in`(
    seed: UInt64
  ) {
    var atPump = Street(from: Spot(-900, -8), seed: seed)
    atPump.go(to: Spot(-6, -8), metersPerSecond: 9)
    atPump.stay(seconds: 240)
    atPump.go(to: Spot(700, -8), metersPerSecond: 9)
    let inside = visitByCar(seed: seed, door: Spot(4, 5))
    for street in [atPump, inside] {
      let pois = [
        street.poi("node/1", "gas_station", Spot(0, 0)),
        street.poi("node/2", "grocery", Spot(3, 0)),
        street.poi("node/3", "pharmacy", Spot(40, 20)),
      ]
      #expect(street.arrivals(at: pois).sorted() == ["node/1", "node/2"], "seed \(seed)")
    }
  }

  @Test(arguments: seeds) func `two shops of one stay are two arrivals, in order`(seed: UInt64) {
    var street = visitByCar(seed: seed, door: Spot(3, -4), insideSeconds: 420)
    street.go(to: Spot(82, -6), metersPerSecond: 1.3)
    street.hasSky = false
    street.stay(seconds: 900)
    street.hasSky = true
    street.go(to: Spot(-27, -34), metersPerSecond: 1.3)
    street.go(to: Spot(-900, -40), metersPerSecond: 11)
    let pois = [
      street.poi("node/1", "pharmacy", Spot(0, 0)), street.poi("node/2", "grocery", Spot(85, 0)),
    ]
    #expect(street.arrivals(at: pois) == ["node/1", "node/2"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `waiting on foot to cross the street is no arrival`(seed: UInt64) {
    var street = Street(from: Spot(-300, -12), seed: seed)
    street.go(to: Spot(0, -12), metersPerSecond: 1.4)
    // As long as people wait on the average.
    street.stay(seconds: 25)
    street.go(to: Spot(0, -300), metersPerSecond: 1.4)
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    #expect(street.arrivals(at: [shop]).isEmpty, "seed \(seed)")
  }

  @Test(arguments: seeds) func `without any speed a visit is found and passing is not one`(
    seed: UInt64
  ) {
    var street = visitByCar(seed: seed, door: Spot(6, 3)) { $0.reportsSpeed = false }
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    let passed = street.poi("node/2", "bank", Spot(400, -10))
    street.go(to: Spot(-30, -30), metersPerSecond: 1.3)
    street.go(to: Spot(900, -30), metersPerSecond: 11)
    #expect(street.arrivals(at: [shop, passed]) == ["node/1"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `a fix every 15 s is enough`(seed: UInt64) {
    let street = visitByCar(seed: seed, door: Spot(6, 3)) { $0.interval = 15 }
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    #expect(street.arrivals(at: [shop]) == ["node/1"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `a cell fix in the middle of a visit changes nothing`(seed: UInt64) {
    var street = visitByCar(seed: seed, door: Spot(6, 3), insideSeconds: 40)
    street.addFix(off: 900, accuracy: 1_500)
    street.hasSky = false
    street.stay(seconds: 600)
    let pois = [
      street.poi("node/1", "pharmacy", Spot(0, 0)), street.poi("node/2", "bank", Spot(900, 0)),
    ]
    #expect(street.arrivals(at: pois) == ["node/1"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `stepping out for a moment is the same stay, going away is not`(
    seed: UInt64
  ) {
    var street = visitByCar(seed: seed, door: Spot(6, 3), insideSeconds: 400)
    street.go(to: Spot(6, -30), metersPerSecond: 1.2)
    street.go(to: Spot(6, 3), metersPerSecond: 1.2)
    street.hasSky = false
    street.stay(seconds: 400)
    street.hasSky = true
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    #expect(street.arrivals(at: [shop]) == ["node/1"], "seed \(seed)")

    street.go(to: Spot(6, -220), metersPerSecond: 1.4)
    street.go(to: Spot(6, 3), metersPerSecond: 1.4)
    street.hasSky = false
    street.stay(seconds: 400)
    #expect(street.arrivals(at: [shop]) == ["node/1", "node/1"], "seed \(seed)")
  }

  @Test func `a market in which positions jump is one arrival`() {
    var hasty = ArrivalSettings()
    hasty.decision.leaveAfter = .seconds(0)
    hasty.decision.ownAwayFor = .seconds(0)
    hasty.decision.ownJumpFor = .seconds(0)
    var repeats = 0
    for seed in Self.seeds {
      var street = visitByCar(seed: seed, door: Spot(6, 3), insideSeconds: 300)
      street.sigma = 45
      street.interval = 10
      street.stay(seconds: 2_400)
      let market = street.poi("node/1", "grocery", Spot(0, 0))
      #expect(street.arrivals(at: [market]) == ["node/1"], "seed \(seed)")
      repeats += street.arrivals(at: [market], settings: hasty).count - 1
    }
    // Who takes the first position outside for a way out tells it again.
    #expect(repeats > 0)
  }

  @Test(arguments: seeds) func `who was around the corner for a while comes again`(seed: UInt64) {
    for (seconds, told) in [(120, ["node/1"]), (900, ["node/1", "node/1"])] {
      var street = visitByCar(seed: seed, door: Spot(6, 3), insideSeconds: 400)
      street.go(to: Spot(6, -125), metersPerSecond: 1.4)
      street.stay(seconds: seconds)
      street.go(to: Spot(6, 3), metersPerSecond: 1.4)
      street.hasSky = false
      street.stay(seconds: 600)
      let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
      #expect(street.arrivals(at: [shop]) == told, "seed \(seed), \(seconds) s")
    }
  }

  @Test(arguments: seeds) func `who was around the corner unheard of comes again, too`(
    seed: UInt64
  ) {
    var street = visitByCar(seed: seed, door: Spot(6, 3), insideSeconds: 400)
    street.go(to: Spot(6, -125), metersPerSecond: 1.4)
    street.hasSky = false
    street.stay(seconds: 7_200)
    street.go(to: Spot(6, -70), metersPerSecond: 1.4)
    street.hasSky = true
    street.go(to: Spot(6, 3), metersPerSecond: 1.4)
    street.hasSky = false
    street.stay(seconds: 600)
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    #expect(street.arrivals(at: [shop]) == ["node/1", "node/1"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `one position that jumped before a silence is no way out`(
    seed: UInt64
  ) {
    var street = visitByCar(seed: seed, door: Spot(6, 3), insideSeconds: 400)
    street.go(to: Spot(6, -120), metersPerSecond: 1_000)
    street.hasSky = false
    street.stay(seconds: 1_200)
    street.go(to: Spot(6, 3), metersPerSecond: 1_000)
    street.hasSky = true
    street.stay(seconds: 600)
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    #expect(street.arrivals(at: [shop]) == ["node/1"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `another shop around the corner is news at once`(seed: UInt64) {
    var street = visitByCar(seed: seed, door: Spot(6, 3), insideSeconds: 240)
    street.go(to: Spot(6, -110), metersPerSecond: 1.4)
    street.hasSky = false
    street.stay(seconds: 400)
    let shops = [
      street.poi("node/1", "pharmacy", Spot(0, 0)), street.poi("node/2", "bank", Spot(5, -118)),
    ]
    let findings = street.findings(at: shops)
    let told = findings.map { finding in
      switch finding {
      case .arrived(let arrival): arrival.group == .category(CategoryID("bank")) ? "bank" : "shop"
      case .left, .wentAway: "left"
      case .wasThere: "there"
      case .steppedOut: "out"
      case .cameBack: "back"
      }
    }
    // One has left the first where one has arrived at the second.
    #expect(told == ["shop", "out", "left", "bank"], "seed \(seed): \(told)")
  }

  @Test(arguments: seeds) func `who lives above the pharmacy comes home, not to the pharmacy`(
    seed: UInt64
  ) {
    var street = Street(from: Spot(4, 6), seed: seed)
    street.interval = 60
    street.stay(seconds: 1_800)
    street.interval = 1
    street.go(to: Spot(4, -700), metersPerSecond: 1.4)
    street.stay(seconds: 600)
    street.go(to: Spot(4, 6), metersPerSecond: 1.4)
    street.hasSky = false
    street.stay(seconds: 3_000)
    let pois = [street.poi("node/1", "pharmacy", Spot(0, 0))]
    #expect(street.arrivals(at: pois).isEmpty, "seed \(seed)")
    // Without the morning at home, the same return is a visit.
    var stranger = Street(from: Spot(4, -700), seed: seed)
    stranger.stay(seconds: 30)
    stranger.go(to: Spot(4, 6), metersPerSecond: 1.4)
    stranger.hasSky = false
    stranger.stay(seconds: 900)
    #expect(stranger.arrivals(at: pois) == ["node/1"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `home is arrived at where the user said it is`(seed: UInt64) {
    let street = visitByCar(seed: seed, door: Spot(8, 5))
    let home = Place(
      id: "home",
      name: "Home",
      kind: .home,
      coordinate: street.plane.coordinate(eastMeters: 5, northMeters: 5)
    )
    let shop = street.poi("node/1", "pharmacy", Spot(20, 20))
    #expect(street.arrivals(at: [shop], places: [home]) == ["own home"], "seed \(seed)")
  }

  private static func home(_ street: Street) -> Place {
    Place(
      id: "home",
      name: "Home",
      kind: .home,
      coordinate: street.plane.coordinate(eastMeters: 0, northMeters: 0)
    )
  }

  @Test(arguments: seeds)
  func `who lives above a pharmacy is told both at once when they come, and nothing all night`(
    seed: UInt64
  ) {
    var street = visitByCar(seed: seed, door: Spot(2, 1), insideSeconds: 300)
    street.sigma = 40
    street.interval = 45
    street.zeroAtRest = false
    street.stay(seconds: 8 * 3_600)
    let shop = street.poi("node/1", "pharmacy", Spot(3, 0))
    let home = Self.home(street)
    #expect(street.arrivals(at: [shop], places: [home]) == ["own home", "node/1"], "seed \(seed)")
    let ats = Set(
      street.findings(at: [shop], places: [home])
        .compactMap { if case .arrived(let arrival) = $0 { arrival.at } else { nil } }
    )
    #expect(ats.count == 1, "seed \(seed)")
  }

  /// How many of forty visits by car to the first spot of a street are told as each place.
  private func told(of shop: Spot, home: Spot, door: Spot) -> [String: Int] {
    var told: [String: Int] = [:]
    for seed in 1...40 as ClosedRange<UInt64> {
      let street = visitByCar(seed: seed, door: door)
      let place = Place(
        id: "home",
        name: "Home",
        kind: .home,
        coordinate: street.plane.coordinate(eastMeters: home.east, northMeters: home.north)
      )
      let first = street.arrivals(at: [street.poi("node/1", "pharmacy", shop)], places: [place])
        .first
      told[first ?? "nothing", default: 0] += 1
    }
    return told
  }

  @Test func `a shop next door to home is told where positions speak for it`() {
    let told = told(of: Spot(0, 0), home: Spot(30, 0), door: Spot(-6, 5))
    #expect(told["node/1", default: 0] >= 30, "\(told)")
  }

  @Test func `who comes home is not told of the shop next door`() {
    for meters in [12.0, 20, 30] {
      let told = told(of: Spot(meters, 0), home: Spot(0, 0), door: Spot(-3, 4))
      #expect(told["own home", default: 0] >= 38, "\(meters) m: \(told)")
    }
  }

  @Test(arguments: seeds) func `a day at home is no arrival, however positions drift`(
    seed: UInt64
  ) {
    var street = Street(from: Spot(0, 0), seed: seed)
    street.interval = 60
    street.sigma = 40
    street.zeroAtRest = false
    street.stay(seconds: 8 * 3_600)
    #expect(street.arrivals(at: [], places: [Self.home(street)]).isEmpty, "seed \(seed)")
  }

  @Test(arguments: seeds, [1.0, 1.5, 2])
  func `home is arrived at by who has stayed, whatever speed the phone says at rest`(
    seed: UInt64,
    atRest: Double
  ) {
    var street = Street(from: Spot(-600, 0), seed: seed)
    street.speedAtRest = atRest
    street.go(to: Spot(3, 2), metersPerSecond: 1.4)
    street.stay(seconds: 1_500)
    #expect(street.arrivals(at: [], places: [Self.home(street)]) == ["own home"], "seed \(seed)")
    // Who walks past has not stayed.
    var passing = Street(from: Spot(-600, 12), seed: seed)
    passing.speedAtRest = atRest
    passing.go(to: Spot(600, 12), metersPerSecond: 1.4)
    #expect(passing.arrivals(at: [], places: [Self.home(passing)]).isEmpty, "seed \(seed)")
  }

  /// Meters off and seconds since the fix before, as one day of somebody's had them.
  static let jumps: [[(off: Double, after: Int)]] = [
    [(267, 10), (263, 10), (262, 10), (263, 10), (4, 10), (4, 10), (235, 10), (242, 10), (7, 10)],
    [(250, 10), (250, 10), (250, 10)],
    [(400, 5), (410, 5), (3, 5), (390, 30), (395, 5), (2, 5)],
    [(290, 32), (281, 32), (285, 22), (284, 35), (20, 53)],
  ]

  @Test(arguments: seeds, 0..<4)
  func `positions that jump at rest and come back end no stay`(seed: UInt64, _ jump: Int) {
    var street = visitByCar(seed: seed, door: Spot(3, 2), insideSeconds: 600)
    street.stay(seconds: 300)
    for (off, after) in Self.jumps[jump] {
      street.addFix(off: off, accuracy: 12, speed: 0, after: after)
    }
    street.stay(seconds: 900)
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    for places in [[], [Self.home(street)]] {
      let findings = street.findings(at: places.isEmpty ? [shop] : [], places: places)
      #expect(!findings.contains { $0.isDeparture }, "seed \(seed)")
      let arrivals = findings.count { if case .arrived = $0 { true } else { false } }
      #expect(arrivals == 1, "seed \(seed)")
    }
  }

  @Test(arguments: seeds) func `coming home is one arrival, and the night after it none`(
    seed: UInt64
  ) {
    var street = Street(from: Spot(-900, -40), seed: seed)
    street.go(to: Spot(-15, -15), metersPerSecond: 11)
    street.stay(seconds: 15)
    street.go(to: Spot(0, 0), metersPerSecond: 1.3)
    street.sigma = 40
    street.interval = 45
    street.zeroAtRest = false
    street.stay(seconds: 8 * 3_600)
    #expect(street.arrivals(at: [], places: [Self.home(street)]) == ["own home"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `a walk to the shop and back is an arrival at home`(seed: UInt64) {
    var street = Street(from: Spot(0, 0), seed: seed)
    street.stay(seconds: 600)
    street.go(to: Spot(300, 0), metersPerSecond: 1.4)
    street.stay(seconds: 120)
    street.go(to: Spot(0, 0), metersPerSecond: 1.4)
    street.stay(seconds: 600)
    #expect(street.arrivals(at: [], places: [Self.home(street)]) == ["own home"], "seed \(seed)")
  }

  @Test(arguments: seeds, [1.0, 5]) func `a walk is one also where speeds are always 0`(
    seed: UInt64,
    interval: Double
  ) {
    var street = Street(from: Spot(0, 0), seed: seed)
    street.isStuckAtZero = true
    street.interval = interval
    street.stay(seconds: 600)
    street.go(to: Spot(300, 0), metersPerSecond: 1.1)
    street.go(to: Spot(0, 0), metersPerSecond: 1.1)
    street.stay(seconds: 900)
    #expect(street.arrivals(at: [], places: [Self.home(street)]) == ["own home"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `who begins the record at home by a poor position leaves it`(
    seed: UInt64
  ) {
    var street = Street(from: Spot(0, 0), seed: seed)
    street.addFix(off: 330, accuracy: 1_414)
    street.stay(seconds: 900)
    street.go(to: Spot(3_000, 0), metersPerSecond: 11)
    let findings = street.findings(at: [], places: [Self.home(street)])
    #expect(Self.atHome(findings) == ["went"], "seed \(seed): \(findings)")
  }

  @Test(arguments: seeds) func `walking past home, even at its door, is no arrival`(seed: UInt64) {
    for aside in [0.0, 20, 43] {
      var street = Street(from: Spot(-400, aside), seed: seed)
      street.go(to: Spot(400, aside), metersPerSecond: 1.4)
      let home = Self.home(street)
      #expect(street.arrivals(at: [], places: [home]).isEmpty, "seed \(seed), \(aside) m")
    }
  }

  @Test(arguments: seeds) func `who drives in under their own roof has arrived when all is silent`(
    seed: UInt64
  ) {
    var street = Street(from: Spot(-900, 0), seed: seed)
    street.go(to: Spot(-8, 0), metersPerSecond: 6)
    street.hasSky = false
    street.go(to: Spot(0, 0), metersPerSecond: 2)
    street.stay(seconds: 1_800)
    let home = Self.home(street)
    let found = street.findings(at: [], places: [home])
    #expect(Self.atHome(found) == ["came"], "seed \(seed): \(found)")

    // A tunnel of four minutes begins at the door.
    var passing = Street(from: Spot(-900, 0), seed: seed)
    passing.go(to: Spot(-8, 0), metersPerSecond: 6)
    passing.hasSky = false
    passing.go(to: Spot(1_432, 0), metersPerSecond: 6)
    passing.hasSky = true
    passing.go(to: Spot(2_400, 0), metersPerSecond: 6)
    #expect(passing.arrivals(at: [], places: [home]).isEmpty, "seed \(seed)")
  }

  @Test func `a long silence before home needs less evidence than one before a shop`() {
    var sooner = 0
    for seed in Self.seeds {
      for meters in stride(from: 40.0, through: 70, by: 3) {
        var street = Street(from: Spot(-900, 0), seed: seed)
        street.go(to: Spot(-meters, 0), metersPerSecond: 6)
        street.hasSky = false
        street.go(to: Spot(0, 0), metersPerSecond: 2)
        street.stay(seconds: 1_800)
        func isTold(_ settings: ArrivalSettings) -> Bool {
          let found = street.findings(at: [], places: [Self.home(street)], settings: settings)
          return Self.atHome(found) == ["came"]
        }
        var asElsewhere = ArrivalSettings()
        asElsewhere.decision.ownSilenceThreshold = asElsewhere.decision.threshold
        switch (isTold(ArrivalSettings()), isTold(asElsewhere)) {
        case (true, false): sooner += 1
        case (false, true): Issue.record("seed \(seed), \(meters) m")
        default: break
        }
      }
    }
    #expect(sooner > 0)
  }

  /// By the weights of an app that sleeps, which may have missed a walk; awake all along, it would have seen it.
  @Test func `who stands at the very point is there, where the app slept on the way`() {
    let street = Street(from: Spot(0, 0))
    let shop = street.poi("a", "pharmacy", Spot(0, 0))
    var fixes: [Fix] = []
    func fix(_ north: Double) {
      fixes.append(
        Fix(
          at: .init(seconds: 1_772_550_000 + Int64(fixes.count) * 5),
          coordinate: street.plane.coordinate(eastMeters: 0, northMeters: north),
          horizontalAccuracyMeters: 8
        )
      )
    }
    for step in 0..<40 { fix(Double(step - 40) * 100) }
    for i in 0..<180 { fix(i % 2 == 0 ? 1.1 : -1.1) }
    var detector = ArrivalDetector(
      settings: ArrivalSettings().whileAsleep,
      catalog: POICatalog([shop])
    )
    let told = fixes.flatMap { detector.observe($0, at: SurfacePoint($0.coordinate)) }
    #expect(told.count == 1, "\(told)")
  }

  /// As somebody does who tries an app with a simulated route: no walk, no speed, no silence.
  @Test func `who stands at the very point for longer than people wait in a car is there`() {
    let street = Street(from: Spot(0, 0))
    let shop = street.poi("a", "pharmacy", Spot(0, 0))
    func findings(minutes: Int, _ settings: ArrivalSettings) -> [ArrivalFinding] {
      var detector = ArrivalDetector(settings: settings, catalog: POICatalog([shop]))
      var found: [ArrivalFinding] = []
      for step in 0..<(40 + minutes * 12) {
        let north = step < 40 ? Double(step - 40) * 100 : step.isMultiple(of: 2) ? 1.1 : -1.1
        let fix = Fix(
          at: .init(seconds: 1_772_550_000 + Int64(step) * 5),
          coordinate: street.plane.coordinate(eastMeters: 0, northMeters: north),
          horizontalAccuracyMeters: 8
        )
        found += detector.observe(fix, at: SurfacePoint(fix.coordinate))
      }
      return found
    }
    // A sleeping app is awake for some ten minutes after it has stopped.
    for settings in [ArrivalSettings(), ArrivalSettings().whileAsleep] {
      #expect(findings(minutes: 2, settings).isEmpty)
      #expect(findings(minutes: 10, settings).count == 1)
    }
  }

  /// What the findings say of home, in order.
  private static func atHome(_ findings: [ArrivalFinding]) -> [String] {
    findings.compactMap { finding in
      switch finding {
      case .arrived(let arrival) where arrival.place == .place("home"): "came"
      case .wentAway(_, "home"): "went"
      case .left(_, let staysAt) where !staysAt.contains("home"): "left"
      default: nil
      }
    }
  }

  @Test(arguments: seeds) func `driving from home to where nothing is near is leaving it`(
    seed: UInt64
  ) {
    var street = Street(from: Spot(-900, -40), seed: seed)
    street.go(to: Spot(0, 0), metersPerSecond: 1.4)
    street.stay(seconds: 300)
    // In the garden: far enough from where the arrival was told, and not away.
    street.go(to: Spot(120, 0), metersPerSecond: 1.4)
    street.stay(seconds: 120)
    street.go(to: Spot(9_000, 0), metersPerSecond: 35)
    street.go(to: Spot(0, 0), metersPerSecond: 35)
    street.stay(seconds: 300)
    let findings = street.findings(at: [], places: [Self.home(street)])
    let kinds = Self.atHome(findings)
    #expect(kinds.first == "came" && kinds.last == "came", "seed \(seed): \(kinds)")
    #expect(kinds.count { $0 == "came" } == 2, "seed \(seed): \(kinds)")
    // A ladder climbs again only if it was told that the person had gone.
    #expect(kinds.dropFirst().first != "came", "seed \(seed): \(kinds)")
  }

  /// What the findings say, in order: where somebody came, and what they left.
  private static func ways(_ findings: [ArrivalFinding]) -> [String] {
    findings.compactMap { finding in
      switch finding {
      case .arrived(let arrival):
        switch arrival.place {
        case .pointOfInterest(let id), .place(let id): "came " + id
        }
      case .wentAway(_, let id): "went " + id
      case .left: "left"
      case .wasThere, .steppedOut, .cameBack: nil
      }
    }
  }

  /// Nothing was heard on the way, and little at its end.
  @Test(arguments: seeds) func `who is found at work has left home by then`(seed: UInt64) {
    var street = Street(from: Spot(-900, -40), seed: seed)
    street.go(to: Spot(0, 0), metersPerSecond: 1.4)
    street.stay(seconds: 900)
    street.hasSky = false
    street.go(to: Spot(2_170, 0), metersPerSecond: 1.3)
    street.hasSky = true
    street.go(to: Spot(2_200, 0), metersPerSecond: 1.3)
    street.stay(seconds: 20)
    street.hasSky = false
    street.stay(seconds: 1_800)
    let work = Place(
      id: "work",
      name: "Work",
      kind: .work,
      coordinate: street.plane.coordinate(eastMeters: 2_200, northMeters: 0)
    )
    let ways = Self.ways(street.findings(at: [], places: [Self.home(street), work]))
      .filter { $0 != "left" }
    #expect(ways == ["came home", "went home", "came work"], "seed \(seed)")
  }

  @Test(arguments: seeds) func `who has come home has left the shop around the corner`(
    seed: UInt64
  ) {
    var street = Street(from: Spot(900, -40), seed: seed)
    street.go(to: Spot(85, -10), metersPerSecond: 11)
    street.stay(seconds: 15)
    street.go(to: Spot(63, 0), metersPerSecond: 1.3)
    street.hasSky = false
    street.stay(seconds: 700)
    street.hasSky = true
    street.go(to: Spot(0, 0), metersPerSecond: 1.3)
    street.hasSky = false
    street.stay(seconds: 7_200)
    let shop = street.poi("shop", "grocery", Spot(63, 0))
    let ways = Self.ways(street.findings(at: [shop], places: [Self.home(street)]))
    #expect(ways == ["came shop", "left", "came home"], "seed \(seed)")
  }

  /// A fix that wakes an app: at a distance from home, at a speed.
  private struct Sight {
    var minutes: Int64
    var meters: Double
    var speed = 0.0
    var accuracy = 8.0
  }

  /// What an app that sleeps at home tells of home, before the sights and at them; the last one lasts three minutes.
  private static func atHome(asleepBut sights: [Sight]) -> [String] {
    var street = Street(from: Spot(-900, -40), seed: 7)
    street.go(to: Spot(0, 0), metersPerSecond: 1.4)
    street.stay(seconds: 300)
    let places = [home(street)]
    var detector = ArrivalDetector(settings: ArrivalSettings(), catalog: .empty, places: places)
    var findings: [ArrivalFinding] = []
    for fix in street.fixes { findings += detector.observe(fix, at: SurfacePoint(fix.coordinate)) }
    for (i, sight) in sights.enumerated() {
      for second in 0..<(i == sights.count - 1 ? 180 : 1) {
        let fix = Fix(
          at: street.now + .minutes(sight.minutes) + .seconds(Int64(second)),
          coordinate: street.plane.coordinate(eastMeters: sight.meters, northMeters: 0),
          horizontalAccuracyMeters: sight.accuracy,
          speedMetersPerSecond: second == 0 ? sight.speed : 0
        )
        let point = SurfacePoint(fix.coordinate)
        findings += detector.observe(fix, at: point, afterSleep: second == 0)
      }
    }
    return atHome(findings).filter { $0 != "left" }
  }

  @Test func `a way that a sleeping app saw the beginning of is a way`() {
    let back = Sight(minutes: 120, meters: 3)
    for (out, isWay) in [(60.0, false), (400, true), (2_000, true)] {
      let told = Self.atHome(asleepBut: [Sight(minutes: 60, meters: out, speed: 1.4), back])
      #expect(told == (isWay ? ["came", "went", "came"] : ["came"]), "\(out) m: \(told)")
    }
  }

  @Test func `a position that jumps and comes back is no way, if nobody was seen in motion`() {
    func told(_ meters: Double, backAt speed: Double) -> [String] {
      Self.atHome(asleepBut: [
        Sight(minutes: 60, meters: meters), Sight(minutes: 65, meters: 3, speed: speed),
      ])
    }
    #expect(told(450, backAt: 0) == ["came"])
    #expect(told(450, backAt: 0.9) == ["came"], "some receivers report a walk's speed at rest")
    // A red light around the corner, and the car that comes home.
    #expect(told(450, backAt: 8) == ["came", "went", "came"])
    // No jump is so far.
    #expect(told(2_000, backAt: 0) == ["came", "went", "came"])
  }

  @Test func `a tower far off ends no stay, a poor position from farther than its error does`() {
    func told(_ meters: Double, accuracy: Double) -> [String] {
      Self.atHome(asleepBut: [
        Sight(minutes: 60, meters: meters, speed: 8, accuracy: accuracy),
        Sight(minutes: 75, meters: 4, accuracy: 30),
      ])
    }
    #expect(told(2_610, accuracy: 1_740) == ["came"])
    #expect(told(400, accuracy: 1_500) == ["came"])
    #expect(told(400, accuracy: 150) == ["came"])
    #expect(told(700, accuracy: 150) == ["came", "went", "came"])
  }

  /// Someone who drives to a spot and is heard of no more.
  private func driving(from start: Double, to end: Double, seed: UInt64, spacing: Double?) -> Street
  {
    var street = Street(from: Spot(start, 0), seed: seed)
    street.spacing = spacing
    street.go(to: Spot(end, 0), metersPerSecond: 12)
    street.hasSky = false
    street.stay(seconds: 3_600)
    return street
  }

  @Test(arguments: seeds)
  func `where fixes lie far apart, a long silence with home ahead is an arrival at home`(
    seed: UInt64
  ) {
    // The last of a fix each 500 m is 350 m before home.
    let ahead = driving(from: -4_850, to: -200, seed: seed, spacing: 500)
    let found = ahead.findings(at: [], places: [Self.home(ahead)])
    #expect(Self.atHome(found) == ["came"], "seed \(seed): \(found)")
    guard case .arrived(let arrival)? = found.first, let last = ahead.fixes.last else { return }
    // Not before an errand around the corner would be over.
    #expect((arrival.at - last.at).seconds >= 600, "seed \(seed)")

    // 300 m past it home lies behind; and a phone that tells of each second would have told of the way.
    let past = driving(from: -4_700, to: 400, seed: seed, spacing: 500)
    #expect(past.arrivals(at: [], places: [Self.home(past)]).isEmpty, "seed \(seed)")
    let dense = driving(from: -4_850, to: -350, seed: seed, spacing: nil)
    #expect(dense.arrivals(at: [], places: [Self.home(dense)]).isEmpty, "seed \(seed)")
  }

  @Test func `a fix that is far better than those before it is no outlier`() {
    let street = Street(from: Spot(0, 0))
    var tracker = ArrivalTracker(
      settings: ArrivalSettings(),
      catalog: .empty,
      places: [Self.home(street)]
    )
    // Two from a tower that err alike, 250 m off, and one by satellites.
    for (seconds, meters, accuracy) in [(0, 250.0, 190.0), (15, 245, 190), (30, 5, 30)] {
      let fix = Fix(
        at: street.now + .seconds(Int64(seconds)),
        coordinate: street.plane.coordinate(eastMeters: meters, northMeters: 0),
        horizontalAccuracyMeters: accuracy
      )
      _ = tracker.observe(fix, at: SurfacePoint(fix.coordinate))
    }
    let home = SurfacePoint(Self.home(street).coordinate)
    let off = tracker.estimate.map { home.distanceMeters(to: $0) } ?? .infinity
    #expect(off < 60, "the estimate is \(off) m off")
  }

  @Test func `a home that is set while one stands in it is not arrived at`() {
    var street = Street(from: Spot(-600, 0), seed: 3)
    street.go(to: Spot(0, 0), metersPerSecond: 1.4)
    street.stay(seconds: 600)
    let (before, home) = (street.fixes, Self.home(street))
    street.stay(seconds: 1_800)
    var detector = ArrivalDetector(settings: ArrivalSettings(), catalog: .empty)
    for fix in before { _ = detector.observe(fix, at: SurfacePoint(fix.coordinate)) }
    var after = ArrivalDetector(
      settings: ArrivalSettings(),
      catalog: .empty,
      places: [home],
      state: detector.state
    )
    for fix in street.fixes.dropFirst(before.count) {
      #expect(after.observe(fix, at: SurfacePoint(fix.coordinate)).isEmpty)
    }
  }

  @Test(arguments: seeds) func `driving past at 40 km/h is no arrival`(seed: UInt64) {
    var street = Street(from: Spot(-900, -8), seed: seed)
    street.go(to: Spot(900, -8), metersPerSecond: 11)
    let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
    #expect(street.arrivals(at: [shop]).isEmpty, "seed \(seed)")
  }
}
