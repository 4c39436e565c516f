import Timeline
import Traces

/// Instants as the many formats of traces write them.
enum InstantText {
  /// Reads an instant: RFC 3339 and what comes near it, or a count since 1970.
  ///
  /// - Shapes: `2024-06-15T10:30:00.250+02:00`, `2025-03-24 20:25:02 +0100`, `2024/06/15 10:30`,
  ///   `20240615T103000Z`; `1718444200`, `1718444200.25`. Without a zone it is UTC.
  /// - Units: a bare number is seconds below 10¹¹ (the year 5138), then milliseconds, microseconds
  ///   and nanoseconds, each for three more digits.
  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    if let instant = RFC3339.parse(bytes) { return instant }
    guard bytes.count <= 64 else { return nil }
    let text = bytes.filter { $0 > 0x20 }
    if text.count == 14 || text.count > 14 && text[8] | 0x20 == UInt8(ascii: "t"),
      let instant = compact(text)
    {
      return instant
    }
    if text.allSatisfy({ $0 &- 0x30 <= 9 || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }),
      let number = text.withUnsafeBufferPointer(DecimalText.parse), let instant = unix(number)
    {
      return instant
    }
    return spaced(bytes)
  }

  /// Reads an instant from text; see ``parse(_:)-(UnsafeBufferPointer<UInt8>)``.
  static func parse(_ text: String) -> Timestamp? {
    var text = text
    return text.withUTF8 { parse($0) }
  }

  /// An instant from a count since 1970 whose unit is seen from its size.
  static func unix(_ number: Double) -> Timestamp? {
    let milliseconds: Double
    switch number.magnitude {
    case ..<1e11: milliseconds = number * 1_000
    case ..<1e14: milliseconds = number
    case ..<1e17: milliseconds = number / 1_000
    case ..<1e20: milliseconds = number / 1_000_000
    default: return nil
    }
    return Timestamp(milliseconds: Int64(milliseconds.rounded()))
  }

  /// `20240615103000` and `20240615T103000Z`.
  private static func compact(_ text: [UInt8]) -> Timestamp? {
    guard text.prefix(8).allSatisfy({ $0 &- 0x30 <= 9 }) else { return nil }
    var long = Array(text[..<4]) + [UInt8(ascii: "-")] + text[4..<6] + [UInt8(ascii: "-")]
    let clock = text[8...].drop { $0 | 0x20 == UInt8(ascii: "t") }
    guard clock.count >= 6 else { return nil }
    long += Array(text[6..<8]) + [UInt8(ascii: "T")] + clock.prefix(2) + [UInt8(ascii: ":")]
    long += clock.dropFirst(2).prefix(2) + [UInt8(ascii: ":")] + clock.dropFirst(4)
    return long.withUnsafeBufferPointer(RFC3339.parse)
  }

  /// Slashes or points in the date, and a blank or a name before the zone.
  private static func spaced(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    var text = Array(bytes.drop { $0 <= 0x20 })
    guard text.count >= 16 else { return nil }
    for index in [4, 7] where text[index] == UInt8(ascii: "/") || text[index] == UInt8(ascii: ".") {
      text[index] = UInt8(ascii: "-")
    }
    for zone in ["UTC", "GMT"] {
      while text.last.map({ $0 <= 0x20 }) ?? false { text.removeLast() }
      if text.suffix(3).elementsEqual(zone.utf8) { text.removeLast(3) }
    }
    let date = text.prefix(11)
    let rest = text.dropFirst(11).filter { $0 > 0x20 }
    return (Array(date) + rest).withUnsafeBufferPointer(RFC3339.parse)
  }
}
