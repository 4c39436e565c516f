import ArgumentParser
import Basics
import CacheBuilder
import Foundation
import Geodesy
import Places
import Timeline
import TraceFiles
import Traces

/// Which part of the inputs a cache takes: options of `nearme cache build`, which the cache records
/// and `nearme cache update` reads again.
struct SelectionOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only places in this box, in degrees; over ±180° where W is greater than E.",
      valueName: "W,S,E,N"
    )
  )
  var bbox: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Only places around this point; may be repeated.", valueName: "LAT,LON")
  )
  var near: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only places along the way of this trace; may be repeated.",
      valueName: "TRACE"
    )
  )
  var along: [String] = []

  @Option(help: "How far around --near and beside --along, such as 25mi or 40km.")
  var within: [String] = []

  @Option(
    name: .customLong("category"),
    help: ArgumentHelp("Only this category; may be repeated.", valueName: "C")
  )
  var categories: [String] = []

  @Option(
    help: ArgumentHelp(
      "Drop the farthest places until the file has at most this size.",
      valueName: "5MB"
    )
  )
  var limitSize: String?

  @Flag(
    name: .customLong("no-dedup"),
    help: "Keep a node in the building of the same shop as a place of its own."
  )
  var keepsDuplicates = false

  /// The options as the person wrote them, for the record; ``parse(text:)`` reads them.
  var text: String {
    var parts: [String] = []
    if let bbox { parts.append("--bbox \(shellQuoted(bbox))") }
    parts += near.map { "--near \(shellQuoted($0))" }
    parts += along.map { "--along \(shellQuoted($0))" }
    parts += within.map { "--within \(shellQuoted($0))" }
    parts += categories.map { "--category \(shellQuoted($0))" }
    if let limitSize { parts.append("--limit-size \(shellQuoted(limitSize))") }
    if keepsDuplicates { parts.append("--no-dedup") }
    return parts.joined(separator: " ")
  }

  /// Reads what a cache recorded.
  static func parse(text: String) throws -> SelectionOptions {
    try parse(recorded: words(of: text))
  }

  private static func parse(recorded words: [String]) throws -> SelectionOptions {
    do { return try parse(words) } catch {
      let text = words.map(shellQuoted).joined(separator: " ")
      throw CommandFailure(
        .badInput,
        "the recorded selection `\(text)` cannot be read; build the cache again"
      )
    }
  }

  /// Whether a cache that recorded it is one of the cells of a folder.
  static func isOfCell(_ text: String) -> Bool { words(of: text).contains("--tiles") }

  /// Refuses what a cache recorded and nobody could read again; whether its traces are there is not asked.
  static func check(recorded text: String) throws {
    // That of a cell has the cells behind it.
    let own = words(of: text).prefix { $0 != "--tiles" }
    var selected = try parse(recorded: Array(own))
    // Any point does as well for the distance from a trace.
    if selected.near.isEmpty, !selected.along.isEmpty { selected.near = ["0,0"] }
    selected.along = []
    _ = try selected.selection()
    _ = try selected.limitBytes()
  }

  /// Words as a shell takes them, as far as ``shellQuoted(_:)`` makes use of that.
  static func words(of text: String) -> [String] {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    var isEscaped = false
    for character in text {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "'" {
        isQuoted.toggle()
        word = word ?? ""
      } else if character == "\\", !isQuoted {
        isEscaped = true
      } else if character == " ", !isQuoted {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    return words + [word].compactMap { $0 }
  }

  /// The rules of the chosen categories.
  func limiting(_ all: CategoryRules) throws -> CategoryRules {
    guard !categories.isEmpty else { return all }
    let known = all.categories.map(\.id.name)
    for name in categories where !known.contains(name) {
      let meant = all.categories.first { $0.words.contains(CategoryRules.folded(name)) }?.id.name
      let hint = (meant ?? nearestName(to: name.lowercased(), among: known))
        .map { "; did you mean \($0)?" }
      throw CommandFailure(
        .usage,
        "unknown category \(name)\(hint ?? ".") Known are \(known.joined(separator: ", "))."
      )
    }
    return all.limited(to: categories) ?? all
  }

  /// The most bytes that the file may have.
  func limitBytes() throws -> Int64? {
    guard let limitSize else { return nil }
    guard let bytes = parseByteCount(limitSize) else {
      throw CommandFailure(.usage, "--limit-size \(limitSize): a size such as 5MB is needed")
    }
    return bytes
  }

  /// Refuses a length without a unit, which what a cache recorded may have.
  func refuseBareLengths() throws {
    for length in within {
      guard let question = questionOfUnit(length) else { continue }
      throw CommandFailure(.usage, "--within \(length): \(question)")
    }
  }

  /// The part of the earth.
  func selection() throws -> CacheSelection {
    var selection = CacheSelection(box: try bbox.map(box))
    let centers = try near.map(center)
    guard (near.isEmpty && along.isEmpty) == within.isEmpty, within.count <= 1 else {
      throw CommandFailure(
        .usage,
        "--near and --along need one --within for all of them: --near 39.29,-76.61 --within 25mi"
      )
    }
    guard let within = within.first else { return selection }
    guard let radiusMeters = parseLengthMeters(within) else {
      throw CommandFailure(
        .usage,
        "--within \(within): a length such as 25mi, 40km or 500m is needed"
      )
    }
    guard radiusMeters > 0 else {
      throw CommandFailure(.usage, "--within \(within): nothing lies within no distance")
    }
    selection.circles = centers.map { .init(center: $0, radiusMeters: radiusMeters) }
    selection.corridors = try along.map {
      .init(route: try Self.route($0), radiusMeters: radiusMeters)
    }
    return selection
  }

  private func box(_ text: String) throws -> BoundingBox {
    func refusal(_ reason: String) -> CommandFailure {
      CommandFailure(.usage, "--bbox \(text): \(reason)")
    }
    let edges = Self.numbers(text)
    guard let edges, edges.count == 4 else {
      throw refusal(
        "four numbers west,south,east,north are needed, such as -76.72,39.19,-76.52,39.38"
      )
    }
    let box = BoundingBox(west: edges[0], south: edges[1], east: edges[2], north: edges[3])
    do throws(CoordinateError) {
      _ = try Coordinate(latitude: box.south, longitude: box.west)
      _ = try Coordinate(latitude: box.north, longitude: box.east)
    } catch {
      throw refusal("\(error); the order is west,south,east,north")
    }
    guard box.south <= box.north else {
      throw refusal("its south lies north of its north; the order is west,south,east,north")
    }
    // Over ±180° is fine for Fiji; the long way round is a slip of the fingers.
    guard !box.crossesAntimeridian || box.west - box.east > 180 else {
      throw refusal(
        "W is greater than E, so that it runs over ±180° and most of the way round the earth; "
          + "between the two lies \(edges[2]),\(edges[1]),\(edges[0]),\(edges[3])"
      )
    }
    return box
  }

  private func center(_ text: String) throws -> Coordinate {
    guard let numbers = Self.numbers(text), numbers.count == 2 else {
      throw CommandFailure(
        .usage,
        "--near \(text): a latitude and a longitude are needed, such as 39.29,-76.61"
      )
    }
    do throws(CoordinateError) {
      return try Coordinate(latitude: numbers[0], longitude: numbers[1])
    } catch {
      throw CommandFailure(.usage, "--near \(text): \(error); the latitude comes first")
    }
  }

  /// Numbers between commas, blanks around them allowed; nil if one of them is none.
  private static func numbers(_ text: String) -> [Double]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0.trimmingCharacters(in: .whitespaces)) }
    return numbers.count == parts.count ? numbers : nil
  }

  /// The way of a trace; where its recording was interrupted, there is no way between.
  private static func route(_ path: String) throws -> Route {
    do {
      // Of a way, planned or recorded, it does not matter when it is gone.
      let options = TraceOptions(
        assumedDate: CivilDate(daysSinceEpoch: 0),
        assumedMotion: .init(speedMetersPerSecond: 10, start: Timestamp(milliseconds: 0))
      )
      let reader = try TraceReader(path: path, options: options)
      var runs: [[Coordinate]] = []
      while let record = try reader.nextRecord() {
        guard let fix = record.fix else { continue }
        if record.startsSegment || runs.isEmpty { runs.append([]) }
        if runs[runs.count - 1].last != fix.coordinate {
          runs[runs.count - 1].append(fix.coordinate)
        }
      }
      let route = Route(runs: runs)
      guard !route.isEmpty else { throw CommandFailure(.badInput, "\(path): no position in it") }
      return route
    } catch let error as TraceError {
      throw CommandFailure(status(of: error), error.description)
    }
  }
}
