import ArgumentParser
import Foundation
import TraceFiles
import Traces

/// `nearme trace convert`.
struct TraceConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Write traces as GPX, CSV, GeoJSON or NDJSON.",
    discussion: """
      The format of each input is recognized by what is in it, never by its name. Several inputs \
      become one trace, in the order given. Points that are no fixes (no time, off the globe) are \
      left out, and counted by reason on standard error.

        nearme trace convert day.gpx.gz -o day.csv
        nearme trace convert Takeout.zip/Takeout/Records.json -o history.ndjson
        nearme trace convert log.csv --columns time=Zeit,lat=3,lon=4 -o log.gpx
        nearme trace convert route.gpx --assume-speed 13.9 \\
          --assume-start 2024-06-15T08:00:00Z -o drive.gpx
        nearme trace convert - --to ndjson < day.gpx
      """
  )

  @Argument(help: "Trace files, plain or compressed; - is standard input.")
  var traces: [String]

  @Option(name: .shortAndLong, help: "The file to write; - is standard output.")
  var output = "-"

  @Option(
    help: "What to write: gpx, csv, geojson or ndjson; else what the output's name ends with."
  )
  var to: TraceWriter.Format?

  @OptionGroup(title: "What the file does not say")
  var input: TraceInputOptions

  func validate() throws {
    if traces.isEmpty { throw ValidationError("name at least one trace") }
    if to == nil, TraceWriter.Format(fileName: output) == nil {
      throw ValidationError(
        output == "-"
          ? "say what to write with --to, or name a file with -o"
          : output.isEmpty
            ? "the name behind -o is empty: is a variable not set?"
            : "\(output) does not end with .gpx, .csv, .geojson or .ndjson: say what to write with --to"
      )
    }
    for trace in traces where isSameFile(trace, output) {
      throw ValidationError(
        "\(output) is the trace itself, which stays as it is: name another file"
      )
    }
  }

  func run() throws {
    try reportingFailures {
      guard let format = to ?? TraceWriter.Format(fileName: output) else { return }
      let interrupt = InterruptFlag()
      let file = try OutputFile(path: output == "-" ? nil : output)
      let temporary = file.temporary
      interrupt.endIfStuck {
        if let temporary { unlink(temporary) }
      }
      var writer = TraceWriter(format)
      try file.write(writer.head)
      var count = 0
      for path in traces { count += try convert(path, with: &writer, to: file, interrupt) }
      guard count > 0 else {
        throw CommandFailure(
          .badInput,
          "\(traces.joined(separator: ", ")): no fix could be read, so nothing was written; nearme trace "
            + "check tells line by line why"
        )
      }
      try file.write(writer.end)
      try file.finish()
    }
  }

  private func convert(
    _ path: String,
    with writer: inout TraceWriter,
    to file: OutputFile,
    _ interrupt: InterruptFlag
  ) throws -> Int {
    do {
      let reader = try TraceReader(path: path, options: input.options())
      var isFirst = true
      while true {
        let batch = try reader.nextBatch()
        if batch.isEmpty { break }
        if interrupt.isSet { throw Self.stopped }
        for record in batch {
          guard let fix = record.fix else { continue }
          try file.write(
            writer.add(
              fix,
              accuracySource: record.accuracySource,
              startsSegment: record.startsSegment || isFirst
            )
          )
          isFirst = false
        }
      }
      printError(Self.summary(path, reader.report))
      return reader.report.fixes
    } catch let error as TraceError {
      if interrupt.isSet { throw Self.stopped }
      throw CommandFailure(status(of: error), error.description)
    }
  }

  private static func summary(_ path: String, _ report: TraceReport) -> String {
    let refused = report.refusals.map { "\($0.count) \($0.reason.rawValue)" }
    return "nearme: \(path == "-" ? "standard input" : path): \(report.format?.name ?? "nothing"), "
      + (report.understanding.map { $0 + ", " } ?? "")
      + "\(report.fixes) of \(report.points) points"
      + (refused.isEmpty ? "" : ", left out: " + refused.joined(separator: ", "))
      + "; \(report.accuracySentence)"
  }

  private static let stopped = CommandFailure(.interrupted, "stopped; no output was written")
}

extension TraceWriter.Format: ExpressibleByArgument {}

extension TraceWriter.Format {
  /// The format that a file's name asks for.
  init?(fileName: String) {
    let ending = fileName.split(separator: ".").last.map { $0.lowercased() } ?? ""
    switch ending {
    case "json": self = .geojson
    case "geojsonl", "jsonl": self = .ndjson
    default: self.init(rawValue: ending)
    }
  }
}
