import Geodesy

/// A map in OpenStreetMap's terms.
struct MapData {
  typealias Tags = [(key: String, value: String)]

  struct Node {
    let id: Int64
    let coordinate: Coordinate
    let tags: Tags
  }

  struct Way {
    let id: Int64
    let nodes: [Int64]
    let tags: Tags
  }

  /// All members are ways.
  struct Relation {
    let id: Int64
    let members: [(way: Int64, role: String)]
    let tags: Tags
  }

  private(set) var nodes: [Node] = []
  private(set) var ways: [Way] = []
  private(set) var relations: [Relation] = []

  mutating func addNode(_ coordinate: Coordinate, _ tags: Tags = []) -> Int64 {
    let id = Int64(nodes.count + 1)
    nodes.append(Node(id: id, coordinate: coordinate, tags: tags))
    return id
  }

  mutating func addWay(_ nodes: [Int64], _ tags: Tags = []) -> Int64 {
    let id = Int64(ways.count + 1)
    ways.append(Way(id: id, nodes: nodes, tags: tags))
    return id
  }

  mutating func addRelation(_ members: [(way: Int64, role: String)], _ tags: Tags) -> Int64 {
    let id = Int64(relations.count + 1)
    relations.append(Relation(id: id, members: members, tags: tags))
    return id
  }
}
