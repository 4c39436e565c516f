import Timeline

/// Nothing is heard while Do Not Disturb or a Focus is on; what is still true is summed up afterward.
struct FocusGate: Gate {
  let question = "is a focus on?"
  var silences: [Silence] { [.focus] }

  func objection(to question: Question, _ world: GateWorld) -> Verdict? {
    world.surroundings.isFocusOn ? .wait(.focus, until: nil) : nil
  }

  func stillHolds(_ waiting: Occasion, at now: Timestamp, _ world: GateWorld) -> Bool {
    world.surroundings.isFocusOn
  }

  var endsInSummary: Bool { true }
}
