import Basics
import Geodesy
import NearMeEngine
import Places
import Recurrence
import Timeline

extension StandardTask {
  /// A task or an event as a reminder, and what of it no reminder has.
  struct Reading {
    var item: CalendarDocument.Item
    var places: [Place] = []
    /// What was left out, in words.
    var losses: [String] = []
    /// Its own time, until its alarms have been read.
    var schedule: Schedule?
    var leads: [Milliseconds] = []
    /// Seconds after midnight at which alarms speak on the day of what has no time of its own.
    var secondsOfDay: [Int64] = []
    /// The same where the day is that of another clock than the phone's.
    var instantsOfDay: [Timestamp] = []

    /// Those of its triggers that follow its time, and by how many seconds.
    var later: [(seconds: Int64, trigger: Trigger)] = []

    init(_ reminder: Reminder) { item = CalendarDocument.Item(reminder) }

    /// Notes a place, once.
    mutating func add(_ place: Place) {
      guard let known = places.first(where: { $0.id == place.id }) else {
        return places.append(place)
      }
      if known != place { lose("a second place with the id \(place.id)") }
    }

    /// Notes that something was left out, once.
    mutating func lose(_ what: String) {
      if !losses.contains(what) { losses.append(what) }
    }
  }

  /// Properties that a reminder needs no place for: they say of the file, not of what is to be done.
  private static let passedOver: Set = [
    "UID", "DTSTAMP", "CREATED", "LAST-MODIFIED", "SEQUENCE", "CLASS", "TRANSP", "PERCENT-COMPLETE",
    "COMPLETED", "STATUS", "SUMMARY", "DESCRIPTION", "PRIORITY", "DTSTART", "DUE", "RRULE", "RDATE",
    "EXDATE", "RECURRENCE-ID", "URL", "CATEGORIES", ownProperty, placeProperty,
  ]

  /// Reads a task or an event.
  ///
  /// - Throws: ``CalendarError`` for what would be told at a wrong time, or not be understood.
  static func read(
    _ task: CalendarComponent,
    context: CalendarContext
  ) throws(CalendarError) -> Reading {
    if let fault = task.faultsButOfAlarms.first { throw fault }
    let title = task["SUMMARY"]?.text ?? ""
    guard title.contains(where: { !$0.isWhitespace }) else {
      throw CalendarError(task.number, "\(task.name) has no SUMMARY: what is to be done?")
    }
    let uid = task["UID"]?.text ?? ""
    let id = uid.isEmpty ? "calendar-" + fingerprint(task) : uid
    var reading = Reading(Reminder(id: id, title: title, triggers: []))
    reading.item.reminder.notes = notes(task, &reading)
    reading.item.reminder.status = try status(task)
    reading.item.reminder.priority = try priority(task)
    reading.item.createdAt = try instant(task["CREATED"], &reading)
    reading.item.changedAt = try instant(task["LAST-MODIFIED"], &reading)
    reading.item.completedAt = try instant(task["COMPLETED"], &reading)
    let times = TaskTimes(task: task, context: context)
    reading.schedule = try times.schedule(&reading)
    for component in task.components {
      switch component.name {
      case "VALARM": readAlarm(component, times, &reading)
      case "VLOCATION": continue
      case let name: reading.lose(name)
      }
    }
    reading.item.eventEnd = try times.eventEnd(of: reading.schedule)
    setTimesOfDay(&reading)
    if let schedule = reading.schedule {
      reading.item.reminder.triggers.insert(
        .schedule(schedule.with(leads: reading.leads)),
        at: 0
      )
    }
    for line in task.lines where !passedOver.contains(line.name) {
      if line.name == "DURATION", times.isDueByLength { continue }
      if !line.name.hasPrefix("X-") { reading.lose(line.name) }
    }
    return reading
  }

  /// The same for the same lines: an id for a task that has none.
  private static func fingerprint(_ task: CalendarComponent) -> String {
    var hash = FNV1a()
    for line in task.lines { hash.add("\(line.name):\(line.value)\n".utf8) }
    return hash.text
  }

  /// The notes; a link and categories, which a reminder has no place for, are put at their end.
  private static func notes(_ task: CalendarComponent, _ reading: inout Reading) -> String? {
    let notes = task["DESCRIPTION"]?.text
    var added: [String] = []
    if let link = task["URL"]?.value, !link.isEmpty { added.append(link) }
    let categories = task.all("CATEGORIES").flatMap(\.texts).filter { !$0.isEmpty }
    if !categories.isEmpty { added.append(categories.map { "#" + $0 }.joined(separator: " ")) }
    guard !added.isEmpty else { return notes }
    reading.lose("URL and CATEGORIES, which are in the notes now")
    return ([notes].compactMap(\.self) + added).joined(separator: "\n")
  }

  private static func status(_ task: CalendarComponent) throws(CalendarError) -> Reminder.Status {
    guard let line = task["STATUS"] else {
      let isDone = task["COMPLETED"] != nil || task["PERCENT-COMPLETE"]?.value == "100"
      return isDone ? .completed : .active
    }
    switch line.value.uppercased() {
    case "NEEDS-ACTION", "IN-PROCESS", "CONFIRMED", "TENTATIVE": return .active
    case "COMPLETED": return .completed
    case "CANCELLED": return .expired
    default:
      throw CalendarError(
        line.number,
        "STATUS:\(line.value) is not known: write NEEDS-ACTION, COMPLETED or CANCELLED"
      )
    }
  }

  private static func priority(_ task: CalendarComponent) throws(CalendarError) -> Int {
    guard let line = task["PRIORITY"] else { return 0 }
    guard let priority = Int(line.value), (0...9).contains(priority) else {
      throw CalendarError(line.number, "PRIORITY:\(line.value): write 0 to 9")
    }
    return priority == 0 ? 0 : 10 - priority
  }

  private static func instant(
    _ line: CalendarLine?,
    _ reading: inout Reading
  ) throws(CalendarError) -> Timestamp? {
    guard let line else { return nil }
    guard let time = WrittenTime(line.value) else {
      throw CalendarError(line.number, "\(line.name):\(line.value) is no time")
    }
    let instant = time.instant(in: .utc)
    // An offset may carry a time over the ends of all calendars.
    guard LocalDateTime(clamping: instant.wholeSeconds).wallSeconds == instant.wholeSeconds else {
      reading.lose("\(line.name):\(line.value), which is not in the years 1 to 9999")
      return nil
    }
    return instant
  }
}

/// When a task is due or an event begins.
struct TaskTimes {
  let task: CalendarComponent
  let context: CalendarContext

  /// Whether it is a series or an occurrence of one.
  private var recurs: Bool {
    ["RRULE", "RDATE", "RECURRENCE-ID"].contains { task[$0] != nil }
  }

  /// Whether it is a task that recurs, or an occurrence of one.
  var isSeriesOfTasks: Bool { task.name == "VTODO" && recurs }

  /// Whether a task's length says when it is due.
  var isDueByLength: Bool { speaksAfter != nil }

  /// How many seconds after it begins a task is due, where that is said by its length.
  private var speaksAfter: Int64? {
    guard task.name == "VTODO", !recurs, task["DUE"] == nil, let begin = task["DTSTART"],
      let length = task["DURATION"].flatMap({ CalendarDuration.seconds($0.value) }), length > 0,
      WrittenTime(begin.value).map({ !$0.isDate }) ?? false
    else { return nil }
    return length
  }

  /// The instant of what comes once, or of a series' first time; nil where only the phone knows.
  func firstInstant(_ schedule: Schedule) -> Timestamp? {
    guard !schedule.start.isDate else { return nil }
    if schedule.start.offsetSeconds != nil { return schedule.start.instant(in: .utc) }
    return schedule.zone.flatMap { context.zones.zone(named: $0) }
      .map { schedule.start.instant(in: $0) }
  }

  /// The seconds from one time to another, of a series its first one; nil where only the phone knows.
  func seconds(from: Schedule, to: Schedule) -> Int64? {
    if from.isFloating, to.isFloating, !from.start.isDate, !to.start.isDate {
      return to.start.local.wallSeconds - from.start.local.wallSeconds
    }
    guard let first = firstInstant(from), let last = firstInstant(to) else { return nil }
    return last.wholeSeconds - first.wholeSeconds
  }

  /// Why an alarm at an instant is not to come any more; nil if it is.
  func reasonThatIsOver(_ alarm: CalendarComponent, at instant: Timestamp?) -> String? {
    guard let instant else { return nil }
    func time(_ line: CalendarLine?) -> Timestamp? {
      line.flatMap { WrittenTime($0.value) }?.instant(in: .utc)
    }
    if let answered = time(alarm["ACKNOWLEDGED"]), answered >= instant { return "was answered" }
    // What is past when the task was written is past now.
    let known = [context.now, time(task["DTSTAMP"]), time(task["LAST-MODIFIED"])]
    return known.contains { $0.map { $0 > instant } ?? false } ? "is past" : nil
  }

  func schedule(_ reading: inout StandardTask.Reading) throws(CalendarError) -> Schedule? {
    let rules = task.all("RRULE")
    let (begin, due) = (task["DTSTART"], task["DUE"])
    // What recurs is counted from where it begins; what does not is to be done when it is due.
    guard let line = recurs || task.name == "VEVENT" ? begin ?? due : due ?? begin else {
      if let rule = rules.first { throw CalendarError(rule.number, "RRULE needs a DTSTART") }
      return nil
    }
    if let begin, speaksAfter != nil || due.map({ $0.value != begin.value }) ?? false {
      reading.lose(
        recurs ? "DUE: it speaks when it begins" : "DTSTART: it speaks when it is due"
      )
    }
    guard rules.count < 2 else { throw CalendarError(rules[1].number, "a second RRULE: write one") }
    var (start, zone) = try time(line)
    if let speaksAfter {
      let wall = LocalDateTime(clamping: start.local.wallSeconds + speaksAfter)
      start = WrittenTime(local: wall, offsetSeconds: start.offsetSeconds)
    }
    var rule: RecurrenceRule?
    if let text = rules.first {
      do throws(RecurrenceError) { rule = try RecurrenceRule(text.value) } catch {
        throw CalendarError(text.number, "\(error)")
      }
    }
    return Schedule(
      start: start,
      zone: zone,
      rule: rule,
      added: try times("RDATE", zone),
      excluded: try excluded(zone)
    )
  }

  /// The times that are left out, but those of which our own property says that they were answered.
  private func excluded(_ zone: String?) throws(CalendarError) -> [WrittenTime] {
    let all = try times("EXDATE", zone)
    // Another program may have written them in another form.
    guard let done = try? times(StandardTask.doneProperty, zone), !done.isEmpty else { return all }
    let answered = Set(done.map { instant($0, in: zone) })
    return all.filter { !answered.contains(instant($0, in: zone)) }
  }

  /// When an event of another program's ends: its end, or so long after it begins; of a series the times themselves.
  ///
  /// - Source: RFC 5545, 3.6.1: without either, a day lasts that day, and an instant no time at all.
  func eventEnd(of schedule: Schedule?) throws(CalendarError) -> Schedule? {
    guard task.name == "VEVENT", task[StandardTask.ownProperty] == nil, let schedule else {
      return nil
    }
    if schedule.recurs { return schedule }
    if let line = task["DTEND"] {
      let (end, zone) = try time(line)
      // The day after the last one.
      return Schedule(start: end, zone: zone)
    }
    var end = schedule
    let seconds = task["DURATION"].flatMap { CalendarDuration.seconds($0.value) }
    let length = seconds ?? (schedule.start.isDate ? 86_400 : 0)
    let wall = LocalDateTime(clamping: schedule.start.local.wallSeconds + length)
    end.start =
      schedule.start.isDate
      ? WrittenTime(wall.date)
      : WrittenTime(local: wall, offsetSeconds: schedule.start.offsetSeconds)
    return end
  }

  private func times(_ name: String, _ zone: String?) throws(CalendarError) -> [WrittenTime] {
    var times: [WrittenTime] = []
    for line in task.all(name) {
      for value in line.value.split(separator: ",") {
        // Of a period its beginning.
        var one = line
        one.value = String(value.prefix { $0 != "/" })
        times.append(try time(one, in: zone))
      }
    }
    return times
  }

  /// The time of a property as a series in a zone writes it.
  func time(_ line: CalendarLine, in zone: String?) throws(CalendarError) -> WrittenTime {
    let (time, its) = try self.time(line)
    return its == nil || its == zone ? time : instant(time, in: its)
  }

  /// The instant of a time in a zone, written so.
  func instant(_ time: WrittenTime, in zone: String?) -> WrittenTime {
    guard let table = zone.flatMap({ context.zones.zone(named: $0) }) else { return time }
    let seconds = time.instant(in: table).milliseconds / 1_000
    return WrittenTime(local: LocalDateTime(clamping: seconds), offsetSeconds: 0)
  }

  /// Seconds from the time at which it speaks to the one that an alarm is counted from; nil where that is not known.
  func shift(_ trigger: CalendarLine) throws(CalendarError) -> Int64? {
    let isFromEnd = trigger["RELATED"]?.uppercased() == "END"
    let speaksAtEnd =
      task.name == "VTODO" && !recurs && (task["DUE"] != nil || speaksAfter != nil)
    // What has one time only has its alarms counted from that.
    guard isFromEnd != speaksAtEnd, let begin = task["DTSTART"] else { return 0 }
    guard let length = try length(from: begin) else { return nil }
    return isFromEnd ? length : -length
  }

  /// Seconds from its beginning to its end; nil where only the phone knows, or where it is written in a wrong form.
  private func length(from begin: CalendarLine) throws(CalendarError) -> Int64? {
    let (start, zone) = try time(begin)
    guard let line = task[task.name == "VEVENT" ? "DTEND" : "DUE"] else {
      if let duration = task["DURATION"] { return CalendarDuration.seconds(duration.value) }
      return task.name == "VEVENT" && start.isDate ? 86_400 : 0
    }
    let (end, its) = try time(line)
    let (from, to) = (Schedule(start: start, zone: zone), Schedule(start: end, zone: its))
    if start.isDate, end.isDate { return end.local.wallSeconds - start.local.wallSeconds }
    return seconds(from: from, to: to)
  }

  /// The time of a property, and the name of its zone.
  func time(_ line: CalendarLine) throws(CalendarError) -> (time: WrittenTime, zone: String?) {
    guard let time = WrittenTime(line.value) else {
      throw CalendarError(
        line.number,
        "\(line.name):\(line.value) is no time such as 20260302T070000"
      )
    }
    guard let name = line["TZID"], !name.isEmpty, time.offsetSeconds == nil, !time.isDate else {
      return (time, nil)
    }
    switch context.zone(name, at: time.local) {
    case .named(let zone): return (time, zone)
    case .defined(let table) where task["RRULE"] == nil && task["RDATE"] == nil:
      let instant = time.instant(in: table).wholeSeconds
      return (WrittenTime(local: LocalDateTime(clamping: instant), offsetSeconds: 0), nil)
    case .defined:
      throw unknownZone("\"\(name)\" is defined here as none that is known", line)
    case nil:
      throw unknownZone(
        ZoneNames.isAbbreviation(name)
          ? "\"\(name)\" may be one of several" : "\"\(name)\" is not known here",
        line
      )
    }
  }

  private func unknownZone(_ what: String, _ line: CalendarLine) -> CalendarError {
    CalendarError(
      line.number,
      "\(line.name): the time zone \(what): write a name such as Europe/Malta"
    )
  }
}
