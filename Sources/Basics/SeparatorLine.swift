/// A first line such as `sep=;`, which says what separates the columns that the next one names.
package enum SeparatorLine {
  /// The separator that a line names; nil for any other line.
  ///
  /// - Source: what Excel writes and reads.
  package static func separator(namedBy line: [UInt8]) -> UInt8? {
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
