import Arrivals
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

/// Arrivals that are decided from a recording, against those of a detector.
@Suite struct PlaybackTests {
  private static func decisions(_ random: inout SeededGenerator) -> DecisionSettings {
    var decision = DecisionSettings()
    decision.threshold = [0.02, 0.15, 0.32, 0.6, 0.995][random.integer(0...4)]
    decision.hold = .seconds([0, 15, 60, 180][random.integer(0...3)])
    decision.rearmMeters = [1.0, 40, 90, 2_000][random.integer(0...3)]
    decision.nextPlaceMargin = [0.0, 0.15, 0.9][random.integer(0...2)]
    decision.nextPlaceAfter = .seconds([0, 60, 180][random.integer(0...2)])
    decision.nextPlaceMeters = [0.0, 10, 60][random.integer(0...2)]
    return decision
  }

  private static func believed(_ fixes: [Fix], _ settings: FixGateSettings) -> [Fix] {
    var gate = FixGate()
    return fixes.filter { gate.refuse($0, at: SurfacePoint($0.coordinate), settings) == nil }
  }

  @Test func `a recording gives the lines and the wakes that a detector gives`() throws {
    var (arrivals, exact, fixes) = (0, 0, 0)
    for seed in UInt64(1)...200 {
      var random = SeededGenerator(seed: seed)
      let world = RandomWorld(seed: seed)
      let catalog = POICatalog(world.pois)
      var policies: [Policy] = []
      for _ in 0..<4 {
        var policy = Policy()
        policy.arrival.weights.bias = -2
        policy.arrival.places.footprintDeviationMeters = 10 + Double(seed % 3) * 20
        policy.arrival.decision = Self.decisions(&random)
        policies.append(policy)
      }
      let recording = ArrivalRecording(
        settings: policies[0].arrival,
        catalog: catalog,
        places: world.places,
        for: policies.map(\.arrival.decision),
        fixes: Self.believed(world.fixes, policies[0].gate)
      )
      let actions = try Self.actions(&random, world)
      for (number, policy) in policies.enumerated() {
        let setup = ReplaySetup(policy: policy, catalog: catalog, service: .stream)
        let person = Person(places: world.places, reminders: world.reminders, actions: actions)
        let plain = try setup.session(for: person)
        let played = try setup.session(for: person, arrivals: recording)
        let lines = try Self.oneByOne(world.fixes, plain)
        let same = try Self.oneByOne(world.fixes, played)
        let (fast, rested) = try Self.byColumns(world.fixes, played)
        // Not in the expectation, which would describe thousands of lines.
        let (isSame, isSameFast) = (same == lines, fast == lines)
        #expect(isSame, "seed \(seed), policy \(number), one by one: \(same.first(not: lines))")
        #expect(isSameFast, "seed \(seed), policy \(number), by columns: \(fast.first(not: lines))")
        arrivals += lines.lines.count { line in
          if case .transition(let transition) = line {
            transition.kind == .enter && transition.tier == .arrival
          } else {
            false
          }
        }
        exact += world.fixes.count - rested
        fixes += world.fixes.count
      }
    }
    // Something must have been decided, and most fixes taken in without a look.
    #expect(arrivals > 1_000, "\(arrivals)")
    #expect(exact < fixes / 2 && exact > fixes / 100, "\(exact) of \(fixes)")
  }

  @Test func `settings that see something else are not served`() {
    let recording = ArrivalRecording(
      settings: ArrivalSettings(),
      catalog: .empty,
      places: [],
      for: [DecisionSettings()],
      fixes: []
    )
    var other = ArrivalSettings()
    #expect(recording.serves(other))
    other.decision.threshold += 0.1
    other.decision.hold = .seconds(5)
    other.decision.rearmMeters = 5
    other.decision.nextPlaceAfter = .seconds(5)
    other.decision.nextPlaceMeters = 5
    other.decision.nextPlaceMargin = 0.01
    #expect(recording.serves(other))
    other.decision.threshold = 0.05
    #expect(!recording.serves(other))
    other = ArrivalSettings()
    other.decision.ticksSeconds = [60]
    #expect(!recording.serves(other))
    other = ArrivalSettings()
    other.decision.leastMotionSeconds = 5
    #expect(!recording.serves(other))
    other = ArrivalSettings()
    other.weights.place += 0.01
    #expect(!recording.serves(other))
  }

  // MARK: -

  private struct Outcome: Equatable {
    var lines: [ReplayLine]
    var summary: ReplaySummary

    func first(not other: Outcome) -> String {
      let pair = zip(lines, other.lines).first { $0 != $1 }
      return pair.map { "\($0) and not \($1)" } ?? "\(lines.count) lines, not \(other.lines.count)"
    }
  }

  private static func actions(
    _ random: inout SeededGenerator,
    _ world: RandomWorld
  ) throws -> [ReplayAction] {
    let first = try #require(world.fixes.first).at
    let span = max(1, (world.fixes[world.fixes.count - 1].at - first).value)
    var actions: [ReplayAction] = []
    for _ in 0..<random.integer(0...2) {
      let reminder = world.reminders[random.integer(0...(world.reminders.count - 1))].id
      let answers: [ReminderAction] = [.complete, .snoozeFor(.minutes(20)), .mute, .dismiss]
      let answer = answers[random.integer(0...3)]
      let at = first + Milliseconds(Int64(random.unit() * Double(span)))
      actions.append(ReplayAction(at: at, .reminder(reminder, answer)))
    }
    return actions
  }

  private static func oneByOne(_ fixes: [Fix], _ session: ReplaySession) throws -> Outcome {
    var session = session
    var lines: [ReplayLine] = []
    for fix in fixes { lines += try session.consume(fix) }
    lines += try session.finish()
    return Outcome(lines: lines, summary: session.summary)
  }

  private static func byColumns(
    _ fixes: [Fix],
    _ session: ReplaySession
  ) throws -> (Outcome, rested: Int) {
    var session = session
    var lines: [ReplayLine] = []
    try session.consume(FixColumns(fixes)) { new, _ in lines += new }
    lines += try session.finish()
    let rested = fixes.count - session.exactFixes
    return (Outcome(lines: lines, summary: session.summary), rested)
  }
}
