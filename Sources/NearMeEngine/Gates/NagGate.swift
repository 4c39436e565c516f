import Timeline

/// What was told and not answered is told again after a while, where the reminder asks for it.
///
/// It objects to nothing; what waits for its next turn waits under its name.
struct NagGate: Gate {
  let question = "is it told again unanswered?"
  var silences: [Silence] { [.nag] }

  func objection(to question: Question, _ world: GateWorld) -> Verdict? { nil }
}

extension Occasion {
  /// It once more, after it was told; nil if that was the last time.
  ///
  /// - Parameter now: when it was told.
  func nagging(_ nag: Reminder.Nag, at now: Timestamp, in zone: UTCOffsetTable) -> Occasion? {
    guard nags < nag.atMost else { return nil }
    let next = now + nag.every
    if let minute = nag.untilMinute, next >= zone.next(minuteOfDay: minute, after: at) {
      return nil
    }
    var again = self
    again.isRepeat = true
    again.nags += 1
    again.wait(.nag, until: next)
    return again
  }
}
