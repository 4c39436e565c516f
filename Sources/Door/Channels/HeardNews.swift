import Foundation
import LiveHost
import NearMeEngine
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
    package var seenAt: Timestamp?
    /// Sinks that have given it up, and when.
    package var failed: [String: Timestamp] = [:]
    /// Channels that were not told of it, as it had been opened.
    var spared: Set<String> = []
    /// Of a notification: what ``HeardNews`` keeps of its lines, by key.
    var lines: Set<String>?
    /// Of a line.
    var line: ToldLine?

    /// Whether it was opened since an instant.
    func isSeen(since instant: Timestamp) -> Timestamp? {
      seenAt.flatMap { $0 >= instant ? $0 : nil }
    }

    /// Whether a sink has given it up since an instant.
    func hasFailed(_ sink: String, since instant: Timestamp) -> Bool {
      failed[sink].map { $0 >= instant } ?? false
    }
  }

  /// A line as it is told again and again until it is answered, each time in another notification.
  struct ToldLine: Hashable, Sendable, Codable {
    /// When it was told first.
    var firstAt: Timestamp
    /// When it was told last.
    var at: Timestamp
    /// In which notification.
    var notification: String
    /// When it went from that; nil while it stands there.
    var goneAt: Timestamp?
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

  // MARK: What is told again

  /// Notes the lines of a notification, and answers since when the oldest of them has been told and not answered.
  ///
  /// What a nag or an update says again goes on where it stood; what was opened, answered or taken away before begins
  /// anew.
  package func begin(
    _ notification: ReminderNotification,
    of person: DoorPerson,
    at now: Timestamp
  ) throws(HostFailure) -> Timestamp {
    var first = notification.at
    let keys = Set(notification.members.map(Self.key))
    for key in keys.sorted() {
      let old = mark(key, of: person).line
      // A channel that is slow sees the older one last.
      if let old, old.at > notification.at { continue }
      let wasSeen =
        old.map { mark($0.notification, of: person).isSeen(since: $0.at) != nil } ?? false
      let line = Self.line(notification, after: wasSeen ? nil : old)
      first = min(first, line.firstAt)
      try note(key, of: person, at: now) { mark in
        if (mark.line?.at ?? line.at) <= line.at { mark.line = line }
      }
    }
    try note(notification.id, of: person, at: now) { $0.lines = keys }
    return first
  }

  /// Notes that a notification has lost lines: all, or those that a smaller one lacks.
  package func end(
    _ notification: String,
    but rest: ReminderNotification?,
    of person: DoorPerson,
    at instant: Timestamp,
    now: Timestamp
  ) throws(HostFailure) {
    let kept = Set((rest?.members ?? []).map(Self.key))
    for key in (mark(notification, of: person).lines ?? []).subtracting(kept).sorted() {
      try note(key, of: person, at: now) { mark in
        guard mark.line?.notification == notification, mark.line?.goneAt == nil else { return }
        mark.line?.goneAt = instant
      }
    }
  }

  /// A line of a notification, as it goes on from an older one.
  private static func line(
    _ notification: ReminderNotification,
    after old: ToldLine?
  ) -> ToldLine {
    var line = ToldLine(
      firstAt: notification.at,
      at: notification.at,
      notification: notification.id
    )
    // What takes its place is told before the older one goes, and what comes anew, after that.
    if let old, old.goneAt.map({ $0 >= notification.at }) ?? true {
      line.firstAt = min(old.firstAt, line.firstAt)
      if old.notification == line.notification { line.goneAt = old.goneAt }
    }
    return line
  }

  /// What tells a line apart, and is no notification's id.
  private static func key(_ line: ReminderNotification.Member) -> String {
    "line \(line.reminder) \(line.step.name) \(line.poi ?? "")"
  }
}
