import Timeline

extension InstantText {
  /// Joins a date and a time of the day that stand apart, as tables have them, to what can be read as an instant.
  ///
  /// - Shapes: as for ``parse(_:)``, and dates of digits alone: `yyyymmdd`, `yymmdd` of
  ///   1980 to 2079, and only where that is no date `ddmmyy`, which nothing else tells from it. Times of
  ///   digits alone are `hhmmss`, also with a fraction, and `hmmss`, as a number has no zero in front; shorter ones
  ///   are what their table says. A count since 1970 is neither.
  /// - Parameter form: what the clocks of the table are.
  /// - Returns: nil for what is none.
  /// - Source: the logs of Columbus V-900 (`240615`, `080000`).
  static func joined(
    date: some Sequence<UInt8>,
    clock: some Sequence<UInt8>,
    form: ClockDigits.Form = .full
  ) -> [UInt8]? {
    let date = trimmed(date)
    guard let clock = written(clock: clock, form) else { return nil }
    var day = date
    if date.allSatisfy(isDigit) {
      guard let written = written(date: date) else { return nil }
      day = written
    }
    return day + [0x20] + clock
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 <= 9 }

  private static func trimmed(_ text: some Sequence<UInt8>) -> [UInt8] {
    var text = Array(text.drop { $0 <= 0x20 })
    while let last = text.last, last <= 0x20 { text.removeLast() }
    return text
  }

  /// A date of digits alone as `yyyy-mm-dd`.
  private static func written(date: [UInt8]) -> [UInt8]? {
    guard date.count == 6 || date.count == 8 else { return nil }
    if date.count == 8 {
      let hyphen = [UInt8(ascii: "-")]
      return date[..<4] + hyphen + date[4..<6] + hyphen + date[6...]
    }
    let parts = [0, 2, 4].map { Int(date[$0] - 0x30) * 10 + Int(date[$0 + 1] - 0x30) }
    func year(_ short: Int) -> Int { short < 80 ? 2_000 + short : 1_900 + short }
    let found =
      CivilDate(year: year(parts[0]), month: parts[1], day: parts[2])
      ?? CivilDate(year: year(parts[2]), month: parts[1], day: parts[0])
    guard let found else { return nil }
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    return Array("\(found.year)-\(two(found.month))-\(two(found.day))".utf8)
  }

  /// The digits that a time of the day begins with, and what follows them.
  static func digits(
    ofClock clock: some Sequence<UInt8>
  ) -> (whole: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
    let clock = trimmed(clock)
    let text = clock.first.map { $0 | 0x20 } == UInt8(ascii: "t") ? clock.dropFirst() : clock[...]
    let whole = text.prefix(while: isDigit)
    return (whole, text.dropFirst(whole.count))
  }

  /// A time of the day with colons.
  ///
  /// - Returns: nil for what is none, and for what may be another than it seems.
  private static func written(
    clock: some Sequence<UInt8>,
    _ form: ClockDigits.Form
  ) -> [UInt8]? {
    let (whole, rest) = digits(ofClock: clock)
    if rest.first == UInt8(ascii: ":") { return (whole.count == 1 ? [0x30] : []) + whole + rest }
    let isFraction = rest.first == UInt8(ascii: ".")
    guard isFraction || rest.first.map({ "Zz+-".utf8.contains($0) }) ?? true else { return nil }
    var digits = Array(whole)
    let hasZero = whole.first == 0x30 && whole.count > 1
    switch whole.count {
    case 6: break
    case 5 where form != .minutes && !hasZero: digits.insert(0x30, at: 0)
    // `8.30` is half past eight, or a part of a day.
    case 4 where form == .minutes && !isFraction: digits += [0x30, 0x30]
    // Up to ten minutes past midnight, in a table that has six digits or five elsewhere.
    case 1...3 where form == .withoutZeros && !isFraction && !hasZero:
      digits = [UInt8](repeating: 0x30, count: 6 - whole.count) + whole
    default: return nil
    }
    let colon = [UInt8(ascii: ":")]
    return digits[..<2] + colon + digits[2..<4] + colon + digits[4...] + rest
  }
}
