import ArgumentParser
import Basics
import Foundation
import Recurrence
import Timeline

/// `nearme recur`.
struct RecurCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recur",
    abstract: "List when a recurrence rule fires.",
    discussion: """
      Reads a rule of iCalendar (RFC 5545, SKIP of RFC 7529) or of Yomo's form and \
      prints its occurrences, one a line, with the weekday. Without --zone times \
      stand on no particular clock; with it, each has the zone's offset, and a time \
      that the clocks jump over comes as much later, or with --gap skip not at all.

        nearme recur "FREQ=MONTHLY;BYDAY=-1FR" \\
          --start 2026-01-30T18:00 --zone Europe/Malta --count 12
        nearme recur "FREQ=DAILY" --start 2026-03-06T02:30 \\
          --zone America/New_York --gap skip
        nearme recur "FREQ=MONTHLY;SKIP=BACKWARD" --start 2026-01-31 --explain
        nearme recur "FREQ=WEEKLY;BYDAY=MO,WE" --start 2020-01-01T09:00 \\
          --between 2026-12-20 2027-01-10 --exdate 2026-12-23
        nearme recur "FREQ=DAILY;INTERVAL=3" --start 2026-01-01T08:00 \\
          --anchor completion --completed-at 2026-02-10T22:15

      Times are written 2026-03-02, 2026-03-02T07:00 or 2026-03-02T07:00:00+01:00.
      As programs ask, a line of JSON each:

        nearme recur --stdin < questions.ndjson
        {"id":1,"start":"2026-03-06T02:30","zone":"Europe/Malta",
         "rrule":"FREQ=DAILY","rdates":[],"exdates":[],"gap":"shift",
         "after":null,"limit":3}   on one line, answered by
        {"id":1,"occurrences":["2026-03-06T02:30:00+01:00",…]}   or
        {"id":1,"error":"…"}
      """
  )

  @Argument(help: "The rule, or Yomo's form as JSON; none for the dates of --rdate alone.")
  var rule: String?

  @Option(help: "When it starts; a date is its midnight.")
  var start: String?

  @Option(help: "The time zone, such as Europe/Malta; none if not given.")
  var zone: String?

  @Option(help: "How many to print at most; 10 if not given, all with --between.")
  var count: Int?

  @Option(help: "Print those after this time.")
  var after: String?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Print those from one time to another, the end not included.",
      valueName: "FROM TO"
    )
  )
  var between: [String] = []

  @Option(help: "Add a time; a date has the start's time of day. Can be repeated.")
  var rdate: [String] = []

  @Option(help: "Leave out a time, or a whole date. Can be repeated.")
  var exdate: [String] = []

  @Option(help: "What becomes of times that the clocks jump over: shift or skip.")
  var gap = GapRule.shift

  @Option(help: "Print the one that follows an answer: schedule, catch_up or completion.")
  var anchor: Anchor?

  @Option(help: "With --anchor: the occurrence that was answered.")
  var answered: String?

  @Option(name: .customLong("completed-at"), help: "With --anchor: when it was completed.")
  var completedAt: String?

  @Flag(help: "Say the rule in words first.")
  var explain = false

  @Flag(name: .customLong("yomo"), help: "Print the rule in Yomo's form instead.")
  var printsYomo = false

  @Flag(name: .customLong("stdin"), help: "Answer lines of JSON from standard input.")
  var readsStandardInput = false

  func validate() throws {
    if readsStandardInput {
      guard rule == nil, start == nil, zone == nil, count == nil, after == nil, between.isEmpty,
        rdate.isEmpty, exdate.isEmpty, anchor == nil, !explain, !printsYomo
      else { throw ValidationError("--stdin takes everything from its lines: leave the rest out") }
      return
    }
    guard start != nil else {
      throw ValidationError("say with --start when it starts, such as --start 2026-03-02T07:00")
    }
    guard rule != nil || !rdate.isEmpty else {
      throw ValidationError("name a rule such as \"FREQ=DAILY\", or dates with --rdate")
    }
    if let count, !(0...RecurrenceRequest.maximumLimit).contains(count) {
      throw ValidationError("--count must be 0 to \(RecurrenceRequest.maximumLimit)")
    }
    if ![0, 2].contains(between.count) {
      throw ValidationError("--between takes two times: from, and to; write the rule before it")
    }
    if after != nil, !between.isEmpty {
      throw ValidationError("--after and --between exclude each other")
    }
    try validateAnchor()
  }

  private func validateAnchor() throws {
    guard let anchor else {
      if answered != nil || completedAt != nil {
        throw ValidationError("--answered and --completed-at go with --anchor")
      }
      return
    }
    if anchor != .completion, answered == nil {
      throw ValidationError("--anchor \(anchor.rawValue) needs --answered: which occurrence it was")
    }
    if anchor != .schedule, completedAt == nil {
      throw ValidationError("--anchor \(anchor.rawValue) needs --completed-at: when it was done")
    }
  }

  func run() throws {
    try reportingFailures {
      do {
        if readsStandardInput { try answerLines() } else { try printOccurrences() }
      } catch let error as RecurrenceError {
        throw CommandFailure(.badInput, error.description)
      }
    }
  }

  // MARK: - One rule

  private func printOccurrences() throws {
    let output = try OutputFile(path: nil)
    let set = try set()
    if printsYomo {
      guard let rule = set.rule else {
        throw CommandFailure(.badInput, "rule: there is none to print in Yomo's form")
      }
      let yomo = try YomoRecurrence(
        rule,
        start: set.start,
        anchor: anchor ?? .schedule
      )
      try output.writeLine(yomo.json)
      return try output.finish()
    }
    if explain, set.rule != nil { try output.writeLine(set.ruleInWords) }
    let found = try occurrences(set)
    for occurrence in found {
      let weekday = occurrence.local.date.weekday.rawValue.capitalized
      try output.writeLine("\(occurrence) \(weekday)")
    }
    try output.finish()
    if found.isEmpty, count != 0 { printError("nearme: note: no occurrence") }
  }

  private func set() throws -> RecurrenceSet {
    let written = try time(start ?? "", "--start")
    return try RecurrenceSet(
      start: written,
      zone: try zone.map { name throws(RecurrenceError) in try ZoneShelf().zone(named: name) },
      rule: try rule.map { try Self.rule($0, start: written.local) },
      added: try rdate.map { try time($0, "--rdate") },
      excluded: try exdate.map { try time($0, "--exdate") },
      gap: gap
    )
  }

  private static func rule(_ text: String, start: LocalDateTime) throws -> RecurrenceRule {
    guard text.first(where: { !$0.isWhitespace }) == "{" else { return try RecurrenceRule(text) }
    do {
      return try YomoRecurrence(json: try JSONValue.parse(text)).rule(start: start)
    } catch let error as JSONError {
      throw RecurrenceError(part: "rule", "byte \(error.offset + 1): no JSON: \(error.reason)")
    }
  }

  private func occurrences(_ set: RecurrenceSet) throws -> [Occurrence] {
    if let anchor {
      let answered = try answered.map { try instant($0, "--answered", set) }
      let completed = try completedAt.map { try instant($0, "--completed-at", set) }
      guard let any = answered ?? completed else { return [] }
      let next = try set.next(
        answered: answered ?? any,
        completedAt: completed ?? any,
        anchor: anchor
      )
      return next.map { [$0] } ?? []
    }
    guard between.count == 2 else {
      let after = try after.map { try instant($0, "--after", set) }
      return try set.occurrences(after: after, limit: count ?? 10)
    }
    let from = try instant(between[0], "--between", set)
    let to = try instant(between[1], "--between", set)
    guard from <= to else {
      throw RecurrenceError(part: "--between", "it ends before it begins: write the earlier first")
    }
    return try set.occurrences(
      between: from,
      and: to,
      limit: count ?? RecurrenceRequest.maximumLimit
    )
  }

  private func instant(_ text: String, _ part: String, _ set: RecurrenceSet) throws -> Timestamp {
    set.instant(of: try time(text, part))
  }

  private func time(_ text: String, _ part: String) throws(RecurrenceError) -> WrittenTime {
    try RecurrenceRequest.time(text, part)
  }

  // MARK: - Lines

  private func answerLines() throws {
    let output = try OutputFile(path: nil)
    var input = InputLines()
    var lines = RecurrenceLines()
    while let answer = input.next({ lines.answer($0) }) {
      guard let answer else { continue }
      try output.writeLine(answer)
      // Whoever asks may wait for the answer before the next question.
      try output.flush()
    }
    try output.finish()
  }
}

extension GapRule: ExpressibleByArgument {}

extension Anchor: ExpressibleByArgument {}
