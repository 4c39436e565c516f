import Geodesy

/// What a street is for, and how fast people drive on it.
package enum StreetKind: Int, Hashable, Sendable, CaseIterable {
  case motorway
  case trunk
  case primary
  case secondary
  case tertiary
  case residential
  case service
  /// For feet and bicycles.
  case path

  /// The speed that cars keep where nothing is in their way, in m/s.
  ///
  /// - Source: free-flow speeds in towns, 100, 70, 50, 45, 40, 32 and 18 km/h.
  var drivenMetersPerSecond: Double {
    switch self {
    case .motorway: 27.8
    case .trunk: 19.4
    case .primary: 13.9
    case .secondary: 12.5
    case .tertiary: 11.1
    case .residential: 8.9
    case .service: 5
    case .path: 0
    }
  }

  func carries(_ mode: TravelMode) -> Bool {
    switch mode {
    case .car: self != .path
    case .foot, .bike: self != .motorway && self != .trunk
    }
  }
}

/// How somebody moves.
package enum TravelMode: String, Hashable, Sendable, CaseIterable {
  case car
  case foot
  case bike
}

/// A street as a map has it.
package struct StreetLine: Sendable {
  /// The places along it, in order; streets that share one are joined there.
  package var nodes: [Int64]
  /// What it is for.
  package var kind: StreetKind
  /// Whether no satellite is seen on it.
  package var isTunnel: Bool

  /// Makes a street.
  package init(nodes: [Int64], kind: StreetKind, isTunnel: Bool = false) {
    self.nodes = nodes
    self.kind = kind
    self.isTunnel = isTunnel
  }
}

/// The streets of a map.
package struct StreetMap: Sendable {
  /// The streets, in the order of the map.
  package var lines: [StreetLine]
  /// Where their nodes are, in ascending order of id.
  package var nodes: [(id: Int64, coordinate: Coordinate)]
  /// Nodes with a traffic light, ascending.
  package var signals: [Int64]

  /// Makes a map.
  package init(
    lines: [StreetLine],
    nodes: [(id: Int64, coordinate: Coordinate)],
    signals: [Int64] = []
  ) {
    self.lines = lines
    self.nodes = nodes
    self.signals = signals
  }
}

/// Why nobody can live on a map.
package enum SimulationFault: Error, Equatable, CustomStringConvertible {
  /// There are not enough streets for cars.
  case noStreets
  /// None of the categories has a point beside a street.
  case noPlaces

  /// What is wrong and what to do.
  package var description: String {
    switch self {
    case .noStreets:
      "the map has no connected streets for cars: take an extract of a whole town, with all its "
        + "`highway` ways"
    case .noPlaces:
      "the map has no place of any category near its streets: take a larger extract, or other "
        + "categories"
    }
  }
}

/// Streets as places and the pieces between them, at most 40 m long.
///
/// One-way streets are driven both ways.
package struct StreetGraph: Sendable {
  struct Piece: Sendable {
    let to: Int32
    let meters: Float
    let kind: StreetKind
    let isTunnel: Bool
  }

  static let longestPieceMeters = 40.0

  package let plane: LocalPlane
  let points: [PlanePoint]
  /// Whether a traffic light stands there.
  private let signals: [Bool]
  private let firstPiece: [Int32]
  private let pieces: [Piece]
  private let grid: PointGrid
  /// For each mode, which places belong to its largest connected part.
  private let reachable: [[Bool]]

  /// Joins the streets of a map.
  ///
  /// - Complexity: O(n log n) for n nodes.
  package init(_ map: StreetMap) throws(SimulationFault) {
    guard let some = map.nodes.first else { throw .noStreets }
    let (low, high) = map.nodes.reduce((some.coordinate, some.coordinate)) { range, node in
      (
        Coordinate(
          uncheckedLatitude: min(range.0.latitude, node.coordinate.latitude),
          longitude: min(range.0.longitude, node.coordinate.longitude)
        ),
        Coordinate(
          uncheckedLatitude: max(range.1.latitude, node.coordinate.latitude),
          longitude: max(range.1.longitude, node.coordinate.longitude)
        )
      )
    }
    let plane = LocalPlane(
      origin: Coordinate(
        uncheckedLatitude: (low.latitude + high.latitude) / 2,
        longitude: (low.longitude + high.longitude) / 2
      )
    )
    self.plane = plane
    var points = map.nodes.map { plane.point($0.coordinate) }
    let ids = map.nodes.map(\.id)
    func index(of id: Int64) -> Int? {
      var (low, high) = (0, ids.count)
      while low < high {
        let middle = (low + high) / 2
        if ids[middle] < id { low = middle + 1 } else { high = middle }
      }
      return low < ids.count && ids[low] == id ? low : nil
    }
    var ends: [(from: Int, to: Int, line: Int)] = []
    for (number, line) in map.lines.enumerated() {
      var before: Int?
      for id in line.nodes {
        guard let next = index(of: id) else {
          before = nil
          continue
        }
        defer { before = next }
        guard let start = before, start != next else { continue }
        let meters = points[start].distanceMeters(to: points[next])
        let count = max(1, Int((meters / Self.longestPieceMeters).rounded(.up)))
        var from = start
        for step in 1..<max(count, 1) {
          points.append(
            points[start].toward(points[next], share: Double(step) / Double(count))
          )
          ends.append((from, points.count - 1, number))
          from = points.count - 1
        }
        ends.append((from, next, number))
      }
    }
    guard !ends.isEmpty else { throw .noStreets }
    var counts = [Int32](repeating: 0, count: points.count + 1)
    for end in ends {
      counts[end.from + 1] += 1
      counts[end.to + 1] += 1
    }
    for place in points.indices { counts[place + 1] += counts[place] }
    firstPiece = counts
    let blank = Piece(to: 0, meters: 0, kind: .path, isTunnel: false)
    var pieces = [Piece](repeating: blank, count: ends.count * 2)
    for end in ends {
      let line = map.lines[end.line]
      let meters = Float(points[end.from].distanceMeters(to: points[end.to]))
      for (from, to) in [(end.from, end.to), (end.to, end.from)] {
        pieces[Int(counts[from])] = Piece(
          to: Int32(to),
          meters: meters,
          kind: line.kind,
          isTunnel: line.isTunnel
        )
        counts[from] += 1
      }
    }
    self.pieces = pieces
    self.points = points
    var signals = [Bool](repeating: false, count: points.count)
    for id in map.signals { if let place = index(of: id) { signals[place] = true } }
    self.signals = signals
    grid = PointGrid(points, cellMeters: 100)
    let (first, all) = (firstPiece, pieces)
    reachable = TravelMode.allCases.map { Self.largestPart(of: first, all, for: $0) }
    guard reachable[0].contains(true) else { throw .noStreets }
  }

  private static func largestPart(
    of firstPiece: [Int32],
    _ pieces: [Piece],
    for mode: TravelMode
  ) -> [Bool] {
    let count = firstPiece.count - 1
    var part = [Int32](repeating: -1, count: count)
    var sizes: [Int] = []
    for start in 0..<count where part[start] < 0 {
      let number = Int32(sizes.count)
      var size = 0
      var open = [start]
      part[start] = number
      while let place = open.popLast() {
        size += 1
        for piece in pieces[Int(firstPiece[place])..<Int(firstPiece[place + 1])]
        where piece.kind.carries(mode) && part[Int(piece.to)] < 0 {
          part[Int(piece.to)] = number
          open.append(Int(piece.to))
        }
      }
      sizes.append(size)
    }
    guard let largest = sizes.max(), largest > 1,
      let number = sizes.firstIndex(of: largest).map(Int32.init)
    else { return [Bool](repeating: false, count: count) }
    return part.map { $0 == number }
  }

  func pieces(from place: Int) -> ArraySlice<Piece> {
    pieces[Int(firstPiece[place])..<Int(firstPiece[place + 1])]
  }

  /// How many places there are; numbers below are places.
  var count: Int { points.count }

  func isReachable(_ place: Int, by mode: TravelMode) -> Bool {
    reachable[TravelMode.allCases.firstIndex(of: mode) ?? 0][place]
  }

  /// The nearest place that a mode can reach from everywhere it can go.
  func nearest(to point: PlanePoint, by mode: TravelMode) -> Int? {
    grid.nearest(to: point) { isReachable($0, by: mode) }
  }

  /// Places that a mode reaches, within a distance.
  func places(within meters: Double, of point: PlanePoint, by mode: TravelMode) -> [Int] {
    var found: [Int] = []
    grid.forEach(within: meters, of: point) { place, _ in
      if isReachable(place, by: mode) { found.append(place) }
    }
    return found
  }

  /// What stops traffic at a place.
  func hasSignal(_ place: Int) -> Bool { signals[place] }

  /// Whether a map that marks no traffic light would have one here: where larger streets cross.
  func isCrossing(_ place: Int) -> Bool {
    let around = pieces(from: place)
    return around.count >= 3
      && around.count { $0.kind.rawValue <= StreetKind.tertiary.rawValue && $0.kind != .motorway }
        >= 2
  }

  /// Whether the map marks any traffic light at all.
  var knowsSignals: Bool { signals.contains(true) }
}
