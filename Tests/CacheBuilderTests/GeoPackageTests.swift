import CacheBuilder
import Foundation
import GRDB
import Geodesy
import Places
import TestSupport
import Testing

/// Places out of a GeoPackage, as GDAL and QGIS write one.
@Suite struct GeoPackageTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Well-known bytes behind a GeoPackage's header, little-endian.
  private static func shape(
    _ type: UInt32,
    _ rings: [[(Double, Double)]],
    box: Bool = false
  ) -> Data {
    var data = Data([0x47, 0x50, 0, box ? 0x03 : 0x01])
    func add<Number>(_ number: Number) {
      withUnsafeBytes(of: number) { data.append(contentsOf: $0) }
    }
    add(Int32(4_326))
    if box { for side in [0.0, 0, 0, 0] { add(side) } }
    data.append(1)
    add(type)
    if type == 3 { add(UInt32(rings.count)) }
    for ring in rings {
      if type == 3 { add(UInt32(ring.count)) }
      for (longitude, latitude) in ring {
        add(longitude)
        add(latitude)
      }
    }
    return data
  }

  /// A file with one layer; each row has an id, tags and a shape.
  private func package(
    _ name: String,
    srs: Int = 4_326,
    rows: [(osm: String, amenity: String?, other: String?, shape: Data?)]
  ) throws -> String {
    let path = folder.path(name)
    let queue = try DatabaseQueue(path: path)
    try queue.write { database in
      try database.execute(
        sql: """
          PRAGMA application_id = 0x47504B47;
          CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT);
          CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT, srs_id INTEGER PRIMARY KEY,
            organization TEXT, organization_coordsys_id INTEGER);
          CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, srs_id INTEGER);
          CREATE TABLE "my places" (fid INTEGER PRIMARY KEY, shape BLOB, osm_id TEXT, amenity TEXT,
            name TEXT, other_tags TEXT);
          INSERT INTO gpkg_contents VALUES ('my places', 'features'), ('hills', 'tiles');
          INSERT INTO gpkg_spatial_ref_sys VALUES ('WGS 84', 4326, 'EPSG', 4326),
            ('Web Mercator', 3857, 'EPSG', 3857);
          INSERT INTO gpkg_geometry_columns VALUES ('my places', 'shape', \(srs)),
            ('hills', 'shape', 3857);
          """
      )
      for row in rows {
        try database.execute(
          sql: """
            INSERT INTO "my places" (shape, osm_id, amenity, name, other_tags)
            VALUES (?, ?, ?, ?, ?)
            """,
          arguments: [row.shape, row.osm, row.amenity, "The \(row.osm)", row.other]
        )
      }
    }
    try queue.close()
    return path
  }

  @Test(arguments: ["'x'", "9.5e18", "x'ff'"])
  func `a number of coordinates that is none is refused by what it is`(srs: String) throws {
    let path = try package("numbers", rows: [])
    let queue = try DatabaseQueue(path: path)
    try queue.write { try $0.execute(sql: "UPDATE gpkg_geometry_columns SET srs_id = \(srs)") }
    try queue.close()
    #expect(throws: ImportError.self) { try importPlaces(path: path) }
  }

  @Test func `a layer without a column of shapes is bad input, and not a failure of reading`()
    throws
  {
    let path = try package("nameless", rows: [])
    let queue = try DatabaseQueue(path: path)
    try queue.write { try $0.execute(sql: "UPDATE gpkg_geometry_columns SET column_name = NULL") }
    try queue.close()
    let error = #expect(throws: ImportError.self) { try importPlaces(path: path) }
    #expect(error?.code == .malformed)
  }

  /// With backtracking, each of these quotes would be looked at from each quote before it.
  @Test(arguments: ["\"", "\"\\", "\"a\"=>"])
  func `tags of quotes that never end are read once`(part: String) throws {
    let text = String(repeating: part, count: 20_000) + #""amenity"=>"bank""#
    let path = try package("quotes", rows: [("1", "bank", text, Self.shape(1, [[(14.5, 35.9)]]))])
    #expect(try importPlaces(path: path).places.count == 1)
  }

  /// A package whose layer is a view.
  private func view(_ name: String, of rows: String) throws -> String {
    let path = try package(name, rows: [("1", "bank", nil, Self.shape(1, [[(14.5, 35.9)]]))])
    let queue = try DatabaseQueue(path: path)
    try queue.write {
      try $0.execute(
        sql: """
          ALTER TABLE "my places" RENAME TO places;
          CREATE VIEW "my places" AS \(rows);
          """
      )
    }
    try queue.close()
    return path
  }

  private static let counting = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"

  @Test func `a layer that is a view is read, and one that never ends is refused`() throws {
    let banks = try view("view", of: "SELECT * FROM places WHERE amenity = 'bank'")
    #expect(try importPlaces(path: banks).places.count == 1)
    for (name, rows) in [
      ("silent", "\(Self.counting) SELECT places.* FROM n, places WHERE i < 0"),
      ("endless", "\(Self.counting) SELECT places.* FROM n, places"),
      ("huge", "SELECT zeroblob(900000000) AS shape, 'bank' AS amenity"),
    ] {
      let path = try view(name, of: rows)
      let error = #expect(throws: ImportError.self) { try importPlaces(path: path) }
      #expect(error?.code == .malformed, "\(name): \(error?.description ?? "")")
    }
    // And one that is waited for can be stopped.
    let path = folder.path("silent")
    let error = #expect(throws: ImportError.self) {
      try importPlaces(path: path, isInterrupted: { true })
    }
    #expect(error?.code == .interrupted)
  }

  @Test func `a row of a view that would fill the memory costs the row`() throws {
    let header = Self.shape(3, []).prefix(13) + Data([1, 0, 0, 0, 0x38, 0x9C, 0x1C, 0])
    let hex = header.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let shape = "CAST(x'\(hex)' || zeroblob(30000000) AS BLOB)"
    let text = "CAST(zeroblob(30000000) AS TEXT)"
    let path = try view(
      "bombs",
      of: """
        SELECT \(shape) AS shape, 'bank' AS amenity, 1 AS more, 'N' AS name
        UNION ALL SELECT \(shape), 'bench', 1, 'N'
        UNION ALL SELECT shape, amenity, \(text), name FROM places
        UNION ALL SELECT shape, amenity, zeroblob(30000000), name FROM places
        """
    )
    let result = try importPlaces(path: path)
    #expect(result.places.map(\.name) == ["The 1"])
    #expect(
      result.skipped.rows.map { "\($0.row): \($0.reason)" }
        == ["my places, row 1: longer than 4 MiB", "my places, row 3: longer than 4 MiB"]
    )
  }

  @Test func `points and areas of a layer are places, with the tags of their columns`() throws {
    let square = [
      (-76.0, 39.0), (-75.999, 39.0), (-75.999, 39.001), (-76.0, 39.001), (-76.0, 39.0),
    ]
    let path = try package(
      "places.gpkg",
      rows: [
        ("1", "pharmacy", nil, Self.shape(1, [[(-76.61, 39.29)]])),
        (
          "2", nil, #""shop"=>"supermarket","note"=>"a \"big\" one""#,
          Self.shape(3, [square], box: true)
        ),
        ("3", "bench", nil, Self.shape(1, [[(-76.61, 39.29)]])),
        ("4", "bank", nil, nil), ("5", "bank", nil, Data([0x47, 0x50, 0, 0x11, 0, 0, 0, 0, 1, 1])),
        ("6", "bank", nil, Self.shape(1, [[(-76.61, 99)]])),
        ("7", "bank", nil, Self.shape(3, [square]).prefix(40)),
      ]
    )
    let result = try importPlaces(path: path)
    #expect(result.format == .geoPackage)
    #expect(result.places.map { $0.categories[0].name } == ["pharmacy", "grocery"])
    #expect(result.places.map(\.name) == ["The 1", "The 2"])
    #expect(result.places[1].footprintRadiusMeters > 50)
    #expect(abs(result.places[1].coordinate.latitude - 39.0005) < 1e-6)
    #expect(
      result.skipped.rows.map(\.row)
        == ["my places, row 4", "my places, row 5", "my places, row 6", "my places, row 7"],
      "\(result.skipped.rows)"
    )
  }

  /// - Source: OGC 06-103r4, 8.2.
  @Test func `a collection of shapes is a place, and one without an end is none`() throws {
    let header = Self.shape(1, []).prefix(8)
    func collection(_ parts: [Data]) -> Data {
      var data = Data([1, 7, 0, 0, 0])
      withUnsafeBytes(of: UInt32(parts.count).littleEndian) { data.append(contentsOf: $0) }
      return parts.reduce(data, +)
    }
    func part(_ type: UInt32, _ rings: [[(Double, Double)]]) -> Data {
      Self.shape(type, rings).dropFirst(8)
    }
    let square = [(7.0, 8.0), (7.001, 8), (7.001, 8.001), (7, 8.001), (7, 8)]
    var nested = collection([part(1, [[(3, 4)]])])
    for _ in 0..<1_000 { nested = collection([nested]) }
    let path = try package(
      "collections.gpkg",
      rows: [
        ("1", "bank", nil, header + collection([part(1, [[(3, 4)]]), part(3, [square])])),
        ("2", "bank", nil, header + collection([collection([part(1, [[(3, 4)]])])])),
        ("3", "bank", nil, header + collection([])), ("4", "bank", nil, header + nested),
      ]
    )
    let result = try importPlaces(path: path)
    let latitudes = result.places.map { ($0.coordinate.latitude * 10_000).rounded() / 10_000 }
    #expect(latitudes == [8.0005, 4])
    #expect(result.skipped.rows.map(\.row) == ["my places, row 3", "my places, row 4"])
  }

  /// Copies a package as it lies on the disk while a program has it open.
  private func copy(_ path: String, _ suffixes: [String], to name: String) throws -> String {
    let copy = folder.path(name)
    for suffix in suffixes {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
    }
    return copy
  }

  /// A link to a package, through another link, in a folder of its own.
  private func link(to path: String) throws -> String {
    let links = folder.url.appendingPathComponent("links")
    try FileManager.default.createDirectory(at: links, withIntermediateDirectories: true)
    let (name, other) = (links.path + "/\(UUID()).gpkg", links.path + "/\(UUID())")
    try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: path)
    try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: other)
    return name
  }

  private static let addBank = #"INSERT INTO "my places" (shape, amenity) VALUES (?, 'bank')"#

  @Test func `what stands in the log beside a package is read, wherever it lies`() throws {
    let path = try package("log.gpkg", rows: [("1", "bank", nil, Self.shape(1, [[(14.5, 35.9)]]))])
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
      try database.execute(sql: Self.addBank, arguments: [Self.shape(1, [[(14.6, 35.9)]])])
    }
    let whole = try copy(path, ["", "-wal"], to: "whole.gpkg")
    #expect(try importPlaces(path: whole).places.count == 2)
    #expect(!folder.names.contains("whole.gpkg-shm"))
    // While the program has it open.
    #expect(try importPlaces(path: path).places.count == 2)
    // As in a folder that cannot be written to, where SQLite can make no table of the log.
    let alone = try copy(path, ["", "-wal"], to: "alone.gpkg")
    try FileManager.default.createSymbolicLink(
      atPath: alone + "-shm",
      withDestinationPath: folder.path("nowhere/shm")
    )
    #expect(try importPlaces(path: alone).places.count == 2)
    // By another name in another folder, beside which no log lies.
    #expect(try importPlaces(path: link(to: whole)).places.count == 2)
    try queue.close()
    // It is still one that is written to by a log: reading it makes none.
    let names = folder.names
    #expect(!names.contains("log.gpkg-wal"))
    #expect(try importPlaces(path: path).places.count == 2)
    #expect(folder.names == names)
  }

  @Test func `what a program that died has not taken back is no place`() throws {
    let path = try package("edit.gpkg", rows: [("1", "bank", nil, Self.shape(1, [[(14.5, 35.9)]]))])
    let queue = try DatabaseQueue(path: path)
    let died = try queue.inDatabase { database in
      // So small that what is not yet decided comes to the disk.
      try database.execute(sql: "PRAGMA cache_size = 2; BEGIN")
      for _ in 0..<8_000 {
        try database.execute(sql: Self.addBank, arguments: [Self.shape(1, [[(14.6, 35.9)]])])
      }
      let died = try copy(path, ["", "-journal"], to: "died.gpkg")
      try database.execute(sql: "ROLLBACK")
      return died
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: died))
    #expect(before.count > 100_000)
    for name in [died, try link(to: died)] {
      #expect(try importPlaces(path: name).places.map(\.coordinate.longitude) == [14.5])
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: died)) == before)
  }

  @Test func `a package that a program writes to is said to be busy`() throws {
    let path = try package("busy.gpkg", rows: [("1", "bank", nil, Self.shape(1, [[(14.5, 35.9)]]))])
    let queue = try DatabaseQueue(path: path)
    try queue.inDatabase { database in
      try database.execute(sql: "BEGIN EXCLUSIVE")
      let error = #expect(throws: ImportError.self) { try importPlaces(path: path) }
      #expect(error?.code == .inputOutput)
      #expect(error?.detail.contains("close it there first") == true)
      try database.execute(sql: "ROLLBACK")
    }
  }

  @Test func `meters, and a package without places, are refused with a sentence`() throws {
    func refusal(_ path: String) -> String {
      do {
        _ = try importPlaces(path: path)
        return "read"
      } catch { return "\(error)" }
    }
    let meters = try package("meters.gpkg", srs: 3_857, rows: [])
    #expect(refusal(meters).contains("EPSG:3857 (Web Mercator)"), "\(refusal(meters))")
    let empty = try package("empty.gpkg", rows: [])
    #expect(refusal(empty).contains("no features"), "\(refusal(empty))")
  }
}
