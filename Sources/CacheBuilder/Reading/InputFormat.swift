/// The formats that can be read.
package enum InputFormat: String, Hashable, Sendable {
  /// OpenStreetMap's binary format.
  case osmPBF = "osm-pbf"
  /// OpenStreetMap's XML, plain or compressed.
  case osmXML = "osm-xml"
  /// GeoJSON: a collection, a feature, or a feature a line; plain or compressed.
  case geoJSON = "geojson"
  /// Comma-separated values with a header; plain or compressed.
  case csv = "csv"

  /// Recognizes a file by its first bytes; its name does not matter.
  ///
  /// - Throws: ``ImportError`` for a file that is missing, empty or of no known format.
  package static func recognize(path: String) throws(ImportError) -> InputFormat {
    let source = try ByteSource(path: path)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 16)
    defer { buffer.deallocate() }
    let count = try source.read(into: buffer)
    let head = Array(buffer[..<count])
    if isPBF(head) {
      if let unpacker = source.unpacker {
        throw ImportError(
          .unsupported,
          path: path,
          "a PBF file that is compressed once more; unpack it with \(unpacker)"
        )
      }
      return .osmPBF
    }
    for (magic, name, tool) in compressions where head.starts(with: magic) {
      throw ImportError(
        .unsupported,
        path: path,
        "\(name) data cannot be read yet; unpack it with `\(tool)` first"
      )
    }
    var text = head[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    text = text.drop { $0 == 0x20 || (0x09...0x0D).contains($0) || $0 == 0x1E }
    switch text.first {
    case UInt8(ascii: "<"): return .osmXML
    case UInt8(ascii: "{"): return .geoJSON
    case nil: throw ImportError(.empty, path: path, "there is nothing in the file but blanks")
    default: break
    }
    let line = text.prefix { $0 != 0x0A && $0 != 0x0D }
    if CSVHeader(line: Array(line)) != nil { return .csv }
    if hasFeatureLine(text) { return .geoJSON }
    throw ImportError(
      .unknownFormat,
      path: path,
      "this is not OSM PBF, OSM XML, GeoJSON, or CSV with columns lat and lon"
    )
  }

  /// Whether features begin behind a first line that is none: one bad row among good ones.
  private static func hasFeatureLine(_ text: ArraySlice<UInt8>) -> Bool {
    text.split(separator: 0x0A)
      .contains { line in
        line.lazy.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x1E }
          .starts(with: GeoJSONScanner.start)
      }
  }

  private static let compressions: [([UInt8], String, String)] = [
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz", "unxz"),
    ([0x28, 0xB5, 0x2F, 0xFD], "zstd", "unzstd"),
    ([0x50, 0x4B, 0x03, 0x04], "zip", "unzip"),
  ]

  /// A PBF file starts with the length of a header that says OSMHeader.
  private static func isPBF(_ head: [UInt8]) -> Bool {
    let name = Array("OSMHeader".utf8)
    return head.count >= 15 && head[0] == 0 && head[4] == 0x0A && head[5] == 9
      && Array(head[6..<15]) == name
  }
}
