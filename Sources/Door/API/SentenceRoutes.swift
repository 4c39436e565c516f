import Basics
import HTTPTypes
import NearMeEngine
import Recurrence
import Sentences
import SettingsFiles
import TimeZones
import Timeline
import UserStore

/// Reminders said in words: how they are read, and saved.
struct SentenceRoutes: Sendable {
  let side: PersonSide

  var routes: [APIRoute] {
    [
      APIRoute(method: .post, path: "/understand", scope: .read, hasBody: true) { call in
        let reading = try await read(call)
        guard reading.errors.isEmpty else { return APIReply(json: try reading.json()) }
        let (reminder, now) = (reading.reminder(id: "new"), call.now)
        let zone = side.zone(try side.settings(of: call.person))
        let refusal = try await side.household.desk(call.person)
          .look { store, _, _ in try store.refusal(of: reminder, at: now, zone: zone) }
        return APIReply(json: try reading.json(refusal.map(APIRefusal.init)))
      },
      APIRoute(
        method: .post,
        path: "/remember",
        scope: .write,
        hasBody: true,
        isKept: true,
        edits: "reminders"
      ) { call in
        let reading = try await read(call)
        if let error = reading.errors.first {
          throw APIRefusal(422, error.name, error.text)
        }
        return try await ReminderRoutes(side: side)
          .add(call, id: nil) {
            reading.reminder(id: $0)
          }
      },
    ]
  }

  /// A sentence that is said to have waited longer in a browser is one of a clock that is wrong.
  private static let longestWait = Milliseconds.minutes(366 * 24 * 60)
  /// So far ahead of the door's a clock may be.
  private static let clockDifference = Milliseconds.minutes(1)

  /// When a sentence was said, by the door's clock.
  ///
  /// The sender's may be wrong by hours: it says when it sends, too, and what lies between the two has passed.
  private static func saidAt(_ body: APIBody, _ call: APICall) throws -> Timestamp {
    guard let said = try body.instant("said_at") else { return call.now }
    var sent = call.now
    if let header = call.headers[.sentAt] {
      guard let instant = RFC3339.parse(header) else {
        throw APIRefusal.badMember("X-Sent-At", "must be an instant such as 2026-11-23T09:00:00Z")
      }
      sent = instant
    }
    guard said - sent <= clockDifference, sent - said <= longestWait else {
      throw APIRefusal.badMember("said_at", "must be an instant of the last year")
    }
    return call.now - max(sent - said, Milliseconds(0))
  }

  private func read(_ call: APICall) async throws -> SentenceReading {
    let body = try APIBody(call.body, keys: ["text", "notes", "said_at", "locale"])
    try body.refuseNull("text")
    let text = try body.needed("text", most: 2_000)
    var notes: String?
    if let value = body["notes"] {
      guard let sent = value.text, sent.count <= UserStore.longestNotes else {
        throw APIRefusal.badMember(
          "notes",
          "must be a text of at most \(UserStore.longestNotes) characters"
        )
      }
      notes = sent.isEmpty ? nil : sent
    }
    let saidAt = try Self.saidAt(body, call)
    let settings = try side.settings(of: call.person)
    let locale =
      try body.word("locale", of: Languages.locales) ?? settings.locale ?? Languages.usual
    let places = try await side.household.desk(call.person)
      .look { store, _, _ in try store.places() }
    let reader: SentenceReader
    do {
      reader = try side.languages.reader(locale)
    } catch is SettingsError {
      throw APIRefusal(
        503,
        "no_language",
        "this door has no files of its languages: NEARME_DATA names them"
      )
    }
    let zone = side.zone(settings)
    let context = SentenceContext(
      now: LocalDateTime(
        clamping: saidAt.wholeSeconds + Int64(zone.offsetSeconds(at: saidAt))
      ),
      zone: zone,
      zones: SystemZones(),
      isDayFirst: reader.language.isDayFirst(locale) ?? true,
      places: places.flatMap(\.spoken)
    )
    return SentenceReading(text, notes: notes, reader, context)
  }
}

/// A remark on a sentence, with a name for programs.
struct Remark: Hashable, Sendable {
  let name: String
  let text: String

  var json: String {
    var json = JSONText()
    json.add("name", name)
    json.add("text", text)
    return json.closed
  }
}

/// How a sentence was read.
struct SentenceReading: Sendable {
  private let understanding: Understanding
  private let notes: String?
  private let sentence: String
  private let text: [Unicode.Scalar]

  init(
    _ text: String,
    notes: String?,
    _ reader: SentenceReader,
    _ context: SentenceContext
  ) {
    understanding = reader.understand(text, in: context)
    self.notes = notes
    self.text = Array(text.unicodeScalars)
    sentence = SentenceWriter(reader.language)
      .sentence(understanding.reminder(id: "new"), in: context)
  }

  /// The reminder that the sentence asks for.
  func reminder(id: String) -> Reminder {
    var reminder = understanding.reminder(id: id)
    if let notes {
      reminder.notes = [reminder.notes, notes].compactMap(\.self).joined(separator: "\n")
    }
    return reminder
  }

  /// Why it cannot be saved as it is.
  var errors: [Remark] {
    guard understanding.title.allSatisfy(\.isWhitespace) else { return [] }
    return [
      Remark(
        name: "no_title",
        text: "it says no more than when: add what is to be done"
      )
    ]
  }

  /// What may not be as it was meant.
  private var questions: [Remark] {
    var questions = understanding.spans.filter { $0.kind == .unsupported }
      .map { span in
        let words = String(
          String.UnicodeScalarView(text[span.from..<min(span.to, text.count)])
        )
        return Remark(
          name: String((span.reason ?? "unsupported").prefix { $0 != " " }),
          text: "“\(words)”: \(span.advice ?? "not understood")"
        )
      }
    if understanding.triggers.isEmpty, questions.isEmpty {
      questions.append(
        understanding.isOver
          ? Remark(
            name: "over",
            text: "the time that it names is over: it will stand on the list and never speak"
          )
          : Remark(
            name: "no_reason",
            text: "it says neither when nor where: it will stand on the list and never speak"
          )
      )
    }
    return questions
  }

  /// As `understand` answers it.
  ///
  /// - Parameter refusal: what `remember` would answer; nil if it would save it.
  func json(_ refusal: APIRefusal? = nil) throws -> String {
    var json = JSONText()
    json.add("title", understanding.title)
    json.add("sentence", sentence)
    json.add("spans", json: JSONText.array(understanding.spans.map(Self.json)))
    let stored = try JSONValue(encoding: reminder(id: "new"))
    var reminder = JSONText()
    for (key, value) in stored.members ?? [] where key != "id" && key != "status" {
      reminder.add(key, json: value.compact)
    }
    json.add("reminder", json: reminder.closed)
    json.add("questions", json: JSONText.array(questions.map(\.json)))
    let errors = errors + (refusal.map { [Remark(name: $0.name, text: $0.detail)] } ?? [])
    json.add("errors", json: JSONText.array(errors.map(\.json)))
    return json.closed
  }

  private static func json(_ span: Understanding.Span) -> String {
    var json = JSONText()
    json.add("from", span.from)
    json.add("to", span.to)
    json.add("kind", span.kind.rawValue)
    if let value = span.value { json.add("value", value) }
    if let grain = span.grain { json.add("grain", grain.name) }
    if let until = span.until { json.add("until", until) }
    if let reason = span.advice ?? span.reason { json.add("reason", reason) }
    return json.closed
  }
}
