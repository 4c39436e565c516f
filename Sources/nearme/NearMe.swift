import ArgumentParser
import Foundation

@main
struct NearMe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nearme",
    abstract: "Location reminders that fire in the right place, and only there.",
    version: "0.1.0",
    subcommands: [
      CacheCommand.self, TraceCommand.self, ReplayCommand.self, RunCommand.self,
      ScoreCommand.self, SimulateCommand.self, ExplainCommand.self, TuneCommand.self,
      EvaluateCommand.self, ReminderCommand.self, PlaceCommand.self, FocusCommand.self,
      PlanCommand.self, PrivacyCommand.self, PolicyCommand.self, TwinCommand.self,
      CompareCommand.self, RecurCommand.self, ToneCommand.self,
    ]
  )

  static func main() {
    // A file that reaches the limit of `ulimit -f` is an error to report and tidy up after, like a
    // full disk; the signal would end the process before it can.
    signal(SIGXFSZ, SIG_IGN)
    main(nil)
  }
}
