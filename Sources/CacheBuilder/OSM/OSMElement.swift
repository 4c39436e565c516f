import Geodesy
import Places

/// The three kinds of things in OpenStreetMap.
enum OSMKind: String, Hashable, Sendable, Comparable {
  case node, way, relation

  static func < (a: OSMKind, b: OSMKind) -> Bool { a.rank < b.rank }
  var rank: Int {
    switch self {
    case .node: 0
    case .way: 1
    case .relation: 2
    }
  }
}

/// What an element is called.
struct OSMElementID: Hashable {
  let kind: OSMKind
  let id: Int64
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

  enum Shape: Hashable, Sendable {
    /// Where a node is; nil if its numbers are no coordinate.
    case point(Coordinate?)
    /// The nodes of a way.
    case line([Int64])
    /// The member ways of a multipolygon.
    case area(outer: [Int64], inner: [Int64])
    /// Members of a relation that does not describe an area.
    case other

    /// How many nodes or members it holds.
    var referenceCount: Int {
      switch self {
      case .point, .other: 0
      case .line(let nodes): nodes.count
      case .area(let outer, let inner): outer.count + inner.count
      }
    }
  }

  /// What it is called.
  var elementID: OSMElementID { OSMElementID(kind: kind, id: id) }

  /// Whether another element of the same id is the same one again, whose loss loses nothing.
  func isToldAgain(by other: OSMElement) -> Bool {
    categories == other.categories && name == other.name && brand == other.brand
      && details == other.details && shape == other.shape
  }

  /// The ways that the area refers to.
  var memberWays: [Int64] {
    if case .area(let outer, let inner) = shape { outer + inner } else { [] }
  }

  /// The nodes that the way refers to.
  var outlineNodes: [Int64] { if case .line(let nodes) = shape { nodes } else { [] } }

  /// Makes an element of its parts.
  init(
    kind: OSMKind,
    id: Int64,
    categories: CategorySet,
    name: String?,
    brand: String?,
    details: String?,
    shape: Shape
  ) {
    self.kind = kind
    self.id = id
    self.categories = categories
    self.name = name
    self.brand = brand
    self.details = details
    self.shape = shape
  }

  /// Makes an element if its tags make it a place.
  init?(kind: OSMKind, id: Int64, tags: [OSMTag], shape: Shape, rules: CategoryRules) {
    func value(_ key: String) -> String? { tags[key] }
    let match = rules.match(tags)
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
  /// Of the keys and values of an element together.
  static let tagBytes = 1 << 20
}

/// A tag of an element.
struct OSMTag: Hashable, Sendable {
  let key: String
  let value: String
}

extension [OSMTag]: TagLookup {
  subscript(key: String) -> String? { first { $0.key == key }?.value }

  func hasTag(where isWanted: (_ key: String, _ value: String) -> Bool) -> Bool {
    contains { isWanted($0.key, $0.value) }
  }
}

/// A name without blanks around it; nil for nothing.
///
/// - Parameter longest: in code points, of which a character may have any number; by default what OpenStreetMap allows.
func cleaned(_ name: String?, longest: Int = 255) -> String? {
  guard var name else { return nil }
  return name.withUTF8 { cleaned(UnsafeRawBufferPointer($0), longest: longest) }
}

/// The same for the bytes of a text in UTF-8; a NUL, at which SQLite would cut it, is left out.
func cleaned(_ bytes: UnsafeRawBufferPointer, longest: Int = 255) -> String? {
  guard isPlain(bytes) else {
    let name = String(decoding: bytes.lazy.filter { $0 != 0 }, as: UTF8.self)
    var trimmed = name.drop(while: \.isWhitespace)
    while let last = trimmed.last, last.isWhitespace { trimmed.removeLast() }
    return trimmed.isEmpty ? nil : String(trimmed.unicodeScalars.prefix(longest))
  }
  func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
  var (start, end) = (0, bytes.count)
  while start < end, isBlank(bytes[start]) { start += 1 }
  while start < end, isBlank(bytes[end - 1]) { end -= 1 }
  guard start < end else { return nil }
  return String(decoding: bytes[start..<min(end, start + longest)], as: UTF8.self)
}

/// Whether every byte is ASCII, and none is NUL.
func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
  var position = 0
  while bytes.count - position >= 8 {
    let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
    // One less, a byte that is 0 sets its top bit; others of ASCII do not.
    let lessOne = word &- 0x0101_0101_0101_0101
    guard (word | lessOne) & 0x8080_8080_8080_8080 == 0 else { return false }
    position += 8
  }
  return bytes[position...].allSatisfy { (1..<0x80).contains($0) }
}
