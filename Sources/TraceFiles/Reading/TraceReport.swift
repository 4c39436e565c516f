import Timeline
import Traces

/// What a trace file held, counted while it was read.
package struct TraceReport: Hashable, Sendable {
  /// The format of the file; nil while it is not known.
  package internal(set) var format: TraceFormat?
  /// How the file was understood, where that is a guess: the columns of a table.
  package internal(set) var understanding: String?
  /// Points delivered, refusals included.
  package internal(set) var points = 0
  /// Points that became fixes.
  package internal(set) var fixes = 0
  /// Points of the other kinds, which were left out.
  package internal(set) var pointsOfOtherKinds = 0
  /// Fixes whose accuracy the device reported.
  package internal(set) var accuracyReported = 0
  /// Fixes whose accuracy is modeled from the dilution of precision.
  package internal(set) var accuracyFromHDOP = 0
  /// Fixes that were given the default accuracy.
  package internal(set) var accuracyAssumed = 0
  /// The model behind the last two.
  package let accuracyModel: AccuracyModel
  /// Whether times of a table or JSON have named no zone; where none is assumed the first tells.
  package internal(set) var haveTimesNoZone = false
  /// What the file could mean as well, and how it was taken, each as a sentence.
  package internal(set) var doubts: [String] = []
  /// The zone that was assumed for them; nil if none was, and they are of UTC.
  package let assumedZone: String?

  private var refusedCounts = [Int](repeating: 0, count: FixRefusal.allCases.count)

  init(_ options: TraceOptions) {
    accuracyModel = options.accuracyModel
    assumedZone = options.assumedZone?.identifier
  }

  /// The reasons for which points were refused, in the order of their declaration, with counts.
  package var refusals: [(reason: FixRefusal, count: Int)] {
    zip(FixRefusal.allCases, refusedCounts).filter { $0.1 > 0 }.map { (reason: $0, count: $1) }
  }

  /// How many points were refused for a reason.
  package func refused(_ reason: FixRefusal) -> Int {
    FixRefusal.allCases.firstIndex(of: reason).map { refusedCounts[$0] } ?? 0
  }

  /// What of the file was passed over before it could be a point, as a sentence; nil if nothing was.
  package var passedOver: String? { format == .csv ? nil : understanding }

  /// What times without a zone were taken as, as a sentence for a report of a command with `--assume-zone`; nil if
  /// there were none.
  package var zoneSentence: String? {
    guard haveTimesNoZone else { return nil }
    return "times without a zone taken as "
      + (assumedZone ?? "UTC, --assume-zone says otherwise")
  }

  /// How its times and columns were taken where that is a question, as sentences for a report.
  package var guesses: [String] { (zoneSentence.map { [$0] } ?? []) + doubts }

  /// How the fixes came by their accuracy, as a sentence for a report.
  package var accuracySentence: String {
    var parts: [String] = []
    if accuracyReported > 0 { parts.append("reported for \(accuracyReported)") }
    if accuracyFromHDOP > 0 {
      parts.append("\(accuracyModel.metersPerHDOP) m × hdop for \(accuracyFromHDOP)")
    }
    if accuracyAssumed > 0 {
      parts.append("taken as \(accuracyModel.defaultMeters) m for \(accuracyAssumed)")
    }
    return parts.isEmpty ? "no fixes" : "accuracy " + parts.joined(separator: ", ")
  }

  mutating func count(_ columns: FixColumns) {
    points += columns.pointCount
    fixes += columns.count
    let rows = columns.rows
    var modeled = 0
    var assumed = 0
    for row in 0..<columns.count {
      switch rows.accuracySource(row) {
      case .reported: break
      case .modeledFromHDOP: modeled += 1
      case .assumed: assumed += 1
      }
    }
    accuracyReported += columns.count - modeled - assumed
    accuracyFromHDOP += modeled
    accuracyAssumed += assumed
    for refused in columns.refused {
      if let index = FixRefusal.allCases.firstIndex(of: refused.refusal) {
        refusedCounts[index] += 1
      }
    }
  }
}
