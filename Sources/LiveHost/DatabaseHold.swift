import Foundation
import Logging
import Timeline

/// Says once that another program holds the database, and that it has let go of it.
///
/// Unchecked: what changes is touched under the lock only.
package final class DatabaseHold: @unchecked Sendable {
  /// How long an attempt waits, and how long it is to the next one: who stops the host waits for both.
  package static let attempt = Milliseconds(500)
  /// What other programs do to a file of this size is done by then.
  ///
  /// - Source: judgment: as long as the commands on a database wait for each other.
  private static let worthSaying = Milliseconds.seconds(10)

  private let path: String
  private let clock: any HostClock
  private let log: Logger
  private let lock = NSLock()
  /// By the clock that cannot be set.
  private var since: Milliseconds?
  private var isSaid = false

  /// Makes it for one file, which nobody holds yet.
  package init(_ path: String, clock: any HostClock, log: Logger) {
    self.path = path
    self.clock = clock
    self.log = log
  }

  /// Notes that another program holds it.
  package func note() {
    let isToBeSaid = lock.withLock {
      let (begin, now) = (since ?? clock.uptime(), clock.uptime())
      since = begin
      guard !isSaid, now.value - begin.value >= Self.worthSaying.value else { return false }
      isSaid = true
      return true
    }
    guard isToBeSaid else { return }
    log.warning(
      """
      another program holds the database: nothing is lost, and nothing is told until it lets go; end that program, which \
      `fuser` names
      """,
      metadata: ["database": "\(path)"]
    )
  }

  /// Notes that it could be used.
  package func end() {
    let span: Milliseconds? = lock.withLock {
      defer { (since, isSaid) = (nil, false) }
      guard isSaid, let since else { return nil }
      return Milliseconds(clock.uptime().value - since.value)
    }
    guard let span else { return }
    log.notice("the database is free again", metadata: ["after_seconds": "\(span.value / 1_000)"])
  }
}
