import Geodesy
import Places
import TestSupport
import Testing

/// Looking among the points near the position before, beside looking through the tree.
@Suite struct NearbyPointsTests {
  @Test func `on a walk the nearest is found as if nothing were remembered`() {
    var looks = 0
    for seed in UInt64(1)...300 {
      var random = SeededGenerator(seed: seed)
      let origin = Coordinate(
        uncheckedLatitude: [48, -17, 89.99][random.integer(0...2)],
        longitude: [11, 179.99][random.integer(0...1)]
      )
      let plane = LocalPlane(origin: origin)
      let spread = [50.0, 5_000, 80_000][random.integer(0...2)]
      let hasOutlines = random.integer(0...1) == 0
      let catalog = POICatalog(
        (0..<random.integer(1...120))
          .map { i in
            // Now and then two on one spot.
            let meters = i % 8 == 7 ? 20 : random.uniform(-spread...spread)
            return PointOfInterest(
              sourceID: "node/\(i)",
              categories: [CategoryID(random.integer(0...2) == 0 ? "bank" : "pharmacy")],
              coordinate: plane.coordinate(
                eastMeters: meters,
                northMeters: i % 8 == 7 ? 20 : random.uniform(-spread...spread)
              ),
              footprintRadiusMeters: hasOutlines ? Double(random.integer(0...200)) : 0
            )
          }
      )
      let discs = DiscRadius(
        leastMeters: 150,
        beyondFootprintMeters: random.integer(0...1) == 0 ? nil : 50
      )
      var near = NearbyPoints()
      var (east, north) = (0.0, 0.0)
      for step in 0..<60 {
        // Steps, strides, and now and then somewhere else altogether.
        let stride = [spread / 100, spread / 10, spread][random.integer(0...2)]
        east += random.uniform(-stride...stride)
        north += random.uniform(-stride...stride)
        let position = SurfacePoint(plane.coordinate(eastMeters: east, northMeters: north))
        for category in catalog.categories {
          guard let slot = catalog.slot(of: category) else { continue }
          let nearest = catalog.nearest(slot: slot, to: position, &near)
          let edge = catalog.nearestEdge(slot: slot, to: position, of: discs, &near)
          let expected = catalog.nearest(slot: slot, to: position)
          #expect(nearest?.index == expected?.index, "seed \(seed), step \(step), \(category)")
          #expect(nearest?.distanceMeters == expected?.distanceMeters, "seed \(seed), step \(step)")
          #expect(
            edge == catalog.nearestEdges(slot: slot, to: position, of: discs, count: 1).first,
            "seed \(seed), step \(step), \(category)"
          )
          looks += 1
        }
      }
    }
    #expect(looks > 20_000)
  }
}
