import Basics
import ArgumentParser
import CorpusFiles
import Foundation
import NearMeEngine
import Scoring
import SettingsFiles
import Tuning

/// `nearme evaluate`.
struct EvaluateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Score policies for another program's search: a policy in, a line of scores out.",
    discussion: """
      Prints one JSON object on one line, every score of `nearme score` by its name, for all days \
      together. With --stdin the days are read once and each line of standard input is a policy \
      in JSON (its keys are those of a policy file, over --policy); each gets its line at once. A \
      line that is no policy gets {"error": "…"}, and the exit status is then 65.

        nearme evaluate corpus --cache pois.sqlite --monitor stream \\
          --policy policy.yaml
        echo '{"arrival": {"threshold": 0.6}}' | \\
          nearme evaluate corpus --cache pois.sqlite --monitor stream --stdin

      examples/optuna_search.py drives it from Optuna.

      --trials tries what `nearme tune --wanted` asks for, on the days of --days, and prints lines of its \
      log: a search on several machines (docs/scale.md).
      """
  )

  @Argument(help: "Folders of person-days.")
  var corpora: [String] = []

  @OptionGroup var replayed: ScoredReplayOptions

  @Flag(help: "Read policies from standard input, one on each line.")
  var stdin = false

  @Option(
    help: ArgumentHelp("What `nearme tune --wanted` wrote, or some lines of it.", valueName: "FILE")
  )
  var trials: String?

  @Option(
    help: ArgumentHelp(
      "With --trials, the days: lines that `nearme score --list-days` printed.",
      valueName: "FILE"
    )
  )
  var days: String?

  @Option(help: "How many days are scored at a time; the output does not depend on it.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @OptionGroup var skipBad: SkipBadOption

  func validate() throws {
    if (trials == nil) != (days == nil) {
      throw ValidationError("--trials and --days go together: which policies, on which days")
    }
    if corpora.isEmpty == (trials == nil) {
      throw ValidationError("name at least one folder of person-days, or --trials with --days")
    }
    if stdin, trials != nil {
      throw ValidationError("--stdin reads policies, and so does --trials")
    }
    if jobs < 1 { throw ValidationError("--jobs must be at least 1") }
  }

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        try mappingCacheFailures {
          try mappingCorpusFailures { try evaluate() }
        }
      }
    }
  }

  private func evaluate() throws {
    let interrupt = InterruptFlag()
    interrupt.endIfStuck {}
    if let path = trials, let days { return try tryWanted(path, on: days, interrupt) }
    let trials = try PolicyTrials(
      corpora,
      replayed,
      jobs: jobs,
      withTruePath: true,
      skipsBad: skipBad.isGiven,
      interrupt
    )
    let output = try OutputFile(path: nil)
    guard stdin else {
      try output.writeLine(line(trials.base, trials))
      try output.finish()
      return
    }
    var number = 0
    var (failures, asked) = (0, 0)
    while let text = readLine() {
      number += 1
      guard text.contains(where: { !$0.isWhitespace }) else { continue }
      asked += 1
      do {
        let policy = try PolicyFile.read(text: text, file: "line \(number)", over: trials.base)
        try output.writeLine(line(policy, trials))
      } catch let error as SettingsError {
        failures += 1
        var json = JSONText()
        json.add("error", "line \(number): \(error.message)")
        try output.writeLine(json.closed)
      }
      try output.flush()
    }
    try output.finish()
    if failures > 0 {
      throw CommandFailure(.badInput, "\(failures) of \(asked) lines were no policies")
    }
  }

  /// Tries what a search wants on some of its days.
  private func tryWanted(_ path: String, on list: String, _ interrupt: InterruptFlag) throws {
    let (wanted, withTruePath) = try WantedTrials.read(path)
    let asked = Set(wanted.flatMap(\.days))
    // A search that leaves out days that cannot be read wants nothing of them.
    let listed = try DayList.read(list).filter { asked.contains($0.number) }
    let trials = try PolicyTrials(
      listed,
      replayed,
      jobs: jobs,
      withTruePath: withTruePath,
      interrupt
    )
    let here = wanted.map { candidate, days in
      (candidate, listed.indices.filter { days.contains(listed[$0].number) })
    }
    let progress = TrialProgress(total: here.reduce(0) { $0 + $1.1.count })
    let tallies = try trials.tallies(here, nil, progress)
    progress.clear()
    let output = try OutputFile(path: nil)
    for ((candidate, days), tallies) in zip(here, tallies) where !days.isEmpty {
      try output.writeLine(
        TuneLog.line(candidate, zip(days, tallies).map { (trials.numbers[$0], $1) })
      )
    }
    try output.finish()
  }

  private func line(_ policy: Policy, _ trials: PolicyTrials) throws -> String {
    TuningJSON.scores(total(try trials.tallies(policy)), withTruePath: true)
  }
}
