import Basics
import Geodesy
import NearMeEngine
import Places
import Recurrence
import Timeline

// The alarms of a task, and the places of those that have one.

extension StandardTask {
  /// Reads an alarm: what is wrong with it is named, and leaves it out alone.
  static func readAlarm(
    _ alarm: CalendarComponent,
    _ times: TaskTimes,
    _ reading: inout Reading
  ) {
    do throws(CalendarError) {
      if let fault = alarm.allFaults.first { throw fault }
      try take(alarm, times, &reading)
    } catch {
      reading.lose("an alarm: line \(error.line): \(error.reason)")
    }
  }

  /// Takes an alarm in; until it throws nothing of it is taken.
  private static func take(
    _ alarm: CalendarComponent,
    _ times: TaskTimes,
    _ reading: inout Reading
  ) throws(CalendarError) {
    if let proximity = alarm["PROXIMITY"] ?? alarm["X-APPLE-PROXIMITY"] {
      reading.item.reminder.triggers += try triggers(proximity, alarm, &reading)
      return
    }
    // The instant of none is written with Z and without.
    guard let trigger = alarm["TRIGGER"],
      trigger.value != noInstant, trigger.value + "Z" != noInstant,
      alarm["ACTION"]?.value.uppercased() != "NONE"
    else { return }
    if trigger["VALUE"]?.uppercased() == "DATE-TIME" || !isSpan(trigger.value) {
      guard let time = WrittenTime(trigger.value), !time.isDate else {
        throw CalendarError(trigger.number, "TRIGGER:\(trigger.value) is no span and no instant")
      }
      let (start, zone) = try times.time(trigger)
      take(alarm, at: Schedule(start: start, zone: zone), times, &reading)
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
    let mayFollow = times.isSeriesOfTasks && trigger["RELATED"]?.uppercased() == "END"
    if mayFollow, let later = due.later(by: span + shift) {
      // Before the task is to be done, and after it speaks: times of their own.
      reading.later.append((span + shift, .schedule(later)))
      reading.item.reminder.triggers.append(.schedule(later))
      if nag(alarm, &reading) != nil { reading.lose("that an alarm after its time repeats") }
      return
    }
    take(alarm, after: span + shift, of: due, &reading)
  }

  /// Takes in an alarm that comes so many seconds after the time of a task, or before it.
  private static func take(
    _ alarm: CalendarComponent,
    after seconds: Int64,
    of due: Schedule,
    _ reading: inout Reading
  ) {
    let text = alarm["TRIGGER"]?.value ?? ""
    if due.start.isDate, seconds > 0, seconds < 86_400 {
      // So long after midnight: a time of that day.
      reading.secondsOfDay.append(seconds)
      if nag(alarm, &reading) != nil { reading.lose("that an alarm on a day repeats") }
    } else if due.start.isDate, seconds < 0, seconds % 86_400 != 0, !due.recurs {
      // So long before midnight: a time of an earlier day, beside the day itself.
      reading.item.reminder.triggers.append(.schedule(due.atSecondsOfDay(seconds)))
      if nag(alarm, &reading) != nil { reading.lose("that an alarm on an earlier day repeats") }
    } else if seconds > 0 {
      reading.lose("an alarm \(text), which is after its time")
    } else if due.start.isDate, seconds % 86_400 != 0 {
      reading.lose("an alarm \(text) of whole days that recur: it speaks on the day")
    } else {
      takeLead(alarm, -seconds, &reading)
    }
  }

  /// Takes in an alarm so many seconds before the time of a task, or at it.
  private static func takeLead(
    _ alarm: CalendarComponent,
    _ seconds: Int64,
    _ reading: inout Reading
  ) {
    guard seconds > 0 else { return setNag(alarm, &reading) }
    reading.leads.append(.seconds(seconds))
    if nag(alarm, &reading) != nil { reading.lose("that an alarm before its time repeats") }
  }

  // MARK: - Alarms at an instant

  /// Takes in an alarm that names its own time.
  ///
  /// Before a task's time it is a lead, of a series before each of its times, for so Apple's alarms go along with theirs.
  /// One that is past would be told at once: where the task has a time of its own, it is left out by name.
  private static func take(
    _ alarm: CalendarComponent,
    at time: Schedule,
    _ times: TaskTimes,
    _ reading: inout Reading
  ) {
    let own = times.firstInstant(time)
    let trigger = own.map { Trigger.schedule(.instant($0)) } ?? .schedule(time)
    func add() {
      reading.item.reminder.triggers.append(trigger)
      if nag(alarm, &reading) != nil { reading.lose("that an alarm at an instant repeats") }
    }
    guard let due = reading.schedule else { return add() }
    let lead = times.seconds(from: time, to: due)
      .flatMap { $0 <= CalendarDuration.longestSeconds ? $0 : nil }
    if let lead, lead == 0 || lead > 0 && due.recurs { return takeLead(alarm, lead, &reading) }
    if takeOfDay(time, of: due, times, &reading) {
      if nag(alarm, &reading) != nil { reading.lose("that an alarm on a day repeats") }
      return
    }
    if let reason = times.reasonThatIsOver(alarm, at: own) {
      reading.lose("an alarm at \(time.start), which \(reason)")
    } else if let lead, lead > 0 {
      takeLead(alarm, lead, &reading)
    } else {
      add()
    }
  }

  /// Takes an alarm at an instant of a task's whole day for the time of that day.
  ///
  /// - Returns: false for one of another day.
  private static func takeOfDay(
    _ time: Schedule,
    of due: Schedule,
    _ times: TaskTimes,
    _ reading: inout Reading
  ) -> Bool {
    guard due.start.isDate else { return false }
    let instant = times.firstInstant(time)
    var local = time.start.local
    if let instant {
      local = LocalDateTime(
        clamping: instant.wholeSeconds
          + Int64(times.context.here?.offsetSeconds(at: instant) ?? 0)
      )
    }
    guard local.date == due.start.local.date else { return false }
    if let instant, !due.recurs {
      reading.instantsOfDay.append(instant)
    } else if instant == nil || times.context.here != nil {
      reading.secondsOfDay.append(Int64(local.secondOfDay))
    } else {
      return false
    }
    return true
  }

  // MARK: - Times of a day

  /// Sets the times of a day that has none of its own: the earliest of its alarms' is its own, whichever comes first in
  /// the file, and the others are further ones.
  static func setTimesOfDay(_ reading: inout Reading) {
    guard let day = reading.schedule else { return }
    var times = Set(reading.secondsOfDay).sorted().map { day.atSecondsOfDay($0) }
    times += Set(reading.instantsOfDay).sorted().map { .instant($0) }
    guard let first = times.first else { return }
    reading.schedule = first
    for later in times.dropFirst() {
      if day.recurs {
        reading.lose("an alarm at \(later.start) of whole days that recur, after their first one")
      } else {
        reading.item.reminder.triggers.append(.schedule(later))
      }
    }
  }

  // MARK: - Repetition

  private static func setNag(_ alarm: CalendarComponent, _ reading: inout Reading) {
    guard let nag = nag(alarm, &reading) else { return }
    if nag.every < .minutes(1) {
      reading.lose("an alarm that repeats after less than a minute")
    } else {
      reading.item.reminder.nag = nag
    }
  }

  private static func isSpan(_ text: String) -> Bool {
    text.first.map { "+-P".contains($0) } ?? false
  }

  /// How an alarm repeats; what is wrong with that is named, and the alarm comes once.
  private static func nag(
    _ alarm: CalendarComponent,
    _ reading: inout Reading
  ) -> Reminder.Nag? {
    guard let times = alarm["REPEAT"], times.value != "0" else { return nil }
    guard let count = Int(times.value), (1...1_000).contains(count) else {
      reading.lose(
        "that an alarm repeats: line \(times.number): REPEAT:\(times.value) is not 0 to 1000"
      )
      return nil
    }
    guard let span = alarm["DURATION"], let seconds = CalendarDuration.seconds(span.value),
      seconds > 0
    else {
      reading.lose("that an alarm repeats, for its REPEAT has no DURATION such as PT10M")
      return nil
    }
    return Reminder.Nag(every: .seconds(seconds), atMost: count)
  }

  // MARK: - Places and cars

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
    // Some programs escape the address as if it were a text.
    let parts = line.text.split(separator: ";", omittingEmptySubsequences: false)
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
      let value = line.value.isEmpty ? "an empty value" : line.value
      throw CalendarError(line.number, "\(value) is no position such as geo:39.29,-76.61")
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
  /// The same so many seconds after the midnight that each of its days begins with, or before it.
  fileprivate func atSecondsOfDay(_ seconds: Int64) -> Schedule {
    var timed = self
    timed.start = WrittenTime(local: LocalDateTime(clamping: start.local.wallSeconds + seconds))
    timed.added = added.map { $0.timed(as: timed) }
    return timed
  }

  /// The same later on the same days; nil where that would be other days, or its rule says the hours.
  fileprivate func later(by seconds: Int64) -> Schedule? {
    guard seconds > 0, !start.isDate, Int64(start.local.secondOfDay) + seconds < 86_400 else {
      return nil
    }
    var later = self
    if var rule = later.rule {
      let parts = rule.description
      guard [.daily, .weekly, .monthly, .yearly].contains(rule.frequency),
        !["BYHOUR", "BYMINUTE", "BYSECOND"].contains(where: { parts.contains($0) })
      else { return nil }
      switch rule.until {
      case .wall(let end):
        rule.until = .wall(LocalDateTime(clamping: end.wallSeconds + seconds))
      case .utc(let end): rule.until = .utc(LocalDateTime(clamping: end.wallSeconds + seconds))
      case .day, nil: break
      }
      later.rule = rule
    }
    later.start = start.later(by: seconds)
    later.added = added.map { $0.later(by: seconds) }
    later.excluded = excluded.map { $0.later(by: seconds) }
    return later
  }

  /// The same with lead times.
  func with(leads: [Milliseconds]) -> Schedule {
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
