import ArgumentParser
import CorpusFiles
import Foundation
import NearMeEngine
import ParallelWork
import Replay
import Scoring
import SettingsFiles
import TrialFiles
import Tuning

/// `nearme tune`.
struct TuneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tune",
    abstract: "Search for the policy that serves people best, and say how sure that is.",
    discussion: """
      Tries policies on person-days whose truth is known (nearme score says what a day is) and \
      chooses the one that is best within limits. The space is a policy file with several values \
      for some keys; other keys are as in --policy:

        arrival: {detector: radius}
        tiers: {arrival_radius: [50m, 100m, 150m]}
        persistence: {arrival: {from: 0s, to: 180s, step: 30s}}

        nearme tune corpus --cache pois.sqlite --monitor stream --space space.yaml \\
          --goal "fpr<=0.02 then max recall_5min" -o best.yaml --report best.html
        nearme replay day.gpx --cache pois.sqlite --reminders me.yaml \\
          --policy best.yaml

      With -o, what was tried is kept in OUTPUT.log: the same command goes on after it was stopped \
      or killed. The result depends on the seed, never on --jobs. Exit status 1 says that no policy \
      keeps the limits, 3 that none is better than the policy of today: what may be chance is no \
      reason to change. -o then holds the policy of today. See docs/tuning.md.
      """
  )

  enum FormatName: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Argument(help: "Folders of person-days.")
  var corpora: [String]

  @Option(
    help: ArgumentHelp("Which policies may be tried, YAML or JSON.", valueName: "FILE")
  )
  var space: String

  @Option(
    help: ArgumentHelp(
      "Limits that must be kept, \"then\", and max or min of a score.",
      valueName: "GOAL"
    )
  )
  var goal =
    "fpr<=0.02, own_repeats_per_day<=0.05, own_false_per_day<=0.05 then max recall_5min"

  @Option(
    help: """
      How: grid tries every policy, random so many as --budget says, halving draws as many and tries \
      most of them on a part of the days. By default grid for up to --budget policies, else random.
      """
  )
  var method: SearchMethod?

  @Option(help: "How many policies are drawn, and the most that a grid may have.")
  var budget = 1_000

  @Option(help: "In how many groups people are left out in turn.")
  var folds = 10

  @OptionGroup var replayed: ScoredReplayOptions

  @Option(help: "How many policies are tried at a time; the output does not depend on it.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @Option(help: "What to print.")
  var format = FormatName.text

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write the chosen policy to this file.", valueName: "FILE.yaml")
  )
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Also write a page with plots, the ledger before and after, and maps of the worst days.",
      valueName: "FILE.html"
    )
  )
  var report: String?

  @Option(
    help: ArgumentHelp(
      "The Chart.js that the page takes in, where it is not found by itself.",
      valueName: "FILE.js"
    )
  )
  var chartLibrary: String?

  @Option(
    help: ArgumentHelp(
      "With -o, try nothing here: write which policies are wanted on which days, and end with exit status 75 "
        + "until OUTPUT.log has all of them.",
      valueName: "FILE"
    )
  )
  var wanted: String?

  @OptionGroup var skipBad: SkipBadOption

  func validate() throws {
    if wanted != nil, output == nil {
      throw ValidationError(
        "--wanted goes with -o: what others have tried is taken from OUTPUT.log"
      )
    }
    if chartLibrary != nil, report == nil {
      throw ValidationError("--chart-library is of the page that --report writes")
    }
    if corpora.isEmpty { throw ValidationError("name at least one folder of person-days") }
    if jobs < 1 { throw ValidationError("--jobs must be at least 1") }
    let written = [output, output.map { $0 + ".log" }, report, wanted]
    for file in written {
      try refuse(file, among: replayed.inputs + [space, chartLibrary], corpora: corpora)
    }
    try refuseOneFile(for: written)
    if !(1...100_000).contains(budget) {
      throw ValidationError("--budget must lie between 1 and 100000")
    }
    if folds < 2 { throw ValidationError("--folds must be at least 2") }
    _ = try parsedGoal()
  }

  private func parsedGoal() throws -> Goal {
    do {
      return try Goal(goal)
    } catch {
      throw ValidationError("--goal: \(error)")
    }
  }

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        try mappingCacheFailures {
          try mappingCorpusFailures { try tune() }
        }
      }
    }
  }

  private func tune() throws {
    let interrupt = InterruptFlag()
    var goal = try parsedGoal()
    let space = try SpaceFile.read(path: self.space)
    let (drawn, method) = try candidates(space)
    let chart = try report.map { _ in try ChartLibrary(path: chartLibrary) }
    let trials = try PolicyTrials(
      corpora,
      replayed,
      jobs: jobs,
      withTruePath: goal.metrics.contains { $0.needsTruePath },
      skipsBad: skipBad.isGiven,
      interrupt
    )
    if !trials.days.contains(where: { !$0.day.isWithoutStays }),
      let kept = goal.withoutLimits(on: [.ownRecall, .ownFalsePerDay, .ownRepeatsPerDay])
    {
      printError(
        "nearme: note: without \"stays\" no limit of own places can be kept; the goal is \"\(kept.text)\""
      )
      goal = kept
    }
    let candidates = try policies(drawn, over: trials.base)
    // Opened before the work, which would be lost if they could not be written.
    let log = try output.map { try TuneLog(path: $0 + ".log", world: world(trials)) }
    if let log, log.trialsFound > 0 {
      printError("nearme: going on: \(log.trialsFound) trials are in \(output ?? "").log already")
    }
    let page = try report.map { try OutputFile(path: $0) }
    let folds = Folds(
      people: trials.lived.people,
      wanted: folds,
      seed: replayed.seed
    )
    if folds.count < 2 {
      printError(
        "nearme: note: all days are of one person, so the choice cannot be tested on others"
      )
    }
    var search = Search(
      candidates,
      days: trials.days.count,
      folds: folds,
      goal: goal,
      method: method,
      seed: replayed.seed
    )
    let progress = TrialProgress(total: search.mostTrials)
    let result: TuningResult
    do {
      result = try finish(&search, in: space, method: method, trials: trials, log, progress)
    } catch let missing as MissingTrials {
      progress.clear()
      guard let wanted else { preconditionFailure("trials are missing only where others try") }
      try WantedTrials.write(missing.wanted, withTruePath: trials.withTruePath, to: wanted)
      throw CommandFailure(
        .trialsWanted,
        "\(missing.wanted.count) policies are wanted: try them with `nearme evaluate --trials \(wanted)`, append "
          + "what it prints to \(output ?? "").log, and give the same command again"
      )
    } catch let failure as CommandFailure where failure.status == .interrupted {
      progress.clear()
      throw CommandFailure(
        .interrupted,
        output.map { "stopped: the same command goes on where it stopped, from \($0).log" }
          ?? "stopped; with -o FILE a search can go on where it stopped"
      )
    }
    progress.clear()
    try print(result)
    if let page, let chart {
      let best = try PolicyFile.policy(result.best.candidate.values, over: trials.base)
      let before = try trials.ledger(trials.base, "ledger of today")
      var report = TuningReport(
        result,
        search,
        title: pageTitle,
        days: trials.days.map(\.day),
        before: before,
        after: best == trials.base ? before : try trials.ledger(best, "ledger of the best")
      )
      try addDayPages(to: &report, best, trials)
      try page.write(ReportPage(report, chart).html)
      try page.finish()
    }
    guard result.verdict != .outsideLimits else {
      throw CommandFailure(
        .checkFailed,
        "no policy of the space keeps \"\(goal.text)\""
          + (output.map { "; \($0) was not written" } ?? "")
      )
    }
    try writePolicy(result, trials)
    guard result.verdict != .todayStays else {
      throw CommandFailure(
        .nothingBetter,
        "nothing better than the policy of today was found"
          + (output.map { "; \($0) is the policy of today" } ?? "")
      )
    }
  }

  /// Writes a page of each of the worst days, with the best policy.
  private func addDayPages(
    to report: inout TuningReport,
    _ best: Policy,
    _ trials: PolicyTrials
  ) throws {
    guard var pages = try DayPages(besides: self.report) else { return }
    for i in report.worstDays.indices {
      let id = report.worstDays[i].id
      guard let day = trials.days.first(where: { $0.day.truth.id == id })?.day else { continue }
      report.worstDays[i].page =
        try pages.write(id, day.fixes, of: day.person, trials.setup(best), day: day)
    }
  }

  private var pageTitle: String {
    corpora.map { URL(fileURLWithPath: $0).lastPathComponent }.joined(separator: ", ")
  }

  /// Does the search, then tries the policy of today and those beside the chosen one.
  private func finish(
    _ search: inout Search,
    in space: PolicySpace,
    method: SearchMethod,
    trials: PolicyTrials,
    _ log: TuneLog?,
    _ progress: TrialProgress
  ) throws -> TuningResult {
    while let items = search.next() {
      let candidates = search.candidates
      try requireKnown(items.map { (candidates[$0.candidate], $0.days) }, trials, log)
      let tallies = try trials.tallies(
        items.map { (candidates[$0.candidate], $0.days) },
        log,
        progress
      )
      for (item, tallies) in zip(items, tallies) { search.take(item, tallies) }
    }
    let chosen = search.candidates[search.ranked[0]]
    // A value beside the chosen one may contradict another: then it is no policy, and has no effect to show.
    let neighbors = TuningResult.neighbors(of: chosen, in: space)
      .filter { (try? PolicyFile.policy($0.candidate.values, over: trials.base)) != nil }
    let all = Array(trials.days.indices)
    try requireKnown(([.base, chosen] + neighbors.map(\.candidate)).map { ($0, all) }, trials, log)
    let further = try trials.tallies(
      ([.base, chosen] + neighbors.map(\.candidate)).map { ($0, all) },
      log,
      progress
    )
    let draws = DayDraws(lived: trials.lived.lived, seed: replayed.seed)
    let effects = zip(neighbors, further.dropFirst(2))
      .map { neighbor, days in
        KnobEffect(
          knob: neighbor.knob,
          from: neighbor.from,
          to: neighbor.to,
          before: further[1],
          after: days,
          draws
        )
      }
    return TuningResult(
      search,
      space,
      method: method,
      seed: replayed.seed,
      base: further[0],
      effects: effects,
      draws: draws
    )
  }

  /// What others are to try, where nothing is tried here: on which days, by their numbers.
  private struct MissingTrials: Error { let wanted: [(candidate: Candidate, days: [Int])] }

  /// - Throws: ``MissingTrials`` where others try and have not tried all of it.
  private func requireKnown(
    _ asked: [(candidate: Candidate, days: [Int])],
    _ trials: PolicyTrials,
    _ log: TuneLog?
  ) throws {
    guard wanted != nil, let log else { return }
    var missing: [(candidate: Candidate, days: [Int])] = []
    var seen: Set<String> = []
    for (candidate, days) in asked where seen.insert(candidate.text).inserted {
      let left = days.map { trials.numbers[$0] }.filter { log.tally(candidate, day: $0) == nil }
      if !left.isEmpty { missing.append((candidate, left)) }
    }
    if !missing.isEmpty { throw MissingTrials(wanted: missing) }
  }

  private func candidates(_ space: PolicySpace) throws -> ([Candidate], SearchMethod) {
    let method = method ?? ((space.count.map { $0 <= budget } ?? false) ? .grid : .random)
    guard method == .grid else { return (space.draws(budget, seed: replayed.seed), method) }
    guard let count = space.count else {
      throw CommandFailure(
        .usage,
        "\(self.space): a range without step or count has no grid: give it one, or take --method "
          + "random"
      )
    }
    guard count <= budget else {
      throw CommandFailure(
        .usage,
        "\(self.space): the grid has \(count) policies: allow them with --budget \(count), or take "
          + "--method random or halving"
      )
    }
    return (space.grid(), method)
  }

  /// Leaves out values that contradict each other, and says so: together they are no policy.
  ///
  /// - Throws: ``CommandFailure`` if none is left.
  private func policies(_ drawn: [Candidate], over base: Policy) throws -> [Candidate] {
    var kept: [Candidate] = []
    var faults: [(candidate: Candidate, error: SettingsError)] = []
    for candidate in drawn {
      do throws(SettingsError) {
        _ = try PolicyFile.policy(candidate.values, over: base)
        kept.append(candidate)
      } catch {
        faults.append((candidate, error))
      }
    }
    guard let first = faults.first else { return kept }
    guard !kept.isEmpty else {
      throw CommandFailure(
        .badInput,
        "\(space): none of its values go together; of \(first.candidate.text): \(first.error.message)"
      )
    }
    let most = 3
    printError(
      "nearme: note: \(space): \(faults.count) of \(drawn.count) policies left out, whose values do not go together"
        + (faults.count > most ? "; the first \(most):" : ":")
    )
    for (candidate, error) in faults.prefix(most) {
      printError("nearme: left out: \(candidate.text): \(error.message)")
    }
    return kept
  }

  /// Everything but the policies that decides a score.
  private func world(_ trials: PolicyTrials) throws -> [(name: String, fingerprint: String)] {
    var days = Fingerprint()
    // Those that cannot be read have been named.
    for day in try CorpusFolder.days(of: corpora, noteFault: { _ in }) {
      days.add("\(day.number) \(day.corpus ?? "")/\(day.name)".utf8)
      for file in [day.trace, day.truth, day.path].compactMap(\.self) { try days.add(file: file) }
    }
    var cache = Fingerprint()
    try cache.add(file: replayed.service.cache)
    var people = Fingerprint()
    if let reminders = replayed.reminders { try people.add(file: reminders) }
    let program = try FileManager.default.attributesOfItem(
      atPath: Bundle.main.executablePath ?? CommandLine.arguments[0]
    )
    return [
      ("program", Fingerprint("\(program[.size] ?? 0) \(program[.modificationDate] ?? 0)").text),
      ("corpus", days.text), ("cache", cache.text), ("reminders", people.text),
      ("policy", Fingerprint("\(trials.base)").text),
      ("monitor", Fingerprint("\(trials.service(trials.base))").text),
      ("handed_over", trials.handOver.map { Fingerprint("\($0)").text } ?? "at once"),
      ("approaches", trials.withTruePath ? "true path" : "none"),
    ]
  }

  private func print(_ result: TuningResult) throws {
    let file = try OutputFile(path: nil)
    try file.writeLine(format == .json ? TuningJSON().text(result) : TuningText.text(result))
    try file.finish()
  }

  private func writePolicy(_ result: TuningResult, _ trials: PolicyTrials) throws {
    guard let output else { return }
    let chosen = result.chosen.candidate.values
    var text = try PolicyFile.text(chosen, over: replayed.service.policy)
    // The defaults themselves: a file without any key would be taken for an empty one.
    if text.isEmpty { text = "{}\n" }
    let written = try PolicyFile.read(text: text, file: output, over: standard)
    let meant = try PolicyFile.policy(chosen, over: trials.base)
    precondition(written == meant, "what is written is not what was chosen:\n\(text)")
    let file = try OutputFile(path: output)
    let head =
      result.verdict == .todayStays
      ? "The policy of today: nearme tune found nothing better" : "Chosen by nearme tune"
    try file.write(
      """
      # \(head) for "\(result.goal.text)"
      # from \(result.tried == 1 ? "1 policy" : "\(result.tried) policies") on \
      \(counted(result.folds.ofDay.count, "person-day")) of \
      \(result.folds.personCount == 1 ? "1 person" : "\(result.folds.personCount) people") (\(pageTitle); \(replayed.service.monitor.rawValue), \
      \(result.method.rawValue), seed \(result.seed)).

      """
    )
    try file.write(text)
    try file.finish()
  }

  /// The defaults for the location service, over which a policy file is read.
  private var standard: Policy {
    get throws { try replayed.service.monitor.policy(nil) }
  }
}

extension SearchMethod: ExpressibleByArgument {}
