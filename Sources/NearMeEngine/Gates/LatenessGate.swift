import Timeline

/// What is seen in a batch of fixes that came late is told when the batch is over, if it is still so then; and where
/// even its newest fix is of long ago, when a newer one shows that it is.
///
/// What concerns no position, such as a time of day, is not held; that one has left, or what the phone has said, is
/// news for a while.
struct LatenessGate: Gate {
  let question = "did the fix or the signal come late?"
  var silences: [Silence] { [.handedOverLate] }

  func objection(to question: Question, _ world: GateWorld) -> Verdict? {
    switch question.occasion.step {
    case .tier, .leave: break
    case .schedule: return nil
    case .signal:
      // What has waited for another reason was news when it came.
      let isOld =
        question.occasion.silence == nil && !question.occasion.isRepeat
        && question.occasion.cameAt.map { question.now - $0 > Self.momentNewsSpan } ?? false
      return isOld ? .silence(.stale) : nil
    }
    if let settlesAt = question.settlesAt { return .wait(.handedOverLate, until: settlesAt) }
    // What has waited for another reason was seen while it was so.
    let isNew = question.occasion.silence.map { $0 == .handedOverLate } ?? true
    return isNew && world.isHistory ? .wait(.handedOverLate, until: nil) : nil
  }

  /// For so long it is news that one has left, or that the phone has said something.
  ///
  /// - Source: judgment: what was forgotten is fetched within that, or not at all.
  static let momentNewsSpan = Milliseconds.minutes(15)

  func stillHolds(_ waiting: Occasion, at now: Timestamp, _ world: GateWorld) -> Bool {
    waiting.until != nil || world.isHistory
  }
}
