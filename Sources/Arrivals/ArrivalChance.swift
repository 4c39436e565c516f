import Timeline

/// How probable it is to be at some place of a group, and its most probable place.
package struct ArrivalChance: Sendable {
  /// The most probable place of the group.
  package let candidate: ArrivalTracker.Candidate
  /// The probability of being at any place of the group.
  package let probability: Double
  /// The same while the person stays at one of their own places.
  package let probabilityWhileStaying: Double
}

extension ArrivalTracker {
  /// The groups that may be arrived at, in order: each of the user's own places, then each category.
  ///
  /// In clear motion there is no arrival, so there is none.
  ///
  /// - Parameters:
  ///   - least: groups that are less probable are left out, but for a category that cannot be told apart from
  ///     one that is not.
  ///   - seen: what ``look(at:)`` finds at the instant, where that is known.
  package func chances(
    at now: Timestamp,
    atLeast least: Double,
    _ seen: [Candidate]? = nil
  ) -> [ArrivalChance] {
    if isClearlyMoving(at: now) { return [] }
    let candidates = seen ?? look(at: now, atLeast: least)
    let weights = world.settings.weights
    return groups(candidates, atLeast: least) { candidates[$0].probability($1, weights) }
  }

  /// The groups that may be arrived at before the next fix, however long there is none.
  ///
  /// In silence nothing but the time changes, and each term only grows or only falls with it: what the
  /// better of its two ends is worth is a bound.
  ///
  /// - Parameters:
  ///   - least: groups that cannot become that probable are left out.
  ///   - seen: what ``look(at:)`` finds at the instant, where that is known.
  /// - Returns: each with a bound of its probability; nil while one may still be on the way.
  package func chancesInSilence(
    at now: Timestamp,
    atLeast least: Double,
    _ seen: [Candidate]? = nil
  ) -> [ArrivalChance]? {
    guard motionSeconds >= world.settings.decision.leastMotionSeconds else { return [] }
    guard let end = lastLookInSilence(at: now) else { return nil }
    let (candidates, last) = (seen ?? look(at: now), look(at: end))
    let weights = world.settings.weights
    let chances = groups(candidates, atLeast: least) { index, isStaying in
      let logOdds = candidates[index].terms(whileStaying: isStaying)
        .mostLogOdds(between: last[index].terms(whileStaying: isStaying), weights)
      // The terms are not added in the order in which they are when they decide.
      return probability(logOdds: logOdds + 1e-9)
    }
    // Which of a category's places is meant may change in silence: with the most probable place of all.
    return chances
      + chances.flatMap { chance in
        twins(in: candidates, ofSlot: chance.candidate.place.slot)
          .map { twin in
            ArrivalChance(
              candidate: twin,
              probability: chance.probability,
              probabilityWhileStaying: chance.probabilityWhileStaying
            )
          }
      }
  }

  /// When a silence that lasts at an instant is looked at for the last time; nil while one may still be on the way.
  func lastLookInSilence(at now: Timestamp) -> Timestamp? {
    guard let track = state.track else { return now }
    let longest = world.settings.decision.ticksSeconds.last ?? 0
    let end = max(now, track.value.stop.lastFixAt + .seconds(longest))
    let (ahead, aheadAtEnd) = (wayIntoSilence(at: now), wayIntoSilence(at: end))
    return ahead.way == aheadAtEnd.way && ahead.variance == aheadAtEnd.variance ? end : nil
  }

  /// The places of a category that cannot be told apart from one of another.
  private func twins(in candidates: [Candidate], ofSlot slot: Int) -> [Candidate] {
    candidates.filter { one in
      one.place.slot == slot
        && candidates.contains {
          $0.place.slot != slot && world.isSameSpot($0.place, one.place)
        }
    }
  }

  private func groups(
    _ candidates: [Candidate],
    atLeast least: Double,
    _ probability: (_ index: Int, _ isStaying: Bool) -> Double
  ) -> [ArrivalChance] {
    let dependsOnStays = candidates.contains { $0.placeWhileStaying != $0.terms.place }
    var chances: [ArrivalChance] = []
    var top = (probability: -1.0, index: 0)
    var start = 0
    while start < candidates.count {
      // The user's own places are groups of their own, the points of a category are one.
      var end = start + 1
      let slot = candidates[start].place.slot
      while end < candidates.count, slot >= 0, candidates[end].place.slot == slot { end += 1 }
      var (sum, sumWhileStaying) = (0.0, 0.0)
      var best = (probability: -1.0, index: start)
      for i in start..<end {
        let p = probability(i, false)
        sum += p
        sumWhileStaying += dependsOnStays ? probability(i, true) : p
        if p > best.probability { best = (p, i) }
      }
      start = end
      if best.probability > top.probability { top = best }
      (sum, sumWhileStaying) = (min(sum, 1), min(sumWhileStaying, 1))
      if max(sum, sumWhileStaying) >= least {
        chances.append(
          ArrivalChance(
            candidate: candidates[best.index],
            probability: sum,
            probabilityWhileStaying: sumWhileStaying
          )
        )
      }
    }
    for i in chances.indices {
      chances[i] = chances[i].meaning(what: candidates[top.index].place, candidates, world)
    }
    guard least > 0, candidates.contains(where: { isLeftOut($0.place, by: chances) }) else {
      return chances
    }
    let all = groups(candidates, atLeast: 0, probability)
    return all.filter { one in
      one.isAtLeast(least)
        || one.candidate.place.slot >= 0
          && all.contains {
            $0.isAtLeast(least) && world.isSameSpot($0.candidate.place, one.candidate.place)
          }
    }
  }

  /// Whether a place of a category that is not among some chances cannot be told apart from one that is.
  private func isLeftOut(_ place: ArrivalPlaceIndex, by chances: [ArrivalChance]) -> Bool {
    place.slot >= 0 && !chances.contains { $0.candidate.place.slot == place.slot }
      && chances.contains { world.isSameSpot($0.candidate.place, place) }
  }
}

extension ArrivalChance {
  /// Whether it is so probable, for someone who stays at one of their own places or does not.
  fileprivate func isAtLeast(_ least: Double) -> Bool {
    max(probability, probabilityWhileStaying) >= least
  }
}

extension ArrivalChance {
  /// The same, but that of a category's places the one is meant that cannot be told apart from the most
  /// probable place of all, if there is one.
  fileprivate func meaning(
    what top: ArrivalPlaceIndex,
    _ candidates: [ArrivalTracker.Candidate],
    _ world: ArrivalWorld
  ) -> ArrivalChance {
    let slot = candidate.place.slot
    guard slot >= 0, slot != top.slot, !world.isSameSpot(candidate.place, top),
      let twin = candidates.first(where: {
        $0.place.slot == slot && world.isSameSpot($0.place, top)
      })
    else { return self }
    return ArrivalChance(
      candidate: twin,
      probability: probability,
      probabilityWhileStaying: probabilityWhileStaying
    )
  }
}

extension ArrivalTracker.Candidate {
  /// The probability, for someone who stays at one of their own places or does not.
  func probability(_ isStaying: Bool, _ weights: ArrivalTerms) -> Double {
    Arrivals.probability(logOdds: terms(whileStaying: isStaying).logOdds(weights))
  }

  /// The evidence, for someone who stays at one of their own places or does not.
  func terms(whileStaying isStaying: Bool) -> ArrivalTerms {
    var terms = terms
    if isStaying { terms.place = placeWhileStaying }
    return terms
  }
}

extension DecisionSettings {
  /// No group that is less probable than this is arrived at by itself, whatever came before.
  package var leastProbability: Double { min(leastAtOthers, ownSilenceThreshold) }

  /// The same of one place.
  func leastProbability(of place: ArrivalPlaceIndex) -> Double {
    place.slot < 0 ? leastProbability : leastAtOthers
  }

  private var leastAtOthers: Double {
    min(threshold, threshold + nextPlaceMargin, ownThreshold, 0.99)
  }

  /// How probable a place must be to be arrived at with one that it cannot be told apart from.
  ///
  /// One stop is for all that a spot has; but who comes home hardly ever comes to the shop below, nor who comes to
  /// the shop home.
  func leastAtSpot(of one: ArrivalPlaceIndex, _ other: ArrivalPlaceIndex) -> Double {
    min(threshold, one.slot < 0 || other.slot < 0 ? ownThreshold : sameSpotThreshold)
  }
}
