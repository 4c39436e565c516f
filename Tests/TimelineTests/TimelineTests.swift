import TestSupport
import Testing
import Timeline

@Suite struct RFC3339Tests {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0),
      ("2026-01-05T17:20:00Z", 1_767_633_600_000),
      ("2026-01-05T12:20:00-05:00", 1_767_633_600_000),
      ("2026-01-05T18:20:00.250+01:00", 1_767_633_600_250),
      ("2026-01-05T17:20:00.2509Z", 1_767_633_600_250),
      ("2026-01-05 17:20:00", 1_767_633_600_000),
      ("  2026-01-05T17:20Z\n", 1_767_633_600_000),
      ("2026-01-05T18:20:00+0100", 1_767_633_600_000),
      ("2016-12-31T23:59:60Z", 1_483_228_800_000),
      ("1969-12-31T23:59:59.500Z", -500),
      ("2024-02-29T24:00:00Z", 1_709_251_200_000),
    ] as [(String, Int64)]
  )
  func `reads what devices write`(_ text: String, _ milliseconds: Int64) {
    #expect(RFC3339.parse(text) == Timestamp(milliseconds: milliseconds))
  }

  @Test(arguments: [
    "", "2026", "2026-01-05", "2026-13-05T00:00:00Z", "2026-02-30T00:00:00Z",
    "2026-01-05T25:00:00Z", "2026-01-05T17:61:00Z", "2026-01-05T17:20:00+25:00",
    "2026-01-05T17:20:00Zjunk", "2026-01-05T17:20:00.", "٢٠٢٦-01-05T17:20:00Z",
  ])
  func `refuses everything else`(_ text: String) {
    #expect(RFC3339.parse(text) == nil)
  }

  @Test func `reads back what it writes`() {
    for seed in UInt64(1)...20_000 {
      var random = SeededGenerator(seed: seed)
      let instant = Timestamp(
        milliseconds: Int64(random.uniform(-62_135_596_800_000...253_402_300_799_999))
      )
      #expect(RFC3339.parse(RFC3339.format(instant)) == instant, "seed \(seed)")
    }
  }
}

@Suite struct ZoneTests {
  /// New York, 2025: standard time, daylight saving from 9 March 07:00Z to 2 November 06:00Z.
  private let newYork = UTCOffsetTable(
    identifier: "America/New_York",
    initialOffsetSeconds: -18_000,
    eras: [
      .init(start: at("2025-03-09T07:00:00Z"), offsetSeconds: -14_400),
      .init(start: at("2025-11-02T06:00:00Z"), offsetSeconds: -18_000),
    ]
  )

  private static func at(_ text: String) -> Timestamp {
    RFC3339.parse(text) ?? Timestamp(milliseconds: 0)
  }

  @Test func `the wall clock follows the zone`() {
    let (date, minute) = newYork.local(at: Self.at("2025-07-01T03:30:00Z"))
    #expect(date == CivilDate(year: 2025, month: 6, day: 30))
    #expect(minute == 23 * 60 + 30)
  }

  @Test func `a time that clocks jump over is the end of the jump`() throws {
    let date = try #require(CivilDate(year: 2025, month: 3, day: 9))
    #expect(newYork.instant(of: date, minuteOfDay: 150) == Self.at("2025-03-09T07:00:00Z"))
  }

  @Test func `a time that comes twice is the first of the two`() throws {
    let date = try #require(CivilDate(year: 2025, month: 11, day: 2))
    #expect(newYork.instant(of: date, minuteOfDay: 90) == Self.at("2025-11-02T05:30:00Z"))
  }

  @Test
  func `a recorded time that comes twice goes by another instant, and a skipped one is later`() {
    func instant(_ wall: String, near other: String? = nil) -> String {
      RFC3339.format(newYork.instant(ofWall: Self.at(wall), near: other.map(Self.at)))
    }
    #expect(instant("2025-11-02T01:30:15.250Z") == "2025-11-02T05:30:15.250Z")
    #expect(
      instant("2025-11-02T01:30:00Z", near: "2025-11-02T05:59:00Z") == "2025-11-02T05:30:00Z"
    )
    #expect(
      instant("2025-11-02T01:30:00Z", near: "2025-11-02T06:01:00Z") == "2025-11-02T06:30:00Z"
    )
    #expect(instant("2025-03-09T02:30:00Z") == "2025-03-09T07:30:00Z")
    #expect(
      instant("2025-07-01T12:00:00Z", near: "2025-01-01T00:00:00Z") == "2025-07-01T16:00:00Z"
    )
  }

  @Test func `a window that ends in the repeated hour ends at its second time, if need be`() {
    let night = DailyWindow(startMinute: 23 * 60, endMinute: 90)
    // 01:10 for the second time; 01:30 comes for the second time in 20 minutes.
    #expect(
      night.closing(at: Self.at("2025-11-02T06:10:00Z"), in: newYork)
        == Self.at("2025-11-02T06:30:00Z")
    )
  }

  @Test func `midnight comes after 23 or 25 hours on the days clocks change`() {
    #expect(
      newYork.next(minuteOfDay: 0, after: Self.at("2025-03-09T05:00:00Z"))
        == Self.at("2025-03-10T04:00:00Z")
    )
    #expect(
      newYork.next(minuteOfDay: 0, after: Self.at("2025-11-02T04:00:00Z"))
        == Self.at("2025-11-03T05:00:00Z")
    )
  }

  @Test func `a window over midnight is open on both sides of it`() {
    let night = DailyWindow(startMinute: 22 * 60, endMinute: 7 * 60)
    #expect(night.contains(minuteOfDay: 22 * 60))
    #expect(night.contains(minuteOfDay: 0))
    #expect(!night.contains(minuteOfDay: 7 * 60))
    #expect(!night.contains(minuteOfDay: 12 * 60))
    #expect(
      night.closing(at: Self.at("2025-07-01T03:30:00Z"), in: newYork)
        == Self.at("2025-07-01T11:00:00Z")
    )
    #expect(night.closing(at: Self.at("2025-07-01T16:00:00Z"), in: newYork) == nil)
  }

  @Test func `equal ends are no window`() {
    let never = DailyWindow(startMinute: 600, endMinute: 600)
    #expect((0..<1_440).allSatisfy { !never.contains(minuteOfDay: $0) })
  }

  @Test func `dates and days since the epoch are inverse to each other`() {
    for day in stride(from: -800_000, through: 3_000_000, by: 37) {
      #expect(CivilDate(daysSinceEpoch: day).daysSinceEpoch == day)
    }
  }
}
