import NearMeEngine
import Recurrence
import Timeline

/// What a sentence was taken for: a reminder, and from which words each part of it comes.
public struct Understanding: Hashable, Sendable {
  /// A stretch of the text, and what it was taken for.
  public struct Span: Hashable, Sendable {
    /// What it says.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      case time, `repeat`, place, category, signal, condition, priority, tone, unsupported
    }

    /// Where it begins, in Unicode scalars.
    public let from: Int
    /// Where it ends, not included.
    public let to: Int
    /// What it says.
    public let kind: Kind
    /// The time or name that it says; local time at ``grain``.
    public let value: String?
    /// How exact a time is.
    public let grain: Grain?
    /// The end of an interval, the last named unit included.
    public let until: String?
    /// Why it is not supported.
    public let reason: String?
  }

  /// What is to be done.
  public var title: String
  /// The parts that say when, where and how, in the order of the text; a time of day may lie inside a repetition.
  public var spans: [Span] = []
  /// Why it speaks.
  public var triggers: [Trigger] = []
  /// What must be so for it to speak.
  public var conditions: [Condition] = []
  /// 0 if the sentence says nothing of it.
  public var priority = 0
  /// What ends it; nil if the sentence says nothing of it.
  public var persistence: Reminder.Persistence?
  /// How often it repeats what is not answered.
  public var nag: Reminder.Nag?
  /// When it ends unspoken.
  public var expires: WrittenTime?
  /// When it speaks where the position is unknown, in minutes after midnight.
  public var fallbackMinute: Int?
  /// The tone that it speaks in.
  public var tone: String?
  /// More about it.
  public var notes: String?
  /// Whether it would speak at a time, if that were not over.
  public var isOver = false

  /// The schedule, if it has one.
  public var schedule: Schedule? {
    for case .schedule(let schedule) in triggers { return schedule }
    return nil
  }

  /// The reminder that the sentence asks for.
  ///
  /// - Parameter id: its id, unique among reminders.
  public func reminder(id: String) -> Reminder {
    Reminder(
      id: id,
      title: title,
      notes: notes,
      triggers: triggers,
      conditions: conditions,
      priority: priority,
      persistence: persistence,
      nag: nag,
      expires: expires,
      tone: tone,
      fallbackMinute: fallbackMinute
    )
  }
}
