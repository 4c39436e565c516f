import ArgumentParser
import NearMeEngine
import Places
import Timeline
import UserStore

/// `nearme signal`: what the phone says, handed in by hand or by a script.
struct SignalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signal",
    abstract: "Hand in what the phone says: that it was unlocked, charges, is in the car.",
    discussion: """
      An automation of the phone (Tasker, a shortcut over SSH) calls it when something happens. A running \
      `nearme run` takes it within a second. The same name and --id twice is one happening.

        export NEARME_DB=my.db
        nearme signal unlock
        nearme signal charging --to charging
        nearme signal connectivity --to offline --id 2026-12-01T08:00:03
      """
  )

  @Argument(help: "Its name, such as unlock or charging; whatever a reminder listens to.")
  var name: String

  @Option(
    help: ArgumentHelp("The level that begins, such as charging or offline.", valueName: "LEVEL")
  )
  var to: String?

  @Option(help: "Which happening it is; without it, a new one.")
  var id: String?

  @OptionGroup var database: UserDatabaseOptions

  func validate() throws {
    for (option, text) in [("the name", name), ("--to", to ?? "-"), ("--id", id ?? "-")]
    where text.isEmpty || text.utf8.count > 200 {
      throw ValidationError("\(option) must have 1 to 200 bytes")
    }
  }

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        let now = presentInstant()
        let signal = Signal(name: name, id: id ?? "\(now.milliseconds)", level: to)
        let store = try database.open(.edit)
        try store.giveSignal(signal, at: now)
        try printLines(["\(name)\(to.map { " to \($0)" } ?? "")"])
        noteUnheard(among: try store.reminders())
      }
    }
  }

  /// Says on standard error that nothing listens, as for a misspelled name.
  private func noteUnheard(among reminders: [Reminder]) {
    let heard = reminders.lazy.filter { !$0.status.isOver }.flatMap(\.signals)
    let known = Set(heard).union(Signal.namesOfPower)
    guard !known.contains(name) else { return }
    let hint = nearestName(to: name, among: known.sorted()).map { ": did you mean \($0)?" } ?? ""
    printError("nearme: note: no reminder listens to \(name)\(hint)")
  }
}
