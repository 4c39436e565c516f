import Geodesy
import Timeline

/// Where the person stays for long, learned from the stays: home and work, without asking.
///
/// The first place of a record counts after ten minutes, since records begin at home; any other
/// after an hour and a half.
///
/// - Complexity: O(familiar places) a fix at rest, at most `mostFamiliar`.
struct FamiliarPlaces: Hashable, Sendable, Codable {
  /// The one that was stayed at last is the last.
  private(set) var points: [SpacePoint] = []
  private var stay: Stay?
  private var isFirstStay = true

  private struct Stay: Hashable, Sendable, Codable {
    var began: Timestamp
    var mean: PlanePoint
    var count: Double
    /// Its place among the familiar ones, once it is one.
    var index: Int?
  }

  /// Takes in an estimate of where one is.
  mutating func observe(
    _ position: PlanePoint,
    at now: Timestamp,
    _ world: ArrivalWorld,
    _ plane: TangentPlane
  ) {
    let radiusSquared =
      world.settings.places.familiarRadiusMeters * world.settings.places.familiarRadiusMeters
    guard let before = stay, (position - before.mean).lengthSquared <= radiusSquared else {
      if stay != nil { isFirstStay = false }
      stay = Stay(began: now, mean: position, count: 1, index: nil)
      return
    }
    // The mean of many follows slowly.
    var current = before
    current.count = min(before.count + 1, world.settings.places.familiarMeanOf)
    current.mean = before.mean + (position - before.mean) * (1 / current.count)
    let needed =
      isFirstStay ? world.settings.places.familiarFirst : world.settings.places.familiarAfter
    if now - current.began >= needed { remember(&current, world, plane) }
    stay = current
  }

  private mutating func remember(
    _ stay: inout Stay,
    _ world: ArrivalWorld,
    _ plane: TangentPlane
  ) {
    let here = SpacePoint(plane.point(stay.mean))
    if let index = stay.index {
      points[index] = here
      return
    }
    let reach =
      world.settings.places.familiarRadiusMeters * world.settings.places.familiarRadiusMeters
    if let index = points.firstIndex(where: { $0.surface.chordSquared(to: here.surface) <= reach })
    {
      let known = points.remove(at: index)
      // Halfway: a second stay says as much as the first. Last: what was seen longest ago is forgotten first.
      points.append(
        SpacePoint(
          x: (known.x + here.x) / 2,
          y: (known.y + here.y) / 2,
          z: (known.z + here.z) / 2
        )
      )
      stay.index = points.count - 1
      return
    }
    if points.count >= max(world.settings.places.mostFamiliar, 1) { points.removeFirst() }
    points.append(here)
    stay.index = points.count - 1
  }

  /// Ends the stay in hand: the app has slept.
  mutating func endStay() {
    if stay != nil { isFirstStay = false }
    stay = nil
  }

  /// Moves the stay in hand by a way, on to another plane.
  mutating func shift(by way: PlanePoint) {
    guard var moved = stay else { return }
    moved.mean = moved.mean + way
    stay = moved
  }
}

/// A point in space that can be stored.
struct SpacePoint: Hashable, Sendable, Codable {
  var x: Double
  var y: Double
  var z: Double

  init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  init(_ point: SurfacePoint) { self.init(x: point.x, y: point.y, z: point.z) }

  var surface: SurfacePoint { SurfacePoint(x: x, y: y, z: z) }
}
