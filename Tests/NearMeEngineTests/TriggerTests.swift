import Fencing
import Foundation
import NearMeEngine
import Places
import Testing
import Timeline
import Traces

/// Reasons to speak that are no place: a time that comes, a signal of the phone.
@Suite struct TriggerTests {
  /// Scenes begin on this day at eight in the morning, UTC.
  private static let date = CivilDate(daysSinceEpoch: 20_458)

  private static func bins(at minuteOfDay: Int) -> Reminder {
    Reminder(
      id: "bins",
      title: "take out the bins",
      triggers: [.schedule(.local(date, minuteOfDay: minuteOfDay))]
    )
  }

  private static let call = Reminder(id: "call", title: "call Ann", triggers: [.signal("unlock")])

  private static func unlock(_ id: String) -> Event.Kind {
    .signal(Signal(name: "unlock", id: id))
  }

  private func records(_ scene: Scene) -> [String] {
    scene.effects.compactMap { effect in
      switch effect {
      case .record(.transition(let t)): "\(t.kind.rawValue) \(t.step.name)"
      case .record(.decision(let d)): "\(d.outcome) \(d.step.name)"
      case .record(.signalRefused(_, let signal, let why)): "\(why.rawValue) \(signal.name)"
      default: nil
      }
    }
  }

  // MARK: Schedules

  @Test
  func `YOMO-4.4.1a, MOM-3: a schedule speaks at its time, once, also if nothing else happens`()
    throws
  {
    var scene = try Scene([Self.bins(at: 8 * 60 + 30)])
    scene.wait(until: 29.9)
    #expect(scene.heard() == [])
    // The system shows it by itself, for no app runs then.
    let scheduled = scene.effects.contains {
      if case .schedule(let n, let at) = $0 {
        n.kind == .scheduled && at == scene.instant(30)
      } else {
        false
      }
    }
    #expect(scheduled)
    scene.wait(until: 3 * 24 * 60)
    #expect(scene.heard() == ["30.00 n1: Take out the bins."])
    #expect(
      records(scene) == [
        "due schedule:2026-01-05T08:30:00Z", "delivered schedule:2026-01-05T08:30:00Z",
      ]
    )
  }

  @Test func `one whose time had come while nobody ran is told at the next event`() throws {
    var scene = try Scene([Self.bins(at: 7 * 60)])
    #expect(scene.heard() == ["0.00 n1: Take out the bins."])
    scene.wait(until: 2 * 24 * 60)
    #expect(scene.heard() == [])
  }

  @Test func `in quiet hours it waits, and is summed up at their end`() throws {
    var scene = try Scene([Self.bins(at: 8 * 60 + 30)]) { policy in
      policy.quietHours = DailyWindow(startMinute: 8 * 60 + 15, endMinute: 9 * 60)
    }
    scene.wait(until: 120)
    #expect(scene.heard() == ["60.00 n1: Take out the bins."])
  }

  @Test func `CTX-1.1, CTX-7.4: outside its window it waits for the window`() throws {
    var reminder = Self.bins(at: 8 * 60 + 30)
    reminder.window = WeeklyWindow(startMinute: 10 * 60, endMinute: 11 * 60)
    var scene = try Scene([reminder])
    scene.wait(until: 24 * 60)
    #expect(scene.heard() == ["120.00 n1: Take out the bins."])
  }

  @Test func `a local time moves with the zone, an instant does not`() throws {
    let fixed = Reminder(
      id: "post",
      title: "send the letter",
      triggers: [.schedule(.instant(Scene.start + .minutes(90)))]
    )
    var scene = try Scene([Self.bins(at: 9 * 60), fixed])
    let east = UTCOffsetTable(identifier: "East", initialOffsetSeconds: -1_800, eras: [])
    scene.send(.zoneChanged(east), minute: 10)
    scene.wait(until: 300)
    // Nine o'clock is half an hour later in the new zone; what is due together is shown together.
    let shown = scene.effects.compactMap { effect -> ReminderNotification? in
      if case .record(.presented(let notification)) = effect { notification } else { nil }
    }
    #expect(shown.map(\.at) == [scene.instant(90)])
    #expect(shown.first?.members.map(\.reminder) == ["bins", "post"])
  }

  @Test func `one that is done, deleted or given another time does not ring`() throws {
    for answer in [
      Event.Kind.action(reminder: "bins", .complete), .reminderDeleted("bins"),
      .reminderSaved(Self.bins(at: 12 * 60)),
    ] {
      var scene = try Scene([Self.bins(at: 8 * 60 + 30)])
      scene.send(answer, minute: 10)
      let taken = scene.effects.contains { if case .unschedule = $0 { true } else { false } }
      #expect(taken, "\(answer)")
      scene.wait(until: 120)
      #expect(scene.heard() == [], "\(answer)")
      scene.wait(until: 300)
      if case .reminderSaved = answer {
        #expect(scene.heard() == ["240.00 n2: Take out the bins."])
      }
    }
  }

  @Test func `a muted one keeps silent with its reason, and rings when it is unmuted`() throws {
    var scene = try Scene([Self.bins(at: 8 * 60 + 30)])
    scene.act("bins", .mute, minute: 10)
    scene.wait(until: 40)
    #expect(scene.heard() == [])
    scene.act("bins", .unmute, minute: 50)
    scene.wait(until: 300)
    #expect(scene.heard() == ["50.00 n2: Take out the bins."])
    #expect(
      records(scene) == [
        "due schedule:2026-01-05T08:30:00Z",
        "suppressed(NearMeEngine.Silence.muted) schedule:2026-01-05T08:30:00Z",
        "due schedule:2026-01-05T08:30:00Z", "delivered schedule:2026-01-05T08:30:00Z",
      ]
    )
  }

  @Test func `a snooze says it again, counted from the tap`() throws {
    var scene = try Scene([Self.bins(at: 8 * 60 + 30)])
    scene.wait(until: 30)
    scene.act("bins", .snoozeFor(.minutes(15)), minute: 33)
    scene.wait(until: 120)
    #expect(
      scene.heard() == [
        "30.00 n1: Take out the bins.", "48.00 n2: Take out the bins.",
      ]
    )
    scene.act("bins", .snoozeFor(.minutes(15)), minute: 121)
    scene.act("bins", .complete, minute: 125)
    scene.wait(until: 300)
    #expect(scene.heard() == [])
  }

  @Test func `what the phone said is said again after a snooze that ends in a focus`() throws {
    var scene = try Scene([Self.call])
    scene.send(Self.unlock("1"), minute: 2)
    scene.act("call", .snoozeFor(.minutes(15)), minute: 3)
    scene.send(.focus(true), minute: 10)
    scene.send(.focus(false), minute: 40)
    scene.wait(until: 60)
    #expect(
      scene.heard() == ["2.00 n1: Don't forget: call Ann.", "40.00 n3: Still open: call Ann."]
    )
  }

  @Test func `a restart at any minute changes nothing`() throws {
    for minute in stride(from: 5.0, through: 60, by: 5) {
      var scene = try Scene([Self.bins(at: 8 * 60 + 30), Self.call])
      scene.send(Self.unlock("1"), minute: 2)
      scene.wait(until: minute)
      let data = try JSONEncoder().encode(scene.engine.state)
      let state = try JSONDecoder().decode(EngineState.self, from: data)
      #expect(state == scene.engine.state)
      var late = try Scene([], state: state)
      late.send(Self.unlock("1"), minute: 61)
      late.wait(until: 120)
      let heard = scene.heard() + late.heard()
      #expect(
        heard.map { $0.split(separator: ":", maxSplits: 1).last.map(String.init) } == [
          " Don't forget: call Ann.", " Take out the bins.",
        ],
        "\(minute): \(heard)"
      )
    }
  }

  // MARK: Signals

  @Test
  func
    `CTX-1.2, CTX-8.2: a signal speaks for the reminders that listen, and the same one only once`()
    throws
  {
    var scene = try Scene([Self.call])
    scene.send(.signal(Signal(name: "car", id: "1")), minute: 1)
    scene.send(Self.unlock("1"), minute: 2)
    scene.send(Self.unlock("1"), minute: 3)
    scene.send(Self.unlock("2"), minute: 4)
    #expect(
      scene.heard() == ["2.00 n1: Don't forget: call Ann.", "4.00 n2: Don't forget: call Ann."]
    )
    #expect(records(scene).contains("repeated unlock"))
  }

  @Test func `blanks in names and ids make no two signals one`() throws {
    let both = Reminder(
      id: "call",
      title: "call Ann",
      triggers: [.signal("a"), .signal("a b")]
    )
    var scene = try Scene([both])
    scene.send(.signal(Signal(name: "a", id: "b c")), minute: 1)
    scene.send(.signal(Signal(name: "a b", id: "c")), minute: 5)
    #expect(scene.heard().count == 2)
    #expect(!records(scene).contains { $0.hasPrefix("repeated") })
  }

  @Test func `CTX-2.5: the host is told what to listen to, and only when that changes`() throws {
    var scene = try Scene([Self.call, Self.bins(at: 0)])
    func asked() -> [[String]] {
      scene.effects.compactMap { if case .listen(let names) = $0 { names } else { nil } }
    }
    #expect(asked() == [["unlock"]])
    var car = Self.call
    car.triggers.append(.signal("car"))
    scene.send(.reminderSaved(car), minute: 1)
    scene.act("bins", .complete, minute: 2)
    scene.act("call", .complete, minute: 3)
    #expect(asked() == [["unlock"], ["car", "unlock"], []])
  }

  @Test func `CTX-6.1, CTX-6.2: a signal touches only those that listen to it`() throws {
    let many = (0..<1_000)
      .map { Reminder(id: "r\($0)", title: "x", triggers: [.signal("s\($0 % 100)")]) }
    var scene = try Scene(many)
    scene.send(.signal(Signal(name: "s7", id: "1")), minute: 1)
    #expect(scene.engine.effort.listeners == 10)
    scene.send(.signal(Signal(name: "unheard", id: "1")), minute: 2)
    #expect(scene.engine.effort.listeners == 10)
  }

  @Test func `a signal is news for a moment: after a focus it is stale`() throws {
    var scene = try Scene([Self.call])
    scene.send(.focus(true), minute: 1)
    scene.send(Self.unlock("1"), minute: 2)
    scene.send(.focus(false), minute: 3)
    #expect(scene.heard() == [])
    #expect(records(scene).last == "suppressed(NearMeEngine.Silence.stale) signal:unlock")
  }

  @Test func `of the signals of a trigger that wait the newest is kept`() throws {
    var scene = try Scene([Self.call])
    scene.send(.focus(true), minute: 1)
    for number in 1...50 { scene.send(Self.unlock("\(number)"), minute: 1 + Double(number)) }
    #expect(scene.engine.state.waitingCount == 1)
    #expect(
      records(scene).count { $0.hasPrefix("suppressed(NearMeEngine.Silence.superseded)") } == 49
    )
  }

  /// Found by the random lives: the regions of its place were kept and planned again, at every wake.
  @Test func `a trigger whose category is missing takes no slots from the others`() throws {
    let both = Reminder(
      id: "both",
      title: "x",
      triggers: [.place(.category(CategoryID("bank"))), .place(.place("hut"))]
    )
    var scene = try Scene(
      [both],
      pois: [(30, "grocery")],
      places: [Scene.place("hut", mile: 0)],
      monitoring: .regions(MonitorLimits(slots: 5))
    )
    for minute in 1...5 {
      let fix = Fix(
        at: scene.instant(Double(minute)),
        coordinate: Scene.coordinate(mile: 7 - Double(minute) * 0.4),
        horizontalAccuracyMeters: 5
      )
      scene.send(.woken(by: fix, previous: nil), minute: Double(minute))
      #expect(scene.engine.violations() == [])
    }
    #expect(scene.engine.state.currentRegions.count <= 2)
  }

  @Test func `each of several triggers is a reason`() throws {
    let milk = Reminder(
      id: "milk",
      title: "buy milk",
      triggers: [
        .place(.category(CategoryID("grocery")), tiers: [.approach(miles: 1)]),
        .place(.place("hut"), tiers: [.approach(miles: 1)]),
        .schedule(.local(Self.date, minuteOfDay: 9 * 60)), .signal("car"),
      ]
    )
    var scene = try Scene(
      [milk],
      pois: [(0, "grocery")],
      places: [Scene.place("hut", mile: 20)]
    )
    scene.at(7, minute: 0)
    scene.send(.signal(Signal(name: "car", id: "1")), minute: 5)
    scene.at(0.9, minute: 15)
    scene.wait(until: 60)
    scene.at(12, minute: 80)
    scene.at(19.5, minute: 95)
    #expect(
      scene.heard() == [
        "5.00 n2: Don't forget: buy milk.", "15.00 n3: You're 1 mile from grocery — buy milk?",
        "60.00 n1: Buy milk.", "95.00 n4: You're 0.5 miles from Hut — buy milk?",
      ]
    )
    #expect(scene.engine.violations() == [])
  }

  // MARK: Without timers

  @Test
  func `CTX-6.5: without timers nothing is asked for, and what is due is told at the next event`()
    throws
  {
    var scene = try Scene([Self.bins(at: 8 * 60 + 30), Self.call]) {
      $0.schedules.timers = .none
    }
    scene.keepFixes()
    for minute in [1.0, 2, 3] { scene.at(0, minute: minute) }
    scene.handOver(minute: 9)
    scene.wait(until: 60)
    #expect(scene.heard() == [])
    #expect(scene.engine.nextTimer == nil)
    let asked = scene.effects.contains { effect in
      switch effect {
      case .wakeAt, .schedule: true
      default: false
      }
    }
    #expect(!asked)
    scene.send(Self.unlock("1"), minute: 61)
    #expect(
      scene.heard().map { String($0.drop { $0 != ":" }) } == [
        ": Take out the bins.", ": Don't forget: call Ann.",
      ]
    )
    #expect(scene.engine.violations() == [])
  }

  @Test
  func
    `CTX-1.5, CTX-7.5b, CTX-7.5d, CTX-8.1: an app is a token that the user chose, and nothing is kept of others`()
    throws
  {
    let focus = Reminder(
      id: "focus",
      title: "write first",
      triggers: [.signal("app_opened", to: "token-7")]
    )
    var scene = try Scene([focus])
    func opened(_ token: String, _ id: String) -> Event.Kind {
      .signal(Signal(name: "app_opened", id: id, level: token))
    }
    scene.send(opened("token-1", "a"), minute: 1)
    #expect(scene.heard() == [])
    scene.send(opened("token-7", "b"), minute: 2)
    #expect(scene.heard() == ["2.00 n1: Don't forget: write first."])
    scene.send(opened("token-3", "c"), minute: 3)
    // What is open now is known, for a condition may ask; what was open before is not.
    let state = String(decoding: try JSONEncoder().encode(scene.engine.state), as: UTF8.self)
    #expect(!state.contains("token-1"))
    // Each opening is a moment, also of the app that was opened last; the same one twice is not.
    scene.send(opened("token-7", "d"), minute: 100)
    scene.send(opened("token-7", "e"), minute: 200)
    scene.send(opened("token-7", "e"), minute: 300)
    #expect(scene.heard().map { $0.prefix { $0 != " " } } == ["100.00", "200.00"])
  }
}
