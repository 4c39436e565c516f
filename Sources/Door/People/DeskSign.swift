import Foundation
import Timeline
import UserStore

/// What a household must know of a desk, to be read without waiting for it.
package final class DeskSign: Sendable {
  /// How a desk stood when it was last left.
  package struct Reading: Sendable {
    /// When somebody last came in; nil while it is closed.
    package var usedAt: ContinuousClock.Instant?
    /// Whether the person's file is not held open.
    package var isResting = false
    /// When it has something to do; nil if it has nothing.
    package var next: Timestamp?
    /// How many deliveries waited: they are made without anybody coming in.
    package var waitingCount = 0
    /// How the person's file looked; nil before it was ever opened.
    package var file: FileStamp?
    /// When it tries again what has failed.
    package var triesAgainAt: ContinuousClock.Instant?
    /// Whether the person was removed: it has nothing to do any more.
    package var isGone = false

    /// Whether it has something to do.
    package func isDue(at now: Timestamp) -> Bool {
      if let triesAgainAt { return triesAgainAt <= .now }
      return next.map { $0 <= now } ?? false
    }

    /// How long nobody has come in; nil while it is closed.
    package var idle: Duration? { usedAt.map { $0.duration(to: .now) } }
  }

  private let lock = NSLock()
  private nonisolated(unsafe) var shown = Reading()

  /// How the desk stands.
  package var reading: Reading { lock.withLock { shown } }

  /// Shows how the desk stands now.
  func show(_ reading: Reading) { lock.withLock { shown = reading } }
}
