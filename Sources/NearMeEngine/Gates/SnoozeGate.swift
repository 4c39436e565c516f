import Timeline

/// A snoozed reminder keeps silent for a span, for the day, or until the next arrival; then it says
/// again what is still true.
struct SnoozeGate: Gate {
  let question = "is it snoozed?"
  var silences: [Silence] { [.snoozed] }

  func objection(to question: Question, _ world: GateWorld) -> Verdict? {
    switch question.reminder.snooze {
    case .until(let end) where question.now < end: .wait(.snoozed, until: end)
    case .untilNextArrival where question.occasion.step != .tier(.arrival):
      .wait(.snoozed, until: nil)
    default: nil
    }
  }

  func stillHolds(_ waiting: Occasion, at now: Timestamp, _ world: GateWorld) -> Bool {
    switch world.roster[waiting.reminder]?.snooze {
    case .until(let end): now < end
    // What waits has come before it was snoozed: an arrival among it is not the next one.
    case .untilNextArrival: true
    case nil: false
    }
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
    in zone: UTCOffsetTable
  ) {
    let wasWrong = span.value < -ClockWatch.mostSetByHand.value
    for r in reminders.indices {
      guard case .until(let end) = reminders[r].snooze else { continue }
      if zone.nextDay(after: end - .seconds(1)) != end {
        self[at: r].snooze = .until(end + span)
      } else if wasWrong {
        self[at: r].snooze = .until(min(end, zone.nextDay(after: now)))
      }
    }
  }
}
