import ArgumentParser
import Basics
import NearMeEngine
import Places
import Profiles
import SettingsFiles
import Timeline
import UserStore

/// `nearme reminder list`.
struct ReminderListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the reminders that are to be done, or search all of them.",
    discussion: """
      What speaks next comes first, unless --sort or the profile says otherwise; what waits for a place or the \
      phone has no time and comes last. --search looks at titles and notes, whatever their case and accents.

        nearme reminder list
        nearme reminder list --sort most_recent --priority high
        nearme reminder list --search prescription --all
        nearme reminder list --all --format json
      """
  )

  @Flag(help: "Those that are done or told once, too; `nearme reminder history` has them by page.")
  var all = false

  @Option(
    help: "next_trigger, most_recent, or made for the order of making. (default: the profile's)"
  )
  var sort: Sort?

  @Option(
    help: ArgumentHelp("Only those with these words in the title or notes.", valueName: "WORDS")
  )
  var search: String?

  @Option(help: ArgumentHelp("Only those of this priority: low, medium, high or 0 to 9."))
  var priority: String?

  @OptionGroup var database: UserDatabaseOptions

  @Option(help: "How to print them.")
  var format = ListFormat.text

  enum Sort: String, ExpressibleByArgument, CaseIterable {
    case nextTrigger = "next_trigger"
    case mostRecent = "most_recent"
    case made
  }

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        let store = try database.open(.look)
        let text = try UserText(store, at: presentInstant())
        var chosen =
          all ? try store.everyReminder() : text.reminders.filter { $0.status == .active }
        if let search { chosen = try found(search, among: chosen, store) }
        if let wanted = try chosenPriority() { chosen.removeAll { $0.priority != wanted } }
        let engine = try store.presentEngine(at: text.now, zone: text.zone)
        var next: [String: Timestamp] = [:]
        for reminder in chosen {
          next[reminder.id] = engine.nextTimes(ofReminder: reminder.id).first
        }
        chosen = try sorted(chosen, next)
        switch format {
        case .json: try printLines(["["] + separated(chosen.map(text.json)) + ["]"])
        case .text where chosen.isEmpty: try printLines([try nothing(text, store)])
        case .text: try printLines(text.table(chosen, next: next))
        }
      }
    }
  }

  private func found(
    _ words: String,
    among reminders: [Reminder],
    _ store: UserStore
  ) throws -> [Reminder] {
    let ids = Set(try store.search(words))
    return reminders.filter { ids.contains($0.id) }
  }

  private func chosenPriority() throws -> Int? {
    guard let priority else { return nil }
    var fields = ReminderFields()
    fields.priority = priority
    return try fields.chosenPriority()
  }

  private func sorted(_ reminders: [Reminder], _ next: [String: Timestamp]) throws -> [Reminder] {
    var order = SortOrder.nextTrigger
    switch sort {
    case .made: return reminders
    case .nextTrigger: break
    case .mostRecent: order = .mostRecent
    case nil: try mappingSettingsFailures { order = try database.profile.read().profile.sort }
    }
    // In the order of their making, which stands for the instant.
    let keyed = reminders.enumerated()
      .map { i, reminder in
        (
          reminder,
          SortOrder.Key(
            id: reminder.id,
            madeAt: Timestamp(milliseconds: Int64(i)),
            nextAt: next[reminder.id]
          )
        )
      }
    return keyed.sorted { order.areInOrder($0.1, $1.1) }.map(\.0)
  }

  private func nothing(_ text: UserText, _ store: UserStore) throws -> String {
    if search != nil || priority != nil {
      return "nothing found" + (all ? "" : "; --all looks at what is done, too")
    }
    let told = text.reminders.count { $0.status == .fired }
    let done = try store.archivedCount() + told
    if done > 0 {
      return "nothing to be done; --all shows \(done) that \(done == 1 ? "is" : "are") done"
    }
    return "no reminders yet: nearme reminder add \"buy milk\" --category grocery"
  }
}

/// `nearme reminder show`.
struct ReminderShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a reminder, and when it speaks next.",
    discussion: """
      The next five times are those that are known: of schedules and snoozes. Places and signals come when they come.

        nearme reminder show r1
        nearme reminder show r1 --times 20
      """
  )

  @Argument(help: "The reminder's id.")
  var id: String

  @Option(help: "So many times.")
  var times = 5

  @OptionGroup var database: UserDatabaseOptions

  @Option(help: "How to print it.")
  var format = ListFormat.text

  func validate() throws {
    guard (1...1_000).contains(times) else { throw ValidationError("--times must be 1 to 1000") }
  }

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        let store = try database.open(.look)
        let text = try UserText(store, at: presentInstant())
        guard let reminder = try store.reminders(withIDs: [id]).first else {
          let ids = text.reminders.map(\.id)
          throw EditRefusal.unknownReminder(id, nearest: nearestName(to: id, among: ids))
        }
        let next = try store.presentEngine(at: text.now, zone: text.zone)
          .nextTimes(ofReminder: id, times)
        guard format == .text else { return try printLines([try text.json(reminder)]) }
        var lines = [text.line(reminder)]
        if let notes = reminder.notes {
          lines += notes.split(separator: "\n").map { "  \(shown(String($0)))" }
        }
        lines += next.map { "next  \(text.time($0))" }
        if next.isEmpty, reminder.status == .active {
          lines.append("no time is known at which it speaks")
        }
        try printLines(lines)
      }
    }
  }
}

/// `nearme reminder history`.
struct ReminderHistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show what was done, the newest first, by page.",
    discussion: """
      Reminders that have ended or were told once, and times of recurring ones that were answered. Nothing of it is ever deleted by \
      itself; `nearme reminder reopen` has one back, `nearme reminder delete` erases it.

        nearme reminder history
        nearme reminder history --limit 100 --after 1767600000000-e42
      """
  )

  @Option(help: "So many on a page.")
  var limit = 20

  @Option(
    help: ArgumentHelp("Where the page before ended, as it says below it.", valueName: "PLACE")
  )
  var after: String?

  @OptionGroup var database: UserDatabaseOptions

  @Option(help: "How to print it.")
  var format = ListFormat.text

  func validate() throws {
    guard (1...10_000).contains(limit) else { throw ValidationError("--limit must be 1 to 10000") }
    if let after, PastReminder.Cursor(after) == nil {
      throw ValidationError("--after \(after): write what a page before has below it")
    }
  }

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        let store = try database.open(.look)
        let text = try UserText(store, at: presentInstant())
        let page = try store.history(
          after: after.flatMap(PastReminder.Cursor.init),
          limit: limit,
          at: text.now,
          zone: text.zone
        )
        switch format {
        case .json: try printLines(["["] + separated(try page.map { try text.json($0) }) + ["]"])
        case .text where page.isEmpty:
          try printLines([after == nil ? "nothing has been done yet" : "that was all"])
        case .text:
          try printLines(page.map(text.line))
          noteZoneOfTimes()
          if page.count == limit, let last = page.last {
            printError("nearme: more with --after \(last.cursor.text)")
          }
        }
      }
    }
  }
}
