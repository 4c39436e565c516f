/// What lies at 97.5 %.
enum Quantile {
  /// Of the normal distribution.
  static let normal = 1.959_964

  /// Of Student's t, to a hundredth from four degrees of freedom on.
  ///
  /// - Source: the expansion of Cornish and Fisher (M. Abramowitz and I. Stegun, Handbook of Mathematical Functions,
  ///   1964, 26.7.5).
  static func student(_ freedom: Double) -> Double {
    let (z, v) = (normal, freedom)
    let square = z * z
    let first = z * (square + 1) / (4 * v)
    let second = z * ((5 * square + 16) * square + 3) / (96 * v * v)
    let third = z * (((3 * square + 19) * square + 17) * square - 15) / (384 * v * v * v)
    return z + first + second + third
  }
}

extension Metric {
  /// The interval of a score if nothing in it hung together: what no interval of few days may be narrower than.
  ///
  /// - Parameters:
  ///   - part: how much each trial counts; below 1 where several are of one and the same event.
  ///   - variance: how much the score varies; the less trials count for, the more.
  ///   - student: how many deviations to each side.
  /// - Returns: nil for what is no share, no rate of things that are counted a day, and no quantile.
  /// - Source: the score intervals of a share (E. B. Wilson, Journal of the American Statistical Association 22, 1927)
  ///   and of a rate, with the effective number of trials (L. Kish, Survey Sampling, 1965); for quantiles the order
  ///   statistics (W. J. Conover, Practical Nonparametric Statistics).
  func trialBounds(
    of tally: Tally,
    each part: Double,
    variance: Double,
    student: Double
  ) -> (low: Double, high: Double)? {
    if let quantile { return orderBounds(tally[quantile.sample], quantile.share, each: part) }
    guard let trials = trials(of: tally), trials.count > 0 else { return nil }
    let value = trials.hits / trials.count
    var count = trials.count * part
    let alone = unit == .share ? value * (1 - value) : value
    if variance > 0, alone > 0 { count = min(count, alone / variance) }
    let (hits, t) = (value * count, student)
    guard unit == .share else {
      let half = t * (hits + t * t / 4).squareRoot()
      return ((hits + t * t / 2 - half) / count, (hits + t * t / 2 + half) / count)
    }
    let middle = (value + t * t / (2 * count)) / (1 + t * t / count)
    let spread = max(0, alone / count) + t * t / (4 * count * count)
    let half = t / (1 + t * t / count) * spread.squareRoot()
    return (middle - half, middle + half)
  }

  /// The interval of a change if what became better and worse had nothing to do with each other.
  ///
  /// - Parameters:
  ///   - before: days with one policy.
  ///   - after: the same days with the other one.
  ///   - student: how many deviations to each side.
  /// - Returns: nil for what is neither a share nor a rate of things that are counted a day.
  /// - Source: A. Agresti and Y. Min, Statistics in Medicine 24, 2005: one more trial that became better or worse.
  func changeBounds(
    _ before: [Tally],
    _ after: [Tally],
    student: Double
  ) -> (low: Double, high: Double)? {
    var (more, less, count) = (0.0, 0.0, 0.0)
    var isKnown = false
    for (a, b) in zip(before, after) {
      let (first, second) = (trials(of: a), trials(of: b))
      if first == nil, second == nil { continue }
      isKnown = true
      let change = (second?.hits ?? 0) - (first?.hits ?? 0)
      if change > 0 { more += change } else { less -= change }
      count += ((first?.count ?? 0) + (second?.count ?? 0)) / 2
    }
    guard isKnown, count > 0 else { return nil }
    guard unit == .share else {
      let half = student * (more + less + 1).squareRoot() / count
      return ((more - less) / count - half, (more - less) / count + half)
    }
    let net = more - less
    let spread = max(0, more + less + 1 - net * net / (count + 2)).squareRoot() / (count + 2)
    return (net / (count + 2) - student * spread, net / (count + 2) + student * spread)
  }

  /// The values between which a quantile lies, by their ranks.
  private func orderBounds(
    _ values: [Double],
    _ share: Double,
    each part: Double
  ) -> (low: Double, high: Double)? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let count = Double(sorted.count)
    let off = Quantile.normal * (count * share * (1 - share) / part).squareRoot()
    let low = max(1, (count * share - off).rounded(.down))
    let high = min(count, (count * share + off).rounded(.up) + 1)
    return (sorted[Int(low) - 1], sorted[Int(high) - 1])
  }

  /// What the hits of a score are counted among: trials of a share, days of a rate.
  private func trials(of tally: Tally) -> (hits: Double, count: Double)? {
    switch self {
    case .f1, .postF1:
      // Hits are in both of the shares that it is the mean of.
      let count: Tally.Count = self == .f1 ? .visits : .postVisits
      let told: Tally.Count = self == .f1 ? .arrivals : .posts
      guard let value = value(of: tally) else { return nil }
      let trials = (tally[count] + tally[told]) / 2
      return (value * trials, trials)
    // What a phone does by itself, hour by hour, is no series of trials.
    case .wakesPerHour, .registrationsPerHour, .batteryPercentPerDay: return nil
    default: return ratio(of: tally)
    }
  }

  /// Within what the score can be: a share from 0 to 1, a number not below 0.
  func possible(_ estimate: Estimate) -> Estimate {
    switch unit {
    case .share:
      Estimate(value: estimate.value, low: max(0, estimate.low), high: min(1, estimate.high))
    case .number:
      Estimate(value: estimate.value, low: max(0, estimate.low), high: estimate.high)
    case .seconds, .meters: estimate
    }
  }

  /// Within what the change of a score can be.
  func possibleChange(_ estimate: Estimate) -> Estimate {
    guard unit == .share else { return estimate }
    return Estimate(
      value: estimate.value,
      low: max(-1, estimate.low),
      high: min(1, estimate.high)
    )
  }

  /// What a day gives to a score, so that days on which two policies differ in it can be told.
  func ingredients(of tally: Tally) -> [Double] {
    if let quantile { return tally[quantile.sample].sorted() }
    if let ratio = ratio(of: tally) { return [ratio.hits, ratio.count] }
    switch self {
    case .f1: return [tally[.visits], tally[.visitsFound], tally[.arrivals], tally[.arrivalsTrue]]
    case .postF1:
      return [tally[.postVisits], tally[.postVisitsFound], tally[.posts], tally[.postsTrue]]
    default: return value(of: tally).map { [$0] } ?? []
    }
  }
}
