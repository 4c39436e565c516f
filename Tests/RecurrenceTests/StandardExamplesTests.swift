import Recurrence
import Testing
import Timeline

/// The examples of RFC 5545, section 3.8.5.3; all begin on 2 September 1997 at 9:00 in New York unless
/// they say otherwise.
@Suite struct StandardExamplesTests {
  private func dates(
    _ rule: String,
    _ limit: Int,
    start: String = "1997-09-02T09:00"
  ) throws -> String {
    try Written(rule, start: start, zone: "America/New_York").times(limit)
      .map {
        $0.hasSuffix("09:00:00-04:00") || $0.hasSuffix("09:00:00-05:00") ? $0.prefix(10) : $0[...]
      }
      .joined(separator: " ")
  }

  @Test func `YOMO-4.4.1c: days and weeks`() throws {
    #expect(try dates("FREQ=DAILY;COUNT=10", 99).hasSuffix("09-10 1997-09-11"))
    let untilChristmas = try Written(
      "FREQ=DAILY;UNTIL=19971224T000000Z",
      start: "1997-09-02T09:00",
      zone: "America/New_York"
    )
    let days = try untilChristmas.times(500)
    #expect(days.count == 113)
    #expect(days.last == "1997-12-23T09:00:00-05:00")
    #expect(
      try dates("FREQ=DAILY;INTERVAL=10;COUNT=5", 99)
        == "1997-09-02 1997-09-12 1997-09-22 1997-10-02 1997-10-12"
    )
    #expect(
      try dates("FREQ=WEEKLY;INTERVAL=2;WKST=SU", 4)
        == "1997-09-02 1997-09-16 1997-09-30 1997-10-14"
    )
    #expect(
      try dates("FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH", 99)
        == "1997-09-02 1997-09-04 1997-09-16 1997-09-18 1997-09-30 1997-10-02 1997-10-14 1997-10-16"
    )
  }

  @Test func `YOMO-4.4.2d: the day on which weeks begin matters`() throws {
    let rule = "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST="
    let start = "1997-08-05T09:00"
    #expect(
      try dates(rule + "MO", 9, start: start) == "1997-08-05 1997-08-10 1997-08-19 1997-08-24"
    )
    #expect(
      try dates(rule + "SU", 9, start: start) == "1997-08-05 1997-08-17 1997-08-19 1997-08-31"
    )
  }

  @Test func `YOMO-4.4.2e: months`() throws {
    #expect(
      try dates("FREQ=MONTHLY;COUNT=4;BYDAY=1FR", 9, start: "1997-09-05T09:00")
        == "1997-09-05 1997-10-03 1997-11-07 1997-12-05"
    )
    #expect(
      try dates("FREQ=MONTHLY;INTERVAL=2;COUNT=4;BYDAY=1SU,-1SU", 9, start: "1997-09-07T09:00")
        == "1997-09-07 1997-09-28 1997-11-02 1997-11-30"
    )
    #expect(
      try dates("FREQ=MONTHLY;BYMONTHDAY=-3", 4, start: "1997-09-28T09:00")
        == "1997-09-28 1997-10-29 1997-11-28 1997-12-29"
    )
    #expect(
      try dates("FREQ=MONTHLY;COUNT=4;BYMONTHDAY=1,-1", 9, start: "1997-09-30T09:00")
        == "1997-09-30 1997-10-01 1997-10-31 1997-11-01"
    )
    #expect(
      try dates("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", 5)
        == "1998-02-13 1998-03-13 1998-11-13 1999-08-13 2000-10-13"
    )
    #expect(
      try dates("FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13", 3, start: "1997-09-13T09:00")
        == "1997-09-13 1997-10-11 1997-11-08"
    )
    #expect(
      try dates("FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", 9, start: "1997-09-04T09:00")
        == "1997-09-04 1997-10-07 1997-11-06"
    )
    #expect(
      try dates("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", 4, start: "1997-09-29T09:00")
        == "1997-09-29 1997-10-30 1997-11-27 1997-12-30"
    )
    #expect(
      try dates("FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5", 9, start: "2007-01-15T09:00")
        == "2007-01-15 2007-01-30 2007-02-15 2007-03-15 2007-03-30"
    )
  }

  @Test func `years`() throws {
    #expect(
      try dates("FREQ=YEARLY;INTERVAL=3;COUNT=5;BYYEARDAY=1,100,200", 9, start: "1997-01-01T09:00")
        == "1997-01-01 1997-04-10 1997-07-19 2000-01-01 2000-04-09"
    )
    #expect(
      try dates("FREQ=YEARLY;BYDAY=20MO", 3, start: "1997-05-19T09:00")
        == "1997-05-19 1998-05-18 1999-05-17"
    )
    #expect(
      try dates("FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", 3, start: "1997-05-12T09:00")
        == "1997-05-12 1998-05-11 1999-05-17"
    )
    #expect(
      try dates(
        "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
        3,
        start: "1996-11-05T09:00"
      ) == "1996-11-05 2000-11-07 2004-11-02"
    )
    #expect(
      try dates("FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8", 3, start: "1997-06-05T09:00")
        == "1997-06-05 1997-06-12 1997-06-19"
    )
  }

  @Test func `hours and minutes`() throws {
    let threeHourly = try Written(
      "FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T210000Z",
      start: "1997-09-02T09:00",
      zone: "America/New_York"
    )
    #expect(
      try threeHourly.times(9).map { String($0.prefix(16)) }
        == ["1997-09-02T09:00", "1997-09-02T12:00", "1997-09-02T15:00"]
    )
    let daily = try Written(
      "FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40",
      start: "1997-09-02T09:00"
    )
    let minutely = try Written(
      "FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16",
      start: "1997-09-02T09:00"
    )
    #expect(try daily.times(200) == minutely.times(200))
    #expect(try minutely.times(25).last == "1997-09-03T09:00:00")
  }
}

/// SKIP of RFC 7529, section 4.1: counted from the original day, never from one it was moved to.
@Suite struct SkipTests {
  private func dates(_ rule: String, _ start: String, _ limit: Int) throws -> String {
    try Written(rule, start: start).times(limit).map { String($0.prefix(10)) }
      .joined(separator: " ")
  }

  @Test func `the 31st in short months`() throws {
    let rule = "RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP="
    #expect(
      try dates(rule + "OMIT", "2014-01-31", 4) == "2014-01-31 2014-03-31 2014-05-31 2014-07-31"
    )
    #expect(
      try dates(rule + "BACKWARD", "2014-01-31", 4)
        == "2014-01-31 2014-02-28 2014-03-31 2014-04-30"
    )
    #expect(
      try dates(rule + "FORWARD", "2014-01-31", 4) == "2014-01-31 2014-03-01 2014-03-31 2014-05-01"
    )
  }

  @Test func `29 February in common years`() throws {
    #expect(
      try dates("FREQ=YEARLY;SKIP=BACKWARD", "2024-02-29", 5)
        == "2024-02-29 2025-02-28 2026-02-28 2027-02-28 2028-02-29"
    )
    #expect(
      try dates("FREQ=YEARLY;SKIP=FORWARD", "2024-02-29", 5)
        == "2024-02-29 2025-03-01 2026-03-01 2027-03-01 2028-02-29"
    )
    #expect(
      try dates("FREQ=YEARLY;BYYEARDAY=366;SKIP=FORWARD", "2024-01-01", 3)
        == "2024-12-31 2026-01-01 2027-01-01"
    )
  }

  @Test func `a moved day that the rule has anyway is there once`() throws {
    #expect(
      try dates("FREQ=MONTHLY;BYMONTHDAY=1,31;SKIP=FORWARD;COUNT=6", "2026-03-01", 9)
        == "2026-03-01 2026-03-31 2026-04-01 2026-05-01 2026-05-31 2026-06-01"
    )
    #expect(
      try dates("FREQ=MONTHLY;BYMONTHDAY=30,31;SKIP=BACKWARD", "2026-04-01", 3)
        == "2026-04-30 2026-05-30 2026-05-31"
    )
  }

  @Test func `the weekday is asked of the moved day`() throws {
    // 31 April 2026 becomes Thursday 30 April.
    #expect(
      try dates("FREQ=MONTHLY;BYMONTHDAY=31;BYDAY=TH;SKIP=BACKWARD", "2026-04-01", 2)
        == "2026-04-30 2026-12-31"
    )
  }

  @Test func `it begins in the middle as from the start`() throws {
    let set = try Written("FREQ=MONTHLY;BYMONTHDAY=-31,31;SKIP=BACKWARD", start: "2025-01-01")
    let all = try set.times(60)
    for (index, time) in all.enumerated().dropLast(3) {
      #expect(try set.times(2, after: time) == Array(all[(index + 1)...(index + 2)]))
    }
  }
}
