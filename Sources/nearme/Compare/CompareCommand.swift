import ArgumentParser
import Fencing
import Foundation
import NearMeEngine
import ParallelWork
import PlaceStore
import Places
import Replay
import Timeline
import TrialFiles

/// `nearme compare`.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare ways to choose regions: what each misses, how late it is, what it costs.",
    discussion: """
      Replays traces with several strategies on several phones, and compares what each engine \
      notices with what one notices that sees every fix. Of a folder, all traces are taken; home \
      and work of each person are those of NAME.truth.json beside NAME.gpx.gz. Without --reminders \
      everybody has one for each category of the cache, one for home and one for work.

        nearme compare day.gpx --cache pois.sqlite --reminders reminders.json
        nearme compare corpus --cache pois.sqlite --monitors ideal,ios,android \\
          --slots 5,10,20,100 --report comparison.html
      """
  )

  enum FormatName: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Argument(help: "Traces, and folders of traces.")
  var traces: [String]

  @Option(help: ArgumentHelp("The cache of places.", valueName: "FILE"))
  var cache: String

  @Option(help: ArgumentHelp("Places, reminders and actions, JSON or YAML.", valueName: "FILE"))
  var reminders: String?

  @Option(
    help: ArgumentHelp("Numbers that differ from the defaults, YAML or JSON.", valueName: "FILE")
  )
  var policy: String?

  @Option(
    help: ArgumentHelp(
      "Which of \(RegionStrategy.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "NAME,NAME"
    )
  )
  var strategies = RegionStrategy.allCases.map(\.rawValue).joined(separator: ",")

  @Option(help: ArgumentHelp("Which of ideal, ios, android.", valueName: "NAME,NAME"))
  var monitors = "ideal,ios"

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How many regions there are to use; what the policy says if not given.",
      valueName: "N,N"
    )
  )
  var slots: String?

  @Option(
    help: ArgumentHelp("Numbers of a single ios or android that differ.", valueName: "FILE")
  )
  var twin: String?

  @Option(help: "Seed of the latencies of ios and android.")
  var seed: UInt64 = 1

  @Option(help: "How late a transition may be and still count as found, such as 10m.")
  var tolerance = "10m"

  @Option(help: "Traces at once; the output is the same for any number.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @Option(help: "What to print.")
  var format = FormatName.text

  @Option(
    help: ArgumentHelp(
      "Also write a page with the table and a map of a drive where others miss.",
      valueName: "FILE.html"
    )
  )
  var report: String?

  static let stopped = CommandFailure(.interrupted, "stopped; no output was written")

  /// The options as values.
  private struct Wishes {
    let strategies: [RegionStrategy]
    let monitors: [LocationService.Name]
    /// Empty: what the policy says.
    let slots: [Int]
    let tolerance: Milliseconds
  }

  func validate() throws {
    _ = try wishes()
    if traces.isEmpty { throw ValidationError("name at least one trace or folder") }
    try refuse(report, among: traces + [cache, reminders, policy, twin], corpora: traces)
    if !(1...1_000).contains(jobs) { throw ValidationError("--jobs must lie between 1 and 1000") }
  }

  private func wishes() throws -> Wishes {
    func list<Choice: RawRepresentable & CaseIterable & Hashable>(
      _ text: String,
      _ option: String,
      _: Choice.Type,
      besides others: Set<Choice> = []
    ) throws -> [Choice] where Choice.RawValue == String {
      let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return try names.enumerated()
        .map { i, name in
          guard let choice = Choice(rawValue: name) else {
            let known = Choice.allCases.filter { !others.contains($0) }.map(\.rawValue)
            let hint = nearestName(to: name, among: known).map { ": did you mean \($0)?" } ?? ""
            throw ValidationError(
              "\(option): \"\(name)\" is none of \(known.joined(separator: ", "))\(hint)"
            )
          }
          guard !names[..<i].contains(name) else {
            throw ValidationError("\(option): \(name) comes twice")
          }
          return choice
        }
    }
    let monitors = try list(
      self.monitors,
      "--monitors",
      LocationService.Name.self,
      besides: [.stream]
    )
    if monitors.contains(.stream) {
      throw ValidationError("--monitors: stream is what the others are compared with")
    }
    if twin != nil, monitors.count > 1 || monitors[0].settings == nil {
      throw ValidationError("--twin needs --monitors ios or --monitors android")
    }
    let slots = try (self.slots?.split(separator: ",", omittingEmptySubsequences: false) ?? [])
      .map { text in
        guard let count = Int(text), (1...10_000).contains(count) else {
          throw ValidationError("--slots: \"\(text)\" is no number from 1 to 10000")
        }
        return count
      }
    guard Set(slots).count == slots.count else { throw ValidationError("--slots: one comes twice") }
    guard let tolerance = typedSpan(tolerance), tolerance.value > 0 else {
      throw ValidationError("--tolerance must be a span longer than 0 with its unit, such as 10m")
    }
    return Wishes(
      strategies: try list(strategies, "--strategies", RegionStrategy.self),
      monitors: monitors,
      slots: slots,
      tolerance: tolerance
    )
  }

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        try mappingCacheFailures { try compare() }
      }
    }
  }

  private func compare() throws {
    let interrupt = InterruptFlag()
    let wishes = try wishes()
    let file = try reminders.map(RemindersFile.init(path:))
    let catalog = try POICatalog(cache: cache)
    if let file {
      noteMissingCategories(of: file.person.reminders, in: KnownCategories(catalog), cache: cache)
    }
    let people = try ComparedPerson.all(traces, file, catalog)
    let comparison = Comparison(
      try services(wishes),
      policy: try LocationService.Name.stream.policy(policy),
      catalog: catalog,
      tolerance: wishes.tolerance
    )
    // Opened before the work, which would be lost if it could not be written.
    let report = try self.report.map { try OutputFile(path: $0) }
    let progress = ProgressLine(total: people.count, unit: "traces")
    let outcomes: [Comparison.Outcome]
    do {
      outcomes = try resultsInOrder(count: people.count, threads: jobs, done: progress.show) {
        try outcome(comparison, people[$0]) { if interrupt.isSet { throw Self.stopped } }
      }
    } catch {
      progress.clear()
      if interrupt.isSet { throw Self.stopped }
      throw error
    }
    progress.clear()
    let table = comparison.table(outcomes, seed: seed)
    if let report {
      var data = try ComparisonReport(
        table,
        of: comparison,
        people: zip(Self.names(people), people).map { ($0, $1.person) },
        outcomes: outcomes,
        fixes: { try people[$0].fixes() }
      )
      let dayPage = try dayPage(data.drive, comparison, people)
      data.drive?.page = dayPage
      try report.write(ReportPage(data).html)
      try report.finish()
    }
    let output = try OutputFile(path: nil)
    try output.write(format == .json ? table.json : table.text)
    try output.finish()
  }

  /// What the traces are called: by their files, and those that share a name by their paths.
  private static func names(_ people: [ComparedPerson]) -> [String] {
    let names = people.map { ($0.path as NSString).lastPathComponent }
    let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    return zip(names, people).map { counts[$0] == 1 ? $0 : $1.path }
  }

  /// The page of the day on which the drive was, with our way to choose regions.
  private func dayPage(
    _ drive: ComparisonReport.Drive?,
    _ comparison: Comparison,
    _ people: [ComparedPerson]
  ) throws -> String? {
    guard let drive, var pages = try DayPages(besides: report),
      let number = Self.names(people).firstIndex(of: drive.trace),
      let ours = comparison.services.first(where: {
        $0.strategy == .safeRegion && $0.name.rawValue == drive.monitor && $0.slots == drive.slots
      })
    else { return nil }
    let link = try pages.write(
      drive.trace,
      try people[number].fixes(),
      of: people[number].person,
      comparison.setup(ours),
      day: nil
    )
    return "\(link)#t=\(drive.at)"
  }

  private func outcome(
    _ comparison: Comparison,
    _ compared: ComparedPerson,
    _ check: () throws -> Void
  ) throws -> Comparison.Outcome {
    do {
      return try comparison.run(
        compared.person,
        compared.fixes(check: check),
        restore: EngineState.storedAndRead,
        check: check
      )
    } catch let error as ReminderLoadError {
      throw CommandFailure(.badInput, "\(compared.path): \(error)")
    }
  }

  private func services(_ wishes: Wishes) throws -> [Comparison.Service] {
    var services: [Comparison.Service] = []
    for monitor in wishes.monitors {
      let settings = try monitor.settings(twin)
      let policy = try monitor.policy(policy)
      func add(_ strategy: RegionStrategy, slots: Int) {
        services.append(
          Comparison.Service(
            monitor,
            policy,
            settings: settings,
            slots: slots,
            strategy: strategy,
            seed: seed
          )
        )
      }
      for slots in wishes.slots.isEmpty ? [policy.monitor.slots] : wishes.slots {
        if let settings, slots > settings.regions {
          printError(
            "nearme: note: \(monitor.rawValue) has \(settings.regions) regions, not \(slots)"
          )
          continue
        }
        for strategy in wishes.strategies where strategy != .unlimited {
          add(strategy, slots: slots)
        }
      }
      if wishes.strategies.contains(.unlimited) { add(.unlimited, slots: policy.monitor.slots) }
    }
    guard !services.isEmpty else {
      throw CommandFailure(.usage, "no phone has so many regions: ask for fewer with --slots")
    }
    return services
  }
}
