import ArgumentParser
import Foundation
import Replay
import Timeline

/// Drives days through the door of `nearme serve` as phones would, and compares what it tells with the engine.
@main
struct PhoneCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phone-check",
    abstract: "Drive a day through the door of nearme serve, as phones would."
  )

  @Option(help: "The command whose door it is.")
  var nearme = ".build/release/nearme"

  @Option(help: "A cache of places.")
  var cache: String

  @Option(help: "Who is reminded of what; without it each day's truth says who, as in the corpora.")
  var reminders: String?

  @Option(help: "Only this simulator; repeatable.")
  var only: [String] = []

  @Option(help: "Only this kind of trouble; repeatable.")
  var trouble: [String] = []

  @Option(help: "How often the server is killed, in all.")
  var kills = 200

  @Option(help: "Of everything that is drawn.")
  var seed: UInt64 = 1

  @Option(help: "Where the folders of runs that failed are kept.")
  var keep: String?

  @Flag(help: "Print every request with its answer.")
  var show = false

  @Argument(help: "The recorded days.")
  var traces: [String]

  func run() throws {
    DoorProcess.endWithCheck()
    signal(SIGPIPE, SIG_IGN)
    let simulators = Simulator.allCases.filter { only.isEmpty || only.contains($0.rawValue) }
    let killed = simulators.count { $0.troubles(kills: 1).contains { $0.kills > 0 } } * traces.count
    var failures = 0
    for trace in traces {
      let day = try Day(trace: trace, cache: cache, reminders: reminders)
      say("\n\(day.name): \(day.fixes.count) fixes, \(day.person.reminders.count) reminders")
      say(CheckRun.head)
      for simulator in simulators {
        for trouble in simulator.troubles(kills: (kills + killed - 1) / max(1, killed))
        where self.trouble.isEmpty || self.trouble.contains(trouble.name) {
          let run = CheckRun(
            day: day,
            simulator: simulator,
            trouble: trouble,
            command: nearme,
            seed: seed,
            keep: keep,
            shows: show
          )
          if try !run.make() { failures += 1 }
        }
      }
    }
    guard failures == 0 else {
      say("\(failures) runs differ")
      throw ExitCode(1)
    }
    say("all equal")
  }
}

/// Prints a line at once: who looks on sees each run as it ends, also through a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
