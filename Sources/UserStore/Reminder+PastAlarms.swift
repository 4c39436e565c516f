import NearMeEngine
import Recurrence
import Timeline

extension Reminder {
  /// Whether another one is this one but for alarms that have passed, which a calendar is read without.
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
    return left == other
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
  /// Whether it comes when another one does, whatever rings before.
  fileprivate func isAtTime(of other: Schedule) -> Bool {
    var timed = self
    timed.leads = other.leads
    return timed == other
  }
}
