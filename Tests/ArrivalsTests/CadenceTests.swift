import Arrivals
import Geodesy
import Places
import Testing
import Timeline
import Traces

/// What a phone's own cadence says, and what it does not: rare fixes, repeated ones, and those of networks after a sleep.
struct CadenceTests {
  typealias Spot = Street.Spot

  private static func home(_ street: Street) -> Place {
    Place(
      id: "home",
      name: "Home",
      kind: .home,
      coordinate: street.plane.coordinate(eastMeters: 0, northMeters: 0)
    )
  }

  @Test(arguments: SceneTests.seeds)
  func `who rides past their own door by a phone with a fix a minute has not come home`(
    seed: UInt64
  ) {
    // Past it, so that its cadence is known; then back, with one fix beside the door and the next one 900 m on.
    var street = Street(from: Spot(-615, -10), seed: seed)
    street.reportsSpeed = false
    street.interval = 60
    street.go(to: Spot(8_250, -10), metersPerSecond: 15)
    street.go(to: Spot(-2_700, -10), metersPerSecond: 15)
    let home = Self.home(street)
    #expect(
      street.fixes.contains {
        $0.coordinate.distanceMeters(to: home.coordinate) < 60
      }
    )
    #expect(street.arrivals(at: [], places: [home]).isEmpty, "seed \(seed)")
  }

  @Test(arguments: SceneTests.seeds)
  func `who comes home by a phone with a fix a minute is told so once`(seed: UInt64) {
    var street = Street(from: Spot(-5_400, -10), seed: seed)
    street.reportsSpeed = false
    street.interval = 60
    street.go(to: Spot(-20, -10), metersPerSecond: 15)
    street.go(to: Spot(0, 0), metersPerSecond: 1.3)
    street.stay(seconds: 600)
    let home = Self.home(street)
    #expect(street.arrivals(at: [], places: [home]) == ["own home"], "seed \(seed)")
  }

  @Test func `a position that is repeated to the last digit tells of rest, but one of a cell`() {
    func rest(accuracy: Double, wandering: Double) -> Double {
      let street = Street(from: Spot(0, 0))
      let shop = street.poi("node/1", "pharmacy", Spot(0, 0))
      var tracker = ArrivalTracker(settings: ArrivalSettings(), catalog: POICatalog([shop]))
      for step in 0..<12 {
        let fix = Fix(
          at: street.now + .seconds(Int64(10 * step)),
          coordinate: street.plane.coordinate(
            eastMeters: 20 + wandering * Double(step % 2),
            northMeters: 0
          ),
          horizontalAccuracyMeters: accuracy
        )
        _ = tracker.observe(fix, at: SurfacePoint(fix.coordinate))
      }
      return tracker.restProbability ?? 0
    }
    #expect(rest(accuracy: 30, wandering: 0) > 0.95)
    #expect(rest(accuracy: 30, wandering: 0.5) < 0.95)
    #expect(rest(accuracy: 400, wandering: 0) < 0.95)
  }

  @Test(arguments: SceneTests.seeds)
  func `a network of home that has moved house ends no stay of an app that sleeps`(seed: UInt64) {
    var street = Street(from: Spot(-2_000, -40), seed: seed)
    street.go(to: Spot(-600, -40), metersPerSecond: 11)
    street.stay(seconds: 40)
    street.go(to: Spot(-30, -30), metersPerSecond: 11)
    street.go(to: Spot(0, 0), metersPerSecond: 1.3)
    street.hasSky = false
    street.networks = [Spot(-16, 16), Spot(118, -128)]
    street.networkSeconds = 1_000
    street.stay(seconds: 4 * 3_600)
    // The regions of an iPhone wake the app when positions have jumped out, and back; it stays awake for 90 s.
    let home = Self.home(street)
    let settings = ArrivalSettings().whileAsleep
    var detector = ArrivalDetector(settings: settings, catalog: .empty, places: [home])
    var told: [String] = []
    var last: Fix?
    var awakeUntil = street.now
    if let first = street.fixes.first { awakeUntil = first.at + .minutes(8) }
    for fix in street.fixes {
      let hasJumped =
        last.map { $0.coordinate.distanceMeters(to: fix.coordinate) > 100 } ?? false
      last = fix
      let wakes = fix.at > awakeUntil && hasJumped
      if wakes { awakeUntil = fix.at + .seconds(90) }
      guard fix.at <= awakeUntil else { continue }
      let found = detector.observe(fix, at: SurfacePoint(fix.coordinate), afterSleep: wakes)
      for finding in found {
        switch finding {
        case .arrived: told.append("came")
        case .wentAway: told.append("went")
        default: break
        }
      }
    }
    #expect(told == ["came"], "seed \(seed)")
  }
}
