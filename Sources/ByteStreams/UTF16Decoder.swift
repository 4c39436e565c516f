/// Turns UTF-16 into UTF-8 piece by piece: spreadsheets keep their tables in it, and some programs their traces.
///
/// - Source: RFC 2781; half of a character alone becomes U+FFFD.
package struct UTF16Decoder {
  /// How many bytes the mark has, which are no text.
  package static let markLength = 2

  private let isBigEndian: Bool
  /// Half of a unit, and half of a character.
  private var firstByte: UInt8?
  private var highHalf: UInt16?

  /// Decodes text of which it is known how its units lie.
  package init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  /// Looks at the first bytes of a file.
  ///
  /// - Returns: nil where they are no byte-order mark of UTF-16.
  package init?(start bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.markLength else { return nil }
    switch (bytes[0], bytes[1]) {
    case (0xFF, 0xFE): isBigEndian = false
    case (0xFE, 0xFF): isBigEndian = true
    default: return nil
    }
  }

  /// Adds the next bytes, as UTF-8, to a text.
  package mutating func decode(_ bytes: UnsafeRawBufferPointer, into text: inout [UInt8]) {
    for byte in bytes {
      guard let first = firstByte else {
        firstByte = byte
        continue
      }
      firstByte = nil
      let (high, low) = isBigEndian ? (first, byte) : (byte, first)
      append(UInt16(high) << 8 | UInt16(low), to: &text)
    }
  }

  /// Adds what stands for halves that the file ends with.
  package mutating func finish(into text: inout [UInt8]) {
    if firstByte != nil || highHalf != nil { add(0xFFFD, to: &text) }
    (firstByte, highHalf) = (nil, nil)
  }

  private mutating func append(_ unit: UInt16, to text: inout [UInt8]) {
    if let high = highHalf {
      highHalf = nil
      if (0xDC00..<0xE000).contains(unit) {
        let code = (UInt32(high) - 0xD800) << 10 + (UInt32(unit) - 0xDC00)
        return add(0x1_0000 + code, to: &text)
      }
      add(0xFFFD, to: &text)
    }
    if (0xD800..<0xDC00).contains(unit) {
      highHalf = unit
    } else {
      add(UInt32(unit), to: &text)
    }
  }

  private func add(_ code: UInt32, to text: inout [UInt8]) {
    if code < 0x80 {
      text.append(UInt8(code))
    } else {
      text.append(contentsOf: String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8)
    }
  }
}
