import Geodesy

/// For each category, the points that are nearest to where the phone was a moment ago.
///
/// A phone in motion needs the nearest point again and again. As long as it is surely one of these, no
/// tree is searched. It belongs to one catalog.
public struct NearbyPoints: Sendable {
  private struct Entry: Sendable {
    var point = SurfacePoint(x: 0, y: 0, z: 0)
    var index: Int32 = -1
  }

  private struct List: Sendable {
    var center = SurfacePoint(x: 0, y: 0, z: 0)
    var count = 0
    /// All other points of the category are at least so far from the center, in a straight line.
    var reachMeters = 0.0
  }

  /// So many are kept for a category: about those of a town.
  ///
  /// - Source: judgment: more would cost more for each look, fewer would need a search more often.
  private static let most = 8

  private var lists: [List] = []
  private var entries: [Entry] = []

  /// None yet.
  public init() {}

  /// The nearest point of a category, of equals the one with the lowest index; nil where only the tree
  /// can tell.
  func nearest(
    slot: Int,
    to position: SurfacePoint
  ) -> (index: Int32, point: SurfacePoint)? {
    guard slot < lists.count else { return nil }
    let list = lists[slot]
    let left = list.reachMeters - list.center.chordSquared(to: position).squareRoot()
    // A millimeter is kept for rounding.
    guard left > 1e-3 else { return nil }
    var best = (chordSquared: (left - 1e-3) * (left - 1e-3), at: -1)
    for at in (slot * Self.most)..<(slot * Self.most + list.count) {
      let chordSquared = entries[at].point.chordSquared(to: position)
      if chordSquared < best.chordSquared
        || (chordSquared == best.chordSquared && best.at >= 0
          && entries[at].index < entries[best.at].index)
      {
        best = (chordSquared, at)
      }
    }
    return best.at < 0 ? nil : (entries[best.at].index, entries[best.at].point)
  }

  /// The nearest point of a category's tree, which is looked through for those around it, too.
  mutating func lookAnew(
    slot: Int,
    to position: SurfacePoint,
    in tree: POITree
  ) -> (index: Int32, point: SurfacePoint)? {
    if slot >= lists.count {
      lists += [List](repeating: List(), count: slot + 1 - lists.count)
      entries += [Entry](repeating: Entry(), count: lists.count * Self.most - entries.count)
    }
    var list = List(center: position, reachMeters: .infinity)
    tree.forNearestCenters(to: position, count: Self.most + 1) { i, index, point, chordSquared in
      guard i < Self.most else {
        list.reachMeters = chordSquared.squareRoot()
        return
      }
      entries[slot * Self.most + i] = Entry(point: point, index: index)
      list.count = i + 1
    }
    lists[slot] = list
    guard list.count > 0 else { return nil }
    let first = entries[slot * Self.most]
    return (first.index, first.point)
  }
}

extension POICatalog {
  /// The nearest point of a category, looked for among those near the position before.
  ///
  /// - Returns: what ``nearest(slot:to:)`` does.
  package func nearest(
    slot: Int,
    to position: SurfacePoint,
    _ near: inout NearbyPoints
  ) -> (index: Int, distanceMeters: Double)? {
    guard
      let found = near.nearest(slot: slot, to: position)
        ?? near.lookAnew(slot: slot, to: position, in: tree(slot: slot))
    else { return nil }
    return (Int(found.index), found.point.distanceMeters(to: position))
  }

  /// The disc around a point of a category whose edge is nearest, looked for among those near the
  /// position before.
  ///
  /// - Returns: what ``nearestEdge(slot:to:of:)`` does.
  package func nearestEdge(
    slot: Int,
    to position: SurfacePoint,
    of discs: DiscRadius,
    _ near: inout NearbyPoints
  ) -> NearEdge? {
    if discs.beyondFootprintMeters != nil {
      let tree = tree(slot: slot)
      if tree.hasFootprints { return tree.nearestEdge(to: position, of: discs) }
    }
    guard
      let found = near.nearest(slot: slot, to: position)
        ?? near.lookAnew(slot: slot, to: position, in: tree(slot: slot))
    else { return nil }
    return NearEdge(
      index: Int(found.index),
      distanceMeters: found.point.distanceMeters(to: position),
      radiusMeters: discs.leastMeters
    )
  }
}
