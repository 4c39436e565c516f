import Geodesy
import NearMeEngine
import Places
import TestSupport
import Timeline
import Traces

/// Points of interest in towns, and a drive past them: the same for every run.
struct World {
  static let categories = ["bank", "gas_station", "grocery", "pharmacy", "post_office"]
  let pois: [PointOfInterest]
  let places: [Place]
  let reminders: [Reminder]
  private let plane: LocalPlane

  /// Scatters points over towns of 4 km in a square of 300 km.
  init(points: Int, seed: UInt64 = 1) {
    var random = SeededGenerator(seed: seed)
    let plane = LocalPlane(origin: Coordinate(uncheckedLatitude: 39, longitude: -77))
    let towns = (0..<300)
      .map { _ in
        (random.uniform(-150_000...150_000), random.uniform(-150_000...150_000))
      }
    pois = (0..<points)
      .map { i in
        let town = towns[random.integer(0...(towns.count - 1))]
        return PointOfInterest(
          sourceID: "node/\(i + 1)",
          categories: [CategoryID(Self.categories[random.integer(0...4)])],
          name: "Place \(i)",
          coordinate: plane.coordinate(
            eastMeters: town.0 + random.uniform(-2_000...2_000),
            northMeters: town.1 + random.uniform(-2_000...2_000)
          )
        )
      }
    places = [
      Place(id: "home", name: "Home", kind: .home, coordinate: plane.origin),
      Place(
        id: "work",
        name: "Work",
        kind: .work,
        coordinate: plane.coordinate(eastMeters: 9_000, northMeters: 4_000)
      ),
    ]
    reminders =
      Self.categories.map {
        Reminder(id: $0, title: "do \($0)", target: .category(CategoryID($0)))
      } + ["home", "work"].map { Reminder(id: $0, title: "do \($0)", target: .place($0)) }
    self.plane = plane
  }

  /// A fix a second: drives between points at 5 to 30 m/s with stops of 2 to 20 minutes.
  func drive(fixes count: Int, seed: UInt64 = 2) -> [Fix] {
    var random = SeededGenerator(seed: seed)
    var fixes: [Fix] = []
    fixes.reserveCapacity(count)
    var (x, y) = (0.0, 0.0)
    var (noiseX, noiseY) = (0.0, 0.0)
    var second: Int64 = 1_767_600_000
    while fixes.count < count {
      let goal = plane.project(pois[random.integer(0...(pois.count - 1))].coordinate)
      let (dx, dy) = (goal.eastMeters - x, goal.northMeters - y)
      let length = (dx * dx + dy * dy).squareRoot()
      let speed = random.uniform(5...30)
      let steps = max(1, Int(length / speed))
      let stop = random.integer(120...1_200)
      for step in 0..<(steps + stop) where fixes.count < count {
        let isMoving = step < steps
        if isMoving {
          x += dx / Double(steps)
          y += dy / Double(steps)
        }
        // Correlated over half a minute, as real receivers' errors are.
        noiseX = noiseX * 0.967 + random.uniform(-2...2)
        noiseY = noiseY * 0.967 + random.uniform(-2...2)
        fixes.append(
          Fix(
            at: Timestamp(seconds: second),
            coordinate: plane.coordinate(eastMeters: x + noiseX, northMeters: y + noiseY),
            horizontalAccuracyMeters: 8,
            speedMetersPerSecond: isMoving ? speed : 0
          )
        )
        second += 1
      }
    }
    return fixes
  }
}
