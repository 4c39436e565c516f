import Timeline

/// How lists of reminders are sorted.
public enum SortOrder: String, Hashable, Sendable, CaseIterable {
  /// What speaks next comes first, what waits for no time last.
  case nextTrigger = "next_trigger"
  /// What was made last comes first.
  case mostRecent = "most_recent"

  /// What a list is sorted by.
  public struct Key: Hashable, Sendable {
    /// The id, which decides between equals.
    public let id: String
    /// When it was made.
    public let madeAt: Timestamp
    /// When it speaks next, a snooze included; nil if no time is known.
    public let nextAt: Timestamp?

    /// Makes a key.
    public init(id: String, madeAt: Timestamp, nextAt: Timestamp?) {
      self.id = id
      self.madeAt = madeAt
      self.nextAt = nextAt
    }
  }

  /// Whether one reminder comes before another: an order without ties.
  public func areInOrder(_ a: Key, _ b: Key) -> Bool {
    switch self {
    case .nextTrigger:
      let last = Timestamp(milliseconds: .max)
      return (a.nextAt ?? last, a.madeAt, a.id) < (b.nextAt ?? last, b.madeAt, b.id)
    case .mostRecent:
      return a.madeAt == b.madeAt ? a.id < b.id : a.madeAt > b.madeAt
    }
  }
}
