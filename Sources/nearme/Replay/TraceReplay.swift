import Foundation
import Fencing
import PlaceStore
import Replay
import Timeline
import TraceDoctor
import TraceFiles
import Traces

/// Replays one trace after the other, or several at once, each from the same beginning.
struct TraceReplay: Sendable {
  /// Before its first fix.
  let session: ReplaySession
  /// What the reminders wait for.
  let awaited: Awaited
  let format: ReplayCommand.FormatName
  let zone: UTCOffsetTable
  let isOneOfMany: Bool
  /// What a person knows about the traces.
  let options: TraceOptions
  let interrupt: InterruptFlag
  /// Where wrong certificates are noted; nil if none are checked.
  let broken: BrokenCertificates?
  /// Where traces without a fix are noted.
  let empty = EmptyTraces()
  /// The folder whose cells are opened on the way; nil where all places are in memory.
  var cells: CellFolder?

  func run(_ path: String, _ output: any TextOutput) throws {
    var session = session
    // For people only: on a dense trace the doctor takes longer than the replay, and programs can ask
    // for it with `trace check`.
    var doctor = format == .text ? TraceDoctor(placesKept: 0) : nil
    var printer = ReplayPrinter(format: format, zone: zone, output: output)
    try printer.begin(path, isOneOfMany: isOneOfMany)
    do {
      let reader = try TraceReader(path: path, options: options)
      var hasFixes = false
      while true {
        let columns = try reader.nextColumns()
        if columns.pointCount == 0 { break }
        hasFixes = hasFixes || columns.count > 0
        doctor?.examine(columns)
        if format == .geojson {
          try drawAll(columns, &session, &printer)
        } else {
          try session.consume(columns) { lines, _ in
            if interrupt.isSet { throw Self.stopped }
            try printer.print(lines)
          }
        }
        if interrupt.isSet { throw Self.stopped }
        if let failure = cells?.failure { throw failure }
      }
      try printer.print(session.finish())
      try printer.end(
        session.summary,
        awaited,
        accuracy: reader.report.accuracySentence,
        check: doctor?.finish().summaryLine,
        passedOver: reader.report.passedOver,
        guesses: reader.report.guesses
      )
      if !hasFixes { empty.add(path) }
      if let broken { broken.report(session, path) }
    } catch let error as TraceError {
      // Ctrl-C ends the program that writes to our standard input, too, and its end may be seen here
      // a moment before the signal.
      if path == "-" { Thread.sleep(forTimeInterval: 0.2) }
      if interrupt.isSet { throw Self.stopped }
      throw CommandFailure(status(of: error), error.description)
    } catch let error as RegionLimitExceeded {
      throw CommandFailure(.internalError, "\(path): \(error): please report this")
    }
  }

  /// A map shows every fix, also those of which nothing comes.
  private func drawAll(
    _ columns: FixColumns,
    _ session: inout ReplaySession,
    _ printer: inout ReplayPrinter
  ) throws {
    var refused = columns.refused[...]
    for row in 0...columns.count {
      while let next = refused.first, next.row == row {
        try printer.print(session.refuse(next.refusal))
        refused.removeFirst()
      }
      guard row < columns.count else { return }
      if row & 255 == 0, interrupt.isSet { throw Self.stopped }
      let fix = columns.rows.fix(row)
      try printer.print(
        session.consume(fix),
        fix,
        startsSegment: columns.rows.startsSegment(row)
      )
    }
  }

  private static let stopped = CommandFailure(.interrupted, "stopped; no output was written")
}

/// The traces of which no fix could be read.
///
/// Unchecked: the paths are touched under the lock only.
final class EmptyTraces: @unchecked Sendable {
  private let lock = NSLock()
  private var paths: [String] = []

  func add(_ path: String) { lock.withLock { paths.append(path) } }

  /// - Throws: ``CommandFailure`` if all were: what is written would say nothing, and what was there stays.
  func endUnlessLess(than count: Int) throws {
    if lock.withLock({ paths.count }) >= count { try end() }
  }

  /// - Throws: ``CommandFailure`` if there were any.
  func end() throws {
    let paths = lock.withLock { self.paths.sorted() }
    guard !paths.isEmpty else { return }
    throw Self.failure(paths)
  }

  static func failure(_ paths: [String]) -> CommandFailure {
    let names = paths.map { $0 == "-" ? "standard input" : $0 }
    return CommandFailure(
      .badInput,
      "\(names.joined(separator: ", ")): no fix could be read; nearme trace check tells line by line why"
    )
  }
}

/// Says how the checks of certificates ended, and counts the traces with a wrong one: the output is
/// what shows where it went wrong, so it is written all the same.
///
/// Unchecked: the number is touched under the lock only.
final class BrokenCertificates: @unchecked Sendable {
  private let lock = NSLock()
  private var traces = 0

  func report(_ session: ReplaySession, _ path: String) {
    guard let (at, violation) = session.violations.first else {
      printError(
        "nearme: \(path): \(session.summary.certificatesChecked) certificates checked, all hold"
      )
      return
    }
    printError(
      "nearme: \(path): \(RFC3339.format(at)): the certificate is wrong: \(violation)"
    )
    lock.lock()
    defer { lock.unlock() }
    traces += 1
  }

  /// - Throws: ``CommandFailure`` if any was wrong.
  func end() throws {
    lock.lock()
    defer { lock.unlock() }
    if traces > 0 {
      throw CommandFailure(.checkFailed, "traces with a wrong certificate: \(traces)")
    }
  }
}
