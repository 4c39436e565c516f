import CBzip2
import CZlib
import CacheBuilder
import Foundation
import Geodesy
import PlaceStore
import Places
import TestSupport
import Testing
import Timeline

@Suite struct CacheBuildTests {
  private static let now = Timestamp(seconds: 1_767_633_600)

  private func write(_ bytes: [UInt8], _ path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  private func build(_ inputs: [String], _ output: String) -> CacheBuild {
    CacheBuild(inputs: inputs, output: output, builtAt: Self.now, toolVersion: "test")
  }

  @Test func `several inputs make one cache, and what it exports reads back the same`() throws {
    let folder = try TemporaryFolder()
    try write(Scene.pbf(), folder.path("town"))
    try write(
      Array("lat,lon,category,id,name\n1,2,bank,x,X\n3,4,bank,node/10,Moved\n".utf8),
      folder.path("mine")
    )
    let report = try build([folder.path("town"), folder.path("mine")], folder.path("a")).run()
    #expect(report.placeCount == 7)
    #expect(report.replacedCount == 1)
    #expect(report.skipped.count == 5)
    #expect(report.provenance.inputs.map(\.placeCount) == [5, 2])
    let cache = try POICache.open(folder.path("a"))
    #expect(try cache.problems() == [])
    let places = try cache.allPointsOfInterest()
    #expect(places.first { $0.sourceID == "node/10" }?.name == "Moved")
    let csv = csvHeader + places.map { csvRow($0) }.joined()
    #expect(try readPlaces(csv).places == places)
    let features = places.map { geoJSONFeature($0) }
    let json = geoJSONStart + features.joined(separator: ",\n") + geoJSONEnd
    // Ids of our own making gain a prefix only if they are bare: `x` stays `x`.
    #expect(try readPlaces(json).places == places)
  }

  @Test func `what is printed after a build is what the cache says of itself`() throws {
    let folder = try TemporaryFolder()
    try write(Scene.pbf(), folder.path("town"))
    try write(
      Array("lat,lon,category\n-1.00000004,2,bank;pharmacy\n3,-4.5,bank\n".utf8),
      folder.path("mine")
    )
    let report = try build([folder.path("town"), folder.path("mine")], folder.path("a")).run()
    let categories = CategoryRules.standard.categories.map(\.id)
    let cache = try POICache.open(folder.path("a"))
    #expect(try cache.summary() == CacheSummary(of: report.places, and: categories))
    let empty = build([folder.path("town")], folder.path("b"))
    try POICacheWriter(target: empty.output)
      .write([], categories: categories, provenance: report.provenance)
    #expect(
      try POICache.open(empty.output).summary() == CacheSummary(of: [], and: categories)
    )
  }

  @Test func `a build says how far it is, and of each row that it skips`() throws {
    let folder = try TemporaryFolder()
    try write(Scene.pbf(), folder.path("town"))
    try write(Array(Scene.xml.utf8), folder.path("town.osm"))
    let rows = (0..<5_000).map { "\($0),1,2,bank\n,0,0,bank\n" }
    let table = "id,lat,lon,category\n" + rows.joined()
    try write(Array(table.utf8), folder.path("table"))
    let told = Told()
    var all = build(["town", "town.osm", "table"].map(folder.path), folder.path("a"))
    all.onProgress = { told.add($0) }
    all.onSkip = { told.add($0) }
    let report = try all.run()
    #expect(told.skipped.count == 5_010)
    #expect(report.skipped.count == 5_010)
    #expect(report.skipped.rows == Array(told.skipped.prefix(SkippedRows.listed)))
    for path in all.inputs {
      let last = told.steps.last { $0.step == .reading(path: path, look: 1) }
      #expect(try #require(last).done == last?.total, "\(path)")
    }
    let last = try #require(told.steps.last)
    #expect(last.step == .writing)
    #expect(last.done == last.total && last.total > 5_000)
    for (a, b) in zip(told.steps, told.steps.dropFirst()) where a.step == b.step {
      #expect(a.total == b.total && a.total >= a.done)
    }
  }

  /// Unchecked: everything is touched under the lock only.
  private final class Told: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var steps: [BuildProgress] = []
    private(set) var skipped: [SkippedRow] = []

    func add(_ step: BuildProgress) { lock.withLock { steps.append(step) } }
    func add(_ row: SkippedRow) { lock.withLock { skipped.append(row) } }
  }

  @Test func `a selection takes what lies in it`() throws {
    let folder = try TemporaryFolder()
    try write(Scene.pbf(), folder.path("town"))
    var some = build([folder.path("town")], folder.path("a"))
    let center = Coordinate(uncheckedLatitude: 39.2905, longitude: -76.6095)
    some.selection.circles = [.init(center: center, radiusMeters: 100)]
    #expect(try some.run().placeCount == 3)
    some.selection.box = BoundingBox(west: -77, south: 39.2902, east: -76, north: 40)
    let report = try some.run()
    #expect(report.placeCount == 2)
    #expect(report.outsideCount == 4)
    some.rules = try #require(CategoryRules.standard.limited(to: ["bank"]))
    #expect(try some.run().placeCount == 1)
  }

  @Test func `strict, missing and damaged inputs leave the old cache`() throws {
    let folder = try TemporaryFolder()
    let output = folder.path("a.sqlite")
    try write(Scene.pbf(), folder.path("town"))
    _ = try build([folder.path("town")], output).run()
    let before = try Data(contentsOf: URL(fileURLWithPath: output))
    var strict = build([folder.path("town")], output)
    strict.isStrict = true
    #expect(#expect(throws: ImportError.self) { try strict.run() }?.code == .badRow)
    try write(Array(Scene.pbf().dropLast(9)), folder.path("cut"))
    let cut = build([folder.path("town"), folder.path("cut")], output)
    #expect(#expect(throws: ImportError.self) { try cut.run() }?.code == .truncated)
    let missing = build([folder.path("nowhere")], output)
    #expect(#expect(throws: ImportError.self) { try missing.run() }?.code == .missing)
    var stopped = build([folder.path("town")], output)
    stopped.isInterrupted = { true }
    #expect(throws: ImportError.self) { try stopped.run() }
    #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == before)
    #expect(folder.names == ["a.sqlite", "cut", "town"])
  }

  @Test func `one of several inputs that has nothing but bad rows leaves the old cache`() throws {
    let folder = try TemporaryFolder()
    let output = folder.path("a.sqlite")
    try write(Scene.pbf(), folder.path("town"))
    try write(Array("id,category,lat,lon\nm,bank,1,2\n".utf8), folder.path("mine"))
    let inputs = [folder.path("town"), folder.path("mine")]
    let report = try build(inputs, output).run()
    let before = try Data(contentsOf: URL(fileURLWithPath: output))
    try write(Array("id,categorie,lat,lon\nm,bank,1,2\n".utf8), folder.path("mine"))
    for order in [inputs, inputs.reversed()] {
      var update = build(order, output)
      update.renew(report.places)
      let error = #expect(throws: ImportError.self) { try update.run() }
      #expect(error?.code == .badRow)
      #expect(error?.path == folder.path("mine"))
      #expect(error?.detail.contains("line 2: no category") == true)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == before)
    // The edge of a map may cut all that it has.
    let edge =
      #"<osm version="0.6"><way id="9"><nd ref="8"/><nd ref="7"/><tag k="amenity" v="bank"/></way></osm>"#
    try write(Array(edge.utf8), folder.path("edge.osm"))
    let both = try build([inputs[0], folder.path("edge.osm")], folder.path("b.sqlite")).run()
    #expect(both.placeCount == report.placeCount - 1 && both.skipped.count > 0)
    // What is outside of the selection was read all the same.
    try write(Array("id,category,lat,lon\nm,bank,1,2\nn,x,1,2\n".utf8), folder.path("mine"))
    var some = build(inputs, output)
    some.selection.box = BoundingBox(west: -77, south: 39, east: -76, north: 40)
    #expect(try some.run().placeCount == 6)
  }

  @Test(arguments: [
    (
      "<kml><Placemark><name>P</name><Point><coordinates>2,1</coordinates></Point></Placemark></kml>",
      "call the folder of your placemarks like one of these, or give each a `category` among its data"
    ),
    (
      "{\"type\":\"Feature\",\"properties\":{\"name\":\"P\"},"
        + "\"geometry\":{\"type\":\"Point\",\"coordinates\":[2,1]}}",
      "give each of your features one of these as its `category`"
    ),
  ])
  func `pins without a category are told how to have one, alone and beside a map`(
    text: String,
    advice: String
  ) throws {
    let folder = try TemporaryFolder()
    try write(Array(text.utf8), folder.path("pins"))
    try write(Scene.pbf(), folder.path("town"))
    let alone = build([folder.path("pins")], folder.path("a"))
    let error = #expect(throws: ImportError.self) { try alone.run() }
    #expect(error?.code == .noPlace)
    let reason =
      "no place is a gas_station, pharmacy, grocery, bank, post_office; \(advice), "
      + "or take a larger extract or other categories"
    #expect(error?.detail == reason)
    let report = try build([folder.path("town"), folder.path("pins")], folder.path("a")).run()
    #expect(report.placeCount == 6)
    #expect(report.emptyInputs.map(\.path) == [folder.path("pins")])
    #expect(report.emptyInputs.map(\.reason) == [reason])
    #expect(try build([folder.path("town")], folder.path("a")).run().emptyInputs == [])
  }

  private static let corners =
    "<node id='10' lat='48' lon='12'/><node id='11' lat='48' lon='12.002'/>"
  private static let rest =
    "<node id='12' lat='48.002' lon='12.002'/><node id='13' lat='48.002' lon='12'/>"
  private static let tags = "<tag k='shop' v='supermarket'/><tag k='name' v='Square'/>"
  private static let relation =
    "<relation id='1'><member type='way' ref='1' role='outer'/>"
    + "<member type='way' ref='2' role='outer'/><tag k='type' v='multipolygon'/>\(tags)</relation>"
  private static let square =
    "<way id='1'><nd ref='10'/><nd ref='11'/><nd ref='12'/><nd ref='13'/><nd ref='10'/>\(tags)</way>"
  private static func member(_ type: String, _ points: String?) -> String {
    "{\"type\":\"way\",\"ref\":1,\"role\":\"\(type)\""
      + (points.map { ",\"geometry\":[\($0)]" } ?? "") + "}"
  }
  private static func answer(_ element: String) -> String {
    "{\"version\":0.6,\"elements\":[{\(element),"
      + "\"tags\":{\"type\":\"multipolygon\",\"shop\":\"supermarket\",\"name\":\"Square\"}}]}"
  }
  private static let south = "{\"lat\":48,\"lon\":12},{\"lat\":48,\"lon\":12.002}"
  private static let north = "{\"lat\":48.002,\"lon\":12.002},{\"lat\":48.002,\"lon\":12}"
  private static let ring = "\(south),\(north),{\"lat\":48,\"lon\":12}"

  /// The outline whole, and as an extract has it that ends in the middle.
  private static let outlines: [(whole: String, cut: String)] = [
    (
      "<osm>\(corners)\(rest)<way id='1'><nd ref='10'/><nd ref='11'/></way><way id='2'><nd ref='11'/>"
        + "<nd ref='12'/><nd ref='13'/><nd ref='10'/></way>\(relation)</osm>",
      "<osm>\(corners)<way id='1'><nd ref='10'/><nd ref='11'/></way>\(relation)</osm>"
    ), ("<osm>\(corners)\(rest)\(square)</osm>", "<osm>\(corners)\(square)</osm>"),
    (
      answer("\"type\":\"way\",\"id\":1,\"geometry\":[\(ring)]"),
      answer("\"type\":\"way\",\"id\":1,\"geometry\":[\(south),null,null,null]")
    ),
    (
      answer("\"type\":\"relation\",\"id\":1,\"members\":[\(member("outer", ring))]"),
      answer(
        "\"type\":\"relation\",\"id\":1,\"members\":[\(member("outer", south)),\(member("outer", nil))]"
      )
    ),
  ]

  @Test(arguments: outlines)
  func `a place that one of several extracts cuts stays whole, whatever their order`(
    whole: String,
    cut: String
  ) throws {
    let folder = try TemporaryFolder()
    try write(Array(whole.utf8), folder.path("whole"))
    try write(Array(cut.utf8), folder.path("cut"))
    let files = [folder.path("whole"), folder.path("cut")]
    let place = try #require(try readPlaces(whole).places.first)
    #expect(try readPlaces(cut).places.first?.sourceID == place.sourceID)
    #expect(try readPlaces(cut).places != [place])
    let kept = try build(files, folder.path("a")).run()
    #expect(kept.places == [place])
    #expect(kept.keptWhole == [place.sourceID])
    #expect(kept.replacedCount == 0)
    #expect(kept.provenance.inputs.map(\.placeCount) == [1, 0])
    let replaced = try build(files.reversed(), folder.path("a")).run()
    #expect(replaced.places == [place])
    #expect(replaced.keptWhole == [])
    #expect(replaced.replacedCount == 1)
    #expect(replaced.replacedOthers.isEmpty)
    // Of two parts the later counts, and so it does of two that are whole.
    #expect(try build([files[1], files[1]], folder.path("a")).run().replacedCount == 1)
    #expect(try build([files[0], files[0]], folder.path("a")).run().replacedCount == 1)
  }

  @Test func `gzip of every text format, in several members, and cut short`() throws {
    let folder = try TemporaryFolder()
    let text = Array(Scene.xml.utf8)
    let halves = [Array(text[..<200]), Array(text[200...])]
    var packed: [UInt8] = []
    for (index, half) in halves.enumerated() {
      let path = folder.path("part\(index)")
      let file = gzopen(path, "wb")
      #expect(gzwrite(file, half, UInt32(half.count)) == Int32(half.count))
      gzclose(file)
      packed += try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    }
    #expect(try readPlaces(packed).places == readPlaces(Scene.xml).places)
    #expect(try readPlaces(packed + [0, 0, 0]).places.count == 6)
    for count in stride(from: 1, to: packed.count, by: 7) {
      #expect(throws: ImportError.self) { try readPlaces(Array(packed[..<count])) }
    }
    var flipped = packed
    flipped[packed.count / 2] ^= 0x40
    #expect(throws: ImportError.self) { try readPlaces(flipped) }
  }

  private func bzip2(_ bytes: [UInt8]) -> [UInt8] {
    var source = bytes.map(CChar.init(bitPattern:))
    var packed = [CChar](repeating: 0, count: bytes.count + 1_000)
    var count = UInt32(packed.count)
    let result = BZ2_bzBuffToBuffCompress(
      &packed,
      &count,
      &source,
      UInt32(source.count),
      9,
      0,
      0
    )
    #expect(result == BZ_OK)
    return packed.prefix(Int(count)).map(UInt8.init(bitPattern:))
  }

  @Test func `bzip2 of every text format, in several members, cut short and damaged`() throws {
    let text = Array(Scene.xml.utf8)
    let packed = bzip2(Array(text[..<200])) + bzip2(Array(text[200...]))
    #expect(try readPlaces(packed).places == readPlaces(Scene.xml).places)
    #expect(try readPlaces(packed + [0, 0, 0]).places.count == 6)
    #expect(try readPlaces(bzip2(Array("lat,lon,category\n1,2,bank\n".utf8))).places.count == 1)
    for count in stride(from: 1, to: packed.count, by: 7) {
      #expect(throws: ImportError.self) { try readPlaces(Array(packed[..<count])) }
    }
    let cut = #expect(throws: ImportError.self) { try readPlaces(packed.dropLast(5) + []) }
    #expect(cut?.code == .truncated)
    var flipped = packed
    flipped[packed.count / 2] ^= 0x40
    let damaged = #expect(throws: ImportError.self) { try readPlaces(flipped) }
    #expect(damaged?.code == .malformed)
    let pbf = #expect(throws: ImportError.self) { try readPlaces(bzip2(Scene.pbf())) }
    #expect(pbf?.detail.hasSuffix("unpack it with bunzip2") == true)
  }

  @Test(arguments: [
    ("<osm><node id='1' lat='1' lon='1' timestamp='2012-07-06T12:59:39Z'>", "CC BY-SA 2.0"),
    ("<osm><node id='1' lat='1' lon='1' timestamp='2012-09-12T00:00:00Z'>", "ODbL 1.0"),
    (
      "<osm><meta osm_base='2020-01-01T00:00:00Z'/><node id='1' lat='1' lon='1' "
        + "timestamp='2012-07-06T12:59:39Z'>", "ODbL 1.0"
    ),
    ("<osm><node id='1' lat='1' lon='1' timestamp='nonsense'>", "ODbL 1.0"),
  ])
  func `the license is that of the data's day`(start: String, license: String) throws {
    let text = start + "<tag k='amenity' v='bank'/></node></osm>"
    #expect(try provenance(of: text).license == license)
    #expect(try provenance(of: text).attribution == "© OpenStreetMap contributors, \(license)")
  }

  @Test func `a place that an older version named by its format keeps that name`() throws {
    let folder = try TemporaryFolder()
    let rows = "lat,lon,category,id\n1,2,bank,\n3,4,bank,\n5,6,bank,mine\n"
    try write(Array(rows.utf8), folder.path("input"))
    var build = build([folder.path("input")], folder.path("a.sqlite"))
    let ids = try build.run().places.map(\.sourceID)
    let older = ids.map { "geojson/" + $0.dropFirst(4) }
    build.preferredIDs = [older[0], ids[1], older[1], "geojson/0"]
    #expect(try build.run().places.map(\.sourceID) == [older[0], ids[1], "mine"])
    // An id that is taken stays with whom it has.
    try write(Array((rows + "7,8,bank,\(older[0])\n").utf8), folder.path("input"))
    #expect(try build.run().places.map(\.sourceID) == ids + [older[0]])
  }

  private static func feature(_ properties: String) -> String {
    "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[2,1]},"
      + "\"properties\":{\"amenity\":\"bank\",\"phone\":\"1\",\(properties)}}"
  }

  @Test(arguments: [
    ("osm_id,lat,lon,amenity,phone\n5,1,2,bank,1\n", "5", "osm_id/5"),
    ("@type,@id,@lat,@lon,amenity,phone\nnode,5,1,2,bank,1\n", "5", "node/5"),
    ("id,type,lat,lon,amenity,phone\n5,way,1,2,bank,1\n", "5", "way/5"),
    (feature(#""id":"node/5""#), "id/node/5", "node/5"),
    (feature(#""@type":"node","@id":5"#), "geojson-id/5", "node/5"),
    (feature(#""osm_type":"way","osm_id":5,"id":7"#), "way/7", "way/5"),
  ])
  func `a place keeps the id that an older version has read for it`(
    text: String,
    older: String,
    newer: String
  ) throws {
    let folder = try TemporaryFolder()
    try write(Array(text.utf8), folder.path("input"))
    var build = build([folder.path("input")], folder.path("a.sqlite"))
    for (known, id) in [([], newer), ([older], older), ([older, newer], newer), ([newer], newer)] {
      build.preferredIDs = Set(known)
      let report = try build.run()
      #expect(report.places.map(\.sourceID) == [id], "\(known)")
      #expect(report.details == [id: "{\"phone\":\"1\"}"], "\(known)")
      // Whose data it is does not go by how it is called.
      #expect(report.provenance.inputs.map(\.license) == ["ODbL 1.0"], "\(known)")
    }
  }

  /// Links, say, of which the end tells them apart.
  @Test func `long ids are kept whole, and told where they are too long`() throws {
    let folder = try TemporaryFolder()
    let link = "https://example.org/" + String(repeating: "é", count: 280)
    let most = String(repeating: "é", count: 4_096)
    let ids = [link + "1", link + "2", most, most + "1"]
    let table = "id,lat,lon,category\n" + ids.map { "\($0),1,2,bank\n" }.joined()
    let features = ids.map { Self.feature("\"source_id\":\"\($0)\"") }.joined(separator: "\n")
    let part = String(link.prefix(255))
    for (text, last) in [(table, "line 5"), (features, "line 4")] {
      try write(Array(text.utf8), folder.path("input"))
      var build = build([folder.path("input")], folder.path("a.sqlite"))
      let report = try build.run()
      #expect(report.places.map(\.sourceID) == Array(ids.prefix(3)))
      #expect(
        report.skipped.rows.map { "\($0.row): \($0.reason)" }
          == ["\(last): an id longer than 4,096 letters"]
      )
      #expect(try POICache.open(folder.path("a.sqlite")).allPointsOfInterest().count == 3)
      // Older versions have made one of two that begin alike.
      build.preferredIDs = [part]
      #expect(try build.run().places.map(\.sourceID) == Array(ids.prefix(3)))
      try write(Array(text.replacing(ids[1], with: "other").utf8), folder.path("input"))
      #expect(try build.run().places.map(\.sourceID) == [part, "other", most])
    }
  }

  /// What stands before it is ours.
  @Test func `an id is as long as its data has it`() throws {
    let most = String(repeating: "é", count: 4_096)
    for (key, prefix) in [
      ("@id", "geojson-id/"), ("osm_id", "osm_id/"), ("id", "id/"), ("source_id", ""),
    ] {
      let result = try readPlaces(
        Self.feature("\"\(key)\":\"\(most)\"") + "\n" + Self.feature("\"\(key)\":\"\(most)1\"")
      )
      #expect(result.places.map(\.sourceID) == [prefix + most])
      #expect(result.skipped.rows.map(\.row) == ["line 2"])
    }
    let table = try readPlaces("osm_id,lat,lon,category\n\(most),1,2,bank\n\(most)1,1,2,bank\n")
    #expect(table.places.map(\.sourceID) == ["osm_id/" + most])
    #expect(table.skipped.rows.map(\.row) == ["line 3"])
  }

  /// The ids that places of a text have where a cache knows some of them.
  private func ids(_ text: String, known: Set<String> = []) throws -> [String] {
    let folder = try TemporaryFolder()
    try write(Array(text.utf8), folder.path("input"))
    var build = build([folder.path("input")], folder.path("a.sqlite"))
    build.preferredIDs = known
    return try build.run().places.map(\.sourceID)
  }

  @Test func `an older id without a column of its own was made up`() throws {
    let made = try ids("lat,lon,amenity\n1,2,bank\n")[0]
    let table = "full_id,lat,lon,amenity\nr5,1,2,bank\n"
    #expect(try ids(table) == ["relation/5"])
    #expect(try ids(table, known: [made]) == [made])
    let older = "geojson/" + made.dropFirst(4)
    #expect(try ids(Self.feature(#""full_id":"r5""#), known: [older]) == [older])
  }

  /// Versions before have read keys as they are written only, and so other names and ids.
  @Test func `a place whose keys were not read keeps its older id`() throws {
    let nameless = try ids("lat,lon,category\n1,2,bank\n")[0]
    let older = "geojson/" + nameless.dropFirst(4)
    for text in [
      Self.feature(#""Name":"N""#), Self.feature(#""title":"N""#),
      Self.feature(#""Chain":"C","OSM_ID":5"#), Self.feature(#""place_id":"P""#),
      "<kml><Placemark><ExtendedData><Data name='Category'><value>bank</value></Data>"
        + "<Data name='Name'><value>N</value></Data></ExtendedData>"
        + "<Point><coordinates>2,1</coordinates></Point></Placemark></kml>",
    ] {
      let newer = try ids(text)[0]
      #expect(newer != nameless, "\(text)")
      for known in [nameless, older] {
        #expect(try ids(text, known: [known]) == [known], "\(text)")
        #expect(try ids(text, known: [known, newer]) == [newer], "\(text)")
      }
    }
    for column in ["OSM ID", "Place ID", "Source-ID"] {
      let table = "lat,lon,category,\(column)\n1,2,bank,5\n"
      #expect(try ids(table)[0].hasSuffix("5"))
      #expect(try ids(table, known: [nameless]) == [nameless], "\(column)")
    }
    let two = "lat,lon,category,Source ID,osm_id\n1,2,bank,mine,5\n"
    #expect(try ids(two) == ["mine"])
    #expect(try ids(two, known: ["osm_id/5"]) == ["osm_id/5"])
  }

  @Test func `an older id that several places could mean is given to none`() throws {
    let folder = try TemporaryFolder()
    func ids(_ texts: [String]) throws -> [String] {
      var paths: [String] = []
      for (number, text) in texts.enumerated() {
        paths.append(folder.path("input\(number)"))
        try write(Array(text.utf8), paths[number])
      }
      var build = build(paths, folder.path("a.sqlite"))
      build.preferredIDs = ["5"]
      return try build.run().places.map(\.sourceID)
    }
    let (node, way) = ("@type,@id,@lat,@lon,amenity\nnode,5,1,2,bank\n", "way,5,3,4,bank\n")
    #expect(try ids([node + way]) == ["node/5", "way/5"])
    let numbers = "osm_id,lat,lon,amenity\n5,6,7,bank\n"
    #expect(try ids([node, numbers]) == ["node/5", "osm_id/5"])
    // One's own number stays one's own.
    #expect(try ids(["id,lat,lon,amenity\n5,1,2,bank\n", numbers]) == ["5", "osm_id/5"])
  }

  @Test func `data of nobody knows whom is not attributed to OpenStreetMap`() throws {
    let mine = try provenance(of: "lat,lon,category,id\n1,2,bank,mine\n")
    #expect(mine.license == nil)
    #expect(mine.attribution == nil)
    #expect(try provenance(of: "lat,lon,category,id\n1,2,bank,way/5\n").license == "ODbL 1.0")
    let layer = "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},"
    #expect(
      try provenance(of: layer + "\"properties\":{\"osm_id\":\"5\",\"amenity\":\"bank\"}}").license
        == "ODbL 1.0"
    )
    #expect(try provenance(of: layer + "\"properties\":{\"amenity\":\"bank\"}}").license == nil)
  }

  private func provenance(of text: String) throws -> CacheProvenance.Input {
    let folder = try TemporaryFolder()
    try write(Array(text.utf8), folder.path("input"))
    let report = try build([folder.path("input")], folder.path("a.sqlite")).run()
    return try #require(report.provenance.inputs.first)
  }
}
