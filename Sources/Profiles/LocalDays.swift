import Timeline

/// Days and months as a wall clock counts them.
enum LocalDays {
  /// How many dates lie between two instants on a zone's calendar: 0 on the same date.
  static func between(_ start: Timestamp, and end: Timestamp, in zone: UTCOffsetTable) -> Int {
    zone.local(at: end).date.daysSinceEpoch - zone.local(at: start).date.daysSinceEpoch
  }

  /// The instant so many days later at which the wall clock shows the same time, to the second.
  ///
  /// Where clocks jump over it, the first instant after the jump.
  static func instant(_ days: Int, after start: Timestamp, in zone: UTCOffsetTable) -> Timestamp {
    let (date, minute) = zone.local(at: start)
    let later = CivilDate(daysSinceEpoch: date.daysSinceEpoch + days)
    let wholeMinute = zone.instant(of: later, minuteOfDay: minute)
    // Behind a jump the clock shows another minute.
    guard zone.local(at: wholeMinute).minuteOfDay == minute else { return wholeMinute }
    let wall = start.milliseconds + Int64(zone.offsetSeconds(at: start)) * 1_000
    let rest = ((wall % 60_000) + 60_000) % 60_000
    return wholeMinute + Milliseconds(rest)
  }

  /// Whether two instants are in one month of a zone's calendar.
  static func areInOneMonth(_ a: Timestamp, _ b: Timestamp, in zone: UTCOffsetTable) -> Bool {
    let (first, second) = (zone.local(at: a).date, zone.local(at: b).date)
    return first.year == second.year && first.month == second.month
  }
}
