import Basics
import Geodesy
import Places

/// What made-up ids begin with.
///
/// The name of the format that was read first: places of tables keep theirs by it, which states and
/// reminders refer to.
private let madeUpPrefix = "csv/"
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

extension ImportResult {
  /// Gives places the made-up ids back under which an older version has put them into a cache.
  ///
  /// They once began with `geojson/` outside of tables, and what is being told of a place goes by its id.
  ///
  /// - Parameter known: the ids of the cache so far.
  mutating func keepOlderMadeUpIDs(of known: Set<String>) {
    guard known.contains(where: { $0.hasPrefix(olderMadeUpPrefix) }) else { return }
    let taken = Set(places.map(\.sourceID))
    for (index, place) in places.enumerated() where place.sourceID.hasPrefix(madeUpPrefix) {
      let id = olderMadeUpPrefix + place.sourceID.dropFirst(madeUpPrefix.utf8.count)
      guard known.contains(id), !known.contains(place.sourceID), !taken.contains(id) else {
        continue
      }
      places[index] = PointOfInterest(
        sourceID: id,
        categories: place.categories,
        name: place.name,
        brand: place.brand,
        coordinate: place.coordinate,
        footprintRadiusMeters: place.footprintRadiusMeters
      )
      details[id] = details.removeValue(forKey: place.sourceID)
    }
  }
}

extension PointOfInterest {
  /// Whether another entry of the same id is the same place told again, whose loss loses nothing.
  func isToldAgain(by other: PointOfInterest) -> Bool {
    name == other.name && brand == other.brand && categories == other.categories
      && coordinate.distanceMeters(to: other.coordinate)
        <= max(footprintRadiusMeters, other.footprintRadiusMeters) + Self.sameSpotMeters
  }

  /// One place drawn as a point and as an area lies so far apart at most, its size aside.
  ///
  /// - Source: judgment.
  private static let sameSpotMeters = 100.0
}
