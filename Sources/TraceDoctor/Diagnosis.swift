import Timeline
import Traces

/// What a doctor found in a trace.
package struct Diagnosis: Hashable, Sendable {
  /// Points delivered, refusals included.
  package internal(set) var points = 0
  /// Points that are fixes.
  package internal(set) var fixes = 0
  /// The earliest instant.
  package private(set) var start: Timestamp?
  /// The latest instant.
  package private(set) var end: Timestamp?
  /// Segments that hold a fix.
  package internal(set) var segments = 0
  /// The median time between fixes.
  package internal(set) var usualIntervalSeconds: Double?
  /// The longest time between fixes.
  package internal(set) var longestSilenceSeconds = 0.0
  /// How many fixes came by their accuracy in each way, in the order of `AccuracySource`.
  package private(set) var accuracyCounts = AccuracySource.allCases.map { _ in 0 }
  /// Whether the accuracies are to be believed, for each source in the order of `AccuracySource`.
  package internal(set) var accuracy: [AccuracyJudgment] = []
  /// Whether the reported speeds are to be believed.
  package internal(set) var speed = SpeedJudgment(
    stretches: 0,
    reportedByTraveled: nil,
    verdict: .tooFew
  )

  /// What the receiver says of speed and accuracy.
  package private(set) var receiver = ReceiverHabits()

  private var tallies = FindingKind.allCases.map(FindingTally.init(kind:))

  init() {}

  /// What was found, in the order of the kinds.
  package var findings: [FindingTally] { tallies.filter { $0.count > 0 } }

  /// How many findings of a kind there are.
  package func count(_ kind: FindingKind) -> Int { tally(kind).count }

  /// The findings of a kind.
  package func tally(_ kind: FindingKind) -> FindingTally { tallies[kind.index] }

  /// Whether a replay would be distorted.
  ///
  /// - Parameter allowed: kinds that are accepted.
  package func isDistorted(allowing allowed: Set<FindingKind> = []) -> Bool {
    findings.contains { $0.kind.severity == .distorts && !allowed.contains($0.kind) }
  }

  /// The whole diagnosis in one line, without the name of the trace.
  package var summaryLine: String {
    guard fixes > 0 else { return "no fixes" }
    let distorting = findings.filter { $0.kind.severity == .distorts }
    let noted = findings.filter { $0.kind.severity == .note }
    var line =
      distorting.isEmpty
      ? "nothing would distort a replay" : "would distort a replay: " + Self.list(distorting)
    if !noted.isEmpty { line += "; also " + Self.list(noted) }
    return line
  }

  private static func list(_ tallies: [FindingTally]) -> String {
    tallies.map { $0.count == 1 ? $0.kind.rawValue : "\($0.count) \($0.kind.rawValue)" }
      .joined(separator: ", ")
  }

  mutating func add(_ finding: Finding, keeping limit: Int) {
    tallies[finding.kind.index].add(finding, keeping: limit)
  }

  mutating func note(_ fix: Fix, _ source: AccuracySource) {
    fixes += 1
    receiver.note(fix, source)
    accuracyCounts[Int(source.rawValue)] += 1
    start = start.map { min($0, fix.at) } ?? fix.at
    end = end.map { max($0, fix.at) } ?? fix.at
  }
}

extension FindingKind {
  /// The place in the order of declaration.
  fileprivate var index: Int {
    guard let index = Self.allCases.firstIndex(of: self) else {
      preconditionFailure("every case is one of all cases")
    }
    return index
  }
}
