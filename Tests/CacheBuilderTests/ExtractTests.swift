import CacheBuilder
import Foundation
import Geodesy
import Places
import TestSupport
import Testing

/// Every place of every real extract against an independent list (pyosmium), and the map's outlines.
@Suite(.enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.absent)))
struct ExtractTests {
  private struct Counts: Decodable {
    let file: String
    let places: Int
    let by_category: [String: [String: Int]]
  }

  private struct Key: Hashable, Comparable {
    let id: String
    let category: String

    static func < (a: Key, b: Key) -> Bool { (a.id, a.category) < (b.id, b.category) }
  }

  /// Where our rules are wider than the list's, and why.
  private static let wider: [String: [Key]] = [
    // healthcare=pharmacy without amenity=pharmacy.
    "it-rome-esquilino.osm.pbf": [Key(id: "node/12437714389", category: "pharmacy")]
  ]

  static let files = [
    "ad-andorra.osm.pbf", "at-krems.osm.gz", "fi-helsinki-centre.osm.pbf",
    "it-rome-esquilino.osm.pbf", "li-liechtenstein-2015.osm.pbf",
    "li-liechtenstein-2021-plus-us-autauga-al.osm.pbf", "mc-monaco.osm.gz",
    "pt-porto-roads.osm.pbf", "us-baltimore.osm.pbf", "us-beatty-nv.osm",
    "us-harrisburg.osm.pbf", "us-philadelphia-north.osm", "us-virgin-islands.osm.pbf",
  ]

  /// Extracts without an independent list.
  static let unlisted = ["mt-malta.osm.pbf", "us-columbus.osm.pbf", "us-seattle-university.osm.gz"]

  private static func path(_ file: String) throws -> String {
    try #require(SharedData.folder).appendingPathComponent("osm/\(file)").path
  }

  private static func byKey(_ places: [PointOfInterest]) -> [Key: PointOfInterest] {
    var byKey: [Key: PointOfInterest] = [:]
    for place in places {
      for category in place.categories {
        byKey[Key(id: place.sourceID, category: category.name)] = place
      }
    }
    return byKey
  }

  @Test(arguments: files)
  func `every place is there, and no other`(file: String) throws {
    let folder = try #require(SharedData.folder).appendingPathComponent("osm")
    let result = try importPlaces(path: Self.path(file))
    #expect(result.skipped.count == 0, "\(result.skipped.rows)")
    var ours = Self.byKey(result.places)
    for key in Self.wider[file] ?? [] {
      #expect(ours.removeValue(forKey: key) != nil, "\(key) is no longer wider")
    }
    let stem = try #require(file.split(separator: ".").first)
    let list = folder.appendingPathComponent("expected/\(stem).places.csv")
    let rows = try csvRows(String(contentsOf: list, encoding: .utf8))
    var expected: Set<Key> = []
    for row in rows.dropFirst() {
      let key = Key(id: row[0], category: row[1])
      expected.insert(key)
      guard let place = ours[key] else { continue }
      #expect(place.name ?? "" == row[2].trimmingCharacters(in: .whitespaces), "\(key)")
      #expect(place.brand ?? "" == row[3].trimmingCharacters(in: .whitespaces), "\(key)")
      let theirs = try Coordinate(
        latitude: #require(Double(row[5])),
        longitude: #require(Double(row[6]))
      )
      // Their point of an area is the mean of its corners: within the outline's reach of ours.
      let allowed = key.id.hasPrefix("node/") ? 1 : 2 * place.footprintRadiusMeters + 1
      #expect(place.coordinate.distanceMeters(to: theirs) <= allowed, "\(key)")
    }
    #expect(Set(ours.keys) == expected)
    try checkCounts(Array(ours.keys), file: file, in: folder)
  }

  private func checkCounts(_ keys: [Key], file: String, in folder: URL) throws {
    let data = try Data(contentsOf: folder.appendingPathComponent("expected/counts.json"))
    let counts = try JSONDecoder().decode([Counts].self, from: data)
    let expected = try #require(counts.first { $0.file == file })
    var byCategory: [String: [String: Int]] = expected.by_category.mapValues { _ in [:] }
    for key in keys {
      let kind = String(key.id.prefix { $0 != "/" })
      byCategory[key.category, default: [:]][kind, default: 0] += 1
    }
    #expect(byCategory == expected.by_category)
    #expect(keys.count == expected.places)
  }

  private func csvRows(_ text: String) -> [[String]] {
    var rows: [[String]] = []
    var (row, field, isQuoted) = ([String](), "", false)
    for character in text {
      if character == "\"" {
        isQuoted.toggle()
      } else if character == ",", !isQuoted {
        row.append(field)
        field = ""
      } else if character.isNewline, !isQuoted {
        rows.append(row + [field])
        (row, field) = ([], "")
      } else {
        field.append(character)
      }
    }
    return rows
  }

  // MARK: Outlines

  /// Areas whose point may lie elsewhere than on them, and why.
  private static let odd: [String: Set<String>] = [:]

  @Test(arguments: files + unlisted)
  func `a point lies on its node, in its outline or on its line`(file: String) throws {
    let map = try PlainMap(path: Self.path(file))
    let places = try importPlaces(path: Self.path(file)).places
    #expect(!places.isEmpty)
    for place in places {
      let id = place.sourceID
      if id.hasPrefix("node/") {
        let node = try #require(Int64(id.dropFirst(5)).flatMap { map.nodes[$0] })
        #expect(place.coordinate.distanceMeters(to: node) < 0.02, "\(id)")
        #expect(place.footprintRadiusMeters == 0, "\(id)")
        continue
      }
      let lines = map.lines(of: id)
      let corners = lines.joined()
      let farthest = corners.map { $0.distanceMeters(to: place.coordinate) }.max()
      let reach = try #require(farthest)
      // Centimeters of rounding, and half a percent for the plane that stands for the ellipsoid.
      if id.hasPrefix("way/") {
        #expect(abs(place.footprintRadiusMeters - reach) < 0.05 + reach * 0.005, "\(id)")
      } else {
        #expect(place.footprintRadiusMeters < reach * 1.005 + 0.05, "\(id)")
      }
      guard !(Self.odd[file] ?? []).contains(id) else { continue }
      if map.isArea(id) {
        #expect(PlainMap.isInside(place.coordinate, lines), "\(id) at \(place.coordinate)")
      } else {
        #expect(isOn(lines, place.coordinate), "\(id) at \(place.coordinate)")
      }
    }
  }

  /// Whether a point is within a meter of a line.
  private func isOn(_ lines: [[Coordinate]], _ point: Coordinate) -> Bool {
    let plane = LocalPlane(origin: point)
    return lines.contains { line in
      let points = line.map { plane.project($0) }
      return zip(points, points.dropFirst())
        .contains { a, b in
          let (x, y) = (b.eastMeters - a.eastMeters, b.northMeters - a.northMeters)
          let square = x * x + y * y
          let along = square == 0 ? 0 : -(a.eastMeters * x + a.northMeters * y) / square
          let part = min(1, max(0, along))
          let (east, north) = (a.eastMeters + part * x, a.northMeters + part * y)
          return east * east + north * north < 1
        }
    }
  }

  /// What the default rules say, once more and by hand.
  private static func categories(_ tags: [String: String]) -> Set<String> {
    guard tags["disused"] != "yes", tags["abandoned"] != "yes" else { return [] }
    /// Whether a tag is there, and not also the same with a prefix that says that it is over.
    func has(_ key: String, _ value: String) -> Bool {
      guard tags[key] == value else { return false }
      return !tags.contains { other, former in
        former == value && (other.hasPrefix("disused:") || other.hasPrefix("abandoned:"))
      }
    }
    var found: Set<String> = []
    if has("amenity", "fuel"), tags["access"] != "private" { found.insert("gas_station") }
    if has("amenity", "pharmacy") || has("healthcare", "pharmacy")
      || has("shop", "chemist") && tags["dispensing"] == "yes"
    {
      found.insert("pharmacy")
    }
    if ["supermarket", "grocery", "convenience", "greengrocer"].contains(where: { has("shop", $0) })
    {
      found.insert("grocery")
    }
    if has("amenity", "bank"), tags["atm"] != "only" { found.insert("bank") }
    if has("amenity", "post_office") || has("amenity", "post_partner")
      || has("post_office", "post_partner")
    {
      found.insert("post_office")
    }
    return found
  }

  @Test(arguments: unlisted)
  func `where there is no list, a plain reader of the whole map makes it`(file: String) throws {
    let map = try PlainMap(path: Self.path(file))
    let result = try importPlaces(path: Self.path(file))
    let ours = Self.byKey(result.places)
    let skipped = Set(result.skipped.rows.map(\.row))
    var expected: Set<Key> = []
    for (id, element) in map.elements {
      for category in Self.categories(element.tags) where !skipped.contains(id) {
        expected.insert(Key(id: id, category: category))
      }
    }
    #expect(Set(ours.keys).symmetricDifference(expected).sorted() == [])
    #expect(skipped == [], "\(skipped)")
    for (key, place) in ours {
      let name = map.elements[key.id]?.tags["name"]?.trimmingCharacters(in: .whitespaces)
      #expect(place.name == (name == "" ? nil : name), "\(key)")
    }
  }

  // MARK: GeoJSON

  /// A feature as Foundation reads it.
  private struct Feature {
    let properties: [String: Any]
    let id: String?
    let type: String
    let coordinates: [Any]

    init?(_ value: Any) {
      guard let feature = value as? [String: Any],
        let geometry = feature["geometry"] as? [String: Any],
        let type = geometry["type"] as? String, let list = geometry["coordinates"] as? [Any]
      else { return nil }
      properties = feature["properties"] as? [String: Any] ?? [:]
      id = feature["id"] as? String
      self.type = type
      coordinates = list
    }

    static func position(_ value: Any) -> Coordinate? {
      guard let pair = value as? [Double], pair.count >= 2 else { return nil }
      return try? Coordinate(latitude: pair[1], longitude: pair[0])
    }

    /// By the tool that made the file: overpass-turbo, a service of its own, and GDAL.
    var sourceID: String? {
      if let id { return id }
      if let kind = properties["type"] as? String, let id = properties["id"] as? Int {
        // A relation's own tag `type` has taken the place of the word `relation`.
        return "\(kind == "multipolygon" ? "relation" : kind)/\(id)"
      }
      return (properties["osm_id"] as? Int).map { "osm_id/\($0)" }
    }
  }

  // 263 points are in the file of banks: node/8001044533 has disused:amenity=bank beside its
  // amenity=bank. A pharmacy with disused:name, that of the shop before it, stays: node/821520140.
  @Test(arguments: [
    ("de-munich-supermarkets", 697), ("de-munich-pharmacies", 370), ("de-munich-banks", 262),
    ("fr-niort-pharmacy-overpass", 34), ("ee-tartu-pharmacy-overpass", 24),
    ("us-philadelphia-amenity-points-gdal", 19),
  ])
  func `GeoJSON of three kinds of tools, feature by feature`(name: String, count: Int) throws {
    let path = try Self.path("geojson/\(name).geojson")
    let result = try importPlaces(path: path)
    #expect(result.places.count == count)
    #expect(result.skipped.count == 0)
    let ours = Self.byKey(result.places)
    let root = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
    let list = try #require((root as? [String: Any])?["features"] as? [Any])
    var expected: Set<Key> = []
    for feature in list.compactMap(Feature.init) {
      let tags = feature.properties.compactMapValues { $0 as? String }
      for category in Self.categories(tags) {
        let key = Key(id: try #require(feature.sourceID), category: category)
        expected.insert(key)
        guard let place = ours[key] else { continue }
        #expect(place.name == tags["name"]?.trimmingCharacters(in: .whitespaces), "\(key)")
        if feature.type == "Point" {
          let theirs = try #require(Feature.position(feature.coordinates))
          #expect(place.coordinate.distanceMeters(to: theirs) < 1, "\(key)")
        } else {
          let rings = feature.coordinates.compactMap { $0 as? [Any] }
            .map { $0.compactMap(Feature.position) }
          #expect(PlainMap.isInside(place.coordinate, rings), "\(key)")
        }
      }
    }
    #expect(Set(ours.keys).symmetricDifference(expected).sorted() == [])
  }
}
