import Basics
import ArgumentParser
import NearMeEngine
import Places
import Timeline
import UserStore

/// `nearme reminder why`.
struct ReminderWhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Say what became of a reminder's news, and why it kept silent.",
    discussion: """
      Every transition ends in a decision, and every silence has a reason. The newest come first. \
      They are kept for 30 days.

        nearme reminder why r1
      """
  )

  @Argument(help: "The reminder's id; without it, all of them.")
  var id: String?

  @Option(help: "So many decisions at most.")
  var limit = 10

  @OptionGroup var database: UserDatabaseOptions

  @Option(help: "How to print them.")
  var format = ListFormat.text

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit must be at least 1") }
  }

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        let store = try database.open(.look)
        let text = try UserText(store, at: presentInstant())
        let found = try store.decisions(of: id, limit: limit < .max ? limit + 1 : limit)
        let decisions = Array(found.prefix(limit))
        var heading: [String] = []
        if let id {
          // What is done lies in the archive.
          let reminder =
            try text.reminders.first { $0.id == id } ?? store.reminders(withIDs: [id]).first
          // One that was deleted may still be asked about.
          if reminder == nil, decisions.isEmpty {
            let ids = text.reminders.map(\.id)
            throw EditRefusal.unknownReminder(id, nearest: nearestName(to: id, among: ids))
          }
          heading = [reminder.map(text.line) ?? "\(id): deleted"]
        }
        switch format {
        case .json: try printLines(["["] + separated(decisions.map(Self.json)) + ["]"])
        case .text where decisions.isEmpty:
          let waiting = try store.inventory().inbox
          let hint =
            waiting == 0
            ? ""
            : "; \(counted(waiting, "change")) \(waiting == 1 ? "waits" : "wait") for nearme run, "
              + "or for the door whose database it is"
          try printLines(heading + ["nothing is on record in the last 30 days" + hint])
        case .text:
          try printLines(heading + decisions.map { line($0, text) })
          noteZoneOfTimes()
          if found.count > decisions.count {
            printError("nearme: these are the newest \(limit); --limit shows more")
          }
        }
      }
    }
  }

  private func line(_ decision: StoredDecision, _ text: UserText) -> String {
    var parts = [text.time(decision.at)]
    if id == nil { parts.append(decision.reminder) }
    if let tier = decision.tier { parts.append(tier) }
    let silence = decision.reason.flatMap(Silence.init(rawValue:))
    let reason = silence.map { "\($0.sentence) (\($0.rawValue))" } ?? decision.reason ?? ""
    switch decision.outcome {
    case "delivered": parts.append("told")
    case "deferred":
      parts.append("put off: " + reason)
      if let until = decision.until { parts.append("until \(text.time(until))") }
    case "suppressed": parts.append("not told: " + reason)
    case "cancelled":
      parts.append("came to nothing: \(decision.reason.map(canceled) ?? "")")
    default: parts.append("\(decision.outcome): \(reason)")
    }
    return parts.joined(separator: "  ")
  }

  private static func json(_ decision: StoredDecision) -> String {
    var object = JSONText()
    object.add("at", RFC3339.format(decision.at))
    object.add("reminder", decision.reminder)
    object.add("tier", decision.tier)
    object.add("outcome", decision.outcome)
    object.add("reason", decision.reason)
    object.add("until", decision.until.map(RFC3339.format))
    return object.closed
  }
}

/// Why something that had begun to hold did not, for people.
private func canceled(_ name: String) -> String {
  CancelRecord.Reason(rawValue: name)?.sentence ?? name
}
