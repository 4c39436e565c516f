import NearMeEngine
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
