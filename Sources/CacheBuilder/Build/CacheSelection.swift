import Foundation
import Geodesy
import Places
import PlaceStore

/// Which part of the inputs a cache takes.
package struct CacheSelection: Hashable, Sendable {
  /// A circle on the map.
  package struct Circle: Hashable, Sendable {
    /// Its center.
    package let center: Coordinate
    /// Its radius in meters.
    package let radiusMeters: Double

    /// Makes a circle.
    package init(center: Coordinate, radiusMeters: Double) {
      self.center = center
      self.radiusMeters = radiusMeters
    }
  }

  /// What lies along a way.
  package struct Corridor: Hashable, Sendable {
    /// The way.
    package let route: Route
    /// How far from it, in meters.
    package let radiusMeters: Double

    /// Makes a corridor.
    package init(route: Route, radiusMeters: Double) {
      self.route = route
      self.radiusMeters = radiusMeters
    }
  }

  /// Only what lies in the box; nil for the whole earth.
  package var box: BoundingBox?
  /// Only what lies in one of the circles or corridors; both empty for the whole earth.
  package var circles: [Circle]
  /// Only what lies in one of the circles or corridors; both empty for the whole earth.
  package var corridors: [Corridor]

  /// Makes a selection.
  package init(box: BoundingBox? = nil, circles: [Circle] = [], corridors: [Corridor] = []) {
    self.box = box
    self.circles = circles
    self.corridors = corridors
  }

  /// Whether nothing is left out.
  var isEverything: Bool { box == nil && circles.isEmpty && corridors.isEmpty }

  func contains(_ coordinate: Coordinate) -> Bool {
    if let box, !box.contains(coordinate) { return false }
    guard !circles.isEmpty || !corridors.isEmpty else { return true }
    return circles.contains { $0.center.distanceMeters(to: coordinate) <= $0.radiusMeters }
      || corridors.contains {
        $0.route.distanceMeters(to: coordinate, below: $0.radiusMeters) != nil
      }
  }

  /// The places by how far they are from what was asked for, the nearest first: from the nearest
  /// point or way, else from the middle of the box, else from the middle of the places themselves.
  func byDistance(_ places: [PointOfInterest]) -> [(index: Int, meters: Double)] {
    let middle = box.map(middle(of:)) ?? middle(of: places)
    func meters(_ coordinate: Coordinate) -> Double {
      let around = circles.map { $0.center.distanceMeters(to: coordinate) }
      let along = corridors.compactMap {
        $0.route.distanceMeters(to: coordinate, below: $0.radiusMeters)
      }
      return (around + along).min() ?? middle.distanceMeters(to: coordinate)
    }
    let keyed = places.enumerated()
      .map { index, place in
        (index: index, meters: meters(place.coordinate), key: SourceIDKey(place.sourceID))
      }
    return keyed.sorted { $0.meters != $1.meters ? $0.meters < $1.meters : $0.key < $1.key }
      .map { ($0.index, $0.meters) }
  }

  private func middle(of box: BoundingBox) -> Coordinate {
    let width = box.crossesAntimeridian ? box.east + 360 - box.west : box.east - box.west
    let longitude = box.west + width / 2
    return Coordinate(
      uncheckedLatitude: (box.south + box.north) / 2,
      longitude: longitude > 180 ? longitude - 360 : longitude
    )
  }

  /// The mean of the directions from the middle of the earth, for which ±180° is no edge.
  private func middle(of places: [PointOfInterest]) -> Coordinate {
    var (x, y, z) = (0.0, 0.0, 0.0)
    for place in places {
      let latitude = place.coordinate.latitude * .pi / 180
      let longitude = place.coordinate.longitude * .pi / 180
      x += cos(latitude) * cos(longitude)
      y += cos(latitude) * sin(longitude)
      z += sin(latitude)
    }
    return Coordinate(
      uncheckedLatitude: atan2(z, (x * x + y * y).squareRoot()) * 180 / .pi,
      longitude: atan2(y, x) * 180 / .pi
    )
  }
}

/// A number of bytes such as `5MB`, `512 KiB` or `100000`.
///
/// - Returns: nil if the text is anything else.
package func parseByteCount(_ text: String) -> Int64? {
  let units: [(String, Double)] = [
    ("kib", 1_024), ("mib", 1_048_576), ("gib", 1_073_741_824), ("kb", 1e3), ("mb", 1e6),
    ("gb", 1e9), ("b", 1), ("", 1),
  ]
  let lower = text.lowercased()
  guard let (unit, bytes) = units.first(where: { lower.hasSuffix($0.0) }),
    let number = Double(lower.dropLast(unit.count).filter { $0 != " " }),
    number > 0, number * bytes < 1e15
  else { return nil }
  return Int64(number * bytes)
}
