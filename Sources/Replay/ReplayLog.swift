import NearMeEngine
import OutputLines
import Timeline

/// What a replay's lines leave out: which regions woke the app, and everything that it was told to do.
package struct ReplayLog: Sendable {
  /// Each wake, with the ids of the regions that were crossed; none where another cause woke it.
  package var wakes: [(at: Timestamp, cause: WakeCause, regions: [String])] = []
  /// Each effect, with the instant at which it was carried out.
  package var effects: [(at: Timestamp, effect: Effect)] = []

  /// What waited for the reason of its silence to end, from each instant on at which that changed.
  package var waiting: [(at: Timestamp, occasions: [Occasion])] = []
  private var lastWaiting: [Occasion] = []

  package init() {}

  /// Takes out what has been kept so far.
  package mutating func takeAll() -> ReplayLog {
    let all = self
    self = ReplayLog()
    lastWaiting = all.lastWaiting
    return all
  }

  mutating func note(waiting occasions: [Occasion], at now: Timestamp) {
    guard occasions != lastWaiting else { return }
    lastWaiting = occasions
    if waiting.last?.at == now { waiting.removeLast() }
    waiting.append((now, occasions))
  }
}

extension WakeCause {
  /// Whether a region was crossed.
  var isByRegion: Bool { self == .regionEnter || self == .regionExit }
}
