import Timeline

/// A reminder that is done says nothing, nor one whose days are over at the time that is asked about.
struct StatusGate: Gate {
  let question = "is it done?"
  let objections: [Silence] = [.completed, .fired, .expired]

  func objection(to question: Question, _ world: GateWorld) -> Verdict? {
    switch question.reminder.status {
    case .active:
      question.reminder.end(in: world.zone).map { $0 <= question.now } ?? false
        ? .silence(.expired) : nil
    case .completed: .silence(.completed)
    case .fired: .silence(.fired)
    case .expired: .silence(.expired)
    }
  }
}

/// The free tier's reminders that may speak are the first of those that are live.
struct EntitlementGate: Gate {
  let question = "is there room for it in the plan?"
  let objections: [Silence] = [.notEntitled]

  func objection(to question: Question, _ world: GateWorld) -> Verdict? {
    world.roster.isEntitled(question.reminder.id, world.policy.plans)
      ? nil : .silence(.notEntitled)
  }
}

/// A muted reminder says nothing until it is unmuted by hand.
struct MuteGate: Gate {
  let question = "is it muted?"
  let objections: [Silence] = [.muted]

  func objection(to question: Question, _ world: GateWorld) -> Verdict? {
    question.reminder.isMuted ? .silence(.muted) : nil
  }
}

/// A step that has spoken since it was last left does not speak again, but for what a snooze repeats.
struct SaidGate: Gate {
  let question = "was it said already?"
  let objections: [Silence] = [.alreadySaid]

  func objection(to question: Question, _ world: GateWorld) -> Verdict? {
    question.wasSaid && !question.occasion.isRepeat ? .silence(.alreadySaid) : nil
  }
}
