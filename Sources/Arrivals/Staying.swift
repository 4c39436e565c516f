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
  /// Where one was when one was last found to have gone, and when; nil in states of earlier versions.
  ///
  /// The mean goes along with who walks slowly, and this does not.
  private var anchor: PlanePoint?
  private var anchoredAt: Timestamp?

  init(at now: Timestamp, _ position: PlanePoint) {
    began = now
    mean = position
    (anchor, anchoredAt) = (position, now)
  }

  /// For how long one has not been farther from one spot.
  func hasLasted(at now: Timestamp) -> Milliseconds {
    anchoredAt.map { now - $0 } ?? .seconds(0)
  }

  /// Takes in where one is thought to be.
  ///
  /// - Returns: how far one has gone, in meters, if that ends the stay; else 0.
  mutating func observe(
    _ position: PlanePoint,
    at now: Timestamp,
    _ settings: HabitSettings
  ) -> Double {
    let away = anchor.map { (position - $0).lengthSquared } ?? .infinity
    if away > settings.stayMeters * settings.stayMeters { (anchor, anchoredAt) = (position, now) }
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
  mutating func shift(by way: PlanePoint) {
    mean = mean + way
    anchor = anchor.map { $0 + way }
  }
}
