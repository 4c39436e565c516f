import Geodesy
import Timeline
import Traces

extension DoctorSettings {
  /// Whether something could have got from one fix to a later one.
  ///
  /// - Parameter metersPerSecond: how fast it may have been.
  /// - Complexity: O(1), mostly without trigonometry.
  func isReachable(_ a: Fix, _ b: Fix, metersPerSecond: Double) -> Bool {
    // A second at least, as the gate has it: within one, jitter is faster than any aircraft.
    let seconds = max(1, (b.at - a.at).seconds)
    let reach =
      metersPerSecond * seconds + a.horizontalAccuracyMeters + b.horizontalAccuracyMeters
    // No degree is longer than 111,694 m, so this is never less than the distance.
    let degrees =
      (a.coordinate.latitude - b.coordinate.latitude).magnitude
      + (a.coordinate.longitude - b.coordinate.longitude).magnitude
    if degrees * 111_700 <= reach { return true }
    return a.coordinate.distanceMeters(to: b.coordinate) <= reach
  }

  /// Whether a fix can be true if another one is.
  func isReachable(_ a: Fix, _ b: Fix) -> Bool {
    isReachable(a, b, metersPerSecond: jumpSpeedMetersPerSecond)
  }

  /// Whether the phone was elsewhere after a silence.
  func hasMoved(_ a: Fix, _ b: Fix) -> Bool {
    a.coordinate.distanceMeters(to: b.coordinate)
      > max(movedMeters, a.horizontalAccuracyMeters + b.horizontalAccuracyMeters)
  }
}
