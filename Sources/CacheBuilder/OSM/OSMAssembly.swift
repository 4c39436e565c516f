import Geodesy
import Places

/// Where the nodes of outlines are; only those that are needed.
struct NodeLocations {
  /// The needed ids in ascending order, each once.
  let ids: [Int64]
  private var latitudesE7: [Int32]
  private var longitudesE7: [Int32]
  private static let unknown = Int32.min

  init(needed: [Int64]) {
    ids = sortedUnique(needed)
    latitudesE7 = [Int32](repeating: Self.unknown, count: ids.count)
    longitudesE7 = latitudesE7
  }

  mutating func set(_ node: FoundNode) {
    let index = ids.lowerBound(of: node.id)
    guard index < ids.count, ids[index] == node.id else { return }
    set(index, latitudeE7: node.latitudeE7, longitudeE7: node.longitudeE7)
  }

  mutating func set(_ index: Int, latitudeE7: Int32, longitudeE7: Int32) {
    latitudesE7[index] = latitudeE7
    longitudesE7[index] = longitudeE7
  }

  /// Forgets where a node is.
  mutating func forget(_ index: Int) { latitudesE7[index] = Self.unknown }

  subscript(id: Int64) -> Coordinate? {
    let index = ids.lowerBound(of: id)
    guard index < ids.count, ids[index] == id, latitudesE7[index] != Self.unknown else {
      return nil
    }
    return Coordinate(latitudeE7: latitudesE7[index], longitudeE7: longitudesE7[index])
  }
}

func sortedUnique(_ ids: [Int64]) -> [Int64] {
  var unique = ids
  unique.sort()
  var count = 0
  for id in unique where count == 0 || unique[count - 1] != id {
    unique[count] = id
    count += 1
  }
  unique.removeSubrange(count...)
  return unique
}

extension [Int64] {
  /// The first index whose element is not below the given one, in an ascending array.
  func lowerBound(of id: Int64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Whether an ascending array holds an id.
  @inline(__always)
  func containsSorted(_ id: Int64) -> Bool {
    guard let first, let last, id >= first, id <= last else { return false }
    return self[lowerBound(of: id)] == id
  }
}

extension [Int64] {
  /// The elements of an ascending array that another one does not have.
  func subtracting(_ others: [Int64]) -> [Int64] {
    var rest: [Int64] = []
    var next = 0
    for id in self {
      while next < others.count, others[next] < id { next += 1 }
      if next == others.count || others[next] != id { rest.append(id) }
    }
    return rest
  }
}

/// Turns elements into places once the nodes and ways they refer to are known.
struct OSMAssembly {
  let job: ImportJob
  var elements: [OSMElement]
  /// The nodes of the member ways of relations.
  var memberWays: [Int64: [Int64]] = [:]
  private var idsBySet: [CategorySet: [CategoryID]] = [:]
  /// What the file has again, and not the same: only what comes last is taken.
  private var replaced: [OSMElement] = []

  /// A file may hold an element twice; the last one counts.
  init(job: ImportJob, elements: [OSMElement]) {
    self.job = job
    self.elements = elements
    var last: [OSMElementID: Int] = [:]
    last.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() { last[element.elementID] = index }
    guard last.count < elements.count else { return }
    self.elements = []
    for (index, element) in elements.enumerated() {
      let lastIndex = last[element.elementID] ?? index
      if lastIndex == index {
        self.elements.append(element)
      } else if !element.isToldAgain(by: elements[lastIndex]) {
        replaced.append(element)
      }
    }
  }

  /// The member ways that the relations need, ascending.
  var neededWays: [Int64] {
    sortedUnique(elements.flatMap(\.memberWays))
  }

  /// The nodes that the ways need.
  var neededNodes: NodeLocations {
    var needed: [Int64] = []
    for element in elements { needed += element.outlineNodes }
    for way in neededWays { needed += memberWays[way] ?? [] }
    return NodeLocations(needed: needed)
  }

  /// The places of the elements, in order, and what had to be left out.
  mutating func places(_ nodes: NodeLocations, into result: inout ImportResult) {
    for element in replaced { skip(element, .sameID, &result.skipped) }
    result.places.reserveCapacity(elements.count)
    for element in elements {
      guard let place = place(element, nodes, &result.skipped) else { continue }
      result.places.append(place)
      if isCut(element, nodes) { result.cutIDs.insert(place.sourceID) }
      if let details = element.details { result.details[place.sourceID] = details }
    }
  }

  /// The place of an element; nil, and a skipped row, where it gives none.
  mutating func place(
    _ element: OSMElement,
    _ nodes: NodeLocations,
    _ skipped: inout SkippedRows
  ) -> PointOfInterest? {
    switch place(element, nodes) {
    case .success(let place): return place
    case .failure(let fault):
      skip(element, fault.reason, &skipped)
      return nil
    }
  }

  private func skip(_ element: OSMElement, _ reason: SkipReason, _ skipped: inout SkippedRows) {
    let row = SkippedRow(path: job.path, row: "\(element.kind)/\(element.id)", reason)
    skipped.add(row)
    job.onSkip(row)
  }

  /// Whether the file has a part of an outline only: not all of its ways or nodes.
  private func isCut(_ element: OSMElement, _ nodes: NodeLocations) -> Bool {
    func isCut(_ refs: [Int64]) -> Bool { refs.contains { nodes[$0] == nil } }
    switch element.shape {
    case .point, .other: return false
    case .line(let refs): return isCut(refs)
    case .area(let outer, let inner):
      return (outer + inner).contains { memberWays[$0].map(isCut) ?? true }
    }
  }

  private struct Skip: Error { let reason: SkipReason }

  /// The categories of a set, in memory that all places of the set share.
  private mutating func ids(_ set: CategorySet) -> [CategoryID] {
    if let known = idsBySet[set] { return known }
    let ids = job.rules.ids(set)
    idsBySet[set] = ids
    return ids
  }

  private mutating func place(
    _ element: OSMElement,
    _ nodes: NodeLocations
  ) -> Result<PointOfInterest, Skip> {
    let found: Footprint?
    var reason = SkipReason.noNodes
    switch element.shape {
    case .point(let coordinate):
      found = coordinate.map { Footprint(coordinate: $0, radiusMeters: 0) }
      reason = .notOnEarth
    case .line(let refs):
      found = footprint(ofWay: refs, nodes)
    case .area(let outer, let inner):
      guard outer.contains(where: { memberWays[$0] != nil }) else {
        return .failure(Skip(reason: .noWays))
      }
      found = footprint(outer: outer, inner: inner, nodes)
    case .other:
      return .failure(Skip(reason: .notAnArea))
    }
    guard let found else { return .failure(Skip(reason: reason)) }
    if let fault = found.fault { return .failure(Skip(reason: fault)) }
    return .success(
      PointOfInterest(
        sourceID: "\(element.kind)/\(element.id)",
        categories: ids(element.categories),
        name: element.name,
        brand: element.brand,
        coordinate: found.coordinate,
        footprintRadiusMeters: found.radiusMeters
      )
    )
  }

  private func footprint(ofWay refs: [Int64], _ nodes: NodeLocations) -> Footprint? {
    let known = refs.compactMap { nodes[$0] }
    let isClosed = refs.count > 3 && refs.first == refs.last
    return isClosed
      ? CacheBuilder.footprint(ofArea: known) : CacheBuilder.footprint(ofLine: known)
  }

  private func footprint(
    outer: [Int64],
    inner: [Int64],
    _ nodes: NodeLocations
  ) -> Footprint? {
    let outline = AreaOutline(
      outer: outer.compactMap { memberWays[$0] },
      inner: inner.compactMap { memberWays[$0] }
    ) { nodes[$0] }
    return outline.isClosed
      ? CacheBuilder.footprint(ofArea: outline.ring, holes: outline.holes)
      : CacheBuilder.footprint(ofLine: outline.ring)
  }
}

/// What stands for the area of a relation: its largest closed outline with the holes in it; where
/// members are missing and none closes, the longest piece of outline that is there.
struct AreaOutline {
  let isClosed: Bool
  let ring: [Coordinate]
  let holes: [[Coordinate]]

  /// Joins the member ways.
  ///
  /// - Parameter place: where a node is; nil for one that is not known.
  init(outer: [[Int64]], inner: [[Int64]], place: (Int64) -> Coordinate?) {
    var largest: (areaSquareDegrees: Double, outline: [Coordinate])?
    var longest: [Coordinate] = []
    for outline in joinedRings(outer) {
      let known = outline.compactMap(place)
      if known.count > longest.count { longest = known }
      guard outline.count > 3, outline.first == outline.last, known.count > 3 else { continue }
      let area = squareDegrees(known)
      if area > largest?.areaSquareDegrees ?? 0 { largest = (area, known) }
    }
    isClosed = largest != nil
    let ring = largest?.outline ?? longest
    self.ring = ring
    holes =
      largest == nil
      ? []
      : joinedRings(inner)
        .filter { $0.count > 3 && $0.first == $0.last }
        .map { $0.compactMap(place) }
        .filter { hole in hole.first.map { contains(ring, $0) } ?? false }
  }
}

/// Degrees east of the first point, by the shorter way, so that ±180° is no edge.
private func degreesEast(_ coordinate: Coordinate, of origin: Coordinate) -> Double {
  let degrees = coordinate.longitude - origin.longitude
  return degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees
}

/// The area of a ring, for telling the larger of two.
func squareDegrees(_ ring: [Coordinate]) -> Double {
  var area = 0.0
  for (a, b) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
    area += degreesEast(a, of: ring[0]) * (b.latitude - ring[0].latitude)
    area -= degreesEast(b, of: ring[0]) * (a.latitude - ring[0].latitude)
  }
  return abs(area) / 2
}

private func contains(_ ring: [Coordinate], _ point: Coordinate) -> Bool {
  var isInside = false
  for (a, b) in zip(ring, ring.dropFirst() + ring.prefix(1))
  where (a.latitude <= point.latitude) != (b.latitude <= point.latitude) {
    let part = (point.latitude - a.latitude) / (b.latitude - a.latitude)
    let (west, east) = (degreesEast(a, of: point), degreesEast(b, of: point))
    if west + part * (east - west) > 0 { isInside.toggle() }
  }
  return isInside
}

/// Joins lines of node ids at their ends, whichever way they run.
///
/// A line that closes is complete; lines that find no more partner stay open.
///
/// - Complexity: O(nodes + lines log lines).
package func joinedRings(_ lines: [[Int64]]) -> [[Int64]] {
  var linesAtEnd: [Int64: [Int]] = [:]
  for (index, line) in lines.enumerated() {
    guard let first = line.first, let last = line.last, first != last else { continue }
    linesAtEnd[first, default: []].append(index)
    linesAtEnd[last, default: []].append(index)
  }
  var isUsed = [Bool](repeating: false, count: lines.count)
  var rings: [[Int64]] = []

  /// Lengthens a chain at its last node until it closes or nothing fits.
  func extend(_ chain: inout [Int64]) {
    while let last = chain.last, last != chain.first || chain.count < 2 {
      // Entries that were used are taken off, so that each is looked at once.
      while let index = linesAtEnd[last]?.last, isUsed[index] { linesAtEnd[last]?.removeLast() }
      guard let index = linesAtEnd[last]?.last else { return }
      isUsed[index] = true
      let line = lines[index]
      chain += line.first == last ? line.dropFirst() : line.reversed().dropFirst()
    }
  }

  for (index, line) in lines.enumerated() where !isUsed[index] && !line.isEmpty {
    isUsed[index] = true
    var chain = line
    extend(&chain)
    if chain.first != chain.last {
      chain.reverse()
      extend(&chain)
    }
    rings.append(chain)
  }
  return rings
}
