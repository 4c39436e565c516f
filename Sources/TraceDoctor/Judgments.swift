import Traces

/// Whether the accuracies from one source are to be believed.
package struct AccuracyJudgment: Hashable, Sendable {
  /// Where they come from.
  package let source: AccuracySource
  /// How many rests there were.
  package let rests: Int
  /// The median over the rests of the radius that holds 68 % of the fixes; nil without rests.
  package let scatterMeters: Double?
  /// The same in units of what the fixes claim.
  package let scatterByClaim: Double?
  /// The judgment.
  package let verdict: AccuracyVerdict
}

/// What can be said of claimed accuracies.
package enum AccuracyVerdict: String, Hashable, Sendable {
  /// The positions scatter no more than they claim.
  case plausible
  /// They scatter more.
  case tooSmall = "too_small"
  /// They do not move at rest, so that nothing can be said.
  case held
  /// The trace holds too few rests of 3 minutes.
  case tooFewRests = "too_few_rests"
}

/// Whether the reported speeds are to be believed.
package struct SpeedJudgment: Hashable, Sendable {
  /// How many stretches could be compared.
  package let stretches: Int
  /// The median of reported by traveled speed; nil where there are too few stretches.
  package let reportedByTraveled: Double?
  /// The judgment.
  package let verdict: SpeedVerdict
}

/// What can be said of reported speeds.
package enum SpeedVerdict: String, Hashable, Sendable {
  /// They are meters a second.
  case plausible
  /// They seem to be knots.
  case knots
  /// They seem to be miles an hour.
  case milesPerHour = "miles_per_hour"
  /// They seem to be kilometers an hour.
  case kilometersPerHour = "kilometers_per_hour"
  /// They are much less than what was traveled.
  case tooSmall = "too_small"
  /// They are much more than what was traveled.
  case tooLarge = "too_large"
  /// There are too few to say.
  case tooFew = "too_few"

  /// Whether a replay would be told wrong speeds.
  package var isWrong: Bool {
    switch self {
    case .plausible, .tooFew: false
    case .knots, .milesPerHour, .kilometersPerHour, .tooSmall, .tooLarge: true
    }
  }
}
