import Geodesy
import Timeline
import Traces

/// Where the phone was, as columns of whole numbers, each the difference to the one before it.
///
/// A day of 86,400 fixes has some 1.3 MB as JSON.
package struct DayTrack: Sendable, Codable {
  /// Degrees are counted in these.
  static let unitDegrees = 1e-6

  /// How many milliseconds a unit of ``at`` has: 1,000 where all fixes are of full seconds.
  package let unitMilliseconds: Int
  /// Instants, the first from the day's ``DayReport/start``.
  package let at: [Int]
  /// Latitudes in millionths of a degree.
  package let latitude: [Int]
  /// Longitudes in millionths of a degree.
  package let longitude: [Int]
  /// Horizontal accuracies in meters; no differences.
  package let accuracyMeters: [Int]
  /// Speeds in tenths of a meter a second, by the receiver or else from the way.
  ///
  /// -1 where there is none; no differences.
  package let speed: [Int]
  /// The rows that begin a segment of the trace.
  package let segments: [Int]
  /// The rows that the app was given, as pairs of a first and a last one: in between it slept.
  package let seen: [[Int]]

  /// Makes the columns.
  ///
  /// - Parameter fixes: in order of time.
  /// - Parameter segments: the rows that begin a segment.
  /// - Parameter seen: for each row whether the app was given it.
  init(_ fixes: [Fix], from start: Timestamp, segments: [Int], seen: [Bool]) {
    let unit: Int64 = fixes.allSatisfy { ($0.at - start).value % 1_000 == 0 } ? 1_000 : 1
    unitMilliseconds = Int(unit)
    var (at, latitude, longitude) = ([Int](), [Int](), [Int]())
    var (accuracy, speed) = ([Int](), [Int]())
    var last = (at: Int64(0), latitude: 0, longitude: 0)
    for (i, fix) in fixes.enumerated() {
      let now = (
        at: (fix.at - start).value / unit,
        latitude: Int((fix.coordinate.latitude / Self.unitDegrees).rounded()),
        longitude: Int((fix.coordinate.longitude / Self.unitDegrees).rounded())
      )
      at.append(Int(now.at - last.at))
      latitude.append(now.latitude - last.latitude)
      longitude.append(now.longitude - last.longitude)
      accuracy.append(Int(min(fix.horizontalAccuracyMeters, 1e6).rounded()))
      let measured =
        fix.speedMetersPerSecond ?? (i > 0 ? Self.speed(from: fixes[i - 1], to: fix) : nil)
      speed.append(measured.map { Int(($0.clamped(to: 0...1_000) * 10).rounded()) } ?? -1)
      last = now
    }
    (self.at, self.latitude, self.longitude) = (at, latitude, longitude)
    (accuracyMeters, self.speed) = (accuracy, speed)
    self.segments = segments
    self.seen = Self.runs(seen)
  }

  /// Where the phone was, in order.
  package var coordinates: [Coordinate] {
    var (north, east) = (0, 0)
    return zip(latitude, longitude)
      .map { latitude, longitude in
        north += latitude
        east += longitude
        return Coordinate(
          uncheckedLatitude: Double(north) * Self.unitDegrees,
          longitude: Double(east) * Self.unitDegrees
        )
      }
  }

  /// The speed on the straight way between two fixes; nil where they are too far apart in time.
  private static func speed(from last: Fix, to fix: Fix) -> Double? {
    let seconds = (fix.at - last.at).seconds
    guard seconds > 0, seconds <= 120 else { return nil }
    return last.coordinate.distanceMeters(to: fix.coordinate) / seconds
  }

  private static func runs(_ seen: [Bool]) -> [[Int]] {
    var runs: [[Int]] = []
    for row in seen.indices where seen[row] {
      if let last = runs.last, last[1] == row - 1 {
        runs[runs.count - 1][1] = row
      } else {
        runs.append([row, row])
      }
    }
    return runs
  }
}

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
