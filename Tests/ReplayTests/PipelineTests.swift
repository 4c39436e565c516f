import Fencing
import NearMeEngine
import Places
import TestSupport
import Testing
import Timeline
import Traces

/// What holds whatever happens, over random worlds with random users.
@Suite struct PipelineTests {
  private static let quiet = DailyWindow(startMinute: 600, endMinute: 720)

  @Test func `every transition ends in one decision, and who must be silent is`() throws {
    var transitions = 0
    var notifications = 0
    for seed in UInt64(1)...400 {
      let world = RandomWorld(seed: seed)
      var random = SeededGenerator(seed: seed &* 31)
      var policy = Policy.measuring
      if seed % 2 == 0 { policy.quietHours = Self.quiet }
      if seed % 5 == 0 { policy.tiers.fenceSemantics = .perPOI }
      var engine = Engine(
        policy: policy,
        zone: .utc,
        catalog: POICatalog(world.pois),
        monitoring: .everyFix
      )
      try engine.load(
        places: world.places,
        reminders: world.reminders,
        entitlement: seed % 7 == 0 ? .free : .premium
      )
      var audit = Audit(seed: seed, hasQuietHours: seed % 2 == 0)
      for fix in world.fixes {
        while let due = engine.state.nextTimer, due <= fix.at {
          audit.note(engine.handle(Event(at: due, .timer)))
        }
        audit.note(engine.handle(Event(at: fix.at, .fix(fix))))
        guard random.integer(0...30) == 0 else { continue }
        let id = world.reminders[random.integer(0...(world.reminders.count - 1))].id
        let kind: Event.Kind =
          switch random.integer(0...8) {
          case 0: .focus(true)
          case 1, 2: .focus(false)
          case 3: .reminderDeleted(id)
          case 4: .action(reminder: id, .complete)
          case 5: .action(reminder: id, .mute)
          case 6: .action(reminder: id, .unmute)
          case 7: .action(reminder: id, .snoozeFor(.minutes(Int64(random.integer(1...60)))))
          default: .action(reminder: id, .snoozeUntilNextArrival)
          }
        audit.user(did: kind, engine.handle(Event(at: fix.at, kind)))
      }
      audit.check(waiting: engine.state.waitingCount)
      transitions += audit.transitionCount
      notifications += audit.notificationCount
    }
    #expect(transitions > 10_000)
    #expect(notifications > 2_000)
  }

  /// Keeps count of what an engine says.
  private struct Audit {
    let seed: UInt64
    let hasQuietHours: Bool
    private(set) var transitionCount = 0
    private(set) var notificationCount = 0
    private var open: [String: Int] = [:]
    private var silenced: [String] = []
    private var isFocusOn = false

    init(seed: UInt64, hasQuietHours: Bool) {
      self.seed = seed
      self.hasQuietHours = hasQuietHours
    }

    mutating func user(did kind: Event.Kind, _ effects: [Effect]) {
      switch kind {
      case .focus(let isOn): isFocusOn = isOn
      case .reminderDeleted(let id), .action(let id, .complete), .action(let id, .mute):
        // Unmuting what was deleted or completed before brings nothing back.
        if !silenced.contains(id) { silenced.append(id) }
        if kind != .action(reminder: id, .mute) { silenced.append("for good: " + id) }
      case .action(let id, .unmute):
        if !silenced.contains("for good: " + id) { silenced.removeAll { $0 == id } }
      default: break
      }
      note(effects)
    }

    mutating func note(_ effects: [Effect]) {
      for effect in effects {
        switch effect {
        case .record(.transition(let t)):
          transitionCount += 1
          open["\(t.reminder) \(t.step.name)", default: 0] += 1
        case .record(.decision(let d)):
          if case .deferred = d.outcome { continue }
          let key = "\(d.reminder) \(d.step.name)"
          open[key, default: 0] -= 1
          if open[key, default: 0] < 0 { Issue.record("seed \(seed): \(key) decided twice") }
        case .post(let n), .replace(let n), .record(.presented(let n)):
          notificationCount += 1
          for member in n.members where silenced.contains(member.reminder) {
            Issue.record("seed \(seed): \(member.reminder) speaks though it must not: \(n.text)")
          }
          let minute = UTCOffsetTable.utc.local(at: n.at).minuteOfDay
          if hasQuietHours, quiet.contains(minuteOfDay: minute) {
            Issue.record("seed \(seed): heard in quiet hours at \(RFC3339.format(n.at))")
          }
          if isFocusOn, case .post = effect {
            Issue.record("seed \(seed): heard during a focus: \(n.text)")
          }
        default: break
        }
      }
    }

    func check(waiting: Int) {
      let undecided = open.values.reduce(0, +)
      #expect(undecided == waiting, "seed \(seed)")
    }
  }
}
