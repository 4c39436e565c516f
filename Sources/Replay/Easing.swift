import Basics
import Geodesy
import Timeline
import Traces

/// A receiver that rests between positions, as an app asks for that is awake and follows.
///
/// It is switched on every so often, and off again with the first position, or when none has come within the
/// time that one takes. Where a recording has a position less often than that, its next one is taken: a receiver
/// that is asked could have measured one before. It is on, too, while the phone feels that it is carried or driven: of
/// that the recorded fixes must tell, so a sensor of motion is thought to be as good as their speeds, and as late;
/// where a recording has no speeds, or zeros only, as good as their positions.
struct Easing: Sendable {
  private var from: Timestamp
  private var interval: Milliseconds
  private let feelsMotion: Bool
  /// When it is switched on next.
  private var nextTry: Timestamp
  /// The mean speed of late, in meters per second.
  private var meanSpeed = 0.0
  /// Whether a speed above zero has been reported: before that, a zero may be a logger's word for nothing.
  private var hasToldSpeed = false
  /// From where a way is looked for that is longer than noise, and the speed of the last one.
  private var anchor: Fix?
  private var shownSpeed = 0.0

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

  /// The same phone, which may rest from another instant on: what it feels goes on.
  func again(from: Timestamp, every interval: Milliseconds) -> Easing {
    var next = self
    next.from = from
    next.interval = interval
    next.nextTry = from + interval
    return next
  }

  /// Whether the receiver is on for a position.
  ///
  /// - Parameter last: the one that it could measure before, handed over or not.
  mutating func takes(_ fix: Fix, after last: Fix?) -> Bool {
    let gap = last.map { min(max(0, (fix.at - $0.at).seconds), Self.longestGapSeconds) } ?? 0
    let speed = min(speed(of: fix), Self.mostSpeed)
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

  /// The reported speed, or that of the last way that was longer than noise, which fades while no other one is.
  private mutating func speed(of fix: Fix) -> Double {
    let reported = fix.speedMetersPerSecond.flatMap { $0.isFinite ? max(0, $0) : nil }
    if let reported, reported > 0 { hasToldSpeed = true }
    if hasToldSpeed, let reported { return reported }
    guard let before = anchor, fix.at > before.at else {
      anchor = fix
      return 0
    }
    let seconds = (fix.at - before.at).seconds
    let meters = fix.coordinate.distanceMeters(to: before.coordinate)
    let noise = max(fix.horizontalAccuracyMeters, before.horizontalAccuracyMeters)
    if meters > noise {
      anchor = fix
      shownSpeed = meters / seconds
    } else if seconds * Self.leastSpeed > noise {
      // Whoever moved would have come out of the noise: a way that begins later is measured from here.
      anchor = fix
      shownSpeed = 0
    } else {
      shownSpeed = min(shownSpeed, noise / seconds)
    }
    return shownSpeed
  }
}
