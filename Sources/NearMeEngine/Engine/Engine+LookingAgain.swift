import Timeline
import Traces

/// What waited is looked at again when its reason has ended, and told if it is still true.
extension Engine {
  /// Looks again at what waited, now that its reason has ended; tells it if it is still true.
  mutating func lookAgain(
    at now: Timestamp,
    _ turn: inout EventTurn,
    where isReady: (Occasion) -> Bool
  ) {
    var summary: [Occasion] = []
    var plain: [Occasion] = []
    let ready = waiting.take(where: isReady)
    let asking = ready.map { needsPosition($0, at: now) && isStillTrue($0, at: now) }
    for (var occasion, asks) in zip(ready, asking) {
      let gate = Gates.gate(of: occasion)
      let endsInSummary = gate?.endsInSummary ?? false
      // What belongs in one summary waits for the position together.
      let waits =
        asks
        || endsInSummary && occasion.locatingSince == nil && asking.contains(true)
          && monitoring != .everyFix
      // Driving away is not news, but where the user has named the instant.
      let isAskedFor = occasion.wasSnoozed || occasion.silence == .snoozed
      let isGoing =
        !waits
        && (occasion.nags > 0
          ? places.isReceding(occasion) : !isAskedFor && places.liesBehind(occasion, at: now))
      guard isStillTrue(occasion, at: now), !isGoing, !isLost(occasion, at: now),
        waits || places.lookAnew(&occasion)
      else {
        record(occasion, .suppressed(.stale), at: now, &turn)
        continue
      }
      if waits {
        occasion.locatingSince = now
        occasion.until =
          now + (monitoring == .everyFix ? Self.longestWait : policy.monitor.patience)
        waiting.occasions.append(occasion)
        turn.needsPosition = true
        continue
      }
      release(&occasion, at: now, &turn)
      if endsInSummary { summary.append(occasion) } else { plain.append(occasion) }
    }
    decide(summary, at: now, asSummary: true, &turn)
    decide(plain, at: now, &turn)
  }

  /// For so long a stream's next position is waited for.
  ///
  /// - Source: judgment: longer than tunnels and rides below the ground.
  private static let longestWait = Milliseconds.minutes(60)

  /// Whether a stream's next position was waited for in vain: of the last one no distance is to be told.
  private func isLost(_ occasion: Occasion, at now: Timestamp) -> Bool {
    guard monitoring == .everyFix, let since = occasion.locatingSince,
      occasion.until.map({ $0 <= now }) ?? false
    else { return false }
    return places.state.lastFix.map { $0.at < since } ?? true
  }

  /// Lets go what has waited.
  mutating func release(
    _ occasion: inout Occasion,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    occasion.locatingSince = nil
    occasion.awaitsOutcome = false
    Gates.gate(of: occasion)?.release(&occasion)
    guard occasion.isRepeat else { return }
    recordRepeat(occasion, at: now, &turn)
    occasion.isRepeat = false
    places.forgetSaid(occasion.key)
  }

  /// Whether an app is to know where it is before it says how far something is; it asks once.
  ///
  /// Of a stream, the next fix says so: it is waited for where the newest is from before a tunnel, and not where the
  /// user has named the instant.
  private func needsPosition(_ occasion: Occasion, at now: Timestamp) -> Bool {
    guard occasion.step.kind == .approach, occasion.locatingSince == nil, !surroundings.isBlind,
      let fix = places.state.lastFix, fix.at < now
    else { return false }
    guard monitoring == .everyFix else { return true }
    return Gates.gate(of: occasion)?.endsOnTheWay ?? false && !occasion.wasSnoozed
      && places.mayBeElsewhere(than: occasion, at: now, beyond: policy.text.lateShare)
  }

  /// Whether what happened is still so, by the watch that found it.
  ///
  /// What was over in a moment is told later only where the user asked to hear it again. That one has left is so for
  /// as long as one is away: where nothing was to be heard meanwhile it is summed up, else it is news for a while.
  func isStillTrue(_ occasion: Occasion, at now: Timestamp) -> Bool {
    switch occasion.key.happening {
    case .rung: places.isStillTrue(occasion.key)
    case .due: clock.isStillTrue(occasion.key)
    case .left:
      (occasion.isRepeat || occasion.wasSnoozed || occasion.nags > 0
        || Gates.gate(of: occasion)?.endsInSummary ?? false
        || now - occasion.at <= LatenessGate.momentNewsSpan)
        && !places.isBack(occasion)
    case .edge:
      occasion.isRepeat || occasion.wasSnoozed || occasion.nags > 0
        || occasion.awaitsOutcome && now - occasion.at <= LatenessGate.momentNewsSpan
    }
  }

  private func recordRepeat(_ occasion: Occasion, at now: Timestamp, _ turn: inout EventTurn) {
    turn.record(
      .transition(
        TransitionRecord(
          at: now,
          reminder: occasion.reminder,
          step: occasion.step,
          kind: occasion.step.tier == nil ? .due : .dwell,
          poi: occasion.spot?.poi,
          distanceMeters: occasion.spot?.distanceMeters
        )
      )
    )
  }

  /// Looks again at what waits for something that is over, whatever ended it: nothing waits for ever.
  mutating func lookAgainAtFreed(at now: Timestamp, _ turn: inout EventTurn) {
    // What is told can end what others wait for, as an arrival ends a snooze until the next one.
    for _ in 0..<Self.mostLooks where !waiting.occasions.isEmpty {
      let gates = Gates(world: gateWorld)
      let (shownLater, window) = (screen.scheduled, policy.bundle.window)
      let isFreed: (Occasion) -> Bool = {
        // What the system is about to tell it tells; what it would tell later is told now, and taken from it.
        let isTold = $0.until.map { $0 <= now } ?? false && shownLater.tell($0, within: window)
        return $0.locatingSince == nil && !gates.isHeld($0, at: now) && !isTold
      }
      guard waiting.occasions.contains(where: isFreed) else { return }
      lookAgain(at: now, &turn, where: isFreed)
    }
  }

  /// A reason that one look has ended ends within the next; more would be a circle.
  static let mostLooks = 4

  /// Reckons anew until when everything waits that depends on local time.
  mutating func reckonLocalTimesAnew(at now: Timestamp, _ turn: inout EventTurn) {
    guard !waiting.occasions.isEmpty else { return }
    for record in waiting.reckonAnew(at: now, gateWorld) { turn.record(.decision(record)) }
  }
}
