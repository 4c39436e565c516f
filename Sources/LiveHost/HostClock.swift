import Foundation
import Timeline

/// The clock on the wall, so that tests have one of their own.
package protocol HostClock: Sendable {
  /// What it shows.
  func now() -> Timestamp
}

/// The system's clock.
package struct SystemClock: HostClock {
  /// Makes it.
  package init() {}

  /// What it shows.
  package func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }
}

/// Where the engine's time comes from.
package enum TimeSource: String, Hashable, Sendable, CaseIterable {
  /// The host's clock: fixes come as they are measured.
  case wall
  /// The fixes: a recorded trace, as fast as it can be read.
  case fixes
}
