import Basics
import ArgumentParser
import CacheBuilder
import CorpusFiles
import Foundation
import Geodesy
import ParallelWork
import PlaceStore
import Places
import SettingsFiles
import Simulation
import Timeline

/// `nearme simulate`.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Invent person-days with known truth, to score and tune on.",
    discussion: """
      People live for a day or more on the streets of a map, or in a plain invented town: they go to \
      work and to real places, wait at red lights, park and walk in, pass other places and wait at \
      curbs. A receiver sees them through errors that last, silences indoors and a cadence that \
      falls at rest. The folder holds what nearme score and nearme tune take; the same seed gives \
      the same bytes.

        nearme simulate --osm town.osm.pbf -o corpus --people 10 --days 2 --seed 1 \\
          --time-zone America/New_York
        nearme simulate --city -o corpus
        nearme cache build corpus/places.csv -o pois.sqlite

      Three realities are harsher than what most people test with: --stop-offset 40m (the door is \
      not where the map has the point), --speed none or zero, and --constant-cadence. \
      --white-noise draws every error anew, as no receiver does: it is there to show which wrong \
      settings it would pick.

      --phone has another kind of phone see the days: one without speeds, one that tells of a fix \
      for each 50 m, and so on. With --again the days of a corpus are seen anew by it, and what \
      happened on them stays as it was:

        nearme simulate --again corpus --cache pois.sqlite --phone every-50m \\
          -o corpus-50m

      Many machines make a corpus in parts, each with its own --part, and one puts them together: \
      the same bytes as on one. nearme-spark simulate does that on Spark (docs/scale.md):

        nearme simulate --city --people 500 --part 2/8 -o parts/2
        nearme simulate --of-parts parts -o corpus

      At the end it prints what was asked for beside what came out. What the days leave out is in \
      docs/simulation.md.
      """
  )

  @Option(help: ArgumentHelp("Live on the streets of this extract.", valueName: "EXTRACT"))
  var osm: String?

  @Flag(help: "Live in a plain invented town; its places are written to places.csv.")
  var city = false

  @Option(
    help: ArgumentHelp("Have another phone see the days of this corpus.", valueName: "FOLDER")
  )
  var again: String?

  @Option(help: ArgumentHelp("The cache of its places; for --again.", valueName: "FILE"))
  var cache: String?

  @Option(help: "What kind of phone sees the days (docs/simulation.md).")
  var phone: Phone?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where the invented town lies.", valueName: "LAT,LON")
  )
  var around = Usual.around

  @Option(name: .shortAndLong, help: "The folder to make.")
  var output: String

  @Option(help: "The seed of everything.")
  var seed = Usual.seed

  @Option(help: "How many people.")
  var people = Usual.people

  @Option(help: "How many days in a row each of them lives.")
  var days = Usual.days

  @Option(help: ArgumentHelp("The date of the first day.", valueName: "YYYY-MM-DD"))
  var date = Usual.date

  @Option(help: "Where the clocks are set, such as America/New_York.")
  var timeZone = Usual.timeZone

  @Option(help: "How positions err.")
  var noise = Usual.noise

  @Flag(help: "Draw the error of each fix anew.")
  var whiteNoise = false

  @Option(help: "How often a fix comes; without it, drawn for each day.")
  var sampling: Sampling?

  @Option(help: "What the receiver says of the speed; without it, drawn for each day.")
  var speed: SpeedReport?

  @Flag(help: "Keep the cadence at rest.")
  var constantCadence = false

  @Option(help: "How far from a place's point people stop, the median.")
  var stopOffset = Usual.stopOffset

  @Option(
    name: .customLong("category"),
    help: ArgumentHelp("Only places of this category; may be repeated.", valueName: "C")
  )
  var categories: [String] = []

  @Option(help: ArgumentHelp("Make only one of several parts of the days.", valueName: "K/N"))
  var part: String?

  @Option(
    help: ArgumentHelp(
      "Put together what --part made; each in a folder of it.",
      valueName: "FOLDER"
    )
  )
  var ofParts: String?

  @Option(help: "How many days are lived at a time; the output does not depend on it.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  private static let batch = 32

  /// What is lived where nothing else is asked for.
  private enum Usual {
    static let around = "39.29,-76.61"
    static let seed: UInt64 = 1
    static let people = 4
    static let days = 2
    static let date = "2026-01-05"
    static let timeZone = "UTC"
    static let noise = NoisePreset.mixed
    static let stopOffset = "11m"
  }

  func validate() throws {
    guard [osm != nil, city, again != nil, ofParts != nil].count(where: { $0 }) == 1 else {
      throw ValidationError(
        "name a map with --osm EXTRACT, take --city, name a corpus with --again, or put parts "
          + "together with --of-parts: one of the four"
      )
    }
    if let part {
      guard ofParts == nil else { throw ValidationError("--part makes what --of-parts takes") }
      guard CorpusPart(part) != nil else {
        throw ValidationError(
          "--part takes the number of a part and how many there are, such as 2/8"
        )
      }
    }
    if again != nil, cache == nil || phone == nil {
      throw ValidationError("--again needs --phone and the --cache of the corpus's places")
    }
    if let again, let option = askedOfLives.first(where: \.isAsked)?.name {
      throw ValidationError(
        "\(option) is of new days: --again has the days of \(again) seen by another --phone"
      )
    }
    if let ofParts,
      let option = (askedOfLives + askedOfPhones).first(where: \.isAsked)?.name
    {
      throw ValidationError(
        "\(option) is of new days: --of-parts puts together those of \(ofParts), which were made with their own"
      )
    }
    if again == nil, cache != nil { throw ValidationError("--cache goes with --again") }
    if phone != nil, sampling != nil || speed != nil || constantCadence || whiteNoise {
      throw ValidationError(
        "--phone says itself how often it measures and what it tells: leave --sampling, --speed, "
          + "--constant-cadence and --white-noise out"
      )
    }
    for (name, value, range) in [
      ("--people", people, 1...1_000), ("--days", days, 1...28), ("--jobs", jobs, 1...1_000),
    ] where !range.contains(value) {
      throw ValidationError("\(name) must be \(range.lowerBound) to \(range.upperBound)")
    }
    if city, !categories.isEmpty {
      throw ValidationError("--category chooses among a map's places: the town has all five")
    }
    if output.isEmpty {
      throw ValidationError("the name behind -o is empty: is a variable not set?")
    }
    _ = try settings()
    _ = try middle()
  }

  /// What is said of how people live.
  private var askedOfLives: [(name: String, isAsked: Bool)] {
    [
      ("--people", people != Usual.people), ("--days", days != Usual.days),
      ("--date", date != Usual.date), ("--time-zone", timeZone != Usual.timeZone),
      ("--noise", noise != Usual.noise), ("--around", around != Usual.around),
      ("--stop-offset", stopOffset != Usual.stopOffset), ("--category", !categories.isEmpty),
    ]
  }

  /// What is said of how phones see them.
  private var askedOfPhones: [(name: String, isAsked: Bool)] {
    [
      ("--seed", seed != Usual.seed), ("--phone", phone != nil), ("--sampling", sampling != nil),
      ("--speed", speed != nil), ("--white-noise", whiteNoise),
      ("--constant-cadence", constantCadence),
    ]
  }

  private func middle() throws -> Coordinate {
    let parts = around.split(separator: ",").compactMap { Double($0) }
    guard parts.count == 2, let middle = try? Coordinate(latitude: parts[0], longitude: parts[1]),
      abs(parts[0]) <= 80
    else {
      throw ValidationError(
        "--around takes latitude and longitude in degrees, such as 39.29,-76.61; at most 80 north "
          + "or south"
      )
    }
    return middle
  }

  private func settings() throws -> SimulationSettings {
    let parts = date.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 3,
      let day = CivilDate(year: parts[0], month: parts[1], day: parts[2]),
      (1970...2099).contains(parts[0])
    else { throw ValidationError("--date takes a date such as 2026-01-05") }
    guard let zone = UTCOffsetTable(systemZone: timeZone) else {
      throw ValidationError("\"\(timeZone)\" is no time zone, such as America/New_York")
    }
    if let question = questionOfUnit(stopOffset) {
      throw ValidationError("--stop-offset \(stopOffset): \(question)")
    }
    guard let offset = parseLengthMeters(stopOffset), (0.5...500).contains(offset) else {
      throw ValidationError("--stop-offset takes a length of 0.5 m to 500 m, such as 40m")
    }
    var settings = SimulationSettings(firstDate: day, zone: zone)
    settings.seed = seed
    settings.noise = noise
    settings.isWhiteNoise = whiteNoise
    settings.phone = phone
    settings.sampling = sampling
    settings.speed = speed
    settings.hasConstantCadence = constantCadence
    settings.stopOffsetMeters = offset
    return settings
  }

  func run() throws {
    try reportingFailures {
      try mappingCacheFailures {
        try mappingCorpusFailures {
          if let ofParts {
            try collect(ofParts)
          } else if let again, let phone, let cache {
            try record(again, by: phone, cache: cache)
          } else {
            try simulate()
          }
        }
      }
    }
  }

  private func simulate() throws {
    let settings = try settings()
    let interrupt = InterruptFlag()
    // First, since it says at once if the folder cannot be made.
    var writer = try CorpusWriter(path: output)
    do {
      let area = try area(writer, interrupt)
      let wanted = chosenPart.days(of: people * days)
      let progress = ProgressLine(total: wanted.count, unit: "days")
      defer { progress.clear() }
      var figures = Figures(areKept: part != nil)
      // Some at a time, so that the memory does not grow with the number of days.
      for first in stride(from: wanted.lowerBound, to: wanted.upperBound, by: Self.batch) {
        let lived = try resultsInOrder(
          count: min(Self.batch, wanted.upperBound - first),
          threads: jobs,
          done: { progress.show(first - wanted.lowerBound + $0) },
          work: { number in
            if interrupt.isSet {
              throw CommandFailure(.interrupted, "stopped; no output was written")
            }
            let (person, day) = ((first + number) / days + 1, (first + number) % days + 1)
            let lived = SimulatedDay(person: person, day: day, in: area, settings)
            return (lived, PackedDay(lived))
          }
        )
        for (day, files) in lived {
          try writer.add(day, files)
          figures.add(SimulationStatistics(day))
        }
      }
      progress.clear()
      try finish(writer, figures, asked: "\(area.placeCount) places")
    } catch {
      writer.discard()
      throw error
    }
  }

  private func record(_ folder: String, by phone: Phone, cache: String) throws {
    let interrupt = InterruptFlag()
    let days = try CorpusFolder(path: folder).days
    let catalog = try POICatalog(cache: cache)
    var writer = try CorpusWriter(path: output)
    var figures = Figures(areKept: part != nil)
    var absent = 0
    do {
      let wanted = chosenPart.days(of: days.count)
      let progress = ProgressLine(total: wanted.count, unit: "days")
      defer { progress.clear() }
      for first in stride(from: wanted.lowerBound, to: wanted.upperBound, by: Self.batch) {
        let seen = try resultsInOrder(
          count: min(Self.batch, wanted.upperBound - first),
          threads: jobs,
          done: { progress.show(first - wanted.lowerBound + $0) },
          work: { number in
            if interrupt.isSet {
              throw CommandFailure(.interrupted, "stopped; no output was written")
            }
            return try RecordedDay(days[first + number], by: phone, seed: seed, catalog: catalog)
          }
        )
        for day in seen {
          if day.isElsewhere { absent += 1 }
          try writer.add(day)
          figures.add(SimulationStatistics(fixes: day.fixCount))
        }
      }
      progress.clear()
      if absent > 0 {
        printError(
          "note: \(cache) has no place that was visited on \(counted(absent, "day")): is it the cache of another town? "
            + "Where its places crowd decides how positions err"
        )
      }
      try finish(writer, figures, asked: "\(days.count) days")
    } catch {
      writer.discard()
      throw error
    }
  }

  /// What came out, and of a part each day's share of it.
  private struct Figures {
    let areKept: Bool
    var total = SimulationStatistics()
    var days: [SimulationStatistics] = []

    init(areKept: Bool) { self.areKept = areKept }

    mutating func add(_ day: SimulationStatistics) {
      total.add(day)
      if areKept { days.append(day) }
    }
  }

  private var chosenPart: CorpusPart { part.flatMap(CorpusPart.init) ?? .whole }

  /// Puts the folder in its place and says what is in it.
  private func finish(
    _ writer: CorpusWriter,
    _ figures: Figures,
    asked: String
  ) throws {
    guard part != nil else {
      try writer.finish()
      return try print(figures.total, phone: phone?.rawValue, isSeenAgain: again != nil)
    }
    let part = chosenPart
    try writer.add(
      CorpusPartFile(
        part,
        asked: asked + "; " + options,
        phone: phone?.rawValue,
        isSeenAgain: again != nil,
        days: figures.days
      )
    )
    try writer.finish()
    let output = try OutputFile(path: nil)
    let days = counted(figures.days.count, "day")
    try output.write("part \(part.number) of \(part.count): \(days)\n")
    try output.write("written to \(self.output)\n")
    try output.finish()
  }

  /// What decides what the days are like, but for files, of which other machines have copies.
  private var options: String {
    let words: [String] = [
      "seed \(seed)", again == nil ? "people \(people), days \(days), from \(date)" : "again",
      city ? "around \(around)" : "", "time zone \(timeZone)", "noise \(noise.rawValue)",
      whiteNoise ? "white noise" : "", "stop offset \(stopOffset)",
      phone.map { "phone \($0.rawValue)" } ?? "",
      sampling.map { "sampling \($0.rawValue)" } ?? "", speed.map { "speed \($0.rawValue)" } ?? "",
      constantCadence ? "constant cadence" : "", categories.joined(separator: ","),
    ]
    return words.filter { !$0.isEmpty }.joined(separator: ", ")
  }

  /// Puts parts together.
  private func collect(_ folder: String) throws {
    var writer = try CorpusWriter(path: output)
    do {
      let parts = try CorpusParts(path: folder)
      try parts.collect(into: &writer)
      try writer.finish()
      var total = SimulationStatistics()
      for day in parts.files.flatMap(\.days) { total.add(day) }
      try print(total, phone: parts.files[0].phone, isSeenAgain: parts.files[0].isSeenAgain)
    } catch {
      writer.discard()
      throw error
    }
  }

  private func area(_ writer: CorpusWriter, _ interrupt: InterruptFlag) throws -> Neighborhood {
    do {
      guard let osm else {
        let town = try Neighborhood.town(around: try middle(), seed: seed)
        try writer.add(placesTable(town.places), named: "places.csv")
        return town.neighborhood
      }
      let rules = CategoryRules.standard
      for name in categories where !rules.categories.contains(where: { $0.id.name == name }) {
        let known = rules.categories.map(\.id.name)
        let hint = nearestName(to: name, among: known).map { "; did you mean \($0)?" } ?? "."
        throw CommandFailure(
          .usage,
          "unknown category \(name)\(hint) Known are \(known.joined(separator: ", "))."
        )
      }
      let places = try importPlaces(
        path: osm,
        rules: categories.isEmpty ? rules : rules.limited(to: categories) ?? rules,
        isInterrupted: { interrupt.isSet }
      )
      let streets = try importStreets(path: osm, isInterrupted: { interrupt.isSet })
      return try Neighborhood(streets, places: places.places)
    } catch let fault as SimulationFault {
      throw CommandFailure(.badInput, "\(osm ?? "the town"): \(fault)")
    }
  }

  private func placesTable(_ places: [PointOfInterest]) -> String {
    places.reduce(into: "id,category,name,lat,lon\n") { text, place in
      let latitude = degreesText(e7: place.coordinate.latitudeE7)
      let longitude = degreesText(e7: place.coordinate.longitudeE7)
      text +=
        "\(place.sourceID),\(place.categories[0]),\(place.name ?? ""),\(latitude),\(longitude)\n"
    }
  }

  private func print(
    _ statistics: SimulationStatistics,
    phone: String?,
    isSeenAgain: Bool
  ) throws {
    let output = try OutputFile(path: nil)
    if let phone, isSeenAgain {
      try output.write(
        counted(statistics.days, "day")
          + ", \(statistics.fixes == 1 ? "1 fix" : "\(statistics.fixes) fixes") as \(phone) tells them\n"
      )
      try output.write("written to \(self.output)\n")
      return try output.finish()
    }
    try output.write(
      "\(counted(statistics.days, "day")), \(statistics.fixes) fixes: "
        + "\(counted(statistics.visits, "visit")), "
        + "\(statistics.driveBys == 1 ? "1 pass" : "\(statistics.driveBys) passes"), "
        + "\(counted(statistics.nearStays, "near stay")), "
        + "\(statistics.curbWaits == 1 ? "1 wait" : "\(statistics.curbWaits) waits") at a curb\n"
    )
    // A phone that is named errs in ways of its own.
    for line in statistics.lines where phone == nil {
      let mark = line.agrees ? "" : "  differs: too few days to tell, or a fault"
      try output.write(
        "  \(line.name): asked \(fixed(line.asked, 2)), "
          + "got \(fixed(line.measured, 2)) (\(line.count))\(mark)\n"
      )
    }
    try output.write("written to \(self.output)\n")
    try output.finish()
  }
}

extension NoisePreset: ExpressibleByArgument {}
extension Phone: ExpressibleByArgument {}
extension Sampling: ExpressibleByArgument {}
extension SpeedReport: ExpressibleByArgument {}
