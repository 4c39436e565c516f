import ArgumentParser
import NearMeEngine
import UserStore

/// `nearme reminder export`.
struct ReminderExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write all reminders, done ones too, in a form that other programs read.",
    discussion: """
        nearme reminder export -o reminders.json
        nearme reminder export --format ics -o reminders.ics
        nearme reminder export --format yomo | head -1

        reminders  a reminders file with the places: everything that
                   `nearme replay` reads
        ics        iCalendar: tasks with alarms, places of RFC 9074
        context, yomo, yourmom, morning
                   the documents' own forms, an object of JSON a line

      What a form has no place for is named. A calendar still has the whole reminder, in a property \
      that only nearme reads; from the documents' forms the reminder is left out, and the exit \
      status is 1. What is exported can be read by anyone: it is not sealed as the database is. \
      `nearme reminder import` reads all of it back.
      """
  )

  @Option(help: "The form: \(ExchangeFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
  var format = ExchangeFormat.reminders

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to a file instead of standard output.", valueName: "FILE")
  )
  var output: String?

  @OptionGroup var database: UserDatabaseOptions

  func validate() throws { try refuse(output, among: database.inputs) }

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        var exchange = try Exchange(database.open(.look))
        let text = try exchange.text(format)
        let file = try OutputFile(path: output, isPrivate: true)
        try file.write(text)
        try file.finish()
        for notice in exchange.notices { printError("nearme: \(notice)") }
        for refusal in exchange.refusals { printError("nearme: left out: \(refusal)") }
        if !exchange.refusals.isEmpty {
          throw CommandFailure(
            .checkFailed,
            "\(counted(exchange.refusals.count, "reminder")) of \(exchange.items.count) left out; "
              + "--format reminders has them all"
          )
        }
      }
    }
  }
}
