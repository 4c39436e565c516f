/// Why nothing is said.
///
/// The names are part of the output.
public enum Silence: String, Hashable, Sendable, Codable, CaseIterable {
  /// The reminder is done.
  case completed
  /// The reminder was deleted.
  case deleted
  /// There are more live reminders than the free tier holds.
  case notEntitled = "not_entitled"
  /// The reminder is muted.
  case muted
  /// The reminder is snoozed.
  case snoozed
  /// The reminder's window is closed.
  case outsideWindow = "outside_window"
  /// It is not yet one of the days on which the reminder may speak.
  case outsideDates = "outside_dates"
  /// One is not where a condition asks one to be.
  case notInside = "not_inside"
  /// One is where a condition asks one not to be.
  case notOutside = "not_outside"
  /// A signal of the phone is at another level than a condition asks for.
  case signalLevel = "signal_level"
  /// What a condition asks for has not been so for long enough.
  case notLongEnough = "not_long_enough"
  /// The reminder was to speak once, and has.
  case fired
  /// The days on which the reminder could speak are over.
  case expired
  /// It was told, and is to be told again if it is not answered.
  case nag
  /// The tier has spoken since it was last left.
  case alreadySaid = "already_said"
  /// It is one of the quiet hours.
  case quietHours = "quiet_hours"
  /// Do Not Disturb or a Focus is on.
  case focus
  /// An approach of this reminder was told a short while ago.
  case reminderCooldown = "cooldown_reminder"
  /// Some approach was told a short while ago.
  case overallCooldown = "cooldown_overall"
  /// Some approach was told a while ago, and places crowd here.
  case denseCooldown = "cooldown_dense"
  /// It was seen in fixes that came late, with newer ones to follow.
  case handedOverLate = "handed_over_late"
  /// A nearer tier speaks instead.
  case superseded
  /// When it was looked at again, it was no longer true.
  case stale
  /// Leaving is not announced where nobody asked for it.
  case exit

  /// For people.
  package var sentence: String {
    switch self {
    case .completed: "it is done"
    case .deleted: "it was deleted"
    case .notEntitled: "the free plan has room for three, and others were made before it"
    case .muted: "it is muted"
    case .snoozed: "it is snoozed"
    case .outsideWindow: "it may not speak at this time of the week"
    case .outsideDates: "its days have not begun"
    case .notInside: "you are not where it asks you to be"
    case .notOutside: "you are where it asks you not to be"
    case .signalLevel: "the phone is not in the state that it asks for"
    case .notLongEnough: "what it asks for has not lasted long enough"
    case .fired: "it was to speak once, and has"
    case .expired: "its days are over"
    case .nag: "it was told, and is told again if it is not answered"
    case .alreadySaid: "this was told before, and you have not been away since"
    case .quietHours: "these are quiet hours"
    case .focus: "a focus is on"
    case .reminderCooldown: "an approach of it was told a short while before"
    case .overallCooldown: "another approach was told a short while before"
    case .denseCooldown: "another approach was told before, and places crowd here"
    case .handedOverLate: "its positions came late, and newer ones are looked at first"
    case .superseded: "a nearer tier speaks instead"
    case .stale: "it was no longer true, or no news any more, when its time came"
    case .exit: "nobody asked to be told of leaving"
    }
  }
}
