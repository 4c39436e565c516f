import Timeline

/// Nothing is heard in quiet hours; what is still true is summed up at their end.
struct QuietHoursGate: Gate {
  let question = "are these quiet hours?"
  var silences: [Silence] { [.quietHours] }

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
