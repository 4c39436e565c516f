import Geodesy
import GRDB
import Places
import Timeline

/// A cache of points of interest, opened for reading.
public final class POICache: Sendable {
  let database: SpatialDatabase
  let categories: CategoryTable

  /// Opens a cache.
  ///
  /// - Throws: ``PlaceStoreError`` for a file that is missing, damaged, not a cache, or of another
  ///   schema version; the message says what to do.
  public static func open(_ path: String) throws(PlaceStoreError) -> POICache {
    try FileIdentity.require(
      FileIdentity.poiCache,
      schemaVersion: CacheSchema.version,
      path: path,
      advice: CacheSchema.advice
    )
    let database = try SpatialDatabase(path: path, isReadOnly: true)
    let categories = try database.read(CategoryTable.init)
    return POICache(database: database, categories: categories)
  }

  private init(database: SpatialDatabase, categories: CategoryTable) {
    self.database = database
    self.categories = categories
  }

  /// The file.
  public var path: String { database.path }

  /// Closes the file; later queries fail.
  ///
  /// Letting go of the cache closes it too.
  public func close() throws(PlaceStoreError) { try database.close() }

  /// The categories that the cache knows, in order of name.
  public var knownCategories: [CategoryID] { categories.byName }

  /// Every place, in order of source id: nodes, ways and relations by number, then the others.
  ///
  /// - Complexity: O(n log n); holds all of them in memory.
  public func allPointsOfInterest() throws(PlaceStoreError) -> [PointOfInterest] {
    let places = try database.read { database in
      var places: [PointOfInterest] = []
      var links = try CategoryLinks(
        Row.fetchCursor(
          database,
          sql: "SELECT poi_id, category_id FROM poi_category ORDER BY poi_id, category_id"
        )
      )
      let rows = try Row.fetchCursor(database, sql: POIRow.selectAll)
      while let row = try rows.next() {
        let poi = try POIRow(row)
        let ids = try links.categories(of: poi.id)
        places.append(try poi.pointOfInterest(categories.named(ids, poi: poi)))
      }
      return places
    }
    let keyed = places.map { (SourceIDKey($0.sourceID), $0) }
    return keyed.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// Where the rows came from.
  public func provenance() throws(PlaceStoreError) -> CacheProvenance {
    try database.read { database in
      let inputs = try Row.fetchAll(database, sql: "SELECT * FROM provenance ORDER BY id")
      guard let build = try Row.fetchOne(database, sql: "SELECT * FROM build"),
        let builtAt = RFC3339.parse(try build.decode(String.self, forColumn: "built_at"))
      else { throw damaged("the record of the build is missing") }
      return CacheProvenance(
        inputs: try inputs.map { row in
          CacheProvenance.Input(
            name: try row.decode(forColumn: "input_name"),
            format: try row.decode(forColumn: "input_format"),
            byteCount: try row.decode(forColumn: "input_bytes"),
            crc32: try row.decode(forColumn: "input_crc32"),
            dataTimestamp: try row.decode(forColumn: "data_timestamp"),
            license: try row.decode(forColumn: "licence"),
            attribution: try row.decode(forColumn: "attribution"),
            placeCount: try row.decode(forColumn: "poi_count")
          )
        },
        builtAt: builtAt,
        toolVersion: try build.decode(forColumn: "tool_version"),
        selection: try build.decode(forColumn: "selection"),
        categoryRules: try build.decode(forColumn: "category_rules")
      )
    }
  }
}

/// The categories of a cache by their row ids.
struct CategoryTable: Sendable {
  private let byID: [Int64: CategoryID]
  private let idByName: [CategoryID: Int64]
  let byName: [CategoryID]

  init(_ database: Database) throws {
    var byID: [Int64: CategoryID] = [:]
    var idByName: [CategoryID: Int64] = [:]
    for row in try Row.fetchAll(database, sql: "SELECT id, name FROM category") {
      let id = try row.decode(Int64.self, atIndex: 0)
      let category = CategoryID(try row.decode(atIndex: 1))
      byID[id] = category
      idByName[category] = id
    }
    self.byID = byID
    self.idByName = idByName
    byName = idByName.keys.sorted()
  }

  func id(of category: CategoryID) -> Int64? { idByName[category] }

  func named(_ ids: [Int64], poi: POIRow) throws -> [CategoryID] {
    let names = try ids.map { id in
      guard let name = byID[id] else { throw damaged("\(poi.sourceID) has no known category") }
      return name
    }
    guard !names.isEmpty else { throw damaged("\(poi.sourceID) has no category") }
    return names
  }
}

/// The columns of a place, read and checked.
struct POIRow {
  private static let columns = "id, source_id, name, brand, footprint_radius_m, geom"
  static let selectAll = "SELECT \(columns) FROM poi ORDER BY id"
  static let selectOne = "SELECT \(columns) FROM poi WHERE id = ?"

  let id: Int64
  let sourceID: String
  let name: String?
  let brand: String?
  let footprintRadiusMeters: Double
  let coordinate: Coordinate

  init(_ row: Row) throws {
    // The subscripts of a row end the program where a damaged file has a value of another type.
    id = try row.decode(atIndex: 0)
    sourceID = try row.decode(atIndex: 1)
    name = try row.decode(atIndex: 2)
    brand = try row.decode(atIndex: 3)
    footprintRadiusMeters = try row.decode(atIndex: 4)
    guard (0...WGS84.halfMeridianMeters).contains(footprintRadiusMeters) else {
      throw damaged("\(sourceID) has no valid footprint")
    }
    let coordinate = try row.withUnsafeData(atIndex: 5) { $0.flatMap(PointBlob.decode) }
    guard let coordinate else { throw damaged("\(sourceID) has no valid point") }
    self.coordinate = coordinate
  }

  func pointOfInterest(_ categories: [CategoryID]) throws -> PointOfInterest {
    PointOfInterest(
      sourceID: sourceID,
      categories: categories,
      name: name,
      brand: brand,
      coordinate: coordinate,
      footprintRadiusMeters: footprintRadiusMeters
    )
  }
}

func damaged(_ message: String) -> DatabaseError {
  DatabaseError(resultCode: .SQLITE_CORRUPT, message: message)
}

/// Walks `poi_category` beside `poi`, both in order of the place's row id.
private struct CategoryLinks {
  private let rows: RowCursor
  private var next: (poi: Int64, category: Int64)?

  init(_ rows: RowCursor) throws {
    self.rows = rows
    try advance()
  }

  private mutating func advance() throws {
    next = try rows.next().map { (try $0.decode(atIndex: 0), try $0.decode(atIndex: 1)) }
  }

  mutating func categories(of poi: Int64) throws -> [Int64] {
    while let link = next, link.poi < poi { try advance() }
    var categories: [Int64] = []
    while let link = next, link.poi == poi {
      categories.append(link.category)
      try advance()
    }
    return categories
  }
}
