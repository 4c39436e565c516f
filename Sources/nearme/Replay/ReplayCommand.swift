import ArgumentParser
import Fencing
import Foundation
import LiveHost
import NearMeEngine
import PlaceStore
import Places
import Profiles
import Replay
import SettingsFiles
import Tones
import TraceFiles
import Traces
import TrialFiles
import UserStore

/// `nearme replay`.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay traces and print the notifications a person would have seen.",
    discussion: """
      Runs every trace through a twin of the phone's location service and the engine, as if the \
      app slept between wakes. Each trace begins anew; its times are the only clock.

        nearme replay day.gpx --cache pois.sqlite --reminders reminders.json
        nearme replay day.gpx.gz --cache pois.sqlite --reminders reminders.json \\
          --policy policy.yaml --slots 5 --format ndjson -o day.ndjson

      The reminders of a user database, which is looked at only, are replayed without --reminders, each as if it had \
      just been made, on this system's clock:

        nearme replay day.gpx --cache pois.sqlite --db my.db

      --format html writes a page that shows the day: map, time line, the regions held, the screen, \
      and why each reminder spoke or did not. It needs nothing but a browser. day-json is the same \
      day as data (docs/day-view.md).

        nearme replay day.gpx --cache pois.sqlite --reminders reminders.json \\
          --format html -o day.html

      What a live host recorded (nearme run --journal) is repeated to the byte:

        nearme replay --journal host.journal --cache pois.sqlite --format ndjson
      """
  )

  enum FormatName: String, ExpressibleByArgument, CaseIterable {
    case text, ndjson, geojson, html
    case dayJSON = "day-json"

    /// Whether it shows a day as a whole, from beginning to end.
    var isDay: Bool { self == .html || self == .dayJSON }
  }

  @Argument(help: "Traces of any format, plain or compressed; - is standard input.")
  var traces: [String] = []

  @OptionGroup var service: ServiceOptions<IdealByDefault>

  @Option(help: ArgumentHelp("Places, reminders and actions, JSON or YAML.", valueName: "FILE"))
  var reminders: String?

  @OptionGroup var database: UserDatabaseOptions

  @Option(
    help: ArgumentHelp(
      "Instead of traces: what `nearme run --journal` recorded, policy and reminders included.",
      valueName: "FILE"
    )
  )
  var journal: String?

  @Option(help: "Seed of the latencies of ios and android; the others have nothing random.")
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp(
      "What goes wrong with the phone, YAML or JSON: a list of at and kind under incidents.",
      valueName: "FILE"
    )
  )
  var incidents: String?

  @Flag(
    help: """
      Check by brute force, after every event, that what the plan calls safe is safe: every boundary \
      of every place. Slow: some milliseconds for each event and 10,000 places. Exit status 1 if not.
      """
  )
  var checkCertificate = false

  @OptionGroup(title: "What the file does not say")
  var input: TraceInputOptions

  @Option(help: "What to print.")
  var format = FormatName.text

  @OptionGroup var page: DayPageOptions

  @Option(help: "Replay so many traces at once; the output does not depend on it.")
  var jobs = 1

  @Option(name: .shortAndLong, help: "Write to this file instead of standard output.")
  var output: String?

  func validate() throws {
    if jobs < 1 { throw ValidationError("--jobs must be at least 1") }
    try refuse(
      output,
      among: traces + service.inputs + [reminders, incidents, journal] + page.inputs
        + database.inputs
    )
    if checkCertificate, service.monitor == .stream {
      throw ValidationError("--check-certificate needs regions, and --monitor stream has none")
    }
    if checkCertificate, service.planner.bubbleMeters != nil {
      throw ValidationError(
        "--check-certificate: \(service.planner.rawValue) promises nothing that could be checked"
      )
    }
    if !format.isDay { try page.refuse(unless: "--format html") }
    if journal != nil {
      guard traces.isEmpty, reminders == nil, database.db == nil, service.policy == nil,
        incidents == nil
      else {
        throw ValidationError("--journal stands alone: it holds the events, reminders and policy")
      }
      if format == .geojson || format.isDay {
        throw ValidationError("--journal prints text or ndjson")
      }
      return
    }
    if traces.isEmpty { throw ValidationError("name at least one trace") }
    if reminders == nil, (try? database.path) == nil {
      throw ValidationError(
        "name the reminders with --reminders FILE, or a user database with --db FILE"
      )
    }
    if reminders != nil, database.db != nil {
      throw ValidationError("--reminders and --db: name one of them")
    }
    if database.keyFile != nil, reminders != nil {
      throw ValidationError("--key-file is the key of --db, and --reminders are not sealed")
    }
    if format == .geojson, traces.count > 1 {
      throw ValidationError("--format geojson draws one trace: name one, or run it once for each")
    }
    if format.isDay, traces.count > 1 {
      throw ValidationError(
        "--format \(format.rawValue) shows one trace: name one, or run it once for each"
      )
    }
    if format == .text, let output, output.lowercased().hasSuffix(".html") {
      throw ValidationError("\(output) would hold text: add --format html for a page")
    }
    if format == .html, output == nil {
      throw ValidationError("--format html writes a page: name its file with -o day.html")
    }
  }

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        try mappingCacheFailures {
          if let journal {
            try mappingHostFailures { try replay(journal: journal) }
          } else {
            try mappingCorpusFailures { try replay() }
          }
        }
      }
    }
  }

  private func replay(journal: String) throws {
    let output = try OutputFile(path: output, isPrivate: true)
    let replay = JournalReplay(path: journal, catalog: try service.catalog())
    let report = try replay.run { delivery, zone in
      switch format {
      case .ndjson: try output.writeLine(delivery.line)
      case .text, .geojson, .html, .dayJSON:
        if let text = TerminalText(zone: zone).text(delivery) { try output.write(text) }
      }
    }
    try output.finish()
    printError(
      "nearme: \(journal): \(counted(report.events, "event")) of "
        + (report.launches == 1 ? "one life" : "\(report.launches) lives") + " of the host"
        + (report.endsTorn ? "; the last line is torn, as a kill leaves it, and left out" : "")
    )
  }

  /// The person whose reminders are replayed, and the file that says them.
  private func person() throws -> (person: Person, file: String) {
    if let reminders { return (try RemindersFile(path: reminders).person, reminders) }
    var person = Person(zone: localZone(), reminders: [])
    try mappingUserFailures {
      let store = try database.open(.look, policy: Policy())
      person.places = try store.places()
      person.entitlement = try store.entitlement()
      person.reminders = try store.reminders().filter { $0.status == .active }
    }
    // What was put off on other days is not put off on this one.
    for i in person.reminders.indices { person.reminders[i].snooze = nil }
    return (person, try database.path)
  }

  private func replay() throws {
    let interrupt = InterruptFlag()
    // From here on: a cache that takes long to read ends at a signal, too.
    interrupt.endIfStuck {}
    var (person, file) = try person()
    let profile = try database.profile.read()
    // A page that shows a day has all places at hand, to say what was near.
    // So have other projects' planners.
    let cells = try format.isDay || service.planner != .safeRegion ? nil : service.cells()
    // A database has the room that `nearme run` gives it; a file says what the plan is, by the engine's own defaults.
    let followsProfile = reminders == nil || database.profile.isNamed
    var setup = try service.setup(
      seed: seed,
      over: followsProfile ? profile.policy : Policy(),
      cells: cells
    )
    if profile.profile.tone != TonePack.plain.name
      || person.reminders.contains(where: { $0.tone != nil })
    {
      setup.tones = try ProfileOptions.tones(profile.profile)
    }
    person.actions += try incidents.map(IncidentsFile.read(path:)) ?? []
    let session: ReplaySession
    do {
      session = try setup.session(
        for: person,
        restore: EngineState.storedAndRead,
        checksCertificates: checkCertificate
      )
    } catch {
      throw CommandFailure(.badInput, "\(file): \(error)")
    }
    try cells?.requireRoom(for: session.engine)
    let known = cells.map(KnownCategories.init) ?? KnownCategories(setup.catalog)
    noteMissingCategories(of: person.reminders, in: known, cache: service.cache)
    noteUnknownTones(of: person.reminders)
    let output = try OutputFile(path: output, isPrivate: true)
    let temporary = output.temporary
    interrupt.endIfStuck {
      if let temporary { unlink(temporary) }
    }
    let broken = checkCertificate ? BrokenCertificates() : nil
    if format.isDay {
      let day = DayReplay(
        session: session,
        person: person,
        setup: setup,
        options: try input.options(),
        interrupt: interrupt,
        broken: broken
      )
      let report = try day.run(traces[0], page)
      try output.write(
        try format == .html ? ReportPage(report, page.library()).html : ReportPage.json(report)
      )
      try output.write("\n")
      try output.finish()
      try broken?.end()
      return
    }
    let replay = TraceReplay(
      session: session,
      awaited: Awaited(person.reminders) { known.categories.contains($0) },
      format: format,
      zone: person.zone,
      isOneOfMany: traces.count > 1,
      options: try input.options(),
      interrupt: interrupt,
      broken: broken,
      cells: cells
    )
    let traces = traces
    try inOrder(count: traces.count, jobs: jobs, to: output) { number, output in
      try replay.run(traces[number], output)
    }
    if let path = self.output, FileManager.default.fileExists(atPath: path) {
      try replay.empty.endUnlessLess(than: traces.count)
    }
    try output.finish()
    try broken?.end()
    try replay.empty.end()
  }
}

func status(of error: TraceError) -> ExitStatus {
  switch error.code {
  case .missing: .inputMissing
  case .unreadable: .inputOutput
  case .notATrace, .malformed, .excessive, .withoutTimes, .unfitOptions: .badInput
  }
}
