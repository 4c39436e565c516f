import Geodesy
import Places

/// A circle that could watch a boundary, seen from the position that is planned for.
struct Edge {
  /// A point of the catalog; for a place −1 less the first group that stands around it.
  let center: Int
  let coordinate: Coordinate
  let point: SurfacePoint
  let distanceMeters: Double
  /// Of the boundary.
  let radiusMeters: Double
  /// Of the region that watches it, where the service takes none so small.
  let regionRadiusMeters: Double
  let side: Boundary.Side

  init(
    center: Int,
    coordinate: Coordinate,
    point: SurfacePoint,
    from position: SurfacePoint,
    radiusMeters: Double,
    smallestMeters: Double,
    side: Boundary.Side
  ) {
    self.init(
      center: center,
      coordinate: coordinate,
      point: point,
      distanceMeters: position.distanceMeters(to: point),
      radiusMeters: radiusMeters,
      smallestMeters: smallestMeters,
      side: side
    )
  }

  init(
    center: Int,
    coordinate: Coordinate,
    point: SurfacePoint,
    distanceMeters: Double,
    radiusMeters: Double,
    smallestMeters: Double,
    side: Boundary.Side
  ) {
    self.center = center
    self.coordinate = coordinate
    self.point = point
    self.distanceMeters = distanceMeters
    self.radiusMeters = radiusMeters
    regionRadiusMeters = max(radiusMeters, smallestMeters)
    self.side = side
  }

  var slackMeters: Double {
    side == .in ? distanceMeters - radiusMeters : radiusMeters - distanceMeters
  }

  /// The slack less what our measure of distance may be wrong by.
  var guardedSlackMeters: Double { slackMeters - measureError(distanceMeters) }

  /// The guarded slack from somewhere else.
  func guardedSlackMeters(from other: SurfacePoint) -> Double {
    let distance = other.distanceMeters(to: point)
    return (side == .in ? distance - radiusMeters : radiusMeters - distance)
      - measureError(distance)
  }

  /// How far the phone gets within the circle, going straight on; the slack where no way is known.
  func metersAhead(from here: SurfacePoint, _ before: SurfacePoint?) -> Double {
    guard let before else { return slackMeters }
    let way = SurfacePoint(x: here.x - before.x, y: here.y - before.y, z: here.z - before.z)
    let length = (way.x * way.x + way.y * way.y + way.z * way.z).squareRoot()
    guard length > 0 else { return slackMeters }
    let out = SurfacePoint(x: here.x - point.x, y: here.y - point.y, z: here.z - point.z)
    let along = (out.x * way.x + out.y * way.y + out.z * way.z) / length
    let inside = radiusMeters * radiusMeters - distanceMeters * distanceMeters
    return (along * along + max(0, inside)).squareRoot() - along
  }

  func isWatched(by region: HeldRegion) -> Bool {
    regionRadiusMeters == region.radiusMeters && coordinate == region.center
      && region.kind == (side == .in ? .enter : .exit)
  }

  /// Whether the phone cannot come into it without coming into a region.
  func isCovered(by region: HeldRegion) -> Bool {
    guard side == .in, region.kind == .enter else { return false }
    let distance = region.middle.distanceMeters(to: point)
    return distance + measureError(distance) / 2 + radiusMeters <= region.radiusMeters
  }

  func isSameCircle(as other: Edge) -> Bool {
    center == other.center && radiusMeters == other.radiusMeters && side == other.side
  }
}

/// What a slack loses because distances may be measured wrongly, in meters.
///
/// - Source: twice the bounds of `SurfacePoint.distanceMeters(to:)`.
func measureError(_ distanceMeters: Double) -> Double {
  max(0.05, distanceMeters * (distanceMeters < 1_000_000 ? 4e-5 : 2e-3))
}

/// A boundary that some ladders share, however many reminders stand behind it.
struct WatchedBoundary {
  let target: FenceTarget
  let arrival: DiscRadius?
  let boundary: Boundary
  /// The first boundary around the same target, as an index.
  let firstOfTarget: Int
  /// The ladders, as indices, in order.
  var ladders: [Int]

  /// The discs of a category that the boundary runs around, and how far beyond their edge.
  var discs: (radius: DiscRadius, beyondMeters: Double)? {
    switch boundary.reach {
    case .distance(let meters): (DiscRadius(leastMeters: meters), 0)
    case .arrival(let beyond): arrival.map { ($0, beyond) }
    }
  }

  /// The boundaries of ladders, each once, in the order in which they first come.
  static func all(of ladders: [WatchedLadder]) -> [WatchedBoundary] {
    var found: [WatchedBoundary] = []
    var index = BoundaryIndex(ladders: ladders.count)
    for (i, ladder) in ladders.enumerated() {
      for boundary in ladder.boundaries {
        // A ring at a distance is the same one, whatever arrival its ladder waits for.
        var arrival = ladder.arrival
        if case .distance = boundary.reach { arrival = nil }
        let next = WatchedBoundary(
          target: ladder.target,
          arrival: arrival,
          boundary: boundary,
          firstOfTarget: index.first(of: ladder.target, in: found) ?? found.count,
          ladders: [i]
        )
        if let known = index.same(as: next, in: found) {
          found[known].ladders.append(i)
        } else {
          index.add(next, at: found.count)
          found.append(next)
        }
      }
    }
    return found
  }
}

/// Where boundaries stand in a list.
///
/// Few are looked through, which is faster than to hash them; of many, as where each place of a category has
/// a ladder of its own, every one would be compared with every other.
private struct BoundaryIndex {
  private struct Key: Hashable {
    let target: FenceTarget
    let arrival: DiscRadius?
    let boundary: Boundary
  }

  private var places: [Key: Int]?
  private var targets: [FenceTarget: Int] = [:]

  init(ladders: Int) { places = ladders > 64 ? [:] : nil }

  func first(of target: FenceTarget, in found: [WatchedBoundary]) -> Int? {
    places == nil ? found.firstIndex { $0.target == target } : targets[target]
  }

  func same(as wanted: WatchedBoundary, in found: [WatchedBoundary]) -> Int? {
    guard let places else {
      return found.firstIndex {
        $0.boundary == wanted.boundary && $0.arrival == wanted.arrival
          && $0.target == wanted.target
      }
    }
    return places[Self.key(wanted)]
  }

  mutating func add(_ boundary: WatchedBoundary, at position: Int) {
    guard places != nil else { return }
    places?[Self.key(boundary)] = position
    if targets[boundary.target] == nil { targets[boundary.target] = position }
  }

  private static func key(_ boundary: WatchedBoundary) -> Key {
    Key(target: boundary.target, arrival: boundary.arrival, boundary: boundary.boundary)
  }
}

/// The regions that are watched now, to be asked for by circle.
///
/// Of the twenty of a phone all are looked at; a monitor without a limit holds thousands, which have an index.
struct HeldRegions {
  let all: [HeldRegion]
  private let byCenter: [Coordinate: [Int]]?

  init(_ regions: [Region]) {
    all = regions.map(HeldRegion.init)
    byCenter =
      regions.count > 64
      ? Dictionary(grouping: regions.indices, by: { regions[$0].center }) : nil
  }

  /// The first one by which a circle is watched, as an index.
  func first(watching edge: Edge, where isMeant: (Int) -> Bool = { _ in true }) -> Int? {
    guard let byCenter else {
      return all.indices.first { edge.isWatched(by: all[$0]) && isMeant($0) }
    }
    return byCenter[edge.coordinate]?.first { edge.isWatched(by: all[$0]) && isMeant($0) }
  }
}

/// A region that is watched now, as far as it is compared with circles.
///
/// Without its id, and so without a reference: a plan compares it with hundreds of them.
struct HeldRegion {
  let center: Coordinate
  let middle: SurfacePoint
  let radiusMeters: Double
  let kind: Region.Kind
  /// Whether it stands for several circles.
  let isCover: Bool

  init(_ region: Region) {
    center = region.center
    middle = SurfacePoint(region.center)
    radiusMeters = region.radiusMeters
    kind = region.kind
    isCover = DiscCover.isCover(region)
  }
}

/// A circle that could have a region, with the ladders that need it.
///
/// Without a reference: hundreds are sorted and copied for a plan, and to count references took more
/// than half of its time.
struct Circle {
  let edge: Edge
  let guardedSlackMeters: Double
  /// The boundary that it came from, as an index.
  let boundary: Int32
  /// Where several boundaries have the same circle, the ladders of all, as an index into a table; −1
  /// where the boundary's own are all.
  var merged: Int32 = -1
  /// The first of the ladders, as an index.
  var firstLadder: Int32

  init(_ edge: Edge, guardedSlackMeters: Double, boundary: Int, firstLadder: Int) {
    self.edge = edge
    self.guardedSlackMeters = guardedSlackMeters
    self.boundary = Int32(boundary)
    self.firstLadder = Int32(firstLadder)
  }

  /// Nearest first; of equals, by what they are around, then by radius and side, then by ladder.
  static func precedes(_ a: Circle, _ b: Circle) -> Bool {
    if a.guardedSlackMeters != b.guardedSlackMeters {
      return a.guardedSlackMeters < b.guardedSlackMeters
    }
    if a.edge.center != b.edge.center { return a.edge.center < b.edge.center }
    if a.edge.radiusMeters != b.edge.radiusMeters {
      return a.edge.radiusMeters < b.edge.radiusMeters
    }
    if a.edge.side != b.edge.side { return a.edge.side == .in }
    return a.firstLadder < b.firstLadder
  }
}
