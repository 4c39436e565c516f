import Traces

/// Reads a GPX file point by point, from a path or, for `-`, from standard input.
///
/// If a file has track points only those are delivered, else its route points, else its waypoints.
/// Which of them it has is found by a first pass that ends at the first track point, in nearly every
/// file after some hundred bytes. Standard input cannot be read twice: there, routes and waypoints
/// are held back until a track point or the end comes, at most ``heldLimit`` of them.
///
/// - Complexity: memory does not grow with the file.
package final class TraceReader {
  /// The points that are held back at most; about 6 MB.
  package static let heldLimit = 65_536

  /// What has been read so far.
  package private(set) var report: TraceReport

  private let source: ByteSource
  private let parser: GPXParser
  private var wantedKind: PointKind?
  private var held: [(kind: PointKind, record: TraceRecord)] = []
  private var pendingError: TraceError?
  /// Points read and not yet handed over by ``nextRecord()``.
  private var queue: ArraySlice<TraceRecord> = []
  private var hasStarted = false
  private var hasEnded = false

  /// Opens a trace.
  ///
  /// - Throws: ``TraceError`` if there is no such file or it cannot be read.
  package convenience init(
    path: String,
    accuracyModel: AccuracyModel = AccuracyModel()
  ) throws(TraceError) {
    let source = try ByteSource(path: path)
    try self.init(source: source, accuracyModel: accuracyModel)
    if source.isRegularFile { wantedKind = try TraceReader.survey(path: path) }
  }

  private init(source: ByteSource, accuracyModel: AccuracyModel) throws(TraceError) {
    self.source = source
    report = TraceReport(accuracyModel: accuracyModel)
    do {
      parser = try GPXParser(model: accuracyModel)
    } catch {
      throw TraceReader.outOfMemory(source.path)
    }
  }

  /// The next points in the order of the file; empty at its end.
  ///
  /// To stop early, just do not call it again.
  ///
  /// - Throws: ``TraceError`` at damage, after all the points before it have been returned, and at
  ///   the end of a file in which no point has a time.
  package func nextBatch() throws(TraceError) -> [TraceRecord] {
    var batch: [TraceRecord] = []
    while batch.isEmpty {
      if let error = pendingError { throw error }
      if hasEnded { return [] }
      do {
        try readPiece()
      } catch {
        finish(error)
      }
      deliver(into: &batch)
    }
    return batch
  }

  /// The next point; nil at the file's end.
  ///
  /// - Throws: as ``nextBatch()``; do not mix the two.
  package func nextRecord() throws(TraceError) -> TraceRecord? {
    if queue.isEmpty { queue = try nextBatch()[...] }
    return queue.popFirst()
  }

  // MARK: - Reading

  private func readPiece() throws(TraceError) {
    guard let buffer = parser.buffer() else { throw TraceReader.outOfMemory(source.path) }
    var count = 0
    if hasStarted {
      count = try source.fill(buffer)
    } else {
      count = try readBeginning(buffer)
      hasStarted = true
    }
    if count > 0, parser.parse(count: count, isFinal: false) { return }
    if count == 0, parser.parse(count: 0, isFinal: true) {
      finish(nil)
    } else if let failure = parser.failure {
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
    }
  }

  /// Fills the first piece, without white space before the document, and refuses what is no XML.
  private func readBeginning(_ buffer: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    var count = 0
    while count < 16 {
      let read = try source.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      if read == 0 { break }
      count += read
      // XML forbids what some editors and scripts put before it; nothing is lost by taking it away.
      let blank = buffer[..<count].prefix { $0 == 0x20 || (0x09...0x0D).contains($0) }
      parser.skip(bytes: blank.count, lines: blank.count { $0 == 0x0A })
      for index in 0..<(count - blank.count) { buffer[index] = buffer[blank.count + index] }
      count -= blank.count
    }
    if let error = whatElse(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { throw error }
    return count
  }

  private func finish(_ error: TraceError?) {
    hasEnded = true
    pendingError = error
    // At the end all is known: the best kind there is.
    if wantedKind == nil {
      wantedKind = PointKind.allCases.first { parser.pointCounts[$0.rawValue] > 0 }
    }
  }

  private func deliver(into batch: inout [TraceRecord]) {
    held += parser.takeRecords()
    if wantedKind == nil, parser.pointCounts[PointKind.track.rawValue] > 0 { wantedKind = .track }
    if let wantedKind {
      batch.reserveCapacity(held.count)
      for (kind, record) in held where kind == wantedKind {
        report.count(record)
        batch.append(record)
      }
      held.removeAll(keepingCapacity: true)
      report.kind = report.points > 0 ? wantedKind : nil
      report.segments = parser.segmentCounts[wantedKind.rawValue]
      report.pointsOfOtherKinds =
        parser.pointCounts.reduce(0, +) - parser.pointCounts[wantedKind.rawValue]
    } else if held.count > TraceReader.heldLimit {
      finish(
        TraceError(
          .excessive,
          file: source.path,
          problem: "more than \(TraceReader.heldLimit) waypoints or route points before any track",
          advice: "save it to a file and give its path, which can be read twice"
        )
      )
      held = []
    }
    if hasEnded, pendingError == nil { pendingError = missingTimes() }
  }

  private func missingTimes() -> TraceError? {
    guard let wantedKind, parser.pointCounts[wantedKind.rawValue] > 0,
      parser.timedCounts[wantedKind.rawValue] == 0
    else { return nil }
    return TraceError(
      .withoutTimes,
      file: source.path,
      problem: "no point has a time",
      advice: "a replay needs times: export the recorded track, not a planned route"
    )
  }

  // MARK: - Before reading

  /// The kind of points to deliver: reads until the first track point, else to the end.
  ///
  /// Damage is left to the reading proper, which meets it again.
  private static func survey(path: String) throws(TraceError) -> PointKind? {
    let reader = try TraceReader(source: ByteSource(path: path), accuracyModel: AccuracyModel())
    while !reader.hasEnded {
      do {
        try reader.readPiece()
      } catch {
        break
      }
      if reader.parser.pointCounts[PointKind.track.rawValue] > 0 { return .track }
      _ = reader.parser.takeRecords()
    }
    return PointKind.allCases.first { reader.parser.pointCounts[$0.rawValue] > 0 }
  }

  private static func outOfMemory(_ path: String) -> TraceError {
    TraceError(
      .unreadable,
      file: path,
      problem: "there is no memory left to read it",
      advice: "free some memory and try again"
    )
  }

  /// The error for a beginning that cannot be XML, naming what it looks like.
  private func whatElse(_ beginning: UnsafeRawBufferPointer) -> TraceError? {
    func starts(_ bytes: [UInt8]) -> Bool { beginning.starts(with: bytes) }
    guard let first = beginning.first else {
      return TraceError(
        .notGPX,
        file: source.path,
        problem: "the file is empty",
        advice: "give a GPX file"
      )
    }
    let looks: String
    if first == UInt8(ascii: "<") || first == 0 || starts([0xEF, 0xBB, 0xBF])
      || starts([0xFF, 0xFE]) || starts([0xFE, 0xFF])
    {
      return nil
    } else if starts(Array("PK".utf8)) {
      looks = "a zip archive; unpack it first"
    } else if starts(Array("BZh".utf8)) {
      looks = "a bzip2 file; unpack it first"
    } else if starts([0xFD, 0x37, 0x7A, 0x58, 0x5A]) {
      looks = "an xz file; unpack it first"
    } else if starts([0x28, 0xB5, 0x2F, 0xFD]) {
      looks = "a zstd file; unpack it first"
    } else if starts(Array("SQLite format 3".utf8)) {
      looks = "an SQLite database"
    } else if beginning.count >= 12, beginning[8..<12].elementsEqual(".FIT".utf8) {
      looks = "a FIT file"
    } else if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      looks = "JSON"
    } else if first == UInt8(ascii: "$") {
      looks = "NMEA sentences"
    } else if beginning.prefix(64).allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 9 || $0 == 10 }) {
      looks = "plain text or CSV"
    } else {
      looks = "binary data"
    }
    return TraceError(
      .notGPX,
      file: source.path,
      line: 1,
      byteOffset: 0,
      problem: "this is no GPX; it looks like \(looks)",
      advice: "give a GPX file, packed with gzip or not"
    )
  }
}
