import Timeline

/// A reminder speaks in its own hours only.
struct WindowGate: Gate {
  let silences: [Silence] = [.outsideWindow]

  func objection(to question: Question, _ world: GateWorld) -> Verdict? {
    // What was due a while ago is heard only now: the later of the two counts.
    let opening =
      opening(of: question.reminder, at: question.now, in: world.zone)
      ?? opening(of: question.reminder, at: question.heardAt, in: world.zone)
    return opening.map { .wait(.outsideWindow, until: $0) }
  }

  func end(of waiting: Occasion, at now: Timestamp, _ world: GateWorld) -> NewEnd {
    world.roster[waiting.reminder].flatMap { opening(of: $0, at: now, in: world.zone) }
      .map { .at($0) } ?? .over
  }

  func end(of waiting: Occasion, movedBy span: Milliseconds, _ world: GateWorld) -> Timestamp? {
    waiting.until
  }

  /// When a reminder's window opens, if it is closed at an instant.
  private func opening(
    of reminder: Reminder,
    at instant: Timestamp,
    in zone: UTCOffsetTable
  ) -> Timestamp? {
    guard let window = reminder.window, !window.contains(instant, in: zone) else { return nil }
    return window.opening(after: instant, in: zone)
  }
}

/// Nothing is heard in quiet hours; what is still true is summed up at their end.
struct QuietHoursGate: Gate {
  let silences: [Silence] = [.quietHours]

  func objection(to question: Question, _ world: GateWorld) -> Verdict? {
    (closing(at: question.now, world) ?? closing(at: question.heardAt, world))
      .map { .wait(.quietHours, until: $0) }
  }

  func end(of waiting: Occasion, at now: Timestamp, _ world: GateWorld) -> NewEnd {
    closing(at: now, world).map { .at($0) } ?? .over
  }

  func end(of waiting: Occasion, movedBy span: Milliseconds, _ world: GateWorld) -> Timestamp? {
    waiting.until
  }

  var endsInSummary: Bool { true }

  /// When the quiet hours end, if an instant is one of them.
  private func closing(at instant: Timestamp, _ world: GateWorld) -> Timestamp? {
    world.policy.quietHours?.closing(at: instant, in: world.zone)
  }
}
