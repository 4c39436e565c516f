import Geodesy
import Recurrence
import Timeline
import Traces

/// What no reminder may hold: what makes no sense, and what a stored state could not be read again with.
///
/// A state is read as a whole. So each number that has a written form must have one that is read again.
extension Reminder {
  /// What is out of bounds, as a sentence; nil if nothing is.
  var fault: String? {
    for case .place(_, let tiers) in triggers {
      for tier in tiers ?? [] where Tier(tier.name) == nil {
        return "the tier \"\(tier.name)\" is none: a length up to 1000 km, or a span longer than 0"
      }
    }
    for case .schedule(let schedule) in triggers {
      if let fault = schedule.fault { return fault }
    }
    if let nag, let fault = nag.fault { return fault }
    if let expires, !expires.canBeRead { return "it expires at no time that there is: \(expires)" }
    if let fallbackMinute, !WeeklyWindow.hasMinute(fallbackMinute) {
      return "\(fallbackMinute) is no minute of a day, which has 0 to 1439"
    }
    if case .until(let end) = snooze, !end.canBeRead {
      return "its snooze ends at no time that there is"
    }
    return nil
  }
}

extension Reminder.Nag {
  fileprivate var fault: String? {
    guard every.value > 0, Milliseconds(every.name) != nil else {
      return
        "it is told again after \(every.name): that must be a span longer than 0, up to 10 years"
    }
    if let untilMinute, !WeeklyWindow.hasMinute(untilMinute) {
      return "\(untilMinute) is no minute of a day, which has 0 to 1439"
    }
    return nil
  }
}

extension Schedule {
  fileprivate var fault: String? {
    if let time = ([start] + added + excluded).first(where: { !$0.canBeRead }) {
      return "a schedule has no time that there is: \(time)"
    }
    if let lead = leads.first(where: { $0.value <= 0 || Milliseconds($0.name) == nil }) {
      return
        "a schedule rings \(lead.name) before its time: that must be a span longer than 0, up to 10 years"
    }
    if let rule, (try? RecurrenceRule("\(rule)")) == nil {
      return "\(rule) is no rule that there is"
    }
    return nil
  }
}

extension Condition {
  /// Conditions within conditions go so deep: more than anybody says, and less than what reads them takes.
  static let deepest = 50

  /// Whether it goes deeper than a number of levels.
  func isDeeper(than levels: Int) -> Bool {
    guard levels > 0 else { return true }
    return switch self {
    case .all(let parts), .any(let parts): parts.contains { $0.isDeeper(than: levels - 1) }
    case .not(let part), .lasting(let part, _): part.isDeeper(than: levels - 1)
    default: false
    }
  }
}

extension WrittenTime {
  fileprivate var canBeRead: Bool { WrittenTime(description) == self }
}

extension CivilDate {
  /// Whether it is read again as it is written.
  var canBeRead: Bool { WrittenTime(self).canBeRead }
}

extension Coordinate {
  /// Why it lies nowhere on the globe, as a sentence; nil if it does.
  var fault: String? {
    do {
      _ = try Coordinate(latitude: latitude, longitude: longitude)
      return nil
    } catch {
      return "\(error)"
    }
  }
}

extension Fix {
  /// It, where it lies on the globe and its accuracy was known; else nil.
  var usable: Fix? { hasValidAccuracy && coordinate.fault == nil ? readable : nil }
}

extension Timestamp {
  var canBeRead: Bool { RFC3339.parse(RFC3339.format(self)) != nil }
}

extension WeeklyWindow {
  fileprivate static func hasMinute(_ minute: Int) -> Bool { (0..<minutesOfDay).contains(minute) }
}
