import Profiles
import TestSupport
import Testing
import Timeline

/// How many reminders fit, and which speak when fewer do.
@Suite struct QuotaTests {
  struct Case: Sendable, CustomStringConvertible {
    let row: String
    let profile: String
    let access: Access
    let counts: Counts
    let isTaken: Bool
    let isSilent: Bool
    var description: String { "\(row) \(profile) \(access.rawValue) \(counts)" }
  }

  private static func row(
    _ row: String,
    _ profile: String,
    _ access: Access,
    active: Int = 0,
    month: Int = 0,
    taken: Bool,
    silently: Bool
  ) -> Case {
    let counts = Counts(active: active, open: active, createdThisMonth: month, created: month)
    return Case(
      row: row,
      profile: profile,
      access: access,
      counts: counts,
      isTaken: taken,
      isSilent: silently
    )
  }

  @Test func `words about a quota have the numbers of the one that is reached`() {
    var profile = ProductProfile()
    profile.quotas = [
      Quota(access: .free, scope: .active, limit: 3, enforcement: .hard),
      Quota(access: .free, scope: .createdPerCalendarMonth, limit: 50, enforcement: .soft),
    ]
    let values = profile.messageValues(
      cohort: nil,
      counts: Counts(active: 2, open: 2, createdThisMonth: 50, created: 60),
      trial: .notOffered,
      reached: .createdPerCalendarMonth
    )
    #expect(values["limit"] == "50" && values["count"] == "50")
  }

  static let rows: [Case] = [
    row("NM-7.3", "nearme", .free, active: 2, taken: true, silently: true),
    row("NM-7.3", "nearme", .free, active: 3, taken: false, silently: false),
    row("NM-7.4", "nearme", .trial, active: 300, taken: true, silently: true),
    row("CTX-P3", "context", .free, active: 2, taken: true, silently: true),
    row("CTX-P4", "context", .free, active: 3, taken: false, silently: false),
    row("CTX-P5", "context", .paid, active: 3_000, taken: true, silently: true),
    row("YOMO-5.1a", "yomo", .free, active: 3_000, taken: true, silently: true),
    row("TODO-FR25", "morning", .free, month: 49, taken: true, silently: true),
    row("TODO-FR25", "morning", .free, month: 50, taken: true, silently: false),
    row("TODO-FR25", "morning", .free, month: 5_000, taken: true, silently: false),
    row("TODO-FR21", "morning", .grandfathered, month: 5_000, taken: true, silently: true),
    row("conflict 1", "yourmom", .free, active: 9_999, month: 9_999, taken: true, silently: true),
    row("conflict 1", "unified", .free, active: 9_999, month: 9_999, taken: true, silently: true),
  ]

  @Test(arguments: rows)
  func `NM-7.3, NM-7.4, CTX-P3, CTX-P4, CTX-P5, TODO-FR25, conflict 1: one more reminder`(
    _ row: Case
  ) throws {
    let verdict = try Shipped.profile(row.profile)
      .verdict(onCreatingWith: row.counts, access: row.access)
    #expect(verdict.isTaken == row.isTaken, "\(row)")
    #expect((verdict == .allowed) == row.isSilent, "\(row)")
  }

  @Test func `TODO-FR25: months are those of the account's zone, and deleting makes no room`()
    throws
  {
    // 31 January 23:30 in New York is 1 February 04:30 in UTC.
    let made = try at("2026-02-01T04:30:00Z")
    let now = try at("2026-02-01T06:00:00Z")
    let reminders = [
      CountedReminder(madeAt: made, status: .live), CountedReminder(madeAt: made, status: .deleted),
      CountedReminder(madeAt: now, status: .done), CountedReminder(madeAt: now, status: .muted),
    ]
    let home = Counts(of: reminders, at: now, zone: try zone("America/New_York"))
    #expect(home == Counts(active: 1, open: 2, createdThisMonth: 2, created: 4))
    let utc = Counts(of: reminders, at: now, zone: .utc)
    #expect(utc == Counts(active: 1, open: 2, createdThisMonth: 4, created: 4))
  }

  @Test
  func
    `NM-7.6: the picked ones go on, then the oldest, and the others come back when there is room`()
    throws
  {
    let profile = try Shipped.profile("nearme")
    var draws = SeededGenerator(seed: 7)
    let all = (0..<9).map { LiveCandidate(id: "r\($0)", madeAt: Int64($0), isPicked: $0 == 7) }
    let first = profile.live(among: all, access: .free)
    #expect(first.live == ["r7", "r0", "r1"])
    #expect(first.waiting.map(\.id) == ["r2", "r3", "r4", "r5", "r6", "r8"])
    for _ in 0..<200 {
      // The order in which they are given does not matter, and asking changes nothing.
      #expect(profile.live(among: all.shuffled(using: &draws), access: .free) == first)
    }
    #expect(profile.live(among: all, access: .trial).waiting.isEmpty)
    #expect(Set(profile.live(among: all, access: .trial).live) == Set(all.map(\.id)))
    // One is done: the next of those that wait takes its place.
    let rest = all.filter { $0.id != "r0" }
    #expect(profile.live(among: rest, access: .free).live == ["r7", "r1", "r2"])
  }

  @Test func `CTX-P4: after a downgrade what is locked waits, and takes no room from others`()
    throws
  {
    let profile = try Shipped.profile("context")
    let all = [
      LiveCandidate(id: "place", madeAt: 0, features: [.placeTrigger]),
      LiveCandidate(id: "unlock", madeAt: 1, features: [.unlockTrigger]),
      LiveCandidate(id: "charging", madeAt: 2, features: [.chargingTrigger]),
      LiveCandidate(id: "window", madeAt: 3, features: [.windowTrigger]),
    ]
    let free = profile.live(among: all, access: .free)
    #expect(free.live == ["unlock", "window"])
    #expect(free.waiting.map(\.cause) == [.feature(.placeTrigger), .feature(.chargingTrigger)])
    #expect(
      profile.live(among: all, access: .paid).live == ["place", "unlock", "charging", "window"]
    )
  }

  @Test func `TODO-FR25, conflict 29: a soft quota silences nothing`() throws {
    let all = (0..<500).map { LiveCandidate(id: "\($0)", madeAt: Int64($0)) }
    let choice = try Shipped.profile("morning").live(among: all, access: .free)
    #expect(choice.live.count == 500)
  }
}
