import Geodesy

/// The points of interest of one category, arranged for finding the nearest.
///
/// A balanced k-d tree over earth-centered coordinates, stored as flat arrays in tree order: the
/// point in the middle of a range splits it. Chords need no special case at poles or ±180°.
///
/// A class, so that a search counts one reference, and not one for each of its arrays.
///
/// - Complexity: building O(n log² n), a search O(log n) on average.
final class POITree: Sendable {
  /// Ranges of at most this many points are scanned, not split; measured best between 4 and 16.
  private static let leafCount = 8

  /// What the difference of a distance and a radius may have lost: of large discs around one spot, points that are
  /// as near by that difference are ordered by their index.
  private static let roundingMeters = 1e-6

  /// Positions in tree order.
  private let points: [SurfacePoint]
  /// Index into the catalog's points, in tree order.
  private let indices: [Int32]
  /// Footprint radius in meters, in tree order.
  private let footprintsMeters: [Float]
  /// At each splitting point: the axis it splits (0, 1, 2).
  private let axes: [UInt8]
  /// At each splitting point: the largest footprint radius of its whole range.
  private let largestFootprintsMeters: [Float]

  /// The least and the largest of each part of all positions.
  private let (low, high): (SurfacePoint, SurfacePoint)

  /// Whether any point has an outline.
  let hasFootprints: Bool

  var count: Int { points.count }

  init(_ entries: [(index: Int32, point: SurfacePoint, footprintMeters: Double)]) {
    var entries = entries
    var axes = [UInt8](repeating: 0, count: entries.count)
    var largest = [Float](repeating: 0, count: entries.count)
    entries.withUnsafeMutableBufferPointer {
      // A tree that is never split keeps the order in which it came.
      guard $0.count > Self.leafCount else { return }
      Self.arrange($0, in: $0.indices, along: 0, axes: &axes, largest: &largest)
    }
    self.axes = axes
    largestFootprintsMeters = largest
    points = entries.map(\.point)
    (low, high) = Self.box(around: points)
    indices = entries.map(\.index)
    footprintsMeters = entries.map { Self.roundedUp($0.footprintMeters) }
    hasFootprints = footprintsMeters.contains { $0 > 0 }
  }

  /// A radius as a 32-bit number that is never smaller, so that bounds stay bounds.
  private static func roundedUp(_ meters: Double) -> Float {
    let rounded = Float(meters)
    return Double(rounded) < meters ? rounded.nextUp : rounded
  }

  private static func box(around points: [SurfacePoint]) -> (SurfacePoint, SurfacePoint) {
    var low = SurfacePoint(x: .infinity, y: .infinity, z: .infinity)
    var high = SurfacePoint(x: -.infinity, y: -.infinity, z: -.infinity)
    for point in points {
      low = SurfacePoint(x: min(low.x, point.x), y: min(low.y, point.y), z: min(low.z, point.z))
      high = SurfacePoint(
        x: max(high.x, point.x),
        y: max(high.y, point.y),
        z: max(high.z, point.z)
      )
    }
    return (low, high)
  }

  private typealias Entry = (index: Int32, point: SurfacePoint, footprintMeters: Double)

  /// Puts a range into tree order: what splits it in the middle, and the ranges of both sides likewise.
  ///
  /// - Parameter axis: along which a range that is not split is in order.
  private static func arrange(
    _ entries: UnsafeMutableBufferPointer<Entry>,
    in range: Range<Int>,
    along axis: UInt8,
    axes: inout [UInt8],
    largest: inout [Float]
  ) {
    guard range.count > leafCount else { return sort(entries, in: range, along: axis) }
    let axis = widestAxis(entries[range])
    let (middle, below, above) = halves(of: range)
    split(entries, at: middle, in: range, along: axis)
    axes[middle] = axis
    largest[middle] = entries[range].reduce(0) { max($0, roundedUp($1.footprintMeters)) }
    arrange(entries, in: below, along: axis, axes: &axes, largest: &largest)
    arrange(entries, in: above, along: axis, axes: &axes, largest: &largest)
  }

  /// Puts the entry that comes at a place by order there, those before it below and the others above.
  ///
  /// - Complexity: O(n), and O(n log n) where the data are made against it.
  /// - Source: C. A. R. Hoare, Algorithm 65: Find, CACM 4 (1961).
  private static func split(
    _ entries: UnsafeMutableBufferPointer<Entry>,
    at middle: Int,
    in range: Range<Int>,
    along axis: UInt8
  ) {
    var (low, high) = (range.lowerBound, range.upperBound - 1)
    var roundsLeft = 2 * (Int.bitWidth - range.count.leadingZeroBitCount)
    while low < high {
      roundsLeft -= 1
      guard roundsLeft > 0 else { return sort(entries, in: low..<high + 1, along: axis) }
      let pivot = entries[middle]
      var (i, j) = (low, high)
      repeat {
        while precedes(entries[i], pivot, along: axis) { i += 1 }
        while precedes(pivot, entries[j], along: axis) { j -= 1 }
        if i <= j {
          entries.swapAt(i, j)
          i += 1
          j -= 1
        }
      } while i <= j
      if j < middle { low = i }
      if i > middle { high = j }
    }
  }

  private static func sort(
    _ entries: UnsafeMutableBufferPointer<Entry>,
    in range: Range<Int>,
    along axis: UInt8
  ) {
    var part = UnsafeMutableBufferPointer(rebasing: entries[range])
    part.sort { precedes($0, $1, along: axis) }
  }

  @inline(__always)
  private static func precedes(_ a: Entry, _ b: Entry, along axis: UInt8) -> Bool {
    let (x, y) = (part(a.point, axis), part(b.point, axis))
    return x == y ? a.index < b.index : x < y
  }

  /// The splitting point of a range, and what lies to both sides of it.
  @inline(__always)
  private static func halves(
    of range: Range<Int>
  ) -> (middle: Int, below: Range<Int>, above: Range<Int>) {
    let middle = (range.lowerBound + range.upperBound) / 2
    return (middle, range.lowerBound..<middle, middle + 1..<range.upperBound)
  }

  private static func widestAxis(
    _ entries: Slice<UnsafeMutableBufferPointer<Entry>>
  ) -> UInt8 {
    var best: (axis: UInt8, width: Double) = (0, -1)
    for axis in UInt8(0)...2 {
      var low = Double.infinity
      var high = -Double.infinity
      for entry in entries {
        let value = part(entry.point, axis)
        low = min(low, value)
        high = max(high, value)
      }
      if high - low > best.width { best = (axis, high - low) }
    }
    return best.axis
  }

  @inline(__always)
  private static func part(_ point: SurfacePoint, _ axis: UInt8) -> Double {
    axis == 0 ? point.x : axis == 1 ? point.y : point.z
  }

  // MARK: Searching

  /// How far a position is, along each axis, from the box that holds a range; 0 between its sides.
  ///
  /// No point of the range is nearer, also not by rounding: each part is computed as a chord's is, and
  /// a larger difference stays one when it is rounded.
  private struct Gap {
    var x = 0.0
    var y = 0.0
    var z = 0.0

    var squared: Double { x * x + y * y + z * z }

    /// The gap to the part of the box that begins beyond a plane.
    @inline(__always)
    func beyond(_ axis: UInt8, by offset: Double) -> Gap {
      var gap = self
      switch axis {
      case 0: gap.x = offset
      case 1: gap.y = offset
      default: gap.z = offset
      }
      return gap
    }
  }

  private func gap(to position: SurfacePoint) -> Gap {
    Gap(
      x: max(low.x - position.x, position.x - high.x, 0),
      y: max(low.y - position.y, position.y - high.y, 0),
      z: max(low.z - position.z, position.z - high.z, 0)
    )
  }

  /// The point nearest to a position; of equals, the one with the lowest index.
  func nearest(to position: SurfacePoint) -> (index: Int32, chordSquared: Double)? {
    guard !points.isEmpty else { return nil }
    var best: (index: Int32, chordSquared: Double) = (-1, .infinity)
    searchNearest(position, in: points.indices, gap: gap(to: position), &best)
    return best
  }

  /// The square of the chord to the nearest point, if that is less than what is known already, else that.
  func leastChordSquared(to position: SurfacePoint, atMost known: Double) -> Double {
    let gap = gap(to: position)
    guard !points.isEmpty, gap.squared <= known else { return known }
    var best: (index: Int32, chordSquared: Double) = (-1, known)
    searchNearest(position, in: points.indices, gap: gap, &best)
    return best.chordSquared
  }

  private func searchNearest(
    _ position: SurfacePoint,
    in range: Range<Int>,
    gap: Gap,
    _ best: inout (index: Int32, chordSquared: Double)
  ) {
    if range.count <= Self.leafCount {
      for i in range { keep(i, from: position, &best) }
      return
    }
    let (middle, below, above) = Self.halves(of: range)
    keep(middle, from: position, &best)
    let axis = axes[middle]
    let offset = Self.part(position, axis) - Self.part(points[middle], axis)
    let isBelow = offset < 0
    searchNearest(position, in: isBelow ? below : above, gap: gap, &best)
    let beyond = gap.beyond(axis, by: offset)
    if beyond.squared <= best.chordSquared {
      searchNearest(position, in: isBelow ? above : below, gap: beyond, &best)
    }
  }

  @inline(__always)
  private func keep(
    _ i: Int,
    from position: SurfacePoint,
    _ best: inout (index: Int32, chordSquared: Double)
  ) {
    let chordSquared = points[i].chordSquared(to: position)
    if chordSquared < best.chordSquared
      || (chordSquared == best.chordSquared && indices[i] < best.index)
    {
      best = (indices[i], chordSquared)
    }
  }

  /// The discs whose edges are nearest to a position, each point having a disc of its own.
  ///
  /// - Parameter count: how many at the most.
  /// - Returns: in order of the signed distance to the edge, then of the index.
  func nearestEdges(
    to position: SurfacePoint,
    of discs: DiscRadius,
    count: Int
  ) -> [NearEdge] {
    guard !points.isEmpty, count > 0 else { return [] }
    if discs.beyondFootprintMeters == nil || !hasFootprints {
      return nearestCenters(to: position, radiusMeters: discs.leastMeters, count: count)
    }
    var found: [NearEdge] = []
    found.reserveCapacity(min(count, points.count) + 1)
    searchEdges(
      position,
      of: discs,
      count: count,
      in: points.indices,
      gap: gap(to: position),
      &found
    )
    return found
  }

  /// The discs of one size whose edges are nearest: those around the nearest points.
  ///
  /// Of the points that come into question only the chords are looked at.
  private func nearestCenters(
    to position: SurfacePoint,
    radiusMeters: Double,
    count: Int
  ) -> [NearEdge] {
    guard count < points.count else {
      return points.indices
        .map {
          NearEdge(
            index: Int(indices[$0]),
            distanceMeters: points[$0].distanceMeters(to: position),
            radiusMeters: radiusMeters
          )
        }
        .sorted()
    }
    return withUnsafeTemporaryAllocation(of: NearCenter.self, capacity: count) { near in
      var found = 0
      searchCenters(position, in: points.indices, gap: gap(to: position), near, &found)
      var edges: [NearEdge] = []
      edges.reserveCapacity(found)
      for i in 0..<found {
        let edge = NearEdge(
          index: Int(indices[Int(near[i].index)]),
          distanceMeters: points[Int(near[i].index)].distanceMeters(to: position),
          radiusMeters: radiusMeters
        )
        edges.append(edge)
        // Two chords may have one arc.
        var at = i
        while at > 0, edges[at] < edges[at - 1] {
          edges.swapAt(at, at - 1)
          at -= 1
        }
      }
      return edges
    }
  }

  /// Calls `body` with the points nearest to a position, the nearest first, of equals the one with the
  /// lowest index: their number, their index, where they are, and the square of the chord.
  func forNearestCenters(
    to position: SurfacePoint,
    count: Int,
    _ body: (Int, Int32, SurfacePoint, Double) -> Void
  ) {
    withUnsafeTemporaryAllocation(of: NearCenter.self, capacity: count) { near in
      var found = 0
      searchCenters(position, in: points.indices, gap: gap(to: position), near, &found)
      for i in 0..<found {
        let at = Int(near[i].index)
        body(i, indices[at], points[at], near[i].chordSquared)
      }
    }
  }

  private struct NearCenter {
    var chordSquared: Double
    /// In tree order.
    var index: Int32
  }

  private func searchCenters(
    _ position: SurfacePoint,
    in range: Range<Int>,
    gap: Gap,
    _ near: UnsafeMutableBufferPointer<NearCenter>,
    _ found: inout Int
  ) {
    if range.count <= Self.leafCount {
      for i in range { keep(i, from: position, near, &found) }
      return
    }
    let (middle, below, above) = Self.halves(of: range)
    keep(middle, from: position, near, &found)
    let axis = axes[middle]
    let offset = Self.part(position, axis) - Self.part(points[middle], axis)
    let isBelow = offset < 0
    searchCenters(position, in: isBelow ? below : above, gap: gap, near, &found)
    let beyond = gap.beyond(axis, by: offset)
    if found < near.count || beyond.squared <= near[found - 1].chordSquared {
      searchCenters(position, in: isBelow ? above : below, gap: beyond, near, &found)
    }
  }

  @inline(__always)
  private func keep(
    _ i: Int,
    from position: SurfacePoint,
    _ near: UnsafeMutableBufferPointer<NearCenter>,
    _ found: inout Int
  ) {
    let chordSquared = points[i].chordSquared(to: position)
    var at = found
    if found == near.count {
      let last = near[found - 1]
      guard
        chordSquared < last.chordSquared
          || (chordSquared == last.chordSquared && indices[i] < indices[Int(last.index)])
      else { return }
      at -= 1
    } else {
      found += 1
    }
    while at > 0,
      chordSquared < near[at - 1].chordSquared
        || (chordSquared == near[at - 1].chordSquared
          && indices[i] < indices[Int(near[at - 1].index)])
    {
      near[at] = near[at - 1]
      at -= 1
    }
    near[at] = NearCenter(chordSquared: chordSquared, index: Int32(i))
  }

  private func searchEdges(
    _ position: SurfacePoint,
    of discs: DiscRadius,
    count: Int,
    in range: Range<Int>,
    gap: Gap,
    _ found: inout [NearEdge]
  ) {
    if range.count <= Self.leafCount {
      for i in range { keep(i, from: position, discs, count: count, &found) }
      return
    }
    let (middle, below, above) = Self.halves(of: range)
    let largestRadius = discs.meters(footprintMeters: Double(largestFootprintsMeters[middle]))
    let axis = axes[middle]
    let offset = Self.part(position, axis) - Self.part(points[middle], axis)
    keep(middle, from: position, discs, count: count, &found)
    let isBelow = offset < 0
    searchEdges(position, of: discs, count: count, in: isBelow ? below : above, gap: gap, &found)
    let beyond = gap.beyond(axis, by: offset)
    // A chord is never longer than its arc, so this bound is never too large.
    if found.count < count
      || beyond.squared.squareRoot() - largestRadius <= found[found.count - 1].slackMeters
    {
      searchEdges(
        position,
        of: discs,
        count: count,
        in: isBelow ? above : below,
        gap: beyond,
        &found
      )
    }
  }

  /// The first of ``nearestEdges(to:of:count:)``.
  func nearestEdge(to position: SurfacePoint, of discs: DiscRadius) -> NearEdge? {
    guard !points.isEmpty else { return nil }
    if discs.beyondFootprintMeters == nil || !hasFootprints {
      return nearestCenter(to: position, radiusMeters: discs.leastMeters)
    }
    var best = NearEdge(index: .max, distanceMeters: .infinity, radiusMeters: 0)
    searchEdge(position, of: discs, in: points.indices, gap: gap(to: position), &best)
    return best
  }

  private func nearestCenter(to position: SurfacePoint, radiusMeters: Double) -> NearEdge {
    var best = NearCenter(chordSquared: .infinity, index: 0)
    withUnsafeMutablePointer(to: &best) { best in
      var found = 0
      let near = UnsafeMutableBufferPointer(start: best, count: 1)
      searchCenters(position, in: points.indices, gap: gap(to: position), near, &found)
    }
    return NearEdge(
      index: Int(indices[Int(best.index)]),
      distanceMeters: points[Int(best.index)].distanceMeters(to: position),
      radiusMeters: radiusMeters
    )
  }

  private func searchEdge(
    _ position: SurfacePoint,
    of discs: DiscRadius,
    in range: Range<Int>,
    gap: Gap,
    _ best: inout NearEdge
  ) {
    if range.count <= Self.leafCount {
      for i in range { keep(i, from: position, discs, &best) }
      return
    }
    let (middle, below, above) = Self.halves(of: range)
    keep(middle, from: position, discs, &best)
    let axis = axes[middle]
    let offset = Self.part(position, axis) - Self.part(points[middle], axis)
    let isBelow = offset < 0
    searchEdge(position, of: discs, in: isBelow ? below : above, gap: gap, &best)
    let largestRadius = discs.meters(footprintMeters: Double(largestFootprintsMeters[middle]))
    let beyond = gap.beyond(axis, by: offset)
    if beyond.squared.squareRoot() - largestRadius <= best.slackMeters {
      searchEdge(position, of: discs, in: isBelow ? above : below, gap: beyond, &best)
    }
  }

  @inline(__always)
  private func keep(
    _ i: Int,
    from position: SurfacePoint,
    _ discs: DiscRadius,
    _ best: inout NearEdge
  ) {
    let radius = discs.meters(footprintMeters: Double(footprintsMeters[i]))
    // A chord is never longer than its arc: most points need no arc.
    let limit = best.slackMeters + radius + Self.roundingMeters
    let chordSquared = points[i].chordSquared(to: position)
    guard limit >= 0, chordSquared <= limit * limit else { return }
    let edge = NearEdge(
      index: Int(indices[i]),
      distanceMeters: points[i].distanceMeters(to: position),
      radiusMeters: radius
    )
    if edge < best { best = edge }
  }

  private func keep(
    _ i: Int,
    from position: SurfacePoint,
    _ discs: DiscRadius,
    count: Int,
    _ found: inout [NearEdge]
  ) {
    let radius = discs.meters(footprintMeters: Double(footprintsMeters[i]))
    if found.count == count {
      // A chord is never longer than its arc: most points need no arc.
      let limit = found[count - 1].slackMeters + radius + Self.roundingMeters
      guard limit >= 0, points[i].chordSquared(to: position) <= limit * limit else { return }
    }
    let edge = NearEdge(
      index: Int(indices[i]),
      distanceMeters: points[i].distanceMeters(to: position),
      radiusMeters: radius
    )
    var at = found.count
    if at == count {
      guard edge < found[count - 1] else { return }
      at -= 1
    } else {
      found.append(edge)
    }
    while at > 0, edge < found[at - 1] {
      found[at] = found[at - 1]
      at -= 1
    }
    found[at] = edge
  }

  /// Calls `body` with the index of every point within a chord of a position.
  func forEach(
    within chordSquared: Double,
    of position: SurfacePoint,
    _ body: (Int32) -> Void
  ) {
    let gap = gap(to: position)
    guard gap.squared <= chordSquared else { return }
    searchWithin(chordSquared, of: position, in: points.indices, gap: gap, body)
  }

  private func searchWithin(
    _ chordSquared: Double,
    of position: SurfacePoint,
    in range: Range<Int>,
    gap: Gap,
    _ body: (Int32) -> Void
  ) {
    if range.count <= Self.leafCount {
      for i in range where points[i].chordSquared(to: position) <= chordSquared {
        body(indices[i])
      }
      return
    }
    let (middle, below, above) = Self.halves(of: range)
    if points[middle].chordSquared(to: position) <= chordSquared { body(indices[middle]) }
    let axis = axes[middle]
    let offset = Self.part(position, axis) - Self.part(points[middle], axis)
    let beyond = gap.beyond(axis, by: offset)
    let isBeyondWithin = beyond.squared <= chordSquared
    if offset < 0 || isBeyondWithin {
      searchWithin(chordSquared, of: position, in: below, gap: offset < 0 ? gap : beyond, body)
    }
    if offset >= 0 || isBeyondWithin {
      searchWithin(chordSquared, of: position, in: above, gap: offset < 0 ? beyond : gap, body)
    }
  }
}

/// How large the disc of a point of interest is.
public struct DiscRadius: Hashable, Sendable {
  /// Every disc has at least this radius.
  public let leastMeters: Double
  /// Discs of points with an outline reach this far beyond it; nil if outlines do not count.
  public let beyondFootprintMeters: Double?
  /// No disc has a larger radius.
  public let mostMeters: Double

  /// Makes the rule.
  public init(
    leastMeters: Double,
    beyondFootprintMeters: Double? = nil,
    mostMeters: Double = .infinity
  ) {
    self.leastMeters = leastMeters
    self.beyondFootprintMeters = beyondFootprintMeters
    self.mostMeters = mostMeters
  }

  /// The radius of a disc, in meters.
  @inlinable
  public func meters(footprintMeters: Double) -> Double {
    guard let beyondFootprintMeters, footprintMeters > 0 else { return leastMeters }
    return max(leastMeters, min(mostMeters, footprintMeters + beyondFootprintMeters))
  }
}

/// A disc and how far a position is from it.
public struct NearEdge: Comparable, Sendable {
  /// Which point of interest, as an index into the catalog.
  public let index: Int
  /// From the position to the disc's center.
  public let distanceMeters: Double
  /// The disc's radius.
  public let radiusMeters: Double

  /// Makes a disc seen from somewhere.
  public init(index: Int, distanceMeters: Double, radiusMeters: Double) {
    self.index = index
    self.distanceMeters = distanceMeters
    self.radiusMeters = radiusMeters
  }

  /// From the position to the edge; negative inside.
  public var slackMeters: Double { distanceMeters - radiusMeters }

  /// Orders by the distance to the edge, equals by index.
  public static func < (a: NearEdge, b: NearEdge) -> Bool {
    a.slackMeters == b.slackMeters ? a.index < b.index : a.slackMeters < b.slackMeters
  }
}
