import Foundation
import Fencing
import NearMeEngine
import Places
import Testing
import Timeline
import Traces

/// What the user says, edits and allows, and what becomes of it.
@Suite struct AnswerTests {
  private static let rest = Reminder(id: "rest", title: "lie down", target: .place("hut"))
  private static let cook = Reminder(id: "cook", title: "cook", target: .place("hut"))

  private static func wake(
    _ engine: inout Engine,
    _ scene: Scene,
    _ mile: Double,
    _ minute: Double
  )
    -> [Effect]
  {
    let fix = Fix(
      at: scene.instant(minute),
      coordinate: Scene.coordinate(mile: mile),
      horizontalAccuracyMeters: 10,
      speedMetersPerSecond: 1
    )
    return engine.handle(Event(at: fix.at, .woken(by: fix, previous: nil)))
  }

  @Test func `NM-2.6: a fence that two reminders share survives the deletion of one`() throws {
    let scene = try Scene(
      [Self.rest, Self.cook],
      places: [Scene.place("hut", mile: 0)],
      monitoring: .regions(MonitorLimits())
    )
    var engine = scene.engine
    _ = Self.wake(&engine, scene, 7, 1)
    let shared = engine.state.currentRegions
    #expect(!shared.isEmpty)
    _ = engine.handle(Event(at: scene.instant(2), .reminderDeleted("rest")))
    #expect(engine.state.currentRegions == shared)
    let told = Self.wake(&engine, scene, 4.9, 9)
    #expect(told.contains { if case .post(let n) = $0 { n.text.contains("cook") } else { false } })
    _ = engine.handle(Event(at: scene.instant(10), .reminderDeleted("cook")))
    #expect(engine.state.currentRegions.isEmpty)
  }

  @Test
  func
    `NM-2.3, NM-3.5, CTX-7.3a: editing a place moves its regions, and not the tiers of its reminders`()
    throws
  {
    var policy = Policy()
    policy.tiers.other = [.approach(miles: 4), .arrival]
    let scene = try Scene(
      [Self.rest],
      places: [Scene.place("hut", mile: 0)],
      monitoring: .regions(MonitorLimits())
    )
    // Another version has other defaults; the reminder keeps those that it was made with (NM-2.3).
    var engine = Engine(
      policy: policy,
      zone: .utc,
      catalog: .empty,
      monitoring: .regions(MonitorLimits()),
      state: scene.engine.state
    )
    _ = Self.wake(&engine, scene, 20, 1)
    _ = engine.handle(Event(at: scene.instant(2), .placeSaved(Scene.place("hut", mile: 9))))
    let made: [Tier] = [.approach(miles: 5), .arrival, .postArrival(delay: .minutes(5))]
    #expect(engine.state.tiers(ofReminder: "rest") == made)
    _ = Self.wake(&engine, scene, 20, 3)
    let told = Self.wake(&engine, scene, 13.9, 20)
    #expect(
      told.contains { if case .post(let n) = $0 { n.text.contains("5 miles") } else { false } }
    )
    // Another kind of place has other tiers, and they are those of now.
    _ = engine.handle(
      Event(at: scene.instant(30), .placeSaved(Scene.place("hut", mile: 9, kind: .home)))
    )
    #expect(engine.state.tiers(ofReminder: "rest")?.first == .approach(miles: 2))
  }

  @Test func `an edit that is older than an answer brings nothing back`() throws {
    var scene = try Scene([Self.rest, Self.cook], places: [Scene.place("hut", mile: 0)])
    scene.act("rest", .complete, minute: 1)
    scene.act("cook", .mute, minute: 1)
    for reminder in [Self.rest, Self.cook] { scene.send(.reminderSaved(reminder), minute: 2) }
    #expect(scene.ended == ["rest completed"])
    #expect(scene.engine.state.currentReminders.map(\.id) == ["cook"])
    #expect(scene.engine.state.currentReminders.map(\.isMuted) == [true])
    let refusals = scene.effects.compactMap { effect -> ReminderLoadError? in
      if case .record(.reminderRefused(_, let refusal)) = effect { refusal } else { nil }
    }
    #expect(refusals.map(\.reminder) == ["rest"])
    #expect(refusals.map(\.reason) == [.hasEnded])
    scene.at(7, minute: 3)
    scene.at(0, minute: 30, speed: 0)
    scene.wait(until: 60)
    #expect(scene.heard() == [])
  }

  @Test func `an id of one that has ended and was deleted is free for another one`() throws {
    var scene = try Scene([Self.rest], places: [Scene.place("hut", mile: 0)])
    scene.act("rest", .complete, minute: 1)
    scene.send(.reminderDeleted("rest"), minute: 2)
    scene.send(.reminderSaved(Self.rest), minute: 3)
    #expect(scene.engine.state.currentReminders.map(\.id) == ["rest"])
  }

  @Test func `what cannot be done is refused with its reason`() throws {
    var scene = try Scene(
      [
        Self.rest,
        Reminder(id: "far", title: "x", target: .place("hut"), tiers: [.approach(miles: 2)]),
      ],
      places: [Scene.place("hut", mile: 0)]
    )
    scene.act("rest", .snoozeFor(.seconds(59)), minute: 1)
    scene.act("rest", .snoozeFor(.minutes(61)), minute: 2)
    scene.act("rest", .snoozeFor(Milliseconds(.max)), minute: 3)
    scene.act("far", .snoozeUntilNextArrival, minute: 4)
    scene.act("nobody", .complete, minute: 5)
    scene.act("rest", .complete, minute: 6)
    scene.act("rest", .complete, minute: 7)
    let refusals = scene.effects.compactMap { effect -> ActionRefusal? in
      if case .record(.actionRefused(_, _, let refusal)) = effect { refusal } else { nil }
    }
    #expect(
      refusals == [
        .snoozeOutOfRange, .snoozeOutOfRange, .snoozeOutOfRange, .snoozeWithoutArrival,
        .unknownReminder, .completed,
      ]
    )
    for span in [Milliseconds.minutes(1), .minutes(60)] {
      scene.act("far", .snoozeFor(span), minute: 8)
      #expect(scene.engine.state.currentReminders[0].snooze == .until(scene.instant(8) + span))
    }
  }

  @Test func `TODO-FR3: at one distance the higher priority comes first`() throws {
    var urgent = Self.rest
    urgent.priority = 1
    var scene = try Scene([Self.cook, urgent], places: [Scene.place("hut", mile: 0)])
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    #expect(
      scene.heard() == [
        "4.00 n1: You're 5 miles from Hut — lie down? / You're 5 miles from Hut — cook?"
      ]
    )
  }

  @Test
  func `NM-9.1: acts are counted once each, only with consent, and without a word of content`()
    throws
  {
    let scene = try Scene(
      [Self.rest],
      places: [Scene.place("hut", mile: 0)],
      monitoring: .regions(MonitorLimits())
    )
    var engine = scene.engine
    var counted: [String] = []
    func send(_ kind: Event.Kind, _ minute: Double) {
      for effect in engine.handle(Event(at: scene.instant(minute), kind)) {
        if case .record(.analytics(_, let event)) = effect { counted.append(event.rawValue) }
        if case .record(.analyticsConsent(_, let isOn)) = effect { counted.append("\(isOn)") }
      }
    }
    func fix(_ mile: Double, _ minute: Double) -> Event.Kind {
      .woken(
        by: Fix(
          at: scene.instant(minute),
          coordinate: Scene.coordinate(mile: mile),
          horizontalAccuracyMeters: 10
        ),
        previous: nil
      )
    }
    send(.placeSaved(Scene.place("den", mile: 50)), 0)
    send(.analytics(true), 1)
    send(.analytics(true), 1)
    send(.placeSaved(Scene.place("cave", mile: 90)), 2)
    send(.placeSaved(Scene.place("cave", mile: 91)), 2)
    send(.reminderSaved(Reminder(id: "n", title: "secret", target: .place("cave"))), 3)
    send(fix(7, 4), 4)
    send(fix(4.9, 9), 9)
    send(.action(reminder: "rest", .snoozeFor(.minutes(15))), 10)
    send(.action(reminder: "rest", .complete), 11)
    send(.action(reminder: "rest", .complete), 12)
    send(.analytics(false), 13)
    send(.reminderSaved(Reminder(id: "m", title: "more", target: .place("cave"))), 14)
    let withoutFences = counted.filter { $0 != "geofence_registered" }
    #expect(
      withoutFences == [
        "true", "place_added", "task_created", "nudge_shown", "snooze_selected", "task_completed",
        "false",
      ]
    )
    #expect(counted.contains("geofence_registered"))
    #expect(
      AnalyticsEvent.allCases.map(\.rawValue).sorted() == [
        "geofence_registered", "nudge_shown", "place_added", "snooze_selected", "task_completed",
        "task_created",
      ]
    )
  }

  @Test func `two questions due while the app was away come as one`() throws {
    var scene = try Scene(
      [Self.rest, Self.cook],
      places: [Scene.place("hut", mile: 0)]
    )
    scene.at(1, minute: 0)
    scene.at(0, minute: 2, speed: 0)
    // Killed before the arrival had held: nothing is scheduled yet. Started again an hour later.
    var engine = scene.engine
    let effects = engine.handle(Event(at: scene.instant(62), .launched))
    let shown = effects.compactMap { effect -> String? in
      switch effect {
      case .post(let n), .record(.presented(let n)): n.text
      default: nil
      }
    }
    #expect(
      shown == [
        "Arriving at Hut — cook now?\nArriving at Hut — lie down now?",
        "Still need to cook?\nStill need to lie down?",
      ]
    )
  }

  @Test func `NM-5.4: the map opens at what was told, as a link and as a page`() throws {
    var scene = try Scene([Self.rest], places: [Scene.place("hut", mile: 0)])
    scene.at(7, minute: 0)
    scene.at(4.9, minute: 4)
    let posted = scene.effects.compactMap { effect -> ReminderNotification? in
      if case .post(let notification) = effect { notification } else { nil }
    }
    #expect(
      ReminderNotification.actions == [
        "complete", "snooze:15m", "snooze:1h", "snooze:today", "open_map", "mute",
      ]
    )
    #expect(posted.map(\.mapLink) == ["geo:0.000000,10.000000"])
    #expect(
      posted.map(\.mapPage) == [
        "https://www.openstreetmap.org/?mlat=0.000000&mlon=10.000000#map=17/0.000000/10.000000"
      ]
    )
  }

  @Test func `done for this visit is done for this visit, and speaks at the next`() throws {
    var water = Self.rest
    water.tiers = [.arrival, .postArrival(delay: .minutes(5))]
    water.persistence = .perOccurrence
    var scene = try Scene([water], places: [Scene.place("hut", mile: 0)])
    for (mile, minute) in [(3.0, 0.0), (0, 10), (0, 12)] {
      scene.at(mile, minute: minute, speed: 0)
    }
    #expect(scene.heard().count == 1)
    scene.act("rest", .complete, minute: 13)
    scene.wait(until: 60)
    #expect(scene.heard() == [])
    for (mile, minute) in [(3.0, 70.0), (3, 75), (0, 80), (0, 82)] {
      scene.at(mile, minute: minute, speed: 0)
    }
    scene.wait(until: 100)
    #expect(scene.heard().count == 2)
    #expect(scene.engine.violations() == [])
  }

  // MARK: The end of a reminder

  private func storedBytes(_ scene: Scene) throws -> Int {
    try JSONEncoder().encode(scene.engine.state).count
  }

  @Test func `what is done leaves the state, so that a turn costs no more with what was ever done`()
    throws
  {
    func scene(_ done: Int) throws -> Scene {
      let titled = (0..<done)
        .map { Reminder(id: "r\($0)", title: "x", target: .category(CategoryID("bank"))) }
      var scene = try Scene([Self.cook] + titled, places: [Scene.place("hut", mile: 0)])
      for reminder in titled { scene.act(reminder.id, .complete, minute: 1) }
      #expect(scene.ended == titled.map { "\($0.id) completed" })
      return scene
    }
    let (few, many) = (try storedBytes(scene(64)), try storedBytes(scene(640)))
    #expect(many - few < 2_000, "\(few) and \(many) bytes")
  }

  @Test func `what has ended is had back as it was, and begins anew`() throws {
    var scene = try Scene([Self.rest], places: [Scene.place("hut", mile: 0)])
    scene.act("rest", .complete, minute: 1)
    let archived = try #require(
      scene.effects
        .compactMap {
          if case .archive(let reminder) = $0 { reminder } else { nil }
        }
        .first
    )
    scene.act("rest", .reopen, minute: 2)
    #expect(scene.engine.state.currentReminders.isEmpty)
    scene.send(.reminderReopened(archived), minute: 3)
    #expect(scene.engine.state.currentReminders.map(\.status) == [.active])
    scene.at(7, minute: 4)
    scene.at(0, minute: 30, speed: 0)
    scene.wait(until: 40)
    #expect(!scene.heard().isEmpty)
    #expect(scene.engine.violations() == [])
  }

  @Test func `one that spoke once is held as long as its line can be answered`() throws {
    var once = Reminder(id: "call", title: "call Ann", triggers: [.signal("unlock")])
    once.persistence = .once
    var scene = try Scene([once])
    scene.send(.signal(Signal(name: "unlock", id: "1")), minute: 1)
    #expect(scene.engine.state.currentReminders.map(\.status) == [.fired])
    #expect(scene.ended == [])
    scene.act("call", .dismiss, minute: 2)
    #expect(scene.ended == ["call fired"])
    #expect(scene.engine.state.currentReminders.isEmpty)
  }
}
