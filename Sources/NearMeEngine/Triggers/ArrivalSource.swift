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
  /// Whether one stays at one of the user's own places, by its id, as far as it has come.
  func stays(at place: String) -> Bool
  /// When one was last seen in motion, as far as it has come; nil if never.
  var movedAt: Timestamp? { get }
  /// Where one has arrived since an instant and has not left, as far as it has come; the last is the newest.
  func standing(since start: Timestamp) -> [ArrivalPlace]
  /// Takes in the next fix.
  mutating func observe(_ fix: Fix) -> [ArrivalFinding]
  /// Lets time pass without a fix.
  mutating func advance(to now: Timestamp) -> [ArrivalFinding]
  /// Takes in fixes, and the silence before each, as long as nothing is found.
  ///
  /// - Parameters:
  ///   - times: of the coming fixes, in milliseconds.
  ///   - timer: the host's; it must come before what it may find.
  /// - Returns: how many fixes are over, of which nothing came.
  mutating func play(
    _ times: UnsafeBufferPointer<Int64>,
    _ timer: inout HostTimer
  ) -> (count: Int, found: FoundAhead?)
  /// How many of the next fixes ``skip(_:)`` can take in, since nothing is found at them.
  func calmFixes(atMost most: Int, _ timer: Timestamp?) -> Int
  /// Takes in so many fixes at which nothing is found.
  mutating func skip(_ count: Int)
}

/// What has been found already in what comes next.
package struct FoundAhead {
  /// When.
  package let at: Timestamp
  /// What; it may be nothing where a timer is wanted.
  package let findings: [ArrivalFinding]
  /// Whether it is the next fix, and not the silence before it when the host's next timer comes.
  package let isFix: Bool
  /// Whether the arrival detector wants to be asked before the host's next timer.
  package let needsTimer: Bool

  /// Notes what was found.
  package init(at: Timestamp, findings: [ArrivalFinding], isFix: Bool, needsTimer: Bool) {
    (self.at, self.findings, self.isFix, self.needsTimer) = (at, findings, isFix, needsTimer)
  }
}
