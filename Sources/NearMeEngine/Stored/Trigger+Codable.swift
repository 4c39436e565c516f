import Places
import Timeline

/// Triggers with the words of the reminders file: `{"category": …, "tiers": […]}`, `{"place": …}`,
/// `{"leave": {"place": …}}`, `{"schedule": {"start": …}}`, `{"signal": …, "from": …, "to": …}`.
extension Trigger: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case tiers, leave, schedule, signal, from, to
  }

  /// The keys that a stored trigger may have.
  public static let keys = ["category", "place"] + Key.allCases.map(\.rawValue)

  /// Reads a stored trigger.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if container.contains(.schedule) {
      self = .schedule(try container.decode(Schedule.self, forKey: .schedule))
    } else if container.contains(.leave) {
      self = .leave(try container.decode(Reminder.Target.self, forKey: .leave))
    } else if container.contains(.signal) {
      self = .signal(
        try container.decode(String.self, forKey: .signal),
        from: try container.decodeIfPresent(String.self, forKey: .from),
        to: try container.decodeIfPresent(String.self, forKey: .to)
      )
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
    case .leave(let target): try container.encode(target, forKey: .leave)
    case .schedule(let schedule): try container.encode(schedule, forKey: .schedule)
    case .signal(let name, let from, let to):
      try container.encode(name, forKey: .signal)
      try container.encodeIfPresent(from, forKey: .from)
      try container.encodeIfPresent(to, forKey: .to)
    }
  }
}
