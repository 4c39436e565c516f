import Geodesy
import Places

/// A ladder as the planner sees it: where it stands and where it would change.
public struct WatchedLadder: Sendable {
  /// Whose it is; a region is released when nobody is left who needs it.
  public let owner: String
  /// What it stands around.
  public let target: FenceTarget
  /// Its arrival discs; nil without arrival.
  public let arrival: DiscRadius?
  /// Where it would change.
  public let boundaries: [Boundary]

  /// Makes it.
  public init(
    owner: String,
    target: FenceTarget,
    arrival: DiscRadius?,
    boundaries: [Boundary]
  ) {
    self.owner = owner
    self.target = target
    self.arrival = arrival
    self.boundaries = boundaries
  }
}

/// The regions to watch from one position, and what that guarantees.
public struct RegionPlan: Sendable, Hashable {
  /// A region with those who need it; the safe circle needs nobody.
  public struct Entry: Sendable, Hashable, Codable {
    /// The circle.
    public let region: Region
    /// The owners of the ladders behind it, in order.
    public var owners: [String]
  }

  /// At most as many as there are slots; the nearest boundary first, the safe circle last.
  public let entries: [Entry]
  /// What holds as long as these are watched.
  public let certificate: Certificate
}

/// Chooses the regions so that nothing is missed: the safe-region method.
///
/// Every boundary has a slack, the distance one can move before it can be crossed. The nearest
/// boundaries get a region each. One more region is a circle around the position whose radius is the
/// smallest slack without a region: while the phone stays inside it, nothing unwatched can happen,
/// and when it leaves, a new plan is made.
///
/// - Complexity: O(k log n) for k slots and n points of interest per ladder and boundary.
/// - Source: safe regions of M. A. Cheema et al., "Multi-guarded safe zone", ICDE 2010.
public struct RegionPlanner: Sendable {
  private let catalog: POICatalog
  private let limits: MonitorLimits

  /// Makes a planner for a catalog and a location service.
  public init(catalog: POICatalog, limits: MonitorLimits) {
    self.catalog = catalog
    self.limits = limits
  }

  /// Plans from a position.
  ///
  /// - Parameter safeID: the id for the safe circle, one that was never used before.
  /// - Returns: equal plans for equal inputs: ties end with the region's id.
  public func plan(
    around position: Coordinate,
    _ ladders: [WatchedLadder],
    safeID: String
  ) -> RegionPlan {
    let (candidates, isComplete) = candidates(around: SurfacePoint(position), ladders)
    guard let slots = limits.slots, candidates.count > slots || !isComplete else {
      return RegionPlan(
        entries: candidates.map(\.entry),
        certificate: Certificate(
          covered: candidates.map(\.entry.region.id),
          safeRadiusMeters: nil,
          atRisk: []
        )
      )
    }
    let direct = candidates.prefix(slots - 1)
    let rest = candidates.dropFirst(slots - 1)
    let nearestLeft = rest.first.map { $0.guardedSlackMeters - limits.safeMarginMeters } ?? 0
    let radius = max(nearestLeft, limits.smallestSafeRadiusMeters)
    let safe = Region(id: safeID, centre: position, radiusMeters: radius, kind: .safe)
    let atRisk = rest.prefix { $0.guardedSlackMeters - limits.safeMarginMeters < radius }
      .map {
        Certificate.Risk(
          id: $0.entry.region.id,
          slackMeters: $0.slackMeters,
          reason: .nearerThanSmallestRegion
        )
      }
    return RegionPlan(
      entries: direct.map(\.entry) + [RegionPlan.Entry(region: safe, owners: [])],
      certificate: Certificate(
        covered: direct.map(\.entry.region.id),
        safeRadiusMeters: max(0, nearestLeft),
        atRisk: atRisk
      )
    )
  }

  /// How far the phone can move from a position before any boundary can be crossed.
  ///
  /// - Returns: meters; 0 if a boundary has been reached already.
  public func stillRadiusMeters(
    around position: SurfacePoint,
    _ ladders: [WatchedLadder]
  ) -> Double {
    var least = Double.infinity
    for ladder in ladders {
      for boundary in ladder.boundaries {
        for edge in edges(of: boundary, ladder, around: position, count: 1) {
          least = min(least, edge.guardedSlackMeters)
        }
      }
    }
    return max(0, least)
  }

  // MARK: Candidates

  private struct Candidate {
    var entry: RegionPlan.Entry
    let slackMeters: Double
    let guardedSlackMeters: Double
  }

  private struct Edge {
    let centreID: String
    let centre: Coordinate
    let distanceMeters: Double
    let radiusMeters: Double
    let side: Boundary.Side

    var slackMeters: Double {
      side == .in ? distanceMeters - radiusMeters : radiusMeters - distanceMeters
    }

    /// The slack less what our measure of distance may be wrong by.
    ///
    /// - Source: twice the bounds of `SurfacePoint.distanceMeters(to:)`.
    var guardedSlackMeters: Double {
      let share = distanceMeters < 1_000_000 ? 4e-5 : 2e-3
      return slackMeters - max(0.05, distanceMeters * share)
    }
  }

  /// All boundaries as regions, nearest first, one for each circle however many need it.
  ///
  /// - Returns: also whether that is really all of them, or only the nearest of some category.
  private func candidates(
    around position: SurfacePoint,
    _ ladders: [WatchedLadder]
  ) -> (candidates: [Candidate], isComplete: Bool) {
    // One more than there are slots: the first without a region sets the safe circle.
    let most = limits.slots.map { $0 + 1 } ?? .max
    var isComplete = true
    var unsorted: [Candidate] = []
    for ladder in ladders {
      for boundary in ladder.boundaries {
        let found = edges(of: boundary, ladder, around: position, count: most)
        if case .category(let slot?) = ladder.target, boundary.side == .in,
          catalog.count(slot: slot) > found.count
        {
          isComplete = false
        }
        for edge in found where edge.slackMeters > 0 {
          unsorted.append(candidate(edge, owner: ladder.owner))
        }
      }
    }
    unsorted.sort {
      let (a, b) = ($0.guardedSlackMeters, $1.guardedSlackMeters)
      guard a == b else { return a < b }
      return ($0.entry.region.id, $0.entry.owners[0]) < ($1.entry.region.id, $1.entry.owners[0])
    }
    // Equal circles have equal slacks, so they are neighbours now.
    var merged: [Candidate] = []
    for candidate in unsorted {
      if let last = merged.indices.last, merged[last].entry.region == candidate.entry.region {
        if merged[last].entry.owners.last != candidate.entry.owners[0] {
          merged[last].entry.owners.append(candidate.entry.owners[0])
        }
      } else {
        merged.append(candidate)
      }
    }
    return (merged, isComplete)
  }

  private func candidate(_ edge: Edge, owner: String) -> Candidate {
    let kind: Region.Kind = edge.side == .in ? .enter : .exit
    let centimeters = Int64((edge.radiusMeters * 100).rounded())
    return Candidate(
      entry: RegionPlan.Entry(
        region: Region(
          id: "\(kind.rawValue):\(edge.centreID):\(centimeters)",
          centre: edge.centre,
          radiusMeters: edge.radiusMeters,
          kind: kind
        ),
        owners: [owner]
      ),
      slackMeters: edge.slackMeters,
      guardedSlackMeters: edge.guardedSlackMeters
    )
  }

  /// The circles by which a boundary is watched: coming in, those around the nearest points; going
  /// out, one around the nearest point, for while one is inside that, one is inside the union.
  private func edges(
    of boundary: Boundary,
    _ ladder: WatchedLadder,
    around position: SurfacePoint,
    count: Int
  ) -> [Edge] {
    switch ladder.target {
    case .place(let id, let coordinate):
      let radius: Double =
        switch boundary.reach {
        case .distance(let meters): meters
        case .arrival(let beyond): (ladder.arrival?.leastMeters ?? 0) + beyond
        }
      return [
        Edge(
          centreID: id,
          centre: coordinate,
          distanceMeters: position.distanceMeters(to: SurfacePoint(coordinate)),
          radiusMeters: radius,
          side: boundary.side
        )
      ]
    case .category(let slot):
      guard let slot else { return [] }
      let discs: DiscRadius
      let beyond: Double
      switch boundary.reach {
      case .distance(let meters):
        discs = DiscRadius(leastMeters: meters)
        beyond = 0
      case .arrival(let beyondMeters):
        guard let arrival = ladder.arrival else { return [] }
        discs = arrival
        beyond = beyondMeters
      }
      return
        catalog.nearestEdges(
          slot: slot,
          to: position,
          of: discs,
          count: boundary.side == .in ? count : 1
        )
        .map { near in
          Edge(
            centreID: catalog.points[near.index].sourceID,
            centre: catalog.points[near.index].coordinate,
            distanceMeters: near.distanceMeters,
            radiusMeters: near.radiusMeters + beyond,
            side: boundary.side
          )
        }
    }
  }
}
