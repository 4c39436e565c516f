import Basics

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

/// Draws person-days with replacement, for intervals.
///
/// The draws are made once and used for every score of a slice, so that scores can be compared.
///
/// - Source: the percentile bootstrap (B. Efron, The Annals of Statistics 7, 1979). Person-days, not
///   visits, are drawn: what happens within a day hangs together.
struct Bootstrap: Sendable {
  private let tallies: [Tally]
  let total: Tally

  /// - Complexity: O(resamples · days).
  init(_ days: [Tally], seed: UInt64, resamples: Int) {
    var total = Tally()
    for day in days { total += day }
    self.total = total
    var random = SplitMix64(seed: seed)
    tallies = (0..<(days.isEmpty ? 0 : resamples))
      .map { _ in
        var sum = Tally()
        for _ in days { sum += days[random.index(below: days.count)] }
        return sum
      }
  }

  func estimate(_ metric: Metric) -> Estimate? {
    guard let value = metric.value(of: total) else { return nil }
    let drawn = tallies.compactMap { metric.value(of: $0) }
    guard let low = percentile(drawn, 0.025), let high = percentile(drawn, 0.975) else {
      return Estimate(value: value, low: value, high: value)
    }
    return Estimate(value: value, low: low, high: high)
  }
}
