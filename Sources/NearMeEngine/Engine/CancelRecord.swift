import Timeline

/// Something that was under way and came to nothing: an arrival that did not hold, or a post-arrival
/// that is not due any more.
///
/// Nothing was announced and nothing was a transition; this line says why.
public struct CancelRecord: Hashable, Sendable {
  /// When.
  public let at: Timestamp
  /// The id of the reminder.
  public let reminder: String
  /// Arrival, or what comes after it.
  public let tier: Tier
  /// Which point of a category, by source id; nil for places, and where it is not known.
  public let poi: String?
  /// Why.
  public let reason: Reason

  /// Makes a record.
  public init(at: Timestamp, reminder: String, tier: Tier, poi: String?, reason: Reason) {
    self.at = at
    self.reminder = reminder
    self.tier = tier
    self.poi = poi
    self.reason = reason
  }

  init(_ fact: Fact, _ reason: Reason) {
    self.init(
      at: fact.at,
      reminder: fact.key.reminder,
      tier: fact.key.step.tier ?? .arrival,
      poi: fact.spot?.poi,
      reason: reason
    )
  }

  /// Why it came to nothing.
  ///
  /// The names are part of the output.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The person left before it was due.
    case left
    /// The reminder is done.
    case completed
    /// The reminder, or its place, was deleted.
    case deleted
    /// The reminder was muted.
    case muted
    /// The reminder or its place was edited.
    case edited
    /// The arrival was told late, as the question that was to come.
    case asked
    /// The reminder was to speak once, and has, or its days are over.
    case ended

    /// For people.
    package var sentence: String {
      switch self {
      case .left: "one had left before it was due"
      case .completed: "it was done"
      case .deleted: "it was deleted"
      case .muted: "it was muted"
      case .edited: "it was changed"
      case .asked: "it was asked as the arrival was told"
      case .ended: "the reminder has ended"
      }
    }
  }
}
