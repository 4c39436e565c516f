import Timeline

/// What differs where the app sleeps and weighs only while it is awake near a place.
///
/// It sees less of the way and of the stop, so each piece of evidence is worth something else.
public struct AsleepSettings: Hashable, Sendable, Codable {
  /// What each piece of evidence is worth.
  public var weights = ArrivalTerms.fittedAsleep
  /// The probability from which on one is thought to be there.
  ///
  /// - Source: `arrival-fit --monitor ios`, k-fold over persons, and `nearme score` with four draws of the latencies: from
  ///   0.40 to 0.44 a sixth of a point of visits for a fifteenth of the false arrivals (docs/arrival.md). With 0.46 who
  ///   stands at the very point for a quarter of an hour, and was not seen to walk there, is never told.
  public var threshold = 0.44
  /// For how long it must hold.
  ///
  /// - Source: `nearme score --monitor ios`, the mean of sixteen draws: with 60 s 0.2 points more visits are found, and
  ///   a twentieth more of what was not visited is announced; with `android` 0.7 points and as many (docs/arrival.md).
  public var hold = Milliseconds.seconds(65)
  /// After so long a stop, the app may give up staying awake.
  ///
  /// - Source: `nearme score --monitor ios`: 30 s lose 3 points of visits, 2 min gain none and cost more battery.
  public var givesUpAfter = Milliseconds.minutes(1)
  /// It is given up where every place is less probable than this.
  ///
  /// - Source: `nearme score --monitor ios`, the mean of eight draws: 0.1 finds 0.7 points fewer with as many false
  ///   arrivals, 0.06 as many with a thirtieth more; 0.2 loses 4 points (one draw).
  public var givesUpBelow = 0.08

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
    // Its weights are careful already: with it iOS finds 0.8 points fewer, for 0.04 % of the encounters.
    settings.habits.poorBias = 1
    // The system has seen a way out where it wakes the app, and does not see the same one twice.
    settings.decision.leaveAfter = Milliseconds(0)
    return settings
  }
}

extension ArrivalTerms {
  /// The weights fitted on what a sleeping phone sees of the development corpora.
  ///
  /// - Source: `arrival-fit --monitor ios` (docs/arrival.md).
  public static let fittedAsleep: ArrivalTerms = {
    var terms = ArrivalTerms()
    terms.bias = -4.12
    terms.place = 0.92
    terms.silence = 0.78
    terms.rest = 0.25
    terms.walkedIn = 2.63
    terms.onFoot = 2.75
    terms.atPump = 1.07
    terms.pastLight = 3.11
    terms.silenceAtPump = -0.96
    return terms
  }()
}
