import Arrivals
import NearMeEngine
import OutputLines
import Places
import Replay
import Timeline
import Traces

/// A replay of one day that goes as far as somebody asks for, and then on from there.
struct DayReplay {
  /// What has come of it.
  private(set) var keeper: Keeper
  private var session: ReplaySession
  private let fixes: FixColumns
  private let end: Timestamp?
  /// The first fix that has not been replayed; nil once the day is over.
  private var next: Int? = 0

  /// Nothing replayed yet.
  ///
  /// - Parameter end: until when the phone went on; nil: until its last fix.
  /// - Parameter arrivals: what is weighed on these fixes, where that is known.
  init(
    _ fixes: FixColumns,
    until end: Timestamp?,
    of person: Person,
    _ setup: ReplaySetup,
    _ arrivals: ArrivalRecording? = nil
  ) throws(ScoringError) {
    keeper = Keeper(quietHours: setup.policy.quietHours, zone: person.zone)
    session = try ReplaySession(setup, person, arrivals)
    self.fixes = fixes
    self.end = end
  }

  /// Everything counted.
  var summary: ReplaySummary { session.summary }

  /// Replays until all that happens up to an instant has happened; nil: until the day is over.
  ///
  /// - Precondition: fixes are handed over as they come, unless the day is replayed to its end: what a batch held
  ///   back was of earlier.
  mutating func go(through instant: Timestamp?) throws(ScoringError) {
    guard let start = next else { return }
    // A fix that is later than the instant tells that nothing more comes before it.
    let rows = fixes.rows
    let beyond = instant.flatMap { instant in
      (start..<fixes.count).first { rows.at[$0] > instant.milliseconds }
    }
    let stop = beyond.map { $0 + 1 } ?? fixes.count
    do {
      try session.consume(rows, start..<stop) { lines, _ in keeper.add(lines) }
      if beyond == nil { keeper.add(try session.finish(at: end)) }
    } catch {
      throw .replay("\(error)")
    }
    next = beyond == nil ? nil : stop
  }

  struct Keeper {
    let quietHours: DailyWindow?
    let zone: UTCOffsetTable
    var collector = AnnouncementCollector()
    var transitions: [TransitionRecord] = []
    var decisions: [DecisionRecord] = []
    var regions: [(at: Timestamp, change: RegionChange)] = []
    var shown: [Timestamp] = []
    var timers: [Timestamp] = []
    var quietHourLeaks = 0

    mutating func add(_ lines: [ReplayLine]) {
      for line in lines {
        collector.add(line)
        switch line {
        case .transition(let transition): transitions.append(transition)
        case .decision(let decision): decisions.append(decision)
        case .regions(let at, let change): regions.append((at, change))
        case .wake(let at, .scheduled): timers.append(at)
        case .notification(let notification, let isUpdate):
          if !isUpdate { shown.append(notification.at) }
          let minute = zone.local(at: notification.at).minuteOfDay
          if quietHours?.contains(minuteOfDay: minute) ?? false { quietHourLeaks += 1 }
        default: break
        }
      }
    }
  }
}

extension ReplaySession {
  /// The session of a day that is scored.
  init(
    _ setup: ReplaySetup,
    _ person: Person,
    _ arrivals: ArrivalRecording? = nil
  ) throws(ScoringError) {
    do {
      self = try setup.session(for: person, arrivals: arrivals)
    } catch {
      throw .badReminders("\(error)")
    }
  }
}
