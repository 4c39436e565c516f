#if NEARME_WITHOUT_DOOR
import ArgumentParser

/// A command of the door in a program that was built without it, as `make demo` does.
protocol DoorlessCommand: ParsableCommand {}

extension DoorlessCommand {
  func run() throws {
    try reportingFailures {
      throw CommandFailure(
        .usage,
        "this nearme was built for the demo, without the door for phones: `make build` makes the whole"
      )
    }
  }
}

/// `nearme serve`.
struct ServeCommand: DoorlessCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Let phones in; needs `make build`, this program is without."
  )

  @Argument(parsing: .captureForPassthrough, help: .hidden) var words: [String] = []
}

/// `nearme person`.
struct PersonCommand: DoorlessCommand {
  static let configuration = CommandConfiguration(
    commandName: "person",
    abstract: "Who may come in by the door; needs `make build`."
  )

  @Argument(parsing: .captureForPassthrough, help: .hidden) var words: [String] = []
}

/// `nearme phone`.
struct PhoneCommand: DoorlessCommand {
  static let configuration = CommandConfiguration(
    commandName: "phone",
    abstract: "The phones that may come in; needs `make build`."
  )

  @Argument(parsing: .captureForPassthrough, help: .hidden) var words: [String] = []
}
#endif
