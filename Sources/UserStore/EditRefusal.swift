import NearMeEngine
import Places

/// Why something that the user asked for was not done; nothing has changed.
public enum EditRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no reminder of this id; perhaps the nearest was meant.
  case unknownReminder(String, nearest: String?)
  /// There is no place of this id; perhaps the nearest was meant.
  case unknownPlace(String, nearest: String?)
  /// A reminder aims at a place of this id or name, and there is none; perhaps the nearest was meant.
  case missingPlace(String, nearest: String?)
  /// Something has this id already.
  case idTaken(String)
  /// An id is letters, digits, `-` and `_`, at most 32, and no number of ours.
  case badID(String)
  /// A title or a name is needed.
  case blank
  /// A title or name of more than ``UserStore/longestTitle`` characters, or notes of more than
  /// ``UserStore/longestNotes``.
  case tooLong(limit: Int)
  /// Without entitlement so many reminders are live, and no more.
  case limitReached(live: Int)
  /// The plan does not take it, for this reason.
  case planRefuses(String)
  /// Reminders aim at the place.
  case placeInUse(String, by: [String])
  /// The reminder is done.
  case completed(String)
  /// The reminder has ended, as it expired.
  case hasExpired(String)
  /// It would end before the first time at which it speaks.
  case endsBefore(String, end: String)
  /// The last of its times has passed.
  case isOver(String)
  /// It is so already.
  case nothingToChange(String)
  /// It could not be watched for.
  case cannotBeWatched(String, ReminderError)
  /// The engine does not take this answer.
  case cannotBeDone(String, ActionRefusal)

  /// The reason, and what to do about it.
  public var description: String {
    switch self {
    case .unknownReminder(let id, let nearest):
      "no reminder has the id \(id)"
        + (nearest.map { "; did you mean \($0)?" } ?? ": `nearme reminder list` shows them")
    case .unknownPlace(let id, let nearest):
      "no place has the id \(id)"
        + (nearest.map { "; did you mean \($0)?" } ?? ": `nearme place list` shows them")
    case .missingPlace(let id, let nearest):
      "no place has the id \(id)"
        + (nearest.map { "; did you mean \($0)?" }
          ?? (": `nearme place list` shows them"
            + (UserStore.isNumbered(id) ? "" : ", `\(Self.making(id))` makes one")))
    case .idTaken(let id): "the id \(id) is taken; choose another one"
    case .badID(let id):
      "\(id) cannot be an id: use letters, digits, - and _, at most 32, and not r or p with a number"
    case .blank: "it needs a title or name of at least one letter"
    case .tooLong(let limit): "that is longer than \(limit) characters: make it shorter"
    case .limitReached(let live):
      "\(live) reminders are live, as many as the free plan has room for: complete, mute or delete one, or "
        + "switch with `nearme plan premium`"
    case .planRefuses(let reason): reason
    case .placeInUse(let id, let reminders):
      "\(reminders.joined(separator: ", ")) \(reminders.count == 1 ? "aims" : "aim") at \(id): "
        + "give --with-reminders to delete \(reminders.count == 1 ? "it" : "them"), too"
    case .completed(let id): "\(id) is done: `nearme reminder reopen \(id)` has it back"
    case .hasExpired(let id):
      "\(id) has ended, as its days are over: `nearme reminder reopen \(id) --expires YYYY-MM-DD` has it back "
        + "until that day"
    case .endsBefore(let time, let end):
      "it would end at \(end), and not speak before \(time): give it a later end or an earlier time"
    case .isOver(let times): "the last time of \(times) has passed: it would never speak"
    case .nothingToChange(let id): "\(id) is so already: there is nothing to change"
    case .cannotBeWatched(let id, let error): "\(id): \(error)"
    case .cannotBeDone(let id, .completed): Self.completed(id).description
    case .cannotBeDone(let id, .daysAreOver):
      "\(id): its days are over: add it anew, with days to come"
    case .cannotBeDone(let id, .snoozeWithoutArrival):
      "\(id): \(ActionRefusal.snoozeWithoutArrival.label): snooze it for a while, such as 15m"
    case .cannotBeDone(let id, let refusal): "\(id): \(refusal.label)"
    }
  }

  /// The command that makes a place which sentences and options find by that word.
  private static func making(_ word: String) -> String {
    let kind = [PlaceKind.home, .work].first { $0.rawValue == word }
    let isID = UserStore.isFreeID(word)
    return "nearme place add \"\(word)\"" + (kind.map { " --kind \($0.rawValue)" } ?? "")
      + (isID ? " --id \(word)" : "") + " --at LAT,LON"
  }
}
