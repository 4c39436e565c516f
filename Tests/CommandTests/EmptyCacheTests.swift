import Foundation
import TestSupport
import Testing

/// A cache of nothing never takes the place of a good one.
@Suite struct EmptyCacheTests {
  private let folder: TemporaryFolder
  private let cache: String
  private let table: String

  init() throws {
    folder = try TemporaryFolder()
    cache = folder.path("pois.sqlite")
    table = folder.path("places.csv")
    try "id,lat,lon,category,name\n1,39.3,-76.6,pharmacy,Corner\n2,39.4,-76.6,gas_station,\n"
      .write(toFile: table, atomically: true, encoding: .utf8)
    #expect(try Command(["cache", "build", table, "-o", cache]).status == 0)
  }

  private func expectKept(_ arguments: [String], _ hint: String, status: Int32 = 65) throws {
    let old = try Data(contentsOf: URL(fileURLWithPath: cache))
    let result = try Command(["cache"] + arguments)
    #expect(result.status == status, "\(arguments): \(result.errors)")
    #expect(result.output.isEmpty, "\(result.output)")
    #expect(result.errors.contains(hint), "\(arguments): \(result.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: cache)) == old)
    #expect(!folder.names.contains { $0.hasSuffix(".building") })
  }

  private static let list = "a collection without a list of features; fetch it again"

  @Test(arguments: [
    ("{\"type\":\"FeatureCollection\",\"features\":[]}", "a collection that is empty; fetch it"),
    ("{\"features\":[ , ],\"type\":\"FeatureCollection\"}", "a collection that is empty; fetch it"),
    ("{\"type\":\"FeatureCollection\"}", list),
    ("{\"type\":\"FeatureCollection\",\"features\":{}}", list),
    ("{\"type\":\"FeatureCollection\",\"features\":null}", list),
    ("{\"type\":\"FeatureCollection\",\"features\":\"x\"}", list),
    ("{\"type\":\"FeatureCollection\",\"features\":5}", list),
    (
      "{\"type\":\"FeatureCollection\",\"features\":{\"type\":\"Feature\",\"geometry\":"
        + "{\"type\":\"Point\",\"coordinates\":[1,2]},\"properties\":{\"amenity\":\"bank\"}}}", list
    ),
    (
      "{\"type\":\"FeatureCollection\",\"features\":[42,null]}",
      "none of the 2 members of its list is a feature, the first on line 1: not a feature"
    ),
    (
      "{\"features\":[{\"type\":\"FeatureCollection\",\"features\":[]}]}",
      "the one member of its list is no feature, on line 1: not a feature"
    ),
    ("<osm version=\"0.6\"></osm>", "a map without a node or a way; fetch it again"),
    ("<osm><bounds minlat='1'/></osm>", "a map without a node or a way; fetch it again"),
    ("lat,lon,category\n", "a header without a row; fetch the table again"),
    ("lat,lon,category", "a header without a row; fetch the table again"),
    (
      "<osm><node id='1' lat='1' lon='2'><tag k='shop' v='toys'/></node></osm>",
      "no place is a gas_station, "
    ),
  ])
  func `a file without a place is an error, alone, beside a good one and at an update`(
    text: String,
    hint: String
  ) throws {
    let empty = folder.path("empty")
    try text.write(toFile: empty, atomically: true, encoding: .utf8)
    try expectKept(["build", empty, "-o", cache], hint)
    try expectKept(["update", cache, empty], hint)
    try expectKept(["update", cache, empty, "--dry-run"], hint)
    try expectKept(["build", empty, "-o", folder.path("new.sqlite")], hint)
    #expect(!folder.names.contains("new.sqlite"))
    // A good map without a place of ours is a fault only where there is nothing else.
    guard !hint.hasPrefix("no place") else { return }
    try expectKept(["build", table, empty, "-o", cache], hint)
  }

  @Test func `a file without a place is named beside a good one`() throws {
    let pins = folder.path("pins.kml")
    try "<kml><Placemark><Point><coordinates>2,1</coordinates></Point></Placemark></kml>"
      .write(toFile: pins, atomically: true, encoding: .utf8)
    for command in [["build", table, pins, "-o", cache], ["update", cache, table, pins]] {
      let result = try Command(["cache"] + command)
      #expect(result.status == 0)
      #expect(result.errors.contains("nearme: note: \(pins): no place is a gas_station, "))
    }
  }

  @Test func `a selection that nothing lies in is an error`() throws {
    let hint =
      "nothing lies in the selection: is it where the map is? --near wants LAT,LON and --bbox wants W,S,E,N"
    for options in [
      ["--near", "-76.6,39.3", "--within", "5km"], ["--bbox", "39.2,-76.7,39.4,-76.5"],
    ] {
      try expectKept(["build", table, "-o", cache] + options, hint)
    }
    try expectKept(
      ["build", table, "-o", cache, "--category", "bank"],
      "no place is a bank; take a larger extract or other categories"
    )
    let near = ["--near", "39.3,-76.6", "--within", "5km"]
    #expect(try Command(["cache", "build", table, "-o", cache] + near).status == 0)
    let far = folder.path("far.csv")
    try "lat,lon,category\n1,2,bank\n".write(toFile: far, atomically: true, encoding: .utf8)
    try expectKept(["update", cache, far], hint)
  }

  @Test func `a name that is empty is told as such`() throws {
    let hint = "the name of a file is empty: is a variable of the shell unset?"
    for arguments in [
      ["info", ""], ["verify", ""], ["export", "", "--format", "csv"], ["update", "", table],
      ["update", cache, ""],
    ] {
      try expectKept(arguments, hint, status: 64)
    }
  }
}
