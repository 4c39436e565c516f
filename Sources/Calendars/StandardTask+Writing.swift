import Basics
import Geodesy
import NearMeEngine
import Places
import Recurrence
import Timeline

/// A reminder as the standards for calendars have it: tasks of RFC 5545, places of RFC 9074.
///
/// Of a reminder it holds what every program understands. ``CalendarWriter`` adds the rest in a property of our own.
enum StandardTask {
  /// Our own property: the whole reminder in its stored form.
  static let ownProperty = "X-NEARME-REMINDER"
  /// Our own property: a place that our other one or no alarm names, in its stored form.
  static let placeProperty = "X-NEARME-PLACE"
  /// Our own property: the times that were answered, as a reminders file has them.
  static let answersProperty = "X-NEARME-ANSWERS"
  /// Our own property: which of the excluded times are those that were answered, written as there.
  static let doneProperty = "X-NEARME-DONE"
  /// Our own property of a place: what it is to the user.
  static let kindProperty = "X-NEARME-KIND"
  /// The instant of an alarm that has none, by the example of RFC 9074, section 8.2.
  static let noInstant = "19760401T005545Z"
  /// The signal of a car's being connected and its levels.
  static let car = (name: "car", connected: "connected", disconnected: "disconnected")

  // MARK: - Writing

  /// The task that says of a reminder what tasks can say.
  ///
  /// - Parameter here: the zone of times that name none, for those that were answered; nil: it is not known.
  static func component(
    _ item: CalendarDocument.Item,
    places: [Place],
    zones: any ZoneSource,
    stamp: Timestamp,
    here: UTCOffsetTable? = nil
  ) -> CalendarComponent {
    let reminder = item.reminder
    var task = CalendarComponent("VTODO")
    task.lines.append(CalendarLine("UID", text: reminder.id))
    task.lines.append(CalendarLine("DTSTAMP", value: stamp.iCalendarText))
    if let made = item.createdAt {
      task.lines.append(CalendarLine("CREATED", value: made.iCalendarText))
    }
    if let changed = item.changedAt {
      task.lines.append(CalendarLine("LAST-MODIFIED", value: changed.iCalendarText))
    }
    task.lines.append(CalendarLine("SUMMARY", text: reminder.title))
    if let notes = reminder.notes { task.lines.append(CalendarLine("DESCRIPTION", text: notes)) }
    task.lines.append(CalendarLine("STATUS", value: status(reminder.status)))
    if reminder.status == .completed, let completed = item.completedAt {
      task.lines.append(CalendarLine("COMPLETED", value: completed.iCalendarText))
    }
    // Here the greatest comes first, there the least: 9 is PRIORITY:1.
    if reminder.priority > 0 {
      task.lines.append(CalendarLine("PRIORITY", value: "\(max(1, 10 - reminder.priority))"))
    }
    if let schedule = reminder.triggers.firstSchedule {
      add(schedule, nag: reminder.nag, title: reminder.title, zones: zones, to: &task)
      if !reminder.status.isOver { addDone(item.answers, of: schedule, zones, here, to: &task) }
    }
    for trigger in reminder.triggers {
      if let alarm = alarm(trigger, reminder.title, places) { task.components.append(alarm) }
    }
    return task
  }

  private static func status(_ status: Reminder.Status) -> String {
    switch status {
    case .active, .fired: "NEEDS-ACTION"
    case .completed: "COMPLETED"
    case .expired: "CANCELLED"
    }
  }

  // MARK: Times

  private static func add(
    _ schedule: Schedule,
    nag: Reminder.Nag?,
    title: String,
    zones: any ZoneSource,
    to task: inout CalendarComponent
  ) {
    let schedule = sayable(schedule, zones)
    // What recurs is counted from DTSTART; what does not is due.
    let start = start(schedule, zones)
    task.lines.append(
      line(schedule.recurs ? "DTSTART" : "DUE", [start], zone: schedule.zone)
    )
    if let rule = schedule.rule {
      task.lines.append(CalendarLine("RRULE", value: rule.description))
    }
    for times in runs(schedule.added) {
      task.lines.append(line("RDATE", times, zone: schedule.zone))
    }
    for times in runs(schedule.excluded) {
      task.lines.append(line("EXDATE", times, zone: schedule.zone))
    }
    // A date has no time that an alarm could be counted from.
    guard !start.isDate else { return }
    for lead in schedule.leads + [.seconds(0)] where lead.value % 1_000 == 0 {
      var alarm = self.alarm(title)
      let related = schedule.recurs ? [] : [(name: "RELATED", value: "END")]
      alarm.lines.append(
        CalendarLine(
          "TRIGGER",
          related,
          value: CalendarDuration.text(seconds: -lead.value / 1_000)
        )
      )
      if lead.value == 0, let nag, nag.every.value % 1_000 == 0, nag.untilMinute == nil {
        alarm.lines.append(CalendarLine("REPEAT", value: "\(nag.atMost)"))
        alarm.lines.append(
          CalendarLine(
            "DURATION",
            value: CalendarDuration.text(seconds: nag.every.value / 1_000)
          )
        )
      }
      task.components.append(alarm)
    }
  }

  /// Leaves out of a series the times of it that were answered, so that other programs do not show them as open.
  ///
  /// Times that are counted from answers are none of a rule.
  private static func addDone(
    _ answers: [ReminderAnswer],
    of schedule: Schedule,
    _ zones: any ZoneSource,
    _ here: UTCOffsetTable?,
    to task: inout CalendarComponent
  ) {
    guard schedule.recurs, schedule.anchor != .completion else { return }
    let isUTC = schedule.zone == nil && schedule.start.offsetSeconds != nil
    guard let clock = isUTC ? .utc : schedule.zone.map({ zones.zone(named: $0) }) ?? here else {
      return
    }
    let said = sayable(schedule, zones)
    var known = Set(said.excluded.map(\.iCalendarText))
    var done: [WrittenTime] = []
    for due in answers.map(\.due).sorted() {
      let local = LocalDateTime(
        clamping: due.wholeSeconds + Int64(clock.offsetSeconds(at: due))
      )
      // A date is due at some hour of it.
      let times = try? schedule.times(in: clock, timeOfDay: local.secondOfDay)
      guard let next = try? times?.next(after: due - Milliseconds(1)), next.instant == due else {
        continue
      }
      let time = WrittenTime(local: local, offsetSeconds: isUTC ? 0 : nil).alike(said)
      if known.insert(time.iCalendarText).inserted { done.append(time) }
    }
    guard !done.isEmpty else { return }
    task.lines.append(line("EXDATE", done, zone: said.zone))
    task.lines.append(line(doneProperty, done, zone: said.zone))
  }

  /// What others understand of a schedule.
  ///
  /// UTC has no name of a zone (RFC 5545, section 3.2.19), the times of a series are all of one form (3.8.5.1), and
  /// hardly any program knows SKIP (RFC 7529): radicale refuses a task that has it.
  private static func sayable(_ schedule: Schedule, _ zones: any ZoneSource) -> Schedule {
    var schedule = schedule
    schedule.rule?.skip = .omit
    let end = end(of: schedule, zones)
    schedule.rule?.until = end
    if schedule.zone == UTCOffsetTable.utc.identifier {
      schedule.zone = nil
      if schedule.isFloating, !schedule.start.isDate {
        schedule.start = WrittenTime(local: schedule.start.local, offsetSeconds: 0)
      }
    }
    schedule.added = schedule.added.map { $0.alike(schedule) }
    schedule.excluded = schedule.excluded.map { $0.alike(schedule) }
    return schedule
  }

  /// UNTIL in the form of the start, as RFC 5545, section 3.3.10, asks for: a date, a wall time, or UTC.
  private static func end(
    of schedule: Schedule,
    _ zones: any ZoneSource
  ) -> RecurrenceRule.Until? {
    guard let until = schedule.rule?.until else { return nil }
    let zone = schedule.zone.flatMap { zones.zone(named: $0) }
    let last: WrittenTime
    switch until {
    case .day(let date):
      if schedule.start.isDate { return until }
      let midnight = LocalDateTime(date, minuteOfDay: 0)
      last = WrittenTime(local: LocalDateTime(clamping: midnight.wallSeconds + 86_399))
    case .wall(let time): last = WrittenTime(local: time)
    case .utc(let time): last = WrittenTime(local: time, offsetSeconds: 0)
    }
    if schedule.start.isDate { return .day(last.local.date) }
    if schedule.isFloating { return .wall(last.local) }
    let instant = last.instant(in: zone ?? .utc)
    return .utc(LocalDateTime(clamping: instant.wholeSeconds))
  }

  /// The start as iCalendar can say it: with a zone, without an offset of its own.
  private static func start(_ schedule: Schedule, _ zones: any ZoneSource) -> WrittenTime {
    guard let offset = schedule.start.offsetSeconds, let name = schedule.zone,
      let zone = zones.zone(named: name)
    else { return schedule.start }
    let seconds = schedule.start.local.wallSeconds - Int64(offset)
    let there = Int64(zone.offsetSeconds(at: Timestamp(seconds: seconds)))
    return WrittenTime(local: LocalDateTime(clamping: seconds + there))
  }

  /// Times with and without Z that follow each other, for a line each.
  private static func runs(_ times: [WrittenTime]) -> [[WrittenTime]] {
    var runs: [[WrittenTime]] = []
    for time in times {
      if let last = runs.last?.last, (last.offsetSeconds == nil) == (time.offsetSeconds == nil) {
        runs[runs.count - 1].append(time)
      } else {
        runs.append([time])
      }
    }
    return runs
  }

  private static func line(
    _ name: String,
    _ times: [WrittenTime],
    zone: String?
  ) -> CalendarLine {
    var parameters: [(name: String, value: String)] = []
    if times[0].isDate {
      parameters.append(("VALUE", "DATE"))
    } else if let zone, times[0].offsetSeconds == nil {
      parameters.append(("TZID", zone))
    }
    return CalendarLine(
      name,
      parameters,
      value: times.map(\.iCalendarText).joined(separator: ",")
    )
  }

  // MARK: Alarms

  private static func alarm(_ title: String) -> CalendarComponent {
    var alarm = CalendarComponent("VALARM")
    alarm.lines = [
      CalendarLine("ACTION", value: "DISPLAY"), CalendarLine("DESCRIPTION", text: title),
    ]
    return alarm
  }

  /// The alarm of RFC 9074 that says what a trigger says; nil for what none can say.
  private static func alarm(
    _ trigger: Trigger,
    _ title: String,
    _ places: [Place]
  ) -> CalendarComponent? {
    var place: Place?
    let proximity: String
    switch trigger {
    case .place(.place(let id), _):
      place = places.first { $0.id == id }
      proximity = "ARRIVE"
    case .leave(.place(let id)):
      place = places.first { $0.id == id }
      proximity = "DEPART"
    case .signal(car.name, from: nil, to: car.connected): proximity = "CONNECT"
    case .signal(car.name, from: nil, to: car.disconnected): proximity = "DISCONNECT"
    default: return nil
    }
    if trigger.target != nil, place == nil { return nil }
    var alarm = self.alarm(title)
    alarm.lines.append(CalendarLine("TRIGGER", [("VALUE", "DATE-TIME")], value: noInstant))
    alarm.lines.append(CalendarLine("PROXIMITY", value: proximity))
    if let place { alarm.components.append(location(place)) }
    return alarm
  }

  private static func location(_ place: Place) -> CalendarComponent {
    var location = CalendarComponent("VLOCATION")
    let point = place.coordinate
    var address = "geo:\(plainText(point.latitude)),\(plainText(point.longitude))"
    if let radius = place.arrivalRadiusMeters { address += ";u=\(plainText(radius))" }
    location.lines = [
      CalendarLine("UID", text: place.id), CalendarLine("NAME", text: place.name),
      CalendarLine("URL", value: address),
    ]
    if place.kind != .other {
      location.lines.append(CalendarLine(kindProperty, value: place.kind.rawValue.uppercased()))
    }
    return location
  }
}

extension Trigger {
  /// The schedule; nil for all else.
  var schedule: Schedule? { if case .schedule(let schedule) = self { schedule } else { nil } }
}

extension [Trigger] {
  /// The first schedule, which is the one time that a task has.
  var firstSchedule: Schedule? { lazy.compactMap(\.schedule).first }
}

extension WrittenTime {
  /// The time in the form of a schedule's start.
  fileprivate func alike(_ schedule: Schedule) -> WrittenTime {
    let start = schedule.start
    if start.isDate { return WrittenTime(local.date) }
    let midnight = local.wallSeconds - Int64(local.secondOfDay)
    let local =
      isDate ? LocalDateTime(clamping: midnight + Int64(start.local.secondOfDay)) : self.local
    if schedule.isFloating { return WrittenTime(local: local) }
    return WrittenTime(
      local: local,
      offsetSeconds: offsetSeconds ?? (schedule.zone == nil ? start.offsetSeconds : nil)
    )
  }
}
