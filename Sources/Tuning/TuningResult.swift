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

  /// What a search found, beside the policy that one starts from.
  package enum Verdict: String, Hashable, Sendable {
    /// A policy that is better, chance aside.
    case better
    /// Nothing that is: what looks better may be chance, so the policy of today stays.
    case todayStays = "today_stays"
    /// No policy keeps the limits.
    case outsideLimits = "outside_limits"
  }

  /// A score that gets worse.
  package struct Cost: Hashable, Sendable {
    /// Which score.
    package let metric: Metric
    /// With the policy of today.
    package let before: Double
    /// With the other one.
    package let after: Double
    /// From the first to the second.
    package let change: Estimate
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
  /// The policy of the space that comes nearest to the goal.
  package let best: Entry
  /// The limits that it does not keep.
  package let unkept: [Requirement]
  /// The limits that the policy of today does not keep.
  package let unkeptToday: [Requirement]
  /// What it is beside the policy of today.
  package let verdict: Verdict
  /// By how much it changes the goal's score, on people that it was not chosen on where there are any;
  /// nil where one of the two has no such score.
  package let gain: Estimate?
  /// Scores that ``best`` makes worse than today's policy, chance aside, in the order of ``shown``.
  package let costs: [Cost]
  /// What was chosen without each group of people, and what came of it on those left out.
  package let leftOut: (chosen: [Candidate], days: [Tally])?
  /// The limits that what was chosen so does not keep on the people left out.
  package let unkeptLeftOut: [Requirement]
  /// Policies that were tried on every day and that no other one beats in everything.
  package let front: [Entry]
  /// What the front looks at.
  package let axes: [FrontAxis]
  /// Policies within the limits, as good as the best one as far as can be told, the best first.
  package let alike: [Entry]
  /// How many policies within the limits were compared with the best one.
  package let compared: Int
  /// What each knob does.
  package let effects: [KnobEffect]
  /// The draws of days for intervals.
  package let draws: DayDraws
  /// The knobs that have one value only.
  private let fixed: Set<String>

  /// So many of the best are compared with the best one.
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
    let best = entries.first ?? self.base
    self.best = best
    let goal = goal
    unkept = goal.limits.filter { !$0.isKept(by: best.value($0.metric)) }
    let today = self.base
    unkeptToday = goal.limits.filter { !$0.isKept(by: today.value($0.metric)) }
    leftOut = search.leftOut.map { ($0.chosen.map { search.candidates[$0] }, $0.days) }
    unkeptLeftOut =
      leftOut.map { leftOut in
        let sum = total(leftOut.days)
        return goal.limits.filter { !$0.isKept(by: $0.metric.value(of: sum)) }
      } ?? []
    gain = draws.difference(goal.metric, from: base, to: search.leftOut?.days ?? best.days)
    verdict = Self.verdict(
      goal,
      base: self.base,
      best: best,
      gain: gain,
      forOthers: leftOut.map { leftOut in
        let sum = total(leftOut.days)
        return goal.rank { $0.value(of: sum) }
      },
      hasIntervals: draws.hasIntervals
    )
    costs = Self.costs(of: best, beside: self.base, draws)
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
      draws.difference(goal.metric, from: best.days, to: $0.days)?.mayBeNone ?? false
    }
    self.effects = effects
    self.draws = draws
    fixed = Set(space.knobs.filter { $0.count == 1 }.map(\.name))
  }

  /// What is to be used: the best policy of the space where it is better than today's, else today's.
  ///
  /// Where nothing keeps the limits it is the one that comes nearest.
  package var chosen: Entry { verdict == .todayStays ? base : best }

  /// Whether the best of a search is better than what one has, chance aside.
  ///
  /// The best of many looks better on the days that it was chosen on; what counts is its gain on the people
  /// left out of the choice, within the limits. A policy of today that does not keep the limits is worse than what comes
  /// nearer to them there.
  ///
  /// - Parameter others: how good the choice is on the people left out; nil where there are none.
  private static func verdict(
    _ goal: Goal,
    base: Entry,
    best: Entry,
    gain: Estimate?,
    forOthers others: Goal.Rank?,
    hasIntervals: Bool
  ) -> Verdict {
    let today = goal.rank(base.value)
    guard goal.rank(best.value).isWithinLimits else { return .outsideLimits }
    guard today.isWithinLimits, base.value(goal.metric) != nil else {
      let isNearer = others.map { $0.isWithinLimits || $0.shortfall < today.shortfall } ?? true
      return best.value(goal.metric) == nil || !isNearer ? .todayStays : .better
    }
    guard let gain, others?.isWithinLimits ?? true else { return .todayStays }
    // A few days say nothing of chance.
    guard hasIntervals else { return .todayStays }
    return goal.isBetter(by: gain) ? .better : .todayStays
  }

  /// What gets worse from one policy to another, chance aside, and so much that its figures show it.
  private static func costs(of best: Entry, beside base: Entry, _ draws: DayDraws) -> [Cost] {
    shown.compactMap { metric in
      guard let isMoreBetter = metric.isMoreBetter, let before = base.value(metric),
        let after = best.value(metric),
        let change = draws.difference(metric, from: base.days, to: best.days), !change.mayBeNone,
        (change.value < 0) == isMoreBetter,
        metric.text(before) != metric.text(after)
      else { return nil }
      return Cost(metric: metric, before: before, after: after, change: change)
    }
  }

  /// Whether there are intervals: a few days leave none, and say nothing of chance.
  package var hasIntervals: Bool { draws.hasIntervals }

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
    .repeatsPerDay, .ownRecall, .ownFalsePerDay, .ownRepeatsPerDay, .precisionHeard, .wrongPerDay,
    .notificationsPerDay, .mostInAnyHour, .quietHourLeaks, .wakesPerHour,
    .registrationsPerHour, .batteryPercentPerDay,
  ]
}

extension Metric {
  /// Whether more of it is better; nil where neither is.
  package var isMoreBetter: Bool? {
    switch self {
    case .recall, .recall5min, .precision, .precisionHeard, .ownRecall, .f1, .namedRight,
      .postRecall, .postPrecision, .postF1,
      .approachUsed:
      true
    case .delayMedian, .delayP95, .falsePositiveRate, .falsePositiveRateCategory, .fprDriveBys,
      .fprNearStays, .fprDecoys, .fprCategoryDriveBys, .fprCategoryNearStays, .fprCategoryDecoys,
      .falsePerDay, .repeatsPerDay, .ownFalsePerDay, .ownRepeatsPerDay, .wrongPerDay,
      .postDelayMedian, .postDelayP95, .approachMissed,
      .approachSpurious, .notificationsPerDay, .mostInAnyHour, .quietHourLeaks, .wakesPerHour,
      .registrationsPerHour, .batteryPercentPerDay:
      false
    // Early and late are both wrong.
    case .approachLateMedian, .approachLateP95, .approachLateMetersMedian, .approachLateMetersP95:
      nil
    }
  }

  /// In words, as the subject of a sentence, with its verb where it gets worse.
  var worsening: String {
    switch self {
    case .notificationsPerDay: "notifications a day grow"
    case .mostInAnyHour: "the most notifications in any hour grow"
    case .wakesPerHour: "wakes an hour grow"
    case .registrationsPerHour: "registered regions an hour grow"
    case .batteryPercentPerDay: "the battery used a day grows"
    case .falsePerDay: "false arrivals a day grow"
    case .repeatsPerDay: "repeated arrivals a day grow"
    case .ownFalsePerDay: "false arrivals at one's own places grow"
    case .ownRepeatsPerDay: "repeated arrivals at one's own places grow"
    case .wrongPerDay: "arrivals heard in vain grow"
    case .quietHourLeaks: "notifications in quiet hours grow"
    case .delayMedian: "the usual delay grows"
    case .delayP95: "the delay of the slowest twentieth grows"
    default: rawValue + (isMoreBetter == true ? " falls" : " grows")
    }
  }
}
