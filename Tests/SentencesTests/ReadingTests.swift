import Geodesy
import NearMeEngine
import Places
import Recurrence
import Sentences
import Testing

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

  @Test func `what only looks like a time is left alone`() throws {
    let (wrong, all) = try Self.failures("look-alikes.txt", try Languages.read("en"))
    for failure in wrong { Issue.record("\(failure)") }
    #expect(all >= 200)
  }

  @Test func `another language is another file`() throws {
    let (wrong, all) = try Self.failures("german.txt", try Languages.read("de"))
    for failure in wrong { Issue.record("\(failure)") }
    #expect(all >= 100)
  }
}
