import Calendars
import Foundation
import Geodesy
import NearMeEngine
import Places
import Recurrence
import SettingsFiles
import TestSupport
import Testing
import Timeline

/// What is written is read back, by us and through other programs.
@Suite struct CalendarRoundTripTests {
  private static let zones = SystemZones()
  private static let stamp = Timestamp(seconds: 1_767_600_000)

  private let writer = CalendarWriter(zones: zones, stamp: stamp)
  private let reader = CalendarReader(zones: zones)

  @Test
  func `random reminders come back as they were, and what tasks cannot say of them is named`()
    throws
  {
    var plain = 0
    for seed in 1...600 as ClosedRange<UInt64> {
      var random = RandomCalendar(seed: seed)
      let document = try random.document(reminders: 5)
      let (text, notices) = writer.write(document)
      var reading = try reader.read(Array(text.utf8))
      #expect(reading.refusals.isEmpty && reading.notices.isEmpty, "seed \(seed)")
      reading.document.places.sort { $0.id < $1.id }
      #expect(reading.document == document, "seed \(seed):\n\(text)")
      for line in text.split(separator: "\r\n", omittingEmptySubsequences: false) {
        #expect(line.utf8.count <= 75, "seed \(seed): \(line)")
      }
      // Without line feeds of its own a text is the same with either end of lines.
      let unix = text.replacing("\r\n", with: "\n")
      #expect(try reader.read(Array(unix.utf8)).document.items == document.items, "seed \(seed)")
      for item in document.items {
        let isNamed = notices.contains { $0.id == item.reminder.id }
        if !isNamed { plain += 1 }
      }
      let own = text.replacing("\r\n ", with: "").split(separator: "\r\n")
        .count { $0.hasPrefix("X-NEARME-REMINDER:") }
      #expect(own == notices.count { $0.id.hasPrefix("r") }, "seed \(seed)")
    }
    // A third of them are such that a task can say everything.
    #expect((900...1_200).contains(plain), "\(plain)")
  }

  @Test func `answers come back, unless another program has given the task another time`() throws {
    let start = try #require(WrittenTime("2026-03-02T07:00"))
    func item(_ anchor: Anchor) throws -> CalendarDocument.Item {
      let schedule = Schedule(start: start, rule: try RecurrenceRule("FREQ=DAILY"), anchor: anchor)
      var item = CalendarDocument.Item(
        Reminder(id: "\(anchor)", title: "pills", triggers: [.schedule(schedule)])
      )
      item.answers = [
        ReminderAnswer(due: Timestamp(milliseconds: 1_772_434_800_000), at: Self.stamp),
        ReminderAnswer(due: Self.stamp, at: Timestamp(milliseconds: 1_772_434_800_123)),
      ]
      return item
    }
    let document = CalendarDocument(items: [try item(.catchUp), try item(.completion)])
    let text = writer.write(document).text
    #expect(try reader.read(Array(text.utf8)).document == document)
    let moved = text.replacing("DTSTART:20260302T070000", with: "DTSTART:20260302T080000")
    let read = try reader.read(Array(moved.utf8)).document.items
    #expect(read.map(\.answers) == [document.items[0].answers, []])
    // One that leaves some of them out takes no answer back.
    let less = text.replacing(
      "RRULE:FREQ=DAILY",
      with: "RRULE:FREQ=DAILY\r\nEXDATE:20260308T070000"
    )
    let left = try reader.read(Array(less.utf8)).document.items
    #expect(left.map(\.answers) == document.items.map(\.answers))
    #expect(left.allSatisfy { $0.reminder != document.items[0].reminder })
    let broken = text.replacing("X-NEARME-ANSWERS:[", with: "X-NEARME-ANSWERS:{")
    #expect(try reader.read(Array(broken.utf8)).refusals.count == 2)
  }

  @Test(arguments: [
    ("2026-03-02T07:00", nil, "EXDATE:20260302T070000,20260304T070000"),
    (
      "2026-03-02T07:00", "Europe/Berlin",
      "EXDATE;TZID=Europe/Berlin:20260302T070000,20260304T070000"
    ),
    ("2026-03-02T06:00:00Z", nil, "EXDATE:20260302T060000Z,20260304T060000Z"),
    ("2026-03-02", nil, "EXDATE;VALUE=DATE:20260302,20260304"),
  ])
  func `times that were answered are left out for other programs, and come back for us`(
    _ start: String,
    _ zone: String?,
    _ line: String
  ) throws {
    let here = try #require(Self.zones.zone(named: "Europe/Berlin"))
    let schedule = Schedule(
      start: try #require(WrittenTime(start)),
      zone: zone,
      rule: try RecurrenceRule("FREQ=DAILY"),
      excluded: [try #require(WrittenTime(start.replacing("03-02", with: "03-03")))]
    )
    func item(_ id: String, _ anchor: Anchor, _ status: Reminder.Status) -> CalendarDocument.Item {
      var own = schedule
      own.anchor = anchor
      var item = CalendarDocument.Item(
        Reminder(id: id, title: "pills", triggers: [.schedule(own)], status: status)
      )
      let first = Timestamp(seconds: 1_772_431_200)
      // At seven in Berlin, two days later, and the day between, which is no time of it.
      item.answers = [0, 2_880, 1_440]
        .map { ReminderAnswer(due: first + .minutes($0), at: first + .minutes(3_000 + $0)) }
      return item
    }
    let document = CalendarDocument(items: [
      item("a", .catchUp, .active), item("b", .completion, .active),
      item("c", .catchUp, .completed),
    ])
    let writer = CalendarWriter(zones: Self.zones, stamp: Self.stamp, here: here)
    let text = writer.write(document).text
    let lines = text.replacing("\r\n ", with: "").split(separator: "\r\n").map(String.init)
    #expect(lines.count { $0 == line } == 1, "\(text)")
    #expect(lines.count { $0.hasPrefix("X-NEARME-DONE") } == 1, "\(text)")
    // Wherever it is read, and once more.
    #expect(try reader.read(Array(text.utf8)).document == document)
    let again = CalendarWriter(zones: Self.zones, stamp: Self.stamp, here: here)
      .write(try reader.read(Array(text.utf8)).document)
    #expect(again.text == text)
    // Another program leaves out one time more: the task counts.
    let more = text.replacing(
      line + "\r\n",
      with: line + "\r\n" + line.replacing("0302", with: "0305").replacing("0304", with: "0306")
        + "\r\n"
    )
    let changed = try #require(try reader.read(Array(more.utf8)).document.items.first)
    guard case .schedule(let left)? = changed.reminder.triggers.first else {
      Issue.record("no schedule")
      return
    }
    #expect(left.excluded.count == 3)
  }

  @Test func `what another program has changed counts, and all else stays`() throws {
    let places = [try Self.place("p0")]
    let reminder = Reminder(
      id: "a",
      title: "buy milk",
      triggers: [
        .place(.category(CategoryID("grocery"))), .place(.place("p0")),
        .schedule(.local(try #require(CivilDate(year: 2026, month: 3, day: 2)), minuteOfDay: 420)),
      ],
      conditions: [.signal("wifi", is: "true")],
      status: .fired,
      priority: 12,
      tone: "sassy"
    )
    let text = writer.write(CalendarDocument(items: [.init(reminder)], places: places)).text
    func changed(_ old: String, _ new: String) throws -> Reminder {
      #expect(text.contains(old), "\(text)")
      let reading = try reader.read(Array(text.replacing(old, with: new).utf8))
      #expect(reading.refusals.isEmpty)
      return try #require(reading.document.items.first).reminder
    }
    var expected = reminder
    expected.title = "buy bread"
    #expect(try changed("SUMMARY:buy milk", "SUMMARY:buy bread") == expected)
    expected = reminder
    expected.status = .completed
    #expect(try changed("STATUS:NEEDS-ACTION", "STATUS:COMPLETED") == expected)
    expected = reminder
    expected.priority = 5
    #expect(try changed("PRIORITY:1", "PRIORITY:5") == expected)
    // The time and the place are those of the task, the category is ours.
    let later = try changed("DUE:20260302T070000", "DUE:20260303T070000")
    #expect(
      later.triggers.count == 3
        && Array(later.triggers.prefix(2)) == Array(reminder.triggers.prefix(2))
    )
    #expect(
      later.triggers.contains(
        .schedule(.local(try #require(CivilDate(year: 2026, month: 3, day: 3)), minuteOfDay: 420))
      )
    )
    #expect(later.conditions == reminder.conditions && later.tone == "sassy")
  }

  @Test func `a place whose alarm another program takes out or writes anew is still known`() throws
  {
    let place = try Self.place("p1")
    let tiers: [Tier] = [.approach(miles: 2), .arrival]
    let reminder = Reminder(
      id: "a",
      title: "buy milk",
      triggers: [.place(.place("p1"), tiers: [.arrival]), .place(.place("p1"), tiers: tiers)],
      conditions: [.not(.inside(.place("p1")))]
    )
    let text = writer.write(CalendarDocument(items: [.init(reminder)], places: [place])).text
    func read(_ text: String) throws -> CalendarDocument {
      let reading = try reader.read(Array(text.utf8))
      #expect(reading.refusals.isEmpty && reading.notices.isEmpty, "\(reading)")
      return reading.document
    }
    #expect(try read(text).items.map(\.reminder) == [reminder])
    // Taken out.
    let without = Self.replacing("VALARM", of: text, with: [])
    #expect(!without.contains("VALARM"))
    let left = try read(without)
    #expect(left.places == [place])
    #expect(left.items.map(\.reminder.triggers) == [[]])
    #expect(left.items.map(\.reminder.conditions) == [reminder.conditions])
    // As it was written before: the place stood in the alarm only.
    let older = without.replacing("\r\n ", with: "").split(separator: "\r\n")
      .filter { !$0.hasPrefix("X-NEARME-PLACE") }.joined(separator: "\r\n")
    #expect(!older.contains("X-NEARME-PLACE") && older.contains("X-NEARME-REMINDER"))
    #expect(try read(older).items.map(\.reminder.triggers) == [[]])
    // Written anew, without our id.
    let location =
      "X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-APPLE-RADIUS=100;X-TITLE=Home:geo:39.25,-76.5"
    let again = try read(Self.replacing("VLOCATION", of: text, with: [location]))
    #expect(again.places == [place])
    #expect(again.items.map(\.reminder) == [reminder])
    // Moved.
    let moved = try read(text.replacing("URL:geo:39.25,-76.5", with: "URL:geo:40,-77"))
    #expect(moved.places.map(\.coordinate.latitude) == [40])
    #expect(moved.items.map(\.reminder) == [reminder])
  }

  @Test func `a series that another program moves keeps what only we know of it`() throws {
    func schedule(_ time: String) throws -> Schedule {
      Schedule(
        start: try #require(WrittenTime(time)),
        rule: try RecurrenceRule("FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD"),
        gap: .skip,
        anchor: .completion
      )
    }
    let reminder = Reminder(
      id: "a",
      title: "pay",
      triggers: [.schedule(try schedule("2026-01-31T07:00"))]
    )
    let (text, notices) = writer.write(CalendarDocument(items: [.init(reminder)]))
    #expect(
      notices.map(\.reason) == ["other programs do not see its anchor completion, gap skip, SKIP"]
    )
    let old = "DTSTART:20260131T070000"
    #expect(text.contains(old), "\(text)")
    let moved = text.replacing(old, with: "DTSTART:20260131T080000")
    let reading = try reader.read(Array(moved.utf8))
    #expect(
      reading.document.items.map(\.reminder.triggers)
        == [[.schedule(try schedule("2026-01-31T08:00"))]]
    )
  }

  @Test(arguments: ["EST5EDT", "CET", "GMT", "Etc/GMT+5"])
  func `a zone without an area comes back by what is written of it`(_ zone: String) throws {
    let schedule = Schedule(
      start: try #require(WrittenTime("2026-07-01T07:00")),
      zone: zone,
      rule: try RecurrenceRule("FREQ=DAILY")
    )
    let item = CalendarDocument.Item(
      Reminder(id: "a", title: "pay", triggers: [.schedule(schedule)])
    )
    let text = writer.write(CalendarDocument(items: [item])).text
    #expect(try reader.read(Array(text.utf8)).document.items == [item])
  }

  @Test func `places of tasks that have one id and are two stay two`() throws {
    func task(_ id: String, _ name: String, _ point: String) -> String {
      """
      BEGIN:VTODO
      UID:\(id)
      SUMMARY:\(id)
      BEGIN:VALARM
      ACTION:DISPLAY
      TRIGGER;VALUE=DATE-TIME:19760401T005545Z
      PROXIMITY:ARRIVE
      BEGIN:VLOCATION
      UID:loc1
      NAME:\(name)
      URL:geo:\(point)
      END:VLOCATION
      END:VALARM
      END:VTODO

      """
    }
    let calendar =
      "BEGIN:VCALENDAR\n" + task("a", "Home", "52.5,13.4") + task("b", "Gym", "48.1,13.4")
      + task("c", "Gym", "48.1,13.4") + task("d", "Home", "52.5,13.4") + "END:VCALENDAR\n"
    let reading = try reader.read(Array(calendar.utf8))
    #expect(reading.refusals.isEmpty && reading.notices.isEmpty, "\(reading)")
    let places = reading.document.places
    #expect(places.map(\.name) == ["Home", "Gym"])
    #expect(Set(places.map(\.id)).count == 2 && places.first?.id == "loc1")
    let targets = reading.document.items.map { item in
      places.firstIndex { item.reminder.aims(at: .place($0.id)) }
    }
    #expect(targets == [0, 1, 1, 0])
  }

  /// A calendar with lines in the place of each component of a name.
  private static func replacing(_ name: String, of text: String, with lines: [String]) -> String {
    var result: [String] = []
    var isWithin = false
    for line in text.split(separator: "\r\n") {
      if line == "BEGIN:\(name)" {
        isWithin = true
        result += lines
      }
      if !isWithin { result.append(String(line)) }
      if line == "END:\(name)" { isWithin = false }
    }
    return result.joined(separator: "\r\n") + "\r\n"
  }

  private static func place(_ id: String) throws -> Place {
    Place(
      id: id,
      name: "Home",
      kind: .home,
      coordinate: try .init(latitude: 39.25, longitude: -76.5)
    )
  }

  // MARK: - Other programs

  private static let script = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("scripts/calendar_peers.py").path

  /// What another program makes of a calendar; nil where it is not installed.
  private static func through(_ peer: String, _ text: String) throws -> String? {
    let folder = try TemporaryFolder()
    try text.write(toFile: folder.path("in"), atomically: true, encoding: .utf8)
    _ = FileManager.default.createFile(atPath: folder.path("out"), contents: nil)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", script, peer]
    process.standardInput = FileHandle(forReadingAtPath: folder.path("in"))
    process.standardOutput = FileHandle(forWritingAtPath: folder.path("out"))
    try process.run()
    process.waitUntilExit()
    // 127: there is no python3 either.
    if process.terminationStatus == 69 || process.terminationStatus == 127 { return nil }
    #expect(process.terminationStatus == 0, "\(peer)")
    return try String(contentsOfFile: folder.path("out"), encoding: .utf8)
  }

  private static func has(_ peer: String) -> Bool {
    let empty = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//none//EN\r\nEND:VCALENDAR\r\n"
    return (try? through(peer, empty)) != nil
  }

  private func goThrough(_ peer: String) throws {
    var random = RandomCalendar(seed: 7)
    var document = try random.document(reminders: 60)
    // What stands beside the tasks does not reach a server, which keeps tasks.
    let items = document.items
    document.places.removeAll { place in
      !items.contains { $0.reminder.aims(at: .place(place.id)) }
    }
    let back = try #require(try Self.through(peer, writer.write(document).text))
    let reading = try reader.read(Array(back.utf8))
    #expect(reading.refusals.isEmpty && reading.notices.isEmpty)
    #expect(Set(reading.document.items) == Set(document.items))
    #expect(Set(reading.document.places) == Set(document.places))
  }

  @Test(.enabled(if: has("icalendar"), "needs python3 with icalendar: pip install icalendar"))
  func `the library icalendar reads and writes it, and nothing is lost`() throws {
    try goThrough("icalendar")
  }

  @Test(.enabled(if: has("radicale"), "needs python3 with radicale: pip install radicale"))
  func `a CalDAV server takes every task and gives it back whole`() throws {
    try goThrough("radicale")
  }
}
