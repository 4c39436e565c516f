import Basics
import Geodesy

/// Some circles behind one larger circle, which wakes the app before it comes into any of them.
///
/// Where points crowd, there are not regions enough for all that are near, and the safe circle
/// shrinks to the first that has none. One circle around several frees slots for others.
struct DiscCover {
  /// A circle of its own, or several behind one, on a plane around the position.
  private struct Group {
    var members: [Int]
    var x: Double
    var y: Double
    var radius: Double
    let side: Boundary.Side

    /// How far the position is from it.
    var slack: Double {
      let distance = (x * x + y * y).squareRoot()
      return side == .in ? distance - radius : radius - distance
    }

    /// The smallest circle around two.
    func joined(with other: Group) -> Group {
      let (dx, dy) = (other.x - x, other.y - y)
      let distance = (dx * dx + dy * dy).squareRoot()
      var joined = self
      joined.members += other.members
      if distance + other.radius <= radius { return joined }
      if distance + radius <= other.radius {
        (joined.x, joined.y, joined.radius) = (other.x, other.y, other.radius)
        return joined
      }
      joined.radius = (distance + radius + other.radius) / 2
      let share = (joined.radius - radius) / distance
      joined.x = x + dx * share
      joined.y = y + dy * share
      return joined
    }

    /// How far the phone gets in a direction before it is crossed.
    func metersAhead(_ east: Double, _ north: Double) -> Double {
      let along = x * east + y * north
      let inside = radius * radius - (x * x + y * y - along * along)
      guard inside >= 0 else { return .infinity }
      let half = inside.squareRoot()
      if side == .out { return along + half }
      return along - half > 0 ? along - half : .infinity
    }
  }

  /// The indices of circles that lie behind one, group by group; single ones are circles of their own.
  let groups: [[Int]]
  /// How many circles, the nearest first, are covered.
  let coveredCount: Int

  /// Covers more of the nearest circles than there are slots, if that lengthens the way to the next
  /// wake: the mean over all directions of how far one gets.
  ///
  /// - Parameter circles: nearest first.
  /// - Parameter reachMeters: nearer than this there is no other circle.
  /// - Returns: nil if nothing is gained.
  /// - Complexity: O(steps · slots²).
  init?(_ circles: [Circle], slots: Int, around position: Coordinate, reachMeters: Double) {
    guard slots > 1, circles.count > slots else { return nil }
    let plane = LocalPlane(origin: position)
    var groups = circles.prefix(slots).enumerated()
      .map { i, circle in Self.group(i, circle, plane) }
    func safe(_ covered: Int) -> Double {
      min(covered < circles.count ? circles[covered].guardedSlackMeters : .infinity, reachMeters)
    }
    var best: (groups: [Group], covered: Int)?
    var bestMeters = Self.metersToNextWake(groups, safe(slots)) * Self.worthwhile
    var covered = slots
    while covered < min(circles.count, slots + Self.longestSearch) {
      guard circles[covered].edge.side == .in else { break }
      let next = Self.group(covered, circles[covered], plane)
      covered += 1
      let reach = safe(covered)
      guard let joined = Self.joining(next, to: groups, reach) else { break }
      groups = joined
      let meters = Self.metersToNextWake(groups, reach)
      if meters > bestMeters { (best, bestMeters) = ((groups, covered), meters) }
    }
    guard let best else { return nil }
    self.groups = best.groups.map { $0.members.sorted() }
    coveredCount = best.covered
  }

  /// Somewhat more must be gained than the trouble of one more region.
  private static let worthwhile = 1.1
  /// So many circles more than there are slots are tried.
  private static let longestSearch = 40

  private static func group(_ i: Int, _ circle: Circle, _ plane: LocalPlane) -> Group {
    let at = plane.project(circle.edge.coordinate)
    return Group(
      members: [i],
      x: at.eastMeters,
      y: at.northMeters,
      radius: circle.edge.regionRadiusMeters,
      side: circle.edge.side
    )
  }

  /// The next circle joins a group, or gets the slot that two groups free by joining, whichever
  /// leaves the longest way.
  private static func joining(_ next: Group, to groups: [Group], _ reach: Double) -> [Group]? {
    var best: [Group]?
    var bestMeters = -Double.infinity
    func consider(_ candidate: [Group]) {
      let meters = metersToNextWake(candidate, reach)
      if meters > bestMeters { (best, bestMeters) = (candidate, meters) }
    }
    var nearest: (i: Int, joined: Group)?
    var pair: (i: Int, j: Int, joined: Group)?
    for (i, group) in groups.enumerated() where group.side == .in {
      let joined = group.joined(with: next)
      if joined.slack > 0, nearest.map({ joined.slack > $0.joined.slack }) ?? true {
        nearest = (i, joined)
      }
      for j in groups.indices.dropFirst(i + 1) where groups[j].side == .in {
        let joined = group.joined(with: groups[j])
        // The pair that comes nearer by the least.
        let loss = min(group.slack, groups[j].slack) - joined.slack
        if joined.slack > 0,
          pair.map({ loss < min(groups[$0.i].slack, groups[$0.j].slack) - $0.joined.slack }) ?? true
        {
          pair = (i, j, joined)
        }
      }
    }
    if let nearest {
      var candidate = groups
      candidate[nearest.i] = nearest.joined
      consider(candidate)
    }
    if let pair {
      var candidate = groups
      candidate[pair.i] = pair.joined
      candidate[pair.j] = next
      consider(candidate)
    }
    return best
  }

  /// Whether a region stands for several circles.
  static func isCover(_ region: Region) -> Bool { region.id.hasPrefix("cover:") }

  private static func metersToNextWake(_ groups: [Group], _ reach: Double) -> Double {
    var sum = 0.0
    for (east, north) in directions {
      var least = reach
      for group in groups { least = min(least, group.metersAhead(east, north)) }
      sum += least
    }
    return sum / Double(directions.count)
  }

  private static let directions: [(Double, Double)] = (0..<24)
    .map { i in
      let (sine, cosine) = sineAndCosine(degrees: Double(i) * 15)
      return (sine, cosine)
    }

  /// One circle around several, sure to hold them: its middle is computed on a plane, its radius
  /// measured.
  static func region(around members: [Circle], near position: Coordinate, ids: [String]) -> Region {
    let plane = LocalPlane(origin: position)
    var group = group(0, members[0], plane)
    for member in members.dropFirst() { group = group.joined(with: Self.group(0, member, plane)) }
    let center = plane.coordinate(eastMeters: group.x, northMeters: group.y)
    let middle = SurfacePoint(center)
    var radius = 0.0
    for member in members {
      let distance = middle.distanceMeters(to: member.edge.point)
      radius = max(radius, distance + measureError(distance) + member.edge.regionRadiusMeters)
    }
    radius = (radius * 100).rounded(.up) / 100
    let id = "cover:\(ids[0]):\(ids.count):\(Int64((radius * 100).rounded()))"
    return Region(id: id, center: center, radiusMeters: radius, kind: .enter)
  }
}
