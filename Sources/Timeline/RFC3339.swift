/// Instants as text, the profile of ISO 8601 that RFC 3339 describes.
public enum RFC3339 {
  /// The years 0 to 9999, which is what it can write.
  package static let writable =
    Timestamp(milliseconds: -62_167_219_200_000)...Timestamp(milliseconds: 253_402_300_799_999)

  /// Reads an instant such as `2026-01-05T17:20:00Z`, `…00.250+01:00` or, where a device forgot the
  /// zone, `…00` taken as UTC.
  ///
  /// Fractions are cut to milliseconds. A leap second (`:60`) is the first instant of the next
  /// minute. White space around the text is allowed.
  ///
  /// - Returns: nil if the bytes are anything else.
  /// - Complexity: O(bytes), without allocation.
  public static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    var reader = TimeReader(bytes: bytes, position: 0, end: bytes.count)
    reader.trim()
    guard
      let year = reader.digits(4), reader.take(UInt8(ascii: "-")),
      let month = reader.digits(2), reader.take(UInt8(ascii: "-")),
      let day = reader.digits(2),
      reader.take(UInt8(ascii: "T")) || reader.take(UInt8(ascii: "t"))
        || reader.take(UInt8(ascii: " ")),
      let hour = reader.digits(2), reader.take(UInt8(ascii: ":")),
      let minute = reader.digits(2),
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    var second = 0
    if reader.take(UInt8(ascii: ":")) {
      guard let value = reader.digits(2) else { return nil }
      second = value
    }
    var milliseconds = 0
    if reader.take(UInt8(ascii: ".")) || reader.take(UInt8(ascii: ",")) {
      guard let value = reader.fraction() else { return nil }
      milliseconds = value
    }
    guard hour <= 24, minute <= 59, second <= 60, hour < 24 || (minute, second) == (0, 0),
      let offsetMinutes = reader.offset(), reader.isAtEnd
    else { return nil }
    let wallSeconds = ((date.daysSinceEpoch * 24 + hour) * 60 + minute) * 60 + second
    return Timestamp(
      milliseconds: Int64(wallSeconds - offsetMinutes * 60) * 1_000 + Int64(milliseconds)
    )
  }

  /// Reads an instant from text; see ``parse(_:)-(UnsafeBufferPointer<UInt8>)``.
  public static func parse(_ text: String) -> Timestamp? {
    var text = text
    return text.withUTF8 { parse($0) }
  }

  /// Writes an instant in UTC, with milliseconds only where there are any.
  public static func format(_ instant: Timestamp) -> String {
    let instant = instant.withDate
    let days = floorDivide(instant.milliseconds, 86_400_000)
    let date = CivilDate(daysSinceEpoch: Int(days))
    let inDay = Int(instant.milliseconds - days * 86_400_000)
    if (0...9_999).contains(date.year) { return usualText(of: date, inDay) }
    var text = ""
    text.reserveCapacity(24)
    text += padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2) + "T"
    text += padded(inDay / 3_600_000, 2) + ":" + padded(inDay / 60_000 % 60, 2) + ":"
    text += padded(inDay / 1_000 % 60, 2)
    if inDay % 1_000 != 0 { text += "." + padded(inDay % 1_000, 3) }
    return text + "Z"
  }

  /// Of a year with four digits.
  private static func usualText(of date: CivilDate, _ inDay: Int) -> String {
    String(unsafeUninitializedCapacity: 24) { bytes in
      var at = 0
      func write(_ value: Int, _ width: Int, then mark: UInt8) {
        var value = value
        for place in (at..<at + width).reversed() {
          bytes[place] = UInt8(truncatingIfNeeded: 0x30 + value % 10)
          value /= 10
        }
        bytes[at + width] = mark
        at += width + 1
      }
      write(date.year, 4, then: UInt8(ascii: "-"))
      write(date.month, 2, then: UInt8(ascii: "-"))
      write(date.day, 2, then: UInt8(ascii: "T"))
      write(inDay / 3_600_000, 2, then: UInt8(ascii: ":"))
      write(inDay / 60_000 % 60, 2, then: UInt8(ascii: ":"))
      let milliseconds = inDay % 1_000
      write(inDay / 1_000 % 60, 2, then: UInt8(ascii: milliseconds == 0 ? "Z" : "."))
      if milliseconds != 0 { write(milliseconds, 3, then: UInt8(ascii: "Z")) }
      return at
    }
  }

  private static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension TimeReader {
  /// The digits after the point as milliseconds; at least one digit.
  fileprivate mutating func fraction() -> Int? {
    var milliseconds = 0
    var scale = 100
    var count = 0
    while let digit = digits(1) {
      milliseconds += digit * scale
      scale /= 10
      count += 1
    }
    return count == 0 ? nil : milliseconds
  }

  /// Minutes east of UTC.
  fileprivate mutating func offset() -> Int? {
    if isAtEnd || take(UInt8(ascii: "Z")) || take(UInt8(ascii: "z")) { return 0 }
    let sign: Int
    if take(UInt8(ascii: "+")) {
      sign = 1
    } else if take(UInt8(ascii: "-")) {
      sign = -1
    } else {
      return nil
    }
    guard let hours = digits(2) else { return nil }
    if isAtEnd { return hours <= 23 ? sign * hours * 60 : nil }
    _ = take(UInt8(ascii: ":"))
    guard let minutes = digits(2), hours <= 23, minutes <= 59 else { return nil }
    return sign * (hours * 60 + minutes)
  }
}

/// Division that rounds toward minus infinity, for instants before 1970.
func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
  let quotient = a / b
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient
}
