import ArgumentParser
import Foundation
import ParallelWork
import Places
import TraceDoctor
import TraceFiles
import Traces

/// `nearme trace check`.
struct TraceCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Find what is wrong with traces, and repair them.",
    discussion: """
      Counts and locates gaps, jumps, disorder in time, stuck positions and more, and says whether \
      the reported accuracy is plausible. The exit status is 1 if something would distort a replay, \
      or there is nothing to replay.

        nearme trace check day.gpx
        nearme trace check traces/*.gpx.gz --format json > checks.ndjson
        nearme trace check day.gpx --allow teleport,gap && nearme replay day.gpx …
        nearme trace check day.gpx --fix -o clean.gpx

      What would distort a replay:
      \(kinds(.distorts))

      What is worth knowing:
      \(kinds(.note))
      """
  )

  private static func kinds(_ severity: Severity) -> String {
    FindingKind.allCases.filter { $0.severity == severity }
      .map { folded("  \($0.rawValue): \($0.meaning)") }
      .joined(separator: "\n")
  }

  /// A line that does not fit goes on farther in: the parser would break it to the margin.
  private static func folded(_ line: String) -> String {
    guard line.count > 79, let space = line.prefix(80).lastIndex(of: " ") else { return line }
    return line[..<space] + "\n    " + line[line.index(after: space)...]
  }

  enum FormatName: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Argument(help: "Trace files, plain or compressed; - is standard input.")
  var traces: [String]

  @Option(help: "What to print; json is one object for each trace, on a line of its own.")
  var format = FormatName.text

  @Option(
    help: ArgumentHelp("Accept these kinds of findings.", valueName: "KIND[,KIND]")
  )
  var allow: [String] = []

  @Option(help: "How many places of each kind to name.")
  var places = 3

  @Option(help: "How many traces to read at once; as many as there are processors if not given.")
  var jobs: Int?

  @Flag(help: "Write the trace as it should be to the file given with -o, and check that.")
  var fix = false

  @Option(
    name: .shortAndLong,
    help: "Where --fix writes to: .gpx, .csv, .geojson, .kml or .ndjson."
  )
  var output: String?

  @OptionGroup(title: "What the file does not say")
  var input: TraceInputOptions

  func validate() throws {
    if traces.isEmpty { throw ValidationError("name at least one trace") }
    if places < 0 { throw ValidationError("--places must be at least 0") }
    if let jobs, jobs < 1 { throw ValidationError("--jobs must be at least 1") }
    if traces.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("standard input can be read only once")
    }
    _ = try allowed()
    if !fix {
      if output != nil { throw ValidationError("-o is where --fix writes to: add --fix") }
      return
    }
    guard let output else { throw ValidationError("say with -o where --fix shall write to") }
    guard traces.count == 1 else {
      throw ValidationError("--fix repairs one trace: run it once for each")
    }
    guard TraceWriter.Format(fileName: output) != nil else {
      throw ValidationError("\(output) does not end with .gpx, .csv, .geojson, .kml or .ndjson")
    }
    if isSameFile(traces[0], output) {
      throw ValidationError(
        "\(output) is the trace itself, which stays as it is: name another file"
      )
    }
  }

  func run() throws {
    try reportingFailures {
      let interrupt = InterruptFlag()
      let allowed = try allowed()
      let printer = TraceCheckPrinter(
        format: format,
        allowed: allowed,
        output: try OutputFile(path: nil)
      )
      let status =
        try fix
        ? repair(printer, interrupt)
        : check(printer, interrupt)
      try printer.finish()
      if let status { throw ExitCode(status.rawValue) }
    }
  }

  private func check(
    _ printer: TraceCheckPrinter,
    _ interrupt: InterruptFlag
  ) throws -> ExitStatus? {
    interrupt.endIfStuck {}
    let (traces, places, options) = (traces, places, try input.options())
    let progress = ProgressLine(total: traces.count, unit: "traces")
    let checks = resultsInOrder(
      count: traces.count,
      threads: jobs ?? ProcessInfo.processInfo.activeProcessorCount,
      done: progress.show,
      work: {
        TraceCheck(path: traces[$0], options: options, placesKept: places, interrupt: interrupt)
      }
    )
    progress.clear()
    if interrupt.isSet { throw Self.stopped }
    var worst: ExitStatus?
    for check in checks {
      try printer.print(check)
      if let error = check.error {
        try printer.flush()
        printError("nearme: \(error)")
        // Points without times are a finding, and nothing to replay. A file that cannot be read says more than a
        // finding in another one.
        let own = error.code == .withoutTimes ? .checkFailed : status(of: error)
        if worst == nil || worst == .checkFailed { worst = own }
      } else if check.diagnosis.isDistorted(allowing: printer.allowed) || check.diagnosis.fixes == 0
      {
        // Nothing is not fit to be replayed either.
        worst = worst ?? .checkFailed
      }
    }
    return worst
  }

  private func repair(
    _ printer: TraceCheckPrinter,
    _ interrupt: InterruptFlag
  ) throws -> ExitStatus? {
    guard let output, let format = TraceWriter.Format(fileName: output) else { return .usage }
    let file = try OutputFile(path: output)
    let temporary = file.temporary
    interrupt.endIfStuck {
      if let temporary { unlink(temporary) }
    }
    var repair: TraceRepair? = TraceRepair()
    let before = TraceCheck(
      path: traces[0],
      options: try input.options(),
      placesKept: places,
      interrupt: interrupt,
      repair: &repair
    )
    if interrupt.isSet { throw Self.stopped }
    if let error = before.error {
      // What stands before a damaged place is good; a file that is not a trace has nothing to repair.
      guard error.code == .malformed, before.diagnosis.fixes > 0 else {
        throw CommandFailure(status(of: error), error.description)
      }
    }
    guard let (fixes, steps) = repair?.finish(), !fixes.isEmpty else {
      throw CommandFailure(
        .badInput,
        "\(traces[0]): no fix is left to write; \(output) was not made"
      )
    }
    var writer = TraceWriter(format)
    try file.write(writer.head)
    for kept in fixes {
      try file.write(
        writer.add(
          kept.fix,
          accuracySource: kept.accuracySource,
          startsSegment: kept.startsSegment
        )
      )
    }
    try file.write(writer.end())
    try file.finish()
    let after = TraceCheck(path: output, placesKept: places, interrupt: interrupt)
    if let error = after.error { throw CommandFailure(.internalError, error.description) }
    try printer.print(before)
    if let error = before.error {
      try printer.flush()
      printError("nearme: \(error)\nnearme: note: what stands before that place was repaired")
    }
    try printer.print(steps, fixes: fixes.count, of: before.diagnosis.points, to: output)
    try printer.print(after)
    return after.diagnosis.isDistorted(allowing: printer.allowed) ? .checkFailed : nil
  }

  private func allowed() throws -> Set<FindingKind> {
    var allowed: Set<FindingKind> = []
    for name in allow.flatMap({ $0.split(separator: ",").map(String.init) }) {
      guard let kind = FindingKind(rawValue: name) else {
        let known = FindingKind.allCases.map(\.rawValue)
        let hint =
          nearestName(to: name, among: known).map { "did you mean \($0)?" }
          ?? "known here: \(known.joined(separator: ", "))"
        throw ValidationError("--allow: there is no finding \"\(name)\"; \(hint)")
      }
      allowed.insert(kind)
    }
    return allowed
  }

  private static let stopped = CommandFailure(.interrupted, "stopped")
}

/// One trace and what the doctor says of it.
struct TraceCheck: Sendable {
  let path: String
  /// What it is; nil if that is not known.
  let format: TraceFormat?
  let diagnosis: Diagnosis
  let accuracySentence: String
  /// How its times and columns were taken where that is a question, as sentences.
  let guesses: [String]
  /// What was passed over before it could be a point; nil if nothing was.
  let passedOver: String?
  /// Why it was not read, or not to its end.
  let error: TraceError?

  /// Reads a trace.
  ///
  /// - Parameter repair: takes every point, too.
  init(
    path: String,
    options: TraceOptions,
    placesKept: Int,
    interrupt: InterruptFlag,
    repair: inout TraceRepair?
  ) {
    self.path = path
    var doctor = TraceDoctor(placesKept: placesKept)
    var sentence = "no fixes"
    var format: TraceFormat?
    var passedOver: String?
    var guesses: [String] = []
    var error: TraceError?
    do throws(TraceError) {
      let reader = try TraceReader(path: path, options: options)
      defer {
        (sentence, format) = (reader.report.accuracySentence, reader.report.format)
        passedOver = reader.report.passedOver
        guesses = reader.report.guesses
      }
      while !interrupt.isSet {
        let columns = try reader.nextColumns()
        if columns.pointCount == 0 { break }
        doctor.examine(columns)
        repair?.add(columns)
      }
    } catch let caught {
      error = caught
    }
    diagnosis = doctor.finish()
    accuracySentence = sentence
    self.format = format
    self.passedOver = passedOver
    self.guesses = guesses
    self.error = error
  }

  /// Reads a trace.
  init(
    path: String,
    options: TraceOptions = TraceOptions(),
    placesKept: Int,
    interrupt: InterruptFlag
  ) {
    var repair: TraceRepair?
    self.init(
      path: path,
      options: options,
      placesKept: placesKept,
      interrupt: interrupt,
      repair: &repair
    )
  }
}
