/// A point of a plane, in meters east and north of its origin; also a displacement, or a velocity
/// in m/s.
public struct PlanePoint: Hashable, Sendable, Codable {
  /// Meters to the east.
  public var east: Double
  /// Meters to the north.
  public var north: Double

  /// Makes a point.
  @inlinable
  public init(_ east: Double, _ north: Double) {
    self.east = east
    self.north = north
  }

  /// The origin.
  @inlinable public static var zero: PlanePoint { PlanePoint(0, 0) }

  /// The square of the distance from the origin.
  @inlinable public var lengthSquared: Double { east * east + north * north }

  /// The distance along a straight line.
  @inlinable
  public func distanceMeters(to other: PlanePoint) -> Double {
    (other - self).lengthSquared.squareRoot()
  }

  /// A share of the way to another point.
  public func toward(_ other: PlanePoint, share: Double) -> PlanePoint {
    self + (other - self) * share
  }

  /// The point a distance away in the direction of another one; itself if they are one.
  public func toward(_ other: PlanePoint, meters: Double) -> PlanePoint {
    let distance = distanceMeters(to: other)
    return distance > 0 ? toward(other, share: meters / distance) : self
  }

  /// The point so many meters to the east and to the north.
  public func offset(_ x: Double, _ y: Double) -> PlanePoint { PlanePoint(east + x, north + y) }

  /// The point a displacement away.
  @inlinable
  public static func + (a: PlanePoint, b: PlanePoint) -> PlanePoint {
    PlanePoint(a.east + b.east, a.north + b.north)
  }

  /// The way from the second point to the first.
  @inlinable
  public static func - (a: PlanePoint, b: PlanePoint) -> PlanePoint {
    PlanePoint(a.east - b.east, a.north - b.north)
  }

  /// A way that is so many times as long.
  @inlinable
  public static func * (a: PlanePoint, factor: Double) -> PlanePoint {
    PlanePoint(a.east * factor, a.north * factor)
  }
}

extension LocalPlane {
  /// Where a coordinate lies on the plane.
  package func point(_ coordinate: Coordinate) -> PlanePoint {
    let at = project(coordinate)
    return PlanePoint(at.eastMeters, at.northMeters)
  }
}
