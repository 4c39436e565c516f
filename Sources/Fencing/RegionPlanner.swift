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

  init(entries: [Entry], certificate: Certificate, needsNextFix: Bool = false) {
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
  /// - Parameter cameFrom: the position before, if the way from there says where somebody is going.
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
    let here = SurfacePoint(position)
    let margin = marginMeters ?? limits.safeMarginMeters
    // One more than there are slots: the first without a region sets the safe circle. Behind covers
    // there are more.
    let boundaries = WatchedBoundary.all(of: ladders)
    let hasCovers = current.contains { DiscCover.isCover($0) }
    var count =
      limits.slots.map { hasCovers ? Self.coverCount($0, boundaries.count) : $0 + 1 } ?? .max
    func look() -> View {
      self.view(
        from: here,
        cameFrom.map(SurfacePoint.init),
        boundaries,
        current,
        count: count,
        atLeast: margin
      )
    }
    var view = look()
    guard let slots = limits.slots, view.circles.count > slots || view.reachMeters < .infinity
    else {
      return finished(Choice(direct: view.circles), safe: nil, promised: nil, view, ladders, margin)
    }
    var choice = choose(
      slots - 1,
      of: view.circles,
      current,
      horizonMeters: isFollowing ? Self.followingHorizonMeters : .infinity
    )
    var left = choice.reachMeters(view) - margin
    if let (safe, kept) = keptSafeCircle(
      current,
      here,
      view,
      slots: slots - 1,
      atLeast: isFollowing ? 0 : max(0, left) * Self.keptShare,
      margin
    ) {
      return finished(kept, safe: safe, promised: safe.radiusMeters, view, ladders, margin)
    }
    if !isFollowing, left < Self.coverBelowMeters {
      count = Self.coverCount(slots, boundaries.count)
      view = look()
      choice = covering(view, slots - 1, around: position, here, ladders) ?? choice.again(view)
      left = choice.reachMeters(view) - margin
    }
    guard left < .infinity else {
      return finished(choice, safe: nil, promised: nil, view, ladders, margin)
    }
    let radius = max(0, left, limits.smallestSafeRadiusMeters)
    // All that is at risk has to be named.
    while left < radius, view.reachMeters < radius + margin, count < 1_000_000 {
      count *= 4
      view = look()
      choice = choice.again(view)
    }
    for circle in choice.rest {
      guard circle.guardedSlackMeters - margin < radius else { break }
      choice.atRisk.append(circle)
    }
    let safe = Region(id: safeID, centre: position, radiusMeters: radius, kind: .safe)
    return finished(choice, safe: safe, promised: max(0, left), view, ladders, margin)
  }

  /// How far the phone can move from a position before any boundary can be crossed.
  ///
  /// - Returns: meters; 0 if a boundary has been reached already.
  public func stillRadiusMeters(
    around position: SurfacePoint,
    _ ladders: [WatchedLadder]
  ) -> Double {
    var least = Double.infinity
    for (i, watched) in WatchedBoundary.all(of: ladders).enumerated() {
      for edge in edges(of: watched, group: i, from: position, count: 1) {
        least = min(least, edge.guardedSlackMeters)
      }
    }
    return max(0, least)
  }

  // MARK: What there is to watch

  /// All boundaries as seen from a position.
  private struct View {
    /// The circles that could have regions, nearest first.
    var circles: [Circle] = []
    /// Nearer than this no boundary is without a circle; infinite if none is at all.
    var reachMeters = Double.infinity
    /// Whether the position lies inside the region of a fence that it is outside of.
    var needsNextFix = false
  }

  private func view(
    from here: SurfacePoint,
    _ before: SurfacePoint?,
    _ boundaries: [WatchedBoundary],
    _ current: [Region],
    count: Int,
    atLeast margin: Double
  ) -> View {
    var view = View()
    var edges: [(edge: Edge, slack: Double, boundary: Int)] = []
    for (i, watched) in boundaries.enumerated() {
      let group = boundaries.firstIndex { $0.target == watched.target } ?? i
      var found = self.edges(of: watched, group: group, from: here, count: count)
      if case .category(let slot?) = watched.target {
        if watched.boundary.side == .in {
          if catalog.count(slot: slot) > found.count, let last = found.last {
            view.reachMeters = min(view.reachMeters, last.guardedSlackMeters)
          }
        } else {
          found = wayOut(of: found, here, before, current)
        }
      }
      for edge in found where edge.slackMeters > 0 {
        if edge.side == .in, edge.distanceMeters <= edge.regionRadiusMeters {
          view.needsNextFix = true
        } else {
          edges.append((edge, edge.guardedSlackMeters, i))
        }
      }
    }
    let enough = enough(edges.map(\.slack), here, current, count: count, margin)
    for (edge, slack, i) in edges {
      if slack <= enough || current.contains(where: { edge.isWatched(by: $0) }) {
        view.circles.append(Circle(edge, ladders: boundaries[i].ladders))
      } else {
        view.reachMeters = min(view.reachMeters, slack)
      }
    }
    view.circles.sort(by: Circle.precedes)
    view.circles = Self.merged(view.circles)
    return view
  }

  /// The slack beyond which circles need not be looked at: several times as many as there are slots
  /// are nearer, and the present safe circle does not reach so far.
  private func enough(
    _ slacks: [Double],
    _ here: SurfacePoint,
    _ current: [Region],
    count: Int,
    _ margin: Double
  ) -> Double {
    let wanted = 4 * min(count, 1_000_000)
    guard limits.slots != nil, slacks.count > wanted else { return .infinity }
    var enough = slacks.sorted()[wanted]
    if let safe = current.first(where: { $0.kind == .safe }) {
      let away = SurfacePoint(safe.centre).distanceMeters(to: here)
      enough = max(enough, (away + safe.radiusMeters + margin) * 1.01 + 10)
    }
    return enough
  }

  /// Equal circles as one: they have equal slacks, so they are neighbours.
  private static func merged(_ sorted: [Circle]) -> [Circle] {
    var merged: [Circle] = []
    for circle in sorted {
      if let last = merged.indices.last, merged[last].edge.isSameCircle(as: circle.edge) {
        merged[last].ladders += circle.ladders.filter { !merged[last].ladders.contains($0) }
        merged[last].ladders.sort()
      } else {
        merged.append(circle)
      }
    }
    return merged
  }

  /// The circles by which a boundary can be watched: those around the nearest points.
  private func edges(
    of watched: WatchedBoundary,
    group: Int,
    from position: SurfacePoint,
    count: Int
  ) -> [Edge] {
    guard let discs = watched.discs else { return [] }
    switch watched.target {
    case .place(_, let coordinate):
      return [
        Edge(
          centre: -1 - group,
          coordinate: coordinate,
          point: SurfacePoint(coordinate),
          from: position,
          radiusMeters: discs.radius.leastMeters + discs.beyondMeters,
          smallestMeters: limits.smallestRegionMeters,
          side: watched.boundary.side
        )
      ]
    case .category(let slot):
      guard let slot else { return [] }
      return
        catalog.nearestEdges(
          slot: slot,
          to: position,
          of: discs.radius,
          count: watched.boundary.side == .in ? count : min(count, Self.waysOut)
        )
        .map { near in
          Edge(
            centre: near.index,
            coordinate: catalog.points[near.index].coordinate,
            point: catalog.positions[near.index],
            from: position,
            radiusMeters: near.radiusMeters + discs.beyondMeters,
            smallestMeters: limits.smallestRegionMeters,
            side: watched.boundary.side
          )
        }
    }
  }

  /// Going out of a category's union is watched by one circle, for while one is inside that, one is
  /// inside the union: the one that lasts longest, going on as before, or one that is watched already
  /// and lasts nearly as long.
  private func wayOut(
    of circles: [Edge],
    _ here: SurfacePoint,
    _ before: SurfacePoint?,
    _ current: [Region]
  ) -> [Edge] {
    guard let widest = circles.first, widest.slackMeters > 0 else { return circles.prefix(1) + [] }
    let holding = circles.filter { $0.slackMeters >= widest.slackMeters * Self.leastSlackShare }
    var best = widest
    var lasts = -Double.infinity
    for edge in holding {
      let meters = edge.metersAhead(from: here, before)
      if meters > lasts { (best, lasts) = (edge, meters) }
    }
    let inUse = holding.first { edge in
      edge.metersAhead(from: here, before) >= lasts * Self.inUseShare
        && current.contains { edge.isWatched(by: $0) }
    }
    return [inUse ?? best]
  }

  /// So many circles are compared for a way out.
  private static let waysOut = 12

  // MARK: What gets a region

  /// Which circles get a region, and which do not.
  private struct Choice {
    /// With a region of their own.
    var direct: [Circle] = []
    /// Several behind one.
    var covers: [(region: Region, members: [Circle])] = []
    /// Without a region, nearest first.
    var rest: [Circle] = []
    /// Of these, what the safe circle does not guard.
    var atRisk: [Circle] = []

    /// How far it is to the first boundary without a region.
    func reachMeters(_ view: View) -> Double {
      min(rest.first?.guardedSlackMeters ?? .infinity, view.reachMeters)
    }

    /// The same choice where more circles are known.
    func again(_ view: View) -> Choice {
      var again = self
      again.rest = view.circles.filter { circle in
        !direct.contains { $0.edge.isSameCircle(as: circle.edge) }
          && !covers.contains { $0.members.contains { $0.edge.isSameCircle(as: circle.edge) } }
      }
      return again
    }
  }

  /// Of the nearest boundaries, takes those without which the safe circle would be much smaller than
  /// it could be; then, while there are slots, those that are watched already.
  private func choose(
    _ slots: Int,
    of circles: [Circle],
    _ current: [Region],
    horizonMeters: Double
  ) -> Choice {
    // With all slots taken by the nearest, the safe circle would be this large.
    let largest = slots < circles.count ? circles[slots].guardedSlackMeters : .infinity
    let enough = min(largest * Self.safeRadiusShare, horizonMeters)
    let needed = circles.prefix(slots).prefix { $0.guardedSlackMeters < enough }
    return filled(
      Choice(direct: Array(needed), rest: Array(circles.dropFirst(needed.count))),
      slots,
      current
    )
  }

  /// Gives free slots to circles that are watched already.
  private func filled(_ choice: Choice, _ slots: Int, _ current: [Region]) -> Choice {
    var filled = choice
    filled.rest = []
    for circle in choice.rest {
      if filled.direct.count + filled.covers.count < slots,
        current.contains(where: { circle.edge.isWatched(by: $0) })
      {
        filled.direct.append(circle)
      } else {
        filled.rest.append(circle)
      }
    }
    return filled
  }

  /// Covers several circles with one, where they crowd; nil if nothing is gained.
  private func covering(
    _ view: View,
    _ slots: Int,
    around position: Coordinate,
    _ here: SurfacePoint,
    _ ladders: [WatchedLadder]
  ) -> Choice? {
    guard
      let cover = DiscCover(
        view.circles,
        slots: slots,
        around: position,
        reachMeters: view.reachMeters
      )
    else { return nil }
    var choice = Choice(rest: Array(view.circles.dropFirst(cover.coveredCount)))
    for group in cover.groups {
      let members = group.map { view.circles[$0] }
      guard members.count > 1 else {
        choice.direct += members
        continue
      }
      let region = DiscCover.region(
        around: members,
        near: position,
        ids: members.map { centreID($0, ladders) }
      )
      // A plane is not the earth: the circle may hold the position after all.
      let distance = SurfacePoint(region.centre).distanceMeters(to: here)
      guard distance - measureError(distance) > region.radiusMeters else { return nil }
      choice.covers.append((region, members))
    }
    return choice
  }

  /// A safe circle of at least this share of the largest possible is large enough.
  ///
  /// - Source: measured on 80 person-days, as are the shares below (docs/decisions/0004).
  private static let safeRadiusShare = 0.75

  /// The present safe circle is kept while at least this share of what a new one would reach lies
  /// ahead.
  private static let keptShare = 0.85

  /// While more positions follow at once, what is nearer than this has a region.
  private static let followingHorizonMeters = 100.0

  /// A way out must leave at least this share of the widest one's slack.
  private static let leastSlackShare = 0.4

  /// A way out that is watched already is good enough if it lasts for this share of the longest.
  private static let inUseShare = 0.6

  /// Covers are worth their trouble where the safe circle would be smaller than this.
  private static let coverBelowMeters = 400.0

  /// How many circles of a boundary are looked at for covers: fewer where there are many boundaries.
  private static func coverCount(_ slots: Int, _ boundaries: Int) -> Int {
    max(slots + 1, min(3 * slots + 20, 2_000 / max(1, boundaries)))
  }

  /// The present safe circle with the regions that it needs now; nil if it is not right any more.
  ///
  /// A boundary is outside the circle if its slack from the circle's middle is larger than the
  /// radius; the others need regions.
  ///
  /// - Parameter ahead: how far the circle must still reach from here.
  private func keptSafeCircle(
    _ current: [Region],
    _ here: SurfacePoint,
    _ view: View,
    slots: Int,
    atLeast ahead: Double,
    _ margin: Double
  ) -> (safe: Region, choice: Choice)? {
    guard let safe = current.first(where: { $0.kind == .safe }) else { return nil }
    let middle = SurfacePoint(safe.centre)
    let away = middle.distanceMeters(to: here)
    let reach = away + safe.radiusMeters + margin
    guard away + measureError(away) + 1 < safe.radiusMeters, safe.radiusMeters - away >= ahead,
      view.reachMeters > reach + measureError(reach)
    else { return nil }
    let covers = current.filter { region in
      DiscCover.isCover(region)
        && SurfacePoint(region.centre).distanceMeters(to: here) > region.radiusMeters + 1
    }
    var choice = Choice()
    for circle in view.circles {
      guard circle.guardedSlackMeters - margin < reach,
        circle.edge.guardedSlackMeters(from: middle) - margin < safe.radiusMeters
      else {
        choice.rest.append(circle)
        continue
      }
      if let cover = covers.first(where: { circle.edge.isCovered(by: $0) }) {
        if let known = choice.covers.firstIndex(where: { $0.region == cover }) {
          choice.covers[known].members.append(circle)
        } else {
          choice.covers.append((cover, [circle]))
        }
      } else {
        choice.direct.append(circle)
      }
    }
    guard choice.direct.count + choice.covers.count <= slots else { return nil }
    return (safe, filled(choice, slots, current))
  }

  // MARK: The plan

  private func finished(
    _ choice: Choice,
    safe: Region?,
    promised: Double?,
    _ view: View,
    _ ladders: [WatchedLadder],
    _ margin: Double
  ) -> RegionPlan {
    var entries = choice.direct.map { entry($0, ladders) }
    for (region, members) in choice.covers {
      let owners = owners(members.flatMap(\.ladders).sorted(), ladders)
      entries.append(RegionPlan.Entry(region: region, owners: owners))
    }
    var atRisk: [Certificate.Risk] = []
    for circle in choice.direct
    where circle.edge.side == .out && circle.edge.radiusMeters < circle.edge.regionRadiusMeters {
      atRisk.append(risk(circle, .smallerThanSmallestRegion, ladders))
    }
    atRisk += choice.atRisk.map { risk($0, .nearerThanSmallestRegion, ladders) }
    let covered = entries.map(\.region.id)
    if let safe { entries.append(RegionPlan.Entry(region: safe, owners: [])) }
    return RegionPlan(
      entries: entries,
      certificate: Certificate(
        covered: covered,
        safeRadiusMeters: promised,
        atRisk: atRisk.sorted { ($0.slackMeters, $0.id) < ($1.slackMeters, $1.id) },
        marginMeters: safe == nil ? 0 : margin
      ),
      needsNextFix: view.needsNextFix
    )
  }

  private func risk(
    _ circle: Circle,
    _ reason: Certificate.Reason,
    _ ladders: [WatchedLadder]
  ) -> Certificate.Risk {
    Certificate.Risk(
      id: entry(circle, ladders).region.id,
      slackMeters: circle.edge.slackMeters,
      reason: reason
    )
  }

  private func entry(_ circle: Circle, _ ladders: [WatchedLadder]) -> RegionPlan.Entry {
    let edge = circle.edge
    let kind: Region.Kind = edge.side == .in ? .enter : .exit
    let centimeters = Int64((edge.radiusMeters * 100).rounded())
    return RegionPlan.Entry(
      region: Region(
        id: "\(kind.rawValue):\(centreID(circle, ladders)):\(centimeters)",
        centre: edge.coordinate,
        radiusMeters: edge.regionRadiusMeters,
        kind: kind
      ),
      owners: owners(circle.ladders, ladders)
    )
  }

  private func centreID(_ circle: Circle, _ ladders: [WatchedLadder]) -> String {
    switch ladders[circle.ladders[0]].target {
    case .place(let id, _): id
    case .category: catalog.points[circle.edge.centre].sourceID
    }
  }

  /// The owners of ladders, given in order, each once.
  private func owners(_ indices: [Int], _ ladders: [WatchedLadder]) -> [String] {
    var owners: [String] = []
    for i in indices where owners.last != ladders[i].owner { owners.append(ladders[i].owner) }
    return owners
  }
}
