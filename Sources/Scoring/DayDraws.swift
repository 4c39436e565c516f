import Basics
import Scoring

/// Person-days drawn with replacement, for intervals of scores and of differences between policies.
///
/// All policies are scored by the same draws, so that what a day does to both of two policies does
/// not blur their difference.
///
/// - Source: the percentile bootstrap, paired (B. Efron and R. Tibshirani, An Introduction to the
///   Bootstrap, 1993, chapters 8 and 13).
package struct DayDraws: Sendable {
  /// How often the days are drawn.
  package let resamples: Int
  private let dayCount: Int
  /// How often each draw has each day, draw by draw.
  private let weights: [UInt16]

  /// Draws.
  package init(days: Int, seed: UInt64, resamples: Int = CorpusScore.resamples) {
    precondition(days > 0 && days <= Int(UInt16.max), "there are days, and not too many")
    var random = SplitMix64(seed: seed)
    var weights = [UInt16](repeating: 0, count: days * resamples)
    for draw in 0..<resamples {
      for _ in 0..<days { weights[draw * days + random.index(below: days)] += 1 }
    }
    self.weights = weights
    self.resamples = resamples
    dayCount = days
  }

  /// A score of each draw; nil where nothing was to be scored.
  ///
  /// - Complexity: O(resamples · (days + values)).
  func values(_ metric: Metric, _ days: [Tally]) -> [Double?] {
    precondition(days.count == dayCount, "one tally for each day")
    if let (sample, share) = metric.quantile { return quantiles(sample, share, days) }
    let counts = Tally.Count.allCases.filter { count in days.contains { $0[count] != 0 } }
    let columns = counts.map { count in days.map { $0[count] } }
    return (0..<resamples)
      .map { draw in
        var sum = Tally()
        for (count, column) in zip(counts, columns) {
          var total = 0.0
          for day in 0..<dayCount { total += Double(weights[draw * dayCount + day]) * column[day] }
          sum[count] = total
        }
        return metric.value(of: sum)
      }
  }

  private func quantiles(_ sample: Tally.Sample, _ share: Double, _ days: [Tally]) -> [Double?] {
    let values = days.enumerated()
      .flatMap { day, tally in tally[sample].map { (value: $0, day: day) } }
      .sorted { ($0.value, $0.day) < ($1.value, $1.day) }
    return (0..<resamples)
      .map { draw in
        var count = 0
        for item in values { count += Int(weights[draw * dayCount + item.day]) }
        guard count > 0 else { return nil }
        // The nearest rank, as for a corpus as a whole.
        let rank = max(1, Int((share * Double(count)).rounded(.up)))
        var seen = 0
        for item in values {
          seen += Int(weights[draw * dayCount + item.day])
          if seen >= rank { return item.value }
        }
        return values.last?.value
      }
  }

  /// A score with its 95 % interval; nil where nothing was to be scored.
  package func estimate(_ metric: Metric, _ days: [Tally]) -> Estimate? {
    guard let value = metric.value(of: total(days)) else { return nil }
    return estimate(value, values(metric, days).compactMap(\.self))
  }

  /// By how much a score grows from one policy to another, with its 95 % interval.
  ///
  /// - Returns: nil where one of the two has no such score.
  package func difference(_ metric: Metric, from a: [Tally], to b: [Tally]) -> Estimate? {
    guard let before = metric.value(of: total(a)), let after = metric.value(of: total(b)) else {
      return nil
    }
    let drawn = zip(values(metric, a), values(metric, b))
      .compactMap { before, after in
        if let before, let after { after - before } else { nil }
      }
    return estimate(after - before, drawn)
  }

  private func estimate(_ value: Double, _ drawn: [Double]) -> Estimate {
    guard let low = percentile(drawn, 0.025), let high = percentile(drawn, 0.975) else {
      return Estimate(value: value, low: value, high: value)
    }
    return Estimate(value: value, low: low, high: high)
  }
}

/// The sum of all days.
package func total(_ days: [Tally]) -> Tally {
  var sum = Tally()
  for day in days { sum += day }
  return sum
}

extension Estimate {
  /// Whether the difference may be chance: the interval holds 0.
  package var mayBeNone: Bool { low <= 0 && high >= 0 }
}
