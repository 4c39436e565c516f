import Basics

/// Person-days drawn with replacement, for intervals of scores and of differences between policies.
///
/// All scores are of the same draws, so that they can be compared: what a day does to both of two policies does
/// not blur their difference. Person-days, not visits, are drawn: what happens within a day hangs together.
///
/// - Source: the percentile bootstrap (B. Efron, The Annals of Statistics 7, 1979), paired (B. Efron and
///   R. Tibshirani, An Introduction to the Bootstrap, 1993, chapters 8 and 13).
package struct DayDraws: Sendable {
  private let dayCount: Int
  private let seed: UInt64
  private let resamples: Int

  /// Draws.
  ///
  /// - Parameter resamples: how often the days are drawn.
  package init(days: Int, seed: UInt64, resamples: Int = CorpusScore.resamples) {
    precondition(days > 0, "there are days to draw from")
    (dayCount, self.seed, self.resamples) = (days, seed, resamples)
  }

  /// Calls with how often each draw has each day; the same each time.
  private func forEach(_ body: (UnsafeBufferPointer<Double>) -> Void) {
    var random = SplitMix64(seed: seed)
    var weights = [Double](repeating: 0, count: dayCount)
    weights.withUnsafeMutableBufferPointer { weights in
      for _ in 0..<resamples {
        weights.update(repeating: 0)
        for _ in 0..<dayCount { weights[random.index(below: dayCount)] += 1 }
        body(UnsafeBufferPointer(weights))
      }
    }
  }

  /// Scores of each draw, metric by metric; nil where nothing was to be scored.
  ///
  /// - Complexity: O(resamples · (days + values)).
  private func values(_ metrics: [Metric], _ days: [Tally]) -> [[Double?]] {
    precondition(days.count == dayCount, "one tally for each day")
    let sums = metrics.allSatisfy { $0.quantile != nil } ? nil : WeightedSums(days)
    let samples = Set(metrics.compactMap { $0.quantile?.sample })
      .reduce(into: [:]) { $0[$1] = WeightedSample($1, days) }
    let sources = metrics.map { metric in
      metric.quantile.flatMap { quantile in samples[quantile.sample].map { ($0, quantile.share) } }
    }
    var values = [[Double?]](repeating: [], count: metrics.count)
    for i in values.indices { values[i].reserveCapacity(resamples) }
    forEach { weights in
      let sum = sums?.sum(weights) ?? Tally()
      for (i, metric) in metrics.enumerated() {
        if let (sample, share) = sources[i] {
          values[i].append(sample.quantile(share, weights))
        } else {
          values[i].append(metric.value(of: sum))
        }
      }
    }
    return values
  }

  /// Scores with their 95 % intervals; those that there are.
  package func estimates(_ metrics: [Metric], _ days: [Tally]) -> [Metric: Estimate] {
    let total = total(days)
    let scored = metrics.compactMap { metric in metric.value(of: total).map { (metric, $0) } }
    var estimates: [Metric: Estimate] = [:]
    for ((metric, value), drawn) in zip(scored, values(scored.map(\.0), days)) {
      estimates[metric] = estimate(value, drawn.compactMap(\.self))
    }
    return estimates
  }

  /// A score with its 95 % interval; nil where nothing was to be scored.
  package func estimate(_ metric: Metric, _ days: [Tally]) -> Estimate? {
    estimates([metric], days)[metric]
  }

  /// By how much a score grows from one policy to another, with its 95 % interval.
  ///
  /// - Returns: nil where one of the two has no such score.
  package func difference(_ metric: Metric, from a: [Tally], to b: [Tally]) -> Estimate? {
    guard let before = metric.value(of: total(a)), let after = metric.value(of: total(b)) else {
      return nil
    }
    let drawn = zip(values([metric], a)[0], values([metric], b)[0])
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

/// What was collected on all days, in order, so that quantiles of draws take no sorting.
private struct WeightedSample {
  private let values: [Double]
  private let days: [Int]
  private let countByDay: [Double]

  init(_ sample: Tally.Sample, _ tallies: [Tally]) {
    let sorted = tallies.enumerated()
      .flatMap { day, tally in tally[sample].map { (value: $0, day: day) } }
      .sorted { ($0.value, $0.day) < ($1.value, $1.day) }
    values = sorted.map(\.value)
    days = sorted.map(\.day)
    countByDay = tallies.map { Double($0[sample].count) }
  }

  /// The nearest rank, as for a corpus as a whole; nil for none.
  func quantile(_ share: Double, _ weights: UnsafeBufferPointer<Double>) -> Double? {
    var count = 0.0
    for (day, own) in countByDay.enumerated() { count += weights[day] * own }
    guard count > 0 else { return nil }
    let rank = min(count, max(1, (share * count).rounded(.up)))
    // From the end that is nearer.
    if rank > count / 2 {
      var left = count - rank
      for i in values.indices.reversed() {
        left -= weights[days[i]]
        if left < 0 { return values[i] }
      }
    } else {
      var left = rank
      for i in values.indices {
        left -= weights[days[i]]
        if left <= 0 { return values[i] }
      }
    }
    preconditionFailure("the weights of all values are their count")
  }
}
