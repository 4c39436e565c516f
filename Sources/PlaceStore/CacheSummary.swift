import Geodesy
import GRDB
import Places

/// The size and reach of a cache, as `nearme cache info` prints it.
public struct CacheSummary: Hashable, Sendable {
  /// The places of one category, by where they come from.
  public struct CategoryCount: Hashable, Sendable {
    /// The category.
    public let category: CategoryID
    /// Places that OpenStreetMap has as a point.
    public let nodes: Int
    /// Places that OpenStreetMap has as a line or an outline.
    public let ways: Int
    /// Places that OpenStreetMap has as a multipolygon.
    public let relations: Int
    /// Places from anywhere else.
    public let others: Int

    /// All of them.
    public var total: Int { nodes + ways + relations + others }
  }

  /// Places; one with two categories counts once.
  public let placeCount: Int
  /// Places without a name.
  public let unnamedCount: Int
  /// Every category in order of name, those without a place too.
  public let categories: [CategoryCount]
  /// The narrower box around every place, over ±180° where that is it; nil for an empty cache.
  public let extent: BoundingBox?
}

extension CacheSummary {
  /// Counts places before they are in a cache; the cache of them has the same summary.
  ///
  /// - Parameter others: categories that are listed even without a place.
  package init(of places: [PointOfInterest], and others: [CategoryID]) {
    var tally = CacheTally(others)
    // By index: a copy of each place would count references.
    for index in places.indices { tally.add(places[index]) }
    self = tally.summary
  }
}

/// Counts places one by one.
struct CacheTally {
  // By kind: node, way, relation, other. There are few categories: a scan is faster than a hash.
  private var counts: [(category: CategoryID, byKind: [Int])]
  private var placeCount = 0
  private var unnamedCount = 0
  // In ten-millionths of a degree, as the file keeps them.
  private var (west, east) = (Int32.max, Int32.min)
  private var (south, north) = (Int32.max, Int32.min)
  /// The place that is nearest to 0° on each side of it, for a box the other way round.
  private var (leastEast, mostWest) = (Int32.max, Int32.min)

  /// Begins with categories that are listed even without a place.
  init(_ categories: [CategoryID]) {
    counts = []
    for category in categories { _ = slot(category) }
  }

  private mutating func slot(_ category: CategoryID) -> Int {
    if let index = counts.firstIndex(where: { $0.category == category }) { return index }
    counts.append((category, [0, 0, 0, 0]))
    return counts.count - 1
  }

  mutating func add(_ place: PointOfInterest) {
    let kind = Self.kind(of: place.sourceID)
    for category in place.categories { counts[slot(category)].byKind[kind] += 1 }
    placeCount += 1
    if place.name == nil { unnamedCount += 1 }
    let (latitude, longitude) = (place.coordinate.latitudeE7, place.coordinate.longitudeE7)
    (west, east) = (min(west, longitude), max(east, longitude))
    (south, north) = (min(south, latitude), max(north, latitude))
    if longitude < 0 {
      mostWest = max(mostWest, longitude)
    } else {
      leastEast = min(leastEast, longitude)
    }
  }

  /// Its place in ``counts``.
  private static func kind(of sourceID: String) -> Int {
    // Byte by byte: `hasPrefix` looks at letters, and took half of the counting.
    if sourceID.utf8.starts(with: "node/".utf8) { return 0 }
    if sourceID.utf8.starts(with: "way/".utf8) { return 1 }
    return sourceID.utf8.starts(with: "relation/".utf8) ? 2 : 3
  }

  /// The box of all places, over ±180° where that is narrower, as for Fiji.
  private var narrowestExtent: BoundingBox? {
    guard placeCount > 0 else { return nil }
    // From the easternmost place west of 0° back to the westernmost one east of it.
    let width = Int64(east) - Int64(west)
    let otherWidth: Int64 = 3_600_000_000 - (Int64(leastEast) - Int64(mostWest))
    let hasBothSides = leastEast != .max && mostWest != .min
    let isOverAntimeridian = hasBothSides && otherWidth < width
    let low = Coordinate(latitudeE7: south, longitudeE7: isOverAntimeridian ? leastEast : west)
    let high = Coordinate(latitudeE7: north, longitudeE7: isOverAntimeridian ? mostWest : east)
    return BoundingBox(
      west: low.longitude,
      south: low.latitude,
      east: high.longitude,
      north: high.latitude
    )
  }

  var summary: CacheSummary {
    CacheSummary(
      placeCount: placeCount,
      unnamedCount: unnamedCount,
      categories: counts.sorted { $0.category < $1.category }
        .map { count in
          CacheSummary.CategoryCount(
            category: count.category,
            nodes: count.byKind[0],
            ways: count.byKind[1],
            relations: count.byKind[2],
            others: count.byKind[3]
          )
        },
      extent: narrowestExtent
    )
  }
}

extension POICache {
  /// Counts what the cache holds.
  ///
  /// - Throws: ``PlaceStoreError`` that names the row, where one holds what no place can have.
  /// - Complexity: reads every row.
  public func summary() throws(PlaceStoreError) -> CacheSummary {
    try database.read { database in
      var tally = CacheTally(knownCategories)
      try forEachPlace(database) { tally.add($0) }
      try requireDistinctIDs(database)
      return tally.summary
    }
  }
}
