import Fencing
import Geodesy
import NearMeEngine
import Replay
import Timeline
import Traces

/// What all explanations of one day share: how it went, and what is found out once and only when asked.
package struct DayInquiry {
  let fixes: [Fix]
  let person: Person
  let setup: ReplaySetup
  /// The truth, if it is known.
  let day: PersonDay?
  /// The fixes that the gate let through.
  let used: [Fix]
  /// What the day came to.
  package let run: DayRun
  private var foundLedger: [LedgerEntry]?
  private var foundAwakeRun: DayRun?

  /// Replays the day.
  ///
  /// - Parameter day: the truth, if it is known.
  /// - Complexity: one replay.
  package init(
    _ fixes: [Fix],
    of person: Person,
    _ setup: ReplaySetup,
    day: PersonDay?
  ) throws(ScoringError) {
    self.fixes = fixes
    self.person = person
    self.setup = setup
    self.day = day
    var gate = FixGate()
    used = fixes.filter {
      gate.refuse($0, at: SurfacePoint($0.coordinate), setup.policy.gate) == nil
    }
    run = try DayRun(fixes, until: day?.end, of: person, setup)
  }

  /// Whether arrivals are weighed; an app that sleeps and cannot follow goes by the radius.
  package var isWeighed: Bool {
    setup.policy.fencing.arrivalDetection == .posterior
      && (setup.service == .stream || setup.policy.monitor.longestWeighing.value > 0)
  }

  /// Every visit and every notification with its cause; empty where no truth is known.
  ///
  /// - Complexity: up to nine replays the first time.
  package mutating func ledger() throws(ScoringError) -> [LedgerEntry] {
    if let foundLedger { return foundLedger }
    var ledger: [LedgerEntry] = []
    if let day { ledger = try DayScore(day, setup, keepsLedger: true).ledger }
    foundLedger = ledger
    return ledger
  }

  /// The day with every fix passed on at once.
  ///
  /// - Complexity: one replay the first time.
  mutating func awakeRun() throws(ScoringError) -> DayRun {
    if let foundAwakeRun { return foundAwakeRun }
    let run = try DayRun(
      fixes,
      until: day?.end,
      of: person,
      CauseFinder.setup(setup, .everyFix)
    )
    foundAwakeRun = run
    return run
  }
}
