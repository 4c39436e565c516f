import CorpusFiles
import Scoring
import Tuning

/// Which of some person-days are recordings of one that was lived, and whose they are.
struct LivedDays {
  /// For each day a name that its person has on all days.
  let people: [String]
  /// For each day a number that all recordings of it have.
  let lived: [Int]
  /// Traces that have the very same bytes as one before them.
  private let twins: [(trace: String, other: String)]

  /// Compares days.
  ///
  /// - Parameter truths: what was true on each of them.
  init(_ days: [CorpusFolder.Day], _ truths: [DayTruth]) {
    let twins = CorpusFolder.twins(days)
    let known = zip(truths, days).map { (truth: $0, corpus: $1.corpus) }
    people = Folds.people(known, twins: twins)
    lived = Folds.lived(known, twins: twins)
    self.twins = zip(days, twins)
      .compactMap { day, twin in twin.map { (day.trace, days[$0].trace) } }
  }

  /// Says which files are there twice: they tell no more than once.
  func noteTwins() {
    guard let first = twins.first else { return }
    let others = twins.count - 1
    printError(
      "nearme: note: \(first.trace) is the same file as \(first.other)"
        + (others > 0
          ? ", and \(counted(others, "further trace")) \(others == 1 ? "is" : "are") there twice, too"
          : "")
        + ": each counts as one day for intervals"
    )
  }
}
