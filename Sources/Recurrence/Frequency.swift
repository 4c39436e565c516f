/// How long the period of a rule is.
public enum Frequency: Int, Hashable, Sendable, CaseIterable, Comparable {
  case secondly, minutely, hourly, daily, weekly, monthly, yearly

  /// The name in a rule, such as `DAILY`.
  public var name: String {
    switch self {
    case .secondly: "SECONDLY"
    case .minutely: "MINUTELY"
    case .hourly: "HOURLY"
    case .daily: "DAILY"
    case .weekly: "WEEKLY"
    case .monthly: "MONTHLY"
    case .yearly: "YEARLY"
    }
  }

  /// Whether it steps in elapsed time rather than on the calendar.
  public var isElapsed: Bool { self < .daily }

  /// Seconds of a period that is elapsed time, of a day for the others.
  var unitSeconds: Int {
    switch self {
    case .secondly: 1
    case .minutely: 60
    case .hourly: 3_600
    default: secondsInDay
    }
  }

  /// Orders from the shortest to the longest period.
  public static func < (a: Frequency, b: Frequency) -> Bool { a.rawValue < b.rawValue }
}

/// What becomes of a date that a month or a year does not have, such as 30 February (RFC 7529).
public enum SkipRule: String, Hashable, Sendable, CaseIterable {
  /// It is left out.
  case omit = "OMIT"
  /// The last day before it counts.
  case backward = "BACKWARD"
  /// The first day after it counts.
  case forward = "FORWARD"
}

/// What becomes of a local time that the clocks jump over.
public enum GapRule: String, Hashable, Sendable, CaseIterable {
  /// It comes as much later as the clocks jump (RFC 5545, section 3.3.5).
  case shift
  /// It is left out.
  case skip
}
