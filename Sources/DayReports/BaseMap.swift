import Geodesy
import Streets

/// Lines and areas under a map, thinned by how far they are from the way.
package struct BaseMap: Sendable, Codable {
  /// Lines of one kind, seen from some zoom on.
  package struct Layer: Sendable, Codable {
    /// A ``MapFeature/Kind``.
    package let kind: String
    /// Drawn from this zoom of the usual web maps on.
    package let leastZoom: Int
    /// Each a list of latitude and longitude in 1e-5 degrees: the first point, then differences.
    package let lines: [[Int]]
  }

  /// Whom to name beside the map.
  package let attribution: String
  /// In the order in which they are drawn.
  package let layers: [Layer]

  /// What a map of OpenStreetMap has to show (openstreetmap.org/copyright).
  private static let contributors = "© OpenStreetMap contributors, ODbL 1.0"

  /// A page of this many points is some 400 kB larger.
  static let mostPoints = 60_000

  /// Makes the map around a way; where it would be too large, coarser and of fewer streets.
  ///
  /// - Returns: nil where none of the features is near.
  /// - Complexity: O(points of the features · log points), some times.
  package init?(_ features: [MapFeature], around way: [Coordinate]) {
    guard !way.isEmpty else { return nil }
    for coarseness in [1.0, 2, 4, 8, 16] {
      let layers = Self.layers(features, Neighborhood(way, coarseness: coarseness))
      let count = layers.reduce(0) { $0 + $1.lines.reduce(0) { $0 + $1.count / 2 } }
      guard count <= Self.mostPoints || coarseness == 16 else { continue }
      guard count > 0 else { return nil }
      attribution = Self.contributors
      self.layers = layers
      return
    }
    return nil
  }

  private static func layers(_ features: [MapFeature], _ near: Neighborhood) -> [Layer] {
    MapFeature.Kind.allCases.compactMap { kind in
      let lines = features.filter { $0.kind == kind }
        .compactMap { feature -> [Int]? in
          guard feature.points.contains(where: { near.shows(kind, $0) }) else { return nil }
          let kept = simplified(feature.points, near)
          return kept.count > 1 ? packed(kept) : nil
        }
      return lines.isEmpty
        ? nil : Layer(kind: kind.rawValue, leastZoom: kind.leastZoom, lines: lines)
    }
  }

  private static func packed(_ points: [Coordinate]) -> [Int] {
    var last = (0, 0)
    return points.flatMap { point -> [Int] in
      let now = (
        Int((point.latitude * 1e5).rounded()), Int((point.longitude * 1e5).rounded())
      )
      defer { last = now }
      return [now.0 - last.0, now.1 - last.1]
    }
  }

  /// The points of a line without those that it does not need (Douglas and Peucker 1973, with a tolerance
  /// that is larger far from the way).
  private static func simplified(_ points: [Coordinate], _ near: Neighborhood) -> [Coordinate] {
    guard points.count > 2 else { return points }
    let plane = LocalPlane(origin: points[0])
    let flat = points.map { plane.project($0) }
    var isKept = [Bool](repeating: false, count: points.count)
    isKept[0] = true
    isKept[points.count - 1] = true
    var open = [(0, points.count - 1)]
    while let (first, last) = open.popLast() {
      guard last - first > 1 else { continue }
      var farthest = (share: 1.0, index: -1)
      for i in first + 1..<last {
        let meters = distance(flat[i], flat[first], flat[last])
        let share = meters / near.toleranceMeters(points[i])
        if share > farthest.share { farthest = (share, i) }
      }
      guard farthest.index >= 0 else { continue }
      isKept[farthest.index] = true
      open.append((first, farthest.index))
      open.append((farthest.index, last))
    }
    return points.indices.filter { isKept[$0] }.map { points[$0] }
  }

  private typealias Flat = (eastMeters: Double, northMeters: Double)

  /// From a point to a straight piece.
  private static func distance(_ point: Flat, _ a: Flat, _ b: Flat) -> Double {
    let (east, north) = (b.eastMeters - a.eastMeters, b.northMeters - a.northMeters)
    let lengthSquared = east * east + north * north
    var (x, y) = (point.eastMeters - a.eastMeters, point.northMeters - a.northMeters)
    if lengthSquared > 0 {
      let share = min(max((x * east + y * north) / lengthSquared, 0), 1)
      x -= share * east
      y -= share * north
    }
    return (x * x + y * y).squareRoot()
  }
}

extension MapFeature.Kind {
  /// From which zoom of web maps on it is drawn: below it the eye would see a blot.
  fileprivate var leastZoom: Int {
    switch self {
    case .land, .coast, .water, .green, .motorway: 0
    case .main: 10
    case .river, .rail: 11
    case .street: 13
    case .path: 15
    }
  }

  /// How far from the way it is of use, in meters.
  fileprivate var reachMeters: Double {
    switch self {
    case .land, .coast: .infinity
    case .water, .green, .motorway: 15_000
    case .main, .river, .rail: 8_000
    case .street: 1_500
    case .path: 300
    }
  }
}

/// How near to the way a point is, by the cells of a grid.
private struct Neighborhood {
  private static let cellDegrees = 0.0025
  private let toleranceMeters: Double
  /// For each kind the cells that are near enough to the way.
  private var cells: [MapFeature.Kind: Set<Cell>] = [:]
  private var fine: Set<Cell> = []

  private struct Cell: Hashable {
    let north: Int
    let east: Int
  }

  init(_ way: [Coordinate], coarseness: Double) {
    toleranceMeters = 4 * coarseness
    var trodden: [Cell] = []
    for point in way {
      let cell = Self.cell(point)
      if trodden.last != cell { trodden.append(cell) }
    }
    var seen: Set<Cell> = []
    trodden = trodden.filter { seen.insert($0).inserted }
    let plane = LocalPlane(origin: way[0])
    let stretch = max(0.1, plane.metersPerDegreeEast / plane.metersPerDegreeNorth)
    func around(_ meters: Double) -> Set<Cell> {
      let reach = Int((meters / plane.metersPerDegreeNorth / Self.cellDegrees).rounded(.up))
      let eastReach = Int((Double(reach) / stretch).rounded(.up))
      // Of a long reach every few cells of the way are enough.
      var last: Cell?
      var cells: Set<Cell> = []
      for cell in trodden {
        if let last, abs(cell.north - last.north) + abs(cell.east - last.east) < reach / 4 {
          continue
        }
        last = cell
        for north in -reach...reach {
          for east in -eastReach...eastReach {
            cells.insert(Cell(north: cell.north + north, east: cell.east + east))
          }
        }
      }
      return cells
    }
    for kind in MapFeature.Kind.allCases where kind.reachMeters.isFinite {
      let shrinks = kind == .street || kind == .path
      cells[kind] = around(shrinks ? kind.reachMeters / coarseness : kind.reachMeters)
    }
    fine = around(1_500)
  }

  private static func cell(_ point: Coordinate) -> Cell {
    Cell(
      north: Int((point.latitude / cellDegrees).rounded(.down)),
      east: Int((point.longitude / cellDegrees).rounded(.down))
    )
  }

  func shows(_ kind: MapFeature.Kind, _ point: Coordinate) -> Bool {
    cells[kind]?.contains(Self.cell(point)) ?? true
  }

  func toleranceMeters(_ point: Coordinate) -> Double {
    fine.contains(Self.cell(point)) ? toleranceMeters : toleranceMeters * 10
  }
}
