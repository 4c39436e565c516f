import Foundation
import NearMeEngine
import Places
import TestSupport
import Timeline
import TrialFiles
import UserStore

/// The sample day as a live host has it: a cache, a feed, and a user database for each run.
struct LiveDay {
  static let root: URL = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder
  }()

  let folder: TemporaryFolder
  let cache: String
  /// The fixes, a line each.
  let feed: String
  private let template: String

  /// - Parameter more: reminders besides those of the sample day.
  /// - Parameter signals: lines to put among the fixes, each before the first that is later.
  init(more: [Reminder] = [], signals: [(at: String, line: String)] = []) throws {
    folder = try TemporaryFolder()
    cache = folder.path("pois.sqlite")
    feed = folder.path("day.ndjson")
    template = folder.path("template.db")
    let sample = { Self.root.appendingPathComponent($0).path }
    for arguments in [
      ["cache", "build", sample("data/port-ardent.osm.pbf"), "-o", cache],
      ["trace", "convert", sample("traces/errands.gpx.gz"), "-o", feed],
    ] {
      let result = try Command(arguments)
      precondition(result.status == 0, result.errors)
    }
    if !signals.isEmpty { try Self.mix(signals, into: feed) }
    let person = try RemindersFile(path: sample("traces/reminders.json"))
    let store = try UserStore(path: template, key: .besides(template))
    let start = Timestamp(seconds: 0)
    try store.setEntitlement(.premium, at: start)
    for place in person.places {
      _ = try store.addPlace(id: place.id, at: start) { _ in place }.get()
    }
    for reminder in person.reminders + more {
      _ = try store.addReminder(id: reminder.id, at: start) { _ in reminder }.get()
    }
    try store.close()
  }

  /// Puts lines among those of a feed, in order of time.
  private static func mix(_ signals: [(at: String, line: String)], into feed: String) throws {
    let fixes = try String(contentsOfFile: feed, encoding: .utf8).split(separator: "\n")
    var lines: [Substring] = []
    var rest = signals[...]
    for fix in fixes {
      // Both write instants alike, so that their order is that of the texts.
      let at = fix.dropFirst("{\"time\":\"".count).prefix { $0 != "\"" }
      while let next = rest.first, next.at < at { lines.append(rest.removeFirst().line[...]) }
      lines.append(fix)
    }
    let text = (lines + rest.map { $0.line[...] }).joined(separator: "\n") + "\n"
    try text.write(toFile: feed, atomically: true, encoding: .utf8)
  }

  /// A new database with the day's places and reminders; all have the same identity.
  ///
  /// - Parameter folder: where; nil for the day's own.
  func database(_ name: String, in folder: String? = nil) throws -> String {
    let path = folder.map { $0 + "/" + name } ?? self.folder.path(name)
    for suffix in ["", ".key"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
      try FileManager.default.copyItem(atPath: template + suffix, toPath: path + suffix)
    }
    return path
  }

  /// The arguments of a run of the day.
  func arguments(_ database: String, _ sinks: [String]) -> [String] {
    ["run", "--cache", cache, "--db", database, "--clock", "fixes", "--time-zone", "UTC"]
      + sinks.flatMap { ["--sink", $0] }
  }

  /// Starts a run that reads the whole feed.
  func start(
    _ database: String,
    _ sinks: [String],
    _ more: [String] = [],
    errors: FileHandle = .nullDevice
  ) throws -> Process {
    let process = Process()
    process.executableURL = Command.binary
    process.arguments = arguments(database, sinks) + more
    process.standardInput = FileHandle(forReadingAtPath: feed)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    return process
  }

  /// Runs the rest of the day.
  ///
  /// - Returns: the exit status, and what it said.
  func run(
    _ database: String,
    _ sinks: [String],
    _ more: [String] = []
  ) throws -> (status: Int32, errors: String) {
    let said = folder.path("said-\(UUID())")
    _ = FileManager.default.createFile(atPath: said, contents: nil)
    guard let errors = FileHandle(forWritingAtPath: said) else { throw POSIXError(.EIO) }
    let process = try start(database, sinks, more, errors: errors)
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOfFile: said, encoding: .utf8))
  }
}
