import NearMeEngine
import Recurrence
import Timeline

extension Reminder {
  /// Whether another one is this one but for alarms that have passed, which a calendar is read without, or but for a whole
  /// day whose time is an alarm's where one of the two was read, and was none where the other one was.
  ///
  /// - Parameter zone: the phone's, of times that name none.
  func isButForPast(
    _ other: Reminder,
    at now: Timestamp,
    zone: UTCOffsetTable,
    _ zones: any ZoneSource
  ) -> Bool {
    let theirs = other.triggers.compactMap(\.single)
    var left = self
    left.triggers = triggers.compactMap { trigger in
      guard var schedule = trigger.single else { return trigger }
      let clock = schedule.zone.flatMap { zones.zone(named: $0) } ?? zone
      guard let same = theirs.first(where: { $0.isAtTime(of: schedule) }) else {
        return schedule.hasPassed(at: now, in: clock) ? nil : trigger
      }
      guard !schedule.start.isDate else { return trigger }
      let due = schedule.start.instant(in: clock)
      schedule.leads.removeAll { !same.leads.contains($0) && due - $0 <= now }
      return .schedule(schedule)
    }
    return left == other || isButForDay(left, other)
  }

  /// Whether two of which one comes on a whole day, too, are the same without it, for an alarm at an instant is of that day
  /// somewhere.
  ///
  /// - Parameter left: this one without what has passed.
  private func isButForDay(_ left: Reminder, _ other: Reminder) -> Bool {
    let days = (left.triggers + other.triggers).compactMap(\.single).filter(\.start.isDate)
    guard days.count == 1, let day = days.first else { return false }
    let alarms = (triggers + other.triggers).compactMap(\.single).filter { $0.mayBe(on: day) }
    guard !alarms.isEmpty else { return false }
    func alike(_ reminder: Reminder) -> Reminder {
      var reminder = reminder
      reminder.triggers = reminder.triggers.compactMap { trigger in
        guard var schedule = trigger.single, schedule == day || alarms.contains(schedule) else {
          return trigger
        }
        // The first time of the day has the leads.
        schedule.leads = []
        return schedule.start.isDate ? nil : .schedule(schedule)
      }
      return reminder
    }
    return alike(left) == alike(other)
  }
}

extension Trigger {
  /// Its schedule, if that comes once.
  fileprivate var single: Schedule? {
    guard case .schedule(let schedule) = self, !schedule.recurs else { return nil }
    return schedule
  }
}

extension Schedule {
  /// Whether it is an instant that is of a day somewhere on earth.
  ///
  /// - Source: the tz database: clocks are from 12 hours behind UTC to 14 ahead of it.
  fileprivate func mayBe(on day: Schedule) -> Bool {
    guard zone == nil, start.offsetSeconds != nil else { return false }
    let midnight = day.start.local.wallSeconds
    let range = (midnight - 14 * 3_600)..<(midnight + (24 + 12) * 3_600)
    return range.contains(start.instant(in: .utc).wholeSeconds)
  }

  /// Whether it comes when another one does, whatever rings before.
  fileprivate func isAtTime(of other: Schedule) -> Bool {
    var timed = self
    timed.leads = other.leads
    return timed == other
  }
}
