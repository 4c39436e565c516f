import Geodesy
import Timeline

/// Whether positions show a walk, whatever speeds say: step by step and at a walker's pace, as no position jumps or drifts.
///
/// - Complexity: O(1) a fix.
struct WalkWatch: Hashable, Sendable, Codable {
  private var start: PlanePoint
  private var startedAt: Timestamp
  /// How far from the start one was at the fix before, in meters.
  private var meters = 0.0
  /// How many stretches of a walk have followed each other.
  private var stretches = 0

  init(at now: Timestamp, _ position: PlanePoint) {
    (start, startedAt) = (position, now)
  }

  /// Whether one is walking, as far as is known: a position that follows a jump may look so for one stretch.
  func isWalking(at now: Timestamp, _ world: ArrivalWorld) -> Bool {
    stretches > 1 && (now - startedAt).seconds <= Self.longest(world)
  }

  /// Takes in where one is thought to be.
  ///
  /// - Returns: how far one has walked, in meters, where a stretch ends; else 0.
  mutating func observe(
    _ position: PlanePoint,
    at now: Timestamp,
    _ world: ArrivalWorld
  ) -> Double {
    let before = meters
    meters = (position - start).lengthSquared.squareRoot()
    guard meters > world.settings.habits.stayMeters else { return 0 }
    let seconds = (now - startedAt).seconds
    let isStretch =
      before > world.settings.habits.stayMeters / 3 && seconds <= Self.longest(world)
      && meters <= world.settings.motion.walkingTopMetersPerSecond * seconds
    let walked = isStretch ? meters : 0
    stretches = isStretch ? stretches + 1 : 0
    (start, startedAt, meters) = (position, now, 0)
    return walked
  }

  /// Moves by the same way, on to another plane.
  mutating func shift(by way: PlanePoint) { start = start + way }

  /// The seconds that the slowest walker takes for a stretch.
  private static func longest(_ world: ArrivalWorld) -> Double {
    world.settings.habits.stayMeters / world.settings.habits.leastWalkMetersPerSecond
  }
}
