import Fencing
import Foundation
import Geodesy
import NearMeEngine
import Places
import Recurrence
import Testing
import Timeline
import Traces

/// What is out of bounds is refused by name, and never makes a state that cannot be read again.
@Suite struct BoundsTests {
  private static let meds = Reminder(id: "meds", title: "x", target: .category(CategoryID("bank")))

  private static func changed(_ change: (inout Reminder) -> Void) -> Reminder {
    var reminder = meds
    change(&reminder)
    return reminder
  }

  private static func scheduled(_ change: (inout Schedule) -> Void) -> Reminder {
    var schedule = Schedule.instant(Scene.start + .minutes(60))
    change(&schedule)
    return Reminder(id: "meds", title: "x", triggers: [.schedule(schedule)])
  }

  private static let bad: [Reminder] = [
    scheduled { $0.leads = [.seconds(0)] },
    scheduled { $0.leads = [.seconds(-5)] },
    scheduled { $0.leads = [Milliseconds(.max)] },
    scheduled { $0.start = WrittenTime(local: $0.start.local, offsetSeconds: 200_000) },
    changed { $0.nag = Reminder.Nag(every: .seconds(0)) },
    changed { $0.nag = Reminder.Nag(every: Milliseconds(.max)) },
    changed { $0.nag = Reminder.Nag(every: .minutes(5), untilMinute: 5_000) },
    changed { $0.tiers = [.arrival, .postArrival(delay: .seconds(0))] },
    changed { $0.tiers = [.approach(meters: 2_000_000), .arrival] },
    changed { $0.tiers = [.approach(meters: .nan), .arrival] },
    changed { $0.tiers = [.approach(meters: .infinity), .arrival] },
    changed { $0.fallbackMinute = -1 },
    changed { $0.snooze = .until(Timestamp(milliseconds: .max / 2)) },
    changed { $0.conditions = [.lasting(.signal("car", is: "on"), for: Milliseconds(.max))] },
    changed {
      $0.conditions = [(0..<200).reduce(.signal("car", is: "on")) { part, _ in .not(part) }]
    },
  ]

  @Test(arguments: bad.indices)
  func `a reminder that could not be read again is refused`(_ number: Int) throws {
    let reminder = Self.bad[number]
    var scene = try Scene([Self.meds], pois: [(0, "bank")])
    scene.send(.reminderSaved(Reminder(reminder, id: "bad")), minute: 1)
    let refused = scene.effects.contains {
      if case .record(.reminderRefused(_, let why)) = $0 { why.reminder == "bad" } else { false }
    }
    #expect(refused, "\(reminder)")
    scene.send(.reminderSaved(Reminder(reminder, id: "meds")), minute: 2)
    #expect(scene.engine.state.currentReminders.count == 1)
    let data = try JSONEncoder().encode(scene.engine.state)
    #expect(try JSONDecoder().decode(EngineState.self, from: data) == scene.engine.state)
    // The reason is kept, too.
    let effects = try JSONEncoder().encode(scene.effects)
    #expect(try JSONDecoder().decode([Effect].self, from: effects) == scene.effects)
  }

  private static let nowhere = [(999, 9_999), (90.1, 0), (0, -180.5), (.nan, 10), (0, .infinity)]
    .map { Coordinate(uncheckedLatitude: $0.0, longitude: $0.1) }

  @Test(arguments: nowhere)
  func `a place that lies nowhere is refused by name`(_ coordinate: Coordinate) throws {
    let rest = Reminder(id: "rest", title: "x", target: .place("hut"))
    var scene = try Scene([rest], places: [Scene.place("hut", mile: 0)])
    for id in ["hut", "den"] {
      let place = Place(id: id, name: id, kind: .other, coordinate: coordinate)
      scene.send(.placeSaved(place), minute: 1)
    }
    let refused = scene.effects.compactMap { effect -> String? in
      if case .record(.placeRefused(_, let refusal)) = effect, refusal.reason.contains("between") {
        refusal.place
      } else {
        nil
      }
    }
    #expect(refused == ["hut", "den"])
    scene.at(7, minute: 2)
    scene.at(4.9, minute: 6)
    #expect(scene.heard() == ["6.00 n1: You're 5 miles from Hut — x?"])
    let data = try JSONEncoder().encode(scene.engine.state)
    #expect(try JSONDecoder().decode(EngineState.self, from: data) == scene.engine.state)
    // Nor is it taken in at the beginning.
    let error = #expect(throws: ReminderLoadError.self) {
      try Scene(
        [rest],
        places: [Place(id: "hut", name: "x", kind: .other, coordinate: coordinate)]
      )
    }
    #expect(error?.reason == .unknownPlace("hut"))
  }

  @Test(arguments: nowhere, [Monitoring.everyFix, .regions(MonitorLimits())])
  func `a position that lies nowhere is refused`(
    _ coordinate: Coordinate,
    _ monitoring: Monitoring
  ) throws {
    var scene = try Scene([Self.meds], pois: [(0, "bank")], monitoring: monitoring)
    func fix(_ coordinate: Coordinate, _ minute: Double) -> Event.Kind {
      let fix = Fix(
        at: scene.instant(minute),
        coordinate: coordinate,
        horizontalAccuracyMeters: 10
      )
      var bad = fix
      bad.coordinate = Self.nowhere[0]
      return monitoring == .everyFix ? .fix(fix) : .woken(by: fix, previous: bad)
    }
    scene.send(fix(coordinate, 1), minute: 1)
    let refused = scene.effects.compactMap { effect -> FixRefusal? in
      if case .record(.fixRefused(_, let refusal)) = effect { refusal } else { nil }
    }
    #expect(refused == [.badCoordinate])
    #expect(scene.engine.newestFix == nil)
    scene.send(fix(Scene.coordinate(mile: 7), 2), minute: 2)
    scene.send(fix(Scene.coordinate(mile: 4.9), 6), minute: 6)
    #expect(scene.heard().count == 1)
    let data = try JSONEncoder().encode(scene.engine.state)
    #expect(try JSONDecoder().decode(EngineState.self, from: data) == scene.engine.state)
  }

  @Test func `an app that may weigh for ever does`() throws {
    let rest = Reminder(id: "rest", title: "x", target: .place("hut"))
    var scene = try Scene(
      [rest],
      places: [Scene.place("hut", mile: 0)],
      monitoring: .regions(MonitorLimits())
    ) {
      $0.fencing.arrivalDetection = .posterior
      $0.monitor.longestWeighing = Milliseconds(.max)
    }
    var here = scene.start(at: 0.5, minute: 0, speed: 5)
    for step in 1...10 {
      let mile = 0.5 - Double(step) * 0.05
      here = scene.pass(from: here, to: mile, minute: Double(step) / 4, speed: 5)
    }
    scene.wait(until: 30)
    #expect(scene.engine.violations() == [])
  }

  @Test func `a number of the receiver that is none is left out`() throws {
    var scene = try Scene([Self.meds], pois: [(0, "bank")])
    for (number, wrong) in [Double.nan, .infinity, -.infinity].enumerated() {
      let fix = Fix(
        at: scene.instant(Double(number)),
        coordinate: Scene.coordinate(mile: 3),
        horizontalAccuracyMeters: 10,
        speedMetersPerSecond: wrong,
        courseDegrees: wrong
      )
      scene.send(.fix(fix), minute: Double(number))
      var poor = fix
      poor.horizontalAccuracyMeters = wrong
      poor.at = fix.at + .seconds(20)
      scene.send(.woken(by: poor, previous: poor), minute: Double(number) + 0.4)
    }
    let refused = scene.effects.filter {
      if case .record(.fixRefused(_, .invalidAccuracy)) = $0 { true } else { false }
    }
    #expect(refused.count == 3)
    let data = try JSONEncoder().encode(scene.engine.state)
    #expect(try JSONDecoder().decode(EngineState.self, from: data) == scene.engine.state)
  }

  @Test func `a sleeping app does not believe a position whose accuracy is not known`() throws {
    var scene = try Scene(
      [Reminder(id: "rest", title: "lie down", target: .place("hut"))],
      places: [Scene.place("hut", mile: 0)],
      monitoring: .regions(MonitorLimits())
    )
    let last = scene.start(at: 7, minute: 1, speed: 20)
    let unknown = Fix(
      at: scene.instant(5),
      coordinate: Scene.coordinate(mile: 0.7),
      horizontalAccuracyMeters: -1
    )
    scene.send(.woken(by: unknown, previous: last), minute: 5)
    #expect(scene.heard() == [])
  }

  @Test func `a radius that is no length is none`() throws {
    for wrong in [Double.nan, .infinity, -3, 0] {
      let place = Place(
        id: "p",
        name: "P",
        kind: .other,
        coordinate: Scene.coordinate(mile: 0),
        arrivalRadiusMeters: wrong
      )
      #expect(place.arrivalRadiusMeters == nil)
    }
  }

  @Test func `where nothing may be scheduled, nothing traps`() throws {
    var pills = Self.scheduled { $0.rule = RecurrenceRule(.daily) }
    pills.nag = Reminder.Nag(every: .minutes(5))
    for most in [0, -1] {
      var scene = try Scene([pills]) { $0.schedules.mostPending = most }
      scene.wait(until: 61)
      #expect(scene.heard() == ["60.00 n1: X."])
    }
  }

  @Test func `spans and ranks without an end trap nothing`() throws {
    var all = ["a", "b"]
      .map { id in
        Reminder(
          id: id,
          title: id,
          triggers: [.schedule(.instant(Scene.start + .minutes(60)))]
        )
      }
    all[0].priority = .min
    all[1].priority = .max
    var scene = try Scene(all) {
      $0.cooldown.perReminder = Milliseconds(.max)
      $0.snooze.most = Milliseconds(.max)
      $0.schedules.mostPending = .max
    }
    scene.wait(until: 61)
    #expect(scene.heard() == ["60.00 n1: B. / A."])
    // A snooze until an instant that no one can write would leave a state that cannot be read.
    scene.act("a", .snoozeFor(Milliseconds(.max)), minute: 62)
    scene.act("a", .snoozeFor(.minutes(600_000)), minute: 63)
    scene.wait(until: 100)
    #expect(scene.heard() == ["63.00 ~n1: B."])
    let stored = try JSONEncoder().encode(scene.engine.state)
    #expect(try JSONDecoder().decode(EngineState.self, from: stored) == scene.engine.state)
    let ancient = Fix(
      at: Timestamp(milliseconds: .min),
      coordinate: Scene.coordinate(mile: 0),
      horizontalAccuracyMeters: 5
    )
    scene.send(.fix(ancient), minute: 101)
    scene.send(.woken(by: ancient, previous: ancient), minute: 102)
    #expect(scene.heard() == [])
    // What a cooldown or a hold without an end adds up to.
    let (now, ever) = (scene.instant(102), Milliseconds(.max))
    #expect(now + ever == Timestamp(milliseconds: .max))
    #expect(Timestamp(milliseconds: .min) - ever == Timestamp(milliseconds: .min))
    #expect(now - Timestamp(milliseconds: .min) == ever && ever + ever == ever)
  }

  @Test func `instants at the ends of 64 bits have a date`() {
    for end in [Int64.min, .max] {
      let instant = Timestamp(milliseconds: end)
      for offset in [-86_400, 0, 86_400] {
        let zone = UTCOffsetTable(identifier: "Far", initialOffsetSeconds: offset, eras: [])
        let (date, minute) = zone.local(at: instant)
        #expect(zone.instant(of: date, minuteOfDay: minute) != instant)
        _ = zone.next(minuteOfDay: 0, after: Timestamp(milliseconds: end / 2))
      }
      #expect(RFC3339.parse(RFC3339.format(instant)) == nil)
    }
  }

  @Test func `tiers of the policy are held to what tiers of a reminder are`() throws {
    let odd: [[Tier]] = [
      [.approach(meters: 2_000_000), .arrival], [.arrival, .postArrival(delay: .seconds(0))],
      [.approach(meters: .infinity), .arrival],
    ]
    for tiers in odd {
      let error = #expect(throws: ReminderLoadError.self) {
        try Scene([Self.meds], pois: [(0, "bank")]) { $0.tiers.category = tiers }
      }
      #expect(error?.reminder == "meds")
    }
    // Also where the place is too large for the tier, and where it becomes one of another kind.
    let reminder = Reminder(id: "meds", title: "x", target: .place("hut"))
    for tier in [Tier.approach(meters: -1), .approach(meters: .nan)] {
      #expect(throws: ReminderLoadError.self) {
        try Scene([reminder], places: [Self.lake(radiusMeters: 100, id: "hut")]) {
          $0.tiers.other = [tier, .arrival]
        }
      }
    }
    var scene = try Scene([reminder], places: [Scene.place("hut", mile: 0)]) {
      $0.tiers.work = [.approach(meters: 2_000_000), .arrival]
    }
    scene.send(.placeSaved(Scene.place("hut", mile: 0, kind: .work)), minute: 1)
    let stored = try JSONEncoder().encode(scene.engine.state)
    #expect(try JSONDecoder().decode(EngineState.self, from: stored) == scene.engine.state)
    // A length that is none has a name, for a message has to say it.
    #expect(Tier.approach(meters: -.infinity).name != "")
  }

  @Test func `what no user can have written is left out of what was written`() throws {
    var scene = try Scene([Self.meds], pois: [(0, "bank")])
    let kinds: [Event.Kind] = [.launched, .timer, .reminderSaved(Self.changed { $0.title = "y" })]
    scene.send(.written(kinds.map { Event(at: scene.instant(1), $0) }), minute: 2)
    #expect(scene.engine.state.currentReminders.map(\.title) == ["y"])
  }

  @Test func `less than no reminder that is free is none`() throws {
    var scene = try Scene([Self.meds], pois: [(0, "bank")], entitlement: .free) {
      $0.plans.freeLiveReminders = -1
    }
    scene.at(7, minute: 1)
    scene.at(0, minute: 30, speed: 0)
    scene.wait(until: 60)
    #expect(scene.heard() == [])
  }

  @Test
  func `where each place has its fence, what was done begins anew, and new places are watched`()
    throws
  {
    let change: (inout Policy) -> Void = { $0.tiers.fenceSemantics = .perPOI }
    let meds = Self.changed {
      $0.tiers = [.arrival]
      $0.persistence = .once
    }
    var scene = try Scene([meds], pois: [(0, "bank")], change)
    for minute in [3.0, 103] {
      if minute > 100 { scene.act("meds", .reopen, minute: minute - 1) }
      scene.at(7, minute: minute)
      scene.at(0, minute: minute + 30, speed: 0)
      scene.wait(until: minute + 60)
      let heard = scene.heard()
      #expect(heard.count == 1 && heard[0].contains("Arriving"), "\(heard)")
    }
    scene.act("meds", .reopen, minute: 165)

    // The next process has a catalog with one more.
    var next = try Scene(
      [],
      pois: [(0, "bank"), (40, "bank")],
      state: scene.engine.state,
      from: Scene.start,
      change
    )
    next.at(20, minute: 190)
    next.at(40, minute: 220, speed: 0)
    next.wait(until: 250)
    let told = next.heard()
    #expect(told.count == 1 && told[0].contains("Arriving"), "\(told)")
  }

  private static func lake(radiusMeters: Double?, id: String = "lake") -> Place {
    Place(
      id: id,
      name: id.capitalized,
      kind: .other,
      coordinate: Scene.coordinate(mile: 0),
      arrivalRadiusMeters: radiusMeters
    )
  }

  /// What is told on the way from nine miles to a place.
  private func heard(_ scene: inout Scene, from minute: Double) -> [String] {
    for mile in stride(from: 9.0, through: 0, by: -0.5) {
      scene.at(mile, minute: minute + (9 - mile) * 10)
    }
    scene.wait(until: minute + 150)
    return scene.heard()
  }

  @Test
  func
    `a place as large as a lake is arrived at, and its tiers within it say nothing until it is smaller`()
    throws
  {
    let swim = Reminder(id: "swim", title: "swim", target: .place("lake"))
    var scene = try Scene([swim], places: [Self.lake(radiusMeters: 6_000)]) {
      $0.tiers.other = [.approach(miles: 5), .approach(miles: 3), .approach(miles: 1), .arrival]
    }
    let large = heard(&scene, from: 0)
    #expect(
      large.count == 2 && large[0].contains("miles") && large[1].contains("Arriving"),
      "\(large)"
    )
    let data = try JSONEncoder().encode(scene.engine.state)
    #expect(try JSONDecoder().decode(EngineState.self, from: data) == scene.engine.state)
    // Who edits its name changes nothing; as small as a pond, it has all of its tiers again.
    for (radius, count, minute) in [(6_000.0, 2, 400.0), (100, 4, 800), (nil, 4, 1_200)] {
      scene.send(.placeSaved(Self.lake(radiusMeters: radius)), minute: minute - 50)
      scene.at(12, minute: minute - 40)
      let told = heard(&scene, from: minute)
      #expect(told.count == count, "\(radius ?? 0): \(told)")
    }
  }

  @Test func `of two reminders of one id the second is refused`() throws {
    let error = #expect(throws: ReminderLoadError.self) { try Scene([Self.meds, Self.meds]) }
    #expect(error?.reminder == "meds")
  }

  @Test func `a list of places with one twice is refused by its id`() throws {
    let place =
      #"{"source_id":"node/1","categories":["bank"],"lat":35.9,"lon":14.5}"#
    let one = try JSONDecoder().decode(POICatalog.self, from: Data("[\(place)]".utf8))
    #expect(one.points.count == 1)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(POICatalog.self, from: Data("[\(place),\(place)]".utf8))
    }
  }
}
