import Foundation
import LiveHost
import NearMeEngine
import TestSupport
import Testing
import Timeline

@Suite struct CommandSinkTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A command that a shell of ours reads, which then has the path of `out` as its first argument.
  private func shell(_ body: String) -> [String] {
    ["/bin/sh", "-c", body, "sh", folder.path("out")]
  }

  private func run(
    _ body: String,
    _ delivery: Delivery? = nil,
    timeLimit: Milliseconds = .seconds(20)
  ) async throws -> DeliveryOutcome {
    let sink = try CommandSink(shell(body), timeLimit: timeLimit)
    return await sink.deliver([delivery ?? aNotification()])
  }

  private var written: String {
    (try? String(contentsOfFile: folder.path("out"), encoding: .utf8)) ?? ""
  }

  @Test func `a command has the facts in its environment and the line on its input`() async throws {
    let outcome = try await run(
      "printf '%s\\n' \"$NEARME_EVENT\" \"$NEARME_KEY\" \"$NEARME_ID\" \"$NEARME_KIND\" "
        + "\"$NEARME_TEXT\" \"$NEARME_REMINDERS\" \"$NEARME_MAP\" \"$NEARME_AT\" >\"$1\"; cat >>\"$1\""
    )
    #expect(outcome == .delivered)
    #expect(
      written == """
        posted
        test-7
        \(arrivalAtHome.id)
        arrival
        Arriving at Home — take out the bins now?
        bins
        geo:38.000000,-34.000000
        \(RFC3339.format(arrivalAtHome.at))
        \(aNotification().line)

        """
    )
  }

  @Test func `no shell reads what a title says`() async throws {
    let sink = try CommandSink(shell("printf \'%s\' \"$2\" >\"$1\"") + ["$(id); `id` > x; \"'*"])
    #expect(await sink.deliver([aNotification()]) == .delivered)
    #expect(written == "$(id); `id` > x; \"'*")
  }

  @Test func `a withdrawal has an id and no text`() async throws {
    let withdrawal = Delivery(key: "test-8", at: Timestamp(seconds: 0), .withdrawn(id: "n3"))
    let outcome = try await run(
      "echo \"$NEARME_EVENT $NEARME_ID $NEARME_TEXT.\" >\"$1\"",
      withdrawal
    )
    #expect(outcome == .delivered)
    #expect(written == "withdrawn n3 .\n")
  }

  @Test func `its exit status says whether to try again`() async throws {
    #expect(try await run("exit 75") == .putOff(reason: "exit status 75", atLeast: nil))
    #expect(try await run("exit 1") == .refused(reason: "exit status 1"))
    #expect(try await run("kill -9 $$") == .putOff(reason: "ended by signal 9", atLeast: nil))
  }

  @Test func `a command has none of our files`() async throws {
    let file = open("/dev/null", O_RDONLY)
    defer { close(file) }
    // As those that other packages open: without FD_CLOEXEC, and with a number that nobody else has.
    let descriptor = fcntl(file, F_DUPFD, 200)
    try #require(descriptor >= 200)
    defer { close(descriptor) }
    #expect(try await run("ls /dev/fd/ >\"$1\"") == .delivered)
    let numbers = written.split(separator: "\n").compactMap { Int32($0) }
    #expect(numbers.contains(0) && numbers.contains(1) && numbers.contains(2))
    #expect(!numbers.contains(descriptor), "\(numbers)")
    // What a shell opens for itself it opens from 10 on.
    #expect(numbers.allSatisfy { $0 < 20 }, "\(numbers)")
  }

  @Test func `a command that does not read its input is no failure`() async throws {
    #expect(try await run("exec <&-; exit 0") == .delivered)
  }

  @Test func `a command that does not end is ended, with what it has started`() async throws {
    let outcome = try await run(
      "trap '' TERM; sleep 300 & echo $! >\"$1\"; wait; sleep 300",
      // Enough for a shell to begin on a busy machine.
      timeLimit: .seconds(10)
    )
    #expect(outcome == .putOff(reason: "ran longer than 10 s", atLeast: nil))
    let child = try #require(Int32(written.trimmingCharacters(in: .newlines)))
    // The end of a process takes a moment to be seen.
    for _ in 0..<3_000 where isRunning(child) { try await Task.sleep(for: .milliseconds(20)) }
    #expect(!isRunning(child))
  }

  /// Whether a process runs; one that has ended and that nobody has asked about does not.
  private func isRunning(_ process: Int32) -> Bool {
    guard
      let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let state = status.split(separator: ")").last?.split(separator: " ").first
    else { return false }
    return state != "Z" && state != "X"
  }

  @Test func `what is not there, or may not be run, is named before anything happens`() throws {
    try "x".write(toFile: folder.path("plain"), atomically: true, encoding: .utf8)
    for command in ["/no/such/command", folder.path("plain"), "no-such-command-anywhere", "/tmp"] {
      #expect(throws: HostFailure.self, "\(command)") { try CommandSink([command]) }
    }
    #expect(throws: HostFailure.self) { try CommandSink([]) }
    #expect(throws: Never.self) { try CommandSink(["sh", "-c", "true"]) }
  }

  @Test func `sinks are read from the command line strictly`() throws {
    #expect(try SinkSpecification("terminal") == .terminal(rings: false))
    #expect(try SinkSpecification("terminal:bell") == .terminal(rings: true))
    #expect(try SinkSpecification("ndjson") == .ndjson(path: nil))
    #expect(try SinkSpecification("ndjson:/a/../b.ndjson") == .ndjson(path: "/b.ndjson"))
    #expect(try SinkSpecification("exec:/bin/true") == .command(["/bin/true"]))
    #expect(
      try SinkSpecification("exec:[\"notify-send\",\"Near Me: now\"]")
        == .command(["notify-send", "Near Me: now"])
    )
    for wrong in [
      "", "terminal:loud", "ndjson:", "exec:", "exec:[]", "exec:[1]", "exec:[\"a\"", "webhook:",
      "webhook", "mail:me", "Terminal",
    ] {
      #expect(throws: HostFailure.self, "\(wrong)") { try SinkSpecification(wrong) }
    }
  }
}
