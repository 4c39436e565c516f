import LiveHost
import Timeline

/// Notices that the clock on the wall was set: for a while after that everybody who is there looks at it.
///
/// A host looks when it has something to do; until then it would go by the old time.
struct ClockLook {
  /// Longer than a host waits before it follows a clock that was set, by some rounds.
  private static let lasts = HostTime.lasting + .seconds(10)

  /// What the wall's clock shows when the one that cannot be set shows 0.
  private var offset: Int64?
  private var until: Int64?

  /// Whether the clock was set a moment ago.
  mutating func wasJustSet(_ clock: any HostClock) -> Bool {
    let up = clock.uptime().value
    let now = clock.now().milliseconds - up
    if let known = offset, (now - known).magnitude > HostTime.slewed.value.magnitude {
      until = up + Self.lasts.value
    }
    offset = now
    return until.map { up < $0 } ?? false
  }
}
