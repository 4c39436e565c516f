import Geodesy
import Places

/// Chooses regions in ``RegionPlanner``'s place: the seam at which tools compare it with others.
///
/// Its plans are taken as they are. They promise nothing for the next moment: a new one is made at every
/// wake, and no region is made larger in advance.
package protocol RegionChooser: Sendable {
  /// Plans from a position.
  ///
  /// - Parameter current: what is watched now.
  /// - Parameter safeID: the id for a new safe circle, one that was never used before.
  /// - Returns: at most as many regions as the limits allow.
  func plan(
    around position: Coordinate,
    _ ladders: [WatchedLadder],
    in catalog: POICatalog,
    limits: MonitorLimits,
    current: [Region],
    safeID: String
  ) -> RegionPlan
}
