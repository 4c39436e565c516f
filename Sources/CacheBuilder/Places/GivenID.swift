/// The keys under which programs keep the id of a place, or a part of it.
enum IDKey: Int, CaseIterable {
  case atID, atType, fullID, id, osmID, osmType, osmWayID, otherTags, sourceID, type

  /// The key as data has it.
  var name: String {
    switch self {
    case .atID: "@id"
    case .atType: "@type"
    case .fullID: "full_id"
    case .id: "id"
    case .osmID: "osm_id"
    case .osmType: "osm_type"
    case .osmWayID: "osm_way_id"
    case .otherTags: "other_tags"
    case .sourceID: "source_id"
    case .type: "type"
    }
  }
}

/// What stands before the number of an element of which nobody says what it is.
let bareNumberPrefix = "osm_id/"

/// Whose numbers are whose type's: Overpass's, QuickOSM's and Nominatim's, and those of flat tags.
private let pairs: [(type: IDKey, id: IDKey)] = [
  (.atType, .atID), (.osmType, .osmID), (.osmType, .id), (.type, .id), (.type, .osmID),
  (.atType, .id),
]

/// The longest id of data, in code points.
///
/// A table may have links for ids; a part of one would be that of several places.
private let longestID = 4_096
/// What older versions have taken of an id.
private let olderLongestID = 255

/// An id without blanks around it; nil for nothing.
func cleanedID(_ bytes: UnsafeRawBufferPointer) -> String? {
  cleaned(bytes, longest: longestID + 1)
}

/// An id without blanks around it; nil for nothing.
func cleanedID(_ text: String?) -> String? { cleaned(text, longest: longestID + 1) }

/// Whether an id is longer than any that is taken.
func isTooLong(id: String) -> Bool {
  id.utf8.count > longestID && id.unicodeScalars.count > longestID
}

/// As much of an id as older versions have taken; nil where that is all of it.
func olderPart(of id: String) -> String? {
  guard id.utf8.count > olderLongestID, id.unicodeScalars.count > olderLongestID else {
    return nil
  }
  return String(id.unicodeScalars.prefix(olderLongestID))
}

/// What data calls a place, by the keys that programs keep it under.
protocol GivenID {
  /// The text of a key, or its number; nil where there is none.
  func value(_ key: IDKey) -> String?
  /// Whether there is such a key, with a value or without.
  func hasKey(_ key: IDKey) -> Bool
  /// The id beside the properties of a feature.
  var featureID: String? { get }
  /// What GeoJSON calls the shape.
  var shape: String? { get }
}

extension GivenID {
  /// The element of OpenStreetMap as `node/123`; nil where the data does not say which it is.
  var element: String? { namedElement ?? pairedElement }

  /// The same, where a key names it whole, or GDAL does.
  var namedElement: String? {
    if let known = value(.atID).flatMap(elementID) { return known }
    if let known = featureID.flatMap(elementID) { return known }
    return value(.sourceID).flatMap(elementID) ?? value(.osmID).flatMap(elementID) ?? gdalElement
  }

  /// The same, where two keys name it, or one that others use for ids of their own.
  var pairedElement: String? {
    for pair in pairs {
      if let kind = value(pair.type).flatMap(elementKind), let number = number(pair.id) {
        return "\(kind)/\(number)"
      }
    }
    return value(.id).flatMap(elementID) ?? value(.fullID).flatMap(letteredElement)
  }

  /// What a feature of two keys was called by the versions that knew these keys only.
  var olderPairedElement: String? {
    guard let number = (value(.id) ?? value(.osmID)).flatMap({ Int64($0) }),
      let kind = (value(.type) ?? value(.osmType)).flatMap(elementKind)
    else { return nil }
    return "\(kind)/\(number)"
  }

  private func number(_ key: IDKey) -> Int64? { value(key).flatMap { Int64($0) } }

  /// The element of a row of GDAL's reader of OpenStreetMap, which names its layers by their shapes.
  ///
  /// - Source: gdal.org/drivers/vector/osm.html: `points` are nodes, `lines` ways, `multilinestrings`
  ///   relations, and so are `other_relations`, which are collections; `multipolygons` have `osm_way_id` for ways, and
  ///   `osm_id` for relations.
  private var gdalElement: String? {
    if let way = number(.osmWayID) { return "\(OSMKind.way)/\(way)" }
    guard let id = number(.osmID) else { return nil }
    if hasKey(.osmWayID) { return "\(OSMKind.relation)/\(id)" }
    guard hasKey(.otherTags) else { return nil }
    switch shape {
    case "Point": return "\(OSMKind.node)/\(id)"
    case "LineString": return "\(OSMKind.way)/\(id)"
    case "MultiLineString", "GeometryCollection": return "\(OSMKind.relation)/\(id)"
    default: return nil
    }
  }
}

/// `node/123` in the spellings that are about.
private func elementID(_ text: String) -> String? {
  if isElementID(text) { return text }
  let parts = text.split(separator: "/")
  guard parts.count == 2, let kind = elementKind(String(parts[0])), let number = Int64(parts[1])
  else {
    return nil
  }
  return "\(kind)/\(number)"
}

/// Whether it is written so already, as most are: taking a million of them apart took a fifth of a build.
func isElementID(_ text: String) -> Bool {
  guard let kind = elementPrefixes.first(where: text.hasPrefix) else { return false }
  let digits = text.utf8.dropFirst(kind.utf8.count)
  return (1...18).contains(digits.count) && digits.first != UInt8(ascii: "0")
    && digits.allSatisfy { $0 &- 0x30 <= 9 }
}

private let elementPrefixes = ["node/", "way/", "relation/"]

/// `n123`, as QuickOSM writes it.
private func letteredElement(_ text: String) -> String? {
  guard let kind = elementKind(String(text.prefix(1))), let number = Int64(text.dropFirst()) else {
    return nil
  }
  return "\(kind)/\(number)"
}

private func elementKind(_ text: String) -> OSMKind? {
  switch text.lowercased() {
  case "node", "n": .node
  case "way", "w": .way
  // Flat lists of tags lose the element's type to the tag `type`, which only relations have.
  case "relation", "r", "multipolygon", "boundary": .relation
  default: nil
  }
}
