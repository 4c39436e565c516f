import Recurrence
import Testing
import Timeline

/// Where libraries differ, what holds here; see docs/recurrence.md.
@Suite struct SettledPointsTests {
  @Test func `the start is an occurrence only if the rule makes it`() throws {
    let set = try Written("FREQ=WEEKLY;BYDAY=FR", start: "2026-03-03T09:00")
    #expect(try set.times(1) == ["2026-03-06T09:00:00"])
  }

  @Test func `COUNT counts distinct instants, after a gap has merged two`() throws {
    let rule = "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=30;COUNT=5"
    let zone = "America/New_York"
    #expect(
      try Written(rule, start: "2026-03-07T00:00", zone: zone).times(9)
        == [
          "2026-03-07T02:30:00-05:00", "2026-03-07T03:30:00-05:00", "2026-03-08T03:30:00-04:00",
          "2026-03-09T02:30:00-04:00", "2026-03-09T03:30:00-04:00",
        ]
    )
  }

  @Test func `a start that clocks jump over is a wall time, with COUNT and without`() throws {
    for count in ["", ";COUNT=2"] {
      let set = try Written(
        "FREQ=DAILY;BYHOUR=0,1;BYMINUTE=0,29" + count,
        start: "2015-03-29T00:29",
        zone: "Asia/Beirut"
      )
      #expect(
        try set.times(2) == ["2015-03-29T01:00:00+03:00", "2015-03-29T01:29:00+03:00"],
        "\(count)"
      )
    }
  }

  @Test func `what skip leaves out does not count`() throws {
    let set = try Written(
      "FREQ=DAILY;COUNT=3",
      start: "2026-03-07T02:30",
      zone: "America/New_York",
      gap: .skip
    )
    #expect(try set.times(9).map { $0.prefix(10) } == ["2026-03-07", "2026-03-09", "2026-03-10"])
  }

  @Test func `EXDATE and RDATE do not change COUNT`() throws {
    let set = try Written(
      "FREQ=DAILY;COUNT=3",
      start: "2026-01-01T09:00",
      added: ["2026-01-02T12:00", "2026-02-01T09:00", "2026-01-03T09:00"],
      excluded: ["2026-01-02T09:00"]
    )
    #expect(
      try set.times(9)
        == [
          "2026-01-01T09:00:00", "2026-01-02T12:00:00", "2026-01-03T09:00:00",
          "2026-02-01T09:00:00",
        ]
    )
  }

  @Test func `in a fold one of two equal wall times is left out and paged after by its offset`()
    throws
  {
    let zone = "America/New_York"
    let start = "2026-10-31T22:00"
    let all = try Written("FREQ=HOURLY", start: start, zone: zone).times(6)
    #expect(all[3...4] == ["2026-11-01T01:00:00-04:00", "2026-11-01T01:00:00-05:00"])
    let without = try Written("FREQ=HOURLY", start: start, zone: zone, excluded: [all[4]])
    #expect(try without.times(5) == Array(all[...3]) + [all[5]])
    let utc = try Written(
      "FREQ=HOURLY",
      start: start,
      zone: zone,
      excluded: ["2026-11-01T05:00:00Z"]
    )
    #expect(try utc.times(5) == Array(all[...2]) + Array(all[4...]))
    for (index, time) in all.enumerated().dropLast() {
      let set = try Written("FREQ=HOURLY", start: start, zone: zone)
      #expect(try set.times(1, after: time) == [all[index + 1]])
    }
  }

  @Test func `UNTIL is an instant with Z, a wall time without, a whole day as a date`() throws {
    func last(_ until: String, zone: String?) throws -> String? {
      try Written("FREQ=HOURLY;UNTIL=" + until, start: "2026-01-01T00:00", zone: zone)
        .times(99).last
    }
    let zone = "America/New_York"
    #expect(try last("20260101T120000Z", zone: zone) == "2026-01-01T07:00:00-05:00")
    #expect(try last("20260101T120000", zone: zone) == "2026-01-01T12:00:00-05:00")
    #expect(try last("20260101", zone: zone) == "2026-01-01T23:00:00-05:00")
    #expect(try last("20260101T120000Z", zone: nil) == "2026-01-01T12:00:00")
  }

  /// The standard wants these with YEARLY or MONTHLY only; as a limit there is one thing they can mean.
  @Test(arguments: [
    ("FREQ=WEEKLY;BYMONTHDAY=1,13;BYDAY=FR,MO", ["1997-10-13", "1997-12-01", "1998-02-13"]),
    ("FREQ=MONTHLY;BYWEEKNO=20;BYDAY=MO", ["1998-05-11", "1999-05-17", "2000-05-15"]),
    ("FREQ=DAILY;BYWEEKNO=1", ["1997-12-29", "1997-12-30", "1997-12-31"]),
    ("FREQ=MONTHLY;BYYEARDAY=100,200", ["1998-04-10", "1998-07-19", "1999-04-10"]),
    ("FREQ=DAILY;BYYEARDAY=-1", ["1997-12-31", "1998-12-31", "1999-12-31"]),
  ])
  func `weeks and days of the year and of the month limit whatever they stand with`(
    rule: String,
    days: [String]
  ) throws {
    let set = try Written(rule, start: "1997-09-02T09:00")
    #expect(try set.times(3) == days.map { $0 + "T09:00:00" })
  }

  @Test func `BYWEEKNO alone takes the start's weekday`() throws {
    let set = try Written("FREQ=YEARLY;BYWEEKNO=20", start: "1997-05-12T09:00")
    #expect(
      try set.times(3)
        == ["1997-05-12T09:00:00", "1998-05-11T09:00:00", "1999-05-17T09:00:00"]
    )
  }

  @Test func `YEARLY with BYMONTHDAY alone means every month`() throws {
    let set = try Written("FREQ=YEARLY;BYMONTHDAY=15", start: "2026-11-01T09:00")
    #expect(
      try set.times(3)
        == ["2026-11-15T09:00:00", "2026-12-15T09:00:00", "2027-01-15T09:00:00"]
    )
  }

  @Test func `BYSETPOS counts the whole first period`() throws {
    let week = try Written("FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=2", start: "2026-03-05T09:00")
    #expect(try week.times(1) == ["2026-03-11T09:00:00"])
    let month = try Written("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1,3", start: "2026-03-10T09:00")
    #expect(try month.times(2) == ["2026-03-16T09:00:00", "2026-04-06T09:00:00"])
  }

  @Test func `weekdays with and without a number add up`() throws {
    let set = try Written("FREQ=MONTHLY;BYDAY=MO,1TU", start: "2026-03-01")
    #expect(
      try set.times(4).map { $0.prefix(10) }
        == ["2026-03-02", "2026-03-03", "2026-03-09", "2026-03-16"]
    )
  }

  @Test func `an hourly rule drifts when clocks change, hours of a day do not`() throws {
    func hours(_ rule: String) throws -> [String] {
      try Written(rule, start: "2026-03-07T09:00", zone: "America/New_York").times(8)
        .map { String($0.dropFirst(8).prefix(5)) }
    }
    #expect(
      try hours("FREQ=DAILY;BYHOUR=9,12,15,18")
        == ["07T09", "07T12", "07T15", "07T18", "08T09", "08T12", "08T15", "08T18"]
    )
    #expect(
      try hours("FREQ=HOURLY;INTERVAL=3;BYHOUR=9,10,12,13,15,16,18,19")
        == ["07T09", "07T12", "07T15", "07T18", "08T10", "08T13", "08T16", "08T19"]
    )
  }

  @Test func `a date, no rule, a prefix and lower case are taken`() throws {
    #expect(
      try Written("rrule:freq=daily;byday=mo", start: "2026-03-01").times(1)
        == ["2026-03-02T00:00:00"]
    )
    let dates = try Written(
      nil,
      start: "2026-03-01T08:00",
      added: ["2026-05-01", "2026-04-01T10:00"]
    )
    #expect(try dates.times(9) == ["2026-04-01T10:00:00", "2026-05-01T08:00:00"])
  }

  @Test func `a leap second is the second before it`() throws {
    let set = try Written("FREQ=MINUTELY;BYSECOND=59,60", start: "2026-03-01T00:00")
    #expect(try set.times(2) == ["2026-03-01T00:00:59", "2026-03-01T00:01:59"])
  }

  @Test func `a start with an offset says which of two readings it is`() throws {
    let zone = "America/New_York"
    #expect(
      try Written("FREQ=HOURLY", start: "2026-11-01T01:30:00-05:00", zone: zone).times(2)
        == ["2026-11-01T01:30:00-05:00", "2026-11-01T02:30:00-05:00"]
    )
    #expect(
      try Written("FREQ=DAILY", start: "2026-11-01T01:30:00-05:00", zone: zone).times(2)
        == ["2026-11-01T01:30:00-05:00", "2026-11-02T01:30:00-05:00"]
    )
  }
}
