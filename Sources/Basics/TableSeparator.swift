/// The character between the columns of a table.
package enum TableSeparator {
  private static let known = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09, UInt8(ascii: "|")]

  /// The one that a row has most of, outside of quotes; nil where it has none.
  package static func common(in row: [UInt8]) -> UInt8? {
    var count = Count()
    for byte in row { count.add(byte) }
    return count.common
  }

  /// Counts the separators of a row while it comes in.
  package struct Count {
    private var counts = [Int](repeating: 0, count: known.count)
    private var isQuoted = false

    /// Counts nothing yet.
    package init() {}

    /// Takes the next byte of the row.
    package mutating func add(_ byte: UInt8) {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted, let index = known.firstIndex(of: byte) { counts[index] += 1 }
    }

    /// The one that there was most of so far, outside of quotes; nil where there was none.
    package var common: UInt8? {
      guard let most = counts.max(), most > 0 else { return nil }
      return counts.firstIndex(of: most).map { known[$0] }
    }
  }

  /// The one that a first line such as `sep=;` names for those after it; nil for any other line.
  ///
  /// - Source: what Excel writes and reads.
  package static func named(by line: [UInt8]) -> UInt8? {
    guard line.count < 16 else { return nil }
    let plain = line.filter { $0 != 0x0D && $0 != UInt8(ascii: "\"") }
    guard String(decoding: plain.prefix(4), as: UTF8.self).lowercased() == "sep=" else {
      return nil
    }
    let rest = plain.dropFirst(4)
    if rest.elementsEqual("\\t".utf8) { return 0x09 }
    guard rest.count == 1, let byte = rest.first, byte < 0x7F, byte == 0x09 || byte > 0x20,
      !Character(Unicode.Scalar(byte)).isLetter, !Character(Unicode.Scalar(byte)).isNumber
    else { return nil }
    return byte
  }
}
