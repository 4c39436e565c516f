import NearMeEngine
import Recurrence
import Timeline

/// What the occurrences of a series that have a task of their own make of its times.
///
/// The series comes at (its rule and RDATE, without EXDATE and those occurrences) and at the times that they have now.
struct MovedTimes {
  /// Of the series' own times, those that another task stands for.
  private var replaced: [WrittenTime] = []
  /// The times that those tasks have.
  private var moved: [WrittenTime] = []

  /// Adds an occurrence.
  ///
  /// - Parameters:
  ///   - was: when it would come by the series; a date is the series' time of that day.
  ///   - new: when it comes; nil: not any more.
  mutating func add(_ was: WrittenTime, movedTo new: WrittenTime?, in schedule: Schedule) {
    replaced.append(was.timed(as: schedule))
    if let new { moved.append(new.timed(as: schedule)) }
  }

  /// The same of a series that comes so many seconds later.
  func later(by seconds: Int64) -> MovedTimes {
    var times = self
    times.replaced = replaced.map { $0.later(by: seconds) }
    times.moved = moved.map { $0.later(by: seconds) }
    return times
  }

  /// The triggers in place of the series': itself, and what a day that it leaves out would hide.
  func triggers(of schedule: Schedule, zone: UTCOffsetTable?) -> [Trigger] {
    var schedule = schedule
    let own = Set(replaced.map { Key($0, zone) })
    for time in replaced where !schedule.excluded.contains(time) { schedule.excluded.append(time) }
    var apart: [WrittenTime] = []
    for time in moved {
      let key = Key(time, zone)
      schedule.excluded.removeAll { $0.isDate == time.isDate && Key($0, zone) == key }
      if schedule.excluded.contains(where: { $0.isDate && Self.mayHide($0, time, zone) }) {
        apart.append(time)
      } else if !own.contains(key), !schedule.added.contains(time) {
        schedule.added.append(time)
      }
    }
    guard let first = apart.first else { return [.schedule(schedule)] }
    // As a series, for a single time that has passed is told at once.
    return [
      .schedule(schedule),
      .schedule(Schedule(start: first, zone: schedule.zone, added: apart)),
    ]
  }

  /// Whether a day that is left out has a time in it, or may have: of an instant only the phone knows the day.
  private static func mayHide(
    _ day: WrittenTime,
    _ time: WrittenTime,
    _ zone: UTCOffsetTable?
  ) -> Bool {
    var wall = time.local.wallSeconds
    var slack: Int64 = 0
    if time.offsetSeconds != nil {
      let instant = time.instant(in: zone ?? .utc)
      wall = instant.wholeSeconds + Int64(zone?.offsetSeconds(at: instant) ?? 0)
      if zone == nil { slack = 50_400 }
    }
    let midnight = day.local.wallSeconds
    return wall >= midnight - slack && wall < midnight + 86_400 + slack
  }

  /// What two forms of one time have in common.
  private struct Key: Hashable {
    let isInstant: Bool
    let seconds: Int64

    init(_ time: WrittenTime, _ zone: UTCOffsetTable?) {
      isInstant = !time.isDate && (time.offsetSeconds != nil || zone != nil)
      seconds =
        isInstant ? time.instant(in: zone ?? .utc).wholeSeconds : time.local.wallSeconds
    }
  }
}

extension WrittenTime {
  /// So many seconds later on the same clock; a date stays that date.
  func later(by seconds: Int64) -> WrittenTime {
    if isDate { return self }
    return WrittenTime(
      local: LocalDateTime(clamping: local.wallSeconds + seconds),
      offsetSeconds: offsetSeconds
    )
  }

  /// A date as a series' time of that day; a series of dates has none.
  func timed(as schedule: Schedule) -> WrittenTime {
    guard isDate, !schedule.start.isDate else { return self }
    return WrittenTime(
      local: LocalDateTime(
        clamping: local.wallSeconds + Int64(schedule.start.local.secondOfDay)
      ),
      offsetSeconds: schedule.start.offsetSeconds
    )
  }
}
