import Fencing
import Geodesy
import Places
import TestSupport
import Testing
import Timeline

@Suite struct PlannerTests {
  private struct World {
    let catalog: POICatalog
    let plane: LocalPlane
    let here: Coordinate
    var ladders: [(ladder: Ladder, watched: WatchedLadder, shape: LadderShape)] = []

    init(_ random: inout SeededGenerator) throws {
      plane = LocalPlane(
        origin: Coordinate(
          uncheckedLatitude: random.uniform(-75...75),
          longitude: random.uniform(-180...180)
        )
      )
      let spread = [400.0, 5_000, 30_000][random.integer(0...2)]
      var pois: [PointOfInterest] = []
      for i in 0..<random.integer(1...150) {
        pois.append(
          PointOfInterest(
            sourceID: "node/\(i)",
            categories: [CategoryID("c\(random.integer(0...3))")],
            coordinate: plane.coordinate(
              eastMeters: random.uniform(-spread...spread),
              northMeters: random.uniform(-spread...spread)
            ),
            footprintRadiusMeters: random.integer(0...4) == 0 ? random.uniform(1...400) : 0
          )
        )
      }
      catalog = POICatalog(pois)
      here = plane.coordinate(
        eastMeters: random.uniform(-spread...spread),
        northMeters: random.uniform(-spread...spread)
      )
      let shape = try LadderShape([
        Ring(kind: .approach, radiusMeters: 8_046.72),
        Ring(kind: .approach, radiusMeters: 1_609.344), Ring(kind: .arrival, radiusMeters: 150),
      ])
      let arrival = DiscRadius(leastMeters: 150, beyondFootprintMeters: 50)
      for category in catalog.categories {
        guard let slot = catalog.slot(of: category) else { continue }
        var ladder = Ladder()
        _ = ladder.observe(
          sight(from: SurfacePoint(here), slot, arrival),
          accuracyMeters: 5,
          speedMetersPerSecond: 1,
          at: Timestamp(seconds: 0),
          shape,
          FencingSettings()
        )
        ladders.append(
          (
            ladder,
            WatchedLadder(
              owner: category.name,
              target: .category(slot: slot),
              arrival: arrival,
              boundaries: ladder.watchedBoundaries(shape, FencingSettings())
            ),
            shape
          )
        )
      }
    }

    /// Brute force.
    func sight(from point: SurfacePoint, _ slot: Int, _ arrival: DiscRadius) -> TargetSight {
      var sight = TargetSight(distanceMeters: .infinity, arrivalSlackMeters: .infinity)
      for i in catalog.indices(slot: slot) {
        let distance = catalog.positions[i].distanceMeters(to: point)
        let radius = arrival.meters(footprintMeters: catalog.points[i].footprintRadiusMeters)
        sight.distanceMeters = min(sight.distanceMeters, distance)
        sight.arrivalSlackMeters = min(sight.arrivalSlackMeters, distance - radius)
      }
      return sight
    }
  }

  /// The certificate by brute force: wherever the phone is within the safe circle, every ladder
  /// that would change is behind a boundary that has a region.
  @Test func `inside the safe circle nothing unwatched can happen`() throws {
    var checked = 0
    var changed = 0
    for seed in UInt64(1)...600 {
      var random = SeededGenerator(seed: seed)
      let world = try World(&random)
      let slots = [3, 5, 20][random.integer(0...2)]
      let plan = RegionPlanner(catalog: world.catalog, limits: MonitorLimits(slots: slots))
        .plan(around: world.here, world.ladders.map(\.watched), safeID: "safe:1")
      #expect(plan.entries.count <= slots, "seed \(seed)")
      let again = RegionPlanner(catalog: world.catalog, limits: MonitorLimits(slots: slots))
        .plan(around: world.here, world.ladders.map(\.watched), safeID: "safe:1")
      #expect(plan == again, "seed \(seed)")
      #expect(plan.certificate.atRisk.isEmpty, "seed \(seed)")
      let reach = min(plan.certificate.safeRadiusMeters ?? 20_000, 20_000)
      let plane = LocalPlane(origin: world.here)
      for _ in 0..<40 {
        let radius = reach * random.unit().squareRoot()
        let (sine, cosine) = sineAndCosine(degrees: random.uniform(0...360))
        let there = plane.coordinate(eastMeters: radius * cosine, northMeters: radius * sine)
        guard world.here.distanceMeters(to: there) <= reach else { continue }
        checked += 1
        let isCrossed = plan.entries.contains { entry in
          let distance = entry.region.centre.distanceMeters(to: there)
          return entry.region.kind == .enter
            ? distance <= entry.region.radiusMeters
            : entry.region.kind == .exit && distance > entry.region.radiusMeters
        }
        for (ladder, watched, shape) in world.ladders {
          guard case .category(let slot?) = watched.target, let arrival = watched.arrival else {
            continue
          }
          var copy = ladder
          _ = copy.observe(
            world.sight(from: SurfacePoint(there), slot, arrival),
            accuracyMeters: 5,
            speedMetersPerSecond: 1,
            at: Timestamp(seconds: 60),
            shape,
            FencingSettings()
          )
          guard copy != ladder else { continue }
          changed += 1
          #expect(isCrossed, "seed \(seed): \(watched.owner) changes unseen at \(there)")
        }
      }
    }
    #expect(checked > 15_000)
    #expect(changed > 1_000)
  }

  @Test func `a large fence one stands in is never given up for small ones`() throws {
    let here = Coordinate(uncheckedLatitude: 48, longitude: 11)
    let plane = LocalPlane(origin: here)
    // 60 points on a roundabout of 400 m, and a large exit circle nearly reached.
    let pois = (0..<60)
      .map { i in
        let (sine, cosine) = sineAndCosine(degrees: Double(i) * 6)
        return PointOfInterest(
          sourceID: "node/\(i)",
          categories: [CategoryID("bank")],
          coordinate: plane.coordinate(eastMeters: 400 * cosine, northMeters: 400 * sine)
        )
      }
    let catalog = POICatalog(pois)
    let shape = try LadderShape([Ring(kind: .approach, radiusMeters: 9_000)])
    var large = Ladder()
    let centre = plane.coordinate(eastMeters: 9_800, northMeters: 0)
    _ = large.observe(
      TargetSight(distanceMeters: 8_990, arrivalSlackMeters: .infinity),
      accuracyMeters: 5,
      speedMetersPerSecond: 1,
      at: Timestamp(seconds: 0),
      shape,
      FencingSettings()
    )
    let plan = RegionPlanner(catalog: catalog, limits: MonitorLimits(slots: 20))
      .plan(
        around: here,
        [
          WatchedLadder(
            owner: "far",
            target: .place(id: "far", coordinate: centre),
            arrival: nil,
            boundaries: large.watchedBoundaries(shape, FencingSettings())
          ),
          WatchedLadder(
            owner: "bank",
            target: .category(slot: catalog.slot(of: CategoryID("bank"))),
            arrival: DiscRadius(leastMeters: 150),
            boundaries: [Boundary(side: .in, reach: .arrival(beyondMeters: 0))]
          ),
        ],
        safeID: "safe:1"
      )
    // 100 m to leave the large one, 250 m to each of the small: the large one has a region, and the
    // small ones are all beyond the safe circle.
    #expect(plan.entries.map(\.region.kind) == [.exit, .safe])
    #expect(plan.entries.first?.region.id.hasPrefix("exit:far") == true)
    #expect((240...250).contains(plan.certificate.safeRadiusMeters ?? 0))
  }

  @Test func `ladders that share a boundary share its region`() throws {
    let catalog = POICatalog([
      PointOfInterest(
        sourceID: "node/1",
        categories: [CategoryID("bank")],
        coordinate: Coordinate(uncheckedLatitude: 1, longitude: 1)
      )
    ])
    let watched = ["a", "b"]
      .map {
        WatchedLadder(
          owner: $0,
          target: .category(slot: 0),
          arrival: nil,
          boundaries: [Boundary(side: .in, reach: .distance(meters: 1_000))]
        )
      }
    let plan = RegionPlanner(catalog: catalog, limits: MonitorLimits())
      .plan(
        around: Coordinate(uncheckedLatitude: 1.1, longitude: 1),
        watched,
        safeID: "safe:1"
      )
    #expect(plan.entries.map(\.owners) == [["a", "b"]])
    #expect(plan.certificate.safeRadiusMeters == nil)
  }

  @Test func `a safe circle smaller than the phone serves names what is at risk`() throws {
    let here = Coordinate(uncheckedLatitude: 48, longitude: 11)
    let plane = LocalPlane(origin: here)
    let catalog = POICatalog(
      (0..<10)
        .map {
          PointOfInterest(
            sourceID: "node/\($0)",
            categories: [CategoryID("bank")],
            coordinate: plane.coordinate(eastMeters: 200 + Double($0) * 10, northMeters: 0)
          )
        }
    )
    let plan = RegionPlanner(
      catalog: catalog,
      limits: MonitorLimits(slots: 3, smallestSafeRadiusMeters: 100)
    )
    .plan(
      around: here,
      [
        WatchedLadder(
          owner: "x",
          target: .category(slot: 0),
          arrival: DiscRadius(leastMeters: 150),
          boundaries: [Boundary(side: .in, reach: .arrival(beyondMeters: 0))]
        )
      ],
      safeID: "safe:1"
    )
    #expect(plan.entries.last?.region.radiusMeters == 100)
    #expect(!plan.certificate.atRisk.isEmpty)
    #expect(plan.certificate.atRisk.allSatisfy { $0.slackMeters < 101 })
  }
}
