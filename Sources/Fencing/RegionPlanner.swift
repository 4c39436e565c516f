import Geodesy
import Places

/// A ladder as the planner sees it: where it stands and where it would change.
public struct WatchedLadder: Sendable {
  /// The reminder that it belongs to; a region is released when no reminder needs it any more.
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
  /// A region with the reminders that need it; the safe circle has none.
  public struct Entry: Sendable, Hashable, Codable {
    /// The circle.
    public let region: Region
    /// The owners of the ladders behind it, in order.
    public var owners: [String]
    /// The radius that was asked of the service, in meters; nil where it is the circle's own.
    public var askedRadiusMeters: Double?

    /// Makes an entry.
    public init(region: Region, owners: [String]) {
      self.region = region
      self.owners = owners
    }
  }

  /// At most as many as there are slots; the nearest boundary first, the safe circle last.
  public let entries: [Entry]
  /// What holds as long as these are watched.
  public let certificate: Certificate
  /// Whether the position lies so near to a fence smaller than the smallest region that only the next
  /// position can say whether it was reached.
  public let needsNextFix: Bool

  package init(entries: [Entry], certificate: Certificate, needsNextFix: Bool = false) {
    self.entries = entries
    self.certificate = certificate
    self.needsNextFix = needsNextFix
  }
}

/// Chooses the regions so that nothing is missed: the safe-region method.
///
/// Every boundary has a slack, the distance one can move before it can be crossed. The nearest
/// boundaries get a region each. One more region is a circle around the position whose radius is the
/// smallest slack without a region: while the phone stays inside it, nothing unwatched can happen,
/// and when it leaves, a new plan is made.
///
/// - Complexity: O(k log n) for k slots and n points of interest per boundary; boundaries that
///   reminders share are looked at once.
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
  /// - Parameter current: what is watched now: it is kept where that costs nothing, for starting a
  ///   region costs more than keeping one.
  /// - Parameter cameFrom: the position before, if the way from there says where the phone is going.
  /// - Parameter isFollowing: whether more positions follow at once: then what is right is kept, and
  ///   what is new need not reach far.
  /// - Parameter marginMeters: what is kept from the safe circle; by default the limits' own.
  /// - Parameter safeID: the id for a new safe circle, one that was never used before.
  /// - Returns: equal plans for equal inputs: ties end with the region's id.
  public func plan(
    around position: Coordinate,
    cameFrom: Coordinate? = nil,
    _ ladders: [WatchedLadder],
    current: [Region] = [],
    isFollowing: Bool = false,
    marginMeters: Double? = nil,
    safeID: String
  ) -> RegionPlan {
    var planning = RegionPlanning(
      catalog: catalog,
      limits: limits,
      around: position,
      cameFrom: cameFrom,
      ladders,
      current: current,
      isFollowing: isFollowing,
      marginMeters: marginMeters ?? limits.safeMarginMeters
    )
    return planning.plan(safeID: safeID)
  }

  /// How far the phone can move from a position before any boundary can be crossed.
  ///
  /// - Returns: meters; 0 if a boundary has been reached already.
  public func stillRadiusMeters(
    around position: SurfacePoint,
    _ ladders: [WatchedLadder]
  ) -> Double {
    var least = Double.infinity
    for watched in WatchedBoundary.all(of: ladders) {
      let slack = catalog.slackMeters(
        of: watched.boundary,
        around: watched.target,
        arrival: watched.arrival,
        from: position
      )
      least = min(least, slack)
    }
    return max(0, least)
  }
}
