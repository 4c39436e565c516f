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
    fileprivate var schedule: Schedule?
    fileprivate var leads: [Milliseconds] = []
    /// Seconds after midnight at which alarms speak on the day of what has no time of its own.
    fileprivate var secondsOfDay: [Int64] = []

    init(_ reminder: Reminder) { item = CalendarDocument.Item(reminder) }

    /// Notes a place, once.
    fileprivate mutating func add(_ place: Place) {
      guard let known = places.first(where: { $0.id == place.id }) else {
        return places.append(place)
      }
      if known != place { lose("a second place with the id \(place.id)") }
    }

    /// Notes that something was left out, once.
    fileprivate mutating func lose(_ what: String) {
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
    zones: any ZoneSource
  ) throws(CalendarError) -> Reading {
    if let fault = task.allFaults.first { throw fault }
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
    let times = TaskTimes(task: task, zones: zones)
    reading.schedule = try times.schedule(&reading)
    for component in task.components {
      switch component.name {
      case "VALARM": try readAlarm(component, times, &reading)
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

  // MARK: - Alarms

  private static func readAlarm(
    _ alarm: CalendarComponent,
    _ times: TaskTimes,
    _ reading: inout Reading
  ) throws(CalendarError) {
    if let proximity = alarm["PROXIMITY"] ?? alarm["X-APPLE-PROXIMITY"] {
      reading.item.reminder.triggers += try triggers(proximity, alarm, &reading)
      return
    }
    guard let trigger = alarm["TRIGGER"], trigger.value != noInstant,
      alarm["ACTION"]?.value.uppercased() != "NONE"
    else { return }
    if trigger["VALUE"]?.uppercased() == "DATE-TIME" || !isSpan(trigger.value) {
      guard let time = WrittenTime(trigger.value), time.offsetSeconds != nil else {
        throw CalendarError(trigger.number, "TRIGGER:\(trigger.value) is no span and no instant")
      }
      let instant = time.instant(in: .utc)
      if reading.schedule.flatMap(times.instant) == instant {
        try setNag(alarm, &reading)
      } else {
        reading.item.reminder.triggers.append(.schedule(.instant(instant)))
        if try nag(alarm) != nil { reading.lose("that an alarm at an instant repeats") }
      }
      return
    }
    guard let span = CalendarDuration.seconds(trigger.value) else {
      throw CalendarError(trigger.number, "TRIGGER:\(trigger.value) is no span such as -PT15M")
    }
    guard let due = reading.schedule else {
      reading.lose("an alarm before a time that it does not have")
      return
    }
    guard let shift = try times.shift(trigger) else {
      reading.lose("an alarm \(trigger.value), for from when to when it lasts is not known")
      return
    }
    let seconds = span + shift
    if due.start.isDate, seconds > 0, seconds < 86_400, !due.recurs {
      // So long after midnight: a time of that day.
      reading.secondsOfDay.append(seconds)
      if try nag(alarm) != nil { reading.lose("that an alarm on a day repeats") }
    } else if due.start.isDate, seconds < 0, seconds % 86_400 != 0, !due.recurs {
      // So long before midnight: a time of an earlier day, beside the day itself.
      reading.item.reminder.triggers.append(.schedule(due.atSecondsOfDay(seconds)))
      if try nag(alarm) != nil { reading.lose("that an alarm on an earlier day repeats") }
    } else if seconds > 0 {
      reading.lose("an alarm \(trigger.value), which is after its time")
    } else if due.start.isDate, seconds % 86_400 != 0 {
      reading.lose("an alarm \(trigger.value) of whole days that recur: it speaks on the day")
    } else if seconds < 0 {
      reading.leads.append(.seconds(-seconds))
      if try nag(alarm) != nil { reading.lose("that an alarm before its time repeats") }
    } else {
      try setNag(alarm, &reading)
    }
  }

  /// Sets the times of a day that has none of its own: the earliest of its alarms' is its own, whichever comes first in
  /// the file, and the others are further ones.
  private static func setTimesOfDay(_ reading: inout Reading) {
    guard let day = reading.schedule else { return }
    let seconds = Set(reading.secondsOfDay).sorted()
    guard let first = seconds.first else { return }
    reading.schedule = day.atSecondsOfDay(first)
    for later in seconds.dropFirst() {
      reading.item.reminder.triggers.append(.schedule(day.atSecondsOfDay(later)))
    }
  }

  private static func setNag(
    _ alarm: CalendarComponent,
    _ reading: inout Reading
  ) throws(CalendarError) {
    guard let nag = try nag(alarm) else { return }
    if nag.every < .minutes(1) {
      reading.lose("an alarm that repeats after less than a minute")
    } else {
      reading.item.reminder.nag = nag
    }
  }

  private static func isSpan(_ text: String) -> Bool {
    text.first.map { "+-P".contains($0) } ?? false
  }

  private static func nag(_ alarm: CalendarComponent) throws(CalendarError) -> Reminder.Nag? {
    guard let times = alarm["REPEAT"] else { return nil }
    guard let count = Int(times.value), (0...1_000).contains(count) else {
      throw CalendarError(times.number, "REPEAT:\(times.value): write 0 to 1000")
    }
    guard count > 0 else { return nil }
    guard let span = alarm["DURATION"], let seconds = CalendarDuration.seconds(span.value),
      seconds > 0
    else { throw CalendarError(times.number, "REPEAT goes with a DURATION such as PT10M") }
    return Reminder.Nag(every: .seconds(seconds), atMost: count)
  }

  /// What an alarm of places or of a car says (RFC 9074, section 8, and as Apple writes it).
  private static func triggers(
    _ proximity: CalendarLine,
    _ alarm: CalendarComponent,
    _ reading: inout Reading
  ) throws(CalendarError) -> [Trigger] {
    switch proximity.value.uppercased() {
    case "CONNECT": return [.signal(car.name, to: car.connected)]
    case "DISCONNECT": return [.signal(car.name, to: car.disconnected)]
    case let word where word == "ARRIVE" || word == "DEPART":
      let places = try places(of: alarm)
      guard !places.isEmpty else {
        throw CalendarError(proximity.number, "\(proximity.name) goes with a place: a VLOCATION")
      }
      for place in places { reading.add(place) }
      return places.map {
        word == "ARRIVE" ? .place(.place($0.id), tiers: [.arrival]) : .leave(.place($0.id))
      }
    default:
      throw CalendarError(
        proximity.number,
        "\(proximity.name):\(proximity.value): write ARRIVE, DEPART, CONNECT or DISCONNECT"
      )
    }
  }

  // MARK: - Places

  private static func places(of alarm: CalendarComponent) throws(CalendarError) -> [Place] {
    var places: [Place] = []
    for location in alarm.components where location.name == "VLOCATION" {
      guard let address = location["URL"] else {
        throw CalendarError(location.number, "VLOCATION has no URL such as geo:39.29,-76.61")
      }
      let kind = location[kindProperty]
        .flatMap { PlaceKind(rawValue: $0.value.lowercased()) }
      places.append(
        try place(
          address,
          id: location["UID"]?.text,
          name: location["NAME"]?.text,
          kind: kind ?? .other
        )
      )
    }
    // Drafts of RFC 9074 had a property in place of VLOCATION.
    for address in alarm.lines
    where address.name == "X-APPLE-STRUCTURED-LOCATION" || address.name == "STRUCTURED-LOCATION" {
      places.append(try place(address, id: nil, name: address["X-TITLE"], kind: .other))
    }
    return places
  }

  /// The place of a `geo` address (RFC 5870).
  private static func place(
    _ line: CalendarLine,
    id: String?,
    name: String?,
    kind: PlaceKind
  ) throws(CalendarError) -> Place {
    let parts = line.value.split(separator: ";", omittingEmptySubsequences: false)
    let numbers = parts[0].dropFirst(4).split(separator: ",", omittingEmptySubsequences: false)
    let point: Coordinate?
    if parts[0].prefix(4).lowercased() == "geo:", numbers.count == 2 || numbers.count == 3,
      let latitude = Double(numbers[0]), let longitude = Double(numbers[1])
    {
      point = try? Coordinate(latitude: latitude, longitude: longitude)
    } else {
      point = nil
    }
    guard let point else {
      throw CalendarError(line.number, "\(line.value) is no position such as geo:39.29,-76.61")
    }
    let written =
      line["X-APPLE-RADIUS"].map { Double($0) }
      ?? parts.dropFirst().first { $0.hasPrefix("u=") }.map { Double($0.dropFirst(2)) }
    if let written, !(written.map { $0 >= 0 && $0 <= Tier.longestMeters } ?? false) {
      throw CalendarError(line.number, "the radius of \(line.value) is no length up to 1000000 m")
    }
    let radius = written.flatMap(\.self).flatMap { $0 > 0 ? $0 : nil }
    var hash = FNV1a("\(parts[0])\n")
    hash.add((name ?? "").utf8)
    return Place(
      id: id.flatMap { $0.isEmpty ? nil : $0 } ?? "place-" + hash.text,
      name: name.flatMap { $0.isEmpty ? nil : $0 } ?? String(parts[0].dropFirst(4)),
      kind: kind,
      coordinate: point,
      arrivalRadiusMeters: radius
    )
  }
}

extension Schedule {
  /// Once, so many seconds after the midnight that its day begins with, or before it.
  fileprivate func atSecondsOfDay(_ seconds: Int64) -> Schedule {
    Schedule(start: WrittenTime(local: LocalDateTime(clamping: start.local.wallSeconds + seconds)))
  }

  /// The same with lead times.
  fileprivate func with(leads: [Milliseconds]) -> Schedule {
    Schedule(
      start: start,
      zone: zone,
      rule: rule,
      added: added,
      excluded: excluded,
      leads: leads
    )
  }
}

/// When a task is due or an event begins.
struct TaskTimes {
  let task: CalendarComponent
  let zones: any ZoneSource

  /// Whether it is a series or an occurrence of one.
  private var recurs: Bool {
    ["RRULE", "RDATE", "RECURRENCE-ID"].contains { task[$0] != nil }
  }

  /// The instant of what comes once; nil where only the phone knows.
  func instant(_ schedule: Schedule) -> Timestamp? {
    guard !schedule.recurs, !schedule.start.isDate else { return nil }
    if schedule.start.offsetSeconds != nil { return schedule.start.instant(in: .utc) }
    return schedule.zone.flatMap { zones.zone(named: $0) }.map { schedule.start.instant(in: $0) }
  }

  func schedule(_ reading: inout StandardTask.Reading) throws(CalendarError) -> Schedule? {
    let rules = task.all("RRULE")
    let (begin, due) = (task["DTSTART"], task["DUE"])
    // What recurs is counted from where it begins; what does not is to be done when it is due.
    guard let line = recurs || task.name == "VEVENT" ? begin ?? due : due ?? begin else {
      if let rule = rules.first { throw CalendarError(rule.number, "RRULE needs a DTSTART") }
      return nil
    }
    if let begin, let due, begin.value != due.value {
      reading.lose(
        recurs ? "DUE: it speaks when it begins" : "DTSTART: it speaks when it is due"
      )
    }
    guard rules.count < 2 else { throw CalendarError(rules[1].number, "a second RRULE: write one") }
    let (start, zone) = try time(line)
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
      excluded: try times("EXDATE", zone)
    )
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
    guard let table = zone.flatMap({ zones.zone(named: $0) }) else { return time }
    let seconds = time.instant(in: table).milliseconds / 1_000
    return WrittenTime(local: LocalDateTime(clamping: seconds), offsetSeconds: 0)
  }

  /// Seconds from the time at which it speaks to the one that an alarm is counted from; nil where that is not known.
  func shift(_ trigger: CalendarLine) throws(CalendarError) -> Int64? {
    let isFromEnd = trigger["RELATED"]?.uppercased() == "END"
    let speaksAtEnd = task.name == "VTODO" && !recurs && task["DUE"] != nil
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
    if from.isFloating, to.isFloating, start.isDate == end.isDate {
      return end.local.wallSeconds - start.local.wallSeconds
    }
    guard let first = instant(from), let last = instant(to) else { return nil }
    return last.wholeSeconds - first.wholeSeconds
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
    // Some programs write a path before the name, such as /example.org/20260101/Europe/Malta.
    let parts = name.split(separator: "/")
    for begin in parts.indices {
      let tail = parts[begin...].joined(separator: "/")
      if zones.zone(named: tail) != nil { return (time, tail) }
    }
    if let known = WindowsZones.name(of: name), zones.zone(named: known) != nil {
      return (time, known)
    }
    throw unknownZone(name, line)
  }

  private func unknownZone(_ name: String, _ line: CalendarLine) -> CalendarError {
    CalendarError(
      line.number,
      "\(line.name): the time zone \"\(name)\" is not known here: write a name such as Europe/Malta"
    )
  }
}
