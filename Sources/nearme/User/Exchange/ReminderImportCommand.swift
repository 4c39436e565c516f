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
      A place whose id another one has here gets a new id, unless it is here by its position and its id \
      or name. \
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
        let bytes = try read()
        let format = format ?? .recognize(bytes)
        var exchange = try Exchange(bytes, format, file: name)
        let store = try database.open(.make, policy: policy.read(database.profile))
        if format == .yourmom {
          try database.yourMomNames(store)
            .recognize(&exchange.items, among: store.everyReminder())
        }
        var counts = Counts()
        let places = try takePlaces(&exchange, into: store, name, &counts)
        let reminders = try takeReminders(&exchange, into: store, name, &counts)
        let kept = try takeBack(places, without: reminders, exchange, from: store, &counts)
        exchange.notices += kept.flatMap(\.notices)
        for notice in exchange.notices { printError("nearme: \(notice)") }
        for refusal in exchange.refusals { printError("nearme: refused: \(refusal)") }
        try printLines([counts.sentence(refused: exchange.refusals.count)])
        if !exchange.refusals.isEmpty { throw ExitCode(ExitStatus.checkFailed.code) }
      }
    }
  }

  private func read() throws -> [UInt8] {
    let data =
      file == "-"
      ? try FileHandle.standardInput.readToEnd() ?? Data() : try contents(ofFile: file)
    return Array(data)
  }

  /// A place that was taken in.
  private struct TakenPlace {
    /// Its id here.
    let id: String
    let isNew: Bool
    /// What is to be said of it.
    let notices: [String]
  }

  /// What became of the reminders.
  private struct TakenReminders {
    /// Those that are here now.
    var here: [Reminder] = []
    var refused: [Reminder] = []
  }

  /// Takes the places in, and has the reminders aim at them by the ids that they have here.
  private func takePlaces(
    _ exchange: inout Exchange,
    into store: UserStore,
    _ name: String,
    _ counts: inout Counts
  ) throws -> [TakenPlace] {
    var taken: [TakenPlace] = []
    var ids: [String: String] = [:]
    var refused: Set<String> = []
    let here = try store.placesHere(exchange.places, replacing: replace)
    for (place, known) in zip(exchange.places, here) {
      ids[place.id] = known.id
      switch try store.takeIn(known, replacing: replace, at: presentInstant()) {
      case .success(let intake):
        counts.add(intake, to: \.places)
        let notices = Self.notices(place, known).map { "\(name): \($0)" }
        taken.append(TakenPlace(id: known.id, isNew: intake == .added, notices: notices))
      case .failure(let refusal):
        refused.insert(place.id)
        exchange.refusals.append("\(name): place \(shown(place.id)): \(Self.advice(refusal))")
      }
    }
    exchange.items = exchange.items.compactMap { item in
      if let place = refused.sorted().first(where: { item.reminder.aims(at: .place($0)) }) {
        exchange.refusals.append(
          "\(name): \(item.reminder.id): is about the place \(shown(place)), which is refused"
        )
        return nil
      }
      var item = item
      item.reminder = item.reminder.renamingPlaces(ids)
      return item
    }
    return taken
  }

  /// Takes new places away again whose reminders were all refused, and all of them where no reminder of the file is here.
  ///
  /// - Returns: those that are here.
  private func takeBack(
    _ places: [TakenPlace],
    without reminders: TakenReminders,
    _ exchange: Exchange,
    from store: UserStore,
    _ counts: inout Counts
  ) throws -> [TakenPlace] {
    let isNoneHere =
      reminders.here.isEmpty && (exchange.hasRefusedReminders || !reminders.refused.isEmpty)
    return try places.filter { place in
      let target = Reminder.Target.place(place.id)
      guard place.isNew, !reminders.here.contains(where: { $0.aims(at: target) }),
        isNoneHere || reminders.refused.contains(where: { $0.aims(at: target) }),
        case .success = try store.deletePlace(
          place.id,
          withReminders: false,
          at: presentInstant()
        )
      else { return true }
      counts.places.added -= 1
      return false
    }
  }

  /// What a place is here that it was not there.
  private static func notices(_ place: Place, _ here: Place) -> [String] {
    var notices: [String] = []
    if place.id != here.id {
      notices.append("place \(shown(place.id)) (\(shown(place.name))) is \(here.id) here")
    }
    if place.name.trimmingCharacters(in: .whitespacesAndNewlines)
      != here.name.trimmingCharacters(in: .whitespacesAndNewlines)
    {
      notices.append(
        "place \(here.id) (\(shown(place.name))) keeps the name \(shown(here.name)): --replace takes that of the file"
      )
    }
    if (place.kind, place.arrivalRadiusMeters) != (here.kind, here.arrivalRadiusMeters) {
      notices.append(
        "place \(here.id) keeps its kind and radius: --replace takes those of the file"
      )
    }
    return notices
  }

  private func takeReminders(
    _ exchange: inout Exchange,
    into store: UserStore,
    _ name: String,
    _ counts: inout Counts
  ) throws -> TakenReminders {
    var taken = TakenReminders()
    var rest = exchange.items[...]
    while !rest.isEmpty {
      let coming = rest.prefix(Self.mostAtOnce)
        .map { item in
          UserStore.Coming(
            named(item.reminder, name, &exchange.notices),
            dates: item.dates,
            answers: item.answers
          )
        }
      rest = rest.dropFirst(coming.count)
      let results = try store.takeIn(
        coming,
        replacing: replace,
        at: presentInstant(),
        zone: localZone()
      )
      for (reminder, result) in zip(coming.map(\.reminder), results) {
        switch result {
        case .success(let intake):
          taken.here.append(reminder)
          counts.add(intake, to: \.reminders)
          if intake != .unchanged, reminder.isLive,
            reminder.canNeverSpeak(from: presentInstant(), in: localZone())
          {
            exchange.notices.append("\(name): \(reminder.id): " + ProfileGate.neverSpeaks)
          }
        case .failure(let refusal):
          taken.refused.append(reminder)
          exchange.refusals.append("\(name): \(reminder.id): \(Self.advice(refusal))")
        }
      }
    }
    return taken
  }

  /// So many reminders are stored together: a power failure in the middle costs at most those, and other programs wait a
  /// second for them at most.
  private static let mostAtOnce = 256

  /// A reminder with an id that it can have here; what is odd about it goes to the notices.
  private func named(
    _ reminder: Reminder,
    _ name: String,
    _ notices: inout [String]
  ) -> Reminder {
    var reminder = reminder
    if !UserStore.isID(reminder.id) {
      // Calendars may name a task as they like; the same name is always the same id.
      let id = "import-" + FNV1a(reminder.id).text
      notices.append("\(name): \(shown(reminder.id)) has the id \(id) here")
      reminder = Reminder(reminder, id: id)
    }
    for category in reminder.categories where !usualCategories.contains(category.name) {
      let hint =
        nearestCategory(to: category.name, among: usualCategories).map { "did you mean \($0)? " }
        ?? ""
      notices.append(
        "\(name): \(reminder.id) is about \(shown(category.name)), which is none of the usual categories: \(hint)a "
          + "cache of your own may have it"
      )
    }
    return reminder
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
