import Geodesy
import Places

/// The three kinds of things in OpenStreetMap.
enum OSMKind: String, Hashable, Sendable, Comparable {
  case node, way, relation

  static func < (a: OSMKind, b: OSMKind) -> Bool { a.rank < b.rank }
  private var rank: Int {
    switch self {
    case .node: 0
    case .way: 1
    case .relation: 2
    }
  }
}

/// An element whose tags make it a place.
struct OSMElement: Sendable {
  let kind: OSMKind
  let id: Int64
  let categories: CategorySet
  let name: String?
  let brand: String?
  /// Opening hours, telephone and so on as JSON; nil where the map has none.
  let details: String?
  var shape: Shape

  enum Shape: Sendable {
    /// Where a node is; nil if its numbers are no coordinate.
    case point(Coordinate?)
    /// The nodes of a way.
    case line([Int64])
    /// The member ways of a multipolygon.
    case area(outer: [Int64], inner: [Int64])
    /// Members of a relation that does not describe an area.
    case other
  }

  /// Makes an element if its tags make it a place.
  init?(kind: OSMKind, id: Int64, tags: [OSMTag], shape: Shape, rules: CategoryRules) {
    func value(_ key: String) -> String? { tags.first { $0.key == key }?.value }
    let match = rules.match(value)
    guard !match.categories.isEmpty else { return nil }
    self.kind = kind
    self.id = id
    categories = match.categories
    name = cleaned(value("name"))
    brand = cleaned(value("brand"))
    details = PlaceDetails.json(value)
    if kind == .relation, !["multipolygon", "boundary"].contains(value("type") ?? "") {
      self.shape = .other
    } else {
      self.shape = shape
    }
  }
}

/// More than any editor can make of one element, and little enough to hold.
///
/// - Source: api.openstreetmap.org/api/0.6/capabilities: a way has at most 2,000 nodes, a relation
///   at most 32,000 members; no element in the planet file has more than a few hundred tags.
enum OSMLimits {
  static let tags = 1 << 16
  static let references = 1 << 20
}

/// A tag of an element.
struct OSMTag: Hashable, Sendable {
  let key: String
  let value: String
}

/// A name without blanks around it; nil for nothing.
///
/// Never longer than OpenStreetMap allows, 255 code points; a character may have any number of them.
func cleaned(_ name: String?) -> String? {
  guard let name else { return nil }
  var trimmed = name.drop(while: \.isWhitespace)
  while let last = trimmed.last, last.isWhitespace { trimmed.removeLast() }
  return trimmed.isEmpty ? nil : String(trimmed.unicodeScalars.prefix(255))
}
