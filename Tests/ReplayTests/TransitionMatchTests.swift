import OutputLines
import Fencing
import NearMeEngine
import Replay
import Testing
import Timeline

/// What counts as found, on hand-made days: seconds after noon.
@Suite struct TransitionMatchTests {
  private static func record(
    _ second: Int64,
    _ kind: TransitionRecord.Kind = .enter,
    tier: Tier = .arrival,
    reminder: String = "bank"
  ) -> TransitionRecord {
    TransitionRecord(
      at: Timestamp(seconds: 43_200 + second),
      reminder: reminder,
      step: .tier(tier),
      kind: kind,
      poi: nil,
      distanceMeters: 0
    )
  }

  private static func match(
    _ found: [TransitionRecord],
    _ expected: [TransitionRecord]
  ) -> TransitionMatch {
    TransitionMatch(found: found, expected: expected, tolerance: .minutes(10))
  }

  private static func seconds(_ records: [TransitionRecord]) -> [Int64] {
    records.map { $0.at.milliseconds / 1_000 - 43_200 }
  }

  @Test func `equal runs match at once`() {
    let day = [Self.record(0), Self.record(30, .exit), Self.record(31), Self.record(90, .exit)]
    let match = Self.match(day, day)
    #expect(match.missed.isEmpty && match.spurious.isEmpty)
    #expect(match.matched.allSatisfy { $0.expected == $0.found })
  }

  @Test func `ten minutes late is found, a second more is missed and spurious`() {
    let found = Self.match([Self.record(600)], [Self.record(0)])
    #expect(found.matched.count == 1)
    let lost = Self.match([Self.record(601)], [Self.record(0)])
    #expect(Self.seconds(lost.missed) == [0])
    #expect(Self.seconds(lost.spurious) == [601])
  }

  @Test func `what comes after two is the second, and the first was missed`() {
    let match = Self.match([Self.record(230)], [Self.record(0), Self.record(200)])
    #expect(Self.seconds(match.missed) == [0])
    #expect(match.matched.count == 1)
    #expect(Self.seconds(match.matched.map(\.expected)) == [200])
  }

  @Test func `half a minute early is found, but not before a later one is due`() {
    #expect(Self.match([Self.record(-30)], [Self.record(0)]).matched.count == 1)
    #expect(Self.match([Self.record(-31)], [Self.record(0)]).spurious.count == 1)
    // The one before comes first.
    let match = Self.match([Self.record(0)], [Self.record(-5), Self.record(5)])
    #expect(Self.seconds(match.matched.map(\.expected)) == [-5])
  }

  @Test func `reminder, tier and direction must agree, and dwells do not count`() {
    let expected = [Self.record(0)]
    for other in [
      Self.record(0, .exit), Self.record(0, tier: .approach(miles: 1)),
      Self.record(0, reminder: "pharmacy"),
    ] {
      let match = Self.match([other], expected)
      #expect(match.missed.count == 1 && match.spurious.count == 1)
    }
    let dwell = Self.match([Self.record(5, .dwell)], [])
    #expect(dwell.spurious.isEmpty)
  }

  @Test func `the tally of a hand-made trace`() {
    var oracle = ReplaySummary()
    oracle.rises = 2
    oracle.falls = 1
    var run = ReplaySummary()
    run.wakes = [.regionEnter: 4, .scheduled: 9]
    run.registrations = 30
    run.regionsHeldMost = 7
    run.atRisk = .minutes(6)
    run.start = Timestamp(seconds: 0)
    run.end = Timestamp(seconds: 7_200)
    let match = Self.match(
      [Self.record(40), Self.record(400, .exit), Self.record(900)],
      [Self.record(0), Self.record(300, .exit), Self.record(2_000)]
    )
    var tally = ComparisonTally()
    tally.add(match, run, expected: oracle) { ($1 - $0).seconds * 10 }
    #expect((tally.expected, tally.missed, tally.spurious) == (3, 1, 1))
    #expect((tally.expectedEnters, tally.missedEnters) == (2, 1))
    #expect((tally.lateSeconds(0.5), tally.lateSeconds(0.95)) == (40, 100))
    #expect((tally.lateMeters(0.5), tally.lateMeters(0.95)) == (400, 1_000))
    #expect((tally.wakes, tally.wakesPerHour) == (4, 2))
    #expect(tally.wakesPerChange == 4.0 / 3)
    #expect((tally.registrationsPerHour, tally.heldMost) == (15, 7))
    #expect(tally.atRisk == .minutes(6))
    let row = ComparisonTable.Row(monitor: "ios", strategy: .nearestEdge, slots: 20, tally: tally)
    let table = ComparisonTable(rows: [row], traces: 1, seed: 3, tolerance: .minutes(10))
    #expect(
      table.text.contains(
        "1 (33.3 %)  1 (50.0 %)         1  40 s 400 m  100 s 1000 m      2.0        1.33"
      ),
      "\(table.text)"
    )
    #expect(table.json.contains("\"late_seconds_p95\":100.0"))
  }
}
