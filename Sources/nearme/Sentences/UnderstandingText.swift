import Basics
import Foundation
import NearMeEngine
import Recurrence
import Sentences
import Timeline

/// What a sentence was taken for, as JSON for programs and as lines for people.
struct UnderstandingText {
  let understanding: Understanding
  let sentence: String
  private let writer: SentenceWriter
  private let context: SentenceContext

  init(_ understanding: Understanding, _ reader: SentenceReader, _ context: SentenceContext) {
    self.understanding = understanding
    self.context = context
    writer = SentenceWriter(reader.language)
    sentence = writer.sentence(understanding.reminder(id: "new"), in: context)
  }

  /// The answer of `nearme understand --stdin`, on one line.
  ///
  /// - Parameter id: as JSON.
  func json(id: String) throws -> String {
    let schedule = understanding.schedule
    var json = JSONText()
    json.add("id", json: id)
    json.add("title", understanding.title)
    json.add("spans", json: JSONText.array(understanding.spans.map(Self.json)))
    json.add("start", schedule.map { Self.text($0.start) })
    json.add("rrule", schedule.flatMap(Self.rule))
    if let schedule, !schedule.excluded.isEmpty {
      json.add(
        "exdates",
        json: JSONText.array(schedule.excluded.map { JSONText.quoted(Self.text($0)) })
      )
    }
    if let schedule, schedule.rule != nil { json.add("anchor", schedule.anchor.rawValue) }
    json.add("triggers", json: try JSONValue(encoding: understanding.triggers).compact)
    json.add("conditions", json: try JSONValue(encoding: understanding.conditions).compact)
    if understanding.priority != 0 { json.add("priority", understanding.priority) }
    if let persistence = understanding.persistence { json.add("persistence", persistence.rawValue) }
    if let nag = understanding.nag { json.add("nag", json: try JSONValue(encoding: nag).compact) }
    if let expires = understanding.expires { json.add("expires", "\(expires)") }
    if let tone = understanding.tone { json.add("tone", tone) }
    if let notes = understanding.notes { json.add("notes", notes) }
    json.add("sentence", sentence)
    return json.closed
  }

  /// What the sentence says that ``yomo()`` leaves out, in words.
  var missingInYomo: [String] {
    var parts: [String] = []
    for trigger in understanding.triggers {
      let isKept: Bool
      if case .schedule(let schedule) = trigger, schedule == understanding.schedule {
        isKept = schedule.rule == nil || Self.recurrence(schedule) != nil
      } else {
        isKept = false
      }
      if !isKept { parts.append("\"\(writer.words(trigger, in: context) ?? Self.json(trigger))\"") }
    }
    for condition in understanding.conditions {
      parts.append("\"\(writer.words(condition, in: context) ?? Self.json(condition))\"")
    }
    if understanding.priority != 0 { parts.append("a priority") }
    if understanding.tone != nil { parts.append("a tone") }
    if understanding.nag != nil { parts.append("nagging") }
    return parts
  }

  /// Yomo's form (YOMO-4.1b): a rule that it has no place for is left out.
  func yomo() -> String {
    let schedule = understanding.schedule
    var json = JSONText()
    json.add("title", understanding.title)
    json.add("date", schedule.map { String($0.start.local.description.prefix(10)) })
    let time = schedule.flatMap { $0.start.isDate ? nil : $0.start.local.description }
    json.add("time", time.map { String($0.dropFirst(11).prefix(5)) })
    let recurrence = schedule.flatMap(Self.recurrence)
    var kind = recurrence == nil ? "none" : "custom"
    if let recurrence, recurrence.interval == 1, recurrence.timeRange == nil,
      !recurrence.isBasedOnCompletion
    {
      if recurrence.unit == .day, recurrence.daysOfWeek.isEmpty { kind = "daily" }
      if recurrence.unit == .week { kind = "weekly" }
    }
    json.add("recurrence_type", kind)
    json.add("recurrence_rule", json: kind == "daily" ? "null" : recurrence?.json ?? "null")
    return json.closed
  }

  private static func recurrence(_ schedule: Schedule) -> YomoRecurrence? {
    ruleWithMinutes(schedule)
      .flatMap { rule in
        try? YomoRecurrence(
          rule,
          start: schedule.start.local,
          anchor: schedule.anchor == .completion ? .completion : .schedule
        )
      }
  }

  /// A schedule's rule; hours that leave the minute to the start say it themselves, as Yomo's ranges do.
  private static func ruleWithMinutes(_ schedule: Schedule) -> RecurrenceRule? {
    guard let rule = schedule.rule else { return nil }
    let text = rule.description
    guard text.contains("BYHOUR="), !text.contains("BYMINUTE=") else { return rule }
    return try? RecurrenceRule("\(text);BYMINUTE=\(schedule.start.local.minute)")
  }

  private static func text(_ time: WrittenTime) -> String {
    time.isDate ? time.description : time.local.description
  }

  /// A schedule's rule; its last day as the end of it where times have a time of day.
  ///
  /// Near Me takes a day for the whole of it, others for its first second: RFC 5545 asks for one kind of value in
  /// DTSTART and UNTIL (section 3.3.10).
  private static func rule(_ schedule: Schedule) -> String? {
    guard let rule = schedule.rule else { return nil }
    let text = "\(rule)"
    guard case .day(let last)? = rule.until, !schedule.start.isDate else { return text }
    let day = LocalDateTime(last, minuteOfDay: 0).compact.prefix(8)
    return text.replacingOccurrences(of: "UNTIL=\(day)", with: "UNTIL=\(day)T235959")
  }

  private static func json(_ span: Understanding.Span) -> String {
    var json = JSONText()
    json.add("from", span.from)
    json.add("to", span.to)
    json.add("kind", span.kind.rawValue)
    json.add("value", span.value)
    json.add("grain", span.grain?.name)
    json.add("until", span.until)
    if let reason = span.reason { json.add("reason", reason) }
    return json.closed
  }

  // MARK: - For people

  /// The words, what was understood of them underlined, and what they were taken for.
  ///
  /// - Parameter isWokenByHours: whether the hours in which it may speak wake it, as some products have it.
  func lines(_ text: String, isWokenByHours: Bool = false) -> [String] {
    let scalars = Array(text.unicodeScalars)
    var marks = Array(repeating: " ", count: scalars.count)
    for span in understanding.spans {
      for index in span.from..<min(span.to, marks.count) {
        marks[index] = span.kind == .unsupported ? "?" : "~"
      }
    }
    // Line feeds and tabs would break the line of marks away from its words.
    let shown = scalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : String($0) }.joined()
    var line = marks.joined()
    while line.last == " " { line.removeLast() }
    var lines = ["  " + shown]
    if !line.isEmpty { lines.append("  " + line) }
    lines.append("what   " + (understanding.title.isEmpty ? "(nothing)" : shownTitle))
    for trigger in understanding.triggers {
      lines.append("when   " + (writer.words(trigger, in: context) ?? Self.json(trigger)))
    }
    if isWokenByHours {
      lines.append("when   (in its hours)")
    } else if understanding.triggers.isEmpty {
      lines.append(
        understanding.isOver
          ? "when   (on the list alone: that time is over)"
          : "when   (on the list, without a reason to speak)"
      )
    }
    for condition in understanding.conditions {
      lines.append("if     " + (writer.words(condition, in: context) ?? Self.json(condition)))
    }
    for span in understanding.spans where span.kind == .unsupported {
      let words = String(String.UnicodeScalarView(scalars[span.from..<min(span.to, scalars.count)]))
      lines.append("not    \"\(words)\": \(span.advice ?? "")")
    }
    lines.append("again  " + sentence)
    return lines
  }

  private var shownTitle: String {
    understanding.title.unicodeScalars
      .map { $0.value < 0x20 || $0.value == 0x7F ? " " : String($0) }.joined()
  }

  private static func json(_ part: some Encodable) -> String {
    (try? JSONValue(encoding: part).compact) ?? ""
  }
}
