import Arrivals
import Foundation
import Geodesy
import Places
import TestSupport
import Testing
import Timeline
import Traces

/// What must hold for any stream of fixes.
struct PropertyTests {
  /// A stream with everything in it that receivers do: gaps, jumps, odd numbers, doubled and late
  /// fixes, around an origin that may be anywhere.
  private func world(seed: UInt64) -> (fixes: [Fix], catalog: POICatalog) {
    var random = SeededGenerator(seed: seed)
    let origins = [
      Coordinate(uncheckedLatitude: 39.29, longitude: -76.61),
      Coordinate(uncheckedLatitude: 90, longitude: 0),
      Coordinate(uncheckedLatitude: -89.9999, longitude: 77),
      Coordinate(uncheckedLatitude: 17.7, longitude: 180),
      Coordinate(uncheckedLatitude: 0, longitude: -179.9999),
    ]
    let plane = LocalPlane(origin: origins[random.integer(0...(origins.count - 1))])
    func spot(_ reach: Double, _ random: inout SeededGenerator) -> Coordinate {
      plane.coordinate(
        eastMeters: random.uniform(-reach...reach),
        northMeters: random.uniform(-reach...reach)
      )
    }
    let pois = (1...60)
      .map { i in
        PointOfInterest(
          sourceID: "node/\(i)",
          categories: [CategoryID(["bank", "grocery", "gas_station"][i % 3])],
          // One is always near, so that there is something to look at.
          coordinate: spot(i == 1 ? 50 : 1_500, &random),
          footprintRadiusMeters: i % 4 == 0 ? random.uniform(5...300) : 0
        )
      }
    var at = Timestamp(seconds: 1_767_600_000)
    var east = 0.0
    var north = 0.0
    var fixes: [Fix] = []
    var speed = 0.0
    for _ in 0..<1_500 {
      if random.unit() < 0.02 { speed = [0, 0, 1.3, 10][random.integer(0...3)] }
      at = at + .seconds([0, 1, 1, 1, 5, 15, 120, 1_000][random.integer(0...7)])
      if random.unit() < 0.01 { at = at - .seconds(30) }
      east += random.uniform(-speed...speed)
      north += random.uniform(-speed...speed)
      var coordinate = plane.coordinate(
        eastMeters: east + random.uniform(-8...8),
        northMeters: north + random.uniform(-8...8)
      )
      if random.unit() < 0.01 { coordinate = spot(5_000_000, &random) }
      let odd: [Double?] = [nil, .nan, .infinity, -1, 1e300, 0]
      fixes.append(
        Fix(
          at: at,
          coordinate: coordinate,
          horizontalAccuracyMeters: random.unit() < 0.02
            ? odd[random.integer(1...5)] ?? 0 : random.uniform(3...60),
          speedMetersPerSecond: random.unit() < 0.1 ? odd[random.integer(0...5)] : speed,
          courseDegrees: random.unit() < 0.1
            ? odd[random.integer(0...5)] : random.uniform(0...360)
        )
      )
    }
    return (fixes, POICatalog(pois))
  }

  @Test(arguments: 1...20) func `a stored and restored state has the same future`(
    seed: UInt64
  )
    throws
  {
    let (fixes, catalog) = world(seed: seed)
    let settings = ArrivalSettings()
    var whole = ArrivalDetector(settings: settings, catalog: catalog)
    var pieces = ArrivalDetector(settings: settings, catalog: catalog)
    for (i, fix) in fixes.enumerated() {
      let point = SurfacePoint(fix.coordinate)
      let expected = whole.observe(fix, at: point)
      if i % 37 == 0 {
        let data = try JSONEncoder().encode(pieces.state)
        let state = try JSONDecoder().decode(ArrivalDetector.State.self, from: data)
        try #require(state == pieces.state, "seed \(seed), fix \(i)")
        pieces = ArrivalDetector(settings: settings, catalog: catalog, state: state)
      }
      let found = pieces.observe(fix, at: point)
      try #require(found == expected, "seed \(seed), fix \(i)")
      try #require(pieces.state == whole.state, "seed \(seed), fix \(i)")
      try #require(pieces.nextInstant == whole.nextInstant, "seed \(seed), fix \(i)")
    }
  }

  @Test(arguments: 1...20) func `timers that come often, late or never find the same`(
    seed: UInt64
  ) throws {
    let (fixes, catalog) = world(seed: seed)
    var never = ArrivalDetector(settings: ArrivalSettings(), catalog: catalog)
    var often = ArrivalDetector(settings: ArrivalSettings(), catalog: catalog)
    var foundNever: [ArrivalFinding] = []
    var foundOften: [ArrivalFinding] = []
    var newest = fixes[0].at
    for fix in fixes {
      let point = SurfacePoint(fix.coordinate)
      foundNever += never.observe(fix, at: point)
      while newest + .seconds(7) < fix.at {
        newest = newest + .seconds(7)
        foundOften += often.advance(to: newest)
      }
      newest = max(newest, fix.at)
      foundOften += often.observe(fix, at: point)
    }
    #expect(foundNever == foundOften, "seed \(seed)")
  }

  @Test(arguments: 1...20) func `a timer at the very instant of a fix is looked at before it`(
    seed: UInt64
  ) throws {
    // Every third fix comes when a timer is due: they lie 5 s or 15 s after the one before.
    let (fixes, catalog) = world(seed: seed)
    var settings = ArrivalSettings()
    settings.decision.threshold = 0.02
    settings.decision.hold = .seconds(1)
    var alone = ArrivalDetector(settings: settings, catalog: catalog)
    var asked = ArrivalDetector(settings: settings, catalog: catalog)
    var together = 0
    for fix in fixes {
      let point = SurfacePoint(fix.coordinate)
      if asked.nextInstant == fix.at { together += 1 }
      let found = asked.advance(to: fix.at) + asked.observe(fix, at: point)
      try #require(alone.observe(fix, at: point) == found, "seed \(seed), \(fix.at)")
      try #require(alone.state == asked.state, "seed \(seed), \(fix.at)")
    }
    #expect(together > 0, "seed \(seed)")
  }

  @Test func `silence of which nothing can come is not looked at, and nothing is missed`() throws {
    var (looks, all, found) = (0, 0, 0)
    for seed in 1...40 as ClosedRange<UInt64> {
      let (fixes, catalog) = world(seed: seed)
      for threshold in [0.02, 0.1, 0.32, 0.7] {
        var settings = ArrivalSettings()
        settings.weights.bias = -2
        settings.decision.threshold = threshold
        settings.decision.hold = .seconds(threshold < 0.3 ? 5 : 60)
        var sparing = ArrivalDetector(settings: settings, catalog: catalog)
        var tireless = ArrivalDetector(settings: settings, catalog: catalog)
        tireless.looksAtEveryTick = true
        for fix in fixes {
          let point = SurfacePoint(fix.coordinate)
          var (some, every): ([ArrivalFinding], [ArrivalFinding]) = ([], [])
          while let tick = sparing.nextInstant, tick <= fix.at {
            some += sparing.advance(to: tick)
            looks += 1
          }
          while let tick = tireless.nextInstant, tick <= fix.at {
            every += tireless.advance(to: tick)
            all += 1
          }
          some += sparing.observe(fix, at: point)
          every += tireless.observe(fix, at: point)
          try #require(some == every, "seed \(seed), threshold \(threshold), \(fix.at)")
          found += every.count
        }
      }
    }
    #expect(found > 1_000, "\(found)")
    #expect(looks * 2 < all, "\(looks) of \(all)")
  }

  @Test func `what cannot be probable enough is not looked at, and nothing is missed`() throws {
    var (some, none) = (0, 0)
    for seed in 1...20 as ClosedRange<UInt64> {
      let (fixes, catalog) = world(seed: seed)
      let place = Place(id: "home", name: "home", kind: .home, coordinate: fixes[0].coordinate)
      for bias in [-5.1, -2, 1] {
        var settings = ArrivalSettings()
        settings.weights.bias = bias
        var tracker = ArrivalTracker(settings: settings, catalog: catalog, places: [place])
        for fix in fixes where tracker.observe(fix, at: SurfacePoint(fix.coordinate)) {
          for seconds in [0, 40] as [Int64] {
            let now = fix.at + .seconds(seconds)
            for least in [0.02, 0.3, 0.9] {
              let all = tracker.chances(at: now, atLeast: least, tracker.look(at: now))
              let found = tracker.chances(at: now, atLeast: least)
              let areSame =
                found.map(\.candidate) == all.map(\.candidate)
                && found.map(\.probability) == all.map(\.probability)
                && found.map(\.probabilityWhileStaying) == all.map(\.probabilityWhileStaying)
              try #require(areSame, "seed \(seed), bias \(bias), \(now), least \(least)")
              if tracker.look(at: now, atLeast: least).isEmpty { none += 1 } else { some += 1 }
            }
          }
        }
      }
    }
    #expect(some > 10_000 && none > 10_000, "\(some) looked at, \(none) not")
  }

  @Test func `every number found is a number, and findings are in order of time`() throws {
    var looked = 0
    for seed in 1...40 as ClosedRange<UInt64> { looked += try checkNumbers(seed: seed) }
    #expect(looked > 10_000)
  }

  /// - Returns: how many candidates were looked at.
  private func checkNumbers(seed: UInt64) throws -> Int {
    let (fixes, catalog) = world(seed: seed)
    var tracker = ArrivalTracker(settings: ArrivalSettings(), catalog: catalog)
    var looked = 0
    for fix in fixes where tracker.observe(fix, at: SurfacePoint(fix.coordinate)) {
      let estimate = tracker.estimate
      let here = try #require(estimate, "seed \(seed)")
      try #require(here.x.isFinite && here.y.isFinite && here.z.isFinite, "seed \(seed)")
      for candidate in tracker.look(at: fix.at) {
        looked += 1
        let areNumbers = candidate.terms.values.allSatisfy { $0.isFinite }
        try #require(areNumbers, "seed \(seed): \(candidate)")
        try #require(candidate.distanceMeters.isFinite, "seed \(seed)")
      }
    }
    var detector = ArrivalDetector(settings: ArrivalSettings(), catalog: catalog)
    var last = fixes[0].at
    for fix in fixes {
      for finding in detector.observe(fix, at: SurfacePoint(fix.coordinate)) {
        switch finding {
        case .arrived(let arrival):
          try #require(arrival.at >= last, "seed \(seed)")
          try #require((0...1).contains(arrival.probability), "seed \(seed)")
          last = arrival.at
        case .wasThere(let at, _), .left(let at, _), .wentAway(let at, _), .steppedOut(let at),
          .cameBack(let at):
          try #require(at >= last, "seed \(seed)")
          last = at
        }
      }
    }
    return looked
  }

  /// What is large is shared by copies until one of them changes.
  @Test(arguments: 1...5) func `a copy knows nothing of what comes after it`(seed: UInt64) {
    let (fixes, catalog) = world(seed: seed)
    var tracker = ArrivalTracker(settings: ArrivalSettings(), catalog: catalog)
    for (i, fix) in fixes.prefix(400).enumerated() {
      let copy = tracker
      let state = tracker.state
      _ = tracker.observe(fix, at: SurfacePoint(fix.coordinate))
      #expect(copy.state == state, "seed \(seed), fix \(i)")
      var again = copy
      _ = again.observe(fix, at: SurfacePoint(fix.coordinate))
      #expect(again.state == tracker.state, "seed \(seed), fix \(i)")
    }
    #expect(tracker.state != ArrivalTracker.State())
  }

  @Test(arguments: 1...20) func `fixes within the circle of sleep can be left out`(
    seed: UInt64
  )
    throws
  {
    var random = SeededGenerator(seed: seed)
    let origin = Coordinate(uncheckedLatitude: 17.7, longitude: 179.99)
    let plane = LocalPlane(origin: origin)
    let catalog = POICatalog(
      (1...5)
        .map {
          PointOfInterest(
            sourceID: "node/\($0)",
            categories: [CategoryID("bank")],
            coordinate: plane.coordinate(eastMeters: Double($0) * 3_000, northMeters: 0)
          )
        }
    )
    var all = ArrivalDetector(settings: ArrivalSettings(), catalog: catalog)
    var some = ArrivalDetector(settings: ArrivalSettings(), catalog: catalog)
    var leftOut = 0
    var east = -5_000.0
    for second in 0..<3_000 {
      east += random.uniform(0...16)
      let fix = Fix(
        at: Timestamp(seconds: 1_767_600_000 + Int64(second)),
        coordinate: plane.coordinate(eastMeters: east, northMeters: random.uniform(-9...9)),
        horizontalAccuracyMeters: 8,
        speedMetersPerSecond: 8,
        courseDegrees: 90
      )
      let point = SurfacePoint(fix.coordinate)
      let expected = all.observe(fix, at: point)
      if let circle = some.calmWithin,
        point.chordSquared(to: circle.center) <= circle.radiusMeters * circle.radiusMeters
      {
        leftOut += 1
        try #require(expected.isEmpty, "seed \(seed)")
        continue
      }
      try #require(some.observe(fix, at: point) == expected, "seed \(seed)")
      try #require(some.state == all.state, "seed \(seed)")
    }
    #expect(leftOut > 1_000, "seed \(seed)")
  }

  @Test func `even odds are a probability of a half`() {
    #expect(probability(logOdds: 0) == 0.5)
  }
}
