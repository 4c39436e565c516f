import Timeline

/// What differs where the app sleeps and weighs only while it is awake near a place.
///
/// It sees less of the way and of the stop, so each piece of evidence is worth something else.
public struct AsleepSettings: Hashable, Sendable, Codable {
  /// What each piece of evidence is worth.
  public var weights = ArrivalTerms.fittedAsleep
  /// The probability from which on one is thought to be there.
  ///
  /// - Source: `nearme score` with draws of the latencies: from 0.52 to 0.55 a point of visits for a twentieth of the
  ///   false arrivals (docs/arrival.md).
  public var threshold = 0.53
  /// For how long it must hold.
  ///
  /// - Source: `nearme score --monitor ios`, the mean of eight draws: with 35 s a tenth more of what was not visited is
  ///   announced; with 60 s half a point fewer visits are found.
  public var hold = Milliseconds.seconds(50)
  /// What stands for ``StopSettings/waitedWalk``.
  ///
  /// - Source: the same scenes: with 0.25 the one is never told, with 0.5 the other may be. Of the encounters of the
  ///   development days it costs 0.03 %.
  public var waitedWalk = 0.4
  /// After so long a stop, the app may give up staying awake.
  ///
  /// - Source: `nearme score --monitor ios`: 30 s lose 3 points of visits, 2 min gain none and cost more battery.
  public var givesUpAfter = Milliseconds.minutes(1)
  /// It is given up where every place is less probable than this.
  ///
  /// - Source: `nearme score --monitor ios`, means of eight and sixteen draws: 0.1 finds 0.4 points fewer with as many
  ///   false arrivals, 0.05 as many with as many, for 0.02 % of a battery a day and some more false ones of Android phones.
  public var givesUpBelow = 0.075

  /// The defaults.
  public init() {}
}

extension ArrivalSettings {
  /// The same for an app that sleeps.
  public var whileAsleep: ArrivalSettings {
    var settings = self
    settings.weights = asleep.weights
    settings.decision.threshold = asleep.threshold
    settings.decision.hold = asleep.hold
    settings.stop.waitedWalk = asleep.waitedWalk
    // Its weights are careful already: with it iOS finds 0.8 points fewer, for 0.04 % of the encounters.
    settings.habits.poorBias = 1
    // The system has seen a way out where it wakes the app, and does not see the same one twice.
    settings.decision.leaveAfter = Milliseconds(0)
    // Nor does it stay awake for longer to see whether a position comes back.
    settings.decision.ownJumpFor = settings.decision.ownAwayFor
    return settings
  }
}

extension ArrivalTerms {
  /// The weights fitted on what a sleeping phone sees of the development corpora, as eleven phones record them.
  ///
  /// - Source: `arrival-fit --monitor ios`, the days as recorded counted five times; then on foot 0.3 more, and the bias
  ///   and the place a little less, by `nearme score` (docs/arrival.md).
  public static let fittedAsleep: ArrivalTerms = {
    var terms = ArrivalTerms()
    terms.values = [-4.98, 0.72, 0.51, 0.25, 3.24, 3.08, 1.92, 1.91, -0.70, 0.43, 2.31]
    return terms
  }()
}
