import Traces

/// What a receiver says in its fixes, whatever it is worth.
package struct ReceiverHabits: Hashable, Sendable {
  /// How many fixes have a speed.
  package private(set) var speeds = 0
  /// In how many of them it is exactly 0.
  package private(set) var zeroSpeeds = 0
  /// The least and the greatest accuracy that was reported, in meters; nil where none was.
  package private(set) var accuracyMeters: ClosedRange<Double>?

  mutating func note(_ fix: Fix, _ source: AccuracySource) {
    if let speed = fix.speedMetersPerSecond, speed.isFinite, speed >= 0 {
      speeds += 1
      if speed == 0 { zeroSpeeds += 1 }
    }
    let meters = fix.horizontalAccuracyMeters
    guard source == .reported, meters.isFinite else { return }
    accuracyMeters =
      accuracyMeters.map {
        min($0.lowerBound, meters)...max($0.upperBound, meters)
      } ?? meters...meters
  }
}
