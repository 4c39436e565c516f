import Timeline

/// A reason to speak: something that happens at an instant.
///
/// A trigger is an edge, a ``Condition`` is a level.
///
/// ```swift
/// let reasons: [Trigger] = [
///   .place(.category(CategoryID("grocery"))),
///   .leave(.place("home")),
///   .signal("charging", to: "unplugged"),
/// ]
/// ```
public enum Trigger: Hashable, Sendable {
  /// A place or the nearest of a category comes near, in tiers; nil takes the policy's for the target.
  case place(Reminder.Target, tiers: [Tier]? = nil)
  /// A time comes, once or again and again.
  case schedule(Schedule)
  /// A place, or any of a category, is left after the person had arrived there.
  case leave(Reminder.Target)
  /// The phone says something, such as `unlock`; with levels, that one of them begins, such as from
  /// `unplugged` to `charging`.
  case signal(String, from: String? = nil, to: String? = nil)

  /// It without what rings before its times: the same reason to speak.
  var withoutLeads: Trigger {
    if case .schedule(let schedule) = self { .schedule(schedule.withoutLeads) } else { self }
  }

  /// Whether another one is the same reason to speak: whatever rings before its times, and of a series whatever ends it, is
  /// added or left out.
  func isSameReason(as other: Trigger) -> Bool {
    guard case .schedule(let schedule) = self, case .schedule(let otherSchedule) = other else {
      return self == other
    }
    return schedule.withoutLeads == otherSchedule.withoutLeads
      || schedule.series.map { $0 == otherSchedule.series } ?? false
  }

  /// The place or category that it is about; nil for all else.
  public var target: Reminder.Target? {
    switch self {
    case .place(let target, _), .leave(let target): target
    case .schedule, .signal: nil
    }
  }
}

/// Something the phone says at an instant, such as that it was unlocked.
///
/// ```swift
/// effects += engine.handle(
///   Event(at: now, .signal(Signal(name: "charging", id: "7", level: "charging")))
/// )
/// ```
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
  /// A time came, or was so far ahead.
  case schedule(Timestamp, lead: Milliseconds = .seconds(0))
  /// A place was left.
  case leave
  /// The phone said something, by name.
  case signal(String)

  /// The tier; nil where no place is meant.
  public var tier: Tier? { if case .tier(let tier) = self { tier } else { nil } }

  /// Whether it comes before its time, to say that it will come.
  package var isAhead: Bool {
    if case .schedule(_, let lead) = self { lead.value > 0 } else { false }
  }

  /// The name in files and output: the tier's, `schedule:2026-03-02T07:00:00Z`, ten minutes before it
  /// `schedule:2026-03-02T07:00:00Z-10m`, `leave`, `signal:unlock`.
  public var name: String {
    switch self {
    case .tier(let tier): tier.name
    case .schedule(let instant, let lead):
      "schedule:" + RFC3339.format(instant) + (lead.value == 0 ? "" : "-\(lead.name)")
    case .leave: "leave"
    case .signal(let name): "signal:" + name
    }
  }

  /// Reads a name.
  public init?(_ name: String) {
    if name.hasPrefix("schedule:") {
      let parts = name.dropFirst("schedule:".count)
        .split(separator: "Z-", maxSplits: 1, omittingEmptySubsequences: false)
      let instant = RFC3339.parse(String(parts[0]) + (parts.count == 2 ? "Z" : ""))
      let lead = parts.count == 2 ? Milliseconds(String(parts[1])) : .seconds(0)
      guard let instant, let lead else { return nil }
      self = .schedule(instant, lead: lead)
    } else if name == "leave" {
      self = .leave
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
    case .leave: .leave
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
        debugDescription: "\"\(name)\" is no tier, schedule, leave or signal"
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
