import Arrivals
import ArgumentParser
import Foundation
import Geodesy
import PlaceStore
import Places
import Replay
import Timeline

@main
struct ArrivalFit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "arrival-fit",
    abstract: "Fits the arrival detector to days with known truth, and says how good it is.",
    discussion: """
      Reads folders of person-days (NAME.gpx.gz with NAME.truth.json), each with the cache of its
      places, fits the weights by logistic regression, and prints scores that are out of fold: the
      weights that judge a person were fitted on others. Days that have a fix per 500 m only are
      scored apart.

        arrival-fit --days corpus-dev,baltimore.db --days corpus-dev-wide,virgin-islands.db

      A drawing of the posterior over a quarter of an hour:

        arrival-fit --days corpus-dev,baltimore.db \\
          --plot p01-d1,2025-11-05T22:50:00Z,900,"A visit",visit.svg
      """
  )

  @Option(help: "A folder of person-days and its cache of places: FOLDER,CACHE.")
  var days: [String]

  @Option(
    help: ArgumentHelp(
      "What sees the days: stream, or an app that sleeps on ios or android.",
      discussion: """
        A sleeping app is given the positions that a replay with these regions gives it, and knows
        home and work. All days are fitted, those with a fix per 500 m, too.
        """
    )
  )
  var monitor = "stream"

  @Option(help: "How many times a sleeping app sees each day, with other latencies.")
  var seeds = 4

  @Option(help: "For how many seconds a sleeping app stays awake after the last motion.")
  var weigh: Int64 = 720

  @Flag(help: "The receiver of a sleeping app rests where it may (monitor: ease).")
  var ease = false

  @Option(help: "How many groups of persons are left out in turn.")
  var folds = 10

  @Option(help: "How many ways of grouping the persons are tried and added up.")
  var repeats = 4

  @Option(help: "Thresholds to try, with commas between.")
  var thresholds = "0.25,0.3,0.32,0.35,0.4,0.5"

  @Option(
    help: ArgumentHelp(
      "Numbers to choose from within the other groups of persons: NAME=A/B/C.",
      discussion: """
        The choice of each, and of the threshold, is then made on other people than those it is
        scored on: among those with at most 1.5 % of false ones, the one that finds most.
        """
    )
  )
  var nested: [String] = []

  @Flag(help: "List what was missed and what was false at the first threshold.")
  var ledger = false

  @Option(help: "Another number for a setting, such as error_seconds=60.")
  var set: [String] = []

  @Option(help: "A term to leave out, such as silence.")
  var without: [String] = []

  @Option(help: "DAY,START,SECONDS,TITLE,FILE: draws the posterior with the default weights.")
  var plot: [String] = []

  mutating func validate() throws {
    guard folds >= 2, repeats >= 1 else {
      throw ValidationError("--folds must be at least 2 and --repeats at least 1")
    }
    for name in without where !ArrivalTerms.names.dropFirst().contains(name) {
      let names = ArrivalTerms.names.dropFirst().joined(separator: ", ")
      throw ValidationError("--without takes one of \(names), and got \"\(name)\"")
    }
    guard !numbers.isEmpty, numbers.allSatisfy({ (0.01...0.99).contains($0) }) else {
      throw ValidationError("--thresholds takes probabilities such as 0.3,0.4")
    }
  }

  private var numbers: [Double] { thresholds.split(separator: ",").compactMap { Double($0) } }

  func run() throws {
    var all: [Day] = []
    for pair in days {
      let parts = pair.split(separator: ",").map(String.init)
      guard parts.count == 2 else {
        throw ValidationError("--days takes FOLDER,CACHE, and got \"\(pair)\"")
      }
      let catalog = try POICatalog(cache: parts[1])
      all += try readDays(in: parts[0], catalog: catalog)
    }
    if monitor != "stream" {
      guard let phone = LocationService.Name(rawValue: monitor), phone.settings != nil else {
        throw ValidationError("--monitor takes stream, ios or android")
      }
      let sleeper = Sleeper(phone, weighing: .seconds(weigh), mayRest: ease)
      all = try (1...UInt64(max(seeds, 1)))
        .flatMap { seed in try all.map { try sleeper.watch($0, seed: seed) } }
    }
    guard !all.isEmpty else {
      throw ValidationError("there is no NAME.truth.json in the folders given")
    }
    var settings = ArrivalSettings()
    for change in set { try apply(change, to: &settings) }
    for text in plot { try draw(text, all, settings) }
    guard plot.isEmpty else { return }
    if !nested.isEmpty {
      let variants = try variants(of: settings)
      NestedBench(days: all, variants: variants, thresholds: numbers, folds: folds)
        .report(repeats: repeats)
      return
    }
    Bench(days: all, settings: settings, without: without)
      .report(folds: folds, repeats: repeats, thresholds: numbers, ledger: ledger)
  }

  /// Every combination of the numbers that are to be chosen from.
  private func variants(
    of settings: ArrivalSettings
  ) throws -> [(name: String, settings: ArrivalSettings)] {
    var all = [(name: "", settings: settings)]
    for choice in nested {
      let parts = choice.split(separator: "=").map(String.init)
      guard parts.count == 2 else {
        throw ValidationError("--nested takes NAME=A/B/C, and got \"\(choice)\"")
      }
      all = try all.flatMap { variant in
        try parts[1].split(separator: "/")
          .map { value in
            var (name, settings) = variant
            try apply("\(parts[0])=\(value)", to: &settings)
            name += " \(parts[0])=\(value)"
            return (name, settings)
          }
      }
    }
    return all
  }

  private func draw(_ text: String, _ days: [Day], _ settings: ArrivalSettings) throws {
    let parts = text.split(separator: ",").map(String.init)
    guard parts.count == 5, let day = days.first(where: { $0.id == parts[0] }),
      let from = RFC3339.parse(parts[1]), let seconds = Int64(parts[2]), seconds > 0
    else {
      throw ValidationError("--plot takes DAY,START,SECONDS,TITLE,FILE, and got \"\(text)\"")
    }
    let plot = Plot(
      day: day,
      from: from,
      to: from + .seconds(seconds),
      title: parts[3],
      settings: settings
    )
    try plot.svg().write(toFile: parts[4], atomically: true, encoding: .utf8)
  }
}

/// Sets a number by name, for trying another one.
func apply(_ text: String, to s: inout ArrivalSettings) throws {
  let parts = text.split(separator: "=").map(String.init)
  guard parts.count == 2, let v = Double(parts[1]) else {
    throw ValidationError("--set takes NAME=NUMBER, and got \"\(text)\"")
  }
  switch parts[0] {
  case "error_seconds": s.position.errorTimeSeconds = v
  case "error_at_rest_seconds": s.position.errorTimeAtRestSeconds = v
  case "white_meters": s.position.whiteMeters = v
  case "spell_seconds": s.motion.meanSpellSeconds = v
  case "settle_seconds": s.stop.settleSeconds = v
  case "spread_meters": s.places.footprintDeviationMeters = v
  case "outline_share": s.places.outlineShare = v
  case "unknown_density": s.places.unknownPerSquareMeter = v
  case "familiar_weight": s.places.familiarWeight = v
  case "hold_seconds": s.decision.hold = Milliseconds(Int64(v * 1_000))
  case "next_margin": s.decision.nextPlaceMargin = v
  case "next_after_seconds": s.decision.nextPlaceAfter = Milliseconds(Int64(v * 1_000))
  case "next_meters": s.decision.nextPlaceMeters = v
  case "rearm_meters": s.decision.rearmMeters = v
  case "sleep_margin_meters": s.places.sleepMarginMeters = v
  default:
    throw ValidationError(
      "--set knows error_seconds, error_at_rest_seconds, white_meters, spell_seconds, settle_seconds, spread_meters, "
        + "outline_share, unknown_density, familiar_weight, hold_seconds, next_margin, "
        + "next_after_seconds, next_meters, rearm_meters and sleep_margin_meters, not \"\(parts[0])\""
    )
  }
}
