import Places
import Timeline

/// What must be so for a reminder to speak; a level, where a ``Trigger`` is an edge.
///
/// ```swift
/// let onlineAtHome = Condition.all([
///   .inside(.place("home")), .signal("connectivity", is: "online"),
/// ])
/// ```
public indirect enum Condition: Hashable, Sendable {
  /// It is one of the hours of a week in which the reminder may speak.
  case window(WeeklyWindow)
  /// It is one of the days from one date to another, both included; nil is without an end.
  case dates(from: CivilDate?, until: CivilDate?)
  /// One is at a place, or at any of a category.
  case inside(Reminder.Target)
  /// One is not there.
  case outside(Reminder.Target)
  /// A signal of the phone is at a level, such as `connectivity` at `online`.
  ///
  /// `true` is every level but those that say no, such as `unplugged`, and `false` is those; a signal
  /// that was never heard says no.
  case signal(String, is: String)
  /// What a condition says has been so for a time: being at a place, or a signal's level.
  case lasting(Condition, for: Milliseconds)
  /// All of them hold.
  case all([Condition])
  /// One of them holds at least.
  case any([Condition])
  /// It does not hold.
  case not(Condition)

  /// Whether its duration is known, so that it may be asked to last.
  var canLast: Bool {
    switch self {
    case .inside, .signal: true
    default: false
    }
  }

  /// What is wrong with it, as a sentence; nil if nothing is.
  public var fault: String? {
    switch self {
    case .dates(nil, nil): return "\"dates\" needs from, until, or both"
    case .dates(let from, let until)
    where [from, until].contains(where: { $0?.canBeRead == false }):
      return "\"dates\" name a day that there is not"
    case .dates(let from?, let until?) where until.daysSinceEpoch < from.daysSinceEpoch:
      return "\"dates\" end before they begin"
    case .lasting(let level, let span):
      if !level.canLast { return "only \"inside\" and \"signal\" can be asked to last: \"for\"" }
      guard span.value > 0 else { return "\"for\" is longer than nothing" }
      return Milliseconds(span.name) == nil ? "\"for\" is 10 years at most" : level.fault
    case .all(let parts), .any(let parts):
      return parts.isEmpty
        ? "\"all\" and \"any\" need a condition" : parts.lazy.compactMap(\.fault).first
    case .not(let part): return part.fault
    default: return nil
    }
  }

  /// The same of places that have other ids, by the ids that they have had.
  fileprivate func renamingPlaces(_ ids: [String: String]) -> Condition {
    switch self {
    case .inside(let target): .inside(target.renamingPlaces(ids))
    case .outside(let target): .outside(target.renamingPlaces(ids))
    case .lasting(let part, let span): .lasting(part.renamingPlaces(ids), for: span)
    case .not(let part): .not(part.renamingPlaces(ids))
    case .all(let parts): .all(parts.map { $0.renamingPlaces(ids) })
    case .any(let parts): .any(parts.map { $0.renamingPlaces(ids) })
    default: self
    }
  }

  /// Its places and categories, in order.
  fileprivate var targets: [Reminder.Target] {
    switch self {
    case .inside(let target), .outside(let target): [target]
    case .lasting(let part, _), .not(let part): part.targets
    case .all(let parts), .any(let parts): parts.flatMap(\.targets)
    case .window, .dates, .signal: []
    }
  }

  /// The signals whose levels it asks for, in order.
  fileprivate var signals: [String] {
    switch self {
    case .signal(let name, _): [name]
    case .lasting(let part, _), .not(let part): part.signals
    case .all(let parts), .any(let parts): parts.flatMap(\.signals)
    case .window, .dates, .inside, .outside: []
    }
  }
}

extension Reminder {
  /// The categories that its triggers and conditions name.
  package var categories: [CategoryID] {
    (triggers.compactMap(\.target) + conditions.targets)
      .compactMap { if case .category(let category) = $0 { category } else { nil } }
  }

  /// The signals that its triggers and conditions name.
  package var signals: [String] {
    triggers.compactMap { if case .signal(let name, _, _) = $0 { name } else { nil } }
      + conditions.signals
  }
}

extension [Condition] {
  /// The places and categories that they ask about, each once, in order.
  package var targets: [Reminder.Target] {
    var targets: [Reminder.Target] = []
    for target in flatMap(\.targets) where !targets.contains(target) { targets.append(target) }
    return targets
  }

  /// The signals whose levels they ask for.
  var signals: [String] { flatMap(\.signals) }

  /// When the days are over on which all of them can hold; nil if never.
  func end(in zone: UTCOffsetTable) -> Timestamp? {
    var end: Timestamp?
    for case .dates(_, let until?) in self {
      end = earliest(end, zone.endOfDay(until))
    }
    return end
  }
}

extension Signal {
  /// The levels that say no.
  static let levelsOfNo = [
    "off", "no", "false", "none", "unplugged", "discharging", "disconnected", "offline", "unknown",
  ]

  /// Whether a signal cannot be at both of two levels, as conditions name them.
  static func exclude(_ one: String, _ other: String) -> Bool {
    /// What a word for many levels says; nil for a level's own name.
    func saysYes(_ word: String) -> Bool? {
      switch word {
      case "true": true
      case "false": false
      default: nil
      }
    }
    return switch (saysYes(one), saysYes(other)) {
    case (nil, nil): one != other
    case (let yes?, nil): saysNo(other) == yes
    case (nil, let yes?): saysNo(one) == yes
    case (let a?, let b?): a != b
    }
  }

  /// The signal of an app that was opened: its level is the system's token for the app, and each one a moment.
  public static let appOpened = "app_opened"

  /// Whether a level says no; one that was never heard does.
  static func saysNo(_ level: String?) -> Bool { level.map(levelsOfNo.contains) ?? true }
}

extension Reminder {
  /// The same reminder of places that have other ids; a trigger or a condition of a new kind that names places gets a case
  /// here and above.
  ///
  /// - Parameter ids: the new ids, by those that they have had; all at once, so that two places may change theirs.
  package func renamingPlaces(_ ids: [String: String]) -> Reminder {
    var renamed = self
    renamed.triggers = triggers.map { trigger in
      switch trigger {
      case .place(let target, let tiers): .place(target.renamingPlaces(ids), tiers: tiers)
      case .leave(let target): .leave(target.renamingPlaces(ids))
      default: trigger
      }
    }
    renamed.conditions = conditions.map { $0.renamingPlaces(ids) }
    return renamed
  }
}

extension Reminder.Target {
  fileprivate func renamingPlaces(_ ids: [String: String]) -> Reminder.Target {
    guard case .place(let id) = self else { return self }
    return .place(ids[id] ?? id)
  }
}
