import Basics
import Dispatch
import Geodesy
import Places

/// The columns of a CSV file that we know, by their place in a row.
///
/// A class: each row has to do with it, and a copy would count the references of its lists.
final class CSVHeader: Sendable {
  enum Position: Sendable {
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
  /// The keys that the columns are read by.
  private let keys: WrittenColumns
  var columns: [String] { keys.names }
  /// The same as they are written.
  private let written: [String]
  /// Whether numbers may have a comma for their point.
  ///
  /// Degrees may in any table: where commas keep columns apart, they stand in quotes, and have no thousands.
  var hasCommas: Bool { separator != UInt8(ascii: ",") }
  /// The columns in which an id may stand.
  let idColumns: CSVIDColumns
  /// The column of the id, and those in which one may stand, as versions knew them that took no blank for `_`.
  let olderID: (column: Int?, columns: CSVIDColumns)
  /// Whether that makes a difference.
  var hasJoinedColumns: Bool { keys.hasJoined }
  /// The column in which GDAL keeps the tags that have none.
  let otherTags: Int?
  /// Whether a column may hold opening hours and the like.
  let hasDetails: Bool

  /// Reads the line that names the columns.
  ///
  /// - Parameter separator: what a line before it says; else it is the one that is there most often.
  /// - Returns: nil if it names no latitude and longitude: then the file is no CSV of places.
  convenience init?(line: [UInt8], separator: UInt8? = nil) {
    guard let separator = separator ?? TableSeparator.common(in: line) else { return nil }
    var scanner = CSVScanner(separator: separator, line: 1)
    var fields: [[UInt8]] = []
    (line + [0x0A])
      .withUnsafeBytes { line in
        scanner.scan(line) { row in fields = (0..<row.count).map { Array(row[$0]) } }
      }
    self.init(fields: fields, separator: separator)
  }

  private init?(fields: [[UInt8]], separator: UInt8) {
    let written = fields.map { PlainText.decode($0) }
    let keys = WrittenColumns(written)
    func column(_ names: String...) -> Int? { keys.column(ofFirst: names) }
    // GDAL's X and Y come last: they may be beside others, in meters.
    if let latitude = column("lat", "latitude", "@lat", "breitengrad", "breite", "y"),
      let longitude = column("lon", "lng", "long", "longitude", "@lon", "längengrad", "länge", "x")
    {
      position = .degrees(latitude: latitude, longitude: longitude)
    } else if let shape = column(
      "wkt",
      "ewkt",
      "geom",
      "geometry",
      "the_geom",
      "wkt_geom",
      "shape"
    ) {
      position = .shape(shape)
    } else {
      return nil
    }
    self.separator = separator
    self.keys = keys
    self.written = written
    columnCount = written.count
    hasDetails = PlaceDetails.sourceKeys.contains { column($0) != nil }
    otherTags = column("other_tags")
    idColumns = CSVIDColumns(keys.column(of:))
    category = column("category", "categories", "kind", "kategorie", "type", "typ")
    let ids = ["id", "source_id", "place_id", "@id", "osm_id"]
    id = keys.column(ofFirst: ids)
    olderID = (
      ids.lazy.compactMap { keys.names.firstIndex(of: $0) }.first,
      CSVIDColumns { keys.names.firstIndex(of: $0) }
    )
    name = keys.column(ofFirst: KeyAliases.name)
    brand = keys.column(ofFirst: KeyAliases.brand)
    footprint = column("footprint_radius_m")
  }

  /// The column of a key; nil where there is none.
  func column(of key: String) -> Int? { keys.column(of: key) }
}

extension CSVHeader {
  /// Refuses a header in which a column that is read has the name of another one, letter for letter.
  fileprivate func refuseDoubled(of path: String, line: Int) throws(ImportError) {
    var places = [category, id, name, brand, footprint].compactMap(\.self)
    switch position {
    case .degrees(let latitude, let longitude): places = [latitude, longitude] + places
    case .shape(let shape): places = [shape] + places
    }
    let doubled = places.map { written[$0] }.first { name in written.count { $0 == name } > 1 }
    guard let doubled else { return }
    throw ImportError(
      .malformed,
      path: path,
      at: .line(line),
      "the header names several columns \(doubled), of which one can be read: rename or remove the others"
    )
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
  var lineNumber = 1
  var separator: UInt8?
  var table: CSVTable?
  defer { table?.wait() }

  /// - Returns: nil if the line is blank, or says only what separates the columns that the next one names.
  func readHeader() throws(ImportError) -> CSVTable? {
    headerLine = Array(headerLine.withoutByteOrderMark)
    if headerLine.last == 0x0D { headerLine.removeLast() }
    if headerLine.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
      // `InputFormat` passes blank lines over as well.
      lineNumber += 1
      headerLine = []
      return nil
    }
    if separator == nil, let named = TableSeparator.named(by: headerLine) {
      separator = named
      lineNumber += 1
      headerLine = []
      return nil
    }
    guard let header = CSVHeader(line: headerLine, separator: separator) else { throw noHeader }
    try header.refuseDoubled(of: job.path, line: lineNumber)
    return CSVTable(header, job, firstLine: lineNumber + 1, byteCount: source.byteCount)
  }

  var noHeader: ImportError {
    ImportError(
      .malformed,
      path: job.path,
      at: .line(lineNumber),
      headerLine.contains(0x0D)
        ? "its lines end as on old Macs, with CR alone; write them anew with tr '\\r' '\\n'"
        : "the header names no columns lat and lon, and none of a shape such as wkt"
    )
  }

  try job.forEachChunk(of: source) { chunk throws(ImportError) in
    var rest = chunk
    while table == nil {
      guard let end = rest.firstIndex(of: 0x0A) else {
        headerLine += rest
        if headerLine.count > 1 << 16 { throw noHeader }
        return true
      }
      headerLine += rest[..<end]
      rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
      table = try readHeader()
    }
    try table?.take(rest)
    return true
  }
  if table == nil { table = try readHeader() }
  guard let complete = table else { throw noHeader }
  guard !complete.scanner.isInQuotes else {
    throw ImportError(
      .truncated,
      path: job.path,
      at: .line(complete.scanner.quoteLine),
      "the quoted field that begins here does not end; a quote is missing"
    )
  }
  let (result, rowCount) = try complete.finish()
  guard rowCount > 0 else {
    throw ImportError(.empty, path: job.path, "a header without a row; fetch the table again")
  }
  return result
}

/// The rows of a file whose header is known.
///
/// What was read of a piece of the file is gathered on a second thread while the next piece is read: to look for each
/// id in all those before takes nearly as long as the reading.
private final class CSVTable {
  private(set) var scanner: CSVScanner
  private var reader: CSVRowReader
  private let path: String
  /// Whether the newest row had all of its fields.
  private var isWhole = true
  /// The first shape that is not in degrees on WGS 84: its system, and the line of its row.
  private var foreign: (system: Int, line: Int)?
  /// Whether a row was read, be it one of something that nobody asks for.
  private var hasRead = false
  /// What the newest rows gave, each with its line.
  private var read: [(line: Int, outcome: RowOutcome)] = []
  private let rows: RowGathering

  init(_ header: CSVHeader, _ job: ImportJob, firstLine: Int, byteCount: Int64) {
    scanner = CSVScanner(
      separator: header.separator,
      line: firstLine,
      columnCount: header.columnCount
    )
    reader = CSVRowReader(header: header, job)
    path = job.path
    rows = RowGathering(RowCollector(job: job, format: .csv, byteCount: byteCount))
  }

  func take(_ bytes: UnsafeRawBufferPointer) throws(ImportError) {
    scanner.scan(bytes) { add($0) }
    try rows.take(&read, upTo: scanner.line)
  }

  /// Waits until nothing is gathered.
  func wait() { rows.wait() }

  func finish() throws(ImportError) -> (ImportResult, rowCount: Int) {
    var isCut = false
    scanner.finish { row in
      // A last row may lack its line feed, but not the fields that the one before it has; a remark has none.
      isCut =
        isWhole && (2..<max(2, reader.header.columnCount)).contains(row.count) && !row.isTooLong
      if !isCut { add(row) }
    }
    guard !isCut else {
      throw ImportError(
        .truncated,
        path: path,
        at: .line(scanner.line),
        "the file ends in the middle of a row, which has fewer fields than the header: fetch it again, or complete it"
      )
    }
    try refuseForeignSystem()
    try rows.take(&read, upTo: scanner.line)
    return try rows.finish()
  }

  private func refuseForeignSystem() throws(ImportError) {
    guard let foreign, !hasRead else { return }
    throw ImportError(
      .unsupported,
      path: path,
      at: .line(foreign.line),
      "the shape is in SRID \(foreign.system), not in degrees on WGS 84, which is SRID 4326; `ogr2ogr -s_srs "
        + "EPSG:\(foreign.system) -t_srs EPSG:4326 -f GPKG places.gpkg \(shellQuoted(path))` converts what GDAL reads"
    )
  }

  private func add(_ row: CSVRow) {
    isWhole = row.count == reader.header.columnCount
    guard !row.isTooLong else { return read.append((row.line, .bad(.tooLong))) }
    let outcome = reader.read(row)
    if case .bad = outcome {} else { hasRead = true }
    read.append((row.line, outcome))
    if foreign == nil, let system = reader.foreignSystem { foreign = (system, row.line) }
  }
}

/// Gathers rows on a thread of its own, one piece of a file after the other.
private final class RowGathering {
  // Unsafe, for two threads have them: each belongs to the other thread until it was waited for.
  private nonisolated(unsafe) var rows: RowCollector
  private nonisolated(unsafe) var piece: [(line: Int, outcome: RowOutcome)] = []
  private let gathering = DispatchGroup()
  /// The line up to which rows were handed over.
  private var line = 0

  init(_ rows: RowCollector) { self.rows = rows }

  /// Hands over the rows of a piece, of which an empty list is left.
  ///
  /// - Throws: if more was kept than a file of its size can hold; told with the next piece, or at the end.
  func take(
    _ read: inout [(line: Int, outcome: RowOutcome)],
    upTo line: Int
  ) throws(ImportError) {
    wait()
    try rows.check(line: self.line)
    self.line = line
    swap(&piece, &read)
    nonisolated(unsafe) let gatherer = self
    DispatchQueue.global().async(group: gathering) { gatherer.gather() }
  }

  private func gather() {
    for row in piece {
      rows.count += 1
      rows.take(row.outcome, "line \(row.line)")
    }
    piece.removeAll(keepingCapacity: true)
  }

  func wait() { gathering.wait() }

  func finish() throws(ImportError) -> (ImportResult, rowCount: Int) {
    wait()
    try rows.check(line: line)
    return (rows.result, rows.count)
  }
}

/// Makes a place of a row.
private struct CSVRowReader {
  let header: CSVHeader
  let rules: CategoryRules
  private let notesOlderIDs: Bool
  /// What the columns of categories said so far; there are few texts in them.
  private var known: [(text: [UInt8], named: NamedCategories, ids: [CategoryID])] = []
  /// The system of coordinates of the last shape that is not in degrees on WGS 84.
  private(set) var foreignSystem: Int?
  /// Whether some row had letters beyond ASCII in UTF-8.
  private var hasUTF8 = false

  private struct BadRow: Error { let reason: SkipReason }

  init(header: CSVHeader, _ job: ImportJob) {
    self.header = header
    rules = job.rules
    notesOlderIDs = job.notesOlderIDs
  }

  mutating func read(_ row: CSVRow) -> RowOutcome {
    guard row.count == header.columnCount else { return .bad(.wrongColumns) }
    if isPlain(row.all) { return place(of: row, flaw: nil) }
    guard (0..<row.count).allSatisfy({ isUTF8(row[$0]) }) else {
      // A table of which some rows are UTF-8 is no other, and this row is damaged.
      return hasUTF8 ? .bad(.notUTF8) : row.asWindowsText { place(of: $0, flaw: .windowsText) }
    }
    hasUTF8 = true
    return place(of: row, flaw: nil)
  }

  private mutating func place(of row: CSVRow, flaw: SkipReason?) -> RowOutcome {
    let tags = CSVTags(header: header, row: row)
    let (categories, hasUnknown): ([CategoryID], Bool)
    switch self.categories(of: row, tags) {
    case .success(let found): (categories, hasUnknown) = found
    case .failure(let bad): return .bad(bad.reason)
    }
    guard !categories.isEmpty else { return .noPlace }
    let shape: Footprint
    let shapeName: String?
    switch footprint(of: row) {
    case .success(let found): (shape, shapeName) = found
    case .failure(let bad): return .bad(bad.reason)
    }
    let given = header.footprint.flatMap { decimal(row[$0], hasComma: header.hasCommas) }
    guard let radiusMeters = footprintRadius(given) else { return .bad(.tooWide) }
    func text(_ column: Int?) -> String? { column.flatMap { cleaned(row[$0]) } }
    let name = cleaned(tags.other("name")) ?? text(header.name)
    let brand = cleaned(tags.other("brand")) ?? text(header.brand)
    let found = sourceIDs(
      of: row,
      shapeName,
      madeUp: madeUpID(categories, name: name, brand: brand, at: shape.coordinate)
    )
    guard let (sourceID, olderID) = found else { return .bad(.longID) }
    return .place(
      PointOfInterest(
        sourceID: sourceID,
        categories: categories,
        name: name,
        brand: brand,
        coordinate: shape.coordinate,
        footprintRadiusMeters: max(shape.radiusMeters, radiusMeters)
      ),
      details: header.hasDetails || header.otherTags != nil ? PlaceDetails.json { tags[$0] } : nil,
      flaw: flaw ?? (hasUnknown ? .oneUnknownCategory : nil),
      olderID: olderID
    )
  }

  /// The id of a row, and what older versions have called it where that is something else; nil for one that is longer
  /// than any that is taken.
  private func sourceIDs(
    of row: CSVRow,
    _ shape: String?,
    madeUp: @autoclosure () -> String
  ) -> (id: String, older: String?)? {
    let found = sourceIDs(of: row, shape, in: (header.id, header.idColumns), madeUp: madeUp())
    guard let found, notesOlderIDs, header.hasJoinedColumns else { return found }
    let older = sourceIDs(of: row, shape, in: header.olderID, madeUp: madeUp())
    guard let older = older?.id, older != found.id else { return found }
    return (found.id, older)
  }

  private func sourceIDs(
    of row: CSVRow,
    _ shape: String?,
    in place: (column: Int?, columns: CSVIDColumns),
    madeUp: @autoclosure () -> String
  ) -> (id: String, older: String?)? {
    let columns = place.columns
    let own = place.column.flatMap { cleanedID(row[$0]) }
    if columns.isPlain, let own, isElementID(own) { return (own, nil) }
    // They took a part of a long one.
    let olderOwn = notesOlderIDs ? own.flatMap { olderPart(of: $0) } : nil
    // Not with what we put before it.
    let isTooLong = own.map { CacheBuilder.isTooLong(id: $0) } ?? false
    if columns.isPlain, !(own?.utf8.contains(UInt8(ascii: "/")) ?? false) {
      return isTooLong ? nil : (own ?? madeUp(), olderOwn)
    }
    let id: String
    if let element = CSVGivenID(columns: columns, row: row, shape: shape).element {
      id = element
    } else if let own {
      guard !isTooLong else { return nil }
      // Else it would be the same as the number of a table of one's own.
      id = place.column == columns[.osmID] ? bareNumberPrefix + own : own
    } else {
      return (madeUp(), nil)
    }
    // They took the first column as it was.
    guard notesOlderIDs, case let older = olderOwn ?? own ?? madeUp(), older != id else {
      return (id, nil)
    }
    return (id, older)
  }

  /// Where a row is, and what GeoJSON calls its shape.
  private mutating func footprint(of row: CSVRow) -> Result<(Footprint, String?), BadRow> {
    switch header.position {
    case .degrees(let latitude, let longitude):
      guard let latitude = decimal(row[latitude]), let longitude = decimal(row[longitude])
      else { return .failure(BadRow(reason: .noCoordinates)) }
      guard let coordinate = try? Coordinate(latitude: latitude, longitude: longitude) else {
        return .failure(BadRow(reason: .notOnEarth))
      }
      guard latitude != 0 || longitude != 0 else {
        return .failure(BadRow(reason: .zeroCoordinates))
      }
      return .success((Footprint(coordinate: coordinate, radiusMeters: 0), "Point"))
    case .shape(let column):
      let text = String(decoding: row[column], as: UTF8.self)
      guard let geometry = WellKnown.geometry(text: text, hasCommas: header.hasCommas) else {
        guard let system = WellKnown.foreignSystem(of: text) else {
          return .failure(BadRow(reason: .noGeometry))
        }
        foreignSystem = system
        return .failure(BadRow(reason: .foreignSystem))
      }
      switch FeatureReader.footprint(of: geometry) {
      case .success(let shape):
        if let fault = shape.fault { return .failure(BadRow(reason: fault)) }
        return .success((shape, geometry["type"]?.text))
      case .failure(let bad): return .failure(BadRow(reason: bad.reason))
      }
    }
  }

  /// The categories of a row: those that its column names, or else what OpenStreetMap's tags say, whose
  /// keys may be columns; none where an exception took them away.
  private mutating func categories(
    of row: CSVRow,
    _ tags: CSVTags
  ) -> Result<([CategoryID], hasUnknown: Bool), BadRow> {
    guard let column = header.category else {
      return categories(by: tags, otherwise: .noCategory)
    }
    let (named, ids) = categories(named: row[column])
    guard ids.isEmpty else { return .success((ids, named.hasUnknown)) }
    guard named.hasUnwanted else {
      return categories(by: tags, otherwise: named.hasUnknown ? .unknownCategory : .noCategory)
    }
    return named.hasUnknown
      ? .failure(BadRow(reason: .unknownCategory)) : .success(([], hasUnknown: false))
  }

  private func categories(
    by tags: CSVTags,
    otherwise reason: SkipReason
  ) -> Result<([CategoryID], hasUnknown: Bool), BadRow> {
    let match = rules.match(tags)
    guard match.isExcluded || !match.categories.isEmpty else {
      return .failure(BadRow(reason: reason))
    }
    return .success((rules.ids(match.categories), hasUnknown: false))
  }

  private mutating func categories(
    named field: UnsafeRawBufferPointer
  ) -> (NamedCategories, [CategoryID]) {
    if let index = known.firstIndex(where: { $0.text.elementsEqual(field) }) {
      return (known[index].named, known[index].ids)
    }
    let named = NamedCategories([String(decoding: field, as: UTF8.self)], rules: rules)
    let ids = rules.ids(named.known)
    if known.count < 64, field.count < 256 { known.append((Array(field), named, ids)) }
    return (named, ids)
  }
}

/// The columns of a row as tags; those of GDAL's `other_tags` come first.
private struct CSVTags: TagLookup {
  private let header: CSVHeader
  private let row: CSVRow
  private let others: JSONValue.Members

  init(header: CSVHeader, row: CSVRow) {
    self.header = header
    self.row = row
    others =
      header.otherTags.map { CacheBuilder.tags(others: String(decoding: row[$0], as: UTF8.self)) }
      ?? []
  }

  private var columns: [String] { header.columns }

  private func value(_ column: Int) -> String { String(decoding: row[column], as: UTF8.self) }

  /// A tag without a column of its own.
  func other(_ key: String) -> String? { others.last { $0.key == key }?.value.text }

  subscript(key: String) -> String? { other(key) ?? header.column(of: key).map(value) }

  func hasTag(where isWanted: (_ key: String, _ value: String) -> Bool) -> Bool {
    others.contains { tag in tag.value.text.map { isWanted(tag.key, $0) } ?? false }
      || columns.indices.contains { column in
        let value = value(column)
        // A table has a field for every tag, whether a place has it or not.
        return !value.isEmpty && isWanted(columns[column], value)
      }
  }
}

private func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
  isPlain(bytes) || String(ifUTF8: bytes) != nil
}

/// A number, with a point or a comma, blanks around it allowed; nil for anything else.
///
/// - Parameter hasComma: whether a comma may stand for its point, and not for thousands.
private func decimal(_ bytes: UnsafeRawBufferPointer, hasComma: Bool = true) -> Double? {
  if hasComma, bytes.contains(UInt8(ascii: ",")) {
    let text = bytes.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
    return text.withUnsafeBytes { decimal($0, hasComma: false) }
  }
  return bytes.withMemoryRebound(to: UInt8.self, DecimalText.parse)
    ?? cleaned(bytes)
    .flatMap { text in
      // Swift reads hexadecimal digits, too, which nobody writes who means degrees.
      text.utf8.contains { $0 | 0x20 == UInt8(ascii: "x") } ? nil : Double(text)
    }
}
