import ArgumentParser
import Basics
import Foundation
import NearMeEngine
import Places
import Timeline
import UserStore

/// `nearme reminder import`.
struct ReminderImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Take reminders in from a file: what `export` writes, or another program's calendar.",
    discussion: """
        nearme reminder import reminders.ics
        nearme reminder import --replace reminders.json
        curl -s https://example.org/tasks.ics | nearme reminder import -

      The form is seen from what is in the file: a reminders file, iCalendar, or a form of the \
      documents, one object of JSON or one a line. Reminders keep their ids. One whose id is taken by \
      another is refused, or with --replace takes its place; what is there already is passed over. \
      What is wrong with one refuses that one, with its line, and no other; then the exit status is 1.
      """
  )

  @Argument(help: ArgumentHelp("The file; - for standard input.", valueName: "FILE"))
  var file: String

  @Option(help: "The form, where it cannot be seen from what is in the file.")
  var format: ExchangeFormat?

  @Flag(help: "Put what is in the file in the place of reminders and places with the same ids.")
  var replace = false

  @OptionGroup var database: UserDatabaseOptions

  @OptionGroup var policy: EditPolicyOptions

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        let name = file == "-" ? "standard input" : file
        let text = try read(name)
        let format = format ?? .recognize(text)
        var exchange = try Exchange(text, format, file: name)
        let store = try database.open(.make, policy: policy.read(database.profile))
        var counts = Counts()
        try takePlaces(&exchange, into: store, name, &counts)
        try takeReminders(&exchange, into: store, name, &counts)
        for notice in exchange.notices { printError("nearme: \(notice)") }
        for refusal in exchange.refusals { printError("nearme: refused: \(refusal)") }
        try printLines([counts.sentence(refused: exchange.refusals.count)])
        if !exchange.refusals.isEmpty { throw ExitCode(ExitStatus.checkFailed.code) }
      }
    }
  }

  private func read(_ name: String) throws -> String {
    let data =
      file == "-"
      ? try FileHandle.standardInput.readToEnd() ?? Data() : try contents(ofFile: file)
    guard let text = String(ifUTF8: data) else {
      throw CommandFailure(.badInput, "\(name): is not UTF-8: save it as UTF-8")
    }
    return text
  }

  private func takePlaces(
    _ exchange: inout Exchange,
    into store: UserStore,
    _ name: String,
    _ counts: inout Counts
  ) throws {
    for place in exchange.places {
      switch try store.takeIn(place, replacing: replace, at: presentInstant()) {
      case .success(let intake): counts.add(intake, to: \.places)
      case .failure(let refusal):
        exchange.refusals.append("\(name): place \(shown(place.id)): \(Self.advice(refusal))")
      }
    }
  }

  private func takeReminders(
    _ exchange: inout Exchange,
    into store: UserStore,
    _ name: String,
    _ counts: inout Counts
  ) throws {
    for item in exchange.items {
      var reminder = item.reminder
      if !UserStore.isID(reminder.id) {
        // Calendars may name a task as they like; the same name is always the same id.
        let id = "import-" + FNV1a(reminder.id).text
        exchange.notices.append("\(name): \(shown(reminder.id)) has the id \(id) here")
        reminder = Reminder(reminder, id: id)
      }
      for category in reminder.categories where !usualCategories.contains(category.name) {
        let hint =
          nearestCategory(to: category.name, among: usualCategories).map { "did you mean \($0)? " }
          ?? ""
        exchange.notices.append(
          "\(name): \(reminder.id) is about \(shown(category.name)), which is none of the usual categories: \(hint)a "
            + "cache of your own may have it"
        )
      }
      let taken = try store.takeIn(
        reminder,
        dates: item.dates,
        replacing: replace,
        at: presentInstant()
      )
      switch taken {
      case .success(let intake):
        counts.add(intake, to: \.reminders)
        if intake != .unchanged, reminder.isLive,
          reminder.canNeverSpeak(from: presentInstant(), in: localZone())
        {
          exchange.notices.append("\(name): \(reminder.id): " + ProfileGate.neverSpeaks)
        }
      case .failure(let refusal):
        exchange.refusals.append("\(name): \(reminder.id): \(Self.advice(refusal))")
      }
    }
  }

  private static func advice(_ refusal: EditRefusal) -> String {
    switch refusal {
    case .idTaken(let id): "another one has the id \(id): --replace puts this one in its place"
    case .cannotBeWatched(_, let reason): reason.description
    default: refusal.description
    }
  }
}

/// What became of what was in the file.
private struct Counts {
  struct Kind {
    var added = 0
    var replaced = 0
    var unchanged = 0
  }

  var places = Kind()
  var reminders = Kind()

  mutating func add(_ intake: Intake, to kind: WritableKeyPath<Counts, Kind>) {
    switch intake {
    case .added: self[keyPath: kind].added += 1
    case .replaced: self[keyPath: kind].replaced += 1
    case .unchanged: self[keyPath: kind].unchanged += 1
    }
  }

  func sentence(refused: Int) -> String {
    var parts = [
      counted(reminders.added, "reminder") + " and " + counted(places.added, "place") + " added"
    ]
    let replaced = reminders.replaced + places.replaced
    let unchanged = reminders.unchanged + places.unchanged
    if replaced > 0 { parts.append("\(replaced) replaced") }
    if unchanged > 0 { parts.append("\(unchanged) there already") }
    if refused > 0 { parts.append("\(refused) refused") }
    return parts.joined(separator: ", ")
  }
}
