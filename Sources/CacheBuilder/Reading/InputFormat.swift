import Basics
import Foundation

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
  /// What a server of the Overpass API answers with `[out:json]`; plain or compressed.
  case overpass = "overpass-json"
  /// KML: placemarks with a point, a line or an area; plain, compressed or as KMZ.
  case kml = "kml"
  /// A GeoPackage with layers of features.
  case geoPackage = "geopackage"

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
    if head.starts(with: Array("SQLite format 3\0".utf8)) {
      if let unpacker = source.unpacker {
        throw ImportError(
          .unsupported,
          path: path,
          "an SQLite file that is compressed; unpack it with \(unpacker)"
        )
      }
      guard head.count >= 72, ["GPKG", "GP10", "GP11"].contains(text(head[68..<72])) else {
        throw ImportError(
          .unsupported,
          path: path,
          "an SQLite database that is no GeoPackage; `ogr2ogr -f GPKG places.gpkg \(shellQuoted(path))` makes one of "
            + "what GDAL reads, and `nearme cache export --format geojson` a file to build from of a cache"
        )
      }
      return .geoPackage
    }
    if head.starts(with: [0, 0, 0x27, 0x0A]) {
      throw ImportError(
        .unsupported,
        path: path,
        "a Shapefile; `ogr2ogr -t_srs EPSG:4326 -f GPKG places.gpkg \(shellQuoted(path))` makes a GeoPackage of it"
      )
    }
    for (magic, name, tool) in compressions where head.starts(with: magic) {
      throw ImportError(
        .unsupported,
        path: path,
        "\(name) data cannot be read yet; unpack it with `\(tool)` first"
      )
    }
    var body = head.withoutByteOrderMark.drop {
      $0 == 0x20 || (0x09...0x0D).contains($0) || $0 == 0x1E
    }
    switch body.first {
    case UInt8(ascii: "<"): return isKML(body) ? .kml : .osmXML
    case UInt8(ascii: "{"):
      if isOverpass(body) { return .overpass }
      try refuseForeignCoordinates(body, path)
      // Some programs write it behind the features.
      if source.unpacker == nil { try refuseForeignCoordinates(end(of: path)[...], path) }
      return .geoJSON
    case nil: throw ImportError(.empty, path: path, "there is nothing in the file but blanks")
    default: break
    }
    func firstLine() -> [UInt8] { Array(body.prefix { $0 != 0x0A && $0 != 0x0D }) }
    var line = firstLine()
    let separator = TableSeparator.named(by: line)
    if separator != nil {
      body = body.dropFirst(line.count).drop { $0 == 0x0A || $0 == 0x0D }
      line = firstLine()
    }
    if CSVHeader(line: line, separator: separator) != nil { return .csv }
    if hasFeatureLine(body) { return .geoJSON }
    throw ImportError(
      .unknownFormat,
      path: path,
      "this is not OSM PBF, OSM XML, GeoJSON, Overpass JSON, KML, GeoPackage, or CSV with columns lat and "
        + "lon or wkt"
    )
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  private static func isKML(_ head: ArraySlice<UInt8>) -> Bool {
    text(head).contains(/<([A-Za-z_][\w.\-]*:)?kml[\s>]/)
  }

  /// Whether a list of elements comes before any list of features.
  private static func isOverpass(_ head: ArraySlice<UInt8>) -> Bool {
    // A property of a feature may have that name, too.
    text(head)
      .firstMatch(of: /"(elements)"\s*:\s*\[\s*[{\]]|"(features|geometry)"\s*:|:\s*"Feature/)
      .map { $0.1 != nil } ?? false
  }

  /// Refuses coordinates that say themselves that they are no degrees on WGS 84.
  ///
  /// - Source: the member `crs` of GeoJSON 2008, section 3; RFC 7946 has taken it out.
  private static func refuseForeignCoordinates(
    _ head: ArraySlice<UInt8>,
    _ path: String
  ) throws(ImportError) {
    let head = text(head)
    let named = /"crs"\s*:\s*\{[^}]*"name"\s*:\s*"([^"]*)"\s*[,}]/
    let coded = /"crs"\s*:\s*\{[^}]*"code"\s*:\s*"?([0-9]+)"?\s*[,}]/
    let linked = /"crs"\s*:\s*\{[^}]*"href"\s*:\s*"([^"]*)"\s*[,}]/
    if let match = head.firstMatch(of: named) {
      try refuseForeignCoordinates(named: String(match.1), path)
    } else if let match = head.firstMatch(of: coded) {
      try refuseForeignCoordinates(named: "EPSG:\(match.1)", path)
    } else if let match = head.firstMatch(of: linked) {
      // Of what a link leads to only its number is known: `…/epsg/4326/ogcwkt/`, `…/4326.wkt`.
      let number = match.1.matches(of: /[0-9]{4,6}/).last?.output
      try refuseForeignCoordinates(named: number.map { "EPSG:\($0)" } ?? String(match.1), path)
    }
  }

  /// The last bytes of a file; none of what is no plain file.
  private static func end(of path: String) -> [UInt8] {
    guard let file = FileHandle(forReadingAtPath: path) else { return [] }
    defer { try? file.close() }
    guard let size = try? file.seekToEnd(), size > 4_096,
      (try? file.seek(toOffset: size - 4_096)) != nil
    else { return [] }
    return (try? file.readToEnd()).map(Array.init) ?? []
  }

  /// Refuses a system of coordinates other than degrees on WGS 84, by its name.
  static func refuseForeignCoordinates(
    named name: String,
    _ path: String
  ) throws(ImportError) {
    let key = name.uppercased().filter { $0.isLetter || $0.isNumber }
    let isDegrees = ["CRS84", "CRS84H", "EPSG4326", "EPSG4979", "WGS84", "WGS841984"]
      .contains { key == $0 || key.hasSuffix($0) }
    // There may be a version of the list between the two: `…/EPSG/0/4326`, `…:EPSG:6.9:4326`.
    let number = name.matches(of: /[0-9]+/).last?.output
    let isListed = key.contains("EPSG") && (number == "4326" || number == "4979")
    guard !isDegrees, !isListed else { return }
    throw ImportError(
      .unsupported,
      path: path,
      "its coordinates are in \(name), not in degrees on WGS 84; `ogr2ogr -t_srs EPSG:4326 -f GPKG "
        + "places.gpkg \(shellQuoted(path))` converts them"
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
