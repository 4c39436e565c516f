import CacheBuilder
import Foundation
import Geodesy
import Places
import TestSupport
import Testing

/// Every place of every real extract against an independent reader (pyosmium).
@Suite(.enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.absent)))
struct ExtractTests {
  private struct Counts: Decodable {
    let file: String
    let places: Int
    let by_category: [String: [String: Int]]
  }

  private struct Key: Hashable {
    let id: String
    let category: String
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

  @Test(arguments: files)
  func `every place is there, and no other`(file: String) throws {
    let folder = try #require(SharedData.folder).appendingPathComponent("osm")
    let places = try importPlaces(path: folder.appendingPathComponent(file).path).places
    var ours: [Key: PointOfInterest] = [:]
    for place in places {
      for category in place.categories {
        ours[Key(id: place.sourceID, category: category.name)] = place
      }
    }
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

  @Test(arguments: [
    ("de-munich-supermarkets", 697), ("de-munich-pharmacies", 370), ("de-munich-banks", 263),
    ("fr-niort-pharmacy-overpass", 34), ("ee-tartu-pharmacy-overpass", 24),
    ("us-philadelphia-amenity-points-gdal", 19),
  ])
  func `GeoJSON of three kinds of tools`(name: String, count: Int) throws {
    let folder = try #require(SharedData.folder).appendingPathComponent("osm/geojson")
    let result = try importPlaces(path: folder.appendingPathComponent("\(name).geojson").path)
    #expect(result.places.count == count)
    #expect(result.skipped.count == 0)
  }
}
