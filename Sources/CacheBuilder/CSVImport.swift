import Geodesy
import Places

/// The columns of a CSV file that we know, by their place in a row.
struct CSVHeader {
  let separator: UInt8
  let columnCount: Int
  let latitude: Int
  let longitude: Int
  let category: Int?
  let id: Int?
  let name: Int?
  let brand: Int?
  let footprint: Int?
  let columns: [String]

  /// Reads the first line.
  ///
  /// - Returns: nil if it names no latitude and longitude: then the file is no CSV of places.
  init?(line: [UInt8]) {
    let separators: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
    let counts = separators.map { separator in line.count { $0 == separator } }
    guard let most = counts.max(), most > 0, let index = counts.firstIndex(of: most) else {
      return nil
    }
    var scanner = CSVScanner(separator: separators[index])
    var fields: [[UInt8]] = []
    for byte in line + [0x0A] where scanner.take(byte) { fields = scanner.fields }
    self.init(fields: fields, separator: separators[index])
  }

  private init?(fields: [[UInt8]], separator: UInt8) {
    let columns = fields.map { field in
      String(decoding: field, as: UTF8.self).lowercased().filter { !$0.isWhitespace }
    }
    func column(_ names: String...) -> Int? {
      names.lazy.compactMap { columns.firstIndex(of: $0) }.first
    }
    guard
      let latitude = column("lat", "latitude", "y", "@lat", "breitengrad"),
      let longitude = column("lon", "lng", "long", "longitude", "x", "@lon", "längengrad")
    else { return nil }
    self.separator = separator
    self.columns = columns
    columnCount = columns.count
    self.latitude = latitude
    self.longitude = longitude
    category = column("category", "categories", "kind")
    id = column("id", "source_id", "place_id", "@id", "osm_id")
    name = column("name", "title")
    brand = column("brand", "chain")
    footprint = column("footprint_radius_m")
  }
}

/// Cuts a stream of bytes into the rows of CSV.
///
/// - Source: RFC 4180; a bare line feed ends a row as well.
struct CSVScanner {
  /// A row longer than this is skipped.
  static let longestRow = 16 << 20

  let separator: UInt8
  /// The fields of the row that has ended.
  private(set) var fields: [[UInt8]] = []
  /// The line on which that row started.
  private(set) var rowLine = 1
  /// Whether that row was too long; it has no fields then.
  private(set) var isTooLong = false

  private var row: [[UInt8]] = []
  private var field: [UInt8] = []
  private var byteCount = 0
  private var line = 1
  private var startLine = 1
  private var isQuoted = false
  private var hadQuote = false
  private var isAfterReturn = false
  private let mostFields: Int

  /// Starts before the first row.
  ///
  /// - Parameter columnCount: of a row with more fields than that, one too many is kept, as that is
  ///   enough to refuse it: a row of commas would take many times its size.
  init(separator: UInt8, columnCount: Int = .max - 1) {
    self.separator = separator
    mostFields = columnCount + 1
  }

  /// Whether the end of the file would come in the middle of a quoted field.
  var isInQuotes: Bool { isQuoted }
  /// The line that was reached.
  var currentLine: Int { line }
  /// Whether a row has begun and not ended.
  var isInRow: Bool { byteCount > 0 }

  /// Takes a byte.
  ///
  /// - Returns: true if a row has ended.
  mutating func take(_ byte: UInt8) -> Bool {
    if byte == 0x0A { line += 1 }
    if isAfterReturn {
      isAfterReturn = false
      if byte == 0x0A { return false }
    }
    if !isQuoted, byte == 0x0A || byte == 0x0D {
      isAfterReturn = byte == 0x0D
      return endRow()
    }
    if byteCount == 0 { startLine = line }
    byteCount += 1
    if byteCount == Self.longestRow + 1 {
      field = []
      row = []
    }
    if isQuoted {
      if byte == UInt8(ascii: "\"") {
        isQuoted = false
        hadQuote = true
      } else {
        keep(byte)
      }
    } else if byte == UInt8(ascii: "\""), hadQuote || field.isEmpty {
      // Two quotes in a quoted field stand for one.
      if hadQuote { keep(byte) }
      isQuoted = true
      hadQuote = false
    } else if byte == separator {
      if byteCount <= Self.longestRow, row.count < mostFields { row.append(field) }
      field.removeAll(keepingCapacity: true)
      hadQuote = false
    } else {
      hadQuote = false
      keep(byte)
    }
    return false
  }

  private mutating func keep(_ byte: UInt8) {
    guard byteCount <= Self.longestRow else { return }
    field.append(byte)
  }

  private mutating func endRow() -> Bool {
    guard byteCount > 0 else { return false }
    isTooLong = byteCount > Self.longestRow
    row.append(field)
    fields = isTooLong ? [] : row
    rowLine = startLine
    row.removeAll(keepingCapacity: true)
    field.removeAll(keepingCapacity: true)
    byteCount = 0
    hadQuote = false
    return true
  }
}

/// Reads the places of a CSV file with a header, plain or in gzip.
///
/// Rows without a category of ours are bad: a table of places is made for this program.
///
/// - Complexity: memory for the places and for one row.
func importCSV(_ job: ImportJob) throws(ImportError) -> ImportResult {
  let source = try ByteSource(path: job.path)
  var rows = RowCollector(job: job, format: .csv)
  var header: CSVHeader?
  var headerLine: [UInt8] = []
  var scanner = CSVScanner(separator: UInt8(ascii: ","))

  func take(_ byte: UInt8) throws(ImportError) {
    guard let known = header else {
      if byte != 0x0A {
        headerLine.append(byte)
        if headerLine.count > 1 << 16 { throw noHeader }
        return
      }
      if headerLine.starts(with: [0xEF, 0xBB, 0xBF]) { headerLine.removeFirst(3) }
      if headerLine.last == 0x0D { headerLine.removeLast() }
      guard let found = CSVHeader(line: headerLine) else { throw noHeader }
      header = found
      scanner = CSVScanner(separator: found.separator, columnCount: found.columnCount)
      return
    }
    guard scanner.take(byte) else { return }
    rows.count += 1
    let row = "line \(scanner.rowLine + 1)"
    if scanner.isTooLong { return rows.skip(row, .tooLong) }
    switch readRow(scanner.fields, known, job.rules, number: rows.count) {
    case .place(let place, let details): rows.add(place, details)
    case .bad(let reason): rows.skip(row, reason)
    case .noPlace: break
    }
  }

  var noHeader: ImportError {
    ImportError(
      .malformed,
      path: job.path,
      at: .line(1),
      "the header names no columns lat and lon"
    )
  }

  try source.forEachChunk { chunk throws(ImportError) in
    try job.checkInterruption()
    for byte in chunk { try take(byte) }
    return true
  }
  guard !scanner.isInQuotes else {
    throw ImportError(
      .truncated,
      path: job.path,
      at: .line(scanner.currentLine + 1),
      "a quoted field does not end; a quote is missing"
    )
  }
  if header == nil || scanner.isInRow { try take(0x0A) }
  return rows.result
}

private func readRow(
  _ fields: [[UInt8]],
  _ header: CSVHeader,
  _ rules: CategoryRules,
  number: Int
) -> RowOutcome {
  guard fields.count == header.columnCount else { return .bad(.wrongColumns) }
  var texts: [String] = []
  for field in fields {
    guard let text = String(validating: field, as: UTF8.self) else { return .bad(.notUTF8) }
    texts.append(text)
  }
  func text(_ column: Int?) -> String? { column.flatMap { cleaned(texts[$0]) } }

  let categories: CategorySet
  switch categoriesOfRow(texts, header, rules) {
  case .success(let found): categories = found
  case .failure(let bad): return .bad(bad.reason)
  }
  guard let latitude = text(header.latitude).flatMap(Double.init),
    let longitude = text(header.longitude).flatMap(Double.init)
  else { return .bad(.noCoordinates) }
  guard let coordinate = try? Coordinate(latitude: latitude, longitude: longitude) else {
    return .bad(.notOnEarth)
  }
  guard latitude != 0 || longitude != 0 else { return .bad(.zeroCoordinates) }
  return .place(
    PointOfInterest(
      sourceID: text(header.id) ?? "csv/\(number)",
      categories: rules.ids(categories),
      name: text(header.name),
      brand: text(header.brand),
      coordinate: coordinate,
      footprintRadiusMeters: footprintRadius(text(header.footprint).flatMap(Double.init))
    ),
    details: PlaceDetails.json { key in header.columns.firstIndex(of: key).map { texts[$0] } }
  )
}

private struct BadRow: Error { let reason: SkipReason }

/// The categories of a row: those that its column names, separated by `;` or `|`, or else what
/// OpenStreetMap's tags say, whose keys may be columns.
private func categoriesOfRow(
  _ texts: [String],
  _ header: CSVHeader,
  _ rules: CategoryRules
) -> Result<CategorySet, BadRow> {
  var set = CategorySet()
  guard let column = header.category, let words = cleaned(texts[column]) else {
    let match = rules.match { key in header.columns.firstIndex(of: key).map { texts[$0] } }
    return match.categories.isEmpty
      ? .failure(BadRow(reason: .noCategory)) : .success(match.categories)
  }
  for word in words.split(whereSeparator: { $0 == ";" || $0 == "|" }) {
    guard let index = rules.index(named: cleaned(String(word)) ?? "") else {
      return .failure(BadRow(reason: .unknownCategory))
    }
    set.insert(index)
  }
  return set.isEmpty ? .failure(BadRow(reason: .noCategory)) : .success(set)
}
