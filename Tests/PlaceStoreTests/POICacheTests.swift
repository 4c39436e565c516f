import Geodesy
import PlaceStore
import Places
import TestSupport
import Testing

/// Every query against a scan of all places.
@Suite struct POICacheTests {
  private static func sorted(
    _ places: [PointOfInterest],
    _ category: CategoryID?,
    from center: Coordinate
  ) -> [(distance: Double, place: PointOfInterest)] {
    places.filter { place in category.map(place.categories.contains) ?? true }
      .map { (center.distanceMeters(to: $0.coordinate), $0) }
      .sorted { a, b in
        a.0 != b.0 ? a.0 < b.0 : SourceIDKey(a.1.sourceID) < SourceIDKey(b.1.sourceID)
      }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `queries agree with a scan of everything`(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let world = randomWorld(seed: seed, count: 1_500)
    try writeCache(world, to: folder.path("a.sqlite"))
    let cache = try POICache.open(folder.path("a.sqlite"))
    var generator = SeededGenerator(seed: seed + 100)
    for _ in 0..<60 {
      let center = randomCoordinate(&generator)
      let category = generator.integer(0...3) == 3 ? nil : testCategories[generator.integer(0...2)]
      let expected = Self.sorted(world, category, from: center)
      let limit = generator.integer(1...20)
      let nearest = try cache.nearest(category: category, to: center, limit: limit)
      #expect(nearest.map(\.place) == expected.prefix(limit).map(\.place), "seed \(seed) \(center)")
      #expect(nearest.map(\.distanceMeters) == expected.prefix(limit).map(\.distance))
      let radius = [50, 2_000, 40_000, 3_000_000, 25_000_000][generator.integer(0...4)] as Double
      let within = try cache.pointsOfInterest(category: category, within: radius, of: center)
      let near = expected.filter { $0.distance <= radius }
      #expect(within.map(\.place) == near.map(\.place), "seed \(seed) \(center) \(radius)")
      try checkBox(around: center, cache, world, category, &generator)
    }
  }

  private func checkBox(
    around center: Coordinate,
    _ cache: POICache,
    _ world: [PointOfInterest],
    _ category: CategoryID?,
    _ generator: inout SeededGenerator
  ) throws {
    let other = randomCoordinate(&generator)
    let box = BoundingBox(
      west: center.longitude,
      south: min(center.latitude, other.latitude),
      east: other.longitude,
      north: max(center.latitude, other.latitude)
    )
    let expected =
      world
      .filter { place in
        box.contains(place.coordinate) && (category.map(place.categories.contains) ?? true)
      }
      .map(\.sourceID)
    let found = try cache.pointsOfInterest(category: category, in: box).map(\.sourceID)
    #expect(Set(found) == Set(expected), "\(box)")
    #expect(found == found.sorted { SourceIDKey($0) < SourceIDKey($1) })
  }

  @Test func `every place comes back as it was, in order of source id`() throws {
    let folder = try TemporaryFolder()
    let world = randomWorld(seed: 9, count: 300)
    try writeCache(world.reversed(), to: folder.path("a.sqlite"))
    let cache = try POICache.open(folder.path("a.sqlite"))
    let expected = world.sorted { SourceIDKey($0.sourceID) < SourceIDKey($1.sourceID) }
    #expect(try cache.allPointsOfInterest() == expected)
    #expect(cache.knownCategories == testCategories)
    #expect(try cache.problems() == [])
    #expect(try cache.summary().placeCount == 300)
    #expect(try cache.summary().unnamedCount == 100)
    #expect(try cache.provenance() == testProvenance(300))
  }

  @Test func `an empty cache and an unknown category have no places`() throws {
    let folder = try TemporaryFolder()
    try writeCache([], to: folder.path("a.sqlite"))
    let cache = try POICache.open(folder.path("a.sqlite"))
    let center = Coordinate(uncheckedLatitude: 90, longitude: 180)
    #expect(try cache.nearest(category: nil, to: center, limit: 3).isEmpty)
    #expect(try cache.nearest(category: CategoryID("zoo"), to: center, limit: 3).isEmpty)
    #expect(try cache.allPointsOfInterest().isEmpty)
    #expect(try cache.summary().extent == nil)
    #expect(try cache.problems() == [])
  }

  @Test(arguments: [
    ([14.2, 14.6], [14.2, 14.6]), ([-0.5, 0.5], [-0.5, 0.5]), ([-64.9, 14.6], [-64.9, 14.6]),
    ([179.25, -179.5, 178.5], [178.5, -179.5]), ([180, -179.5], [180, -179.5]),
    ([-90, 90], [-90, 90]), ([-170], [-170, -170]),
  ])
  func `the extent runs over the antimeridian where that is narrower`(
    longitudes: [Double],
    edges: [Double]
  ) throws {
    let places = longitudes.enumerated()
      .map { number, longitude in
        PointOfInterest(
          sourceID: "node/\(number + 1)",
          categories: [CategoryID("bank")],
          coordinate: Coordinate(uncheckedLatitude: -17, longitude: longitude)
        )
      }
    let extent = try #require(CacheSummary(of: places, and: []).extent)
    #expect([extent.west, extent.east] == edges)
    #expect(places.allSatisfy { extent.contains($0.coordinate) })
  }
}
