import ArgumentParser
import CorpusFiles
import Fencing
import Foundation
import LiveHost
import NearMeEngine
import ParallelWork
import PlaceStore
import Places
import Replay
import Scoring
import TraceFiles
import TrialFiles
import Tuning

/// `nearme score`.
struct ScoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "score",
    abstract: "Score notifications against what really happened.",
    discussion: """
      Replays every person-day of a folder and compares what would have been told with the truth \
      beside it: which visits were announced and how late, which drive-bys, near stays and curb \
      waits were notified, what it cost, and why. A day is NAME.gpx.gz with NAME.truth.json and \
      NAME.true.csv.gz. Without --reminders everybody has one for each of five categories, for \
      home and for work.

        nearme score traces --cache pois.sqlite
        nearme score corpus --cache pois.sqlite --monitor stream \\
          --policy policy.yaml --require "fpr<=0.02,recall_5min>=85%"
        nearme score corpus --cache pois.sqlite --monitor ios --draws 8

      Exit status 1 says that a requirement is not met. The scores that --require takes are the \
      names in --format json; the ledger's causes are explained in docs/scores.md.
      """
  )

  enum FormatName: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Argument(help: "Folders of person-days.")
  var corpora: [String] = []

  @OptionGroup var replayed: ScoredReplayOptions

  @Option(
    help: ArgumentHelp("Limits that must be kept, with commas between.", valueName: "LIMITS")
  )
  var require: String?

  @Option(help: "How many days are scored at a time; the output does not depend on it.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @Option(
    help: ArgumentHelp(
      "Replay each day so often, with one seed after another, and score all of it: how late a phone is "
        + "is drawn, and one draw can be three points from the next.",
      valueName: "COUNT"
    )
  )
  var draws = 1

  @Flag(help: "Leave the ledger of causes out, which takes about half of the time.")
  var noLedger = false

  @Option(
    help: ArgumentHelp(
      "List so many of the visits that were missed and the arrivals that were wrong, each with the "
        + "command that explains it.",
      valueName: "COUNT"
    )
  )
  var wrong = 10

  @OptionGroup var skipBad: SkipBadOption

  @Flag(
    help: """
      Print what each day adds to the scores, one line of JSON a day, instead of the scores: what \
      other machines do for --of-days.
      """
  )
  var daysOnly = false

  @Flag(help: "Print the days of the folders, one line of JSON a day, and score none.")
  var listDays = false

  @Option(
    help: ArgumentHelp(
      "With --days-only, instead of folders: lines that --list-days printed.",
      valueName: "FILE"
    )
  )
  var days: String?

  @Option(
    help: ArgumentHelp(
      "Instead of replaying, take the days from what --days-only printed, in any order.",
      valueName: "FILE"
    )
  )
  var ofDays: String?

  @Option(help: "What to print.")
  var format = FormatName.text

  @Option(name: .shortAndLong, help: "Write to this file instead of standard output.")
  var output: String?

  func validate() throws {
    if daysOnly, ofDays != nil {
      throw ValidationError("--days-only makes what --of-days takes: choose one")
    }
    if daysOnly, require != nil {
      throw ValidationError("--require is about all days together, and --days-only prints each")
    }
    if corpora.isEmpty == (days == nil) {
      throw ValidationError("name at least one folder of person-days")
    }
    if days != nil, !daysOnly { throw ValidationError("--days needs --days-only") }
    if jobs < 1 { throw ValidationError("--jobs must be at least 1") }
    guard (1...1_000).contains(draws) else { throw ValidationError("--draws takes 1 to 1000") }
    if draws > 1, daysOnly || ofDays != nil {
      throw ValidationError("--draws replays days by itself: leave --days-only and --of-days out")
    }
    if draws > 1, replayed.service.monitor.settings == nil, replayed.service.handedOver == nil {
      throw ValidationError("--draws needs --monitor ios or android: nothing else is drawn")
    }
    try refuse(output, among: replayed.inputs + [days, ofDays], corpora: corpora)
    if wrong < 0 { throw ValidationError("--wrong must not be below 0") }
    _ = try requirements()
  }

  private func requirements() throws -> [Requirement] {
    do {
      return try require.map(Requirement.parse) ?? []
    } catch {
      throw ValidationError("--require: \(error)")
    }
  }

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        try mappingCacheFailures {
          try mappingCorpusFailures { try score() }
        }
      }
    }
  }

  private func score() throws {
    let interrupt = InterruptFlag()
    let requirements = try requirements()
    let faults = DayFaults()
    let days =
      try days.map(DayList.read)
      ?? CorpusFolder.days(of: corpora, noteFault: { faults.add($0.file, $0) })
    if listDays {
      try faults.tell(left: days.count, skips: skipBad.isGiven)
      let file = try OutputFile(path: output)
      for day in days { try file.writeLine(DayList.line(day)) }
      try file.finish()
      return
    }
    if !daysOnly { noteUnknownPaths(days) }
    if let ofDays {
      let scores = try DayScoreLines.read(
        ofDays,
        for: days.map(\.id),
        skipsMissing: skipBad.isGiven
      )
      try faults.tell(left: scores.count, skips: skipBad.isGiven)
      let corpusScore = sum(scores, of: days)
      try print(corpusScore, days, requirements)
      try check(corpusScore, requirements)
      return
    }
    let seeds = (0..<UInt64(draws)).map { replayed.seed &+ $0 }
    let setups = try replayed.setups(seeds)
    let person = try replayed.person(in: setups[0].catalog)
    let progress = ProgressLine(total: days.count, unit: "days")
    defer { progress.clear() }
    let scores = try resultsInOrder(
      count: days.count,
      threads: jobs,
      done: progress.show,
      work: { number -> [DayScore]? in
        if interrupt.isSet { throw CommandFailure(.interrupted, "stopped; no output was written") }
        return try score(days[number], setups, person, noting: faults)
      }
    )
    progress.clear()
    let drawn = scores.compactMap(\.self)
    let whole = drawn.map { $0.count == 1 ? $0[0] : DayScore(together: $0) }
    try faults.tell(left: whole.count, skips: skipBad.isGiven)
    if daysOnly {
      let file = try OutputFile(path: output)
      for score in whole { try file.writeLine(JSONLines.line(score)) }
      try file.finish()
      return
    }
    let corpusScore = sum(whole, of: days)
    let spread = draws > 1 ? ScoreDraws(drawn, seeds: seeds) : nil
    try print(corpusScore, draws: spread, days, requirements)
    try check(corpusScore, requirements)
  }

  /// The scores of all days together.
  ///
  /// What another phone recorded of a corpus is of the same people and of the same days, under other names.
  private func sum(_ scores: [DayScore], of days: [CorpusFolder.Day]) -> CorpusScore {
    let files = Dictionary(days.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let scored = scores.compactMap { files[$0.id] }
    let truths = try? scored.map { try $0.readTruth() }
    let known = truths.flatMap { $0.count == scores.count ? LivedDays(scored, $0) : nil }
    known?.noteTwins()
    return CorpusScore(
      scores,
      seed: replayed.seed,
      personCount: known.map { Set($0.people).count },
      lived: known?.lived
    )
  }

  /// - Returns: one for each setup; nil for a day that cannot be read, or that is only read because another one could
  ///   not.
  private func score(
    _ day: CorpusFolder.Day,
    _ setups: [ReplaySetup],
    _ person: Person?,
    noting faults: DayFaults
  ) throws -> [DayScore]? {
    guard let read = try faults.noting(day.truth, { try day.read(person: person) }) else {
      return nil
    }
    if !skipBad.isGiven, !faults.isEmpty { return nil }
    do {
      return try setups.enumerated()
        .map { draw, setup in try DayScore(read, setup, keepsLedger: !noLedger && draw == 0) }
    } catch {
      throw CommandFailure(.badInput, "\(replayed.reminders ?? day.truth): \(error)")
    }
  }

  private func print(
    _ score: CorpusScore,
    draws: ScoreDraws? = nil,
    _ days: [CorpusFolder.Day],
    _ requirements: [Requirement]
  ) throws {
    let file = try OutputFile(path: output)
    switch format {
    case .text:
      // Names of noise and sampling come from truth files.
      try file.writeLine(TerminalText.printable(ScoreText().text(score, draws: draws)))
      let list = WrongList(ledger: score.ledger, days: days, options: replayed)
      for line in list.lines(most: wrong) { try file.writeLine(line) }
    case .json:
      for note in ScoreText.unjudged(score) { printError("nearme: " + note) }
      let kept = requirements.map {
        (text: $0.text, isKept: $0.isKept(by: score.whole[$0.metric]?.value))
      }
      try file.writeLine(
        ScoreJSON().text(score, seed: replayed.seed, draws: draws, requirements: kept)
      )
    }
    try file.finish()
  }

  private func check(_ score: CorpusScore, _ requirements: [Requirement]) throws {
    var failures = 0
    for requirement in requirements {
      let estimate = score.whole[requirement.metric]
      guard !requirement.isKept(by: estimate?.value) else { continue }
      failures += 1
      let shortfall = requirement.shortfall(estimate, hasInterval: score.hasIntervals)
      printError("nearme: not met: " + shortfall)
    }
    if failures > 0 {
      throw CommandFailure(
        .checkFailed,
        "\(failures) of \(counted(requirements.count, "requirement")) not met"
      )
    }
  }
}

/// What a replay that is scored or explained needs to know.
struct ScoredReplayOptions: ParsableArguments {
  @OptionGroup var service: ServiceOptions<PhoneByDefault>

  @Option(
    help: ArgumentHelp(
      "Places, reminders and actions, JSON or YAML; by default the standard ones of the truth.",
      valueName: "FILE"
    )
  )
  var reminders: String?

  @Option(help: "Seed of the draws for intervals and of the latencies of ios and android.")
  var seed: UInt64 = 1

  /// The files that are read.
  var inputs: [String?] { service.inputs + [reminders] }

  func setup() throws -> ReplaySetup { try service.setup(seed: seed) }

  /// The same with other seeds, in one world of places.
  func setups(_ seeds: [UInt64]) throws -> [ReplaySetup] {
    let first = try setup()
    return try seeds.map { seed in
      var setup = first
      setup.service = try service.choice(seed: seed).service(first.policy)
      setup.handOver = try service.handOver(seed: seed)
      return setup
    }
  }

  /// What all people want to be reminded of; nil where the truth says.
  func person(in catalog: POICatalog) throws -> Person? {
    guard let reminders else { return nil }
    let person = try RemindersFile(path: reminders).person
    noteMissingCategories(of: person.reminders, in: KnownCategories(catalog), cache: service.cache)
    return person
  }
}

/// Runs a body and gives errors of corpora the exit status that scripts may rely on.
func mappingCorpusFailures(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch let error as CorpusError {
    let status: ExitStatus =
      switch error.code {
      case .missing: .inputMissing
      case .unreadable: .inputOutput
      case .malformed, .unfit: .badInput
      }
    throw CommandFailure(status, error.description)
  } catch let error as TraceError {
    throw CommandFailure(status(of: error), error.description)
  }
}
