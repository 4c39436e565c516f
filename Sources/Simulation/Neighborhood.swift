import Basics
import Geodesy
import Places
import Streets

/// Streets and the places beside them: where people live.
package struct Neighborhood: Sendable {
  /// A place of a category.
  struct Shop: Sendable {
    let id: String
    let name: String?
    let category: CategoryID
    let coordinate: Coordinate
    let point: PlanePoint
  }

  /// The streets.
  package let streets: StreetGraph
  /// By source id, shorter ids first; a place of two categories is there once, as the first of them.
  let shops: [Shop]
  /// How many places people may go to.
  package var placeCount: Int { shops.count }
  /// The categories that there are, in order.
  package let categories: [CategoryID]
  private let grid: PointGrid

  /// How far from a street a place may be to be gone to, in meters.
  static let farthestFromStreet = 150.0

  /// Puts places beside the streets of a map; those far from any are left out.
  package init(_ map: StreetMap, places: [PointOfInterest]) throws(SimulationFault) {
    guard let streets = StreetGraph(map) else { throw .noStreets }
    self.streets = streets
    shops = places.sorted { POICatalog.precedes($0.sourceID, $1.sourceID) }
      .compactMap { place in
        let point = streets.plane.point(place.coordinate)
        guard let street = streets.nearest(to: point, by: .car),
          streets.points[street].distanceMeters(to: point) <= Self.farthestFromStreet
        else { return nil }
        return Shop(
          id: place.sourceID,
          name: place.name,
          category: place.categories[0],
          coordinate: place.coordinate,
          point: point
        )
      }
    guard !shops.isEmpty else { throw .noPlaces }
    categories = Set(shops.map(\.category)).sorted()
    grid = PointGrid(shops.map(\.point), cellMeters: 250)
  }

  /// The shops within a distance, nearest first.
  func shops(within meters: Double, of point: PlanePoint) -> [Int] {
    var found: [(distance: Double, index: Int)] = []
    grid.forEach(within: meters, of: point) { found.append(($1, $0)) }
    return found.sorted { $0 < $1 }.map(\.index)
  }

  /// Whether houses stand close: two places within 250 m tell it.
  func isUrban(_ point: PlanePoint) -> Bool {
    var count = 0
    grid.forEach(within: 250, of: point) { _, _ in count += 1 }
    return count >= 2
  }

  /// The nearest shops of a category, at most so many, the nearest first.
  func nearest(_ category: CategoryID, to point: PlanePoint, count: Int) -> [Int] {
    shops.indices.filter { shops[$0].category == category }
      .map { (shops[$0].point.distanceMeters(to: point), $0) }
      .sorted { $0 < $1 }
      .prefix(count)
      .map(\.1)
  }
}

extension Neighborhood {
  /// A plain town of invented streets and places, for use without a map.
  ///
  /// A grid of streets, wider ones every fifth, around a place on earth; about one place for each
  /// nine blocks, the more the nearer to the middle.
  package static func town(
    around middle: Coordinate,
    blocks: Int = 30,
    seed: UInt64
  ) throws(SimulationFault) -> (neighborhood: Neighborhood, places: [PointOfInterest]) {
    var random = SplitMix64.stream(seed, 7_001)
    let plane = LocalPlane(origin: middle)
    let blockMeters = 160.0
    func corner(_ column: Int, _ row: Int) -> PlanePoint {
      PlanePoint(
        Double(column - blocks / 2) * blockMeters,
        Double(row - blocks / 2) * blockMeters
      )
    }
    func id(_ column: Int, _ row: Int) -> Int64 { Int64(row * (blocks + 1) + column + 1) }
    var nodes: [(id: Int64, coordinate: Coordinate)] = []
    for row in 0...blocks {
      for column in 0...blocks {
        let point = corner(column, row)
          .offset(random.uniform(-15...15), random.uniform(-15...15))
        nodes.append((id(column, row), plane.coordinate(point)))
      }
    }
    var lines: [StreetLine] = []
    for number in 0...blocks {
      let kind: StreetKind = number % 5 == 0 ? .secondary : .residential
      lines.append(StreetLine(nodes: (0...blocks).map { id($0, number) }, kind: kind))
      lines.append(StreetLine(nodes: (0...blocks).map { id(number, $0) }, kind: kind))
    }
    let kinds: [(CategoryID, Double, String)] = [
      (CategoryID("gas_station"), 1, "Fuel"), (CategoryID("grocery"), 1.5, "Grocer"),
      (CategoryID("pharmacy"), 1, "Pharmacy"), (CategoryID("bank"), 0.8, "Bank"),
      (CategoryID("post_office"), 0.4, "Post Office"),
    ]
    var places: [PointOfInterest] = []
    for number in 1...max(5, blocks * blocks / 9) {
      // Two draws averaged crowd in the middle.
      let east = (random.unit() + random.unit()) / 2 * Double(blocks)
      let north = (random.unit() + random.unit()) / 2 * Double(blocks)
      let along = random.uniform(0...1)
      let kind = kinds[number <= kinds.count ? number - 1 : random.pick(weights: kinds.map(\.1))]
      // Beside a street, some of them larger ones, 12 to 30 m from its middle.
      let isWide = random.chance(0.5)
      let column = isWide ? Int(east / 5) * 5 : Int(east)
      let row = Int(north)
      let street = corner(column, row).toward(corner(column, min(row + 1, blocks)), share: along)
      let side = random.chance(0.5) ? 1.0 : -1.0
      let point = street.offset(side * random.uniform(12...30), 0)
      places.append(
        PointOfInterest(
          sourceID: "node/\(1_000_000 + number)",
          categories: [kind.0],
          name: "\(kind.2) \(number)",
          coordinate: plane.coordinate(point)
        )
      )
    }
    return (try Neighborhood(StreetMap(lines: lines, nodes: nodes), places: places), places)
  }
}
