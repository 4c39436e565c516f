import Fencing
import Geodesy
import NearMeEngine
import OutputLines
import Places
import Replay
import TestSupport
import Testing
import Timeline
import Traces

/// Regions that act before their boundary, for services that notice late.
@Suite struct AnticipationTests {
  private static let middle = Coordinate(uncheckedLatitude: 40, longitude: -75)

  private static func asked(_ kind: Region.Kind, radius: Double, from meters: Double) -> Double {
    Region(id: "r", center: middle, radiusMeters: radius, kind: kind)
      .anticipated(byMeters: 200, fromMeters: meters)
      .radiusMeters
  }

  @Test func `a circle is asked for so much earlier, but the phone stays on its side`() {
    #expect(Self.asked(.enter, radius: 150, from: 1_000) == 350)
    #expect(Self.asked(.enter, radius: 150, from: 300) == 290)
    #expect(Self.asked(.enter, radius: 150, from: 155) == 150)
    #expect(Self.asked(.exit, radius: 1_000, from: 100) == 800)
    #expect(Self.asked(.exit, radius: 1_000, from: 900) == 910)
    #expect(Self.asked(.exit, radius: 1_000, from: 995) == 1_000)
    #expect(Self.asked(.exit, radius: 150, from: 0) == 10)
    #expect(Self.asked(.safe, radius: 150, from: 0) == 150)
  }

  @Test func `nothing smaller is asked for than the service takes`() {
    for (kind, meters, asked) in [
      (Region.Kind.exit, 20.0, 100.0), (.exit, 120, 130), (.enter, 90, 150), (.enter, 200, 190),
    ] {
      let region = Region(id: "r", center: Self.middle, radiusMeters: 150, kind: kind)
        .anticipated(byMeters: 200, fromMeters: meters, atLeast: 100)
      #expect(region.radiusMeters == asked)
    }
  }

  /// Woken before the boundary, the engine asks again; so nothing is lost where the service is never
  /// late, and no fact is told before it is one.
  @Test func `anticipation loses nothing on an ideal service`() throws {
    var policy = Policy.measuring
    policy.monitor.anticipationMeters = 200
    var moves = 0
    for seed in UInt64(1)...400 {
      let world = RandomWorld(seed: seed)
      let catalog = POICatalog(world.pois)
      var oracle = try Oracle(
        places: world.places,
        reminders: world.reminders,
        pois: world.pois,
        policy: .measuring
      )
      for fix in world.fixes { oracle.consume(fix) }
      oracle.finish()
      let expected = oracle.moves.sorted(by: LosslessTests.inOrder)
      moves += expected.count
      for slots in [5, 20] {
        let run = try Run(
          world.fixes,
          places: world.places,
          reminders: world.reminders,
          catalog: catalog,
          policy: policy,
          slots: slots
        )
        let isEqual = run.moves.sorted(by: LosslessTests.inOrder) == expected
        #expect(isEqual, "seed \(seed), \(slots) slots")
        #expect(run.deadRegistrations == 0, "seed \(seed), \(slots) slots")
        #expect(run.summary.regionsHeldMost <= slots, "seed \(seed), \(slots) slots")
      }
    }
    #expect(moves > 3_000)
  }

  /// On a phone with a cushion and no latency, what is noticed late is noticed in time.
  @Test func `an iPhone with anticipation misses less`() throws {
    var missed = [0, 0]
    var expected = 0
    for seed in UInt64(1)...150 {
      let world = RandomWorld(seed: seed)
      let catalog = POICatalog(world.pois)
      var oracle = try Oracle(
        places: world.places,
        reminders: world.reminders,
        pois: world.pois,
        policy: .measuring
      )
      for fix in world.fixes { oracle.consume(fix) }
      oracle.finish()
      expected += oracle.moves.count
      for (i, monitor) in [Policy.Monitor(), .ios].enumerated() {
        var policy = Policy.measuring
        policy.monitor = monitor
        let setup = ReplaySetup(
          policy: policy,
          catalog: catalog,
          service: .phone(.ios, slots: 20, seed: seed)
        )
        var session = try setup.session(
          for: Person(places: world.places, reminders: world.reminders)
        )
        var found: [String: Int] = [:]
        func keep(_ lines: [ReplayLine]) {
          for case .transition(let t) in lines where t.kind != .dwell {
            found["\(t.reminder) \(t.step.name) \(t.kind.rawValue)", default: 0] += 1
          }
        }
        for fix in world.fixes { keep(try session.consume(fix)) }
        keep(try session.finish())
        for move in oracle.moves {
          let key = "\(move.reminder) \(move.tier) \(move.kind.rawValue)"
          if found[key, default: 0] > 0 { found[key, default: 0] -= 1 } else { missed[i] += 1 }
        }
        #expect(session.summary.regionsHeldMost <= 20)
        #expect(session.summary.regionsRefused == 0)
      }
    }
    #expect(expected > 1_500)
    #expect(missed[1] < missed[0], "\(missed) of \(expected)")
  }
}
