import Geodesy
import Places
import Timeline
import Traces

/// What a ladder stands around: one point, or all points of a category as one target.
public enum FenceTarget: Hashable, Sendable {
  /// A user's own place; with an arrival disc of its own.
  case place(id: String, coordinate: Coordinate)
  /// A category of the catalog, by slot; nil if the catalog has none of it.
  case category(slot: Int?)
}

/// What a fix sees of a target, with what it was that it saw.
public struct TargetSighting: Sendable {
  /// The distances that ladders climb by.
  public var sight: TargetSight
  /// Catalog index of the nearest point; nil for places.
  public var nearestPOI: Int?
  /// Catalog index of the point with the nearest arrival disc; nil for places.
  public var arrivalPOI: Int?
  /// Catalog index of the point that was passed nearest on the way from the fix before.
  public var passedPOI: Int?
}

/// Where the phone is, and how it got there from the fix before.
public struct Whereabouts: Sendable {
  /// The fix.
  public let fix: Fix
  /// The fix's point in space.
  public let point: SurfacePoint
  /// The point of the fix before, if the straight way from there counts as traveled.
  public let cameFrom: SurfacePoint?

  /// Makes whereabouts; the way from the fix before counts up to a gap.
  ///
  /// - Source: engine specification, transitions, rule 6: a gap of at most 10 minutes and a
  ///   plausible speed. Jumps never get here: the gate holds them back.
  public init(fix: Fix, previous: Fix?, _ settings: FencingSettings, _ gate: FixGateSettings) {
    self.init(fix: fix, at: SurfacePoint(fix.coordinate), previous: previous, settings, gate)
  }

  /// The same, where the fix's point is known.
  package init(
    fix: Fix,
    at point: SurfacePoint,
    previous: Fix?,
    _ settings: FencingSettings,
    _ gate: FixGateSettings
  ) {
    self.fix = fix
    self.point = point
    guard let previous, previous.at < fix.at,
      fix.at - previous.at <= settings.crossingGap
    else {
      cameFrom = nil
      return
    }
    let from = SurfacePoint(previous.coordinate)
    let reach = gate.jumpSpeedMetersPerSecond * max(1, (fix.at - previous.at).seconds)
    cameFrom = from.chordSquared(to: point) <= reach * reach ? from : nil
  }

  /// What is seen of a target from here.
  ///
  /// - Parameter approachesAhead: the radii of approaches that have not been entered, the largest
  ///   first: a pass outside all of them need not be found.
  /// - Complexity: O(log n) for a category, and O(points near the way) where the way may cross.
  public func sight(
    of target: FenceTarget,
    arrival: DiscRadius?,
    approachesAhead: [Double],
    in catalog: POICatalog
  ) -> TargetSighting? {
    var near = NearbyPoints()
    return sight(
      of: target,
      arrival: arrival,
      approachesAhead: approachesAhead,
      in: catalog,
      &near
    )
  }

  /// The same, looked for among the points near the position before.
  package func sight(
    of target: FenceTarget,
    arrival: DiscRadius?,
    approachesAhead: [Double],
    in catalog: POICatalog,
    _ near: inout NearbyPoints
  ) -> TargetSighting? {
    switch target {
    case .place(_, let coordinate):
      let center = SurfacePoint(coordinate)
      let distance = point.distanceMeters(to: center)
      var sight = TargetSight(
        distanceMeters: distance,
        arrivalSlackMeters: distance - (arrival?.leastMeters ?? -.infinity)
      )
      if let cameFrom, approachesAhead.contains(where: { $0 < distance }) {
        sight.passingDistanceMeters = passingDistance(of: center, from: cameFrom)
      }
      return TargetSighting(sight: sight)
    case .category(let slot):
      guard let slot, let nearest = catalog.nearest(slot: slot, to: point, &near) else {
        // Of a part of a catalog, none is known to be near: that is seen, too.
        return catalog.knownMeters == .infinity
          ? nil
          : TargetSighting(
            sight: TargetSight(
              distanceMeters: catalog.knownMeters,
              arrivalSlackMeters: catalog.knownMeters
            )
          )
      }
      var sighting = TargetSighting(
        sight: TargetSight(
          distanceMeters: nearest.distanceMeters,
          arrivalSlackMeters: .infinity
        ),
        nearestPOI: nearest.index
      )
      if let arrival, let edge = catalog.nearestEdge(slot: slot, to: point, of: arrival, &near) {
        sighting.sight.arrivalSlackMeters = edge.slackMeters
        sighting.arrivalPOI = edge.index
      }
      if let cameFrom, let ringAhead = approachesAhead.first(where: { $0 < nearest.distanceMeters })
      {
        lookAlongTheWay(from: cameFrom, slot: slot, ringAhead: ringAhead, catalog, &near, &sighting)
      }
      return sighting
    }
  }

  /// The least distance from a point to the straight way here.
  ///
  /// - Precision: the way is a chord, which runs at most 0.4 m below the surface for 4.5 km and
  ///   70 m for the 60 km of a ten-minute gap; rings are miles.
  private func passingDistance(of target: SurfacePoint, from start: SurfacePoint) -> Double {
    let way = SurfacePoint(x: point.x - start.x, y: point.y - start.y, z: point.z - start.z)
    let lengthSquared = way.x * way.x + way.y * way.y + way.z * way.z
    guard lengthSquared > 0 else { return point.distanceMeters(to: target) }
    let dot =
      (target.x - start.x) * way.x + (target.y - start.y) * way.y + (target.z - start.z) * way.z
    let share = min(1, max(0, dot / lengthSquared))
    let nearest = SurfacePoint(
      x: start.x + share * way.x,
      y: start.y + share * way.y,
      z: start.z + share * way.z
    )
    return arcMeters(chordSquared: nearest.chordSquared(to: target))
  }

  private func lookAlongTheWay(
    from start: SurfacePoint,
    slot: Int,
    ringAhead: Double,
    _ catalog: POICatalog,
    _ near: inout NearbyPoints,
    _ sighting: inout TargetSighting
  ) {
    let length = start.distanceMeters(to: point)
    guard let before = catalog.nearest(slot: slot, to: start, &near) else { return }
    // From both ends the nearest point is too far away to be within the ring in between.
    let closestPossible = (before.distanceMeters + sighting.sight.distanceMeters - length) / 2
    guard closestPossible <= ringAhead else { return }
    let middle = SurfacePoint(
      x: (start.x + point.x) / 2,
      y: (start.y + point.y) / 2,
      z: (start.z + point.z) / 2
    )
    var best: (index: Int, distance: Double)?
    catalog.forEach(slot: slot, withinMeters: ringAhead + length / 2 + 1_000, of: middle) { i in
      let distance = passingDistance(of: catalog.positions[i], from: start)
      if let known = best, (known.distance, known.index) <= (distance, i) { return }
      best = (i, distance)
    }
    guard let best, best.distance <= ringAhead else { return }
    sighting.sight.passingDistanceMeters = best.distance
    sighting.passedPOI = best.index
  }
}
