import Timeline

/// What comes of one event, gathered while it is handled.
package struct EventTurn {
  /// When what is said now is heard: the event's instant, later than what it catches up with.
  package let heardAt: Timestamp
  /// What the host is to do, in order.
  package private(set) var effects: [Effect]
  /// When it is clear whether what is found is still so, while fixes are handed over that are not the newest.
  var settlesAt: Timestamp?
  /// Whether something waits for a position before it is told.
  var needsPosition = false
  /// Whether a reminder ended by itself, so that its regions are not needed any more.
  var hasEnded = false

  /// Begins a turn.
  ///
  /// - Parameter used: the effects of an earlier turn; their memory serves again unless the host keeps
  ///   them.
  package init(heardAt: Timestamp, reusing used: inout [Effect]) {
    self.heardAt = heardAt
    effects = []
    swap(&effects, &used)
    effects.removeAll(keepingCapacity: true)
  }

  mutating func emit(_ effect: Effect) { effects.append(effect) }

  mutating func record(_ record: Record) { effects.append(.record(record)) }

  /// Whether the system is asked in this turn to show a notification by itself.
  func schedules(_ id: String) -> Bool { effects.contains { $0.schedules(id) } }

  /// Takes back what the system was to show by itself; if it has not been asked yet, nothing is asked.
  mutating func unschedule(_ id: String) {
    if schedules(id) {
      effects.removeAll { $0.schedules(id) }
    } else {
      emit(.unschedule(id: id))
    }
  }
}

extension Effect {
  fileprivate func schedules(_ id: String) -> Bool {
    if case .schedule(let notification, _) = self { notification.id == id } else { false }
  }
}

/// The earlier of two instants, of which either may be missing.
func earliest(_ a: Timestamp?, _ b: Timestamp?) -> Timestamp? {
  guard let a, let b else { return a ?? b }
  return min(a, b)
}
