/// A day of the week.
///
/// The names are part of the files.
public enum Weekday: String, Hashable, Sendable, Codable, CaseIterable {
  /// Monday.
  case monday = "mon"
  /// Tuesday.
  case tuesday = "tue"
  /// Wednesday.
  case wednesday = "wed"
  /// Thursday.
  case thursday = "thu"
  /// Friday.
  case friday = "fri"
  /// Saturday.
  case saturday = "sat"
  /// Sunday.
  case sunday = "sun"
}

extension CivilDate {
  /// The day of the week.
  public var weekday: Weekday {
    // 1970-01-01 was a Thursday, the fourth day.
    Weekday.allCases[(daysSinceEpoch % 7 + 7 + 3) % 7]
  }
}

/// A part of some days of the week between two wall-clock times, the end not included.
///
/// A window that ends at or before its start runs over midnight and belongs to the day on which it
/// opens: Friday 22:00–02:00 covers two hours of Saturday. It opens once and closes once a day also
/// where clocks change: from the first time its start comes to the last time its end comes. A time
/// that clocks jump over is the end of the jump; a window that lies wholly inside a jump does not
/// open on that day.
public struct WeeklyWindow: Hashable, Sendable {
  /// The days on which it opens, Monday first, each once.
  public let days: [Weekday]
  /// Minutes after midnight at which it opens, 0 … 1439.
  public let startMinute: Int
  /// Minutes after midnight at which it has closed, 0 … 1440; 1440 is midnight at the day's end.
  public let endMinute: Int

  /// Makes a window; by default the whole of each day.
  ///
  /// - Returns: nil if it would never open: without days, or with equal times; or if a time is not
  ///   one of a day.
  public init?(
    days: [Weekday] = Weekday.allCases,
    startMinute: Int = 0,
    endMinute: Int = WeeklyWindow.minutesOfDay
  ) {
    guard !days.isEmpty, (0..<Self.minutesOfDay).contains(startMinute),
      (0...Self.minutesOfDay).contains(endMinute), startMinute != endMinute
    else { return nil }
    self.days = Weekday.allCases.filter { days.contains($0) }
    self.startMinute = startMinute
    self.endMinute = endMinute
  }

  /// Minutes of a day without a change of clocks.
  public static let minutesOfDay = 1_440

  /// Whether it is open at an instant.
  public func contains(_ instant: Timestamp, in zone: UTCOffsetTable) -> Bool {
    let today = zone.local(at: instant).date.daysSinceEpoch
    // Yesterday's may run over midnight; a day more for clocks that jump at midnight.
    return (today - 2...today).contains { isOpen($0, at: instant, in: zone) }
  }

  /// When it opens next after an instant, whether or not it is open then.
  public func opening(after instant: Timestamp, in zone: UTCOffsetTable) -> Timestamp {
    let today = zone.local(at: instant).date.daysSinceEpoch
    for day in today...today + 21 {
      guard let span = span(day, in: zone), span.start > instant else { continue }
      return span.start
    }
    preconditionFailure("a window opens within three weeks")
  }

  /// When it closes next, if it is open at an instant; the instant itself if it is not.
  public func closing(after instant: Timestamp, in zone: UTCOffsetTable) -> Timestamp {
    let today = zone.local(at: instant).date.daysSinceEpoch
    var end = instant
    // One that opens before another closes goes on.
    for day in today - 2...today + 15 {
      guard let span = span(day, in: zone), span.start <= end, span.end > end else { continue }
      end = span.end
    }
    return end
  }

  private func isOpen(_ day: Int, at instant: Timestamp, in zone: UTCOffsetTable) -> Bool {
    span(day, in: zone).map { $0.start <= instant && instant < $0.end } ?? false
  }

  private func span(
    _ day: Int,
    in zone: UTCOffsetTable
  ) -> (start: Timestamp, end: Timestamp)? {
    let date = CivilDate(daysSinceEpoch: day)
    guard days.contains(date.weekday) else { return nil }
    return zone.span(of: date, from: startMinute, to: endMinute)
  }
}

extension UTCOffsetTable {
  /// From the first time that the wall clock shows a minute of a date to the last time that it shows
  /// another, on the next date if that comes first.
  ///
  /// - Returns: nil if nothing is left of it, in a jump.
  func span(
    of date: CivilDate,
    from startMinute: Int,
    to endMinute: Int
  ) -> (start: Timestamp, end: Timestamp)? {
    let isNextDay = endMinute <= startMinute || endMinute == WeeklyWindow.minutesOfDay
    let endDate = isNextDay ? CivilDate(daysSinceEpoch: date.daysSinceEpoch + 1) : date
    let start = instant(of: date, minuteOfDay: startMinute)
    let ends = instants(of: endDate, minuteOfDay: endMinute % WeeklyWindow.minutesOfDay)
    guard let end = ends.last, start < end else { return nil }
    return (start, end)
  }

  /// The first instant of the day after that of an instant.
  public func nextDay(after instant: Timestamp) -> Timestamp {
    endOfDay(local(at: instant).date)
  }

  /// The first instant after a date.
  public func endOfDay(_ date: CivilDate) -> Timestamp {
    instant(of: CivilDate(daysSinceEpoch: date.daysSinceEpoch + 1), minuteOfDay: 0)
  }
}

extension WeeklyWindow: Codable {
  private enum Key: String, CodingKey {
    case days, start, end
  }

  /// Reads a stored window: days by name, times as `"17:00"`, or in minutes after midnight as earlier
  /// versions wrote them.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func minute(_ key: Key, else whole: Int) throws -> Int {
      guard container.contains(key) else { return whole }
      if let minute = try? container.decode(Int.self, forKey: key) { return minute }
      let text = try container.decode(String.self, forKey: key)
      guard let minute = Self.minuteOfDay(text) else {
        throw DecodingError.dataCorruptedError(
          forKey: key,
          in: container,
          debugDescription: "\"\(text)\" is no time of day such as 17:00"
        )
      }
      return minute
    }
    let window = WeeklyWindow(
      days: try container.decodeIfPresent([Weekday].self, forKey: .days) ?? Weekday.allCases,
      startMinute: try minute(.start, else: 0),
      endMinute: try minute(.end, else: Self.minutesOfDay)
    )
    guard let window else {
      throw DecodingError.dataCorruptedError(
        forKey: .start,
        in: container,
        debugDescription: "the window never opens"
      )
    }
    self = window
  }

  /// Writes a window to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    if days != Weekday.allCases { try container.encode(days, forKey: .days) }
    try container.encode(Self.text(ofMinute: startMinute), forKey: .start)
    try container.encode(Self.text(ofMinute: endMinute), forKey: .end)
  }

  /// A time of day as `17:00`; `24:00` is midnight at the day's end.
  public static func text(ofMinute minute: Int) -> String {
    let (hours, minutes) = minute.quotientAndRemainder(dividingBy: 60)
    return (hours < 10 ? "0" : "") + "\(hours):" + (minutes < 10 ? "0" : "") + "\(minutes)"
  }

  /// Reads what ``text(ofMinute:)`` writes, also where an hour or a minute has one digit.
  ///
  /// - Returns: nil for anything else.
  public static func minuteOfDay(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.count) }),
      parts.allSatisfy({ $0.allSatisfy("0123456789".contains) }), let hours = Int(parts[0]),
      let minutes = Int(parts[1]), minutes < 60, hours * 60 + minutes <= minutesOfDay
    else { return nil }
    return hours * 60 + minutes
  }
}
