import Arrivals
import Fencing
import Places
import Timeline

/// The engine, to be looked at and to be tried.
extension Engine {
  /// What survives.
  public var state: EngineState {
    EngineState(
      now: now,
      wakeAt: wakeAt,
      roster: roster,
      surroundings: surroundings,
      places: places.state,
      clock: clock.state,
      signals: signals.state,
      waiting: waiting,
      screen: screen,
      regions: regions.state
    )
  }

  /// An engine of the same make that begins with a stored state, as after a restart.
  package func restarted(with state: EngineState) -> Engine {
    Engine(
      policy: policy,
      zone: zone,
      zones: zones.value,
      tones: tones.value,
      catalog: catalog,
      monitoring: monitoring,
      chooser: regions.chooser,
      state: state
    )
  }

  /// When a reminder speaks next by a time that is known: when its schedules ring next, ahead of their times too, when it nags,
  /// when what has come may be told, and at the end of its snooze.
  ///
  /// - Returns: so many times at most, the soonest first; none where it waits for a place or a signal.
  /// - Complexity: O(alarms + count), and for each time the changes of its conditions up to when it is told.
  public func nextTimes(ofReminder id: String, _ count: Int = 1) -> [Timestamp] {
    guard let reminder = roster[id], reminder.isLive else { return [] }
    // What comes while its conditions let nothing through is told when they do.
    var times: [Timestamp] = []
    // What is asked is only when, wherever one is.
    let world = GateWorld(policy: policy, zone: zone, roster: Roster())
    for time in clock.next(4 * count + 4, reminder: id) {
      guard let told = reminder.firstHolding(from: time, world), times.last != told else {
        continue
      }
      times.append(told)
    }
    times = Set(times + whenWaitsEnd(ofReminder: id)).sorted()
    let hasLeads = reminder.triggers.contains {
      if case .schedule(let schedule) = $0 { !schedule.leads.isEmpty } else { false }
    }
    if reminder.endsBy == .once, !hasLeads { times = Array(times.prefix(1)) }
    // What is told again until it is answered.
    times += waiting.occasions.compactMap {
      $0.reminder == id && $0.silence == .nag ? $0.until : nil
    }
    times.sort()
    if case .until(let end) = reminder.snooze {
      // At its end is told what it holds back; where that is nothing, nothing is told then.
      let silentUntil =
        roster.isSnoozedToday(id) ? zone.instant(of: zone.local(at: end).date, minuteOfDay: 0) : end
      let holds =
        waiting.occasions.contains { $0.reminder == id } || times.contains { $0 <= silentUntil }
      let told = holds ? reminder.firstHolding(from: end, world) : nil
      times = Set(times.filter { $0 > silentUntil } + [told].compactMap(\.self)).sorted()
    }
    if let end = reminder.end(in: zone) { times.removeAll { $0 >= end } }
    return Array(times.prefix(count))
  }

  /// When times that have come and wait for hours, for days or for the end of quiet hours are told.
  private func whenWaitsEnd(ofReminder id: String) -> [Timestamp] {
    waiting.occasions.compactMap { waits in
      guard waits.reminder == id, case .due = waits.key.happening, let until = waits.until
      else { return nil }
      return switch waits.silence {
      case .outsideWindow, .outsideDates, .quietHours: until
      default: nil
      }
    }
  }

  /// The points of interest.
  public var catalog: POICatalog { places.catalog }
  /// When the host is to send ``Event/Kind/timer``; nil if at no time.
  public var nextTimer: Timestamp? { policy.schedules.timers == .allowed ? wakeAt : nil }
  /// The newest instant that has been handled; nil before the first event.
  public var newestInstant: Timestamp? { now }
  /// Whether the present regions leave anything at risk.
  package var isAtRisk: Bool { regions.state.certificate.map { !$0.atRisk.isEmpty } ?? false }
  /// What the machine did, whatever its speed.
  package var effort: EngineEffort {
    var effort = places.effort
    effort.listeners = signals.touched
    return effort
  }
  /// What waits for the reason of its silence to end, oldest first.
  package var waitingNow: [Occasion] { waiting.occasions }
  /// What finds arrivals; nil where a radius decides.
  package var arrivalDetector: ArrivalDetector? { places.arrivalDetector }
  /// Whether the detector looks at silence also where nothing can be decided; for explanations.
  package var looksAtEveryTick: Bool {
    get { places.looksAtEveryTick }
    set { places.looksAtEveryTick = newValue }
  }

  /// Whether the arrival detector can be looked after at an instant without a fix.
  package func isAwake(at instant: Timestamp) -> Bool {
    places.isAwake(at: instant, until: regions.state.followUntil)
  }

  /// Checks by brute force what the present certificate promises; while a position has been asked for,
  /// it promises nothing.
  ///
  /// - Returns: what is wrong; nothing where every fix is handed over.
  /// - Complexity: O(boundaries · points · regions): for tests and for `replay --check-certificate`.
  public func certificateViolations() -> [CertificateCheck.Violation] {
    monitoring == .everyFix ? [] : regions.violations(places.ladderView)
  }

  /// Whether arrivals on a stream are weighed under a policy.
  package static func weighsStreams(_ policy: Policy) -> Bool {
    PlaceWatch.fencing(policy, .everyFix).arrivalDetection == .posterior
  }

  /// Has the arrivals on the coming fixes found by another source than the detector.
  package mutating func findArrivals(with source: any ArrivalSource) {
    places.findArrivals(with: source)
  }
}
