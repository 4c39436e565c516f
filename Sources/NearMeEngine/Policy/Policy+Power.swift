import Timeline

extension Policy {
  /// What a sleeping app does without while the phone's battery is low, or the app takes too much of it.
  ///
  /// The host tells it by signals: `battery` (its level is the charge in percent), `charging`, `low_power` and
  /// `battery_use` (how many percent of a full battery the app takes a day, as the host measures it). Where it tells
  /// nothing, nothing is saved. Where the receiver rests while it saves (``Policy/Monitor/easing``), the app stays
  /// awake for as long as one level above. Two limits for each level, so that one percent up and down changes nothing.
  public struct Power: Hashable, Sendable, Codable {
    /// From this charge down, in percent, the app saves; below 0 never.
    public var savingBelowPercent = 20.0
    /// Until the charge is this, or the phone is charged.
    ///
    /// - Source: judgment, as are the other limits: phones warn at 20 and 10 %.
    public var savingUntilPercent = 30.0
    /// For how long it then stays awake beside a place, at most.
    ///
    /// - Source: `nearme score --monitor ios` with `weigh: "4m"`: a quarter less battery for 7 points of visits
    ///   (docs/arrival.md).
    public var savingWeighing = Milliseconds.minutes(4)
    /// From this charge down, in percent, it saves all it can; below 0 never.
    public var sparingBelowPercent = 10.0
    /// Until the charge is this, or the phone is charged.
    public var sparingUntilPercent = 15.0
    /// For how long it then stays awake beside a place, at most.
    ///
    /// - Source: as ``savingWeighing``: with 1 min 44 % less battery for 22 points.
    public var sparingWeighing = Milliseconds.minutes(1)
    /// It saves, too, once it takes more than so many percent of a battery a day.
    ///
    /// - Source: requirement NM-8.6.
    public var budgetPercentPerDay = 3.0
    /// Until it takes less than this.
    public var budgetUntilPercentPerDay = 2.5

    /// The defaults.
    public init() {}
  }
}

/// How much a sleeping app does without for the battery's sake.
public enum PowerLevel: String, Hashable, Sendable, Codable, CaseIterable {
  /// Nothing.
  case normal
  /// Most of the time awake beside places.
  case saving
  /// Nearly all of it.
  case sparing
}

extension PowerLevel {
  /// The level at which less is done without.
  var above: PowerLevel { self == .sparing ? .saving : .normal }
}

extension Policy.Power {
  /// For how long an app stays awake to weigh at a level.
  ///
  /// - Parameter most: what it is otherwise allowed.
  func weighing(at level: PowerLevel, atMost most: Milliseconds) -> Milliseconds {
    switch level {
    case .normal: most
    case .saving: min(most, savingWeighing)
    case .sparing: min(most, sparingWeighing)
    }
  }
}
