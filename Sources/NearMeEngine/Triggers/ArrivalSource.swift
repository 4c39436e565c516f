import Arrivals
import Places
import Timeline
import Traces

/// Finds arrivals in ``ArrivalDetector``'s place: the seam at which tools try many policies on one
/// recorded way.
package protocol ArrivalSource: Sendable {
  /// The user's own places, in order of their ids, that it was made for.
  var places: [Place] { get }
  /// When it wants to look without a fix; nil for never.
  var nextInstant: Timestamp? { get }
  /// Takes in the next fix.
  mutating func observe(_ fix: Fix) -> [ArrivalFinding]
  /// Lets time pass without a fix.
  mutating func advance(to now: Timestamp) -> [ArrivalFinding]
  /// How many of the next fixes ``skip(_:)`` can take in, since nothing is found at them.
  func calmFixes(atMost most: Int, _ timer: Timestamp?) -> Int
  /// Takes in so many fixes at which nothing is found.
  mutating func skip(_ count: Int)
}
