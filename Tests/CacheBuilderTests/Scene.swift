import CacheBuilder
import Foundation
import Places
import TestSupport

/// Reads bytes as if they were a file of any name.
func readPlaces(
  _ bytes: [UInt8],
  rules: CategoryRules = .standard
) throws -> ImportResult {
  let folder = try TemporaryFolder()
  try Data(bytes).write(to: URL(fileURLWithPath: folder.path("input")))
  return try importPlaces(path: folder.path("input"), rules: rules)
}

func readPlaces(_ text: String, rules: CategoryRules = .standard) throws -> ImportResult {
  try readPlaces(Array(text.utf8), rules: rules)
}

/// A little town, as OSM XML and as PBF: one element of each kind, and what goes wrong with each.
enum Scene {
  static let nodes: [PBFWriter.Node] = [
    .init(id: 1, latitudeE7: 392_900_000, longitudeE7: -766_100_000),
    .init(id: 2, latitudeE7: 392_900_000, longitudeE7: -766_090_000),
    .init(id: 3, latitudeE7: 392_910_000, longitudeE7: -766_090_000),
    .init(id: 4, latitudeE7: 392_910_000, longitudeE7: -766_100_000),
    .init(
      id: 10,
      latitudeE7: 392_950_000,
      longitudeE7: -766_150_000,
      tags: [("amenity", "pharmacy"), ("name", "Löwen & Söhne"), ("brand", "Löwen")]
    ),
    .init(
      id: 11,
      latitudeE7: 392_950_000,
      longitudeE7: -766_160_000,
      tags: [("amenity", "fuel"), ("access", "private")]
    ),
    .init(id: 12, latitudeE7: 0, longitudeE7: 0, tags: [("amenity", "bank")]),
    .init(id: 13, latitudeE7: 910_000_000, longitudeE7: 0, tags: [("amenity", "bank")]),
    .init(
      id: 14,
      latitudeE7: 392_960_000,
      longitudeE7: -766_160_000,
      tags: [("amenity", "bank;atm"), ("disused:amenity", "bank")]
    ),
    .init(
      id: 15,
      latitudeE7: 392_970_000,
      longitudeE7: -766_160_000,
      tags: [("shop", "chemist"), ("dispensing", "yes")]
    ),
    .init(
      id: 16,
      latitudeE7: 392_980_000,
      longitudeE7: -766_160_000,
      tags: [("shop", "chemist")]
    ),
    .init(
      id: 17,
      latitudeE7: 392_990_000,
      longitudeE7: -766_160_000,
      tags: [("shop", "supermarket"), ("amenity", "post_office"), ("name", "  ")]
    ),
  ]
  static let ways: [PBFWriter.Way] = [
    .init(id: 20, refs: [1, 2, 3, 4, 1], tags: [("shop", "supermarket"), ("name", "Square")]),
    .init(id: 21, refs: [1, 2, 99], tags: [("amenity", "fuel"), ("name", "Half there")]),
    .init(id: 22, refs: [98, 99], tags: [("amenity", "fuel")]),
    .init(id: 23, refs: [1, 2, 3]),
    .init(id: 24, refs: [1, 4, 3]),
  ]
  static let relations: [PBFWriter.Relation] = [
    .init(
      id: 30,
      members: [
        .init(type: 1, id: 23, role: "outer"), .init(type: 1, id: 24, role: "outer"),
        .init(type: 0, id: 10, role: "entrance"),
      ],
      tags: [("type", "multipolygon"), ("amenity", "bank"), ("name", "Two ways")]
    ),
    .init(
      id: 31,
      members: [.init(type: 1, id: 97, role: "outer")],
      tags: [("type", "multipolygon"), ("amenity", "bank")]
    ),
    .init(
      id: 32,
      members: [.init(type: 1, id: 23, role: "")],
      tags: [("type", "site"), ("amenity", "bank")]
    ),
  ]

  static func pbf(_ writer: PBFWriter = PBFWriter()) -> [UInt8] {
    writer.file(nodes: nodes, ways: ways, relations: relations)
  }

  static var xml: String {
    var lines: [String] = []
    // In no order at all: relations first, nodes last.
    for relation in relations {
      lines.append("<relation id='\(relation.id)'>")
      for member in relation.members {
        let type = ["node", "way", "relation"][Int(member.type)]
        lines.append("<member type='\(type)' ref='\(member.id)' role='\(member.role)'/>")
      }
      lines += tags(relation.tags) + ["</relation>"]
    }
    for way in ways {
      lines.append("<way id='\(way.id)'>")
      lines += way.refs.map { "<nd ref='\($0)'/>" } + tags(way.tags) + ["</way>"]
    }
    for node in nodes {
      let (lat, lon) = (Double(node.latitudeE7) / 1e7, Double(node.longitudeE7) / 1e7)
      lines.append("<node id='\(node.id)' lat='\(lat)' lon='\(lon)'>")
      lines += tags(node.tags) + ["</node>"]
    }
    return "<?xml version='1.0'?>\n<osm version='0.6'>\n\(lines.joined(separator: "\n"))\n</osm>\n"
  }

  private static func tags(_ tags: [(String, String)]) -> [String] {
    tags.map { key, value in
      "<tag k='\(key)' v='\(value.replacingOccurrences(of: "&", with: "&amp;"))'/>"
    }
  }
}
