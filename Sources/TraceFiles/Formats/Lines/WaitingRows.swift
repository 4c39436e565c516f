/// Rows of a table that are not made points of yet, one behind the other.
struct WaitingRows {
  private var bytes: [UInt8] = []
  /// Where the fields of all rows end, each from the beginning of its row.
  private var ends: [Int] = []
  private var rows: [(bytes: Int, ends: Int, line: Int)] = []

  var count: Int { rows.count }
  var isEmpty: Bool { rows.isEmpty }
  /// The memory that they take: in a table of many blank columns the ends of the fields are more than the fields.
  var byteCount: Int { bytes.count + 8 * ends.count + 24 * rows.count }

  /// Adds a row.
  mutating func append(_ row: [UInt8], _ ends: [Int], line: Int) {
    bytes += row
    self.ends += ends
    rows.append((bytes.count, self.ends.count, line))
  }

  /// Hands out all rows, with the ends of their fields.
  func forEach(_ body: (_ row: ArraySlice<UInt8>, _ ends: ArraySlice<Int>, _ line: Int) -> Void) {
    var begin = (bytes: 0, ends: 0)
    for row in rows {
      body(bytes[begin.bytes..<row.bytes], ends[begin.ends..<row.ends], row.line)
      begin = (row.bytes, row.ends)
    }
  }
}
