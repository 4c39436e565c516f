import Timeline

/// The timer that wakes an engine, while many fixes are taken in at once.
///
/// Near places the detector asks for one every few seconds of silence, and of nearly all of them nothing comes.
package struct HostTimer {
  /// When the host wakes the engine next; nil for never.
  package private(set) var next: Timestamp?
  private let otherwiseDue: Timestamp?
  private let end: Timestamp
  /// Those that have come, and nothing of them.
  private(set) var passed: [Timestamp] = []

  /// A timer of which none passes by itself.
  init(next: Timestamp?) {
    self.init(next: next, otherwiseDue: nil, end: Timestamp(milliseconds: .min))
  }

  /// Makes a timer.
  ///
  /// - Parameters:
  ///   - next: for when it is set.
  ///   - otherwiseDue: when something else than a look of the detector's is due; nil for never.
  ///   - end: from when on none passes by itself.
  init(next: Timestamp?, otherwiseDue: Timestamp?, end: Timestamp) {
    self.next = next
    self.otherwiseDue = otherwiseDue
    self.end = min(end, otherwiseDue ?? end)
  }

  /// Whether one that comes, or is asked for, at an instant can do without the engine.
  package func passes(_ instant: Timestamp) -> Bool { instant < end }

  /// Sets it as an engine does.
  package mutating func set(forTick tick: Timestamp?) { next = earliest(otherwiseDue, tick) }

  /// Goes on after one of which nothing came.
  package mutating func pass(forTick tick: Timestamp?) {
    if let next { passed.append(next) }
    set(forTick: tick)
  }
}
