/// The roads of the island as map ways that share their crossings.
struct Roads {
  private static let streets = [
    "Anchor", "Beacon", "Cooper", "Dory", "Ebb", "Flagstaff", "Gannet", "Halyard", "Ironwood",
    "Jetty", "Kelp", "Lantern", "Mooring",
  ]
  private static let avenues = [
    "First", "Second", "Third", "Fourth", "Main", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth",
    "Tenth",
  ]

  private var nodes: [Spot: Int64] = [:]

  static func add(to map: inout MapData) {
    var roads = Roads()
    roads.addMainRoad(&map)
    roads.addTown(&map)
    roads.add(
      "Home Lane",
      kind: "residential",
      along: [Island.mainRoad(-13.6), Spot(-13.6, 0.4)],
      to: &map
    )
    roads.add(
      "Works Road",
      kind: "tertiary",
      along: [Island.mainRoad(-4), Spot(-4, -0.98)],
      to: &map
    )
    roads.add(
      "Fort Hill",
      kind: "tertiary",
      along: [Island.mainRoad(4.4), Spot(4.4, 0.75)],
      to: &map
    )
    roads.add(
      "Gull Point Lane",
      kind: "residential",
      along: [Island.mainRoad(7.2), Spot(7.2, -0.8)],
      to: &map
    )
    roads.add(
      "North Cove Road",
      kind: "secondary",
      along: [Spot(11.2, 2.4), Spot(11.3, 4), Spot(11.2, 5.2), Spot(11.2, 6.4)],
      to: &map
    )
  }

  private mutating func addMainRoad(_ map: inout MapData) {
    let west = Island.mainRoad(from: -14.4, to: Island.townWest)
    add("Causeway Road", kind: "primary", along: west, to: &map)
    add(
      "Main Street",
      kind: "primary",
      along: Island.mainRoad(from: Island.townWest, to: 13.6),
      to: &map
    )
  }

  private mutating func addTown(_ map: inout MapData) {
    let easts = Self.streets.indices.map { Double(88 + 4 * $0) / 10 }
    let norths = Self.avenues.indices.map { Double(4 * $0 - 16) / 10 }
    for (name, east) in zip(Self.streets, easts) {
      add(name + " Street", kind: "residential", along: norths.map { Spot(east, $0) }, to: &map)
    }
    for (name, north) in zip(Self.avenues, norths) where north != 0 {
      add(name + " Avenue", kind: "residential", along: easts.map { Spot($0, north) }, to: &map)
    }
  }

  private mutating func add(_ name: String, kind: String, along way: [Spot], to map: inout MapData)
  {
    let refs = way.map { spot -> Int64 in
      if let known = nodes[spot] { return known }
      let id = map.addNode(spot.coordinate)
      nodes[spot] = id
      return id
    }
    _ = map.addWay(refs, [("highway", kind), ("name", name)])
  }
}
