import Geodesy
import Timeline
import Traces

/// Fixes with one and the same coordinates, one after the other.
struct StillRun: Hashable, Sendable {
  /// What such a run is.
  enum Nature: Hashable {
    /// Nothing to speak of.
    case ordinary
    /// The device holds its position.
    case held
    /// The device moved meanwhile.
    case stuck
  }

  private(set) var first: Fix
  private(set) var last: Fix
  private(set) var count = 1
  private var withSpeed = 0
  private var moving = 0

  init(_ fix: Fix, _ settings: DoctorSettings) {
    first = fix
    last = fix
    note(fix, settings)
  }

  /// Takes a fix if it is at the same coordinates.
  mutating func extend(_ fix: Fix, _ settings: DoctorSettings) -> Bool {
    guard fix.coordinate == first.coordinate else { return false }
    last = fix
    count += 1
    note(fix, settings)
    return true
  }

  /// What the run is, judged by the fix after it; nil at the end of the trace.
  func nature(before next: Fix?, _ settings: DoctorSettings) -> Nature {
    guard count >= settings.stillFixes else { return .ordinary }
    if let next,
      !settings.isReachable(last, next, metersPerSecond: settings.leapSpeedMetersPerSecond),
      // A leap that makes no sense over the whole time either is a jump, not the end of a halt.
      settings.isReachable(first, next)
    {
      return .stuck
    }
    let span = last.at - first.at
    if span >= settings.stuckTime, moving >= settings.stillFixes, moving * 2 > withSpeed {
      return .stuck
    }
    return span >= settings.heldTime ? .held : .ordinary
  }

  private mutating func note(_ fix: Fix, _ settings: DoctorSettings) {
    guard let speed = fix.speedMetersPerSecond else { return }
    withSpeed += 1
    if speed > settings.movingSpeedMetersPerSecond { moving += 1 }
  }
}
