import Profiles
import Timeline

/// What a plan allows an account, in sentences.
struct PlanExplanation {
  let profile: ProductProfile
  let account: Account
  let counts: Counts
  /// The plan to explain, if it is not the account's own.
  let plan: Access?
  let now: Timestamp
  let zone: UTCOffsetTable
  let launch: CivilDate?

  private var access: Access {
    plan ?? account.access(profile, counts: counts, at: now, zone: zone)
  }

  /// All of it; of the events, those given or all that can happen.
  func lines(events: [PaywallEvent]?) -> [String] {
    ["profile: \(profile.name)", "plan: \(access.rawValue)"] + cohortLines + trialLines + quotaLines
      + featureLines + behaviorLines + offerLines
      + eventLines(events ?? self.events)
  }

  /// What is shown at each event; words that were printed are not printed once more.
  private func eventLines(_ events: [PaywallEvent]) -> [String] {
    var lines: [String] = []
    var printed: [ArraySlice<String>] = []
    for event in events {
      let ofEvent = paywallLines(event)
      let words = ofEvent.dropFirst()
      lines.append(ofEvent[0])
      guard !words.isEmpty else { continue }
      lines += printed.contains(words) ? ["  (the same words)"] : words
      printed.append(words)
    }
    return lines
  }

  private var cohortLines: [String] {
    guard let cohort = account.cohort, let launch else { return [] }
    let week = CohortTable.week(of: account.signedUpAt, launch: launch)
    let free = account.isGrandfathered(profile) ? ", free for ever" : ""
    return ["cohort: \(cohort)\(free) (the account is of week \(week))"]
  }

  private var trialLines: [String] {
    switch account.trialState(profile, counts: counts, at: now, zone: zone) {
    case .notOffered: return ["trial: there is none"]
    case .available:
      guard !account.isGrandfathered(profile) else { return ["trial: not needed"] }
      let days = profile.trial?.days.map { "\($0) days, " } ?? ""
      return ["trial: \(days)once it is confirmed"]
    case .running(let day, let daysLeft, let usesLeft):
      let ends =
        [
          daysLeft.map {
            $0 == 0 ? "it ends today" : "it ends in \($0) \($0 == 1 ? "day" : "days")"
          },
          usesLeft.map { "it ends with \($0) more \($0 == 1 ? "reminder" : "reminders")" },
        ]
        .compactMap { $0 }
      return ["trial: runs, day \(day); \(ends.joined(separator: ", or "))"]
    case .ended(let end):
      let cause =
        switch end.cause {
        case .duration: "its days were over"
        case .usage: "it had all its reminders"
        case .canceled: "it was canceled"
        }
      return ["trial: ended at \(RFC3339.format(end.at)): \(cause)"]
    }
  }

  private var quotaLines: [String] {
    let quotas = profile.quotas.filter { $0.access == access }
    let full = quotas.map { quota in
      "quota: \(counts.count(quota.scope)) of \(quota.limit) \(Self.words(quota.scope))"
        + (quota.enforcement == .soft ? ", and more are taken" : "")
    }
    let verdict: String
    switch profile.verdict(onCreatingWith: counts, access: access) {
    case .allowed: verdict = "taken"
    case .allowedBeyond(let quota):
      verdict = "taken, beyond the \(quota.limit) \(Self.words(quota.scope))"
    case .refused(let quota):
      verdict = "refused: there is room for \(quota.limit) \(Self.words(quota.scope))"
    }
    return (full.isEmpty ? ["quota: none"] : full) + ["one more reminder: \(verdict)"]
  }

  private static func words(_ scope: Quota.Scope) -> String {
    switch scope {
    case .active: "live reminders"
    case .open: "open reminders"
    case .createdPerCalendarMonth: "made this month"
    }
  }

  private var featureLines: [String] {
    let has = Feature.allCases.filter { profile.has($0, access: access) }
    let locked = Feature.allCases.filter {
      profile.availability(of: $0) == .paid && !profile.has($0, access: access)
    }
    let absent = Feature.allCases.filter { profile.availability(of: $0) == .absent }
    return [("has", has), ("locked", locked), ("not in this product", absent)]
      .filter { !$0.1.isEmpty }
      .map { "\($0.0): \($0.1.map(\.rawValue).joined(separator: ", "))" }
  }

  private var behaviorLines: [String] {
    [
      "conditions: \(profile.logic == .tree ? "all, any and not" : "one list, all must hold")",
      "timers: \(profile.timers.rawValue); sync: \(profile.sync.rawValue); "
        + "counted at most: \(profile.telemetry.rawValue)",
      "list: \(profile.sort.rawValue); e-mail: \(profile.email.rawValue); sign-in: "
        + (profile.auth.isEmpty ? "none" : profile.auth.map(\.rawValue).joined(separator: ", ")),
    ] + (profile.persistence == .once ? ["reminders: speak once"] : [])
  }

  private var offerLines: [String] {
    let offers = profile.offers(cohort: account.cohort)
    let monthly = offers.first { $0.kind == .monthly }
    return offers.isEmpty
      ? ["offers: none"]
      : offers.map { offer in
        let saved = monthly.flatMap { offer.savingsPercent(over: $0) }.map { ", \($0)% less" } ?? ""
        return "offer: \(offer.id), \(offer.price) \(Self.words(offer.kind))\(saved) ("
          + "\(offer.stores.map(\.rawValue).joined(separator: ", ")))"
      }
  }

  private static func words(_ kind: Offer.Kind) -> String {
    switch kind {
    case .monthly: "a month"
    case .yearly: "a year"
    case .lifetime: "once"
    }
  }

  /// What can happen to this account.
  private var events: [PaywallEvent] {
    let quotas = profile.quotas.filter { $0.access == access }
      .map { PaywallEvent.quotaReached($0.scope) }
    let locked = Feature.allCases.filter {
      profile.availability(of: $0) == .paid && !profile.has($0, access: access)
    }
    return [.firstOpen, .open, .onboardingDone] + quotas + locked.map { .featureLocked($0) }
      + [.secondDevice, .manual]
  }

  private func paywallLines(_ event: PaywallEvent) -> [String] {
    let trial = account.trialState(profile, counts: counts, at: now, zone: zone)
    let verdict = profile.paywall.verdict(
      to: event,
      access: access,
      trial: trial,
      remindersMade: counts.created,
      log: account.paywall
    )
    let name = "at \(Self.words(event))"
    switch verdict {
    case .none(let cause): return ["\(name): nothing, \(words(cause))"]
    case .show(let presentation, let reason):
      var reached: Quota.Scope?
      if case .quotaReached(let scope) = event { reached = scope }
      let message = profile.message(
        for: reason,
        cohort: account.cohort,
        values: profile.messageValues(
          cohort: account.cohort,
          counts: counts,
          trial: trial,
          reached: reached
        )
      )
      let texts = message.map { [$0.title, $0.text] + $0.points + [$0.finePrint] } ?? []
      return ["\(name): \(presentation.rawValue), because of \(reason)"]
        + texts.filter { !$0.isEmpty }.map { "  \($0)" }
        + (presentation == .blocking ? ["  (the way past it: go on with what is free)"] : [])
    }
  }

  private static func words(_ event: PaywallEvent) -> String {
    switch event {
    case .quotaReached(let scope): "quota_reached:\(scope.rawValue)"
    case .featureLocked(let feature): "feature_locked:\(feature.rawValue)"
    default: event.name.rawValue
    }
  }

  private func words(_ cause: PaywallVerdict.Cause) -> String {
    switch cause {
    case .grandfathered: "this account is never asked"
    case .paid: "it is paid for"
    case .noRule: "no rule says so"
    case .shownBefore: "it was shown before"
    case .tooEarly:
      profile.paywall.leastReminders > counts.created
        ? "before \(profile.paywall.leastReminders) reminders were made"
        : "never at the first opening"
    }
  }
}
