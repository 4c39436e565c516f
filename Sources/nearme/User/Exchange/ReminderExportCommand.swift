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
        nearme reminder export -o reminders.ics
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

  @Option(
    help: ArgumentHelp(
      "The form: \(ExchangeFormat.allCases.map(\.rawValue).joined(separator: ", ")). (default: ics for a FILE that "
        + "ends in .ics, else reminders)",
      valueName: "FORMAT"
    )
  )
  var format: ExchangeFormat?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to a file instead of standard output.", valueName: "FILE")
  )
  var output: String?

  @OptionGroup var database: UserDatabaseOptions

  /// Whether the output's name says that it is a calendar; nil where it says nothing.
  private var isCalendar: Bool? {
    guard let name = output?.lowercased() else { return nil }
    return name.hasSuffix(".ics") ? true : name.hasSuffix(".json") ? false : nil
  }

  func validate() throws {
    try refuse(output, among: database.inputs)
    if let format, let output, let isCalendar, isCalendar != (format == .ics) {
      throw ValidationError(
        "--format \(format.rawValue) and a file named \(output) contradict each other: leave one out"
      )
    }
  }

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        let store = try database.open(.look)
        var exchange = try Exchange(store, names: database.yourMomNames(store))
        let text = try exchange.text(format ?? (isCalendar == true ? .ics : .reminders))
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
