import Foundation
import Geodesy
import GRDB
import Places

/// The user's own places, in a file of their own that no update of the cache touches.
public final class UserPlaces: Sendable {
  private static let advice = "update Near Me, or name another file"
  private let database: SpatialDatabase

  /// Opens the file, makes it where there is none, and brings an older one up to date.
  ///
  /// - Throws: ``PlaceStoreError``, also for a file of a newer version, which stays as it is.
  public static func open(_ path: String) throws(PlaceStoreError) -> UserPlaces {
    var version = 0
    do throws(PlaceStoreError) {
      if let found = try FileIdentity.read(path: path) {
        guard found.applicationID == FileIdentity.userData else {
          throw PlaceStoreError(.foreignDatabase, path: path, advice: "name another file")
        }
        version = found.schemaVersion
      }
    } catch {
      guard error.code == .missing else { throw error }
    }
    guard version <= migrations.count else {
      throw PlaceStoreError(
        .otherSchemaVersion(found: version, supported: migrations.count),
        path: path,
        advice: advice
      )
    }
    let database = try SpatialDatabase(path: path, isReadOnly: false)
    try database.write { database in
      // Read again: another process may have migrated it since.
      let current = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
      guard current < migrations.count else { return }
      for migrate in migrations[current...] { try migrate(database) }
      try database.execute(
        sql: """
          PRAGMA application_id = \(FileIdentity.userData);
          PRAGMA user_version = \(migrations.count);
          """
      )
    }
    return UserPlaces(database: database)
  }

  private init(database: SpatialDatabase) { self.database = database }

  /// Closes the file; later uses fail.
  public func close() throws(PlaceStoreError) { try database.close() }

  /// Adds a place.
  ///
  /// - Throws: `.invalidValue` if the id is taken or the radius is not above 0.
  public func insert(_ place: Place) throws(PlaceStoreError) {
    try database.write { database in
      try database.execute(
        sql: """
          INSERT INTO place (name, kind, arrival_radius_m, geom, id) VALUES (?, ?, ?, ?, ?)
          """,
        arguments: arguments(place)
      )
    }
  }

  /// Replaces the place that has the same id.
  ///
  /// - Returns: false if there is none.
  @discardableResult
  public func update(_ place: Place) throws(PlaceStoreError) -> Bool {
    try database.write { database in
      try database.execute(
        sql: "UPDATE place SET name = ?, kind = ?, arrival_radius_m = ?, geom = ? WHERE id = ?",
        arguments: arguments(place)
      )
      return database.changesCount > 0
    }
  }

  /// Removes a place.
  ///
  /// - Returns: false if there is none of that id.
  @discardableResult
  public func delete(id: String) throws(PlaceStoreError) -> Bool {
    try database.write { database in
      try database.execute(sql: "DELETE FROM place WHERE id = ?", arguments: [id])
      return database.changesCount > 0
    }
  }

  /// Every place, in order of id.
  public func all() throws(PlaceStoreError) -> [Place] {
    try database.read { database in
      try Row.fetchAll(database, sql: select + " ORDER BY id").map(place)
    }
  }

  /// The places nearest to a coordinate, the nearest first; equal distances in order of id.
  public func nearest(
    to centre: Coordinate,
    limit: Int
  ) throws(PlaceStoreError) -> [PlaceAtDistance<Place>] {
    guard limit > 0 else { return [] }
    return try database.read { database in
      let found = try nearestHits(limit: limit, to: centre) { box in
        try hits(database, in: box, around: centre)
      }
      return try load(found, from: database)
    }
  }

  /// The places within a distance, the nearest first; equal distances in order of id.
  public func within(
    _ radiusMeters: Double,
    of centre: Coordinate
  ) throws(PlaceStoreError) -> [PlaceAtDistance<Place>] {
    guard radiusMeters >= 0 else { return [] }
    return try database.read { database in
      let box = BoundingBox(around: centre, radiusMeters: radiusMeters)
      let inBox = try hits(database, in: box, around: centre)
      return try load(inBox.filter { $0.distanceMeters <= radiusMeters }.sorted(), from: database)
    }
  }

  private func hits(
    _ database: Database,
    in box: BoundingBox,
    around centre: Coordinate
  ) throws -> [SpatialHit] {
    try spatialHits(
      database,
      sql: """
        SELECT p.rowid, p.id, p.geom FROM idx_place_geom r JOIN place p ON p.rowid = r.pkid
        WHERE r.xmin <= ? AND r.xmax >= ? AND r.ymin <= ? AND r.ymax >= ?
        """,
      prefix: [],
      in: box,
      around: centre
    )
  }

  private func load(
    _ hits: [SpatialHit],
    from database: Database
  ) throws -> [PlaceAtDistance<Place>] {
    try hits.map { hit in
      let row = try Row.fetchOne(database, sql: select + " WHERE rowid = ?", arguments: [hit.id])
      guard let row else { throw damaged("the spatial index names a row that is not there") }
      return PlaceAtDistance(place: try place(row), distanceMeters: hit.distanceMeters)
    }
  }
}

private let select = "SELECT id, name, kind, arrival_radius_m, geom FROM place"

private func arguments(_ place: Place) -> StatementArguments {
  [
    place.name, place.kind.rawValue, place.arrivalRadiusMeters,
    PointBlob.encode(place.coordinate), place.id,
  ]
}

private func place(_ row: Row) throws -> Place {
  let id = try row.decode(String.self, atIndex: 0)
  let coordinate = try row.withUnsafeData(atIndex: 4) { $0.flatMap(PointBlob.decode) }
  guard let coordinate, let kind = PlaceKind(rawValue: try row.decode(atIndex: 2)) else {
    throw damaged("place \(id) cannot be read")
  }
  return Place(
    id: id,
    name: try row.decode(atIndex: 1),
    kind: kind,
    coordinate: coordinate,
    arrivalRadiusMeters: try row.decode(atIndex: 3)
  )
}

/// Each brings the file from the version that is its index to the next.
private let migrations: [@Sendable (Database) throws -> Void] = [
  { database in
    try createSpatialMetadata(in: database)
    try database.execute(
      sql: """
        CREATE TABLE place (
          rowid INTEGER PRIMARY KEY,
          id TEXT NOT NULL UNIQUE CHECK (id <> ''),
          name TEXT NOT NULL,
          kind TEXT NOT NULL CHECK (kind IN ('home', 'work', 'other')),
          arrival_radius_m REAL CHECK (arrival_radius_m > 0)
        )
        """
    )
    try requireOne(database, "SELECT AddGeometryColumn('place', 'geom', 4326, 'POINT', 'XY', 1)")
    try requireOne(database, "SELECT CreateSpatialIndex('place', 'geom')")
  }
]
