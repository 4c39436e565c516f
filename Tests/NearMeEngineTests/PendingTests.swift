import NearMeEngine
import Places
import Recurrence
import TestSupport
import Testing
import Timeline

/// The system shows only so many notifications by itself: what it has no room for is heard all the same.
@Suite struct PendingTests {
  private static let start = Timestamp(seconds: 1_767_600_000)
  private static let end = start + .minutes(4 * 24 * 60)

  /// A line that was heard: whose, about what, and when.
  private struct Heard: Hashable, Comparable, CustomStringConvertible {
    let at: Timestamp
    let reminder: String
    let step: String

    static func < (a: Heard, b: Heard) -> Bool {
      (a.at, a.reminder, a.step) < (b.at, b.reminder, b.step)
    }
    var description: String { "\(RFC3339.format(at)) \(reminder) \(step)" }
  }

  private static func reminders(_ random: inout SeededGenerator) throws -> [Reminder] {
    let rules = [
      "FREQ=DAILY", "FREQ=DAILY;INTERVAL=2", "FREQ=HOURLY;INTERVAL=5", "FREQ=WEEKLY;BYDAY=MO,WE",
      "FREQ=MINUTELY;INTERVAL=100;COUNT=20", "FREQ=DAILY;BYHOUR=9,12,15", "FREQ=DAILY;COUNT=2",
    ]
    return try (0..<random.integer(2...9))
      .map { number in
        let day = 5 + random.integer(0...2)
        let (hour, minute) = (random.integer(8...23), random.integer(0...59))
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let written = "2026-01-\(two(day))T\(two(hour)):\(two(minute))"
        let rule =
          random.integer(0...3) == 0 ? nil : rules[random.integer(0...(rules.count - 1))]
        var reminder = Reminder(
          id: "r\(number)",
          title: "x",
          triggers: [
            .schedule(
              Schedule(
                start: try #require(WrittenTime(written)),
                rule: try rule.map { try RecurrenceRule($0) },
                leads: random.integer(0...3) == 0 ? [.minutes(15)] : []
              )
            )
          ]
        )
        if random.integer(0...4) == 0 {
          reminder.nag = Reminder.Nag(every: .minutes(20), atMost: 2)
        }
        return reminder
      }
  }

  private static func engine(_ reminders: [Reminder], mostPending: Int) throws -> Engine {
    var policy = Policy()
    policy.schedules.mostPending = mostPending
    // Each is a notification of its own: what is compared is when lines are heard.
    policy.bundle.window = .seconds(0)
    var engine = Engine(policy: policy, zone: .utc, catalog: .empty, monitoring: .everyFix)
    try engine.load(places: [], reminders: reminders)
    return engine
  }

  private static func heard(_ effects: [Effect]) -> [Heard] {
    effects.flatMap { effect -> [Heard] in
      switch effect {
      case .post(let n), .record(.presented(let n)):
        n.members.map { Heard(at: n.at, reminder: $0.reminder, step: $0.step.name) }
      default: []
      }
    }
  }

  /// Of some reminders only what was heard for the first time; of the others everything.
  private static func first(_ heard: [Heard], of nagging: Set<String>) -> [Heard] {
    var known: Set<String> = []
    return heard.filter {
      !nagging.contains($0.reminder) || known.insert("\($0.reminder) \($0.step)").inserted
    }
  }

  /// What is heard where every timer comes, and there is room for everything.
  private static func unlimited(_ reminders: [Reminder]) throws -> [Heard] {
    var engine = try engine(reminders, mostPending: 250)
    var all = heard(engine.handle(Event(at: start, .launched)))
    while let due = engine.nextTimer, due <= end {
      all += heard(engine.handle(Event(at: due, .timer)))
    }
    return (all + heard(engine.handle(Event(at: end, .timer)))).sorted()
  }

  /// What is heard where the app is woken at random, before the last of what the system holds.
  private static func limited(
    _ reminders: [Reminder],
    mostPending: Int,
    _ random: inout SeededGenerator
  ) throws -> (heard: [Heard], leftOut: Int) {
    var engine = try engine(reminders, mostPending: mostPending)
    var pending: [String: Timestamp] = [:]
    var all: [Heard] = []
    var leftOut = 0
    func note(_ effects: [Effect], at now: Timestamp) {
      all += heard(effects)
      for effect in effects {
        switch effect {
        case .schedule(let notification, let at): pending[notification.id] = at
        case .unschedule(let id): pending[id] = nil
        case .record(.schedulesLeftOut): leftOut += 1
        default: break
        }
      }
      pending = pending.filter { $0.value > now }
      #expect(pending.count <= mostPending)
    }
    var now = start
    note(engine.handle(Event(at: now, .launched)), at: now)
    while now < end {
      let last = pending.values.max() ?? end
      let span = last - now
      // In time is before the last one that is held is shown.
      let step = Milliseconds(max(1, Int64(Double(span.value) * random.uniform(0.05...0.999))))
      now = min(now + step, end)
      note(engine.handle(Event(at: now, .launched)), at: now)
    }
    return (all.sorted(), leftOut)
  }

  @Test
  func
    `what the system has no room for is heard at its time, as long as the app wakes before the last it holds`()
    throws
  {
    var lines = 0
    var leftOut = 0
    for seed in UInt64(1)...200 {
      var random = SeededGenerator(seed: seed)
      let reminders = try Self.reminders(&random)
      let mostPending = random.integer(2...7)
      // What is told again unanswered gives way to what is told for the first time.
      let nagging = Set(reminders.lazy.filter { $0.nag != nil }.map(\.id))
      let whole = Self.first(try Self.unlimited(reminders), of: nagging)
      let (all, full) = try Self.limited(reminders, mostPending: mostPending, &random)
      let few = Self.first(all, of: nagging)
      if few != whole {
        let missed = whole.filter { !few.contains($0) }
        let added = few.filter { !whole.contains($0) }
        Issue.record(
          "seed \(seed), room for \(mostPending): missed \(missed.prefix(3)), besides \(added.prefix(3))"
        )
      }
      lines += whole.count
      leftOut += full
    }
    print("200 random lists: \(lines) lines heard, \(leftOut) times some had no room")
    #expect(lines > 5_000)
    #expect(leftOut > 100)
  }

  /// Seven with ten questions each, ten minutes apart, and one in the evening.
  @Test func `what is asked again leaves room for what is told the first time`() throws {
    func due(_ id: String, _ time: String) throws -> Reminder {
      let schedule = Schedule(start: try #require(WrittenTime(time)))
      return Reminder(id: id, title: id, triggers: [.schedule(schedule)])
    }
    let pills = try (0..<7)
      .map { number in
        var pill = try due("pill\(number)", "2026-01-05T08:3\(number)")
        pill.nag = Reminder.Nag(every: .minutes(10), atMost: 10)
        return pill
      }
    var engine = try Self.engine(
      pills + [try due("insulin", "2026-01-05T20:00")],
      mostPending: 64
    )
    let effects = engine.handle(Event(at: Self.start, .launched))
    let held = effects.compactMap {
      if case .schedule(let news, _) = $0 { news.members.map(\.reminder) } else { nil }
    }
    #expect(held.joined().count { $0 == "insulin" } == 1)
    // Each is asked seven times after the first, and one of them an eighth time.
    for number in 0..<7 { #expect((8...9).contains(held.joined().count { $0 == "pill\(number)" })) }
    #expect(held.joined().count == 64)
  }

  /// What waits is told as soon as its reason ends, though the system would tell it later by itself, and only once.
  @Test(arguments: [64, 0])
  func `a reason that ends early is heeded at once`(mostPending: Int) throws {
    var pills = Reminder(id: "pills", title: "take the pills", triggers: [])
    pills.triggers = [.schedule(Schedule(start: try #require(WrittenTime("2026-01-05T08:30"))))]
    var backup = Reminder(id: "backup", title: "back up the phone", triggers: pills.triggers)
    let evening = try #require(
      WeeklyWindow(days: Weekday.allCases, startMinute: 20 * 60, endMinute: 22 * 60)
    )
    backup.conditions = [.any([.window(evening), .signal("charging", is: "on")])]
    var scene = try Scene([pills, backup]) { $0.schedules.mostPending = mostPending }
    scene.act("pills", .snoozeFor(.minutes(60)), minute: 31)
    #expect(scene.heard().count == 1)
    scene.act("pills", .reopen, minute: 40)
    scene.send(.signal(Signal(name: "charging", id: "1", level: "on")), minute: 240)
    scene.wait(until: 24 * 60)
    #expect(
      scene.heard().map { String($0.prefix { $0 != " " }) } == ["40.00", "240.00"]
    )
  }
}
