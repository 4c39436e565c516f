import Timeline
import Traces

/// From where on something counts as wrong.
///
/// The defaults are explained and measured in `docs/trace-doctor.md`.
package struct DoctorSettings: Hashable, Sendable {
  /// What travels faster is a jump, beyond what both fixes claim as their accuracy.
  ///
  /// - Source: the speed at which ``FixGate`` holds a fix back.
  package var jumpSpeedMetersPerSecond = FixGateSettings().jumpSpeedMetersPerSecond
  /// How long fixes must agree with one another after a jump until it counts as never taken back.
  ///
  /// - Source: bursts of multipath last 1 to 12 s; ten times that.
  package var settlingTime = Milliseconds.minutes(2)
  /// How many fixes must agree until then.
  package var settlingFixes = 3
  /// So many jumps in a row that do not agree are harmless at most.
  package var loneFixes = 3
  /// A longer time without a fix is a silence.
  ///
  /// - Source: the engine draws no way between two fixes farther apart (`crossing_gap`).
  package var silence = Milliseconds.minutes(10)
  /// From so many meters on, the phone moved during a silence.
  ///
  /// - Source: in 1,071 silences of both corpora the true way left the surroundings of its two ends
  ///   by more than 100 m in 24 of 28 that ended farther than this, in 7 of 1,043 that did not.
  package var movedMeters = 200.0
  /// After positions that did not change at all, a faster first move shows that they were wrong.
  package var leapSpeedMetersPerSecond = 50.0
  /// Unchanged positions that claim to be faster than this, most of them, are wrong.
  package var movingSpeedMetersPerSecond = 2.0
  /// So many unchanged positions are the least that can be called stuck or held.
  package var stillFixes = 3
  /// Unchanged positions with a moving speed are stuck after this time.
  package var stuckTime = Milliseconds.seconds(10)
  /// Unchanged positions are held after this time.
  package var heldTime = Milliseconds.minutes(1)
  /// The cadence changes with so many longer or shorter intervals in a row.
  package var cadenceIntervals = 8
  /// An interval is longer or shorter by this factor.
  package var cadenceFactor = 2.5
  /// Instants before this one are implausible.
  ///
  /// - Source: the first consumer receivers and the first GPX are younger.
  package var earliest = Timestamp(seconds: 631_152_000)
  /// Instants from this one on are implausible.
  package var latest = Timestamp(seconds: 4_102_444_800)
  /// The least rest from which a scatter is taken.
  package var restTime = Milliseconds.minutes(3)
  /// The longest rest that is looked at as one; a longer one counts as several.
  package var longestRest = Milliseconds.minutes(10)
  /// Fixes farther than this from a rest's first one are no longer at rest.
  package var restRadiusMeters = 50.0
  /// The least number of fixes of a rest.
  package var restFixes = 5
  /// The least number of rests for a judgment.
  package var restsNeeded = 4
  /// Claims are too small if the median scatter is this many times larger.
  ///
  /// - Source: of 55 days of both corpora with enough rests the greatest is 1.14; with the claims
  ///   divided by three, 46 are found, by four, 51. People who walk about in a shop scatter, too:
  ///   on their ways without noise, with claims of 5 m, the greatest of 80 is 1.64
  ///   (`SharedDataTests`).
  package var tooSmallFactor = 1.75

  /// The defaults.
  package init() {}
}
