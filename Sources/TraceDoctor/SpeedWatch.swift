import Geodesy
import Timeline
import Traces

/// Compares reported speeds with the way traveled.
///
/// The mean of the reports over 10 s or more is divided by the speed over the straight line, where
/// that is longer than twice what both ends claim as their accuracy. The median of these quotients is
/// 1, or a little more in curves; 3.6 betrays km/h.
struct SpeedWatch: Hashable, Sendable {
  private static let shortest = Milliseconds.seconds(10)
  private static let longest = Milliseconds.minutes(1)
  private static let stretchesNeeded = 20

  private var start: Fix?
  private var sum = 0.0
  private var reports = 0
  private var quotients = LogHistogram()

  /// Takes the next fix in order of time.
  mutating func note(_ fix: Fix) {
    guard let speed = fix.speedMetersPerSecond, speed.isFinite else {
      start = nil
      return
    }
    guard let start, fix.at - start.at <= Self.longest else {
      begin(fix)
      return
    }
    sum += speed
    reports += 1
    guard fix.at - start.at >= Self.shortest else { return }
    let meters = start.coordinate.distanceMeters(to: fix.coordinate)
    if meters > 2 * (start.horizontalAccuracyMeters + fix.horizontalAccuracyMeters) {
      let traveled = meters / (fix.at - start.at).seconds
      quotients.add(sum / Double(reports) / traveled)
    }
    begin(fix)
  }

  /// What the reports are worth.
  var judgment: SpeedJudgment {
    guard quotients.count >= Self.stretchesNeeded, let median = quotients.quantile(0.5) else {
      return SpeedJudgment(stretches: quotients.count, reportedByTraveled: nil, verdict: .tooFew)
    }
    let verdict: SpeedVerdict =
      switch median {
      case ..<0.2: .tooSmall
      case ..<1.7: .plausible
      case ..<2.1: .knots
      case ..<2.6: .milesPerHour
      case 3..<4.3: .kilometersPerHour
      default: .tooLarge
      }
    return SpeedJudgment(
      stretches: quotients.count,
      reportedByTraveled: median,
      verdict: verdict
    )
  }

  private mutating func begin(_ fix: Fix) {
    start = fix
    sum = 0
    reports = 0
  }
}
