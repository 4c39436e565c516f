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
/// - Complexity: a search costs the rows with points that it touches, and the points in its squares.
package struct PointGrid: Sendable {
  private let cellMeters: Double
  private let minEast: Double
  private let minNorth: Double
  private let columns: Int
  private let rows: Int
  /// The squares of the points, row by row, ascending.
  ///
  /// Only those with points: between two towns far apart lie thousands of millions of empty ones.
  private let cells: [Int]
  /// The points in the order of their squares, and of their numbers within one.
  private let entries: [Int32]
  private let points: [PlanePoint]

  /// Puts points into squares of a size.
  ///
  /// - Complexity: O(n log n), memory for the points alone.
  package init(_ points: [PlanePoint], cellMeters: Double) {
    self.points = points
    self.cellMeters = cellMeters
    let minEast = points.map(\.east).min() ?? 0
    let minNorth = points.map(\.north).min() ?? 0
    self.minEast = minEast
    self.minNorth = minNorth
    let columns = Int(((points.map(\.east).max() ?? 0) - minEast) / cellMeters) + 1
    self.columns = columns
    rows = Int(((points.map(\.north).max() ?? 0) - minNorth) / cellMeters) + 1
    let placed = points.enumerated()
      .map { index, point -> (cell: Int, index: Int32) in
        let column = Int((point.east - minEast) / cellMeters)
        let row = Int((point.north - minNorth) / cellMeters)
        return (cell: row * columns + column, index: Int32(index))
      }
      .sorted { ($0.cell, $0.index) < ($1.cell, $1.index) }
    cells = placed.map(\.cell)
    entries = placed.map(\.index)
  }

  /// The first entry whose square is not before the given one.
  private func firstEntry(at cell: Int) -> Int {
    var (low, high) = (0, cells.count)
    while low < high {
      let middle = (low + high) / 2
      if cells[middle] < cell { low = middle + 1 } else { high = middle }
    }
    return low
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
    var row = rowRange.lowerBound
    while row <= rowRange.upperBound {
      let last = row * columns + columnRange.upperBound
      var position = firstEntry(at: row * columns + columnRange.lowerBound)
      while position < cells.count, cells[position] <= last {
        let entry = Int(entries[position])
        let distance = points[entry].distanceMeters(to: center)
        if distance <= meters { body(entry, distance) }
        position += 1
      }
      guard position < cells.count else { return }
      // Rows without a point are passed over.
      row = max(row + 1, cells[position] / columns)
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
