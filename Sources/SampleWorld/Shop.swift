import Geodesy

/// Something on the map that a reminder may aim at, or must not.
struct Shop {
  enum Shape {
    case point
    /// A closed way, so many meters from west to east and from south to north.
    case building(widthMeters: Double, depthMeters: Double)
    /// A relation whose outline is made of two ways.
    case halves(widthMeters: Double, depthMeters: Double)
  }

  /// The category that it belongs to by the default rules; nil if they must leave it out.
  let category: String?
  let spot: Spot
  let name: String?
  let tags: MapData.Tags
  let shape: Shape

  init(
    _ category: String?,
    _ spot: Spot,
    _ name: String?,
    tags: MapData.Tags? = nil,
    more: MapData.Tags = [],
    shape: Shape = .point
  ) {
    self.category = category
    self.spot = spot
    self.name = name
    let own = name.map { [(key: "name", value: $0)] } ?? []
    self.tags = (tags ?? Self.usualTags(category)) + own + more
    self.shape = shape
  }

  /// The tags that most mappers give a place of a category.
  private static func usualTags(_ category: String?) -> MapData.Tags {
    switch category {
    case "gas_station": [("amenity", "fuel")]
    case "pharmacy": [("amenity", "pharmacy"), ("healthcare", "pharmacy")]
    case "grocery": [("shop", "convenience")]
    case "bank": [("amenity", "bank")]
    case "post_office": [("amenity", "post_office")]
    default: []
    }
  }

  /// Puts it on the map.
  ///
  /// - Returns: its source id, such as `node/12`.
  func add(to map: inout MapData) -> (type: String, id: Int64) {
    switch shape {
    case .point:
      return ("node", map.addNode(spot.coordinate, tags))
    case .building(let width, let depth):
      var nodes = corners(width, depth).map { map.addNode($0.coordinate) }
      nodes.append(nodes[0])
      return ("way", map.addWay(nodes, [("building", "retail")] + tags))
    case .halves(let width, let depth):
      let nodes = corners(width, depth).map { map.addNode($0.coordinate) }
      let south = map.addWay([nodes[3], nodes[0], nodes[1]])
      // The second half runs the other way round, as mappers' ways often do.
      let north = map.addWay([nodes[3], nodes[2], nodes[1]])
      let kind: MapData.Tags = [("type", "multipolygon"), ("building", "retail")]
      return ("relation", map.addRelation([(south, "outer"), (north, "outer")], kind + tags))
    }
  }

  /// Counterclockwise from the south-west.
  private func corners(_ widthMeters: Double, _ depthMeters: Double) -> [Spot] {
    let (x, y) = (widthMeters / 2_000, depthMeters / 2_000)
    return [(-x, -y), (x, -y), (x, y), (-x, y)]
      .map { Spot(spot.east + $0.0, spot.north + $0.1) }
  }
}
