import ArgumentParser
import Fencing
import Foundation
import NearMeEngine
import Places
import PlaceStore
import Replay
import SettingsFiles
import TraceFiles
import Traces

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
      """
  )

  enum FormatName: String, ExpressibleByArgument, CaseIterable {
    case text, ndjson, geojson
  }

  @Argument(help: "Traces of any format, plain or compressed; - is standard input.")
  var traces: [String]

  @Option(help: ArgumentHelp("The cache of places.", valueName: "FILE"))
  var cache: String

  @Option(help: ArgumentHelp("Places, reminders and actions, JSON or YAML.", valueName: "FILE"))
  var reminders: String

  @Option(
    help: ArgumentHelp("Numbers that differ from the defaults, YAML or JSON.", valueName: "FILE")
  )
  var policy: String?

  @Option(
    help: """
      The location service: ideal is never late and has --slots regions; ios and android are late \
      as phones are (nearme twin show ios); stream passes on every fix.
      """
  )
  var monitor = MonitorName.ideal

  @Option(help: ArgumentHelp("Numbers of ios or android that differ.", valueName: "FILE"))
  var twin: String?

  @Option(
    help: """
      How regions are chosen: safe_region misses nothing if the service is never late; \
      nearest_centre, nearest_edge and server_bubble are what others do; unlimited watches \
      everything.
      """
  )
  var planner = RegionStrategy.safeRegion

  @Option(help: "How many regions the planner uses; 20 if neither this nor the policy says.")
  var slots: Int?

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

  @Option(help: "Replay so many traces at once; the output does not depend on it.")
  var jobs = 1

  @Option(name: .shortAndLong, help: "Write to this file instead of standard output.")
  var output: String?

  func validate() throws {
    if let slots, !(1...10_000).contains(slots) {
      throw ValidationError("--slots must lie between 1 and 10000")
    }
    if jobs < 1 { throw ValidationError("--jobs must be at least 1") }
    if checkCertificate, monitor == .stream {
      throw ValidationError("--check-certificate needs regions, and --monitor stream has none")
    }
    if checkCertificate, planner.bubbleMeters != nil {
      throw ValidationError(
        "--check-certificate: \(planner.rawValue) promises nothing that could be checked"
      )
    }
    if twin != nil, monitor.settings == nil {
      throw ValidationError("--twin needs --monitor ios or android")
    }
    if traces.isEmpty { throw ValidationError("name at least one trace") }
    if format == .geojson, traces.count > 1 {
      throw ValidationError("--format geojson draws one trace: name one, or run it once for each")
    }
  }

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        try mappingCacheFailures { try replay() }
      }
    }
  }

  private func replay() throws {
    let interrupt = InterruptFlag()
    let person = try RemindersFile(path: reminders)
    var policy = try monitor.policy(self.policy)
    if let slots { policy.monitor.slots = slots }
    let catalog = POICatalog(try POICache.open(cache).allPointsOfInterest())
    var settings = monitor.settings
    if let twin, let base = settings { settings = try TwinFile.read(path: twin, over: base) }
    let service = ReplayService(
      monitor: monitor,
      policy: policy,
      strategy: planner,
      slots: policy.monitor.slots,
      settings: settings,
      seed: seed
    )
    let incidents = try self.incidents.map(IncidentsFile.read(path:)) ?? []
    let session = try service.session(
      { try engine($0, policy, person, catalog) },
      actions: person.actions + incidents,
      checksCertificates: checkCertificate
    )
    noteMissingCategories(person, catalog)
    let output = try OutputFile(path: output)
    let temporary = output.temporary
    interrupt.endIfStuck {
      if let temporary { unlink(temporary) }
    }
    let broken = checkCertificate ? BrokenCertificates() : nil
    let replay = TraceReplay(
      session: session,
      format: format,
      zone: person.zone,
      isOneOfMany: traces.count > 1,
      options: try input.options(),
      interrupt: interrupt,
      broken: broken
    )
    let traces = traces
    try inOrder(count: traces.count, jobs: jobs, to: output) { number, output in
      try replay.run(traces[number], output)
    }
    try output.finish()
    try broken?.end()
  }

  private func engine(
    _ monitoring: Monitoring,
    _ policy: Policy,
    _ person: RemindersFile,
    _ catalog: POICatalog
  ) throws -> Engine {
    var engine = Engine(
      policy: policy,
      zone: person.zone,
      catalog: catalog,
      monitoring: monitoring
    )
    do {
      try engine.load(
        places: person.places,
        reminders: person.reminders,
        entitlement: person.entitlement
      )
    } catch {
      throw CommandFailure(.badInput, "\(reminders): \(error)")
    }
    return engine
  }

  private func noteMissingCategories(_ person: RemindersFile, _ catalog: POICatalog) {
    for reminder in person.reminders {
      if case .category(let category) = reminder.target, catalog.slot(of: category) == nil {
        printError(
          "nearme: note: \(cache) has no \(category), so reminder \"\(reminder.id)\" cannot fire"
        )
      }
    }
  }
}

func status(of error: TraceError) -> ExitStatus {
  switch error.code {
  case .missing: .inputMissing
  case .unreadable: .inputOutput
  case .notATrace, .malformed, .excessive, .withoutTimes, .unfitOptions: .badInput
  }
}
