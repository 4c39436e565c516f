import Basics
import Foundation

/// One row of CSV: its fields in one piece of memory, valid during one call.
struct CSVRow {
  fileprivate let bytes: UnsafeRawBufferPointer
  fileprivate let ranges: UnsafeBufferPointer<Range<Int>>
  /// The line on which it started; the first line of the file is 1.
  let line: Int
  /// Whether it was longer than ``CSVScanner/longestRow``; it has no fields then.
  let isTooLong: Bool

  /// How many fields it has; of too many, not all.
  var count: Int { ranges.count }

  subscript(field: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[ranges[field]])
  }

  /// The bytes of all fields, with what is between them.
  var all: UnsafeRawBufferPointer { bytes }

  /// Hands over the same row in UTF-8, its bytes taken for Windows-1252.
  func asWindowsText<Result>(_ body: (CSVRow) -> Result) -> Result {
    var text: [UInt8] = []
    var ends: [Range<Int>] = []
    for range in ranges {
      let start = text.count
      for byte in bytes[range] { text += PlainText.windows1252(byte).utf8 }
      ends.append(start..<text.count)
    }
    return text.withUnsafeBytes { text in
      ends.withUnsafeBufferPointer { ranges in
        body(CSVRow(bytes: text, ranges: ranges, line: line, isTooLong: isTooLong))
      }
    }
  }
}

/// Cuts a stream of bytes into the rows of CSV.
///
/// A row without quotes that lies in one piece of the stream is read where it is; any other is put
/// together byte by byte.
///
/// - Source: RFC 4180; a bare line feed ends a row as well.
struct CSVScanner {
  /// A row longer than this is skipped; tables of places have rows of some hundred bytes.
  static let longestRow = 4 << 20

  let separator: UInt8
  private let mostFields: Int
  /// The line that was reached.
  private(set) var line: Int

  /// The row that has begun: its bytes without quotes, and its fields.
  private var text: [UInt8] = []
  private var ranges: [Range<Int>] = []
  private var fieldStart = 0
  private var byteCount = 0
  private var startLine = 1
  private var isQuoted = false
  private var hadQuote = false
  private var isAfterReturn = false

  /// Starts before a row.
  ///
  /// - Parameters:
  ///   - line: the line of that row.
  ///   - columnCount: of a row with more fields than that, one too many is kept, as that is enough to
  ///     refuse it: a row of commas would take many times its size.
  init(separator: UInt8, line: Int, columnCount: Int = .max - 1) {
    self.separator = separator
    self.line = line
    mostFields = columnCount + 1
  }

  /// Whether the end of the file would come in the middle of a quoted field.
  var isInQuotes: Bool { isQuoted }
  /// The line on which the last quoted field began.
  private(set) var quoteLine = 1
  /// Whether a row has begun and not ended.
  var isInRow: Bool { byteCount > 0 }

  /// Takes the next bytes and hands over the rows that end in them.
  mutating func scan(_ bytes: UnsafeRawBufferPointer, _ body: (CSVRow) -> Void) {
    var position = 0
    while position < bytes.count {
      if byteCount == 0, !isAfterReturn, let end = plainRow(bytes, from: position) {
        if end > position {
          let row = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
          cut(row)
          hand(row, startedOn: line, isTooLong: row.count > Self.longestRow, body)
        }
        line += 1
        position = end + (bytes[end] == 0x0D ? 2 : 1)
      } else {
        if take(bytes[position]) { endRow(body) }
        position += 1
      }
    }
  }

  /// Ends the file as a line feed would.
  mutating func finish(_ body: (CSVRow) -> Void) {
    if isInRow { endRow(body) }
  }

  // MARK: Rows where they lie

  /// Where a row ends that starts here, if it ends here and has no quotes: at `\n` or `\r\n`.
  private func plainRow(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = bytes.baseAddress,
      let feed = memchr(base + start, 0x0A, bytes.count - start)
    else { return nil }
    let length = UnsafeRawPointer(feed) - (base + start)
    guard memchr(base + start, 0x22, length) == nil else { return nil }
    guard let back = memchr(base + start, 0x0D, length) else { return start + length }
    return UnsafeRawPointer(back) + 1 == UnsafeRawPointer(feed) ? start + length - 1 : nil
  }

  private mutating func cut(_ row: UnsafeRawBufferPointer) {
    ranges.removeAll(keepingCapacity: true)
    var start = 0
    for index in row.indices where row[index] == separator {
      if ranges.count < mostFields { ranges.append(start..<index) }
      start = index + 1
    }
    ranges.append(start..<row.count)
  }

  private func hand(
    _ bytes: UnsafeRawBufferPointer,
    startedOn line: Int,
    isTooLong: Bool,
    _ body: (CSVRow) -> Void
  ) {
    ranges.withUnsafeBufferPointer { ranges in
      let kept = isTooLong ? UnsafeBufferPointer(rebasing: ranges[..<0]) : ranges
      body(CSVRow(bytes: bytes, ranges: kept, line: line, isTooLong: isTooLong))
    }
  }

  // MARK: Rows byte by byte

  /// Takes a byte.
  ///
  /// - Returns: true if it ends the row that has begun.
  private mutating func take(_ byte: UInt8) -> Bool {
    if byte == 0x0A { line += 1 }
    if isAfterReturn {
      isAfterReturn = false
      if byte == 0x0A { return false }
    }
    if !isQuoted, byte == 0x0A || byte == 0x0D {
      isAfterReturn = byte == 0x0D
      return byteCount > 0
    }
    if byteCount == 0 {
      startLine = line
      ranges.removeAll(keepingCapacity: true)
    }
    byteCount += 1
    if isQuoted {
      if byte == 0x22 {
        isQuoted = false
        hadQuote = true
      } else {
        keep(byte)
      }
    } else if byte == 0x22, hadQuote || text.count == fieldStart {
      // Two quotes in a quoted field stand for one.
      if hadQuote { keep(byte) } else { quoteLine = line }
      isQuoted = true
      hadQuote = false
    } else if byte == separator {
      if ranges.count < mostFields { ranges.append(fieldStart..<text.count) }
      fieldStart = text.count
      hadQuote = false
    } else {
      hadQuote = false
      keep(byte)
    }
    return false
  }

  private mutating func keep(_ byte: UInt8) {
    if byteCount <= Self.longestRow { text.append(byte) }
  }

  private mutating func endRow(_ body: (CSVRow) -> Void) {
    ranges.append(fieldStart..<text.count)
    text.withUnsafeBytes { text in
      hand(text, startedOn: startLine, isTooLong: byteCount > Self.longestRow, body)
    }
    // A long row's memory is not kept.
    text.removeAll(keepingCapacity: text.count < 1 << 16)
    fieldStart = 0
    byteCount = 0
    hadQuote = false
  }
}
