import Arrivals
import Fencing
import NearMeEngine
import OutputLines
import Places
import Replay
import Timeline
import Traces

/// Why a day could not be scored.
public enum ScoringError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reminders do not fit the places or the policy.
  case badReminders(String)
  /// The replay failed: a bug.
  case replay(String)

  /// The reason as a sentence.
  public var description: String {
    switch self {
    case .badReminders(let reason): reason
    case .replay(let reason): "\(reason): please report this"
    }
  }
}

/// What one replay of one day came to, as far as scores need it.
public struct DayRun: Sendable {
  /// What the person was told, in order.
  public let announcements: [Announcement]
  /// The facts behind it.
  public let transitions: [TransitionRecord]
  /// What became of them.
  public let decisions: [DecisionRecord]
  /// How the watched regions changed.
  public let regions: [(at: Timestamp, change: RegionChange)]
  /// When something was shown that had not been on the screen.
  public let shown: [Timestamp]
  /// Notifications and updates within the quiet hours of the policy: must be 0.
  public let quietHourLeaks: Int
  /// Everything counted.
  public let summary: ReplaySummary
  /// The fixes that were used, with the span since the one before each, in seconds.
  let fixSpans: [Double]
  /// The engine's own timers.
  private let timers: [Timestamp]

  /// Replays fixes.
  ///
  /// - Parameter end: until when the phone went on; nil: until its last fix.
  /// - Complexity: one replay; memory grows with what happened, not with the fixes.
  public init(
    _ fixes: [Fix],
    until end: Timestamp? = nil,
    of person: Person,
    _ setup: ReplaySetup
  ) throws(ScoringError) {
    try self.init(FixColumns(fixes), until: end, fixSpans: Self.spans(fixes), of: person, setup)
  }

  /// Replays fixes that lie in columns, as for many replays of the same day.
  ///
  /// - Parameter arrivals: what is weighed on these fixes, where that is known.
  package init(
    _ columns: FixColumns,
    until end: Timestamp?,
    fixSpans: [Double],
    of person: Person,
    _ setup: ReplaySetup,
    _ arrivals: ArrivalRecording? = nil
  ) throws(ScoringError) {
    var replay = try DayReplay(columns, until: end, of: person, setup, arrivals)
    try replay.go(through: nil)
    self.init(replay, fixSpans: fixSpans)
  }

  /// What a replay came to as far as it has gone.
  init(_ replay: DayReplay, fixSpans: [Double]) {
    let keeper = replay.keeper
    announcements = keeper.collector.announcements
    transitions = keeper.transitions
    decisions = keeper.decisions
    regions = keeper.regions
    shown = keeper.shown
    quietHourLeaks = keeper.quietHourLeaks
    summary = replay.summary
    self.fixSpans = fixSpans
    timers = keeper.timers
  }

  /// The spans between neighbors, in seconds; one that came late is none, for the time goes on from the newest.
  static func spans(_ fixes: [Fix]) -> [Double] {
    guard var last = fixes.first?.at else { return [] }
    var spans: [Double] = []
    for fix in fixes where fix.at > last {
      spans.append((fix.at - last).seconds)
      last = fix.at
    }
    return spans
  }

  /// How often the app was woken.
  ///
  /// A stream's process is awake while the receiver is on: a timer that comes with a fix, or between
  /// two fixes that are not farther apart than the receiver takes to start, is no wake. One in a
  /// longer silence does.
  ///
  /// - Complexity: O(fixes) for a stream.
  public func wakeCount(
    _ service: LocationService,
    _ model: BatteryModel = BatteryModel()
  ) -> Int {
    guard service == .stream else { return summary.wakeCount }
    guard var last = summary.start, !timers.isEmpty else { return timers.count }
    var (wakes, next) = (0, 0)
    for span in fixSpans {
      let fix = last + Milliseconds(Int64((span * 1_000).rounded()))
      while next < timers.count, timers[next] <= fix {
        if timers[next] > last, timers[next] < fix, span > model.hotStartSeconds { wakes += 1 }
        next += 1
      }
      last = fix
    }
    // What comes after the last fix comes in silence.
    return wakes + timers.count - next
  }

  /// What was told by tiers of one kind.
  func announcements(of kind: NotificationKind) -> [Announcement] {
    announcements.filter { $0.tier.kind == kind }
  }
}

/// What a location service costs a battery: a stated model, to compare policies by, and no promise
/// for a phone.
///
/// The receiver draws `receiverWatts` while it is on. For a streamed fix it is on since the fix
/// before, but not longer than `hotStartSeconds`, after which it can be switched off in between; a timer
/// costs `awakeJoules` only while it is off. A wake by the location service costs one such start, a timer
/// of a sleeping app only `awakeJoules`; while a woken app follows, the receiver is on all the time, but where it
/// may rest: then for `hotStartSeconds` each time it is switched on, which costs `awakeJoules`, too.
///
/// - Source: 76.23 mA at 4.0 V with the receiver on: power profile of the Nexus 5 in the Android
///   Open Source Project (device/lge/hammerhead, commit 15ecd6c), about the 0.37 W that Paek, Kim and
///   Govindan measured on a Nokia N95 (MobiSys 2010). Battery: 2 300 mAh at 4.0 V. The ten seconds of
///   a hot start and the half joule of a second awake are assumptions.
public struct BatteryModel: Hashable, Sendable {
  /// What the receiver draws while it is on.
  public var receiverWatts = 0.07623 * 4.0
  /// How long one position takes.
  public var hotStartSeconds = 10.0
  /// What a wake without a position costs.
  public var awakeJoules = 0.5
  /// What a full battery holds.
  public var batteryJoules = 2.3 * 3_600 * 4.0

  /// The stated model.
  public init() {}

  /// What a run cost.
  ///
  /// - Returns: joules.
  public func joules(_ run: DayRun, _ service: LocationService) -> Double {
    let start = receiverWatts * hotStartSeconds
    let awake = Double(run.wakeCount(service, self)) * awakeJoules
    switch service {
    case .stream:
      return awake + run.fixSpans.reduce(0) { $0 + min($1, hotStartSeconds) * receiverWatts }
    case .ideal, .phone:
      let summary = run.summary
      let following = (summary.followed.seconds - summary.rested.seconds) * receiverWatts
      let tries = Double(summary.tries) * awakeJoules
      return awake + Double(summary.locationWakes) * start + following + tries
    }
  }
}
