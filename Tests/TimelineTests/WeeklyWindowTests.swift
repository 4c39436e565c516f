import TestSupport
import Testing
import Timeline

/// Windows of the week on the days on which clocks change, and on all others.
@Suite struct WeeklyWindowTests {
  private static func at(_ text: String) -> Timestamp {
    RFC3339.parse(text) ?? Timestamp(milliseconds: .min)
  }

  /// New York in 2026: summer time from 8 March 07:00Z to 1 November 06:00Z.
  private static let newYork = UTCOffsetTable(
    identifier: "America/New_York",
    initialOffsetSeconds: -5 * 3_600,
    eras: [
      UTCOffsetTable.Era(start: at("2026-03-08T07:00:00Z"), offsetSeconds: -4 * 3_600),
      UTCOffsetTable.Era(start: at("2026-11-01T06:00:00Z"), offsetSeconds: -5 * 3_600),
    ]
  )

  private func window(_ days: [Weekday], _ start: Int, _ end: Int) throws -> WeeklyWindow {
    try #require(WeeklyWindow(days: days, startMinute: start, endMinute: end))
  }

  @Test func `weekdays are those of the calendar`() {
    #expect(CivilDate(daysSinceEpoch: 0).weekday == .thursday)
    #expect(CivilDate(daysSinceEpoch: -1).weekday == .wednesday)
    #expect(CivilDate(year: 2026, month: 11, day: 22)?.weekday == .sunday)
    #expect(CivilDate(year: 1600, month: 2, day: 29)?.weekday == .tuesday)
  }

  @Test func `a window is half open`() throws {
    let evening = try window([.monday], 17 * 60, 20 * 60)
    let zone = UTCOffsetTable.utc
    #expect(!evening.contains(Self.at("2026-01-05T16:59:59.999Z"), in: zone))
    #expect(evening.contains(Self.at("2026-01-05T17:00:00Z"), in: zone))
    #expect(evening.contains(Self.at("2026-01-05T19:59:59.999Z"), in: zone))
    #expect(!evening.contains(Self.at("2026-01-05T20:00:00Z"), in: zone))
    #expect(!evening.contains(Self.at("2026-01-06T18:00:00Z"), in: zone))
  }

  @Test func `a window over midnight belongs to the day on which it opens`() throws {
    let night = try window([.friday], 22 * 60, 2 * 60)
    let zone = UTCOffsetTable.utc
    #expect(night.contains(Self.at("2026-01-09T23:00:00Z"), in: zone))
    #expect(night.contains(Self.at("2026-01-10T01:59:00Z"), in: zone))
    #expect(!night.contains(Self.at("2026-01-09T01:00:00Z"), in: zone))
    #expect(!night.contains(Self.at("2026-01-10T22:30:00Z"), in: zone))
    #expect(
      night.opening(after: Self.at("2026-01-10T01:00:00Z"), in: zone)
        == Self.at("2026-01-16T22:00:00Z")
    )
  }

  @Test func `whole days and midnight at the end of the day`() throws {
    #expect(WeeklyWindow("sat 9:00-17:00") == WeeklyWindow("sat 09:00-17:00"))
    for text in ["9-17", "9:0-17:00", "10:5-17:00", "09:00", "9:00-", ":00-17:00"] {
      #expect(WeeklyWindow(text) == nil, "\(text)")
    }
    let weekend = try #require(WeeklyWindow(days: [.sunday, .saturday]))
    #expect(weekend.days == [.saturday, .sunday])
    #expect(weekend.contains(Self.at("2026-01-11T04:30:00Z"), in: Self.newYork))
    #expect(!weekend.contains(Self.at("2026-01-12T05:00:00Z"), in: Self.newYork))
    let late = try window([.sunday], 23 * 60, 1_440)
    #expect(late.contains(Self.at("2026-01-11T23:59:59Z"), in: .utc))
    #expect(!late.contains(Self.at("2026-01-12T00:00:00Z"), in: .utc))
  }

  @Test func `windows that never open are none`() {
    #expect(WeeklyWindow(days: [], startMinute: 0, endMinute: 60) == nil)
    #expect(WeeklyWindow(startMinute: 60, endMinute: 60) == nil)
    #expect(WeeklyWindow(startMinute: -1, endMinute: 60) == nil)
    #expect(WeeklyWindow(startMinute: 0, endMinute: 1_441) == nil)
  }

  @Test func `a start that clocks jump over is the end of the jump`() throws {
    // 02:30–04:00 on 8 March: 02:30 does not exist, 03:00 EDT does.
    let early = try window([.sunday], 150, 240)
    #expect(
      early.opening(after: Self.at("2026-03-08T06:00:00Z"), in: Self.newYork)
        == Self.at("2026-03-08T07:00:00Z")
    )
    // 02:10–02:50 lies wholly inside the jump: that Sunday it does not open.
    let inside = try window([.sunday], 130, 170)
    #expect(
      inside.opening(after: Self.at("2026-03-08T06:00:00Z"), in: Self.newYork)
        == Self.at("2026-03-15T06:10:00Z")
    )
  }

  @Test func `where an hour comes twice, a window opens the first time and closes the second`()
    throws
  {
    // 01:15–01:45 on 1 November, in EDT and again in EST: one window of an hour and a half.
    let window = try window([.sunday], 75, 105)
    #expect(!window.contains(Self.at("2026-11-01T05:14:59Z"), in: Self.newYork))
    #expect(window.contains(Self.at("2026-11-01T05:15:00Z"), in: Self.newYork))
    #expect(window.contains(Self.at("2026-11-01T06:00:00Z"), in: Self.newYork))
    #expect(window.contains(Self.at("2026-11-01T06:44:59Z"), in: Self.newYork))
    #expect(!window.contains(Self.at("2026-11-01T06:45:00Z"), in: Self.newYork))
  }

  @Test func `quiet hours that end in the hour that comes twice end once`() {
    let quiet = DailyWindow(startMinute: 22 * 60, endMinute: 90)
    for text in ["2026-11-01T03:00:00Z", "2026-11-01T05:29:00Z", "2026-11-01T05:40:00Z"] {
      #expect(
        quiet.closing(at: Self.at(text), in: Self.newYork) == Self.at("2026-11-01T06:30:00Z"),
        "\(text)"
      )
    }
    #expect(quiet.closing(at: Self.at("2026-11-01T06:30:00Z"), in: Self.newYork) == nil)
  }

  @Test func `today ends with its date, also where midnight comes twice or not at all`() {
    // Havana sets clocks back at 01:00 and forward at 00:00.
    let havana = UTCOffsetTable(
      identifier: "America/Havana",
      initialOffsetSeconds: -5 * 3_600,
      eras: [
        UTCOffsetTable.Era(start: Self.at("2026-03-08T05:00:00Z"), offsetSeconds: -4 * 3_600),
        UTCOffsetTable.Era(start: Self.at("2026-11-01T05:00:00Z"), offsetSeconds: -5 * 3_600),
      ]
    )
    #expect(
      havana.nextDay(after: Self.at("2026-03-08T03:00:00Z")) == Self.at("2026-03-08T05:00:00Z")
    )
    // 00:30 for the first time: the second midnight is not another day.
    #expect(
      havana.nextDay(after: Self.at("2026-11-01T04:30:00Z")) == Self.at("2026-11-02T05:00:00Z")
    )
  }

  @Test func `the next opening is the first minute that is open, over the changes of clocks`()
    throws
  {
    var checked = 0
    for seed in UInt64(1)...60 {
      var random = SeededGenerator(seed: seed)
      let days = Weekday.allCases.filter { _ in random.integer(0...2) == 0 }
      let made = WeeklyWindow(
        days: days.isEmpty ? [.sunday] : days,
        startMinute: random.integer(0...1_439),
        endMinute: random.integer(0...1_440)
      )
      guard let window = made else { continue }
      let from = Self.at(seed % 2 == 0 ? "2026-03-05T00:00:00Z" : "2026-10-29T00:00:00Z")
      let minutes = (0...14 * 1_440).map { from + .minutes(Int64($0)) }
      var next: Timestamp?
      for instant in minutes.reversed() {
        if window.contains(instant, in: Self.newYork) {
          next = instant
        } else if let next {
          #expect(window.opening(after: instant, in: Self.newYork) == next, "seed \(seed)")
          checked += 1
        }
      }
    }
    #expect(checked > 100_000)
  }
}
