import Timeline

extension InstantText {
  /// Reads a date and a time of the day that stand apart, as tables have them.
  ///
  /// - Shapes: as for ``parse(_:)-(UnsafeBufferPointer<UInt8>)``, and dates of digits alone: `yyyymmdd`, `yymmdd` of
  ///   1980 to 2079, and only where that is no date `ddmmyy`, which nothing else tells from it. Times of
  ///   digits alone are `hhmmss`, also with a fraction, and without zeros at the beginning, which are
  ///   lost where a time was kept as a number. A count since 1970 is neither.
  /// - Source: the logs of Columbus V-900 (`240615`, `080000`).
  static func parse(date: some Sequence<UInt8>, clock: some Sequence<UInt8>) -> Timestamp? {
    let date = trimmed(date)
    guard let clock = written(clock: trimmed(clock)) else { return nil }
    var day = date
    if date.allSatisfy(isDigit) {
      guard let written = written(date: date) else { return nil }
      day = written
    }
    return (day + [0x20] + clock).withUnsafeBufferPointer { parse($0) }
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

  /// A time of the day with colons.
  ///
  /// - Returns: nil for what is none.
  private static func written(clock: [UInt8]) -> [UInt8]? {
    let text = clock.first.map { $0 | 0x20 } == UInt8(ascii: "t") ? clock.dropFirst() : clock[...]
    let whole = text.prefix(while: isDigit)
    let rest = text.dropFirst(whole.count)
    if rest.first == UInt8(ascii: ":") { return Array(text) }
    guard (1...6).contains(whole.count), rest.first.map({ ".Zz+-".utf8.contains($0) }) ?? true
    else { return nil }
    // A number has no zero in front; with one, two or four digits may be hours, or hours and minutes.
    let isZero = whole.elementsEqual([0x30])
    guard whole.first != 0x30 || whole.count == 6 || isZero else { return nil }
    // Part of a day, as spreadsheets keep times.
    guard !isZero || rest.first != UInt8(ascii: ".") else { return nil }
    let digits = [UInt8](repeating: 0x30, count: 6 - whole.count) + whole
    let colon = [UInt8(ascii: ":")]
    return digits[..<2] + colon + digits[2..<4] + colon + digits[4...] + rest
  }
}
