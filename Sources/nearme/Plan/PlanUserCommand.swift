import ArgumentParser
import NearMeEngine
import UserStore

/// `nearme plan user`, or `nearme plan` alone: how many reminders may be live.
struct PlanUserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user",
    abstract:
      "Show or change the plan of a user database; what free has room for, the profile says.",
    discussion: """
        export NEARME_DB=my.db
        nearme plan
        nearme plan premium

      On the way back to free nothing is muted or deleted: as many live reminders as there is room \
      for, in the order in which they were made, go on speaking, and the others wait.
      """
  )

  @Argument(help: "The plan to change to; without it, the present one is shown.")
  var plan: PlanName?

  @OptionGroup var database: UserDatabaseOptions

  enum PlanName: String, ExpressibleByArgument, CaseIterable {
    case free, premium
  }

  func run() throws {
    try reportingFailures {
      try mappingUserFailures {
        let store = try database.open(plan == nil ? .look : .make)
        let now = presentInstant()
        if let plan {
          try store.setEntitlement(plan == .free ? .free : .premium, at: now)
        }
        let text = try UserText(store, at: now)
        try printLines(Self.lines(text))
      }
    }
  }

  private static func lines(_ text: UserText) -> [String] {
    let live = text.reminders.filter(\.isLive)
    guard let limit = text.plans.liveReminders(of: text.entitlement) else {
      return ["\(text.entitlement.rawValue): any number of reminders; \(live.count) are live"]
    }
    let waiting = UserStore.waiting(text.reminders, text.entitlement, text.plans)
    guard !waiting.isEmpty else { return ["free: \(live.count) of \(limit) reminders are live"] }
    return ["free: these \(limit) go on speaking"]
      + live.prefix(limit).map { "  \($0.id)  \(shown($0.title))" }
      + ["these wait until one of them is done, muted or deleted, in this order"]
      + waiting.map { "  \($0.id)  \(shown($0.title))" }
  }
}
