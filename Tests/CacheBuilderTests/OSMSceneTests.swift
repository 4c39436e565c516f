import CacheBuilder
import Geodesy
import Places
import TestSupport
import Testing

@Suite struct OSMSceneTests {
  private static let expected = [
    "node/10": ["pharmacy"], "node/15": ["pharmacy"], "node/17": ["grocery", "post_office"],
    "way/20": ["grocery"], "way/21": ["gas_station"], "relation/30": ["bank"],
  ]

  private func check(_ result: ImportResult) throws {
    var found: [String: [String]] = [:]
    for place in result.places { found[place.sourceID] = place.categories.map(\.name) }
    #expect(found == Self.expected)
    let skipped = Set(result.skipped.rows.map { "\($0.row): \($0.reason)" })
    #expect(
      skipped == [
        "node/12: the coordinates are 0,0",
        "node/13: the coordinates are not on the earth",
        "way/22: none of its nodes is in the file",
        "relation/31: none of its member ways is in the file",
        "relation/32: a relation that is no multipolygon or boundary",
      ]
    )
    #expect(result.skipped.count == 5)
    func place(_ id: String) throws -> PointOfInterest {
      try #require(result.places.first { $0.sourceID == id })
    }
    #expect(try place("node/10").name == "Löwen & Söhne")
    #expect(try place("node/10").brand == "Löwen")
    #expect(try place("node/17").name == nil)
    #expect(
      try place("node/10").coordinate
        == Coordinate(latitudeE7: 392_950_000, longitudeE7: -766_150_000)
    )
    let middle = Coordinate(uncheckedLatitude: 39.2905, longitude: -76.6095 - 0.0000)
    for id in ["way/20", "relation/30"] {
      // A square of 86 by 111 meters: half its diagonal is 70.3.
      #expect(try place(id).coordinate.distanceMeters(to: middle) < 0.1)
      #expect(try abs(place(id).footprintRadiusMeters - 70.3) < 0.3)
    }
    // Two of three nodes are there: the middle between them.
    let half = Coordinate(uncheckedLatitude: 39.29, longitude: -76.6095)
    #expect(try place("way/21").coordinate.distanceMeters(to: half) < 0.1)
  }

  @Test
  func `an element that XML has twice is taken as it is last, and one that differs is listed`()
    throws
  {
    func node(_ id: Int, _ name: String) -> String {
      "<node id='\(id)' lat='1' lon='2'><tag k='amenity' v='bank'/><tag k='name' v='\(name)'/></node>"
    }
    let result = try readPlaces(
      "<osm>" + node(1, "A") + node(2, "B") + node(1, "C") + node(2, "B") + "</osm>"
    )
    #expect(Set(result.places.map { $0.name ?? "" }) == ["B", "C"])
    #expect(
      result.skipped.rows.map { "\($0.row): \($0.reason)" } == [
        "node/1: the id of another place above, which it replaces"
      ]
    )
  }

  /// As `osmium cat --history` and the API's `/history` write it.
  @Test func `of a history in XML the last version of each element counts`() throws {
    func version(
      _ kind: String,
      _ id: Int,
      _ version: Int,
      _ inner: String,
      at place: String = ""
    )
      -> String
    {
      "<\(kind) id='\(id)' version='\(version)' visible='true' \(place)>\(inner)</\(kind)>\n"
    }
    func deleted(_ kind: String, _ id: Int, _ version: Int) -> String {
      "<\(kind) id='\(id)' version='\(version)' visible='false'/>\n"
    }
    func bank(_ name: String) -> String { "<tag k='amenity' v='bank'/><tag k='name' v='\(name)'/>" }
    func at(_ latitude: Double) -> String { "lat='\(latitude)' lon='2'" }
    let refs = [11, 12, 13, 11].map { "<nd ref='\($0)'/>" }.joined()
    let member = "<member type='way' ref='30' role='outer'/><tag k='type' v='multipolygon'/>"
    let result = try readPlaces(
      "<osm>" + version("node", 1, 1, bank("A"), at: at(1)) + deleted("node", 1, 2)
        + version("node", 2, 1, bank("B"), at: at(1)) + version("node", 2, 2, bank("B2"), at: at(7))
        + version("node", 3, 1, bank("C"), at: at(1)) + version("node", 3, 2, "", at: at(1))
        + version("node", 4, 1, bank("D"), at: at(1))
        + version("node", 4, 2, "<tag k='shop' v='vacant'/>", at: at(1))
        + version("node", 5, 1, bank("E"), at: at(1)) + deleted("node", 5, 2)
        + version("node", 5, 3, bank("E3"), at: at(1))
        + version("node", 11, 1, "", at: at(1)) + version("node", 11, 2, "", at: at(7))
        + version("node", 12, 1, "", at: at(7)) + version("node", 13, 1, "", at: at(7))
        + version("node", 14, 1, "", at: at(7)) + deleted("node", 14, 2)
        + version("way", 20, 1, "<nd ref='14'/>" + bank("W"))
        + version("way", 20, 2, refs + bank("W2"))
        + version("way", 21, 1, "<nd ref='14'/>" + bank("X"))
        + version("way", 30, 1, refs) + deleted("way", 30, 2)
        + version("relation", 40, 1, member + bank("R")) + "</osm>"
    )
    let found = result.places.map {
      "\($0.sourceID) \($0.name ?? "") \($0.coordinate.latitude.rounded())"
    }
    #expect(found == ["node/2 B2 7.0", "node/5 E3 1.0", "way/20 W2 7.0"])
    #expect(
      result.skipped.rows.map { "\($0.row): \($0.reason)" } == [
        "way/21: none of its nodes is in the file",
        "relation/40: none of its member ways is in the file",
      ]
    )
  }

  /// What `out body; >; out skel;` prints, the query that people begin with.
  @Test func `an element that XML has again without its tags is still a place`() throws {
    let bank = "<tag k='amenity' v='bank'/>"
    let result = try readPlaces(
      "<osm><node id='2' lat='1' lon='2'>\(bank)</node><way id='3'><nd ref='2'/><nd ref='4'/>\(bank)</way>"
        + "<node id='2' lat='1' lon='2'/><node id='4' lat='1' lon='2.1'/>"
        + "<way id='3'><nd ref='2'/><nd ref='4'/></way></osm>"
    )
    #expect(result.places.map(\.sourceID) == ["node/2", "way/3"])
    #expect(result.skipped.count == 0)
    // One that has other tags by now is none.
    let closed = try readPlaces(
      "<osm><node id='2' lat='1' lon='2'>\(bank)</node><node id='2' lat='1' lon='2'>\(bank)</node>"
        + "<node id='2' lat='1' lon='2'><tag k='shop' v='vacant'/></node>"
        + "<node id='1' lat='1' lon='2'>\(bank)</node></osm>"
    )
    #expect(closed.places.map(\.sourceID) == ["node/1"])
  }

  @Test(arguments: [
    ("12", true), ("+12", true), ("-9223372036854775808", true), ("9223372036854775807", true),
    ("9223372036854775808", false), ("-9223372036854775809", false), ("", false), ("-", false),
    ("1x", false), (" 1", false), ("1.0", false),
  ])
  func `an id of XML is a whole number that fits`(id: String, isOne: Bool) throws {
    let result = try readPlaces(
      "<osm><node id='\(id)' lat='1' lon='2'><tag k='amenity' v='bank'/></node></osm>"
    )
    #expect(result.places.map(\.sourceID) == (isOne ? ["node/\(Int64(id) ?? 0)"] : []))
    #expect(result.skipped.count == (isOne ? 0 : 1))
  }

  @Test func `XML in any order`() throws {
    let result = try readPlaces(Scene.xml)
    #expect(result.format == .osmXML)
    try check(result)
  }

  @Test(arguments: [PBFWriter.Packing.raw, .zlib], [true, false])
  func `PBF, packed or not, dense or not`(packing: PBFWriter.Packing, isDense: Bool) throws {
    var writer = PBFWriter()
    writer.packing = packing
    writer.isDense = isDense
    let result = try readPlaces(Scene.pbf(writer))
    #expect(result.format == .osmPBF)
    #expect(result.dataTimestamp == "2020-09-13T12:26:40Z")
    try check(result)
  }

  /// As `osmium add-locations-to-ways` writes it.
  @Test func `PBF whose ways have the places of their nodes`() throws {
    var writer = PBFWriter()
    writer.locatesWays = true
    let result = try readPlaces(Scene.pbf(writer))
    #expect(result.places == (try readPlaces(Scene.pbf())).places)
  }

  @Test func `deleted elements of an editor's file are no places`() throws {
    let xml = """
      <osm><node id='-1' lat='1' lon='1' action='delete'><tag k='amenity' v='bank'/></node>
      <node id='-2' lat='1' lon='1' visible='false'><tag k='amenity' v='bank'/></node>
      <node id='-3' lat='1' lon='1' action='modify'><tag k='amenity' v='bank'/></node></osm>
      """
    #expect(try readPlaces(xml).places.map(\.sourceID) == ["node/-3"])
  }

  @Test func `elements without an id or a place are counted, and named by line or id`() throws {
    let bank = "<tag k='amenity' v='bank'/>"
    let xml = """
      <osm>
      <node lat='1' lon='1'>\(bank)</node>
      <node id='x' lat='1' lon='1'/>
      <node id='3' lon='1'>\(bank)</node>
      <node id='4' lat='north' lon='1'>\(bank)</node>
      <node id='5' lat='91' lon='1'>\(bank)</node>
      <node id='6' lat='1' lon='1'>\(bank)</node>
      <node lat='1' lon='1' action='delete'/><node id='7' visible='false'/>
      <way><nd ref='6'/>\(bank)</way>
      <relation id='9999999999999999999'>\(bank)</relation>
      </osm>
      """
    let result = try readPlaces(xml)
    #expect(result.places.map(\.sourceID) == ["node/6"])
    #expect(
      result.skipped.rows.map { "\($0.row): \($0.reason)" } == [
        "line 2: no id that can be read", "line 3: no id that can be read",
        "node/3: no latitude and longitude that can be read",
        "node/4: no latitude and longitude that can be read", "line 9: no id that can be read",
        "line 10: no id that can be read", "node/5: the coordinates are not on the earth",
      ]
    )
  }

  @Test(arguments: ["<osm><node id='1'", "<osm>", "<osm></node>", "<gpx></gpx>", "<osm>\0</osm>"])
  func `broken XML is an error`(xml: String) {
    #expect(throws: ImportError.self) { try readPlaces(xml) }
  }

  @Test func `the time of a map is a time, or not said`() throws {
    func time(_ start: String) throws -> String? {
      try readPlaces(start + "<node id='1' lat='1' lon='2'/></osm>").dataTimestamp
    }
    #expect(try time("<osm><meta osm_base='2020-01-01T02:00:00+02:00'/>") == "2020-01-01T00:00:00Z")
    #expect(try time("<osm><meta osm_base='lately'/>") == nil)
    #expect(try time("<osm osmosis_replication_timestamp='lately'>") == nil)
  }

  @Test func `tags without end are not kept in memory`() throws {
    let tag = "<tag k='note' v='" + String(repeating: "x", count: 1_000) + "'/>"
    let xml =
      "<osm><node id='1' lat='1' lon='2'>" + String(repeating: tag, count: 1_100) + "</node></osm>"
    let error = #expect(throws: ImportError.self) { try readPlaces(xml) }
    #expect(error?.detail.contains("more than 1048576 bytes of tags") == true)
  }

  @Test func `a token that does not end is not kept in memory`() throws {
    let xml = "<osm><node id='" + String(repeating: "1", count: 18 << 20) + "'/></osm>"
    let error = #expect(throws: ImportError.self) { try readPlaces(xml) }
    #expect(error?.detail == "a piece of XML longer than 1 MiB")
  }
}

/// Damaged files: an error that names the byte, or places, and never anything else.
@Suite struct DamagedPBFTests {
  @Test func `a file cut anywhere is an error, or ends between blocks`() throws {
    let whole = Scene.pbf()
    for count in 1..<whole.count {
      do {
        _ = try readPlaces(Array(whole[..<count]))
      } catch let error as ImportError {
        #expect(!error.description.isEmpty)
      }
    }
  }

  @Test(arguments: 0..<8)
  func `flipped bits are an error or places`(part: Int) throws {
    for seed in UInt64(part * 400)..<UInt64((part + 1) * 400) {
      var generator = SeededGenerator(seed: seed)
      var writer = PBFWriter()
      writer.packing = seed % 8 == 0 ? .zlib : .raw
      writer.isDense = seed % 3 != 0
      var bytes = Scene.pbf(writer)
      for _ in 0..<generator.integer(1...6) {
        bytes[generator.integer(0...bytes.count - 1)] ^= UInt8(1 << generator.integer(0...7))
      }
      do {
        for place in try readPlaces(bytes).places {
          let (latitude, longitude) = (place.coordinate.latitude, place.coordinate.longitude)
          #expect(abs(latitude) <= 90 && abs(longitude) <= 180, "seed \(seed)")
          #expect(place.footprintRadiusMeters.isFinite, "seed \(seed)")
        }
      } catch let error as ImportError {
        #expect(!error.description.isEmpty)
      }
    }
  }

  @Test func `an unknown feature, a full history and a huge header are refused`() throws {
    var writer = PBFWriter()
    writer.features.append("Blueprints")
    let unknown = #expect(throws: ImportError.self) { try readPlaces(Scene.pbf(writer)) }
    #expect(unknown?.code == .unsupported)
    writer.features = ["OsmSchema-V0.6", "HistoricalInformation"]
    #expect(throws: ImportError.self) { try readPlaces(Scene.pbf(writer)) }
    let huge: [UInt8] = Scene.pbf() + [0x7F, 0xFF, 0xFF, 0xFF, 0]
    let error = #expect(throws: ImportError.self) { try readPlaces(huge) }
    #expect(error?.code == .malformed)
    #expect(error?.position == .byte(Int64(huge.count - 5)))
  }

  @Test func `an lzma block is refused by name`() throws {
    var blob = PBFWriter.Message()
    blob.bytes(4, [1, 2, 3])
    var header = PBFWriter.Message()
    header.bytes(1, Array("OSMData".utf8))
    header.number(3, UInt64(blob.bytes.count))
    let bytes = Scene.pbf() + [0, 0, 0, UInt8(header.bytes.count)] + header.bytes + blob.bytes
    let error = #expect(throws: ImportError.self) { try readPlaces(bytes) }
    #expect(error?.code == .unsupported)
    #expect(error?.detail.hasPrefix("lzma") == true)
  }
}
