import Basics
import Geodesy
import Places

/// What made-up ids begin with.
///
/// The name of the format that was read first: places of tables keep theirs by it, which states and
/// reminders refer to.
private let madeUpPrefix = "csv/"
/// What they once began with outside of tables.
private let olderMadeUpPrefix = "geojson/"

/// An id for a place whose data gives it none: the same wherever the same place is read.
///
/// The number of its row would be that of another place in another file, or once a row was put in
/// above it, and a reminder that knows the place by it would speak of that one.
///
/// - Parameter coordinate: where it is; it counts to 1e-7 degrees, a centimeter.
func madeUpID(
  _ categories: [CategoryID],
  name: String?,
  brand: String?,
  at coordinate: Coordinate
) -> String {
  var hash = FNV1a()
  hash.add(bits: UInt64(bitPattern: Int64(coordinate.latitudeE7)))
  hash.add(bits: UInt64(bitPattern: Int64(coordinate.longitudeE7)))
  for text in categories.map(\.name) + [name ?? "", brand ?? ""] {
    hash.add(text.utf8)
    // No byte of UTF-8: where one text ends and the next begins.
    hash.add(0xFF)
  }
  return madeUpPrefix + hash.text
}

/// What older versions have called a place of a made-up id, unless it came from a table; nil for any other id.
func olderMadeUpID(of id: String) -> String? {
  guard id.hasPrefix(madeUpPrefix) else { return nil }
  return olderMadeUpPrefix + id.dropFirst(madeUpPrefix.utf8.count)
}

extension PointOfInterest {
  /// Whether another entry of the same id is the same place told again, whose loss loses nothing.
  func isToldAgain(by other: PointOfInterest) -> Bool {
    isNamed(as: other)
      && coordinate.distanceMeters(to: other.coordinate)
        <= max(footprintRadiusMeters, other.footprintRadiusMeters) + Self.sameSpotMeters
  }

  /// Whether another entry has the same name, brand and categories.
  func isNamed(as other: PointOfInterest) -> Bool {
    name == other.name && brand == other.brand && categories == other.categories
  }

  /// One place drawn as a point and as an area lies so far apart at most, its size aside.
  ///
  /// - Source: judgment.
  private static let sameSpotMeters = 100.0
}
