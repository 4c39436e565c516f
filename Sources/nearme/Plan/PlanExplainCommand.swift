import ArgumentParser
import Foundation
import Profiles
import SettingsFiles
import Timeline

/// `nearme plan explain`.
struct PlanExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract:
      "Say what a product's plan allows an account, and what it is asked to buy, when and why.",
    discussion: """
      A profile's rules are functions of what is given here and of nothing else: the same dates and counts give the \
      same answer for ever.

        nearme plan explain --profile context --active 3 --created 3
        nearme plan explain --profile morning --launch 2026-01-05 --user u42 \\
          --signup 2026-02-17T09:00:00Z --now 2026-03-16T09:00:00Z --open 40
        nearme plan explain --profile yomo --plan free \\
          --event feature_locked:recurrence.custom

      Events are open, onboarding_done, second_device, manual, quota_reached:SCOPE and feature_locked:FEATURE; \
      without --event, all that can happen are gone through.
      """
  )

  @OptionGroup var options: ProfileOptions

  @Option(help: "Explain this plan, whatever the dates say: free, trial, paid or grandfathered.")
  var plan: Access?

  @Option(
    help: ArgumentHelp(
      "When the account was made. (default: --trial-start, or --now)",
      valueName: "TIME"
    )
  )
  var signup: String?

  @Option(help: ArgumentHelp("The date of the product's launch, for cohorts.", valueName: "DATE"))
  var launch: String?

  @Option(help: ArgumentHelp("The account's id, for cohorts that are drawn.", valueName: "ID"))
  var user = "user"

  @Option(
    name: .customLong("trial-start"),
    help: ArgumentHelp("When a trial that must be confirmed was begun.", valueName: "TIME")
  )
  var trialStart: String?

  @Option(help: ArgumentHelp("The present. (default: the clock's)", valueName: "TIME"))
  var now: String?

  @Option(help: "The account's time zone, in which days and months are counted.")
  var zone: String?

  @Option(help: "How many reminders are live.")
  var active = 0

  @Option(help: "How many are not done. (default: --active)")
  var open: Int?

  @Option(name: .customLong("this-month"), help: "How many were made this month. (default: --open)")
  var thisMonth: Int?

  @Option(help: "How many were ever made. (default: --this-month)")
  var created: Int?

  @Option(
    help: ArgumentHelp("A reason that was shown before. Can be repeated.", valueName: "REASON")
  )
  var shown: [String] = []

  @Option(help: ArgumentHelp("Something that happens, such as open or manual.", valueName: "EVENT"))
  var event: String?

  func validate() throws {
    for count in [active, open, thisMonth, created].compactMap({ $0 }) where count < 0 {
      throw ValidationError("counts of reminders are not negative")
    }
  }

  func run() throws {
    try reportingFailures {
      try mappingSettingsFailures {
        let contents = try options.read()
        let explanation = PlanExplanation(
          profile: contents.profile,
          account: try account(contents.profile),
          counts: counts,
          plan: plan,
          now: try present,
          zone: try accountZone,
          launch: try launchDate
        )
        let events = try event.map { [try Self.event($0)] }
        for line in explanation.lines(events: events) { print(line) }
      }
    }
  }

  private var counts: Counts {
    let open = open ?? active
    let thisMonth = thisMonth ?? open
    return Counts(
      active: active,
      open: open,
      createdThisMonth: thisMonth,
      created: created ?? thisMonth
    )
  }

  private var present: Timestamp {
    get throws { try now.map { try Self.instant($0, "--now") } ?? presentInstant() }
  }

  private var launchDate: CivilDate? {
    get throws {
      guard let launch else { return nil }
      let parts = launch.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
        let date = CivilDate(year: year, month: month, day: day)
      else {
        throw CommandFailure(.usage, "--launch: \"\(launch)\" is no date such as 2026-01-05")
      }
      return date
    }
  }

  private var accountZone: UTCOffsetTable {
    get throws {
      let name = zone ?? TimeZone.current.identifier
      guard let table = UTCOffsetTable(systemZone: name) else {
        throw CommandFailure(.usage, "--zone: this system has no time zone \"\(name)\"")
      }
      return table
    }
  }

  private func account(_ profile: ProductProfile) throws -> Account {
    let trialStart = try trialStart.map { try Self.instant($0, "--trial-start") }
    if let trialStart, trialStart > (try present) {
      throw CommandFailure(.usage, "--trial-start: the trial begins after --now; move one of them")
    }
    let signedUpAt =
      try signup.map { try Self.instant($0, "--signup") } ?? trialStart ?? present
    let zone = try accountZone
    guard signedUpAt <= (try present) else {
      throw CommandFailure(.usage, "--signup: the account is made after --now")
    }
    if profile.cohortTable != nil, try launchDate == nil {
      throw CommandFailure(
        .usage,
        "this profile has cohorts: say with --launch when it was launched"
      )
    }
    var account = Account(
      id: user,
      signedUpAt: signedUpAt,
      profile: profile,
      launch: try launchDate
    )
    if let trialStart {
      guard trialStart >= signedUpAt else {
        throw CommandFailure(
          .usage,
          "--trial-start: the trial begins before --signup; move one of them"
        )
      }
      if let refusal = account.startTrial(at: trialStart, isConfirmed: true, profile: profile) {
        let reason = refusal == .hadOne ? "its trial began with the account" : "it has no trial"
        throw CommandFailure(.usage, "--trial-start: \(reason)")
      }
    }
    account.observe(try present, counts: counts, profile: profile, zone: zone)
    for reason in shown { account.paywall.noteShown(reason, at: try present) }
    return account
  }

  private static func instant(_ text: String, _ option: String) throws -> Timestamp {
    guard let instant = RFC3339.parse(text) else {
      throw CommandFailure(.usage, "\(option): \"\(text)\" is no time such as 2026-02-17T09:00:00Z")
    }
    return instant
  }

  private static func event(_ text: String) throws -> PaywallEvent {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    let detail = parts.count == 2 ? parts[1] : nil
    switch (PaywallEvent.Name(rawValue: parts.first ?? ""), detail) {
    case (.firstOpen, nil): return .firstOpen
    case (.open, nil): return .open
    case (.onboardingDone, nil): return .onboardingDone
    case (.secondDevice, nil): return .secondDevice
    case (.manual, nil): return .manual
    case (.quotaReached, let detail?):
      if let scope = Quota.Scope(rawValue: detail) { return .quotaReached(scope) }
    case (.featureLocked, let detail?):
      if let feature = Feature(rawValue: detail) { return .featureLocked(feature) }
    default: break
    }
    throw CommandFailure(
      .usage,
      "--event: \"\(text)\" is none of first_open, open, onboarding_done, second_device, manual, "
        + "quota_reached:active (or another scope), feature_locked:trigger.place (or another feature)"
    )
  }
}

extension Access: ExpressibleByArgument {}
