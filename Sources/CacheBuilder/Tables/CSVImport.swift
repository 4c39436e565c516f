import Basics
import Geodesy
import Places

/// The columns of a CSV file that we know, by their place in a row.
struct CSVHeader {
  enum Position {
    case degrees(latitude: Int, longitude: Int)
    case shape(Int)
  }

  let separator: UInt8
  let columnCount: Int
  /// The columns of the position: two of degrees, or one of a shape as text.
  let position: Position
  let category: Int?
  let id: Int?
  let name: Int?
  let brand: Int?
  let footprint: Int?
  let columns: [String]
  /// Whether numbers may have a comma for their point.
  var hasCommas: Bool { separator != UInt8(ascii: ",") }
  /// Whether a column may hold opening hours and the like.
  let hasDetails: Bool

  /// Reads the first line.
  ///
  /// - Returns: nil if it names no latitude and longitude: then the file is no CSV of places.
  init?(line: [UInt8]) {
    let separators: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
    let counts = separators.map { separator in line.count { $0 == separator } }
    guard let most = counts.max(), most > 0, let index = counts.firstIndex(of: most) else {
      return nil
    }
    var scanner = CSVScanner(separator: separators[index], line: 1)
    var fields: [[UInt8]] = []
    (line + [0x0A])
      .withUnsafeBytes { line in
        scanner.scan(line) { row in fields = (0..<row.count).map { Array(row[$0]) } }
      }
    self.init(fields: fields, separator: separators[index])
  }

  private init?(fields: [[UInt8]], separator: UInt8) {
    let columns = fields.map { field in
      String(decoding: field, as: UTF8.self).lowercased().filter { !$0.isWhitespace }
    }
    func column(_ names: String...) -> Int? {
      names.lazy.compactMap { columns.firstIndex(of: $0) }.first
    }
    if let latitude = column("lat", "latitude", "y", "@lat", "breitengrad", "breite"),
      let longitude = column("lon", "lng", "long", "longitude", "x", "@lon", "längengrad", "länge")
    {
      position = .degrees(latitude: latitude, longitude: longitude)
    } else if let shape = column("wkt", "geom", "geometry", "the_geom", "wkt_geom", "shape") {
      position = .shape(shape)
    } else {
      return nil
    }
    self.separator = separator
    self.columns = columns
    columnCount = columns.count
    hasDetails = columns.contains(where: PlaceDetails.sourceKeys.contains)
    category = column("category", "categories", "kind")
    id = column("id", "source_id", "place_id", "@id", "osm_id")
    name = column("name", "title")
    brand = column("brand", "chain")
    footprint = column("footprint_radius_m")
  }
}

/// Reads the places of a CSV file with a header, plain or compressed.
///
/// Rows without a category of ours are bad: a table of places is made for this program.
///
/// - Complexity: memory for the places and for one row.
func importCSV(_ job: ImportJob) throws(ImportError) -> ImportResult {
  let source = try ByteSource(path: job.path)
  var headerLine: [UInt8] = []
  var table: CSVTable?

  func readHeader() throws(ImportError) -> CSVTable {
    if headerLine.starts(with: [0xEF, 0xBB, 0xBF]) { headerLine.removeFirst(3) }
    if headerLine.last == 0x0D { headerLine.removeLast() }
    guard let header = CSVHeader(line: headerLine) else { throw noHeader }
    return CSVTable(header, job, byteCount: source.byteCount)
  }

  var noHeader: ImportError {
    ImportError(
      .malformed,
      path: job.path,
      at: .line(1),
      "the header names no columns lat and lon, and none of a shape such as wkt"
    )
  }

  try job.forEachChunk(of: source) { chunk throws(ImportError) in
    guard table == nil else {
      try table?.take(chunk)
      return true
    }
    guard let end = chunk.firstIndex(of: 0x0A) else {
      headerLine += chunk
      if headerLine.count > 1 << 16 { throw noHeader }
      return true
    }
    headerLine += chunk[..<end]
    table = try readHeader()
    try table?.take(UnsafeRawBufferPointer(rebasing: chunk[(end + 1)...]))
    return true
  }
  let complete: CSVTable
  if let table { complete = table } else { complete = try readHeader() }
  guard !complete.scanner.isInQuotes else {
    throw ImportError(
      .truncated,
      path: job.path,
      at: .line(complete.scanner.quoteLine),
      "the quoted field that begins here does not end; a quote is missing"
    )
  }
  let (result, rowCount) = complete.finish()
  guard rowCount > 0 else {
    throw ImportError(.empty, path: job.path, "a header without a row; fetch the table again")
  }
  return result
}

/// The rows of a file whose header is known.
private final class CSVTable {
  private(set) var scanner: CSVScanner
  private var reader: CSVRowReader
  private var rows: RowCollector

  init(_ header: CSVHeader, _ job: ImportJob, byteCount: Int64) {
    scanner = CSVScanner(separator: header.separator, line: 2, columnCount: header.columnCount)
    reader = CSVRowReader(header: header, rules: job.rules)
    rows = RowCollector(job: job, format: .csv, byteCount: byteCount)
  }

  func take(_ bytes: UnsafeRawBufferPointer) throws(ImportError) {
    scanner.scan(bytes) { add($0) }
    try rows.check(line: scanner.line)
  }

  func finish() -> (ImportResult, rowCount: Int) {
    scanner.finish { add($0) }
    return (rows.result, rows.count)
  }

  private func add(_ row: CSVRow) {
    rows.count += 1
    guard !row.isTooLong else { return rows.skip("line \(row.line)", .tooLong) }
    switch reader.read(row) {
    case .place(let place, let details): rows.add(place, details, "line \(row.line)")
    case .bad(let reason): rows.skip("line \(row.line)", reason)
    case .noPlace: break
    }
  }
}

/// Makes a place of a row.
private struct CSVRowReader {
  let header: CSVHeader
  let rules: CategoryRules
  /// What the columns of categories said so far; there are few texts in them.
  private var known: [(text: [UInt8], categories: Result<[CategoryID], BadRow>)] = []

  private struct BadRow: Error { let reason: SkipReason }

  init(header: CSVHeader, rules: CategoryRules) {
    self.header = header
    self.rules = rules
  }

  mutating func read(_ row: CSVRow) -> RowOutcome {
    guard row.count == header.columnCount else { return .bad(.wrongColumns) }
    guard isASCII(row.all) || (0..<row.count).allSatisfy({ isUTF8(row[$0]) }) else {
      return .bad(.notUTF8)
    }
    let categories: [CategoryID]
    switch self.categories(of: row) {
    case .success([]): return .noPlace
    case .success(let found): categories = found
    case .failure(let bad): return .bad(bad.reason)
    }
    let shape: Footprint
    switch footprint(of: row) {
    case .success(let footprint): shape = footprint
    case .failure(let bad): return .bad(bad.reason)
    }
    func text(_ column: Int?) -> String? { column.flatMap { cleaned(row[$0]) } }
    let (name, brand) = (text(header.name), text(header.brand))
    return .place(
      PointOfInterest(
        sourceID: text(header.id)
          ?? madeUpID("csv", categories, name: name, brand: brand, at: shape.coordinate),
        categories: categories,
        name: name,
        brand: brand,
        coordinate: shape.coordinate,
        footprintRadiusMeters: max(
          shape.radiusMeters,
          footprintRadius(header.footprint.flatMap { decimal(row[$0], hasComma: header.hasCommas) })
        )
      ),
      details: header.hasDetails ? PlaceDetails.json { tags(of: row)[$0] } : nil
    )
  }

  private func footprint(of row: CSVRow) -> Result<Footprint, BadRow> {
    switch header.position {
    case .degrees(let latitude, let longitude):
      guard let latitude = decimal(row[latitude], hasComma: header.hasCommas),
        let longitude = decimal(row[longitude], hasComma: header.hasCommas)
      else { return .failure(BadRow(reason: .noCoordinates)) }
      guard let coordinate = try? Coordinate(latitude: latitude, longitude: longitude) else {
        return .failure(BadRow(reason: .notOnEarth))
      }
      guard latitude != 0 || longitude != 0 else {
        return .failure(BadRow(reason: .zeroCoordinates))
      }
      return .success(Footprint(coordinate: coordinate, radiusMeters: 0))
    case .shape(let column):
      guard let geometry = WellKnown.geometry(text: String(decoding: row[column], as: UTF8.self))
      else { return .failure(BadRow(reason: .noGeometry)) }
      switch FeatureReader.footprint(of: geometry) {
      case .success(let shape):
        return shape.fault.map { .failure(BadRow(reason: $0)) } ?? .success(shape)
      case .failure(let bad): return .failure(BadRow(reason: bad.reason))
      }
    }
  }

  /// The categories of a row: those that its column names, separated by `;` or `|`, or else what
  /// OpenStreetMap's tags say, whose keys may be columns; none where an exception took them away.
  private mutating func categories(of row: CSVRow) -> Result<[CategoryID], BadRow> {
    guard let column = header.category else { return categoriesByTags(row) }
    let field = row[column]
    if let index = known.firstIndex(where: { $0.text.elementsEqual(field) }) {
      return known[index].categories
    }
    guard let words = cleaned(field) else { return categoriesByTags(row) }
    let found = categories(named: words)
    if known.count < 64, field.count < 256 { known.append((Array(field), found)) }
    return found
  }

  private func categoriesByTags(_ row: CSVRow) -> Result<[CategoryID], BadRow> {
    let match = rules.match(tags(of: row))
    guard match.isExcluded || !match.categories.isEmpty else {
      return .failure(BadRow(reason: .noCategory))
    }
    return .success(rules.ids(match.categories))
  }

  private func tags(of row: CSVRow) -> CSVTags { CSVTags(columns: header.columns, row: row) }

  private func categories(named words: String) -> Result<[CategoryID], BadRow> {
    var set = CategorySet()
    var isLeftOut = false
    for word in words.split(whereSeparator: { $0 == ";" || $0 == "|" }) {
      let word = cleaned(String(word)) ?? ""
      if let index = rules.index(named: word) {
        set.insert(index)
      } else if rules.leavesOut(word) {
        isLeftOut = true
      } else {
        return .failure(BadRow(reason: .unknownCategory))
      }
    }
    guard !set.isEmpty || isLeftOut else { return .failure(BadRow(reason: .noCategory)) }
    return .success(rules.ids(set))
  }
}

/// The columns of a row as tags.
private struct CSVTags: TagLookup {
  let columns: [String]
  let row: CSVRow

  private func value(_ column: Int) -> String { String(decoding: row[column], as: UTF8.self) }

  subscript(key: String) -> String? { columns.firstIndex(of: key).map(value) }

  func hasTag(where isWanted: (_ key: String, _ value: String) -> Bool) -> Bool {
    columns.indices.contains { column in
      let value = value(column)
      // A table has a field for every tag, whether a place has it or not.
      return !value.isEmpty && isWanted(columns[column], value)
    }
  }
}

private func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
  isASCII(bytes) || String(validating: bytes, as: UTF8.self) != nil
}

/// A number, blanks around it allowed; nil for anything else.
///
/// - Parameter hasComma: whether a comma may stand for its point.
private func decimal(_ bytes: UnsafeRawBufferPointer, hasComma: Bool) -> Double? {
  if hasComma, bytes.contains(UInt8(ascii: ",")) {
    let text = bytes.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
    return text.withUnsafeBytes { decimal($0, hasComma: false) }
  }
  return bytes.withMemoryRebound(to: UInt8.self, DecimalText.parse)
    ?? cleaned(bytes).flatMap(Double.init)
}
