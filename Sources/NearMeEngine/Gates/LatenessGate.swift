/// What is seen in a batch of fixes that came late is told when the batch is over, if it is still so then, and if
/// its newest fix is of now.
///
/// What concerns no position, such as a time of day, is not held.
struct LatenessGate: Gate {
  let question = "did the fix come late?"
  var silences: [Silence] { [.handedOverLate] }

  func objection(to question: Question, _ world: GateWorld) -> Verdict? {
    guard question.occasion.step.tier != nil else { return nil }
    if let settlesAt = question.settlesAt { return .wait(.handedOverLate, until: settlesAt) }
    return question.isHistory ? .silence(.handedOverLate) : nil
  }
}
