import Geodesy
import NearMeEngine
import Places
import Recurrence
import Sentences
import SettingsFiles
import Testing
import Timeline

/// Sentences of our own, each with the whole reminder that it asks for.
@Suite struct ReadingTests {
  /// The lines of a file that are not understood as it says.
  private static func failures(
    _ file: String,
    _ reader: SentenceReader
  ) throws -> (wrong: [String], all: Int) {
    let file = try SentenceFile(file)
    var wrong: [String] = []
    for line in file.lines {
      let found = reader.understand(line.sentence, in: line.context)
      let reminder = found.reminder(id: "r")
      let isUnsupported = found.spans.contains { $0.kind == .unsupported }
      if reminder != line.expected || isUnsupported != line.isUnsupported {
        wrong.append(
          "\(file.name):\(line.number): \(line.sentence)\n      is \(reminder.inShort)\n  should \(line.expected.inShort)"
        )
      }
    }
    return (wrong, file.lines.count)
  }

  @Test(arguments: [
    "english-1.txt", "english-2.txt", "english-3.txt", "english-4.txt", "english-5.txt",
    "english-6.txt", "english-7.txt", "english-8.txt", "english-9.txt",
    "english-10.txt", "english-11.txt", "english-12.txt", "english-13.txt",
    "english-14.txt", "english-15.txt", "english-16.txt", "english-17.txt",
  ])
  func `CTX-12.1, YOMO-4.1a: a sentence is a whole reminder`(_ file: String) throws {
    let (wrong, all) = try Self.failures(file, try Languages.read("en"))
    for failure in wrong { Issue.record("\(failure)") }
    #expect(all > 8)
  }

  /// Places get their ids in turn; what they are called is what people say.
  @Test func `words for home and work are the person's own places`() throws {
    let home = Place(
      id: "p1",
      name: "Elm Street 5",
      kind: .home,
      coordinate: try Coordinate(latitude: 1, longitude: 2)
    )
    let work = Place(
      id: "p2",
      name: "Acme",
      kind: .work,
      coordinate: try Coordinate(latitude: 1, longitude: 3)
    )
    let gym = Place(
      id: "p3",
      name: "Gym",
      kind: .other,
      coordinate: try Coordinate(latitude: 1, longitude: 4)
    )
    let context = SentenceContext(
      now: try #require(WrittenTime("2026-02-13T10:00")).local,
      places: [home, work, gym].flatMap(\.spoken)
    )
    let english = try Languages.read("en")
    for (text, trigger) in [
      ("water plants when I get home", Trigger.place(.place("p1"))),
      ("lamp once I'm home", .place(.place("p1"))),
      ("keys when I leave the house", .leave(.place("p1"))),
      ("call mum when I get off work", .leave(.place("p2"))),
      ("bag when I head to work", .leave(.place("p1"))),
      ("stretch at the gym", .place(.place("p3"))),
    ] {
      #expect(english.understand(text, in: context).triggers == [trigger], "\(text)")
    }
    let german = try Languages.read("de")
    #expect(
      german.understand("Blumen gießen wenn ich nach Hause komme", in: context).triggers == [
        .place(.place("p1"))
      ]
    )
    // Where there is no such place, the word is kept for who reads it.
    let nowhere = SentenceContext(now: context.now)
    #expect(
      english.understand("lamp when I get home", in: nowhere).triggers == [.place(.place("home"))]
    )
  }

  @Test(arguments: ["en", "de"])
  func `a span from now is said to the second, in words`(_ language: String) throws {
    let reader = try Languages.read(language)
    let context = SentenceContext(now: try #require(WrittenTime("2026-02-13T10:00:17")).local)
    let said = language == "en" ? "call mum in 20 minutes" : "Mama anrufen in 20 Minuten"
    let understanding = reader.understand(said, in: context)
    let sentence = SentenceWriter(reader.language)
      .sentence(understanding.reminder(id: ""), in: context)
    #expect(!sentence.contains("{"), "\(sentence)")
    #expect(
      reader.understand(sentence, in: context).triggers == understanding.triggers,
      "\(sentence)"
    )
  }

  @Test(arguments: [
    ("en", "drink water every 2 hours", "every 2 hours at 12 pm; next on Friday, 13 February"),
    ("de", "alle 2 Stunden Wasser trinken", "alle 2 Stunden um 12:00 Uhr; das nächste Mal am"),
  ])
  func `what comes every few hours is said in words`(
    _ language: String,
    said: String,
    words: String
  ) throws {
    let reader = try Languages.read(language)
    let context = SentenceContext(now: try #require(WrittenTime("2026-02-13T10:00:17")).local)
    let reminder = reader.understand(said, in: context).reminder(id: "")
    let sentence = SentenceWriter(reader.language).sentence(reminder, in: context)
    #expect(sentence.contains(words), "\(sentence)")
  }

  @Test(arguments: [("en", "first on"), ("de", "das erste Mal am")])
  func `what has begun does not come next at its first time`(
    _ language: String,
    words: String
  )
    throws
  {
    let reader = try Languages.read(language)
    let first = try #require(WrittenTime("2026-02-10T15:00"))
    let weekly = Schedule(start: first, rule: try RecurrenceRule("FREQ=WEEKLY;BYDAY=TU"))
    let reminder = Reminder(id: "", title: "Water plants", triggers: [.schedule(weekly)])
    for (now, isBegun) in [("2026-02-10T14:59", false), ("2026-02-10T15:01", true)] {
      let context = SentenceContext(now: try #require(WrittenTime(now)).local)
      let sentence = SentenceWriter(reader.language).sentence(reminder, in: context)
      #expect(sentence.contains("; \(words)") == isBegun, "\(sentence)")
    }
    // A date is due at nine.
    let daily = Schedule(
      start: try #require(WrittenTime("2026-02-10")),
      rule: try RecurrenceRule("FREQ=DAILY")
    )
    for (now, isBegun) in [("2026-02-10T08:59", false), ("2026-02-10T09:01", true)] {
      let context = SentenceContext(now: try #require(WrittenTime(now)).local)
      let reminder = Reminder(id: "", title: "Water plants", triggers: [.schedule(daily)])
      let sentence = SentenceWriter(reader.language).sentence(reminder, in: context)
      #expect(sentence.contains("; \(words)") == isBegun, "\(sentence)")
    }
  }

  @Test(arguments: [
    ("call bob on 3 March 2024 at 5pm", true), ("call bob yesterday", true),
    ("call bob last Friday", true), ("call bob", false), ("call bob today", false),
    ("call bob tomorrow", false),
  ])
  func `a time that is over is told apart from none`(_ said: String, isOver: Bool) throws {
    let reader = try Languages.read("en")
    let context = SentenceContext(now: try #require(WrittenTime("2026-02-13T10:00")).local)
    #expect(reader.understand(said, in: context).isOver == isOver)
  }

  /// On Wednesday, 18 February 2026, at 10:00 in New York.
  @Test(
    arguments: [
      (
        "check the build every day at 9am Pacific", "2026-02-18T09:00", "FREQ=DAILY",
        "America/Los_Angeles"
      ),
      (
        "stand-up every Monday at 9am London time", "2026-02-23T09:00", "FREQ=WEEKLY;BYDAY=MO",
        "Europe/London"
      ),
      ("check the build every day at 9am Eastern", "2026-02-19T09:00", "FREQ=DAILY", nil),
      (
        "stretch every hour for the next 3 hours", "2026-02-18T11:00",
        "FREQ=HOURLY;UNTIL=20260218T135959", nil
      ),
      (
        "antibiotics every 8 hours for 7 days", "2026-02-18T18:00",
        "FREQ=HOURLY;UNTIL=20260225T175959;INTERVAL=8", nil
      ),
      ("water the plants every day at 8 but skip tomorrow", "2026-02-20T08:00", "FREQ=DAILY", nil),
    ] as [(String, String, String, String?)]
  )
  func `what comes again comes by the clock that was said, so often, and not when it is skipped`(
    _ sentence: String,
    _ start: String,
    _ rule: String,
    _ zone: String?
  ) throws {
    let reader = try Languages.read("en")
    let context = SentenceContext(
      now: try #require(WrittenTime("2026-02-18T10:00")).local,
      zone: UTCOffsetTable(systemZone: "America/New_York"),
      zones: SystemZones()
    )
    let reminder = reader.understand(sentence, in: context).reminder(id: "")
    let trigger = try #require(reminder.triggers.first)
    guard case .schedule(let schedule) = trigger else {
      Issue.record("\(reminder.inShort)")
      return
    }
    #expect(schedule.start == WrittenTime(start), "\(reminder.inShort)")
    #expect(schedule.rule?.description == rule, "\(reminder.inShort)")
    #expect(schedule.zone == zone, "\(reminder.inShort)")
    #expect(reminder.triggers.count == 1)
    // It is said back with its zone.
    let sentence = SentenceWriter(reader.language).sentence(reminder, in: context)
    #expect(reader.understand(sentence, in: context).reminder(id: "") == reminder, "\(sentence)")
  }

  @Test(arguments: [
    ("wake me at 7am on weekdays and 9am on weekends", ["7 MO,TU,WE,TH,FR", "9 SA,SU"]),
    ("open the shop Mon-Fri at 9am and Sat at 10am", ["9 MO,TU,WE,TH,FR", "10 SA"]),
    ("take the meds at 8am on weekdays and at 10am on Sundays", ["8 MO,TU,WE,TH,FR", "10 SU"]),
    ("gym every Monday at 6am and every Friday at 7am", ["6 MO", "7 FR"]),
    ("water the plants on Mondays and Thursdays at 7am", ["7 MO,TH"]),
    ("check the mail at 9am and 5pm on weekdays", ["9 MO,TU,WE,TH,FR"]),
  ])
  func `days with times of their own are two things, and not their product`(
    _ sentence: String,
    _ wanted: [String]
  ) throws {
    let reader = try Languages.read("en")
    let context = SentenceContext(now: try #require(WrittenTime("2026-02-18T05:00")).local)
    let reminder = reader.understand(sentence, in: context).reminder(id: "")
    let found = reminder.triggers.map { trigger -> String in
      guard case .schedule(let schedule) = trigger, let rule = schedule.rule else {
        return "\(trigger)"
      }
      let days =
        rule.description.split(separator: ";").first { $0.hasPrefix("BYDAY=") }?.dropFirst(6) ?? ""
      return "\(schedule.start.local.hour) \(days)"
    }
    #expect(found == wanted, "\(reminder.inShort)")
    let said = SentenceWriter(reader.language).sentence(reminder, in: context)
    #expect(reader.understand(said, in: context).reminder(id: "") == reminder, "\(said)")
    #expect(!said.contains("{"), "\(said)")
  }

  @Test(arguments: [
    ("en", "call the dentist friday at 9 or at 2", "9 am or also on Friday"),
    (
      "de", "am Freitag um 15 Uhr und um 17 Uhr Rechnung schicken", "15:00 Uhr oder auch am Freitag"
    ),
  ])
  func `several times are said in words`(
    _ language: String,
    _ said: String,
    _ words: String
  ) throws {
    let sentence = try saidBack(language, said).sentence
    #expect(sentence.contains(words), "\(sentence)")
  }

  /// Not every month has a 31st, and what is said back tells so.
  @Test(arguments: [
    (
      "en", "pay rent on the 31st of every month at 9",
      "every month on the 31st (if it has one) at 9 am"
    ),
    ("en", "pay rent on the 28th of every month at 9", "every month on the 28th at 9 am"),
    (
      "de", "jeden Monat am 31. um 9 Uhr Miete zahlen",
      "jeden Monat am 31. (falls vorhanden) um 09:00 Uhr"
    ),
  ])
  func `a day that some months have not is said so`(
    _ language: String,
    _ said: String,
    _ words: String
  ) throws {
    let (reminder, sentence) = try saidBack(language, said)
    #expect(sentence.contains(words), "\(sentence)")
    #expect(try saidBack(language, sentence).reminder == reminder, "\(sentence)")
  }

  /// What a sentence says, and how it is said back.
  private func saidBack(
    _ language: String,
    _ said: String
  ) throws -> (reminder: Reminder, sentence: String) {
    let reader = try Languages.read(language)
    let context = SentenceContext(now: try #require(WrittenTime("2026-02-18T05:00")).local)
    let reminder = reader.understand(said, in: context).reminder(id: "")
    return (reminder, SentenceWriter(reader.language).sentence(reminder, in: context))
  }

  @Test func `unless it is after an hour is before it, and a day is over when the next begins`()
    throws
  {
    let reader = try Languages.read("en")
    let context = SentenceContext(now: try #require(WrittenTime("2026-02-18T10:00")).local)
    func windows(_ text: String) -> [Condition] { reader.understand(text, in: context).conditions }
    #expect(
      windows("walk the dog when I get home unless it's after 10pm")
        == windows("walk the dog when I get home only before 10pm")
    )
    #expect(
      windows("read the news when I unlock my phone unless it's before 8am")
        == windows("read the news when I unlock my phone only after 8am")
    )
    #expect(windows("walk the dog when I get home unless it's after 10pm").count == 1)
    let paid = reader.understand(
      "pay the bill on Friday at 9am, forget it after Friday",
      in: context
    )
    #expect(paid.expires == WrittenTime("2026-02-21"))
  }

  @Test func `what only looks like a time is left alone`() throws {
    let (wrong, all) = try Self.failures("look-alikes.txt", try Languages.read("en"))
    for failure in wrong { Issue.record("\(failure)") }
    #expect(all >= 200)
  }

  @Test(arguments: [
    "german.txt", "german-2.txt", "german-3.txt", "german-4.txt", "german-5.txt", "german-6.txt",
    "german-7.txt", "german-8.txt", "german-9.txt", "german-10.txt",
  ])
  func `another language is another file`(_ file: String) throws {
    let (wrong, all) = try Self.failures(file, try Languages.read("de"))
    for failure in wrong { Issue.record("\(failure)") }
    #expect(all >= 40)
  }
}
