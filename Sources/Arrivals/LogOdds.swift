import Basics

/// The probability that has these log odds.
package func probability(logOdds: Double) -> Double {
  logOdds >= 0
    ? 1 / (1 + exponential(-logOdds))
    : exponential(logOdds) / (1 + exponential(logOdds))
}

/// The log odds of a probability, held within ±13.8 (one in a million).
package func logOdds(probability: Double) -> Double {
  let p = min(max(probability, 1e-6), 1 - 1e-6)
  return naturalLogarithm(p / (1 - p))
}
