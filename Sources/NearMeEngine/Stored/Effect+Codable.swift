import Fencing
import Timeline

/// Effects as an outbox keeps them: one object each, instants in milliseconds as in the state; those of
/// records are as in their lines.
///
/// Written out by hand, for what is stored outlives the names of this source. A test pins every case.
extension Effect: Codable {
  private enum Key: String, CodingKey {
    case effect, change, until, from, every, notification, id, at, record, names, reminder
  }

  /// Reads a stored effect.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func notification() throws -> ReminderNotification {
      try container.decode(ReminderNotification.self, forKey: .notification)
    }
    let name = try container.decode(String.self, forKey: .effect)
    switch name {
    case "monitor": self = .monitor(try container.decode(RegionChange.self, forKey: .change))
    case "locate": self = .locate
    case "follow":
      self = .follow(until: try container.decodeIfPresent(Timestamp.self, forKey: .until))
    case "ease":
      self = .ease(
        from: try container.decode(Timestamp.self, forKey: .from),
        every: try container.decode(Milliseconds.self, forKey: .every)
      )
    case "post": self = .post(try notification())
    case "replace": self = .replace(try notification())
    case "withdraw": self = .withdraw(id: try container.decode(String.self, forKey: .id))
    case "schedule":
      self = .schedule(try notification(), at: try container.decode(Timestamp.self, forKey: .at))
    case "unschedule": self = .unschedule(id: try container.decode(String.self, forKey: .id))
    case "wake_at": self = .wakeAt(try container.decodeIfPresent(Timestamp.self, forKey: .at))
    case "listen": self = .listen(to: try container.decode([String].self, forKey: .names))
    case "archive": self = .archive(try container.decode(Reminder.self, forKey: .reminder))
    case "record": self = .record(try container.decode(Record.self, forKey: .record))
    default: throw container.unknown(name, .effect)
    }
  }

  /// Writes an effect to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    func name(_ name: String) throws { try container.encode(name, forKey: .effect) }
    switch self {
    case .monitor(let change):
      try name("monitor")
      try container.encode(change, forKey: .change)
    case .locate: try name("locate")
    case .follow(let until):
      try name("follow")
      try container.encodeIfPresent(until, forKey: .until)
    case .ease(let from, let every):
      try name("ease")
      try container.encode(from, forKey: .from)
      try container.encode(every, forKey: .every)
    case .post(let notification):
      try name("post")
      try container.encode(notification, forKey: .notification)
    case .replace(let notification):
      try name("replace")
      try container.encode(notification, forKey: .notification)
    case .withdraw(let id):
      try name("withdraw")
      try container.encode(id, forKey: .id)
    case .schedule(let notification, let instant):
      try name("schedule")
      try container.encode(notification, forKey: .notification)
      try container.encode(instant, forKey: .at)
    case .unschedule(let id):
      try name("unschedule")
      try container.encode(id, forKey: .id)
    case .wakeAt(let instant):
      try name("wake_at")
      try container.encodeIfPresent(instant, forKey: .at)
    case .listen(let names):
      try name("listen")
      try container.encode(names, forKey: .names)
    case .archive(let reminder):
      try name("archive")
      try container.encode(reminder, forKey: .reminder)
    case .record(let record):
      try name("record")
      try container.encode(record, forKey: .record)
    }
  }
}
