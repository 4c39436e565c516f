/// What data calls a place, by the keys that programs keep it under.
struct GivenID {
  /// The text of a key, or its number; nil where there is none.
  let value: (_ key: String) -> String?
  /// Whether there is such a key, with a value or without.
  let hasKey: (_ key: String) -> Bool
  /// The id beside the properties of a feature.
  var featureID: String?
  /// What GeoJSON calls the shape.
  let shape: String?

  /// What stands before the number of an element of which nobody says what it is.
  static let bareNumberPrefix = "osm_id/"

  /// The keys that ``element`` looks at.
  static let keys: Set<String> = [
    "@id", "@type", "full_id", "id", "osm_id", "osm_type", "osm_way_id", "other_tags", "source_id",
    "type",
  ]

  /// Whose numbers are whose type's: Overpass's, QuickOSM's and Nominatim's, and those of flat tags.
  private static let pairs: [(type: String, id: String)] = [
    ("@type", "@id"), ("osm_type", "osm_id"), ("osm_type", "id"), ("type", "id"),
    ("type", "osm_id"), ("@type", "id"),
  ]

  /// The element of OpenStreetMap as `node/123`; nil where the data does not say which it is.
  var element: String? {
    for candidate in [value("@id"), featureID, value("source_id")] {
      if let known = candidate.flatMap(Self.element) { return known }
    }
    if let element = gdalElement { return element }
    for pair in Self.pairs {
      if let kind = value(pair.type).flatMap(Self.kind), let number = number(pair.id) {
        return "\(kind)/\(number)"
      }
    }
    return value("id").flatMap(Self.element) ?? value("full_id").flatMap(Self.letteredElement)
  }

  private func number(_ key: String) -> Int64? { value(key).flatMap { Int64($0) } }

  /// The element of a row of GDAL's reader of OpenStreetMap, which names its layers by their shapes.
  ///
  /// - Source: gdal.org/drivers/vector/osm.html: `points` are nodes, `lines` ways, `multilinestrings`
  ///   relations; `multipolygons` have `osm_way_id` for ways, and `osm_id` for relations.
  private var gdalElement: String? {
    if let way = number("osm_way_id") { return "\(OSMKind.way)/\(way)" }
    guard let id = number("osm_id") else { return nil }
    if hasKey("osm_way_id") { return "\(OSMKind.relation)/\(id)" }
    guard hasKey("other_tags") else { return nil }
    switch shape {
    case "Point": return "\(OSMKind.node)/\(id)"
    case "LineString": return "\(OSMKind.way)/\(id)"
    case "MultiLineString": return "\(OSMKind.relation)/\(id)"
    default: return nil
    }
  }

  /// `node/123` in the spellings that are about.
  private static func element(_ text: String) -> String? {
    let parts = text.split(separator: "/")
    guard parts.count == 2, let kind = kind(String(parts[0])), let number = Int64(parts[1]) else {
      return nil
    }
    return "\(kind)/\(number)"
  }

  /// `n123`, as QuickOSM writes it.
  private static func letteredElement(_ text: String) -> String? {
    guard let kind = kind(String(text.prefix(1))), let number = Int64(text.dropFirst()) else {
      return nil
    }
    return "\(kind)/\(number)"
  }

  private static func kind(_ text: String) -> OSMKind? {
    switch text.lowercased() {
    case "node", "n": .node
    case "way", "w": .way
    // Flat lists of tags lose the element's type to the tag `type`, which only relations have.
    case "relation", "r", "multipolygon", "boundary": .relation
    default: nil
    }
  }
}
