import Timeline

/// A reason to speak: something that happens at an instant.
///
/// A trigger is an edge, a ``Condition`` is a level.
public enum Trigger: Hashable, Sendable {
  /// A place or the nearest of a category comes near, in tiers; nil takes the policy's for the target.
  case place(Reminder.Target, tiers: [Tier]? = nil)
  /// A time comes, once.
  case schedule(Schedule)
  /// The phone says something, such as `unlock`.
  case signal(String)
}

/// When something is due, once.
public enum Schedule: Hashable, Sendable {
  /// At an instant, wherever the phone is.
  case instant(Timestamp)
  /// When the phone's clock shows a minute of a date.
  case local(CivilDate, minuteOfDay: Int)

  /// When it is due.
  ///
  /// - Returns: the first instant of that minute where clocks go back; where they jump over it, the end
  ///   of the jump.
  public func instant(in zone: UTCOffsetTable) -> Timestamp {
    switch self {
    case .instant(let instant): instant
    case .local(let date, let minute): zone.instant(of: date, minuteOfDay: minute)
    }
  }
}

/// What must be so for a reminder to speak.
public enum Condition: Hashable, Sendable {
  /// It is one of the hours of a week in which the reminder may speak.
  case window(WeeklyWindow)
}

/// Something the phone says at an instant, such as that it was unlocked.
public struct Signal: Hashable, Sendable, Codable {
  /// What it is: `unlock`, `charging`, or any other name.
  public let name: String
  /// Which happening it is: the same id twice is one happening.
  public let id: String
  /// What it is so from now on, such as `charging`; nil for what lasts no time.
  public let level: String?

  /// Makes a signal.
  public init(name: String, id: String, level: String? = nil) {
    self.name = name
    self.id = id
    self.level = level
  }
}

/// What a record or a line of a notification is about.
public enum Step: Hashable, Sendable {
  /// A tier of a place was reached.
  case tier(Tier)
  /// A time came.
  case schedule(Timestamp)
  /// The phone said something, by name.
  case signal(String)

  /// The tier; nil where no place is meant.
  public var tier: Tier? { if case .tier(let tier) = self { tier } else { nil } }

  /// The name in files and output: the tier's, `schedule:2026-03-02T07:00:00Z`, `signal:unlock`.
  public var name: String {
    switch self {
    case .tier(let tier): tier.name
    case .schedule(let instant): "schedule:" + RFC3339.format(instant)
    case .signal(let name): "signal:" + name
    }
  }

  /// Reads a name.
  public init?(_ name: String) {
    if name.hasPrefix("schedule:") {
      guard let instant = RFC3339.parse(String(name.dropFirst("schedule:".count))) else {
        return nil
      }
      self = .schedule(instant)
    } else if name.hasPrefix("signal:") {
      self = .signal(String(name.dropFirst("signal:".count)))
    } else {
      guard let tier = Tier(name) else { return nil }
      self = .tier(tier)
    }
  }

  /// The name under which steps of one sort are counted together: the tier's, `schedule`, `signal`.
  public var group: String { tier?.name ?? kind.rawValue }

  /// What it tells: the kind of notification that it makes.
  public var kind: NotificationKind {
    switch self {
    case .tier(let tier): tier.kind
    case .schedule: .scheduled
    case .signal: .signal
    }
  }
}

extension Step: Codable {
  /// Reads the bare name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    guard let step = Step(name) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "\"\(name)\" is no tier, schedule or signal"
      )
    }
    self = step
  }

  /// Writes the bare name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}
