import Basics
import Fencing
import Geodesy

/// A piece of a drive as a picture in numbers: the way, the places, and the regions that were watched.
///
/// Everything is to scale around a middle. What would not be seen is left out.
public struct DriveMap: Hashable, Sendable, Codable {
  /// Something to draw.
  public struct Shape: Hashable, Sendable, Codable {
    /// What it is; a page says how that looks.
    public let kind: String
    /// East and north of the middle, in meters: a way has many points, a spot or a circle has one.
    public let points: [[Double]]
    /// The radius of a circle; nil for ways and spots.
    public let radiusMeters: Double?
  }

  /// From the middle to each edge.
  public let reachMeters: Double
  /// A whole length, to be drawn as the scale.
  public let scaleMeters: Double
  /// What is drawn, later ones above earlier ones.
  public let shapes: [Shape]

  /// Draws a map.
  ///
  /// - Parameter reachMeters: from the middle to each edge.
  public init(middle: Coordinate, reachMeters: Double, _ draw: (inout Pen) -> Void) {
    var pen = Pen(plane: LocalPlane(origin: middle), reachMeters: reachMeters)
    draw(&pen)
    self.reachMeters = reachMeters
    shapes = pen.shapes
    let lengths = [100.0, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000]
    scaleMeters = lengths.last { $0 < reachMeters * 0.7 } ?? 100
  }

  /// What a map is drawn with.
  public struct Pen {
    fileprivate let plane: LocalPlane
    fileprivate let reachMeters: Double
    fileprivate var shapes: [Shape] = []

    /// Draws a way.
    public mutating func addWay(_ way: [Coordinate], _ kind: String) {
      shapes.append(Shape(kind: kind, points: way.map(point), radiusMeters: nil))
    }

    /// Draws a spot, if it is on the map.
    public mutating func addSpot(_ coordinate: Coordinate, _ kind: String) {
      let at = plane.project(coordinate)
      guard abs(at.eastMeters) < reachMeters, abs(at.northMeters) < reachMeters else { return }
      shapes.append(Shape(kind: kind, points: [point(coordinate)], radiusMeters: nil))
    }

    /// Draws a circle, if any of its line is on the map.
    public mutating func addCircle(
      _ center: Coordinate,
      radiusMeters: Double,
      _ kind: String
    ) {
      let at = plane.project(center)
      let distance =
        (at.eastMeters * at.eastMeters + at.northMeters * at.northMeters).squareRoot()
      // Half the diagonal: farther away the line does not come into the picture.
      guard abs(distance - radiusMeters) < reachMeters * 1.415 else { return }
      shapes.append(
        Shape(kind: kind, points: [point(center)], radiusMeters: decimeters(radiusMeters))
      )
    }

    private func point(_ coordinate: Coordinate) -> [Double] {
      let at = plane.project(coordinate)
      return [decimeters(at.eastMeters), decimeters(at.northMeters)]
    }

    /// More is not seen.
    private func decimeters(_ meters: Double) -> Double { (meters * 10).rounded() / 10 + 0 }
  }
}
