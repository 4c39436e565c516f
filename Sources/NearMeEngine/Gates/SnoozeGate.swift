import Timeline

/// A snoozed reminder keeps silent for a span, for the day, or until the next arrival; then it says
/// again what is still true.
struct SnoozeGate: Gate {
  let question = "is it snoozed?"
  var silences: [Silence] { [.snoozed] }

  func objection(to question: Question, _ world: GateWorld) -> Verdict? {
    switch question.reminder.snooze {
    case .until(let end) where question.now < end && !isNextDay(question, end, world):
      .wait(.snoozed, until: end)
    case .untilNextArrival where question.occasion.step != .tier(.arrival):
      .wait(.snoozed, until: nil)
    default: nil
    }
  }

  /// Whether the day is over for which the reminder was snoozed: what happens from then on is told at once.
  private func isNextDay(_ question: Question, _ end: Timestamp, _ world: GateWorld) -> Bool {
    world.roster.isSnoozedToday(question.reminder.id)
      && world.zone.local(at: question.now).date >= world.zone.local(at: end).date
  }

  func stillHolds(_ waiting: Occasion, at now: Timestamp, _ world: GateWorld) -> Bool {
    switch world.roster[waiting.reminder]?.snooze {
    case .until(let end): now < end
    // What waits has come before it was snoozed: an arrival among it is not the next one.
    case .untilNextArrival: true
    case nil: false
    }
  }

  func end(of waiting: Occasion, at now: Timestamp, _ world: GateWorld) -> NewEnd {
    guard case .until(let end) = world.roster[waiting.reminder]?.snooze, end != waiting.until else {
      return .unchanged
    }
    return end > now ? .at(end) : .over
  }

  func end(of waiting: Occasion, movedBy span: Milliseconds, _ world: GateWorld) -> Timestamp? {
    if case .until(let end) = world.roster[waiting.reminder]?.snooze { end } else { waiting.until }
  }

  func release(_ occasion: inout Occasion) { occasion.wasSnoozed = true }
}

extension Roster {
  /// When the first snooze ends that ends at a time; nil if there is none.
  var firstSnoozeEnd: Timestamp? {
    var first: Timestamp?
    for r in reminders.indices {
      if case .until(let end) = reminders[r].snooze { first = earliest(first, end) }
    }
    return first
  }

  /// Forgets snoozes that are over.
  mutating func endSnoozes(at now: Timestamp) {
    for r in reminders.indices {
      guard case .until(let end) = reminders[r].snooze, end <= now else { continue }
      self[at: r].snooze = nil
    }
    forgetSnoozesToday()
  }

  /// A snooze until the next arrival has done its work when that comes.
  ///
  /// - Returns: whether there was one.
  mutating func endSnooze(on occasion: Occasion) -> Bool {
    guard occasion.step == .tier(.arrival), let r = index(of: occasion.reminder),
      reminders[r].snooze == .untilNextArrival
    else { return false }
    self[at: r].snooze = nil
    return true
  }

  /// What is left of a snooze for a span is left by a clock that was set, too; one that ends with the
  /// day does so by the new clock, and with today's where the old one was far ahead.
  mutating func shiftSnoozes(
    by span: Milliseconds,
    to now: Timestamp,
    in zone: UTCOffsetTable,
    _ policy: Policy
  ) {
    let wasWrong = span.value < -ClockWatch.mostSetByHand.value
    for r in reminders.indices {
      guard case .until(let end) = reminders[r].snooze else { continue }
      if !isSnoozedToday(reminders[r].id) {
        self[at: r].snooze = .until(end + span)
      } else if wasWrong {
        self[at: r].snooze = .until(
          min(end, policy.morning(after: now, for: reminders[r], in: zone))
        )
      }
    }
  }

  /// Has what is snoozed for the day speak again on the same date in a new zone.
  ///
  /// Where that morning has come there before the day is over here, the day is that of the new zone.
  mutating func moveSnoozes(
    from old: UTCOffsetTable,
    to zone: UTCOffsetTable,
    at now: Timestamp,
    _ policy: Policy
  ) {
    for r in reminders.indices where isSnoozedToday(reminders[r].id) {
      guard case .until(let end) = reminders[r].snooze else { continue }
      let date = old.local(at: end).date
      var moved = policy.morning(of: date, for: reminders[r], in: zone)
      if moved <= now, old.local(at: now).date < date {
        moved = policy.morning(after: now, for: reminders[r], in: zone)
      }
      self[at: r].snooze = .until(moved)
    }
  }
}

extension Policy {
  /// When that is told which a snooze for today holds back.
  package func morning(
    after now: Timestamp,
    for reminder: Reminder,
    in zone: UTCOffsetTable
  ) -> Timestamp {
    morning(of: zone.local(at: zone.nextDay(after: now)).date, for: reminder, in: zone)
  }

  /// When that is told which a snooze held back up to a date: in the morning; before it where the reminder's own hours are
  /// over by then, as soon as they begin that day; and at midnight where it ends by the morning.
  fileprivate func morning(
    of date: CivilDate,
    for reminder: Reminder,
    in zone: UTCOffsetTable
  ) -> Timestamp {
    let midnight = zone.instant(of: date, minuteOfDay: 0)
    let morning = morning(of: date, in: zone)
    if let end = reminder.end(in: zone), end <= morning { return midnight }
    let world = GateWorld(policy: self, zone: zone, roster: Roster())
    guard midnight < morning, reminder.firstHolding(from: morning, world) != morning,
      let first = reminder.firstHolding(from: midnight, world)
    else { return morning }
    return min(first, morning)
  }

  /// The morning of a date: at the time of dates without a time, for midnight would wake people; and at midnight where
  /// that is one of the quiet hours, which then sum it up at their end.
  private func morning(of date: CivilDate, in zone: UTCOffsetTable) -> Timestamp {
    let midnight = zone.instant(of: date, minuteOfDay: 0)
    if quietHours?.closing(at: midnight, in: zone) != nil { return midnight }
    return zone.instant(of: date, minuteOfDay: schedules.minuteOfDay)
  }
}
