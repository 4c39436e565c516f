import Basics
import Timeline
import Traces

/// Reads tables of points: comma-separated values with a header, or with the columns named.
///
/// - Letters: UTF-8, and fields that are not that are read as Windows-1252.
/// - Separators: comma, semicolon, tab or bar, whichever the first row has most of. Between any but
///   commas, numbers may have a decimal comma, and between commas where coordinates have one in quotes.
/// - Complexity: O(bytes) in time; memory for one row of at most ``longestRow`` bytes.
/// - Source: RFC 4180; a bare line feed or carriage return ends a row as well.
final class CSVParser: TraceParser {
  static let longestRow = 1 << 20
  static let mostColumns = 1_024

  private var sink: RecordSink
  private let columns: CSVColumns?
  private var layout: CSVLayout?
  private(set) var failure: ParseFailure?

  private var row: [UInt8] = []
  /// Where each field of the row ends.
  private var ends: [Int] = []
  private var isQuoted = false
  private var hadQuote = false
  /// Whether nothing but blanks has come of the field.
  private var isFieldBlank = true
  /// The separators of a row while none is known.
  private var separators = TableSeparator.Count()
  private var line = 1
  private var rowLine = 1
  private var byteOffset = 0
  private var separator: UInt8?
  private var segment: [UInt8]?
  private var groups: FlatGroups
  private var days = SpreadsheetDays()
  private var clocks = ClockDigits()
  private var dates: SlashedDate.Watch
  /// Whether the file may have been cut off in its last row.
  private var lastRow = LastRow()
  /// Rows with something in more fields than the header has.
  private var longRows = (count: 0, line: 0)
  private let times: LocalTimes
  /// Rows that wait until it is known what their times are.
  private var waiting = WaitingRows()
  /// So many rows tell what numbers count and clocks show.
  private static let mostWaiting = 64
  /// So many bytes of rows tell which number of their dates is the month: five days of a fix each second, and as a rule
  /// the whole table.
  private let mostWaitingBytes: Int
  /// Whether a coordinate has had a comma where commas part the columns.
  private var quotesDecimals = false
  /// Values that are no numbers, by column, in the order in which the columns were met.
  private var unreadable: [(column: String, count: Int, line: Int)] = []

  init(_ options: TraceOptions) {
    sink = RecordSink(options)
    groups = FlatGroups(options)
    times = LocalTimes(options)
    dates = SlashedDate.Watch(options.dateOrder)
    mostWaitingBytes = options.takesRowsAsTheyCome ? 0 : 32 << 20
    columns = options.columns
  }

  var pointCounts: [Int] { sink.pointCounts }
  var timedCounts: [Int] { sink.timedCounts }
  var understanding: String? {
    guard let layout else { return nil }
    var parts = [layout.understanding]
    if days.unit == .days { parts.append("times in days since 1899-12-30") }
    parts += unreadable.map { column, count, line in
      count == 1
        ? "1 value of \(column) is no number, on line \(line)"
        : "\(count) values of \(column) are no numbers, the first on line \(line)"
    }
    return parts.joined(separator: ", ")
  }
  var haveTimesNoZone: Bool { times.haveNoZone }
  var doubts: [String] {
    let order = dates.isFound ? dates.order : nil
    let rows = longRows.count == 1 ? "1 row has" : "\(longRows.count) rows have"
    let long =
      "\(rows) more fields than the header, the first on line \(longRows.line): "
      + "what has the separator in it wants quotes"
    return [
      layout?.doubt, longRows.count > 0 ? long : nil, order.map { "dates read as \($0.words)" },
      times.refusedDates, lastRow.doubt,
    ]
    .compactMap(\.self)
  }
  var details: DetailColumns? { sink.details }
  func takePoints(into columns: [FixColumns]) { sink.takePoints(into: columns) }

  func skip(bytes: Int, lines: Int) {
    byteOffset += bytes
    line += lines
    rowLine = line
  }

  /// Whether a text's first line is the header of a table of points, remarks before it aside.
  static func isTable(_ head: UnsafeRawBufferPointer) -> Bool {
    var lines = head.split(maxSplits: 64, whereSeparator: { $0 == 0x0A || $0 == 0x0D })
      .prefix(64).map(Array.init)
    let named = lines.first.flatMap(TableSeparator.named(by:))
    if named != nil { lines.removeFirst() }
    for line in lines {
      let separator = named ?? separator(of: line)
      let fields = fields(of: line, separator)
      if CSVLayout(firstRow: fields, separator: separator) != nil { return true }
      guard isRemark(line) else { return false }
    }
    return false
  }

  /// Whether a row that is no header is a remark before it.
  private static func isRemark(_ row: [UInt8]) -> Bool {
    row.first { $0 > 0x20 } == UInt8(ascii: "#")
  }

  /// The character that a row has most of, outside of quotes.
  private static func separator(of row: [UInt8]) -> UInt8 {
    TableSeparator.common(in: row) ?? UInt8(ascii: ",")
  }

  /// The fields of a row that still has its quotes, in which separators stand for themselves.
  private static func fields(of row: [UInt8], _ separator: UInt8) -> [[UInt8]] {
    var fields: [[UInt8]] = []
    var field: [UInt8] = []
    var (isBlank, hasQuotes, isQuoted) = (true, false, false)
    for byte in row {
      if byte == 0x22, hasQuotes || isBlank {
        hasQuotes = true
        isQuoted.toggle()
      } else if byte == separator, !isQuoted, fields.count <= mostColumns {
        fields.append(Array(field.drop { $0 <= 0x20 }))
        field.removeAll(keepingCapacity: true)
        (isBlank, hasQuotes) = (true, false)
      } else {
        if byte > 0x20 { isBlank = false }
        field.append(byte)
      }
    }
    fields.append(Array(field.drop { $0 <= 0x20 }))
    return fields
  }

  // MARK: - Rows

  func parse(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes where failure == nil { take(byte) }
  }

  func finish() {
    guard failure == nil else { return }
    if isQuoted {
      stop(.malformed, "a quoted field does not end", "repair or export the file again")
    } else if !row.isEmpty || !ends.isEmpty {
      lastRow.hasNoEnd = row.contains { $0 > 0x20 }
      endRow()
    }
    if failure == nil, layout == nil {
      stop(.notATrace, "there is no header", "give a table with a header, or --columns")
    }
    if failure == nil { release() }
  }

  func abandon() { if failure == nil { release() } }

  private func take(_ byte: UInt8) {
    byteOffset += 1
    if byte == 0x0A { line += 1 }
    if isQuoted {
      if byte == 0x22 {
        isQuoted = false
        hadQuote = true
        // Until the first row has ended, nothing is known of a separator, and its quotes tell where there is none.
        if layout == nil { keep(byte) }
      } else {
        keep(byte)
      }
      return
    }
    switch byte {
    case 0x0A, 0x0D:
      endRow()
      rowLine = line
    case 0x22 where hadQuote || isAtFieldStart:
      // Two quotes in a quoted field stand for one.
      if hadQuote || layout == nil { keep(byte) }
      isQuoted = true
      hadQuote = false
      isFieldBlank = false
    case separator where layout != nil:
      hadQuote = false
      isFieldBlank = true
      if ends.count < CSVParser.mostColumns { ends.append(row.count) } else { tooLong() }
    default:
      hadQuote = false
      keep(byte)
    }
  }

  /// Whether a quote would begin a field; some programs have blanks before it.
  private var isAtFieldStart: Bool {
    guard layout == nil else { return isFieldBlank }
    let separator = separator ?? separators.common ?? UInt8(ascii: ",")
    return row.last { $0 > 0x20 || $0 == separator }.map { $0 == separator } ?? true
  }

  private func keep(_ byte: UInt8) {
    if byte > 0x20 { isFieldBlank = false }
    if layout == nil { separators.add(byte) }
    if row.count < CSVParser.longestRow { row.append(byte) } else { tooLong() }
  }

  private func tooLong() {
    stop(
      .excessive,
      "the row has more than \(CSVParser.longestRow) bytes or \(CSVParser.mostColumns) columns",
      "look for a quote that is missing"
    )
  }

  private func stop(_ code: TraceError.Code, _ problem: String, _ advice: String) {
    guard failure == nil else { return }
    release()
    guard failure == nil else { return }
    failure = ParseFailure(
      code: code,
      problem: problem,
      advice: advice,
      line: rowLine,
      byteOffset: byteOffset
    )
  }

  private func endRow() {
    defer {
      row.removeAll(keepingCapacity: true)
      ends.removeAll(keepingCapacity: true)
      hadQuote = false
      isFieldBlank = true
      if layout == nil { separators = TableSeparator.Count() }
    }
    guard row.contains(where: { $0 > 0x20 }) else { return }
    guard let layout else { return readHeader() }
    ends.append(row.count)
    lastRow.note(row, ends, line: rowLine)
    if layout.hasHeader, ends.count > layout.names.count,
      row[ends[layout.names.count - 1]...].contains(where: { $0 > 0x20 })
    {
      longRows = (longRows.count + 1, longRows.count == 0 ? rowLine : longRows.line)
    }
    add(layout)
  }

  /// Makes a point of the row, or has it wait.
  private func add(_ layout: CSVLayout) {
    if !knowsTimes(layout) {
      guard noteTime(layout) || !waiting.isEmpty else {
        sink.add(point(layout))
        return
      }
      if !knowsTimes(layout) {
        waiting.append(row, ends, line: rowLine)
        if waiting.count >= CSVParser.mostWaiting || waiting.byteCount > CSVParser.longestRow {
          days.decide()
          clocks.decide()
          if dates.isDecided || waiting.byteCount > mostWaitingBytes { release() }
        }
        return
      }
      release()
    }
    sink.add(point(layout))
  }

  /// Whether it is known what the times of the table are.
  private func knowsTimes(_ layout: CSVLayout) -> Bool {
    dates.isDecided && (layout.places[.clock] == nil ? days.unit != nil : clocks.form != nil)
  }

  /// Takes the time of the row for what tells it.
  ///
  /// - Returns: whether the row has a time; a row of units, say, has none.
  private func noteTime(_ layout: CSVLayout) -> Bool {
    if layout.places[.clock] != nil {
      guard let clock = bytes(.clock, layout), let date = bytes(.date, layout) else { return false }
      clocks.note(clock)
      note(date: date)
      return true
    }
    guard let field = bytes(.time, layout) else { return false }
    let number = number(field, layout).number
    guard
      number != nil || field.withUnsafeBufferPointer(InstantText.parse) != nil
        || SlashedDate(field) != nil
    else { return false }
    days.note(number)
    note(date: field)
    return true
  }

  private func note(date: ArraySlice<UInt8>) {
    dates.note(date)
    times.order = dates.order
  }

  /// Makes points of the rows that wait.
  private func release() {
    days.decide()
    clocks.decide()
    dates.decide()
    guard let layout, !waiting.isEmpty else { return }
    let present = (row, ends, rowLine)
    let rows = waiting
    waiting = WaitingRows()
    rows.forEach { past, pastEnds, line in
      guard failure == nil else { return }
      (row, ends, rowLine) = (Array(past), Array(pastEnds), line)
      sink.add(point(layout))
    }
    (row, ends, rowLine) = present
  }

  private func readHeader() {
    if separator == nil, let named = TableSeparator.named(by: row) {
      separator = named
      return
    }
    let separator = separator ?? CSVParser.separator(of: row)
    let fields = CSVParser.fields(of: row, separator)
    guard fields.count <= CSVParser.mostColumns + 1 else { return tooLong() }
    if let columns {
      do {
        layout = try CSVLayout(columns, firstRow: fields, separator: separator)
      } catch {
        if Self.isRemark(row) { return }
        stop(.unfitOptions, error.description, "name columns of the header, or count from 1")
        return
      }
    } else {
      layout = CSVLayout(firstRow: fields, separator: separator)
    }
    guard let layout else {
      if Self.isRemark(row) { return }
      stop(
        .notATrace,
        "the header names no columns for latitude and longitude",
        "say which they are: --columns time=COLUMN,lat=COLUMN,lon=COLUMN"
      )
      return
    }
    self.separator = separator
    guard !layout.hasHeader else { return }
    // What was taken for a header is the first point.
    row.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    for field in fields {
      row += field
      ends.append(row.count)
    }
    add(layout)
  }

  // MARK: - Points

  private func point(_ layout: CSVLayout) -> PointBuilder {
    var point = PointBuilder()
    point.line = rowLine
    var height: Double?
    if layout.places[.position] != nil {
      let text = bytes(.position, layout).map(PlainText.decode)
      if let position = text.flatMap(PositionText.parse) {
        point.latitude = .value(position.latitude)
        point.longitude = .value(position.longitude)
        height = position.elevationMeters
      } else {
        point.latitude = .unreadable
        if let text, PositionText.isLine(text) {
          stop(
            .notATrace,
            "the row holds a whole line, whose points have no times of their own",
            "write a row for each position, as time,lat,lon"
          )
        }
      }
    } else {
      point.latitude = degrees(.latitude, besides: .northSouth, layout)
      point.longitude = degrees(.longitude, besides: .eastWest, layout)
    }
    point.time = time(layout)
    point.accuracy = number(.accuracy, layout, &point)
    point.hdop = number(.hdop, layout, &point)
    point.speed = speed(layout, &point)
    point.course = number(.course, layout, &point)
    if layout.namesKinds || sink.details != nil {
      addDetails(to: &point, layout)
    }
    // Behind a column of its own, which comes first.
    if sink.details != nil, let height {
      point.details.add(PointDetails.elevation, plain(height))
    }
    if point.kind != .waypoint, let name = bytes(.segment, layout).map(Array.init) {
      if let segment, segment != name { sink.beginSegment(point.kind) }
      segment = name
    }
    return point
  }

  private func addDetails(to point: inout PointBuilder, _ layout: CSVLayout) {
    for (place, name) in layout.others {
      guard let field = bytes(at: place) else { continue }
      let text = PlainText.decode(field)
      if name == "kind", let kind = PointKind(name: text) {
        point.kind = kind
      } else if sink.details != nil {
        let isNumber = hasDecimalCommas(layout) && PointDetails.numeric.contains(name)
        point.details.add(name, isNumber ? text.replacing(",", with: ".") : text)
      }
    }
    guard sink.details != nil else { return }
    groups.note(&point, segment: bytes(.segment, layout).map(PlainText.decode))
  }

  private func speed(
    _ layout: CSVLayout,
    _ point: inout PointBuilder
  ) -> PointBuilder.NumberField {
    // A mile has 1,609.344 m.
    let kilometers = number(.speedKilometers, layout, &point).number.map { $0 / 3.6 }
    let miles = number(.speedMiles, layout, &point).number.map { $0 * 0.44704 }
    let knots = number(.speedKnots, layout, &point).number.map { $0 * metersPerSecondInKnot }
    let meters = number(.speed, layout, &point).number
    return (kilometers ?? miles ?? knots ?? meters).map { .value($0) } ?? .absent
  }

  private func bytes(_ meaning: CSVColumns.Meaning, _ layout: CSVLayout) -> ArraySlice<UInt8>? {
    layout.places[meaning].flatMap(bytes(at:))
  }

  private func bytes(at place: Int) -> ArraySlice<UInt8>? {
    guard place < ends.count else { return nil }
    let field = row[(place == 0 ? 0 : ends[place - 1])..<ends[place]].drop { $0 <= 0x20 }
    return field.isEmpty ? nil : field
  }

  /// A number that a fix can do without; what is none is counted, and kept as a detail.
  private func number(
    _ meaning: CSVColumns.Meaning,
    _ layout: CSVLayout,
    _ point: inout PointBuilder
  ) -> PointBuilder.NumberField {
    guard let place = layout.places[meaning], let field = bytes(at: place) else { return .absent }
    let number = number(field, layout)
    guard case .unreadable = number else { return number }
    let text = PlainText.decode(field)
    let word = text.lowercased().filter { !$0.isWhitespace }
    guard !CSVParser.wordsForNone.contains(word) else { return .absent }
    let name = layout.names.isEmpty ? nil : PointDetails.unescaped(layout.names[place])
    let column = name ?? "column \(place + 1)"
    if let known = unreadable.firstIndex(where: { $0.column == column }) {
      unreadable[known].count += 1
    } else {
      unreadable.append((column, 1, rowLine))
    }
    if sink.details != nil, let name { point.details.add(name, text) }
    return .absent
  }

  /// What programs write where there is no number.
  private static let wordsForNone: Set<String> = ["-", "--", "n/a", "na", "nan", "none", "null"]

  private func number(
    _ field: ArraySlice<UInt8>,
    _ layout: CSVLayout
  ) -> PointBuilder.NumberField {
    if hasDecimalCommas(layout), field.contains(UInt8(ascii: ",")) {
      let text = field.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
      return text.withUnsafeBufferPointer { $0.field }
    }
    return field.withUnsafeBufferPointer { $0.field }
  }

  /// Whether numbers may have a decimal comma: commas do not part the columns, or stand within quotes in a coordinate.
  ///
  /// Elsewhere `1,234` may be a thousand and more.
  private func hasDecimalCommas(_ layout: CSVLayout) -> Bool {
    layout.separator != UInt8(ascii: ",") || quotesDecimals
  }

  /// Degrees, perhaps with a letter for the hemisphere behind or before them, or in a column of its own.
  private func degrees(
    _ meaning: CSVColumns.Meaning,
    besides hemisphere: CSVColumns.Meaning,
    _ layout: CSVLayout
  ) -> PointBuilder.NumberField {
    guard var field = bytes(meaning, layout) else { return .absent }
    while field.last.map({ $0 <= 0x20 }) ?? false { field.removeLast() }
    var sign = 1.0
    for letter in [field.first, field.last] {
      switch letter.map({ $0 & 0xDF }) {
      case UInt8(ascii: "S"), UInt8(ascii: "W"): sign = -1
      case UInt8(ascii: "N"), UInt8(ascii: "E"): break
      default: continue
      }
      if field.last == letter { field.removeLast() } else { field.removeFirst() }
      break
    }
    var number = number(field, layout)
    if case .unreadable = number, !quotesDecimals, field.contains(UInt8(ascii: ",")) {
      quotesDecimals = true
      number = self.number(field, layout)
      // Words with a comma tell nothing of how numbers are written.
      if case .unreadable = number { quotesDecimals = false }
    }
    guard case .value(let value) = number else { return number }
    let letters = bytes(hemisphere, layout)?.filter { $0 > 0x20 }.map { $0 & 0xDF }
    if value > 0, letters == [UInt8(ascii: "S")] || letters == [UInt8(ascii: "W")] { sign = -1 }
    // Dividing rounds once, where multiplying with 1e-7 would round twice.
    return .value(sign * (layout.scale == 1 ? value : value / 1e7))
  }

  /// The instant of a column that a date beside it seemed to complete, and that needs none.
  private func wholeTime(_ layout: CSVLayout) -> Timestamp? {
    guard let field = bytes(.clock, layout) else { return nil }
    // Digits are a time of the day, but for those that count seconds since 1970.
    if let number = number(field, layout).number, number < 1e9 { return nil }
    return instant(field, layout)
  }

  private func instant(_ text: ArraySlice<UInt8>, _ layout: CSVLayout) -> Timestamp? {
    text.withUnsafeBufferPointer { times.instant($0, isUTC: layout.isUTC) }
  }

  private func time(_ layout: CSVLayout) -> PointBuilder.TimeField {
    let instant: Timestamp?
    if let whole = wholeTime(layout) {
      instant = whole
    } else if layout.places[.clock] != nil {
      guard let date = bytes(.date, layout), let clock = bytes(.clock, layout) else {
        return .absent
      }
      let text = InstantText.joined(date: date, clock: clock, form: clocks.form ?? .full)
      instant = text.flatMap { self.instant($0[...], layout) }
    } else {
      guard let field = bytes(.time, layout) else { return .absent }
      if days.unit == .days, let count = number(field, layout).number,
        SpreadsheetDays.range.contains(count)
      {
        instant = times.instant(days: count, isUTC: layout.isUTC)
      } else {
        instant = self.instant(field, layout)
      }
    }
    return instant.map { .value($0) } ?? .unreadable
  }
}
