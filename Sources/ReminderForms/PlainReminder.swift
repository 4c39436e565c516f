import Recurrence
import Timeline

/// A reminder as the forms of the documents know one: what any of them can say, and no more.
///
/// Each form reads into it and writes from it. What a form has no place for it refuses to write, by name: nothing is
/// lost in silence.
public struct PlainReminder: Hashable, Sendable {
  /// Its id.
  public var id: String
  /// What there is to do.
  public var title: String
  /// More about it; empty for none.
  public var notes = ""
  /// When it is due.
  public var due: Due?
  /// The zone in which its time of day is kept, such as `Europe/Malta`; nil for the one of the phone.
  public var zone: String?
  /// How it comes again; nil for once.
  public var repetition: Repetition?
  /// What wakes it, besides its time; any of them.
  public var triggers: [Clause] = []
  /// What must hold; all of them.
  public var conditions: [Clause] = []
  /// What has become of it.
  public var status = Status.open
  /// Until when it is put off.
  public var snoozedUntil: Timestamp?
  /// The tone it speaks in.
  public var tone: String?
  /// How important it is.
  public var priority: Priority?
  /// When it was made.
  public var createdAt: Timestamp?
  /// When it was last changed.
  public var updatedAt: Timestamp?
  /// When it was completed.
  public var completedAt: Timestamp?

  /// Makes a reminder of which nothing else is known.
  public init(id: String, title: String) {
    self.id = id
    self.title = title
  }

  /// When a reminder is due.
  public enum Due: Hashable, Sendable {
    /// At an instant.
    case instant(Timestamp)
    /// On a day, at no time.
    case date(CivilDate)
  }

  /// What has become of a reminder.
  public enum Status: String, Hashable, Sendable, CaseIterable {
    /// Nothing yet.
    case open
    /// It has spoken.
    case fired
    /// Its time is over, and it has not spoken.
    case expired
    /// It is done.
    case completed
  }

  /// How important a reminder is.
  public enum Priority: String, Hashable, Sendable, CaseIterable {
    case high = "High"
    case medium = "Medium"
    case low = "Low"
  }

  /// How a reminder comes again.
  public enum Repetition: Hashable, Sendable {
    /// Every day.
    case daily
    /// Every week, on these days; on the one that it begins on where there are none.
    case weekly([Weekday])
    /// In another way.
    case custom(Custom)
  }

  /// A repetition by numbers.
  public struct Custom: Hashable, Sendable {
    /// Every how many units, at least 1.
    public var interval: Int
    /// What is counted.
    public var unit: YomoRecurrence.Unit
    /// On these days of the week; empty for all.
    public var daysOfWeek: [Weekday] = []
    /// On which of the month's weekdays, 1 … 5, or -1 for the last; with ``monthDay``.
    public var monthOrdinal: Int?
    /// That weekday.
    public var monthDay: Weekday?
    /// Between these times of day.
    public var timeRange: YomoRecurrence.TimeRange?
    /// Whether it is counted from the completion.
    public var isBasedOnCompletion = false
    /// What becomes of it in months without its day.
    public var skip = SkipRule.omit

    /// Makes one.
    public init(interval: Int, unit: YomoRecurrence.Unit) {
      precondition(interval >= 1, "an interval is at least 1")
      self.interval = interval
      self.unit = unit
    }
  }

  /// A trigger or a condition.
  public enum Clause: Hashable, Sendable {
    /// A part of the week.
    case window(WeeklyWindow)
    /// The phone is unlocked.
    case unlock
    /// A place of the user's own is entered, by id.
    case place(String)
    /// The nearest of a category is entered.
    case category(String)
    /// The phone begins to charge.
    case charging
    /// An app that was chosen is opened; the system's token for it.
    case appOpened(String)
  }
}

/// Why a reminder in some form cannot be read, or cannot be written in it.
public struct FormError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The key that is wrong, such as `triggers[1].type`; empty for the whole.
  public let key: String
  /// What is wrong with it, and what to write instead.
  public let reason: String

  init(_ key: String, _ reason: String) {
    self.key = key
    self.reason = reason
  }

  /// The key and what is wrong with it.
  public var description: String { key.isEmpty ? reason : "\(key): \(reason)" }
}
