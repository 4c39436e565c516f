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
  /// Where wrong certificates are noted; nil if none are checked.
  var broken: BrokenCertificates?

  func run(_ path: String, _ page: DayPageOptions) throws -> DayReport {
    // A day's truth is that of the trace as it is, whatever was said about its columns.
    let day = try CorpusFolder.Day(besides: path)?.read(person: person)
    if let day { noteFixesOutside([day]) }
    var recorder = DayRecorder(session)
    var hasFixes = false
    var startsSegment = false
    do {
      let reader = try TraceReader(path: path, options: options)
      while true {
        let columns = try reader.nextColumns()
        if columns.pointCount == 0 { break }
        hasFixes = hasFixes || columns.count > 0
        let scored = day.map { columns.ofDay($0, &startsSegment) } ?? columns
        try recorder.take(scored) { if interrupt.isSet { throw Self.stopped } }
        if interrupt.isSet { throw Self.stopped }
      }
      // As in the scores, the phone goes on until its day ends.
      try recorder.finish(at: day?.end)
    } catch let error as TraceError {
      if interrupt.isSet { throw Self.stopped }
      throw CommandFailure(status(of: error), error.description)
    } catch let error as RegionLimitExceeded {
      throw CommandFailure(.internalError, "\(path): \(error): please report this")
    }
    if !hasFixes { throw EmptyTraces.failure([path]) }
    broken?.report(recorder.session, path)
    let name = URL(fileURLWithPath: path).lastPathComponent
    do {
      var report = try DayReport(title: name, recorder, of: person, setup, day: day)
      report.baseMap = try page.baseMap(around: report)
      return report
    } catch let error as ScoringError {
      throw CommandFailure(.badInput, "\(path): \(error)")
    }
  }

  private static let stopped = CommandFailure(.interrupted, "stopped; no output was written")
}

extension FixColumns {
  /// What scores take of them: the fixes of which the truth speaks.
  ///
  /// - Parameter startsSegment: whether a segment has begun with a fix that was left out.
  fileprivate func ofDay(_ day: PersonDay, _ startsSegment: inout Bool) -> FixColumns {
    guard day.fixesOutside > 0 else { return self }
    var records: [TraceRecord] = []
    appendRecords(to: &records)
    let columns = FixColumns()
    for var record in records {
      if let fix = record.fix {
        startsSegment = startsSegment || record.startsSegment
        guard day.truth.covers(fix.at) else { continue }
        record.startsSegment = startsSegment
        startsSegment = false
      }
      columns.append(record)
    }
    return columns
  }
}
