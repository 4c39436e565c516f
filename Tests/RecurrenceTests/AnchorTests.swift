import Recurrence
import Testing
import Timeline

@Suite struct AnchorTests {
  private func next(
    _ rule: String,
    start: String,
    answered: String,
    completed: String,
    _ anchor: Anchor,
    zone: String? = nil
  ) throws -> String? {
    let set = try Written(rule, start: start, zone: zone).set
    return try set.next(
      answered: set.instant(of: try #require(WrittenTime(answered))),
      completedAt: set.instant(of: try #require(WrittenTime(completed))),
      anchor: anchor
    )?
    .description
  }

  @Test func `schedule stacks, catch up comes in the future on the same weekday`() throws {
    let (start, completed) = ("2026-03-02T09:00", "2026-03-25T20:00")
    #expect(
      try next("FREQ=WEEKLY", start: start, answered: start, completed: completed, .schedule)
        == "2026-03-09T09:00:00"
    )
    #expect(
      try next("FREQ=WEEKLY", start: start, answered: start, completed: completed, .catchUp)
        == "2026-03-30T09:00:00"
    )
    // Done early, the next is the one after the answered one.
    #expect(
      try next(
        "FREQ=WEEKLY",
        start: start,
        answered: "2026-03-30T09:00",
        completed: completed,
        .catchUp
      ) == "2026-04-06T09:00:00"
    )
  }

  @Test func `YOMO-4.4.2f: completion counts from the day of completion and keeps the time of day`()
    throws
  {
    let start = "2026-01-01T09:00"
    func after(_ rule: String, _ completed: String) throws -> String? {
      try next(rule, start: start, answered: start, completed: completed, .completion)
    }
    #expect(try after("FREQ=DAILY;INTERVAL=3", "2026-02-10T22:15") == "2026-02-13T09:00:00")
    #expect(try after("FREQ=WEEKLY;INTERVAL=2", "2026-02-10T07:00") == "2026-02-24T09:00:00")
    #expect(try after("FREQ=MONTHLY", "2026-01-31T07:00") == "2026-02-28T09:00:00")
    #expect(try after("FREQ=YEARLY", "2028-02-29T07:00") == "2029-02-28T09:00:00")
    #expect(try after("FREQ=HOURLY;INTERVAL=3", "2026-01-31T07:20:10") == "2026-01-31T10:20:10")
    // Every Monday, done on a Friday; every other Monday.
    #expect(try after("FREQ=WEEKLY;BYDAY=MO", "2026-03-06T10:00") == "2026-03-09T09:00:00")
    #expect(
      try after("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2026-03-06T10:00") == "2026-03-16T09:00:00"
    )
    #expect(try after("FREQ=MONTHLY;BYDAY=-1FR", "2026-06-10T10:00") == "2026-06-26T09:00:00")
    #expect(
      try after("FREQ=DAILY;INTERVAL=2;BYDAY=MO,TU,WE,TH,FR", "2026-03-05T10:00")
        == "2026-03-09T09:00:00"
    )
    // The day of a month that is named comes from the start.
    #expect(try after("FREQ=YEARLY;BYMONTH=3", "2026-03-20T10:00") == "2027-03-01T09:00:00")
    #expect(try after("FREQ=YEARLY;BYWEEKNO=10", "2026-03-20T10:00") == "2027-03-11T09:00:00")
    #expect(try after("FREQ=YEARLY;INTERVAL=9999", "2026-03-05T10:00") == nil)
  }

  /// What comes next by the days themselves: the first allowed one behind the completion, INTERVAL - 1 periods later.
  @Test(arguments: [
    ("FREQ=WEEKLY;BYDAY=MO", "2026-03-02", "2026-03-09"),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2026-03-02", "2026-03-16"),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2026-03-03", "2026-03-16"),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2026-03-08", "2026-03-16"),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH", "2026-03-02", "2026-03-12"),
    ("FREQ=MONTHLY;BYMONTHDAY=15", "2026-03-15", "2026-04-15"),
    ("FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=15", "2026-03-15", "2026-05-15"),
    ("FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=28", "2026-01-28", "2026-03-28"),
    ("FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=1", "2026-01-31", "2026-03-01"),
    ("FREQ=MONTHLY;INTERVAL=3;BYDAY=-1FR", "2026-03-27", "2026-06-26"),
    ("FREQ=YEARLY;INTERVAL=2;BYMONTH=3;BYMONTHDAY=1", "2026-03-01", "2028-03-01"),
    ("FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1", "2026-03-01", "2027-03-01"),
    ("FREQ=DAILY;INTERVAL=2;BYDAY=MO,WE", "2026-03-02", "2026-03-04"),
  ])
  func `done on a day that it chooses, a whole interval goes by`(
    _ rule: String,
    _ completed: String,
    _ expected: String
  ) throws {
    let start = "2026-01-01T09:00"
    let found = try next(
      rule,
      start: start,
      answered: start,
      completed: completed + "T10:00",
      .completion
    )
    #expect(found == expected + "T09:00:00")
  }

  @Test func `a clock set back by a year neither repeats nor loses an occurrence`() throws {
    for anchor in Anchor.allCases {
      let answered = "2026-03-02T09:00"
      #expect(
        try next(
          "FREQ=WEEKLY",
          start: "2026-01-05T09:00",
          answered: answered,
          completed: "2025-03-02T09:05",
          anchor
        ) == "2026-03-09T09:00:00",
        "\(anchor)"
      )
    }
  }

  @Test func `completion on the day before a gap`() throws {
    let zone = "America/New_York"
    #expect(
      try next(
        "FREQ=DAILY",
        start: "2026-01-01T02:30",
        answered: "2026-03-07T02:30",
        completed: "2026-03-07T12:00",
        .completion,
        zone: zone
      ) == "2026-03-08T03:30:00-04:00"
    )
  }
}
