import Places
import Recurrence
import Timeline

/// Reminders in the one form in which they are stored: that of the reminders file.
///
/// A single place or category is written short, as `target` and `tiers`; so is a single window. All else
/// stands under `triggers` and `conditions`.
extension Reminder: Codable {
  private enum Key: String, CodingKey {
    case id, title, notes, target, tiers, triggers, window, conditions, status, muted, priority
    case persistence, nag, expires, tone, fallback
    case snoozedUntil = "snoozed_until"
    /// Only before states of format 3.
    case category, place
    /// Only in states of format 1.
    case isMuted
  }

  private static let nextArrival = "next_arrival"

  /// Reads a stored reminder, also one of an earlier format.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if container.contains(.isMuted) {
      self = try FirstFormatReminder(from: decoder).reminder
      return
    }
    var conditions = try container.decodeIfPresent([Condition].self, forKey: .conditions) ?? []
    if let window = try container.decodeIfPresent(WeeklyWindow.self, forKey: .window) {
      conditions.append(.window(window))
    }
    self.init(
      id: try container.decode(String.self, forKey: .id),
      title: try container.decode(String.self, forKey: .title),
      notes: try container.decodeIfPresent(String.self, forKey: .notes),
      triggers: try Self.triggers(container),
      conditions: conditions,
      status: try container.decodeIfPresent(Status.self, forKey: .status) ?? .active,
      isMuted: try container.decodeIfPresent(Bool.self, forKey: .muted) ?? false,
      snooze: try Self.snooze(container),
      priority: try container.decodeIfPresent(Int.self, forKey: .priority) ?? 0,
      persistence: try container.word(Persistence.self, .persistence),
      nag: try container.decodeIfPresent(Nag.self, forKey: .nag),
      expires: try container.decodeIfPresent(WrittenTime.self, forKey: .expires),
      tone: try container.decodeIfPresent(String.self, forKey: .tone),
      fallbackMinute: try container.decodeIfPresent(StoredFallback.self, forKey: .fallback)?.minute
    )
  }

  private static func triggers(_ container: KeyedDecodingContainer<Key>) throws -> [Trigger] {
    var triggers = try container.decodeIfPresent([Trigger].self, forKey: .triggers) ?? []
    let targets = [
      try container.decodeIfPresent(Target.self, forKey: .target),
      try container.decodeIfPresent(CategoryID.self, forKey: .category).map { .category($0) },
      try container.decodeIfPresent(String.self, forKey: .place).map { .place($0) },
    ]
    .compactMap { $0 }
    // None is written as an empty list: a word that is missing is a mistake.
    guard targets.count <= 1, !targets.isEmpty || container.contains(.triggers) else {
      throw DecodingError.dataCorruptedError(
        forKey: .target,
        in: container,
        debugDescription: "a reminder needs one target, or triggers"
      )
    }
    if let target = targets.first {
      let tiers = try container.decodeIfPresent([Tier].self, forKey: .tiers)
      triggers.insert(.place(target, tiers: tiers), at: 0)
    }
    return triggers
  }

  private static func snooze(_ container: KeyedDecodingContainer<Key>) throws -> Snooze? {
    guard container.contains(.snoozedUntil) else { return nil }
    if let text = try? container.decode(String.self, forKey: .snoozedUntil), text == nextArrival {
      return .untilNextArrival
    }
    return .until(try container.decode(InstantText.self, forKey: .snoozedUntil).instant)
  }

  /// Writes a reminder to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(id, forKey: .id)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(notes, forKey: .notes)
    if triggers.count == 1, case .place(let target, let tiers) = triggers[0] {
      try container.encode(target, forKey: .target)
      try container.encodeIfPresent(tiers, forKey: .tiers)
    } else {
      try container.encode(triggers, forKey: .triggers)
    }
    if conditions.count == 1, case .window(let window) = conditions[0] {
      try container.encode(window, forKey: .window)
    } else if !conditions.isEmpty {
      try container.encode(conditions, forKey: .conditions)
    }
    try container.encode(status, forKey: .status)
    if isMuted { try container.encode(true, forKey: .muted) }
    switch snooze {
    case .until(let end): try container.encode(InstantText(end), forKey: .snoozedUntil)
    case .untilNextArrival: try container.encode(Self.nextArrival, forKey: .snoozedUntil)
    case nil: break
    }
    if priority != 0 { try container.encode(priority, forKey: .priority) }
    try container.encodeIfPresent(persistence, forKey: .persistence)
    try container.encodeIfPresent(nag, forKey: .nag)
    try container.encodeIfPresent(expires, forKey: .expires)
    try container.encodeIfPresent(tone, forKey: .tone)
    try container.encodeIfPresent(fallbackMinute.map(StoredFallback.init), forKey: .fallback)
  }
}

/// When a reminder speaks while the position is unknown, as `{"at": "18:00"}`.
private struct StoredFallback: Codable {
  private enum Key: String, CodingKey {
    case at
  }

  let minute: Int

  init(minute: Int) { self.minute = minute }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    minute = try container.minuteOfDay(.at, such: "18:00")
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(WeeklyWindow.text(ofMinute: minute), forKey: .at)
  }
}

extension KeyedDecodingContainer {
  /// A time of day such as `22:00`; midnight also as `24:00`.
  fileprivate func minuteOfDay(_ key: Key, such example: String) throws -> Int {
    let text = try decode(String.self, forKey: key)
    guard let minute = WeeklyWindow.minuteOfDay(text) else {
      throw DecodingError.dataCorruptedError(
        forKey: key,
        in: self,
        debugDescription: "\"\(text)\" is no time of day such as \(example)"
      )
    }
    return minute % WeeklyWindow.minutesOfDay
  }
}

/// How often a reminder repeats itself, as `{"every": "10m", "at_most": 5, "until": "22:00"}`.
extension Reminder.Nag: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case every, until
    case atMost = "at_most"
  }

  /// The keys that it may have.
  public static let keys = Key.allCases.map(\.rawValue)

  /// Reads a stored one.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let text = try container.decode(String.self, forKey: .every)
    guard let every = Milliseconds(text), every.value > 0 else {
      throw DecodingError.dataCorruptedError(
        forKey: .every,
        in: container,
        debugDescription: "\"\(text)\" is no span such as 10m"
      )
    }
    self.init(every: every)
    if let count = try container.decodeIfPresent(Int.self, forKey: .atMost) { atMost = count }
    if container.contains(.until) {
      untilMinute = try container.minuteOfDay(.until, such: "22:00")
    }
  }

  /// Writes one to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(every.name, forKey: .every)
    try container.encode(atMost, forKey: .atMost)
    try container.encodeIfPresent(untilMinute.map(WeeklyWindow.text), forKey: .until)
  }
}

extension Reminder.Target: Codable {
  private enum Key: String, CodingKey {
    case category, place
  }

  /// Reads `{"category": …}` or `{"place": …}`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    switch (
      try container.decodeIfPresent(CategoryID.self, forKey: .category),
      try container.decodeIfPresent(String.self, forKey: .place)
    ) {
    case (let category?, nil): self = .category(category)
    case (nil, let place?): self = .place(place)
    default:
      throw DecodingError.dataCorruptedError(
        forKey: .category,
        in: container,
        debugDescription: "a target is exactly one of category and place"
      )
    }
  }

  /// Writes a target to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .category(let category): try container.encode(category, forKey: .category)
    case .place(let place): try container.encode(place, forKey: .place)
    }
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
