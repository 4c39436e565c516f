import Calendars
import Geodesy
import NearMeEngine
import Places
import Recurrence
import SettingsFiles
import Testing
import Timeline

/// Calendars of other programs, and what is wrong with some.
@Suite struct CalendarReaderTests {
  private static let reader = CalendarReader(zones: SystemZones())

  private func read(_ lines: String) throws -> CalendarReader.Reading {
    let text = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//x//EN\n\(lines)\nEND:VCALENDAR\n"
    return try Self.reader.read(Array(text.utf8))
  }

  private func task(_ lines: String, _ name: String = "VTODO") throws -> CalendarReader.Reading {
    try read(
      "BEGIN:\(name)\nUID:u1\nDTSTAMP:20260101T000000Z\nSUMMARY:call Ann\n\(lines)\nEND:\(name)"
    )
  }

  /// The only reminder; nothing is refused.
  private func reminder(_ lines: String, _ name: String = "VTODO") throws -> Reminder {
    let reading = try task(lines, name)
    #expect(reading.refusals.isEmpty, "\(reading.refusals)")
    return try #require(reading.document.items.first).reminder
  }

  private func time(_ text: String) throws -> WrittenTime { try #require(WrittenTime(text)) }

  // MARK: - Times

  @Test func `a due date is a time to speak, and alarms before it are leads`() throws {
    let alarm =
      "BEGIN:VALARM\nACTION:DISPLAY\nDESCRIPTION:x\nTRIGGER;RELATED=END:-PT15M\nEND:VALARM"
    let due = try reminder("DUE;TZID=Europe/Malta:20260302T070000\n\(alarm)")
    #expect(
      due.triggers == [
        .schedule(
          Schedule(start: try time("2026-03-02T07:00"), zone: "Europe/Malta", leads: [.minutes(15)])
        )
      ]
    )
    #expect(
      try reminder("DUE;VALUE=DATE:20260302").triggers
        == [.schedule(Schedule(start: try time("2026-03-02")))]
    )
    // From the beginning, eight hours before it is due.
    let both = try reminder(
      "DTSTART:20260302T090000\nDUE:20260302T170000\n"
        + alarm.replacing("RELATED=END:-PT15M", with: "RELATED=START:PT0S")
    )
    #expect(
      both.triggers == [
        .schedule(Schedule(start: try time("2026-03-02T17:00"), leads: [.minutes(480)]))
      ]
    )
    // A date at nine, as some programs say it.
    let nine = try reminder(
      "DUE;VALUE=DATE:20260302\n" + alarm.replacing("RELATED=END:-PT15M", with: "RELATED=END:PT9H")
    )
    #expect(nine.triggers == [.schedule(Schedule(start: try time("2026-03-02T09:00")))])
  }

  @Test func `a series with exceptions, moved times and an alarm that repeats`() throws {
    let reading = try read(
      """
      BEGIN:VTODO
      UID:u1
      SUMMARY:water
      DTSTART;TZID=America/New_York:20260302T070000
      RRULE:FREQ=DAILY
      EXDATE;TZID=America/New_York:20260303T070000,20260304T070000
      RDATE;VALUE=PERIOD:20260401T110000Z/PT1H
      BEGIN:VALARM
      ACTION:DISPLAY
      TRIGGER:PT0S
      REPEAT:3
      DURATION:PT5M
      END:VALARM
      END:VTODO
      BEGIN:VTODO
      UID:u1
      SUMMARY:water
      RECURRENCE-ID;TZID=America/New_York:20260305T070000
      DTSTART;TZID=America/New_York:20260305T090000
      END:VTODO
      BEGIN:VTODO
      UID:u1
      SUMMARY:water
      STATUS:COMPLETED
      RECURRENCE-ID;TZID=America/New_York:20260306T070000
      DTSTART;TZID=America/New_York:20260306T070000
      END:VTODO
      """
    )
    #expect(reading.refusals.isEmpty && reading.document.items.count == 1)
    let water = try #require(reading.document.items.first).reminder
    #expect(water.nag == Reminder.Nag(every: .minutes(5), atMost: 3))
    #expect(
      water.triggers == [
        .schedule(
          Schedule(
            start: try time("2026-03-02T07:00"),
            zone: "America/New_York",
            rule: try RecurrenceRule("FREQ=DAILY"),
            added: [try time("2026-04-01T11:00:00Z"), try time("2026-03-05T09:00")],
            excluded: try ["03", "04", "05", "06"].map { try time("2026-03-\($0)T07:00") }
          )
        )
      ]
    )
  }

  @Test(arguments: [
    ("Eastern Standard Time", "America/New_York"), ("W. Europe Standard Time", "Europe/Berlin"),
    ("Pacific Standard Time (Mexico)", "America/Tijuana"), ("UTC", "UTC"),
  ])
  func `zones as Windows names them`(_ windows: String, _ name: String) throws {
    let line = "DTSTART;TZID=\(windows):20260302T070000"
    guard case .schedule(let schedule) = try reminder(line, "VEVENT").triggers[0] else {
      Issue.record("no schedule")
      return
    }
    #expect(schedule.zone == name)
  }

  private static let unitedStates = """
    BEGIN:STANDARD
    DTSTART:20071104T020000
    RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU
    TZOFFSETFROM:-0400
    TZOFFSETTO:-0500
    END:STANDARD
    BEGIN:DAYLIGHT
    DTSTART:20070311T020000
    RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU
    TZOFFSETFROM:-0500
    TZOFFSETTO:-0400
    END:DAYLIGHT
    """
  private static let centralEurope = """
    BEGIN:STANDARD
    DTSTART:16011028T030000
    RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
    TZOFFSETFROM:+0200
    TZOFFSETTO:+0100
    END:STANDARD
    BEGIN:DAYLIGHT
    DTSTART:16010325T020000
    RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
    TZOFFSETFROM:+0100
    TZOFFSETTO:+0200
    END:DAYLIGHT
    """
  private static func always(_ offset: String) -> String {
    """
    BEGIN:STANDARD
    DTSTART:19700101T000000
    TZOFFSETFROM:\(offset)
    TZOFFSETTO:\(offset)
    END:STANDARD
    """
  }

  private func zoned(
    _ name: String,
    _ definition: String,
    _ more: String = ""
  ) throws
    -> CalendarReader.Reading
  {
    try read(
      "BEGIN:VTIMEZONE\nTZID:\(name)\n\(definition)\nEND:VTIMEZONE\nBEGIN:VTODO\nUID:a\nSUMMARY:x\n"
        + "DTSTART;TZID=\"\(name)\":20270105T120000\(more)\nEND:VTODO"
    )
  }

  @Test(arguments: [
    ("AST", always("-0400"), "Etc/GMT+4"), ("IST", always("+0530"), "Asia/Calcutta"),
    ("BST", always("+0000"), "UTC"), ("EST", always("-0500"), "Etc/GMT+5"),
    ("EST", unitedStates, "America/New_York"), ("Custom/EST", unitedStates, "America/New_York"),
    ("Customized Time Zone", centralEurope, "Europe/Berlin"),
    ("tzone://Microsoft/Custom", centralEurope, "Europe/Berlin"),
    ("(UTC+01:00) Amsterdam", centralEurope, "Europe/Berlin"),
    ("CET", centralEurope, "CET"), ("Factory", centralEurope, "Europe/Berlin"),
    // A name of the tz database is known better here than in a file.
    ("Europe/Moscow", always("+0400"), "Europe/Moscow"),
  ])
  func `a zone whose name leaves doubt is the one that the file defines`(
    _ name: String,
    _ definition: String,
    _ zone: String
  ) throws {
    let reading = try zoned(name, definition, "\nRRULE:FREQ=DAILY")
    #expect(reading.refusals.isEmpty, "\(reading.refusals)")
    guard case .schedule(let schedule)? = reading.document.items.first?.reminder.triggers.first
    else {
      Issue.record("no schedule")
      return
    }
    let zones = SystemZones()
    let (found, expected) = (
      try #require(zones.zone(named: schedule.zone ?? "")), try #require(zones.zone(named: zone))
    )
    // Some zones have several names.
    #expect(found.eras == expected.eras, "\(schedule)")
    #expect(found.initialOffsetSeconds == expected.initialOffsetSeconds || zone.hasPrefix("Asia"))
    #expect(schedule.start == (try time("2027-01-05T12:00")))
  }

  @Test func `a zone that is none that is known is an instant, or refuses its series`() throws {
    let odd = Self.always("-0417")
    #expect(
      try zoned("Bureau", odd).document.items.map(\.reminder.triggers)
        == [[.schedule(Schedule(start: try time("2027-01-05T16:17:00Z")))]]
    )
    #expect(
      try zoned("Bureau", odd, "\nRRULE:FREQ=DAILY").refusals.map(\.description) == [
        "line 15: DTSTART: the time zone \"Bureau\" is defined here as none that is known: write a "
          + "name such as Europe/Malta"
      ]
    )
    // What is no definition is none.
    let endless = odd.replacing("TZOFFSETFROM", with: "RRULE:FREQ=SECONDLY\nTZOFFSETFROM")
    #expect(try zoned("Bureau", endless).refusals.count == 1)
    #expect(try zoned("Bureau", Self.always("+9900")).refusals.count == 1)
    #expect(try zoned("Bureau", "").refusals.count == 1)
  }

  @Test(arguments: ["AST", "BST", "IST", "SST", "CST", "PST", "JST", "Custom/EST"])
  func `an abbreviation without a definition may be one of several zones`(_ name: String) throws {
    #expect(
      try task("DUE;TZID=\(name):20270705T120000").refusals.map(\.description) == [
        "line 8: DUE: the time zone \"\(name)\" may be one of several: write a name such as "
          + "Europe/Malta"
      ]
    )
  }

  @Test(arguments: [
    ("europe/berlin", "Europe/Berlin"), ("america/port_of_spain", "America/Port_of_Spain"),
    ("etc/gmt+5", "Etc/GMT+5"), ("us/pacific", "US/Pacific"), ("utc", "UTC"), ("CET", "CET"),
    ("EST5EDT", "EST5EDT"), ("tzone://Microsoft/Utc", "UTC"),
    ("Coordinated Universal Time", "UTC"), ("Mexico Standard Time", "America/Mexico_City"),
    ("Kamchatka Standard Time", "Asia/Kamchatka"), ("GMT+0200", "Etc/GMT-2"),
    ("GMT-5", "Etc/GMT+5"), ("+02:00", "Etc/GMT-2"),
    ("(UTC+01:00) Amsterdam, Berlin, Bern, Rome", "Europe/Amsterdam"),
    ("(UTC-05:00) Eastern Time (US & Canada)", "America/New_York"),
    ("(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi", "Asia/Kolkata"),
  ])
  func `zones in other words`(_ name: String, _ zone: String) throws {
    let triggers = try reminder("DUE;TZID=\"\(name)\":20270705T120000").triggers
    #expect(triggers == [.schedule(Schedule(start: try time("2027-07-05T12:00"), zone: zone))])
  }

  @Test func `what a series becomes from some day on is refused by its name`() throws {
    let reading = try read(
      """
      BEGIN:VEVENT
      UID:u1
      SUMMARY:meet
      DTSTART;TZID=America/New_York:20260302T120000
      RRULE:FREQ=WEEKLY
      END:VEVENT
      BEGIN:VEVENT
      UID:u1
      SUMMARY:meet
      RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=America/New_York:20260316T120000
      DTSTART;TZID=America/New_York:20260316T130000
      END:VEVENT
      """
    )
    #expect(reading.refusals.map(\.line) == [13])
    #expect(reading.refusals.first?.reason.contains("THISANDFUTURE") == true)
  }

  @Test(arguments: ["", "RRULE:FREQ=WEEKLY\n"])
  func `an alarm before the end of an event is left out by name, whether or not it recurs`(
    _ rule: String
  ) throws {
    let reading = try read(
      """
      BEGIN:VEVENT
      UID:u1
      SUMMARY:meet
      DTSTART:20260302T090000
      DTEND:20260302T100000
      \(rule)BEGIN:VALARM
      ACTION:DISPLAY
      TRIGGER;RELATED=END:-PT15M
      END:VALARM
      END:VEVENT
      """
    )
    let schedules = reading.document.items.flatMap(\.reminder.triggers)
    guard case .schedule(let schedule)? = schedules.first else {
      Issue.record("no schedule")
      return
    }
    #expect(schedule.leads == [])
    #expect(reading.notices.map(\.reason).contains { $0.contains("an alarm") })
  }

  @Test func `an alarm on the evening before a day is a time of its own`() throws {
    func alarm(_ span: String) -> String {
      "BEGIN:VALARM\nACTION:DISPLAY\nDESCRIPTION:x\nTRIGGER:\(span)\nEND:VALARM"
    }
    let eve = try reminder("DTSTART;VALUE=DATE:20260302\n" + alarm("-PT6H"), "VEVENT")
    #expect(
      eve.triggers == [
        .schedule(Schedule(start: try time("2026-03-02"))),
        .schedule(Schedule(start: try time("2026-03-01T18:00"))),
      ]
    )
    let before = try reminder("DTSTART;VALUE=DATE:20260302\n" + alarm("-P1D"), "VEVENT")
    #expect(
      before.triggers == [
        .schedule(Schedule(start: try time("2026-03-02"), leads: [.minutes(1_440)]))
      ]
    )
  }

  @Test(arguments: [["PT9H", "PT12H", "-PT6H"], ["-PT6H", "PT12H", "PT9H"]])
  func `alarms of a day are the same times in whatever order they stand`(
    _ spans: [String]
  ) throws {
    let alarms = spans.map { "BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:\($0)\nEND:VALARM" }
    let day = try reminder("DTSTART;VALUE=DATE:20260302\n" + alarms.joined(separator: "\n"))
    #expect(
      day.triggers
        == (try ["2026-03-02T09:00", "2026-03-01T18:00", "2026-03-02T12:00"]
          .map { .schedule(Schedule(start: try time($0))) })
    )
  }

  @Test(arguments: [
    ("VEVENT", "DTSTART:20260302T090000\nDURATION:PT1H"),
    (
      "VEVENT",
      "DTSTART;TZID=America/New_York:20260302T090000\nDTEND;TZID=Europe/Malta:20260302T160000"
    ),
    ("VTODO", "DTSTART:20260302T090000\nDUE:20260302T100000\nRRULE:FREQ=DAILY"),
    ("VTODO", "DTSTART:20260302T090000\nDURATION:PT1H\nRRULE:FREQ=DAILY"),
  ])
  func `an alarm is counted from the end where it says so`(_ name: String, _ lines: String) throws {
    let alarm = "\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER;RELATED=END:-PT90M\nEND:VALARM"
    let triggers = try reminder(lines + alarm, name).triggers
    guard case .schedule(let schedule)? = triggers.first else {
      Issue.record("no schedule")
      return
    }
    #expect(schedule.leads == [.minutes(30)])
  }

  @Test func `alarms that no reminder has are left out by name`() throws {
    func notices(_ lines: String, _ trigger: String) throws -> [String] {
      let alarm = "\nBEGIN:VALARM\nACTION:DISPLAY\n\(trigger)\nEND:VALARM"
      return try task(lines + alarm, "VEVENT").notices.map(\.reason)
    }
    #expect(
      try notices("DTSTART:20260302T090000\nDTEND:20260302T100000Z", "TRIGGER;RELATED=END:-PT9M")
        == ["left out: an alarm -PT9M, for from when to when it lasts is not known, DTEND"]
    )
    #expect(
      try notices(
        "DTSTART:20260302T090000Z",
        "TRIGGER;VALUE=DATE-TIME:20260302T100000Z\nREPEAT:2\nDURATION:PT5M"
      ) == ["left out: that an alarm at an instant repeats"]
    )
  }

  private func alarm(_ trigger: String, _ lines: String = "") -> String {
    "\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER\(trigger)\n\(lines)END:VALARM"
  }

  @Test func `an alarm at an instant before a task's time goes along with that`() throws {
    let berlin = ";TZID=Europe/Berlin:20261005T090000"
    let daily = "DTSTART\(berlin)\nDUE\(berlin)\nRRULE:FREQ=DAILY"
    var schedule = Schedule(
      start: try time("2026-10-05T09:00"),
      zone: "Europe/Berlin",
      rule: try RecurrenceRule("FREQ=DAILY")
    )
    let answered = "ACKNOWLEDGED:20261005T070100Z\n"
    let instant = ";VALUE=DATE-TIME:20261005T070000Z"
    for lines in ["", answered] {
      #expect(try reminder(daily + alarm(instant, lines)).triggers == [.schedule(schedule)])
    }
    schedule.leads = [.minutes(15)]
    let early = alarm(";VALUE=DATE-TIME:20261005T064500Z", "ACKNOWLEDGED:20261005T064600Z\n")
    #expect(try reminder(daily + early).triggers == [.schedule(schedule)])
    // Without Z it is a time of its zone, or of the phone's clock.
    let local = alarm(";VALUE=DATE-TIME;TZID=Europe/Berlin:20261005T084500")
    #expect(try reminder(daily + local).triggers == [.schedule(schedule)])
    #expect(
      try reminder("DUE:20261205T180000" + alarm(";VALUE=DATE-TIME:20261205T170000")).triggers
        == [.schedule(Schedule(start: try time("2026-12-05T18:00"), leads: [.minutes(60)]))]
    )
    // Where only the phone knows how long before it comes, it is a time of its own.
    #expect(
      try reminder("DUE:20261205T180000" + alarm(";VALUE=DATE-TIME:20261205T170000Z")).triggers
        == ["2026-12-05T18:00", "2026-12-05T17:00:00Z"]
        .map { .schedule(Schedule(start: try time($0))) }
    )
  }

  @Test func `an alarm at an instant that is over is left out by name`() throws {
    let due = "DUE;TZID=Europe/Berlin:20271005T090000"
    let own: [Trigger] = [
      .schedule(Schedule(start: try time("2027-10-05T09:00"), zone: "Europe/Berlin"))
    ]
    let instant = ";VALUE=DATE-TIME:20261005T070000Z"
    func expect(_ reading: CalendarReader.Reading, _ reason: String) {
      #expect(reading.document.items.map(\.reminder.triggers) == [own])
      #expect(
        reading.notices.map(\.reason)
          == ["left out: an alarm at 2026-10-05T07:00:00Z, which " + reason]
      )
    }
    expect(
      try task(due + alarm(instant, "ACKNOWLEDGED:20261005T070100Z\n")),
      "was answered"
    )
    expect(try task("LAST-MODIFIED:20261006T070100Z\n" + due + alarm(instant)), "is past")
    let text =
      "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:a\nSUMMARY:x\n\(due)\(alarm(instant))\nEND:VTODO\n"
      + "END:VCALENDAR"
    let reader = CalendarReader(zones: SystemZones(), now: RFC3339.parse("2026-11-30T00:00:00Z"))
    expect(try reader.read(Array(text.utf8)), "is past")
    // One that is not is a lead, and one of a task without another time stays.
    #expect(try reminder(due + alarm(instant)).triggers.count == 1)
    #expect(
      try reminder("LAST-MODIFIED:20261006T070100Z" + alarm(instant)).triggers
        == [.schedule(Schedule(start: try time("2026-10-05T07:00:00Z")))]
    )
  }

  @Test(arguments: ["", "Z"])
  func `the instant of alarms that have none is none`(_ end: String) throws {
    let none = alarm(";VALUE=DATE-TIME:19760401T005545" + end)
    #expect(try reminder("PRIORITY:1" + none).triggers == [])
    #expect(
      try reminder("DUE:20261205T180000" + none).triggers
        == [.schedule(Schedule(start: try time("2026-12-05T18:00")))]
    )
  }

  @Test func `an alarm at an instant of a whole day is that day's time`() throws {
    let date = "DTSTART;VALUE=DATE:20261205\nDUE;VALUE=DATE:20261205"
    let instants = ["20261205T080000Z", "20261205T180000Z"]
      .map { alarm(";VALUE=DATE-TIME:\($0)") }
    func times(_ times: String...) throws -> [Trigger] {
      try times.map { .schedule(Schedule(start: try time($0))) }
    }
    #expect(try reminder(date + instants[0]).triggers == times("2026-12-05T08:00:00Z"))
    #expect(
      try reminder(date + instants[1] + instants[0]).triggers
        == times("2026-12-05T08:00:00Z", "2026-12-05T18:00:00Z")
    )
    // It is a day of the file's zone, or of the phone's.
    let text = "\(date)\(alarm(";VALUE=DATE-TIME:20261206T020000Z"))"
    #expect(try reminder(text).triggers == times("2026-12-05", "2026-12-06T02:00:00Z"))
    let todo = "BEGIN:VTODO\nUID:a\nSUMMARY:x\n\(text)\nEND:VTODO"
    #expect(
      try read("X-WR-TIMEZONE:America/New_York\n" + todo).document.items.map(\.reminder.triggers)
        == [times("2026-12-06T02:00:00Z")]
    )
    let zone = try #require(SystemZones().zone(named: "America/New_York"))
    let reader = CalendarReader(zones: SystemZones(), here: zone)
    #expect(
      try reader.read(Array("BEGIN:VCALENDAR\n\(todo)\nEND:VCALENDAR".utf8)).document.items
        .map(\.reminder.triggers) == [times("2026-12-06T02:00:00Z")]
    )
  }

  @Test func `whole days that recur have the time of their alarm`() throws {
    let monthly = "DTSTART;VALUE=DATE:20261205\nRDATE;VALUE=DATE:20261220\nRRULE:FREQ=MONTHLY"
    let evening = Schedule(
      start: try time("2026-12-05T18:00"),
      rule: try RecurrenceRule("FREQ=MONTHLY"),
      added: [try time("2026-12-20T18:00")]
    )
    let event = try task(monthly + alarm(":PT18H"), "VEVENT")
    #expect(event.document.items.map(\.reminder.triggers) == [[.schedule(evening)]])
    #expect(event.notices.isEmpty)
    let zoned =
      "BEGIN:VTODO\nUID:a\nSUMMARY:x\n\(monthly)"
      + alarm(";VALUE=DATE-TIME:20261205T170000Z") + "\nEND:VTODO"
    #expect(
      try read("X-WR-TIMEZONE:Europe/Berlin\n" + zoned).document.items.map(\.reminder.triggers)
        == [[.schedule(evening)]]
    )
    let two = try task(monthly + alarm(":PT20H") + alarm(":PT18H"))
    #expect(two.document.items.map(\.reminder.triggers) == [[.schedule(evening)]])
    #expect(
      two.notices.map(\.reason) == [
        "left out: an alarm at 2026-12-05T20:00 of whole days that recur, after their first one"
      ]
    )
  }

  @Test func `a task that begins and lasts is due at its end`() throws {
    let lines = "DTSTART;TZID=Europe/Berlin:20261205T080000\nDURATION:PT10H"
    let reading = try task(lines + alarm(";RELATED=END:-PT15M") + alarm(":PT0S"))
    #expect(
      reading.document.items.map(\.reminder.triggers) == [
        [
          .schedule(
            Schedule(
              start: try time("2026-12-05T18:00"),
              zone: "Europe/Berlin",
              leads: [.minutes(15), .minutes(600)]
            )
          )
        ]
      ]
    )
    #expect(reading.notices.map(\.reason) == ["left out: DTSTART: it speaks when it is due"])
  }

  @Test func `an alarm before the end of a task that recurs comes then`() throws {
    let berlin = ";TZID=Europe/Berlin:2026"
    let lines =
      "DTSTART\(berlin)1205T080000\nDUE\(berlin)1205T180000\nRRULE:FREQ=WEEKLY;UNTIL=20261226T070000Z\n"
      + "EXDATE\(berlin)1212T080000" + alarm(";RELATED=END:-PT15M")
    var first = Schedule(
      start: try time("2026-12-05T08:00"),
      zone: "Europe/Berlin",
      rule: try RecurrenceRule("FREQ=WEEKLY;UNTIL=20261226T070000Z"),
      excluded: [try time("2026-12-12T08:00")]
    )
    var second = Schedule(
      start: try time("2026-12-05T17:45"),
      zone: "Europe/Berlin",
      rule: try RecurrenceRule("FREQ=WEEKLY;UNTIL=20261226T164500Z"),
      excluded: [try time("2026-12-12T17:45")]
    )
    let plain = try task(lines)
    #expect(
      plain.document.items.map(\.reminder.triggers) == [[.schedule(first), .schedule(second)]]
    )
    #expect(plain.notices.map(\.reason) == ["left out: DUE: it speaks when it begins"])
    // An occurrence that was moved takes it along.
    let todo = "BEGIN:VTODO\nUID:u1\nSUMMARY:x\n"
    let moved =
      "RECURRENCE-ID\(berlin)1219T080000\nDTSTART\(berlin)1220T080000\nDUE\(berlin)1220T180000"
      + alarm(";RELATED=END:-PT15M")
    let reading = try read(todo + lines + "\nEND:VTODO\n" + todo + moved + "\nEND:VTODO")
    first.excluded.append(try time("2026-12-19T08:00"))
    first.added = [try time("2026-12-20T08:00")]
    second.excluded.append(try time("2026-12-19T17:45"))
    second.added = [try time("2026-12-20T17:45")]
    #expect(
      reading.document.items.map(\.reminder.triggers) == [[.schedule(first), .schedule(second)]]
    )
    #expect(reading.notices.map(\.reason) == ["left out: DUE: it speaks when it begins"])
    // Where it would be on another day, it is left out.
    let long = try task(lines.replacing("DUE\(berlin)1205", with: "DUE\(berlin)1206"))
    #expect(long.document.items.first?.reminder.triggers.count == 1)
    #expect(long.notices.first?.reason.contains("which is after its time") == true)
  }

  @Test func `an alarm that repeats without saying how often comes once`() throws {
    let absolute = try task(
      "DUE:20261205T090000Z" + alarm(";VALUE=DATE-TIME:20261205T080000Z", "REPEAT:1\n")
    )
    let relative = try task("DUE:20261205T090000Z" + alarm(";RELATED=END:-PT1H", "REPEAT:1\n"))
    for reading in [absolute, relative] {
      #expect(reading.refusals.isEmpty)
      #expect(
        reading.document.items.map(\.reminder.triggers) == [
          [.schedule(Schedule(start: try time("2026-12-05T09:00:00Z"), leads: [.minutes(60)]))]
        ]
      )
      #expect(
        reading.notices.map(\.reason)
          == ["left out: that an alarm repeats, for its REPEAT has no DURATION such as PT10M"]
      )
    }
  }

  @Test func `an occurrence that was moved comes when it begins, and what else it says is named`()
    throws
  {
    let reading = try read(
      """
      BEGIN:VTODO
      UID:u1
      SUMMARY:water
      DTSTART:20260302T070000
      RRULE:FREQ=DAILY
      END:VTODO
      BEGIN:VTODO
      UID:u1
      SUMMARY:water
      DESCRIPTION:roses first
      PRIORITY:1
      LOCATION:garden
      RECURRENCE-ID:20260305T070000
      DTSTART:20260305T090000
      DUE:20260305T100000
      BEGIN:VALARM
      TRIGGER:-PT5M
      END:VALARM
      END:VTODO
      """
    )
    let water = try #require(reading.document.items.first).reminder
    #expect(
      water.triggers == [
        .schedule(
          Schedule(
            start: try time("2026-03-02T07:00"),
            rule: try RecurrenceRule("FREQ=DAILY"),
            added: [try time("2026-03-05T09:00")],
            excluded: [try time("2026-03-05T07:00")]
          )
        )
      ]
    )
    #expect(
      reading.notices.map(\.description) == [
        "u1: left out of 2026-03-05T07:00: other notes, another priority, other alarms, "
          + "DUE: it speaks when it begins, LOCATION"
      ]
    )
  }

  /// A series, and occurrences of it that have tasks of their own: what stands after `RECURRENCE-ID` and `DTSTART`.
  private func series(_ lines: String, _ moved: [(was: String, new: String)]) throws -> [Trigger] {
    let task = "BEGIN:VTODO\nUID:u1\nSUMMARY:water\n"
    let others = moved.map { (was, new) in
      task + "RECURRENCE-ID\(was)\n" + (new.isEmpty ? "" : "DTSTART\(new)\n") + "END:VTODO"
    }
    let reading = try read(
      ([task + lines + "\nEND:VTODO"] + others).joined(separator: "\n")
    )
    #expect(reading.refusals.isEmpty, "\(reading.refusals)")
    return try #require(reading.document.items.first).reminder.triggers
  }

  @Test func `an occurrence that was changed and not moved comes at its time`() throws {
    let malta = ";TZID=Europe/Malta:"
    let lines = "DTSTART\(malta)20261205T090000\nRRULE:FREQ=DAILY;COUNT=5"
    var schedule = Schedule(
      start: try time("2026-12-05T09:00"),
      zone: "Europe/Malta",
      rule: try RecurrenceRule("FREQ=DAILY;COUNT=5")
    )
    let same = malta + "20261207T090000"
    #expect(try series(lines, [(same, same)]) == [.schedule(schedule)])
    #expect(try series(lines, [(":20261207T080000Z", same)]) == [.schedule(schedule)])
    #expect(try series(lines, [(same, "")]) == [.schedule(schedule)])
    #expect(try series(lines, [(";VALUE=DATE:20261207", same)]) == [.schedule(schedule)])
    // A day of a RECURRENCE-ID is the series' time of that day, and no other one.
    schedule.added = [try time("2026-12-07T14:00")]
    schedule.excluded = [try time("2026-12-07T09:00")]
    #expect(
      try series(lines, [(";VALUE=DATE:20261207", malta + "20261207T140000")])
        == [.schedule(schedule)]
    )
  }

  @Test(arguments: [false, true])
  func `an occurrence that was moved to another one's time comes then`(_ isReversed: Bool) throws {
    let moved = [
      (was: ":20261206T090000", new: ":20261207T090000"),
      (was: ":20261207T090000", new: ":20261207T140000"),
    ]
    #expect(
      try series(
        "DTSTART:20261205T090000\nRRULE:FREQ=DAILY;COUNT=4",
        isReversed ? moved.reversed() : moved
      ) == [
        .schedule(
          Schedule(
            start: try time("2026-12-05T09:00"),
            rule: try RecurrenceRule("FREQ=DAILY;COUNT=4"),
            added: [try time("2026-12-07T14:00")],
            excluded: [try time("2026-12-06T09:00")]
          )
        )
      ]
    )
  }

  @Test func `a day of a series that was moved to an hour of its own comes then`() throws {
    let days = "DTSTART;VALUE=DATE:20261205\nRRULE:FREQ=DAILY;COUNT=3"
    let schedule = Schedule(
      start: try time("2026-12-05"),
      rule: try RecurrenceRule("FREQ=DAILY;COUNT=3"),
      excluded: [try time("2026-12-06")]
    )
    // Its day is left out as a whole, so the hour is beside it, and no single time, which would be told when it is past.
    func beside(_ text: String) throws -> Trigger {
      .schedule(Schedule(start: try time(text), added: [try time(text)]))
    }
    let day = ";VALUE=DATE:20261206"
    #expect(
      try series(days, [(day, ":20261206T180000")])
        == [.schedule(schedule), try beside("2026-12-06T18:00")]
    )
    #expect(
      try series(days, [(day, ";TZID=Europe/Malta:20261206T180000")])
        == [.schedule(schedule), try beside("2026-12-06T17:00:00Z")]
    )
    var later = schedule
    later.added = [try time("2026-12-16T18:00")]
    #expect(try series(days, [(day, ":20261216T180000")]) == [.schedule(later)])
    var whole = schedule
    whole.excluded = []
    #expect(try series(days, [(day, day)]) == [.schedule(whole)])
  }

  @Test func `a UID is one task's in all calendars of a file`() throws {
    let calendar =
      "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:a\nSUMMARY:x\nDUE:20260302\nEND:VTODO\nEND:VCALENDAR\n"
    let reading = try Self.reader.read(Array((calendar + calendar).utf8))
    #expect(reading.document.items.map(\.reminder.id) == ["a"])
    #expect(reading.refusals.map(\.description) == ["line 9: the UID a comes twice"])
  }

  @Test(arguments: [
    ("DTSTART:20260302T090000Z\nDTEND:20260302T170000Z", "2026-03-02T17:00:00Z"),
    ("DTSTART:20260302T090000Z\nDURATION:PT90M", "2026-03-02T10:30:00Z"),
    ("DTSTART:20260302T090000Z", "2026-03-02T09:00:00Z"),
    ("DTSTART;VALUE=DATE:20260302", "2026-03-03"),
    ("DTSTART;VALUE=DATE:20260302\nDTEND;VALUE=DATE:20260305", "2026-03-05"),
  ])
  func `an event ends when it says`(_ lines: String, _ end: String) throws {
    let reading = try task(lines, "VEVENT")
    #expect(reading.document.items.first?.eventEnd?.start == (try time(end)))
    #expect(try task("DUE:20260302T090000Z").document.items.first?.eventEnd == nil)
    let series = try task(lines + "\nRRULE:FREQ=DAILY", "VEVENT").document.items.first
    #expect(series?.eventEnd?.recurs == true)
  }

  @Test func `a task that is done by its percentage is done`() throws {
    #expect(try reminder("PERCENT-COMPLETE:100").status == .completed)
    #expect(try reminder("PERCENT-COMPLETE:90").status == .active)
    #expect(try reminder("STATUS:NEEDS-ACTION\nPERCENT-COMPLETE:100").status == .active)
  }

  @Test func `zones with a path before their name, and one that nobody knows`() throws {
    let mozilla = "DTSTART;TZID=/example.org/20050126_1/Europe/Malta:20260302T070000"
    guard case .schedule(let schedule) = try reminder(mozilla, "VEVENT").triggers[0] else {
      Issue.record("no schedule")
      return
    }
    #expect(schedule.zone == "Europe/Malta")
    let unknown = try task("DUE;TZID=Middle of Nowhere:20260302T070000")
    #expect(
      unknown.refusals.map(\.description) == [
        "line 8: DUE: the time zone \"Middle of Nowhere\" is not known here: write a name such as "
          + "Europe/Malta"
      ]
    )
  }

  // MARK: - Places

  @Test func `places of RFC 9074, its own example`() throws {
    let reading = try task(
      """
      BEGIN:VALARM
      UID:77D80D14-906B-4257-963F-85B1E734DBB6
      ACTION:DISPLAY
      TRIGGER;VALUE=DATE-TIME:19760401T005545Z
      DESCRIPTION:Remember to buy milk
      PROXIMITY:DEPART
      BEGIN:VLOCATION
      UID:123456-abcdef-98765432
      NAME:Office
      URL:geo:40.443,-79.945;u=10
      END:VLOCATION
      END:VALARM
      """
    )
    #expect(
      reading.document.places == [
        Place(
          id: "123456-abcdef-98765432",
          name: "Office",
          kind: .other,
          coordinate: try .init(latitude: 40.443, longitude: -79.945),
          arrivalRadiusMeters: 10
        )
      ]
    )
    #expect(
      reading.document.items.first?.reminder.triggers
        == [.leave(.place("123456-abcdef-98765432"))]
    )
  }

  @Test func `places as Apple writes them, and a car`() throws {
    let apple = """
      BEGIN:VALARM
      ACTION:DISPLAY
      DESCRIPTION:x
      TRIGGER;VALUE=DATE-TIME:19760401T005545Z
      X-APPLE-PROXIMITY:ARRIVE
      X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-APPLE-RADIUS=100;X-TITLE="Home, \
      sweet":geo:35.658034,139.701636
      END:VALARM
      """
    let reading = try task(apple)
    let place = try #require(reading.document.places.first)
    #expect(place.name == "Home, sweet" && place.arrivalRadiusMeters == 100)
    #expect(
      reading.document.items.first?.reminder.triggers
        == [.place(.place(place.id), tiers: [.arrival])]
    )
    // The same place again has the same id.
    #expect(try task(apple).document.places == [place])
    let car = "BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER;VALUE=DATE-TIME:19760401T005545Z\n"
    #expect(
      try reminder(car + "X-APPLE-PROXIMITY:CONNECT\nEND:VALARM").triggers
        == [.signal("car", to: "connected")]
    )
    #expect(
      try reminder(car + "PROXIMITY:DISCONNECT\nEND:VALARM").triggers
        == [.signal("car", to: "disconnected")]
    )
  }

  @Test func `an address of a place may be escaped, and stand behind one without quotation marks`()
    throws
  {
    let geo = "X-APPLE-PROXIMITY:ARRIVE\nX-APPLE-STRUCTURED-LOCATION;VALUE=URI"
    func place(_ lines: String) throws -> Place? {
      let text = "BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER;VALUE=DATE-TIME:19760401T005545Z\n"
      let reading = try task(text + lines + "\nEND:VALARM")
      #expect(reading.notices.isEmpty && reading.refusals.isEmpty)
      return reading.document.places.first
    }
    let escaped = try place(geo + ";X-TITLE=Home:geo:46.14\\,8.91")
    #expect(escaped?.coordinate == (try Coordinate(latitude: 46.14, longitude: 8.91)))
    let work = try place(
      geo + ";X-APPLE-ABUID=ab://Work;X-APPLE-RADIUS=100;X-TITLE=\"Rewe: Mitte\":geo:52.5,13.4"
    )
    #expect(work?.coordinate == (try Coordinate(latitude: 52.5, longitude: 13.4)))
    #expect(work?.name == "Rewe: Mitte" && work?.arrivalRadiusMeters == 100)
    let last = try place(geo + ";X-TITLE=Work;X-APPLE-ABUID=ab://Work:geo:52.5,13.4")
    #expect(last?.name == "Work")
    // The value of a property may have such an address.
    #expect(
      try reminder("URL;VALUE=URI:https://example.org/a:b").notes == "https://example.org/a:b"
    )
  }

  @Test func `two tasks with one id of a place and two positions are at two places`() throws {
    func todo(_ id: String, _ name: String, _ position: String) -> String {
      """
      BEGIN:VTODO
      UID:\(id)
      SUMMARY:\(name)
      BEGIN:VALARM
      TRIGGER;VALUE=DATE-TIME:19760401T005545Z
      PROXIMITY:ARRIVE
      BEGIN:VLOCATION
      UID:loc1
      NAME:\(name)
      URL:geo:\(position)
      END:VLOCATION
      END:VALARM
      END:VTODO
      """
    }
    let tasks = [
      todo("a", "A", "52.5,13.4"), todo("b", "B", "48.1,13.4"), todo("c", "A", "52.5,13.4"),
      todo("d", "B", "48.1,13.4"),
    ]
    let reading = try read(tasks.joined(separator: "\n"))
    #expect(reading.refusals.isEmpty && reading.notices.isEmpty)
    #expect(reading.document.places.map(\.name) == ["A", "B"])
    let ids = reading.document.places.map(\.id)
    #expect(ids.first == "loc1" && ids.last?.hasPrefix("loc1-") == true)
    #expect(
      reading.document.items.map(\.reminder.triggers)
        == [0, 1, 0, 1].map { [.place(.place(ids[$0]), tiers: [.arrival])] }
    )
  }

  // MARK: - What is left out

  @Test func `links and categories go into the notes, all else is named`() throws {
    let reading = try task(
      """
      DESCRIPTION:ask about\\nthe boat\\, too
      URL:https://example.org/a?b=c
      CATEGORIES:home,a\\,b
      CATEGORIES:sea
      ATTENDEE:mailto:a@example.org
      ATTENDEE:mailto:b@example.org
      GEO:1;2
      DUE:20260302T070000Z
      COMPLETED:20260301T120000Z
      """
    )
    let item = try #require(reading.document.items.first)
    #expect(
      item.reminder.notes
        == "ask about\nthe boat, too\nhttps://example.org/a?b=c\n#home #a,b #sea"
    )
    #expect(item.reminder.status == .completed)
    #expect(item.completedAt == RFC3339.parse("2026-03-01T12:00:00Z"))
    #expect(
      reading.notices.map(\.description) == [
        "u1: left out: URL and CATEGORIES, which are in the notes now, ATTENDEE, GEO"
      ]
    )
  }

  @Test func `a date that an offset carries beyond the year 9999 is left out by name`() throws {
    let reading = try task("DUE:20260302T070000Z\nCREATED:99991231T235959-2300")
    #expect(reading.refusals.isEmpty)
    #expect(reading.document.items.map(\.createdAt) == [nil])
    #expect(
      reading.notices.map(\.reason) == [
        "left out: CREATED:99991231T235959-2300, which is not in the years 1 to 9999"
      ]
    )
  }

  @Test func `lines may be folded anywhere, also within a character`() throws {
    let text = "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:u1\r\nSUMM\r\n\tARY:K"
    var bytes = Array(text.utf8)
    bytes += [0xC3] + Array("\r\n ".utf8) + [0xB6]
    bytes += Array("ln\r\nDUE:20260302T070000Z\r\nEND:VTODO\r\nEND:VCALENDAR".utf8)
    #expect(try Self.reader.read(bytes).document.items.first?.reminder.title == "Köln")
  }

  // MARK: - What is wrong

  @Test func `each mistake is named with its line and what to write, and refuses its task alone`()
    throws
  {
    // The first line of what is given here is line 8.
    let cases: [(String, String)] = [
      ("DUE:soon", "line 8: DUE:soon is no time such as 20260302T070000"),
      ("DUE:20260230", "line 8: DUE:20260230 is no time"),
      ("STATUS:DONE", "line 8: STATUS:DONE is not known"),
      ("PRIORITY:11", "line 8: PRIORITY:11: write 0 to 9"),
      ("RRULE:FREQ=DAILY", "line 8: RRULE needs a DTSTART"),
      ("DTSTART:20260302T070000Z\nRRULE:FREQ=DAILY;COUNT=0", "line 9: COUNT: "),
      ("DTSTART:20260302\nRRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY", "line 10: a second RRULE"),
      ("DTSTART:20260302\nEXDATE:never", "line 9: EXDATE:never is no time"),
      ("no property", "line 8: has no value"),
      ("DUE;TZID=\"x:20260302", "line 8: a quotation mark is not closed"),
      ("COMPLETED:today", "line 8: COMPLETED:today is no time"),
      ("X-NEARME-REMINDER:{}", "line 8: X-NEARME-REMINDER is not as we write it"),
      ("X-NEARME-REMINDER:{", "line 8: X-NEARME-REMINDER is not as we write it"),
      (
        #"X-NEARME-REMINDER:{"id":"a"\,"title":"b"\,"triggers":[{"signal":"c"}]\,"priority":9999}"#,
        "line 8: X-NEARME-REMINDER: a priority is from -1000 to 1000"
      ),
    ]
    for (line, reason) in cases {
      let other = "\nEND:VTODO\nBEGIN:VTODO\nUID:u2\nSUMMARY:other\nDUE:20260302T070000Z"
      let reading = try task(line + other)
      let said = reading.refusals.map(\.description).joined(separator: "\n")
      #expect(said.hasPrefix(reason), "\(line): \(said)")
      #expect(reading.refusals.count == 1)
      #expect(reading.document.items.map(\.reminder.id) == ["u2"], "\(line)")
    }
  }

  @Test func `what is wrong with an alarm is named, and refuses no task`() throws {
    // The first line of what is given here is line 10.
    let alarms: [(String, String)] = [
      ("TRIGGER:tomorrow", "an alarm: line 10: TRIGGER:tomorrow is no span and no instant"),
      ("TRIGGER;VALUE=DATE-TIME:20260302", "an alarm: line 10: TRIGGER:20260302 is no span and no"),
      ("TRIGGER;TZID=Nowhere:20260302T060000", "an alarm: line 10: TRIGGER: the time zone"),
      ("TRIGGER:-PT", "an alarm: line 10: TRIGGER:-PT is no span"),
      (
        "TRIGGER:P" + String(repeating: "3999999999W", count: 5_000),
        "an alarm: line 10: TRIGGER:P3999999999W3999999999W"
      ),
      ("no property", "an alarm: line 10: has no value"),
      (
        "TRIGGER:PT0S\nREPEAT:2",
        "that an alarm repeats, for its REPEAT has no DURATION such as PT10M"
      ),
      ("TRIGGER:PT0S\nREPEAT:x", "that an alarm repeats: line 11: REPEAT:x is not 0 to 1000"),
      ("TRIGGER:PT0S\nPROXIMITY:NEAR", "an alarm: line 11: PROXIMITY:NEAR: write ARRIVE"),
      ("PROXIMITY:ARRIVE", "an alarm: line 10: PROXIMITY goes with a place"),
      (
        "X-APPLE-PROXIMITY:ARRIVE\nX-APPLE-STRUCTURED-LOCATION:geo:95,0",
        "an alarm: line 11: geo:95,0 is no position"
      ),
      (
        "X-APPLE-PROXIMITY:ARRIVE\nX-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-TITLE=\"Home\":",
        "an alarm: line 11: an empty value is no position"
      ),
      (
        "PROXIMITY:ARRIVE\nBEGIN:VLOCATION\nNAME:x\nEND:VLOCATION",
        "an alarm: line 11: VLOCATION has no URL such as"
      ),
    ]
    for (line, reason) in alarms {
      let reading = try task("DUE:20260302T070000Z\nBEGIN:VALARM\n\(line)\nEND:VALARM")
      #expect(reading.refusals.isEmpty, "\(line): \(reading.refusals)")
      #expect(
        reading.document.items.map(\.reminder.triggers)
          == [[.schedule(Schedule(start: try time("2026-03-02T07:00:00Z")))]],
        "\(line)"
      )
      let said = reading.notices.map(\.reason).joined(separator: "\n")
      #expect(said.hasPrefix("left out: " + reason), "\(line): \(said)")
    }
    // What stands behind an alarm without END may be its task's.
    let cut = try task("BEGIN:VALARM\nTRIGGER:PT0S\nDUE:20260302T070000Z")
    #expect(cut.refusals.map(\.description) == ["line 8: VALARM has no END before line 11"])
  }

  @Test func `a file that was cut off keeps what is whole, and what is no calendar says so`() throws
  {
    let cut =
      "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:a\nSUMMARY:x\nDUE:20260302\nEND:VTODO\nBEGIN:VTODO\nUID:b"
    let reading = try Self.reader.read(Array(cut.utf8))
    #expect(reading.document.items.map(\.reminder.id) == ["a"])
    #expect(
      reading.refusals.map(\.description) == [
        "line 1: VCALENDAR has no END: the file was cut off",
        "line 7: VTODO has no END: the file was cut off",
      ]
    )
    for text in ["", "\n\n", "{\"reminders\": []}", "BEGIN:VCARD\nEND:VCARD", "\u{FEFF}"] {
      let error = #expect(throws: CalendarError.self) {
        try Self.reader.read(Array(text.utf8))
      }
      #expect(error?.reason.contains("BEGIN:VCALENDAR") == true, "\(text)")
    }
    let other = try read("BEGIN:VJOURNAL\nSUMMARY:x\nEND:VJOURNAL")
    #expect(
      other.refusals.map(\.description) == ["line 4: VJOURNAL is neither a task nor an event"]
    )
    let nowhere =
      #"X-NEARME-PLACE:{"id":"a"\,"name":"b"\,"kind":"home"\,"coordinate":{"lat":95\,"lon":0}}"#
    #expect(
      try read(nowhere).refusals.map(\.description)
        == ["line 4: X-NEARME-PLACE: no such position or radius"]
    )
    let twice = "BEGIN:VTODO\nUID:a\nSUMMARY:x\nEND:VTODO\n"
    #expect(
      try read(twice + twice).refusals.map(\.description) == ["line 8: the UID a comes twice"]
    )
  }
}
