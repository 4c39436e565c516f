import Geodesy
import Basics
import Timeline

/// Where the person probably is: a causal filter that knows errors of position to last.
///
/// The state of each axis is the position and the error that lasts (first-order Gauss–Markov), so
/// that a minute of fixes at one spot counts as about one fix and not as sixty. Both axes share
/// their covariance.
///
/// - Complexity: O(1) a fix.
/// - Source: Kalman filter with a shaping filter for correlated noise, as in Gelb, Applied Optimal
///   Estimation (1974), section 4.5.
struct PositionFilter: Hashable, Sendable, Codable {
  /// The position, in meters on the track's plane.
  private(set) var position: PlanePoint
  /// The error that lasts.
  private var error = PlanePoint.zero
  private var positionVariance: Double
  private var covariance: Double
  private var errorVariance: Double
  /// The deviation per axis that the fixes of late have claimed.
  private(set) var deviationMeters: Double
  private var outliers = 0
  /// For how long no fix has been believed.
  private var doubtedSeconds = 0.0
  /// How many fixes have come since the first; nil once they are many.
  private var fixesSinceStart: Int? = 0

  /// After so many fixes a receiver is as good as it gets.
  ///
  /// - Source: judgment: at a fix each second satellites are found in less.
  private static let freshFixes = 30

  /// The variance of the position per axis, in square meters.
  var variance: Double { positionVariance }

  /// Believes a first fix as far as it goes.
  init(at position: PlanePoint, deviationMeters: Double, _ settings: PositionSettings) {
    let variance = deviationMeters * deviationMeters
    self.position = position
    self.deviationMeters = deviationMeters
    // The sum of position and error is known; which of the two it is, is not.
    positionVariance = variance + settings.whiteMeters * settings.whiteMeters
    covariance = -variance
    errorVariance = variance
  }

  /// The same position on another plane.
  mutating func move(to position: PlanePoint) { self.position = position }

  /// Lets time pass.
  ///
  /// - Parameters:
  ///   - way: how far one is thought to have gone.
  ///   - varianceAdded: how uncertain that is, in square meters per axis.
  ///   - isAtRest: whether one has stood still meanwhile.
  mutating func pass(
    seconds: Double,
    way: PlanePoint,
    varianceAdded: Double,
    isAtRest: Bool,
    _ settings: PositionSettings,
    _ decay: inout RememberedExponential
  ) {
    let errorTime = isAtRest ? settings.errorTimeAtRestSeconds : settings.errorTimeSeconds
    let kept = decay(-seconds / errorTime)
    position = position + way
    error = error * kept
    positionVariance = min(positionVariance + varianceAdded, 1e8)
    covariance *= kept
    errorVariance =
      kept * kept * errorVariance + deviationMeters * deviationMeters * (1 - kept * kept)
  }

  /// Takes in where a fix says one is.
  ///
  /// - Returns: whether it was believed.
  @discardableResult
  mutating func observe(
    _ measured: PlanePoint,
    deviationMeters claimed: Double,
    seconds: Double,
    _ settings: PositionSettings,
    _ decay: inout RememberedExponential
  ) -> Bool {
    // One bad fix among good ones is bad by itself; the lasting error grows only if they stay bad.
    let share = 1 - decay(-max(seconds, 1) / settings.accuracySettleSeconds)
    let most = settings.accuracyMostTimes * deviationMeters
    let usual = deviationMeters + share * (min(claimed, most) - deviationMeters)
    let tolerated = settings.accuracyToleratedTimes
    // After a long silence the usual is this fix's own: what was known before counts.
    let known = min(usual, deviationMeters)
    let excess = max(0, claimed * claimed - tolerated * tolerated * known * known)
    let white = settings.whiteMeters * settings.whiteMeters + excess
    var innovation = measured - position - error
    var expected = positionVariance + 2 * covariance + errorVariance + white
    let better = tolerated * claimed / deviationMeters
    // A receiver that has just been switched on gets better from fix to fix: what its first ones are off does not last.
    let isFresh = fixesSinceStart != nil
    fixesSinceStart = fixesSinceStart.flatMap { $0 < Self.freshFixes ? $0 + 1 : nil }
    if better < 1, isFresh || innovation.lengthSquared > settings.gate * expected {
      // Nor does it for a fix that is far better than those before it, and is no outlier because they erred.
      error = error * better
      covariance *= better
      errorVariance *= better * better
      innovation = measured - position - error
      expected = positionVariance + 2 * covariance + errorVariance + white
    }
    guard innovation.lengthSquared <= settings.gate * expected else {
      outliers += 1
      doubtedSeconds += seconds
      if outliers >= settings.outliersInARow || doubtedSeconds >= settings.doubtedSeconds {
        self = PositionFilter(at: measured, deviationMeters: claimed, settings)
        return true
      }
      return false
    }
    outliers = 0
    doubtedSeconds = 0
    deviationMeters = usual
    let gain = (positionVariance + covariance) / expected
    let errorGain = (covariance + errorVariance) / expected
    position = position + innovation * gain
    error = error + innovation * errorGain
    let (p, c, e) = (positionVariance, covariance, errorVariance)
    positionVariance = max(p - gain * (p + c), 0.01)
    covariance = c - gain * (c + e)
    errorVariance = max(e - errorGain * (c + e), 0.01)
    return true
  }
}
