import ArgumentParser

/// `nearme plan`: what plans have, and which one somebody is on.
struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show or change the plan, and explain what a product's plans have.",
    discussion: """
        export NEARME_DB=my.db
        nearme plan
        nearme plan premium
        nearme plan explain --profile context --active 3

      Without a subcommand, `user` is meant.
      """,
    subcommands: [PlanUserCommand.self, PlanExplainCommand.self, PlanProfilesCommand.self],
    defaultSubcommand: PlanUserCommand.self
  )
}

/// `nearme plan profiles`.
struct PlanProfilesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profiles",
    abstract: "List the product profiles that there are."
  )

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        let names = ProfileOptions.names()
        guard !names.isEmpty else { throw ProfileOptions.noProfiles }
        for name in names { print(name) }
      }
    }
  }
}
