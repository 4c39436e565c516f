import Foundation
import Geodesy
import Places
import TestSupport
import Testing

import CacheBuilder

/// What people have besides maps: Overpass JSON, KML, tables with shapes or decimal commas.
@Suite struct ForeignFormatTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(_ name: String, _ text: String) throws -> ImportResult {
    let path = folder.path(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return try importPlaces(path: path)
  }

  private func refusal(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = folder.path(name)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    do {
      _ = try importPlaces(path: path)
      return "read"
    } catch {
      return "\(error)"
    }
  }

  private static let square = """
    {"lat":39.0,"lon":-76.0},{"lat":39.0,"lon":-75.999},{"lat":39.001,"lon":-75.999},\
    {"lat":39.001,"lon":-76.0},{"lat":39.0,"lon":-76.0}
    """

  /// A server that runs out of time or memory sends status 200, and what it has.
  @Test func `an answer that the server broke off is no answer`() throws {
    let element =
      "{\"type\":\"node\",\"id\":1,\"lat\":39,\"lon\":-76,\"tags\":{\"amenity\":\"bank\"}}"
    for elements in [element, ""] {
      let answer =
        "{\"osm3s\":{},\"elements\":[\(elements)],\"remark\":\"runtime error: Query timed out in \\\"query\\\"\"}"
      let refusal = try refusal("broken", Array(answer.utf8))
      #expect(
        refusal.contains("the server stopped in the middle: \"runtime error: Query timed out")
      )
    }
    let xml =
      "<osm><node id=\"1\" lat=\"1\" lon=\"2\"/><remark> runtime error: out of memory </remark></osm>"
    #expect(try refusal("broken.osm", Array(xml.utf8)).contains("the server stopped in the middle"))
    let whole = try read(
      "whole",
      "{\"osm3s\":{\"timestamp_osm_base\":\"2026-11-01T10:00:00Z\"},\"elements\":[\(element)],\"remark\":\"fine\"}"
    )
    #expect(whole.dataTimestamp == "2026-11-01T10:00:00Z")
  }

  /// As the API's `/history.json` has them.
  @Test func `of several versions of an element in JSON the last one counts`() throws {
    func element(_ type: String, _ id: Int, _ version: Int, _ rest: String) -> String {
      "{\"type\":\"\(type)\",\"id\":\(id),\"version\":\(version),\(rest)}"
    }
    func bank(_ name: String) -> String { "\"tags\":{\"amenity\":\"bank\",\"name\":\"\(name)\"}" }
    func at(_ latitude: Int) -> String { "\"lat\":\(latitude),\"lon\":2" }
    let gone = "\"visible\":false"
    let elements = [
      element("node", 1, 1, at(1) + "," + bank("A")), element("node", 1, 2, gone),
      element("node", 2, 1, at(1) + "," + bank("B")),
      element("node", 2, 2, at(7) + "," + bank("B2")),
      element("node", 3, 1, at(1) + "," + bank("C")), element("node", 3, 2, at(1)),
      element("node", 4, 1, at(1) + "," + bank("D")),
      element("node", 4, 2, at(1) + ",\"tags\":{\"shop\":\"vacant\"}"),
      element("node", 5, 1, at(1) + "," + bank("E")), element("node", 5, 2, gone),
      element("node", 5, 3, at(7) + "," + bank("E3")),
      element("node", 11, 1, at(7)), element("node", 12, 1, at(7)), element("node", 12, 2, gone),
      // These wait for their nodes.
      element("way", 20, 1, "\"nodes\":[12],\(bank("W"))"),
      element("way", 20, 2, "\"nodes\":[11],\(bank("W2"))"),
      element("way", 21, 1, "\"nodes\":[11],\(bank("X"))"), element("way", 21, 2, gone),
      element("way", 22, 1, "\"nodes\":[11],\(bank("Y"))"),
      element("way", 22, 2, "\"center\":{\(at(3))},\(bank("Y2"))"),
      // Where they were once, they are no longer.
      element("node", 13, 1, at(7)), element("node", 13, 2, at(7) + "," + gone),
      element("way", 23, 1, "\"nodes\":[13],\(bank("Z"))"),
      element("way", 30, 1, "\"nodes\":[11]"),
      element("way", 30, 2, "\"nodes\":[11],\(gone)"),
      element(
        "relation",
        40,
        1,
        "\"members\":[{\"type\":\"way\",\"ref\":30,\"role\":\"outer\"}],\(bank("R"))"
      ),
    ]
    let result = try read(
      "history.json",
      "{\"elements\":[" + elements.joined(separator: ",\n") + "]}"
    )
    let found = result.places.map { "\($0.sourceID) \($0.name ?? "") \($0.coordinate.latitude)" }
    #expect(found == ["node/2 B2 7.0", "node/5 E3 7.0", "way/20 W2 7.0", "way/22 Y2 3.0"])
    #expect(result.skipped.rows.map(\.row) == ["way/23", "relation/40"])
  }

  @Test func `an element that JSON has again without its tags is still a place`() throws {
    let tags = "\"tags\":{\"amenity\":\"bank\"}"
    let node = "{\"type\":\"node\",\"id\":1,\"lat\":39,\"lon\":-76"
    let way = "{\"type\":\"way\",\"id\":2,\"nodes\":[1,1]"
    let result = try read(
      "skel",
      "{\"elements\":[\(node),\(tags)},{\"type\":\"node\",\"id\":1},\(way),\(tags)},\(node)},\(way)}]}"
    )
    #expect(result.places.map(\.sourceID) == ["node/1", "way/2"])
    #expect(result.skipped.count == 0)
  }

  @Test func `an element without an id is counted, not made one of`() throws {
    let tags = "\"lat\":39,\"lon\":-76,\"tags\":{\"amenity\":\"bank\"}"
    let result = try read(
      "ids",
      "{\"elements\":[{\"type\":\"node\",\(tags)},\n{\"id\":2,\(tags)},\n{\"type\":\"node\",\"id\":3,\(tags)}]}"
    )
    #expect(result.places.map(\.sourceID) == ["node/3"])
    #expect(result.skipped.rows.map(\.row) == ["line 1", "line 2"])
  }

  /// - Source: wiki.openstreetmap.org/wiki/Overpass_API/Overpass_QL, `out center` and `out geom`.
  @Test func `Overpass's XML has middles, and shapes in its ways`() throws {
    let result = try read(
      "center.osm",
      """
      <osm version="0.6">
      <node id="1" lat="10.0" lon="20.0"/>
      <way id="2"><center lat="11.0" lon="20.0"/><nd ref="1"/><nd ref="9"/><tag k="amenity" v="bank"/></way>
      <way id="3"><nd ref="5" lat="12.0" lon="20.0"/><nd ref="6" lat="12.0" lon="20.001"/>
        <nd ref="7" lat="12.001" lon="20.0"/><nd ref="5" lat="12.0" lon="20.0"/><tag k="amenity" v="fuel"/></way>
      <relation id="4"><center lat="13.0" lon="20.0"/><tag k="type" v="multipolygon"/>
        <tag k="amenity" v="pharmacy"/></relation>
      </osm>
      """
    )
    #expect(result.places.map(\.sourceID) == ["way/2", "way/3", "relation/4"])
    #expect(
      result.places.map { ($0.coordinate.latitude * 100).rounded() } == [1_100, 1_200, 1_300]
    )
    #expect(result.skipped.count == 0)
  }

  /// - Source: wiki.openstreetmap.org/wiki/Overpass_API/Overpass_QL, `out geom`: a relation's ways without their nodes' ids.
  @Test func `Overpass's XML has the shapes of relations in their members`() throws {
    func way(_ id: Int, _ role: String, _ positions: [(Double, Double)]) -> String {
      "<member type=\"way\" ref=\"\(id)\" role=\"\(role)\">"
        + positions.map { "<nd lat=\"\($0.0)\" lon=\"\($0.1)\"/>" }.joined() + "</member>"
    }
    let result = try read(
      "geom.osm",
      """
      <osm version="0.6"><relation id="4">
      \(way(8, "outer", [(-12, 20), (-12, 20.001), (-11.999, 20.001)]))
      \(way(9, "outer", [(-12, 20), (-11.999, 20), (-11.999, 20.001)]))
      <member type="node" ref="8" role="entrance" lat="1.0" lon="2.0"/>
      <tag k="type" v="multipolygon"/><tag k="amenity" v="bank"/></relation>
      <relation id="5"><member type="way" ref="10" role="outer"/>
      <tag k="type" v="multipolygon"/><tag k="amenity" v="bank"/></relation>
      <way id="10"><nd lat="5.0" lon="7.0"/><nd lat="5.0" lon="7.001"/><nd lat="5.001" lon="7.0"/>
      <nd lat="5.0" lon="7.0"/></way>
      </osm>
      """
    )
    #expect(
      result.places.map(\.sourceID) == ["relation/4", "relation/5"],
      "\(result.skipped.rows)"
    )
    #expect(result.places.allSatisfy { $0.footprintRadiusMeters > 0 })
    let middle = try #require(result.places.first).coordinate
    #expect(abs(middle.latitude - -11.9995) < 1e-6 && abs(middle.longitude - 20.0005) < 1e-6)
  }

  @Test func `members of a relation may have more nodes than a way`() throws {
    let nodes = String(repeating: "<nd lat='5' lon='7'/>", count: 600_000)
    let border = "<member type='way' ref='7' role='label'>\(nodes)</member>"
    let corners = [
      "lat='5' lon='7'", "lat='5' lon='7.001'", "lat='5.001' lon='7'", "lat='5' lon='7'",
    ]
    let result = try read(
      "large.osm",
      "<osm><relation id='4'>\(border)\(border)<member type='way' ref='8' role='outer'>"
        + corners.map { "<nd \($0)/>" }.joined() + "</member><tag k='type' v='multipolygon'/>"
        + "<tag k='amenity' v='bank'/></relation></osm>"
    )
    #expect(result.places.map(\.sourceID) == ["relation/4"], "\(result.skipped.rows)")
  }

  @Test func `an answer of Overpass has its nodes, its ways and its relations`() throws {
    let result = try read(
      "answer",
      """
      {"version": 0.6, "generator": "Overpass API", "osm3s": {"copyright": "a [\\"b\\"] {c}"},
       "elements": [
        {"type":"node","id":1,"lat":39.29,"lon":-76.61,"tags":{"amenity":"pharmacy","name":"A \\"{[\\""}},
        {"type":"way","id":2,"geometry":[\(Self.square)],"tags":{"shop":"supermarket"}},
        {"type":"way","id":3,"center":{"lat":39.3,"lon":-76.6},"nodes":[9],"tags":{"amenity":"bank"}},
        {"type":"way","id":4,"nodes":[11,12,13,11],"tags":{"amenity":"fuel"}},
        {"type":"relation","id":5,"members":[{"type":"way","ref":6,"role":"outer"},
          {"type":"way","ref":7,"role":"outer"}],"tags":{"type":"multipolygon","amenity":"post_office"}},
        {"type":"node","id":11,"lat":39.1,"lon":-76.1},{"type":"node","id":12,"lat":39.1,"lon":-76.099},
        {"type":"node","id":13,"lat":39.101,"lon":-76.1},{"type":"node","id":8,"lat":39.2,"lon":-76.2},
        {"type":"way","id":6,"nodes":[11,12]},{"type":"way","id":7,"nodes":[11,13,12]},
        {"type":"way","id":10,"nodes":[99],"tags":{"amenity":"pharmacy"}},
        {"type":"node","id":14,"lat":39.2,"lon":-76.2,"tags":{"amenity":"bench"}}
       ]}
      """
    )
    #expect(result.format == .overpass)
    #expect(
      result.places.map(\.sourceID) == ["node/1", "way/2", "way/3", "way/4", "relation/5"],
      "\(result.skipped.rows)"
    )
    #expect(
      result.places.map { $0.categories[0].name }
        == ["pharmacy", "grocery", "bank", "gas_station", "post_office"]
    )
    #expect(result.places[0].name == "A \"{[\"")
    #expect(result.places.map { $0.footprintRadiusMeters > 0 } == [false, true, false, true, true])
    #expect(abs(result.places[1].coordinate.latitude - 39.0005) < 1e-6)
    #expect(result.skipped.rows.map(\.row) == ["way/10"])
    let torn = try refusal("torn", Array("{\"elements\": [{\"type\":\"node\"".utf8))
    #expect(torn.contains("ends in the middle"), "\(torn)")
    let odd = try read(
      "odd",
      "{\"generator\":\"Overpass API\",\"elements\":[]}]}}]\n{\"elements\":["
        + "{\"type\":\"node\",\"id\":1,\"lat\":39,\"lon\":-76,\"tags\":{\"amenity\":\"bank\"}}]}"
    )
    #expect(odd.places.map(\.sourceID) == ["node/1"])
    let long = String(repeating: "x", count: 5 << 20)
    let huge = try read(
      "huge",
      "{\"generator\":\"Overpass API\",\"elements\":[{\"type\":\"node\",\"id\":1,\"tags\":"
        + "{\"name\":\"\(long)\"}},\n{\"type\":\"node\",\"id\":2,\"lat\":39,\"lon\":-76,"
        + "\"tags\":{\"amenity\":\"bank\"}}]}"
    )
    #expect(huge.places.map(\.sourceID) == ["node/2"])
    #expect(huge.skipped.rows.map(\.row) == ["line 1"])
    let empty = try refusal("empty", Array("{\"elements\": []}".utf8))
    #expect(empty.contains("without an element"), "\(empty)")
  }

  @Test func `KML has points and areas, with data or a folder for the category`() throws {
    let result = try read(
      "places.kml",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Mine</name>
      <Placemark><name>Lantern &amp; Son</name><ExtendedData><Data name="amenity"><value>pharmacy</value>
      </Data></ExtendedData><Point><coordinates>-76.61,39.29,5</coordinates></Point></Placemark>
      <Folder><name>grocery</name><Placemark><name>Shop</name><Polygon><outerBoundaryIs><LinearRing>
      <coordinates>-76,39 -75.999,39 -75.999,39.001 -76,39.001 -76,39</coordinates></LinearRing>
      </outerBoundaryIs></Polygon></Placemark></Folder>
      <Placemark><name>Nothing</name><Point><coordinates>1,2</coordinates></Point></Placemark>
      <Folder><name>bank</name><Placemark><name>Nowhere</name></Placemark></Folder>
      </Document></kml>
      """
    )
    #expect(result.format == .kml)
    #expect(result.places.map(\.name) == ["Lantern & Son", "Shop"])
    #expect(result.places.map { $0.categories[0].name } == ["pharmacy", "grocery"])
    #expect(result.places[1].footprintRadiusMeters > 50)
    #expect(result.skipped.rows.map(\.reason) == ["no geometry that can be read"])
  }

  @Test(arguments: [
    ("1,2 ", 200_000, 1, "more than 600,000 values"),
    ("1,2 ", 100_000, 3, "more than 600,000 values"),
    ("1.\(String(repeating: "0", count: 900)),2 ", 1_000, 5, "longer than 4 MiB"),
    ("", 1, 600_001, "more than 600,000 values"),
  ])
  func `a placemark of more corners than any place has costs the placemark`(
    corner: String,
    corners: Int,
    rings: Int,
    reason: String
  ) throws {
    let ring =
      corner.isEmpty
      ? "<Polygon/>"
      : "<Polygon><outerBoundaryIs><LinearRing><coordinates>"
        + String(repeating: corner, count: corners)
        + "</coordinates></LinearRing></outerBoundaryIs></Polygon>"
    let shape = "<MultiGeometry>\(String(repeating: ring, count: rings))</MultiGeometry>"
    let data = "<ExtendedData><Data name='category'><value>bank</value></Data></ExtendedData>"
    let point = "<Point><coordinates>3,4</coordinates></Point>"
    let result = try readPlaces(
      "<kml>\n<Placemark>\(data)\(shape)</Placemark>\n<Placemark>\(shape)\(point)</Placemark>\n"
        + "<Placemark>\(point)\(data)</Placemark></kml>"
    )
    #expect(result.places.map(\.coordinate.latitude) == [4])
    // What is no place costs nothing.
    #expect(result.skipped.rows.map { "\($0.row): \($0.reason)" } == ["line 2: \(reason)"])
  }

  @Test func `packed KML that would fill the memory is refused where it is too much`() throws {
    let text = String(repeating: "x", count: 255)
    let keys = ["brand", "address", "opening_hours", "operator", "phone", "website"]
    let data = keys.map { "<Data name='\($0)'><value>\(text)</value></Data>" }.joined()
    let placemark =
      "<Placemark><name>\(text)</name><ExtendedData>\(data)</ExtendedData>"
      + "<Point><coordinates>3,4</coordinates></Point></Placemark>\n"
    let placemarks = String(repeating: placemark, count: 50_000)
    let path = try packed("<kml><Folder><name>bank</name>\n\(placemarks)</Folder></kml>")
    let error = #expect(throws: ImportError.self) { try importPlaces(path: path) }
    #expect(error?.detail.contains("made to fill the memory") == true)
    guard case .line(let line)? = error?.position else { return #expect(Bool(false)) }
    #expect((30_000..<50_000).contains(line))
  }

  @Test func `an outline of KML is read to its end, and opening hours of a table too`() throws {
    let ring = (0...40)
      .map { corner in
        let turn = Double(corner % 40) / 40 * 2 * Double.pi
        return "\(14.5 + 0.0005 * sin(turn)),\(35.9 + 0.0005 * cos(turn)),0"
      }
      .joined(separator: " ")
    let result = try read(
      "round.kml",
      "<kml><Document><Placemark><name>A</name><ExtendedData><Data name='category'><value>bank</value></Data>"
        + "</ExtendedData><Polygon><outerBoundaryIs><LinearRing><coordinates>\(ring)</coordinates>"
        + "</LinearRing></outerBoundaryIs></Polygon></Placemark></Document></kml>"
    )
    #expect(abs((result.places.first?.coordinate.latitude ?? 0) - 35.9) < 1e-4)
    #expect((40...80).contains(result.places.first?.footprintRadiusMeters ?? 0))
    let hours = (1...60).map { "2026 Feb \(10 + $0 % 18) 08:00-12:00" }.joined(separator: "; ")
    let table = try read("hours.csv", "lat,lon,category,opening_hours\n35,14,bank,\"\(hours)\"\n")
    #expect(table.details.values.first?.contains(hours) == true, "\(table.details)")
  }

  @Test func `a table that ends in the middle of a row is cut`() throws {
    let head = "lat,lon,category,name\n35,14,bank,A\n"
    for rest in ["35.1,14.", "35.1,14,ba"] {
      let refusal = try refusal("cut.csv", Array((head + rest).utf8))
      #expect(refusal.contains("the file ends in the middle of a row"), "\(rest): \(refusal)")
    }
    #expect(try read("whole.csv", head + "35.1,14,bank,B").places.count == 2)
    for rest in ["  ", "(2 rows)"] {
      #expect(try read("remark.csv", head + rest).places.count == 1, "\(rest)")
    }
  }

  @Test func `an answer with more nodes than a file of its size has is made to fill the memory`()
    throws
  {
    let refs = String(repeating: "1,", count: 400_000) + "1"
    let ways = (1...4).map { "{\"type\":\"way\",\"id\":\($0),\"nodes\":[\(refs)]}" }
    let answer = "{\"elements\":[\(ways.joined(separator: ","))]}"
    // Plain, the file is as large as what it says.
    #expect(throws: Never.self) { try readPlaces(answer) }
    let packed = try packed(answer)
    let error = #expect(throws: ImportError.self) { try importPlaces(path: packed) }
    #expect(error?.detail.contains("made to fill the memory") == true)
  }

  /// The path of a text in gzip.
  private func packed(_ text: String) throws -> String {
    let path = folder.path("\(UUID())")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let gzip = Process()
    gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    gzip.arguments = ["gzip", path]
    try gzip.run()
    gzip.waitUntilExit()
    return path + ".gz"
  }

  /// Each version has all nodes again, more in all than a packed file of that size may have.
  @Test func `of a long history no more is kept than its last version`() throws {
    let last = 600
    let jsonRefs = Array(repeating: "1,2", count: 1_000).joined(separator: ",")
    let xmlRefs = String(repeating: "<nd ref='1'/><nd ref='2'/>", count: 1_000)
    let json = (1...last)
      .map {
        "{\"type\":\"way\",\"id\":3,\"version\":\($0),\"nodes\":[\(jsonRefs)],"
          + "\"tags\":{\"amenity\":\"bank\",\"name\":\"B\($0)\"}},\n"
      }
    let xml = (1...last)
      .map {
        "<way id='3' version='\($0)'>\(xmlRefs)<tag k='amenity' v='bank'/>"
          + "<tag k='name' v='B\($0)'/></way>\n"
      }
    for text in [
      "{\"elements\":[\(json.joined())"
        + "{\"type\":\"node\",\"id\":1,\"lat\":1,\"lon\":2},"
        + "{\"type\":\"node\",\"id\":2,\"lat\":1,\"lon\":2.001}]}",
      // As the member of a relation its nodes are kept once more.
      "<osm><node id='1' lat='1' lon='2'/><node id='2' lat='1' lon='2.001'/>\(xml.joined())"
        + "<relation id='4'><member type='way' ref='3' role='outer'/>"
        + "<tag k='type' v='multipolygon'/><tag k='amenity' v='pharmacy'/></relation></osm>",
    ] {
      let result = try importPlaces(path: packed(text))
      #expect(result.places.first { $0.sourceID == "way/3" }?.name == "B\(last)")
    }
  }

  private static func relation(_ ways: [(role: String, positions: [(Double, Double)])]) -> String {
    let members = ways.enumerated()
      .map { index, way in
        let places = way.positions.map { "{\"lat\":\($0.0),\"lon\":\($0.1)}" }
        return "{\"type\":\"way\",\"ref\":\(index),\"role\":\"\(way.role)\",\"geometry\":["
          + places.joined(separator: ",") + "]}"
      }
    return "{\"elements\":[{\"type\":\"relation\",\"id\":9,\"tags\":{\"type\":\"multipolygon\","
      + "\"amenity\":\"pharmacy\"},\"members\":[\(members.joined(separator: ","))]}]}"
  }

  private static func square(_ half: Double) -> [(Double, Double)] {
    [(-half, -half), (-half, half), (half, half), (half, -half), (-half, -half)]
      .map { (36 + $0.0, 14.5 + $0.1) }
  }

  @Test func `a place of Overpass does not lie in the courtyard of its building`() throws {
    let result = try read(
      "ring.json",
      Self.relation([("outer", Self.square(0.001)), ("inner", Self.square(0.0005))])
    )
    let place = try #require(result.places.first).coordinate
    let farthest = max(abs(place.latitude - 36), abs(place.longitude - 14.5))
    #expect((0.0005...0.001).contains(farthest), "\(place)")
  }

  @Test func `the pieces of an outline of Overpass join at either end where one is missing`() throws
  {
    let corners = Self.square(0.001)
    let result = try read(
      "parts.json",
      Self.relation([
        ("outer", Array(corners[0...1])), ("outer", Array(corners[2...3])),
        ("outer", Array(corners[1...2])),
      ])
    )
    // The middle of the line around three sides.
    let middle = try #require(result.places.first).coordinate
    #expect(abs(middle.latitude - 36) < 1e-6 && abs(middle.longitude - 14.501) < 1e-6)
  }

  @Test func `a way that a box of Overpass cuts lies where its corners are`() throws {
    let result = try read(
      "cut.json",
      "{\"osm3s\":{},\"elements\":[{\"type\":\"way\",\"id\":3,\"geometry\":[{\"lat\":35,\"lon\":14},null,"
        + "{\"lat\":35.0002,\"lon\":14}],\"tags\":{\"amenity\":\"bank\"}}]}"
    )
    #expect(result.places.map(\.sourceID) == ["way/3"])
  }

  @Test func `several points of KML, and decimal commas, are no place`() throws {
    func placemark(_ inside: String) -> String {
      "<Placemark><name>A</name><ExtendedData><Data name='category'><value>bank</value></Data>"
        + "</ExtendedData>\(inside)</Placemark>\n"
    }
    func point(_ text: String) -> String { "<Point><coordinates>\(text)</coordinates></Point>" }
    let result = try read(
      "points.kml",
      "<kml><Document>\n"
        + placemark("<MultiGeometry>\(point("14,35"))\(point("34,55"))</MultiGeometry>")
        + placemark(point("15,2,35,9")) + placemark(point("14,35,0")) + "</Document></kml>"
    )
    #expect(result.places.map(\.coordinate.latitude) == [35])
    #expect(
      result.skipped.rows.map(\.reason) == [
        "a shape of several points, of which none is the place",
        "no latitude and longitude that can be read",
      ]
    )
  }

  @Test func `of several lines of KML the longest counts, and an area before lines and points`()
    throws
  {
    func placemark(_ inside: String) -> String {
      "<Placemark><ExtendedData><Data name='category'><value>bank</value></Data></ExtendedData>"
        + "<MultiGeometry>\(inside)</MultiGeometry></Placemark>\n"
    }
    let long = "<LineString><coordinates>5,6 5,6.01</coordinates></LineString>"
    let short = "<LineString><coordinates>1,2 1,2.001</coordinates></LineString>"
    let point = "<Point><coordinates>3,4</coordinates></Point>"
    let area =
      "<Polygon><outerBoundaryIs><LinearRing><coordinates>7,8 7.001,8 7.001,8.001 7,8.001 7,8"
      + "</coordinates></LinearRing></outerBoundaryIs></Polygon>"
    let result = try read(
      "several.kml",
      "<kml>" + placemark(long + short + point) + placemark(point + area + long) + "</kml>"
    )
    let latitudes = result.places.map { ($0.coordinate.latitude * 10_000).rounded() / 10_000 }
    #expect(latitudes == [6.005, 8.0005], "\(result.skipped.rows)")
  }

  @Test func `a NUL in a name is left out, and hexadecimal degrees are none`() throws {
    let result = try read(
      "odd.csv",
      "lat,lon,name,category\n10,6,a\u{0}b,bank\n10,7,caf\u{0}é,bank\n0x10,6,hex,bank\n"
    )
    #expect(result.places.map(\.name) == ["ab", "café"])
    #expect(result.skipped.rows.count == 1)
  }

  @Test func `the folder counts where a placemark's own category is none that is known`() throws {
    func placemark(_ name: String, _ data: String) -> String {
      "<Placemark><name>\(name)</name><ExtendedData>\(data)</ExtendedData>"
        + "<Point><coordinates>2,1</coordinates></Point></Placemark>"
    }
    func datum(_ key: String, _ value: String) -> String {
      "<Data name=\"\(key)\"><value>\(value)</value></Data>"
    }
    let text =
      "<kml><Folder><name>Bank</name>" + placemark("A", datum("Category", "ATM"))
      + placemark("B", datum("Category", "Pharmacy")) + placemark("C", datum("amenity", "fuel"))
      + placemark("D", "") + "</Folder>" + placemark("E", datum("Category", "ATM")) + "</kml>"
    let result = try read("folders.kml", text)
    #expect(result.places.map(\.name) == ["A", "B", "C", "D"])
    #expect(
      result.places.map { $0.categories.map(\.name) } == [
        ["bank"], ["pharmacy"], ["gas_station"], ["bank"],
      ]
    )
    #expect(result.skipped.rows.map(\.reason) == ["an unknown category"])
    // A category that is known and not wanted is one.
    let rules = try #require(CategoryRules.standard.limited(to: ["bank"]))
    let wanted = try importPlaces(path: folder.path("folders.kml"), rules: rules)
    #expect(wanted.places.map(\.name) == ["A", "C", "D"])
  }

  @Test func `a table may have shapes as text, and commas in its numbers`() throws {
    let shapes = try read(
      "shapes.csv",
      """
      id,category,wkt
      a,bank,POINT(-76.61 39.29)
      b,bank,"POLYGON ((-76 39, -75.999 39, -75.999 39.001, -76 39.001, -76 39))"
      c,bank,"SRID=4326;MULTIPOLYGON Z (((-76 39 1, -75.999 39 1, -75.999 39.001 1, -76 39 1)))"
      d,bank,"LINESTRING(-76 39, -75.999 39)"
      e,bank,POINT(-76.61)
      f,bank,SRID=x;POINT(1 2)
      g,bank,"CIRCULARSTRING(1 2,3 4,5 6)"

      """
    )
    #expect(shapes.places.map(\.sourceID) == ["a", "b", "c", "d"])
    #expect(shapes.places.map { $0.footprintRadiusMeters > 0 } == [false, true, true, true])
    #expect(shapes.skipped.rows.map(\.row) == ["line 6", "line 7", "line 8"])
    let commas = try read(
      "commas.csv",
      "Name;Breite;Länge;category;footprint_radius_m\nLaden;52,5200;13,4050;grocery;12,5\n"
    )
    #expect(commas.places.first?.coordinate == (try Coordinate(latitude: 52.52, longitude: 13.405)))
    #expect(commas.places.first?.footprintRadiusMeters == 12.5)
    let quoted = try read(
      "quoted.csv",
      "\"name\",\"category\",\"lat\",\"lon\"\n\"Laden\",\"grocery\",\"52,5200\",\"13,4050\"\n"
    )
    #expect(quoted.places.first?.coordinate == (try Coordinate(latitude: 52.52, longitude: 13.405)))
  }

  /// - Source: `SELECT ST_SetSRID(ST_MakePoint(-76.61, 39.29), 4326)` and the like, as PostGIS prints them.
  @Test func `a table may have shapes as PostGIS writes them`() throws {
    let xy = "D7A3703D0A2753C085EB51B81EA54340"
    func table(_ shapes: [String]) -> String {
      "category,geom\n" + shapes.map { "bank,\($0)\n" }.joined()
    }
    let result = try read(
      "postgis.csv",
      table([
        "0101000020E6100000\(xy)", "0101000000" + xy.lowercased(), "0101000020110F0000\(xy)",
        "0101000020E6100000\(xy.dropLast())", "0101000020E6100000\(xy.dropLast(2))", "01", "0100",
        "01010000ZZ" + xy, "0101000000" + xy + "00",
        "0107000020E610000001000000" + "0101000000" + xy,
      ])
    )
    #expect(result.places.count == 1, "it is the same place each time")
    #expect(
      result.places.first?.coordinate == (try Coordinate(latitude: 39.29, longitude: -76.61))
    )
    #expect(
      result.skipped.rows.map { "\($0.row): \($0.reason)" } == [
        "line 4: a shape in another system of coordinates than degrees on WGS 84"
      ] + (5...10).map { "line \($0): no geometry that can be read" }
    )
    let meters = try refusal("meters.csv", Array(table(["0101000020110F0000\(xy)"]).utf8))
    #expect(meters.contains("line 2: the shape is in SRID 3857"), "\(meters)")
  }

  @Test func `a shape may have commas for its points where columns are not kept apart by them`()
    throws
  {
    let result = try read(
      "commas.csv",
      """
      id;category;wkt
      a;bank;POINT(-76,61 39,29)
      b;bank;"SRID=4326;POINT (10,5 20)"
      c;bank;POINT (10 20,5)
      d;bank;POLYGON ((-76,0 39,0, -75,999 39,0, -75,999 39,001, -76,0 39,0))
      e;bank;LINESTRING(1 2,1 2.001)

      """
    )
    #expect(result.places.map(\.sourceID) == ["a", "b", "c", "d", "e"], "\(result.skipped.rows)")
    let degrees = result.places.map { [$0.coordinate.longitude, $0.coordinate.latitude] }
    #expect(degrees.prefix(3) == [[-76.61, 39.29], [10.5, 20], [10, 20.5]])
    #expect(result.places[3].footprintRadiusMeters > 50)
    #expect(abs(result.places[4].coordinate.latitude - 2.0005) < 1e-6)
    let plain = try read("plain.csv", "id,category,wkt\na,bank,\"POINT(10,5 20)\"\n")
    #expect(plain.skipped.rows.map(\.reason) == ["no geometry that can be read"])
  }

  @Test func `a shape in meters is refused by the number of its system`() throws {
    let text = "id,category,wkt\na,bank,POINT(1)\nb,bank,SRID=3857;POINT(1 2)\n"
    for end in ["", "c,bank,SRID=31468;POINT(1 2)\n"] {
      let refusal = try refusal("srid.csv", Array((text + end).utf8))
      #expect(refusal.contains("line 3: the shape is in SRID 3857"), "\(refusal)")
      #expect(refusal.contains("ogr2ogr -s_srs EPSG:3857 -t_srs EPSG:4326"), "\(refusal)")
    }
  }

  @Test func `a row of another system costs the row where others can be read`() throws {
    let text = """
      id,category,wkt
      a,bank,SRID=3857;POINT(1 2)
      b,bank,SRID=4326;POINT(1 2)
      c,bank,SRID=0;POINT(3 4)
      d,bank,SRID=0;POINT(400000 5000000)

      """
    let result = try read("srid.csv", text)
    #expect(result.places.map(\.sourceID) == ["b", "c"])
    #expect(
      result.skipped.rows.map { "\($0.row): \($0.reason)" } == [
        "line 2: a shape in another system of coordinates than degrees on WGS 84",
        "line 5: the coordinates are not on the earth",
      ]
    )
    // A row of something that nobody wants is read as well.
    let rules = try #require(CategoryRules.standard.limited(to: ["pharmacy"]))
    let path = folder.path("wanted.csv")
    try Data((text + "e,pharmacy,SRID=3857;POINT(1 2)\n").utf8)
      .write(to: URL(fileURLWithPath: path))
    #expect(try importPlaces(path: path, rules: rules).skipped.rows.map(\.row) == ["line 6"])
  }

  /// - Source: PKWARE, "APPNOTE.TXT", 4.3: files that are stored as they are.
  private static func zip(_ files: [(name: String, text: String)]) -> [UInt8] {
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      (0..<size).map { UInt8(value >> (8 * $0) & 0xFF) }
    }
    var (bytes, list): ([UInt8], [UInt8]) = ([], [])
    for file in files {
      let (name, data) = (Array(file.name.utf8), Array(file.text.utf8))
      let sizes = number(0, 4) + number(data.count, 4) + number(data.count, 4)
      let head = number(20, 2) + number(0, 2) + number(0, 2) + number(0, 4) + sizes
      list += [0x50, 0x4B, 1, 2] + number(20, 2) + head + number(name.count, 2)
      list += number(0, 2) + number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4)
      list += number(bytes.count, 4) + name
      bytes += [0x50, 0x4B, 3, 4] + head + number(name.count, 2) + number(0, 2) + name + data
    }
    let counts = number(0, 4) + number(files.count, 2) + number(files.count, 2)
    let end = number(list.count, 4) + number(bytes.count, 4) + number(0, 2)
    return bytes + list + [0x50, 0x4B, 5, 6] + counts + end
  }

  @Test func `KMZ is the KML in it, and other archives are refused by what they hold`() throws {
    let kml = """
      <kml><Placemark><name>A</name><ExtendedData><Data name="amenity"><value>bank</value></Data>
      </ExtendedData><Point><coordinates>2,1</coordinates></Point></Placemark></kml>
      """
    for files in [
      [("doc.kml", kml)], [("images/a.png", "x"), ("other.kml", "x"), ("doc.kml", kml)],
      [("files/b.kml", "x"), ("Places.KML", kml)], [("files/places.kml", kml)],
    ] {
      let result = try readPlaces(Self.zip(files))
      #expect(result.format == .kml)
      #expect(result.places.map(\.name) == ["A"], "\(files)")
    }
    let two = try refusal("two.kmz", Self.zip([("a.kml", kml), ("b.kml", kml)]))
    #expect(two.contains("2 files that could be meant: a.kml, b.kml"), "\(two)")
    #expect(try importPlaces(path: folder.path("two.kmz") + "/b.kml").places.count == 1)
    let other = try refusal("other.zip", Self.zip([("places.csv", "lat,lon,category\n1,2,bank\n")]))
    #expect(other.contains("it holds places.csv") && other.contains("`unzip`"), "\(other)")
    let whole = Self.zip([("doc.kml", kml)])
    for count in stride(from: 4, to: whole.count, by: 7) {
      #expect(try refusal("torn.kmz", Array(whole[..<count])) != "read", "\(count)")
    }
  }

  @Test func `what cannot be read is named, with the line that converts it`() throws {
    let crs = """
      {"type":"FeatureCollection","crs":{"type":"name","properties":{"name":\
      "urn:ogc:def:crs:EPSG::3857"}},"features":[]}
      """
    let foreign = try refusal("web.geojson", Array(crs.utf8))
    #expect(foreign.contains("its coordinates are in urn:ogc:def:crs:EPSG::3857"), "\(foreign)")
    #expect(foreign.contains("ogr2ogr -t_srs EPSG:4326"), "\(foreign)")
    let degrees = crs.replacingOccurrences(of: "EPSG::3857", with: "OGC:1.3:CRS84")
    #expect(
      try refusal("degrees.geojson", Array(degrees.utf8)).contains("collection that is empty")
    )
    let features = Array(
      repeating: #"{"type":"Feature","properties":{},"geometry":null}"#,
      count: 200
    )
    let behind =
      #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",")
      + #"],"crs":{"type":"name","properties":{"name":"EPSG:31468"}}}"#
    #expect(try refusal("behind.geojson", Array(behind.utf8)).contains("are in EPSG:31468"))
    for (system, name) in [
      (#"{"type":"EPSG","properties":{"code":31468}}"#, "EPSG:31468"),
      (
        #"{"type":"link","properties":{"href":"http://spatialreference.org/ref/epsg/2056/ogcwkt/"}}"#,
        "EPSG:2056"
      ),
    ] {
      let text = #"{"type":"FeatureCollection","crs":\#(system),"features":[]}"#
      #expect(
        try refusal("coded.geojson", Array(text.utf8)).contains("are in \(name)"),
        "\(system)"
      )
    }
    let shape = try refusal("a.shp", [0, 0, 0x27, 0x0A] + [UInt8](repeating: 0, count: 96))
    #expect(shape.contains("a Shapefile; `ogr2ogr"), "\(shape)")
    let other = try refusal(
      "a.db",
      Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 96)
    )
    #expect(other.contains("no GeoPackage"), "\(other)")
    let torn = try refusal(
      "torn.gpkg",
      Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 52) + Array("GPKG".utf8)
        + [UInt8](repeating: 7, count: 500)
    )
    #expect(torn.contains("GeoPackage cannot be read"), "\(torn)")
  }
}
