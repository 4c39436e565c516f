import Geodesy
import Timeline
import Traces

/// Gives points without a time the one at which an even movement would have passed them.
///
/// A point with a time of its own sets the clock.
struct AssumedClock {
  private let speedMetersPerSecond: Double
  private var last: Coordinate?
  private var seconds = 0.0
  private var start: Timestamp

  init(_ motion: TraceOptions.AssumedMotion) {
    speedMetersPerSecond = motion.speedMetersPerSecond
    start = motion.start
  }

  /// Gives the fixes among some points their times.
  mutating func time(_ columns: FixColumns) {
    let rows = columns.rows
    for row in 0..<columns.count {
      let here = rows.fix(row).coordinate
      defer { last = here }
      guard rows.at[row] == PointBuilder.untimed.milliseconds else {
        start = Timestamp(milliseconds: rows.at[row])
        seconds = 0
        continue
      }
      if let last { seconds += last.distanceMeters(to: here) / speedMetersPerSecond }
      let most = Double(max(0, RFC3339.writable.upperBound.milliseconds - start.milliseconds))
      let passed = min((seconds * 1_000).rounded(), most)
      rows.at[row] = (start + Milliseconds(Int64(passed))).milliseconds
    }
  }
}
