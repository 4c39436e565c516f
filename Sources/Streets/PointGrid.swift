import Geodesy

extension LocalPlane {
  /// Where a point lies, as maps and traces store it: to ten-millionths of a degree.
  package func coordinate(_ point: PlanePoint) -> Coordinate {
    let exact = coordinate(eastMeters: point.east, northMeters: point.north)
    return Coordinate(latitudeE7: exact.latitudeE7, longitudeE7: exact.longitudeE7)
  }
}

/// Points in squares of a grid, for finding those around a place.
///
/// - Complexity: a search costs the squares it touches and the points in them.
package struct PointGrid: Sendable {
  private let cellMeters: Double
  private let minEast: Double
  private let minNorth: Double
  private let columns: Int
  private let rows: Int
  private var starts: [Int32]
  private var entries: [Int32]
  private let points: [PlanePoint]

  /// Puts points into squares of a size.
  package init(_ points: [PlanePoint], cellMeters: Double) {
    self.points = points
    self.cellMeters = cellMeters
    minEast = points.map(\.east).min() ?? 0
    minNorth = points.map(\.north).min() ?? 0
    columns = Int(((points.map(\.east).max() ?? 0) - minEast) / cellMeters) + 1
    rows = Int(((points.map(\.north).max() ?? 0) - minNorth) / cellMeters) + 1
    var counts = [Int32](repeating: 0, count: columns * rows + 1)
    var cells = [Int](repeating: 0, count: points.count)
    for (index, point) in points.enumerated() {
      let column = Int((point.east - minEast) / cellMeters)
      let row = Int((point.north - minNorth) / cellMeters)
      cells[index] = row * columns + column
      counts[cells[index] + 1] += 1
    }
    for cell in 0..<columns * rows { counts[cell + 1] += counts[cell] }
    starts = counts
    entries = [Int32](repeating: 0, count: points.count)
    for index in points.indices {
      entries[Int(counts[cells[index]])] = Int32(index)
      counts[cells[index]] += 1
    }
  }

  /// Every point within a radius, in the order of the grid.
  package func forEach(within meters: Double, of center: PlanePoint, _ body: (Int, Double) -> Void)
  {
    func clamped(_ value: Double, _ count: Int) -> Int {
      Int(min(max(value / cellMeters, 0), Double(count - 1)))
    }
    let columnRange =
      clamped(
        center.east - meters - minEast,
        columns
      )...clamped(
        center.east + meters - minEast,
        columns
      )
    let rowRange =
      clamped(
        center.north - meters - minNorth,
        rows
      )...clamped(
        center.north + meters - minNorth,
        rows
      )
    for row in rowRange {
      for column in columnRange {
        let cell = row * columns + column
        for entry in entries[Int(starts[cell])..<Int(starts[cell + 1])] {
          let distance = points[Int(entry)].distanceMeters(to: center)
          if distance <= meters { body(Int(entry), distance) }
        }
      }
    }
  }

  /// The nearest point that may be taken; the one with the lower number of equals.
  package func nearest(to center: PlanePoint, where isTaken: (Int) -> Bool) -> Int? {
    var radius = cellMeters
    let reach =
      Double(columns + rows) * cellMeters + abs(center.east - minEast)
      + abs(center.north - minNorth)
    while true {
      var best: (index: Int, distance: Double)?
      forEach(within: radius, of: center) { index, distance in
        guard isTaken(index) else { return }
        if best.map({ (distance, index) < ($0.distance, $0.index) }) ?? true {
          best = (index, distance)
        }
      }
      if let best { return best.index }
      guard radius < reach else { return nil }
      radius *= 2
    }
  }
}
