import ArgumentParser
import Geodesy
import NearMeEngine
import Places
import UserStore

/// `nearme place`: points of the user's own.
struct PlaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "place",
    abstract: "Add, list, change and delete your own places, such as home and work.",
    discussion: """
        export NEARME_DB=my.db
        nearme place add Home --kind home --at 39.2904,-76.6122
        nearme place edit p1 --at 39.2911,-76.6130
        nearme place list

      Names and positions are sealed; ids are not.
      """,
    subcommands: [
      PlaceAddCommand.self, PlaceListCommand.self, PlaceEditCommand.self, PlaceDeleteCommand.self,
    ]
  )
}

extension PlaceKind: ExpressibleByArgument {}

/// Where a place is and how large, as options: of `add` and `edit`.
struct PlaceFields: ParsableArguments {
  @Option(help: "What it is to you; it decides when reminders speak.")
  var kind: PlaceKind?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Its position in degrees, such as 39.2904,-76.6122.", valueName: "LAT,LON")
  )
  var at: String?

  @Option(
    help: ArgumentHelp(
      "How near is there, such as 150m; \"default\" for the policy's.",
      valueName: "LENGTH"
    )
  )
  var radius: String?

  func coordinate() throws -> Coordinate? {
    guard let at else { return nil }
    let parts = at.split(separator: ",", omittingEmptySubsequences: false)
      .map { Double($0.trimmingPrefix(" ")) }
    guard parts.count == 2, let latitude = parts[0], let longitude = parts[1] else {
      throw CommandFailure(
        .usage,
        "--at \"\(at)\": write a latitude and a longitude in degrees, such as 39.2904,-76.6122"
      )
    }
    do {
      return try Coordinate(latitude: latitude, longitude: longitude)
    } catch {
      throw CommandFailure(.usage, "--at \"\(at)\": \(error)")
    }
  }

  /// The radius to set: nil leaves it, an inner nil takes the policy's.
  func radiusMeters() throws -> Double?? {
    guard let radius else { return nil }
    if radius == "default" { return .some(nil) }
    if let question = questionOfUnit(radius) {
      throw CommandFailure(.usage, "--radius \(radius): \(question)")
    }
    guard let meters = parseLengthMeters(radius), meters > 0, meters <= Tier.longestMeters else {
      throw CommandFailure(
        .usage,
        "--radius \"\(radius)\": write a length such as 150m, 500ft or 0.2mi"
      )
    }
    return meters
  }
}

/// `nearme place add`.
struct PlaceAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a place.",
    discussion: """
        nearme place add Home --kind home --at 39.2904,-76.6122
        nearme place add "Ann's workshop" --at 39.3011,-76.6008 --radius 80m
      """
  )

  @Argument(help: "What you call it.")
  var name: String

  @OptionGroup var fields: PlaceFields

  @Option(help: "A short id of your own instead of p1, p2, …; ids are not sealed.")
  var id: String?

  @OptionGroup var database: UserDatabaseOptions

  @Option(help: "How to print the place.")
  var format = ListFormat.text

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        guard let coordinate = try fields.coordinate() else {
          throw CommandFailure(.usage, "say where it is: --at 39.2904,-76.6122")
        }
        let radius = try fields.radiusMeters() ?? nil
        let store = try database.open(.make)
        let made =
          try store.addPlace(id: id, at: presentInstant()) {
            Place(
              id: $0,
              name: name,
              kind: fields.kind ?? .other,
              coordinate: coordinate,
              arrivalRadiusMeters: radius
            )
          }
          .get()
        try answer(made, store, format)
      }
    }
  }
}

/// `nearme place edit`.
struct PlaceEditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Rename or move a place; the fences of its reminders move with it.",
    discussion: """
        nearme place edit p1 --at 39.2911,-76.6130
        nearme place edit p1 --name "Old home" --kind other --radius default
      """
  )

  @Argument(help: "The place's id.")
  var id: String

  @Option(help: "What you call it.")
  var name: String?

  @OptionGroup var fields: PlaceFields

  @OptionGroup var database: UserDatabaseOptions

  @Option(help: "How to print the place.")
  var format = ListFormat.text

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        let coordinate = try fields.coordinate()
        let radius = try fields.radiusMeters()
        guard name != nil || coordinate != nil || radius != nil || fields.kind != nil else {
          throw CommandFailure(.usage, "say what to change: --name, --kind, --at or --radius")
        }
        let store = try database.open(.edit)
        let made =
          try store.editPlace(id, at: presentInstant()) { old in
            Place(
              id: old.id,
              name: name ?? old.name,
              kind: fields.kind ?? old.kind,
              coordinate: coordinate ?? old.coordinate,
              arrivalRadiusMeters: radius ?? old.arrivalRadiusMeters
            )
          }
          .get()
        try answer(made, store, format)
      }
    }
  }
}

/// `nearme place delete`.
struct PlaceDeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete a place.",
    discussion: """
        nearme place delete p1
        nearme place delete p1 --with-reminders
      """
  )

  @Argument(help: "The place's id.")
  var id: String

  @Flag(help: "Delete the reminders that aim at it, too; without this they keep the place.")
  var withReminders = false

  @OptionGroup var database: UserDatabaseOptions

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        let gone = try database.open(.edit)
          .deletePlace(id, withReminders: withReminders, at: presentInstant()).get()
        let others = gone.isEmpty ? "" : ", and " + gone.joined(separator: ", ")
        try printLines(["\(id): deleted" + others])
      }
    }
  }
}

/// `nearme place list`.
struct PlaceListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List your places with the reminders that aim at them.",
    discussion: "  nearme place list"
  )

  @OptionGroup var database: UserDatabaseOptions

  @Option(help: "How to print them.")
  var format = ListFormat.text

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        let text = try UserText(database.open(.look), at: presentInstant())
        // p2 before p10.
        let places = text.places.sorted { POICatalog.precedes($0.id, $1.id) }
        switch format {
        case .json: try printLines(["["] + separated(places.map(text.json)) + ["]"])
        case .text where text.places.isEmpty:
          try printLines(["no places yet: nearme place add Home --kind home --at 39.29,-76.61"])
        case .text: try printLines(text.table(places))
        }
      }
    }
  }
}

private func answer(_ place: Place, _ store: UserStore, _ format: ListFormat) throws {
  let text = try UserText(store, at: presentInstant())
  try printLines([format == .json ? text.json(place) : text.line(place)])
}
