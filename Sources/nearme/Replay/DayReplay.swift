import CorpusFiles
import DayReports
import Foundation
import NearMeEngine
import Replay
import Scoring
import Timeline
import TraceFiles
import Traces

/// Replays one trace as a day to be looked at, with the truth beside it if there is one.
final class DayReplay {
  private let session: ReplaySession
  private let person: Person
  private let setup: ReplaySetup
  private let options: TraceOptions
  private let interrupt: InterruptFlag
  private var brokenCertificates = 0
  private var checkedCertificates = 0

  /// - Parameter session: before its first fix.
  init(
    session: ReplaySession,
    person: Person,
    setup: ReplaySetup,
    options: TraceOptions,
    interrupt: InterruptFlag
  ) {
    self.session = session
    self.person = person
    self.setup = setup
    self.options = options
    self.interrupt = interrupt
  }

  func run(_ path: String, _ page: DayPageOptions) throws -> DayReport {
    var recorder = DayRecorder(session)
    do {
      let reader = try TraceReader(path: path, options: options)
      while true {
        let columns = try reader.nextColumns()
        if columns.pointCount == 0 { break }
        try recorder.take(columns) { if interrupt.isSet { throw Self.stopped } }
        if interrupt.isSet { throw Self.stopped }
      }
      try recorder.finish()
    } catch let error as TraceError {
      if interrupt.isSet { throw Self.stopped }
      throw CommandFailure(status(of: error), error.description)
    }
    brokenCertificates = recorder.violations
    checkedCertificates = recorder.summary.certificatesChecked
    // A day's truth is that of the trace as it is, whatever was said about its columns.
    let truth = try CorpusFolder.Day(besides: path)?.read(person: person)
    let name = URL(fileURLWithPath: path).lastPathComponent
    do {
      var report = try DayReport(title: name, recorder, of: person, setup, day: truth)
      report.baseMap = try page.baseMap(around: report)
      return report
    } catch let error as ScoringError {
      throw CommandFailure(.badInput, "\(path): \(error)")
    }
  }

  /// Says how the checks of certificates ended.
  func endChecks() throws {
    guard brokenCertificates > 0 else {
      return printError("nearme: \(checkedCertificates) certificates checked, all hold")
    }
    throw CommandFailure(.checkFailed, "certificates that do not hold: \(brokenCertificates)")
  }

  private static let stopped = CommandFailure(.interrupted, "stopped; no output was written")
}
