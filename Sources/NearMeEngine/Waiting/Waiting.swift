import Timeline

/// What waits for the reason of its silence to end, and when approaches were last told.
package struct Waiting: Hashable, Sendable, Codable {
  /// Oldest first.
  package var occasions: [Occasion] = []
  package var cooldowns = Cooldowns()

  package init() {}

  /// When the next of them is to be looked at again that the system does not show by itself; nil if none
  /// has an instant.
  package func nextInstant(
    shownLater: [ReminderNotification],
    within window: Milliseconds
  ) -> Timestamp? {
    occasions.reduce(nil) { next, waiting in
      shownLater.tell(waiting, within: window) ? next : earliest(next, waiting.until)
    }
  }

  /// Whether the next position may decide on something: how far its target is, or that one has gone on.
  package var awaitsPosition: Bool {
    occasions.contains { $0.locatingSince != nil || $0.awaitsOutcome }
  }

  /// Takes out those that are meant, oldest first.
  package mutating func take(where isMeant: (Occasion) -> Bool) -> [Occasion] {
    guard occasions.contains(where: isMeant) else { return [] }
    let taken = occasions.filter(isMeant)
    occasions.removeAll(where: isMeant)
    return taken
  }

  /// Takes out what a nearer step of the same ladder has overtaken.
  package mutating func takeOvertaken(by key: OccasionKey) -> [Occasion] {
    take { $0.key.isOvertaken(by: key) }
  }

  /// Has everything of a reminder wait for its snooze, also what waited for something else, and what it
  /// has said and is to say again.
  package mutating func snooze(_ reminder: String, until: Timestamp?, repeating said: [Occasion]) {
    for i in occasions.indices where occasions[i].reminder == reminder {
      occasions[i].wait(.snoozed, until: until)
    }
    for var occasion in said
    where !occasions.contains(where: {
      $0.key == occasion.key || occasion.key.isOvertaken(by: $0.key)
    }) {
      occasion.wait(.snoozed, until: until)
      occasions.append(occasion)
    }
  }

  /// Has what waits for a reminder's snooze be looked at now, for that has been ended.
  mutating func endSnooze(_ reminder: String, at now: Timestamp) {
    for i in occasions.indices
    where occasions[i].reminder == reminder && occasions[i].silence == .snoozed {
      occasions[i].until = now
    }
  }

  /// Has what waits for triggers of a reminder count as waiting for those numbers that they have after an edit.
  mutating func renumber(_ reminder: String, _ numbers: [Int: Int]) {
    for i in occasions.indices where occasions[i].reminder == reminder {
      if let number = numbers[occasions[i].key.trigger] { occasions[i].renumber(number) }
    }
  }

  /// Reckons anew until when everything waits that depends on local time: the zone or a window may
  /// have changed.
  ///
  /// - Returns: the records of those that go on waiting to another instant.
  package mutating func reckonAnew(at now: Timestamp, _ world: GateWorld) -> [DecisionRecord] {
    var records: [DecisionRecord] = []
    for i in occasions.indices {
      let waiting = occasions[i]
      guard waiting.locatingSince == nil, let silence = waiting.silence,
        let gate = Gates.gate(of: waiting)
      else { continue }
      switch gate.end(of: waiting, at: now, world) {
      case .unchanged: continue
      case .over: occasions[i].until = now
      case .at(let end):
        guard end != waiting.until else { continue }
        occasions[i].until = end
        if !waiting.isRepeat {
          records.append(waiting.decided(.deferred(silence, until: end), at: now))
        }
      }
    }
    return records
  }

  /// Goes on by a clock that was set; the roster's snoozes have been moved before.
  package mutating func shiftClock(by span: Milliseconds, _ world: GateWorld) {
    cooldowns.shiftClock(by: span)
    for i in occasions.indices {
      occasions[i].at = occasions[i].at + span
      if let since = occasions[i].locatingSince {
        // Its reason has ended; what it waits for is a position.
        occasions[i].locatingSince = since + span
        occasions[i].until = occasions[i].until.map { $0 + span }
      } else {
        occasions[i].until =
          Gates.gate(of: occasions[i])?.end(of: occasions[i], movedBy: span, world)
      }
    }
  }
}

extension Occasion {
  func decided(_ outcome: DecisionRecord.Outcome, at now: Timestamp) -> DecisionRecord {
    DecisionRecord(at: now, reminder: reminder, step: step, outcome: outcome)
  }
}
