import Basics
import Calendars
import Geodesy
import NearMeEngine
import Places
import Recurrence
import TestSupport
import Timeline

/// Reminders of every kind, whether calendars have words for them or not.
struct RandomCalendar {
  var draws: SeededGenerator

  init(seed: UInt64) { draws = SeededGenerator(seed: seed) }

  private static let zones = [
    "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "America/Santiago", "UTC",
    "Pacific/Apia", "Europe/Dublin", "Asia/Kathmandu",
  ]

  mutating func document(reminders: Int) throws -> CalendarDocument {
    var document = CalendarDocument()
    for i in 0...draws.integer(0...4) { document.places.append(try place("p\(i)")) }
    for i in 0..<reminders {
      var item = CalendarDocument.Item(try reminder("r\(i)", document.places.map(\.id)))
      if flip() { item.createdAt = second() }
      if flip() { item.changedAt = second() }
      if item.reminder.status == .completed, flip() { item.completedAt = second() }
      document.items.append(item)
    }
    return document
  }

  private mutating func flip(_ one: Int = 2) -> Bool { draws.integer(1...one) == 1 }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[draws.integer(0...values.count - 1)]
  }

  mutating func text(isPlain: Bool = false) -> String {
    let words = [
      "milk", "\"quoted\"", "back\\slash", "a:b;c,d", "tab\there", "two\nlines", "\\n",
      "Köln", "\u{1F6D2}\u{1F468}\u{200D}\u{1F469}", "日本語の長い題名", "é\u{301}", "^'^n",
      "a very long word that goes on and on and on until a line has to be folded somewhere",
      "END:VTODO", "\\,", "\\\\;",
    ]
    // No calendar has these.
    let odd = isPlain ? [] : ["cr\r\nlf", "bell\u{7}", "\u{7F}"]
    return "x " + (0...draws.integer(0...4)).map { _ in pick(words + odd) }.joined(separator: " ")
  }

  private mutating func second() -> Timestamp {
    Timestamp(seconds: 1_700_000_000 + Int64(draws.integer(0...200_000_000)))
  }

  private mutating func place(_ id: String) throws -> Place {
    Place(
      id: id,
      name: text(),
      kind: pick([.home, .work, .other]),
      coordinate: try Coordinate(
        latitude: pick([0, -90, 90, 39.2904, 1e-7, -33.868820000000001]),
        longitude: pick([0, 180, -76.6122, 1e-9, 151.20929])
      ),
      arrivalRadiusMeters: pick([nil, 150, 0.5, 402.336, 1e-3])
    )
  }

  private mutating func reminder(_ id: String, _ places: [String]) throws -> Reminder {
    if flip(3) { return try plainReminder(id, places) }
    return Reminder(
      id: id,
      title: text(),
      notes: flip(3) ? text() : nil,
      triggers: try (0...draws.integer(0...3)).map { _ in try trigger(places) },
      conditions: try (0..<draws.integer(0...2)).map { _ in try condition(places, 2) },
      status: flip(3) ? pick(Reminder.Status.allCases) : .active,
      isMuted: flip(5),
      snooze: pick([nil, nil, .untilNextArrival, .until(second())]),
      priority: flip() ? 0 : draws.integer(-3...12),
      persistence: pick([nil, nil, .once, .untilCompleted, .perOccurrence]),
      nag: flip(4) ? nag() : nil,
      expires: flip(6) ? time(dated: flip()) : nil,
      tone: flip(6) ? "sassy" : nil,
      fallbackMinute: flip(6) ? draws.integer(0...1_439) : nil
    )
  }

  /// One of which a task can say everything.
  private mutating func plainReminder(_ id: String, _ places: [String]) throws -> Reminder {
    let isDated = flip(5)
    let isZoned = flip()
    let start = time(dated: isDated)
    let recurs = flip()
    var triggers: [Trigger] = []
    if flip() {
      triggers.append(
        .schedule(
          Schedule(
            start: isDated ? start : WrittenTime(local: start.local),
            zone: isZoned && !isDated ? "Europe/Dublin" : nil,
            rule: recurs ? try RecurrenceRule("FREQ=WEEKLY;BYDAY=MO,FR;COUNT=30") : nil,
            excluded: recurs ? [isDated ? start : WrittenTime(local: start.local)] : [],
            leads: isDated ? [] : pick([[], [.minutes(10)], [.minutes(1_440), .minutes(60)]])
          )
        )
      )
    }
    if flip() || triggers.isEmpty {
      triggers.append(.place(.place(pick(places)), tiers: [.arrival]))
      triggers.append(.leave(.place(pick(places))))
      triggers.append(.signal("car", to: pick(["connected", "disconnected"])))
    }
    let isTimed = !isDated && triggers[0].target == nil
    return Reminder(
      id: id,
      title: text(isPlain: true),
      notes: flip(3) ? text(isPlain: true) : nil,
      triggers: triggers,
      status: pick([.active, .active, .completed, .expired]),
      priority: draws.integer(0...9),
      nag: isTimed && flip(4) ? Reminder.Nag(every: .minutes(10), atMost: 4) : nil
    )
  }

  private mutating func nag() -> Reminder.Nag {
    Reminder.Nag(
      every: pick([.minutes(10), .seconds(90), Milliseconds(60_500), .minutes(1_440)]),
      atMost: draws.integer(1...9),
      untilMinute: flip(3) ? 1_320 : nil
    )
  }

  private mutating func time(dated: Bool = false) -> WrittenTime {
    let local = LocalDateTime(
      clamping: 1_700_000_000 + Int64(draws.integer(0...200_000_000))
    )
    guard !dated else {
      let midnight = local.wallSeconds - Int64(local.secondOfDay)
      return WrittenTime(local: LocalDateTime(clamping: midnight), isDate: true)
    }
    return WrittenTime(local: local, offsetSeconds: pick([nil, nil, 0, -18_000, 20_700]))
  }

  private mutating func trigger(_ places: [String]) throws -> Trigger {
    switch draws.integer(0...7) {
    case 0...2: return .schedule(try schedule())
    case 3: return .place(.place(pick(places)), tiers: pick([nil, [.arrival], [.arrival]]))
    case 4: return .leave(.place(pick(places)))
    case 5:
      return pick([
        .signal("car", to: "connected"), .signal("car", to: "disconnected"), .signal("unlock"),
        .signal("charging", from: "unplugged", to: "full"),
      ])
    case 6: return .leave(.category(CategoryID("bank")))
    default: return .place(.category(CategoryID("pharmacy")), tiers: nil)
    }
  }

  private mutating func schedule() throws -> Schedule {
    let rules = [
      "FREQ=DAILY", "FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD",
      "FREQ=WEEKLY;BYDAY=MO,FR;INTERVAL=2",
      "FREQ=HOURLY;INTERVAL=3", "FREQ=YEARLY;COUNT=3", "FREQ=DAILY;UNTIL=20310601T000000Z",
      "FREQ=WEEKLY;UNTIL=20310101T080000", "FREQ=DAILY;UNTIL=20310101",
      "FREQ=MONTHLY;BYDAY=-1FR;WKST=SU",
    ]
    return Schedule(
      start: time(dated: flip(5)),
      zone: flip() ? pick(Self.zones) : nil,
      rule: flip() ? try RecurrenceRule(pick(rules)) : nil,
      added: flip(4) ? (0..<draws.integer(1...4)).map { _ in time(dated: flip(4)) } : [],
      excluded: flip(4) ? (0..<draws.integer(1...4)).map { _ in time(dated: flip(4)) } : [],
      gap: flip(8) ? .skip : .shift,
      anchor: flip(5) ? .completion : .catchUp,
      leads: flip(3)
        ? pick([[.minutes(10)], [.minutes(60), .seconds(90)], [Milliseconds(500)]]) : []
    )
  }

  private mutating func condition(_ places: [String], _ depth: Int) throws -> Condition {
    switch draws.integer(0...(depth > 0 ? 7 : 4)) {
    case 0:
      let night = WeeklyWindow(days: [.monday, .sunday], startMinute: 1_320, endMinute: 120)
      return night.map { .window($0) } ?? .signal("night", is: "true")
    case 1: return .dates(from: CivilDate(year: 2026, month: 2, day: 28), until: nil)
    case 2: return .inside(.place(pick(places)))
    case 3: return .outside(.category(CategoryID("bank")))
    case 4: return .signal("wifi", is: pick(["true", "false", "home net"]))
    case 5: return .lasting(.inside(.place(pick(places))), for: .minutes(10))
    case 6: return .not(try condition(places, depth - 1))
    default:
      let parts = try (0...1).map { _ in try condition(places, depth - 1) }
      return flip() ? .all(parts) : .any(parts)
    }
  }
}
