import Geodesy

/// A point on the plane of an area, in meters east and north of its middle.
package struct PlanePoint: Hashable, Sendable {
  /// Meters to the east.
  package var east: Double
  /// Meters to the north.
  package var north: Double

  /// Makes a point.
  package init(_ east: Double, _ north: Double) {
    self.east = east
    self.north = north
  }

  /// Makes a point of what a plane projects.
  package init(_ projected: (eastMeters: Double, northMeters: Double)) {
    self.init(projected.eastMeters, projected.northMeters)
  }

  /// The distance along a straight line.
  package func distanceMeters(to other: PlanePoint) -> Double {
    let (x, y) = (other.east - east, other.north - north)
    return (x * x + y * y).squareRoot()
  }

  /// A share of the way to another point.
  package func toward(_ other: PlanePoint, share: Double) -> PlanePoint {
    PlanePoint(east + (other.east - east) * share, north + (other.north - north) * share)
  }

  /// The point a distance away in the direction of another one; itself if they are one.
  package func toward(_ other: PlanePoint, meters: Double) -> PlanePoint {
    let distance = distanceMeters(to: other)
    return distance > 0 ? toward(other, share: meters / distance) : self
  }

  /// The point so many meters further east and north.
  package func offset(_ x: Double, _ y: Double) -> PlanePoint { PlanePoint(east + x, north + y) }
}

extension LocalPlane {
  /// Where a point is on earth, in steps of the cache's coordinates.
  package func coordinate(_ point: PlanePoint) -> Coordinate {
    let exact = coordinate(eastMeters: point.east, northMeters: point.north)
    return Coordinate(latitudeE7: exact.latitudeE7, longitudeE7: exact.longitudeE7)
  }

  /// Where a coordinate is on the plane.
  package func point(_ coordinate: Coordinate) -> PlanePoint { PlanePoint(project(coordinate)) }
}
