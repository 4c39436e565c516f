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

  /// The record with a time.
  mutating func timed(_ record: TraceRecord) -> TraceRecord {
    guard case .fix(var fix) = record.outcome else { return record }
    defer { last = fix.coordinate }
    guard fix.at == PointBuilder.untimed else {
      start = fix.at
      seconds = 0
      return record
    }
    if let last { seconds += last.distanceMeters(to: fix.coordinate) / speedMetersPerSecond }
    fix.at = start + Milliseconds(Int64((seconds * 1_000).rounded()))
    var record = record
    record.outcome = .fix(fix)
    return record
  }
}
