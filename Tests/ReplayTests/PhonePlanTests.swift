import Basics
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

/// Plans on phones that notice late, take no small region, and end apps.
@Suite struct PhonePlanTests {
  /// What one day on a phone comes to.
  private struct Day {
    var told = 0
    var summary = ReplaySummary()
    var violations: [CertificateCheck.Violation] = []
  }

  private static func live(
    _ scene: DrawnScene,
    on name: LocationService.Name,
    seed: UInt64 = 1,
    kills: [Timestamp] = []
  ) throws -> Day {
    let setup = ReplaySetup(
      policy: name.policy,
      catalog: POICatalog([]),
      service: name.service(slots: 20, seed: seed)
    )
    let person = Person(
      places: scene.places,
      reminders: scene.reminders,
      actions: kills.map { ReplayAction(at: $0, .incident(.killed)) }
    )
    var session = try setup.session(for: person, checksCertificates: name != .stream)
    var day = Day()
    func keep(_ lines: [ReplayLine]) {
      for line in lines { if case .notification = line { day.told += 1 } }
    }
    for fix in scene.fixes { keep(try session.consume(fix)) }
    keep(try session.finish())
    day.summary = session.summary
    day.violations = session.violations.map(\.1)
    return day
  }

  /// A bench of 30 m, and somebody who drives up to so many meters away and stays there for a time.
  private static func beside(seconds: Int, meters: Double = 80) -> DrawnScene {
    var scene = DrawnScene(at: (3_000, 0))
    scene.reminders = []
    scene.place("bench", 0, 0, tiers: [.arrival], radius: 30)
    scene.drive(to: (meters, 0), speed: 12, every: 5)
    scene.stay(seconds: seconds)
    return scene
  }

  @Test(arguments: [LocationService.Name.ios, .android], UInt64(1)...4)
  func `who waits beside a small place and then walks in is told`(
    _ name: LocationService.Name,
    _ seed: UInt64
  ) throws {
    var scene = Self.beside(seconds: 2_400)
    scene.drive(to: (0, 0), speed: 1.3, every: 5)
    scene.stay(seconds: 2_400)
    #expect(try Self.live(scene, on: .stream).told == 1)
    let day = try Self.live(scene, on: name, seed: seed)
    #expect(day.told == 1)
    #expect(day.summary.atRisk > .minutes(10))
    #expect(day.violations.isEmpty, "\(day.violations)")
  }

  /// With the receiver on all the time, eight hours take a quarter of a battery.
  @Test(arguments: [LocationService.Name.ios, .android])
  func `who sits beside a small place all day has the receiver on for a few minutes`(
    _ name: LocationService.Name
  ) throws {
    let day = try Self.live(Self.beside(seconds: 8 * 3_600), on: name)
    let summary = day.summary
    let looks = Double(summary.locationWakes)
    let onSeconds = summary.followed.seconds - summary.rested.seconds + looks * 10
    #expect(onSeconds < 1_800, "\(onSeconds) s, \(looks) wakes")
    #expect(day.told == 0)
    #expect(day.violations.isEmpty, "\(day.violations)")
  }

  /// A receiver whose errors last: how large they are, in meters, and for how long, in seconds.
  private static let noisyReceivers: [(deviation: Double, seconds: Double)] = [
    (4, 60), (8, 60), (15, 30),
  ]

  /// Stays with a receiver that is wrong, by as much as it says.
  private static func stay(
    _ scene: inout DrawnScene,
    seconds: Int,
    noise: (deviation: Double, seconds: Double),
    _ random: inout SplitMix64
  ) {
    // The error of a moment ago, for the most part, and a new one besides.
    let old = exponential(-10 / noise.seconds)
    let new = (1 - old * old).squareRoot()
    var (east, north) = (0.0, 0.0)
    for _ in 0..<(seconds / 10) {
      east = old * east + new * noise.deviation * normal(&random)
      north = old * north + new * noise.deviation * normal(&random)
      scene.fix(
        after: 10,
        speed: 0,
        accuracy: 1.51 * noise.deviation,
        off: east,
        offNorth: north
      )
    }
  }

  private static func normal(_ random: inout SplitMix64) -> Double {
    (0..<12).reduce(-6.0) { sum, _ in sum + random.unit() }
  }

  /// In a city and indoors no two positions are the same.
  @Test(arguments: [LocationService.Name.ios, .android], 0..<3)
  func `who sits beside a small place with a noisy receiver is at rest, and is told on walking in`(
    _ name: LocationService.Name,
    _ receiver: Int
  ) throws {
    let noise = Self.noisyReceivers[receiver]
    var random = SplitMix64(seed: UInt64(receiver))
    var scene = Self.beside(seconds: 60, meters: 75)
    let begin = scene.fixes.count
    Self.stay(&scene, seconds: 8 * 3_600, noise: noise, &random)
    let seconds = Double(scene.fixes.count - begin) * 10
    let summary = try Self.live(scene, on: name).summary
    let onSeconds =
      summary.followed.seconds - summary.rested.seconds + Double(summary.locationWakes) * 10
    #expect(onSeconds < 0.15 * seconds, "\(onSeconds) s, \(summary.locationWakes) wakes")
    scene.drive(to: (0, 0), speed: 1.3, every: 5)
    scene.stay(seconds: 2_400)
    #expect(try Self.live(scene, on: name).told >= 1)
  }

  @Test(arguments: [LocationService.Name.ios, .android], UInt64(1)...4)
  func `who stops just beyond the safe circle is noticed`(
    _ name: LocationService.Name,
    _ seed: UInt64
  ) throws {
    var scene = DrawnScene()
    scene.reminders = []
    for i in 0..<25 {
      let (sine, cosine) = sineAndCosine(degrees: Double(i) * 14.4)
      let far = 1_000 + 5 * Double(i)
      scene.place("p\(i)", far * cosine, far * sine, tiers: [.arrival], radius: 60)
    }
    scene.stay(seconds: 600)
    scene.drive(to: (1_000, 0), speed: 1.3, every: 5)
    scene.stay(seconds: 3_600)
    #expect(try Self.live(scene, on: .stream).told == 1)
    let day = try Self.live(scene, on: name, seed: seed)
    #expect(day.told == 1)
    #expect(day.violations.isEmpty, "\(day.violations)")
  }

  /// A poor position comes as the safe circle is left, and the next good one never does.
  @Test(arguments: [LocationService.Name.ideal, .ios, .android])
  func `an app that is ended while its position is poor is woken again`(
    _ name: LocationService.Name
  ) throws {
    var scene = DrawnScene()
    scene.reminders = []
    func place(_ id: String, _ east: Double, _ north: Double) {
      scene.place(id, east, north, tiers: [.approach(meters: 1_000), .arrival], radius: 150)
    }
    for i in 0..<24 {
      let (sine, cosine) = sineAndCosine(degrees: 7.5 + Double(i) * 15)
      let far = 3_000 + 5 * Double(i)
      place("p\(i)", far * cosine, far * sine)
    }
    for i in 1...6 { place("q\(i)", 2_000 + 3_000 * Double(i), 0) }
    scene.stay(seconds: 600)
    scene.drive(to: (1_450, 0), speed: 10, every: 5)
    let poor = scene.fixes.count
    for second in 1...40 {
      scene.fix(after: 5, speed: 10, accuracy: 600, off: 50 * Double(second))
    }
    let last = scene.fixes.count - 1
    scene.jump(to: (3_500, 0), after: 5)
    scene.drive(to: (20_000, 0), speed: 10, every: 5)
    scene.stay(seconds: 600)
    let calm = try Self.live(scene, on: name)
    #expect(calm.told > 4)
    for i in [poor + 1, poor + 10, last] {
      let day = try Self.live(scene, on: name, kills: [scene.fixes[i].at + .seconds(2)])
      #expect(day.told >= calm.told - 2, "ended at \(i): \(day.told) of \(calm.told)")
      #expect(day.violations.isEmpty, "\(day.violations)")
    }
  }

  /// With all margins of a phone, and few regions, on a service that is never late.
  @Test func `what phones' plans promise holds, and what they do not is named`() throws {
    var checked = 0
    for seed in UInt64(1)...60 {
      let world = RandomWorld(seed: seed)
      for slots in [2, 4, 20] {
        var policy = Policy.measuring
        policy.monitor = .ios
        let setup = ReplaySetup(
          policy: policy,
          catalog: POICatalog(world.pois),
          service: .ideal(slots: slots)
        )
        var session = try setup.session(
          for: Person(places: world.places, reminders: world.reminders),
          checksCertificates: true
        )
        for fix in world.fixes { _ = try session.consume(fix) }
        _ = try session.finish()
        let violations = session.violations.prefix(2).map { "\($0.1)" }
        #expect(violations.isEmpty, "seed \(seed), \(slots) slots: \(violations)")
        checked += session.summary.certificatesChecked
      }
    }
    #expect(checked > 1_000)
  }

  /// From Sydney, places in Spain are 17,000 km away, farther than any region of a phone reaches.
  @Test func `a safe circle across the earth is left`() throws {
    var scene = DrawnScene(latitude: 41.3, longitude: -4.9, at: (-30_000, 0))
    scene.reminders = []
    for i in 0..<25 {
      scene.place(
        "p\(i)",
        1_000 * Double(i % 5),
        1_000 * Double(i / 5),
        tiers: [.arrival],
        radius: 150
      )
    }
    scene.drive(to: (0, 0), speed: 20, every: 5)
    scene.stay(seconds: 120)
    let setup = ReplaySetup(
      policy: .measuring,
      catalog: POICatalog([]),
      service: .ideal(slots: 20)
    )
    var session = try setup.session(
      for: Person(places: scene.places, reminders: scene.reminders)
    )
    let first = try #require(scene.fixes.first)
    var day = Day()
    func keep(_ lines: [ReplayLine]) {
      for line in lines { if case .notification = line { day.told += 1 } }
    }
    for hour in stride(from: 150, through: 140, by: -1) {
      let home = Fix(
        at: first.at - .minutes(Int64(hour) * 60),
        coordinate: Coordinate(uncheckedLatitude: -34, longitude: 151),
        horizontalAccuracyMeters: 5
      )
      keep(try session.consume(home))
    }
    for fix in scene.fixes { keep(try session.consume(fix)) }
    keep(try session.finish())
    #expect(day.told == 1)
    #expect(session.twin?.deadRegistrations == 0)
  }
}
