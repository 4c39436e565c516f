import ArgumentParser
import NearMeEngine
import Replay
import SettingsFiles

/// `nearme policy`.
struct PolicyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Look at the numbers that decide what is said and when.",
    subcommands: [PolicyShowCommand.self]
  )
}

/// `nearme policy show`.
struct PolicyShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print the complete policy, with what every key means.",
    discussion: """
      The output is a policy file itself: save it, change what you want, leave out what you do not, \
      and give it to replay. Some defaults are those of a location service: name the one that the file is for.

        nearme policy show > policy.yaml
        nearme replay day.gpx --cache pois.sqlite --reminders reminders.json \\
          --policy policy.yaml
        nearme policy show --monitor ios > phone.yaml
      """
  )

  @Option(help: ArgumentHelp("Show the defaults as this file changes them.", valueName: "FILE"))
  var policy: String?

  @Option(help: "Show the defaults for this location service.")
  var monitor = LocationService.Name.ideal

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        // A file that names every number makes one service's phone of another's.
        let other = monitor == .ios ? "" : "; of a phone: nearme policy show --monitor ios"
        let shown = PolicyFile.show(try monitor.policy(policy))
        print("# With the defaults of --monitor \(monitor.rawValue)\(other).")
        print(shown, terminator: "")
      }
    }
  }
}

/// Runs a body and gives errors of settings files the exit status that scripts may rely on.
func mappingSettingsFailures(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch let error as SettingsError {
    let status: ExitStatus =
      switch error.code {
      case .missing: .inputMissing
      case .unreadable: .inputOutput
      case .invalid: .badInput
      }
    throw CommandFailure(status, error.description)
  }
}
