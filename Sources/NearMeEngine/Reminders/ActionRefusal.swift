/// Why an answer of the user was not carried out.
///
/// The names are part of the output.
public enum ActionRefusal: String, Hashable, Sendable, Codable, CaseIterable {
  /// There is no such reminder, or no more.
  case unknownReminder = "unknown_reminder"
  /// The reminder is done.
  case completed
  /// It is to be done, and nothing was answered that could be taken back.
  case nothingToReopen = "nothing_to_reopen"
  /// The days on which it could speak are over.
  case daysAreOver = "days_are_over"
  /// The span is shorter or longer than the policy's `snooze` allows.
  case snoozeOutOfRange = "snooze_out_of_range"
  /// Without the tier arrival, no next arrival ends the snooze.
  case snoozeWithoutArrival = "snooze_without_arrival"

  /// The reason as a sentence.
  public var label: String {
    switch self {
    case .unknownReminder: "there is no such reminder"
    case .completed: "the reminder is done"
    case .nothingToReopen: "it is to be done, and no answer can be taken back"
    case .daysAreOver: "its days are over: give it others first"
    case .snoozeOutOfRange: "a snooze lasts 1 to 60 minutes, or as the policy says"
    case .snoozeWithoutArrival: "without the tier arrival, no next arrival ends the snooze"
    }
  }
}
