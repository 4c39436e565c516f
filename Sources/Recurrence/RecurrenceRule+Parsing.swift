import Timeline

extension RecurrenceRule {
  /// Reads a rule such as `FREQ=MONTHLY;BYDAY=-1FR`; `RRULE:` before it and lower case are taken.
  ///
  /// `SKIP` may stand without `RSCALE`, which RFC 7529 asks for: there is but one calendar here.
  ///
  /// - Throws: ``RecurrenceError`` with the part that is wrong and what to write instead.
  /// - Complexity: O(bytes), without allocation unless it throws.
  public init(_ text: String) throws(RecurrenceError) {
    var text = text
    // `withUTF8` would lose the type of the error.
    let read = text.withUTF8 { bytes -> Result<RecurrenceRule, RecurrenceError> in
      do throws(RecurrenceError) {
        var reader = RuleReader(bytes: bytes)
        return .success(try reader.rule())
      } catch { return .failure(error) }
    }
    self = try read.get()
  }
}

/// The parts of a rule, in the order in which they are written out.
private enum RulePart: Int, CaseIterable {
  case RSCALE, FREQ, UNTIL, COUNT, INTERVAL, BYSECOND, BYMINUTE, BYHOUR, BYDAY, BYMONTHDAY
  case BYYEARDAY, BYWEEKNO, BYMONTH, BYSETPOS, WKST, SKIP

  var name: String { "\(self)" }
}

private struct RuleReader {
  let bytes: UnsafeBufferPointer<UInt8>
  var position = 0
  var end: Int
  /// Where the part that is being read begins and ends.
  var partStart = 0
  var partEnd = 0
  var part = RulePart.FREQ
  var seen: UInt32 = 0
  var result = RecurrenceRule(.daily)

  init(bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    end = bytes.count
  }

  mutating func rule() throws(RecurrenceError) -> RecurrenceRule {
    while position < end, bytes[position] <= 0x20 { position += 1 }
    while end > position, bytes[end - 1] <= 0x20 { end -= 1 }
    if matches("RRULE:", at: position, to: end) { position += 6 }
    guard position < end else {
      throw RecurrenceError(part: "rule", "it is empty: write one such as FREQ=DAILY")
    }
    while true {
      partStart = position
      partEnd = position
      while partEnd < end, bytes[partEnd] != UInt8(ascii: ";") { partEnd += 1 }
      try readPart()
      if partEnd == end { break }
      position = partEnd + 1
    }
    try RuleCheck(rule: result, seen: { [seen] in seen >> UInt32($0.rawValue) & 1 == 1 }).run()
    return result
  }

  private mutating func readPart() throws(RecurrenceError) {
    var equals = partStart
    while equals < partEnd, bytes[equals] != UInt8(ascii: "=") { equals += 1 }
    guard equals < partEnd else {
      throw RecurrenceError(
        part: text(partStart, partEnd).isEmpty ? "rule" : text(partStart, partEnd),
        "a part is a name, =, and a value, such as INTERVAL=2"
      )
    }
    guard let named = RulePart.allCases.first(where: { isName($0, partStart, equals) }) else {
      throw unknownPart(text(partStart, equals))
    }
    part = named
    guard seen >> UInt32(part.rawValue) & 1 == 0 else {
      throw RecurrenceError(part: part.name, "it is there twice: write it once")
    }
    seen |= 1 << UInt32(part.rawValue)
    position = equals + 1
    guard position < partEnd else {
      throw error("nothing follows the =: write a value or leave the part out")
    }
    try readValue()
  }

  private mutating func readValue() throws(RecurrenceError) {
    switch part {
    case .FREQ:
      guard
        let frequency = Frequency.allCases.first(where: { matchesWhole($0.name, position) })
      else {
        throw error(
          "\"\(value)\" is no frequency: write SECONDLY, MINUTELY, HOURLY, DAILY, WEEKLY, "
            + "MONTHLY or YEARLY"
        )
      }
      result.frequency = frequency
    case .RSCALE:
      guard matchesWhole("GREGORIAN", position) else {
        throw error("\"\(value)\" is not known here: write GREGORIAN or leave it out")
      }
    case .SKIP:
      guard let skip = SkipRule.allCases.first(where: { matchesWhole($0.rawValue, position) })
      else { throw error("\"\(value)\" is not known: write OMIT, BACKWARD or FORWARD") }
      result.skip = skip
    case .WKST:
      guard let day = weekday(at: position), position + 2 == partEnd else {
        throw error("\"\(value)\" is no weekday: write MO, TU, WE, TH, FR, SA or SU")
      }
      result.weekStart = Weekday.allCases[day]
    case .INTERVAL: result.interval = try positive()
    case .COUNT: result.count = try positive()
    case .UNTIL: result.until = try until()
    case .BYDAY: try readDays()
    default: try readNumbers()
    }
  }

  // MARK: - Values

  private func positive() throws(RecurrenceError) -> Int {
    guard let number = number(position, partEnd), number >= 1,
      bytes[position] != UInt8(ascii: "+")
    else {
      throw error("\"\(value)\" is not a whole number from 1 to 999999999999999999")
    }
    return number
  }

  private func until() throws(RecurrenceError) -> RecurrenceRule.Until {
    guard let time = WrittenTime(bytes, from: position, to: partEnd) else {
      throw error(
        "\"\(value)\" is no time: write 20261224T180000Z, 20261224T180000 or 20261224"
      )
    }
    if time.isDate { return .day(time.local.date) }
    if let instant = time.instant { return .utc(LocalDateTime(clamping: Int64(instant))) }
    return .wall(time.local)
  }

  private mutating func readNumbers() throws(RecurrenceError) {
    try forEachItem { (reader, start, end) throws(RecurrenceError) in
      let allowed = reader.allowed
      guard let number = reader.number(start, end), allowed.range.contains(number),
        number != 0 || !allowed.isSigned
      else {
        let range = allowed.range
        throw reader.error(
          "\"\(reader.text(start, end))\" is no \(allowed.noun): write "
            + (allowed.isSigned
              ? "1 to \(range.upperBound), or -1 to \(range.lowerBound) from the end"
              : "\(range.lowerBound) to \(range.upperBound)")
        )
      }
      reader.insert(number)
    }
  }

  private var allowed: (range: ClosedRange<Int>, isSigned: Bool, noun: String) {
    switch part {
    case .BYSECOND: (0...60, false, "second")
    case .BYMINUTE: (0...59, false, "minute")
    case .BYHOUR: (0...23, false, "hour")
    case .BYMONTH: (1...12, false, "month")
    case .BYMONTHDAY: (-31...31, true, "day of a month")
    case .BYYEARDAY: (-366...366, true, "day of a year")
    case .BYWEEKNO: (-53...53, true, "week of a year")
    default: (-366...366, true, "position in a period")
    }
  }

  private mutating func insert(_ number: Int) {
    switch part {
    // Without leap seconds, second 60 is second 59 (RFC 5545, section 3.3.12).
    case .BYSECOND: result.seconds |= 1 << UInt64(min(number, 59))
    case .BYMINUTE: result.minutes |= 1 << UInt64(number)
    case .BYHOUR: result.hours |= 1 << UInt32(number)
    case .BYMONTH: result.months |= 1 << UInt32(number)
    case .BYMONTHDAY: result.monthDays.insert(number)
    case .BYYEARDAY: result.yearDays.insert(number)
    case .BYWEEKNO: result.weekNumbers.insert(number)
    default: result.positions.insert(number)
    }
  }

  private mutating func readDays() throws(RecurrenceError) {
    try forEachItem { (reader, start, end) throws(RecurrenceError) in
      guard end - start >= 2, let day = reader.weekday(at: end - 2) else {
        throw reader.noDay(start, end)
      }
      if end - start == 2 {
        reader.result.weekdays |= 1 << UInt32(day)
        return
      }
      guard let number = reader.number(start, end - 2), number != 0, (-53...53).contains(number)
      else { throw reader.noDay(start, end) }
      reader.result.ordinals.insert(number, weekday: day)
    }
  }

  private func noDay(_ start: Int, _ end: Int) -> RecurrenceError {
    error(
      "\"\(text(start, end))\" is no weekday: write MO, TU, WE, TH, FR, SA or SU, with a number "
        + "from 1 to 53 or -1 to -53 before it where it is to be the n-th"
    )
  }

  private mutating func forEachItem(
    _ body: (inout RuleReader, _ start: Int, _ end: Int) throws(RecurrenceError) -> Void
  ) throws(RecurrenceError) {
    var start = position
    while true {
      var end = start
      while end < partEnd, bytes[end] != UInt8(ascii: ",") { end += 1 }
      try body(&self, start, end)
      if end == partEnd { return }
      start = end + 1
    }
  }

  // MARK: - Bytes

  private func upper(_ index: Int) -> UInt8 {
    let byte = bytes[index]
    return byte &- 0x61 < 26 ? byte - 0x20 : byte
  }

  private func matches(_ word: StaticString, at start: Int, to end: Int) -> Bool {
    guard end - start >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount where upper(start + index) != word.utf8Start[index] {
      return false
    }
    return true
  }

  private func matchesWhole(_ word: String, _ start: Int) -> Bool {
    var index = start
    for byte in word.utf8 {
      guard index < partEnd, upper(index) == byte else { return false }
      index += 1
    }
    return index == partEnd
  }

  private func isName(_ part: RulePart, _ start: Int, _ end: Int) -> Bool {
    let name: StaticString =
      switch part {
      case .RSCALE: "RSCALE"
      case .FREQ: "FREQ"
      case .UNTIL: "UNTIL"
      case .COUNT: "COUNT"
      case .INTERVAL: "INTERVAL"
      case .BYSECOND: "BYSECOND"
      case .BYMINUTE: "BYMINUTE"
      case .BYHOUR: "BYHOUR"
      case .BYDAY: "BYDAY"
      case .BYMONTHDAY: "BYMONTHDAY"
      case .BYYEARDAY: "BYYEARDAY"
      case .BYWEEKNO: "BYWEEKNO"
      case .BYMONTH: "BYMONTH"
      case .BYSETPOS: "BYSETPOS"
      case .WKST: "WKST"
      case .SKIP: "SKIP"
      }
    return end - start == name.utf8CodeUnitCount && matches(name, at: start, to: end)
  }

  private func number(_ start: Int, _ end: Int) -> Int? {
    var index = start
    let isNegative = index < end && bytes[index] == UInt8(ascii: "-")
    if isNegative || index < end && bytes[index] == UInt8(ascii: "+") { index += 1 }
    guard index < end, end - index <= 18 else { return nil }
    var number = 0
    while index < end {
      let digit = bytes[index] &- 0x30
      guard digit <= 9 else { return nil }
      number = number * 10 + Int(digit)
      index += 1
    }
    return isNegative ? -number : number
  }

  private func weekday(at start: Int) -> Int? {
    guard start + 2 <= partEnd else { return nil }
    switch (upper(start), upper(start + 1)) {
    case (UInt8(ascii: "M"), UInt8(ascii: "O")): return 0
    case (UInt8(ascii: "T"), UInt8(ascii: "U")): return 1
    case (UInt8(ascii: "W"), UInt8(ascii: "E")): return 2
    case (UInt8(ascii: "T"), UInt8(ascii: "H")): return 3
    case (UInt8(ascii: "F"), UInt8(ascii: "R")): return 4
    case (UInt8(ascii: "S"), UInt8(ascii: "A")): return 5
    case (UInt8(ascii: "S"), UInt8(ascii: "U")): return 6
    default: return nil
    }
  }

  // MARK: - Sentences

  private var value: String { text(position, partEnd) }

  private func error(_ reason: String) -> RecurrenceError {
    RecurrenceError(part: part.name, reason)
  }

  /// A piece of the rule, short enough for a sentence.
  private func text(_ start: Int, _ end: Int) -> String {
    let cut = min(end, start + 40)
    return String(decoding: bytes[start..<cut], as: UTF8.self) + (cut < end ? "…" : "")
  }

  private func unknownPart(_ name: String) -> RecurrenceError {
    if name.uppercased() == "BYEASTER" {
      return RecurrenceError(part: "BYEASTER", "RFC 5545 has no such part: give the dates instead")
    }
    return RecurrenceError(
      part: name.isEmpty ? "rule" : name,
      "there is no such part: write FREQ, INTERVAL, COUNT, UNTIL, BYSECOND, BYMINUTE, BYHOUR, "
        + "BYDAY, BYMONTHDAY, BYYEARDAY, BYWEEKNO, BYMONTH, BYSETPOS, WKST or SKIP"
    )
  }
}

/// Which parts may stand together (RFC 5545, section 3.3.10).
///
/// Weeks of the year, days of the year and days of the month limit whatever they stand with, though the
/// standard wants some of them with YEARLY or MONTHLY only: other programs write them, and there is one
/// thing they can mean.
private struct RuleCheck {
  let rule: RecurrenceRule
  let seen: (RulePart) -> Bool

  func run() throws(RecurrenceError) {
    guard seen(.FREQ) else {
      throw RecurrenceError(part: "FREQ", "it is missing: write how often, such as FREQ=DAILY")
    }
    if seen(.COUNT), seen(.UNTIL) {
      throw RecurrenceError(part: "COUNT", "it stands with UNTIL: write one of the two")
    }
    let frequency = rule.frequency
    if !rule.ordinals.isEmpty {
      guard frequency >= .monthly else {
        throw misplaced(
          .BYDAY,
          "a weekday with a number goes with FREQ=MONTHLY or YEARLY only: write it without"
        )
      }
      if seen(.BYWEEKNO) {
        throw misplaced(.BYDAY, "a weekday with a number does not go with BYWEEKNO")
      }
    }
    if seen(.BYSETPOS), !hasOtherPart {
      throw misplaced(.BYSETPOS, "it picks from what another BY part gives: add one, or leave it")
    }
  }

  private var hasOtherPart: Bool {
    let others: [RulePart] = [
      .BYSECOND, .BYMINUTE, .BYHOUR, .BYDAY, .BYMONTHDAY, .BYYEARDAY, .BYWEEKNO, .BYMONTH,
    ]
    return others.contains { seen($0) }
  }

  private func misplaced(_ part: RulePart, _ reason: String) -> RecurrenceError {
    RecurrenceError(part: part.name, reason)
  }
}
