import Places
import Recurrence
import Timeline

/// Something to be done, and where.
///
/// ```swift
/// let meds = Reminder(
///   id: "meds",
///   title: "pick up the prescription",
///   target: .category(CategoryID("pharmacy"))
/// )
/// let trash = Reminder(
///   id: "trash",
///   title: "take out the trash",
///   triggers: [.place(.place("home"), tiers: [.arrival])],
///   conditions: [.dates(from: CivilDate(year: 2026, month: 3, day: 3), until: nil)]
/// )
/// ```
public struct Reminder: Hashable, Sendable {
  /// What it aims at.
  public enum Target: Hashable, Sendable {
    /// The nearest of a category.
    case category(CategoryID)
    /// One of the user's own places, by id.
    case place(String)
  }

  /// Whether it is done.
  public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
    /// To be done.
    case active
    /// Done: never speaks again.
    case completed
    /// It was to speak once, and has.
    case fired
    /// The days on which it could speak are over.
    case expired

    /// Whether it never speaks again, unless it is reopened.
    public var isOver: Bool { self == .completed || self == .expired }
  }

  /// What ends it.
  public enum Persistence: String, Hashable, Sendable, Codable, CaseIterable {
    /// It speaks once.
    case once
    /// It goes on until it is done.
    case untilCompleted = "until_completed"
    /// Being done answers what has come; the next time comes again.
    case perOccurrence = "per_occurrence"
  }

  /// How often it repeats what is not answered.
  public struct Nag: Hashable, Sendable {
    /// How long after it was told.
    public var every: Milliseconds
    /// So many times at most.
    public var atMost: Int
    /// Until what minute of the day; nil: at any.
    public var untilMinute: Int?

    /// Makes one.
    public init(every: Milliseconds, atMost: Int = 10, untilMinute: Int? = nil) {
      self.every = every
      self.atMost = atMost
      self.untilMinute = untilMinute
    }
  }

  /// How long it keeps silent at the user's wish.
  public enum Snooze: Hashable, Sendable {
    /// Until an instant.
    case until(Timestamp)
    /// Until the next time the target is reached.
    case untilNextArrival
  }

  /// Identity, unique among reminders.
  public private(set) var id: String
  /// What is to be done, as the user wrote it.
  public var title: String
  /// More about it.
  public var notes: String?
  /// Why it speaks: each of them is a reason.
  public var triggers: [Trigger]
  /// What must be so for it to speak: all of them.
  public var conditions: [Condition]
  /// Whether it is done.
  public var status: Status
  /// Silent until unmuted by hand.
  public var isMuted: Bool
  /// Silent for a time.
  public var snooze: Snooze?
  /// Of reminders at one distance, the one with the higher number is told first.
  public var priority: Int
  /// What ends it; nil: ``Persistence/perOccurrence`` if it recurs, else ``Persistence/untilCompleted``.
  public var persistence: Persistence?
  /// How often it repeats what is not answered; nil: it does not.
  public var nag: Nag?
  /// When it ends unspoken; nil: never.
  public var expires: WrittenTime?
  /// The name of the tone that it speaks in; nil takes the user's.
  public var tone: String?
  /// The minute of each day at which it speaks while the position is unknown, if it is about places; nil: it waits
  /// for the position.
  public var fallbackMinute: Int?

  /// Makes a reminder.
  public init(
    id: String,
    title: String,
    notes: String? = nil,
    triggers: [Trigger],
    conditions: [Condition] = [],
    status: Status = .active,
    isMuted: Bool = false,
    snooze: Snooze? = nil,
    priority: Int = 0,
    persistence: Persistence? = nil,
    nag: Nag? = nil,
    expires: WrittenTime? = nil,
    tone: String? = nil,
    fallbackMinute: Int? = nil
  ) {
    self.id = id
    self.title = title
    self.notes = notes
    self.triggers = triggers
    self.conditions = conditions
    self.status = status
    self.isMuted = isMuted
    self.snooze = snooze
    self.priority = priority
    self.persistence = persistence
    self.nag = nag
    self.expires = expires
    self.tone = tone
    self.fallbackMinute = fallbackMinute
  }

  /// The same reminder under another id.
  package init(_ other: Reminder, id: String) {
    self = other
    self.id = id
  }

  /// Makes a reminder of a place or a category.
  ///
  /// - Parameter tiers: its own; nil takes the policy's for its target.
  /// - Parameter window: when it may speak, in local time; nil is always.
  public init(
    id: String,
    title: String,
    notes: String? = nil,
    target: Target,
    status: Status = .active,
    isMuted: Bool = false,
    snooze: Snooze? = nil,
    tiers: [Tier]? = nil,
    priority: Int = 0,
    window: WeeklyWindow? = nil
  ) {
    self.init(
      id: id,
      title: title,
      notes: notes,
      triggers: [.place(target, tiers: tiers)],
      conditions: window.map { [.window($0)] } ?? [],
      status: status,
      isMuted: isMuted,
      snooze: snooze,
      priority: priority
    )
  }

  /// What it aims at first; nil if it is about no place.
  ///
  /// Setting it changes the first trigger of a place, or adds one.
  public var target: Target? {
    get { firstPlace?.target }
    set {
      guard let newValue else { return }
      setFirstPlace(newValue, tiers: tiers)
    }
  }

  /// The tiers of its first target; nil takes the policy's.
  public var tiers: [Tier]? {
    get { firstPlace?.tiers }
    set { if let target { setFirstPlace(target, tiers: newValue) } }
  }

  /// When it may speak, in local time, by its first window; nil is always, and set to it no window is left.
  public var window: WeeklyWindow? {
    get {
      for case .window(let window) in conditions { return window }
      return nil
    }
    set {
      func isWindow(_ condition: Condition) -> Bool {
        if case .window = condition { true } else { false }
      }
      guard let newValue else { return conditions.removeAll(where: isWindow) }
      if let i = conditions.firstIndex(where: isWindow) {
        conditions[i] = .window(newValue)
      } else {
        conditions.append(.window(newValue))
      }
    }
  }

  /// Stands for its fallback where its triggers are numbered.
  static let fallbackTrigger = -1

  /// When it speaks where nobody knows whether one is at its places: each day, by the clock of wherever the phone is.
  ///
  /// - Source: requirements NM-10.5.
  var fallback: Schedule? {
    guard let fallbackMinute, triggers.contains(where: { $0.target != nil }) else { return nil }
    return Schedule(
      start: WrittenTime(
        local: LocalDateTime(CivilDate(daysSinceEpoch: 0), minuteOfDay: fallbackMinute)
      ),
      rule: RecurrenceRule(.daily)
    )
  }

  /// The numbers that its triggers have after an edit which leaves them as they are, by those that they have here.
  func numbersOfKept(in edited: Reminder) -> [Int: Int] {
    var numbers: [Int: Int] = [:]
    for (i, trigger) in triggers.enumerated() {
      numbers[i] =
        edited.triggers.firstIndex(of: trigger)
        ?? edited.triggers.firstIndex { !triggers.contains($0) && $0.isSameReason(as: trigger) }
    }
    if fallback != nil, fallback == edited.fallback {
      numbers[Self.fallbackTrigger] = Self.fallbackTrigger
    }
    return numbers
  }

  /// Whether one of its triggers is about a target.
  public func aims(at target: Target) -> Bool {
    triggers.contains { $0.target == target } || conditions.targets.contains(target)
  }

  private var firstPlace: (target: Target, tiers: [Tier]?)? {
    for case .place(let target, let tiers) in triggers { return (target, tiers) }
    return nil
  }

  private mutating func setFirstPlace(_ target: Target, tiers: [Tier]?) {
    let changed = Trigger.place(target, tiers: tiers)
    if let i = triggers.firstIndex(where: { if case .place = $0 { true } else { false } }) {
      triggers[i] = changed
    } else {
      triggers.append(changed)
    }
  }

  /// What ends it, by its triggers where it does not say.
  public var endsBy: Persistence {
    if let persistence { return persistence }
    let recurs = triggers.contains {
      if case .schedule(let when) = $0 { when.recurs } else { false }
    }
    return recurs ? .perOccurrence : .untilCompleted
  }

  /// When it ends unspoken: when it expires, or when its days are over; nil if never.
  package func end(in zone: UTCOffsetTable) -> Timestamp? {
    earliest(expires?.instant(in: zone), conditions.end(in: zone))
  }

  /// Whether it may speak at all.
  public var isLive: Bool { status == .active && !isMuted }
}

/// The user's answer to a notification, or a change of mind.
///
/// ```swift
/// effects += engine.handle(Event(at: now, .action(reminder: "meds", .snoozeFor(.minutes(30)))))
/// effects += engine.handle(Event(at: later, .action(reminder: "meds", .complete)))
/// ```
public enum ReminderAction: Hashable, Sendable {
  /// It is done.
  case complete
  /// Not for this long, counted from now.
  case snoozeFor(Milliseconds)
  /// Not until the next local midnight; what it holds back is told in the morning.
  case snoozeToday
  /// Not until the next arrival.
  case snoozeUntilNextArrival
  /// Never, until unmuted.
  case mute
  /// Again.
  case unmute
  /// Take the notification away.
  case dismiss
  /// It is not done after all: takes the last answer back.
  case reopen
}

/// Whether reminders are limited in number.
public enum Entitlement: String, Hashable, Sendable, Codable {
  /// So many are live as ``Policy/Plans`` says: the first of those that are neither done nor muted.
  case free
  /// Any number.
  case premium
}
