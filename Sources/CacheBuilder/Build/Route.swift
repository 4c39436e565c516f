import Geodesy

/// A way that was gone: the straight pieces between the positions of a trace.
package struct Route: Hashable, Sendable {
  /// A straight piece; both ends are the same where a trace has one position alone.
  private struct Piece: Hashable {
    let start: Coordinate
    let end: Coordinate
  }

  /// Neighboring pieces, and a circle around them.
  private struct Group: Hashable {
    let pieces: [Piece]
    let center: Coordinate
    let reachMeters: Double
  }

  /// Longer pieces are cut, so that each is straight on a plane beside it.
  private static let longestPieceMeters = 5_000.0

  private let groups: [Group]

  /// Makes a way from runs of positions; between two runs there is no way.
  package init(runs: [[Coordinate]]) {
    var pieces: [Piece] = []
    for run in runs {
      if run.count == 1 { pieces.append(Piece(start: run[0], end: run[0])) }
      for (start, end) in zip(run, run.dropFirst()) {
        let count = max(1, (start.distanceMeters(to: end) / Self.longestPieceMeters).rounded(.up))
        let plane = LocalPlane(origin: start)
        let (east, north) = plane.project(end)
        var from = start
        for step in 1...Int(count) {
          let part = Double(step) / count
          let to =
            step == Int(count)
            ? end : plane.coordinate(eastMeters: east * part, northMeters: north * part)
          pieces.append(Piece(start: from, end: to))
          from = to
        }
      }
    }
    groups = stride(from: 0, to: pieces.count, by: 64)
      .map { first in
        let some = Array(pieces[first..<min(first + 64, pieces.count)])
        let center = some[some.count / 2].start
        let reach = some.map {
          max(center.distanceMeters(to: $0.start), center.distanceMeters(to: $0.end))
        }
        return Group(pieces: some, center: center, reachMeters: reach.max() ?? 0)
      }
  }

  /// Whether there is no way at all.
  package var isEmpty: Bool { groups.isEmpty }

  /// Meters from a coordinate to the way, where that is less than a limit; else nil.
  ///
  /// - Precision: a few meters in ten kilometers.
  package func distanceMeters(to coordinate: Coordinate, below limit: Double) -> Double? {
    let plane = LocalPlane(origin: coordinate)
    var nearest: Double?
    for group in groups
    where coordinate.distanceMeters(to: group.center) - group.reachMeters <= nearest ?? limit {
      for piece in group.pieces {
        let meters = coordinate.distanceMeters(to: Self.nearestPoint(of: piece, on: plane))
        if meters <= nearest ?? limit { nearest = meters }
      }
    }
    return nearest
  }

  /// The point of a piece that is nearest to the origin of a plane.
  private static func nearestPoint(of piece: Piece, on plane: LocalPlane) -> Coordinate {
    let (a, b) = (plane.project(piece.start), plane.project(piece.end))
    let (east, north) = (b.eastMeters - a.eastMeters, b.northMeters - a.northMeters)
    let square = east * east + north * north
    guard square > 0 else { return piece.start }
    let part = min(1, max(0, -(a.eastMeters * east + a.northMeters * north) / square))
    if part == 0 { return piece.start }
    if part == 1 { return piece.end }
    return plane.coordinate(
      eastMeters: a.eastMeters + part * east,
      northMeters: a.northMeters + part * north
    )
  }
}
