import Scoring

/// What is looked for: limits that must be kept, and the score that is to be best within them.
///
/// As people write it: `fpr<=0.02 then max recall_5min`, `min delay_median`.
package struct Goal: Hashable, Sendable {
  /// What must be kept.
  package let limits: [Requirement]
  /// What is to be best.
  package let metric: Metric
  /// Whether the most is best.
  package let isMost: Bool
  /// As people wrote it.
  package let text: String

  /// Reads a goal.
  ///
  /// - Throws: `RequirementError` that says what is expected.
  package init(_ text: String) throws(RequirementError) {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    guard words.count >= 2, words.count == 2 || words[words.count - 3] == "then" else {
      throw Self.unreadable(text)
    }
    switch words[words.count - 2] {
    case "max": isMost = true
    case "min": isMost = false
    default: throw Self.unreadable(text)
    }
    metric = try Metric(named: words[words.count - 1])
    limits =
      words.count == 2
      ? [] : try Requirement.parse(words.dropLast(3).joined(separator: " "))
    self.text = words.joined(separator: " ")
  }

  private static func unreadable(_ text: String) -> RequirementError {
    RequirementError(
      "\"\(text)\" is no goal: write limits, then, and max or min of a score, such as "
        + "\"fpr<=0.02 then max recall_5min\""
    )
  }

  /// The same goal without the limits of some scores; nil where it has none of these.
  package func withoutLimits(on metrics: Set<Metric>) -> Goal? {
    let kept = limits.filter { !metrics.contains($0.metric) }
    guard kept.count < limits.count else { return nil }
    return Goal(limits: kept, metric: metric, isMost: isMost)
  }

  private init(limits: [Requirement], metric: Metric, isMost: Bool) {
    (self.limits, self.metric, self.isMost) = (limits, metric, isMost)
    text =
      (limits.isEmpty ? "" : limits.map(\.text).joined(separator: ", ") + " then ")
      + "\(isMost ? "max" : "min") \(metric.rawValue)"
  }

  /// Every score that matters to it.
  package var metrics: [Metric] { limits.map(\.metric) + [metric] }

  /// Whether a change of its score is for the better, chance aside.
  func isBetter(by change: Estimate) -> Bool { isMost ? change.low > 0 : change.high < 0 }

  /// How good scores are: the smaller, the better.
  package func rank(_ value: (Metric) -> Double?) -> Rank {
    var shortfall = 0.0
    for limit in limits where !limit.isKept(by: value(limit.metric)) {
      guard let value = value(limit.metric) else {
        shortfall = .infinity
        continue
      }
      // Limits of different kinds are compared by shares of themselves.
      let size = max(limit.limit.magnitude, 1e-3)
      shortfall += max((value - limit.limit).magnitude / size, 1e-9)
    }
    let best = value(metric)
    return Rank(
      shortfall: shortfall,
      loss: best.map { isMost ? -$0 : $0 } ?? .infinity,
      falseAlarms: value(.falsePositiveRate) ?? .infinity
    )
  }

  /// How good a policy is.
  package struct Rank: Hashable, Comparable, Sendable {
    /// By how much limits are not kept, as shares of them; 0 if all are.
    package let shortfall: Double
    let loss: Double
    /// Of two that are as good, the quieter one.
    let falseAlarms: Double

    /// Whether all limits are kept.
    package var isWithinLimits: Bool { shortfall == 0 }

    /// Limits first.
    package static func < (a: Rank, b: Rank) -> Bool {
      (a.shortfall, a.loss, a.falseAlarms) < (b.shortfall, b.loss, b.falseAlarms)
    }
  }
}
