import NearMeEngine
import Places
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
    truePath = FixColumns(day.path.fixes)
  }

  /// What the day adds to the scores of a corpus with a policy.
  ///
  /// The same sums as ``DayScore`` has for everything; parts and ledger are left out.
  ///
  /// - Parameter withTruePath: whether approaches are compared with those of a perfect monitor, which
  ///   takes a second replay; without it ``Metric/needsTruePath`` tells which scores do not count.
  /// - Complexity: one replay, or two.
  package func tally(
    _ policy: Policy,
    _ monitor: ScoredMonitor,
    withTruePath: Bool
  ) throws(ScoringError) -> Tally {
    let setup = ReplaySetup(policy: policy, catalog: catalog, monitor: monitor)
    let run = JudgedRun(
      try DayRun(fixes, fixSpans: fixSpans, of: day.person, setup),
      visits
    )
    var approaches: ApproachMatching?
    if withTruePath {
      let truth = try DayRun(
        truePath,
        fixSpans: [],
        of: day.person,
        CauseFinder.setup(setup, .truePath)
      )
      approaches = ApproachMatching(
        due: truth.announcements(of: .approach),
        told: run.run.announcements(of: .approach)
      )
    }
    var counter = DayCounter(day, visits, run, approaches, isCut: false)
    counter.countAll(setup)
    return counter.tallies[.all] ?? Tally()
  }
}
