/// Why something was not done.
public enum PhoneFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kept state cannot be read; nothing happens until it can.
  case stateUnreadable(String)
  /// The kept state is none, or of a newer version of the app; nothing happens before ``PhoneHost/beginAnew()``.
  case stateDamaged(String)
  /// The state cannot be kept; nothing is told until it can.
  case stateNotSaved(String)
  /// The system did not take a notification, by id, and says why.
  case notificationRefused(String, why: String)
  /// The user does not let the app show notifications; said once, until one is taken again.
  case notificationsNotAllowed
  /// Answers to notifications do not come to the host: another object has become the delegate of the center.
  case answersGoElsewhere
  /// No position came in the policy's `patience`; the phone's next move brings one.
  case noPosition
  /// The system watches none of the regions, as where the app has its 20 already; said once in a process, until it
  /// watches some.
  case regionsRefused
  /// The watch over regions ended with an error, twice in a row, and is begun anew.
  case regionsUnheard(String)
  /// The system watches regions not as it should, and says why, in a word of its own such as `accuracyLimited`.
  case regionsUnsure(String)
  /// A reminder was not taken, by id, and why: one at a place that is not saved yet, or one that has ended.
  case reminderRefused(String, why: String)
  /// A place was not taken, by id, and why: its coordinate lies nowhere on the globe.
  case placeRefused(String, why: String)

  /// The failure as a sentence.
  public var description: String {
    switch self {
    case .stateUnreadable(let why):
      "the reminders' state cannot be read, so nothing is done until it can: \(why)"
    case .stateDamaged(let why):
      "the reminders' state is damaged, or of a newer version: update the app, or begin anew: \(why)"
    case .stateNotSaved(let why):
      "the reminders' state cannot be saved, so nothing is told until it can: \(why)"
    case .notificationRefused(let id, let why):
      "the system did not take the notification \(id); it is offered again: \(why)"
    case .notificationsNotAllowed:
      "notifications are not allowed, so nothing is shown: ask for them, or send the user to Settings"
    case .answersGoElsewhere:
      """
      another delegate gets the answers to notifications: make the phone with isDelegate: false, and pass them on to \
      the host
      """
    case .noPosition:
      "no position came; the app is woken when the phone has moved"
    case .regionsRefused:
      """
      the system watches none of the regions: leave some of the app's 20 to the host (monitor.slots); it is asked \
      again, and until then the app is woken when the phone has moved
      """
    case .regionsUnheard(let why):
      "the system's events of regions have ended, so they are watched anew: \(why)"
    case .regionsUnsure(let word):
      "the system watches regions not as it should: CLMonitor.Event.\(word)"
    case .reminderRefused(let id, let why):
      "the reminder \(id) was not taken: \(why)"
    case .placeRefused(let id, let why):
      "the place \(id) was not taken: \(why)"
    }
  }
}
