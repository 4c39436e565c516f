import Geodesy

/// A position on the island, in kilometers east and north of its origin.
struct Spot: Hashable {
  let east: Double
  let north: Double

  init(_ east: Double, _ north: Double) {
    self.east = east
    self.north = north
  }

  func distanceMeters(to other: Spot) -> Double {
    let (x, y) = (other.east - east, other.north - north)
    return (x * x + y * y).squareRoot() * 1_000
  }

  /// As the map stores it, to ten-millionths of a degree.
  var coordinate: Coordinate {
    let exact = Island.plane.coordinate(eastMeters: east * 1_000, northMeters: north * 1_000)
    return Coordinate(latitudeE7: exact.latitudeE7, longitudeE7: exact.longitudeE7)
  }
}
