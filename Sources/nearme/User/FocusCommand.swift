import ArgumentParser
import NearMeEngine
import UserStore

/// `nearme focus`: silence at the user's wish.
struct FocusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "focus",
    abstract: "Switch a focus on or off: while it is on, nothing is told.",
    discussion: """
        export NEARME_DB=my.db
        nearme focus on
        nearme focus off

      When it ends, one summary tells what is still true.
      """
  )

  enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  @Argument(help: "on or off.")
  var state: Switch

  @OptionGroup var database: UserDatabaseOptions

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        try database.open(.edit).setFocus(state == .on, at: presentInstant())
        try printLines(["focus \(state.rawValue)"])
      }
    }
  }
}
