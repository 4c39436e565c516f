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
  /// Looks at what all later work relies on: its tables, its categories, and whether the spatial index
  /// has as many entries as there are places. Each place is looked at when it is read.
  ///
  /// - Throws: ``PlaceStoreError`` for a file that is missing, damaged, not a cache, or of another
  ///   schema version; the message says what to do.
  /// - Complexity: counts the places.
  public static func open(_ path: String) throws(PlaceStoreError) -> POICache {
    try FileIdentity.require(
      FileIdentity.poiCache,
      schemaVersion: CacheSchema.version,
      path: path,
      advice: CacheSchema.advice
    )
    let database = try SpatialDatabase(path: path, isReadOnly: true)
    let categories = try database.read { database in
      try CacheSchema.requireTables(of: database)
      try requireFullIndex(database)
      return try CategoryTable(database)
    }
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
  /// - Throws: ``PlaceStoreError`` that names the row, where one holds what no place can have.
  /// - Complexity: O(n log n); holds all of them in memory.
  public func allPointsOfInterest() throws(PlaceStoreError) -> [PointOfInterest] {
    try database.read { database in
      let rows = try inOrderOfRows(database)
      let places = SourceIDKey.order(of: rows, by: \.sourceID).map { rows[$0] }
      for index in places.indices.dropFirst()
      where places[index].sourceID == places[index - 1].sourceID {
        throw sameID(places[index].sourceID)
      }
      return places
    }
  }

  private func inOrderOfRows(_ database: Database) throws -> [PointOfInterest] {
    var places: [PointOfInterest] = []
    try forEachPlace(database) { places.append($0) }
    return places
  }

  /// Reads every place and its categories, in order of the rows, and looks at what each row holds.
  ///
  /// Whether two have one source id of ASCII is not looked at: see ``requireDistinctIDs(_:)``.
  func forEachPlace(_ database: Database, _ body: (PointOfInterest) throws -> Void) throws {
    var links = try CategoryLinks(
      PlainRows(
        database.makeStatement(
          sql: "SELECT poi_id, category_id FROM poi_category ORDER BY poi_id, category_id"
        )
      )
    )
    // Texts of other bytes can be equal where they are not ASCII, and SQLite tells them apart.
    var others: Set<String> = []
    let rows = try PlainRows(database.makeStatement(sql: POIRow.selectAll))
    var ids: [Int64] = []
    while try rows.next() {
      let poi = try POIRow(rows)
      if !poi.sourceID.utf8.allSatisfy({ $0 < 0x80 }), !others.insert(poi.sourceID).inserted {
        throw sameID(poi.sourceID)
      }
      try links.categories(of: poi.id, &ids)
      try body(poi.pointOfInterest(categories.named(ids, poi: poi)))
    }
    try links.requireEnd()
  }

  /// A place that has no entry in the index would never be found near anything.
  private static func requireFullIndex(_ database: Database) throws {
    let places = try Int.fetchOne(database, sql: "SELECT count(*) FROM poi") ?? 0
    let entries = try Int.fetchOne(database, sql: "SELECT count(*) FROM idx_poi_geom_rowid") ?? 0
    guard places == entries else {
      throw damaged("the spatial index has \(entries) entries for \(places) places")
    }
  }

  /// Where the rows came from.
  public func provenance() throws(PlaceStoreError) -> CacheProvenance {
    try database.read { database in
      let inputs = try Row.fetchAll(database, sql: "SELECT * FROM provenance ORDER BY id")
      guard let build = try Row.fetchOne(database, sql: "SELECT * FROM build"),
        let builtAt = RFC3339.parse(try build.decode(String.self, forColumn: "built_at"))
      else { throw damaged("table build: the record of the build is missing, or its time is none") }
      return CacheProvenance(
        inputs: try inputs.map { row in
          let byteCount = try row.decode(Int64.self, forColumn: "input_bytes")
          let placeCount = try row.decode(Int.self, forColumn: "poi_count")
          guard byteCount >= 0, placeCount >= 0 else {
            throw damaged("table provenance, row \(row["id"] ?? 0 as Int64): a number below 0")
          }
          return CacheProvenance.Input(
            name: try row.decode(forColumn: "input_name"),
            format: try row.decode(forColumn: "input_format"),
            byteCount: byteCount,
            crc32: try row.decode(forColumn: "input_crc32"),
            dataTimestamp: try row.decode(forColumn: "data_timestamp"),
            license: try row.decode(forColumn: "licence"),
            attribution: try row.decode(forColumn: "attribution"),
            placeCount: placeCount
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
  /// Each in an array of its own, which most places share.
  private let byID: [Int64: [CategoryID]]
  private let idByName: [CategoryID: Int64]
  let byName: [CategoryID]

  init(_ database: Database) throws {
    var byID: [Int64: [CategoryID]] = [:]
    var idByName: [CategoryID: Int64] = [:]
    let rows = try Row.fetchCursor(database, sql: "SELECT id, name FROM category ORDER BY id")
    while let row = try rows.next() {
      let id = try row.decode(Int64.self, atIndex: 0)
      guard let name = try? row.decode(String.self, atIndex: 1), !name.isEmpty else {
        throw damaged("table category, row \(id): no name")
      }
      let category = CategoryID(name)
      guard idByName[category] == nil else {
        throw damaged("table category, row \(id): another row is \(quoted(name)), too")
      }
      byID[id] = [category]
      idByName[category] = id
    }
    self.byID = byID
    self.idByName = idByName
    byName = idByName.keys.sorted()
  }

  func id(of category: CategoryID) -> Int64? { idByName[category] }

  func named(_ ids: [Int64], poi: POIRow) throws -> [CategoryID] {
    var names: [CategoryID] = []
    for id in ids {
      guard let name = byID[id] else { throw poi.damage("its category \(id) is not known") }
      if names.isEmpty { names = name } else { names += name }
    }
    guard !names.isEmpty else { throw poi.damage("it has no category") }
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

  /// Reads the row at which `rows` stands.
  init(_ rows: PlainRows) throws {
    guard let id = rows.integer(0) else { throw damaged("table poi: a row has no number") }
    self.id = id
    guard let sourceID = rows.text(1), !sourceID.isEmpty else {
      throw damaged("table poi, row \(id): no source id")
    }
    self.sourceID = sourceID
    name = rows.text(2)
    brand = rows.text(3)
    // A text would be read as 0.
    guard let footprint = rows.number(4),
      (0...PointOfInterest.mostFootprintMeters).contains(footprint)
    else {
      throw Self.damage(id, sourceID, "its footprint is no length up to 1,000 km")
    }
    footprintRadiusMeters = footprint
    guard let coordinate = PointBlob.decode(rows.bytes(5)) else {
      throw Self.damage(id, sourceID, "its point is none on the earth")
    }
    self.coordinate = coordinate
  }

  /// The error for a row that holds what no place can have.
  func damage(_ what: String) -> DatabaseError { Self.damage(id, sourceID, what) }

  private static func damage(_ id: Int64, _ sourceID: String, _ what: String) -> DatabaseError {
    damaged("table poi, row \(id) (\(quoted(sourceID))): \(what)")
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

/// A text of a file that may hold anything, fit to stand in a sentence.
func quoted(_ text: String) -> String {
  let plain = text.unicodeScalars.prefix(60).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }
  return String(String.UnicodeScalarView(plain))
    + (plain.count < text.unicodeScalars.count ? "…" : "")
}

/// The error for a file whose index over source ids let two rows with one id in.
private func sameID(_ sourceID: String) -> DatabaseError {
  damaged("table poi: two rows are \(quoted(sourceID))")
}

/// Refuses two rows with one source id, with the help of the index over them.
func requireDistinctIDs(_ database: Database) throws {
  let twice = try String.fetchOne(
    database,
    sql: "SELECT source_id FROM poi GROUP BY source_id HAVING count(*) > 1 LIMIT 1"
  )
  if let twice { throw sameID(twice) }
}

func damaged(_ message: String) -> DatabaseError {
  DatabaseError(resultCode: .SQLITE_CORRUPT, message: message)
}

/// Walks `poi_category` beside `poi`, both in order of the place's row id.
private struct CategoryLinks {
  private let rows: PlainRows
  private var next: (poi: Int64, category: Int64)?

  init(_ rows: PlainRows) throws {
    self.rows = rows
    try advance()
  }

  private mutating func advance() throws {
    guard try rows.next() else {
      next = nil
      return
    }
    guard let poi = rows.integer(0), let category = rows.integer(1) else {
      throw damaged("table poi_category: a row without a place or a category")
    }
    next = (poi, category)
  }

  mutating func categories(of poi: Int64, _ categories: inout [Int64]) throws {
    try requireNone(before: poi)
    categories.removeAll(keepingCapacity: true)
    while let link = next, link.poi == poi {
      categories.append(link.category)
      try advance()
      // In order, so that equals follow each other; each row is one that its key allows.
      if let link = next, link.poi == poi, link.category <= categories[categories.count - 1] {
        throw damaged("table poi_category: the rows of place \(poi) are out of order")
      }
    }
  }

  /// Refuses what is left when every place has been seen.
  func requireEnd() throws { try requireNone(before: .max) }

  private func requireNone(before poi: Int64) throws {
    guard let link = next, link.poi < poi else { return }
    throw damaged("table poi_category: a category of place \(link.poi), which is not there")
  }
}
