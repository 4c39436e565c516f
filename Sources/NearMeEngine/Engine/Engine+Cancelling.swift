import Fencing
import Timeline

/// What was under way and came to nothing leaves a line, too.
extension Engine {
  /// Records that a pending arrival did not hold, or is not waited for any more.
  mutating func cancelArrival(
    _ r: Int,
    _ w: Int,
    _ reason: CancelRecord.Reason,
    at now: Timestamp
  ) {
    let watch = state.reminders[r].watches[w]
    guard reason == .left || watch.ladder.arrivalPendingSince != nil else { return }
    cancel(r, .arrival, watch.pendingSpot, reason, at: now)
  }

  /// Records that what comes after an arrival is not due any more.
  mutating func cancelPostArrival(
    _ r: Int,
    _ w: Int,
    _ reason: CancelRecord.Reason,
    at now: Timestamp
  ) {
    let watch = state.reminders[r].watches[w]
    guard let delay = state.reminders[r].plan.postArrivalDelay, let spot = watch.arrivalSpot,
      !watch.isPostArrivalDone
    else { return }
    cancel(r, .postArrival(delay: delay), spot, reason, at: now)
  }

  private mutating func cancel(
    _ r: Int,
    _ tier: Tier,
    _ spot: Spot?,
    _ reason: CancelRecord.Reason,
    at now: Timestamp
  ) {
    effects.append(
      .record(
        .cancelled(
          CancelRecord(
            at: now,
            reminder: state.reminders[r].reminder.id,
            tier: tier,
            poi: spot?.poi,
            reason: reason
          )
        )
      )
    )
  }
}
