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

/// The logarithm of a normal density in two axes, per square meter.
///
/// - Parameters:
///   - squared: the distance from its middle, in square meters.
///   - variance: per axis, in square meters.
func logNormalDensity(_ squared: Double, variance: Double) -> Double {
  -squared / (2 * variance) - naturalLogarithm(2 * .pi * variance)
}
