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
  /// - Parameter current: what is watched now: it is kept where that costs nothing, for starting a
  ///   region costs more than keeping one.
  /// - Parameter safeID: the id for the safe circle, one that was never used before.
  /// - Returns: equal plans for equal inputs: ties end with the region's id.
  public func plan(
    around position: Coordinate,
    _ ladders: [WatchedLadder],
    current: [Region] = [],
    safeID: String
  ) -> RegionPlan {
    let (candidates, isComplete) = candidates(around: SurfacePoint(position), ladders)
    let circles = Self.circles(of: candidates)
    guard let slots = limits.slots, circles.count > slots || !isComplete else {
      let entries = circles.map { entry(candidates[$0], ladders) }
      return RegionPlan(
        entries: entries,
        certificate: Certificate(
          covered: entries.map(\.region.id),
          safeRadiusMeters: nil,
          atRisk: []
        )
      )
    }
    let chosen = choose(slots - 1, of: circles, candidates, current)
    let direct = chosen.direct.map { entry(candidates[$0], ladders) }
    let rest = chosen.rest.map { candidates[$0] }
    let nearestLeft = rest.first?.first.map { $0.guardedSlackMeters - limits.safeMarginMeters } ?? 0
    let radius = max(nearestLeft, limits.smallestSafeRadiusMeters)
    let safe = Region(id: safeID, centre: position, radiusMeters: radius, kind: .safe)
    var atRisk: [Certificate.Risk] = []
    for circle in rest {
      guard let nearest = circle.first,
        nearest.guardedSlackMeters - limits.safeMarginMeters < radius
      else { break }
      atRisk.append(
        Certificate.Risk(
          id: entry(circle, ladders).region.id,
          slackMeters: nearest.edge.slackMeters,
          reason: .nearerThanSmallestRegion
        )
      )
    }
    return RegionPlan(
      entries: direct + [RegionPlan.Entry(region: safe, owners: [])],
      certificate: Certificate(
        covered: direct.map(\.region.id),
        safeRadiusMeters: max(0, nearestLeft),
        atRisk: atRisk
      )
    )
  }

  /// Of the nearest boundaries, takes those without which the safe circle would be much smaller than
  /// it could be; then, while there are slots, those that are watched already.
  private func choose(
    _ slots: Int,
    of circles: [Range<Int>],
    _ candidates: [Candidate],
    _ current: [Region]
  ) -> (direct: [Range<Int>], rest: [Range<Int>]) {
    func slack(_ circle: Range<Int>) -> Double {
      candidates[circle.lowerBound].guardedSlackMeters
    }
    // With all slots taken by the nearest, the safe circle would be this large.
    let largest = slots < circles.count ? slack(circles[slots]) : .infinity
    let needed = circles.prefix(slots).prefix { slack($0) < largest * Self.safeRadiusShare }
    var direct = Array(needed)
    var rest: [Range<Int>] = []
    for circle in circles.dropFirst(needed.count) {
      let edge = candidates[circle.lowerBound].edge
      if direct.count < slots, current.contains(where: { edge.isWatched(by: $0) }) {
        direct.append(circle)
      } else {
        rest.append(circle)
      }
    }
    return (direct, rest)
  }

  /// A safe circle of at least this share of the largest possible is large enough.
  ///
  /// - Source: measured on 80 person-days: against 1, it costs 1 % more wakes and saves 40 % of the
  ///   registrations (docs/decisions/0004).
  private static let safeRadiusShare = 0.6

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
        for edge in edges(of: boundary, ladder, place: 0, around: position, count: 1) {
          least = min(least, edge.guardedSlackMeters)
        }
      }
    }
    return max(0, least)
  }

  // MARK: Candidates

  /// A boundary that could have a region, of one ladder; the region, with its text for an id, is
  /// made only for those that get one.
  private struct Candidate {
    let edge: Edge
    let guardedSlackMeters: Double
    /// Which ladder needs it.
    let ladder: Int

    init(_ edge: Edge, ladder: Int) {
      self.edge = edge
      guardedSlackMeters = edge.guardedSlackMeters
      self.ladder = ladder
    }
  }

  private struct Edge {
    /// A point of the catalog; for a place −1 less the first ladder that stands around it.
    let centre: Int
    let coordinate: Coordinate
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

    func isWatched(by region: Region) -> Bool {
      coordinate == region.centre && radiusMeters == region.radiusMeters
        && region.kind == (side == .in ? .enter : .exit)
    }

    func isSameCircle(as other: Edge) -> Bool {
      centre == other.centre && radiusMeters == other.radiusMeters && side == other.side
    }
  }

  /// All boundaries of all ladders, nearest first.
  ///
  /// - Returns: also whether that is really all of them, or only the nearest of some category.
  private func candidates(
    around position: SurfacePoint,
    _ ladders: [WatchedLadder]
  ) -> (candidates: [Candidate], isComplete: Bool) {
    // One more than there are slots: the first without a region sets the safe circle.
    let most = limits.slots.map { $0 + 1 } ?? .max
    var isComplete = true
    var candidates: [Candidate] = []
    for (i, ladder) in ladders.enumerated() {
      let place = ladders.firstIndex { $0.target == ladder.target } ?? i
      for boundary in ladder.boundaries {
        let found = edges(of: boundary, ladder, place: place, around: position, count: most)
        if case .category(let slot?) = ladder.target, boundary.side == .in,
          catalog.count(slot: slot) > found.count
        {
          isComplete = false
        }
        for edge in found where edge.slackMeters > 0 {
          candidates.append(Candidate(edge, ladder: i))
        }
      }
    }
    candidates.sort(by: Self.precedes)
    return (candidates, isComplete)
  }

  /// Nearest first; of equals, by what they are around, then by radius and side, then by ladder.
  private static func precedes(_ a: Candidate, _ b: Candidate) -> Bool {
    if a.guardedSlackMeters != b.guardedSlackMeters {
      return a.guardedSlackMeters < b.guardedSlackMeters
    }
    if a.edge.centre != b.edge.centre { return a.edge.centre < b.edge.centre }
    if a.edge.radiusMeters != b.edge.radiusMeters {
      return a.edge.radiusMeters < b.edge.radiusMeters
    }
    if a.edge.side != b.edge.side { return a.edge.side == .in }
    return a.ladder < b.ladder
  }

  /// Runs of candidates that are one circle.
  ///
  /// Equal circles have equal slacks, so they are neighbours.
  private static func circles(of candidates: [Candidate]) -> [Range<Int>] {
    var circles: [Range<Int>] = []
    var start = 0
    for i in candidates.indices
    where i + 1 == candidates.count
      || !candidates[i + 1].edge.isSameCircle(as: candidates[start].edge)
    {
      circles.append(start..<(i + 1))
      start = i + 1
    }
    return circles
  }

  private func entry(
    _ circle: ArraySlice<Candidate>,
    _ ladders: [WatchedLadder]
  ) -> RegionPlan.Entry {
    let edge = circle[circle.startIndex].edge
    let kind: Region.Kind = edge.side == .in ? .enter : .exit
    let centimeters = Int64((edge.radiusMeters * 100).rounded())
    let centreID =
      switch ladders[circle[circle.startIndex].ladder].target {
      case .place(let id, _): id
      case .category: catalog.points[edge.centre].sourceID
      }
    var owners: [String] = []
    for candidate in circle where owners.last != ladders[candidate.ladder].owner {
      owners.append(ladders[candidate.ladder].owner)
    }
    return RegionPlan.Entry(
      region: Region(
        id: "\(kind.rawValue):\(centreID):\(centimeters)",
        centre: edge.coordinate,
        radiusMeters: edge.radiusMeters,
        kind: kind
      ),
      owners: owners
    )
  }

  /// The circles by which a boundary is watched: coming in, those around the nearest points; going
  /// out, one around the nearest point, for while one is inside that, one is inside the union.
  private func edges(
    of boundary: Boundary,
    _ ladder: WatchedLadder,
    place: Int,
    around position: SurfacePoint,
    count: Int
  ) -> [Edge] {
    switch ladder.target {
    case .place(_, let coordinate):
      let radius: Double =
        switch boundary.reach {
        case .distance(let meters): meters
        case .arrival(let beyond): (ladder.arrival?.leastMeters ?? 0) + beyond
        }
      return [
        Edge(
          centre: -1 - place,
          coordinate: coordinate,
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
            centre: near.index,
            coordinate: catalog.points[near.index].coordinate,
            distanceMeters: near.distanceMeters,
            radiusMeters: near.radiusMeters + beyond,
            side: boundary.side
          )
        }
    }
  }
}
