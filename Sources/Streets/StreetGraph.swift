import Geodesy

/// Streets as places and the pieces between them, at most 40 m long.
///
/// One-way streets are driven both ways.
package struct StreetGraph: Sendable {
  /// A way from one place to the next, without a turning between them.
  package struct Piece: Sendable {
    let to: Int32
    let meters: Float
    let kind: StreetKind
    let isTunnel: Bool
  }

  static let longestPieceMeters = 40.0

  /// The plane of the places.
  package let plane: LocalPlane
  /// Where each place is.
  package let points: [PlanePoint]
  /// Whether a traffic light stands there.
  private let signals: [Bool]
  private let firstPiece: [Int32]
  private let pieces: [Piece]
  private let grid: PointGrid
  /// For each mode, which places belong to its largest connected part.
  private let reachable: [[Bool]]

  /// Joins the streets of a map; nil if none of them are for cars.
  ///
  /// - Complexity: O(n log n) for n nodes.
  package init?(_ map: StreetMap) {
    guard let some = map.nodes.first else { return nil }
    // Around one of them first, so that a map across the 180th meridian is as wide as it is.
    let rough = LocalPlane(origin: some.coordinate)
    let spots = map.nodes.map { rough.point($0.coordinate) }
    func middle(_ numbers: [Double]) -> Double { ((numbers.min() ?? 0) + (numbers.max() ?? 0)) / 2 }
    let plane = LocalPlane(
      origin: rough.coordinate(PlanePoint(middle(spots.map(\.east)), middle(spots.map(\.north))))
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
    guard !ends.isEmpty else { return nil }
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
    guard reachable[0].contains(true) else { return nil }
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

  /// What leads away from a place.
  package func pieces(from place: Int) -> ArraySlice<Piece> {
    pieces[Int(firstPiece[place])..<Int(firstPiece[place + 1])]
  }

  /// How many places there are; numbers below are places.
  var count: Int { points.count }

  /// Whether a mode reaches a place from everywhere it can go.
  package func isReachable(_ place: Int, by mode: TravelMode) -> Bool {
    reachable[TravelMode.allCases.firstIndex(of: mode) ?? 0][place]
  }

  /// The nearest place that a mode can reach from everywhere it can go.
  package func nearest(to point: PlanePoint, by mode: TravelMode) -> Int? {
    grid.nearest(to: point) { isReachable($0, by: mode) }
  }

  /// Places that a mode reaches, within a distance.
  package func places(within meters: Double, of point: PlanePoint, by mode: TravelMode) -> [Int] {
    var found: [Int] = []
    grid.forEach(within: meters, of: point) { place, _ in
      if isReachable(place, by: mode) { found.append(place) }
    }
    return found
  }

  /// Whether the map marks a traffic light at a place.
  package func hasSignal(_ place: Int) -> Bool { signals[place] }

  /// Whether a map that marks no traffic light would have one here: where larger streets cross.
  package func isCrossing(_ place: Int) -> Bool {
    let around = pieces(from: place)
    return around.count >= 3
      && around.count { $0.kind.rawValue <= StreetKind.tertiary.rawValue && $0.kind != .motorway }
        >= 2
  }

  /// Whether the map marks any traffic light at all.
  package var knowsSignals: Bool { signals.contains(true) }
}
