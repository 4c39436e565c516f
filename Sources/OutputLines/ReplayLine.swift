import Fencing
import NearMeEngine
import Timeline
import Traces

/// A line of what a replay prints; a live host prints some of the same lines.
public enum ReplayLine: Hashable, Sendable {
  /// The app was woken.
  case wake(at: Timestamp, WakeCause)
  /// The watched regions changed.
  case regions(at: Timestamp, RegionChange)
  /// The location service did not take regions; the planner uses at most so many from now on.
  case regionsRefused(at: Timestamp, ids: [String], slots: Int)
  /// What the app may know of the position has changed.
  case access(at: Timestamp, LocationAccess)
  /// A position was not used; the count is that of its reason so far.
  case fixRefused(at: Timestamp?, FixRefusal, count: Int)
  /// A fact about a reminder's target.
  case transition(TransitionRecord)
  /// What became of a transition.
  case decision(DecisionRecord)
  /// Something that was under way came to nothing.
  case canceled(CancelRecord)
  /// What the person asked for was not done.
  case actionRefused(at: Timestamp, reminder: String, ActionRefusal)
  /// A reminder that recurs was done for these times.
  case answered(at: Timestamp, reminder: String, times: [Timestamp])
  /// That was taken back.
  case answerTakenBack(at: Timestamp, reminder: String, times: [Timestamp])
  /// So many schedules have no time among those that the system shows by itself, the last of which is
  /// shown at an instant.
  case schedulesLeftOut(at: Timestamp, count: Int, heldUntil: Timestamp)
  /// A signal was not taken in.
  case signalRefused(at: Timestamp, Signal, SignalRefusal)
  /// Something was shown; an update took the place of what was on the screen, without a sound.
  case notification(ReminderNotification, isUpdate: Bool)

  /// When it happened; nil for a point of the trace that has no time.
  public var instant: Timestamp? {
    switch self {
    case .wake(let at, _), .regions(let at, _), .access(let at, _): at
    case .regionsRefused(let at, _, _): at
    case .fixRefused(let at, _, _): at
    case .transition(let transition): transition.at
    case .decision(let decision): decision.at
    case .canceled(let canceled): canceled.at
    case .actionRefused(let at, _, _): at
    case .answered(let at, _, _), .answerTakenBack(let at, _, _), .schedulesLeftOut(let at, _, _):
      at
    case .signalRefused(let at, _, _): at
    case .notification(let notification, _): notification.at
    }
  }
}
