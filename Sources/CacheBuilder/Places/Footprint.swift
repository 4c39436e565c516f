import Geodesy
import Places

/// A point that stands for a shape, and how far the shape reaches from it.
package struct Footprint: Hashable {
  package let coordinate: Coordinate
  package let radiusMeters: Double

  /// Why no place can be there; nil if one can.
  var fault: SkipReason? {
    if coordinate.latitude == 0, coordinate.longitude == 0 { return .zeroCoordinates }
    return radiusMeters > PointOfInterest.mostFootprintMeters ? .tooWide : nil
  }
}

/// A point on the surface of an area: its centroid where that lies inside, else the middle of the
/// widest of a few cuts through it.
///
/// - Parameter outer: the outline, its first point repeated at the end or not.
/// - Parameter holes: rings inside the outline that do not belong to the area.
/// - Returns: nil for no points at all; a shape without a surface is taken as a line.
/// - Complexity: O(vertices log vertices).
package func footprint(ofArea outer: [Coordinate], holes: [[Coordinate]] = []) -> Footprint? {
  guard let first = outer.first else { return nil }
  let plane = LocalPlane(origin: first)
  let outline = PlaneRing(outer, on: plane)
  // A tenth of a square meter is less than the rounding of coordinates makes of any real outline.
  guard abs(outline.signedArea) > 0.1 else { return footprint(ofLine: outer) }
  let rings = [outline] + holes.map { PlaneRing($0, on: plane) }
  let point = centroid(of: rings).flatMap { isInside($0, rings) ? $0 : nil } ?? widestCut(rings)
  guard let point else { return footprint(ofLine: outer) }
  return footprint(at: point, outline: outline.points, on: plane)
}

/// The point in the middle of a line, by length.
///
/// - Returns: nil for no points at all.
package func footprint(ofLine line: [Coordinate]) -> Footprint? {
  guard let first = line.first else { return nil }
  let plane = LocalPlane(origin: first)
  let points = line.map(plane.point)
  let lengths = zip(points, points.dropFirst()).map { $0.distanceMeters(to: $1) }
  var rest = lengths.reduce(0, +) / 2
  var middle = points[0]
  for (index, length) in lengths.enumerated() where length > 0 {
    let part = min(1, rest / length)
    middle = points[index].toward(points[index + 1], share: part)
    rest -= length
    if rest <= 0 { break }
  }
  return footprint(at: middle, outline: points, on: plane)
}

/// How far from its origin, and up to which latitude, a plane has true distances.
///
/// - Source: the precision of ``LocalPlane``.
private let (planeReachMeters, planeReachDegrees) = (10_000.0, 80.0)

private func footprint(
  at point: PlanePoint,
  outline: [PlanePoint],
  on plane: LocalPlane
) -> Footprint {
  var radius = outline.map { $0.distanceMeters(to: point) }.max() ?? 0
  let coordinate = plane.coordinate(eastMeters: point.east, northMeters: point.north)
  if radius > planeReachMeters || abs(coordinate.latitude) > planeReachDegrees {
    let corners = outline.map { plane.coordinate(eastMeters: $0.east, northMeters: $0.north) }
    radius = corners.map { coordinate.distanceMeters(to: $0) }.max() ?? 0
  }
  return Footprint(coordinate: coordinate, radiusMeters: (radius * 100).rounded() / 100)
}

/// A closed ring, without the repeated last point.
private struct PlaneRing {
  let points: [PlanePoint]

  init(_ coordinates: [Coordinate], on plane: LocalPlane) {
    var points = coordinates.map(plane.point)
    if points.count > 1, points.first == points.last { points.removeLast() }
    self.points = points
  }

  /// The pairs of neighbors, the last with the first.
  var edges: Zip2Sequence<[PlanePoint], [PlanePoint]> {
    zip(points, Array(points.dropFirst()) + points.prefix(1))
  }

  /// Square meters, positive if the ring runs counterclockwise.
  var signedArea: Double { edges.reduce(0) { $0 + cross($1.0, $1.1) } / 2 }
}

private func cross(_ a: PlanePoint, _ b: PlanePoint) -> Double {
  a.east * b.north - b.east * a.north
}

/// The center of mass of the first ring without the others.
///
/// - Source: P. Bourke, "Calculating the area and centroid of a polygon" (1988).
private func centroid(of rings: [PlaneRing]) -> PlanePoint? {
  var (x, y, area) = (0.0, 0.0, 0.0)
  for (index, ring) in rings.enumerated() {
    // The outline counts as positive and the holes as negative, whichever way they run.
    let direction = (ring.signedArea < 0 ? -1.0 : 1.0) * (index == 0 ? 1 : -1)
    for (a, b) in ring.edges {
      let part = cross(a, b) * direction
      x += (a.east + b.east) * part
      y += (a.north + b.north) * part
      area += part
    }
  }
  guard area > 0.1 else { return nil }
  return PlanePoint(x / (3 * area), y / (3 * area))
}

/// Whether a ray from the point crosses the rings an odd number of times.
private func isInside(_ point: PlanePoint, _ rings: [PlaneRing]) -> Bool {
  crossings(at: point.north, rings).count { $0 > point.east } % 2 == 1
}

/// Where the rings cross a line of one northing, from west to east.
private func crossings(at y: Double, _ rings: [PlaneRing]) -> [Double] {
  var crossings: [Double] = []
  for ring in rings {
    // Half-open edges: a vertex on the line belongs to the edge above it only.
    for (a, b) in ring.edges where (a.north <= y) != (b.north <= y) {
      crossings.append(a.east + (y - a.north) / (b.north - a.north) * (b.east - a.east))
    }
  }
  return crossings.sorted()
}

/// The middle of the widest piece of seven cuts from west to east.
private func widestCut(_ rings: [PlaneRing]) -> PlanePoint? {
  let heights = rings[0].points.map(\.north)
  guard let south = heights.min(), let north = heights.max() else { return nil }
  var widest: (width: Double, point: PlanePoint)?
  for eighth in [4.0, 2, 6, 3, 5, 1, 7] {
    let y = south + (north - south) * eighth / 8
    let xs = crossings(at: y, rings)
    for index in stride(from: 0, to: xs.count - 1, by: 2) {
      let width = xs[index + 1] - xs[index]
      if width > widest?.width ?? 0 {
        widest = (width, PlanePoint(xs[index] + width / 2, y))
      }
    }
  }
  return widest?.point
}
