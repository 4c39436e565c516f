import Basics
import Recurrence
import Testing
import Timeline

/// The form of Yomo's documents, in and out.
@Suite struct YomoTests {
  private let start = WrittenTime("2026-01-13T09:00")

  private func rule(_ json: String) throws -> String {
    let start = try #require(start)
    return try YomoRecurrence(json: try JSONValue.parse(json)).rule(start: start.local).description
  }

  @Test func `YOMO-4.1b, YOMO-4.4.2b: each unit is a rule`() throws {
    #expect(try rule(#"{"interval":2,"unit":"day"}"#) == "FREQ=DAILY;INTERVAL=2")
    #expect(
      try rule(#"{"interval":2,"unit":"week","days_of_week":["wed","mon"]}"#)
        == "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE"
    )
    #expect(try rule(#"{"interval":1,"unit":"month"}"#) == "FREQ=MONTHLY")
    // 13 January 2026 is the second Tuesday.
    #expect(
      try rule(#"{"interval":1,"unit":"month","days_of_week":["tue"]}"#)
        == "FREQ=MONTHLY;BYDAY=2TU"
    )
    #expect(try rule(#"{"interval":3,"unit":"hour"}"#) == "FREQ=HOURLY;INTERVAL=3")
  }

  @Test func `YOMO-4.4.2c: every 3 hours from 9 to 18 starts anew each day, its end included`()
    throws
  {
    func hours(_ from: String, _ to: String, _ interval: Int) throws -> String {
      try rule(
        """
        {"interval":\(interval),"unit":"hour","time_range_start":"\(from)",\
        "time_range_end":"\(to)"}
        """
      )
    }
    #expect(try hours("09:00", "18:00", 3) == "FREQ=DAILY;BYMINUTE=0;BYHOUR=9,12,15,18")
    #expect(try hours("09:30", "18:00", 3) == "FREQ=DAILY;BYMINUTE=30;BYHOUR=9,12,15")
    #expect(try hours("22:00", "04:00", 3) == "FREQ=DAILY;BYMINUTE=0;BYHOUR=1,4,22")
    #expect(try hours("09:00", "18:00", 30) == "FREQ=DAILY;BYMINUTE=0;BYHOUR=9")
    #expect(try hours("09:00", "09:00", 1) == "FREQ=DAILY;BYMINUTE=0;BYHOUR=9")
  }

  @Test func `YOMO-4.1b: there and back it says the same`() throws {
    let start = try #require(start).local
    for json in [
      #"{"interval":3,"unit":"hour","days_of_week":null,"time_range_start":"09:00","time_range_end":"18:00","based_on_completion":false}"#,
      #"{"interval":3,"unit":"hour","days_of_week":null,"time_range_start":"22:30","time_range_end":"04:30","based_on_completion":false}"#,
      #"{"interval":2,"unit":"hour","days_of_week":null,"time_range_start":"09:00","time_range_end":"18:00","based_on_completion":true}"#,
      #"{"interval":4,"unit":"day","days_of_week":null,"time_range_start":null,"time_range_end":null,"based_on_completion":true}"#,
      #"{"interval":1,"unit":"week","days_of_week":["mon","fri"],"time_range_start":null,"time_range_end":null,"based_on_completion":false}"#,
      #"{"interval":6,"unit":"month","days_of_week":["tue"],"time_range_start":null,"time_range_end":null,"based_on_completion":false}"#,
    ] {
      let yomo = try YomoRecurrence(json: try JSONValue.parse(json))
      #expect(yomo.json == json)
      let back = try YomoRecurrence(
        try yomo.rule(start: start),
        start: start,
        anchor: yomo.anchor
      )
      #expect(back.json == json)
    }
  }

  @Test(arguments: [
    (1, "day", true, "Next reminder will be scheduled 1 day after you complete this one."),
    (3, "week", true, "Next reminder will be scheduled 3 weeks after you complete this one."),
    (12, "hour", true, "Next reminder will be scheduled 12 hours after you complete this one."),
    (2, "month", false, nil),
  ])
  func `YOMO-4.4.2g: what is said below the switch for repeating from the completion`(
    _ interval: Int,
    _ unit: String,
    _ isBasedOnCompletion: Bool,
    _ label: String?
  ) throws {
    let yomo = try YomoRecurrence(
      interval: interval,
      unit: try #require(YomoRecurrence.Unit(rawValue: unit)),
      isBasedOnCompletion: isBasedOnCompletion
    )
    #expect(yomo.completionLabel == label)
  }

  @Test(arguments: [
    ("09:30", "18:00", "time_range_start"), ("09:00", "18:30", "time_range_end"),
  ])
  func `hours from the completion never leave their range: it begins and ends on the hour`(
    _ from: String,
    _ to: String,
    _ part: String
  ) throws {
    let start = try #require(start).local
    let yomo = try YomoRecurrence(
      json: try JSONValue.parse(
        """
        {"interval":2,"unit":"hour","time_range_start":"\(from)","time_range_end":"\(to)",\
        "based_on_completion":true}
        """
      )
    )
    let error = refusal { _ = try yomo.rule(start: start) }
    #expect(error?.kind == .inexpressible && error?.part == part)
  }

  @Test func `hours from the completion may go on to the end of the day`() throws {
    let start = try #require(start).local
    let yomo = try YomoRecurrence(
      json: try JSONValue.parse(
        """
        {"interval":1,"unit":"hour","time_range_start":"09:00","time_range_end":"23:59",\
        "based_on_completion":true}
        """
      )
    )
    #expect("\(try yomo.rule(start: start))".contains("BYHOUR=9,10,11,"))
  }

  private func form(_ rule: String, from start: String) throws -> String {
    let start = try #require(WrittenTime(start)).local
    let yomo = try YomoRecurrence(try RecurrenceRule(rule), start: start)
    return "\(try yomo.rule(start: start))"
  }

  @Test(
    arguments: [
      ("FREQ=MONTHLY;BYDAY=-1FR", "2026-02-27"), ("FREQ=MONTHLY;BYDAY=5FR", "2026-01-30"),
      ("FREQ=MONTHLY;BYDAY=2TU,4TH", "2026-01-13"), ("FREQ=MONTHLY;BYDAY=1MO,3MO", "2026-01-05"),
      ("FREQ=MONTHLY;BYDAY=-2FR", "2026-01-23"),
      ("FREQ=HOURLY;INTERVAL=2;BYHOUR=9,10,11,12", "2026-01-13T10:30"),
    ]
  )
  func `what the form would be read as otherwise has no place in it`(rule: String, start: String) {
    let error = refusal { _ = try form(rule, from: start) }
    #expect(error?.kind == .inexpressible && error?.part.hasPrefix("BY") ?? false, "\(rule)")
  }

  @Test func `what the start says the form leaves to it`() throws {
    #expect(
      try form("FREQ=MONTHLY;BYMONTHDAY=1", from: "2026-03-01T09:00") == "FREQ=MONTHLY"
    )
    #expect(
      try form("FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=3", from: "2026-03-03")
        == "FREQ=MONTHLY;INTERVAL=2"
    )
    #expect(
      try form("FREQ=MONTHLY;BYDAY=-1FR", from: "2026-01-30") == "FREQ=MONTHLY;BYDAY=-1FR"
    )
    #expect(
      try form("FREQ=MONTHLY;BYDAY=2TU,2TH", from: "2026-01-13") == "FREQ=MONTHLY;BYDAY=2TU,2TH"
    )
    #expect(try form("FREQ=WEEKLY;BYDAY=MO;WKST=SU", from: "2026-01-12") == "FREQ=WEEKLY;BYDAY=MO")
    // Counted from the completion, a month later is not the same day.
    let thirteenth = try RecurrenceRule("FREQ=MONTHLY;BYMONTHDAY=13")
    let start = try #require(start).local
    let error = refusal {
      _ = try YomoRecurrence(thirteenth, start: start, anchor: .completion)
    }
    #expect(error?.part == "BYMONTHDAY")
  }

  @Test func `what the form has no place for is named`() throws {
    let start = try #require(start).local
    for (rule, part) in [
      ("FREQ=YEARLY", "FREQ"), ("FREQ=DAILY;COUNT=3", "COUNT"),
      ("FREQ=DAILY;BYHOUR=9,10,13;BYMINUTE=0", "BYHOUR"),
      ("FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD", "BYMONTHDAY"),
      ("FREQ=MONTHLY;BYMONTHDAY=13,14", "BYMONTHDAY"), ("FREQ=DAILY;BYWEEKNO=1", "BYWEEKNO"),
      ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU", "WKST"),
    ] {
      let error = refusal { _ = try YomoRecurrence(try RecurrenceRule(rule), start: start) }
      #expect(error?.kind == .inexpressible && error?.part == part, "\(rule)")
    }
  }

  @Test(
    arguments: [
      (#"{"interval":0,"unit":"day"}"#, "interval"),
      (#"{"interval":-3,"unit":"day"}"#, "interval"),
      (#"{"interval":99999999999999999999,"unit":"day"}"#, "interval"),
      (#"{"interval":1,"unit":"year"}"#, "unit"), (#"{"unit":"day"}"#, "interval"),
      (#"{"interval":1,"unit":"week","days_of_week":["monday"]}"#, "days_of_week"),
      (#"{"interval":1,"unit":"hour","time_range_start":"09:00"}"#, "time_range_end"),
      (
        #"{"interval":1,"unit":"hour","time_range_start":"9","time_range_end":"1"}"#,
        "time_range_start"
      ),
      (
        #"{"interval":1,"unit":"day","time_range_start":"09:00","time_range_end":"10:00"}"#,
        "time_range_start"
      ),
      (#"{"interval":1,"unit":"day","based_on_completion":"no"}"#, "based_on_completion"),
      (#"{"interval":1,"unit":"day","every":2}"#, "every"), ("[]", "recurrence_rule"),
      (#"{"interval":1,"unit":"day","interval":2}"#, "interval"),
    ]
  )
  func `YOMO-4.4.2b: a form that is wrong names its key`(json: String, part: String) throws {
    let value = try JSONValue.parse(json)
    #expect(refusal { _ = try YomoRecurrence(json: value) }?.part == part)
  }
}
