import Foundation
import TestSupport
import Testing

/// What the command does on a machine without a network.
@Suite struct NetlessTests {
  private static func runs(_ program: String, _ arguments: [String]) -> Bool {
    (try? output(program, arguments))?.status == 0
  }

  private static func output(
    _ program: String,
    _ arguments: [String],
    input: String = "/dev/null"
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardInput = FileHandle(forReadingAtPath: input)
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  private static let unshare = "/usr/bin/unshare"
  private static let strace = "/usr/bin/strace"
  /// A namespace of its own without any interface, where the system lets us have one.
  private static let hasNamespaces = runs(unshare, ["-n", "true"])
  private static let hasTracer = runs(strace, ["-o", "/dev/null", "true"])

  /// What a person and a phone do in a day.
  private func day(_ live: LiveDay, _ run: ([String]) throws -> String) throws -> [String] {
    let database = try live.database("netless.db")
    let folder = try TemporaryFolder()
    let sample = { LiveDay.root.appendingPathComponent($0).path }
    return [
      try run(
        [
          "replay", sample("traces/errands.gpx.gz"), "--cache", live.cache, "--reminders",
          sample("traces/reminders.json"), "--policy", sample("traces/policy.yaml"),
        ]
      ),
      try run(live.arguments(database, ["ndjson:\(folder.path("told"))"])),
      try String(contentsOfFile: folder.path("told"), encoding: .utf8),
      try run(["reminder", "list", "--db", database]),
      try run(["reminder", "complete", "books", "--db", database]),
      try run(["tone", "preview", sample("data/tones/sassy.yaml"), "call mum"]),
      try run(["recur", "FREQ=DAILY", "--start", "2026-03-06T02:30", "--zone", "Europe/Malta"]),
      try run(["plan", "explain", "--profile", sample("data/profiles/context.yaml")]),
    ]
  }

  @Test(.enabled(if: hasNamespaces, "this system gives no network namespace"))
  func
    `CTX-2.2, CTX-9.3, MOM-18, NM-10.1, TODO-NFR1, YOMO-2.1: a day without a network is a day like any other`()
    throws
  {
    let live = try LiveDay()
    let cut = try day(live) { arguments in
      let run = try Self.output(
        Self.unshare,
        ["-n", Command.binary.path] + arguments,
        input: live.feed
      )
      #expect(run.status == 0, "\(arguments)")
      return run.output
    }
    let usual = try day(live) {
      try Self.output(Command.binary.path, $0, input: live.feed).output
    }
    #expect(cut == usual)
    #expect(cut[0].contains("Arriving at"))
    #expect(cut[2].contains("Arriving at"))
    #expect(cut[3].contains("books"))
  }

  @Test(.enabled(if: hasTracer, "strace is not here, or may not trace"))
  func `CTX-1.6, conflict 2: where nothing is synced no socket is opened`() throws {
    let live = try LiveDay()
    let folder = try TemporaryFolder()
    var number = 0
    _ = try day(live) { arguments in
      number += 1
      let log = folder.path("calls-\(number)")
      let run = try Self.output(
        Self.strace,
        ["-f", "-qq", "-e", "trace=socket,connect", "-o", log, Command.binary.path] + arguments,
        input: live.feed
      )
      #expect(run.status == 0, "\(arguments)")
      let calls = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        .filter { $0.contains("socket(") || $0.contains("connect(") }
      #expect(calls == [], "\(arguments[0])")
      return run.output
    }
    #expect(number == 7)
  }
}
