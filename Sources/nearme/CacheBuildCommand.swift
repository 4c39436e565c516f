import ArgumentParser
import CacheBuilder
import Foundation
import Geodesy
import PlaceStore
import Places
import Timeline

/// `nearme cache build`.
struct CacheBuildCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build",
    abstract: "Build a cache from map extracts.",
    discussion: """
      Reads OpenStreetMap PBF and XML, GeoJSON and CSV with a header, plain or in gzip; what a file \
      is shows in its content, its name does not matter. An existing cache is replaced in one step \
      at the end: a build that fails or is stopped leaves it as it was.

        nearme cache build maryland.osm.pbf -o pois.sqlite
        nearme cache build us.osm.pbf mine.csv -o pois.sqlite \\
          --near 39.29,-76.61 --near 39.10,-76.85 --within 25mi --category pharmacy
      """
  )

  @Argument(help: "Files with places; of a place that two files have, the later one counts.")
  var inputs: [String]

  @Option(name: .shortAndLong, help: "The cache to make or to replace.")
  var output: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only places in this box, in degrees.", valueName: "W,S,E,N")
  )
  var bbox: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Only places around this point; may be repeated.", valueName: "LAT,LON")
  )
  var near: [String] = []

  @Option(help: "How far around --near, such as 25mi or 40km.")
  var within: String?

  @Option(
    name: .customLong("category"),
    help: ArgumentHelp("Only this category; may be repeated.", valueName: "C")
  )
  var categories: [String] = []

  @Option(
    name: .customLong("categories"),
    help: ArgumentHelp("Rules for the categories, instead of ours.", valueName: "FILE")
  )
  var rulesPath: String?

  @Flag(help: "Stop at the first bad row instead of leaving it out.")
  var strict = false

  func run() throws {
    try reportingFailures {
      try mappingCacheFailures {
        let rules = try chosenRules()
        let selection = try chosenSelection()
        try refuseToReplaceAnInput()
        let interrupt = InterruptFlag()
        let build = CacheBuild(
          inputs: inputs,
          output: output,
          rules: rules,
          selection: selection,
          selectionText: selectionText,
          isStrict: strict,
          builtAt: try buildTime(),
          toolVersion: "nearme \(NearMe.configuration.version)",
          isInterrupted: { interrupt.isSet }
        )
        let report = try build.run()
        try printReport(report)
      }
    }
  }

  private func chosenRules() throws -> CategoryRules {
    let all = try rulesPath.map { try CategoryRules(path: $0) } ?? .standard
    guard !categories.isEmpty else { return all }
    let known = all.categories.map(\.id.name)
    for name in categories where !known.contains(name) {
      throw CommandFailure(
        .usage,
        "unknown category \(name); did you mean \(nearestName(to: name, among: known))? "
          + "Known are \(known.joined(separator: ", "))."
      )
    }
    return all.limited(to: categories) ?? all
  }

  private func chosenSelection() throws -> CacheSelection {
    var selection = CacheSelection()
    if let bbox {
      let edges = bbox.split(separator: ",").compactMap { Double($0) }
      guard edges.count == 4, bbox.split(separator: ",").count == 4,
        let southWest = try? Coordinate(latitude: edges[1], longitude: edges[0]),
        let northEast = try? Coordinate(latitude: edges[3], longitude: edges[2]),
        southWest.latitude <= northEast.latitude
      else {
        throw CommandFailure(
          .usage,
          "--bbox \(bbox): four numbers west,south,east,north are needed"
        )
      }
      selection.box = BoundingBox(
        west: southWest.longitude,
        south: southWest.latitude,
        east: northEast.longitude,
        north: northEast.latitude
      )
    }
    guard near.isEmpty == (within == nil) else {
      throw CommandFailure(
        .usage,
        "--near and --within belong together: --near 39.29,-76.61 --within 25mi"
      )
    }
    guard let within else { return selection }
    guard let radiusMeters = parseLengthMeters(within) else {
      throw CommandFailure(
        .usage,
        "--within \(within): a length such as 25mi, 40km or 500m is needed"
      )
    }
    for point in near {
      let numbers = point.split(separator: ",").map { Double($0) }
      guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
        let centre = try? Coordinate(latitude: latitude, longitude: longitude)
      else {
        throw CommandFailure(.usage, "--near \(point): a latitude and a longitude are needed")
      }
      selection.circles.append(.init(centre: centre, radiusMeters: radiusMeters))
    }
    return selection
  }

  private var selectionText: String {
    var parts: [String] = []
    if let bbox { parts.append("--bbox \(bbox)") }
    parts += near.map { "--near \($0)" }
    if let within { parts.append("--within \(within)") }
    parts += categories.map { "--category \($0)" }
    return parts.joined(separator: " ")
  }

  private func refuseToReplaceAnInput() throws {
    let target = URL(fileURLWithPath: output).resolvingSymlinksInPath().path
    for input in inputs + [rulesPath].compactMap({ $0 })
    where URL(fileURLWithPath: input).resolvingSymlinksInPath().path == target {
      throw CommandFailure(.usage, "\(output) is an input: name another file for the cache")
    }
  }

  /// Now, or what `SOURCE_DATE_EPOCH` says: with it, the same input gives the same bytes.
  private func buildTime() throws -> Timestamp {
    guard let text = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"] else {
      return Timestamp(seconds: Int64(Date().timeIntervalSince1970))
    }
    guard let seconds = Int64(text), (0...253_402_300_799).contains(seconds) else {
      throw CommandFailure(.usage, "SOURCE_DATE_EPOCH is \(text), not a number of seconds")
    }
    return Timestamp(seconds: seconds)
  }

  private func printReport(_ report: CacheBuild.Report) throws {
    for row in report.skipped.rows.prefix(20) {
      printError("skipped \(row.path): \(row.row): \(row.reason)")
    }
    if report.skipped.count > 20 {
      printError("skipped \(report.skipped.count - 20) more")
    }
    let cache = try POICache.open(output)
    print("\(output): \(report.placeCount) places")
    printCounts(try cache.summary())
    if report.outsideCount > 0 { print("outside of the selection: \(report.outsideCount)") }
    if report.replacedCount > 0 { print("replaced by a later input: \(report.replacedCount)") }
    for (reason, count) in report.skipped.reasons { print("skipped, \(reason): \(count)") }
  }
}

/// Prints a line a category, with where its places come from.
func printCounts(_ summary: CacheSummary) {
  let width = summary.categories.map(\.category.name.count).max() ?? 0
  for count in summary.categories {
    let name = count.category.name.padding(toLength: width, withPad: " ", startingAt: 0)
    var parts: [String] = []
    if count.nodes > 0 { parts.append("\(count.nodes) nodes") }
    if count.ways > 0 { parts.append("\(count.ways) ways") }
    if count.relations > 0 { parts.append("\(count.relations) relations") }
    if count.others > 0 { parts.append("\(count.others) others") }
    let detail = parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    print("  \(name)  \(count.total)\(detail)")
  }
  print("without a name: \(summary.unnamedCount)")
}
