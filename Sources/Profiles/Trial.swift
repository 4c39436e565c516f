import Timeline

/// What a product lets people try, and for how long.
public struct TrialTerms: Hashable, Sendable {
  /// It ends so many days after it began, at the same time of day; nil for no end by time.
  public let days: Int?
  /// It ends with so many reminders, if that comes first; nil for no end by use.
  public let usage: Usage?
  /// How it begins.
  public let start: Start
  /// Whether it becomes a subscription unless it is canceled.
  public let renews: Bool

  /// Makes terms.
  public init(days: Int?, usage: Usage? = nil, start: Start, renews: Bool = false) {
    precondition(days.map { $0 > 0 } ?? true, "a trial takes at least a day")
    self.days = days
    self.usage = usage
    self.start = start
    self.renews = renews
  }

  /// An end by use.
  public struct Usage: Hashable, Sendable {
    /// So many end it.
    public let limit: Int
    /// Which reminders count.
    public let counting: Counting

    /// Makes an end by use.
    public init(limit: Int, counting: Counting) {
      precondition(limit > 0, "a trial has room for a reminder")
      self.limit = limit
      self.counting = counting
    }

    /// How many of them there are.
    public func used(_ counts: Counts) -> Int {
      switch counting {
      case .open: counts.open
      case .created: counts.created
      }
    }
  }

  /// Which reminders an end by use counts.
  public enum Counting: String, Hashable, Sendable, CaseIterable {
    /// Those that are not done.
    case open
    /// All that were ever made.
    case created
  }

  /// How a trial begins.
  public enum Start: String, Hashable, Sendable, CaseIterable {
    /// With the account, by itself.
    case signup
    /// When the user has confirmed it in so many words.
    case confirmation
  }

  /// When time ends a trial that began at an instant.
  public func end(startedAt start: Timestamp, zone: UTCOffsetTable) -> Timestamp? {
    days.map { LocalDays.instant($0, after: start, in: zone) }
  }
}

/// A trial that an account has or had.
public struct TrialRecord: Hashable, Sendable {
  /// When it began.
  public let startedAt: Timestamp
  /// When it ended, and by what, written once; nil while it runs.
  public internal(set) var end: End?

  /// Makes a record.
  public init(startedAt: Timestamp, end: End? = nil) {
    self.startedAt = startedAt
    self.end = end
  }

  /// An end.
  public struct End: Hashable, Sendable {
    /// When.
    public let at: Timestamp
    /// By what.
    public let cause: TrialEnd

    /// Makes an end.
    public init(at: Timestamp, cause: TrialEnd) {
      self.at = at
      self.cause = cause
    }
  }
}

/// What ends a trial.
public enum TrialEnd: String, Hashable, Sendable, CaseIterable {
  /// Its days are over.
  case duration
  /// So many reminders were made.
  case usage
  /// The user ended it.
  case canceled
}

/// Where an account stands with its trial.
public enum TrialState: Hashable, Sendable {
  /// The product has none.
  case notOffered
  /// It has not begun.
  case available
  /// It runs.
  ///
  /// - `day`: dates since it began, 0 on the first.
  /// - `daysLeft`: dates until time ends it, 0 on the last; nil without such an end.
  /// - `usesLeft`: reminders until use ends it; nil without such an end.
  case running(day: Int, daysLeft: Int?, usesLeft: Int?)
  /// It is over.
  case ended(TrialRecord.End)

  /// Whether it runs.
  public var isRunning: Bool {
    if case .running = self { return true }
    return false
  }
}

extension TrialTerms {
  /// Where a trial stands at an instant; what was recorded as its end stays its end.
  public func state(
    of record: TrialRecord?,
    counts: Counts,
    at now: Timestamp,
    zone: UTCOffsetTable
  ) -> TrialState {
    guard let record else { return .available }
    if let end = record.end { return .ended(end) }
    let endsAt = end(startedAt: record.startedAt, zone: zone)
    if let endsAt, now >= endsAt { return .ended(.init(at: endsAt, cause: .duration)) }
    if let usage, usage.used(counts) >= usage.limit { return .ended(.init(at: now, cause: .usage)) }
    return .running(
      day: max(0, LocalDays.between(record.startedAt, and: now, in: zone)),
      daysLeft: endsAt.map { max(0, LocalDays.between(now, and: $0, in: zone)) },
      usesLeft: usage.map { $0.limit - $0.used(counts) }
    )
  }
}
