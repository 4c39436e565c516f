import Traces

/// What came in and went out in one life of a host.
package struct HostCounts: Hashable, Sendable {
  /// Fixes that were handed to the engine.
  package var fixes = 0
  /// Signals that were handed to the engine.
  package var signals = 0
  /// Signals of a recorded day that do not say when.
  package var untimedSignals = 0
  /// Fixes and signals that an earlier life had taken in.
  package var takenBefore = 0
  /// Positions that were not used, by reason.
  package var refused: [FixRefusal: Int] = [:]
  /// Notifications shown.
  package var notifications = 0
  /// Deliveries that were made.
  package var delivered = 0
  /// Deliveries that will never be.
  package var givenUp = 0
  /// Deliveries that wait for the next life.
  package var waiting = 0
}
