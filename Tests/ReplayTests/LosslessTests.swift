import Fencing
import NearMeEngine
import OutputLines
import Places
import Replay
import TestSupport
import Testing
import Timeline
import Traces

/// Runs a trace through the engine and keeps what the property needs.
struct Run {
  var moves: [Move] = []
  var notifications: [ReminderNotification] = []
  var summary = ReplaySummary()
  var deadRegistrations = 0
  var violations: [CertificateCheck.Violation] = []

  init(
    _ fixes: [Fix],
    places: [Place],
    reminders: [Reminder],
    catalog: POICatalog,
    policy: Policy = .measuring,
    slots: Int?,
    everyFix: Bool = false,
    checksCertificates: Bool = false
  ) throws {
    let setup = ReplaySetup(
      policy: policy,
      catalog: catalog,
      service: everyFix ? .stream : .ideal(slots: slots)
    )
    var session = try setup.session(
      for: Person(places: places, reminders: reminders),
      checksCertificates: checksCertificates && !everyFix
    )
    for fix in fixes { keep(try session.consume(fix)) }
    keep(try session.finish())
    summary = session.summary
    violations = session.violations.map(\.1)
    deadRegistrations = session.twin?.deadRegistrations ?? 0
  }

  private mutating func keep(_ lines: [ReplayLine]) {
    for line in lines {
      switch line {
      case .transition(let t) where t.kind != .dwell:
        moves.append(Move(at: t.at, reminder: t.reminder, tier: t.step.name, kind: t.kind))
      case .notification(let notification, _): notifications.append(notification)
      default: break
      }
    }
  }
}

@Suite struct LosslessTests {
  /// The promise of the planner: a sleeping app with 20, 5 or 3 regions sees what an unlimited
  /// monitor sees, and so does an engine that is given every fix.
  ///
  /// Ten thousand worlds, in chunks that run side by side; most are small, so that it takes a minute.
  @Test(arguments: 0..<20)
  func `CTX-1.8, CTX-2.1: regions miss nothing in random worlds`(_ chunk: Int) throws {
    var moves = 0
    var comparedWithEveryFix = 0
    var comparedAsleep = 0
    for seed in UInt64(chunk * 500 + 1)...UInt64(chunk * 500 + 500) {
      let world = RandomWorld(seed: seed, isSmall: seed % 10 != 0)
      let catalog = POICatalog(world.pois)
      var oracle = try Oracle(
        places: world.places,
        reminders: world.reminders,
        pois: world.pois,
        policy: .measuring
      )
      for fix in world.fixes { oracle.consume(fix) }
      oracle.finish()
      let expected = oracle.moves.sorted(by: Self.inOrder)
      moves += expected.count
      var texts: [[String]] = []
      for (slots, everyFix) in [(20, false), (5, false), (3, false), (nil, false), (nil, true)] {
        let run = try Run(
          world.fixes,
          places: world.places,
          reminders: world.reminders,
          catalog: catalog,
          slots: slots,
          everyFix: everyFix,
          checksCertificates: seed % 50 == 0
        )
        let name = everyFix ? "every fix" : slots.map { "\($0) slots" } ?? "no limit"
        let found = run.moves.sorted(by: Self.inOrder)
        let missed = Set(expected).subtracting(found).sorted(by: Self.inOrder)
        let spurious = Set(found).subtracting(expected).sorted(by: Self.inOrder)
        let isEqual = found == expected
        #expect(
          isEqual,
          "seed \(seed), \(name): missed \(missed.prefix(3)), spurious \(spurious.prefix(3))"
        )
        #expect(run.summary.regionsHeldMost <= slots ?? .max, "seed \(seed), \(name)")
        #expect(run.deadRegistrations == 0, "seed \(seed), \(name)")
        #expect(run.violations.isEmpty, "seed \(seed), \(name): \(run.violations.prefix(3))")
        // What waited speaks of where one was last seen: a sleeping app knows that by its wakes, and with other
        // regions it has others.
        if !run.summary.deferred.isEmpty { continue }
        if everyFix { comparedWithEveryFix += 1 }
        texts.append(run.notifications.map { "\($0.at.milliseconds) \($0.id) \($0.text)" })
      }
      comparedAsleep += max(0, texts.count - 1)
      for other in texts.dropFirst() {
        let isEqual = other == texts[0]
        let difference = zip(other, texts[0]).first { $0 != $1 }
        #expect(
          isEqual,
          "seed \(seed): notifications differ, first \(String(describing: difference))"
        )
      }
    }
    // The worlds must be worth the name.
    #expect(moves > 1_000)
    #expect(comparedWithEveryFix > 100 && comparedAsleep > 300)
  }

  static func inOrder(_ a: Move, _ b: Move) -> Bool {
    (a.at, a.reminder, a.tier, a.kind.rawValue) < (b.at, b.reminder, b.tier, b.kind.rawValue)
  }
}
