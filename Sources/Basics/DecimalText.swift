/// Decimal numbers in text files, read from their bytes.
package enum DecimalText {
  /// Reads a number such as `-76.595472`, `+0.5` or `1e-3`, white space around it allowed.
  ///
  /// Whatever else the bytes are, `NaN`, `inf`, hexadecimal, a decimal comma, a number too large for
  /// a `Double`, is nil: a position made of it would be a guess.
  ///
  /// - Precision: correctly rounded, the same bits as `Double(String)`.
  /// - Complexity: O(bytes); no allocation up to 2⁵³ as a whole number and ten to the ±22, which
  ///   every coordinate of a real receiver keeps within.
  /// - Source: W. Clinger, "How to Read Floating Point Numbers Accurately", 1990: a whole number
  ///   below 2⁵³ and a power of ten up to 10²² are exact, so one operation rounds once.
  package static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    var position = 0
    var end = bytes.count
    while position < end, isSpace(bytes[position]) { position += 1 }
    while end > position, isSpace(bytes[end - 1]) { end -= 1 }
    let start = position

    var isNegative = false
    if position < end, bytes[position] == minus || bytes[position] == plus {
      isNegative = bytes[position] == minus
      position += 1
    }

    var whole: UInt64 = 0
    var digitCount = 0
    var exponent = 0
    var isExact = true
    while position < end, bytes[position] &- zero <= 9 {
      isExact = accumulate(bytes[position] &- zero, into: &whole) && isExact
      digitCount += 1
      position += 1
    }
    if position < end, bytes[position] == UInt8(ascii: ".") {
      position += 1
      while position < end, bytes[position] &- zero <= 9 {
        isExact = accumulate(bytes[position] &- zero, into: &whole) && isExact
        digitCount += 1
        exponent -= 1
        position += 1
      }
    }
    guard digitCount > 0 else { return nil }
    if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      guard let power = readExponent(bytes, &position, end) else { return nil }
      exponent += power
    }
    guard position == end else { return nil }

    guard isExact, whole <= 1 << 53, abs(exponent) <= 22 else {
      return slowly(bytes, start, end)
    }
    let magnitude =
      exponent < 0
      ? Double(whole) / powerOfTen(-exponent)
      : Double(whole) * powerOfTen(exponent)
    return isNegative ? -magnitude : magnitude
  }

  /// Reads a number from text; see ``parse(_:)-(UnsafeBufferPointer<UInt8>)``.
  package static func parse(_ text: String) -> Double? {
    var text = text
    return text.withUTF8 { parse($0) }
  }

  private static let zero = UInt8(ascii: "0")
  private static let minus = UInt8(ascii: "-")
  private static let plus = UInt8(ascii: "+")

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (byte >= 0x09 && byte <= 0x0D)
  }

  /// Appends a digit; false once the number no longer fits.
  @inline(__always)
  private static func accumulate(_ digit: UInt8, into whole: inout UInt64) -> Bool {
    guard whole < 1_000_000_000_000_000_000 else { return false }
    whole = whole &* 10 &+ UInt64(digit)
    return true
  }

  /// The signed digits after an `e`; anything beyond a million is as good as a million.
  private static func readExponent(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ position: inout Int,
    _ end: Int
  ) -> Int? {
    var isNegative = false
    if position < end, bytes[position] == minus || bytes[position] == plus {
      isNegative = bytes[position] == minus
      position += 1
    }
    let first = position
    var value = 0
    while position < end, bytes[position] &- zero <= 9 {
      value = min(1_000_000, value * 10 + Int(bytes[position] &- zero))
      position += 1
    }
    guard position > first else { return nil }
    return isNegative ? -value : value
  }

  /// The standard library's conversion, for text whose syntax has been checked.
  private static func slowly(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ start: Int,
    _ end: Int
  ) -> Double? {
    let text = String(decoding: bytes[start..<end], as: UTF8.self)
    guard let value = Double(text), value.isFinite else { return nil }
    return value
  }

  @inline(__always)
  private static func powerOfTen(_ exponent: Int) -> Double {
    // A switch, not a table: a static array would be fetched through a once-lock and counted.
    switch exponent {
    case 0: 1
    case 1: 1e1
    case 2: 1e2
    case 3: 1e3
    case 4: 1e4
    case 5: 1e5
    case 6: 1e6
    case 7: 1e7
    case 8: 1e8
    case 9: 1e9
    case 10: 1e10
    case 11: 1e11
    case 12: 1e12
    case 13: 1e13
    case 14: 1e14
    case 15: 1e15
    case 16: 1e16
    case 17: 1e17
    case 18: 1e18
    case 19: 1e19
    case 20: 1e20
    case 21: 1e21
    default: 1e22
    }
  }
}
