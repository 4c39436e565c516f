import Fencing
import Geodesy
import Places
import Replay
import TestSupport
import Testing
import Timeline

/// What other strategies do, and where each of them loses a crossing.
@Suite struct RivalTests {
  private static let plane = LocalPlane(
    origin: Coordinate(uncheckedLatitude: 40, longitude: -75)
  )

  private static func at(_ east: Double, _ north: Double = 0) -> Coordinate {
    plane.coordinate(eastMeters: east, northMeters: north)
  }

  /// Banks at distances to the east, from the origin.
  private static func catalog(_ distances: [Double]) -> POICatalog {
    POICatalog(
      distances.enumerated()
        .map { i, distance in
          PointOfInterest(
            sourceID: "node/\(i + 1)",
            categories: [CategoryID("bank")],
            coordinate: at(distance)
          )
        }
    )
  }

  private static let banks = WatchedLadder(
    owner: "bank",
    target: .category(slot: 0),
    arrival: DiscRadius(leastMeters: 150),
    boundaries: [Boundary(side: .in, reach: .arrival(beyondMeters: 0))]
  )

  private static func leaving(_ center: Coordinate, radius: Double) -> WatchedLadder {
    WatchedLadder(
      owner: "home",
      target: .place(id: "home", coordinate: center),
      arrival: nil,
      boundaries: [Boundary(side: .out, reach: .distance(meters: radius))]
    )
  }

  private static func plan(
    _ strategy: RegionStrategy,
    slots: Int,
    _ catalog: POICatalog,
    _ ladders: [WatchedLadder],
    from east: Double = 0,
    current: [Region] = [],
    safeID: String = "safe:1"
  ) -> RegionPlan {
    RivalPlanner(strategy, slots: slots, catalog: catalog)
      .plan(around: at(east), ladders, current: current, safeID: safeID)
  }

  private static func ids(_ plan: RegionPlan) -> [String] { plan.entries.map(\.region.id) }

  @Test func `the nearest centers push out a large circle that one stands in`() {
    // One is 100 m from the edge of a circle of 8 km, and four banks are 1 to 4 km away.
    let catalog = Self.catalog([1_000, 2_000, 3_000, 4_000])
    let home = Self.leaving(Self.at(-7_900), radius: 8_000)
    let center = Self.plan(.nearestCenter, slots: 5, catalog, [Self.banks, home])
    #expect(
      Self.ids(center) == [
        "safe:1", "enter:node/1:15000", "enter:node/2:15000", "enter:node/3:15000",
        "enter:node/4:15000",
      ]
    )
    // Its circle of 500 m reaches 400 m beyond that edge.
    #expect(center.certificate.atRisk.map(\.id) == ["exit:home:800000"])
    #expect(center.certificate.atRisk.map(\.reason) == [.insideFixedBubble])
    let edge = Self.plan(.nearestEdge, slots: 5, catalog, [Self.banks, home])
    #expect(Self.ids(edge).contains("exit:home:800000"))
    #expect(edge.certificate.atRisk == [])
  }

  @Test func `a circle of 1 km holds more banks than there are regions`() {
    let catalog = Self.catalog([300, 450, 600, 750, 900, 1_050, 1_200])
    let plan = Self.plan(.nearestEdge, slots: 4, catalog, [Self.banks])
    #expect(
      Self.ids(plan) == [
        "safe:1", "enter:node/1:15000", "enter:node/2:15000", "enter:node/3:15000",
      ]
    )
    #expect(plan.entries[0].region.radiusMeters == 1_000)
    // The fourth to the sixth begin inside the circle; the seventh begins at 1 050 m.
    #expect(
      plan.certificate.atRisk.map(\.id).prefix(2) == ["enter:node/4:15000", "enter:node/5:15000"]
    )
    let ours = RegionPlanner(catalog: catalog, limits: MonitorLimits(slots: 4))
      .plan(around: Self.at(0), [Self.banks], safeID: "safe:1")
    #expect(ours.certificate.atRisk == [])
  }

  @Test func `the circle stays until somebody leaves it`() {
    let catalog = Self.catalog([3_000, 3_500])
    let first = Self.plan(.nearestEdge, slots: 20, catalog, [Self.banks])
    let second = Self.plan(
      .nearestEdge,
      slots: 20,
      catalog,
      [Self.banks],
      from: 900,
      current: first.entries.map(\.region),
      safeID: "safe:2"
    )
    #expect(Self.ids(second) == Self.ids(first))
    let third = Self.plan(
      .nearestEdge,
      slots: 20,
      catalog,
      [Self.banks],
      from: 1_001,
      current: second.entries.map(\.region),
      safeID: "safe:3"
    )
    #expect(Self.ids(third).first == "safe:3")
  }

  @Test func `a server's list replaces everything each time`() {
    let catalog = Self.catalog([3_000, 3_500])
    let first = Self.plan(.serverBubble, slots: 20, catalog, [Self.banks])
    let second = Self.plan(
      .serverBubble,
      slots: 20,
      catalog,
      [Self.banks],
      current: first.entries.map(\.region),
      safeID: "safe:2"
    )
    #expect(Set(Self.ids(first)).isDisjoint(with: Self.ids(second)))
    #expect(second.entries.map(\.region.radiusMeters) == [100, 150, 150])
  }

  @Test func `whatever they choose, it fits, it can fire, and it is the same again`() {
    var circles = 0
    for seed in UInt64(1)...300 {
      var random = SeededGenerator(seed: seed)
      let catalog = Self.catalog(
        (0..<random.integer(1...80)).map { _ in random.uniform(-9_000...9_000) }
      )
      let home = Self.leaving(Self.at(random.uniform(-900...900)), radius: 1_500)
      for strategy in RegionStrategy.allCases where strategy.bubbleMeters != nil {
        for slots in [1, 2, 5, 20] {
          let here = random.uniform(-9_000...9_000)
          let plan = Self.plan(strategy, slots: slots, catalog, [Self.banks, home], from: here)
          #expect(
            plan == Self.plan(strategy, slots: slots, catalog, [Self.banks, home], from: here)
          )
          #expect(plan.entries.count <= slots, "seed \(seed), \(strategy)")
          #expect(Set(Self.ids(plan)).count == plan.entries.count, "seed \(seed), \(strategy)")
          for region in plan.entries.map(\.region) {
            let distance = region.center.distanceMeters(to: Self.at(here))
            let isInside = distance < region.radiusMeters
            #expect(isInside == (region.kind != .enter), "seed \(seed), \(strategy), \(region.id)")
            circles += 1
          }
        }
      }
    }
    #expect(circles > 10_000)
  }
}
