import Geodesy

/// The points of interest that the engine knows about, with an index for each category.
///
/// A value: copies share storage, and a newer cache is a newer catalog.
///
/// ```swift
/// let catalog = POICatalog([corner])
/// let position = SurfacePoint(try Coordinate(latitude: 39.28, longitude: -76.61))
/// if let slot = catalog.slot(of: CategoryID("pharmacy")),
///   let near = catalog.nearest(slot: slot, to: position)
/// {
///   print(catalog.points[near.index].sourceID, near.distanceMeters)
/// }
/// ```
///
/// - Complexity: making one is O(n log² n); searches are O(log n) on average.
public struct POICatalog: Sendable {
  /// One object, so that a copy counts one reference.
  private final class Storage: Sendable {
    let points: [PointOfInterest]
    let positions: [SurfacePoint]
    let categories: [CategoryID]
    let trees: [POITree]
    let largestFootprintMeters: Double
    let knownMeters: Double

    init(
      points: [PointOfInterest],
      positions: [SurfacePoint],
      categories: [CategoryID],
      trees: [POITree],
      largestFootprintMeters: Double,
      knownMeters: Double
    ) {
      self.points = points
      self.positions = positions
      self.categories = categories
      self.trees = trees
      self.largestFootprintMeters = points.reduce(largestFootprintMeters) {
        max($0, $1.footprintRadiusMeters)
      }
      self.knownMeters = knownMeters
    }
  }

  private let storage: Storage

  /// All points, in the order of ``precedes(_:_:)``: indices into this array are stable for the
  /// catalog's life.
  public var points: [PointOfInterest] { storage.points }
  /// Positions in space of ``points``.
  public var positions: [SurfacePoint] { storage.positions }
  /// The categories that occur, in order.
  public var categories: [CategoryID] { storage.categories }
  /// How far the largest outline reaches from its point; 0 without any.
  package var largestFootprintMeters: Double { storage.largestFootprintMeters }
  /// How far around wherever it is used no point is missing: infinite, unless it is a part of a larger one.
  public var knownMeters: Double { storage.knownMeters }
  private var trees: [POITree] { storage.trees }

  /// Nothing at all.
  public static let empty = POICatalog([])

  /// Arranges points of interest; a source id that comes twice is a mistake of the caller.
  ///
  /// - Parameters:
  ///   - knownMeters: of a part of a larger catalog, how far around every position at which it is used it
  ///     has all points.
  ///   - largestFootprintMeters: of a part, how far the largest outline of the whole reaches.
  public init(
    _ unordered: [PointOfInterest],
    knownMeters: Double = .infinity,
    largestFootprintMeters: Double = 0
  ) {
    let points = unordered.sorted { Self.precedes($0.sourceID, $1.sourceID) }
    precondition(
      zip(points, points.dropFirst()).allSatisfy { $0.sourceID != $1.sourceID },
      "two points of interest have one source id"
    )
    let positions = points.map { SurfacePoint($0.coordinate) }
    var entries: [CategoryID: [(index: Int32, point: SurfacePoint, footprintMeters: Double)]] = [:]
    for (i, point) in points.enumerated() {
      for category in point.categories {
        entries[category, default: []]
          .append(
            (Int32(i), positions[i], point.footprintRadiusMeters)
          )
      }
    }
    let categories = entries.keys.sorted()
    storage = Storage(
      points: points,
      positions: positions,
      categories: categories,
      trees: categories.map { POITree(entries[$0] ?? []) },
      largestFootprintMeters: largestFootprintMeters,
      knownMeters: knownMeters
    )
  }

  /// The order of source ids: shorter first, then by letters, so that `node/9` precedes `node/10`.
  public static func precedes(_ a: String, _ b: String) -> Bool {
    let (lengthA, lengthB) = (a.utf8.count, b.utf8.count)
    return lengthA == lengthB ? a < b : lengthA < lengthB
  }

  /// The index of a point, by source id.
  ///
  /// - Complexity: O(log n).
  public func index(ofSourceID id: String) -> Int? {
    var low = 0
    var high = points.count
    while low < high {
      let middle = (low + high) / 2
      if Self.precedes(points[middle].sourceID, id) { low = middle + 1 } else { high = middle }
    }
    return low < points.count && points[low].sourceID == id ? low : nil
  }

  /// The indices of a category's points, in order.
  public func indices(slot: Int) -> [Int] {
    points.indices.filter { points[$0].categories.contains(categories[slot]) }
  }

  /// The number under which a category is searched; nil if no point has it.
  public func slot(of category: CategoryID) -> Int? { categories.firstIndex(of: category) }

  func tree(slot: Int) -> POITree { trees[slot] }

  /// How many points a category has.
  public func count(slot: Int) -> Int { trees[slot].count }

  /// The nearest point of a category.
  ///
  /// - Returns: its index and its distance in meters, or nil if the category is empty.
  public func nearest(
    slot: Int,
    to position: SurfacePoint
  ) -> (index: Int, distanceMeters: Double)? {
    guard let found = trees[slot].nearest(to: position) else { return nil }
    let index = Int(found.index)
    return (index, positions[index].distanceMeters(to: position))
  }

  /// How far the nearest point of all categories is.
  ///
  /// - Parameter limitMeters: nothing farther is looked for; at most 1 000 km.
  /// - Returns: meters; about the limit, where no point is nearer.
  /// - Complexity: O(categories · log n) on average, and O(categories) where nothing is within the limit.
  package func nearestMeters(to position: SurfacePoint, within limitMeters: Double) -> Double {
    var least = chordSquared(arcMeters: limitMeters)
    for tree in trees { least = tree.leastChordSquared(to: position, atMost: least) }
    return arcMeters(chordSquared: least)
  }

  /// The discs around points of a category whose edges are nearest to a position.
  public func nearestEdges(
    slot: Int,
    to position: SurfacePoint,
    of discs: DiscRadius,
    count: Int
  ) -> [NearEdge] {
    trees[slot].nearestEdges(to: position, of: discs, count: count)
  }

  /// The disc around a point of a category whose edge is nearest to a position; nil if the category
  /// is empty.
  ///
  /// - Complexity: O(log n) on average, without allocation.
  public func nearestEdge(
    slot: Int,
    to position: SurfacePoint,
    of discs: DiscRadius
  ) -> NearEdge? {
    guard discs.beyondFootprintMeters != nil else {
      // Discs of one size: the nearest point has the nearest edge.
      guard let near = nearest(slot: slot, to: position) else { return nil }
      return NearEdge(
        index: near.index,
        distanceMeters: near.distanceMeters,
        radiusMeters: discs.leastMeters
      )
    }
    return trees[slot].nearestEdge(to: position, of: discs)
  }

  /// How far one can move, wherever it is used, before a disc can be entered that it does not know.
  ///
  /// - Parameter beyondMeters: how far beyond the disc counts as in it.
  public func unknownSlackMeters(of discs: DiscRadius, beyondMeters: Double) -> Double {
    knownMeters == .infinity
      ? .infinity
      : knownMeters - discs.meters(footprintMeters: largestFootprintMeters) - beyondMeters
  }

  /// The points of a category within a radius, as indices in no particular order.
  public func forEach(
    slot: Int,
    withinMeters radiusMeters: Double,
    of position: SurfacePoint,
    _ body: (Int) -> Void
  ) {
    trees[slot]
      .forEach(within: chordSquared(arcMeters: radiusMeters), of: position) {
        body(Int($0))
      }
  }
}
