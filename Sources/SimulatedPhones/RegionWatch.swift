import Geodesy
import Timeline
import Traces

/// A circle on the phone.
package struct PhoneRegion: Hashable, Sendable {
  /// The name that the app shows; on an iPhone the system's identifier.
  package let name: String
  /// The id that came with it; OwnTracks for iOS alone keeps one.
  package let rid: String?
  /// The time that came with it, in Unix seconds.
  package let seconds: Int
  /// The middle.
  package let center: Coordinate
  /// The radius in meters.
  package let radiusMeters: Double
}

/// The system's watch over an app's regions: coming in and going out of each is reported at the first fix beyond the
/// boundary, or between two fixes where the way between them leads through.
struct RegionWatch: Hashable, Sendable {
  /// A crossing of one region.
  struct Crossing: Hashable, Sendable {
    let region: PhoneRegion
    let isEnter: Bool
  }

  private struct Watched: Hashable, Sendable {
    let region: PhoneRegion
    /// Nil: not known yet, so that being inside will be reported as coming in.
    var isInside: Bool?
  }

  /// Two fixes further apart say nothing of the way between them.
  private static let longestGap = Milliseconds.minutes(10)

  private var watched: [Watched] = []
  private var last: Fix?

  var regions: [PhoneRegion] { watched.map(\.region) }

  func contains(name: String) -> Bool { watched.contains { $0.region.name == name } }

  /// Begins to watch.
  ///
  /// - Parameter reportsInside: whether standing in it is reported as coming in.
  mutating func start(_ region: PhoneRegion, reportsInside: Bool) {
    let isInside = last.map { contains(region, $0.coordinate) }
    watched.append(Watched(region: region, isInside: reportsInside ? nil : isInside ?? false))
  }

  mutating func stop(name: String) { watched.removeAll { $0.region.name == name } }
  mutating func stop(seconds: Int) { watched.removeAll { $0.region.seconds == seconds } }
  mutating func stopAll() { watched = [] }

  /// What is reported now of regions whose state was not known.
  mutating func settle() -> [Crossing] {
    guard let last else { return [] }
    var crossings: [Crossing] = []
    for i in watched.indices where watched[i].isInside == nil {
      let isInside = contains(watched[i].region, last.coordinate)
      watched[i].isInside = isInside
      if isInside { crossings.append(Crossing(region: watched[i].region, isEnter: true)) }
    }
    return crossings
  }

  /// Takes in a fix.
  mutating func take(_ fix: Fix) -> [Crossing] {
    let way = last.flatMap { fix.at - $0.at <= Self.longestGap ? $0.coordinate : nil }
    last = fix
    var crossings: [Crossing] = []
    for i in watched.indices {
      let region = watched[i].region
      let was = watched[i].isInside ?? false
      let isInside = contains(region, fix.coordinate)
      watched[i].isInside = isInside
      if isInside != was {
        crossings.append(Crossing(region: region, isEnter: isInside))
      } else if !isInside, let way, passes(region, from: way, to: fix.coordinate) {
        crossings.append(Crossing(region: region, isEnter: true))
        crossings.append(Crossing(region: region, isEnter: false))
      }
    }
    return crossings
  }

  private func contains(_ region: PhoneRegion, _ coordinate: Coordinate) -> Bool {
    region.center.distanceMeters(to: coordinate) <= region.radiusMeters
  }

  /// Whether the straight way leads through a region.
  private func passes(_ region: PhoneRegion, from start: Coordinate, to end: Coordinate) -> Bool {
    let plane = LocalPlane(origin: region.center)
    let (a, b) = (plane.point(start), plane.point(end))
    let (east, north) = (b.east - a.east, b.north - a.north)
    let lengthSquared = east * east + north * north
    guard lengthSquared > 0 else { return false }
    let share = min(1, max(0, -(a.east * east + a.north * north) / lengthSquared))
    let (x, y) = (a.east + share * east, a.north + share * north)
    return x * x + y * y <= region.radiusMeters * region.radiusMeters
  }
}
