import Basics
import Fencing
import Geodesy
import NearMeEngine

/// A piece of a drive as a picture (SVG): the way, the places, and the regions that were watched.
///
/// Everything is drawn to scale around a middle; what lies outside is cut off.
public struct DriveMap: Sendable {
  private static let sizePixels = 560.0

  private let plane: LocalPlane
  private let reachMeters: Double
  private var shapes: [String] = []

  /// Makes an empty map.
  ///
  /// - Parameter reachMeters: from the middle to each edge.
  public init(middle: Coordinate, reachMeters: Double) {
    plane = LocalPlane(origin: middle)
    self.reachMeters = reachMeters
  }

  /// Draws a way.
  public mutating func addWay(_ way: [Coordinate], class name: String) {
    let points = way.map { pair($0) }.joined(separator: " ")
    shapes.append("<polyline class=\"\(name)\" points=\"\(points)\"/>")
  }

  /// Draws a place, if it is on the map.
  public mutating func addPlace(_ coordinate: Coordinate, class name: String) {
    guard isInside(coordinate) else { return }
    let (x, y) = pixels(coordinate)
    shapes.append("<circle class=\"\(name)\" cx=\"\(fixed(x, 1))\" cy=\"\(fixed(y, 1))\" r=\"3\"/>")
  }

  /// Draws a circle, if any of its line is on the map.
  public mutating func addCircle(
    _ centre: Coordinate,
    radiusMeters: Double,
    class name: String
  ) {
    let at = plane.project(centre)
    let distance =
      (at.eastMeters * at.eastMeters + at.northMeters * at.northMeters).squareRoot()
    // Half the diagonal: farther away the line does not come into the picture.
    guard abs(distance - radiusMeters) < reachMeters * 1.415 else { return }
    let (x, y) = pixels(centre)
    let radius = radiusMeters / reachMeters * Self.sizePixels / 2
    shapes.append(
      "<circle class=\"\(name)\" cx=\"\(fixed(x, 1))\" cy=\"\(fixed(y, 1))\" "
        + "r=\"\(fixed(radius, 1))\"/>"
    )
  }

  /// Draws where the phone was.
  public mutating func addPhone(_ coordinate: Coordinate) {
    let (x, y) = pixels(coordinate)
    shapes.append(
      "<circle class=\"phone\" cx=\"\(fixed(x, 1))\" cy=\"\(fixed(y, 1))\" r=\"6\"/>"
    )
  }

  /// The picture, with a line of a whole length as its scale.
  public var svg: String {
    let size = fixed(Self.sizePixels, 0)
    let lengths = [100.0, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000]
    let length = lengths.last { $0 < reachMeters * 0.7 } ?? 100
    let pixels = length / reachMeters * Self.sizePixels / 2
    let label = length < 1_000 ? "\(fixed(length, 0)) m" : "\(fixed(length / 1_000, 0)) km"
    let base = Self.sizePixels - 14
    return """
      <svg viewBox="0 0 \(size) \(size)" role="img">
      \(shapes.joined(separator: "\n"))
      <path class="scale" d="M14 \(fixed(base, 0)) h\(fixed(pixels, 1))"/>
      <text x="14" y="\(fixed(base - 6, 0))">\(label)</text>
      </svg>
      """
  }

  private func isInside(_ coordinate: Coordinate) -> Bool {
    let at = plane.project(coordinate)
    return abs(at.eastMeters) < reachMeters && abs(at.northMeters) < reachMeters
  }

  private func pixels(_ coordinate: Coordinate) -> (x: Double, y: Double) {
    let at = plane.project(coordinate)
    let scale = Self.sizePixels / 2 / reachMeters
    return (
      Self.sizePixels / 2 + at.eastMeters * scale, Self.sizePixels / 2 - at.northMeters * scale
    )
  }

  private func pair(_ coordinate: Coordinate) -> String {
    let (x, y) = pixels(coordinate)
    return "\(fixed(x, 1)),\(fixed(y, 1))"
  }
}
