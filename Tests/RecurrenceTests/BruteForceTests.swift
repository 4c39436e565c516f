import Recurrence
import TestSupport
import Testing
import Timeline

/// Random rules beside a walk over every minute of some months that asks each BY part for itself.
@Suite struct BruteForceTests {
  /// A rule as lists, for the walk.
  private struct Parts {
    var frequency: Frequency
    var interval = 1
    var months: [Int] = []
    var monthDays: [Int] = []
    var weekdays: [Weekday] = []
    var hours: [Int] = []
    var minutes: [Int] = []

    var text: String {
      var text = "FREQ=\(frequency.name);INTERVAL=\(interval)"
      for (name, numbers) in [
        ("BYMONTH", months), ("BYMONTHDAY", monthDays), ("BYHOUR", hours), ("BYMINUTE", minutes),
      ] where !numbers.isEmpty {
        text += ";\(name)=" + numbers.map { "\($0)" }.joined(separator: ",")
      }
      if !weekdays.isEmpty {
        text += ";BYDAY=" + weekdays.map(\.iCalendarName).joined(separator: ",")
      }
      return text
    }
  }

  private func random(_ frequency: Frequency, _ generator: inout SeededGenerator) -> Parts {
    func some(_ range: ClosedRange<Int>, _ most: Int) -> [Int] {
      (0..<Int.random(in: 1...most, using: &generator))
        .map { _ in Int.random(in: range, using: &generator) }
    }
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
    var parts = Parts(frequency: frequency)
    parts.interval = [1, 1, 2, 3, 5, 7, 45][Int.random(in: 0..<7, using: &generator)]
    if chance(20) { parts.months = some(1...12, 8) }
    if chance(30), frequency != .weekly {
      parts.monthDays =
        some(1...31, 10) + (chance(50) ? [-Int.random(in: 1...31, using: &generator)] : [])
    }
    if chance(40) {
      parts.weekdays = Weekday.allCases.filter { _ in Bool.random(using: &generator) }
    }
    if chance(50) { parts.hours = some(0...23, 6) }
    if chance(50) { parts.minutes = some(0...59, 5) }
    return parts
  }

  /// Whether a minute is what a rule asks for, minute by minute from the start.
  private func isOccurrence(_ minute: Int, _ start: Int, _ parts: Parts) -> Bool {
    let day = minute / 1_440
    let date = CivilDate(daysSinceEpoch: day)
    let first = CivilDate(daysSinceEpoch: start / 1_440)
    let (hour, inHour) = (minute / 60 % 24, minute % 60)
    let months = (date.year - first.year) * 12 + date.month - first.month
    func monday(_ day: Int) -> Int { (day + 3) / 7 }
    let period =
      switch parts.frequency {
      case .secondly, .minutely: minute - start
      case .hourly: minute / 60 - start / 60
      case .daily: day - start / 1_440
      case .weekly: monday(day) - monday(start / 1_440)
      case .monthly: months
      case .yearly: date.year - first.year
      }
    guard minute >= start, period % parts.interval == 0 else { return false }
    var last = 31
    while CivilDate(year: date.year, month: date.month, day: last) == nil { last -= 1 }
    let isChosen = !parts.monthDays.isEmpty || !parts.weekdays.isEmpty
    let isDayOfStart: Bool =
      switch parts.frequency {
      case _ where isChosen: true
      case .yearly: date.day == first.day && (!parts.months.isEmpty || date.month == first.month)
      case .monthly: date.day == first.day
      case .weekly: date.weekday == first.weekday
      default: true
      }
    let asksHour = parts.hours.isEmpty && parts.frequency >= .daily
    let asksMinute = parts.minutes.isEmpty && parts.frequency >= .hourly
    return isDayOfStart
      && (parts.months.isEmpty || parts.months.contains(date.month))
      && (parts.monthDays.isEmpty || parts.monthDays.contains(date.day)
        || parts.monthDays.contains(date.day - last - 1))
      && (parts.weekdays.isEmpty || parts.weekdays.contains(date.weekday))
      && (asksHour ? hour == start / 60 % 24 : parts.hours.isEmpty || parts.hours.contains(hour))
      && (asksMinute
        ? inHour == start % 60 : parts.minutes.isEmpty || parts.minutes.contains(inHour))
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `random rules fire at the minutes that a walk over all minutes finds`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var found = 0
    for round in 0..<90 {
      let frequency = Frequency.allCases[1 + round % 6]
      let parts = random(frequency, &generator)
      let start = Int.random(in: 14_600_000...29_200_000, using: &generator)
      let days = frequency >= .monthly ? 400 : 60
      let minutes = (start..<start + days * 1_440).filter { isOccurrence($0, start, parts) }
      let local = LocalDateTime(clamping: Int64(start) * 60)
      let text = "seed \(seed): \(parts.text) from \(local)"
      let begin = Timestamp(seconds: Int64(start) * 60)
      let end = Timestamp(seconds: Int64(start + days * 1_440) * 60)
      let rule = try RecurrenceRule(parts.text)
      // What never fires is no set.
      guard let set = try? RecurrenceSet(start: WrittenTime(local: local), rule: rule) else {
        #expect(minutes.isEmpty, "\(text)")
        continue
      }
      let times = try set.occurrences(between: begin, and: end)
      #expect(times.map { Int($0.local.wallSeconds) / 60 } == minutes, "\(text)")
      found += minutes.count
      // From somewhere in between, forward and back.
      guard let middle = times.dropFirst(times.count / 2).first else { continue }
      let at = Timestamp(seconds: middle.local.wallSeconds)
      let justBefore = Timestamp(milliseconds: at.milliseconds - 1)
      #expect(try set.next(after: justBefore) == middle, "\(text)")
      let before = times.dropLast(times.count - times.count / 2).last
      #expect(try set.previous(before: at) == before, "\(text)")
    }
    #expect(found > 10_000, "seed \(seed)")
  }

  @Test(arguments: [4, 5] as [UInt64])
  func `days that months lack are moved as a walk over all months moves them`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<150 {
      let days = (0..<Int.random(in: 1...5, using: &generator))
        .map { _ in
          Int.random(in: 26...31, using: &generator) * (Bool.random(using: &generator) ? 1 : -1)
        }
      let interval = Int.random(in: 1...5, using: &generator)
      let isForward = Bool.random(using: &generator)
      let first = Int.random(in: 23_640...24_600, using: &generator)
      let list = days.map { "\($0)" }.joined(separator: ",")
      let rule =
        "FREQ=MONTHLY;INTERVAL=\(interval);BYMONTHDAY=\(list);SKIP="
        + (isForward ? "FORWARD" : "BACKWARD")
      func number(_ month: Int) throws -> Int {
        try #require(CivilDate(year: month / 12, month: month % 12 + 1, day: 1)).daysSinceEpoch
      }
      var expected: Set<Int> = []
      for month in stride(from: first, through: first + 60, by: interval) {
        let (begin, end) = (try number(month), try number(month + 1))
        for day in days {
          let named = day > 0 ? begin + day - 1 : end + day
          if named >= end {
            expected.insert(isForward ? end : end - 1)
          } else if named < begin {
            expected.insert(isForward ? begin : begin - 1)
          } else {
            expected.insert(named)
          }
        }
      }
      let start = try number(first)
      let last = try number(first + 55)
      let set = try RecurrenceSet(
        start: WrittenTime(local: LocalDateTime(clamping: Int64(start) * 86_400)),
        rule: try RecurrenceRule(rule)
      )
      let found = try set.occurrences(
        between: Timestamp(seconds: Int64(start) * 86_400),
        and: Timestamp(seconds: Int64(last) * 86_400)
      )
      #expect(
        found.map(\.local.date.daysSinceEpoch)
          == expected.filter { $0 >= start && $0 < last }.sorted(),
        "seed \(seed): \(rule) from month \(first)"
      )
    }
  }
}
