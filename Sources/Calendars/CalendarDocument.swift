import NearMeEngine
import Places
import Timeline

/// Reminders and places as a calendar holds them.
public struct CalendarDocument: Hashable, Sendable {
  /// A reminder with what a calendar says of it and the engine does not.
  public struct Item: Hashable, Sendable {
    /// The reminder.
    public var reminder: Reminder
    /// When it was made.
    public var createdAt: Timestamp?
    /// When it was last changed.
    public var changedAt: Timestamp?
    /// When it was completed.
    public var completedAt: Timestamp?
    /// The times of it that were answered, in order of the answers.
    public var answers: [ReminderAnswer] = []
    /// When it ends, of an event of somebody's calendar, which is nothing that stays to be done once it is over, or all
    /// of its times if it recurs; nil of a task.
    public var eventEnd: Schedule?

    /// Makes one.
    public init(
      _ reminder: Reminder,
      createdAt: Timestamp? = nil,
      changedAt: Timestamp? = nil,
      completedAt: Timestamp? = nil
    ) {
      self.reminder = reminder
      self.createdAt = createdAt
      self.changedAt = changedAt
      self.completedAt = completedAt
    }
  }

  /// The reminders, in order.
  public var items: [Item]
  /// The user's places.
  public var places: [Place]

  /// Makes a document.
  public init(items: [Item] = [], places: [Place] = []) {
    self.items = items
    self.places = places
  }
}

/// Something that came through otherwise than it was, or not at all.
public struct CalendarNotice: Hashable, Sendable, CustomStringConvertible {
  /// The reminder's or place's id.
  public let id: String
  /// What of it, in words.
  public let reason: String

  init(_ id: String, _ reason: String) {
    self.id = id
    self.reason = reason
  }

  /// The id and what came through otherwise.
  public var description: String { "\(id): \(reason)" }
}
