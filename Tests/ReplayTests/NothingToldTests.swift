import NearMeEngine
import OutputLines
import Places
import Replay
import Testing
import Timeline
import Traces

/// Where a replay has told nothing, its summary says why.
@Suite struct NothingToldTests {
  private static func summary(
    fixes: Int = 9,
    refused: [FixRefusal: Int] = [:],
    suppressed: [Silence: Int] = [:],
    deferred: [Silence: Int] = [:]
  ) -> ReplaySummary {
    var summary = ReplaySummary()
    summary.fixes = fixes
    summary.refused = refused
    summary.suppressed = suppressed
    summary.deferred = deferred
    return summary
  }

  private static func notified(_ summary: ReplaySummary, _ awaited: Awaited = .places) -> String? {
    let lines = TextFormat(zone: .utc).text(summary, awaited: awaited).split(separator: "\n")
    return lines.first { $0.hasPrefix("  notified  ") }.map { String($0.dropFirst(12)) }
  }

  @Test func `the reason is the first that alone is enough`() {
    let most = Self.summary(
      suppressed: [.muted: 2, .alreadySaid: 1],
      deferred: [.alreadySaid: 2]
    )
    let refusal = FixRefusal.allCases[1]
    for (summary, awaited, reason) in [
      (Self.summary(), .nothing, "there is no reminder"),
      (
        Self.summary(fixes: 0), .absentCategories,
        "the cache has no place of the categories asked for"
      ),
      (Self.summary(fixes: 0), .places, "no fix was taken in"),
      (
        Self.summary(fixes: 0, refused: [FixRefusal.allCases[0]: 1, refusal: 4]), .places,
        "no fix was taken in, most often \(refusal.rawValue)"
      ),
      (most, .places, "all that was due was held back, most often already_said"),
      (
        Self.summary(), .places,
        "no place came within its outermost tier, or not for long enough"
      ),
      (Self.summary(), .timesAndSignals, "nothing was due"),
    ] as [(ReplaySummary, Awaited, String)] {
      #expect(Self.notified(summary, awaited) == "nothing: " + reason)
    }
    var told = Self.summary()
    told.notificationsByKind = [NotificationKind.allCases[0]: 1]
    #expect(Self.notified(told)?.hasPrefix("once (") == true)
  }

  @Test func `what is waited for is seen from the reminders and the cache`() {
    let bank = Reminder(id: "a", title: "a", target: .category(CategoryID("bank")))
    let home = Reminder(id: "b", title: "b", target: .place("home"))
    let unlock = Reminder(id: "c", title: "c", triggers: [.signal("unlock")])
    var (muted, done) = (bank, home)
    muted.isMuted = true
    done.status = .completed
    for (reminders, knowsBanks, awaited) in [
      ([muted, done], true, .silenced), ([muted, unlock], true, .timesAndSignals),
      ([], true, .nothing), ([bank], true, .places), ([bank], false, .absentCategories),
      ([bank, home], false, .places), ([unlock], true, .timesAndSignals),
      ([bank, unlock], false, .timesAndSignals),
    ] as [([Reminder], Bool, Awaited)] {
      #expect(Awaited(reminders) { _ in knowsBanks } == awaited)
    }
  }
}
