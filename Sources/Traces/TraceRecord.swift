/// One point of a trace file: a fix, or why it could not become one.
package struct TraceRecord: Hashable, Sendable {
  /// What became of a point.
  package enum Outcome: Hashable, Sendable {
    /// It is a fix.
    case fix(Fix)
    /// It is not, and this is why.
    case refused(FixRefusal)
  }

  /// The fix or the reason.
  package var outcome: Outcome
  /// Where the fix's accuracy comes from; of no meaning for a refusal.
  package var accuracySource: AccuracySource
  /// Whether this is the first fix of a segment: the device had been off or lost before it.
  package var startsSegment: Bool
  /// The line of the file on which the point begins, the first being 1.
  package var line: Int

  /// Makes a record.
  package init(
    outcome: Outcome,
    accuracySource: AccuracySource = .reported,
    startsSegment: Bool = false,
    line: Int
  ) {
    self.outcome = outcome
    self.accuracySource = accuracySource
    self.startsSegment = startsSegment
    self.line = line
  }

  /// The fix, or nil for a refusal.
  package var fix: Fix? {
    guard case .fix(let fix) = outcome else { return nil }
    return fix
  }
}
