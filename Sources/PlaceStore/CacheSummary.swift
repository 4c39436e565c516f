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
  /// The box around every place; nil for an empty cache.
  public let extent: BoundingBox?
}

extension CacheSummary {
  /// Counts places before they are in a cache; the cache of them has the same summary.
  ///
  /// - Parameter others: categories that are listed even without a place.
  package init(of places: [PointOfInterest], and others: [CategoryID]) {
    // By kind: node, way, relation, other. There are few categories: a scan is faster than a hash.
    var counts: [(category: CategoryID, byKind: [Int])] = []
    func slot(_ category: CategoryID) -> Int {
      if let index = counts.firstIndex(where: { $0.category == category }) { return index }
      counts.append((category, [0, 0, 0, 0]))
      return counts.count - 1
    }
    for category in others { _ = slot(category) }
    var extent: BoundingBox?
    for place in places {
      let kinds = ["node/", "way/", "relation/"]
      let kind = kinds.firstIndex { place.sourceID.hasPrefix($0) } ?? kinds.count
      for category in place.categories { counts[slot(category)].byKind[kind] += 1 }
      let rounded = Coordinate(
        latitudeE7: place.coordinate.latitudeE7,
        longitudeE7: place.coordinate.longitudeE7
      )
      extent = BoundingBox(
        west: min(extent?.west ?? 180, rounded.longitude),
        south: min(extent?.south ?? 90, rounded.latitude),
        east: max(extent?.east ?? -180, rounded.longitude),
        north: max(extent?.north ?? -90, rounded.latitude)
      )
    }
    self.init(
      placeCount: places.count,
      unnamedCount: places.count { $0.name == nil },
      categories: counts.sorted { $0.category < $1.category }
        .map { count in
          CategoryCount(
            category: count.category,
            nodes: count.byKind[0],
            ways: count.byKind[1],
            relations: count.byKind[2],
            others: count.byKind[3]
          )
        },
      extent: extent
    )
  }
}

extension POICache {
  /// Counts what the cache holds.
  public func summary() throws(PlaceStoreError) -> CacheSummary {
    try database.read { database in
      let counts = try Row.fetchAll(
        database,
        sql: """
          SELECT c.name,
            sum(p.source_id GLOB 'node/*'), sum(p.source_id GLOB 'way/*'),
            sum(p.source_id GLOB 'relation/*'), count(p.id)
          FROM category c LEFT JOIN poi_category l ON l.category_id = c.id
            LEFT JOIN poi p ON p.id = l.poi_id
          GROUP BY c.name ORDER BY c.name
          """
      )
      let totals = try Row.fetchOne(
        database,
        sql: """
          SELECT count(*), count(*) - count(name), min(ST_X(geom)), min(ST_Y(geom)),
            max(ST_X(geom)), max(ST_Y(geom)) FROM poi
          """
      )
      guard let totals else { throw damaged("the table of places cannot be read") }
      var extent: BoundingBox?
      if let west = try totals.decode(Double?.self, atIndex: 2),
        let south = try totals.decode(Double?.self, atIndex: 3),
        let east = try totals.decode(Double?.self, atIndex: 4),
        let north = try totals.decode(Double?.self, atIndex: 5)
      {
        extent = BoundingBox(west: west, south: south, east: east, north: north)
      }
      return CacheSummary(
        placeCount: try totals.decode(atIndex: 0),
        unnamedCount: try totals.decode(atIndex: 1),
        categories: try counts.map { row in
          let nodes = try row.decode(Int?.self, atIndex: 1) ?? 0
          let ways = try row.decode(Int?.self, atIndex: 2) ?? 0
          let relations = try row.decode(Int?.self, atIndex: 3) ?? 0
          let total = try row.decode(Int.self, atIndex: 4)
          return CacheSummary.CategoryCount(
            category: CategoryID(try row.decode(atIndex: 0)),
            nodes: nodes,
            ways: ways,
            relations: relations,
            others: total - nodes - ways - relations
          )
        },
        extent: extent
      )
    }
  }
}
