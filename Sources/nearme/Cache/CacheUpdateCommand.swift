import ArgumentParser
import CacheBuilder
import Foundation
import PlaceStore
import Places
import Timeline

/// `nearme cache update`.
struct CacheUpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Apply newer map extracts to a cache and print what changed.",
    discussion: """
      Takes from the newer files what the cache was built with: its selection and its categories. \
      The cache is replaced in one step at the end; places keep their source ids.

        nearme cache update pois.sqlite maryland-latest.osm.pbf --dry-run

      A cache that was built --along a trace wants that trace again. It is looked for under the \
      name that was given then, from the present folder; --along names it elsewhere.
      """
  )

  @Argument(help: "The cache.")
  var file: String

  @Argument(
    help:
      "The newer version of each file that the cache was built from, in that order; - is standard input."
  )
  var inputs: [String]

  @Option(
    help: ArgumentHelp(
      "The trace that the cache was built along, if it is not where it was; may be repeated.",
      valueName: "TRACE"
    )
  )
  var along: [String] = []

  @Flag(help: "Print what would change, and change nothing.")
  var dryRun = false

  @Flag(help: "Stop at the first bad row instead of leaving it out.")
  var strict = false

  @Flag(name: .shortAndLong, help: "List every merged pair and every skipped row.")
  var verbose = false

  func run() throws {
    try reportingFailures {
      try mappingCacheFailures {
        let old = try openCache(file)
        try refuseEmptyNames(inputs + along)
        try StandardInputSpool.refuseTwice(inputs)
        let oldPlaces = try old.allPointsOfInterest()
        let oldDetails = try old.allAttributes()
        let provenance = try old.provenance()
        try old.close()
        try requireEveryInput(provenance)
        let interrupt = InterruptFlag()
        let spool = try inputs.contains("-") ? StandardInputSpool(interrupt: interrupt) : nil
        defer { withExtendedLifetime(spool) {} }
        var build = try self.build(provenance, oldPlaces, isInterrupted: { interrupt.isSet })
        build.inputs = inputs.map { $0 == "-" ? spool?.path ?? $0 : $0 }
        let line = ProgressLine()
        defer { line.clear() }
        build.report(on: line, isVerbose: verbose)
        let report = try StandardInputSpool.naming {
          dryRun ? try build.prepare() : try build.run()
        }
        line.clear()
        noteOlder(report.provenance.inputs, than: provenance.inputs)
        printLosses(report, isVerbose: verbose)
        let difference = CacheDifference(
          old: oldPlaces,
          oldDetails: oldDetails,
          new: report.places,
          newDetails: report.details
        )
        printDifference(difference)
        printLeftOut(report)
        print(
          dryRun
            ? "\(file): would have \(counted(report.placeCount, "place")); nothing was changed"
            : "\(file): \(counted(report.placeCount, "place"))"
        )
      }
    }
  }

  /// What only a file had that is not named again would pass for removed.
  private func requireEveryInput(_ provenance: CacheProvenance) throws {
    guard inputs.count < provenance.inputs.count else { return }
    let names = provenance.inputs.map(\.name).joined(separator: ", ")
    throw CommandFailure(
      .usage,
      "\(file) was built from \(provenance.inputs.count) files (\(names)) and \(inputs.count) was "
        + "named; name the newer version of each, or the old one where there is no newer"
    )
  }

  /// Says which file is of a time before the one whose place it takes.
  private func noteOlder(_ new: [CacheProvenance.Input], than old: [CacheProvenance.Input]) {
    for (new, old) in zip(new, old) {
      guard let now = new.dataTimestamp, let then = old.dataTimestamp,
        let newer = RFC3339.parse(now), let older = RFC3339.parse(then), newer < older
      else { continue }
      printError(
        "note: \(new.name) has the map of \(now), and the cache had that of \(then) (\(old.name)): places are as "
          + "they once were; name the newer file to have it back"
      )
    }
  }

  private func build(
    _ provenance: CacheProvenance,
    _ oldPlaces: [PointOfInterest],
    isInterrupted: @escaping @Sendable () -> Bool
  ) throws -> CacheBuild {
    let selected = try selection(provenance)
    let all =
      try provenance.categoryRules.map { try CategoryRules(json: $0, path: file) } ?? .standard
    var build = CacheBuild(
      inputs: inputs,
      output: file,
      rules: try selected.limiting(all),
      selection: try selected.selection(),
      selectionText: selected.text,
      isStrict: strict,
      builtAt: try buildTime(),
      toolVersion: "nearme \(NearMe.number)",
      isInterrupted: isInterrupted
    )
    build.limitBytes = try selected.limitBytes()
    build.mergesDuplicates = !selected.keepsDuplicates
    build.renew(oldPlaces)
    return build
  }

  /// What the cache recorded, with the traces where they are now.
  private func selection(_ provenance: CacheProvenance) throws -> SelectionOptions {
    guard !SelectionOptions.isOfCell(provenance.selection) else {
      throw CommandFailure(
        .badInput,
        "\(file) is one of the cells of a folder, which are made anew together: `nearme cache build MAP "
          + "\(provenance.selection) -o FOLDER`"
      )
    }
    var selected = try SelectionOptions.parse(text: provenance.selection)
    guard along.isEmpty else {
      guard along.count == selected.along.count else {
        throw CommandFailure(
          .usage,
          "\(file) was built along \(counted(selected.along.count, "trace")) and \(along.count) was named with "
            + "--along; name each of them"
        )
      }
      selected.along = along
      return selected
    }
    for trace in selected.along where !FileManager.default.fileExists(atPath: trace) {
      let source = trace == "-" ? "a trace on standard input" : "the trace \(trace)"
      throw CommandFailure(
        .inputMissing,
        "\(file) was built along \(source), which is not here; name it with --along TRACE"
      )
    }
    return selected
  }

  private func printDifference(_ difference: CacheDifference) {
    for place in difference.added { print("added    \(described(place))") }
    for change in difference.moved { print("moved    \(described(change.new)): \(change.text)") }
    for change in difference.renamed {
      print(
        shown("renamed  \(change.new.sourceID) (\(categories(change.new))): \(change.text)")
      )
    }
    for change in difference.changed {
      print("changed  \(described(change.new)): \(shown(change.text))")
    }
    for place in difference.removed { print("removed  \(described(place))") }
    print(
      "\(difference.added.count) added, \(difference.moved.count) moved, "
        + "\(difference.renamed.count) renamed, \(difference.changed.count) changed, "
        + "\(difference.removed.count) removed, \(difference.unchangedCount) as before"
    )
  }

  private func described(_ place: PointOfInterest) -> String {
    let name = place.name.map { " \"\($0)\"" } ?? ""
    return shown("\(place.sourceID)\(name) (\(categories(place)))")
  }

  private func categories(_ place: PointOfInterest) -> String {
    place.categories.map(\.name).joined(separator: ", ")
  }
}
