import ArgumentParser
import Foundation
import TraceFiles
import Traces

/// `nearme trace convert`.
struct TraceConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Write traces as GPX, CSV, GeoJSON, KML or NDJSON, with all that they say.",
    discussion: """
      The format of each input is recognized by what is in it, never by its name. Several inputs \
      become one file, in the order given. Elevations, names, heart rates, satellites and whatever \
      else a point has come along, and so do routes and waypoints, with or without times; NDJSON is \
      for feeds and has fixes only. Points that are no positions are left out, and counted by reason \
      on standard error.

        nearme trace convert day.gpx.gz -o day.csv
        nearme trace convert Takeout.zip/Takeout/Records.json -o history.ndjson
        nearme trace convert log.csv --columns time=Zeit,lat=3,lon=4 -o log.gpx
        nearme trace convert fleet.csv --by uid --to gpx -o fleet
        nearme trace convert route.gpx --assume-speed 13.9 \\
          --assume-start 2024-06-15T08:00:00Z -o drive.gpx
        nearme trace convert - --to ndjson < day.gpx
      """
  )

  @Argument(help: "Trace files, plain or compressed; - is standard input.")
  var traces: [String]

  @Option(
    name: .shortAndLong,
    help: "The file to write, with --by the folder; - is standard output."
  )
  var output = "-"

  @Option(
    help: "What to write: gpx, csv, geojson, kml or ndjson; else what the output's name ends with."
  )
  var to: TraceWriter.Format?

  @Option(
    help: ArgumentHelp(
      """
      A column that says whose each point is: a file for each, named after it, in the folder of -o; \
      trkseg or trk for each segment or track of GPX, by number.
      """,
      valueName: "COLUMN"
    )
  )
  var by: String?

  @OptionGroup(title: "What the file does not say")
  var input: TraceInputOptions

  func validate() throws {
    if traces.isEmpty { throw ValidationError("name at least one trace") }
    if traces.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("standard input can be read only once")
    }
    if by != nil {
      guard to != nil, output != "-", !output.isEmpty else {
        throw ValidationError(
          "--by writes several files: name a folder with -o, and a format with --to"
        )
      }
      if let pipe = traces.first(where: TraceConversion.isPipe) {
        throw ValidationError(
          "--by reads twice, and \(pipe == "-" ? "standard input" : pipe) cannot be: save it to a file"
        )
      }
      return
    }
    if to == nil, TraceWriter.Format(fileName: output) == nil {
      throw ValidationError(
        output == "-"
          ? "say what to write with --to, or name a file with -o"
          : output.isEmpty
            ? "the name behind -o is empty: is a variable not set?"
            : "\(output) does not end with .gpx, .csv, .geojson, .kml or .ndjson: say what to write "
              + "with --to"
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
      let conversion = TraceConversion(
        traces: traces,
        format: format,
        options: try input.options(),
        interrupt: InterruptFlag()
      )
      if let by {
        try conversion.run(by: by, folder: output)
      } else {
        try conversion.run(output == "-" ? nil : output)
      }
    }
  }
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
