import Timeline

/// A time of a reminder that was answered: done this time.
public struct ReminderAnswer: Hashable, Sendable {
  /// The time that was answered; of what was told of a place or a signal, when it was answered.
  public let due: Timestamp
  /// When it was answered.
  public let at: Timestamp

  /// Makes one.
  public init(due: Timestamp, at: Timestamp) {
    self.due = due
    self.at = at
  }
}

/// As `{"due": "2026-12-01T18:00:00Z", "at": "2026-11-28T09:12:40.5Z"}`.
extension ReminderAnswer: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case due, at
  }

  /// The keys that it has.
  public static let keys = Key.allCases.map(\.rawValue)

  /// Reads a stored one.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    due = try container.decode(InstantText.self, forKey: .due).instant
    at = try container.decode(InstantText.self, forKey: .at).instant
  }

  /// Writes it, instants as in RFC 3339.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(InstantText(due), forKey: .due)
    try container.encode(InstantText(at), forKey: .at)
  }
}
