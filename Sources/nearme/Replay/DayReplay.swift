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
struct DayReplay {
  /// Before its first fix.
  let session: ReplaySession
  let person: Person
  let setup: ReplaySetup
  let options: TraceOptions
  let interrupt: InterruptFlag
  /// Whether the phone goes on until its day ends, as scores have it, or the last fix is the end, as in the lines
  /// of `nearme replay`.
  var goesOn = false
  /// Where wrong certificates are noted; nil if none are checked.
  var broken: BrokenCertificates?

  func run(_ path: String, _ page: DayPageOptions) throws -> DayReport {
    var recorder = DayRecorder(session)
    var hasFixes = false
    do {
      let reader = try TraceReader(path: path, options: options)
      while true {
        let columns = try reader.nextColumns()
        if columns.pointCount == 0 { break }
        hasFixes = hasFixes || columns.count > 0
        try recorder.take(columns) { if interrupt.isSet { throw Self.stopped } }
        if interrupt.isSet { throw Self.stopped }
      }
    } catch let error as TraceError {
      if interrupt.isSet { throw Self.stopped }
      throw CommandFailure(status(of: error), error.description)
    } catch let error as RegionLimitExceeded {
      throw CommandFailure(.internalError, "\(path): \(error): please report this")
    }
    if !hasFixes { throw EmptyTraces.failure([path]) }
    // A day's truth is that of the trace as it is, whatever was said about its columns.
    let truth = try CorpusFolder.Day(besides: path)?.read(person: person)
    do {
      try recorder.finish(at: goesOn ? truth?.end : nil)
    } catch let error as RegionLimitExceeded {
      throw CommandFailure(.internalError, "\(path): \(error): please report this")
    }
    broken?.report(recorder.session, path)
    let name = URL(fileURLWithPath: path).lastPathComponent
    do {
      var report = try DayReport(title: name, recorder, of: person, setup, day: truth)
      report.baseMap = try page.baseMap(around: report)
      return report
    } catch let error as ScoringError {
      throw CommandFailure(.badInput, "\(path): \(error)")
    }
  }

  private static let stopped = CommandFailure(.interrupted, "stopped; no output was written")
}
