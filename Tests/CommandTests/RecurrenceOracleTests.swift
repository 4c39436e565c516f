import Foundation
import Testing

/// A sample of what `make check-recurrence` compares at length: random rules beside python-dateutil, and beside
/// recurring-ical-events and a model of the specification in 30 zones.
@Suite struct RecurrenceOracleTests {
  private static let script = LiveDay.root.appendingPathComponent("scripts/recurrence_oracle.py")
    .path

  private static func python(_ arguments: [String]) -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    let pipe = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return (127, "") }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  private static let hasPeers =
    python(["-c", "import dateutil, icalendar, recurring_ical_events"]).status == 0

  @Test(
    .enabled(
      if: hasPeers,
      "needs python3 with dateutil and recurring-ical-events: pip install recurring-ical-events"
    )
  )
  func `random rules agree with dateutil, recurring-ical-events and the specification`() {
    let run = Self.python([
      Self.script, "--nearme", Command.binary.path, "--seed", "2", "--floating", "300", "--zoned",
      "10",
    ])
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("300 rules beside dateutil"))
    #expect(run.output.contains("300 rules in 30 zones"))
    #expect(run.output.contains("beside recurring-ical-events"))
  }
}
