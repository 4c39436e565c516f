import Places
import Timeline

/// Something to be done, and where.
public struct Reminder: Hashable, Sendable {
  /// What it aims at.
  public enum Target: Hashable, Sendable {
    /// The nearest of a category.
    case category(CategoryID)
    /// One of the user's own places, by id.
    case place(String)
  }

  /// Where it stands.
  public enum Status: String, Hashable, Sendable, Codable {
    /// To be done.
    case active
    /// Done: never speaks again.
    case completed
  }

  /// How long it keeps silent at the user's wish.
  public enum Snooze: Hashable, Sendable {
    /// Until an instant.
    case until(Timestamp)
    /// Until the next time the target is reached.
    case untilNextArrival
  }

  /// Identity, unique among reminders.
  public let id: String
  /// What is to be done, as the user wrote it.
  public var title: String
  /// More about it.
  public var notes: String?
  /// What it aims at.
  public var target: Target
  /// Where it stands.
  public var status: Status
  /// Silent until unmuted by hand.
  public var isMuted: Bool
  /// Silent for a time.
  public var snooze: Snooze?
  /// Its own tiers; nil takes the policy's for its target.
  public var tiers: [Tier]?
  /// Of reminders at one distance, the one with the higher number is told first.
  public var priority: Int
  /// When it may speak, in local time; nil is always.
  public var window: WeeklyWindow?

  /// Makes a reminder.
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
    self.id = id
    self.title = title
    self.notes = notes
    self.target = target
    self.status = status
    self.isMuted = isMuted
    self.snooze = snooze
    self.tiers = tiers
    self.priority = priority
    self.window = window
  }

  /// Whether it may speak at all.
  public var isLive: Bool { status == .active && !isMuted }
}

/// The user's answer to a notification, or a change of mind.
public enum ReminderAction: Hashable, Sendable {
  /// It is done.
  case complete
  /// Not for this long, counted from now.
  case snoozeFor(Milliseconds)
  /// Not until the next local midnight.
  case snoozeToday
  /// Not until the next arrival.
  case snoozeUntilNextArrival
  /// Never, until unmuted.
  case mute
  /// Again.
  case unmute
  /// Take the notification away.
  case dismiss
}

/// Whether reminders are limited in number.
public enum Entitlement: String, Hashable, Sendable, Codable {
  /// At most three are live: the first three of those that are neither done nor muted.
  case free
  /// Any number.
  case premium

  /// How many reminders may be live; nil is any number (NM-7.3).
  public var liveReminders: Int? { self == .free ? 3 : nil }
}
