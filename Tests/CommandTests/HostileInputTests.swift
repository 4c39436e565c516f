import CZlib
import Foundation
import TestSupport
import Testing

/// Files made to eat memory: small on the disk, and large, deep or many once they are read.
///
/// Each ends with a sentence that names the file and the place, or costs a row; none needs more
/// memory than a phone has to spare.
@Suite struct HostileInputTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Builds a cache of the file.
  private func build(_ name: String, _ bytes: [UInt8]) throws -> Command {
    try Data(bytes).write(to: URL(fileURLWithPath: folder.path(name)))
    return try run(["cache", "build", folder.path(name), "-o", folder.path("o.sqlite")])
  }

  /// Runs a command, and checks how much memory it takes.
  private func run(_ arguments: [String]) throws -> Command {
    let result = try Command(arguments, measuresMemory: true)
    #expect(result.peakMebibytes ?? 0 < 192)
    return result
  }

  private func expectRefusal(_ result: Command, _ name: String, _ hint: String) {
    #expect(result.status == 65, "\(name): \(result.errors)")
    #expect(result.errors.contains("\(name): "), "\(result.errors)")
    #expect(result.errors.contains(hint), "\(result.errors)")
    #expect(!folder.names.contains("o.sqlite"))
  }

  // MARK: PBF

  @Test(arguments: [
    HostileFile(
      "file of 4 GB",
      Wire.blob("OSMData", size: 4_294_967_295),
      "byte 35: the block header"
    ),
    HostileFile(
      "texts of 100 MB",
      Wire.blob("OSMData", unpackedSize: 100_000_000, Wire.zlib([0])),
      "a block of 100000000 bytes"
    ),
    HostileFile(
      "16 million texts",
      Wire.block(Wire.field(1, Wire.emptyTexts(16_000_000))),
      "too many texts"
    ),
    HostileFile(
      "10 million tags",
      Wire.bank(3, keys: 10_000_000, refs: []),
      "too many tags"
    ),
    HostileFile(
      "a way of 30 million nodes",
      Wire.bank(3, keys: 1, refs: [UInt8](repeating: 2, count: 30_000_000)),
      "too many nodes"
    ),
  ])
  func `a PBF file that would fill the memory is refused`(
    file: HostileFile
  ) throws {
    expectRefusal(try build("big.pbf", Wire.header + file.bytes()), "big.pbf", file.hint)
  }

  @Test func `blocks as large as they may be wait for each other's memory`() throws {
    let block = Wire.block(Wire.field(15, [UInt8](repeating: 0, count: (32 << 20) - 8)))
    let blocks = Array(repeating: block, count: 12).flatMap { $0 }
    let end = Wire.bank(3, keys: 1, refs: [2])
    let result = try build("large.pbf", Wire.header + blocks + end)
    // It is read to its end, where its one place lacks its nodes: no cache is made of nothing.
    #expect(result.status == 65, "\(result.errors)")
    #expect(result.errors.contains("none of its nodes is in the file"), "\(result.errors)")
  }

  @Test func `outlines without end are refused`() throws {
    let refs = [UInt8](repeating: 2, count: 1_000_000)
    let way = Wire.bank(3, keys: 1, refs: refs)
    let ways = Array(repeating: way, count: 50).flatMap { $0 }
    expectRefusal(try build("ways.pbf", Wire.header + ways), "ways.pbf", "made to fill the memory")
    let text = Gzip.file(
      "<osm>",
      "<way id=\"1\">" + String(repeating: "<nd ref=\"1\"/>", count: 1_000)
        + "<tag k=\"amenity\" v=\"bank\"/></way>",
      20_000
    )
    expectRefusal(try build("ways.osm.gz", text), "ways.osm.gz", "made to fill the memory")
  }

  @Test func `a few bytes that are a million places are refused`() throws {
    let nodes = Wire.banks(1_000_000)
    let map = Wire.header + Array(repeating: nodes, count: 4).flatMap { $0 }
    expectRefusal(try build("nodes.pbf", map), "nodes.pbf", "made to fill the memory")
    // Without ids they are one place, and that takes no memory.
    let rows = try build("rows.csv.gz", Gzip.file("lat,lon,category\n", "1,2,bank\n", 2_000_000))
    #expect(rows.status == 0 && rows.output.contains("o.sqlite: 1 place\n"), "\(rows.errors)")
    let feature =
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"#
      + #""properties":{"amenity":"bank"}}"#
    let features = try build("f.geojson.gz", Gzip.file("", feature + "\n", 400_000))
    #expect(features.status == 0 && features.output.contains("o.sqlite: 1 place\n"))
    try FileManager.default.removeItem(atPath: folder.path("o.sqlite"))
    let node = "<node id=\"1\" lat=\"1\" lon=\"2\"><tag k=\"amenity\" v=\"bank\"/></node>"
    let elements = Gzip.file("<osm>", node, 400_000)
    expectRefusal(try build("n.osm.gz", elements), "n.osm.gz", "made to fill the memory")
  }

  @Test func `a way with a million absent nodes costs the way`() throws {
    let refs = [UInt8](repeating: 2, count: 1_000_000)
    let result = try build("way.pbf", Wire.header + Wire.bank(3, keys: 1, refs: refs))
    // It was the only place.
    #expect(result.status == 65)
    #expect(result.errors.contains("way/2: none of its nodes is in the file"))
  }

  @Test func `relations within themselves and of absent ways cost the relation`() throws {
    let relation = { (id: Int, type: String, ref: Int) in
      "<relation id=\"\(id)\"><member type=\"\(type)\" ref=\"\(ref)\" role=\"outer\"/>"
        + "<tag k=\"type\" v=\"multipolygon\"/><tag k=\"amenity\" v=\"bank\"/></relation>"
    }
    let text =
      "<osm>" + relation(1, "relation", 1) + relation(2, "relation", 3) + relation(3, "relation", 2)
      + relation(4, "way", 9)
      + "<node id=\"1\" lat=\"1\" lon=\"1\"><tag k=\"amenity\" v=\"bank\"/></node></osm>"
    let result = try build("r.osm", Array(text.utf8))
    #expect(result.status == 0)
    for id in 1...4 {
      #expect(result.errors.contains("relation/\(id): none of its member ways is in the file"))
    }
  }

  // MARK: XML

  @Test(arguments: [
    HostileFile(
      "an attribute of 1 GB",
      Gzip.file("<osm><node x=\"", "x", 1 << 30),
      "longer than 1 MiB"
    ),
    HostileFile("32 million levels", Gzip.file("<osm>", "<a>", 32 << 20), "nested deeper than 256"),
    HostileFile(
      "10 million tags",
      Gzip.file(
        "<osm><node id=\"1\" lat=\"1\" lon=\"1\">",
        "<tag k=\"amenity\" v=\"bank\"/>",
        10_000_000
      ),
      "more than 65536 tags"
    ),
    HostileFile(
      "50 million nodes",
      Gzip.file("<osm><way id=\"1\">", "<nd ref=\"1\"/>", 50_000_000),
      "more than 1048576 nodes or members"
    ),
    HostileFile(
      "names without end",
      Array(("<osm>" + (0..<2_000).map { "<a\($0) b\($0)=\"\"/>" }.joined()).utf8),
      "more than 1024 different names"
    ),
    HostileFile(
      "entities",
      Gzip.file("<!DOCTYPE osm [<!ENTITY a \"b\">", "<!ENTITY a \"b\">", 1 << 20),
      "document type with declarations"
    ),
  ])
  func `an XML file that would fill the memory is refused`(
    file: HostileFile
  ) throws {
    let result = try build("big.osm.gz", file.bytes())
    expectRefusal(result, "big.osm.gz", file.hint)
    #expect(result.errors.contains("big.osm.gz: line 1: "))
  }

  @Test(arguments: [
    HostileFile(
      "an attribute of 1 GB",
      Gzip.file("<gpx x=\"", "x", 1 << 30),
      "longer than 1048576 bytes"
    ),
    HostileFile(
      "32 million levels",
      Gzip.file("<gpx>", "<a>", 32 << 20),
      "more than 8192 elements"
    ),
    HostileFile(
      "declarations",
      Gzip.file("<!DOCTYPE gpx [", "<!ATTLIST a b CDATA \"c\">", 1 << 20),
      "declares entities or elements"
    ),
  ])
  func `a trace that would fill the memory is refused`(
    file: HostileFile
  ) throws {
    let places = folder.path("places.csv")
    try Data("lat,lon,category\n1,2,bank\n".utf8).write(to: URL(fileURLWithPath: places))
    let cache = folder.path("ok.sqlite")
    #expect(try Command(["cache", "build", places, "-o", cache]).status == 0)
    let reminders = folder.path("reminders.json")
    let text = """
      {"time_zone": "UTC", "reminders": [{"id": "a", "title": "a", "target": {"category": "bank"}}]}
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: reminders))
    try Data(file.bytes()).write(to: URL(fileURLWithPath: folder.path("big.gpx.gz")))
    let result = try run([
      "replay", folder.path("big.gpx.gz"), "--cache", cache, "--reminders", reminders,
    ])
    #expect(result.status == 65)
    #expect(result.errors.contains("big.gpx.gz:1"), "\(result.errors)")
    #expect(result.errors.contains(file.hint), "\(result.errors)")
  }

  // MARK: Rows

  @Test(arguments: [
    HostileFile("a field of 256 MB", Gzip.file("\"", "x", 1 << 28, "\"\n"), "longer than 4 MiB"),
    HostileFile("64 million fields", Gzip.file("", ",", 1 << 26, "\n"), "longer than 4 MiB"),
    HostileFile("2 million fields", Gzip.file("", "x,", 2_000_000, "\n"), "the number of fields"),
  ])
  func `a row of CSV that would fill the memory costs the row`(
    row: HostileFile
  ) throws {
    let first = Gzip.file("lat,lon,category\n1,2,bank\n", "", 0)
    let result = try build("big.csv.gz", first + row.bytes() + Gzip.file("3,4,bank\n", "", 0))
    #expect(result.status == 0)
    #expect(result.errors.contains("big.csv.gz: line 3: \(row.hint)"), "\(result.errors)")
    #expect(result.output.contains("2 places"))
  }

  @Test(arguments: [
    ("1 GB of zeros", "{\"a\":\"", "0", 1 << 30, "\"}", "longer than 4 MiB"),
    ("100,000 levels", "{\"a\":", "[", 100_000, "", ""),
    ("2 million numbers", "{\"a\":[", "1,", 2_000_000, "1]}", "more than 600,000 values"),
    ("1 million lists", "{\"a\":[", "[1],", 1_000_000, "1]}", "more than 600,000 values"),
  ])
  func `a feature that would fill the memory costs the feature`(
    what: String,
    start: String,
    piece: String,
    count: Int,
    end: String,
    reason: String
  ) throws {
    // Brackets must close, or the file is cut.
    let closing = end.isEmpty ? String(repeating: "]", count: count) + "}" : end
    func bank(_ name: String) -> String {
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"#
        + #""properties":{"amenity":"bank","name":"\#(name)"}}"#
    }
    let file = Gzip.file(
      "{\"features\":[\n\(bank("a")),\n" + start,
      piece,
      count,
      closing + ",\n\(bank("b"))]}"
    )
    let result = try build("big.geojson.gz", file)
    #expect(result.status == 0)
    let hint = reason.isEmpty ? "not JSON" : reason
    #expect(result.errors.contains("big.geojson.gz: line 3: \(hint)"), "\(result.errors)")
    #expect(result.output.contains("2 places"))
  }

  @Test func `a placemark that would fill the memory costs the placemark`() throws {
    let data = "<ExtendedData><Data name=\"category\"><value>bank</value></Data></ExtendedData>"
    let ring =
      "<Polygon><outerBoundaryIs><LinearRing><coordinates>"
      + String(repeating: "1,2 ", count: 200_000)
      + "</coordinates></LinearRing></outerBoundaryIs></Polygon>"
    let file = Gzip.file(
      "<kml>\n<Placemark>\(data)<MultiGeometry>",
      ring,
      100,
      "</MultiGeometry></Placemark>\n<Placemark>\(data)<Point><coordinates>1,2</coordinates></Point>"
        + "</Placemark></kml>"
    )
    let result = try build("big.kml.gz", file)
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains("big.kml.gz: line 2: more than 600,000 values"),
      "\(result.errors)"
    )
    #expect(result.output.contains("1 place"))
  }

  @Test func `elements that wait for what they refer to cannot fill the memory`() throws {
    let members = String(repeating: "[1],", count: 280_000)
    let element =
      "{\"type\":\"relation\",\"id\":1,\"tags\":{\"amenity\":\"bank\"},\"members\":[\(members)1]},\n"
    let file = Gzip.file("{\"version\":0.6,\"elements\":[", element, 150, "{}]}")
    let result = try build("big.json.gz", file)
    expectRefusal(result, "big.json.gz", "made to fill the memory")
  }

  @Test func `lists that never close are a file that is cut`() throws {
    let result = try build("deep.geojson.gz", Gzip.file("{\"a\":", "[", 1 << 30))
    expectRefusal(result, "deep.geojson.gz", "line 1: the file ends in the middle")
  }
}

/// A file that is made when its test runs, and shown by its name in place of its bytes.
struct HostileFile: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let bytes: @Sendable () -> [UInt8]
  let hint: String

  init(_ what: String, _ bytes: @escaping @Sendable @autoclosure () -> [UInt8], _ hint: String) {
    testDescription = what
    self.bytes = bytes
    self.hint = hint
  }
}

/// Repetitive text in gzip: many members make a file of any length.
enum Gzip {
  static func file(_ start: String, _ piece: String, _ count: Int, _ end: String = "") -> [UInt8] {
    // About 16 MiB unpacked to a member.
    let perMember = max(1, (16 << 20) / max(1, piece.utf8.count))
    var bytes = start.isEmpty ? [] : member(Array(start.utf8))
    func repeated(_ times: Int) -> [UInt8] {
      var text: [UInt8] = []
      text.reserveCapacity(times * piece.utf8.count)
      for _ in 0..<times { text.append(contentsOf: piece.utf8) }
      return member(text)
    }
    if count >= perMember {
      let full = repeated(perMember)
      for _ in 0..<(count / perMember) { bytes += full }
    }
    if count % perMember > 0 { bytes += repeated(count % perMember) }
    return end.isEmpty ? bytes : bytes + member(Array(end.utf8))
  }

  private static func member(_ text: [UInt8]) -> [UInt8] { deflated(text, windowBits: 31) }
}

/// - Parameter windowBits: 15 for zlib's format, 31 for gzip's.
func deflated(_ input: [UInt8], windowBits: Int32) -> [UInt8] {
  var stream = z_stream()
  let size = Int32(MemoryLayout<z_stream>.size)
  deflateInit2_(&stream, 1, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
  defer { deflateEnd(&stream) }
  var input = input
  var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(input.count))))
  let count = input.withUnsafeMutableBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      stream.next_in = input.baseAddress
      stream.avail_in = uInt(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = uInt(output.count)
      deflate(&stream, Z_FINISH)
      return output.count - Int(stream.avail_out)
    }
  }
  return Array(output[..<count])
}

/// The least of a PBF file.
private enum Wire {
  static let header = blob("OSMHeader", field(4, Array("OsmSchema-V0.6".utf8)))

  static func zlib(_ bytes: [UInt8]) -> [UInt8] { deflated(bytes, windowBits: 15) }

  static func emptyTexts(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 2 * count)
    for index in 0..<count { bytes[2 * index] = 0x0A }
    return bytes
  }

  static func varint(_ number: Int) -> [UInt8] {
    var (rest, bytes) = (number, [UInt8]())
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  static func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(bytes.count) + bytes
  }

  /// A piece of a file; its sizes may be lies.
  static func blob(
    _ type: String,
    size: Int? = nil,
    unpackedSize: Int? = nil,
    _ contents: [UInt8] = []
  ) -> [UInt8] {
    let body =
      unpackedSize.map { varint(2 << 3) + varint($0) + field(3, contents) } ?? field(1, contents)
    let header = field(1, Array(type.utf8)) + varint(3 << 3) + varint(size ?? body.count)
    return [0, 0, 0, UInt8(header.count)] + header + body
  }

  static func block(_ contents: [UInt8]) -> [UInt8] {
    blob("OSMData", unpackedSize: contents.count, zlib(contents))
  }

  /// A block with so many nodes that are banks, each a little north-east of the one before.
  static func banks(_ count: Int) -> [UInt8] {
    let texts = ["", "amenity", "bank"].flatMap { field(1, Array($0.utf8)) }
    let steps = [UInt8](repeating: 2, count: count)
    var tags: [UInt8] = []
    tags.reserveCapacity(3 * count)
    for _ in 0..<count { tags += [1, 2, 0] }
    let dense = field(1, steps) + field(8, steps) + field(9, steps) + field(10, tags)
    return block(field(1, texts) + field(2, field(2, dense)))
  }

  /// A block with one element, 2, that says so often that it is a bank.
  static func bank(_ kind: Int, keys: Int, refs: [UInt8]) -> [UInt8] {
    let texts = ["", "amenity", "bank"].flatMap { field(1, Array($0.utf8)) }
    let tags =
      field(2, [UInt8](repeating: 1, count: keys)) + field(3, [UInt8](repeating: 2, count: keys))
    let element = [0x08, 2] + tags + (refs.isEmpty ? [] : field(8, refs))
    return block(field(1, texts) + field(2, field(kind, element)))
  }
}
