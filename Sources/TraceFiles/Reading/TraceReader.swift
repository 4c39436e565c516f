import ByteStreams
import Geodesy
import Timeline
import Traces

/// Reads a trace point by point, from a path or, for `-`, from standard input.
///
/// What format it has and how it is packed is recognized by its content. If a file has track points
/// only those are delivered, else its route points, else its waypoints; see ``PointKind`` for what
/// these are in each format. Which of them it has is found by a first pass that ends at the first
/// track point, in nearly every file after some hundred bytes. Standard input cannot be read twice:
/// there, routes and waypoints are held back until a track point or the end comes, at most
/// ``heldLimit`` of them.
///
/// - Complexity: memory does not grow with the file.
package final class TraceReader {
  /// The points that are held back at most; about 6 MB.
  package static let heldLimit = 65_536

  /// What has been read so far.
  package private(set) var report: TraceReport

  private let source: any UnpackedBytes
  private let options: TraceOptions
  private let piece: UnsafeMutableRawBufferPointer
  /// Nil until the format is known.
  private var parser: (any TraceParser)?
  private var wantedKind: PointKind?
  /// Points read and not yet forgotten, by kind.
  private let held = [FixColumns(), FixColumns(), FixColumns()]
  private var clock: AssumedClock?
  private var pendingError: TraceError?
  /// What the next read will meet.
  private var damage: TraceError?
  /// Points read and not yet handed over by ``nextRecord()``.
  private var queue: ArraySlice<TraceRecord> = []
  private var hasEnded = false

  /// Opens a trace.
  ///
  /// - Throws: ``TraceError`` if there is no such file or it cannot be read.
  package convenience init(
    path: String,
    options: TraceOptions = TraceOptions()
  ) throws(TraceError) {
    let source = try TraceReader.open(path)
    self.init(source: source, options: options)
    if source.isRegularFile { wantedKind = try TraceReader.survey(path: path, options) }
  }

  /// Begins to read a trace of a feed, of which nothing has been read.
  package convenience init(feed: DescriptorStream, options: TraceOptions) {
    var options = options
    options.takesRowsAsTheyCome = true
    self.init(source: feed, options: options)
  }

  private init(source: any UnpackedBytes, options: TraceOptions) {
    self.source = source
    self.options = options
    clock = options.assumedMotion.map { AssumedClock($0) }
    report = TraceReport(options)
    piece = .allocate(byteCount: TraceReader.pieceSize + TraceReader.padding, alignment: 64)
  }

  /// Bytes that are read at once.
  private static let pieceSize = 1 << 18
  /// Zero bytes behind them, so that a parser may look further than they go.
  static let padding = 64

  /// How many of the points were read without the XML parser.
  package var templatePoints: Int { (parser as? GPXParser)?.templatePoints ?? 0 }

  deinit { piece.deallocate() }

  /// The files of an archive that are traces, by the ends of their names.
  package static func traces(among names: [String]) -> [String] {
    FormatRecognition.traces(among: names)
  }

  private static func open(_ path: String) throws(TraceError) -> ByteStream {
    do {
      return try ByteStream(path: path, selecting: traces(among:))
    } catch {
      throw TraceError(error)
    }
  }

  /// The next points in the order of the file; none at its end.
  ///
  /// To stop early, just do not call it again.
  ///
  /// - Returns: columns that the next call uses again.
  /// - Throws: ``TraceError`` at damage, after all the points before it have been returned, and at
  ///   the end of a file in which no point has a time.
  package func nextColumns() throws(TraceError) -> FixColumns {
    forgetDelivered()
    while true {
      if let error = pendingError { throw error }
      if hasEnded { return FixColumns() }
      do {
        try readPiece()
      } catch {
        finish(error)
      }
      if let columns = deliver(), columns.pointCount > 0 { return columns }
    }
  }

  /// The next points as records; empty at the file's end.
  ///
  /// - Throws: as ``nextColumns()``; do not mix the ways of reading.
  package func nextBatch() throws(TraceError) -> [TraceRecord] {
    var batch: [TraceRecord] = []
    try nextColumns().appendRecords(to: &batch)
    return batch
  }

  /// The next point; nil at the file's end.
  ///
  /// - Throws: as ``nextColumns()``; do not mix the ways of reading.
  package func nextRecord() throws(TraceError) -> TraceRecord? {
    if queue.isEmpty { queue = try nextBatch()[...] }
    return queue.popFirst()
  }

  /// Whether it can be read a second time.
  package var isRegularFile: Bool { source.isRegularFile }

  /// The next points of some kinds with all that the file says of them; none at its end.
  ///
  /// Each kind in the order of the file; of what is read at once waypoints come first, then routes, then
  /// tracks, as in GPX. A point without a time comes, too, where the format knows such points.
  ///
  /// - Precondition: made with ``TraceOptions/keepsDetails``.
  /// - Throws: as ``nextColumns()``; do not mix the ways of reading.
  package func nextDetailed(_ kinds: Set<PointKind>) throws(TraceError) -> [DetailedPoint] {
    precondition(options.keepsDetails, "details must be asked for")
    while true {
      if let error = pendingError { throw error }
      if hasEnded { return [] }
      do {
        try readPiece()
      } catch {
        finish(error)
      }
      guard let parser else { continue }
      parser.takePoints(into: held)
      if wantedKind == nil { wantedKind = report.format?.kind(parser, isAtEnd: hasEnded) }
      clock?.time(held[(wantedKind ?? .track).rawValue])
      var points: [DetailedPoint] = []
      for kind in PointKind.allCases.reversed() {
        let columns = held[kind.rawValue]
        let details = parser.details?.take(kind) ?? []
        // What is given times is a recording from now on, whatever it was before.
        let given = clock != nil && kind == wantedKind ? .track : kind
        if kinds.contains(given) {
          report.count(columns)
          var records: [TraceRecord] = []
          columns.appendRecords(to: &records)
          precondition(records.count == details.count, "every point has its details")
          points += zip(records, details).map { DetailedPoint($0, kind: given, details: $1) }
        }
        columns.removeAll()
      }
      if hasEnded, pendingError == nil, report.format?.hasTimesOfDay ?? false {
        pendingError = missingTimes(parser)
      }
      if !points.isEmpty { return points }
    }
  }

  // MARK: - Reading

  private func readPiece() throws(TraceError) {
    guard let parser else { return try begin() }
    let count = try read()
    if count > 0 {
      parser.parse(padded(count))
    } else {
      parser.finish()
    }
    note(parser, isAtEnd: count == 0)
  }

  /// The next bytes of the text in `piece`; 0 at its end.
  private func read(from start: Int = 0) throws(TraceError) -> Int {
    if let damage { throw damage }
    do {
      return try source.read(
        into: UnsafeMutableRawBufferPointer(rebasing: piece[start..<TraceReader.pieceSize])
      )
    } catch {
      throw TraceError(error)
    }
  }

  /// The first bytes of the piece, with zeros behind them.
  private func padded(_ count: Int) -> UnsafeRawBufferPointer {
    for index in count..<(count + TraceReader.padding) { piece[index] = 0 }
    return UnsafeRawBufferPointer(rebasing: piece[..<count])
  }

  /// Whether the root of a document has not come, and may yet.
  private func isBeforeRoot(_ count: Int) -> Bool {
    count < TraceReader.pieceSize
      && FormatRecognition.isBeforeRoot(UnsafeRawBufferPointer(rebasing: piece[..<count]))
  }

  /// Recognizes the format from the first piece, and reads it.
  private func begin() throws(TraceError) {
    var count = 0
    var skipped = (bytes: 0, lines: 0)
    while count < FormatRecognition.headSize || isBeforeRoot(count) {
      var read = 0
      do {
        read = try self.read(from: count)
      } catch {
        // What stands before the damage is read first.
        if count == 0 { throw error }
        damage = error
      }
      if read == 0 { break }
      count += read
      guard !FormatRecognition.isBinary(UnsafeRawBufferPointer(rebasing: piece[..<count])) else {
        continue
      }
      // XML forbids what some editors and scripts put before it; nothing is lost by taking it away.
      let blank = piece[..<count].prefix { $0 == 0x20 || (0x09...0x0D).contains($0) }
      skipped.bytes += blank.count
      skipped.lines += blank.count { $0 == 0x0A }
      for index in 0..<(count - blank.count) { piece[index] = piece[blank.count + index] }
      count -= blank.count
      // Of a feed that comes line by line, the rest of the head may be long in coming.
      let head = UnsafeRawBufferPointer(rebasing: piece[..<count])
      if !source.isRegularFile, FormatRecognition.isDecided(by: head, options) { break }
    }
    let head = padded(count)
    let recognition: FormatRecognition
    do {
      recognition = try FormatRecognition(head, options)
    } catch {
      throw TraceError(
        .notATrace,
        file: source.path,
        line: count == 0 ? nil : 1,
        byteOffset: count == 0 ? nil : 0,
        problem: error.problem,
        advice: error.advice
      )
    }
    var parser: any TraceParser
    do {
      parser = try recognition.format.makeParser(options)
    } catch {
      throw TraceReader.outOfMemory(source.path)
    }
    if recognition.encoding != .bytes {
      parser = UTF16Parser(parser, isBigEndian: recognition.encoding == .utf16Big)
    }
    self.parser = parser
    report.format = recognition.format
    parser.skip(bytes: skipped.bytes + recognition.markSize, lines: skipped.lines)
    parser.parse(UnsafeRawBufferPointer(rebasing: head[recognition.markSize...]))
    note(parser, isAtEnd: false)
  }

  private func note(_ parser: any TraceParser, isAtEnd: Bool) {
    report.understanding = parser.understanding
    report.haveTimesNoZone = parser.haveTimesNoZone
    report.doubts = parser.doubts
    if let format = parser.format { report.format = format }
    if let failure = parser.failure {
      finish(
        TraceError(
          failure.code,
          file: source.path,
          line: failure.line,
          byteOffset: failure.byteOffset,
          problem: failure.problem,
          advice: failure.advice
        )
      )
    } else if isAtEnd {
      finish(nil)
    }
  }

  private func finish(_ error: TraceError?) {
    hasEnded = true
    pendingError = error
    if error != nil { parser?.abandon() }
    // At the end all is known: the best kind there is.
    if wantedKind == nil, let parser { wantedKind = report.format?.kind(parser, isAtEnd: true) }
  }

  /// The points that can be handed over now; nil while it is not known which are wanted.
  private func deliver() -> FixColumns? {
    guard let parser else { return nil }
    defer { if hasEnded, pendingError == nil { pendingError = missingTimes(parser) } }
    parser.takePoints(into: held)
    if wantedKind == nil { wantedKind = report.format?.kind(parser, isAtEnd: false) }
    guard let wantedKind else {
      if held.reduce(0, { $0 + $1.pointCount }) > TraceReader.heldLimit {
        finish(
          TraceError(
            .excessive,
            file: source.path,
            problem:
              "more than \(TraceReader.heldLimit) waypoints or route points before any track",
            advice: "save it to a file and give its path, which can be read twice"
          )
        )
        forgetDelivered()
      }
      return nil
    }
    let columns = held[wantedKind.rawValue]
    clock?.time(columns)
    report.count(columns)
    report.pointsOfOtherKinds =
      parser.pointCounts.reduce(0, +) - parser.pointCounts[wantedKind.rawValue]
    return columns
  }

  /// Lets go of points that have been handed over, or that are not wanted.
  private func forgetDelivered() {
    guard wantedKind != nil || hasEnded else { return }
    for columns in held { columns.removeAll() }
  }

  private func missingTimes(_ parser: any TraceParser) -> TraceError? {
    guard let wantedKind, clock == nil, parser.pointCounts[wantedKind.rawValue] > 0,
      parser.timedCounts[wantedKind.rawValue] == 0
    else { return nil }
    return TraceError(
      .withoutTimes,
      file: source.path,
      problem: "no point has a time",
      advice: report.format?.adviceWithoutTimes ?? ""
    )
  }

  // MARK: - Before reading

  /// The kind of points to deliver: reads until the first track point, else to the end.
  ///
  /// Damage is left to the reading proper, which meets it again.
  private static func survey(path: String, _ options: TraceOptions) throws(TraceError) -> PointKind?
  {
    let reader = TraceReader(source: try open(path), options: options)
    while !reader.hasEnded {
      do {
        try reader.readPiece()
      } catch {
        reader.parser?.abandon()
        break
      }
      guard let parser = reader.parser else { break }
      if let kind = reader.report.format?.kind(parser, isAtEnd: false) { return kind }
      parser.takePoints(into: reader.held)
      for columns in reader.held { columns.removeAll() }
    }
    return reader.parser.flatMap { reader.report.format?.kind($0, isAtEnd: true) }
  }

  private static func outOfMemory(_ path: String) -> TraceError {
    TraceError(
      .unreadable,
      file: path,
      problem: "there is no memory left to read it",
      advice: "free some memory and try again"
    )
  }
}
