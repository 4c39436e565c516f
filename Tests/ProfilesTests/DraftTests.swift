import Profiles
import Testing
import Timeline

/// What a new reminder begins with.
@Suite struct DraftTests {
  @Test(arguments: [
    ("UTC", "2026-02-06T14:20:00Z", "2026-02-06 15:00"),
    ("UTC", "2026-02-06T14:00:00Z", "2026-02-06 15:00"),
    ("UTC", "2026-02-06T23:00:00Z", "2026-02-07 00:00"),
    ("UTC", "2026-12-31T23:59:59Z", "2027-01-01 00:00"),
    ("America/New_York", "2026-02-07T04:30:00Z", "2026-02-07 00:00"),
    ("Asia/Kolkata", "2026-02-06T14:20:00Z", "2026-02-06 20:00"),
    // 02:00 to 03:00 is not there.
    ("Europe/Malta", "2026-03-29T00:30:00Z", "2026-03-29 03:00"),
    // 02:00 comes twice; the one that comes next is after now.
    ("Europe/Malta", "2026-10-25T00:30:00Z", "2026-10-25 03:00"),
    // Midnight is not there: the first hour of the day is 01:00.
    ("Africa/Cairo", "2026-04-23T21:30:00Z", "2026-04-24 01:00"),
  ])
  func `YOMO-4.2b: today at the next full hour, which may be tomorrow`(
    _ name: String,
    _ now: String,
    _ expected: String
  ) throws {
    let zone = try zone(name)
    let defaults = DraftDefaults(now: try at(now), zone: zone)
    let instant = zone.instant(of: defaults.date, minuteOfDay: defaults.minuteOfDay)
    #expect(instant > (try at(now)))
    let date = defaults.date
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let text =
      "\(date.year)-\(two(date.month))-\(two(date.day)) "
      + "\(two(defaults.minuteOfDay / 60)):\(two(defaults.minuteOfDay % 60))"
    #expect(text == expected)
  }
}
