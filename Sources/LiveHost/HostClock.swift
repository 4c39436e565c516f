import Foundation
import Timeline

/// The clock on the wall, so that tests have one of their own.
package protocol HostClock: Sendable {
  /// What it shows.
  func now() -> Timestamp
  /// What another one shows, which cannot be set and which goes on while the machine sleeps.
  func uptime() -> Milliseconds
}

/// The system's clock.
package struct SystemClock: HostClock {
  /// Makes it.
  package init() {}

  /// What it shows.
  package func now() -> Timestamp {
    Timestamp(milliseconds: Self.read(CLOCK_REALTIME))
  }

  /// Milliseconds since the machine was started.
  package func uptime() -> Milliseconds {
    #if os(Linux)
    Milliseconds(Self.read(CLOCK_BOOTTIME))
    #else
    Milliseconds(Self.read(CLOCK_MONOTONIC))
    #endif
  }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}

/// Where the engine's time comes from.
package enum TimeSource: String, Hashable, Sendable, CaseIterable {
  /// The host's clock: fixes come as they are measured.
  case wall
  /// The fixes: a recorded trace, as fast as it can be read.
  case fixes
}
