import Foundation
import Recurrence
import SettingsFiles
import Testing
import Timeline

/// The zones that break programs, and all of them hour by hour.
@Suite struct ClockChangeTests {
  private func around(
    _ rule: String,
    _ start: String,
    _ zone: String,
    _ limit: Int
  ) throws -> [String] {
    try Written(rule, start: start, zone: zone).times(limit)
  }

  @Test func `half an hour, two hours, and minutes that are not whole hours`() throws {
    #expect(
      try around("FREQ=DAILY", "2026-10-03T02:15", "Australia/Lord_Howe", 3)
        == [
          "2026-10-03T02:15:00+10:30", "2026-10-04T02:45:00+11:00", "2026-10-05T02:15:00+11:00",
        ]
    )
    #expect(
      try around("FREQ=DAILY", "2026-03-28T02:30", "Antarctica/Troll", 3)
        == [
          "2026-03-28T02:30:00+00:00", "2026-03-29T04:30:00+02:00", "2026-03-30T02:30:00+02:00",
        ]
    )
    #expect(
      try around("FREQ=HOURLY", "2026-09-27T01:50", "Pacific/Chatham", 3)
        == [
          "2026-09-27T01:50:00+12:45", "2026-09-27T03:50:00+13:45", "2026-09-27T04:50:00+13:45",
        ]
    )
  }

  @Test func `a gap at midnight never moves an occurrence to the day before`() throws {
    for (zone, day) in [("America/Santiago", "2026-09-06"), ("Africa/Cairo", "2026-04-24")] {
      let times = try around("FREQ=DAILY", "2026-04-01T00:00", zone, 200)
      let dates = times.map { $0.prefix(10) }
      #expect(Set(dates).count == 200, "\(zone)")
      #expect(times.contains { $0.hasPrefix(day + "T01:00:00") }, "\(zone)")
    }
  }

  @Test func `Apia has no 30 December 2011`() throws {
    let times = try around("FREQ=DAILY", "2011-12-29T09:00", "Pacific/Apia", 3)
    #expect(times.map { $0.prefix(10) } == ["2011-12-29", "2011-12-31", "2012-01-01"])
    let monthly = try around("FREQ=MONTHLY;BYMONTHDAY=30", "2011-11-01T09:00", "Pacific/Apia", 3)
    #expect(monthly.map { $0.prefix(10) } == ["2011-11-30", "2011-12-31", "2012-01-30"])
  }

  @Test func `the first of two readings, also where winter is the exception`() throws {
    #expect(
      try around("FREQ=DAILY", "2026-10-24T01:30", "Europe/Dublin", 3)
        == [
          "2026-10-24T01:30:00+01:00", "2026-10-25T01:30:00+01:00", "2026-10-26T01:30:00+00:00",
        ]
    )
    let ramadan = try around("FREQ=DAILY", "2026-02-14T02:30", "Africa/Casablanca", 3)
    #expect(ramadan[1] == "2026-02-15T02:30:00+01:00")
    #expect(ramadan[2] == "2026-02-16T02:30:00+00:00")
    #expect(
      try around("FREQ=DAILY", "1994-12-30T12:00", "Pacific/Kiritimati", 3).map { $0.prefix(10) }
        == ["1994-12-30", "1995-01-01", "1995-01-02"]
    )
  }

  @Test func `a moved time comes in its order`() throws {
    let rule = "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,45"
    #expect(
      try around(rule, "2026-03-08T00:00", "America/New_York", 3)
        == [
          "2026-03-08T03:00:00-04:00", "2026-03-08T03:45:00-04:00", "2026-03-09T02:00:00-04:00",
        ]
    )
  }

  @Test
  func `YOMO-4.4.1b: hour by hour over a year in every zone nothing is doubled, lost or early`()
    throws
  {
    let every3Hours = try YomoRecurrence(
      interval: 3,
      unit: .hour,
      timeRange: .init(startMinute: 540, endMinute: 1_080)
    )
    let nine = try #require(WrittenTime("2025-12-01T09:00"))
    let rules = [
      ("FREQ=DAILY", "2025-12-01T02:30"), ("FREQ=MONTHLY", "2025-10-31T08:00"),
      ("FREQ=MONTHLY;SKIP=BACKWARD", "2025-10-31T08:00"),
      ("FREQ=MONTHLY;SKIP=FORWARD", "2025-10-31T08:00"),
      ("FREQ=MONTHLY;BYDAY=-1FR", "2025-12-01T18:00"),
      ("\(try every3Hours.rule(start: nine.local))", "2025-12-01T09:00"),
    ]
    let begin = Int64(1_767_225_600)
    let (first, last) = (
      Timestamp(seconds: begin - 40 * 86_400), Timestamp(seconds: begin + 420 * 86_400)
    )
    let edges = begin - 38 * 86_400...begin + 418 * 86_400
    // On a clock that never changes.
    let plain = try rules.map { rule, start in
      try Written(rule, start: start, zone: nil).set.occurrences(between: first, and: last)
        .map(\.local)
    }
    var asked = 0
    for name in TimeZone.knownTimeZoneIdentifiers.sorted() {
      let zone = try Written.zone(name)
      for ((rule, start), plain) in zip(rules, plain) {
        let set = try RecurrenceSet(
          start: try #require(WrittenTime(start)),
          zone: zone,
          rule: try RecurrenceRule(rule)
        )
        let all = try set.occurrences(between: first, and: last)
        let instants = all.map { $0.local.wallSeconds - Int64($0.offsetSeconds ?? 0) }
        #expect(zip(instants, instants.dropFirst()).allSatisfy { $0 < $1 }, "\(name) \(rule)")
        // What the rule has, each once and none left out; two days at the ends are another zone's.
        let inner = plain.filter { edges.contains($0.wallSeconds) }
        let ruled = all.map(\.ruled).filter { edges.contains($0.wallSeconds) }
        #expect(ruled == inner && inner.count >= 9, "\(name) \(rule)")
        #expect(all.allSatisfy { $0.local >= $0.ruled }, "\(name) \(rule)")
        var next = 0
        for hour in 0..<8_760 {
          let now = begin + Int64(hour) * 3_600
          while instants[next] <= now { next += 1 }
          // The answer is the same until it changes.
          guard instants[next - 1] > now - 3_600 || hour % 97 == 0 else { continue }
          let found = try set.next(after: Timestamp(seconds: now))
          asked += 1
          if found != all[next] { Issue.record("\(name) \(rule): \(now) gives \(found as Any)") }
          guard hour % 97 == 0, hour % 5 == 0 else { continue }
          let before = try set.previous(before: Timestamp(seconds: now + 1))
          if before != all[next - 1] { Issue.record("\(name) \(rule): \(now) is not after") }
        }
      }
    }
    #expect(asked > 500_000)
  }

  @Test func `completion-based, every hour of a year, is after the completion and keeps its time`()
    throws
  {
    for name in TimeZone.knownTimeZoneIdentifiers.sorted() {
      let set = try Written("FREQ=DAILY;INTERVAL=2", start: "2026-01-01T02:30", zone: name).set
      for hour in 0..<8_760 {
        let now = Timestamp(seconds: 1_767_225_600 + Int64(hour) * 3_600)
        let next = try set.next(answered: now, completedAt: now, anchor: .completion)
        let there = set.zone?.local(at: now).date.daysSinceEpoch ?? 0
        guard let next, next.instant.map({ $0 > now }) == true,
          next.local.date.daysSinceEpoch == there + 2, next.ruled.secondOfDay == 9_000
        else {
          Issue.record("\(name): \(now) gives \(next as Any)")
          break
        }
      }
    }
  }
}
