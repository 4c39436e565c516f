import Basics
import NearMeEngine
import Scoring

/// What turning one knob of a policy does, all else being as it is.
package struct KnobEffect: Hashable, Sendable, Codable {
  /// The key of the policy file, with its group.
  package let knob: String
  /// The value in use.
  package let from: String
  /// The other value.
  package let to: String
  /// By how many false arrivals a week it changes.
  package let falseArrivalsPerWeek: Estimate?
  /// By how many seconds the half of arrivals is told later.
  package let delaySeconds: Estimate?
  /// By how many visits of five minutes or more are announced, of those in the corpus.
  package let visits: Estimate?
  /// How many such visits there are.
  package let visitCount: Int
  /// By how many wakes an hour it changes.
  package let wakesPerHour: Estimate?

  /// Compares two policies by what they came to on the same days.
  package init(
    knob: String,
    from: String,
    to: String,
    before: [Tally],
    after: [Tally],
    _ draws: DayDraws
  ) {
    self.knob = knob
    self.from = from
    self.to = to
    let count = total(before)[.longVisits]
    visitCount = Int(count)
    falseArrivalsPerWeek = draws.difference(.falsePerDay, from: before, to: after)?.times(7)
    delaySeconds = draws.difference(.delayMedian, from: before, to: after)
    visits = draws.difference(.recall5min, from: before, to: after)?.times(count)
    wakesPerHour = draws.difference(.wakesPerHour, from: before, to: after)
  }

  /// The effect in a sentence.
  ///
  /// - Parameter hasIntervals: whether there are 95 % intervals: a few days leave none, and say nothing of chance.
  package func sentence(hasIntervals: Bool) -> String {
    var parts: [String] = []
    if let falseArrivalsPerWeek {
      parts.append(
        Self.part(
          falseArrivalsPerWeek,
          1,
          "false arrivals a week",
          more: "more",
          less: "fewer",
          hasIntervals: hasIntervals
        )
      )
    }
    if let delaySeconds {
      parts.append(
        Self.part(
          delaySeconds,
          0,
          "s",
          more: "later",
          less: "earlier",
          isAfter: true,
          hasIntervals: hasIntervals
        )
      )
    }
    if let visits {
      parts.append(
        Self.part(
          visits,
          0,
          "of \(visitCount) visits",
          more: "found",
          less: "lost",
          isAfter: true,
          hasIntervals: hasIntervals
        )
      )
    }
    if let wakesPerHour, wakesPerHour.value != 0 {
      parts.append(
        Self.part(
          wakesPerHour,
          2,
          "wakes an hour",
          more: "more",
          less: "fewer",
          hasIntervals: hasIntervals
        )
      )
    }
    let what = parts.isEmpty ? "nothing to compare" : parts.joined(separator: ", ")
    return "\(knob) \(from) → \(to): \(what)"
  }

  private static func part(
    _ estimate: Estimate,
    _ digits: Int,
    _ unit: String,
    more: String,
    less: String,
    isAfter: Bool = false,
    hasIntervals: Bool
  ) -> String {
    // The ends come in the order and with the sign of the word.
    let isLess = estimate.value < 0
    let ends = isLess ? (-estimate.high, -estimate.low) : (estimate.low, estimate.high)
    let interval =
      hasIntervals ? " [\(fixed(ends.0, digits)) … \(fixed(ends.1, digits))]" : ""
    if fixed(estimate.value.magnitude, digits) == fixed(0, digits) {
      return isAfter && unit == "s"
        ? "told at the same time\(interval)" : "no change in \(unit.bare)\(interval)"
    }
    let value = fixed(estimate.value.magnitude, digits)
    let word = isLess ? less : more
    let doubt = hasIntervals && estimate.mayBeNone ? ", which may be chance" : ""
    let told = unit == "s" ? "told " : ""
    return told + (isAfter ? "\(value) \(unit) \(word)" : "\(value) \(word) \(unit)")
      + "\(interval)\(doubt)"
  }
}

extension String {
  /// Without the number of visits in front.
  fileprivate var bare: String { hasPrefix("of ") ? "visits found" : self }
}

extension Estimate {
  /// The same in another unit.
  func times(_ factor: Double) -> Estimate {
    Estimate(value: value * factor, low: low * factor, high: high * factor)
  }
}
