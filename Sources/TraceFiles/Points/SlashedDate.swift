/// Which of the numbers of a date comes first, where the year is last and signs other than points part them, or it has two digits.
package enum DateOrder: String, Hashable, Sendable, CaseIterable {
  /// `11/30/2026`, as in the United States.
  case monthFirst = "mdy"
  /// `30/11/2026`.
  case dayFirst = "dmy"

  /// What the numbers are, as words.
  var words: String { self == .monthFirst ? "month/day/year" : "day/month/year" }
}

/// A date such as `11/30/2026` or `30-11-2026`, or with a year of two digits, perhaps with a time of the day behind it.
struct SlashedDate {
  private let first: Int
  private let second: Int
  private let year: Int
  /// Whether the year has two digits: then it may as well stand first, and nothing but a person says what the numbers are.
  private let isShort: Bool
  /// What stands behind the date, without blanks at its beginning.
  private let rest: ArraySlice<UInt8>

  /// Reads one; nil for a text that begins with no such date, and for numbers that are one in no order.
  init?(_ text: some Collection<UInt8>) {
    var left = Array(text.prefix(64)).drop { $0 <= 0x20 }
    func number(_ digits: ClosedRange<Int>) -> Int? {
      let text = left.prefix { $0 &- 0x30 <= 9 }
      guard digits.contains(text.count) else { return nil }
      left = left.dropFirst(text.count)
      return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    guard let first = number(1...2), let sign = left.popFirst(), "/-.".utf8.contains(sign),
      let second = number(1...2), left.popFirst() == sign
    else { return nil }
    let years = left.prefix { $0 &- 0x30 <= 9 }.count
    // With points and four digits it is no question which is the month.
    guard years == 2 || years == 4 && sign != UInt8(ascii: "."), let year = number(2...4) else {
      return nil
    }
    guard (1...31).contains(first), (1...31).contains(second), min(first, second) <= 12 else {
      return nil
    }
    // JavaScript writes a comma before the time.
    if left.first == UInt8(ascii: ",") { left = left.dropFirst() }
    guard left.first.map({ $0 <= 0x20 || $0 | 0x20 == UInt8(ascii: "t") }) ?? true else {
      return nil
    }
    (self.first, self.second) = (first, second)
    isShort = years == 2
    // As those of digits alone.
    self.year = years == 4 ? year : (year < 80 ? 2_000 : 1_900) + year
    rest = left.drop { $0 <= 0x20 || $0 | 0x20 == UInt8(ascii: "t") }
  }

  /// The only order in which it is a date; nil where it is one in both.
  var onlyOrder: DateOrder? {
    if first > 12 { return .dayFirst }
    return second > 12 ? .monthFirst : nil
  }

  /// The order that it tells of the others beside it; nil for none.
  var orderOfOthers: DateOrder? { isShort ? nil : onlyOrder }

  /// The same as `yyyy-mm-dd` and what stands behind it; a date that there is not for what is none in that order.
  func written(_ order: DateOrder) -> [UInt8] {
    let (month, day) = order == .monthFirst ? (first, second) : (second, first)
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    let years = String(repeating: "0", count: 4 - String(year).count) + String(year)
    return Array("\(years)-\(two(month))-\(two(day)) ".utf8) + rest
  }

  /// Tells the order of the dates of a table by the first one that is a date in one order only.
  struct Watch {
    /// The order; nil where it is not known, or no question.
    private(set) var order: DateOrder?
    /// Whether a date told it.
    private(set) var isFound = false
    /// Whether no more dates are needed.
    private(set) var isDecided: Bool

    /// - Parameter order: what somebody says that it is.
    init(_ order: DateOrder?) {
      self.order = order
      isDecided = order != nil
    }

    /// Notes the next date.
    mutating func note(_ text: some Collection<UInt8>) {
      // A row of units says nothing.
      guard !isDecided, text.contains(where: { $0 &- 0x30 <= 9 }) else { return }
      guard let date = SlashedDate(text) else {
        isDecided = true
        return
      }
      order = date.orderOfOthers
      isFound = order != nil
      isDecided = isFound
    }

    /// Decides without any more of them.
    mutating func decide() { isDecided = true }
  }
}
