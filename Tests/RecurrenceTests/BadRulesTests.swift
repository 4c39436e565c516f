import Recurrence
import TestSupport
import Testing
import Timeline

@Suite struct BadRulesTests {
  @Test(
    arguments: [
      ("", "rule"), ("FREQ", "FREQ"), ("FREQ=DALY", "FREQ"), ("INTERVAL=2", "FREQ"),
      ("FREQ=DAILY;", "rule"), ("FREQ=DAILY;INTERVAL=0", "INTERVAL"),
      ("FREQ=DAILY;INTERVAL=-1", "INTERVAL"),
      ("FREQ=DAILY;INTERVAL=99999999999999999999", "INTERVAL"), ("FREQ=DAILY;COUNT=0", "COUNT"),
      ("FREQ=DAILY;COUNT=1;UNTIL=20260101", "COUNT"), ("FREQ=DAILY;UNTIL=20260231", "UNTIL"),
      ("FREQ=DAILY;FREQ=DAILY", "FREQ"), ("FREQ=DAILY;BYHOUR=", "BYHOUR"),
      ("FREQ=DAILY;BYHOUR=24", "BYHOUR"), ("FREQ=DAILY;BYHOUR=1,,2", "BYHOUR"),
      ("FREQ=DAILY;BYMINUTE=60", "BYMINUTE"), ("FREQ=DAILY;BYSECOND=61", "BYSECOND"),
      ("FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY"), ("FREQ=MONTHLY;BYMONTHDAY=32", "BYMONTHDAY"),
      ("FREQ=YEARLY;BYYEARDAY=367", "BYYEARDAY"),
      ("FREQ=YEARLY;BYWEEKNO=54", "BYWEEKNO"), ("FREQ=YEARLY;BYMONTH=13", "BYMONTH"),
      ("FREQ=YEARLY;BYMONTH=5L", "BYMONTH"), ("FREQ=WEEKLY;BYDAY=1MO", "BYDAY"),
      ("FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO", "BYDAY"), ("FREQ=MONTHLY;BYDAY=0MO", "BYDAY"),
      ("FREQ=MONTHLY;BYDAY=MOO", "BYDAY"), ("FREQ=DAILY;BYSETPOS=1", "BYSETPOS"),
      ("FREQ=DAILY;WKST=XX", "WKST"), ("FREQ=DAILY;SKIP=MAYBE", "SKIP"),
      ("RSCALE=CHINESE;FREQ=YEARLY", "RSCALE"), ("FREQ=YEARLY;BYEASTER=0", "BYEASTER"),
      ("FREQ=DAILY;X-NAME=1", "X-NAME"),
    ]
  )
  func `a rule that is wrong is refused with its part`(rule: String, part: String) {
    let error = refusal { _ = try RecurrenceRule(rule) }
    #expect(error?.part == part && error?.kind == .malformed, "\(rule): \(error as Any)")
    #expect(error.map { $0.description.count > part.count + 20 } == true)
  }

  @Test(
    arguments: [
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=SECONDLY;INTERVAL=1;BYMONTH=2;BYMONTHDAY=30",
      "FREQ=MONTHLY;BYMONTH=4;BYMONTHDAY=31", "FREQ=DAILY;INTERVAL=7;BYDAY=FR",
      "FREQ=SECONDLY;INTERVAL=60;BYSECOND=30", "FREQ=HOURLY;INTERVAL=24;BYHOUR=10",
      "FREQ=DAILY;BYDAY=MO;BYSETPOS=2", "FREQ=MONTHLY;BYDAY=6MO",
      "FREQ=YEARLY;BYWEEKNO=1;BYMONTH=6",
      "FREQ=HOURLY;BYMINUTE=1,2;BYSETPOS=3", "FREQ=YEARLY;INTERVAL=4;BYYEARDAY=366;BYMONTH=12",
    ]
  )
  func `a rule that never fires is refused`(rule: String) {
    let error = refusal { _ = try Written(rule, start: "2026-01-01T00:00").set }
    #expect(error?.kind == .neverFires, "\(rule): \(error as Any)")
  }

  @Test func `a rule that fires once in centuries is not refused`() throws {
    #expect(
      try Written("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYWEEKNO=9", start: "2026-01-01")
        .times(1) == ["2044-02-29T00:00:00"]
    )
    #expect(
      try Written("FREQ=YEARLY;INTERVAL=100;BYMONTH=2;BYMONTHDAY=29", start: "2100-01-01").times(3)
        == ["2400-02-29T00:00:00", "2800-02-29T00:00:00", "3200-02-29T00:00:00"]
    )
  }

  @Test func `the ends of the calendar are ends`() throws {
    #expect(try Written("FREQ=DAILY", start: "9999-12-30").times(9).count == 2)
    #expect(
      try Written("FREQ=YEARLY;INTERVAL=999999999999999999", start: "0001-01-01").times(9)
        == ["0001-01-01T00:00:00"]
    )
    let set = try Written("FREQ=SECONDLY;COUNT=999999999999999999", start: "0001-01-01").set
    #expect(try set.occurrences(limit: 1).count == 1)
    let far = Timestamp(seconds: 250_000_000_000)
    #expect(refusal { _ = try set.next(after: far) }?.kind == .tooManySteps)
    #expect(
      try Written("FREQ=DAILY", start: "2026-01-01").set
        .next(after: Timestamp(milliseconds: .max - 1_000)) == nil
    )
  }

  @Test func `a rule is written as it is read`() throws {
    for rule in [
      "FREQ=DAILY", "FREQ=WEEKLY;COUNT=3;INTERVAL=2;BYDAY=MO,FR;WKST=SU",
      "FREQ=YEARLY;UNTIL=20301224T180000Z;BYSECOND=1,59;BYMINUTE=0;BYHOUR=0,23;BYDAY=-53MO,2TU",
      "RSCALE=GREGORIAN;FREQ=MONTHLY;UNTIL=20301224;BYMONTHDAY=-31,-1,1,31;SKIP=FORWARD",
      "FREQ=YEARLY;UNTIL=20301224T180000;BYYEARDAY=-366,366;BYWEEKNO=-53,53;BYMONTH=1,12;BYSETPOS=-366,1",
    ] {
      #expect(try RecurrenceRule(rule).description == rule)
    }
  }

  @Test func `damaged rules are refused or read, and end`() throws {
    var generator = SeededGenerator(seed: 7)
    let whole = Array("FREQ=MONTHLY;INTERVAL=2;BYDAY=-1FR;BYHOUR=9,12;BYSETPOS=-1;WKST=SU".utf8)
    var read = 0
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
          Bool.random(using: &generator)
          ? UInt8.random(in: 0...255, using: &generator)
          : whole[Int.random(in: 0..<whole.count, using: &generator)]
      }
      let text = String(decoding: bytes, as: UTF8.self)
      guard let rule = try? RecurrenceRule(text) else { continue }
      read += 1
      #expect(try RecurrenceRule(rule.description) == rule, "\(text)")
      let set = try? RecurrenceSet(start: try #require(WrittenTime("2026-01-01T09:00")), rule: rule)
      _ = try set?.occurrences(limit: 3)
    }
    #expect(read > 100)
  }

  @Test(arguments: [
    "", "2026", "2026-13-01", "2026-02-30", "0000-01-01", "2026-01-01T24:00", "2026-01-01T10:60",
    "2026-01-01T10:00+25:00", "2026-01-01T10:00 nonsense", "2026-1-1",
  ])
  func `times that are none are refused`(text: String) {
    #expect(WrittenTime(text) == nil)
  }
}
