import Basics
import Geodesy
import Places

/// One plan in the making: see ``RegionPlanner``.
struct RegionPlanning {
  private let catalog: POICatalog
  private let limits: MonitorLimits
  private let position: Coordinate
  private let here: SurfacePoint
  private let before: SurfacePoint?
  private let ladders: [WatchedLadder]
  private let boundaries: [WatchedBoundary]
  private let current: [Region]
  /// The same regions as ``current``.
  private let held: HeldRegions
  private let isFollowing: Bool
  private let margin: Double
  /// No region is larger.
  private let mostMeters: Double
  /// The ladders of circles that several boundaries have in common.
  private var mergedLadders: [[Int]] = []

  init(
    catalog: POICatalog,
    limits: MonitorLimits,
    around position: Coordinate,
    cameFrom: Coordinate?,
    _ ladders: [WatchedLadder],
    current: [Region],
    isFollowing: Bool,
    marginMeters: Double
  ) {
    self.catalog = catalog
    self.limits = limits
    self.position = position
    here = SurfacePoint(position)
    before = cameFrom.map(SurfacePoint.init)
    self.ladders = ladders
    boundaries = WatchedBoundary.all(of: ladders)
    self.current = current
    held = HeldRegions(current)
    self.isFollowing = isFollowing
    margin = marginMeters
    mostMeters = limits.mostRegionMeters
  }

  mutating func plan(safeID: String) -> RegionPlan {
    // One more than there are slots: the first without a region sets the safe circle. Behind covers
    // there are more.
    var count =
      limits.slots.map {
        held.all.contains { $0.isCover } ? Self.coverCount($0, boundaries.count) : $0 + 1
      } ?? .max
    var view = look(count: count)
    guard let slots = scarceSlots(view) else {
      return finished(Choice(direct: view.circles), safe: nil, promised: nil, view)
    }
    var choice = choose(
      slots - 1,
      of: view.circles,
      horizonMeters: isFollowing ? Self.followingHorizonMeters : .infinity
    )
    var left = choice.reachMeters(view) - margin
    if let (safe, kept) = keptSafeCircle(
      view,
      slots: slots - 1,
      atLeast: isFollowing
        ? 0 : max(0, left < .infinity ? min(left, mostMeters) : left) * Self.keptShare
    ) {
      return finished(kept, safe: safe, promised: safe.radiusMeters, view)
    }
    if !isFollowing, left < Self.coverBelowMeters {
      count = Self.coverCount(slots, boundaries.count)
      view = look(count: count)
      choice = covering(view, slots - 1) ?? choice.again(view)
      left = choice.reachMeters(view) - margin
    }
    guard left < .infinity else {
      return finished(choice, safe: nil, promised: nil, view)
    }
    let radius = min(max(0, left, limits.smallestSafeRadiusMeters), mostMeters)
    // All that is at risk has to be named.
    while left < radius, view.reachMeters < radius + margin, count < 1_000_000 {
      count *= 4
      view = look(count: count)
      choice = choice.again(view)
    }
    for circles in [choice.rest, view.tooLarge] {
      choice.atRisk += circles.prefix { $0.guardedSlackMeters - margin < radius }
    }
    let safe = Region(id: safeID, center: position, radiusMeters: radius, kind: .safe)
    return finished(choice, safe: safe, promised: min(max(0, left), radius), view)
  }

  /// How many regions there are for what needs more than there are; nil where everything can have one.
  private func scarceSlots(_ view: View) -> Int? {
    guard view.tooLarge.isEmpty else { return limits.slots ?? view.circles.count + 1 }
    guard let slots = limits.slots, view.circles.count > slots || view.reachMeters < .infinity
    else { return nil }
    return slots
  }

  // MARK: What there is to watch

  /// All boundaries as seen from a position.
  private struct View {
    /// The circles that could have regions, nearest first.
    var circles: [Circle] = []
    /// Those that are larger than any region, nearest first: the safe circle guards them.
    var tooLarge: [Circle] = []
    /// Those in whose regions the position lies already, though outside of the fence: no crossing tells of it.
    var tooSmall: [Circle] = []
    /// Nearer than this no boundary is without a circle; infinite if none is at all.
    var reachMeters = Double.infinity
    /// Nearer than this nothing is that can have no region.
    var reachOfSafeMeters: Double {
      min(reachMeters, tooLarge.first?.guardedSlackMeters ?? .infinity)
    }
  }

  private mutating func look(count: Int) -> View {
    var view = View()
    var seen: [Circle] = []
    seen.reserveCapacity(min(boundaries.count, 10_000) * min(count, 64))
    var edges: [Edge] = []
    for (i, watched) in boundaries.enumerated() {
      edges.removeAll(keepingCapacity: true)
      findEdges(of: watched, count: count, &edges)
      if case .category = watched.target, watched.boundary.side == .in, let discs = watched.discs {
        // Of a part of a catalog: before it ends, the app must wake for the next one.
        view.reachMeters = min(
          view.reachMeters,
          catalog.unknownSlackMeters(of: discs.radius, beyondMeters: discs.beyondMeters)
        )
      }
      if case .category(let slot?) = watched.target {
        if watched.boundary.side == .in {
          if catalog.count(slot: slot) > edges.count, let last = edges.last {
            view.reachMeters = min(view.reachMeters, last.guardedSlackMeters)
          }
        } else if let way = wayOut(of: edges) {
          edges.removeAll(keepingCapacity: true)
          edges.append(way)
        }
      }
      for edge in edges where edge.slackMeters > 0 {
        let circle = Circle(
          edge,
          guardedSlackMeters: edge.guardedSlackMeters,
          boundary: i,
          firstLadder: watched.ladders[0]
        )
        if edge.side == .in, edge.distanceMeters <= edge.regionRadiusMeters {
          view.tooSmall.append(circle)
        } else if edge.regionRadiusMeters > mostMeters {
          view.tooLarge.append(circle)
        } else {
          seen.append(circle)
        }
      }
    }
    let enough = enough(seen, count: count)
    var kept: [Circle] = []
    kept.reserveCapacity(seen.count)
    for circle in seen {
      if circle.guardedSlackMeters <= enough
        || held.first(watching: circle.edge) != nil
      {
        kept.append(circle)
      } else {
        view.reachMeters = min(view.reachMeters, circle.guardedSlackMeters)
      }
    }
    view.circles = merged(Self.sorted(kept))
    if !view.tooLarge.isEmpty { view.tooLarge = merged(Self.sorted(view.tooLarge)) }
    if !view.tooSmall.isEmpty { view.tooSmall = merged(Self.sorted(view.tooSmall)) }
    return view
  }

  /// The slack beyond which circles need not be looked at: several times as many as there are slots
  /// are nearer, and the present safe circle does not reach so far.
  private func enough(_ circles: [Circle], count: Int) -> Double {
    let wanted = 4 * min(count, 1_000_000)
    guard limits.slots != nil, circles.count > wanted else { return .infinity }
    var slacks = circles.map(\.guardedSlackMeters)
    var enough = element(wanted, ofSorted: &slacks)
    if let safe = held.all.first(where: { $0.kind == .safe }) {
      let away = safe.middle.distanceMeters(to: here)
      enough = max(enough, (away + safe.radiusMeters + margin) * 1.01 + 10)
    }
    return enough
  }

  /// In the order of ``Circle/precedes(_:_:)``; what is moved while sorting is small.
  private static func sorted(_ circles: [Circle]) -> [Circle] {
    var keys = circles.indices.map { (slack: circles[$0].guardedSlackMeters, index: $0) }
    keys.sort { a, b in
      a.slack == b.slack
        ? Circle.precedes(circles[a.index], circles[b.index]) : a.slack < b.slack
    }
    return keys.map { circles[$0.index] }
  }

  /// Equal circles as one: they have equal slacks, so they are neighbors.
  private mutating func merged(_ sorted: [Circle]) -> [Circle] {
    var merged: [Circle] = []
    merged.reserveCapacity(sorted.count)
    for circle in sorted {
      guard let last = merged.indices.last, merged[last].edge.isSameCircle(as: circle.edge) else {
        merged.append(circle)
        continue
      }
      let known = ladders(of: merged[last])
      let all = (known + ladders(of: circle).filter { !known.contains($0) }).sorted()
      merged[last].merged = Int32(mergedLadders.count)
      merged[last].firstLadder = Int32(all[0])
      mergedLadders.append(all)
    }
    return merged
  }

  /// The ladders that need a circle, as indices, in order.
  private func ladders(of circle: Circle) -> [Int] {
    circle.merged < 0
      ? boundaries[Int(circle.boundary)].ladders : mergedLadders[Int(circle.merged)]
  }

  /// Finds the circles by which a boundary can be watched: those around the nearest points.
  private func findEdges(
    of watched: WatchedBoundary,
    count: Int,
    _ found: inout [Edge]
  ) {
    guard let discs = watched.discs else { return }
    switch watched.target {
    case .place(_, let coordinate):
      found.append(
        Edge(
          center: -1 - watched.firstOfTarget,
          coordinate: coordinate,
          point: SurfacePoint(coordinate),
          from: here,
          radiusMeters: discs.radius.leastMeters + discs.beyondMeters,
          smallestMeters: limits.smallestRegionMeters,
          side: watched.boundary.side
        )
      )
    case .category(let slot):
      guard let slot else { return }
      let nearest = catalog.nearestEdges(
        slot: slot,
        to: here,
        of: discs.radius,
        count: watched.boundary.side == .in ? count : min(count, Self.waysOut)
      )
      let (points, positions) = (catalog.points, catalog.positions)
      for near in nearest {
        found.append(
          Edge(
            center: near.index,
            coordinate: points[near.index].coordinate,
            point: positions[near.index],
            distanceMeters: near.distanceMeters,
            radiusMeters: near.radiusMeters + discs.beyondMeters,
            smallestMeters: limits.smallestRegionMeters,
            side: watched.boundary.side
          )
        )
      }
    }
  }

  /// Going out of a category's union is watched by one circle, for while one is inside that, one is
  /// inside the union: the one that lasts longest, going on as before, or one that is watched already
  /// and lasts nearly as long.
  ///
  /// - Returns: nil if there is no circle at all.
  private func wayOut(of circles: [Edge]) -> Edge? {
    guard let widest = circles.first, widest.slackMeters > 0 else { return circles.first }
    let least = widest.slackMeters * Self.leastSlackShare
    var best = widest
    var lasts = -Double.infinity
    for edge in circles where edge.slackMeters >= least {
      let meters = edge.metersAhead(from: here, before)
      if meters > lasts { (best, lasts) = (edge, meters) }
    }
    let inUse = circles.first { edge in
      edge.slackMeters >= least
        && edge.metersAhead(from: here, before) >= lasts * Self.inUseShare
        && held.first(watching: edge) != nil
    }
    return inUse ?? best
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
      min(rest.first?.guardedSlackMeters ?? .infinity, view.reachOfSafeMeters)
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
  private func choose(_ slots: Int, of circles: [Circle], horizonMeters: Double) -> Choice {
    // With all slots taken by the nearest, the safe circle would be this large.
    let largest = slots < circles.count ? circles[slots].guardedSlackMeters : .infinity
    let enough = min(largest * Self.safeRadiusShare, horizonMeters)
    let needed = circles.prefix(slots).prefix { $0.guardedSlackMeters < enough }
    return filled(
      Choice(direct: Array(needed), rest: Array(circles.dropFirst(needed.count))),
      slots
    )
  }

  /// Gives free slots to circles that are watched already.
  private func filled(_ choice: Choice, _ slots: Int) -> Choice {
    var filled = choice
    filled.rest = []
    filled.rest.reserveCapacity(choice.rest.count)
    for circle in choice.rest {
      if filled.direct.count + filled.covers.count < slots,
        held.first(watching: circle.edge) != nil
      {
        filled.direct.append(circle)
      } else {
        filled.rest.append(circle)
      }
    }
    return filled
  }

  /// Covers several circles with one, where they crowd; nil if nothing is gained.
  private func covering(_ view: View, _ slots: Int) -> Choice? {
    guard
      let cover = DiscCover(
        view.circles,
        slots: slots,
        around: position,
        reachMeters: view.reachOfSafeMeters
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
        ids: members.map { centerID($0) }
      )
      // A plane is not the earth: the circle may hold the position after all.
      let distance = SurfacePoint(region.center).distanceMeters(to: here)
      guard distance - measureError(distance) > region.radiusMeters,
        region.radiusMeters <= mostMeters
      else { return nil }
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
    _ view: View,
    slots: Int,
    atLeast ahead: Double
  ) -> (safe: Region, choice: Choice)? {
    guard let index = held.all.firstIndex(where: { $0.kind == .safe }) else { return nil }
    let (safe, middle) = (held.all[index], held.all[index].middle)
    let away = middle.distanceMeters(to: here)
    let reach = away + safe.radiusMeters + margin
    guard away + measureError(away) + 1 < safe.radiusMeters, safe.radiusMeters - away >= ahead,
      view.reachMeters > reach + measureError(reach), safe.radiusMeters <= mostMeters,
      view.tooLarge.allSatisfy({
        $0.edge.guardedSlackMeters(from: middle) - margin >= safe.radiusMeters
      })
    else { return nil }
    let covers = held.all.indices.filter { i in
      held.all[i].isCover && held.all[i].radiusMeters <= mostMeters
        && held.all[i].middle.distanceMeters(to: here) > held.all[i].radiusMeters + 1
    }
    var choice = Choice()
    choice.rest.reserveCapacity(view.circles.count)
    for circle in view.circles {
      guard circle.guardedSlackMeters - margin < reach,
        circle.edge.guardedSlackMeters(from: middle) - margin < safe.radiusMeters
      else {
        choice.rest.append(circle)
        continue
      }
      if let cover = covers.first(where: { circle.edge.isCovered(by: held.all[$0]) }) {
        if let known = choice.covers.firstIndex(where: { $0.region == current[cover] }) {
          choice.covers[known].members.append(circle)
        } else {
          choice.covers.append((current[cover], [circle]))
        }
      } else {
        choice.direct.append(circle)
      }
    }
    guard choice.direct.count + choice.covers.count <= slots else { return nil }
    return (current[index], filled(choice, slots))
  }

  // MARK: The plan

  private func finished(
    _ choice: Choice,
    safe: Region?,
    promised: Double?,
    _ view: View
  ) -> RegionPlan {
    var entries: [RegionPlan.Entry] = []
    entries.reserveCapacity(choice.direct.count + choice.covers.count + 1)
    // Most circles of a boundary have the same owners.
    var owners = [[String]?](repeating: nil, count: boundaries.count)
    for circle in choice.direct {
      let boundary = Int(circle.boundary)
      let known = circle.merged < 0 ? owners[boundary] : nil
      let own = known ?? self.owners(ladders(of: circle))
      if circle.merged < 0 { owners[boundary] = own }
      entries.append(RegionPlan.Entry(region: region(circle), owners: own))
    }
    for (region, members) in choice.covers {
      let owners = self.owners(members.flatMap { ladders(of: $0) }.sorted())
      entries.append(RegionPlan.Entry(region: region, owners: owners))
    }
    var atRisk: [Certificate.Risk] = []
    for circle in choice.direct
    where circle.edge.side == .out && circle.edge.radiusMeters < circle.edge.regionRadiusMeters {
      atRisk.append(risk(circle, .smallerThanSmallestRegion))
    }
    atRisk += view.tooSmall.map { risk($0, .smallerThanSmallestRegion) }
    atRisk += choice.atRisk.map { risk($0, .nearerThanSmallestRegion) }
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
      needsNextFix: !view.tooSmall.isEmpty
    )
  }

  private func risk(_ circle: Circle, _ reason: Certificate.Reason) -> Certificate.Risk {
    Certificate.Risk(
      id: region(circle).id,
      slackMeters: circle.edge.slackMeters,
      reason: reason
    )
  }

  /// The region of a circle: the one that is watched already, if it is the same.
  private func region(_ circle: Circle) -> Region {
    let edge = circle.edge
    let kind: Region.Kind = edge.side == .in ? .enter : .exit
    let centimeters = Int64((edge.radiusMeters * 100).rounded())
    let center = centerID(circle)
    // By itself: a closure that holds the planning would copy all of it, for each region.
    let current = current
    let watching = held.first(watching: edge) { i in
      Self.isID(current[i].id, kind: kind, center: center, centimeters: centimeters)
    }
    if let watching { return current[watching] }
    return Region(
      id: "\(kind.rawValue):\(center):\(centimeters)",
      center: edge.coordinate,
      radiusMeters: edge.regionRadiusMeters,
      kind: kind
    )
  }

  /// Whether a region has the id that is made of these; to compare costs less than to make it.
  private static func isID(
    _ id: String,
    kind: Region.Kind,
    center: String,
    centimeters: Int64
  ) -> Bool {
    let kind = kind.rawValue
    let isEqual = id.utf8.withContiguousStorageIfAvailable { id in
      kind.utf8.withContiguousStorageIfAvailable { kind in
        center.utf8.withContiguousStorageIfAvailable { center in
          let digits = id.dropFirst(kind.count + center.count + 2)
          guard !digits.isEmpty, digits.count <= 18, digits.first != UInt8(ascii: "0"),
            id[kind.count] == UInt8(ascii: ":"),
            id[kind.count + 1 + center.count] == UInt8(ascii: ":"), id.starts(with: kind),
            id[(kind.count + 1)...].starts(with: center)
          else { return false }
          var number: Int64 = 0
          for byte in digits {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return false }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
          }
          return number == centimeters
        }
      }
    }
    return isEqual == .some(.some(.some(true)))
  }

  private func centerID(_ circle: Circle) -> String {
    switch ladders[Int(circle.firstLadder)].target {
    case .place(let id, _): id
    case .category: catalog.points[circle.edge.center].sourceID
    }
  }

  /// The owners of ladders, given in order, each once.
  private func owners(_ indices: [Int]) -> [String] {
    var owners: [String] = []
    for i in indices where owners.last != ladders[i].owner { owners.append(ladders[i].owner) }
    return owners
  }
}
