import Basics

/// Reads the places of KML: placemarks with a point, a line or an area.
///
/// Tags of OpenStreetMap, and `category`, are data of a placemark; the name of a folder stands for a category
/// where it is one, and the placemark has none that is known.
///
/// - Complexity: memory for the places and for one placemark.
/// - Source: OGC 12-007r2, "KML 2.3".
func importKML(_ job: ImportJob) throws(ImportError) -> ImportResult {
  let byteCount = try ByteSource(path: job.path).byteCount
  let handler = PlacemarkHandler(
    rows: RowCollector(job: job, format: .kml, byteCount: byteCount),
    reader: FeatureReader(rules: job.rules, notesOlderIDs: job.notesOlderIDs)
  )
  try parseXML(job, handler: handler)
  try handler.rows.check(line: 1)
  guard handler.rows.count > 0 else {
    throw ImportError(.empty, path: job.path, "KML without a placemark; export it again")
  }
  return handler.rows.result
}

private final class PlacemarkHandler: XMLHandler {
  private(set) var rows: RowCollector
  private let reader: FeatureReader
  let wantsText = true

  private var path: [String] = []
  private var folders: [String] = []
  private var text: [UInt8] = []
  private var dataName = ""
  private var isPlacemark = false
  private var line = 0
  private var properties: JSONValue.Members = []
  private var polygons: [[[JSONValue]]] = []
  /// Points and lines.
  private var others: [JSONValue] = []
  /// What of the shapes of the placemark has been read, in values and in bytes.
  private var (valueCount, byteCount) = (0, 0)
  /// Why they are not kept: they are more than those of any place.
  private var excess: SkipReason?

  /// A placemark has no more values than a feature of GeoJSON.
  private static let mostValues = 600_000
  /// No key of data is longer.
  private static let longestKey = 255
  /// No name and no outline of a real file is longer.
  private static let longestText = 1 << 20

  init(rows: RowCollector, reader: FeatureReader) {
    self.rows = rows
    self.reader = reader
  }

  func start(_ name: XMLText, _ attributes: XMLAttributes) throws(XMLRefusal) {
    // Prefixes are whatever a program chose.
    let name = name.string.split(separator: ":").last.map(String.init) ?? ""
    path.append(name)
    text.removeAll(keepingCapacity: true)
    switch name {
    case "Folder", "Document": folders.append("")
    case "Placemark":
      isPlacemark = true
      line = attributes.line
      properties = []
      dropShapes()
      (valueCount, byteCount, excess) = (0, 0, nil)
    case "Data", "SimpleData": dataName = attributes["name"]?.string ?? ""
    case "Polygon": if isPlacemark, keeps(values: 1, bytes: 0) { polygons.append([]) }
    default: break
    }
  }

  func text(_ bytes: UnsafeRawBufferPointer) throws(XMLRefusal) {
    text.append(contentsOf: bytes)
    if text.count > Self.longestText {
      throw XMLRefusal(reason: "an element with more than \(Self.longestText) bytes of text")
    }
  }

  func end(_ name: XMLText) throws(XMLRefusal) {
    guard let name = path.popLast() else { return }
    let whole = String(decoding: text, as: UTF8.self)
    text.removeAll(keepingCapacity: true)
    // An outline is as long as it is.
    if name == "coordinates" {
      if isPlacemark, keeps(values: 1, bytes: whole.utf8.count) { takeCoordinates(whole) }
      return
    }
    let value = cleaned(whole)
    switch name {
    case "name" where path.last == "Placemark": add("name", value)
    case "name" where path.last == "Folder" || path.last == "Document":
      if !folders.isEmpty { folders[folders.count - 1] = value ?? "" }
    case "Folder", "Document": _ = folders.popLast()
    case "phoneNumber": add("phone", value)
    case "value", "SimpleData":
      if isPlacemark { add(dataName, value) }
    case "Placemark":
      finishPlacemark()
      isPlacemark = false
      if let refusal = rows.refusal { throw XMLRefusal(reason: refusal) }
    default: break
    }
  }

  private func add(_ key: String, _ value: String?) {
    guard isPlacemark, let value, !key.isEmpty, key.utf8.count <= Self.longestKey,
      properties.count < 1_024
    else { return }
    properties.append((key, .string(value)))
  }

  private func dropShapes() {
    polygons = []
    others = []
  }

  /// Whether the shapes of the placemark may have so much more; what is there of larger ones is dropped.
  private func keeps(values: Int, bytes: Int) -> Bool {
    valueCount += values
    byteCount += bytes
    if byteCount > GeoJSONScanner.longestFeature { excess = excess ?? .tooLong }
    if valueCount > Self.mostValues { excess = excess ?? .tooManyValues }
    if excess != nil { dropShapes() }
    return excess == nil
  }

  /// `longitude,latitude[,altitude]`, white space between the points.
  private func takeCoordinates(_ text: String) {
    let tuples = text.split(whereSeparator: \.isWhitespace)
    // A list and its numbers.
    guard keeps(values: tuples.count * 3, bytes: 0) else { return }
    let positions =
      tuples.map { tuple in
        let numbers = tuple.split(separator: ",", omittingEmptySubsequences: false)
        // Four are two with decimal commas, of which nobody knows.
        return numbers.count > 3
          ? JSONValue.null : .array(numbers.prefix(2).map { .number(String($0)) })
      }
    switch path.last {
    case "Point":
      others.append(
        .object([("type", .string("Point")), ("coordinates", positions.first ?? .null)])
      )
    case "LineString":
      others.append(
        .object([("type", .string("LineString")), ("coordinates", .array(positions))])
      )
    case "LinearRing":
      if !polygons.isEmpty { polygons[polygons.count - 1].append(positions) }
    default: break
    }
  }

  private func finishPlacemark() {
    rows.count += 1
    let areas = polygons.map { rings in JSONValue.array(rings.map { .array($0) }) }
    let area = JSONValue.object([
      ("type", .string("MultiPolygon")), ("coordinates", .array(areas)),
    ])
    let parts = (polygons.isEmpty ? [] : [area]) + others
    let shape: JSONValue =
      parts.count == 1
      ? parts[0]
      : .object([("type", .string("GeometryCollection")), ("geometries", .array(parts))])
    let feature = JSONValue.object([
      ("type", .string("Feature")), ("properties", .object(properties)),
      ("geometry", excess == nil ? shape : .null),
    ])
    let folder = folders.last { reader.rules.index(named: $0) != nil }
    let outcome = reader.read(feature, folder: folder)
    rows.take(excess.map(outcome.withoutShape) ?? outcome, "line \(line)")
    dropShapes()
  }
}
