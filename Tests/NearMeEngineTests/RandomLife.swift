import Fencing
import Geodesy
import NearMeEngine
import Places
import Recurrence
import TestSupport
import Timeline
import Traces

/// A random person on a random road, for properties: places, reminders, and a stream of events of
/// every kind that there is.
struct RandomLife {
  let seed: UInt64
  let policy: Policy
  let zone: UTCOffsetTable
  let catalog: POICatalog
  let monitoring: Monitoring
  let places: [Place]
  let reminders: [Reminder]
  let entitlement: Entitlement
  let events: [Event]

  /// New York in the week in which its clocks go back, or forward.
  static let newYork = UTCOffsetTable(
    identifier: "America/New_York",
    initialOffsetSeconds: -18_000,
    eras: [
      UTCOffsetTable.Era(start: Timestamp(seconds: 1_772_953_200), offsetSeconds: -14_400),
      UTCOffsetTable.Era(start: Timestamp(seconds: 1_793_512_800), offsetSeconds: -18_000),
    ]
  )
  private static let starts: [Int64] = [1_767_600_000, 1_772_932_000, 1_793_490_000]
  private static let categories = ["pharmacy", "bank", "grocery"].map { CategoryID($0) }

  /// Draws a life, with the policy that ships.
  ///
  /// - Parameter measures: whether arrivals are measured by a radius, as a policy may ask for.
  /// - Parameter knowsLocalTimes: whether there are quiet hours, windows and snoozes for today.
  /// - Parameter hasUser: whether anybody answers.
  init(
    seed: UInt64,
    knowsLocalTimes: Bool = true,
    hasUser: Bool = true,
    measures: Bool = false,
    steps: Int = 120
  ) {
    self.seed = seed
    var random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 7)
    func chance(_ oneIn: Int) -> Bool { random.integer(1...oneIn) == 1 }

    var policy = measures ? Policy.measuring : Policy()
    if knowsLocalTimes, chance(2) {
      policy.quietHours = DailyWindow(
        startMinute: random.integer(0...1_439),
        endMinute: random.integer(0...1_439)
      )
    }
    if chance(6) { policy.tiers.fenceSemantics = .perPOI }
    if chance(5) { policy.bundle.window = .seconds(0) }
    if chance(6) { policy.cooldown.densePOIs = 2 }
    self.policy = policy
    zone = chance(2) ? Self.newYork : .utc
    // Both ways of monitoring; the sleeping app is woken at random, which is as good as any phone.
    monitoring = chance(3) ? .regions(MonitorLimits(slots: random.integer(2...20))) : .everyFix
    entitlement = chance(4) ? .free : .premium

    var points: [PointOfInterest] = []
    for i in 0..<random.integer(1...9) {
      points.append(
        PointOfInterest(
          sourceID: "node/\(i)",
          categories: [Self.categories[random.integer(0...2)]],
          name: "Shop \(i)",
          coordinate: Scene.coordinate(mile: random.uniform(-6...6))
        )
      )
    }
    catalog = POICatalog(points)
    let kinds: [PlaceKind] = [.home, .work, .other]
    let places = kinds.enumerated()
      .map { i, kind in Scene.place("p\(i)", mile: random.uniform(-6...6), kind: kind) }
    self.places = places
    var reminders: [Reminder] = []
    for i in 0..<random.integer(1...6) {
      reminders.append(
        Self.reminder(
          "r\(i)",
          &random,
          hasWindow: knowsLocalTimes && random.integer(1...4) == 1,
          hasTimes: knowsLocalTimes
        )
      )
    }
    self.reminders = reminders
    events = Self.events(
      &random,
      steps: steps,
      ids: reminders.map(\.id),
      monitoring,
      knowsLocalTimes: knowsLocalTimes,
      hasUser: hasUser
    )
  }

  private static func reminder(
    _ id: String,
    _ random: inout SeededGenerator,
    hasWindow: Bool,
    hasTimes: Bool
  ) -> Reminder {
    let target: Reminder.Target =
      random.integer(0...1) == 0
      ? .category(categories[random.integer(0...2)]) : .place("p\(random.integer(0...2))")
    var window: WeeklyWindow?
    if hasWindow {
      window = WeeklyWindow(
        days: Weekday.allCases.filter { _ in random.integer(0...1) == 0 },
        startMinute: random.integer(0...1_439),
        endMinute: random.integer(0...1_440)
      )
    }
    let tiers: [[Tier]?] = [
      nil, nil, nil, [.arrival], [.approach(miles: 2)],
      [.approach(miles: 1), .arrival, .postArrival(delay: .minutes(2))],
    ]
    var reminder = Reminder(
      id: id,
      title: "do \(id)",
      target: target,
      isMuted: random.integer(0...9) == 0,
      tiers: tiers[random.integer(0...5)],
      priority: random.integer(0...2),
      window: window
    )
    if hasTimes {
      addTriggers(to: &reminder, &random)
      addRules(to: &reminder, &random)
    }
    return reminder
  }

  /// What else must be so, and what ends it, for some of the reminders.
  private static func addRules(to reminder: inout Reminder, _ random: inout SeededGenerator) {
    let levels: [Condition] = [
      .inside(.place("p\(random.integer(0...2))")), .outside(.category(categories[0])),
      .signal("charging", is: "true"), .signal("car", is: "off"), .signal("focus", is: "off"),
      .lasting(.signal("charging", is: "on"), for: .minutes(5)),
      .lasting(.inside(.place("p1")), for: .minutes(3)),
      .dates(from: CivilDate(daysSinceEpoch: 20_458), until: nil),
    ]
    func level() -> Condition { levels[random.integer(0...levels.count - 1)] }
    switch random.integer(0...19) {
    case 0, 1, 2: reminder.conditions.append(level())
    case 3: reminder.conditions.append(.any([level(), level()]))
    case 4: reminder.conditions.append(.not(.all([level(), level()])))
    default: break
    }
    let all: [Reminder.Persistence?] = [.once, .untilCompleted, .perOccurrence, nil, nil, nil]
    reminder.persistence = all[random.integer(0...5)]
    if random.integer(0...5) == 0 {
      reminder.nag = Reminder.Nag(every: .minutes(7), atMost: random.integer(1...4))
      if random.integer(0...1) == 0 { reminder.nag?.untilMinute = random.integer(0...1_439) }
    }
    if random.integer(0...4) == 0 { reminder.fallbackMinute = random.integer(0...1_439) }
    if random.integer(0...9) == 0 {
      let end = starts[random.integer(0...2)] + Int64(random.integer(0...900)) * 60
      reminder.expires = WrittenTime(local: LocalDateTime(clamping: end), offsetSeconds: 0)
    }
  }

  /// Reasons that are no place, for a third of the reminders; some have no other.
  private static func addTriggers(to reminder: inout Reminder, _ random: inout SeededGenerator) {
    guard random.integer(0...2) == 0 else { return }
    let start = starts[random.integer(0...2)] + Int64(random.integer(0...400)) * 60
    let due = Timestamp(seconds: start)
    let (date, minute) = newYork.local(at: due)
    let times: [Trigger] = [
      .schedule(.instant(due)), .schedule(.local(date, minuteOfDay: minute)), .signal("unlock"),
      .signal("car"), .signal("charging", to: "on"), .leave(.place("p\(random.integer(0...2))")),
      .leave(.category(categories[1])),
      .schedule(series(&random, date, minute: minute)),
      .schedule(series(&random, date, minute: minute)),
    ]
    if random.integer(0...3) == 0 { reminder.triggers = [] }
    reminder.triggers.append(times[random.integer(0...times.count - 1)])
    if random.integer(0...3) == 0 { reminder.triggers.append(.place(.place("p1"), tiers: nil)) }
  }

  private static func series(
    _ random: inout SeededGenerator,
    _ date: CivilDate,
    minute: Int
  ) -> Schedule {
    let rules = [
      "FREQ=DAILY", "FREQ=HOURLY;INTERVAL=2", "FREQ=MINUTELY;INTERVAL=13;COUNT=9",
      "FREQ=DAILY;BYHOUR=0,8,9,10,11;BYMINUTE=5,50",
    ]
    let anchors: [Anchor] = [.schedule, .catchUp, .completion]
    var schedule = Schedule.local(date, minuteOfDay: minute)
    schedule.rule = try? RecurrenceRule(rules[random.integer(0...3)])
    schedule.anchor = anchors[random.integer(0...2)]
    if random.integer(0...2) == 0 { schedule.leads = [.minutes(6)] }
    return schedule
  }

  // MARK: Events

  private static func events(
    _ random: inout SeededGenerator,
    steps: Int,
    ids: [String],
    _ monitoring: Monitoring,
    knowsLocalTimes: Bool,
    hasUser: Bool
  ) -> [Event] {
    var now = Timestamp(seconds: starts[random.integer(0...2)])
    var mile = random.uniform(-8...8)
    var goal = mile
    var last: Fix?
    var events = [Event(at: now, .launched)]
    for _ in 0..<steps {
      // Mostly seconds and minutes, sometimes hours without a word.
      let spans: [Int64] = [1, 5, 20, 31, 60, 61, 120, 300, 900, 7_200]
      let seconds = spans[min(random.integer(0...9), random.integer(0...9))]
      now = now + .seconds(seconds)
      if abs(goal - mile) < 0.01 { goal = random.uniform(-8...8) }
      let reach = 0.015 * Double(seconds)
      mile += max(-reach, min(reach, goal - mile))
      if random.integer(0...5) == 0 { goal = mile }
      if hasUser, random.integer(0...3) == 0 {
        events.append(
          Event(at: now, user(&random, ids, mile: mile, knowsLocalTimes: knowsLocalTimes))
        )
        continue
      }
      let fix = Fix(
        at: random.integer(0...30) == 0 ? now - .seconds(40) : now,
        coordinate: Scene.coordinate(mile: mile),
        horizontalAccuracyMeters: random.integer(0...9) == 0 ? 400 : 8,
        speedMetersPerSecond: random.integer(0...1) == 0 ? 1 : nil
      )
      if case .regions = monitoring {
        events.append(Event(at: now, .woken(by: fix, previous: last)))
        last = fix
      } else {
        events.append(Event(at: now, .fix(fix)))
      }
      if random.integer(0...14) == 0 { events.append(Event(at: now, .launched)) }
    }
    return events
  }

  private static func user(
    _ random: inout SeededGenerator,
    _ ids: [String],
    mile: Double,
    knowsLocalTimes: Bool
  ) -> Event.Kind {
    let id = ids[random.integer(0...(ids.count - 1))]
    switch random.integer(0...28) {
    case 0: return .focus(true)
    case 1, 2: return .focus(false)
    case 3: return .reminderDeleted(id)
    case 4: return .action(reminder: id, .complete)
    case 5: return .action(reminder: id, .mute)
    case 6, 7: return .action(reminder: id, .unmute)
    case 8, 9:
      return .action(reminder: id, .snoozeFor(.minutes(Int64(random.integer(0...62)))))
    case 10: return .action(reminder: id, knowsLocalTimes ? .snoozeToday : .dismiss)
    case 11: return .action(reminder: id, .snoozeUntilNextArrival)
    case 12: return .action(reminder: id, .dismiss)
    case 13, 14:
      var edited = reminder(
        id,
        &random,
        hasWindow: knowsLocalTimes,
        hasTimes: knowsLocalTimes
      )
      edited.status = .active
      return .reminderSaved(edited)
    case 15:
      return .reminderSaved(
        reminder(
          "n\(random.integer(0...99))",
          &random,
          hasWindow: knowsLocalTimes,
          hasTimes: knowsLocalTimes
        )
      )
    case 16, 17:
      let i = random.integer(0...2)
      return .placeSaved(
        Scene.place("p\(i)", mile: random.integer(0...1) == 0 ? mile : random.uniform(-6...6))
      )
    case 18: return .placeDeleted("p\(random.integer(0...2))")
    case 19: return .entitlement(.free)
    case 20: return .entitlement(.premium)
    case 21: return .analytics(random.integer(0...1) == 0)
    case 22:
      let access: [LocationAccess] = [.always, .whileInUse, .servicesOff]
      return .locationAccess(access[random.integer(0...2)])
    case 27:
      if random.integer(0...1) == 0 { return .action(reminder: id, .reopen) }
      return .reminderReopened(
        reminder(id, &random, hasWindow: knowsLocalTimes, hasTimes: knowsLocalTimes)
      )
    case 28: return .action(reminder: id, .complete)
    case 25, 26:
      return .signal(
        Signal(
          name: ["unlock", "car", "charging"][random.integer(0...2)],
          id: "\(random.integer(0...9))",
          level: ["on", "off", nil][random.integer(0...2)]
        )
      )
    case 23:
      return knowsLocalTimes ? .zoneChanged(random.integer(0...1) == 0 ? .utc : newYork) : .timer
    default: return .action(reminder: "nobody", .complete)
    }
  }

  /// An engine at the beginning of this life, or with a state of it.
  func engine(_ state: EngineState? = nil, zone: UTCOffsetTable? = nil) throws -> Engine {
    var engine = Engine(
      policy: policy,
      zone: zone ?? self.zone,
      catalog: catalog,
      monitoring: monitoring,
      state: state ?? EngineState()
    )
    if state == nil {
      try engine.load(places: places, reminders: reminders, entitlement: entitlement)
    }
    return engine
  }
}
