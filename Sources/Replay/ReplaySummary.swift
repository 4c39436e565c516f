import Fencing
import Geodesy
import NearMeEngine
import OutputLines
import Timeline
import Traces

/// What a replay came to, in numbers.
public struct ReplaySummary: Hashable, Sendable {
  /// Fixes that were used.
  public var fixes = 0
  /// Fixes that were not, by reason.
  public var refused: [FixRefusal: Int] = [:]
  /// The first fix.
  public var start: Timestamp?
  /// The last fix that was used.
  public var end: Timestamp?
  /// Wakes by cause.
  public var wakes: [WakeCause: Int] = [:]
  /// For how long the app stayed awake because something had to hold.
  public var followed = Milliseconds(0)
  /// For how long of that the receiver rested.
  public private(set) var rested = Milliseconds(0)
  /// How often it was switched on again.
  public private(set) var tries = 0
  /// The most regions watched at once.
  public var regionsHeldMost = 0
  /// Regions started, over all.
  public var registrations = 0
  /// For how long some boundary could have been crossed without a wake.
  public var atRisk = Milliseconds(0)
  /// Regions that the location service did not take.
  public var regionsRefused = 0
  /// Changes of the set in which some boundary was left at risk.
  public var plansAtRisk = 0
  /// Times that a certificate was checked by brute force.
  public var certificatesChecked = 0
  /// Times that the phone came nearer to a target by one or more rings at once.
  public var rises = 0
  /// Times that the phone went away from a target by one or more rings at once.
  public var falls = 0
  private var lastMove: TransitionRecord?
  /// Notifications shown, by kind; what only took another's place is counted apart.
  public var notificationsByKind: [NotificationKind: Int] = [:]
  /// Times that news joined a notification on the screen.
  public var updates = 0
  /// Lines told, by tier.
  public var toldByTier: [String: Int] = [:]
  /// Transitions of which nothing was said, by reason; leaving is not counted.
  public var suppressed: [Silence: Int] = [:]
  /// Times that something was put off, by reason.
  public var deferred: [Silence: Int] = [:]
  /// Actions of the person that the engine did not carry out.
  public var actionsRefused = 0
  /// Actions of the person that lay after the trace's end.
  public var actionsLeft = 0

  /// Nothing yet.
  public init() {}

  /// All that were refused.
  public var refusedCount: Int { refused.values.reduce(0, +) }
  /// All wakes.
  public var wakeCount: Int { wakes.values.reduce(0, +) }
  /// Wakes by the location service: timers cost no positioning.
  public var locationWakes: Int { wakeCount - wakes[.scheduled, default: 0] }
  /// All notifications.
  public var notificationCount: Int { notificationsByKind.values.reduce(0, +) }
  /// From the first fix to the last.
  public var hours: Double {
    guard let start, let end else { return 0 }
    return (end - start).seconds / 3_600
  }

  mutating func note(_ fix: Fix) {
    fixes += 1
    end = fix.at
  }

  mutating func note(fixes count: Int, last milliseconds: Int64) {
    fixes += count
    end = Timestamp(milliseconds: milliseconds)
  }

  /// Counts a span in which the receiver measured a position every so often only.
  mutating func noteEased(for span: Milliseconds, every interval: Milliseconds) {
    let count = span.value / interval.value
    tries += Int(count)
    rested = rested + max(Milliseconds(0), Milliseconds(span.value - count * Easing.patience.value))
  }

  /// Counts a span in which it was on though it might have rested; at most the time that a position takes.
  mutating func noteOn(for span: Milliseconds) {
    rested = rested + Milliseconds(-min(span.value, Easing.patience.value))
  }

  mutating func note(_ change: RegionChange, refused: Int) {
    regionsHeldMost = max(regionsHeldMost, change.held - refused)
    registrations += change.start.count - refused
    if !change.certificate.atRisk.isEmpty { plansAtRisk += 1 }
  }

  mutating func note(_ notification: ReminderNotification, isUpdate: Bool) {
    if isUpdate {
      updates += 1
    } else {
      notificationsByKind[notification.kind, default: 0] += 1
    }
  }

  mutating func note(_ transition: TransitionRecord) {
    if let last = lastMove, last.at == transition.at, last.kind == transition.kind,
      last.reminder == transition.reminder
    {
      return
    }
    lastMove = transition
    switch transition.kind {
    case .enter: rises += 1
    case .exit: falls += 1
    case .dwell, .due, .edge: break
    }
  }

  mutating func note(_ decision: DecisionRecord) {
    switch decision.outcome {
    case .delivered: toldByTier[decision.step.group, default: 0] += 1
    case .deferred(let silence, _): deferred[silence, default: 0] += 1
    case .suppressed(let silence):
      if silence != .exit { suppressed[silence, default: 0] += 1 }
    }
  }
}
