import NearMeEngine
import Places
import Recurrence
import ReminderForms
import SettingsFiles
import TestSupport
import Testing
import Timeline

/// The documents' own forms of a reminder, in and out.
@Suite struct FormTests {
  // MARK: - As the documents write them

  @Test func `CTX-5.1, CTX-5.2: a reminder of triggers and conditions, to the byte`() throws {
    let text =
      #"{"id":"r1","title":"call Ann","triggers":[{"type":"PHONE_UNLOCK"},"#
      + #"{"type":"LOCATION_ENTER","place":"home"},{"type":"LOCATION_ENTER","category":"pharmacy"},"#
      + #"{"type":"CHARGING_STARTED"},{"type":"APP_OPENED","token":"a\"b"},"#
      + #"{"type":"TIME_WINDOW","days":["mon","fri"],"from":"22:00","to":"02:00"}],"#
      + #""conditions":[{"type":"TIME_WINDOW","days":["sat"],"from":"00:00","to":"24:00"}],"#
      + #""status":"waiting","createdAt":1767600000123}"#
    let reminder = try ContextForm.read(text)
    #expect(reminder.triggers.count == 6)
    #expect(reminder.triggers[2] == .category("pharmacy"))
    #expect(reminder.createdAt == Timestamp(milliseconds: 1_767_600_000_123))
    #expect(try ContextForm.write(reminder) == text)
    #expect(
      ContextForm.triggerTypes == [
        "TIME_WINDOW", "PHONE_UNLOCK", "LOCATION_ENTER", "CHARGING_STARTED", "APP_OPENED",
      ]
    )
    for (status, expected) in [("fired", PlainReminder.Status.fired), ("expired", .expired)] {
      let other = text.replacing("\"waiting\"", with: "\"\(status)\"")
      #expect(try ContextForm.read(other).status == expected)
      #expect(try ContextForm.write(ContextForm.read(other)) == other)
    }
  }

  @Test func `YOMO-4.6.1c, conflict 25: the document's example, with its zone`() throws {
    let text =
      #"{"id":"auto-generated","title":"Water the plants","notes":"","#
      + #""triggerDate":"2026-02-06T15:00:00Z","timeZone":null,"#
      + #""recurrence":{"type":"custom","interval":3,"unit":"day","daysOfWeek":null,"#
      + #""monthOrdinal":null,"monthDay":null,"timeRangeStart":null,"timeRangeEnd":null,"#
      + #""basedOnCompletion":false},"status":"active","snoozedUntil":null,"#
      + #""createdAt":"2026-02-05T10:00:00Z","updatedAt":"2026-02-05T10:00:00Z","completedAt":null}"#
    let reminder = try YomoForm.read(text)
    #expect(reminder.due == .instant(try #require(RFC3339.parse("2026-02-06T15:00:00Z"))))
    #expect(try YomoForm.write(reminder) == text)
    // As the document has it, without the zone.
    let bare = text.replacing(#""timeZone":null,"#, with: "")
    #expect(try YomoForm.read(bare) == reminder)
    var here = reminder
    here.zone = "Europe/Malta"
    #expect(try YomoForm.read(YomoForm.write(here)) == here)
  }

  @Test(arguments: [
    (#""type":"daily","interval":3,"unit":"day""#, "recurrence.interval"),
    (#""type":"daily","daysOfWeek":["mon"]"#, "recurrence.daysOfWeek"),
    (#""type":"weekly","unit":"month""#, "recurrence.unit"),
    (#""type":"weekly","monthOrdinal":1,"monthDay":"mon""#, "recurrence.monthOrdinal"),
    (#""type":"daily","timeRangeStart":"09:00""#, "recurrence.timeRangeStart"),
    (#""type":"none","basedOnCompletion":true"#, "recurrence.basedOnCompletion"),
    (#""type":"daily","skip":"backward""#, "recurrence.skip"),
    (#""type":"custom","interval":1,"unit":"week","skip":"backward""#, "recurrence.skip"),
    (#""type":"custom","interval":1,"unit":"month","skip":"omit""#, "recurrence.skip"),
  ])
  func `keys that a type of recurrence has no use for are refused`(
    _ recurrence: String,
    _ key: String
  ) {
    let error = #expect(throws: FormError.self) { try YomoForm.read(Self.yomo(recurrence)) }
    #expect(error?.key == key)
  }

  @Test func `every day and every week may be counted from the completion`() throws {
    var day = PlainReminder.Custom(interval: 1, unit: .day)
    day.isBasedOnCompletion = true
    let daily = try YomoForm.read(Self.yomo(#""type":"daily","basedOnCompletion":true"#))
    #expect(daily.repetition == .custom(day))
    var week = PlainReminder.Custom(interval: 1, unit: .week)
    (week.daysOfWeek, week.isBasedOnCompletion) = ([.monday], true)
    let weekly = try YomoForm.read(
      Self.yomo(#""type":"weekly","daysOfWeek":["mon"],"basedOnCompletion":true"#)
    )
    #expect(weekly.repetition == .custom(week))
    let same = try YomoForm.read(Self.yomo(#""type":"daily","interval":1,"unit":"day""#))
    #expect(same.repetition == .daily)
  }

  @Test(arguments: [
    ("SKIP=BACKWARD", ",\"skip\":\"backward\""), ("SKIP=FORWARD", ",\"skip\":\"forward\""),
  ])
  func `a month without the day comes back as it was`(_ part: String, _ said: String) throws {
    let rule = try RecurrenceRule("RSCALE=GREGORIAN;FREQ=MONTHLY;INTERVAL=2;\(part)")
    let start = try #require(WrittenTime("2026-01-31T09:00"))
    let rent = Reminder(
      id: "rent",
      title: "pay the rent",
      triggers: [.schedule(Schedule(start: start, rule: rule))]
    )
    let zones = SystemZones()
    let text = try YomoForm.write(PlainReminder(rent, here: .utc, zones: zones))
    #expect(text.contains("\"basedOnCompletion\":false\(said)}"), "\(text)")
    #expect(try YomoForm.read(text).reminder(here: .utc, zones: zones) == rent)
  }

  private static func yomo(_ recurrence: String) -> String {
    #"{"id":"a","title":"t","triggerDate":"2026-02-06T15:00:00Z","recurrence":{"#
      + recurrence + #"},"status":"active"}"#
  }

  @Test func `MOM-17: a task in a voice, its time as text or as Swift encodes dates`() throws {
    let text =
      #"{"id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","title":"drink water","#
      + #""time":"2026-02-06T15:00:00Z","frequency":"daily","momTone":"chaotic","isCompleted":false}"#
    let task = try YourMomForm.read(text)
    #expect(task.tone == "chaotic" && task.repetition == .daily && task.status == .open)
    #expect(try YourMomForm.write(task) == text)
    // 2026-02-06T15:00:00Z is 792,082,800 s after 2001.
    let number = text.replacing("\"2026-02-06T15:00:00Z\"", with: "792082800")
    #expect(try YourMomForm.read(number) == task)
    let optional = text.replacing(",\"isCompleted\":false", with: "")
    #expect(try YourMomForm.read(optional) == task)
  }

  @Test
  func `TODO-FR2, TODO-FR3: a captured task, its due date without a time and its priority by name`()
    throws
  {
    let text =
      #"{"id":"t1","text":"buy milk","dueDate":"2026-02-28","priority":"High","#
      + #""createdAt":"2026-02-05T10:00:00Z","completedAt":null}"#
    let task = try MorningForm.read(text)
    #expect(task.due == .date(try #require(CivilDate(year: 2026, month: 2, day: 28))))
    #expect(task.priority == .high)
    #expect(try MorningForm.write(task) == text)
    let bare = #"{"id":"t1","text":"buy milk","createdAt":"2026-02-05T10:00:00Z"}"#
    #expect(try MorningForm.read(bare).due == nil)
  }

  @Test func `a time without a zone is one of the clock that is there`() throws {
    let zones = SystemZones()
    let here = try #require(zones.zone(named: "America/New_York"))
    func due(_ time: String, zone: String? = nil) throws -> PlainReminder.Due? {
      let zone = zone.map { #", "timeZone": "\#($0)""# } ?? ""
      let text = #"{"id":"a","title":"t","triggerDate":"\#(time)","status":"active"\#(zone)}"#
      return try YomoForm.read(text, here: here, zones: zones).due
    }
    func instant(_ text: String) throws -> PlainReminder.Due {
      .instant(try #require(RFC3339.parse(text)))
    }
    let ten = try instant("2026-02-06T15:00:00Z")
    for time in ["2026-02-06T10:00:00", "2026-02-06 10:00", "2026-02-06T10:00:00.000 "] {
      #expect(try due(time) == ten, "\(time)")
    }
    for time in ["2026-02-06T15:00:00Z", "2026-02-06T16:00+01", "2026-02-06T10:00:00-05:00"] {
      #expect(try due(time) == ten, "\(time)")
    }
    #expect(try due("2026-02-06T16:00:00", zone: "Europe/Malta") == ten)
    #expect(try due("2026-02-06T15:00:00Z", zone: "Europe/Malta") == ten)
    let task =
      #"{"id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","title":"drink water","#
      + #""time":"2026-02-06T10:00:00","frequency":"daily","momTone":"chaotic"}"#
    #expect(try YourMomForm.read(task, here: here).due == ten)
    let captured = #"{"id":"t","text":"buy milk","createdAt":"2026-02-06T10:00:00"}"#
    #expect(
      try MorningForm.read(captured, here: here).createdAt == RFC3339.parse("2026-02-06T15:00:00Z")
    )
  }

  // MARK: - There and back

  private struct Form: Sendable {
    let name: String
    let read: @Sendable (String) throws -> PlainReminder
    let write: @Sendable (PlainReminder) throws -> String
  }

  private static let forms = [
    Form(
      name: "context",
      read: { try ContextForm.read($0) },
      write: { try ContextForm.write($0) }
    ),
    Form(name: "yomo", read: { try YomoForm.read($0) }, write: { try YomoForm.write($0) }),
    Form(
      name: "yourmom",
      read: { try YourMomForm.read($0) },
      write: { try YourMomForm.write($0) }
    ),
    Form(
      name: "morning",
      read: { try MorningForm.read($0) },
      write: { try MorningForm.write($0) }
    ),
  ]

  @Test
  func
    `every random reminder is written and read back the same, or refused by the key that is too much`()
    throws
  {
    var written = [0, 0, 0, 0]
    for seed in 0..<20_000 {
      var draws = SeededGenerator(seed: UInt64(seed))
      let reminder = Self.reminder(&draws)
      for (i, form) in Self.forms.enumerated() {
        guard let text = Result(catching: { try form.write(reminder) }).success else { continue }
        written[i] += 1
        #expect(try form.read(text) == reminder, "seed \(seed) \(form.name) \(text)")
      }
    }
    #expect(written.allSatisfy { $0 > 1_000 }, "\(written)")
  }

  // MARK: - Kept by the engine

  @Test func `what the engine keeps of a form's reminder is the same in that form again`() throws {
    let seed: UInt64 = 17
    var draws = SeededGenerator(seed: seed)
    let zones = SystemZones()
    let here = try #require(zones.zone(named: "America/New_York"))
    var (kept, unsaid) = (0, 0)
    for number in 0..<20_000 {
      let plain = Self.reminder(&draws)
      // What the engine has no rule for is refused; everything else it keeps.
      guard let reminder = try? plain.reminder(here: here, zones: zones) else { continue }
      kept += 1
      guard var again = try? PlainReminder(reminder, here: here, zones: zones) else {
        unsaid += 1
        continue
      }
      (again.createdAt, again.updatedAt) = (plain.createdAt, plain.updatedAt)
      again.completedAt = plain.completedAt
      #expect(try again.reminder(here: here, zones: zones) == reminder, "seed \(seed) \(number)")
      if case .custom? = plain.repetition {
        // Every one day is daily, a month's weekday is the n-th that it begins on.
        again.repetition = plain.repetition
      }
      // Clocks show an hour twice; without a zone it is the first.
      if plain.zone == nil, again.due != plain.due { again.due = plain.due }
      #expect(again == plain, "seed \(seed) \(number)")
    }
    #expect(kept > 15_000 && unsaid < kept / 50, "\(kept) kept, \(unsaid) without words again")
  }

  @Test func `conflict 6: a window alone is its opening, and is the window again`() throws {
    let text =
      #"{"id":"r1","title":"call Ann","triggers":[{"type":"TIME_WINDOW","days":["mon","fri"],"#
      + #""from":"22:00","to":"02:00"}],"conditions":[],"status":"waiting","createdAt":0}"#
    var plain = try ContextForm.read(text)
    let reminder = try plain.reminder(here: .utc, zones: NoZones())
    guard case .schedule(let opening)? = reminder.triggers.first else {
      Issue.record("a window that wakes nothing")
      return
    }
    #expect(opening.rule == (try RecurrenceRule("FREQ=WEEKLY;BYDAY=MO,FR")))
    #expect(opening.isFloating && opening.start.local.hour == 22)
    #expect(reminder.window?.text == "mon,fri 22:00-02:00" && reminder.persistence == .once)
    var again = try PlainReminder(reminder, here: .utc, zones: NoZones())
    again.createdAt = plain.createdAt
    #expect(try ContextForm.write(again) == text)
    // The same window as a condition besides stays one.
    plain.conditions = plain.triggers
    let both = try plain.reminder(here: .utc, zones: NoZones())
    again = try PlainReminder(both, here: .utc, zones: NoZones())
    again.createdAt = plain.createdAt
    #expect(again == plain)
  }

  @Test func `of several windows any will do, and none holds back another trigger`() throws {
    let windows =
      #"{"type":"TIME_WINDOW","days":["mon"],"from":"09:00","to":"12:00"},"#
      + #"{"type":"TIME_WINDOW","days":["tue"],"from":"22:00","to":"02:00"}"#
    func text(_ triggers: String) -> String {
      #"{"id":"r1","title":"call Ann","triggers":[\#(triggers)],"conditions":[],"#
        + #""status":"waiting","createdAt":0}"#
    }
    let morning = try #require(
      WeeklyWindow(days: [.monday], startMinute: 540, endMinute: 720)
    )
    let night = try #require(WeeklyWindow(days: [.tuesday], startMinute: 1_320, endMinute: 120))
    let cases: [(String, [Condition])] = [
      (windows, [.any([.window(morning), .window(night)])]),
      (windows + #",{"type":"PHONE_UNLOCK"}"#, []),
    ]
    for (triggers, conditions) in cases {
      let plain = try ContextForm.read(text(triggers))
      let reminder = try plain.reminder(here: .utc, zones: NoZones())
      #expect(reminder.conditions == conditions)
      #expect(reminder.triggers.count == plain.triggers.count)
      for case .schedule(let schedule) in reminder.triggers {
        #expect(!schedule.description.contains("without"), "\(schedule)")
      }
      var again = try PlainReminder(reminder, here: .utc, zones: NoZones())
      again.createdAt = plain.createdAt
      #expect(try ContextForm.write(again) == text(triggers))
    }
  }

  @Test func `what no form has a place for is refused by its name`() throws {
    let start = try #require(WrittenTime("2026-03-02T07:00"))
    func refusal(_ change: (inout Reminder) -> Void) -> String? {
      var reminder = Reminder(id: "a", title: "b", triggers: [.schedule(Schedule(start: start))])
      change(&reminder)
      do throws(FormError) {
        _ = try PlainReminder(reminder, here: .utc, zones: NoZones())
        return nil
      } catch { return error.key }
    }
    #expect(refusal { _ in } == nil)
    let cases: [(String, (inout Reminder) -> Void)] = [
      ("fallback", { $0.fallbackMinute = 60 }), ("muted", { $0.isMuted = true }),
      ("nag", { $0.nag = .init(every: .minutes(10)) }),
      ("expires", { $0.expires = start }), ("snooze", { $0.snooze = .untilNextArrival }),
      ("priority", { $0.priority = 2 }), ("persistence", { $0.persistence = .once }),
      ("conditions", { $0.conditions = [.signal("wifi", is: "true")] }),
      ("triggers", { $0.triggers.append($0.triggers[0]) }),
      ("triggers", { $0.triggers = [.leave(.place("p1"))] }),
      ("triggers", { $0.triggers = [.signal("car")] }),
      ("tiers", { $0.triggers = [.place(.place("p1"), tiers: [.arrival])] }),
      ("persistence", { $0.triggers = [.signal("unlock")] }),
      ("gap", { $0.triggers = [.schedule(Schedule(start: start, gap: .skip))] }),
      ("rdates", { $0.triggers = [.schedule(Schedule(start: start, added: [start]))] }),
      ("exdates", { $0.triggers = [.schedule(Schedule(start: start, excluded: [start]))] }),
      ("before", { $0.triggers = [.schedule(Schedule(start: start, leads: [.minutes(5)]))] }),
      ("anchor", { $0.triggers = [.schedule(Schedule(start: start, anchor: .schedule))] }),
      ("zone", { $0.triggers = [.schedule(Schedule(start: start, zone: "No/Where"))] }),
      (
        "rrule",
        {
          let rule = try? RecurrenceRule("FREQ=YEARLY")
          $0.triggers = [.schedule(Schedule(start: start, rule: rule))]
        }
      ),
    ]
    for (key, change) in cases { #expect(refusal(change) == key) }
  }

  // MARK: - Random ones

  /// A reminder that one of the forms may take: what all have, and what one of them has.
  private static func reminder(_ draws: inout SeededGenerator) -> PlainReminder {
    func chance() -> Bool { draws.index(below: 2) == 0 }
    func instant() -> Timestamp {
      Timestamp(milliseconds: Int64(draws.integer(0...4_000_000_000)) * 1_000)
    }
    func text() -> String {
      let pieces = ["a", "é", "\"", "\\", "\n", "👩‍👧", "{}", "\u{1}", " ", "null", "–"]
      return "t"
        + (0..<draws.integer(0...6)).map { _ in pieces[draws.index(below: pieces.count)] }.joined()
    }
    func days() -> [Weekday] { Weekday.allCases.filter { _ in chance() } }
    func clause(onlyWindow: Bool) -> PlainReminder.Clause {
      switch onlyWindow ? 0 : draws.index(below: 6) {
      case 0:
        // Never empty, and never equal times: as a condition nothing else is taken.
        let start = draws.integer(0...1_438)
        let window = WeeklyWindow(
          days: days() + [.sunday],
          startMinute: start,
          endMinute: draws.integer(start + 1...1_440)
        )
        return window.map { .window($0) } ?? .unlock
      case 1: return .unlock
      case 2: return .charging
      case 3: return .place(text())
      case 4: return .category(text())
      default: return .appOpened(text())
      }
    }
    var id = text()
    let kind = draws.index(below: 4)
    if kind == 2 {
      let hex = (0..<32).map { _ in String(draws.index(below: 16), radix: 16) }
      id = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { hex[$0].joined() }
        .joined(
          separator: "-"
        )
    }
    var reminder = PlainReminder(id: id, title: text())
    if chance(), kind != 2 { reminder.createdAt = instant() }
    switch kind {
    case 0:
      reminder.triggers = (0..<draws.integer(1...3)).map { _ in clause(onlyWindow: false) }
      reminder.conditions = (0..<draws.integer(0...2)).map { _ in clause(onlyWindow: true) }
      reminder.status = [.open, .fired, .expired][draws.index(below: 3)]
      reminder.createdAt = instant()
    case 1:
      if chance() { reminder.notes = text() }
      reminder.due = .instant(instant())
      if chance() { reminder.zone = "Europe/Malta" }
      reminder.repetition = repetition(&draws, days: days())
      reminder.status = chance() ? .open : .completed
      if chance() { reminder.snoozedUntil = instant() }
      if chance() { reminder.updatedAt = instant() }
      if chance() { reminder.completedAt = instant() }
    case 2:
      reminder.due = .instant(instant())
      reminder.repetition = chance() ? .daily : .weekly([])
      reminder.tone = ["sassy", "sweet", "chaotic"][draws.index(below: 3)]
      reminder.status = chance() ? .open : .completed
    default:
      if chance() { reminder.due = .date(CivilDate(daysSinceEpoch: draws.integer(0...60_000))) }
      reminder.priority = [nil, .high, .medium, .low][draws.index(below: 4)]
      reminder.createdAt = instant()
      if chance() { (reminder.status, reminder.completedAt) = (.completed, instant()) }
    }
    return reminder
  }

  private static func repetition(
    _ draws: inout SeededGenerator,
    days: [Weekday]
  ) -> PlainReminder.Repetition? {
    switch draws.index(below: 4) {
    case 0: return nil
    case 1: return .daily
    case 2: return .weekly(days)
    default:
      let unit = YomoRecurrence.Unit.allCases[draws.index(below: 4)]
      var custom = PlainReminder.Custom(interval: draws.integer(1...10_000), unit: unit)
      custom.daysOfWeek = days
      if unit == .month {
        custom.monthOrdinal = [1, 2, 3, 4, 5, -1][draws.index(below: 6)]
        custom.monthDay = Weekday.allCases[draws.index(below: 7)]
        custom.skip = SkipRule.allCases[draws.index(below: 3)]
      }
      if unit == .hour {
        custom.timeRange = YomoRecurrence.TimeRange(
          startMinute: draws.integer(0...1_439),
          endMinute: draws.integer(0...1_439)
        )
      }
      custom.isBasedOnCompletion = draws.index(below: 2) == 0
      return .custom(custom)
    }
  }

  // MARK: - What is wrong

  private static let unlock = #"{"id":"a","title":"t","triggers":[{"type":"PHONE_UNLOCK"}],"#

  @Test(arguments: [
    (0, "", "byte 1: no JSON"), (0, "[]", "must be an object"),
    (0, unlock + #""status":"waiting"}"#, "createdAt: must be a number of milliseconds"),
    (0, unlock + #""status":"done","createdAt":1}"#, "status: \"done\" is none of waiting, fired"),
    (0, unlock + #""status":"waiting","createdAt":1.5}"#, "createdAt: must be a whole number"),
    (
      0, unlock + #""status":"waiting","createdAt":9223372036854775807}"#,
      "createdAt: is out of all calendars"
    ),
    (0, unlock + #""color":"red"}"#, "color: there is no such key"),
    (0, unlock + #""id":"b"}"#, "id: comes twice"),
    (
      0, #"{"id":"a","title":"t","triggers":[{"type":"SHAKE"}]}"#,
      "triggers[0].type: \"SHAKE\" is none of TIME_WINDOW, PHONE_UNLOCK"
    ),
    (0, #"{"id":"a","title":"t","triggers":[]}"#, "triggers: there must be one"),
    (
      0, #"{"id":"a","title":"t","triggers":[{"type":"LOCATION_ENTER"}]}"#,
      "triggers[0].place: write either place or category"
    ),
    (
      0, #"{"id":"a","title":"t","triggers":[{"type":"TIME_WINDOW","from":"9:00","to":"9:00"}]}"#,
      "triggers[0].from: a window that never opens"
    ),
    (
      0, unlock + #""conditions":[{"type":"PHONE_UNLOCK"}]}"#,
      "conditions[0].type: as a condition write TIME_WINDOW"
    ),
    (1, #"{"id":"a","title":" "}"#, "title: must be a text with something in it"),
    (1, #"{"id":"a","title":"t","triggerDate":"soon"}"#, "triggerDate: must be a time"),
    (
      1,
      #"{"id":"a","title":"t","triggerDate":"2026-02-06T15:00:00Z","recurrence":{"type":"custom","interval":0}}"#,
      "recurrence.interval: must be a whole number from 1"
    ),
    (
      1,
      #"{"id":"a","title":"t","triggerDate":"2026-02-06T15:00:00Z","recurrence":{"type":"custom","interval":1,"unit":"month","monthOrdinal":2}}"#,
      "recurrence.monthOrdinal: goes with monthDay"
    ),
    (
      1, #"{"id":"a","title":"t","triggerDate":"9999-12-31T23:59:59-23:00"}"#,
      "triggerDate: is out of all calendars"
    ),
    (2, #"{"id":"1","title":"t"}"#, "id: must be a UUID"),
    (
      2, #"{"id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","title":"t","time":1e300}"#,
      "time: is out of all calendars"
    ),
    (3, #"{"id":"1","text":"t","dueDate":"2026-02-30"}"#, "dueDate: must be a date"),
    (3, #"{"id":"1","text":"t","dueDate":"2026-02-06T15:00:00Z"}"#, "dueDate: must be a date"),
    (
      3, #"{"id":"1","text":"t","priority":"urgent"}"#,
      "priority: \"urgent\" is none of High, Medium"
    ),
  ])
  func `what is wrong with a reminder is said with its key`(
    _ form: Int,
    _ text: String,
    _ message: String
  ) {
    let error = #expect(throws: FormError.self) { try Self.forms[form].read(text) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  @Test func `what a form has no place for is refused, never dropped`() throws {
    let now = Timestamp(seconds: 1_767_600_000)
    func message(_ form: Int, _ change: (inout PlainReminder) -> Void) -> String {
      var reminder = PlainReminder(id: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", title: "t")
      change(&reminder)
      let error = #expect(throws: FormError.self) { try Self.forms[form].write(reminder) }
      return error?.key ?? ""
    }
    #expect(message(0) { $0.due = .instant(now) } == "due")
    #expect(message(0) { $0.priority = .high } == "priority")
    #expect(message(1) { $0.triggers = [.unlock] } == "triggers")
    #expect(message(1) { $0.due = .date(CivilDate(daysSinceEpoch: 1)) } == "due")
    #expect(
      message(2) {
        $0.due = .instant(now)
        $0.tone = "sassy"
        $0.repetition = .weekly([.monday])
      } == "repetition"
    )
    #expect(message(3) { $0.repetition = .daily } == "repetition")
    #expect(message(3) { $0.due = .instant(now) } == "due")
  }

  @Test func `damaged texts are refused or read, and end`() throws {
    let good = [
      Self.unlock + #""status":"waiting","createdAt":1}"#,
      #"{"id":"a","title":"t","triggerDate":"2026-02-06T15:00:00Z","recurrence":{"type":"custom","interval":3,"unit":"hour","timeRangeStart":"09:00","timeRangeEnd":"18:00"},"status":"active"}"#,
      #"{"id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","title":"t","time":792082800,"frequency":"daily","momTone":"sweet"}"#,
      #"{"id":"t1","text":"buy milk","dueDate":"2026-02-28","createdAt":"2026-02-05T10:00:00Z"}"#,
    ]
    var draws = SeededGenerator(seed: 11)
    var read = 0
    for round in 0..<20_000 {
      var bytes = Array(good[round % 4].utf8)
      for _ in 0..<draws.integer(1...3) {
        switch draws.index(below: 3) {
        case 0: bytes[draws.index(below: bytes.count)] = UInt8(draws.index(below: 128))
        case 1: bytes.remove(at: draws.index(below: bytes.count))
        default:
          bytes.insert(bytes[draws.index(below: bytes.count)], at: draws.index(below: bytes.count))
        }
      }
      let form = Self.forms[round % 4]
      let text = String(decoding: bytes, as: UTF8.self)
      guard let reminder = Result(catching: { try form.read(text) }).success else { continue }
      read += 1
      // What was read can be written, and is then the same.
      #expect(try form.read(form.write(reminder)) == reminder, "\(text)")
    }
    #expect(read > 200)
  }
}

extension Result {
  fileprivate var success: Success? { if case .success(let value) = self { value } else { nil } }
}
