import ArgumentParser
import Basics
import Foundation
import Places
import Recurrence
import Sentences
import SettingsFiles
import Timeline
import TrialFiles

/// `nearme understand`.
struct UnderstandCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "understand",
    abstract: "Show what a sentence is taken for; nothing is saved.",
    discussion: """
        nearme understand "Water plants every Tuesday at 3pm"
        nearme understand "buy milk when I'm near a grocery after 5 on weekdays"
        nearme understand "ring the vet on 3/6" --locale en-GB --now 2026-05-20T18:30
        nearme understand "Müll rausbringen jeden Donnerstag" --locale de

      The words that were understood are underlined; the rest is the title. As programs ask, a line of JSON each:

        nearme understand --stdin < sentences.ndjson
        {"id":1,"text":"Water plants every Tuesday at 3pm",
         "now":"2026-02-13T10:00:00","zone":"America/New_York",
         "locale":"en-US"}   on one line, answered by
        {"id":1,"title":"Water plants","spans":[…],"start":"2026-02-17T15:00:00",
         "rrule":"FREQ=WEEKLY;BYDAY=TU",…,"sentence":"…"}   or {"id":1,"error":"…"}

      `nearme remember` saves. See docs/sentences.md.
      """
  )

  @Argument(help: "The sentence.")
  var text: String?

  @Option(help: "When it is said, such as 2026-02-13T10:00; the present if not given.")
  var now: String?

  @Option(help: "The zone in which it is said; the system's if not given.")
  var zone: String?

  @Option(help: "The language and the order of days and months: en-US, en-GB or de.")
  var locale = LanguageShelf.usual

  @Option(
    help: ArgumentHelp("A reminders file, whose places are known by name.", valueName: "FILE")
  )
  var reminders: String?

  @Option(help: "text, json, or yomo for the form of Yomo's documents.")
  var format = UnderstandingFormat.text

  @Flag(name: .customLong("stdin"), help: "Answer lines of JSON from standard input.")
  var readsStandardInput = false

  func validate() throws {
    guard readsStandardInput != (text != nil) else {
      throw ValidationError("give a sentence in quotes, or lines of JSON with --stdin")
    }
    if readsStandardInput, now != nil || zone != nil {
      throw ValidationError("--stdin takes now and zone from its lines: leave --now and --zone out")
    }
  }

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        let places = try reminders.map(Self.places) ?? []
        if readsStandardInput {
          try answerLines(places)
        } else {
          try show(places)
        }
      }
    }
  }

  /// The places of a reminders file.
  static func places(_ path: String) throws -> [SentenceContext.Place] {
    let file = try RemindersFile(path: path)
    return file.places.flatMap(\.spoken)
  }

  private func show(_ places: [SentenceContext.Place]) throws {
    let text = text ?? ""
    let reader = try LanguageShelf().reader(locale)
    var written: WrittenTime?
    if let now {
      guard let time = WrittenTime(now) else {
        throw CommandFailure(.usage, "--now \(now): write 2026-02-13T10:00")
      }
      written = time
    }
    var table = localZone()
    if let zone {
      guard let named = UTCOffsetTable(systemZone: zone) else {
        throw CommandFailure(
          .usage,
          "--zone \(zone): this system has no such zone: write such as Europe/Malta"
        )
      }
      table = named
    }
    let context = LanguageShelf.context(
      reader,
      now: written,
      zone: table,
      locale: locale,
      places: places
    )
    let answer = UnderstandingText(reader.understand(text, in: context), reader, context)
    switch format {
    case .text: try printLines(answer.lines(text))
    case .json: try printLines([try answer.json(id: "null")])
    case .yomo:
      for part in answer.missingInYomo {
        printError("nearme: note: Yomo's form has no place for \(part)")
      }
      try printLines([answer.yomo()])
    }
  }

  private func answerLines(_ places: [SentenceContext.Place]) throws {
    let output = try OutputFile(path: nil)
    var input = InputLines()
    var lines = UnderstandingLines(locale: locale, places: places, format: format)
    while let answer = input.next({ lines.answer($0) }) {
      guard let answer else { continue }
      try output.writeLine(answer)
      // Whoever asks may wait for the answer before the next question.
      try output.flush()
    }
    try output.finish()
  }
}

/// How an understanding is printed.
enum UnderstandingFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json, yomo
}

/// Answers sentences that come as lines of JSON, one line for each.
struct UnderstandingLines {
  private let shelf = LanguageShelf()
  private let zones = ZoneShelf()
  private let locale: String
  private let places: [SentenceContext.Place]
  private let format: UnderstandingFormat
  private var number = 0
  private static let keys = ["id", "text", "now", "zone", "locale"]

  init(locale: String, places: [SentenceContext.Place], format: UnderstandingFormat) {
    self.locale = locale
    self.places = places
    self.format = format
  }

  /// The answer to a line; nil to a blank one.
  mutating func answer(_ line: UnsafeRawBufferPointer) -> String? {
    number += 1
    if line.allSatisfy({ $0 <= 0x20 }) { return nil }
    var id = "null"
    do {
      let value = try JSONValue.parse(line)
      switch value["id"] {
      case .string(let text)?: id = JSONText.quoted(text)
      case .number(let text)?: id = text
      case .bool(let isSo)?: id = isSo ? "true" : "false"
      default: break
      }
      return try answer(value, id: id)
    } catch let error as JSONError {
      return failure(id, "line \(number), byte \(error.offset + 1): no JSON: \(error.reason)")
    } catch {
      return failure(id, "\(error)")
    }
  }

  private func failure(_ id: String, _ message: String) -> String {
    var json = JSONText()
    json.add("id", json: id)
    json.add("error", message)
    return json.closed
  }

  private func answer(_ line: JSONValue, id: String) throws -> String {
    guard line.members != nil else {
      throw RecurrenceError(part: "line", "it is no JSON object: write {\"id\":…,\"text\":…}")
    }
    if let unknown = line.members?.first(where: { !Self.keys.contains($0.key) })?.key {
      let hint = nearestName(to: unknown, among: Self.keys).map { "did you mean \($0)?" }
      throw RecurrenceError(
        part: unknown,
        "there is no such key: " + (hint ?? "write " + Self.keys.joined(separator: ", "))
      )
    }
    guard let text = line["text"]?.text else {
      throw RecurrenceError(part: "text", "it is missing, or no text: write the sentence in quotes")
    }
    let locale = line["locale"]?.text ?? locale
    let reader = try shelf.reader(locale)
    let now = try line["now"]?.text
      .map { text throws(RecurrenceError) in
        try RecurrenceRequest.time(text, "now")
      }
    var zone: UTCOffsetTable?
    if let name = line["zone"]?.text { zone = try zones.zone(named: name) }
    let context = LanguageShelf.context(
      reader,
      now: now,
      zone: zone,
      locale: locale,
      places: places
    )
    let answer = UnderstandingText(reader.understand(text, in: context), reader, context)
    return format == .yomo ? answer.yomo() : try answer.json(id: id)
  }
}
