import Basics
import Geodesy
import Timeline

/// Since when one has not been farther away than some meters, silence included.
///
/// It lasts on every phone: it needs no speed, no cadence and no silence.
///
/// - Complexity: O(1) a fix.
struct Staying: Hashable, Sendable, Codable {
  /// Since when.
  private(set) var began: Timestamp
  private var mean: PlanePoint
  private var count = 1.0

  init(at now: Timestamp, _ position: PlanePoint) {
    began = now
    mean = position
  }

  /// Takes in where one is thought to be.
  ///
  /// - Returns: how far one has gone, in meters, if that ends the stay; else 0.
  mutating func observe(
    _ position: PlanePoint,
    at now: Timestamp,
    _ settings: HabitSettings
  ) -> Double {
    let squared = (position - mean).lengthSquared
    if squared > settings.stayMeters * settings.stayMeters {
      self = Staying(at: now, position)
      return squared.squareRoot()
    }
    count = min(count + 1, settings.stayMeanOf)
    mean = mean + (position - mean) * (1 / count)
    return 0
  }

  /// What it counts for at an instant.
  func term(at now: Timestamp, _ settings: HabitSettings) -> Double {
    let seconds = min(max((now - began).seconds, 0), settings.stayMostSeconds)
    return naturalLogarithm(1 + seconds / settings.stayUnitSeconds)
  }

  /// Moves by the same way, on to another plane.
  mutating func shift(by way: PlanePoint) { mean = mean + way }
}
