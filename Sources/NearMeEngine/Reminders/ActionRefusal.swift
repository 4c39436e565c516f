/// Why an answer of the user was not carried out.
///
/// The names are part of the output.
public enum ActionRefusal: String, Hashable, Sendable, Codable, CaseIterable {
  /// There is no such reminder, or no more.
  case unknownReminder = "unknown_reminder"
  /// The reminder is done.
  case completed
  /// The span is shorter or longer than the policy's `snooze` allows.
  case snoozeOutOfRange = "snooze_out_of_range"
  /// Without the tier arrival, no next arrival ends the snooze.
  case snoozeWithoutArrival = "snooze_without_arrival"

  /// The reason as a sentence.
  public var label: String {
    switch self {
    case .unknownReminder: "there is no such reminder"
    case .completed: "the reminder is done"
    case .snoozeOutOfRange: "a snooze lasts 1 to 60 minutes, or as the policy says"
    case .snoozeWithoutArrival: "without the tier arrival, no next arrival ends the snooze"
    }
  }
}
