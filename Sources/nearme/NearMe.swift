import ArgumentParser

@main
struct NearMe: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nearme",
    abstract: "Location reminders that fire in the right place, and only there.",
    version: "0.1.0",
    subcommands: [CacheCommand.self, ReplayCommand.self, PolicyCommand.self]
  )
}
