import Traces

extension FixColumns {
  /// Hands out the points in the order of the file.
  fileprivate func forEachPoint(_ body: (TraceRecord) -> Void) {
    var refused = refused[...]
    for row in 0...count {
      while let next = refused.first, next.row == row {
        body(TraceRecord(outcome: .refused(next.refusal), line: next.line))
        refused.removeFirst()
      }
      guard row < count else { return }
      body(
        TraceRecord(
          outcome: .fix(rows.fix(row)),
          accuracySource: rows.accuracySource(row),
          startsSegment: rows.startsSegment(row),
          line: rows.line[row]
        )
      )
    }
  }
}

extension TraceDoctor {
  /// Takes the next points in the order of the file.
  package mutating func examine(_ columns: FixColumns) {
    columns.forEachPoint { examine($0) }
  }
}

extension TraceRepair {
  /// Takes the next points in the order of the file.
  package mutating func add(_ columns: FixColumns) {
    columns.forEachPoint { add($0) }
  }
}
