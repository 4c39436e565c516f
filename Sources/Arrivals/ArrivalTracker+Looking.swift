import Basics
import Geodesy
import Timeline

/// The places nearby, with what speaks for each.
extension ArrivalTracker {
  /// Every place within reach with what speaks for it, the user's own first, then by category.
  ///
  /// - Parameter least: where no category and none of the user's own places can be so probable, there is nothing to
  ///   see; nil to see all.
  public func look(at now: Timestamp, atLeast least: Double? = nil) -> [Candidate] {
    guard let track = state.track, let plane, let nearby, !nearby.entries.isEmpty else {
      return []
    }
    let settings = world.settings.places
    let ahead = wayIntoSilence(at: now)
    let position = track.value.position.position + ahead.way
    let variance =
      settings.varianceFactor * track.value.position.variance + settings.addedVariance
      + ahead.variance
    let common = track.value.stop.terms(
      rest: restInSilence(at: now),
      staying: track.value.staying.term(at: now, world.settings.habits),
      isSilentAtRest: isSilentAtRest,
      bias: bias,
      at: now,
      world
    )
    let stride = strideAhead()
    var sights: [(squared: Double, log: Double?)] = []
    sights.reserveCapacity(nearby.entries.count)
    var mostLog = -Double.infinity
    // Most have the variance of the one before.
    var spread = (variance: -1.0, log: 0.0)
    for i in nearby.entries.indices {
      let squared = (nearby.entries[i].position - position).lengthSquared
      guard squared <= nearby.entries[i].reachSquared else {
        sights.append((squared, nil))
        continue
      }
      let own = variance + nearby.entries[i].variance
      if own != spread.variance { spread = (own, naturalLogarithm(2 * .pi * own)) }
      let log = -squared / (2 * own) - spread.log
      sights.append((squared, log))
      mostLog = max(mostLog, log + nearby.entries[i].favor)
    }
    if let least, stride == nil {
      let most = min(max(mostLog - world.unknownLog, settings.leastTerm), settings.mostTerm)
      if mostProbability(common, place: most) * Double(nearby.largestGroup) < least { return [] }
    }
    var rivals = Rivals(settings, known: familiarDensity(around: position, variance, plane))
    rivals.densities.reserveCapacity(nearby.entries.count)
    for i in nearby.entries.indices {
      rivals.add(
        slot: nearby.entries[i].slot,
        weight: nearby.entries[i].weight,
        sights[i].log,
        isRival: sights[i].squared <= nearby.entries[i].rivalSquared
      )
    }
    let isLongSilent = now - track.value.stop.lastFixAt >= world.settings.decision.ownSilence
    // Some receivers report a walk's speed at rest.
    let hasStayed =
      track.value.staying.hasLasted(at: now) >= world.settings.decision.ownSilence
    let hasStrideEnded =
      now - track.value.stop.lastFixAt >= world.settings.decision.ownAheadSilence
    var candidates: [Candidate] = []
    for i in nearby.entries.indices {
      let isWithinReach = sights[i].log != nil
      let atStrideEnd = stride?.term(of: nearby.entries[i], settings)
      guard isWithinReach || atStrideEnd != nil else { continue }
      var terms = nearby.entries[i].isDrivenTo ? common.driven : common.others
      terms.place = settings.leastTerm
      if isWithinReach {
        terms.place = rivals.term(of: i, in: nearby.entries, whileStaying: false)
      }
      let placeWhileStaying =
        isWithinReach && rivals.hasOwn
        ? rivals.term(of: i, in: nearby.entries, whileStaying: true) : terms.place
      let isOnlyAhead = hasStrideEnded && atStrideEnd.map { $0 > terms.place } ?? false
      if let atStrideEnd, isOnlyAhead { terms.place = atStrideEnd }
      candidates.append(
        Candidate(
          place: ArrivalPlaceIndex(slot: nearby.entries[i].slot, index: nearby.entries[i].index),
          terms: terms,
          placeWhileStaying: placeWhileStaying,
          hasStopped: terms.rest > 0 || terms.silence > 0 || isLongSilent || hasStayed,
          isOwnInSilence: isLongSilent && nearby.entries[i].slot < 0,
          isOnlyAhead: isOnlyAhead,
          distanceMeters: sights[i].squared.squareRoot()
        )
      )
    }
    return candidates
  }

  /// The most that can be had by any place whose own term is at most so much.
  private func mostProbability(
    _ common: (driven: ArrivalTerms, others: ArrivalTerms),
    place most: Double
  ) -> Double {
    let (weights, least) = (world.settings.weights, world.settings.places.leastTerm)
    func logOdds(_ terms: ArrivalTerms) -> Double {
      var (atMost, atLeast) = (terms, terms)
      (atMost.place, atLeast.place) = (most, least)
      return max(atMost.logOdds(weights), atLeast.logOdds(weights))
    }
    // What the terms are rounded by.
    return probability(logOdds: max(logOdds(common.driven), logOdds(common.others)) + 1e-9)
  }

  /// The density of familiar places: of all, and of those that are none of the user's own.
  private func familiarDensity(
    around position: PlanePoint,
    _ variance: Double,
    _ plane: TangentPlane
  ) -> (all: Double, others: Double) {
    let settings = world.settings.places
    let spread = settings.footprintDeviationMeters * settings.footprintDeviationMeters
    let radius = settings.familiarRadiusMeters
    var sums = (all: 0.0, others: 0.0)
    for place in state.familiar.points {
      let point = place.surface
      let squared = (plane.project(point) - position).lengthSquared
      guard squared < 250_000 else { continue }
      let density = exponential(logNormalDensity(squared, variance: variance + spread))
      sums.all += density
      let isOwn = world.placePoints.contains { $0.chordSquared(to: point) <= radius * radius }
      if !isOwn { sums.others += density }
    }
    return sums
  }
}
