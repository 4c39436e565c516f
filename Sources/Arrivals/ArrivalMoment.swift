import Geodesy
import Timeline

/// What the judge knows of a person at an instant, beside the places nearby.
package struct ArrivalMoment: Sendable {
  /// When.
  package let at: Timestamp
  /// The estimate of position.
  package let here: SurfacePoint
  /// Where the newest fix was; nil where that is not known.
  package let measured: SurfacePoint?
  /// Of the estimate, per axis, in meters.
  package let deviationMeters: Double
  /// Whether there is a fix, and not only time that has passed without one.
  package let isFix: Bool
  /// Whether the fix that was due since has not come: before that, silence is the phone's own cadence.
  package let isFixOverdue: Bool
  /// Whether the app had slept until that fix: what woke it saw a way out.
  package let isAfterSleep: Bool
  /// Whether the person is thought to stand still.
  package let isAtRest: Bool
  /// Whether positions show a walk, whatever speeds say.
  package let isWalking: Bool
  /// Whether there is no doubt that the person is on wheels; known after a sleep only.
  package let isOnWheels: Bool
  /// Since when every fix has come from networks nearby; nil where the newest did not.
  package let underRoofSince: Timestamp?
  /// How much motion has been seen, ever.
  package let motionSeconds: Double

  /// Makes a moment.
  package init(
    at now: Timestamp,
    here: SurfacePoint,
    measured: SurfacePoint?,
    deviationMeters: Double,
    isFix: Bool,
    isFixOverdue: Bool,
    isAfterSleep: Bool = false,
    isAtRest: Bool,
    isWalking: Bool,
    isOnWheels: Bool = false,
    underRoofSince: Timestamp? = nil,
    motionSeconds: Double
  ) {
    at = now
    self.here = here
    self.measured = measured
    self.deviationMeters = deviationMeters
    self.isFix = isFix
    self.isFixOverdue = isFixOverdue
    self.isAfterSleep = isAfterSleep
    self.isAtRest = isAtRest
    self.isWalking = isWalking
    self.isOnWheels = isOnWheels
    self.underRoofSince = underRoofSince
    self.motionSeconds = motionSeconds
  }

  /// Whether every fix since an instant has come from networks nearby.
  func hasBeenUnderRoof(since instant: Timestamp) -> Bool {
    underRoofSince.map { $0 <= instant } ?? false
  }
}
