import Foundation
import GRDBSQLite
import Places
import TestSupport
import Testing

/// What people do to `nearme cache` beside giving it good maps.
@Suite struct CacheCommandTests {
  private let folder: TemporaryFolder
  private let cache: String
  private let table: String

  init() throws {
    folder = try TemporaryFolder()
    cache = folder.path("pois.sqlite")
    table = folder.path("places.csv")
    try "id,lat,lon,category,name\n1,39.3,-76.6,pharmacy,Corner\n2,39.4,-76.6,gas_station,\n"
      .write(toFile: table, atomically: true, encoding: .utf8)
    #expect(try build().status == 0)
  }

  private func build(_ options: [String] = []) throws -> Command {
    try Command(["cache", "build", table, "-o", cache] + options)
  }

  private func bytes(_ path: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// A GeoPackage that is written to by a log, which no program has open.
  private func package() throws -> String {
    let path = folder.path("places.gpkg")
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    try #require(sqlite3_open(path, &connection) == SQLITE_OK)
    let statements = """
      PRAGMA application_id = 0x47504B47;
      PRAGMA journal_mode = WAL;
      CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT);
      CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT, srs_id INTEGER PRIMARY KEY,
        organization TEXT, organization_coordsys_id INTEGER);
      CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, srs_id INTEGER);
      CREATE TABLE places (fid INTEGER PRIMARY KEY, shape BLOB, amenity TEXT);
      INSERT INTO gpkg_contents VALUES ('places', 'features');
      INSERT INTO gpkg_spatial_ref_sys VALUES ('WGS 84', 4326, 'EPSG', 4326);
      INSERT INTO gpkg_geometry_columns VALUES ('places', 'shape', 4326);
      INSERT INTO places VALUES
        (1, X'47500001E610000001010000000000000000002D400000000000C04140', 'bank');
      """
    let message = { String(cString: sqlite3_errmsg(connection)) }
    try #require(sqlite3_exec(connection, statements, nil, nil, nil) == SQLITE_OK, "\(message())")
    return path
  }

  @Test func `of copies that are read nothing stays, and no folder is made for them`() throws {
    let (package, room) = (try package(), folder.path("room"))
    try FileManager.default.createDirectory(atPath: room, withIntermediateDirectories: false)
    let nowhere = folder.path("nowhere")
    for input in [package, "-"] {
      func build(in folder: String) throws -> Command {
        try Command(
          ["cache", "build", input, "-o", cache],
          input: "lat,lon,category\n1,2,bank\n",
          environment: ["TMPDIR": folder]
        )
      }
      let built = try build(in: room)
      #expect(built.status == 0, "\(built.errors)")
      #expect(built.output.contains("1 place\n"), "\(built.output)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: room) == [])
      let refused = try build(in: nowhere)
      #expect(refused.status == 74, "\(refused.errors)")
      #expect(
        refused.errors.contains(
          "cannot be kept in \(nowhere): No such file or directory; make room there, or name another folder with TMPDIR"
        ),
        "\(refused.errors)"
      )
      #expect(!FileManager.default.fileExists(atPath: nowhere))
    }
  }

  #if os(Linux)
  @Test func `an app that reads no caches decodes the places of one`() throws {
    let folder = try TemporaryFolder()
    let cache = folder.path("pois.sqlite")
    let map = LiveDay.root.appendingPathComponent("data/port-ardent.osm.pbf").path
    #expect(try Command(["cache", "build", map, "-o", cache]).status == 0)
    let written = try Command([
      "cache", "export", cache, "--format", "places", "-o", folder.path("places.json"),
    ])
    #expect(written.status == 0, "\(written.errors)")
    let data = try Data(contentsOf: URL(fileURLWithPath: folder.path("places.json")))
    let places = try JSONDecoder().decode([PointOfInterest].self, from: data)
    let table = try Command(["cache", "export", cache, "--format", "csv"])
    #expect(places.count == table.output.split(separator: "\n").count - 1)
    let fuel = try #require(places.first { $0.sourceID == "node/4" })
    #expect(fuel.name == "Causeway Fuel" && fuel.categories == [CategoryID("gas_station")])
    for bad in [
      #"{"source_id":"a","categories":[],"lat":1,"lon":2}"#,
      #"{"source_id":"a","categories":["bank"],"lat":91,"lon":2}"#,
      #"{"source_id":"a","categories":["bank"],"lon":2}"#,
    ] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(PointOfInterest.self, from: Data(bad.utf8))
      }
    }
  }

  @Test(arguments: [
    ["cache", "build", "TABLE", "-o", "CACHE"], ["cache", "info", "CACHE"],
    ["cache", "verify", "CACHE"], ["cache", "export", "CACHE", "--format", "csv"],
    ["cache", "update", "CACHE", "TABLE"], ["policy", "show"], ["twin", "show", "ios"],
  ])
  func `results that cannot be written are a failure`(arguments: [String]) throws {
    let process = Process()
    process.executableURL = Command.binary
    process.arguments = arguments.map { $0 == "TABLE" ? table : $0 == "CACHE" ? cache : $0 }
    process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 74, "\(text)")
    #expect(text.contains("standard output"), "\(text)")
  }
  #endif

  @Test func `one place is no places`() throws {
    try "id,lat,lon,category,name\n1,39.3,-76.6,pharmacy,Corner\n"
      .write(toFile: table, atomically: true, encoding: .utf8)
    for arguments in [
      ["build", table, "-o", cache], ["info", cache], ["update", cache, table],
      ["update", cache, table, "--dry-run"],
    ] {
      let result = try Command(["cache"] + arguments)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("1 place"), "\(arguments)")
      #expect(!result.output.contains("1 places"), "\(arguments): \(result.output)")
    }
  }

  @Test func `a name that ends as no format is refused with those that there are`() throws {
    for (options, hint) in [
      (["-o", folder.path("e.kml")], "e.kml does not end as a format that can be written"),
      ([], "say what to write"),
    ] {
      let result = try Command(["cache", "export", cache] + options)
      #expect(result.status == 64)
      #expect(result.errors.contains(hint), "\(result.errors)")
      #expect(result.errors.contains(".geojson, .json or .csv"), "\(result.errors)")
    }
    #expect(!folder.names.contains("e.kml"))
  }

  @Test func `a link stays, what it leads to is replaced, and its mode is kept`() throws {
    let files = FileManager.default
    let old = try bytes(cache)
    try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: cache)
    try files.createDirectory(atPath: folder.path("deep"), withIntermediateDirectories: false)
    let (first, second) = (folder.path("deep/first"), folder.path("second.sqlite"))
    try files.createSymbolicLink(atPath: first, withDestinationPath: "../pois.sqlite")
    try files.createSymbolicLink(atPath: second, withDestinationPath: first)
    let result = try Command([
      "cache", "build", table, "-o", second, "--category", "pharmacy", "--limit-size", "1MB",
    ])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try files.destinationOfSymbolicLink(atPath: second) == first)
    #expect(try files.destinationOfSymbolicLink(atPath: first) == "../pois.sqlite")
    #expect(try bytes(cache) != old)
    let mode = try files.attributesOfItem(atPath: cache)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(folder.names == ["deep", "places.csv", "pois.sqlite", "second.sqlite"])
  }

  @Test func `a link to nothing leads to a new cache, a circle nowhere`() throws {
    let files = FileManager.default
    let link = folder.path("link.sqlite")
    try files.createSymbolicLink(atPath: link, withDestinationPath: "new.sqlite")
    #expect(try Command(["cache", "build", table, "-o", link]).status == 0)
    #expect(try files.destinationOfSymbolicLink(atPath: link) == "new.sqlite")
    #expect(try Command(["cache", "verify", folder.path("new.sqlite")]).status == 0)
    let circle = folder.path("circle.sqlite")
    try files.createSymbolicLink(atPath: circle, withDestinationPath: circle)
    let result = try Command(["cache", "build", table, "-o", circle])
    #expect(result.status == 74)
    #expect(result.errors.contains("circle.sqlite"), "\(result.errors)")
  }

  @Test(arguments: [
    (["--bbox", "-76.5,39.2,-76.7,39.4"], "between the two lies -76.7,39.2,-76.5,39.4"),
    (["--bbox=-76.7,39.4,-76.5,39.2"], "north of"),
    (["--bbox=-76.7,39.2,-76.5,91"], "latitude 91.0 is not between"),
    (["--bbox=-181,39.2,-76.5,40"], "longitude -181.0 is not between"),
    (["--bbox=-76.7,39.2,,40"], "four numbers"), (["--bbox=a"], "four numbers"),
    (["--near", "91,-76.6", "--within", "1km"], "latitude 91.0 is not between"),
    (["--near", "-76.6", "--within", "1km"], "a latitude and a longitude"),
    (["--near", "18.3"], "--near 18.3: a latitude and a longitude"),
    (["--near", "39,-76.6", "--within", "0km"], "nothing lies within no distance"),
    (["--near", "39,-76.6", "--within", "far"], "a length such as"),
    (["--near", "39,-76.6", "--within", " 5.5"], "such as 5.5m, 5.5km or 5.5mi"),
    (["--category", "fuel"], "did you mean gas_station?"),
    (["--category", "Supermarket"], "did you mean grocery?"),
    (["--category", "pharmaci"], "did you mean pharmacy?"),
    (["--category", "zoo"], "Known are gas_station"), (["-o", ""], "is empty"),
    (["-o", "-"], "a cache cannot go to standard output"),
  ])
  func `a selection that makes no sense is refused with what was meant`(
    options: [String],
    hint: String
  ) throws {
    let old = try bytes(cache)
    let result = try build(options)
    #expect(result.status == 64, "\(result.errors)")
    #expect(result.errors.contains(hint), "\(result.errors)")
    #expect(try bytes(cache) == old)
  }

  @Test func `a box over ±180° is fine, with blanks, too`() throws {
    try "lat,lon,category\n-17,179.9,bank\n-17,-179.9,bank\n-17,0,bank\n"
      .write(toFile: table, atomically: true, encoding: .utf8)
    let result = try build(["--bbox", "177, -19, -178, -15"])
    #expect(result.output.contains("pois.sqlite: 2 places"), "\(result.errors)")
  }

  @Test func `bad rows are counted and named, and an error where that is asked for`() throws {
    let bank = """
      {"type":"Feature","geometry":{"type":"Point","coordinates":[-76.6,39.3]},\
      "properties":{"amenity":"bank"}}
      """
    let lines = folder.path("lines.geojsonl")
    try "\(bank)\noh no\n[\(bank)]\n".write(toFile: lines, atomically: true, encoding: .utf8)
    let result = try Command(["cache", "build", lines, "-o", cache])
    #expect(result.status == 0)
    #expect(result.output.contains("skipped, not JSON: 1\nskipped, not a feature: 1\n"))
    #expect(result.errors.contains("lines.geojsonl: line 2: not JSON"), "\(result.errors)")
    let old = try bytes(cache)
    let strict = try Command(["cache", "build", lines, "-o", cache, "--strict"])
    #expect(strict.status == 65)
    #expect(strict.errors.contains("lines.geojsonl: line 2: not JSON"), "\(strict.errors)")
    #expect(try bytes(cache) == old)
  }

  @Test(arguments: [
    ("rows.csv", "id,lat,lon,category\n1,91,2,bank\n2,1,2,zoo\n"),
    (
      "map.osm", "<osm><node lat='1' lon='2'/><node id='2'><tag k='amenity' v='bank'/></node></osm>"
    ),
  ])
  func `nothing but bad rows leaves the cache as it was`(name: String, text: String) throws {
    let old = try bytes(cache)
    try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    for command in [
      ["build", folder.path(name), "-o", cache], ["update", cache, folder.path(name)],
    ] {
      let result = try Command(["cache"] + command)
      #expect(result.status == 65)
      #expect(result.errors.contains("\(name): no place is left of 2 bad rows"), "\(result.errors)")
      #expect(try bytes(cache) == old)
    }
  }
}
