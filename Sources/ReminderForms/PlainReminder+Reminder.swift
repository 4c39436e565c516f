import NearMeEngine
import Places
import Recurrence
import Timeline

/// Between what the engine keeps and what the documents' forms can say.
///
/// Times of day without a zone are those of the zone that is given: where the phone is.
extension PlainReminder {
  /// A reminder as the forms know one.
  ///
  /// - Parameter here: the zone of times that name none.
  /// - Throws: ``FormError`` with what no form has a place for.
  public init(
    _ reminder: Reminder,
    here: UTCOffsetTable,
    zones: any ZoneSource
  ) throws(FormError) {
    self.init(id: reminder.id, title: reminder.title)
    notes = reminder.notes ?? ""
    try refuse(reminder.isMuted, "muted")
    try refuse(reminder.nag != nil, "nag")
    try refuse(reminder.fallbackMinute != nil, "fallback")
    try refuse(reminder.expires != nil, "expires")
    tone = reminder.tone
    switch reminder.status {
    case .active: status = .open
    case .completed: status = .completed
    case .fired: status = .fired
    case .expired: status = .expired
    }
    switch reminder.snooze {
    case nil: break
    case .until(let end): snoozedUntil = end
    case .untilNextArrival: throw FormError("snooze", "this form has snoozes until a time only")
    }
    priority = try Priority(number: reminder.priority)
    let alone = Self.windowsAlone(reminder)
    triggers = alone.map { .window($0) }
    for condition in alone.isEmpty ? reminder.conditions : reminder.conditions.dropLast() {
      guard case .window(let window) = condition else {
        throw FormError("conditions", "this form has windows of time as conditions only")
      }
      conditions.append(.window(window))
    }
    for trigger in alone.isEmpty ? reminder.triggers : [] {
      if case .schedule(let schedule) = trigger,
        let window = WeeklyWindow(openedBy: schedule) ?? takeWindow(openedBy: schedule)
      {
        triggers.append(.window(window))
      } else if case .schedule(let schedule) = trigger {
        try refuse(due != nil, "triggers")
        try setDue(schedule, here: here, zones: zones)
      } else {
        triggers.append(try Clause(trigger))
      }
    }
    // Whose reminders speak once say so by their triggers alone; whose are at a time go on until they are done.
    let isOnce = reminder.persistence == .once
    if isOnce != !triggers.isEmpty {
      throw FormError(
        "persistence",
        isOnce
          ? "in this form what is due goes on until it is done"
          : "in this form what a trigger wakes speaks once: `--once`"
      )
    }
    try refuse(!isOnce && ![nil, endsWhenDone].contains(reminder.persistence), "persistence")
  }

  /// What ends a reminder that is due at a time.
  private var endsWhenDone: Reminder.Persistence {
    repetition == nil ? .untilCompleted : .perOccurrence
  }

  /// The windows of a reminder that nothing else wakes, if there are several; in any of them it speaks.
  static func windowsAlone(_ reminder: Reminder) -> [WeeklyWindow] {
    guard case .any(let members)? = reminder.conditions.last,
      members.count == reminder.triggers.count
    else { return [] }
    var windows: [WeeklyWindow] = []
    for (member, trigger) in zip(members, reminder.triggers) {
      guard case .window(let window) = member, case .schedule(let schedule) = trigger,
        (try? Schedule(opening: window)) == schedule
      else { return [] }
      windows.append(window)
    }
    return windows
  }

  /// Takes away the condition that says the same as a trigger at the opening of a window.
  private mutating func takeWindow(openedBy schedule: Schedule) -> WeeklyWindow? {
    let found = conditions.lastIndex {
      guard case .window(let window) = $0, let opening = try? Schedule(opening: window) else {
        return false
      }
      return opening == schedule
    }
    guard let found, case .window(let window) = conditions.remove(at: found) else { return nil }
    return window
  }

  private mutating func setDue(
    _ schedule: Schedule,
    here: UTCOffsetTable,
    zones: any ZoneSource
  ) throws(FormError) {
    try refuse(schedule.gap != .shift, "gap")
    try refuse(!schedule.added.isEmpty, "rdates")
    try refuse(!schedule.excluded.isEmpty, "exdates")
    try refuse(!schedule.leads.isEmpty, "before")
    try refuse(schedule.anchor == .schedule, "anchor")
    zone = schedule.zone
    if schedule.start.isDate {
      due = .date(schedule.start.local.date)
    } else {
      // An instant that is written with its offset, in no zone, is the same in UTC.
      if zone == nil, schedule.start.offsetSeconds != nil { zone = UTCOffsetTable.utc.identifier }
      guard let table = zone.map({ zones.zone(named: $0) }) ?? here else {
        throw FormError("zone", "the time zone \"\(zone ?? "")\" is not known here")
      }
      due = .instant(schedule.start.instant(in: table))
    }
    if let rule = schedule.rule {
      let said = try Repetition(rule, start: schedule.start.local, anchor: schedule.anchor)
      // The form's words are fewer than the rules: what they mean must be this one.
      guard (try? said.rule(start: schedule.start.local)) == rule else {
        throw FormError("rrule", "this form has no words for \(rule)")
      }
      repetition = said
    }
    try refuse(schedule.rule == nil && schedule.anchor == .completion, "anchor")
  }

  /// The reminder that the engine is to keep.
  ///
  /// - Parameter here: the zone of times that name none.
  /// - Throws: ``FormError`` with what cannot be kept.
  public func reminder(
    here: UTCOffsetTable,
    zones: any ZoneSource
  ) throws(FormError) -> Reminder {
    var reminder = Reminder(id: id, title: title, notes: notes.isEmpty ? nil : notes, triggers: [])
    for condition in conditions {
      guard case .window(let window) = condition else {
        throw FormError("conditions", "only windows of time can be kept as conditions")
      }
      reminder.conditions.append(.window(window))
    }
    if let due { reminder.triggers.append(.schedule(try schedule(due, here, zones))) }
    // Between windows alone it speaks in any of them; one beside another trigger must not hold that back.
    let windows = triggers.compactMap(\.window)
    let areAlone = due == nil && windows.count == triggers.count
    for clause in triggers {
      reminder.triggers.append(try clause.trigger(isAmongOthers: !areAlone))
    }
    if areAlone, let first = windows.first {
      reminder.conditions.append(
        windows.count == 1 ? .window(first) : .any(windows.map { .window($0) })
      )
    }
    switch status {
    case .open: reminder.status = .active
    case .completed: reminder.status = .completed
    case .fired: reminder.status = .fired
    case .expired: reminder.status = .expired
    }
    reminder.snooze = snoozedUntil.map { .until($0) }
    reminder.priority = priority?.number ?? 0
    reminder.tone = tone
    reminder.persistence = triggers.isEmpty ? nil : .once
    return reminder
  }

  private func schedule(
    _ due: Due,
    _ here: UTCOffsetTable,
    _ zones: any ZoneSource
  ) throws(FormError) -> Schedule {
    let start: WrittenTime
    switch due {
    case .date(let date): start = WrittenTime(date)
    case .instant(let instant):
      guard let table = zone.map({ zones.zone(named: $0) }) ?? here else {
        throw FormError("timeZone", "\"\(zone ?? "")\" is no time zone this system knows")
      }
      let offset = table.offsetSeconds(at: instant)
      let seconds = instant.wholeSeconds
      let wall = WrittenTime(local: LocalDateTime(clamping: seconds + Int64(offset)))
      guard wall.local.wallSeconds == seconds + Int64(offset) else {
        throw FormError("due", "there is no such time of the years 1 to 9999 in that zone")
      }
      // Of a time that clocks show twice, which one it is.
      let isSecond = zone != nil && wall.instant(in: table) != Timestamp(seconds: seconds)
      start = isSecond ? WrittenTime(local: wall.local, offsetSeconds: offset) : wall
    }
    return Schedule(
      start: start,
      zone: zone,
      rule: try repetition?.rule(start: start.local),
      anchor: repetition?.isBasedOnCompletion ?? false ? .completion : .catchUp
    )
  }
}

// MARK: - Parts

extension PlainReminder.Priority {
  /// Its number: 9 for the first.
  ///
  /// - Source: iCalendar's 1, 5 and 9 turned around (RFC 5545, 3.8.1.9): there the lower number is the higher.
  public var number: Int {
    switch self {
    case .high: 9
    case .medium: 5
    case .low: 1
    }
  }

  /// The name of a number; nil for 0.
  fileprivate init?(number: Int) throws(FormError) {
    guard number != 0 else { return nil }
    guard let name = Self.allCases.first(where: { $0.number == number }) else {
      throw FormError("priority", "this form has High, Medium and Low only: 9, 5 and 1")
    }
    self = name
  }
}

extension PlainReminder.Repetition {
  fileprivate var isBasedOnCompletion: Bool {
    if case .custom(let custom) = self { custom.isBasedOnCompletion } else { false }
  }

  /// The rule that says the same.
  fileprivate func rule(start: LocalDateTime) throws(FormError) -> RecurrenceRule {
    var rule = try ruleOmitting(start: start)
    if case .custom(let custom) = self { rule.skip = custom.skip }
    return rule
  }

  /// The same, which leaves months without its day out.
  private func ruleOmitting(start: LocalDateTime) throws(FormError) -> RecurrenceRule {
    do throws(RecurrenceError) {
      switch self {
      case .daily: return RecurrenceRule(.daily)
      case .weekly(let days):
        return try YomoRecurrence(interval: 1, unit: .week, daysOfWeek: days).rule(start: start)
      case .custom(let custom):
        guard let ordinal = custom.monthOrdinal, let day = custom.monthDay else {
          return try custom.yomo.rule(start: start)
        }
        if custom.unit == .month, custom.daysOfWeek.isEmpty, custom.timeRange == nil {
          return try RecurrenceRule(
            "FREQ=MONTHLY;INTERVAL=\(custom.interval);BYDAY=\(ordinal)\(day.iCalendarName)"
          )
        }
      }
    } catch {
      throw FormError("recurrence", "\(error)")
    }
    throw FormError("recurrence.monthOrdinal", "goes with the unit month, and alone")
  }

  /// What a rule says.
  ///
  /// - Throws: ``FormError`` for what the forms have no words for.
  fileprivate init(
    _ rule: RecurrenceRule,
    start: LocalDateTime,
    anchor: Anchor
  ) throws(FormError) {
    var plain = rule
    if rule.frequency == .monthly { plain.skip = .omit }
    try self.init(omitting: plain, start: start, anchor: anchor)
    if plain != rule, case .custom(var custom) = self {
      custom.skip = rule.skip
      self = .custom(custom)
    }
  }

  /// What a rule says but what becomes of months without its day.
  private init(
    omitting rule: RecurrenceRule,
    start: LocalDateTime,
    anchor: Anchor
  ) throws(FormError) {
    if anchor != .completion, rule == RecurrenceRule(.daily) {
      self = .daily
      return
    }
    let everyMonths = RecurrenceRule(.monthly, interval: rule.interval)
    if rule.frequency == .monthly, let day = rule.byDay.first, let number = day.number,
      (1...5).contains(number) || number == -1,
      let whole = try? RecurrenceRule("\(everyMonths);BYDAY=\(number)\(day.weekday.iCalendarName)"),
      rule == whole
    {
      var custom = PlainReminder.Custom(interval: rule.interval, unit: .month)
      (custom.monthOrdinal, custom.monthDay) = (number, day.weekday)
      custom.isBasedOnCompletion = anchor == .completion
      self = .custom(custom)
      return
    }
    let yomo: YomoRecurrence
    do throws(RecurrenceError) {
      yomo = try YomoRecurrence(rule, start: start, anchor: anchor)
    } catch {
      throw FormError("rrule", "\(error)")
    }
    if yomo.unit == .week, yomo.interval == 1, !yomo.isBasedOnCompletion {
      self = .weekly(yomo.daysOfWeek)
      return
    }
    var custom = PlainReminder.Custom(interval: yomo.interval, unit: yomo.unit)
    custom.daysOfWeek = yomo.daysOfWeek
    custom.timeRange = yomo.timeRange
    custom.isBasedOnCompletion = yomo.isBasedOnCompletion
    self = .custom(custom)
  }
}

extension PlainReminder.Custom {
  /// The same in the form of rules.
  fileprivate var yomo: YomoRecurrence {
    get throws(RecurrenceError) {
      try YomoRecurrence(
        interval: interval,
        unit: unit,
        daysOfWeek: daysOfWeek,
        timeRange: timeRange,
        isBasedOnCompletion: isBasedOnCompletion
      )
    }
  }
}

extension PlainReminder.Clause {
  /// What a trigger says.
  fileprivate init(_ trigger: Trigger) throws(FormError) {
    switch trigger {
    case .schedule: throw FormError("triggers", "this form has one time only")
    case .place(.place(let id), nil): self = .place(id)
    case .place(.category(let category), nil): self = .category(category.name)
    case .place: throw FormError("tiers", "this form has no place for it")
    case .signal("unlock", nil, nil): self = .unlock
    case .signal("charging", nil, nil): self = .charging
    case .signal(Signal.appOpened, nil, let token?): self = .appOpened(token)
    case .signal(let name, _, _): throw FormError("triggers", "this form has no signal \(name)")
    default: throw FormError("triggers", "this form has no trigger of that kind")
    }
  }

  /// The window; nil for all else.
  fileprivate var window: WeeklyWindow? {
    if case .window(let window) = self { window } else { nil }
  }

  /// The trigger that says the same.
  ///
  /// - Parameter isAmongOthers: whether triggers of other kinds stand beside it, so that no condition says when a window
  ///   ends.
  fileprivate func trigger(isAmongOthers: Bool) throws(FormError) -> Trigger {
    switch self {
    case .place(let id): return .place(.place(id))
    case .category(let name): return .place(.category(CategoryID(name)))
    case .unlock: return .signal("unlock")
    // A battery that is full is not plugged in again (CTX-7.2b).
    case .charging: return .signal("charging")
    case .appOpened(let token): return .signal(Signal.appOpened, to: token)
    case .window(let window):
      do throws(RecurrenceError) {
        return .schedule(try Schedule(opening: window, notingEnd: isAmongOthers))
      } catch {
        throw FormError("triggers", "\(error)")
      }
    }
  }
}

extension Schedule {
  /// Each time that a window opens, by the clock of wherever the phone is.
  ///
  /// A window alone wakes nothing; where timers are allowed its opening is an event (conflict 6).
  ///
  /// - Parameter notesEnd: whether the end of the window is written down, too: as an exception two days before the times
  ///   begin, which excepts nothing.
  init(
    opening window: WeeklyWindow,
    notingEnd notesEnd: Bool = false
  ) throws(RecurrenceError) {
    let days = window.days.map(\.iCalendarName).joined(separator: ",")
    self.init(
      start: WrittenTime(
        // Before any reminder was made.
        local: LocalDateTime(CivilDate(daysSinceEpoch: 0), minuteOfDay: window.startMinute)
      ),
      rule: try RecurrenceRule("FREQ=WEEKLY;BYDAY=\(days)"),
      excluded: notesEnd
        ? [
          WrittenTime(
            local: LocalDateTime(clamping: Int64(window.endMinute) * 60 - Self.endNotedBefore)
          )
        ] : []
    )
  }

  /// Two days, in seconds: ``exceptions`` passes over what is so early.
  fileprivate static let endNotedBefore: Int64 = 2 * 86_400
}

extension WeeklyWindow {
  /// The window that opens at the times of a schedule which notes its end; nil for any other schedule.
  init?(openedBy schedule: Schedule) {
    guard let rule = schedule.rule, let end = schedule.excluded.first,
      let endMinute = Int(exactly: (end.local.wallSeconds + Schedule.endNotedBefore) / 60),
      let window = WeeklyWindow(
        days: rule.byDay.map(\.weekday),
        startMinute: schedule.start.local.secondOfDay / 60,
        endMinute: endMinute
      ), (try? Schedule(opening: window, notingEnd: true)) == schedule
    else { return nil }
    self = window
  }
}
