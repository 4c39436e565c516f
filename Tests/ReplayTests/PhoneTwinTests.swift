import Fencing
import Geodesy
import NearMeEngine
import OutputLines
import Places
import Replay
import TestSupport
import Testing
import Timeline
import Traces

/// What a phone does, drawn on a line through one region.
@Suite struct PhoneTwinTests {
  /// An iPhone whose latency is always the same, so that scenes have whole numbers.
  private static func ios(latency seconds: Int64 = 30) -> TwinSettings {
    var settings = TwinSettings.ios
    settings.latency.moving = .init(Array(repeating: .seconds(seconds), count: 5))
    settings.latency.still = settings.latency.moving
    return settings
  }

  private static func android(latency seconds: Int64 = 60) -> TwinSettings {
    var settings = TwinSettings.android
    settings.latency.moving = .init(Array(repeating: .seconds(seconds), count: 5))
    return settings
  }

  @Test func `going out counts a cushion beyond the boundary, after 20 s, and is told later`() {
    var scene = PhoneScene(Self.ios())
    scene.at(0, second: 0)
    scene.change(start: [PhoneScene.region("home", .exit, radius: 200)])
    // 10 m/s: the boundary at 20 s, the cushion of 100 m behind at 31 s, 20 s more, 30 s more.
    scene.move(0, 2_000, seconds: 1...201)
    #expect(scene.heard == ["region_exit at 82 s, 810 m"])
  }

  /// At which seconds a phone hands over positions that is followed, and may rest from 60 s on, for 120 s each.
  private static func eased(
    _ fixes: [(second: Int64, speed: Double?)],
    feelsMotion: Bool = true,
    tellingSpeeds told: (Double?) -> Double? = { $0 }
  ) -> [Int64] {
    var settings = ios()
    settings.feelsMotion = feelsMotion
    var twin = PhoneTwin(settings, seed: 1)
    twin.follow(until: Timestamp(seconds: 3_600))
    twin.ease(from: Timestamp(seconds: 60), every: .seconds(120))
    var heard: [Int64] = []
    var meters = 0.0
    var before = fixes.first?.second ?? 0
    for (second, speed) in fixes {
      let now = Timestamp(seconds: second)
      meters += (speed ?? 0) * Double(second - before)
      before = second
      _ = twin.consume(
        Fix(
          at: now,
          coordinate: PhoneScene.plane.coordinate(eastMeters: meters, northMeters: 0),
          horizontalAccuracyMeters: 10,
          speedMetersPerSecond: told(speed)
        )
      )
      while let instant = twin.nextInstant, instant <= now {
        if twin.advance(to: instant) != nil { heard.append(second) }
      }
    }
    return heard
  }

  private static func rest(_ seconds: some Sequence<Int64>) -> [(second: Int64, speed: Double?)] {
    seconds.map { ($0, 0) }
  }

  @Test func `a receiver that may rest measures every so often`() {
    let heard = Self.eased(Self.rest(stride(from: 10, through: 600, by: 10)))
    #expect(heard == [10, 20, 30, 40, 50, 180, 300, 420, 540])
  }

  @Test func `what it could not measure when it was on is measured the next time`() {
    // Nothing for 200 s: it was on at 180 s, and is on again at 300 s.
    let later = Self.rest(stride(from: 220, through: 330, by: 10))
    #expect(Self.eased(Self.rest([10, 20]) + later) == [10, 20, 300])
  }

  @Test func `who begins to walk is measured within ten seconds`() {
    let rest = Self.rest(stride(from: 10, through: 200, by: 10))
    let walk = (201...220).map { (second: Int64($0), speed: 1.4 as Double?) }
    let heard = Self.eased(rest + walk)
    #expect(heard.prefix(6) == [10, 20, 30, 40, 50, 180])
    #expect(heard.dropFirst(6).first.map { (203...210).contains($0) } == true, "\(heard)")
    #expect(heard.suffix(5) == [216, 217, 218, 219, 220])
    #expect(Self.eased(rest + walk, feelsMotion: false) == [10, 20, 30, 40, 50, 180])
  }

  @Test func `who walks is felt where no speed is told, or a zero`() {
    let rest = Self.rest(stride(from: 10, through: 200, by: 10))
    let walk = (201...240).map { (second: Int64($0), speed: 1.4 as Double?) }
    let zero: Double? = 0
    for told in [nil, zero] {
      let heard = Self.eased(rest + walk) { _ in told }
      #expect(heard.prefix(6) == [10, 20, 30, 40, 50, 180])
      // 10 m of noise are walked in eight seconds; the first ten may have begun in the rest before.
      #expect(heard.dropFirst(6).first.map { (208...225).contains($0) } == true, "\(heard)")
      #expect(heard.suffix(15) == Array(226...240))
      #expect(Self.eased(rest) { _ in told } == [10, 20, 30, 40, 50, 180])
    }
  }

  @Test func `a worse accuracy widens the cushion`() {
    var near = PhoneScene(Self.ios(latency: 0))
    var poor = PhoneScene(Self.ios(latency: 0))
    for accuracy in [10.0, 250] {
      var scene = PhoneScene(Self.ios(latency: 0))
      scene.at(0, second: 0)
      scene.change(start: [PhoneScene.region("home", .exit, radius: 200)])
      for second in 1...100 {
        scene.at(Double(second) * 10, second: Double(second), accuracy: accuracy)
      }
      if accuracy < 100 { near = scene } else { poor = scene }
    }
    #expect(near.heard == ["region_exit at 51 s, 510 m"])
    #expect(poor.heard == ["region_exit at 66 s, 660 m"])
  }

  @Test func `who is back within 20 s has not been out`() {
    var scene = PhoneScene(Self.ios())
    scene.at(0, second: 0)
    scene.change(start: [PhoneScene.region("home", .exit, radius: 200)])
    scene.move(0, 400, seconds: 1...20)
    scene.move(400, 0, seconds: 21...40)
    scene.wait(until: 1_000)
    #expect(scene.heard == [])
  }

  @Test func `a phone that is not seen again stays where it was seen last`() {
    var scene = PhoneScene(Self.ios())
    scene.at(0, second: 0)
    scene.change(start: [PhoneScene.region("home", .exit, radius: 200)])
    scene.at(1_000, second: 10)
    scene.wait(until: 1_000)
    #expect(scene.heard == ["region_exit at 60 s, 1000 m"])
  }

  @Test func `coming in counts inside the cushion, and small regions act like 100 m`() {
    var scene = PhoneScene(Self.ios(latency: 0))
    scene.at(-1_000, second: 0)
    scene.change(start: [
      PhoneScene.region("large", .enter, radius: 500),
      PhoneScene.region("tiny", .enter, radius: 20),
    ])
    scene.move(-1_000, 0, seconds: 1...1_001)
    scene.wait(until: 2_000)
    // 500 m less the cushion, and 20 s; then 100 m, and 20 s.
    #expect(scene.heard == ["region_enter at 622 s, -379 m", "region_enter at 922 s, -79 m"])
  }

  @Test func `a pass of 15 s through 100 m is not seen`() {
    var scene = PhoneScene(Self.ios())
    scene.at(-1_000, second: 0)
    scene.change(start: [PhoneScene.region("shop", .enter, radius: 100)])
    scene.move(-1_000, 1_000, seconds: 1...150)
    scene.wait(until: 1_000)
    #expect(scene.heard == [])
  }

  @Test func `coming in is never told of a region that was registered inside`() {
    var scene = PhoneScene(Self.ios(latency: 0))
    scene.at(50, second: 0)
    scene.change(start: [PhoneScene.region("shop", .enter, radius: 200)])
    scene.move(50, 0, seconds: 1...60)
    #expect(scene.heard == [])
    // Only after it has been left.
    scene.move(0, 600, seconds: 61...120)
    scene.move(600, 0, seconds: 121...180)
    scene.wait(until: 400)
    #expect(scene.heard.count == 1)
    #expect(scene.heard.first?.hasPrefix("region_enter at ") == true)
  }

  @Test func `a region is registered from the position that the app was woken with`() {
    // Woken 304 m from home between two fixes, the older of which lies inside of 300 m.
    var twin = PhoneTwin(Self.ios(latency: 0), seed: 1)
    func fix(_ meters: Double, _ second: Int64) -> Fix {
      Fix(
        at: Timestamp(seconds: second),
        coordinate: PhoneScene.plane.coordinate(eastMeters: meters, northMeters: 0),
        horizontalAccuracyMeters: 10
      )
    }
    _ = twin.consume(fix(0, 0))
    _ = twin.apply(start: [PhoneScene.region("shop", .exit, radius: 100)], stop: [])
    _ = twin.consume(fix(210, 5))
    _ = twin.consume(fix(290, 24))
    let wake = twin.advance(to: Timestamp(seconds: 25), toward: fix(500, 39))
    #expect(wake?.cause == .regionExit)
    _ = twin.apply(start: [PhoneScene.region("home", .enter, radius: 300)], stop: ["shop"])
    for (meters, second) in [(500.0, Int64(39)), (150, 60), (0, 75), (0, 90)] {
      _ = twin.consume(fix(meters, second))
    }
    #expect(twin.advance(to: Timestamp(seconds: 90))?.cause == .regionEnter)
  }

  @Test func `putting a region back swallows a crossing that was noticed`() {
    let shop = PhoneScene.region("shop", .enter, radius: 200)
    for (isTouched, keeps) in [(false, false), (true, false), (true, true)] {
      var ios = Self.ios(latency: 120)
      ios.crossing.keepsNoticed = keeps
      var scene = PhoneScene(ios)
      scene.at(-1_000, second: 0)
      scene.change(start: [shop])
      scene.move(-1_000, 0, seconds: 1...101)
      scene.wait(until: 150)
      if isTouched { scene.change(start: [shop], stop: ["shop"]) }
      scene.wait(until: 1_000)
      let isSwallowed = isTouched && !keeps
      #expect(scene.heard == (isSwallowed ? [] : ["region_enter at 232 s, 0 m"]))
      #expect(scene.twin.swallowedCrossings == (isSwallowed ? 1 : 0))
    }
  }

  @Test func `going out of a circle from outside it never fires`() {
    var scene = PhoneScene(Self.ios())
    scene.at(1_000, second: 0)
    scene.change(start: [PhoneScene.region("gone", .safe, radius: 300)])
    scene.move(1_000, 5_000, seconds: 1...400)
    scene.wait(until: 2_000)
    #expect(scene.heard == [])
    #expect(scene.twin.deadRegistrations == 1)
  }

  @Test func `CTX-7.3b: the 21st region is refused, and the others stay`() {
    var scene = PhoneScene(Self.ios())
    let regions = (1...21).map { PhoneScene.region("r\($0)", .enter, at: 9_000, radius: 100) }
    #expect(scene.change(start: Array(regions.prefix(20))) == [])
    #expect(scene.change(start: [regions[20]]) == ["r21"])
    #expect(scene.twin.held == 20)
    #expect(scene.change(start: [regions[20]], stop: ["r3"]) == [])
    #expect(scene.twin.held == 20)
  }

  @Test func `an Android phone takes 100 regions`() {
    var scene = PhoneScene(Self.android())
    let regions = (1...101).map { PhoneScene.region("r\($0)", .enter, at: 9_000, radius: 100) }
    #expect(scene.change(start: regions) == ["r101"])
  }

  @Test func `NM-8.3: significant changes come every 500 m and 5 minutes`() {
    var settings = Self.ios()
    settings.changes.isOn = true
    var scene = PhoneScene(settings)
    // 10 m/s for 20 minutes.
    scene.move(0, 12_000, seconds: 0...1_200)
    #expect(
      scene.heard == [
        "significant_change at 300 s, 3000 m", "significant_change at 600 s, 6000 m",
        "significant_change at 900 s, 9000 m", "significant_change at 1200 s, 12000 m",
      ]
    )
    var slow = PhoneScene(settings)
    // 1 m/s: 500 m take longer than 5 minutes.
    slow.move(0, 1_200, seconds: 0...1_200)
    #expect(slow.heard.count == 2)
    #expect(slow.heard.first == "significant_change at 501 s, 501 m")
  }

  @Test func `NM-8.3: visits are told minutes late`() {
    var settings = Self.ios()
    settings.visits.isOn = true
    var scene = PhoneScene(settings)
    scene.move(-3_000, 0, seconds: 0...300)
    for minute in 5...20 { scene.at(0, second: Double(minute) * 60 + 1) }
    scene.move(0, 3_000, seconds: 1_202...1_501)
    scene.wait(until: 2_000)
    #expect(scene.heard.count == 2)
    #expect(scene.heard.first == "visit at 601 s, 0 m")
    #expect(scene.heard.last == "visit at 1389 s, 1876 m")
  }

  @Test func `Android tells what was registered inside, and brings things together`() {
    var scene = PhoneScene(Self.android(latency: 60))
    scene.at(-1_000, second: 0)
    scene.change(start: [
      PhoneScene.region("a", .enter, radius: 300), PhoneScene.region("b", .enter, radius: 250),
      PhoneScene.region("here", .enter, at: -1_000, radius: 100),
    ])
    scene.move(-1_000, 0, seconds: 1...101)
    scene.wait(until: 1_000)
    // a counts at 72 s and is due at 132 s; b is due 5 s later, and waits for the next batch.
    #expect(
      scene.heard == [
        "region_enter at 60 s, -410 m", "region_enter at 132 s, 0 m", "region_enter at 172 s, 0 m",
      ]
    )
  }

  @Test func `after a long rest Android looks rarely`() {
    var settings = TwinSettings.android
    settings.latency.moving = .init(Array(repeating: .seconds(60), count: 5))
    settings.latency.still = .init(Array(repeating: .seconds(300), count: 5))
    for rest in [60, 900] {
      var scene = PhoneScene(settings)
      scene.at(0, second: 0)
      scene.change(start: [PhoneScene.region("home", .exit, radius: 100)])
      scene.at(0, second: Double(rest))
      scene.move(0, 600, seconds: rest + 1...rest + 61)
      scene.wait(until: 2_000)
      let exit = rest + 12
      #expect(scene.heard == ["region_exit at \(exit + (rest > 600 ? 300 : 60)) s, 600 m"])
    }
  }

  @Test func `without permission nothing is noticed, and afterward all is taken as it is`() {
    var scene = PhoneScene(Self.ios(latency: 0))
    scene.at(0, second: 0)
    scene.change(start: [
      PhoneScene.region("home", .exit, radius: 200),
      PhoneScene.region("shop", .enter, at: 2_000, radius: 200),
    ])
    scene.goBlind(true)
    scene.move(0, 2_000, seconds: 1...201)
    scene.goBlind(false)
    scene.move(2_000, 2_010, seconds: 202...300)
    #expect(scene.heard == [])
    scene.move(2_000, 3_000, seconds: 301...401)
    scene.move(3_000, 2_000, seconds: 402...502)
    scene.wait(until: 1_000)
    #expect(scene.heard == ["region_enter at 513 s, 2000 m"])
  }

  // MARK: Properties

  /// A walk among regions that nobody plans anew.
  private static func wakes(
    _ settings: TwinSettings,
    world seed: UInt64,
    luck: UInt64 = 7
  ) -> (wakes: [PhoneTwin.Wake], most: Int) {
    let world = RandomWorld(seed: seed)
    var random = SeededGenerator(seed: seed ^ 0xFACE)
    var twin = PhoneTwin(settings, seed: luck)
    var wakes: [PhoneTwin.Wake] = []
    var most = 0
    for (i, fix) in world.fixes.enumerated() {
      while let instant = twin.nextInstant, instant < fix.at {
        if let wake = twin.advance(to: instant) { wakes.append(wake) }
      }
      _ = twin.consume(fix)
      while let instant = twin.nextInstant, instant <= fix.at {
        if let wake = twin.advance(to: instant) { wakes.append(wake) }
      }
      if i % 20 == 0 {
        let kinds: [Region.Kind] = [.enter, .exit, .safe]
        _ = twin.apply(
          start: (0..<3)
            .map { n in
              Region(
                id: "\(i)-\(n)",
                center: world.fixes[random.integer(0...(world.fixes.count - 1))].coordinate,
                radiusMeters: random.uniform(50...3_000),
                kind: kinds[n]
              )
            },
          stop: i > 100 ? (0..<3).map { "\(i - 100)-\($0)" } : []
        )
        most = max(most, twin.held)
      }
    }
    return (wakes, most)
  }

  @Test func `the same seed is the same luck, another seed another`() {
    var differences = 0
    for seed in UInt64(1)...60 {
      let first = Self.wakes(.ios, world: seed)
      #expect(first.wakes == Self.wakes(.ios, world: seed).wakes, "seed \(seed)")
      if first.wakes != Self.wakes(.ios, world: seed, luck: 8).wakes { differences += 1 }
      #expect(first.most <= 20, "seed \(seed)")
    }
    #expect(differences > 20)
  }

  @Test func `more latency never tells earlier`() {
    var compared = 0
    for seed in UInt64(1)...200 {
      let quick = TwinSettings.ios
      var slow = quick
      slow.latency.moving = .init(
        quick.latency.moving.spans.map { Milliseconds($0.value * 3 + 500) }
      )
      // With regions that stay, so that the slower one loses none.
      var instants: [[Timestamp]] = []
      for settings in [quick, slow] {
        let world = RandomWorld(seed: seed)
        var twin = PhoneTwin(settings, seed: seed)
        var heard: [Timestamp] = []
        for (i, fix) in world.fixes.enumerated() {
          while let instant = twin.nextInstant, instant < fix.at {
            if let wake = twin.advance(to: instant) { heard.append(wake.at) }
          }
          _ = twin.consume(fix)
          if i == 0 {
            _ = twin.apply(
              start: world.pois.prefix(10)
                .map {
                  Region(id: $0.sourceID, center: $0.coordinate, radiusMeters: 400, kind: .enter)
                },
              stop: []
            )
          }
        }
        instants.append(heard)
      }
      // The n-th thing that is heard is heard later, or not before the trace ends.
      for (early, late) in zip(instants[0], instants[1]) {
        #expect(early <= late, "seed \(seed)")
        compared += 1
      }
    }
    #expect(compared > 100)
  }

  /// Without cushion, persistence and latency, a phone is the ideal service, wake for wake.
  @Test func `a phone that is never late is the ideal service`() throws {
    var wakes = 0
    for seed in UInt64(1)...200 {
      let world = RandomWorld(seed: seed)
      let catalog = POICatalog(world.pois)
      var settings = TwinSettings.ideal
      settings.regions = 5
      var all: [[ReplayLine]] = []
      for service in [
        LocationService.ideal(slots: 5), .phone(settings, slots: 5, seed: seed),
      ] {
        var session = try ReplaySetup(policy: .measuring, catalog: catalog, service: service)
          .session(for: Person(places: world.places, reminders: world.reminders))
        var lines: [ReplayLine] = []
        for fix in world.fixes { lines += try session.consume(fix) }
        lines += try session.finish()
        all.append(lines)
        wakes += session.summary.wakeCount
      }
      let isEqual = all[0] == all[1]
      let difference = zip(all[0], all[1]).first { $0 != $1 }
      #expect(isEqual, "seed \(seed): first difference \(String(describing: difference))")
    }
    #expect(wakes > 4_000)
  }
}
