/// A score with the interval in which it would lie for other days of such people.
public struct Estimate: Hashable, Sendable, Codable {
  /// The score of all days.
  public let value: Double
  /// The lower end of the 95 % interval.
  public let low: Double
  /// The upper end.
  public let high: Double

  /// Makes an estimate.
  package init(value: Double, low: Double, high: Double) {
    self.value = value
    self.low = low
    self.high = high
  }
}

extension Estimate {
  /// Whether the difference may be chance: the interval holds 0.
  package var mayBeNone: Bool { low <= 0 && high >= 0 }
}
