import ArgumentParser
import CBuild
import Foundation
import Places

@main
struct NearMe: ParsableCommand {
  /// The number of the release, which caches record: the same for all commits between two.
  static let number = "0.1.0"

  /// The commit of the sources, in brackets.
  private static var commit: String? {
    let commit = String(cString: nearme_commit())
    return commit.isEmpty ? nil : "(\(commit))"
  }

  /// What the parser refuses begins as all other failures do.
  static var _errorPrefix: String { "nearme: " }

  static let configuration = CommandConfiguration(
    commandName: "nearme",
    abstract: "Location reminders that fire in the right place, and only there.",
    version: ([number, commit].compactMap(\.self)).joined(separator: " "),
    subcommands: [
      CacheCommand.self, TraceCommand.self, ReplayCommand.self, RunCommand.self,
      ScoreCommand.self, SimulateCommand.self, ExplainCommand.self, TuneCommand.self,
      EvaluateCommand.self, ReminderCommand.self, PlaceCommand.self, FocusCommand.self,
      SignalCommand.self,
      PlanCommand.self, PrivacyCommand.self, PolicyCommand.self, TwinCommand.self,
      CompareCommand.self, RecurCommand.self, ToneCommand.self, UnderstandCommand.self,
      RememberCommand.self, ServeCommand.self, PersonCommand.self, PhoneCommand.self,
    ]
  )

  static func main() {
    // A file that reaches the limit of `ulimit -f` is an error to report and tidy up after, like a
    // full disk; the signal would end the process before it can.
    signal(SIGXFSZ, SIG_IGN)
    let arguments = CommandLine.arguments.dropFirst()
    // The parser's help on what is no command is that of all commands.
    if arguments.first == "help" { refuseMisspelling(in: arguments.dropFirst()) }
    var command: any ParsableCommand
    do {
      command = try parseAsRoot(joiningNegativeNumbers(arguments))
    } catch {
      // To look for what was meant, the help of all options is made: only where something is wrong.
      if exitCode(for: error) == .validationFailure { refuseMisspelling(in: arguments) }
      end(with: error)
    }
    do {
      try command.run()
    } catch {
      end(with: error)
    }
  }

  /// Ends as the parser does; help that could not be written is a failure.
  private static func end(with error: any Error) -> Never {
    guard exitCode(for: error) == .success else { exit(withError: error) }
    let help = fullMessage(for: error)
    do {
      try reportingFailures { if !help.isEmpty { print(help) } }
    } catch { exit(withError: error) }
    exit()
  }

  /// The arguments with an option and a negative number behind it as one word, such as `--at=-12.04,-77.04`: no option
  /// begins with a digit, and the parser takes each word with a dash for one.
  private static func joiningNegativeNumbers(_ arguments: ArraySlice<String>) -> [String] {
    var joined: [String] = []
    for word in arguments {
      if let option = joined.last, option.hasPrefix("--"), option != "--", !option.contains("="),
        !joined.contains("--"), word.contains(/^-[.0-9]/)
      {
        joined[joined.count - 1] += "=" + word
      } else {
        joined.append(word)
      }
    }
    return joined
  }

  /// Ends with what was meant, where that can be told.
  private static func refuseMisspelling(in arguments: ArraySlice<String>) {
    guard let mistake = misspelling(in: arguments) else { return }
    printError("nearme: \(mistake)")
    Foundation.exit(ExitStatus.usage.code)
  }

  /// What to say of a command that is none, or of an option that was most likely meant to be another;
  /// nil if the parser is to say all.
  private static func misspelling(in arguments: ArraySlice<String>) -> String? {
    var command: any ParsableCommand.Type = NearMe.self
    var path = "nearme"
    for (index, word) in zip(arguments.indices, arguments) {
      let known = command.configuration.subcommands
      if known.isEmpty {
        return unknownOption(in: arguments[index...], of: command, path)
      }
      if word.hasPrefix("-") { return unknownOption(in: arguments[index...], of: command, path) }
      guard word != "help" else { return nil }
      if word == "version" {
        return "there is no command `\(path) version`: did you mean --version?"
      }
      let names = known.compactMap { $0.configuration.commandName }
      guard let next = known.first(where: { $0.configuration.commandName == word }) else {
        let hint = nearestName(to: word, among: names).map { "did you mean \($0)?" }
        // What is no command may be meant for the one that needs no name.
        if hint == nil, command.configuration.defaultSubcommand != nil { return nil }
        return "there is no command `\(path) \(word)`: "
          + (hint ?? "known are " + names.joined(separator: ", "))
      }
      command = next
      path += " " + word
    }
    return nil
  }

  /// Options that every command has and no help shows.
  private static let parsersOwn = ["--help", "--experimental-", "--generate-completion-script"]

  private static func unknownOption(
    in arguments: ArraySlice<String>,
    of command: any ParsableCommand.Type,
    _ path: String
  ) -> String? {
    // The parser keeps the names to itself, but writes them into the help.
    let help = helpMessage(for: command, columns: 200)
    let known = Set(help.matches(of: /--[a-z][a-z0-9-]*/).map { String($0.output) })
    for word in arguments.prefix(while: { $0 != "--" }) where word.hasPrefix("--") {
      let name = String(word.prefix { $0 != "=" })
      guard !known.contains(name), !parsersOwn.contains(where: name.hasPrefix) else { continue }
      let names = known.map { String($0.dropFirst(2)) }.sorted()
      let meant = nearestName(to: String(name.dropFirst(2)), among: names)
      return "`\(path)` has no option \(name): "
        + (meant.map { "did you mean --\($0)?" } ?? "`\(path) --help` shows them")
    }
    return nil
  }
}
