import Timeline

/// How probable it is to be at some place of a group, and its most probable place.
struct ArrivalChance: Sendable {
  /// The most probable place of the group.
  let candidate: ArrivalTracker.Candidate
  /// The probability of being at any place of the group.
  let probability: Double
}

extension ArrivalTracker {
  /// The groups that may be arrived at, in order: each of the user's own places, then each category.
  ///
  /// In clear motion nobody arrives, so there is none.
  ///
  /// - Parameter least: groups that are less probable are left out.
  func chances(at now: Timestamp, atLeast least: Double) -> [ArrivalChance] {
    if isClearlyMoving { return [] }
    let candidates = look(at: now)
    let weights = world.settings.weights
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
        let p = ArrivalJudge.probability(of: candidates[i], weights)
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
  var leastProbability: Double { min(threshold, threshold + nextPlaceMargin, 0.99) }
}
