import Basics
import Timeline

/// A weekly window as people write it: `mon-fri 09:00-17:00`, `sat,sun`, `22:00-02:00`.
///
/// - Returns: nil for anything else, and for a window that never opens.
func parseWindow(_ text: String) -> WeeklyWindow? {
  let parts = text.lowercased().split(separator: " ")
  guard (1...2).contains(parts.count), let last = parts.last else { return nil }
  if let hours = hours(last) {
    let days = parts.count == 2 ? days(parts[0]) : Weekday.allCases
    return days.flatMap {
      WeeklyWindow(days: $0, startMinute: hours.start, endMinute: hours.end)
    }
  }
  guard parts.count == 1 else { return nil }
  return days(last).flatMap { WeeklyWindow(days: $0) }
}

/// The same text for a window.
func windowText(_ window: WeeklyWindow) -> String {
  let hours = timeOfDay(minute: window.startMinute) + "-" + timeOfDay(minute: window.endMinute)
  guard window.days != Weekday.allCases else { return hours }
  return window.days.map(\.rawValue).joined(separator: ",") + " " + hours
}

private func hours(_ text: Substring) -> (start: Int, end: Int)? {
  let times = text.split(separator: "-", omittingEmptySubsequences: false).map(minuteOfDay)
  guard times.count == 2, let start = times[0], let end = times[1] else { return nil }
  return (start, end)
}

private func minuteOfDay(_ text: Substring) -> Int? {
  let parts = text.split(separator: ":", omittingEmptySubsequences: false)
  guard parts.count == 2,
    parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0.isASCII && $0.isNumber } }),
    let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60, hour * 60 + minute <= 1_440
  else { return nil }
  return hour * 60 + minute
}

/// Days and ranges of days; a range may run over Sunday.
private func days(_ text: Substring) -> [Weekday]? {
  var days: [Weekday] = []
  for part in text.split(separator: ",", omittingEmptySubsequences: false) {
    let ends = part.split(separator: "-", omittingEmptySubsequences: false)
      .map { Weekday(rawValue: String($0)).flatMap(Weekday.allCases.firstIndex(of:)) }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else {
      return nil
    }
    let length = (last - first + 7) % 7
    days += (0...length).map { Weekday.allCases[(first + $0) % 7] }
  }
  return days
}
