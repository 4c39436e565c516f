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
}
