/// What is seen in a batch of fixes that came late is told when the batch is over, if it is still so then.
///
/// What concerns no position, such as a time of day, is not held.
struct LatenessGate: Gate {
  let question = "did the fix come late?"
  var silences: [Silence] { [.handedOverLate] }

  func objection(to question: Question, _ world: GateWorld) -> Verdict? {
    guard question.occasion.step.tier != nil else { return nil }
    return question.settlesAt.map { .wait(.handedOverLate, until: $0) }
  }
}
