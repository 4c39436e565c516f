import Geodesy
import Places

extension POICatalog {
  /// How far one can move from a position before a ladder's boundary can be crossed.
  ///
  /// What ``RegionPlanner`` finds for many ladders and regions, for one boundary and no region.
  ///
  /// - Returns: meters, less what our measure of distance may be wrong by; 0 if the boundary has been
  ///   reached already, and infinite where there is none.
  /// - Complexity: O(log points), without allocation.
  public func slackMeters(
    of boundary: Boundary,
    around target: FenceTarget,
    arrival: DiscRadius?,
    from position: SurfacePoint
  ) -> Double {
    var near = NearbyPoints()
    return slackMeters(
      of: boundary,
      around: target,
      arrival: arrival,
      from: position,
      &near
    )
  }

  /// The same, looked for among the points near the position before.
  package func slackMeters(
    of boundary: Boundary,
    around target: FenceTarget,
    arrival: DiscRadius?,
    from position: SurfacePoint,
    _ near: inout NearbyPoints
  ) -> Double {
    let discs: DiscRadius
    let beyondMeters: Double
    switch boundary.reach {
    case .distance(let meters): (discs, beyondMeters) = (DiscRadius(leastMeters: meters), 0)
    case .arrival(let beyond):
      guard let arrival else { return .infinity }
      (discs, beyondMeters) = (arrival, beyond)
    }
    let distanceMeters: Double
    let radiusMeters: Double
    switch target {
    case .place(_, let coordinate):
      distanceMeters = position.distanceMeters(to: SurfacePoint(coordinate))
      radiusMeters = discs.leastMeters + beyondMeters
    case .category(let slot):
      let unknown =
        boundary.side == .in
        ? unknownSlackMeters(of: discs, beyondMeters: beyondMeters) : .infinity
      guard let slot, let edge = nearestEdge(slot: slot, to: position, of: discs, &near)
      else {
        return max(0, unknown)
      }
      if unknown < edge.distanceMeters - edge.radiusMeters - beyondMeters {
        return max(0, unknown)
      }
      distanceMeters = edge.distanceMeters
      radiusMeters = edge.radiusMeters + beyondMeters
    }
    let slack =
      boundary.side == .in ? distanceMeters - radiusMeters : radiusMeters - distanceMeters
    // Twice the bounds of `SurfacePoint.distanceMeters(to:)`.
    let share = distanceMeters < 1_000_000 ? 4e-5 : 2e-3
    return max(0, slack - max(0.05, distanceMeters * share))
  }
}
