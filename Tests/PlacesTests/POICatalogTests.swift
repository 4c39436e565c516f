import Geodesy
import Places
import TestSupport
import Testing

/// The index beside brute force.
@Suite struct POICatalogTests {
  private static func world(_ random: inout SeededGenerator) -> [PointOfInterest] {
    let origin = [
      Coordinate(uncheckedLatitude: 89.99, longitude: 10),
      Coordinate(uncheckedLatitude: -17, longitude: 179.99),
      Coordinate(uncheckedLatitude: 48, longitude: 11),
      Coordinate(uncheckedLatitude: 0, longitude: 0),
    ][random.integer(0...3)]
    let plane = LocalPlane(origin: origin)
    let spread = [100.0, 5_000, 80_000][random.integer(0...2)]
    return (0..<random.integer(1...300))
      .map { i in
        // Now and then two on one spot, and outlines of all sizes.
        let east = i % 10 == 9 ? 50 : random.uniform(-spread...spread)
        let north = i % 10 == 9 ? 50 : random.uniform(-spread...spread)
        return PointOfInterest(
          sourceID: "node/\(i)",
          categories: [CategoryID(random.integer(0...2) == 0 ? "bank" : "pharmacy")],
          coordinate: plane.coordinate(eastMeters: east, northMeters: north),
          footprintRadiusMeters: random.integer(0...3) == 0 ? Double(random.integer(1...900)) : 0
        )
      }
  }

  @Test func `NM-3.3: nearest, nearest edges and all within agree with brute force`() {
    for seed in UInt64(1)...1_500 {
      var random = SeededGenerator(seed: seed)
      let pois = Self.world(&random)
      let catalog = POICatalog(pois)
      let near = pois[random.integer(0...(pois.count - 1))].coordinate
      // Among them, and far from all.
      let away = [500.0, 9_000, 70_000][random.integer(0...2)]
      let position = SurfacePoint(
        LocalPlane(origin: near)
          .coordinate(
            eastMeters: random.uniform(-9_000...9_000),
            northMeters: random.uniform(-away...away)
          )
      )
      let least = catalog.positions.map { $0.distanceMeters(to: position) }.min() ?? .infinity
      let limit = random.uniform(0...20_000)
      let meters = catalog.nearestMeters(to: position, within: limit)
      if least <= limit {
        #expect(meters == least, "seed \(seed)")
      } else {
        #expect(abs(meters - limit) < 1e-3, "seed \(seed)")
      }
      let count = random.integer(1...25)
      let discs = DiscRadius(
        leastMeters: random.uniform(10...9_000),
        beyondFootprintMeters: random.integer(0...1) == 0 ? nil : 50
      )
      let radius = random.uniform(0...20_000)
      for category in catalog.categories {
        guard let slot = catalog.slot(of: category) else { continue }
        let members = catalog.points.indices.filter {
          catalog.points[$0].categories.contains(category)
        }
        let edges =
          members.map { i in
            NearEdge(
              index: i,
              distanceMeters: catalog.positions[i].distanceMeters(to: position),
              radiusMeters: discs.meters(footprintMeters: catalog.points[i].footprintRadiusMeters)
            )
          }
          .sorted()
        let found = catalog.nearestEdges(slot: slot, to: position, of: discs, count: count)
        #expect(
          found.map(\.index) == edges.prefix(count).map(\.index),
          "seed \(seed), \(category)"
        )
        let nearest = catalog.nearest(slot: slot, to: position)
        let expected = members.min {
          (catalog.positions[$0].chordSquared(to: position), $0)
            < (catalog.positions[$1].chordSquared(to: position), $1)
        }
        #expect(nearest?.index == expected, "seed \(seed), \(category)")
        var within: [Int] = []
        catalog.forEach(slot: slot, withinMeters: radius, of: position) { within.append($0) }
        #expect(
          within.sorted()
            == members.filter { catalog.positions[$0].distanceMeters(to: position) <= radius },
          "seed \(seed), \(category)"
        )
      }
    }
  }

  @Test func `points are found by their source id`() {
    let catalog = POICatalog(
      ["node/9", "way/10", "node/10", "relation/1"]
        .map {
          PointOfInterest(
            sourceID: $0,
            categories: ["bank"].map { CategoryID($0) },
            coordinate: Coordinate(uncheckedLatitude: 1, longitude: 1)
          )
        }
    )
    for id in ["node/9", "way/10", "node/10", "relation/1"] {
      #expect(catalog.index(ofSourceID: id).map { catalog.points[$0].sourceID } == id)
    }
    #expect(catalog.index(ofSourceID: "node/11") == nil)
    #expect(catalog.points[0].sourceID == "node/9")
  }

  @Test func `an empty catalog has no categories`() {
    #expect(POICatalog.empty.slot(of: CategoryID("bank")) == nil)
  }
}
