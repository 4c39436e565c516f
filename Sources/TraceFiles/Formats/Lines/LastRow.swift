/// Sees whether a table may have been cut off in its last row: it has no end, and less in it than any row before it.
///
/// What is left of a number is a number, too: 38.1234 as 38.1 is 2.6 km away.
struct LastRow {
  /// So many rows say how much the others have.
  private static let leastRows = 3

  /// Whether the file ends without the end of a line.
  var hasNoEnd = false
  private var rows = 0
  private var leastFields = Int.max
  /// The fewest bytes that a row's last field has had.
  private var leastBytes = Int.max
  private var line = 0
  private var isShort = false

  /// Notes the next row, of which blanks at its end do not count.
  mutating func note(_ row: [UInt8], _ ends: [Int], line: Int) {
    let begin = ends.count > 1 ? ends[ends.count - 2] : 0
    let field = row[begin...].reversed().drop { $0 <= 0x20 }
    let bytes = field.count
    self.line = line
    // Words may have any length.
    let endsInNumber = field.first.map { $0 &- 0x30 <= 9 || ".,-".utf8.contains($0) } ?? true
    isShort =
      rows >= Self.leastRows && endsInNumber
      && (ends.count < leastFields || ends.count == leastFields && bytes < leastBytes)
    rows += 1
    if ends.count < leastFields { leastBytes = Int.max }
    if ends.count <= leastFields { leastBytes = min(leastBytes, bytes) }
    leastFields = min(leastFields, ends.count)
  }

  /// What to say of it, as a sentence; nil for nothing.
  var doubt: String? {
    guard hasNoEnd, isShort else { return nil }
    return
      "line \(line), the last, is shorter than the others and does not end: it may have been cut off in a number"
  }
}
