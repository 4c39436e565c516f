import Arrivals
import Geodesy
import NearMeEngine
import Places
import Replay
import Traces

/// A person-day that is scored with many policies: what no policy changes is made once.
///
/// Unchecked: the columns are never changed after they were filled.
package struct PreparedDay: @unchecked Sendable {
  /// The day.
  package let day: PersonDay
  private let catalog: POICatalog
  private let visits: [TargetVisit]
  private let fixes: FixColumns
  private let fixSpans: [Double]
  private let truePath: FixColumns

  /// Prepares a day for one catalog.
  package init(_ day: PersonDay, catalog: POICatalog) {
    self.day = day
    self.catalog = catalog
    visits = TargetVisit.all(in: day.truth, of: day.person, catalog: catalog)
    fixes = FixColumns(day.fixes)
    fixSpans = DayRun.spans(day.fixes)
    truePath = FixColumns(day.truePathFixes)
  }

  /// What the arrival detector sees on the day, for all policies that share it.
  ///
  /// - Returns: nil where what it sees depends on more than the fixes.
  package func recording(_ evidence: SharedEvidence) -> ArrivalRecording? {
    let isPlain = day.person.actions.allSatisfy { action in
      switch action.kind {
      case .reminder, .focus, .signal: true
      case .incident: false
      }
    }
    guard isPlain, let first = evidence.settings.first else { return nil }
    var gate = FixGate()
    let believed = day.fixes.filter {
      gate.refuse($0, at: SurfacePoint($0.coordinate), evidence.gate) == nil
    }
    return ArrivalRecording(
      settings: first,
      catalog: catalog,
      places: day.person.places,
      for: evidence.settings.map(\.decision),
      fixes: believed
    )
  }

  /// What the day adds to the scores of a corpus with a policy, on a service.
  ///
  /// The same sums as ``DayScore`` has for everything; parts and ledger are left out.
  ///
  /// - Parameter withTruePath: whether approaches are compared with those of a perfect monitor, which
  ///   takes a second replay; without it ``Metric/needsTruePath`` tells which scores do not count.
  /// - Parameter arrivals: a recording of ``recording(_:)`` for the policy; changes nothing but the time.
  /// - Complexity: one replay, or two.
  package func tally(
    _ setup: ReplaySetup,
    withTruePath: Bool,
    arrivals: ArrivalRecording? = nil
  ) throws(ScoringError) -> Tally {
    let run = JudgedRun(
      try DayRun(
        fixes,
        until: day.end,
        fixSpans: fixSpans,
        of: day.person,
        setup,
        arrivals
      ),
      visits,
      of: day
    )
    var approaches: ApproachMatching?
    if withTruePath {
      let truth = try DayRun(
        truePath,
        until: day.end,
        fixSpans: [],
        of: day.person,
        CauseFinder.setup(setup, .truePath)
      )
      approaches = ApproachMatching(
        due: truth.announcements(of: .approach),
        told: run.run.announcements(of: .approach)
      )
    }
    var counter = DayCounter(day, visits: visits, actual: run, approaches: approaches, isCut: false)
    counter.countAll(setup)
    return counter.tallies[.all] ?? Tally()
  }

  /// Why the person was told what, and was not, with a policy: a line for each visit and notification.
  ///
  /// - Complexity: up to seven replays.
  package func ledger(_ setup: ReplaySetup) throws(ScoringError) -> [LedgerEntry] {
    try DayScore(day, setup, keepsLedger: true).ledger
  }
}
