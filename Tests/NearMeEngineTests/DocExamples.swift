import NearMe

// The examples of the types that an app touches first, as their documentation has them: what is shown
// there is built and run here. `DocExampleTests` compares the two.

enum DocExamples {
  static func values() throws -> [String] {
    let harbor = try Coordinate(latitude: 39.2854, longitude: -76.6089)
    let degrees = (harbor.latitude, harbor.longitude)
    let noon = Timestamp(seconds: 1_772_539_200)
    let later = noon + .minutes(5)
    let text = RFC3339.format(later)  // 2026-03-03T12:05:00Z
    let hold = Milliseconds.seconds(90)
    let isLong = hold > .minutes(1)
    let winter = UTCOffsetTable(identifier: "EST", initialOffsetSeconds: -5 * 3_600, eras: [])
    let minute = winter.local(at: Timestamp(seconds: 1_772_539_200)).minuteOfDay  // 07:00
    let night = DailyWindow(startMinute: 22 * 60, endMinute: 7 * 60)
    let isQuiet = night.contains(minuteOfDay: 23 * 60)
    let pharmacy = CategoryID("pharmacy")
    let tiers: [Tier] = [.approach(miles: 1), .arrival, .postArrival(delay: .minutes(5))]
    let names = tiers.map(\.name)  // approach:1mi, arrival, post_arrival:5m
    return ["\(degrees)", text, "\(isLong)", "\(minute)", "\(isQuiet)", pharmacy.name] + names
  }

  static func hosts() -> [Monitoring] {
    let asleep = Monitoring.regions(MonitorLimits(slots: 20))
    let tracking = Monitoring.everyFix
    return [asleep, tracking]
  }

  static func schedules() -> [Schedule] {
    let once = Schedule.instant(Timestamp(seconds: 1_772_539_200))
    let daily = Schedule(start: once.start, rule: RecurrenceRule(.daily))
    return [once, daily]
  }

  static func reasons() -> (triggers: [Trigger], condition: Condition) {
    let reasons: [Trigger] = [
      .place(.category(CategoryID("grocery"))),
      .leave(.place("home")),
      .signal("charging", to: "unplugged"),
    ]
    let onlineAtHome = Condition.all([
      .inside(.place("home")), .signal("connectivity", is: "online"),
    ])
    return (reasons, onlineAtHome)
  }

  /// A day in the life of an app.
  static func app(_ print: (Any...) -> Void) throws -> (engine: Engine, again: Engine) {
    func show(_ news: ReminderNotification) {
      print(news.id, news.kind.rawValue, news.text, news.members.map(\.reminder))
    }
    let corner = PointOfInterest(
      sourceID: "node/1",
      categories: [CategoryID("pharmacy")],
      name: "Corner Pharmacy",
      coordinate: try Coordinate(latitude: 39.29, longitude: -76.61)
    )
    let catalog = POICatalog([corner])
    let position = SurfacePoint(try Coordinate(latitude: 39.28, longitude: -76.61))
    if let slot = catalog.slot(of: CategoryID("pharmacy")),
      let near = catalog.nearest(slot: slot, to: position)
    {
      print(catalog.points[near.index].sourceID, near.distanceMeters)
    }
    let home = Place(
      id: "home",
      name: "Home",
      kind: .home,
      coordinate: try Coordinate(latitude: 39.2904, longitude: -76.6122)
    )
    let limits = MonitorLimits(slots: 20)
    print(limits)
    let meds = Reminder(
      id: "meds",
      title: "pick up the prescription",
      target: .category(CategoryID("pharmacy"))
    )
    let trash = Reminder(
      id: "trash",
      title: "take out the trash",
      triggers: [.place(.place("home"), tiers: [.arrival])],
      conditions: [.dates(from: CivilDate(year: 2026, month: 3, day: 3), until: nil)]
    )
    var policy = Policy()
    policy.monitor = .ios
    policy.quietHours = DailyWindow(startMinute: 22 * 60, endMinute: 7 * 60)
    let fix = Fix(
      at: Timestamp(seconds: 1_772_539_200),
      coordinate: try Coordinate(latitude: 39.2854, longitude: -76.6089),
      horizontalAccuracyMeters: 8,
      speedMetersPerSecond: 1.4
    )
    let now = fix.at + .minutes(-1)
    let launch = Event(at: now, .launched)
    let arrival = Event(at: fix.at, .woken(by: fix, previous: nil))
    var engine = Engine(
      policy: policy,
      zone: .utc,
      catalog: catalog,
      monitoring: .regions(MonitorLimits(slots: policy.monitor.slots))
    )
    try engine.load(places: [home], reminders: [meds, trash])
    var effects = engine.handle(Event(at: now, .launched))
    effects += engine.handle(launch) + engine.handle(arrival)
    for effect in effects {
      switch effect {
      case .post(let news), .replace(let news): print(news.id, news.text)
      case .wakeAt(let instant): print("timer", instant as Any)
      default: print(effect)
      }
    }
    for case .monitor(let change) in effects {
      for region in change.start {
        switch region.kind {
        case .enter: print("wake me inside", region.center, region.radiusMeters)
        case .exit, .safe: print("wake me outside", region.center, region.radiusMeters)
        }
      }
    }
    func follow(_ change: RegionChange) {
      for id in change.stop { print("stop", id) }
      for region in change.start { print("start", region.id) }
    }
    for case .monitor(let change) in effects { follow(change) }
    for case .post(let news) in effects { show(news) }
    let later = fix.at + .minutes(5)
    effects += engine.handle(
      Event(at: now, .signal(Signal(name: "charging", id: "7", level: "charging")))
    )
    effects += engine.handle(Event(at: now, .action(reminder: "meds", .snoozeFor(.minutes(30)))))
    effects += engine.handle(Event(at: later, .action(reminder: "meds", .complete)))
    let again = Engine(
      policy: policy,
      zone: .utc,
      catalog: catalog,
      monitoring: engine.monitoring,
      state: engine.state
    )
    return (engine, again)
  }
}
