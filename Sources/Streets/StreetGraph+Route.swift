import Geodesy

/// The quickest way between two places, place by place.
extension StreetGraph {
  /// A place on a way.
  package struct Step: Sendable {
    /// Which place.
    package let place: Int
    /// The kind of street that leads here; that of the next one for the first place.
    package let kind: StreetKind
    /// Whether no satellite is seen on the way here.
    package let isTunnel: Bool
  }

  /// The greatest speed of any street, for the lower bound of the search.
  private static let topMetersPerSecond = StreetKind.motorway.drivenMetersPerSecond

  /// Finds a way; nil if there is none.
  ///
  /// - Complexity: A* with the straight line at top speed as its bound; O(n log n) at worst.
  package func route(from start: Int, to goal: Int, by mode: TravelMode) -> [Step]? {
    if start == goal { return [Step(place: start, kind: .service, isTunnel: false)] }
    let target = points[goal]
    func bound(_ place: Int) -> Float {
      let speed = mode == .car ? Self.topMetersPerSecond : 1
      return Float(points[place].distanceMeters(to: target) / speed)
    }
    var cost = [Float](repeating: .infinity, count: count)
    var cameBy = [Int32](repeating: -1, count: count)
    var isClosed = [Bool](repeating: false, count: count)
    var queue = RouteQueue()
    cost[start] = 0
    queue.push(bound(start), Int32(start))
    while let place = queue.pop().map(Int.init) {
      if isClosed[place] { continue }
      isClosed[place] = true
      if place == goal { break }
      for piece in pieces(from: place) where piece.kind.carries(mode) {
        let next = Int(piece.to)
        guard !isClosed[next] else { continue }
        let seconds =
          mode == .car ? piece.meters / Float(piece.kind.drivenMetersPerSecond) : piece.meters
        let total = cost[place] + seconds
        if total < cost[next] {
          cost[next] = total
          cameBy[next] = Int32(place)
          queue.push(total + bound(next), piece.to)
        }
      }
    }
    guard isClosed[goal] else { return nil }
    var places = [goal]
    while let before = places.last, before != start { places.append(Int(cameBy[before])) }
    places.reverse()
    var steps: [Step] = []
    for (from, to) in zip(places, places.dropFirst()) {
      let way = pieces(from: from).first { Int($0.to) == to && $0.kind.carries(mode) }
      let step = Step(place: to, kind: way?.kind ?? .service, isTunnel: way?.isTunnel ?? false)
      if steps.isEmpty { steps.append(Step(place: from, kind: step.kind, isTunnel: step.isTunnel)) }
      steps.append(step)
    }
    return steps
  }
}

/// A binary heap of places by their cost, then by their number.
private struct RouteQueue {
  private var heap: [(cost: Float, place: Int32)] = []

  private static func precedes(
    _ a: (cost: Float, place: Int32),
    _ b: (cost: Float, place: Int32)
  )
    -> Bool
  {
    a.cost != b.cost ? a.cost < b.cost : a.place < b.place
  }

  mutating func push(_ cost: Float, _ place: Int32) {
    heap.append((cost, place))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard Self.precedes(heap[child], heap[parent]) else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  mutating func pop() -> Int32? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first.place }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && Self.precedes(heap[child], heap[least]) {
        least = child
      }
      guard least != parent else { break }
      heap.swapAt(parent, least)
      parent = least
    }
    return first.place
  }
}
