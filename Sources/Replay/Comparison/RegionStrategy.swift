import Fencing
import Geodesy
import Places

/// How the regions are chosen.
///
/// All but ``safeRegion`` and ``unlimited`` are what other projects do, to be compared with.
/// Each is given more than its model has: it watches the same boundaries as ours, it chooses anew at
/// every wake, and what it chooses is applied by difference where its model does so.
public enum RegionStrategy: String, Hashable, Sendable, Codable, CaseIterable {
  /// Ours: the nearest boundaries, and a circle in which nothing else can happen.
  case safeRegion = "safe_region"
  /// The nearest centers, chosen again after 500 m.
  ///
  /// - Source: Home Assistant for iOS, `ZoneManagerRegionFilter.swift` (d722d781): beyond the limit
  ///   zones are sorted by the distance of their centers from the last position. It looks again
  ///   when a significant change is reported, which is about every 500 m (Apple, "Location and Maps
  ///   Programming Guide"). Here a circle of 500 m takes the place of that service, which is more
  ///   exact; it costs one slot.
  case nearestCenter = "nearest_centre"
  /// The nearest edges, and a circle of 1 km at whose exit they are chosen again.
  ///
  /// - Source: Customer.io for iOS, `GeofenceDistanceFilter.swift`, `GeofenceConstants.swift` and
  ///   `GeofenceSyncCoordinator.swift` (8b9ee362): 19 fences by the distance of their edges, ties by
  ///   id, and a movement trigger of 1000 m that stands first; applied by difference. "Circles keep
  ///   the fixed radius".
  case nearestEdge = "nearest_edge"
  /// What a server says is nearest, and a circle of 100 m at whose exit it is asked again; all
  /// regions are taken away and put back each time.
  ///
  /// - Source: Radar for iOS, `RadarLocationManager` and `RadarSyncManager` (aa6def6f): the first 19
  ///   of the server's list and a bubble of 100 m in the "responsive" preset;
  ///   `replaceSyncedGeofences` removes and adds all after every track. The server is thought to be
  ///   always reachable, and to measure to the edge.
  case serverBubble = "server_bubble"
  /// Every boundary, whatever the limit: what there would be to hear without one.
  case unlimited

  /// The radius of the circle at whose exit a rival chooses anew, in meters; nil where there is none.
  public var bubbleMeters: Double? {
    switch self {
    case .safeRegion, .unlimited: nil
    case .nearestCenter: 500
    case .nearestEdge: 1_000
    case .serverBubble: 100
    }
  }
}

extension RegionStrategy {
  /// What takes the place of the engine's own planner; nil where that plans.
  var chooser: (any RegionChooser)? { bubbleMeters == nil ? nil : Rival(strategy: self) }

  private struct Rival: RegionChooser {
    let strategy: RegionStrategy

    func plan(
      around position: Coordinate,
      _ ladders: [WatchedLadder],
      in catalog: POICatalog,
      limits: MonitorLimits,
      current: [Region],
      safeID: String
    ) -> RegionPlan {
      guard let slots = limits.slots else {
        preconditionFailure("\(strategy.rawValue) chooses some regions of many: it needs a limit")
      }
      return RivalPlanner(strategy, slots: slots, catalog: catalog)
        .plan(around: position, ladders, current: current, safeID: safeID)
    }
  }
}
