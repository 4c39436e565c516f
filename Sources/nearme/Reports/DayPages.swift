import DayReports
import Foundation
import NearMeEngine
import Replay
import Scoring
import TraceFiles
import Traces

/// Pages of single days beside the page of a report: those of `best.html` lie in `best.days`.
struct DayPages {
  private let folder: URL
  private let map: MapLibrary
  /// The names of the pages, each with what it shows.
  private var written: [String: String] = [:]

  /// - Parameter page: the report's file; nil where it is none beside which a folder could lie.
  init?(besides page: String?) throws {
    guard let page, page.hasSuffix(".html") else { return nil }
    folder = URL(fileURLWithPath: String(page.dropLast(".html".count)) + ".days")
    map = try MapLibrary(path: nil)
  }

  /// Writes the page of a day.
  ///
  /// - Returns: the link to it from the report.
  mutating func write(
    _ name: String,
    _ fixes: [Fix],
    of person: Person,
    _ setup: ReplaySetup,
    day: PersonDay?
  ) throws -> String {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure(
        .inputOutput,
        "\(folder.path): cannot be made: check that its folder exists and its permissions"
      )
    }
    let short = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    // Days whose names differ in other letters have pages of their own.
    var (plain, number) = (short, 1)
    while let other = written[plain.lowercased()], other != name {
      number += 1
      plain = "\(short)-\(number)"
    }
    written[plain.lowercased()] = name
    let file = folder.appendingPathComponent(plain + ".html")
    let report = try Self.report(name, fixes, of: person, setup, day: day)
    let output = try OutputFile(path: file.path, isPrivate: true)
    try output.write(ReportPage(report, map).html)
    try output.finish()
    // The folder's name may have any letter; in a link some mean something else.
    let link = folder.lastPathComponent + "/" + plain + ".html"
    return link.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? link
  }

  /// A day of which the fixes are known.
  private static func report(
    _ title: String,
    _ fixes: [Fix],
    of person: Person,
    _ setup: ReplaySetup,
    day: PersonDay?
  ) throws -> DayReport {
    do {
      var recorder = DayRecorder(
        try setup.session(for: person, restore: EngineState.storedAndRead)
      )
      try recorder.take(FixColumns(fixes))
      try recorder.finish(at: day?.end)
      return try DayReport(title: title, recorder, of: person, setup, day: day)
    } catch let error as ScoringError {
      throw CommandFailure(.badInput, "\(title): \(error)")
    } catch let error as ReminderLoadError {
      throw CommandFailure(.badInput, "\(title): \(error)")
    }
  }
}
