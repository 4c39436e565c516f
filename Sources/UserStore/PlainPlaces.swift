import Foundation
import GRDB
import Geodesy
import NearMeEngine
import Places
import Timeline

/// Version 1 of the file: the user's places in plain text, as `NearMePlaceStore` once made them.
///
/// Its rows are read and sealed into a new file, which takes the old one's place in one step. Nothing
/// of the plain text stays behind in free pages.
enum PlainPlaces {
  static let schemaVersion = 1

  /// Seals a file of version 1, unless another process has just done so.
  static func convert(_ path: String, key source: KeySource) throws(UserStoreError) {
    let old = try Connection(path: path, isReadOnly: false, durability: .powerFailure)
    // A second process waits here until the file has been replaced.
    try old.write { database in
      guard try isPlain(path) else { return }
      let places =
        try Row.fetchAll(
          database,
          sql: "SELECT id, name, kind, arrival_radius_m, geom FROM place ORDER BY rowid"
        )
        .map { try place($0, path) }
      try replace(path, by: places, Vault(try source.keyForNewDatabase()))
    }
    try old.close()
  }

  /// Whether the file that has the name now, which may not be the one that is open, is plain still.
  private static func isPlain(_ path: String) throws(UserStoreError) -> Bool {
    let present = try Connection(path: path, isReadOnly: true, durability: .powerFailure)
    let version = try present.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    try present.close()
    return version == schemaVersion
  }

  private static func replace(
    _ path: String,
    by places: [Place],
    _ vault: Vault
  ) throws(UserStoreError) {
    let new = path + ".sealed-" + String(UInt32.random(in: 0 ... .max), radix: 16)
    defer { _ = unlink(new) }
    try makeFile(new) { (temporary) throws(UserStoreError) in
      try UserStore.fill(temporary, vault) { database in
        for place in places {
          let serial = try nextSerial("place", database)
          try insert(place, serial: serial, vault, database)
          let event = Event(at: Timestamp(milliseconds: 0), .placeSaved(place))
          try insertEvent(event, reminder: nil, vault, database)
        }
      }
    }
    try replaceFile(path, by: new)
  }

  private static func place(_ row: Row, _ path: String) throws -> Place {
    let id = try row.decode(String.self, forColumn: "id")
    let blob = try row.decode(Data.self, forColumn: "geom")
    guard let coordinate = coordinate(of: blob),
      let kind = PlaceKind(rawValue: try row.decode(forColumn: "kind"))
    else { throw UserStoreError(.damaged, path: path, detail: "place \(id) cannot be read") }
    return Place(
      id: id,
      name: try row.decode(forColumn: "name"),
      kind: kind,
      coordinate: coordinate,
      arrivalRadiusMeters: try row.decode(forColumn: "arrival_radius_m")
    )
  }

  /// A point in SpatiaLite's form: 60 bytes, x and y in the last 17.
  ///
  /// - Source: gaia-gis.it, "BLOB-Geometry": start, byte order, SRID, box, mark, class, x, y, end.
  private static func coordinate(of blob: Data) -> Coordinate? {
    let bytes = [UInt8](blob)
    guard bytes.count == 60, bytes[0] == 0x00, bytes[1] == 0x01, bytes[38] == 0x7C,
      bytes[59] == 0xFE
    else { return nil }
    func number(_ offset: Int) -> Double {
      Double(bitPattern: bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
    return try? Coordinate(latitude: number(51), longitude: number(43))
  }
}
