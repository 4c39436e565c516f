import Places
import Timeline

/// Reminders as states and journals keep them, with the words of the reminders file.
extension Reminder: Codable {
  private enum Key: String, CodingKey {
    case id, title, notes, category, place, status, muted, tiers, priority, window
    case snoozedUntil = "snoozed_until"
    /// Only in states of format 1.
    case target
  }

  private static let nextArrival = "next_arrival"

  /// Reads a stored reminder, also one of a state of format 1.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if container.contains(.target) {
      self = try FirstFormatReminder(from: decoder).reminder
      return
    }
    let target: Target
    switch (
      try container.decodeIfPresent(CategoryID.self, forKey: .category),
      try container.decodeIfPresent(String.self, forKey: .place)
    ) {
    case (let category?, nil): target = .category(category)
    case (nil, let place?): target = .place(place)
    default:
      throw DecodingError.dataCorruptedError(
        forKey: .category,
        in: container,
        debugDescription: "a reminder needs exactly one of category and place"
      )
    }
    var snooze: Snooze?
    if container.contains(.snoozedUntil) {
      let isNextArrival =
        try? container.decode(String.self, forKey: .snoozedUntil) == Self.nextArrival
      snooze =
        isNextArrival == true
        ? .untilNextArrival
        : .until(try container.decode(InstantText.self, forKey: .snoozedUntil).instant)
    }
    self.init(
      id: try container.decode(String.self, forKey: .id),
      title: try container.decode(String.self, forKey: .title),
      notes: try container.decodeIfPresent(String.self, forKey: .notes),
      target: target,
      status: try container.decode(Status.self, forKey: .status),
      isMuted: try container.decodeIfPresent(Bool.self, forKey: .muted) ?? false,
      snooze: snooze,
      tiers: try container.decodeIfPresent([Tier].self, forKey: .tiers),
      priority: try container.decodeIfPresent(Int.self, forKey: .priority) ?? 0,
      window: try container.decodeIfPresent(WeeklyWindow.self, forKey: .window)
    )
  }

  /// Writes a reminder to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(id, forKey: .id)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(notes, forKey: .notes)
    switch target {
    case .category(let category): try container.encode(category, forKey: .category)
    case .place(let place): try container.encode(place, forKey: .place)
    }
    try container.encode(status, forKey: .status)
    if isMuted { try container.encode(true, forKey: .muted) }
    switch snooze {
    case .until(let end): try container.encode(InstantText(end), forKey: .snoozedUntil)
    case .untilNextArrival: try container.encode(Self.nextArrival, forKey: .snoozedUntil)
    case nil: break
    }
    try container.encodeIfPresent(tiers, forKey: .tiers)
    if priority != 0 { try container.encode(priority, forKey: .priority) }
    try container.encodeIfPresent(window, forKey: .window)
  }
}

/// A reminder as states of format 1 have it.
private struct FirstFormatReminder: Decodable {
  enum Target: Decodable {
    case category(CategoryID)
    case place(String)
  }

  enum Snooze: Decodable {
    case until(Timestamp)
    case untilNextArrival
  }

  let id: String
  let title: String
  let notes: String?
  let target: Target
  let status: Reminder.Status
  let isMuted: Bool
  let snooze: Snooze?
  let tiers: [Tier]?

  var reminder: Reminder {
    let target: Reminder.Target =
      switch target {
      case .category(let category): .category(category)
      case .place(let place): .place(place)
      }
    let snooze: Reminder.Snooze? =
      switch snooze {
      case .until(let end): .until(end)
      case .untilNextArrival: .untilNextArrival
      case nil: nil
      }
    return Reminder(
      id: id,
      title: title,
      notes: notes,
      target: target,
      status: status,
      isMuted: isMuted,
      snooze: snooze,
      tiers: tiers
    )
  }
}
