import ArgumentParser
import Replay
import TrialFiles

/// `nearme twin`.
struct TwinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "twin",
    abstract: "Look at the models of phones' location services.",
    subcommands: [TwinShowCommand.self]
  )
}

/// The models that have numbers.
enum TwinName: String, ExpressibleByArgument, CaseIterable {
  case ideal, ios, android

  var settings: TwinSettings { LocationService.Name(rawValue: rawValue)?.settings ?? .ideal }
}

/// `nearme twin show`.
struct TwinShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print a model of a location service, with what every key means and its source.",
    discussion: """
      The output is a twin file itself: save it, fit it to what your own phone does, leave out what \
      stays as it is, and give it to replay or compare.

        nearme twin show ios > mine.yaml
        nearme replay day.gpx --cache pois.sqlite --reminders reminders.json \\
          --monitor ios --twin mine.yaml
      """
  )

  @Argument(help: "ideal, ios or android.")
  var name: TwinName

  @Option(help: ArgumentHelp("Show the model as this file changes it.", valueName: "FILE"))
  var twin: String?

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        let settings = try twin.map { try TwinFile.read(path: $0, over: name.settings) }
        print(TwinFile.show(settings ?? name.settings), terminator: "")
      }
    }
  }
}
