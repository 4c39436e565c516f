import Basics
import Geodesy
import Timeline
import Traces

/// A receiver that rests between positions, as an app asks for that is awake and follows.
///
/// It is switched on every so often, and off again with the first position, or when none has come within the
/// time that one takes. Where a recording has a position less often than that, its next one is taken: a receiver
/// that is asked could have measured one before. It is on, too, while the phone feels that it is carried or driven: of
/// that the recorded fixes must tell, so a sensor of motion is thought to be as good as their speeds, and as late.
struct Easing: Sendable {
  private let from: Timestamp
  private let interval: Milliseconds
  private let feelsMotion: Bool
  /// When it is switched on next.
  private var nextTry: Timestamp
  /// The mean speed of late, in meters per second.
  private var meanSpeed = 0.0

  /// How long it looks for a position.
  ///
  /// - Source: the start of `BatteryModel`.
  static let patience = Milliseconds.seconds(10)
  /// The time over which motion is felt, in seconds: who begins to walk is noticed after five.
  ///
  /// - Source: judgment: sensors tell steps after 5 to 10 of them.
  private static let feelingSeconds = 8.0
  /// Motion is a mean speed from here on, in meters per second: half of a walk.
  private static let leastSpeed = 0.7
  /// A faster ride counts for no more, so that a stop after it shows soon.
  private static let mostSpeed = 3.0
  /// After a longer silence nothing of the speed before is left.
  private static let longestGapSeconds = 15.0

  init(from: Timestamp, every interval: Milliseconds, feelsMotion: Bool) {
    precondition(interval > Milliseconds(0), "a receiver that never rests is not eased")
    self.from = from
    self.interval = interval
    self.feelsMotion = feelsMotion
    nextTry = from + interval
  }

  /// Whether the receiver is on for a position.
  ///
  /// - Parameter last: the one that it could measure before, handed over or not.
  mutating func takes(_ fix: Fix, after last: Fix?) -> Bool {
    let gap = last.map { min(max(0, (fix.at - $0.at).seconds), Self.longestGapSeconds) } ?? 0
    let speed = min(Self.speed(of: fix, after: last), Self.mostSpeed)
    meanSpeed += (speed - meanSpeed) * (1 - exponential(-gap / Self.feelingSeconds))
    return feelsMotion && meanSpeed >= Self.leastSpeed || takesAtRest(fix.at, after: last?.at)
  }

  private mutating func takesAtRest(_ at: Timestamp, after last: Timestamp?) -> Bool {
    guard at >= from else { return true }
    // Nobody measures what there was nothing of for longer: the receiver has been on and off meanwhile.
    if let last, at - last > interval {
      while nextTry + Self.patience < at { nextTry = nextTry + interval }
    }
    guard at >= nextTry else { return false }
    nextTry = at + interval
    return true
  }

  /// The reported speed, or that of a way that is longer than noise.
  private static func speed(of fix: Fix, after last: Fix?) -> Double {
    if let speed = fix.speedMetersPerSecond { return speed.isFinite ? max(0, speed) : 0 }
    guard let last, fix.at > last.at else { return 0 }
    let meters = fix.coordinate.distanceMeters(to: last.coordinate)
    return meters > fix.horizontalAccuracyMeters ? meters / (fix.at - last.at).seconds : 0
  }
}
