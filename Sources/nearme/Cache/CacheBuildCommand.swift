import ArgumentParser
import Basics
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
      Reads OpenStreetMap PBF and XML, Overpass JSON, GeoJSON, KML and CSV with a header (lat and lon, or \
      wkt), plain, in gzip or in bzip2, and GeoPackages; - is standard input. What a file is shows in its content, its name does not matter. An existing cache is replaced in one step \
      at the end: a build that fails or is stopped leaves it as it was. On a terminal, a line shows \
      how far it is.

        nearme cache build maryland.osm.pbf -o pois.sqlite
        nearme cache build us.osm.pbf mine.csv -o pois.sqlite \\
          --near 39.29,-76.61 --near 39.10,-76.85 --within 25mi --category pharmacy
        ogr2ogr -t_srs EPSG:4326 -f GPKG places.gpkg places.shp
        nearme cache build places.gpkg -o pois.sqlite
        nearme cache build us.osm.pbf -o way.sqlite --along day.gpx --within 5mi \\
          --limit-size 5MB

      --tiles cuts the earth along meridians and parallels and makes a folder with a cache for each \
      cell that has places, in bounded memory; wherever a --cache is asked for, it can be named instead \
      of a file. See docs/scale.md.

        nearme cache build planet.osm.pbf --tiles 5 -o planet
      """
  )

  @Argument(help: "Files with places; of a place that two files have, the later one counts.")
  var inputs: [String]

  @Option(name: .shortAndLong, help: "The cache to make or to replace; with --tiles, a folder.")
  var output: String

  @Option(
    help: ArgumentHelp(
      "Make a cache for each cell of so many degrees: 1, 2, 3, 4, 5, 6, 9, 10 … 90.",
      valueName: "DEGREES"
    )
  )
  var tiles: Int?

  @Option(
    help: ArgumentHelp(
      "With --tiles, how far around its cell each cache has all places; 50km, unless this says.",
      valueName: "LENGTH"
    )
  )
  var margin: String?

  @OptionGroup(title: "Selection") var selected: SelectionOptions

  @Option(
    name: .customLong("categories"),
    help: ArgumentHelp("Rules for the categories, instead of ours.", valueName: "FILE")
  )
  var rulesPath: String?

  @Flag(help: "Stop at the first bad row instead of leaving it out.")
  var strict = false

  @Flag(name: .shortAndLong, help: "List every merged pair and every skipped row.")
  var verbose = false

  func run() throws {
    try reportingFailures {
      try mappingCacheFailures {
        let all = try rulesPath.map { try CategoryRules(path: $0) } ?? .standard
        let rules = try selected.limiting(all)
        try selected.refuseBareLengths()
        let selection = try selected.selection()
        try refuseWrongNames()
        let interrupt = InterruptFlag()
        let spool = try inputs.contains("-") ? StandardInputSpool(interrupt: interrupt) : nil
        defer { withExtendedLifetime(spool) {} }
        var build = CacheBuild(
          inputs: inputs.map { $0 == "-" ? spool?.path ?? $0 : $0 },
          output: output,
          rules: rules,
          selection: selection,
          selectionText: selected.text,
          isStrict: strict,
          builtAt: try buildTime(),
          toolVersion: "nearme \(NearMe.number)",
          isInterrupted: { interrupt.isSet }
        )
        build.limitBytes = try selected.limitBytes()
        build.mergesDuplicates = !selected.keepsDuplicates
        let line = ProgressLine()
        defer { line.clear() }
        build.report(on: line, isVerbose: verbose)
        if let tiles {
          try buildCells(build, of: tiles, line)
          return
        }
        let report = try StandardInputSpool.naming { try build.run() }
        line.clear()
        printLosses(report, isVerbose: verbose)
        if report.skipped.lackCategories { printError("nearme: note: " + rules.categorySentence) }
        print("\(output): \(counted(report.placeCount, "place"))")
        printCounts(CacheSummary(of: report.places, and: rules.categories.map(\.id)))
        printLeftOut(report)
      }
    }
  }

  /// Makes a folder with a cache for each cell.
  private func buildCells(_ build: CacheBuild, of degrees: Int, _ line: ProgressLine) throws {
    var build = build
    let (grid, marginMeters) = try cells(degrees)
    let text = [selected.text, "--tiles \(degrees) --margin \(margin ?? Self.usualMargin)"]
    build.selectionText = text.filter { !$0.isEmpty }.joined(separator: " ")
    let report = try StandardInputSpool.naming {
      try CellBuild(build, grid: grid, marginMeters: marginMeters).run()
    }
    line.clear()
    if !verbose { printSkipped(report.skipped) }
    if report.skipped.lackCategories { printError("nearme: note: " + build.rules.categorySentence) }
    if report.heldAll, build.inputs[0].hasSuffix(".pbf") {
      printError(
        "nearme: note: the map is not sorted by kind and id, so its places were all held in memory: "
          + "`osmium sort` it first if that is too much"
      )
    }
    let bytes = report.index.cells.reduce(0) { $0 + $1.bytes }
    print(
      "\(output): \(counted(report.index.places, "place")) in \(counted(report.index.cells.count, "cell")) "
        + "of \(degrees)°, "
        + "\(bytes) bytes"
    )
    if report.outsideCount > 0 { print("outside of the selection: \(report.outsideCount)") }
    for (reason, count) in report.skipped.reasons { print("\(reason): \(count)") }
  }

  private static let usualMargin = "50km"

  private func cells(_ degrees: Int) throws -> (CellGrid, Double) {
    guard let grid = CellGrid(degrees: degrees) else {
      let sizes = CellGrid.allowedDegrees.map(String.init).joined(separator: ", ")
      throw CommandFailure(.usage, "--tiles \(degrees): cells of \(sizes) degrees leave no rest")
    }
    guard inputs.count == 1 else {
      throw CommandFailure(
        .usage,
        "--tiles takes one map: make one of several with `osmium merge a.osm.pbf b.osm.pbf -o ab.osm.pbf`"
      )
    }
    guard selected.limitSize == nil else {
      throw CommandFailure(
        .usage,
        "--limit-size is for one cache; smaller caches come of smaller cells, such as --tiles 2"
      )
    }
    let text = margin ?? Self.usualMargin
    guard let meters = parseLengthMeters(text), questionOfUnit(text) == nil else {
      throw CommandFailure(.usage, "--margin \(text): a length such as 50km or 40mi is needed")
    }
    guard CellIndex.leastMarginMeters...CellIndex.mostMarginMeters ~= meters else {
      throw CommandFailure(.usage, "--margin \(text): it must lie between 35km and 450km")
    }
    return (grid, meters)
  }

  private func refuseWrongNames() throws {
    if margin != nil, tiles == nil {
      throw CommandFailure(
        .usage,
        "--margin is that of the cells of --tiles; name their degrees, too"
      )
    }
    try StandardInputSpool.refuseTwice(inputs)
    try refuseEmptyNames(inputs + [output])
    guard output != "-" else {
      throw CommandFailure(
        .usage,
        "-o -: a cache cannot go to standard output; name a file, such as pois.sqlite"
      )
    }
    var isFolder: ObjCBool = false
    if tiles == nil, FileManager.default.fileExists(atPath: output, isDirectory: &isFolder),
      isFolder.boolValue
    {
      throw CommandFailure(.usage, OutputFile.folderSentence(output))
    }
    let target = URL(fileURLWithPath: output).resolvingSymlinksInPath().path
    for input in inputs + selected.along + [rulesPath].compactMap({ $0 })
    where URL(fileURLWithPath: input).resolvingSymlinksInPath().path == target {
      throw CommandFailure(.usage, "\(output) is an input: name another file for the cache")
    }
  }
}

/// Standard input as a file: maps are read more than once.
final class StandardInputSpool {
  /// Its name is what the cache's record calls it.
  let path: String
  private let folder: PrivateFolder

  private static let fileName = "standard-input"

  /// What people call a file that may be a spool.
  static func name(of path: String) -> String {
    let file = URL(fileURLWithPath: path)
    let isSpool =
      file.lastPathComponent == fileName
      && file.deletingLastPathComponent().lastPathComponent.hasPrefix(PrivateFolder.prefix)
    return isSpool ? "standard input" : path
  }

  static func refuseTwice(_ inputs: [String]) throws {
    guard inputs.count(where: { $0 == "-" }) > 1 else { return }
    throw CommandFailure(.usage, "standard input is there twice: it can be read once")
  }

  /// Does something whose errors name the spool as people do.
  static func naming<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as ImportError {
      let name = name(of: error.path)
      // A command that it names cannot have the spool, which is gone by then.
      let detail =
        name == error.path
        ? error.detail : error.detail.replacing(shellQuoted(error.path), with: "FILE")
      throw ImportError(error.code, path: name, at: error.position, detail)
    }
  }

  /// Reads standard input to its end.
  ///
  /// - Parameter interrupt: ends the reading, even while nothing comes.
  init(interrupt: InterruptFlag) throws {
    do {
      folder = try PrivateFolder()
      path = folder.path(Self.fileName)
      _ = FileManager.default.createFile(atPath: path, contents: nil)
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try Self.forEachPiece(of: STDIN_FILENO, interrupt) { try file.write(contentsOf: $0) }
      try file.close()
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(
        .inputOutput,
        "standard input: cannot be kept in \(PrivateFolder.sentence(error))"
      )
    }
  }

  private static let pauseMilliseconds: Int32 = 200

  private static func forEachPiece(
    of descriptor: Int32,
    _ interrupt: InterruptFlag,
    _ body: (Data) throws -> Void
  ) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      guard !interrupt.isSet else { throw CommandFailure(.interrupted, "interrupted") }
      // A read would not notice the signal before the next bytes come.
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&wait, 1, pauseMilliseconds)
      if ready == 0 || ready < 0 && errno == EINTR { continue }
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count >= 0 else {
        throw CommandFailure(
          .inputOutput,
          "standard input: cannot be read: \(String(cString: strerror(errno)))"
        )
      }
      guard count > 0 else { break }
      try body(Data(buffer[..<count]))
    }
    guard !interrupt.isSet else { throw CommandFailure(.interrupted, "interrupted") }
  }
}

/// Now, or what `SOURCE_DATE_EPOCH` says: with it, the same input gives the same bytes.
func buildTime() throws -> Timestamp {
  guard let text = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"] else {
    return Timestamp(seconds: Int64(Date().timeIntervalSince1970))
  }
  guard let seconds = Int64(text), (0...253_402_300_799).contains(seconds) else {
    throw CommandFailure(.usage, "SOURCE_DATE_EPOCH is \(text), not a number of seconds")
  }
  return Timestamp(seconds: seconds)
}

/// Prints what was left out of a cache, and why.
func printLeftOut(_ report: CacheBuild.Report) {
  if report.outsideCount > 0 { print("outside of the selection: \(report.outsideCount)") }
  if report.replacedCount > 0 {
    let others = report.replacedOthers.count
    let hint =
      others == 0
      ? ""
      : " (of these \(others) by a place with another name, category or spot: do ids mean the same in all files?)"
    print("replaced by a later input: \(report.replacedCount)\(hint)")
  }
  if !report.keptWhole.isEmpty {
    print("kept, since a later input has them cut: \(report.keptWhole.count)")
  }
  if !report.duplicates.isEmpty {
    var counts: [String: Int] = [:]
    for duplicate in report.duplicates {
      counts[duplicate.categories.map(\.name).joined(separator: "+"), default: 0] += 1
    }
    let parts = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    print(
      "nodes that are one with their building: \(report.duplicates.count) "
        + "(\(parts.joined(separator: ", ")))"
    )
  }
  if let dropped = report.dropped {
    let kilometers = (dropped.nearestMeters / 100).rounded() / 10
    print("dropped for the size: \(dropped.count), all \(kilometers) km away or farther")
  }
  for (reason, count) in report.skipped.reasons { print("\(reason): \(count)") }
}

/// Prints a line a category, with where its places come from.
func printCounts(_ summary: CacheSummary) {
  let width = summary.categories.map(\.category.name.count).max() ?? 0
  for count in summary.categories {
    let name = count.category.name.padding(toLength: width, withPad: " ", startingAt: 0)
    var parts: [String] = []
    if count.nodes > 0 { parts.append(counted(count.nodes, "node")) }
    if count.ways > 0 { parts.append(counted(count.ways, "way")) }
    if count.relations > 0 { parts.append(counted(count.relations, "relation")) }
    if count.others > 0 { parts.append(counted(count.others, "other")) }
    let detail = parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    print("  \(name)  \(count.total)\(detail)")
  }
  print("without a name: \(summary.unnamedCount)")
}
