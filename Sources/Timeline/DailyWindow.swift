/// A part of every day between two wall-clock times, the end not included.
///
/// `22:00–07:00` runs over midnight. Equal times are no time at all. Where clocks change, it opens and
/// closes as a ``WeeklyWindow`` does.
///
/// ```swift
/// let night = DailyWindow(startMinute: 22 * 60, endMinute: 7 * 60)
/// let isQuiet = night.contains(minuteOfDay: 23 * 60)
/// ```
public struct DailyWindow: Hashable, Sendable, Codable {
  /// Minutes after midnight at which the window opens, 0 … 1439.
  public let startMinute: Int
  /// Minutes after midnight at which the window has closed, 0 … 1439.
  public let endMinute: Int

  /// Makes a window from minutes after midnight.
  public init(startMinute: Int, endMinute: Int) {
    precondition((0..<1_440).contains(startMinute), "a day has minutes 0 to 1439")
    precondition((0..<1_440).contains(endMinute), "a day has minutes 0 to 1439")
    self.startMinute = startMinute
    self.endMinute = endMinute
  }

  /// Whether the window is open at a minute of the day.
  public func contains(minuteOfDay minute: Int) -> Bool {
    if startMinute <= endMinute { return minute >= startMinute && minute < endMinute }
    return minute >= startMinute || minute < endMinute
  }

  /// If the window is open at an instant, when it closes.
  public func closing(at instant: Timestamp, in zone: UTCOffsetTable) -> Timestamp? {
    guard startMinute != endMinute else { return nil }
    let today = zone.local(at: instant).date.daysSinceEpoch
    for day in today - 2...today {
      let date = CivilDate(daysSinceEpoch: day)
      if let span = zone.span(of: date, from: startMinute, to: endMinute),
        span.start <= instant, instant < span.end
      {
        return span.end
      }
    }
    return nil
  }
}
