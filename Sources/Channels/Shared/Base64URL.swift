/// Bytes as letters, digits, `-` and `_`, without padding (RFC 4648, section 5).
package enum Base64URL {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
  )

  /// The text of bytes.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var (held, bits) = (0, 0)
    for byte in bytes {
      held = held << 8 | Int(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[held >> bits & 0x3F])
      }
      held &= 1 << bits - 1
    }
    if bits > 0 { text.append(alphabet[held << (6 - bits) & 0x3F]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text, whose padding may be there.
  ///
  /// - Returns: nil for any other character, a length that no bytes have, or bits behind the last byte.
  package static func decode(_ text: String) -> [UInt8]? {
    var digits = Array(text.utf8)
    if digits.count % 4 == 0 {
      for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
    }
    guard digits.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    var (held, bits) = (0, 0)
    for digit in digits {
      guard let value = value(of: digit) else { return nil }
      held = held << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: held >> bits))
        held &= 1 << bits - 1
      }
    }
    return held == 0 ? bytes : nil
  }

  private static func value(of digit: UInt8) -> Int? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit) - 97 + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit) - 48 + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
