extension WeeklyWindow {
  /// Reads a window as people write it: `mon-fri 09:00-17:00`, `sat,sun`, `22:00-02:00`.
  ///
  /// - Returns: nil for anything else, and for a window that never opens.
  public init?(_ text: String) {
    let parts = text.lowercased().split(separator: " ")
    guard (1...2).contains(parts.count), let last = parts.last else { return nil }
    if let hours = Self.hours(last) {
      guard let days = parts.count == 2 ? Self.days(parts[0]) : Weekday.allCases else { return nil }
      self.init(days: days, startMinute: hours.start, endMinute: hours.end)
    } else {
      guard parts.count == 1, let days = Self.days(last) else { return nil }
      self.init(days: days)
    }
  }

  /// The window as ``init(_:)`` reads it.
  public var text: String {
    let hours = Self.text(ofMinute: startMinute) + "-" + Self.text(ofMinute: endMinute)
    guard days != Weekday.allCases else { return hours }
    return days.map(\.rawValue).joined(separator: ",") + " " + hours
  }

  private static func hours(_ text: Substring) -> (start: Int, end: Int)? {
    let times = text.split(separator: "-", omittingEmptySubsequences: false)
      .map { $0.dropLast(2).last == ":" ? minuteOfDay(String($0)) : nil }
    guard times.count == 2, let start = times[0], let end = times[1] else { return nil }
    return (start, end)
  }

  /// Days and ranges of days; a range may run over Sunday.
  private static func days(_ text: Substring) -> [Weekday]? {
    var days: [Weekday] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false)
        .map { Weekday(rawValue: String($0)).flatMap(Weekday.allCases.firstIndex(of:)) }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1]
      else {
        return nil
      }
      let length = (last - first + 7) % 7
      days += (0...length).map { Weekday.allCases[(first + $0) % 7] }
    }
    return days
  }
}
