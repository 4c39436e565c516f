import CacheBuilder
import Foundation
import Geodesy
import Places
import TestSupport
import Testing

@Suite struct CSVImportTests {
  @Test func `quotes, line feeds in fields, and rows that are wrong`() throws {
    let csv = """
      \u{FEFF}Name,Latitude,LNG,Category,ID,Brand\r
      "Corner, the ""old"" one\nsecond line",39.29,-76.61,pharmacies,a1,\r
      ,39.3,-76.6,Gas Station,node/7,Shell\r
      ,39.3,-76.6,zoo,a2,\r
      ,91,-76.6,bank,a3,\r
      ,0,0,bank,a4,\r
      ,nan,0,bank,a5,\r
      ,north,0,bank,a6,\r
      too,few\r
      ,39.4,-76.7,bank;post_office,,
      """
    let result = try readPlaces(csv)
    #expect(result.format == .csv)
    #expect(result.places.map(\.sourceID).prefix(2) == ["a1", "node/7"])
    #expect(result.places[2].sourceID.hasPrefix("csv/"))
    #expect(result.places[0].name == "Corner, the \"old\" one\nsecond line")
    #expect(result.places[1].brand == "Shell")
    #expect(result.places[2].categories.map(\.name) == ["bank", "post_office"])
    #expect(
      result.skipped.rows.map { "\($0.row): \($0.reason)" } == [
        "line 5: an unknown category", "line 6: the coordinates are not on the earth",
        "line 7: the coordinates are 0,0", "line 8: the coordinates are not on the earth",
        "line 9: no latitude and longitude that can be read",
        "line 10: the number of fields is not that of the header",
      ]
    )
  }

  @Test(arguments: ["lat,lon,category,lat", "wkt,name,category,wkt", "category,lat,lon,name,name"])
  func `a header with two columns of a name that is read is refused by that name`(
    header: String
  ) throws {
    let error = #expect(throws: ImportError.self) {
      try readPlaces("sep=,\n\(header)\n1,2,pharmacy,3\n")
    }
    #expect(error?.code == .malformed)
    #expect(error?.description.contains("the header names several columns") == true)
    // What nobody reads may come twice.
    #expect(try readPlaces("lat,lon,category,x1,x1\n1,2,pharmacy,3,4\n").places.count == 1)
  }

  @Test func `semicolons, tags as columns, and a field that is not UTF-8`() throws {
    let result = try readPlaces("lat;lon;amenity;shop\n1;2;pharmacy;\n3;4;;supermarket\n5;6;;\n")
    #expect(result.places.map { $0.categories[0].name } == ["pharmacy", "grocery"])
    #expect(result.skipped.rows.map(\.reason) == ["no category"])
    // What an exception takes away is no bad row.
    let closed = try readPlaces("lat,lon,amenity,disused\n1,2,bank,yes\n3,4,bank,\n")
    #expect(closed.places.map(\.coordinate.latitude) == [3])
    #expect(closed.skipped.count == 0)
  }

  @Test func `a table in Windows-1252 is taken as one, and a damaged row of UTF-8 is not`() throws {
    let caf = Array("lat,lon,category,name\n1,2,bank,Caf".utf8)
    let windows = try readPlaces(caf + [0xE9, 0x20, 0x80, 0x0A])
    #expect(windows.places.map(\.name) == ["Café €"])
    #expect(windows.skipped.rows.map(\.reason) == ["not UTF-8, read as Windows-1252"])
    #expect(windows.skipped.rows.map(\.fate) == ["taken"])
    let damaged = try readPlaces(caf + Array("é\n3,4,bank,Caf".utf8) + [0xC3, 0x0A])
    #expect(damaged.places.map(\.name) == ["Café"])
    #expect(damaged.skipped.rows.map(\.reason) == ["not UTF-8"])
    #expect(damaged.skipped.reasons.map(\.reason) == ["skipped, not UTF-8"])
  }

  /// As a German spreadsheet writes it.
  @Test func `a table whose header is in Windows-1252 has its columns`() throws {
    let table = Array("Name;Breite;L".utf8) + [0xE4] + Array("nge;category\nA;1,5;2,5;bank\n".utf8)
    let result = try readPlaces(table)
    #expect(result.places.map(\.coordinate.longitude) == [2.5])
    #expect(result.skipped.count == 0)
  }

  @Test func `a quote that does not end is an error, where it begins`() {
    let error = #expect(throws: ImportError.self) {
      try readPlaces("lat,lon\n1,\"2\"\n1,\"2\n3,4\n5,6\n")
    }
    #expect(error?.code == .truncated)
    #expect(error?.position == .line(3))
  }

  @Test func `a made-up id is that of the place, wherever its row stands`() throws {
    let (head, shop) = ("lat,lon,category,name\n", "1,2,bank,A\n")
    func ids(_ text: String) throws -> [String] { try readPlaces(text).places.map(\.sourceID) }
    let id = try ids(head + shop)[0]
    let others = try ids(head + "1,2,pharmacy,A\n1,2,bank,B\n1.0000001,2,bank,A\n" + shop)
    #expect(others.last == id)
    #expect(Set(others).count == 4)
    // Banks and fuel stations often have a brand and no name.
    let brands = "lat,lon,category,brand\n1,2,bank,A\n1,2,bank,B\n"
    #expect(Set(try ids(brands)).count == 2)
    // The same place twice is one.
    #expect(try ids(head + shop + shop) == [id])
    #expect(try readPlaces(head + shop + shop).skipped.count == 0)
  }

  @Test func `an id that another place has already is no silent loss`() throws {
    let rows = "1,2,bank,A,7\n1.0001,2,bank,A,7\n5,6,bank,A,7\n5,6,pharmacy,A,7\n"
    let result = try readPlaces("lat,lon,category,name,id\n" + rows)
    #expect(result.places.map { $0.categories[0].name } == ["pharmacy"])
    #expect(
      result.skipped.rows.map { "\($0.row): \($0.reason)" } == [
        "line 4: the id of another place above, which it replaces",
        "line 5: the id of another place above, which it replaces",
      ]
    )
  }

  /// - Source: wiki.openstreetmap.org/wiki/Overpass_API/Output_Formats, "CSV"; QuickOSM's columns;
  ///   gdal.org/drivers/vector/osm.html.
  @Test(arguments: [
    (
      "@type,@id,@lat,@lon,amenity\nnode,5,1,2,bank\nway,5,3,4,bank\nrelation,5,5,6,bank\n",
      ["node/5", "way/5", "relation/5"]
    ),
    (
      "full_id,osm_type,osm_id,lat,lon,amenity\nn5,node,5,1,2,bank\nw5,way,5,3,4,bank\n",
      ["node/5", "way/5"]
    ), ("full_id,lat,lon,amenity\nr5,1,2,bank\nx5,3,4,bank\n", ["relation/5"]),
    ("id,type,lat,lon,amenity\n5,way,1,2,bank\n5,shop,3,4,bank\n", ["way/5", "5"]),
    ("place_id,osm_type,osm_id,lat,lon,amenity\n9,W,5,1,2,bank\n", ["way/5"]),
    ("id,lat,lon,amenity\nWay/5,1,2,bank\nnode/x,3,4,bank\n", ["way/5", "node/x"]),
    (
      "WKT,osm_id,osm_way_id,amenity\nPOINT(2 1),,5,bank\nPOINT(4 3),5,,bank\n",
      ["way/5", "relation/5"]
    ), ("X,Y,osm_id,amenity\n2,1,5,bank\n", ["osm_id/5"]),
    ("X,Y,osm_id,amenity\n2,1,node/5,bank\n2,2,Way/5,bank\n", ["node/5", "way/5"]),
    (
      "X,Y,osm_id,name,other_tags\n2,1,5,A,\"\"\"amenity\"\"=>\"\"bank\"\"\"\n",
      ["node/5"]
    ),
  ])
  func `a type beside a number names an element`(table: String, ids: [String]) throws {
    let result = try readPlaces(table)
    #expect(result.places.map(\.sourceID).prefix(ids.count) == ids[...])
    #expect(result.skipped.count == 0, "\(result.skipped.rows)")
  }

  @Test(arguments: [
    #""amenity"=>"bank","name"=>"B","phone"=>"1""#, #"{"amenity":"bank","name":"B","phone":"1"}"#,
  ])
  func `tags that GDAL keeps in one column are tags`(tags: String) throws {
    let field = tags.replacingOccurrences(of: "\"", with: "\"\"")
    for position in ["X,Y", "WKT"] {
      let place = position == "WKT" ? "POINT (-34.5 38.5)" : "-34.5,38.5"
      let result = try readPlaces("\(position),osm_id,name,other_tags\n\(place),7,A,\"\(field)\"\n")
      #expect(result.places.first?.categories.map(\.name) == ["bank"])
      #expect(result.places.first?.name == "B")
      #expect(result.places.first?.coordinate.longitude == -34.5)
      #expect(result.details == ["node/7": "{\"phone\":\"1\"}"])
    }
    // X and Y in meters beside degrees.
    let meters = try readPlaces("X,Y,@lat,@lon,amenity\n400000,5000000,3,4,bank\n")
    #expect(meters.places.map(\.coordinate.latitude) == [3])
  }

  @Test(arguments: [
    ("sep=;\r\n", ";"), ("sep=,\n", ","), ("SEP=\t\n", "\t"), ("\"sep=\\t\"\r\n", "\t"),
    ("\u{FEFF}sep=|\n", "|"), ("sep=!\n", "!"), ("", "|"),
  ])
  func `the separator is named by the first line, or seen`(first: String, mark: String) throws {
    let rows = ["lat,lon,name,category", "1.5,2.5,A,bank", "1.5,x,A,bank"]
    let table = rows.map { $0.split(separator: ",").joined(separator: mark) + "\n" }.joined()
    let result = try readPlaces(first + table)
    #expect(result.places.map(\.coordinate.latitude) == [1.5])
    // Lines are those of the file.
    #expect(result.skipped.rows.map(\.row) == [first.isEmpty ? "line 3" : "line 4"])
  }

  @Test(arguments: ["sep=;", "sep=;\n", "sep=;\nname;category\nA;bank\n", "sep=x\n1x2\n"])
  func `a line that names the separator makes no table`(text: String) {
    #expect(throws: ImportError.self) { try readPlaces(text) }
  }

  @Test(arguments: [true, false])
  func `UTF-16 with a mark is read as any other text`(isBigEndian: Bool) throws {
    func bytes(_ text: String) -> [UInt8] {
      ("\u{FEFF}" + text).utf16
        .flatMap { unit in
          let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
          return isBigEndian ? [high, low] : [low, high]
        }
    }
    // Longer than the pieces in which a file is read.
    let rows = (0..<20_000).map { "\($0)\t1,5\t2,\($0)\tKöşe 🏪 \($0)\tbank\r\n" }
    let result = try readPlaces(bytes("id\tlat\tlon\tname\tcategory\r\n" + rows.joined()))
    #expect(result.places.count == rows.count)
    #expect(result.skipped.count == 0)
    #expect(result.places.enumerated().allSatisfy { $1.name == "Köşe 🏪 \($0)" })
    let kml = """
      <?xml version="1.0" encoding="UTF-16"?><kml><Placemark><name>Ü</name><ExtendedData>
      <Data name="amenity"><value>bank</value></Data></ExtendedData>
      <Point><coordinates>2,1</coordinates></Point></Placemark></kml>
      """
    #expect(try readPlaces(bytes(kml)).places.map(\.name) == ["Ü"])
    let json = "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[2,1]},"
    let feature = json + "\"properties\":{\"amenity\":\"bank\",\"name\":\"Ü\"}}"
    #expect(try readPlaces(bytes(feature)).places.map(\.name) == ["Ü"])
    // Half of a character, and half of that.
    let lone =
      bytes("id,lat,lon,category,name\n1,1,2,bank,A") + (isBigEndian ? [0xD8, 0] : [0, 0xD8])
    for end in [[], [0x41]] as [[UInt8]] {
      #expect(try readPlaces(lone + end).places.map(\.name) == ["A\u{FFFD}"])
    }
  }

  @Test func `a category that is not wanted is known all the same`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("two.csv")
    let rows = "1,2,bank;pharmacy\n3,4,bank\n5,6,zoo\n"
    try Data(("lat,lon,category\n" + rows).utf8).write(to: URL(fileURLWithPath: path))
    let rules = try #require(CategoryRules.standard.limited(to: ["pharmacy"]))
    let result = try importPlaces(path: path, rules: rules)
    #expect(result.places.map { $0.categories.map(\.name) } == [["pharmacy"]])
    #expect(result.skipped.rows.map(\.row) == ["line 4"])
  }

  @Test func `a category that nobody knows costs neither the one beside it nor the tags`() throws {
    let result = try readPlaces(
      "lat,lon,category,amenity\n1,2,pharmacy;foo,\n3,4,zoo,bank\n5,6,zoo,\n7,8,,fuel\n"
    )
    #expect(result.places.map { $0.categories[0].name } == ["pharmacy", "bank", "gas_station"])
    #expect(
      result.skipped.rows.map { "\($0.row): \($0.reason)" } == [
        "line 2: an unknown category, beside one that is known", "line 4: an unknown category",
      ]
    )
  }

  @Test(arguments: ["category", "Kategorie", "Type", "TYP", "kind"])
  func `the column of categories goes by several names`(column: String) throws {
    let result = try readPlaces("lat,lon,\(column)\n1,2,pharmacy\n3,4,node\n")
    #expect(result.places.map { $0.categories[0].name } == ["pharmacy"])
    #expect(result.skipped.lackCategories)
    // Of a map's export it says something else, and the tags stand beside it.
    let tagged = try readPlaces("lat,lon,\(column),amenity\n1,2,node,bank\n")
    #expect(tagged.places.map { $0.categories[0].name } == ["bank"])
    #expect(!tagged.skipped.lackCategories)
  }

  @Test func `blank lines before the header are passed over, and counted`() throws {
    for start in ["\n \r\n", "\nsep=;\n", "\u{FEFF}\n\n"] {
      let table = start + "lat;lon;category\n1;2;bank\n91;2;bank\n"
      let result = try readPlaces(table)
      #expect(result.places.count == 1)
      #expect(result.skipped.rows.map(\.row) == ["line 5"])
    }
  }

  @Test func `an alias is compared as people write it`() throws {
    let rules = try CategoryRules(
      json:
        "{\"categories\":[{\"name\":\"bakery\",\"aliases\":[\"Bäcker-Laden\"],\"any\":[{\"shop\":\"bakery\"}]}]}",
      path: "mine"
    )
    let table = "lat,lon,category\n1,2,bäcker laden\n3,4,Bäcker-Laden\n"
    #expect(try readPlaces(table, rules: rules).places.count == 2)
    #expect(throws: ImportError.self) {
      try CategoryRules(
        json:
          "{\"categories\":[{\"name\":\"gas_station\",\"any\":[{\"amenity\":\"fuel\"}]},"
          + "{\"name\":\"pump\",\"aliases\":[\"Gas Station\"],\"any\":[{\"shop\":\"gas\"}]}]}",
        path: "mine"
      )
    }
  }

  @Test func `a footprint wider than any place is refused as an outline is`() throws {
    let table = try readPlaces(
      "lat,lon,category,footprint_radius_m\n1,2,bank,8000000\n3,4,bank,1000000\n"
    )
    #expect(table.places.map(\.footprintRadiusMeters) == [1_000_000])
    let reason = "an outline that reaches farther than 1,000 km"
    #expect(table.skipped.rows.map(\.reason) == [reason])
    let feature = try readPlaces(
      "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},"
        + "\"properties\":{\"amenity\":\"bank\",\"footprint_radius_m\":8e6}}"
    )
    #expect(feature.places.isEmpty)
    #expect(feature.skipped.rows.map(\.reason) == [reason])
  }
}

@Suite struct GeoJSONImportTests {
  private static func feature(_ properties: String, _ geometry: String = point) -> String {
    "{\"type\":\"Feature\",\"geometry\":\(geometry),\"properties\":{\(properties)}}"
  }
  private static let point = "{\"type\":\"Point\",\"coordinates\":[11.5,48.1]}"

  @Test func `a collection, a feature a line, and a single feature`() throws {
    let bank = Self.feature("\"amenity\":\"bank\",\"@id\":\"node/5\",\"name\":\"B}]\\\"{ \\u00fc\"")
    let fuel = Self.feature("\"category\":\"gas stations\",\"shop\":null")
    let collection =
      "{\"type\":\"FeatureCollection\",\"crs\":{\"a\":[1]},\n\"features\":[\(bank),\n\(fuel)],\"x\":{}}"
    for text in [collection, "\(bank)\n\(fuel)\n", "\u{1E}\(bank)\n\u{1E}\(fuel)\n"] {
      let result = try readPlaces(text)
      #expect(result.format == .geoJSON)
      #expect(result.places[0].sourceID == "node/5")
      #expect(result.places[1].sourceID.hasPrefix("csv/"))
      #expect(result.places[0].name == "B}]\"{ ü")
      #expect(result.places.map { $0.categories[0].name } == ["bank", "gas_station"])
    }
    #expect(try readPlaces(bank).places.count == 1)
  }

  @Test(
    arguments: [
      ("\"timestamp\":\"2024-05-06T07:08:09Z\",", "", "2024-05-06T07:08:09Z"),
      (
        "\"generator\":\"overpass-ide\",\"copyright\":\"[x]{\",\n\"timestamp\":\"2024-05-06T07:08:09Z\",",
        "", "2024-05-06T07:08:09Z"
      ), ("", ",\n\"timestamp\":\"2024-05-06T09:08:09+02:00\"", "2024-05-06T07:08:09Z"),
      (
        "\"timestamp\":\"2025-01-01T00:00:00Z\",", ",\"timestamp\":\"2024-05-06T07:08:09Z\"",
        "2024-05-06T07:08:09Z"
      ), ("\"timestamp\":\"yesterday\",", "", nil), ("\"timestamp\":1714979289,", "", nil),
      ("\"inner\":{\"timestamp\":\"2024-05-06T07:08:09Z\"},", "", nil),
      ("", ",\"timestamp\":\"2024-05-06T07:08:0", nil),
    ] as [(String, String, String?)]
  )
  func `a collection says before its features or behind them when the map was so`(
    before: String,
    behind: String,
    time: String?
  ) throws {
    let feature =
      "{\"type\":\"Feature\",\"properties\":{\"amenity\":\"bank\",\"timestamp\":\"2020-01-01T00:00:00Z\"},"
      + "\"geometry\":{\"type\":\"Point\",\"coordinates\":[2,1]}}"
    let text = "{\"type\":\"FeatureCollection\",\(before)\"features\":[\(feature)]\(behind)}\n"
    guard behind.hasSuffix("\"") || behind.isEmpty else {
      #expect(throws: ImportError.self) { try readPlaces(text) }
      return
    }
    let result = try readPlaces(text)
    #expect(result.places.count == 1)
    #expect(result.skipped.count == 0)
    #expect(result.dataTimestamp == time)
    #expect(try readPlaces(feature).dataTimestamp == nil)
  }

  @Test func `several points are a place only where they are one`() throws {
    func points(_ list: String) -> String {
      Self.feature("\"amenity\":\"bank\"", "{\"type\":\"MultiPoint\",\"coordinates\":[\(list)]}")
    }
    let result = try readPlaces(
      [points("[1,2]"), points("[1,2],[1,3]"), points("")].joined(separator: "\n")
    )
    #expect(result.places.map(\.coordinate.latitude) == [2])
    #expect(
      result.skipped.rows.map(\.reason) == [
        "a shape of several points, of which none is the place", "no geometry that can be read",
      ]
    )
    for text in ["MULTIPOINT((1 2))", "MULTIPOINT (1 2, 1 2)", "MULTIPOINT Z ((1 2 3))"] {
      let table = try readPlaces("wkt;category\n\(text);bank\n")
      #expect(table.places.map(\.coordinate.latitude) == [2], "\(text)")
    }
  }

  /// - Source: gdal.org/drivers/vector/osm.html: the layers and columns of its reader.
  @Test func `GDAL's layers of a map name nodes, ways and relations`() throws {
    let area = "{\"type\":\"MultiPolygon\",\"coordinates\":[[[[0,0],[0,0.001],[0.001,0],[0,0]]]]}"
    let tags = #""other_tags":"\"amenity\"=>\"bank\",\"note\"=>\"a\"""#
    let result = try readPlaces(
      [
        Self.feature("\"osm_id\":\"7\",\(tags)"),
        Self.feature("\"osm_id\":\"7\",\"osm_way_id\":null,\(tags)", area),
        Self.feature("\"osm_id\":null,\"osm_way_id\":\"7\",\(tags)", area),
        Self.feature(
          "\"osm_id\":\"8\",\(tags)",
          "{\"type\":\"GeometryCollection\",\"geometries\":[\(Self.point)]}"
        ),
        // Whose table this is, it does not say.
        Self.feature("\"osm_id\":\"7\",\"amenity\":\"bank\""),
      ]
      .joined(separator: "\n")
    )
    #expect(
      result.places.map(\.sourceID) == ["node/7", "relation/7", "way/7", "relation/8", "osm_id/7"]
    )
    #expect(result.skipped.count == 0)
  }

  @Test(arguments: [
    "\"category\":\"pharmacies;banks\"", "\"category\":[\"pharmacy\",\"bank\"]",
    "\"categories\":\"[\\\"pharmacy\\\", \\\"bank\\\"]\"", "\"Categories\":[\"Pharmacy\",\"Bank\"]",
    "\"CATEGORY\":\"Pharmacy | Bank\"", "\"category\":\"bank\",\"categories\":[\"pharmacy\"]",
  ])
  func `categories are read however they are listed`(properties: String) throws {
    let result = try readPlaces(Self.feature(properties))
    #expect(result.places.map { $0.categories.map(\.name) } == [["bank", "pharmacy"]])
    #expect(result.skipped.count == 0)
  }

  @Test func `a category that nobody knows is counted, and none at all is not`() throws {
    let features = [
      "\"category\":\"bakery\"", "\"Category\":\"Bakery\"", "\"categories\":[\"bakery\",\"zoo\"]",
      "\"category\":5", "\"categories\":[\"bakery\",\"bank\"]", "\"amenity\":\"bench\"",
      "\"category\":null", "\"category\":\"\"", "\"categories\":[]",
      "\"tags\":{\"category\":\"bakery\"}", "\"tags\":{\"category\":\"pharmacy\"}",
      "\"amenity\":\"fuel\",\"category\":\"bakery\"",
    ]
    let result = try readPlaces(features.map { Self.feature($0) }.joined(separator: "\n"))
    #expect(
      result.places.map { $0.categories.map(\.name) } == [["bank"], ["pharmacy"], ["gas_station"]]
    )
    #expect(
      result.skipped.rows.map { "\($0.row): \($0.reason)" } == [
        "line 1: an unknown category", "line 2: an unknown category",
        "line 3: an unknown category", "line 4: an unknown category",
        "line 5: an unknown category, beside one that is known",
      ]
    )
    let rules = try #require(CategoryRules.standard.limited(to: ["pharmacy"]))
    #expect(try readPlaces(Self.feature("\"category\":\"bank\""), rules: rules).skipped.count == 0)
  }

  @Test func `what others know is counted when it comes back without their rules`() throws {
    let rules = try CategoryRules(
      json: "{\"categories\":[{\"name\":\"bakery\",\"any\":[{\"shop\":\"bakery\"}]}]}",
      path: "mine"
    )
    let result = try readPlaces("lat,lon,category\n1,2,bakery\n", rules: rules)
    let text = geoJSONStart + result.places.map { geoJSONFeature($0) }.joined() + geoJSONEnd
    #expect(try readPlaces(text, rules: rules).places == result.places)
    let without = try readPlaces(text)
    #expect(without.places.isEmpty)
    #expect(without.skipped.rows.map(\.reason) == ["an unknown category"])
  }

  @Test func `a made-up id is the same in every format`() throws {
    let feature = Self.feature("\"category\":\"bank\",\"name\":\"A\"")
    let texts = [
      "lat,lon,category,name\n48.1,11.5,bank,A\n", feature,
      """
      <kml><Placemark><name>A</name><ExtendedData><Data name="Category"><value>Bank</value></Data>
      </ExtendedData><Point><coordinates>11.5,48.1</coordinates></Point></Placemark></kml>
      """,
    ]
    let ids = try texts.map { try readPlaces($0).places.map(\.sourceID) }
    #expect(ids.allSatisfy { $0 == ids[0] && $0.count == 1 }, "\(ids)")
  }

  /// A place with these properties as a table, as a feature and as a placemark.
  private static func everywhere(_ properties: [(key: String, value: String)]) -> [String] {
    let keys = properties.map(\.key).joined(separator: ",")
    let values = properties.map(\.value).joined(separator: ",")
    let members = properties.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",")
    let data = properties.map { "<Data name=\"\($0.key)\"><value>\($0.value)</value></Data>" }
    return [
      "\(keys),lat,lon\n\(values),48.1,11.5\n", feature(members),
      "<kml><Placemark><ExtendedData>\(data.joined())</ExtendedData>"
        + "<Point><coordinates>11.5,48.1</coordinates></Point></Placemark></kml>",
    ]
  }

  @Test(arguments: [
    ["Category", "Name", "Brand", "Opening_Hours", "Phone"],
    ["CATEGORY", "TITLE", "CHAIN", "OPENING_HOURS", "PHONE_NUMBER"],
    ["category", "title", "chain", "opening hours", "phone number"],
    ["Category", "Title", "Chain", "Opening Hours", "Phone Number"],
    ["Category", "name", "brand", "Opening-Hours", "Phone-Number"],
  ])
  func `keys are read as people write them, the same in every format`(keys: [String]) throws {
    let plain = Self.everywhere([
      ("category", "pharmacy"), ("name", "Corner"), ("brand", "CVS"), ("opening_hours", "24/7"),
      ("phone", "555"),
    ])
    let expected = try readPlaces(plain[0])
    let place = try #require(expected.places.first)
    #expect(expected.details.count == 1)
    let written = Self.everywhere(
      Array(zip(keys, ["pharmacy", "Corner", "CVS", "24/7", "555"])).map { ($0, $1) }
    )
    for text in plain + written {
      let result = try readPlaces(text)
      #expect(result.places == [place], "\(text)")
      #expect(result.details == expected.details, "\(text)")
    }
  }

  @Test func `an Id that is 0 everywhere makes no places one`() throws {
    func feature(_ name: String, _ longitude: Double) -> String {
      #"{"type":"Feature","properties":{"Id":0,"amenity":"pharmacy","name":"\#(name)"},"#
        + #""geometry":{"type":"Point","coordinates":[\#(longitude),48.1]}}"#
    }
    let text =
      #"{"type":"FeatureCollection","features":["#
      + "\(feature("Upper", 11.5)),\(feature("Lower", 11.6))]}"
    let result = try readPlaces(text)
    #expect(result.places.map(\.name) == ["Upper", "Lower"])
    #expect(result.skipped.count == 0)
  }

  @Test func `tags and ids are read as people write them`() throws {
    for text in Self.everywhere([("AMENITY", "pharmacy"), ("NAME", "Upper"), ("OSM_ID", "5")]) {
      let place = try #require(try readPlaces(text).places.first, "\(text)")
      #expect(place.sourceID == "osm_id/5", "\(text)")
      #expect(place.name == "Upper")
      #expect(place.categories.map(\.name) == ["pharmacy"])
    }
    for (keys, id) in [
      (["Osm Type", "OSM ID"], "way/5"), (["x", "OSM-ID"], "osm_id/5"), (["x", "Place ID"], "5"),
      (["x", "place_id"], "5"),
    ] {
      let pairs = Array(zip(["category"] + keys, ["bank", "way", "5"])).map { ($0, $1) }
      for text in Self.everywhere(pairs) {
        #expect(try readPlaces(text).places.map(\.sourceID) == [id], "\(text)")
      }
    }
    // Exceptions, too, and what is written as it is looked up comes first.
    let excluded = [("amenity", "fuel"), ("Access", "private")]
    for text in Self.everywhere(excluded) { #expect(try readPlaces(text).places.isEmpty) }
    let disused = [("amenity", "bank"), ("Disused:Amenity", "bank")]
    for text in Self.everywhere(disused) { #expect(try readPlaces(text).places.isEmpty) }
    let both = try readPlaces(Self.feature("\"amenity\":\"bank\",\"Name\":\"B\",\"name\":\"A\""))
    #expect(both.places.map(\.name) == ["A"])
    let null = try readPlaces(Self.feature("\"amenity\":\"bank\",\"name\":null,\"Name\":\"B\""))
    #expect(null.places.map(\.name) == ["B"])
  }

  @Test func `a bad line costs one line`() throws {
    let bank = Self.feature("\"amenity\":\"bank\"")
    let names = ["1", "2", "3"].map { Self.feature("\"amenity\":\"bank\",\"name\":\"\($0)\"") }
    let result = try readPlaces(
      "\(names[0])\n{\"type\":\"Feature\",\n\(names[1])\n{\"a\":}\n\(names[2])\n\(bank)\n\(bank)\n"
    )
    #expect(result.places.count == 4)
    #expect(
      result.skipped.rows.map { "\($0.row): \($0.reason)" } == [
        "line 2: ends in the middle", "line 4: not JSON",
      ]
    )
  }

  @Test func `a line that is no JSON, a list, or no object costs the line`() throws {
    let bank = Self.feature("\"amenity\":\"bank\"")
    func named(_ name: Int) -> String { Self.feature("\"amenity\":\"bank\",\"name\":\(name)") }
    let lines = [
      named(1), "not json", "[\(bank)]", "\"text\"", "null", "}]", "\(named(7)) and more",
      named(9) + ",",
      "{}", "", "{\"a\":[1,2}", "no {brackets", named(13), "the end",
    ]
    for ending in ["\n", "\r\n"] {
      let result = try readPlaces(lines.joined(separator: ending))
      #expect(result.places.map(\.name) == ["1", "7", "9", "13"])
      #expect(
        result.skipped.rows.map { "\($0.row): \($0.reason)" } == [
          "line 2: not JSON", "line 3: not a feature", "line 4: not a feature",
          "line 5: not a feature", "line 6: not JSON", "line 7: not JSON", "line 9: not a feature",
          "line 11: ends in the middle", "line 12: not JSON", "line 14: not JSON",
        ]
      )
    }
  }

  @Test func `a first line that is no feature, or is cut, costs the line`() throws {
    let bank = Self.feature("\"amenity\":\"bank\"")
    let other = Self.feature("\"amenity\":\"fuel\"")
    let cuts = [17, 60, 75, 85].map { String(bank.prefix($0)) }
    for first in ["log: done", "[]", "\u{FEFF}log: done"] + cuts {
      let result = try readPlaces("\(first)\n\(bank)\n\(other)\n")
      #expect(result.places.count == 2, "\(first)")
      #expect(result.skipped.rows.map(\.row) == ["line 1"], "\(first)")
    }
    // The same in a collection that has a feature a line.
    let list = [cuts[1], bank + ",", " " + cuts[3], other].joined(separator: "\n")
    let result = try readPlaces("{\"features\": [\n\(list)\n]}")
    #expect(result.places.count == 2)
    #expect(
      result.skipped.rows.map { "\($0.row): \($0.reason)" } == [
        "line 2: ends in the middle", "line 4: ends in the middle",
      ]
    )
  }

  @Test func `members of a collection that are no features are counted`() throws {
    let bank = Self.feature("\"amenity\":\"bank\"")
    let (fuel, pharmacy) = (
      Self.feature("\"amenity\":\"fuel\""), Self.feature("\"amenity\":\"pharmacy\"")
    )
    let members = [
      "null", bank, "17", "\"a, ]\\\"b\"", "[\(bank)]", "nonsense", "true\n", fuel, "{}}", pharmacy,
    ]
    let text = "{\"features\":[\(members.joined(separator: ","))],\"crs\":{}}"
    let result = try readPlaces(text)
    #expect(result.places.count == 3)
    #expect(
      result.skipped.rows.map(\.reason) == [
        "not a feature", "not a feature", "not a feature", "not a feature", "not JSON",
        "not a feature", "not a feature", "not JSON",
      ]
    )
    let blank = try readPlaces("{\"features\":[ , \(bank), ]}")
    #expect(blank.places.count == 1 && blank.skipped.count == 0)
    // What would follow is lost: no row can be named, and the file is an error.
    for broken in ["{\"features\":[\(bank)],\(bank)]}", "{\"features\":[\(bank)"] {
      #expect(throws: ImportError.self) { try readPlaces(broken) }
    }
  }

  @Test func `whatever stands between, each feature is found and each bad row counted`() throws {
    let junk = [
      "x", "[1,[2]]", "\"{\"", "12", "{\"type\":\"Feature\",", "{\"a\":\"b", "]", "{\"code\":404}",
      "{{",
    ]
    for seed in UInt64(0)..<300 {
      var generator = SeededGenerator(seed: seed)
      func bank(_ line: Int) -> String {
        Self.feature("\"amenity\":\"bank\",\"name\":\"\(seed) \(line) {[\\\"\"")
      }
      // The first line tells that there is a feature on each.
      var lines = [bank(1)]
      var bad: [Int] = []
      for number in 2...generator.integer(2...12) {
        let isBad = generator.integer(0...2) == 0
        if isBad { bad.append(number) }
        lines.append(isBad ? junk[generator.integer(0...junk.count - 1)] : bank(number))
      }
      let result = try readPlaces(lines.joined(separator: "\n") + "\n")
      #expect(result.places.count == lines.count - bad.count, "seed \(seed)")
      #expect(result.skipped.rows.map(\.row) == bad.map { "line \($0)" }, "seed \(seed)")
    }
  }

  @Test func `geometries that cannot be read have a reason each`() throws {
    func reason(_ geometry: String) throws -> String? {
      try readPlaces(Self.feature("\"amenity\":\"bank\"", geometry)).skipped.rows.first?.reason
    }
    #expect(try reason("null") == "no geometry that can be read")
    #expect(try reason("{\"type\":\"Point\",\"coordinates\":[1]}")?.hasPrefix("no lat") == true)
    #expect(
      try reason("{\"type\":\"Point\",\"coordinates\":[1,91]}")
        == "the coordinates are not on the earth"
    )
    #expect(try reason("{\"type\":\"Point\",\"coordinates\":[0,0]}") == "the coordinates are 0,0")
    #expect(try reason("{\"type\":\"Polygon\",\"coordinates\":[]}") != nil)
    // One corner that is elsewhere: the cache of such a place could not be read again.
    let polygon = "{\"type\":\"Polygon\",\"coordinates\":[[[179.9,1],[0,2],[179.9,1]]]}"
    #expect(try reason(polygon) == "an outline that reaches farther than 1,000 km")
  }

  @Test(arguments: [
    "http://www.opengis.net/def/crs/EPSG/0/4326", "urn:ogc:def:crs:EPSG:6.9:4326",
    "http://www.opengis.net/gml/srs/epsg.xml#4326", "urn:ogc:def:crs:EPSG:6.9:4979",
  ])
  func `degrees are degrees, by whatever name a list has them`(name: String) throws {
    let crs = "\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"\(name)\"}}"
    func collection(_ crs: String) -> String {
      "{\"type\":\"FeatureCollection\",\(crs),\"features\":[\(Self.feature("\"amenity\":\"bank\""))]}"
    }
    #expect(try readPlaces(collection(crs)).places.count == 1)
    let other = crs.replacing("4326", with: "3857").replacing("4979", with: "25832")
    #expect(throws: ImportError.self) { try readPlaces(collection(other)) }
  }

  @Test(arguments: ["3", "[3]"])
  func `a property of the name elements makes no answer of Overpass`(value: String) throws {
    let feature = Self.feature("\"elements\":\(value),\"amenity\":\"bank\"")
    for text in [feature, "{\"type\":\"FeatureCollection\",\"features\":[\(feature)]}"] {
      #expect(try readPlaces(text).format == .geoJSON)
    }
    let turned =
      "{\"properties\":{\"elements\":[3],\"amenity\":\"bank\"},\"geometry\":\(Self.point),\"type\":\"Feature\"}"
    #expect(try readPlaces(turned).places.count == 1)
  }

  @Test func `of several lines the longest counts, in every way to write them`() throws {
    let lines =
      "{\"type\":\"MultiLineString\",\"coordinates\":[[[1,2],[1,2.001]],[[5,6],[5,6.01]]]}"
    let feature = try readPlaces(Self.feature("\"amenity\":\"bank\"", lines))
    let table = try readPlaces("wkt;category\nMULTILINESTRING((1 2,1 2.001),(5 6,5 6.01));bank\n")
    for result in [feature, table] {
      let place = try #require(result.places.first).coordinate
      #expect(abs(place.latitude - 6.005) < 1e-6 && place.longitude == 5)
    }
  }

  @Test func `of several areas the largest counts, not the longest`() throws {
    // A strip of 2 km by 1 m, and a square of 100 m.
    let strip = "[[[10,1],[10.02,1],[10.02,1.00001],[10,1.00001],[10,1]]]"
    let square = "[[[10,2],[10.001,2],[10.001,2.001],[10,2.001],[10,2]]]"
    let areas = "{\"type\":\"MultiPolygon\",\"coordinates\":[\(strip),\(square)]}"
    let place = try readPlaces(Self.feature("\"amenity\":\"bank\"", areas)).places.first
    #expect(abs((place?.coordinate.latitude ?? 0) - 2.0005) < 1e-6)
  }

  /// - Source: RFC 7946, 3.1.8; OGC 06-103r4, 7.2.2.
  @Test func `of a collection of shapes the area counts, then the line, then the point`() throws {
    func collection(_ parts: String) -> String {
      "{\"type\":\"GeometryCollection\",\"geometries\":[\(parts)]}"
    }
    func shape(_ type: String, _ coordinates: String) -> String {
      "{\"type\":\"\(type)\",\"coordinates\":\(coordinates)}"
    }
    let point = shape("Point", "[3,4]")
    let line = shape("LineString", "[[5,6],[5,6.01]]")
    let lines = shape("MultiLineString", "[[[5,6],[5,6.01]],[[1,2],[1,2.001]]]")
    let area = shape("Polygon", "[[[7,8],[7.001,8],[7.001,8.001],[7,8.001],[7,8]]]")
    let features = [
      [point, line, collection(area)].joined(separator: ","), "\(lines),\(point)",
      "\(point),\(point)",
      shape("MultiPoint", "[[3,4],[3,4]]"), "\(point),\(shape("Point", "[3,5]"))", "",
      [shape("Polygon", "[]"), collection(""), shape("LineString", "[]"), shape("Point", "[3,9]")]
        .joined(separator: ","),
      "\(point),{\"type\":\"Circle\"}", "\(line),\(shape("LineString", "[[5,96]]"))",
    ]
    let texts = [
      "(POINT(3 4),LINESTRING(5 6,5 6.01),GEOMETRYCOLLECTION(POLYGON((7 8,7.001 8,7.001 8.001,7 8.001,7 8))))",
      " Z (MULTILINESTRING Z ((5 6 0,5 6.01 0),(1 2 0,1 2.001 0)), POINT Z (3 4 0) ) ",
      "(POINT(3 4),POINT(3 4))", "(MULTIPOINT(3 4,3 4))", "(POINT(3 4),POINT(3 5))", "()",
      "(POLYGON EMPTY, GEOMETRYCOLLECTION EMPTY,LINESTRING Z EMPTY ,POINT(3 9))",
      "(POINT(3 4),CIRCLE(1 2))", "(LINESTRING(5 6,5 6.01),LINESTRING(5 96))",
    ]
    for result in [
      try readPlaces(
        features.map { Self.feature("\"amenity\":\"bank\"", collection($0)) }
          .joined(separator: "\n")
      ),
      try readPlaces(
        "wkt;category\n" + texts.map { "GeometryCollection\($0);bank\n" }.joined()
      ),
    ] {
      let latitudes = result.places.map { ($0.coordinate.latitude * 10_000).rounded() / 10_000 }
      #expect(latitudes == [8.0005, 6.005, 4, 9], "\(result.skipped.rows)")
      #expect(
        result.skipped.rows.map(\.reason) == [
          "a shape of several points, of which none is the place", "no geometry that can be read",
          "no geometry that can be read", "the coordinates are not on the earth",
        ]
      )
    }
    for text in [
      "GEOMETRYCOLLECTION(POINT(3 4)", "GEOMETRYCOLLECTION(POINT(3 4)POINT(3 4))",
      "GEOMETRYCOLLECTION POINT(3 4)", "GEOMETRYCOLLECTION(EMPTY)", "POINT EMPTY",
      String(repeating: "GEOMETRYCOLLECTION(", count: 10_000) + "POINT(3 4)"
        + String(repeating: ")", count: 10_000),
    ] {
      let table = try readPlaces("wkt;category\n\(text);bank\n")
      #expect(table.skipped.rows.map(\.reason) == ["no geometry that can be read"])
    }
  }

  @Test func `a feature that is far too long is skipped`() throws {
    let bank = Self.feature("\"amenity\":\"bank\"")
    let long = Self.feature("\"name\":\"\(String(repeating: "x", count: 17 << 20))\"")
    let fuel = Self.feature("\"amenity\":\"fuel\"")
    let result = try readPlaces("{\"features\":[\(bank),\(long),\(fuel)]}")
    #expect(result.places.count == 2)
    #expect(result.skipped.rows.map(\.reason) == ["longer than 4 MiB"])
  }

  @Test(arguments: [
    "{\"features\":[{", "{", "{}]", "{} x", "[]", "{\"features\":[1,null]}", "{}\n{}\nx\n",
    "{\"error\":\"no\"}\ncached by a proxy\n", "{\"type\":\"Feature\",\n",
    "x\n{\"type\":\"Feature\"",
  ])
  func `a broken file is an error`(text: String) {
    #expect(throws: ImportError.self) { try readPlaces(text) }
  }

  @Test func `an excluded element is not brought back by its category`() throws {
    let text = Self.feature(
      "\"amenity\":\"fuel\",\"access\":\"private\",\"category\":\"gas_station\""
    )
    #expect(try readPlaces(text).places.isEmpty)
  }
}
