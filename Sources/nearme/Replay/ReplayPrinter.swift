import Geodesy
import OutputLines
import Replay
import Timeline
import Traces

/// Prints a replay as it happens, in one of three formats.
struct ReplayPrinter {
  private let format: ReplayCommand.FormatName
  private let output: any TextOutput
  private let text: TextFormat
  private let ndjson = NDJSONFormat()
  private var geojson = GeoJSONFormat()
  private var position: Coordinate?
  /// The trace in hand, if it is one of several.
  private var trace: String?

  init(format: ReplayCommand.FormatName, zone: UTCOffsetTable, output: any TextOutput) {
    self.format = format
    self.output = output
    text = TextFormat(zone: zone)
  }

  mutating func begin(_ path: String, isOneOfMany: Bool) throws {
    trace = isOneOfMany ? path : nil
    switch format {
    case .text: if isOneOfMany { try output.writeLine("\(path)") }
    case .ndjson, .html, .dayJSON: break
    case .geojson: try output.write(geojson.head)
    }
  }

  /// Prints what happened up to a fix and because of it.
  mutating func print(_ lines: [ReplayLine], _ fix: Fix, startsSegment: Bool) throws {
    if format == .geojson {
      // What was due before this fix happened where the phone was last seen.
      for line in lines where line.instant.map({ $0 < fix.at }) ?? false { try print(line) }
      position = fix.coordinate
      try output.write(geojson.add(fix, startsSegment: startsSegment))
      for line in lines where line.instant.map({ $0 >= fix.at }) ?? false { try print(line) }
    } else {
      try print(lines)
    }
  }

  mutating func print(_ lines: [ReplayLine]) throws {
    for line in lines { try print(line) }
  }

  private mutating func print(_ line: ReplayLine) throws {
    switch format {
    case .text: if let text = text.text(line) { try output.writeLine(text) }
    case .ndjson: try output.writeLine(ndjson.text(line))
    case .geojson:
      if let position { try output.write(geojson.add(line, at: position)) }
    case .html, .dayJSON: preconditionFailure("a day is shown as a whole: DayReplay makes it")
    }
  }

  /// - Parameter awaited: what the reminders waited for.
  /// - Parameter check: what the doctor says of the trace, for people.
  /// - Parameter passedOver: what of it could be no point.
  /// - Parameter guesses: how its times and columns were taken where that is a question.
  mutating func end(
    _ summary: ReplaySummary,
    _ awaited: Awaited,
    accuracy: String,
    check: String?,
    passedOver: String?,
    guesses: [String]
  ) throws {
    switch format {
    case .text:
      try output.writeLine("\n" + text.text(summary, awaited: awaited))
      try output.writeLine("            " + accuracy)
      if let check { try output.writeLine("  trace     " + check) }
      if let passedOver { try output.writeLine("            passed over: " + passedOver) }
      for guess in guesses { try output.writeLine("            " + guess) }
      try output.writeLine("")
    case .ndjson: try output.writeLine(ndjson.text(summary, trace: trace))
    case .geojson: try output.write(geojson.end())
    case .html, .dayJSON: preconditionFailure("a day is shown as a whole: DayReplay makes it")
    }
  }
}
