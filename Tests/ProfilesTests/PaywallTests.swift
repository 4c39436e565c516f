import Profiles
import TestSupport
import Testing
import Timeline

/// When something to buy is shown, and which words go with it.
@Suite struct PaywallTests {
  struct Case: Sendable, CustomStringConvertible {
    let row: String
    let profile: String
    let event: PaywallEvent
    var access = Access.free
    var trial = TrialState.available
    var made = 3
    var shown: [String] = []
    /// `modal custom_recurrence`, or the cause of silence.
    let expected: String
    var description: String { "\(row) \(profile) \(event)" }
  }

  private static func ended(_ cause: TrialEnd) -> TrialState {
    .ended(.init(at: Timestamp(seconds: 0), cause: cause))
  }

  private static func running(_ day: Int) -> TrialState {
    .running(day: day, daysLeft: 30 - day, usesLeft: 50)
  }

  private func check(_ row: Case) throws {
    var log = PaywallLog()
    for reason in row.shown { log.noteShown(reason, at: Timestamp(seconds: 0)) }
    let table = try Shipped.profile(row.profile).paywall
    func verdict() -> PaywallVerdict {
      table.verdict(
        to: row.event,
        access: row.access,
        trial: row.trial,
        remindersMade: row.made,
        log: log
      )
    }
    let text =
      switch verdict() {
      case .none(let cause): cause.rawValue
      case .show(let presentation, let reason): "\(presentation.rawValue) \(reason)"
      }
    #expect(text == row.expected, "\(row)")
    #expect(verdict() == verdict(), "\(row)")
  }

  static let context: [Case] = [
    Case(
      row: "CTX-P6",
      profile: "context",
      event: .quotaReached(.active),
      expected: "modal fourth_reminder"
    ),
    Case(
      row: "CTX-P6",
      profile: "context",
      event: .featureLocked(.placeTrigger),
      expected: "modal locked_trigger"
    ),
    Case(
      row: "CTX-P6",
      profile: "context",
      event: .featureLocked(.appOpenedTrigger),
      expected: "modal app_triggers"
    ),
    Case(row: "CTX-P6", profile: "context", event: .manual, expected: "modal unlimited"),
    Case(row: "CTX-P7", profile: "context", event: .firstOpen, made: 0, expected: "too_early"),
    Case(row: "CTX-P7", profile: "context", event: .firstOpen, expected: "too_early"),
    Case(row: "CTX-P7", profile: "context", event: .open, expected: "no_rule"),
    Case(row: "CTX-P7", profile: "context", event: .onboardingDone, expected: "no_rule"),
    Case(
      row: "CTX-P7",
      profile: "context",
      event: .featureLocked(.placeTrigger),
      made: 0,
      expected: "too_early"
    ),
    Case(
      row: "CTX-P7",
      profile: "context",
      event: .featureLocked(.placeTrigger),
      made: 1,
      expected: "modal locked_trigger"
    ),
    Case(
      row: "CTX-P6",
      profile: "context",
      event: .quotaReached(.active),
      access: .paid,
      expected: "paid"
    ),
  ]

  @Test(arguments: context)
  func `CTX-P6, CTX-P7: where something was asked for that the plan lacks, and nowhere else`(
    _ row: Case
  ) throws {
    try check(row)
  }

  static let yomo: [Case] = [
    Case(row: "YOMO-5.3a", profile: "yomo", event: .firstOpen, made: 0, expected: "too_early"),
    Case(row: "YOMO-5.3a", profile: "yomo", event: .open, expected: "no_rule"),
    Case(row: "YOMO-5.3a", profile: "yomo", event: .onboardingDone, expected: "no_rule"),
    Case(
      row: "YOMO-5.3b",
      profile: "yomo",
      event: .featureLocked(.customRecurrence),
      made: 0,
      expected: "modal custom_recurrence"
    ),
    Case(
      row: "YOMO-5.3c",
      profile: "yomo",
      event: .featureLocked(.minuteSnooze),
      expected: "soft notification_snooze"
    ),
    Case(row: "YOMO-5.3d", profile: "yomo", event: .secondDevice, expected: "soft second_device"),
    Case(
      row: "YOMO-5.3e",
      profile: "yomo",
      event: .featureLocked(.themes),
      expected: "modal themes"
    ),
    Case(
      row: "YOMO-5.3b",
      profile: "yomo",
      event: .featureLocked(.customRecurrence),
      access: .paid,
      expected: "paid"
    ),
  ]

  @Test(arguments: yomo)
  func `YOMO-5.3a, YOMO-5.3b, YOMO-5.3c, YOMO-5.3d, YOMO-5.3e: the four moments, and no other`(
    _ row: Case
  ) throws {
    try check(row)
  }

  static let nearme: [Case] = [
    Case(
      row: "NM-7.1",
      profile: "nearme",
      event: .onboardingDone,
      made: 0,
      expected: "soft onboarding"
    ),
    Case(
      row: "NM-7.1",
      profile: "nearme",
      event: .onboardingDone,
      shown: ["onboarding"],
      expected: "shown_before"
    ),
    Case(
      row: "NM-7.5",
      profile: "nearme",
      event: .open,
      trial: ended(.duration),
      expected: "modal trial_ended"
    ),
    Case(
      row: "NM-7.5",
      profile: "nearme",
      event: .open,
      trial: ended(.duration),
      shown: ["trial_ended"],
      expected: "shown_before"
    ),
    Case(
      row: "NM-7.5",
      profile: "nearme",
      event: .open,
      access: .trial,
      trial: .running(day: 6, daysLeft: 1, usesLeft: nil),
      expected: "no_rule"
    ),
  ]

  @Test(arguments: nearme)
  func
    `NM-7.1, NM-7.5, conflict 9: softly after the introduction, once, and when the trial is over`(
      _ row: Case
    ) throws
  {
    try check(row)
  }

  static let morning: [Case] = [
    Case(
      row: "TODO-FR22",
      profile: "morning",
      event: .open,
      access: .trial,
      trial: running(26),
      expected: "no_rule"
    ),
    Case(
      row: "TODO-FR22",
      profile: "morning",
      event: .open,
      access: .trial,
      trial: running(27),
      expected: "modal trial_ending"
    ),
    Case(
      row: "TODO-FR22",
      profile: "morning",
      event: .open,
      access: .trial,
      trial: running(28),
      shown: ["trial_ending"],
      expected: "shown_before"
    ),
    Case(
      row: "TODO-FR22",
      profile: "morning",
      event: .open,
      access: .trial,
      trial: running(29),
      shown: ["trial_ending"],
      expected: "banner trial_ends_tomorrow"
    ),
    Case(
      row: "TODO-FR22",
      profile: "morning",
      event: .open,
      trial: ended(.duration),
      shown: ["trial_ending", "trial_ends_tomorrow"],
      expected: "blocking trial_ended"
    ),
    Case(
      row: "TODO-FR22",
      profile: "morning",
      event: .open,
      trial: ended(.duration),
      shown: ["trial_ended"],
      expected: "shown_before"
    ),
    // FR24: the other two ways to it.
    Case(
      row: "TODO-FR24",
      profile: "morning",
      event: .open,
      trial: ended(.usage),
      expected: "blocking trial_ended"
    ),
    Case(
      row: "TODO-FR24",
      profile: "morning",
      event: .manual,
      access: .trial,
      trial: running(3),
      expected: "modal manual"
    ),
    Case(
      row: "TODO-FR25",
      profile: "morning",
      event: .quotaReached(.createdPerCalendarMonth),
      trial: ended(.duration),
      shown: ["trial_ended"],
      expected: "soft monthly_cap"
    ),
    Case(
      row: "TODO-FR21",
      profile: "morning",
      event: .open,
      access: .grandfathered,
      trial: .available,
      expected: "grandfathered"
    ),
    Case(
      row: "TODO-FR23",
      profile: "morning",
      event: .manual,
      access: .grandfathered,
      expected: "soft support"
    ),
  ]

  @Test(arguments: morning)
  func `TODO-FR22, TODO-FR24, TODO-FR25, conflicts 9 and 29: days 27, 29 and 30, each once`(
    _ row: Case
  ) throws {
    try check(row)
  }

  private static let events: [PaywallEvent] =
    [.firstOpen, .open, .onboardingDone, .secondDevice, .manual]
    + Quota.Scope.allCases.map { .quotaReached($0) } + Feature.allCases.map { .featureLocked($0) }

  @Test
  func
    `CTX-P1, CTX-P7: over random lives nothing is shown unasked, before a reminder or at an opening`()
    throws
  {
    let profile = try Shipped.profile("context")
    var shownCount = 0
    for seed in 0..<2_000 {
      var draws = SeededGenerator(seed: UInt64(seed))
      var made = 0
      var log = PaywallLog()
      for _ in 0..<30 {
        if draws.index(below: 4) == 0 { made += 1 }
        let event = Self.events[draws.index(below: Self.events.count)]
        let verdict = profile.paywall.verdict(
          to: event,
          access: .free,
          trial: .available,
          remindersMade: made,
          log: log
        )
        guard case .show(let presentation, let reason) = verdict else { continue }
        shownCount += 1
        log.noteShown(reason, at: Timestamp(seconds: 0))
        #expect(presentation == .modal, "seed \(seed)")
        #expect(made > 0 || event == .manual, "seed \(seed)")
        #expect(![.firstOpen, .open, .onboardingDone].contains(event), "seed \(seed)")
      }
    }
    #expect(shownCount > 10_000)
  }

  @Test func `TODO-FR21: an account that is free for ever sees no paywall, whatever happens`()
    throws
  {
    let profile = try Shipped.profile("morning")
    let launch = try #require(CivilDate(year: 2026, month: 1, day: 5))
    for seed in 0..<500 {
      var draws = SeededGenerator(seed: UInt64(seed))
      let signup = try at("2026-01-26T00:00:00Z") + .minutes(Int64(draws.integer(0...30_239)))
      var account = Account(id: "u\(seed)", signedUpAt: signup, profile: profile, launch: launch)
      for _ in 0..<40 {
        let now = signup + .minutes(Int64(draws.integer(-500_000...2_000_000)))
        let counts = Counts(
          active: draws.integer(0...300),
          open: draws.integer(0...300),
          createdThisMonth: draws.integer(0...300),
          created: draws.integer(0...3_000)
        )
        account.observe(now, counts: counts, profile: profile, zone: .utc)
        let event = Self.events[draws.index(below: Self.events.count)]
        let verdict = profile.paywall(
          at: event,
          account: account,
          counts: counts,
          now: now,
          zone: .utc
        )
        guard case .show(let presentation, let reason) = verdict else { continue }
        account.paywall.noteShown(reason, at: now)
        // The one thing it can see is the prompt for support, which it has looked for and which asks for no money.
        #expect(event == .manual && presentation == .soft && reason == "support", "seed \(seed)")
      }
      #expect(account.paywall.shownCount <= 1, "seed \(seed)")
    }
    #expect(profile.offers(cohort: "free_launch").isEmpty)
  }

  @Test func `TODO-FR22: a person who opens the app every day sees each notice once, on its day`()
    throws
  {
    let profile = try Shipped.profile("morning")
    let launch = try #require(CivilDate(year: 2026, month: 1, day: 5))
    for name in ["UTC", "America/New_York", "Pacific/Kiritimati", "Australia/Lord_Howe"] {
      let local = try zone(name)
      let signup = try at("2026-02-17T08:00:00Z")
      var account = Account(id: "u", signedUpAt: signup, profile: profile, launch: launch)
      var seen: [String] = []
      for hour in 0..<(24 * 40) {
        let now = signup + .minutes(Int64(hour) * 60)
        account.observe(now, counts: Counts(), profile: profile, zone: local)
        let verdict = profile.paywall(
          at: .open,
          account: account,
          counts: Counts(),
          now: now,
          zone: local
        )
        guard case .show(let presentation, let reason) = verdict else { continue }
        account.paywall.noteShown(reason, at: now)
        let day =
          local.local(at: now).date.daysSinceEpoch - local.local(at: signup).date.daysSinceEpoch
        seen.append("\(day) \(presentation.rawValue)")
      }
      #expect(seen == ["27 modal", "29 banner", "30 blocking"], "\(name)")
    }
  }

  @Test
  func `TODO-FR32: what was shown, when last, how often it was closed, and how it was bought`()
    throws
  {
    var log = PaywallLog()
    #expect(log.shownCount == 0 && log.lastShownAt == nil && log.conversion == nil)
    let first = try at("2026-03-16T08:00:00Z")
    let second = try at("2026-03-19T08:00:00Z")
    log.noteShown("trial_ending", at: first)
    log.noteDismissed("trial_ending")
    log.noteShown("trial_ended", at: second)
    log.noteDismissed("trial_ended")
    log.noteShown("trial_ended", at: first)
    #expect(log.shownCount == 3)
    #expect(log.dismissals == 2)
    #expect(log.lastShownAt == second)
    #expect(log.entries.map(\.shownCount) == [1, 2])
    log.noteConversion(.trialExpiry)
    log.noteConversion(.manual)
    #expect(log.conversion == .trialExpiry)
    #expect(
      Set(PaywallLog.Conversion.allCases.map(\.rawValue))
        .isSuperset(of: ["trial_expiry", "task_limit", "manual"])
    )
  }

  // MARK: - Words

  @Test func `TODO-FR23: each cohort is spoken to in its own way, with its own figures`() throws {
    let profile = try Shipped.profile("morning")
    func words(_ cohort: String, emailCount: Int? = 30) throws -> PaywallMessage {
      try #require(
        profile.words(
          "trial_ended",
          cohort: cohort,
          counts: Counts(createdThisMonth: 51, created: 140),
          trial: Self.ended(.duration),
          emailCount: emailCount
        )
      )
    }
    let low = try words("early_freemium_2.99")
    #expect(low.text == "$2.99 once, and it stays yours forever.")
    #expect(low.texts.allSatisfy { !$0.contains("140") })
    let high = try words("early_freemium_4.99")
    #expect(high.title == "140 tasks, 30 mornings")
    #expect(high.text.contains("$4.99"))
    // Where nobody knows how many mails there were, nobody reads a placeholder.
    #expect(try words("early_freemium_4.99", emailCount: nil).text == "$4.99, once.")
    #expect(try words("paid_cohort_v1").text == "$2.99, once.")
    let support = try #require(profile.words("support", cohort: "free_launch"))
    #expect(support.texts.allSatisfy { !$0.contains("$") && !$0.contains("{price}") })
    #expect(profile.words("support", cohort: "unassigned") == nil)
  }

  @Test func `TODO-FR22: the words of days 27 and 29, with the days that are left`() throws {
    let profile = try Shipped.profile("morning")
    func title(_ day: Int) throws -> String {
      try #require(profile.words("trial_ending", trial: Self.running(day))).title
    }
    #expect(try title(27) == "Trial ending in 3 days")
    #expect(try title(28) == "Trial ending in 2 days")
    #expect(
      profile.words("trial_ends_tomorrow")?.text == "Trial ending tomorrow"
    )
  }

  @Test func `CTX-P8: the words of the paywall, for every reason that it has`() throws {
    let profile = try Shipped.profile("context")
    for rule in profile.paywall.rules {
      let message = try #require(profile.words(rule.reason), "\(rule.reason)")
      #expect(message.title == "Wait less. Remember better.")
      #expect(message.text == "Unlock reminders that wait for the right moment.")
      #expect(
        message.points == [
          "Remind me when I’m already there", "Remind me when I open the app",
          "Remind me when I’m actually free",
        ]
      )
      #expect(message.actions == ["Unlock full access", "Start free trial"])
      #expect(message.dismissal == "Not now")
    }
  }

  @Test func `YOMO-5.3c, YOMO-5.3d, YOMO-5.4: the words of the prompts and of the sheet`() throws {
    let profile = try Shipped.profile("yomo")
    #expect(
      profile.words("notification_snooze")?.text
        == "Upgrade to Pro to snooze from notifications"
    )
    #expect(
      profile.words("second_device")?.text
        == "Your reminders are waiting. Upgrade to Pro to sync across devices."
    )
    let sheet = try #require(profile.words("custom_recurrence"))
    #expect(sheet.title == "Unlock Yomo Pro")
    #expect(sheet.points == ["Monthly: $2.99", "Annual: $19.99, best value, save 44%"])
    #expect(sheet.actions == ["Start 3-Day Free Trial", "Restore Purchases"])
    #expect(sheet.finePrint == "Cancel anytime. You won't be charged during the trial.")
  }

  @Test func `NM-7.2, conflict 29: every paywall has a way past it`() throws {
    for name in Shipped.names {
      let profile = try Shipped.profile(name)
      for message in profile.messages where message.reason != "notification_snooze" {
        guard
          profile.paywall.rules.first(where: { $0.reason == message.reason })?.presentation != .soft
        else { continue }
        #expect(!message.dismissal.isEmpty, "\(name) \(message.reason)")
      }
    }
    let first = try #require(try Shipped.profile("nearme").words("onboarding"))
    #expect(first.actions == ["Start the trial", "Continue free"])
  }

  @Test func `a value is never read as a placeholder`() {
    var message = PaywallMessage(reason: "r", cohort: nil)
    message.text = "{price} {unknown} {count"
    #expect(
      message.filled(with: ["price": "{count}", "count": "7"]).text == "{count} {unknown} {count"
    )
  }

  // MARK: - Offers

  @Test(arguments: [("CTX-P2", "context"), ("YOMO-5.2", "yomo"), ("NM-7.5", "nearme")])
  func `CTX-P2, YOMO-5.2, conflict 11: a month, a year, and how much the year saves`(
    _ row: String,
    _ name: String
  ) throws {
    let offers = try Shipped.profile(name).offers
    let monthly = try #require(offers.first { $0.kind == .monthly }, "\(row)")
    let yearly = try #require(offers.first { $0.kind == .yearly }, "\(row)")
    #expect((299...499).contains(monthly.priceCents))
    #expect((1_999...2_999).contains(yearly.priceCents))
    #expect(yearly.savingsPercent(over: monthly) == 44)
    #expect(monthly.savingsPercent(over: yearly) == nil)
  }

  @Test func `CTX-P10, TODO-FR26, conflict 11: one store alone, or three for what is bought once`()
    throws
  {
    let context = try Shipped.profile("context").offers
    #expect(context.map(\.id) == ["com.app.until.monthly", "com.app.until.yearly"])
    #expect(context.allSatisfy { $0.stores == [.apple] && $0.kind.isSubscription })
    let morning = try Shipped.profile("morning").offers
    #expect(morning.allSatisfy { $0.stores == [.apple, .google, .stripe] && $0.kind == .lifetime })
  }

  @Test func `no more is claimed to be saved than is saved`() {
    func offer(_ kind: Offer.Kind, _ cents: Int, _ currency: String = "USD") -> Offer {
      Offer(id: "\(kind)", kind: kind, priceCents: cents, currency: currency, stores: [])
    }
    #expect(offer(.yearly, 1_201).savingsPercent(over: offer(.monthly, 200)) == 49)
    #expect(offer(.yearly, 2_400).savingsPercent(over: offer(.monthly, 200)) == nil)
    #expect(offer(.yearly, 2_000, "EUR").savingsPercent(over: offer(.monthly, 200)) == nil)
    #expect(offer(.lifetime, 5, "EUR").price == "EUR 0.05")
  }
}
