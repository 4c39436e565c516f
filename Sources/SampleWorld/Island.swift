import Basics
import Geodesy
import Simulation

/// The island of Port Ardent: home in the west, work in between, the town with its shops in the
/// east, so far apart that every ring is crossed on the way.
enum Island {
  static let plane = LocalPlane(
    origin: Coordinate(uncheckedLatitude: 38, longitude: -34)
  )

  /// Between two crossings in town, and between two nodes of the main road, in kilometers.
  static let step = 0.4
  static let townWest = 8.8

  static let home = Spot(-13.62, 0.42)
  static let work = Spot(-4.02, -1.0)
  static let fortHillLibrary = Spot(4.42, 0.77)
  static let cafe = Spot(7.22, -0.82)
  static let friend = Spot(12.42, 2.03)

  /// The main road from one end to the other; it bends outside the town.
  static func mainRoad(_ east: Double) -> Spot {
    guard east < 8.4 else { return Spot(east, 0) }
    return Spot(east, 0.3 * sineAndCosine(degrees: (east - 8.4) * 20).sine)
  }

  /// The main road between two of its points, both included.
  static func mainRoad(from start: Double, to end: Double) -> [Spot] {
    let direction = end > start ? 1.0 : -1.0
    var spots = [mainRoad(start)]
    // Nodes are counted, not added up, so that their positions do not drift.
    for index in 0...70 {
      let node = grid(direction > 0 ? index : 70 - index)
      if (node - start) * direction > 0.001, (end - node) * direction > 0.001 {
        spots.append(mainRoad(node))
      }
    }
    return spots + [mainRoad(end)]
  }

  /// A node of the main road, counted from its western end.
  static func grid(_ index: Int) -> Double { Double(index * 4 - 144) / 10 }

  /// The coast, counterclockwise.
  static func coast() -> [Spot] {
    var random = SplitMix64(seed: 3)
    return (0..<60)
      .map { index in
        let (sine, cosine) = sineAndCosine(degrees: Double(index) * 6)
        let wobble = random.uniform(0.95...1.05)
        return Spot(15.3 * cosine * wobble, 1.5 + 7.2 * sine * wobble)
      }
  }
}
