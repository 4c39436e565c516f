import Basics
import Geodesy
import Timeline

/// What this phone's receiver is found to do, whatever it says of itself: whether its speeds mean anything,
/// and whether it tells nothing at rest.
///
/// - Complexity: O(1) a fix.
struct ReceiverHabits: Hashable, Sendable, Codable {
  // MARK: Speed

  /// How often a way that positions have shown was reported as hardly any, and how often as one; both fade.
  private var contradictions = 0.0
  private var confirmations = 0.0

  /// Whether the reported speed means anything.
  func believesSpeed(_ settings: HabitSettings) -> Bool {
    contradictions < settings.leastContradictions
      || contradictions < settings.contradictionsToOne * confirmations
  }

  /// Compares a reported speed with the way that positions show.
  ///
  /// - Parameter noise: the deviation per axis, in meters, that rest would give the way.
  mutating func compare(
    reported speed: Double,
    meters: Double,
    seconds: Double,
    noise: Double,
    _ settings: HabitSettings
  ) {
    let shown = meters / seconds
    guard shown >= settings.clearMetersPerSecond, meters >= settings.clearNoises * noise else {
      return
    }
    contradictions *= settings.kept
    confirmations *= settings.kept
    if speed < settings.leastSpeedShare * shown { contradictions += 1 } else { confirmations += 1 }
  }

  // MARK: Rest

  /// For how long speeds have told of rest, in seconds, and how often they were left out for a while.
  ///
  /// Both fade; nil for none, and in states of earlier versions.
  private var toldRestSeconds: Double?
  private var leftOut: Double?

  /// How many times what is needed is remembered.
  ///
  /// - Source: judgment: some fifteen silences undo it.
  private static let mostTold = 20.0

  /// Whether speeds tell of rest, so that fixes without any come from networks: some receivers leave a speed of 0 out.
  func tellsRest(_ settings: HabitSettings) -> Bool {
    (toldRestSeconds ?? 0) >= settings.toldRestSeconds * max(leftOut ?? 0, 1)
  }

  /// Takes in a speed that is told.
  mutating func tell(speed: Double, seconds: Double, _ settings: HabitSettings) {
    guard speed < settings.restMetersPerSecond else { return }
    // No more than some silences can undo: the receiver may do otherwise some day.
    toldRestSeconds = min(
      (toldRestSeconds ?? 0) + min(seconds, settings.mostRestSeconds),
      Self.mostTold * settings.toldRestSeconds
    )
  }

  /// Takes in that speeds are left out for a while.
  mutating func leaveOutSpeeds(_ settings: HabitSettings) {
    toldRestSeconds = (toldRestSeconds ?? 0) * settings.keptOfRest
    leftOut = (leftOut ?? 0) * settings.keptOfRest + 1
  }

  // MARK: Stride

  /// The mean way between two fixes in motion of late, in meters; no more than the longest so far.
  var strideMeters: Double {
    min(meanStrideMeters ?? Self.unknownMeters, mostStrideMeters ?? Self.unknownMeters)
  }
  /// Nil before the first way, and in states of earlier versions.
  private var meanStrideMeters: Double?
  /// The longest of them; nil before the first, and in states of earlier versions.
  private var mostStrideMeters: Double?

  /// Takes in how far one has come from one fix in motion to the next.
  mutating func stride(meters: Double, _ settings: HabitSettings) {
    let mean = meanStrideMeters ?? Self.unknownMeters
    meanStrideMeters = mean + settings.strideShare * (meters - mean)
    mostStrideMeters = max(mostStrideMeters ?? meters, meters)
  }

  // MARK: Accuracy

  /// The mean accuracy that is claimed for fixes in motion of late, in meters; nil before the first.
  private(set) var meanAccuracyMeters: Double?

  /// Takes in the accuracy that is claimed for a fix in motion.
  mutating func claim(accuracyMeters: Double, _ settings: HabitSettings) {
    let mean = meanAccuracyMeters ?? accuracyMeters
    meanAccuracyMeters = mean + settings.accuracyShare * (accuracyMeters - mean)
  }

  // MARK: Cadence

  /// The least way between two fixes of late, in meters; it is forgotten slowly.
  private(set) var leastMeters = Self.unknownMeters
  /// The share of ways that are hardly longer than that.
  private var shareAtLeast = 0.0
  /// Nil before the first: a mean that began at 0 would come to the cadence of any clock by a long way, which
  /// looks like times of many lengths.
  private var meanLogSeconds: Double?
  private var varianceLogSeconds = 0.0

  /// Before two fixes are known: longer than the filter of any phone, the 500 m of significant changes.
  private static let unknownMeters = 500.0
  /// Positions are written with 0.1 m and coarser; a least way of 0 would never grow again.
  private static let leastWayMeters = 0.1
  /// Of two fixes within half a second only the order is known; it keeps the logarithm finite.
  private static let leastSeconds = 0.5

  /// Whether fixes come for each so many meters, and none at rest: then silence is rest.
  ///
  /// It shows in ways of one length that take times of many lengths; with a steady cadence it is the other
  /// way round.
  func isSilentAtRest(_ settings: HabitSettings) -> Bool {
    shareAtLeast >= settings.leastShare && varianceLogSeconds >= settings.leastVarianceOfSeconds
  }

  /// Takes in how far a fix is from the one before.
  mutating func space(meters: Double, seconds: Double, _ settings: HabitSettings) {
    // One that is too short by chance does not undo what many have shown.
    leastMeters =
      meters < leastMeters
      ? max(meters, leastMeters * settings.leastFall, Self.leastWayMeters)
      : min(leastMeters * settings.leastGrowth, meters)
    let isAtLeast = meters <= settings.leastTimes * leastMeters
    shareAtLeast += settings.pairShare * ((isAtLeast ? 1 : 0) - shareAtLeast)
    guard isAtLeast else { return }
    let log = naturalLogarithm(max(seconds, Self.leastSeconds))
    guard let mean = meanLogSeconds else {
      meanLogSeconds = log
      return
    }
    let off = log - mean
    let share = settings.pairShare
    meanLogSeconds = mean + share * off
    varianceLogSeconds += share * (off * off * (1 - share) - varianceLogSeconds)
  }
}
