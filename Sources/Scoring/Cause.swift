import NearMeEngine
import Timeline

/// Why a visit was announced as it was, or not at all, and why a notification came.
///
/// The names are part of the output. Every visit and every notification has exactly one.
public enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
  /// It was told, in time.
  case correct
  /// It was told, more than ``lateAfter`` after it was true.
  case late
  /// With the true positions at the instants of the fixes it would have been right.
  case positionNoise = "position_noise"
  /// With true speeds it would have been right.
  case speedNoise = "speed_noise"
  /// With true speeds, and an accuracy that says how far each position is off, it would have been right.
  case accuracyNoise = "accuracy_noise"
  /// With every fix passed on at once it would have been right.
  case osLatency = "os_latency_or_cushion"
  /// With unlimited regions it would have been right.
  case notRegistered = "not_registered"
  /// With a service that loses no crossing of a region that is put back or registered too late it would have been
  /// right.
  case swallowed = "swallowed_by_re_adding"
  /// With fixes along the whole true path it would have been right.
  case gapInTrace = "gap_in_trace"
  /// It did not hold long enough, or the clock began to run too early.
  case dwell
  /// The ladder had not fallen since the last time, or fell late.
  case hysteresis
  /// An approach was told a while ago.
  case cooldown
  /// It was told as a line of another notification, without a sound, or a nearer tier spoke.
  case bundled
  /// It was one of the quiet hours, a focus was on, or a condition of the reminder other than its window did not
  /// hold.
  case quietHours = "quiet_hours"
  /// The reminder's own window was closed.
  case outsideWindow = "outside_window"
  /// The reminder was snoozed.
  case snooze
  /// The reminder was muted.
  case mute
  /// The person had never left the ring since it was last told, or since the day began.
  case alreadySaid = "already_said"
  /// The person went past.
  case driveBy = "drive_by"
  /// The person waited beside it.
  case decoy
  /// The person stayed near it, at something else.
  case nearStay = "near_stay"
  /// The cache does not have the place.
  case staleCache = "stale_cache"
  /// The reminder was done meanwhile.
  case completed
  /// There were more live reminders than the free tier holds.
  case notEntitled = "not_entitled"
  /// Even the true path never came into the ring.
  case outOfReach = "out_of_reach"
  /// Only the true path would tell, noise from a gap and from what was done there, and nobody knows it.
  case unknownPath = "path_unknown"

  /// What comes later than this after it was true is late: as long as an arrival may come early.
  public static let lateAfter = Matching.early

  /// The cause that stands behind a silence.
  init(_ silence: Silence) {
    self =
      switch silence {
      case .fired, .expired: .completed
      case .nag: .alreadySaid
      case .outsideDates, .notInside, .notOutside, .signalLevel, .notLongEnough: .quietHours
      case .completed, .deleted: .completed
      case .notEntitled: .notEntitled
      case .muted: .mute
      case .snoozed: .snooze
      case .alreadySaid: .alreadySaid
      case .quietHours, .focus: .quietHours
      case .outsideWindow: .outsideWindow
      case .reminderCooldown, .overallCooldown, .denseCooldown: .cooldown
      case .superseded: .bundled
      case .handedOverLate: .osLatency
      case .stale, .exit: .hysteresis
      }
  }

  /// For people.
  public var label: String { String(rawValue.map { $0 == "_" ? " " : $0 }) }
}

/// A line of the ledger: one visit or one notification, and its one cause.
public struct LedgerEntry: Hashable, Sendable {
  /// What is accounted for.
  public enum Subject: String, Hashable, Sendable, CaseIterable {
    /// A true visit, which should be announced.
    case visit
    /// An arrival that was told.
    case arrival
    /// A post-arrival that was told.
    case postArrival = "post_arrival"
    /// An approach that was told.
    case approach
  }

  /// What is accounted for.
  public let subject: Subject
  /// Of which person-day.
  public let day: String
  /// Whose target.
  public let reminder: String
  /// Which point, if it is a category's.
  public let poi: String?
  /// When the visit began or the notification came.
  public let at: Timestamp
  /// Why.
  public let cause: Cause
  /// How long after the visit's beginning it was told, in seconds; nil if never, or without one.
  public let delaySeconds: Double?
}
