import Timeline

/// A reminder speaks only while all its conditions hold; what happens before waits until they can.
struct ConditionGate: Gate {
  var silences: [Silence] { [.outsideWindow] }

  func objection(to question: Question, _ world: GateWorld) -> Verdict? {
    // What was due a while ago is heard only now: the later of the two counts.
    objection(of: question.reminder, at: question.now, world)
      ?? objection(of: question.reminder, at: question.heardAt, world)
  }

  func end(of waiting: Occasion, at now: Timestamp, _ world: GateWorld) -> NewEnd {
    guard let reminder = world.roster[waiting.reminder],
      case .wait(_, let until?) = objection(of: reminder, at: now, world)
    else { return .over }
    return .at(until)
  }

  func end(of waiting: Occasion, movedBy span: Milliseconds, _ world: GateWorld) -> Timestamp? {
    waiting.until
  }

  /// What the first condition says that does not hold.
  private func objection(
    of reminder: Reminder,
    at instant: Timestamp,
    _ world: GateWorld
  ) -> Verdict? {
    for condition in reminder.conditions {
      if let verdict = condition.objection(at: instant, world) { return verdict }
    }
    return nil
  }
}

extension Condition {
  /// What is said while the condition does not hold; nil while it does.
  func objection(at instant: Timestamp, _ world: GateWorld) -> Verdict? {
    switch self {
    case .window(let window):
      window.contains(instant, in: world.zone)
        ? nil : .wait(.outsideWindow, until: window.opening(after: instant, in: world.zone))
    }
  }
}
