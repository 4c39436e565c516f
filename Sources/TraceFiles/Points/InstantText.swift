import Basics
import Timeline
import Traces

/// Instants as the many formats of traces write them.
enum InstantText {
  /// Reads an instant: RFC 3339 and what comes near it, or a count since 1970.
  ///
  /// - Shapes: `2024-06-15T10:30:00.250+02:00`, also with `[Europe/Berlin]` behind it, `2025-03-24 20:25:02 +0100`,
  ///   `2024/06/15 10:30`, `2024:06:15 10:30:00` (EXIF), `2024-6-5 9:30`, `20240615T103000Z`; `17-Jan-2009 20:27:37`, `15.06.2024 08:00`, `Jun 15, 2024 8:00`,
  ///   `Sat, 15 Jun 2024 08:00:00 GMT`; hours up to 12 with
  ///   `AM` or `PM` behind the time; `1718444200`, `1718444200.25`. Without a zone it is UTC.
  /// - Units: a bare number is seconds below 10¹¹ (the year 5138), then milliseconds, microseconds
  ///   and nanoseconds, each for three more digits.
  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    if let instant = RFC3339.parse(bytes) { return instant }
    // The longest name of a zone has 32 letters.
    guard bytes.count <= 96 else { return nil }
    if bytes.last == UInt8(ascii: "]") { return named(bytes) }
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
    if let instant = spaced(bytes) ?? dayFirst(bytes) ?? monthFirst(bytes) { return instant }
    if let rest = behindWeekday(bytes) { return parse(rest) }
    return in24Hours(bytes)?.withUnsafeBufferPointer(parse)
  }

  /// A time with `AM` or `PM` behind it as one without.
  ///
  /// - Returns: nil for what has none, or no hour of 1 to 12 with a colon.
  private static func in24Hours(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var text = Array(bytes)
    while let last = text.last, last <= 0x20 { text.removeLast() }
    let half = String(decoding: text.suffix(2), as: UTF8.self).lowercased()
    guard half == "am" || half == "pm", let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
      return nil
    }
    text.removeLast(2)
    // Programs with newer tables of languages have a narrow blank there, or one that does not break.
    for blank: [UInt8] in [[0xE2, 0x80, 0xAF], [0xC2, 0xA0]]
    where text.suffix(blank.count).elementsEqual(blank) {
      text.removeLast(blank.count)
    }
    while let last = text.last, last <= 0x20 { text.removeLast() }
    let digits = text.prefix(colon).suffix(2).drop { $0 &- 0x30 > 9 }
    guard let hour = Int(String(decoding: digits, as: UTF8.self)), (1...12).contains(hour),
      colon <= text.count
    else { return nil }
    let inDay = hour % 12 + (half == "pm" ? 12 : 0)
    let written = (inDay < 10 ? "0" : "") + String(inDay)
    text.replaceSubrange(digits.startIndex..<colon, with: written.utf8)
    return text
  }

  /// Whether an instant that can be read says by itself when it was: it has a zone, or is a count since 1970.
  static func namesZone(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let digits = bytes.filter { $0 > 0x20 }
    if digits.count == 14, digits.allSatisfy({ $0 &- 0x30 <= 9 }), compact(digits) != nil {
      return false
    }
    // What has a zone takes no other one.
    var text = in24Hours(bytes) ?? Array(bytes)
    while let last = text.last, last <= 0x20 { text.removeLast() }
    text.append(UInt8(ascii: "Z"))
    return text.withUnsafeBufferPointer(parse) == nil
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

  /// An offset and then the name of its zone, which says no more.
  ///
  /// - Source: RFC 9557; Java's `ZonedDateTime`.
  private static func named(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    let text = bytes.prefix { $0 != UInt8(ascii: "[") }
    let clock = text.dropFirst(11)
    // Without an offset the name would have to be known.
    guard clock.contains(where: { "Zz+-".utf8.contains($0) }) else { return nil }
    return RFC3339.parse(UnsafeBufferPointer(rebasing: text))
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

  /// Slashes, points or colons in the date, one digit where two belong, and a blank or a name before the zone.
  private static func spaced(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    var text = bytes.drop { $0 <= 0x20 }
    for zone in ["UTC", "GMT"] {
      while text.last.map({ $0 <= 0x20 }) ?? false { text.removeLast() }
      if text.suffix(3).elementsEqual(zone.utf8) { text.removeLast(3) }
    }
    var iso: [UInt8] = []
    // Year, month, day and hour, each with the sign behind it.
    for (digits, signs, written) in [
      (4, "-/.:", "-"), (2, "-/.:", "-"), (2, "Tt \t", "T"), (2, ":", ":"),
    ] {
      let number = text.prefix { $0 &- 0x30 <= 9 }
      text = text.dropFirst(number.count)
      if signs == ":" { text = text.drop { $0 <= 0x20 } }
      guard (1...digits).contains(number.count), digits == 2 || number.count == 4,
        let sign = text.first, signs.utf8.contains(sign)
      else { return nil }
      if number.count == 1 { iso.append(0x30) }
      iso += number
      iso += written.utf8
      text = text.dropFirst()
      // Blanks may stand about the time of the day.
      if written != "-" { text = text.drop { $0 <= 0x20 } }
    }
    iso += text.filter { $0 > 0x20 }
    return iso.withUnsafeBufferPointer(RFC3339.parse)
  }

  /// `Nov 30, 2026 9:05`: a name of the month before the day.
  private static func monthFirst(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    let comma = UInt8(ascii: ",")
    func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 <= 9 }
    let text = bytes.drop { $0 <= 0x20 }
    let name = text.prefix { ($0 | 0x20) &- UInt8(ascii: "a") < 26 }
    let key = String(decoding: name.prefix(3), as: UTF8.self).lowercased()
    guard name.count >= 3, let month = months.firstIndex(of: key) else { return nil }
    let day = text.dropFirst(name.count).drop { $0 == UInt8(ascii: ".") || $0 <= 0x20 }
    let days = day.prefix(while: isDigit)
    let year = day.dropFirst(days.count).drop { $0 == comma || $0 <= 0x20 }
    let years = year.prefix(while: isDigit)
    guard (1...2).contains(days.count), years.count == 4, day.startIndex > name.endIndex,
      year.startIndex > days.endIndex
    else { return nil }
    let date =
      String(decoding: years, as: UTF8.self) + (month < 9 ? "-0" : "-") + String(month + 1) + "-"
      + (days.count == 1 ? "0" : "") + String(decoding: days, as: UTF8.self)
    let iso = Array(date.utf8) + year.dropFirst(4).drop { $0 == comma }
    return iso.withUnsafeBufferPointer { RFC3339.parse($0) ?? spaced($0) }
  }

  /// What stands behind `Mon, `, as mails have it; nil where there is none.
  private static func behindWeekday(
    _ bytes: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8>? {
    let text = bytes.drop { $0 <= 0x20 }
    let name = text.prefix { ($0 | 0x20) &- UInt8(ascii: "a") < 26 }
    let key = String(decoding: name.prefix(3), as: UTF8.self).lowercased()
    let rest = text.dropFirst(name.count)
    guard ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].contains(key),
      rest.first == UInt8(ascii: ","), rest.count > 1
    else { return nil }
    return UnsafeBufferPointer(rebasing: rest.dropFirst())
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// The day before the month, where that is no question: the month has a name, or points stand
  /// between the numbers.
  private static func dayFirst(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    let text = bytes.drop { $0 <= 0x20 }
    func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 <= 9 }
    func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
    func isBetween(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte <= 0x20 }
    let day = text.prefix(while: isDigit)
    var rest = text.dropFirst(day.count)
    guard (1...2).contains(day.count), let separator = rest.first else { return nil }
    rest = rest.dropFirst()
    let month: String
    if separator == UInt8(ascii: ".") {
      let digits = rest.prefix(while: isDigit)
      guard (1...2).contains(digits.count) else { return nil }
      month = (digits.count == 1 ? "0" : "") + String(decoding: digits, as: UTF8.self)
      rest = rest.dropFirst(digits.count)
      guard rest.first == separator else { return nil }
    } else {
      let name = rest.prefix(while: isLetter)
      let key = String(decoding: name.prefix(3), as: UTF8.self).lowercased()
      guard isBetween(separator), let number = months.firstIndex(of: key) else { return nil }
      month = (number < 9 ? "0" : "") + String(number + 1)
      rest = rest.dropFirst(name.count)
      guard let second = rest.first, isBetween(second) else { return nil }
    }
    rest = rest.dropFirst()
    let year = rest.prefix(while: isDigit)
    guard year.count == 4 else { return nil }
    let date =
      String(decoding: year, as: UTF8.self) + "-" + month + "-"
      + (day.count == 1 ? "0" : "") + String(decoding: day, as: UTF8.self)
    let iso = Array(date.utf8) + rest.dropFirst(4)
    return iso.withUnsafeBufferPointer { RFC3339.parse($0) ?? spaced($0) }
  }
}
