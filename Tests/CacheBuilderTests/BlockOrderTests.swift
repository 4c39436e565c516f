import CacheBuilder
import Foundation
import Places
import TestSupport
import Testing

/// Whatever the order of a PBF file's blocks and ids, the places are those of the map.
@Suite struct BlockOrderTests {
  /// What a reader found, whatever its order.
  private struct Found: Equatable {
    let places: Set<PointOfInterest>
    let skipped: Set<String>

    init(_ result: ImportResult) {
      places = Set(result.places)
      skipped = Set(result.skipped.rows.map { "\($0.row): \($0.reason)" })
    }
  }

  /// The elements of a map, one piece of a file for a few of each kind.
  private static func pieces(
    _ nodes: [PBFWriter.Node],
    _ ways: [PBFWriter.Way],
    _ relations: [PBFWriter.Relation],
    _ random: inout SeededGenerator
  ) -> [[UInt8]] {
    var writer = PBFWriter(packing: .zlib)
    var pieces: [[UInt8]] = []
    var (node, way, relation) = (0, 0, 0)
    while node < nodes.count || way < ways.count || relation < relations.count {
      writer.isDense = random.integer(0...3) > 0
      // Often one kind only, as in real files; sometimes several in one piece.
      let kinds = random.integer(1...7)
      func next<Element>(_ all: [Element], _ start: inout Int, _ bit: Int) -> [Element] {
        guard kinds & bit != 0 else { return [] }
        let end = min(all.count, start + random.integer(1...40))
        defer { start = end }
        return Array(all[start..<end])
      }
      let piece = writer.file(
        nodes: next(nodes, &node, 1),
        ways: next(ways, &way, 2),
        relations: next(relations, &relation, 4)
      )
      pieces.append(piece)
    }
    return pieces
  }

  @Test(arguments: 1...20)
  func `blocks in any order`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let expected = Found(try readPlaces(Scene.pbf()))
    #expect(expected.places.count == 6)
    var pieces = Self.pieces(Scene.nodes, Scene.ways, Scene.relations, &random)
    for last in pieces.indices.dropFirst().reversed() {
      pieces.swapAt(last, random.integer(0...last))
    }
    #expect(Found(try readPlaces(pieces.flatMap { $0 })) == expected, "seed \(seed)")
  }

  @Test(arguments: 1...10)
  func `ids of every size, rising and falling, as the XML reader finds them`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var ids: Set<Int64> = []
    var id: Int64 = 0
    while ids.count < 3_000 {
      // Runs of small steps, which are read together, and jumps of up to 45 bits both ways.
      let step = Int64(1) << Int64(random.integer(0...10) == 0 ? random.integer(0...45) : 2)
      id += random.integer(0...30) == 0 ? -step : Int64(random.integer(1...Int(step)))
      if id != 0 { ids.insert(id) }
    }
    var order = ids.sorted()
    if seed % 2 == 0 { order.reverse() }
    let nodes = order.map { id in
      PBFWriter.Node(
        id: id,
        // A hundred kilometers: outlines that go farther than a thousand are no places.
        latitudeE7: Int64(random.integer(-180_000_000 ... -170_000_000)),
        longitudeE7: Int64(random.integer(1_780_000_000...1_790_000_000)),
        tags: random.integer(0...50) == 0
          ? [("amenity", "bank")] : random.integer(0...3) == 0 ? [("natural", "tree")] : []
      )
    }
    let ways = (1...60)
      .map { way in
        PBFWriter.Way(
          id: Int64(way) * 7,
          refs: (0..<random.integer(2...8)).map { _ in order[random.integer(0...2_999)] },
          tags: way % 2 == 0 ? [("shop", "grocery")] : []
        )
      }
    let relations = (1...10)
      .map { relation in
        PBFWriter.Relation(
          id: Int64(relation),
          members: (0..<3)
            .map { _ in .init(type: 1, id: Int64(random.integer(1...30)) * 14 - 7, role: "outer") },
          tags: [("type", "multipolygon"), ("amenity", "fuel")]
        )
      }
    let expected = Found(try readPlaces(Self.xml(nodes, ways, relations)))
    #expect(expected.places.count > 60, "seed \(seed)")
    let pieces = Self.pieces(nodes, ways, relations, &random)
    #expect(Found(try readPlaces(pieces.flatMap { $0 })) == expected, "seed \(seed)")
    #expect(
      Found(try readPlaces(PBFWriter().file(nodes: nodes, ways: ways, relations: relations)))
        == expected,
      "seed \(seed)"
    )
  }

  private static func xml(
    _ nodes: [PBFWriter.Node],
    _ ways: [PBFWriter.Way],
    _ relations: [PBFWriter.Relation]
  ) -> String {
    func tags(_ tags: [(String, String)]) -> String {
      tags.map { "<tag k='\($0.0)' v='\($0.1)'/>" }.joined()
    }
    var text = "<osm>"
    for node in nodes {
      text += "<node id='\(node.id)' lat='\(Double(node.latitudeE7) / 1e7)' "
      text += "lon='\(Double(node.longitudeE7) / 1e7)'>\(tags(node.tags))</node>"
    }
    for way in ways {
      let refs = way.refs.map { "<nd ref='\($0)'/>" }.joined()
      text += "<way id='\(way.id)'>\(refs)\(tags(way.tags))</way>"
    }
    for relation in relations {
      text += "<relation id='\(relation.id)'>"
      for member in relation.members {
        text += "<member type='way' ref='\(member.id)' role='\(member.role)'/>"
      }
      text += "\(tags(relation.tags))</relation>"
    }
    return text + "</osm>"
  }
}
