import Timeline

/// Tells days as spreadsheets count them from seconds since 1970, where a column of times has bare numbers.
///
/// Days of 1954 to 2064 would be hours of the first of January 1970. Which they are, the first two different
/// numbers tell: counts of seconds are further apart than ``mostApart``, fixes of a trace are closer in days.
struct SpreadsheetDays {
  enum Unit { case days, seconds }

  /// What the numbers count; nil while it is not known.
  private(set) var unit: Unit?
  private var first: Double?

  /// What days of our time are.
  static let range = 20_000.0..<60_000.0
  /// As days an hour and some minutes, as seconds the pace of no receiver.
  private static let mostApart = 0.045

  /// Notes the next time; nil for an instant that is no bare number.
  mutating func note(_ number: Double?) {
    guard unit == nil else { return }
    guard let number, Self.range.contains(number) else {
      unit = .seconds
      return
    }
    guard let first else {
      self.first = number
      return
    }
    if number != first { unit = abs(number - first) < Self.mostApart ? .days : .seconds }
  }

  /// Decides without any more of them: whole numbers are rather seconds.
  mutating func decide() {
    guard unit == nil else { return }
    unit = first.map { $0 != $0.rounded() } ?? false ? .days : .seconds
  }

  /// The instant of a count of days.
  ///
  /// - Source: days are counted from 1899-12-30, which lies 25,569 before 1970-01-01.
  static func instant(_ days: Double) -> Timestamp {
    Timestamp(milliseconds: Int64(((days - 25_569) * 86_400_000).rounded()))
  }
}
