import Geodesy
import GRDB

/// The tables of a cache, version 2: version 1 had no attributes and no category rules.
///
/// A cache is never migrated: it is built again from its sources in seconds.
enum CacheSchema {
  static let version = 2
  static let advice = "rebuild it with `nearme cache build`"

  /// The size of the file's pages.
  ///
  /// Each of SpatiaLite's fifty tables and indexes takes a page, full or not: of 566 places 389 kB
  /// with pages of 4,096 bytes, 250 kB with 1,024. From some ten thousand places on there is no
  /// difference, and larger pages are faster to write.
  static func pageByteCount(places count: Int) -> Int { count < 10_000 ? 1_024 : 4_096 }

  /// Makes the tables in an empty database.
  static func create(in database: Database) throws {
    try createSpatialMetadata(in: database)
    try database.execute(
      sql: """
        CREATE TABLE category (
          id INTEGER PRIMARY KEY,
          name TEXT NOT NULL UNIQUE CHECK (name <> '')
        );
        CREATE TABLE poi (
          id INTEGER PRIMARY KEY,
          source_id TEXT NOT NULL CHECK (source_id <> ''),
          name TEXT,
          brand TEXT,
          footprint_radius_m REAL NOT NULL CHECK (footprint_radius_m >= 0),
          attributes TEXT CHECK (attributes <> '')
        );
        CREATE TABLE poi_category (
          poi_id INTEGER NOT NULL REFERENCES poi ON DELETE CASCADE,
          category_id INTEGER NOT NULL REFERENCES category,
          PRIMARY KEY (poi_id, category_id)
        ) WITHOUT ROWID;
        CREATE TABLE provenance (
          id INTEGER PRIMARY KEY,
          input_name TEXT NOT NULL,
          input_format TEXT NOT NULL,
          input_bytes INTEGER NOT NULL,
          input_crc32 TEXT NOT NULL,
          data_timestamp TEXT,
          licence TEXT,
          attribution TEXT,
          poi_count INTEGER NOT NULL
        );
        CREATE TABLE build (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          built_at TEXT NOT NULL,
          tool_version TEXT NOT NULL,
          selection TEXT NOT NULL,
          category_rules TEXT
        );
        """
    )
    try requireOne(database, "SELECT AddGeometryColumn('poi', 'geom', 4326, 'POINT', 'XY', 1)")
    try database.execute(
      sql: """
        PRAGMA application_id = \(FileIdentity.poiCache);
        PRAGMA user_version = \(version);
        """
    )
  }
}

extension CacheSchema {
  /// Makes what is faster to make once the rows are there, and packed more densely.
  ///
  /// - Throws: if two places have the same source id.
  static func createIndexes(in database: Database) throws {
    try database.execute(sql: "CREATE UNIQUE INDEX poi_source_id ON poi (source_id)")
  }
}

extension CacheSchema {
  /// The layer that desktop programs color by: each place once, with its first category and all of them.
  static let view = "poi_with_category"

  /// Makes the view, and registers it as SpatiaLite's own functions would.
  ///
  /// - Source: gaia-gis.it, SpatiaLite Cookbook, "Spatial Views": the names in lower case, a column by the name
  ///   `rowid` that is the table's own.
  static func createView(in database: Database) throws {
    try database.execute(
      sql: """
        CREATE VIEW \(view) AS
        SELECT poi.id AS rowid, poi.id AS id, poi.source_id AS source_id, poi.name AS name,
          poi.brand AS brand,
          (SELECT category.name FROM poi_category
            JOIN category ON category.id = poi_category.category_id
            WHERE poi_category.poi_id = poi.id ORDER BY category.id LIMIT 1) AS category,
          (SELECT group_concat(name, ';') FROM (SELECT category.name AS name FROM poi_category
            JOIN category ON category.id = poi_category.category_id
            WHERE poi_category.poi_id = poi.id ORDER BY category.id)) AS categories,
          poi.footprint_radius_m AS footprint_radius_m, poi.attributes AS attributes,
          poi.geom AS geom
        FROM poi;
        INSERT INTO views_geometry_columns
          (view_name, view_geometry, view_rowid, f_table_name, f_geometry_column, read_only)
        VALUES ('\(view)', 'geom', 'rowid', 'poi', 'geom', 1);
        """
    )
  }

  /// Fills in what programs look up to zoom to a layer: how many rows it has, and how far it reaches.
  ///
  /// The caller has just written the places, so that SpatiaLite need not take a million points apart, eight
  /// times each.
  ///
  /// - Parameters:
  ///   - extent: the box from the least to the greatest degrees of the points as stored; nil for no rows.
  ///   - time: stands for the instant at which SpatiaLite would have looked.
  static func keepStatistics(
    of database: Database,
    rowCount: Int,
    extent: BoundingBox?,
    at time: String
  ) throws {
    let values: StatementArguments = [
      time, rowCount, extent?.west, extent?.south, extent?.east, extent?.north,
    ]
    let columns =
      "last_verified, row_count, extent_min_x, extent_min_y, extent_max_x, extent_max_y"
    try database.execute(
      sql: "UPDATE geometry_columns_statistics SET (\(columns)) = (?, ?, ?, ?, ?, ?)",
      arguments: values
    )
    try database.execute(
      sql: """
        INSERT INTO views_geometry_columns_statistics (view_name, view_geometry, \(columns))
        VALUES ('\(view)', 'geom', ?, ?, ?, ?, ?, ?)
        """,
      arguments: values
    )
  }
}

extension CacheSchema {
  /// Refuses a file whose schema is another one under the same version.
  ///
  /// A view in the place of a table could compute without end.
  static func requireTables(of database: Database) throws {
    let rows = try Row.fetchAll(
      database,
      sql: "SELECT name, rootpage FROM sqlite_master WHERE type = 'table'"
    )
    // Tables have a first page, virtual ones and views have none.
    var pages: [String: Int64] = [:]
    for row in rows {
      pages[try row.decode(String.self, atIndex: 0)] = try row.decode(Int64.self, atIndex: 1)
    }
    let tables = [
      "category", "poi", "poi_category", "provenance", "build", "idx_poi_geom_rowid",
      "idx_poi_geom_node", "idx_poi_geom_parent",
    ]
    for table in tables where pages[table, default: 0] == 0 {
      throw damaged("table \(table) is not there")
    }
    let index = try String.fetchOne(
      database,
      sql: "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'idx_poi_geom'"
    )
    guard index?.contains("USING rtree(") == true else {
      throw damaged("the spatial index idx_poi_geom is not there")
    }
  }
}

/// Makes SpatiaLite's own tables, with WGS 84 and, for distances on maps of the web, its Mercator projection as the
/// only reference systems.
///
/// The full list of reference systems would cost 6 MB in every file. 0: the caller has begun a
/// transaction.
func createSpatialMetadata(in database: Database) throws {
  try requireOne(database, "SELECT InitSpatialMetaData(0, 'NONE')")
  for system in [4326, 3857] { try requireOne(database, "SELECT InsertEpsgSrid(\(system))") }
}

/// Runs one of SpatiaLite's functions, which report failure by returning 0.
func requireOne(_ database: Database, _ sql: String) throws {
  guard try Int.fetchOne(database, sql: sql) == 1 else {
    throw DatabaseError(resultCode: .SQLITE_ERROR, message: "SpatiaLite refused: \(sql)")
  }
}
