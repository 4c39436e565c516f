import Basics

/// Person-days drawn with replacement, for intervals of scores and of differences between policies.
///
/// All scores are of the same draws, so that they can be compared: what a day does to both of two policies does
/// not blur their difference. Person-days, not visits, are drawn: what happens within a day hangs together, and what
/// several phones recorded of one day that was lived is drawn together.
///
/// A few days say less of chance than draws of them show. Below ``many`` days the ends lie farther from the score, by
/// √(n/(n−1)) and Student's t in place of the normal quantile, and no interval is narrower than one of trials that have
/// nothing to do with each other, as many as vary so much; where all draws are alike, that is so of any count of days.
/// `scripts/interval-coverage.py` measures how often intervals miss.
///
/// - Source: the percentile bootstrap (B. Efron, The Annals of Statistics 7, 1979), paired (B. Efron and
///   R. Tibshirani, An Introduction to the Bootstrap, 1993, chapters 8 and 13); its narrowness (T. Hesterberg, What
///   Teachers Should Know About the Bootstrap, The American Statistician 69, 2015).
package struct DayDraws: Sendable {
  /// By recording of a day: the day that was lived.
  private let lived: [Int]
  /// How many days that were lived there are to draw from.
  package let livedCount: Int
  private let seed: UInt64
  private let resamples: Int

  /// Fewer days leave no interval worth the name.
  package static let fewest = 5
  /// From so many days on the draws are taken as they are: they would grow by less than their ends vary from seed to
  /// seed.
  static let many = 50
  /// On fewer days that differ between two policies, all for the better, is nothing that chance may not do: a coin
  /// falls on the same side five times in a row, or on the other one, in 6 % of all tries.
  static let fewestChanged = 6

  /// Whether there are days enough for intervals.
  package var hasIntervals: Bool { livedCount >= Self.fewest }

  /// Draws from days that were recorded once each.
  ///
  /// - Parameter resamples: how often the days are drawn.
  package init(days: Int, seed: UInt64, resamples: Int = CorpusScore.resamples) {
    self.init(lived: Array(0..<days), seed: seed, resamples: resamples)
  }

  /// Draws from days of which several may be recordings of one that was lived.
  ///
  /// - Parameter lived: by recording, which day that was, by any number.
  package init(lived: [Int], seed: UInt64, resamples: Int = CorpusScore.resamples) {
    precondition(!lived.isEmpty, "there are days to draw from")
    var numbers: [Int: Int] = [:]
    self.lived = lived.map { day in
      let next = numbers.count
      let number = numbers[day] ?? next
      numbers[day] = number
      return number
    }
    livedCount = numbers.count
    (self.seed, self.resamples) = (seed, resamples)
  }

  /// Calls with how often each draw has each recording; the same each time.
  private func forEach(_ body: (UnsafeBufferPointer<Double>) -> Void) {
    var random = SplitMix64(seed: seed)
    var drawn = [Double](repeating: 0, count: livedCount)
    var weights = [Double](repeating: 0, count: lived.count)
    for _ in 0..<resamples {
      for i in drawn.indices { drawn[i] = 0 }
      for _ in 0..<livedCount { drawn[random.index(below: livedCount)] += 1 }
      for i in weights.indices { weights[i] = drawn[lived[i]] }
      weights.withUnsafeBufferPointer(body)
    }
  }

  /// Scores of each draw, metric by metric; nil where nothing was to be scored.
  ///
  /// - Complexity: O(resamples · (days + values)).
  private func values(_ metrics: [Metric], _ days: [Tally]) -> [[Double?]] {
    precondition(days.count == lived.count, "one tally for each recording of a day")
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
      estimates[metric] = estimate(metric, value, drawn.compactMap(\.self), of: total)
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
    var estimate = widened(metric, percentiles(after - before, drawn))
    if livedCount > 1, isFew {
      let bounds = metric.changeBounds(livedDays(a), livedDays(b), student: student)
      if let bounds { estimate = estimate.reaching(bounds) }
    }
    if hasIntervals, changedDays(metric, a, b) < Self.fewestChanged {
      estimate = Estimate(
        value: estimate.value,
        low: min(estimate.low, 0),
        high: max(estimate.high, 0)
      )
    }
    return metric.possibleChange(estimate)
  }

  /// The mean of what was recorded of each day that was lived, without what was collected.
  private func livedDays(_ days: [Tally]) -> [Tally] {
    var sums = [Tally](repeating: Tally(), count: livedCount)
    for (i, day) in lived.enumerated() { sums[day] += days[i] }
    return sums.map { sum in
      var mean = Tally()
      let recordings = max(1, sum[.days])
      for count in Tally.Count.allCases { mean[count] = sum[count] / recordings }
      return mean
    }
  }

  /// Whether there are too few days for draws to be taken as they are.
  private var isFew: Bool { livedCount < Self.many }

  /// How many deviations an interval of so few days takes to each side.
  private var student: Double {
    isFew ? Quantile.student(Double(livedCount - 1)) : Quantile.normal
  }

  /// On how many days that were lived two policies differ in what a score is made of.
  private func changedDays(_ metric: Metric, _ a: [Tally], _ b: [Tally]) -> Int {
    var changed: Set<Int> = []
    for (i, day) in lived.enumerated()
    where metric.ingredients(of: a[i]) != metric.ingredients(of: b[i]) { changed.insert(day) }
    return changed.count
  }

  private func estimate(
    _ metric: Metric,
    _ value: Double,
    _ drawn: [Double],
    of sum: Tally
  ) -> Estimate {
    let plain = percentiles(value, drawn)
    // One day says nothing of others, and the most that ever was nothing of what may come.
    guard livedCount > 1, metric != .mostInAnyHour else { return plain }
    guard isFew || plain.low == plain.high && metric.quantile == nil else { return plain }
    let wide = widened(metric, plain)
    // Recordings and draws of a day are no trials of their own.
    let recordings = max(1, sum[.days] / Double(livedCount))
    let bounds = metric.trialBounds(
      of: sum,
      each: 1 / recordings,
      variance: variance(drawn),
      student: student
    )
    return metric.possible(bounds.map { wide.reaching($0) } ?? wide)
  }

  /// How much draws vary, as days do of which there are more.
  private func variance(_ drawn: [Double]) -> Double {
    guard !drawn.isEmpty, livedCount > 1 else { return 0 }
    let count = Double(drawn.count)
    let mean = drawn.reduce(0, +) / count
    let square = drawn.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
    return square * Double(livedCount) / Double(livedCount - 1)
  }

  private func percentiles(_ value: Double, _ drawn: [Double]) -> Estimate {
    guard let low = percentile(drawn, 0.025), let high = percentile(drawn, 0.975) else {
      return Estimate(value: value, low: value, high: value)
    }
    return Estimate(value: value, low: low, high: high)
  }

  /// The same with ends as far away as those of so few days are.
  private func widened(_ metric: Metric, _ estimate: Estimate) -> Estimate {
    guard livedCount > 1, isFew, metric != .mostInAnyHour else { return estimate }
    let days = Double(livedCount)
    let factor = (days / (days - 1)).squareRoot() * student / Quantile.normal
    return Estimate(
      value: estimate.value,
      low: estimate.value - (estimate.value - estimate.low) * factor,
      high: estimate.value + (estimate.high - estimate.value) * factor
    )
  }
}

extension Estimate {
  /// The same with an interval that holds another one, too.
  fileprivate func reaching(_ bounds: (low: Double, high: Double)) -> Estimate {
    Estimate(value: value, low: min(low, bounds.low), high: max(high, bounds.high))
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
