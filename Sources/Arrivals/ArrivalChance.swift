import Timeline

/// How probable it is to be at some place of a group, and its most probable place.
package struct ArrivalChance: Sendable {
  /// The most probable place of the group.
  package let candidate: ArrivalTracker.Candidate
  /// The probability of being at any place of the group.
  package let probability: Double
}

extension ArrivalTracker {
  /// The groups that may be arrived at, in order: each of the user's own places, then each category.
  ///
  /// In clear motion there is no arrival, so there is none.
  ///
  /// - Parameter least: groups that are less probable are left out.
  package func chances(at now: Timestamp, atLeast least: Double) -> [ArrivalChance] {
    if isClearlyMoving(at: now) { return [] }
    let candidates = look(at: now)
    let weights = world.settings.weights
    return Self.groups(candidates, atLeast: least) {
      ArrivalJudge.probability(of: candidates[$0], weights)
    }
  }

  /// The groups that may be arrived at before the next fix, however long there is none.
  ///
  /// In silence nothing but the time changes, and each term only grows or only falls with it: what the
  /// better of its two ends is worth is a bound.
  ///
  /// - Parameter least: groups that cannot become that probable are left out.
  /// - Returns: each with a bound of its probability; nil while one may still be on the way.
  package func chancesInSilence(at now: Timestamp, atLeast least: Double) -> [ArrivalChance]? {
    let settings = world.settings
    guard let track = state.track, let longest = settings.decision.ticksSeconds.last,
      motionSeconds >= settings.decision.leastMotionSeconds
    else { return [] }
    let end = max(now, track.stop.lastFixAt + .seconds(longest))
    let (ahead, aheadAtEnd) = (wayIntoSilence(track, at: now), wayIntoSilence(track, at: end))
    guard ahead.way == aheadAtEnd.way, ahead.variance == aheadAtEnd.variance else { return nil }
    let (candidates, last) = (look(at: now), look(at: end))
    return Self.groups(candidates, atLeast: least) { index in
      let terms = zip(candidates[index].terms.values, last[index].terms.values)
      let logOdds = zip(terms, settings.weights.values)
        .reduce(0) { $0 + max($1.0.0 * $1.1, $1.0.1 * $1.1) }
      // The terms are not added in the order in which they are when they decide.
      return probability(logOdds: logOdds + 1e-9)
    }
  }

  private static func groups(
    _ candidates: [Candidate],
    atLeast least: Double,
    _ probability: (Int) -> Double
  ) -> [ArrivalChance] {
    var chances: [ArrivalChance] = []
    var start = 0
    while start < candidates.count {
      // The user's own places are groups of their own, the points of a category are one.
      var end = start + 1
      let slot = candidates[start].place.slot
      while end < candidates.count, slot >= 0, candidates[end].place.slot == slot { end += 1 }
      var sum = 0.0
      var best = (probability: -1.0, index: start)
      for i in start..<end {
        let p = probability(i)
        sum += p
        if p > best.probability { best = (p, i) }
      }
      start = end
      sum = min(sum, 1)
      if sum >= least {
        chances.append(ArrivalChance(candidate: candidates[best.index], probability: sum))
      }
    }
    return chances
  }
}

extension DecisionSettings {
  /// No group that is less probable than this is arrived at, whatever came before.
  package var leastProbability: Double { min(threshold, threshold + nextPlaceMargin, 0.99) }
}
