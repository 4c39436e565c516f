import ArgumentParser
import Foundation
import LiveHost
import Logging
import NearMeEngine
import Places
import PlaceStore
import Profiles
import SettingsFiles
import Timeline
import TraceFiles
import Traces
import UserStore

/// `nearme run`.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Take in fixes as they come, and notify.",
    discussion: """
      Reads fixes from standard input, line by line: JSON objects with time, lat and lon; batches of \
      Overland; messages of OwnTracks, from its recorder's logs or from `mosquitto_sub -v`; NMEA 0183 \
      as a receiver writes it. A line such as \
      {"signal":"charging","to":"charging","at":"2026-03-03T08:00:00Z"} hands in what the phone \
      says. What is none of these is passed over and counted by name. An input that begins as a GPX, \
      KML, TCX, IGC, PLT, FIT or CSV file is read as that, and what is broken in it ends it with \
      status 65. All of it may be in gzip, bzip2 or zip. Everything is kept in the user database in one \
      transaction before anybody is told: killed at any instant, the next start goes on as if \
      nothing had happened, and what was taken in before is passed over when it is fed again. \
      Reminders and places that other commands add or change are noticed within a second.

        gpspipe -r | nearme run --cache pois.sqlite --db me.db
        gpspipe -r | nearme run --cache pois.sqlite --db me.db --sink terminal:bell \\
          --sink webhook:https://example.org/hook --sink ndjson:today.ndjson
        nearme run --cache pois.sqlite --db me.db --clock fixes < day.gpx
        mosquitto_sub -v -t 'owntracks/#' | nearme run --cache pois.sqlite --db me.db

      It ends when its input ends, once everything has been delivered that can be; with --stay it \
      goes on serving timers until it is stopped. SIGTERM and Ctrl-C end it with status 0, an input of \
      which nothing could be read with 65.
      """
  )

  @Option(help: ArgumentHelp("The cache of places.", valueName: "FILE"))
  var cache: String

  @OptionGroup var user: UserDatabaseOptions

  @Option(
    help: ArgumentHelp("Numbers that differ from the defaults, YAML or JSON.", valueName: "FILE")
  )
  var policy: String?

  @Option(
    help: ArgumentHelp(
      """
      Who is told, as often as needed: terminal, terminal:bell, ndjson (standard output), \
      ndjson:FILE, exec:COMMAND, exec:["COMMAND","ARGUMENT"], webhook:URL. (default: terminal)
      """,
      valueName: "SINK"
    )
  )
  var sink: [String] = []

  @Option(
    help: ArgumentHelp(
      "A file whose first line is the header Authorization of webhooks.",
      valueName: "FILE"
    )
  )
  var webhookAuthorization: String?

  @Option(
    help: """
      Where the time comes from: wall, for fixes that come as they are measured; fixes, for a \
      recorded trace.
      """
  )
  var clock = TimeSource.wall

  @Option(help: ArgumentHelp("Midnight and quiet hours are there. (default: the system's)"))
  var timeZone: String?

  @Option(
    help: ArgumentHelp(
      """
      Record every event, for `nearme replay --journal`. It holds every position and every title: \
      a diary, readable by its owner alone.
      """,
      valueName: "FILE"
    )
  )
  var journal: String?

  @Flag(help: "Go on when the input has ended: timers, commands, deliveries.")
  var stay = false

  @Option(
    help: ArgumentHelp(
      "How long failed deliveries are tried again after the input's end.",
      valueName: "SECONDS"
    )
  )
  var patience = 5

  @Option(
    help: "What to say on standard error: trace, debug, info, notice, warning, error or critical."
  )
  var logLevel = Logger.Level.notice

  @OptionGroup(title: "What the file does not say")
  var input: TraceInputOptions

  func validate() throws {
    if !(0...86_400).contains(patience) {
      throw ValidationError("--patience must lie between 0 and 86400 seconds")
    }
  }

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        try mappingCacheFailures {
          try mappingUserFailures { try mappingHostFailures { try host() } }
        }
      }
    }
  }

  private func zone() throws -> UTCOffsetTable {
    guard let timeZone else { return localZone() }
    guard let zone = UTCOffsetTable(systemZone: timeZone) else {
      throw CommandFailure(
        .usage,
        "--time-zone \(timeZone): this system knows no such zone; one is America/New_York"
      )
    }
    return zone
  }

  private func host() throws {
    // A reader that has gone is an error to report, not a reason to die in the middle of a turn.
    signal(SIGPIPE, SIG_IGN)
    let specifications = try specifications()
    let profile = try user.profile.read()
    let cells = try CellIndex.isThere(cache) ? CellFolder(cache) : nil
    if cells != nil, journal != nil {
      throw CommandFailure(
        .usage,
        "--journal goes with one cache, by which it is repeated, and \(cache) is a folder of cells"
      )
    }
    let setup = LiveHost.Setup(
      policy: try policy.map { try PolicyFile.read(path: $0, over: profile.policy) }
        ?? profile.policy,
      zone: try zone(),
      tones: try ProfileOptions.tones(profile.profile),
      catalog: try cells == nil ? POICatalog(cache: cache) : .empty,
      parts: cells,
      time: clock
    )
    // Beside a database that is not there, no lock is left.
    if try !FileManager.default.fileExists(atPath: user.path) {
      _ = try user.open(.look, policy: setup.policy)
    }
    let lock = try HostLock(database: user.path)
    defer { withExtendedLifetime(lock) {} }
    let store = try user.open(.edit, policy: setup.policy)
    let sinks = try open(specifications, zone: setup.zone)
    let journal = try journal.map { try Journal(path: $0) }
    let level = logLevel
    let log = Logger(label: "nearme") { _ in
      HostLogHandler(level: level, clock: SystemClock(), write: printError)
    }
    if let cells {
      var engine = Engine(
        policy: setup.policy,
        zone: setup.zone,
        catalog: .empty,
        monitoring: .everyFix
      )
      do {
        try engine.load(places: try store.places(), reminders: try store.reminders())
      } catch let error as ReminderLoadError {
        throw CommandFailure(.badInput, "\(cache): \(error)")
      }
      try cells.requireRoom(for: engine)
    }
    let known = cells.map(KnownCategories.init) ?? KnownCategories(setup.catalog)
    let reminders = try store.reminders()
    let notes = missingCategories(of: reminders, in: known, cache: cache)
    for sentence in notes + unknownTones(of: reminders) { log.warning("\(sentence)") }
    if isatty(STDIN_FILENO) == 1 {
      printError("nearme: reading fixes from the terminal; see `nearme run --help`")
    }
    let showsTimes = specifications.contains { if case .terminal = $0 { true } else { false } }
    if showsTimes { printError("nearme: times are those of \(setup.zone.identifier)") }
    let options = try input.options()
    let ending = LiveHost.Ending(
      staysAtEnd: stay,
      patience: .seconds(Int64(patience))
    )
    let (feedCounts, refused) = try waiting {
      let host = try await LiveHost(
        setup,
        store: store,
        sinks: sinks,
        clock: SystemClock(),
        generator: { _ in SystemRandomNumberGenerator() },
        journal: journal,
        log: log
      )
      let (inputs, continuation) = AsyncStream.makeStream(of: HostInput.self)
      let signals = StopSignals { continuation.yield(.stop) }
      defer { withExtendedLifetime(signals) {} }
      let feed = FixFeed(options: options)
      feed.start(continuation)
      var brought = try await host.run(
        inputs,
        continuation,
        clock: SystemClock(),
        ending: ending,
        log: log,
        took: { feed.took() }
      )
      let counts = await host.counts
      brought.passOver(signals: counts.untimedSignals)
      log.notice("ended", metadata: counts.metadata(brought))
      return (brought, counts.refused)
    }
    try store.close()
    try refuse(feedCounts, refused)
  }

  /// Fails where an input has ended of which nothing could be read; who stays may want none.
  private func refuse(_ counts: FeedCounts, _ refused: [FixRefusal: Int]) throws {
    guard counts.hasEnded, counts.fixes + counts.signals == 0 else { return }
    let parts = counts.passedOver.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
      .map { name, count in
        "\(count) \(name)" + (counts.firstLines[name].map { ", first on line \($0)" } ?? "")
      }
    if parts.isEmpty, counts.format == nil, stay { return }
    if let format = counts.format {
      throw CommandFailure(
        .badInput,
        "standard input: no fix could be read (\(format.name) of \(counted(counts.points, "point"))"
          + parts.map { "; " + $0 }.joined() + "): nearme trace check says what is in it"
      )
    }
    if let count = refused[.noTime] {
      throw CommandFailure(
        .badInput,
        "standard input: no fix could be read ("
          + ([counted(count, "point") + " without a time"] + parts).joined(separator: "; ")
          + "): of NMEA that has only the time of the day, for want of RMC or ZDA, say the day of the first line: --assume-date 2024-06-15"
      )
    }
    throw CommandFailure(
      .badInput,
      "standard input: no fix could be read ("
        + (parts.isEmpty ? "nothing with a position came in" : parts.joined(separator: "; "))
        + "): give lines of JSON with time, lat and lon, lines of NMEA, or a trace; of a table whose header is not known, say the columns: --columns time=COLUMN,lat=COLUMN,lon=COLUMN"
    )
  }

  private func specifications() throws -> [SinkSpecification] {
    var specifications: [SinkSpecification] = []
    for text in sink.isEmpty ? ["terminal"] : sink {
      let specification = try SinkSpecification(text)
      guard !specifications.contains(specification) else {
        throw CommandFailure(.usage, "--sink \(text) is there twice")
      }
      specifications.append(specification)
    }
    guard specifications.count(where: { $0.usesStandardOutput }) <= 1 else {
      throw CommandFailure(
        .usage,
        "only one of terminal and ndjson can have the standard output: give ndjson:FILE a file"
      )
    }
    return specifications
  }

  private func open(
    _ specifications: [SinkSpecification],
    zone: UTCOffsetTable
  ) throws -> [any Sink] {
    let authorization = try webhookAuthorization.map(Self.authorization)
    var sinks: [any Sink] = []
    for specification in specifications {
      sinks.append(
        try specification.open(
          zone: zone,
          authorization: authorization,
          clock: SystemClock()
        )
      )
    }
    return sinks
  }

  private static func authorization(_ path: String) throws -> String {
    let text = String(decoding: try contents(ofFile: path), as: UTF8.self)
    let line = text.prefix { !$0.isNewline }
    guard !line.isEmpty, line.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
      throw CommandFailure(
        .badInput,
        "\(path): its first line must be a header's value, such as Bearer abc123"
      )
    }
    return String(line)
  }
}

extension TimeSource: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}

extension HostCounts {
  fileprivate func metadata(_ brought: FeedCounts) -> Logger.Metadata {
    var metadata: Logger.Metadata = [
      "fixes": "\(fixes)", "notifications": "\(notifications)", "delivered": "\(delivered)",
    ]
    if takenBefore > 0 { metadata["taken_before"] = "\(takenBefore)" }
    if signals > 0 { metadata["signals"] = "\(signals)" }
    if waiting > 0 { metadata["waiting_for_next_start"] = "\(waiting)" }
    if givenUp > 0 { metadata["given_up"] = "\(givenUp)" }
    for (reason, count) in refused { metadata["refused_\(reason.rawValue)"] = "\(count)" }
    for (reason, count) in brought.passedOver { metadata["passed_over_\(reason)"] = "\(count)" }
    return metadata
  }
}

/// Runs a body and gives a host's errors the exit status that scripts may rely on.
func mappingHostFailures(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch let error as HostFailure {
    let status: ExitStatus =
      switch error.code {
      case .inputOutput, .busy, .held: .inputOutput
      case .badInput: .badInput
      case .missing: .inputMissing
      case .usage: .usage
      }
    throw CommandFailure(status, error.description)
  }
}
