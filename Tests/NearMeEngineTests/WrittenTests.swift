import Basics
import NearMeEngine
import Places
import Recurrence
import Testing
import Timeline

/// What the user writes while no host runs: it counts from when it was written, and is taken in at once.
@Suite struct WrittenTests {
  private static func reminder(
    _ id: String,
    at start: String,
    rule: String? = nil,
    leads: [Milliseconds] = []
  ) throws -> Reminder {
    let schedule = Schedule(
      start: try #require(WrittenTime(start)),
      rule: try rule.map { try RecurrenceRule($0) },
      leads: leads
    )
    return Reminder(id: id, title: "do \(id)", triggers: [.schedule(schedule)])
  }

  @Test func `a series begins when it was made, and not when a host hears of it`() throws {
    var scene = try Scene([])
    let daily = try Self.reminder("a", at: "2026-01-05T08:30", rule: "FREQ=DAILY")
    scene.send(.reminderSaved(daily), minute: 75, madeAt: 20)
    scene.wait(until: 1_500)
    #expect(scene.heard().map { $0.prefix { $0 != " " } } == ["75.00", "1470.00"])
  }

  @Test func `what was answered elsewhere does not come again`() throws {
    let daily = try Self.reminder("a", at: "2026-01-05T08:30", rule: "FREQ=DAILY")
    var scene = try Scene([])
    let answer = ReminderAnswer(due: scene.instant(30), at: scene.instant(1))
    let written = [
      Event(at: scene.instant(5), .reminderSaved(daily)),
      Event(at: scene.instant(5), .reminderAnswered("a", answer)),
      Event(at: scene.instant(5), .reminderAnswered("nobody", answer)),
    ]
    scene.send(.written(written), minute: 40)
    scene.wait(until: 1_500)
    #expect(scene.heard().map { $0.prefix { $0 != " " } } == ["1470.00"])
    // What is no time of it changes nothing.
    let other = ReminderAnswer(due: scene.instant(2_911), at: scene.instant(1))
    scene.send(.reminderAnswered("a", other), minute: 1_501)
    scene.wait(until: 3_000)
    #expect(scene.heard().map { $0.prefix { $0 != " " } } == ["2910.00"])
  }

  @Test func `what had passed when a series was made is not told`() throws {
    var scene = try Scene([])
    let daily = try Self.reminder("a", at: "2026-01-05T08:10", rule: "FREQ=DAILY")
    scene.send(.reminderSaved(daily), minute: 75, madeAt: 20)
    scene.wait(until: 1_500)
    #expect(scene.heard().map { $0.prefix { $0 != " " } } == ["1450.00"])
  }

  @Test func `a lead that passed meanwhile is told with what is left`() throws {
    var scene = try Scene([])
    let lunch = try Self.reminder("a", at: "2026-01-05T12:00", leads: [.minutes(180)])
    scene.send(.launched, minute: 115)
    scene.send(.reminderSaved(lunch), minute: 115, madeAt: 20)
    let heard = scene.heard()
    #expect(heard.count == 1)
    #expect(heard.first?.contains("2 hours") == true, "\(heard)")
  }

  /// So it is of `nearme signal` while no `nearme run` runs, and of what a phone had kept.
  @Test(arguments: [
    (3.0, ["60.00 n1: Don't forget: call Ann."]), (14.5, ["60.00 n1: Still open: call Ann."]),
    (16.0, []),
  ])
  func `what the phone said long ago is no news`(_ ago: Double, _ heard: [String]) throws {
    let call = Reminder(id: "call", title: "call Ann", triggers: [.signal("car", to: "on")])
    var scene = try Scene([call])
    scene.send(
      .signal(Signal(name: "car", id: "1", level: "on")),
      minute: 60,
      madeAt: 60 - ago
    )
    #expect(scene.heard() == heard)
    let isStale = scene.log.contains { $0.contains("suppressed stale") }
    #expect(isStale == heard.isEmpty, "\(scene.log)")
    // The phone is what it said, whenever it said so.
    scene.send(.signal(Signal(name: "car", id: "2", level: "on")), minute: 61)
    #expect(scene.heard() == [])
  }

  @Test func `what waits for a host keeps when the phone said it`() {
    let early = Event(at: Scene.start, .signal(Signal(name: "car", id: "1")))
    let late = Scene.start + .minutes(5)
    #expect(
      Event.together([early], at: { _ in late }) == [
        Event(at: late, early.kind, madeAt: early.at)
      ]
    )
    #expect(Event.together([early], at: { $0.at }) == [early])
  }

  @Test func `what became due at one time meanwhile is told once`() throws {
    var scene = try Scene([])
    let late = try ["a", "b", "c"]
      .map { id in
        Event(at: scene.instant(1), .reminderSaved(try Self.reminder(id, at: "2026-01-05T08:10")))
      }
    scene.send(.written(late), minute: 60)
    let posts = scene.effects.compactMap { effect -> [String]? in
      if case .post(let notification) = effect { notification.members.map(\.reminder) } else { nil }
    }
    #expect(posts == [["a", "b", "c"]])
    #expect(!scene.effects.contains { if case .replace = $0 { true } else { false } })
    #expect(scene.engine.violations() == [])
  }

  @Test func `a thing that is written and changed leaves what the last word was`() throws {
    var scene = try Scene([])
    scene.send(
      .written([
        Event(at: scene.instant(1), .reminderSaved(try Self.reminder("a", at: "2026-01-05T09:00"))),
        Event(at: scene.instant(2), .reminderSaved(try Self.reminder("b", at: "2026-01-05T09:00"))),
        Event(at: scene.instant(3), .action(reminder: "b", .mute)),
        Event(at: scene.instant(4), .reminderSaved(try Self.reminder("a", at: "2026-01-05T10:00"))),
        Event(at: scene.instant(5), .reminderSaved(try Self.reminder("c", at: "2026-01-05T11:00"))),
        Event(at: scene.instant(6), .reminderDeleted("c")),
      ]),
      minute: 10
    )
    scene.wait(until: 300)
    #expect(scene.heard().map { $0.prefix { $0 != " " } } == ["120.00"])
  }

  /// At one instant, with nothing due, it is the same whether it comes at once or one by one.
  @Test(arguments: 0..<40)
  func `at once is as one by one`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var edits: [Event.Kind] = []
    for _ in 0..<12 {
      let id = String("abcdef".randomElement(using: &random) ?? "a")
      switch Int.random(in: 0..<6, using: &random) {
      case 0: edits.append(.reminderDeleted(id))
      case 1: edits.append(.action(reminder: id, Bool.random(using: &random) ? .mute : .unmute))
      case 2:
        let target = Reminder.Target.category(CategoryID("grocery"))
        edits.append(.reminderSaved(Reminder(id: id, title: id, triggers: [.place(target)])))
      default:
        let day = Int.random(in: 10...28, using: &random)
        edits.append(
          .reminderSaved(
            try Self.reminder(
              id,
              at: "2026-01-\(day)T09:00",
              rule: Bool.random(using: &random) ? "FREQ=WEEKLY" : nil
            )
          )
        )
      }
    }
    var (atOnce, oneByOne) = (try Scene([]), try Scene([]))
    atOnce.send(.written(edits.map { Event(at: atOnce.instant(5), $0) }), minute: 5)
    for edit in edits { oneByOne.send(edit, minute: 5) }
    #expect(
      atOnce.engine.state.currentReminders == oneByOne.engine.state.currentReminders,
      "seed \(seed)"
    )
    // Notifications have other numbers, and say the same at the same time.
    atOnce.wait(until: 40 * 1_440)
    oneByOne.wait(until: 40 * 1_440)
    func words(_ heard: [String]) -> [String] {
      heard.map { line in
        line.split(separator: " ").enumerated().filter { $0.offset != 1 }.map(\.element)
          .joined(separator: " ")
      }
    }
    #expect(words(atOnce.heard()) == words(oneByOne.heard()), "seed \(seed)")
  }
}
