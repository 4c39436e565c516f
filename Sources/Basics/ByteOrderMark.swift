/// What editors and spreadsheets put before a text in UTF-8, and what is none of it.
package let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

extension Collection<UInt8> {
  /// A text without the mark that may stand before it.
  package var withoutByteOrderMark: SubSequence {
    dropFirst(starts(with: byteOrderMark) ? byteOrderMark.count : 0)
  }
}
