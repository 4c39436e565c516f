import Places
import Timeline

/// Triggers with the words of the reminders file: `{"category": …, "tiers": […]}`, `{"place": …}`,
/// `{"schedule": {"start": …}}`, `{"signal": …}`.
extension Trigger: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case tiers, schedule, signal
  }

  /// The keys that a stored trigger may have.
  public static let keys = ["category", "place"] + Key.allCases.map(\.rawValue)

  /// Reads a stored trigger.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if container.contains(.schedule) {
      self = .schedule(try container.decode(Schedule.self, forKey: .schedule))
    } else if container.contains(.signal) {
      self = .signal(try container.decode(String.self, forKey: .signal))
    } else {
      self = .place(
        try Reminder.Target(from: decoder),
        tiers: try container.decodeIfPresent([Tier].self, forKey: .tiers)
      )
    }
  }

  /// Writes a trigger to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .place(let target, let tiers):
      try target.encode(to: encoder)
      try container.encodeIfPresent(tiers, forKey: .tiers)
    case .schedule(let schedule): try container.encode(schedule, forKey: .schedule)
    case .signal(let name): try container.encode(name, forKey: .signal)
    }
  }
}

/// A schedule as `{"start": "2026-03-02T07:00"}`, or with an offset for an instant.
extension Schedule: Codable {
  private enum Key: String, CodingKey {
    case start
  }

  /// Reads a stored schedule.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let text = try container.decode(String.self, forKey: .start)
    guard let schedule = Schedule(text) else {
      throw DecodingError.dataCorruptedError(
        forKey: .start,
        in: container,
        debugDescription: "\"\(text)\" is no time such as 2026-03-02T07:00 or 2026-03-02T07:00:00Z"
      )
    }
    self = schedule
  }

  /// Writes a schedule to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(text, forKey: .start)
  }

  /// Reads `2026-03-02T07:00`, or an instant such as `2026-03-02T07:00:00+01:00`.
  public init?(_ text: String) {
    // The reader of instants takes one without an offset for UTC; here it is the phone's own time.
    if text.count == 16, let instant = RFC3339.parse(text + ":00Z") {
      let (date, minute) = UTCOffsetTable.utc.local(at: instant)
      self = .local(date, minuteOfDay: minute)
      return
    }
    guard text.dropFirst(16).contains(where: { "Zz+-".contains($0) }),
      let instant = RFC3339.parse(text)
    else { return nil }
    self = .instant(instant)
  }

  /// As ``init(_:)`` reads it.
  public var text: String {
    switch self {
    case .instant(let instant): RFC3339.format(instant)
    case .local(let date, let minute):
      String(
        RFC3339.format(UTCOffsetTable.utc.instant(of: date, minuteOfDay: minute)).prefix(16)
      )
    }
  }
}

/// Conditions with the words of the reminders file: `{"window": {…}}`.
extension Condition: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case window
  }

  /// The keys that a stored condition may have.
  public static let keys = Key.allCases.map(\.rawValue)

  /// Reads a stored condition.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self = .window(try container.decode(WeeklyWindow.self, forKey: .window))
  }

  /// Writes a condition to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .window(let window): try container.encode(window, forKey: .window)
    }
  }
}
