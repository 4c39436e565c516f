import Foundation
import Geodesy
import Places
import PlaceStore

/// Two entries of the map that are one place.
package struct Duplicate: Hashable, Sendable {
  /// The source id that the place has.
  package let kept: String
  /// The source id that it has no longer.
  package let dropped: String
  /// The categories of the place.
  package let categories: [CategoryID]
}

/// How far from the point on a building a node may be and still be that building's shop.
let duplicateReachMeters = 50.0

/// Finds nodes that say again what the building around them says.
///
/// A node and an area are one place if the categories of one hold those of the other, the node lies
/// in the footprint's reach or within 50 m of its point, and their names are equal after folding or
/// one has none. Two names or two brands that differ never are, nor is an unnamed area with nodes of
/// different names in it. A node belongs to one area, the nearest.
///
/// - Parameter preferred: source ids that a place keeps if it can: those of the cache so far.
/// - Parameter checkInterruption: asked for each area; what it throws ends the search.
/// - Returns: the places in the order they had, and what became one; nil where all are as they were.
/// - Complexity: O(n log n), and the nodes in the latitudes of each area.
func mergingDuplicates(
  _ places: [PointOfInterest],
  details: inout [String: String],
  preferred: Set<String> = [],
  checkInterruption: () throws(ImportError) -> Void
) throws(ImportError) -> (kept: [(index: Int, place: PointOfInterest)], duplicates: [Duplicate])? {
  let areaByNode = try DuplicateSearch(places, checkInterruption).areaByNode
  guard areaByNode.contains(where: { $0 != nil }) else { return nil }
  var nodesByArea: [Int: [Int]] = [:]
  for (node, area) in areaByNode.enumerated() {
    if let area { nodesByArea[area, default: []].append(node) }
  }
  var kept: [(index: Int, place: PointOfInterest)] = []
  var duplicates: [Duplicate] = []
  for (index, place) in places.enumerated() where areaByNode[index] == nil {
    guard let nodes = nodesByArea[index] else {
      kept.append((index, place))
      continue
    }
    let parts =
      [place]
      + nodes.map { places[$0] }
      .sorted {
        SourceIDKey($0.sourceID) < SourceIDKey($1.sourceID)
      }
    let one = parts.first { preferred.contains($0.sourceID) } ?? place
    let merged = PointOfInterest(
      sourceID: one.sourceID,
      categories: Array(Set(parts.flatMap(\.categories))),
      name: parts.lazy.compactMap(\.name).first,
      brand: parts.lazy.compactMap(\.brand).first,
      coordinate: place.coordinate,
      footprintRadiusMeters: place.footprintRadiusMeters
    )
    var text: String?
    for part in parts {
      text = PlaceDetails.merged(text, details.removeValue(forKey: part.sourceID))
    }
    details[merged.sourceID] = text
    kept.append((index, merged))
    for part in parts where part.sourceID != merged.sourceID {
      duplicates.append(
        Duplicate(kept: merged.sourceID, dropped: part.sourceID, categories: merged.categories)
      )
    }
  }
  return (kept, duplicates)
}

private struct DuplicateSearch {
  private let places: [PointOfInterest]
  /// Folded names and brands by place, as far as they were asked for: most places are near no area.
  private var names: [Int: String] = [:]
  private var brands: [Int: String] = [:]
  /// For each place that is a node of an area, that area.
  private(set) var areaByNode: [Int?]

  init(
    _ places: [PointOfInterest],
    _ checkInterruption: () throws(ImportError) -> Void
  ) throws(ImportError) {
    self.places = places
    areaByNode = [Int?](repeating: nil, count: places.count)
    try search(checkInterruption)
  }

  private mutating func name(of place: Int) -> String? {
    guard let name = places[place].name else { return nil }
    if let known = names[place] { return known }
    names[place] = folded(name)
    return names[place]
  }

  private mutating func brand(of place: Int) -> String? {
    guard let brand = places[place].brand else { return nil }
    if let known = brands[place] { return known }
    brands[place] = folded(brand)
    return brands[place]
  }

  private mutating func search(
    _ checkInterruption: () throws(ImportError) -> Void
  ) throws(ImportError) {
    guard places.contains(where: { $0.footprintRadiusMeters > 0 }) else { return }
    let nodes = places.indices.filter { places[$0].footprintRadiusMeters == 0 }
      .sorted { places[$0].coordinate.latitude < places[$1].coordinate.latitude }
    let latitudes = nodes.map { places[$0].coordinate.latitude }
    var nearest = [Double](repeating: .infinity, count: places.count)
    for (area, place) in places.enumerated() where place.footprintRadiusMeters > 0 {
      try checkInterruption()
      let reach = max(duplicateReachMeters, place.footprintRadiusMeters)
      let box = BoundingBox(around: place.coordinate, radiusMeters: reach)
      var found: [(node: Int, meters: Double)] = []
      var position = latitudes.partitioningIndex { $0 >= box.south }
      while position < nodes.count, latitudes[position] <= box.north {
        let node = nodes[position]
        position += 1
        guard box.contains(places[node].coordinate), areOne(node, area) else { continue }
        let meters = places[node].coordinate.distanceMeters(to: place.coordinate)
        if meters <= reach { found.append((node, meters)) }
      }
      // Which of several shops the building is cannot be known.
      if places[area].name == nil {
        var others: Set<String> = []
        for (node, _) in found { if let name = name(of: node) { others.insert(name) } }
        if others.count > 1 { continue }
      }
      for (node, meters) in found where meters < nearest[node] {
        nearest[node] = meters
        areaByNode[node] = area
      }
    }
  }

  private mutating func areOne(_ node: Int, _ area: Int) -> Bool {
    // A place has a few categories: a set of each would take longer than looking through them.
    let (own, others) = (places[node].categories, places[area].categories)
    guard own.allSatisfy(others.contains) || others.allSatisfy(own.contains) else { return false }
    if let a = name(of: node), let b = name(of: area) { return a == b }
    if let a = brand(of: node), let b = brand(of: area) { return a == b }
    return true
  }
}

/// A name without case, diacritics, blanks and punctuation; as it is where nothing else is in it.
func folded(_ name: String) -> String {
  let plain = name.folding(
    options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive],
    locale: nil
  )
  let letters = String(plain.filter { $0.isLetter || $0.isNumber })
  return letters.isEmpty ? name : letters
}

extension [Double] {
  /// The first index at which a condition holds that holds for all after it.
  func partitioningIndex(_ holds: (Double) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
