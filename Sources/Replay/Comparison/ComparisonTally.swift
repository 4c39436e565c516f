import Fencing
import Geodesy
import NearMeEngine
import Timeline
import Traces

/// How one strategy on one phone did, over one trace or many.
public struct ComparisonTally: Hashable, Sendable {
  /// Transitions of an engine that sees every fix.
  public private(set) var expected = 0
  /// Of these, those that came nearer: only these can speak.
  public private(set) var expectedEnters = 0
  /// Expected and not found.
  public private(set) var missed = 0
  /// Of these, those that came nearer.
  public private(set) var missedEnters = 0
  /// Found and not expected.
  public private(set) var spurious = 0
  /// Changes of level that were expected, several rings at once being one.
  public private(set) var changes = 0
  /// Times that the location service woke the app.
  public private(set) var wakes = 0
  /// Regions that were started.
  public private(set) var registrations = 0
  /// The most regions at once.
  public private(set) var heldMost = 0
  /// Regions that were refused.
  public private(set) var refused = 0
  /// For how long some boundary could have been crossed without a wake.
  public private(set) var atRisk = Milliseconds(0)
  /// From the first fix to the last.
  public private(set) var hours = 0.0
  private var lateSeconds: [Double] = []
  private var lateMeters: [Double] = []

  /// Nothing yet.
  public init() {}

  /// Adds one trace.
  ///
  /// - Parameter distanceMeters: how far the phone was at one instant from where it was at another.
  public mutating func add(
    _ match: TransitionMatch,
    _ summary: ReplaySummary,
    expected oracle: ReplaySummary,
    distanceMeters: (Timestamp, Timestamp) -> Double
  ) {
    expected += match.missed.count + match.matched.count
    missed += match.missed.count
    let missedEnters = match.missed.count { $0.kind == .enter }
    self.missedEnters += missedEnters
    expectedEnters += missedEnters + match.matched.count { $0.expected.kind == .enter }
    spurious += match.spurious.count
    for (expected, found) in match.matched {
      lateSeconds.append(max(0, (found.at - expected.at).seconds))
      lateMeters.append(found.at > expected.at ? distanceMeters(expected.at, found.at) : 0)
    }
    changes += oracle.rises + oracle.falls
    wakes += summary.locationWakes
    registrations += summary.registrations
    heldMost = max(heldMost, summary.regionsHeldMost)
    refused += summary.regionsRefused
    atRisk = atRisk + summary.atRisk
    hours += summary.hours
  }

  /// Adds what was counted elsewhere.
  public mutating func add(_ other: ComparisonTally) {
    expected += other.expected
    expectedEnters += other.expectedEnters
    missed += other.missed
    missedEnters += other.missedEnters
    spurious += other.spurious
    changes += other.changes
    wakes += other.wakes
    registrations += other.registrations
    heldMost = max(heldMost, other.heldMost)
    refused += other.refused
    atRisk = atRisk + other.atRisk
    hours += other.hours
    lateSeconds += other.lateSeconds
    lateMeters += other.lateMeters
  }

  /// How many were found.
  public var foundCount: Int { lateSeconds.count }

  /// How late the found ones are, in seconds: the share `share` of them is not later.
  public func lateSeconds(_ share: Double) -> Double { Self.quantile(lateSeconds, share) }

  /// How far the phone had gone on when they were found, in meters.
  public func lateMeters(_ share: Double) -> Double { Self.quantile(lateMeters, share) }

  /// Wakes by the location service in an hour.
  public var wakesPerHour: Double { hours > 0 ? Double(wakes) / hours : 0 }
  /// Wakes by the location service for each expected change of level.
  public var wakesPerChange: Double { changes > 0 ? Double(wakes) / Double(changes) : 0 }
  /// Regions started in an hour.
  public var registrationsPerHour: Double { hours > 0 ? Double(registrations) / hours : 0 }

  /// The nearest-rank quantile; 0 of nothing.
  private static func quantile(_ values: [Double], _ share: Double) -> Double {
    guard !values.isEmpty else { return 0 }
    let rank = Int((share * Double(values.count)).rounded(.up))
    return values.sorted()[max(0, min(values.count - 1, rank - 1))]
  }
}
