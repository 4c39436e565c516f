import Arrivals
import Fencing
import Geodesy
import Places
import Timeline
import Traces

/// What a watch found at a fix.
struct PlaceFindings {
  /// What was seen, in the order of the ladders.
  var seen: [Fact] = []
  /// What the arrival detector made of the same fix.
  var weighed: [Fact] = []
  /// Whether a ladder changed, or what is due by itself.
  var hasChanged = false
  /// Whether the arrival detector wants to be asked before the host's next timer.
  var needsTimer = false
}

extension PlaceWatch {
  mutating func refusal(of fix: Fix, at point: SurfacePoint) -> FixRefusal? {
    state.gate.refuse(fix, at: point, gateSettings)
  }

  /// Takes in a fix of a stream.
  ///
  /// - Parameter mustReport: whether something was due by this fix, so that it counts whatever is seen.
  /// - Parameter timer: when the host wakes the engine next.
  /// - Returns: nil if nothing can have changed but the newest position.
  mutating func take(
    _ fix: Fix,
    at point: SurfacePoint,
    mustReport: Bool,
    before timer: Timestamp?,
    awakeUntil: Timestamp?
  ) -> PlaceFindings? {
    let previous = state.lastFix
    state.lastFix = fix
    let weighed = weigh(fix, at: point, before: timer, awakeUntil: awakeUntil)
    if !mustReport, !isUndecided, weighed.findings.isEmpty, !weighed.needsTimer, let calm {
      if point.chordSquared(to: calm.center) <= calm.chordSquared { return nil }
      if !mustLook, redrawCalm(fix, at: point, previous: previous) { return nil }
    }
    mustLook = false
    let here = Whereabouts(fix: fix, at: point, previous: previous, fencing, gateSettings)
    return observe(here, weighed)
  }

  /// Takes in the position with which a sleeping app was woken.
  ///
  /// - Parameter previous: the position before, if the service still has it.
  mutating func wake(
    by fix: Fix,
    previous: Fix?,
    before timer: Timestamp?,
    awakeUntil: Timestamp?
  ) -> PlaceFindings {
    state.lastFix = fix
    let weighed = weigh(
      fix,
      at: SurfacePoint(fix.coordinate),
      before: timer,
      awakeUntil: awakeUntil
    )
    return observe(Whereabouts(fix: fix, previous: previous, fencing, gateSettings), weighed)
  }

  /// Looks at all targets that may have come nearer than their ladders allow to overlook.
  private mutating func observe(
    _ here: Whereabouts,
    _ weighed: (findings: [ArrivalFinding], needsTimer: Bool)
  ) -> PlaceFindings {
    effort.evaluations += 1
    var found = PlaceFindings(needsTimer: weighed.needsTimer)
    var seen: [(key: SightKey, sighting: TargetSighting?)] = []
    isUndecided = false
    let start = seesEveryFix ? nil : here.cameFrom
    for a in state.aims.indices where state.aims[a].isLive {
      for i in state.aims[a].range {
        let before = state.ladders[i].ladder
        if isCalm(i, before, at: here.point, from: start) { continue }
        guard let sighting = sight(from: here, aim: a, ladder: i, &seen) else { continue }
        climb(aim: a, ladder: i, sighting, from: here, &found)
        if before.level == nil { noteStays(a, i) }
      }
    }
    let wasOut = hasSteppedOut
    found.weighed = facts(of: weighed.findings)
    // What is due there waits, or waits no more.
    if hasSteppedOut != wasOut || !weighed.findings.isEmpty { found.hasChanged = true }
    if fencing.watchesDiscs, weighed.findings.contains(where: \.isDeparture) {
      comeInAgain(from: here, &seen, &found)
    }
    return found
  }

  /// Who has left one place may stand within the disc of another, around which no line is ahead any more.
  private mutating func comeInAgain(
    from here: Whereabouts,
    _ seen: inout [(key: SightKey, sighting: TargetSighting?)],
    _ found: inout PlaceFindings
  ) {
    for a in state.aims.indices where state.aims[a].isLive && state.aims[a].plan.shape.hasArrival {
      for i in state.aims[a].range
      where state.ladders[i].ladder.level == state.aims[a].plan.shape.rings.count - 1
        && state.ladders[i].ladder.arrivalPendingSince == nil
      {
        guard let sighting = sight(from: here, aim: a, ladder: i, &seen) else { continue }
        climb(aim: a, ladder: i, sighting, from: here, &found)
      }
    }
  }

  /// What a sighting depends on: ladders that share it look only once.
  private struct SightKey: Hashable {
    let target: FenceTarget
    let arrival: DiscRadius?
    let approachesAhead: [Double]

    init(_ resolved: ResolvedTarget, _ approachesAhead: [Double]) {
      target = resolved.target
      arrival = resolved.arrival
      self.approachesAhead = approachesAhead
    }
  }

  private mutating func sight(
    from here: Whereabouts,
    aim a: Int,
    ladder i: Int,
    _ seen: inout [(key: SightKey, sighting: TargetSighting?)]
  ) -> TargetSighting? {
    let key = SightKey(
      targets[i],
      Self.approachesAhead(state.ladders[i].ladder, state.aims[a].plan.shape)
    )
    if let known = seen.first(where: { $0.key == key }) { return known.sighting }
    effort.sightings += 1
    // Not by way of the watch, which is being changed: all of it would be copied.
    let catalog = catalog
    let sighting = here.sight(
      of: key.target,
      arrival: key.arrival,
      approachesAhead: key.approachesAhead,
      in: catalog,
      &near
    )
    // One target for each point: nothing is looked at twice, and the list would only grow.
    if state.aims[a].range.count == 1 { seen.append((key, sighting)) }
    return sighting
  }

  /// The radii of the approaches that have not been entered, the largest first.
  private static func approachesAhead(_ ladder: Ladder, _ shape: LadderShape) -> [Double] {
    guard let level = ladder.level else { return [] }
    var radii: [Double] = []
    for ring in shape.rings.dropFirst(level) where ring.kind == .approach {
      radii.append(ring.radiusMeters)
    }
    return radii
  }

  /// Lets a ladder take in what was seen of its target.
  private mutating func climb(
    aim a: Int,
    ladder i: Int,
    _ sighting: TargetSighting,
    from here: Whereabouts,
    _ found: inout PlaceFindings
  ) {
    let now = here.fix.at
    let before = state.ladders[i].ladder
    // Asked beforehand: beside a ladder that changes, all of the watch would be copied for each.
    let (doubt, isKept) = (doubt(a), isKept(a))
    let made = made
    let transitions = state.ladders[i].ladder
      .observe(
        sighting.sight,
        accuracyMeters: here.fix.horizontalAccuracyMeters,
        speedMetersPerSecond: here.fix.speedMetersPerSecond,
        at: now,
        state.aims[a].plan.shape,
        made.value.fencing(of: state.aims[a]),
        doubt: doubt,
        keepsArrival: isKept
      )
    let after = state.ladders[i].ladder
    if after.needsNextFix { isUndecided = true }
    if before == after, transitions.isEmpty { return }
    found.hasChanged = true
    if before.arrivalPendingSince != nil, after.arrivalPendingSince == nil,
      state.aims[a].role == .speaks, state.aims[a].plan.speaksOfArrival
    {
      let key = state.aims[a].key(.arrival, depth: before.level ?? 0, poi: state.ladders[i].poi)
      found.seen.append(
        Fact(key: key, kind: .canceled, at: now, spot: state.ladders[i].pendingSpot)
      )
    }
    let beganArrival = before.arrivalPendingSince == nil && after.arrivalPendingSince != nil
    let beganExit = before.exitHoldsAt == nil && after.exitHoldsAt != nil
    if beganArrival || beganExit {
      state.ladders[i].pendingSpot = arrivalSpot(aim: a, ladder: i, sighting, from: here)
    }
    for transition in transitions {
      let spot = spot(of: transition, aim: a, ladder: i, sighting, from: here)
      if let fact = fact(of: transition, a, i, at: spot) { found.seen.append(fact) }
    }
  }

  /// A ring's transition as a fact; the ladder remembers what the transition begins or ends.
  ///
  /// - Returns: nil where the aim does not speak of it.
  mutating func fact(of transition: RingTransition, _ a: Int, _ i: Int, at spot: Spot) -> Fact? {
    let aim = state.aims[a]
    if fencing.watchesDiscs, transition.kind == .exit, case .place(let id) = aim.target,
      aim.plan.shape.rings[transition.ring].kind == .arrival
    {
      // A sleeping app leaves by the ring; who comes back arrives again.
      state.arrivals.detector?.endStay(at: id)
    }
    guard aim.role == .speaks else {
      let wasThere = state.ladders[i].arrivalSpot
      state.ladders[i].arrivalSpot = transition.kind == .exit ? nil : spot
      guard aim.role == .leaves, transition.kind == .exit else { return nil }
      let left = OccasionKey(
        reminder: aim.reminder,
        trigger: aim.trigger,
        happening: .left(at: transition.at, poi: (wasThere ?? spot).poi)
      )
      return Fact(key: left, kind: .exit, at: transition.at, spot: fromHere(wasThere ?? spot))
    }
    let tier = aim.plan.ringTiers[transition.ring]
    var fact = Fact(
      key: aim.key(tier, depth: transition.ring, poi: state.ladders[i].poi),
      kind: transition.kind == .exit ? .exit : .enter,
      at: transition.at,
      spot: spot,
      isSuperseded: transition.isSuperseded
    )
    if transition.kind == .exit {
      state.ladders[i].said[transition.ring] = false
      if tier == .arrival {
        fact.cancels = canceledDwell(a, i, .left, at: transition.at)
        state.ladders[i].isPostArrivalDone = false
        state.ladders[i].arrivalHeardAt = nil
        state.ladders[i].arrivalSpot = nil
      }
    } else if tier == .arrival {
      state.ladders[i].isPostArrivalDone = false
      state.ladders[i].arrivalHeardAt = state.lateness.known(from: transition.at)
      state.ladders[i].arrivalSpot = spot
    }
    fact.isSilent = tier == .arrival && !aim.plan.speaksOfArrival
    return fact
  }

  // MARK: What was seen

  /// A spot with its distance from the last position.
  func fromHere(_ spot: Spot) -> Spot {
    guard let last = state.lastFix else { return spot }
    var spot = spot
    spot.distanceMeters = spot.coordinate.distanceMeters(to: last.coordinate)
    return spot
  }

  private func spot(
    of transition: RingTransition,
    aim a: Int,
    ladder i: Int,
    _ sighting: TargetSighting,
    from here: Whereabouts
  ) -> Spot {
    let sight = sighting.sight
    if state.aims[a].plan.shape.rings[transition.ring].kind == .arrival {
      return arrivalSpot(aim: a, ladder: i, sighting, from: here)
    }
    let passing = sight.passingDistanceMeters ?? .infinity
    // Who is beyond the ring again came by some other point than the nearest one now.
    if transition.kind == .enter, passing < sight.distanceMeters,
      state.ladders[i].ladder.level ?? 0 <= transition.ring
    {
      var spot = spot(
        aim: a,
        ladder: i,
        poi: sighting.passedPOI,
        distanceMeters: passing,
        from: here
      )
      spot.distanceMeters = passing
      return spot
    }
    return spot(
      aim: a,
      ladder: i,
      poi: sighting.nearestPOI,
      distanceMeters: sight.distanceMeters,
      from: here
    )
  }

  private func arrivalSpot(
    aim a: Int,
    ladder i: Int,
    _ sighting: TargetSighting,
    from here: Whereabouts
  ) -> Spot {
    spot(
      aim: a,
      ladder: i,
      poi: sighting.arrivalPOI,
      distanceMeters: sighting.sight.distanceMeters,
      from: here
    )
  }

  private func spot(
    aim a: Int,
    ladder i: Int,
    poi: Int?,
    distanceMeters: Double,
    from here: Whereabouts
  ) -> Spot {
    switch state.aims[a].target {
    case .place(let id):
      let place = places.first { $0.id == id }
      return Spot(
        poi: nil,
        name: place?.name ?? id,
        coordinate: place?.coordinate ?? here.fix.coordinate,
        distanceMeters: distanceMeters
      )
    case .category(let category):
      let index = poi ?? state.ladders[i].poi.flatMap { catalog.index(ofSourceID: $0) }
      guard let index else {
        return Spot(
          poi: nil,
          name: category.label,
          coordinate: here.fix.coordinate,
          distanceMeters: distanceMeters
        )
      }
      let point = catalog.points[index]
      return Spot(
        poi: point.sourceID,
        name: point.spokenName ?? category.label,
        coordinate: point.coordinate,
        distanceMeters: catalog.positions[index].distanceMeters(to: here.point)
      )
    }
  }

  /// The target as it is known without having been seen: one of the user's own places, or a category by name alone.
  func fallbackSpot(_ a: Int) -> Spot {
    func spot(_ name: String, at coordinate: Coordinate?) -> Spot {
      let position =
        coordinate ?? state.lastFix?.coordinate ?? Coordinate(uncheckedLatitude: 0, longitude: 0)
      return Spot(poi: nil, name: name, coordinate: position, distanceMeters: 0)
    }
    switch state.aims[a].target {
    case .category(let category): return spot(category.label, at: nil)
    case .place(let id):
      guard let place = places.first(where: { $0.id == id }) else { return spot(id, at: nil) }
      return fromHere(spot(place.name, at: place.coordinate))
    }
  }
}
