import Basics
import Foundation
import TraceFiles
import Traces

/// Reads traces and writes them in another format, without losing what they say.
///
/// Waypoints come before routes before tracks, as GPX has them, and a table names its columns before its first
/// row. So files are read once to see what they hold, and once for each kind of points that is written in a
/// place of its own. Standard input is read once, and written as it comes.
///
/// - Complexity: memory does not grow with the traces.
struct TraceConversion {
  let traces: [String]
  let format: TraceWriter.Format
  let options: TraceOptions
  let interrupt: InterruptFlag

  /// Files that are open at a time.
  private static let openFiles = 128
  /// The columns of a table that is written before it is known what the points have.
  private static let usualColumns = [
    "ele", "name", "cmt", "desc", "sym", "type", "sat", "hr", "cad", "atemp", "power", "track.name",
    "track." + PointDetails.repetition,
  ]

  /// What points of that kind are counted as.
  private static let waypoints = "waypoints"

  private static let stopped = CommandFailure(.interrupted, "stopped; no output was written")

  private let empty = EmptyTraces()

  /// What traces hold.
  private struct Survey {
    var kinds: Set<PointKind> = []
    var columns: [String] = []
    /// The values of a column.
    var values: [String] = []
    private var groups: [Part: [PointDetails.Field]] = [:]
    private var known: Set<String> = []
    private var knownValues: Set<String> = []

    /// - Parameter value: what stands in the column by which the points are taken apart.
    mutating func note(_ point: DetailedPoint, value: String? = nil) {
      guard point.record.fix != nil else { return }
      kinds.insert(point.kind)
      for field in point.details.fields where field.name != "hdop" { note(field.name) }
      if let group = point.details.group {
        for field in group { note("track." + field.name) }
        let part = Part(value: value, kind: point.kind)
        if group == groups[part] { note("track." + PointDetails.repetition) }
        groups[part] = group
      }
      guard let value else { return }
      if knownValues.insert(value).inserted { values.append(value) }
    }

    private mutating func note(_ column: String) {
      if known.insert(column).inserted { columns.append(column) }
    }
  }

  /// The points of a kind that have one value in a column.
  private struct Part: Hashable {
    let value: String?
    let kind: PointKind
  }

  /// Takes points apart by what they say themselves, or by their track.
  ///
  /// Where a table has people in turn, its tracks and segments change with each of them: what begins for one of them is
  /// seen from what that one had before.
  private struct Divider {
    let name: String
    /// Stands before the numbers of tracks and segments, where several files have them.
    let prefix: String
    private static let ofTracks = "track."
    /// What is said of the track or the route that goes on.
    private var groups: [PointKind: [PointDetails.Field]] = [:]
    private var places: [PointKind: Place] = [:]
    /// Where the last point of each was.
    private var last: [Part: Place] = [:]

    /// A track and a segment: how many have begun, or what the point says of them.
    private struct Place: Hashable {
      var tracks = 0
      var segments = 0
      var said: PointDetails.Membership?

      func isOfTrack(of other: Self) -> Bool {
        tracks == other.tracks && said?.track == other.said?.track
      }
    }

    init(name: String, prefix: String) { (self.name, self.prefix) = (name, prefix) }

    /// Says of a fix where its own track and segment begin.
    ///
    /// - Returns: the value that it goes by; nil if it has none.
    mutating func divide(_ point: inout DetailedPoint) -> String? {
      let kind = point.kind
      var here = places[kind] ?? Place()
      if let group = point.details.group {
        groups[kind] = group
        here.tracks += 1
      }
      if point.record.startsSegment { here.segments += 1 }
      places[kind] = here
      let value = value(of: point)
      guard let value, kind != .waypoint else { return value }
      let part = Part(value: value, kind: kind)
      if var said = point.details.membership {
        said.segment = said.segment ?? last[part]?.said?.segment
        here = Place(said: said)
      }
      let before = last.updateValue(here, forKey: part)
      let isOfTrack = before?.isOfTrack(of: here) ?? false
      point.place(group: isOfTrack ? nil : groups[kind] ?? [], startsSegment: here != before)
      return value
    }

    private func value(of point: DetailedPoint) -> String? {
      // Where points do not say themselves what they are of, as in GPX, tracks and segments have numbers.
      let isNumbered = point.kind == .track && point.details.membership == nil
      switch name {
      case "segment", "trkseg":
        if let segment = point.details.membership?.segment { return segment }
        if isNumbered, let place = places[.track] { return prefix + String(place.segments) }
      case "track", "trk":
        if let own = point.details[name] { return own }
        if isNumbered, let place = places[.track] { return prefix + String(place.tracks) }
      default: break
      }
      guard name.hasPrefix(Self.ofTracks) else { return point.details[name] }
      return groups[point.kind]?[String(name.dropFirst(Self.ofTracks.count))]
    }
  }

  // MARK: - One output

  /// Writes everything to one file, or to standard output.
  func run(_ output: String?) throws {
    let file = try OutputFile(path: output)
    let temporary = file.temporary
    interrupt.endIfStuck {
      if let temporary { unlink(temporary) }
    }
    let count =
      try format == .ndjson ? writeFixes(to: file) : writeAll(to: file, isLive: output == nil)
    guard count > 0 else {
      throw CommandFailure(
        .badInput,
        "\(traces.map { $0 == "-" ? "standard input" : $0 }.joined(separator: ", ")): no fix could be read"
          + (output == nil ? "" : ", so nothing was written")
          + "; nearme trace check tells line by line why"
      )
    }
    try file.finish()
    // What could be read is written all the same.
    try empty.end()
  }

  /// Fixes alone, as they come.
  private func writeFixes(to file: OutputFile) throws -> Int {
    var writer = TraceWriter(format)
    var count = 0
    for path in traces {
      var isFirst = true
      try mappingTraceFailures {
        let reader = try TraceReader(path: path, options: options)
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
          // Whoever reads the other end of a pipe sees each fix when it is known.
          if !reader.isRegularFile { try file.flush() }
        }
        printError(Self.summary(path, reader.report, nil))
        count += reader.report.fixes
        if reader.report.fixes == 0 { empty.add(path) }
      }
    }
    return count
  }

  private func writeAll(to file: OutputFile, isLive: Bool) throws -> Int {
    let isOnce = traces.contains(where: Self.isPipe)
    var survey: Survey?
    var reports = [TraceReport?](repeating: nil, count: traces.count)
    if !isOnce {
      var found = Survey()
      for (number, path) in traces.enumerated() {
        reports[number] = try read(path) { found.note($0) }
      }
      survey = found
    }
    let columns = survey?.columns ?? Self.usualColumns
    var writer = TraceWriter(
      format,
      columns: columns,
      namesKinds: survey.map { $0.kinds != [.track] } ?? true
    )
    var left: [String] = []
    let order = PointKind.allCases.reversed().filter { survey?.kinds.contains($0) ?? true }
    // A waypoint between two fixes would look like the end of a track.
    let passes = isOnce ? [Set(PointKind.allCases)] : order.map { Set([$0]) }
    var others = [[String: Int]](repeating: [:], count: traces.count)
    try file.write(writer.head)
    var count = 0
    for kinds in passes {
      for (number, path) in traces.enumerated() {
        let report = try read(path, kinds) { point in
          guard point.record.fix != nil else { return }
          count += 1
          if !point.isTimed { others[number]["without a time", default: 0] += 1 }
          if point.kind != .track {
            others[number][point.kind == .route ? "of routes" : Self.waypoints, default: 0] += 1
          }
          if survey == nil, format == .csv {
            let names =
              point.details.fields.map(\.name).filter { $0 != "hdop" }
              + (point.details.group ?? []).map { "track." + $0.name }
            for name in names where !columns.contains(name) && !left.contains(name) {
              left.append(name)
            }
          }
          try file.write(writer.add(point))
        } afterBatch: {
          if isOnce, isLive { try file.flush() }
        }
        if survey == nil { reports[number] = report }
      }
    }
    for (number, path) in traces.enumerated() {
      guard let report = reports[number] else { continue }
      printError(Self.summary(path, report, others[number]))
      if report.fixes == 0 { empty.add(path) }
    }
    if !left.isEmpty {
      printError(
        "nearme: note: a table's header is written before it is known what a pipe brings, so these have no "
          + "column: \(left.joined(separator: ", ")); save the input to a file first"
      )
    }
    try file.write(writer.end())
    return count
  }

  /// Whether something can be read once only; it is not opened for that.
  static func isPipe(_ path: String) -> Bool {
    var status = stat()
    return path == "-"
      || stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }

  /// Reads a trace to its end; its first points of a track and of a route begin one, as another file is another
  /// recording.
  @discardableResult
  private func read(
    _ path: String,
    _ kinds: Set<PointKind> = Set(PointKind.allCases),
    keepsMembership: Bool = false,
    _ body: (DetailedPoint) throws -> Void,
    afterBatch: () throws -> Void = {}
  ) throws -> TraceReport {
    var begun: Set<PointKind> = [.waypoint]
    return try mappingTraceFailures {
      var options = options
      options.keepsDetails = true
      options.keepsMembership = keepsMembership
      let reader = try TraceReader(path: path, options: options)
      while true {
        let batch = try reader.nextDetailed(kinds)
        if batch.isEmpty { break }
        if interrupt.isSet { throw Self.stopped }
        for var point in batch {
          if point.record.fix != nil, begun.insert(point.kind).inserted { point.beginGroup() }
          try body(point)
        }
        try afterBatch()
      }
      return reader.report
    }
  }

  /// Reads the fixes of a trace, each with the value that it goes by.
  @discardableResult
  private func readParts(
    of path: String,
    by name: String,
    _ body: (DetailedPoint, _ value: String?) throws -> Void
  ) throws -> TraceReport {
    let number = (traces.firstIndex(of: path) ?? 0) + 1
    var divider = Divider(name: name, prefix: traces.count > 1 ? "\(number)-" : "")
    return try read(path, keepsMembership: true) { point in
      guard point.record.fix != nil else { return }
      var point = point
      let value = divider.divide(&point)
      try body(point, value)
    }
  }

  private func mappingTraceFailures<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as TraceError {
      if interrupt.isSet { throw Self.stopped }
      throw CommandFailure(status(of: error), error.description + Self.rescue(error))
    }
  }

  /// How to keep what stands before a place that is damaged, if there is something that can be replayed.
  private static func rescue(_ error: TraceError) -> String {
    guard error.code == .malformed, !isPipe(error.file), hasFix(error.file) else { return "" }
    return
      "; what stands before it is kept by: nearme trace check \(shellQuoted(error.file)) --fix -o clean.gpx"
  }

  /// Whether a repair would find a fix.
  private static func hasFix(_ path: String) -> Bool {
    do {
      let reader = try TraceReader(path: path)
      while case let columns = try reader.nextColumns(), columns.pointCount > 0 {
        if columns.count > 0 { return true }
      }
      return false
    } catch {
      return false
    }
  }

  private static func summary(
    _ path: String,
    _ report: TraceReport,
    _ counts: [String: Int]?
  ) -> String {
    let refused = report.refusals.map { "\($0.count) \($0.reason.rawValue)" }
    let others = (counts ?? [:]).sorted { $0.key < $1.key }
      .map { what, count in
        what == waypoints && count == 1 ? "1 waypoint" : "\(count) \(what)"
      }
    return "nearme: \(path == "-" ? "standard input" : path): \(report.format?.name ?? "nothing"), "
      + (report.understanding.map { $0 + ", " } ?? "")
      + "\(report.fixes) of \(counted(report.points, "point"))"
      + (others.isEmpty ? "" : " (\(others.joined(separator: ", ")))")
      + (refused.isEmpty ? "" : ", left out: " + refused.joined(separator: ", "))
      + "; \(report.accuracySentence)"
      + report.guesses.map { "; " + $0 }.joined()
  }

  // MARK: - A file for each

  /// Writes a file for each value of a column.
  func run(by column: String, folder: String) throws {
    let name = PointDetails.fieldName(ofColumn: column)
    var survey = Survey()
    var reports: [TraceReport] = []
    for path in traces {
      reports.append(try readParts(of: path, by: name) { survey.note($0, value: $1) })
    }
    defer {
      for (path, report) in zip(traces, reports) { printError(Self.summary(path, report, nil)) }
    }
    guard !survey.values.isEmpty else {
      let known = survey.columns.joined(separator: ", ")
      throw CommandFailure(
        .badInput,
        "\(traces.joined(separator: ", ")): no point has a value in the column \(column)"
          + (known.isEmpty ? "" : "; there are \(known)")
      )
    }
    let names = try fileNames(survey.values)
    for name in names.values.sorted() {
      for trace in traces where isSameFile(trace, "\(folder)/\(name)") {
        throw CommandFailure(
          .usage,
          "\(folder)/\(name) is the trace itself, which stays as it is: name another folder"
        )
      }
    }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      let isFile = FileManager.default.fileExists(atPath: folder)
      throw CommandFailure(
        isFile ? .usage : .inputOutput,
        isFile
          ? "\(folder): it is a file, which stays as it is: --by writes several, so name a folder"
          : "\(folder): cannot be made: check that its folder exists and its permissions"
      )
    }
    var without = 0
    var start = 0
    let columns = survey.columns.filter { $0 != name }
    while start < survey.values.count {
      let chosen = survey.values[start..<min(start + Self.openFiles, survey.values.count)]
      var outputs: [String: (file: OutputFile, writer: TraceWriter, count: Int)] = [:]
      for value in chosen {
        let file = try OutputFile(path: "\(folder)/\(names[value] ?? value)")
        let writer = TraceWriter(
          format,
          columns: columns,
          namesKinds: survey.kinds != [.track]
        )
        try file.write(writer.head)
        outputs[value] = (file, writer, 0)
      }
      for path in traces {
        try readParts(of: path, by: name) { point, value in
          guard let value else {
            if start == 0 { without += 1 }
            return
          }
          guard format != .ndjson || point.isTimed, outputs[value] != nil else { return }
          outputs[value]?.count += 1
          let text = outputs[value]?.writer.add(point)
          try outputs[value]?.file.write(text ?? "")
        }
      }
      for value in chosen {
        guard let end = outputs[value]?.writer.end(), let output = outputs[value] else { continue }
        try output.file.write(end)
        try output.file.finish()
        printError("nearme: \(folder)/\(names[value] ?? value): \(counted(output.count, "point"))")
      }
      start += chosen.count
    }
    if without > 0 {
      printError(
        "nearme: note: \(without == 1 ? "1 point has" : "\(without) points have") no \(column), and no file"
      )
    }
  }

  /// A name as far as file systems take one, which count bytes; the number and the ending come behind it.
  private static func cut(_ name: String) -> String {
    var name = name
    while name.utf8.count > 200 { name.unicodeScalars.removeLast() }
    return name
  }

  /// A file's name for each value, no two alike.
  private func fileNames(_ values: [String]) throws -> [String: String] {
    var names: [String: String] = [:]
    var taken: Set<String> = []
    for value in values {
      let plain = String(
        value.prefix(100).map { $0.isLetter || $0.isNumber || "._-".contains($0) ? $0 : "_" }
      )
      let base = Self.cut(plain.first == "." ? "_" + plain : plain)
      var name = base
      var number = 2
      // File systems that do not tell capitals apart would put two people into one file.
      while !taken.insert(name.lowercased()).inserted {
        name = "\(base)-\(number)"
        number += 1
      }
      names[value] = "\(name).\(format.rawValue)"
    }
    return names
  }
}
