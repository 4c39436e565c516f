import Foundation
import PlaceStore
import TraceFiles

/// What a wrong call of `nearme-bench` says, and the status for scripts (sysexits.h).
struct BenchFailure: Error {
  let status: Int32
  let message: String

  static func usage(_ problem: String) -> BenchFailure {
    BenchFailure(status: 64, message: problem + "\n" + benchUsage)
  }
}

let benchUsage = """
  usage: nearme-bench                 measure everything that needs no other data
         nearme-bench COMMAND …

    make-big EXTRACT COPIES OUTPUT    write an OSM PBF file so many times as large
    make-globe EXTRACT COPIES OUTPUT  the same, with the copies spread over the globe
    load ROWS CSV CACHE               write invented places as CSV and as a cache
    make-trace OUTPUT                 write OUTPUT.gpx, OUTPUT.fixes and OUTPUT.pois
    read-once GPX                     read a trace, print its sums
    fences FIXES COUNT                look for places around the fixes of make-trace
    replay GPX [SERVICE]              replay a trace: stream, ios, ideal or radius
    replay-real DATA [SERVICE]        replay a folder of corpora and extracts
    fingerprints DATA                 checksums of all that is said and stored on its days
    store FOLDER                      write turns of a user's database
    archive FOLDER                    page through a million reminders that are done
    recurrence [RULES]                follow recurrence rules, also those of a file
    sentences LANGUAGE [FUZZED]       read sentences in a language file, and so many fuzzed texts
    schedules [COUNT]                 wake an engine with so many scheduled reminders
    counters [FILE]                   count the work, compare it with a file
  """

/// Runs a command and says in a sentence what went wrong.
///
/// - Returns: the exit status: 0 done, 1 a check failed, 64 usage, 65 bad input data, 66 input missing,
///   74 I/O.
func runCommand(_ name: String, _ arguments: [String]) -> Int32 {
  do {
    return try run(name, arguments)
  } catch {
    let (status, message) = describe(error)
    FileHandle.standardError.write(Data("nearme-bench: \(message)\n".utf8))
    return status
  }
}

private func run(_ name: String, _ arguments: [String]) throws -> Int32 {
  func number(_ text: String, _ what: String) throws -> Int {
    guard let number = Int(text), number > 0 else {
      throw BenchFailure.usage("\(name): \(what) must be a whole number above 0, not \"\(text)\"")
    }
    return number
  }
  func service() throws -> ReplayedService? {
    try arguments.dropFirst().first
      .map { service in
        guard let known = ReplayedService(rawValue: service) else {
          throw BenchFailure.usage("\(name): there is no service \"\(service)\"")
        }
        return known
      }
  }
  switch (name, arguments.count) {
  case ("-h", _), ("--help", _), ("help", _): print(benchUsage)
  case ("make-big", 3):
    let copies = try number(arguments[1], "COPIES")
    try BigMap(extract: arguments[0]).write(copies: copies, to: arguments[2])
  case ("make-globe", 3):
    let copies = try number(arguments[1], "COPIES")
    try BigMap(extract: arguments[0]).write(copies: copies, spreads: true, to: arguments[2])
  case ("load", 3):
    let rows = try number(arguments[0], "ROWS")
    try measureLoad(rows: rows, csv: arguments[1], cache: arguments[2])
  case ("make-trace", 1):
    try refuseFolder(arguments[0])
    let world = World(points: 10_000)
    let trace = BigTrace(fixes: world.drive(fixes: 1_000_000))
    try trace.writeGPX(to: arguments[0] + ".gpx")
    try trace.writeBinary(to: arguments[0] + ".fixes")
    try writePoints(world, to: arguments[0] + ".pois")
  case ("sentences", 1): try measureSentences(language: arguments[0], fuzzed: 0)
  case ("sentences", 2):
    try measureSentences(language: arguments[0], fuzzed: number(arguments[1], "FUZZED"))
  case ("read-once", 1): try printSums(gpx: arguments[0])
  case ("fences", 2):
    let count = try number(arguments[1], "COUNT")
    try measureFences(fixes: arguments[0], count: count)
  case ("replay", 1...2):
    try measureReplay(gpx: arguments[0], only: try service())
  case ("replay-real", 1...2):
    try measureRealReplays(data: URL(fileURLWithPath: arguments[0]), only: try service())
  case ("fingerprints", 1): try printFingerprints(data: URL(fileURLWithPath: arguments[0]))
  case ("store", 1):
    try inFolder(below: URL(fileURLWithPath: arguments[0]), "nearme-store") {
      try measureStoreTurns(folder: $0)
    }
  case ("archive", 1):
    try inFolder(below: URL(fileURLWithPath: arguments[0]), "nearme-archive") {
      try measureArchive(folder: $0)
    }
  case ("recurrence", 0...1): try measureRecurrence(file: arguments.first)
  case ("schedules", 0...1):
    try measureSchedules(count: try arguments.first.map { try number($0, "COUNT") } ?? 10_000)
  case ("counters", 0...1):
    return try inFolder(below: FileManager.default.temporaryDirectory, "nearme-counters") {
      try checkCounters(arguments.first, folder: $0)
    }
  case ("make-big", _), ("make-globe", _), ("load", _), ("make-trace", _), ("read-once", _),
    ("fences", _),
    ("replay", _), ("replay-real", _), ("fingerprints", _), ("store", _), ("archive", _),
    ("recurrence", _), ("schedules", _), ("counters", _):
    throw BenchFailure.usage("\(name) does not take \(arguments.count) arguments")
  default: throw BenchFailure.usage("there is no command \"\(name)\"")
  }
  return 0
}

/// Gives a new folder to a body, and takes it away afterward.
func inFolder<Result>(
  below parent: URL,
  _ name: String,
  _ body: (URL) throws -> Result
) throws -> Result {
  let folder = parent.appendingPathComponent("\(name)-\(ProcessInfo.processInfo.processIdentifier)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder)
}

/// `make-trace /tmp` would write /tmp.gpx, which nobody wants.
private func refuseFolder(_ path: String) throws {
  var isFolder: ObjCBool = false
  if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
    throw BenchFailure(
      status: 74,
      message: "\(path) is a folder: name the beginning of the files, such as \(path)/big"
    )
  }
}

private func describe(_ error: any Error) -> (status: Int32, message: String) {
  switch error {
  case let failure as BenchFailure: return (failure.status, failure.message)
  case let error as TraceError:
    let status: Int32 =
      switch error.code {
      case .missing: 66
      case .unreadable: 74
      case .notATrace, .malformed, .excessive, .withoutTimes, .unfitOptions: 65
      }
    return (status, "\(error)")
  case let error as CocoaError:
    let place = error.filePath.map { "\($0): " } ?? ""
    switch error.code {
    case .fileReadNoSuchFile: return (66, "\(place)there is no such file")
    case .fileNoSuchFile, .fileWriteUnknown, .fileWriteNoPermission:
      return (74, "\(place)cannot be written: check that its folder exists and its permissions")
    default: return (74, "\(place)\(error.localizedDescription)")
    }
  case let error as DecodingError: return (65, "the file of counters cannot be read: \(error)")
  default: return (65, "\(error)")
  }
}
