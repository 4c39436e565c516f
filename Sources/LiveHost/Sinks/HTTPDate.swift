import Timeline

/// Instants as HTTP headers have them.
///
/// - Source: RFC 9110, section 5.6.7: a recipient must accept three forms.
enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
  /// `Sun Nov  6 08:49:37 1994`; the day of the week is not checked.
  ///
  /// - Parameter now: a year of two digits is the nearest one that is not more than 50 years ahead.
  /// - Returns: nil for anything else.
  static func parse(_ text: String, now: Timestamp) -> Timestamp? {
    let parts = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" }).map(String.init)
    switch parts.count {
    case 6 where parts[5] == "GMT" && text.contains(","):
      // The first two forms differ in the year's digits and in the marks between day, month and year.
      guard let day = number(parts[1], 2), let month = months.firstIndex(of: parts[2]) else {
        return nil
      }
      if let year = number(parts[3], 4) {
        return instant(year: year, month: month + 1, day: day, clock: parts[4])
      }
      guard let short = number(parts[3], 2) else { return nil }
      let thisYear = CivilDate(daysSinceEpoch: Int(now.milliseconds / 86_400_000)).year
      var year = thisYear - thisYear % 100 + short
      if year > thisYear + 50 { year -= 100 }
      return instant(year: year, month: month + 1, day: day, clock: parts[4])
    case 5:
      guard let month = months.firstIndex(of: parts[1]),
        let day = number(parts[2], 1) ?? number(parts[2], 2), let year = number(parts[4], 4)
      else { return nil }
      return instant(year: year, month: month + 1, day: day, clock: parts[3])
    default: return nil
    }
  }

  private static func number(_ text: String, _ digits: Int) -> Int? {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(text)
  }

  private static func instant(year: Int, month: Int, day: Int, clock: String) -> Timestamp? {
    let parts = clock.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let hour = number(parts[0], 2), let minute = number(parts[1], 2),
      let second = number(parts[2], 2), hour < 24, minute < 60, second <= 60,
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    let seconds = ((date.daysSinceEpoch * 24 + hour) * 60 + minute) * 60 + second
    return Timestamp(seconds: Int64(seconds))
  }
}

/// What a receiver asks for in `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date.
///
/// - Returns: nil if it asks for nothing that can be understood.
func askedWait(_ text: String?, now: Timestamp) -> Milliseconds? {
  guard let text = text?.trimmed, !text.isEmpty else { return nil }
  if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
    // A number that does not fit is a very long time.
    return .seconds(min(Int64(text) ?? .max, 1 << 40))
  }
  guard let instant = HTTPDate.parse(text, now: now) else { return nil }
  return max(Milliseconds(0), instant - now)
}

extension String {
  /// It without blanks at its ends.
  var trimmed: String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    guard let first = firstIndex(where: { !isBlank($0) }),
      let last = lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(self[first...last])
  }
}
