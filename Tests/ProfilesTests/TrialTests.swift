import Profiles
import TestSupport
import Testing
import Timeline

/// Trials on a given clock.
@Suite struct TrialTests {
  private let none = Counts()

  @Test(arguments: [
    ("CTX-P9", "context", 7), ("YOMO-5.2", "yomo", 3), ("TODO-FR20", "morning", 30),
    ("NM-7.4", "nearme", 7),
  ])
  func
    `CTX-P9, YOMO-5.2, TODO-FR20, conflict 10: it ends so many days later at the same time of day`(
      _ row: String,
      _ name: String,
      _ days: Int
    ) throws
  {
    let profile = try Shipped.profile(name)
    let terms = try #require(profile.trial, "\(row)")
    // Over the change of clocks on 29 March: a day has 23 hours.
    let malta = try zone("Europe/Malta")
    let start = try at("2026-03-27T17:15:00Z")
    let record = TrialRecord(startedAt: start)
    let end = try #require(terms.end(startedAt: start, zone: malta))
    #expect(malta.local(at: end).minuteOfDay == malta.local(at: start).minuteOfDay)
    #expect(
      malta.local(at: end).date.daysSinceEpoch == malta.local(at: start).date.daysSinceEpoch + days
    )
    let before = Timestamp(milliseconds: end.milliseconds - 1)
    #expect(terms.state(of: record, counts: none, at: before, zone: malta).isRunning)
    let after = terms.state(of: record, counts: none, at: end, zone: malta)
    #expect(after == .ended(.init(at: end, cause: .duration)))
  }

  @Test func `conflict 10: where clocks jump over its end it ends with the jump, to the second`()
    throws
  {
    // 02:30:45 on 1 March; on 8 March clocks go from 02:00 to 03:00.
    let end = TrialTerms(days: 7, start: .signup)
      .end(startedAt: try at("2026-03-01T07:30:45Z"), zone: try zone("America/New_York"))
    #expect(end == (try at("2026-03-08T07:00:00Z")))
  }

  @Test(arguments: [
    (0, "2026-02-17T08:00:00Z", "running 0 30 100"),
    (40, "2026-03-16T08:00:00Z", "running 27 3 60"),
    (99, "2026-03-18T23:30:00Z", "running 29 1 1"),
    (100, "2026-02-20T08:00:00Z", "ended usage 2026-02-20T08:00:00Z"),
    (0, "2026-03-19T07:59:59Z", "running 30 0 100"),
    (0, "2026-03-19T08:00:00Z", "ended duration 2026-03-19T08:00:00Z"),
    // Both: what came first counts, and the time is known to have come first.
    (100, "2026-05-01T08:00:00Z", "ended duration 2026-03-19T08:00:00Z"),
  ])
  func `TODO-FR20, TODO-FR24: 30 days or 100 open tasks, whichever comes first`(
    _ open: Int,
    _ now: String,
    _ expected: String
  ) throws {
    let terms = try #require(try Shipped.profile("morning").trial)
    #expect(terms.usage?.counting == .open)
    let record = TrialRecord(startedAt: try at("2026-02-17T08:00:00Z"))
    let state = terms.state(of: record, counts: Counts(open: open), at: try at(now), zone: .utc)
    switch state {
    case .running(let day, let daysLeft, let usesLeft):
      #expect("running \(day) \(daysLeft ?? -1) \(usesLeft ?? -1)" == expected)
    case .ended(let end):
      #expect("ended \(end.cause.rawValue) \(RFC3339.format(end.at))" == expected)
    case .available, .notOffered: Issue.record("\(state)")
    }
  }

  @Test
  func `TODO-FR20: an end is written down once, and neither deleting nor an old clock undoes it`()
    throws
  {
    let profile = try Shipped.profile("morning")
    let start = try at("2026-02-17T08:00:00Z")
    let launch = try #require(CivilDate(year: 2026, month: 1, day: 1))
    var account = Account(id: "u1", signedUpAt: start, profile: profile, launch: launch)
    #expect(account.trial?.startedAt == start)
    let later = try at("2026-02-25T08:00:00Z")
    account.observe(later, counts: Counts(open: 100), profile: profile, zone: .utc)
    #expect(account.trial?.end == .init(at: later, cause: .usage))
    // Everything is done: no open task is left.
    #expect(account.access(profile, counts: none, at: later, zone: .utc) == .free)
    // The clock is set back by a year.
    let past = try at("2025-02-25T08:00:00Z")
    account.observe(past, counts: none, profile: profile, zone: .utc)
    #expect(account.access(profile, counts: none, at: past, zone: .utc) == .free)
    #expect(account.newestInstant == later)
  }

  @Test
  func `CTX-P9: it must be confirmed, there is one, it unlocks all triggers and can be canceled`()
    throws
  {
    let profile = try Shipped.profile("context")
    let start = try at("2026-02-17T08:00:00Z")
    var account = Account(id: "u1", signedUpAt: start, profile: profile)
    #expect(account.trialState(profile, counts: none, at: start, zone: .utc) == .available)
    #expect(account.access(profile, counts: none, at: start, zone: .utc) == .free)
    let unconfirmed = account.startTrial(at: start, isConfirmed: false, profile: profile)
    #expect(unconfirmed == .notConfirmed)
    let refusal = account.startTrial(at: start, isConfirmed: true, profile: profile)
    #expect(refusal == nil)
    let access = account.access(profile, counts: none, at: start, zone: .utc)
    #expect(access == .trial)
    for trigger: Feature in [
      .windowTrigger, .unlockTrigger, .placeTrigger, .chargingTrigger, .appOpenedTrigger,
    ] {
      #expect(profile.has(trigger, access: access))
    }
    #expect(profile.trial?.renews == true)
    account.cancelTrial(at: try at("2026-02-18T08:00:00Z"))
    #expect(account.access(profile, counts: none, at: start, zone: .utc) == .free)
    let second = account.startTrial(at: start, isConfirmed: true, profile: profile)
    #expect(second == .hadOne)
    var unified = Account(id: "u1", signedUpAt: start, profile: ProductProfile())
    let none = unified.startTrial(at: start, isConfirmed: true, profile: ProductProfile())
    #expect(none == .notOffered)
  }

  @Test func `NM-7.5, NM-7.6: when it is over the plan is free again, until something is paid for`()
    throws
  {
    let profile = try Shipped.profile("nearme")
    let start = try at("2026-02-17T08:00:00Z")
    var account = Account(id: "u1", signedUpAt: start, profile: profile)
    _ = account.startTrial(at: start, isConfirmed: true, profile: profile)
    let over = try at("2026-02-24T08:00:00Z")
    #expect(account.access(profile, counts: none, at: over, zone: .utc) == .free)
    let month = Account.Purchase(offer: "monthly", at: over, until: try at("2026-03-24T08:00:00Z"))
    account.buy(month, conversion: .trialExpiry)
    account.buy(month, conversion: .manual)
    #expect(account.purchases == [month])
    #expect(account.paywall.conversion == .trialExpiry)
    #expect(account.access(profile, counts: none, at: over, zone: .utc) == .paid)
    // A clock before the purchase does not take it away.
    #expect(account.access(profile, counts: none, at: start, zone: .utc) == .paid)
    let lapsed = try at("2026-03-24T08:00:00Z")
    #expect(account.access(profile, counts: none, at: lapsed, zone: .utc) == .free)
  }

  @Test func `copies of an account on several devices become one, in any order and however often`()
    throws
  {
    let profile = try Shipped.profile("morning")
    let launch = try #require(CivilDate(year: 2026, month: 1, day: 5))
    for seed in 0..<300 {
      var draws = SeededGenerator(seed: UInt64(seed))
      let copies = try (0..<4).map { _ in try Self.copy(profile, launch, &draws) }
      let merged = copies.dropFirst().reduce(copies[0]) { $0.merged(with: $1, profile: profile) }
      let other = copies.shuffled(using: &draws)
      var again = other.dropFirst().reduce(other[0]) { $0.merged(with: $1, profile: profile) }
      again = again.merged(with: merged, profile: profile)
      #expect(again == merged, "seed \(seed)")
      #expect(merged.isGrandfathered(profile) == copies.contains { $0.isGrandfathered(profile) })
    }
  }

  private static func copy(
    _ profile: ProductProfile,
    _ launch: CivilDate,
    _ draws: inout SeededGenerator
  ) throws -> Account {
    let base = try at("2026-01-20T08:00:00Z")
    func later() -> Timestamp { base + .minutes(Int64(draws.integer(0...60_000))) }
    var account = Account(id: "u", signedUpAt: later(), profile: profile, launch: launch)
    for _ in 0..<draws.integer(0...4) {
      switch draws.index(below: 4) {
      case 0:
        let counts = Counts(open: draws.integer(0...120))
        account.observe(later(), counts: counts, profile: profile, zone: .utc)
      case 1:
        account.buy(.init(offer: "premium_2.99", at: later(), until: nil), conversion: .manual)
      case 2: account.paywall.noteShown("trial_ended", at: later())
      default: account.paywall.noteDismissed("trial_ended")
      }
    }
    return account
  }
}
