/// Text of files that do not say how their letters are stored.
package enum PlainText {
  /// Reads UTF-8, and what is not that as Windows-1252, of which Latin-1 is a part as far as it has letters.
  package static func decode(_ bytes: some Collection<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    // A byte that is no UTF-8 has become another one.
    guard text.unicodeScalars.contains("\u{FFFD}"), !text.utf8.elementsEqual(bytes) else {
      return text
    }
    var scalars = String.UnicodeScalarView()
    for byte in bytes { scalars.append(windows1252(byte)) }
    return String(scalars)
  }

  /// The character of a byte; five bytes have none.
  ///
  /// - Source: encoding.spec.whatwg.org/index-windows-1252.txt.
  package static func windows1252(_ byte: UInt8) -> Unicode.Scalar {
    guard (0x80..<0xA0).contains(byte) else { return Unicode.Scalar(byte) }
    return upper[Int(byte - 0x80)]
  }

  private static let upper: [Unicode.Scalar] = [
    "€", "\u{81}", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", "\u{8D}", "Ž", "\u{8F}",
    "\u{90}", "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", "\u{9D}", "ž", "Ÿ",
  ]
}
