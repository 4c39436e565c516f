import Fencing
import Foundation
import NearMeEngine
import Places
import Recurrence
import Testing
import Timeline

/// Conditions: what waits for them, what is over before they hold; and leaving as a reason to speak.
@Suite struct ConditionTests {
  private static func call(
    _ conditions: Condition...,
    persistence: Reminder.Persistence? = nil
  )
    -> Reminder
  {
    Reminder(
      id: "call",
      title: "call Ann",
      triggers: [.signal("unlock")],
      conditions: conditions,
      persistence: persistence
    )
  }

  private static func unlock(_ id: String) -> Event.Kind {
    .signal(Signal(name: "unlock", id: id))
  }

  private static func level(_ name: String, _ level: String, _ id: String) -> Event.Kind {
    .signal(Signal(name: name, id: id, level: level))
  }

  private func decisions(_ scene: Scene) -> [String] {
    scene.effects.compactMap { effect in
      guard case .record(.decision(let decision)) = effect else { return nil }
      switch decision.outcome {
      case .delivered: return "delivered"
      case .deferred(let silence, _): return "waits \(silence.rawValue)"
      case .suppressed(let silence): return "not said \(silence.rawValue)"
      }
    }
  }

  @Test func `a moment at which a level is wrong is not told later`() throws {
    var scene = try Scene([Self.call(.signal("connectivity", is: "online"))])
    scene.send(Self.unlock("1"), minute: 1)
    scene.send(Self.level("connectivity", "online", "2"), minute: 2)
    scene.send(Self.unlock("3"), minute: 3)
    #expect(decisions(scene) == ["not said signal_level", "delivered"])
    let asked = scene.effects.compactMap { if case .listen(let names) = $0 { names } else { nil } }
    #expect(asked == [["connectivity", "unlock"]])
  }

  @Test func `a time that has come waits for a level, and is told when it is right`() throws {
    var bins = Reminder(
      id: "bins",
      title: "take out the bins",
      triggers: [.schedule(.local(CivilDate(daysSinceEpoch: 20_458), minuteOfDay: 8 * 60 + 30))],
      conditions: [.signal("charging", is: "true")]
    )
    for lasting in [false, true] {
      if lasting { bins.conditions = [.lasting(bins.conditions[0], for: .minutes(10))] }
      var scene = try Scene([bins])
      scene.wait(until: 60)
      #expect(scene.heard() == [])
      scene.send(Self.level("charging", "charging", "1"), minute: 61)
      scene.send(Self.level("charging", "full", "2"), minute: 64)
      scene.wait(until: 200)
      let minute = lasting ? "71.00" : "61.00"
      #expect(scene.heard() == ["\(minute) n1: Take out the bins."])
      #expect(scene.engine.violations() == [])
    }
  }

  @Test func `CTX-1.4, CTX-7.2b: plugging in is one moment, however full the battery is`() throws {
    let once = Reminder(id: "a", title: "x", triggers: [.signal("charging")])
    let full = Reminder(id: "b", title: "y", triggers: [.signal("charging", to: "full")])
    let off = Reminder(
      id: "c",
      title: "z",
      triggers: [.signal("charging", from: "full", to: "unplugged")]
    )
    var scene = try Scene([once, full, off])
    for (i, level) in ["unplugged", "charging", "full", "charging", "full", "unplugged"]
      .enumerated()
    {
      scene.send(Self.level("charging", level, "\(i)"), minute: Double(i) * 2 + 1)
    }
    #expect(
      scene.heard().map { String($0.suffix(2)) } == ["x.", "y.", "y.", "z."]
    )
  }

  @Test func `all, any and not say when they can hold at the earliest`() throws {
    let morning = try #require(WeeklyWindow(startMinute: 9 * 60, endMinute: 10 * 60))
    let late = try #require(WeeklyWindow(startMinute: 11 * 60, endMinute: 12 * 60))
    func told(_ conditions: [Condition]) throws -> [String] {
      var scene = try Scene([
        Reminder(
          id: "bins",
          title: "x",
          triggers: [
            .schedule(.local(CivilDate(daysSinceEpoch: 20_458), minuteOfDay: 8 * 60 + 30))
          ],
          conditions: conditions
        )
      ])
      scene.wait(until: 3 * 24 * 60)
      return scene.heard().map { String($0.prefix { $0 != " " }) }
    }
    #expect(try told([.any([.window(morning), .window(late)])]) == ["60.00"])
    #expect(try told([.not(.window(morning))]) == ["30.00"])
    #expect(try told([.window(late), .not(.window(morning))]) == ["180.00"])
    // They contradict each other: it waits from one to the other, and never speaks.
    #expect(try told([.window(late), .window(morning)]) == [])
    let tuesday = CivilDate(daysSinceEpoch: 20_459)
    #expect(try told([.dates(from: tuesday, until: nil)]) == ["960.00"])
    #expect(try told([.dates(from: nil, until: CivilDate(daysSinceEpoch: 20_457))]) == [])
    #expect(try told([.dates(from: tuesday, until: tuesday), .window(late)]) == ["1620.00"])
  }

  @Test func `a condition on a place is asked where one is`() throws {
    var scene = try Scene(
      [Self.call(.inside(.place("hut")))],
      places: [Scene.place("hut", mile: 0)]
    )
    scene.at(3, minute: 0)
    scene.send(Self.unlock("1"), minute: 1)
    scene.at(0, minute: 10)
    scene.at(0, minute: 13)
    scene.send(Self.unlock("2"), minute: 14)
    scene.at(3, minute: 20)
    scene.wait(until: 30)
    scene.send(Self.unlock("3"), minute: 31)
    #expect(decisions(scene) == ["not said not_inside", "delivered", "not said not_inside"])
    #expect(scene.engine.violations() == [])
    // Nothing is told of the place itself.
    #expect(
      !scene.effects.contains {
        if case .record(.transition(let t)) = $0 { t.step.tier != nil } else { false }
      }
    )
  }

  @Test func `leaving speaks once for each way out, and only after one has been there`() throws {
    let keys = Reminder(id: "keys", title: "take the keys", triggers: [.leave(.place("hut"))])
    var scene = try Scene([keys], places: [Scene.place("hut", mile: 0)])
    for (mile, minute) in [(3.0, 0.0), (1, 5), (3, 10), (0, 20), (0, 23), (2, 30), (2, 33)] {
      scene.at(mile, minute: minute)
    }
    scene.wait(until: 40)
    #expect(scene.heard().map { String($0.drop { $0 != "L" }) } == ["Leaving Hut — take the keys?"])
    scene.act("keys", .snoozeFor(.minutes(15)), minute: 41)
    scene.wait(until: 60)
    #expect(scene.heard().count == 1)
    for (mile, minute) in [(0.0, 70.0), (0, 73), (2, 80), (2, 83)] {
      scene.at(mile, minute: minute)
    }
    #expect(scene.heard().count == 1)
    scene.act("keys", .complete, minute: 90)
    #expect(scene.ended == ["keys completed"])
    #expect(scene.engine.violations() == [])
  }

  @Test func `a sleeping app is woken when what is to be left is left`() throws {
    let keys = Reminder(id: "keys", title: "take the keys", triggers: [.leave(.place("hut"))])
    var scene = try Scene(
      [keys],
      places: [Scene.place("hut", mile: 0)],
      monitoring: .regions(MonitorLimits())
    )
    var last = scene.start(at: 0, minute: 0, speed: 0)
    last = scene.pass(from: last, to: 0, minute: 5, speed: 0)
    let regions = scene.engine.state.currentRegions
    #expect(regions.contains { $0.radiusMeters < 600 }, "\(regions)")
    last = scene.pass(from: last, to: 1, minute: 6, speed: 10)
    _ = scene.pass(from: last, to: 2, minute: 8, speed: 10)
    #expect(scene.heard().map { String($0.drop { $0 != "L" }) } == ["Leaving Hut — take the keys?"])
    #expect(scene.engine.violations() == [])
  }

  @Test func `what conditions cannot say is refused with a sentence`() throws {
    var scene = try Scene([])
    for condition in [
      Condition.all([]), .dates(from: nil, until: nil),
      .lasting(.not(.signal("a", is: "true")), for: .minutes(1)), .inside(.place("nowhere")),
    ] {
      scene.send(.reminderSaved(Self.call(condition)), minute: 1)
    }
    let refusals = scene.effects.count {
      if case .record(.reminderRefused) = $0 { true } else { false }
    }
    #expect(refusals == 4)
    #expect(scene.engine.state.currentReminders.isEmpty)
  }

  @Test func `conditions that never hold together are found out, and no others`() throws {
    func canNever(_ conditions: Condition...) -> Bool {
      Reminder(id: "r", title: "x", triggers: [.signal("unlock")], conditions: conditions)
        .canNeverSpeak(from: Scene.start, in: .utc)
    }
    func window(_ text: String) throws -> Condition { .window(try #require(WeeklyWindow(text))) }
    // 2026-01-05 is a Monday.
    let monday = CivilDate(daysSinceEpoch: 20_458)
    let home = Reminder.Target.place("home")
    #expect(try canNever(window("mon"), window("tue")))
    #expect(try canNever(window("mon 09:00-10:00"), window("mon 10:00-11:00")))
    #expect(try canNever(window("tue"), .dates(from: monday, until: monday)))
    #expect(canNever(.dates(from: nil, until: CivilDate(daysSinceEpoch: 20_000))))
    #expect(canNever(.inside(home), .outside(home)))
    #expect(canNever(.signal("car", is: "true"), .not(.signal("car", is: "true"))))
    #expect(try canNever(window("mon"), .not(window("mon"))))
    #expect(canNever(.signal("car", is: "bmw"), .signal("car", is: "van")))
    #expect(canNever(.signal("power", is: "unplugged"), .signal("power", is: "true")))
    #expect(canNever(.all([.inside(home), .signal("car", is: "true")]), .outside(home)))
    #expect(!canNever(.signal("power", is: "unplugged"), .signal("power", is: "false")))
    #expect(!canNever(.signal("power", is: "charging"), .signal("power", is: "true")))
    #expect(!canNever(.any([.inside(home), .outside(home)]), .outside(home)))
    #expect(!canNever())
    #expect(try !canNever(window("mon 09:00-11:00"), window("mon 10:00-12:00")))
    #expect(try !canNever(window("fri"), .dates(from: monday, until: nil)))
    #expect(try !canNever(.any([window("mon"), window("tue")]), window("tue")))
    #expect(!canNever(.inside(home), .signal("connectivity", is: "online")))
    #expect(try !canNever(.not(window("mon-fri")), .lasting(.inside(home), for: .minutes(5))))
  }
}
