import CZlib
import Foundation
import Geodesy

#if canImport(FoundationXML)
import FoundationXML
#endif

/// A whole map in memory, read in the plainest way: a second opinion for the readers.
///
/// It trusts its input, holds everything, and shares no code with them: Foundation's parser for XML,
/// zlib and a loop over the bytes for PBF.
final class PlainMap: NSObject, XMLParserDelegate {
  struct Element {
    var tags: [String: String] = [:]
    /// Nodes of a way, or member ways of a relation.
    var refs: [Int64] = []
  }

  private(set) var nodes: [Int64: Coordinate] = [:]
  /// By `node/1`, `way/2`, `relation/3`; of nodes only those with tags.
  private(set) var elements: [String: Element] = [:]

  init(path: String) throws {
    super.init()
    let bytes = try Self.unpacked(Data(contentsOf: URL(fileURLWithPath: path)))
    if bytes.first == UInt8(ascii: "<") {
      // In pieces, since libxml2 refuses more than 10 MB at once.
      let parser = XMLParser(stream: InputStream(data: Data(bytes)))
      parser.delegate = self
      guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
    } else {
      readPBF(bytes)
    }
  }

  private static func unpacked(_ data: Data) -> [UInt8] {
    let bytes = [UInt8](data)
    guard bytes.starts(with: [0x1F, 0x8B]) else { return bytes }
    // The last four bytes of gzip are the size.
    let size = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    return inflated(bytes, size: size, windowBits: 31)
  }

  private static func inflated(_ bytes: [UInt8], size: Int, windowBits: Int32) -> [UInt8] {
    var (input, output) = (bytes, [UInt8](repeating: 0, count: size))
    var stream = z_stream()
    inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = uInt(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = uInt(output.count)
        _ = inflate(&stream, Z_FINISH)
      }
    }
    inflateEnd(&stream)
    return output
  }

  // MARK: XML

  private var current: (id: String, element: Element)?

  func parser(
    _ parser: XMLParser,
    didStartElement name: String,
    namespaceURI: String?,
    qualifiedName: String?,
    attributes: [String: String]
  ) {
    switch name {
    case "node", "way", "relation":
      current = attributes["id"].map { ("\(name)/\($0)", Element()) }
      if name == "node", let id = attributes["id"].flatMap({ Int64($0) }),
        let latitude = attributes["lat"].flatMap(Double.init),
        let longitude = attributes["lon"].flatMap(Double.init)
      {
        nodes[id] = Coordinate(uncheckedLatitude: latitude, longitude: longitude)
      }
    case "tag":
      if let key = attributes["k"] { current?.element.tags[key] = attributes["v"] }
    case "nd":
      if let ref = attributes["ref"].flatMap({ Int64($0) }) { current?.element.refs.append(ref) }
    case "member":
      guard attributes["type"] == "way", let ref = attributes["ref"].flatMap({ Int64($0) }) else {
        return
      }
      current?.element.refs.append(ref)
    default: break
    }
  }

  func parser(
    _ parser: XMLParser,
    didEndElement name: String,
    namespaceURI: String?,
    qualifiedName: String?
  ) {
    guard ["node", "way", "relation"].contains(name), let element = current else { return }
    if name != "node" || !element.element.tags.isEmpty { elements[element.id] = element.element }
    current = nil
  }

  // MARK: PBF

  private struct Field {
    let number: Int
    let value: UInt64
    let bytes: ArraySlice<UInt8>
  }

  private func readPBF(_ file: [UInt8]) {
    var position = 0
    while position < file.count {
      let length = file[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      let header = Self.fields(file[position + 4..<position + 4 + length])
      let size = header.first { $0.number == 3 }.map { Int($0.value) } ?? 0
      let isData = header.contains { $0.number == 1 && Array($0.bytes) == Array("OSMData".utf8) }
      let start = position + 4 + length
      position = start + size
      guard isData else { continue }
      let blob = Self.fields(file[start..<position])
      let unpackedSize = blob.first { $0.number == 2 }.map { Int($0.value) } ?? 0
      for part in blob {
        if part.number == 1 { readBlock(part.bytes) }
        if part.number == 3 {
          readBlock(Self.inflated(Array(part.bytes), size: unpackedSize, windowBits: 15)[...])
        }
      }
    }
  }

  private func readBlock(_ block: ArraySlice<UInt8>) {
    let fields = Self.fields(block)
    let texts = fields.filter { $0.number == 1 }.flatMap { Self.fields($0.bytes) }
      .map { String(decoding: $0.bytes, as: UTF8.self) }
    func number(_ field: Int, _ standard: Int64) -> Int64 {
      fields.first { $0.number == field }.map { Int64(bitPattern: $0.value) } ?? standard
    }
    let (granularity, north, east) = (number(17, 100), number(19, 0), number(20, 0))
    func place(_ id: Int64, _ latitude: Int64, _ longitude: Int64) {
      nodes[id] = Coordinate(
        uncheckedLatitude: Double(north + granularity * latitude) / 1e9,
        longitude: Double(east + granularity * longitude) / 1e9
      )
    }
    for group in fields where group.number == 2 {
      for item in Self.fields(group.bytes) {
        let parts = Self.fields(item.bytes)
        func list(_ field: Int) -> [UInt64] {
          parts.filter { $0.number == field }.flatMap { Self.numbers($0.bytes) }
        }
        func value(_ field: Int) -> UInt64 { parts.first { $0.number == field }?.value ?? 0 }
        func tags() -> [String: String] {
          Dictionary(
            zip(list(2), list(3)).map { (texts[Int($0)], texts[Int($1)]) },
            uniquingKeysWith: { $1 }
          )
        }
        switch item.number {
        case 1:
          let id = Self.signed(value(1))
          place(id, Self.signed(value(8)), Self.signed(value(9)))
          if !list(2).isEmpty { elements["node/\(id)"] = Element(tags: tags()) }
        case 2:
          let ids = Self.summed(list(1))
          let (latitudes, longitudes) = (Self.summed(list(8)), Self.summed(list(9)))
          for (index, id) in ids.enumerated() { place(id, latitudes[index], longitudes[index]) }
          var rest = list(10)[...]
          for id in ids where !rest.isEmpty {
            var element = Element()
            while let key = rest.popFirst(), key != 0, let value = rest.popFirst() {
              element.tags[texts[Int(key)]] = texts[Int(value)]
            }
            if !element.tags.isEmpty { elements["node/\(id)"] = element }
          }
        case 3:
          elements["way/\(Int64(bitPattern: value(1)))"] = Element(
            tags: tags(),
            refs: Self.summed(list(8))
          )
        case 4:
          let ways = zip(Self.summed(list(9)), list(10)).filter { $0.1 == 1 }.map(\.0)
          elements["relation/\(Int64(bitPattern: value(1)))"] = Element(tags: tags(), refs: ways)
        default: break
        }
      }
    }
  }

  private static func fields(_ bytes: ArraySlice<UInt8>) -> [Field] {
    var fields: [Field] = []
    var rest = bytes
    while !rest.isEmpty {
      let tag = varint(&rest)
      if tag & 7 == 2 {
        let count = Int(varint(&rest))
        fields.append(Field(number: Int(tag >> 3), value: 0, bytes: rest.prefix(count)))
        rest = rest.dropFirst(count)
      } else {
        fields.append(Field(number: Int(tag >> 3), value: varint(&rest), bytes: []))
      }
    }
    return fields
  }

  private static func numbers(_ bytes: ArraySlice<UInt8>) -> [UInt64] {
    var (rest, numbers) = (bytes, [UInt64]())
    while !rest.isEmpty { numbers.append(varint(&rest)) }
    return numbers
  }

  private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64 {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while let byte = bytes.popFirst() {
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { break }
      shift += 7
    }
    return value
  }

  private static func signed(_ value: UInt64) -> Int64 {
    Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  private static func summed(_ differences: [UInt64]) -> [Int64] {
    var sum: Int64 = 0
    return differences.map { difference in
      sum += signed(difference)
      return sum
    }
  }

  // MARK: Shapes

  /// The lines that an element draws on the map, as far as their nodes are there.
  func lines(of id: String) -> [[Coordinate]] {
    guard let element = elements[id] else { return [] }
    if id.hasPrefix("way/") { return [element.refs.compactMap { nodes[$0] }] }
    return element.refs.compactMap { elements["way/\($0)"] }
      .map { way in
        way.refs.compactMap { nodes[$0] }
      }
  }

  /// Whether an element encloses an area: each end of a line is the end of another, or its own start.
  func isArea(_ id: String) -> Bool {
    guard let element = elements[id] else { return false }
    let ways =
      id.hasPrefix("way/") ? [element.refs] : element.refs.map { elements["way/\($0)"]?.refs ?? [] }
    var ends: [Int64: Int] = [:]
    for way in ways {
      guard let first = way.first, let last = way.last, way.count > 1 else { return false }
      ends[first, default: 0] += 1
      ends[last, default: 0] += 1
      if way.contains(where: { nodes[$0] == nil }) { return false }
    }
    return ends.values.allSatisfy { $0 % 2 == 0 }
  }

  /// Whether a ray to the east crosses the lines an odd number of times.
  static func isInside(_ point: Coordinate, _ lines: [[Coordinate]]) -> Bool {
    var isInside = false
    for line in lines {
      for (a, b) in zip(line, line.dropFirst())
      where (a.latitude <= point.latitude) != (b.latitude <= point.latitude) {
        let part = (point.latitude - a.latitude) / (b.latitude - a.latitude)
        if a.longitude + part * (b.longitude - a.longitude) > point.longitude { isInside.toggle() }
      }
    }
    return isInside
  }
}
