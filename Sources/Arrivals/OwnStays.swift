import Geodesy
import Places
import Timeline

/// At which of the user's own places the person is: from an arrival, or from when the place was first
/// heard of while standing there, until the person has been away.
///
/// People spend most of the day at home and at work, and positions drift: only a way out ends such a
/// stay, not noise, not silence.
struct OwnStays: Hashable, Sendable, Codable {
  private struct Stay: Hashable, Sendable, Codable {
    let place: String
    /// Since when every fix has been away from it; nil while the person is there.
    var awaySince: Timestamp?
    /// Whether that was a single fix, at rest and not far off; nil for no.
    ///
    /// Indoors a position jumps and comes back. If the app has slept since, the next fix decides: who is not on wheels at
    /// it has not come back. Some receivers report a walk's speed at rest.
    var isAwayInDoubt: Bool?
    /// Whether the person has stood still since then; nil for no.
    ///
    /// A jump to somewhere else and back is a way only where it begins and ends.
    var hasRestedAway: Bool?
  }

  /// In the order in which they began.
  private var stays: [Stay] = []
  /// The ids of the places that have been heard of, in order.
  private var known: [String] = []
  /// Places of which it is open whether the person was there when they were first heard of; nil for none.
  private var open: [Open]?
  /// Nil before the first, and in states of earlier versions.
  private var echoes: OwnEchoes?

  private struct Open: Hashable, Sendable, Codable {
    let place: String
    let since: Timestamp
    /// How much motion had been seen by then, ever.
    let motionSeconds: Double
  }

  /// Whether it holds for the places of today.
  func knows(_ world: ArrivalWorld) -> Bool { known == world.placeIDs }

  var isEmpty: Bool { stays.isEmpty }

  /// The places, in the order in which the stays began.
  var places: [String] { stays.map(\.place) }

  /// Since when the person has been away from the place left last, if not for long enough yet.
  var awaySince: Timestamp? { stays.compactMap(\.awaySince).max() }

  func contains(_ place: ArrivalPlace) -> Bool {
    guard case .place(let id) = place else { return false }
    return stays.contains { $0.place == id }
  }

  /// Hears of new places: a person who is at one of them has not arrived there.
  ///
  /// One is left open for a while where that cannot be told yet: a first position may be poor, or lie elsewhere and say
  /// nothing of it.
  ///
  /// - Returns: the places at which the person is found to be that were left open before.
  mutating func learn(
    _ world: ArrivalWorld,
    at moment: ArrivalMoment,
    _ settings: DecisionSettings
  ) -> [String] {
    guard !knows(world) else { return [] }
    stays.removeAll { !world.placeIDs.contains($0.place) }
    echoes?.keep(world.placeIDs)
    var heardOf: [String] = []
    var found: [String] = []
    var stillOpen: [Open] = []
    for (id, point) in zip(world.placeIDs, world.placePoints) {
      let before = open?.first { $0.place == id }
      if known.contains(id) || contains(.place(id)) {
        heardOf.append(id)
      } else if isThere(moment, point, wasOpen: before != nil, settings) {
        stays.append(Stay(place: id))
        if before != nil { found.append(id) }
        heardOf.append(id)
      } else {
        let opened =
          before ?? Open(place: id, since: moment.at, motionSeconds: moment.motionSeconds)
        if mayBeThere(moment, point, since: opened, settings) {
          stillOpen.append(opened)
        } else {
          heardOf.append(id)
        }
      }
    }
    known = heardOf
    open = stillOpen.isEmpty ? nil : stillOpen
    return found
  }

  private func isThere(
    _ moment: ArrivalMoment,
    _ point: SurfacePoint,
    wasOpen: Bool,
    _ settings: DecisionSettings
  ) -> Bool {
    // The estimate follows a jump back slowly.
    isNear(moment.here, point, settings.ownAwayMeters)
      || wasOpen && moment.measured.map { isNear($0, point, settings.ownAwayMeters) } ?? false
  }

  /// Whether a person whose position lies elsewhere may be at a place all the same.
  private func mayBeThere(
    _ moment: ArrivalMoment,
    _ point: SurfacePoint,
    since opened: Open,
    _ settings: DecisionSettings
  ) -> Bool {
    let away = settings.awayMeters(
      beyond: settings.ownAwayMeters,
      deviationMeters: moment.deviationMeters
    )
    if away > settings.ownAwayMeters, isNear(moment.here, point, away) { return true }
    // Silence shows nothing, and a jump looks like a short ride.
    let mayHaveJumped =
      !moment.isFix
      || moment.at - opened.since < settings.jumpLasts && !moment.isWalking
        && moment.motionSeconds - opened.motionSeconds < settings.ownAwayFor.seconds
    return mayHaveJumped && isNear(moment.here, point, settings.ownJumpMeters)
  }

  /// Forgets a place, which has moved: who is at its new spot has not arrived there either.
  mutating func forget(_ place: String) {
    stays.removeAll { $0.place == place }
    known.removeAll { $0 == place }
    open?.removeAll { $0.place == place }
    echoes?.keep(known)
  }

  /// Ends a stay, for the person has been seen to leave.
  mutating func end(at place: String) {
    stays.removeAll { $0.place == place }
    echoes?.forgetWayOut()
  }

  /// Takes in an arrival: at one of the user's own places a stay begins with it.
  mutating func begin(
    at place: ArrivalPlace,
    _ moment: ArrivalMoment,
    _ settings: DecisionSettings
  ) {
    guard case .place(let id) = place else {
      echoes?.forgetWayOut()
      return
    }
    guard !contains(place) else { return }
    stays.append(Stay(place: id))
    echoes?.arrive(at: id, moment, settings)
  }

  /// Ends the stays at places that the person has been away from for long enough.
  ///
  /// Silence ends no stay. Where the newest fix was counts, too: the estimate follows a jump and takes what comes back
  /// for another.
  ///
  /// - Returns: the places.
  mutating func end(
    at moment: ArrivalMoment,
    _ settings: DecisionSettings,
    _ world: ArrivalWorld
  ) -> [String] {
    guard moment.isFix, !stays.isEmpty else { return [] }
    let (now, here) = (moment.at, moment.here)
    let away = settings.awayMeters(
      beyond: settings.ownAwayMeters,
      deviationMeters: moment.deviationMeters
    )
    var ended: [String] = []
    for i in stays.indices {
      let isMeasuredThere =
        moment.measured.map { !isFarther($0, than: settings.ownAwayMeters, from: stays[i], world) }
        ?? false
      if stays[i].awaySince == nil, stays[i].isAwayInDoubt != nil, !isMeasuredThere {
        stays[i].isAwayInDoubt = nil
        if moment.isOnWheels {
          ended.append(stays[i].place)
          echoes?.forgetWayOut()
          continue
        }
      }
      guard !isMeasuredThere, isFarther(here, than: away, from: stays[i], world) else {
        // A poor position says nothing of who may be there.
        guard isMeasuredThere || away == settings.ownAwayMeters else { continue }
        stays[i].awaySince = nil
        stays[i].isAwayInDoubt = nil
        stays[i].hasRestedAway = nil
        continue
      }
      if moment.isAtRest { stays[i].hasRestedAway = true }
      if let since = stays[i].awaySince {
        let mayHaveJumped = mayHaveJumped(stays[i], at: moment, settings, world)
        if now - since >= leastAway(stays[i], mayHaveJumped, at: moment, settings) {
          ended.append(stays[i].place)
          if echoes == nil { echoes = OwnEchoes() }
          echoes?.leave(stays[i].place, at: moment, mayHaveJumped: mayHaveJumped)
        }
        // Where networks alone tell, more of their positions say no more than the first.
        let isInDoubt = mayHaveJumped && moment.hasBeenUnderRoof(since: since)
        stays[i].isAwayInDoubt = isInDoubt ? true : nil
      } else {
        stays[i].awaySince = now
        let isFarther = isFarther(here, than: settings.ownJumpMeters, from: stays[i], world)
        stays[i].isAwayInDoubt = moment.isAtRest && !isFarther ? true : nil
      }
    }
    if !ended.isEmpty { stays.removeAll { ended.contains($0.place) } }
    return ended
  }

  /// Whether who seems to be away from a place may only have jumped: they were seen to rest there, and not to walk.
  private func mayHaveJumped(
    _ stay: Stay,
    at moment: ArrivalMoment,
    _ settings: DecisionSettings,
    _ world: ArrivalWorld
  ) -> Bool {
    (stay.hasRestedAway ?? false) && moment.isAtRest && !moment.isWalking
      && !isFarther(moment.here, than: settings.ownJumpMeters, from: stay, world)
  }

  /// For how long one must have been away from a place to have left it.
  private func leastAway(
    _ stay: Stay,
    _ mayHaveJumped: Bool,
    at moment: ArrivalMoment,
    _ settings: DecisionSettings
  ) -> Milliseconds {
    guard stay.hasRestedAway ?? false else { return settings.ownAwayInMotionFor }
    guard mayHaveJumped else { return settings.ownAwayFor }
    let isByNetworks =
      stay.awaySince.map { moment.hasBeenUnderRoof(since: $0) } ?? false
      || echoes?.explains(moment, awayFrom: stay.place, settings) ?? false
    return isByNetworks ? max(settings.jumpLasts, settings.roofJumpFor) : settings.jumpLasts
  }

  /// Ends the stays at places that the person was last seen away from, for the app has slept since.
  ///
  /// Of a sight that is in doubt the next fix decides.
  ///
  /// - Returns: the places.
  mutating func endUnseen() -> [String] {
    for i in stays.indices where stays[i].isAwayInDoubt != nil { stays[i].awaySince = nil }
    // What happened in its sleep is unknown.
    echoes?.forgetWayOut()
    return endAll { $0.awaySince != nil }
  }

  /// Ends the stays at places that are too far from where the person has arrived to be there as well.
  ///
  /// - Returns: the places.
  mutating func end(
    farFrom point: SurfacePoint,
    _ settings: DecisionSettings,
    _ world: ArrivalWorld
  ) -> [String] {
    let far = stays.filter { isFarther(point, than: settings.ownAwayMeters, from: $0, world) }
      .map(\.place)
    return endAll { far.contains($0.place) }
  }

  /// Ends all of them: the person is far from every place.
  ///
  /// - Returns: the places.
  mutating func endFarAway(_ world: ArrivalWorld) -> [String] {
    (known, open) = (world.placeIDs, nil)
    echoes?.forgetWayOut()
    return endAll { _ in true }
  }

  /// Whether a fix at a position would leave everything as it is.
  func isCalm(at here: SurfacePoint, _ settings: DecisionSettings, _ world: ArrivalWorld) -> Bool {
    stays.allSatisfy {
      $0.awaySince == nil && $0.isAwayInDoubt == nil
        && !isFarther(here, than: settings.ownAwayMeters, from: $0, world)
    }
  }

  private mutating func endAll(where isOver: (Stay) -> Bool) -> [String] {
    let ended = stays.filter(isOver).map(\.place)
    if !ended.isEmpty {
      stays.removeAll(where: isOver)
      echoes?.forgetWayOut()
    }
    return ended
  }

  private func isNear(_ here: SurfacePoint, _ point: SurfacePoint, _ meters: Double) -> Bool {
    here.chordSquared(to: point) <= meters * meters
  }

  private func isFarther(
    _ here: SurfacePoint,
    than meters: Double,
    from stay: Stay,
    _ world: ArrivalWorld
  ) -> Bool {
    guard let i = world.placeIDs.firstIndex(of: stay.place) else { return true }
    return !isNear(here, world.placePoints[i], meters)
  }
}

extension DecisionSettings {
  /// For how long rest that is not far off may be a jump: no shorter than any way out.
  var jumpLasts: Milliseconds { max(ownJumpFor, ownAwayFor) }

  /// From which distance on an estimate tells that one is away from a place: a poor one only from beyond its error.
  ///
  /// - Source: twice the deviation holds 86 % of a normal error in two axes, three times 98.9 %.
  func awayMeters(beyond meters: Double, deviationMeters: Double) -> Double {
    2 * deviationMeters <= meters ? meters : meters + 3 * deviationMeters
  }

  /// At which look a silence since a fix is an arrival at a place that nobody was seen to stop at; nil if none comes.
  func ownSilenceTold(after lastFixAt: Timestamp) -> Timestamp? {
    guard let first = ticksSeconds.first(where: { .seconds($0) >= ownSilence }),
      let told = ticksSeconds.first(where: { .seconds($0) >= .seconds(first) + hold })
    else { return nil }
    return lastFixAt + .seconds(told)
  }
}
