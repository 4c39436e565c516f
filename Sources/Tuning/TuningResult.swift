import Scoring

/// What a search came to.
package struct TuningResult: Sendable {
  /// A policy with what it came to.
  package struct Entry: Sendable {
    /// The policy.
    package let candidate: Candidate
    /// What it came to, day by day.
    package let days: [Tally]

    /// Makes an entry.
    package init(candidate: Candidate, days: [Tally]) {
      self.candidate = candidate
      self.days = days
    }

    /// A score on all days.
    package func value(_ metric: Metric) -> Double? { metric.value(of: total(days)) }
  }

  /// What was looked for.
  package let goal: Goal
  /// How policies were tried.
  package let method: SearchMethod
  /// The seed of everything that was drawn.
  package let seed: UInt64
  /// How many policies were tried at all.
  package let tried: Int
  /// How many policies the space has; nil if they cannot be counted.
  package let spaceCount: Int?
  /// The groups of people.
  package let folds: Folds
  /// The policy that one starts from.
  package let base: Entry
  /// The policy that comes nearest to the goal.
  package let chosen: Entry
  /// The limits that it does not keep.
  package let unkept: [Requirement]
  /// What was chosen without each group of people, and what came of it on those left out.
  package let leftOut: (chosen: [Candidate], days: [Tally])?
  /// Policies that were tried on every day and that no other one beats in everything.
  package let front: [Entry]
  /// What the front looks at.
  package let axes: [FrontAxis]
  /// Policies within the limits, as good as the chosen one as far as can be told, the best first.
  package let alike: [Entry]
  /// How many policies within the limits were compared with the chosen one.
  package let compared: Int
  /// What each knob does.
  package let effects: [KnobEffect]
  /// The draws of days for intervals.
  package let draws: DayDraws
  /// The knobs that have one value only.
  private let fixed: Set<String>

  /// So many of the best are compared with the chosen one.
  private static let mostCompared = 200

  /// Sums a search up.
  ///
  /// - Parameter effects: what turning each knob of the chosen policy does.
  package init(
    _ search: Search,
    _ space: PolicySpace,
    method: SearchMethod,
    seed: UInt64,
    base: [Tally],
    effects: [KnobEffect],
    draws: DayDraws
  ) {
    goal = search.goal
    self.method = method
    self.seed = seed
    tried = search.candidates.count
    spaceCount = space.count
    folds = search.folds
    self.base = Entry(candidate: .base, days: base)
    let entries = search.ranked.compactMap { index in
      search.days(of: index).map { Entry(candidate: search.candidates[index], days: $0) }
    }
    let chosen = entries.first ?? self.base
    self.chosen = chosen
    let goal = goal
    unkept = goal.limits.filter { !$0.isKept(by: chosen.value($0.metric)) }
    leftOut = search.leftOut.map { ($0.chosen.map { search.candidates[$0] }, $0.days) }
    let axes = FrontAxis.usual(search.goal)
    self.axes = axes
    let losses = entries.map { entry in
      let sum = total(entry.days)
      return axes.map { $0.loss($0.metric.value(of: sum)) }
    }
    front = paretoFront(losses).map { entries[$0] }
      .sorted {
        ($0.value(.falsePositiveRate) ?? 1, $0.candidate.text)
          < ($1.value(.falsePositiveRate) ?? 1, $1.candidate.text)
      }
    let within = entries.dropFirst().prefix(Self.mostCompared)
      .filter { entry in
        let sum = total(entry.days)
        return goal.rank { $0.value(of: sum) }.isWithinLimits
      }
    compared = within.count
    alike = within.filter {
      draws.difference(goal.metric, from: chosen.days, to: $0.days)?.mayBeNone ?? false
    }
    self.effects = effects
    self.draws = draws
    fixed = Set(space.knobs.filter { $0.count == 1 }.map(\.name))
  }

  /// A policy by what is its own: `persistence.arrival=60s`.
  package func label(_ candidate: Candidate) -> String {
    let own = Candidate(candidate.values.filter { !fixed.contains($0.name) })
    return own.values.isEmpty ? candidate.text : own.text
  }

  /// The policies beside one: one knob turned by one step.
  package static func neighbors(
    of candidate: Candidate,
    in space: PolicySpace
  ) -> [(knob: String, from: String, to: String, candidate: Candidate)] {
    space.knobs.flatMap { knob in
      guard let value = candidate[knob.name] else {
        return [(knob: String, from: String, to: String, candidate: Candidate)]()
      }
      return knob.neighbors(of: value)
        .map { (knob.name, value, $0, candidate.with(knob.name, $0)) }
    }
  }

  /// The scores that a report shows.
  package static let shown: [Metric] = [
    .recall5min, .recall, .precision, .falsePositiveRate, .falsePositiveRateCategory,
    .fprDriveBys, .fprNearStays, .fprDecoys, .falsePerDay, .delayMedian, .delayP95, .namedRight,
    .repeatsPerDay, .notificationsPerDay, .mostInAnyHour, .quietHourLeaks, .wakesPerHour,
    .registrationsPerHour, .batteryPercentPerDay,
  ]
}
