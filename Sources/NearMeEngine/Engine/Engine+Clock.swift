import Fencing
import Timeline
import Traces

/// The host's clock is set: what counts a span goes on as if nothing had happened.
extension Engine {
  /// A span that a clock may be set by; nil for one that no clock was ever wrong by.
  ///
  /// - Source: a phone without a battery starts in 1970; sums of a century do not overflow.
  func shiftable(_ span: Milliseconds) -> Milliseconds? {
    span.value.magnitude <= 100 * 366 * 86_400_000 ? span : nil
  }

  /// Moves every instant that was reckoned from the old clock.
  ///
  /// Holds, cooldowns, bundle windows, delays after arrival and snoozes for a span keep what is left
  /// of them. What ends at a local time does so by the new clock. The arrival detector gathers its
  /// evidence anew.
  mutating func shiftClock(by span: Milliseconds) {
    func moved(_ instant: Timestamp?) -> Timestamp? { instant.map { $0 + span } }
    state.now = moved(state.now)
    state.gate.shiftClock(by: span)
    if let fix = state.lastFix { state.lastFix?.at = fix.at + span }
    state.lastApproachAt = moved(state.lastApproachAt)
    if let bundle = state.openBundle { state.openBundle?.since = bundle.since + span }
    for r in state.reminders.indices {
      state.reminders[r].lastApproachAt = moved(state.reminders[r].lastApproachAt)
      for w in state.reminders[r].watches.indices {
        state.reminders[r].watches[w].ladder.shiftClock(by: span)
      }
      if case .until(let end) = state.reminders[r].reminder.snooze, !isMidnight(end) {
        state.reminders[r].reminder.snooze = .until(end + span)
      }
    }
    for i in state.deferred.indices {
      state.deferred[i].at = state.deferred[i].at + span
      let waiting = state.deferred[i]
      switch waiting.silence {
      case .quietHours, .outsideWindow: break
      case .snoozed:
        if let r = index(of: waiting.reminder),
          case .until(let end) = state.reminders[r].reminder.snooze
        {
          state.deferred[i].until = end
        }
      default: state.deferred[i].until = moved(waiting.until)
      }
    }
    for i in state.scheduled.indices {
      let later = state.scheduled[i].moved(by: span)
      state.scheduled[i] = later
      effects.append(.unschedule(id: later.id))
      effects.append(.schedule(later, at: later.at))
    }
    // The host's timers were set by the old clock.
    state.wakeAt = nil
    if let until = moved(state.followUntil) {
      state.followUntil = until
      effects.append(.follow(until: until))
    }
    precondition(playback == nil, "a recording is by another clock")
    state.arrivals = ArrivalMemory()
    resolveTargets()
    loseStillness()
    if let now = state.now { waitAnewForLocalTimes(at: now) }
  }

  /// Whether a snooze ends with the day, and not after a span.
  private func isMidnight(_ instant: Timestamp) -> Bool {
    zone.nextDay(after: instant - .seconds(1)) == instant
  }
}

extension ReminderNotification {
  fileprivate func moved(by span: Milliseconds) -> ReminderNotification {
    ReminderNotification(id: id, at: at + span, isSummary: kind == .summary, members: members)
  }
}
