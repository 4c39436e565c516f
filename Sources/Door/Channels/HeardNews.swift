import Foundation
import LiveHost
import Timeline

/// Which news were opened, and which channel gave one up: what channels that come later ask.
///
/// It is kept in the door's file, so that a channel that waits finds the same after a kill.
package struct HeardNews: Sendable {
  let store: DoorStore

  package init(store: DoorStore) { self.store = store }

  /// One notification.
  ///
  /// The same id may come again on another day: each mark has the instant by which it is told apart.
  package struct Mark: Hashable, Sendable, Codable {
    /// When it was opened.
    var seenAt: Timestamp?
    /// Sinks that have given it up, and when.
    package var failed: [String: Timestamp] = [:]
    /// Channels that were not told of it, as it had been opened.
    var spared: Set<String> = []

    /// Whether it was opened since an instant.
    func isSeen(since instant: Timestamp) -> Timestamp? {
      seenAt.flatMap { $0 >= instant ? $0 : nil }
    }

    /// Whether a sink has given it up since an instant.
    func hasFailed(_ sink: String, since instant: Timestamp) -> Bool {
      failed[sink].map { $0 >= instant } ?? false
    }
  }

  /// What is known of a notification; what cannot be read is not known: then it is told once more.
  package func mark(_ notification: String, of person: DoorPerson) -> Mark {
    (try? store.heard(notification, of: person)) ?? Mark()
  }

  /// Notes something of a notification; several channels may do so at a time.
  package func note(
    _ notification: String,
    of person: DoorPerson,
    at now: Timestamp,
    _ change: (inout Mark) -> Void
  ) throws(HostFailure) {
    try store.changeHeard(notification, of: person, at: now, change)
  }
}
