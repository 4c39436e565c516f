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
  }

  /// In the order in which they began.
  private var stays: [Stay] = []
  /// The ids of the places that have been heard of, in order.
  private var known: [String] = []

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
  /// - Parameter here: the estimate of position; nil far from every place.
  mutating func learn(_ world: ArrivalWorld, here: SurfacePoint?, _ settings: DecisionSettings) {
    guard !knows(world) else { return }
    for (id, point) in zip(world.placeIDs, world.placePoints) where !known.contains(id) {
      if let here, !settings.isAway(here, from: point) { stays.append(Stay(place: id)) }
    }
    stays.removeAll { !world.placeIDs.contains($0.place) }
    known = world.placeIDs
  }

  /// Begins a stay, for the person has arrived.
  mutating func begin(at place: ArrivalPlace) {
    guard case .place(let id) = place, !contains(place) else { return }
    stays.append(Stay(place: id))
  }

  /// Ends the stays at places that the person has been away from for long enough.
  ///
  /// - Parameter isNews: whether the estimate is news; neither silence nor a very poor position ends a stay.
  /// - Returns: the places.
  mutating func end(
    at now: Timestamp,
    here: SurfacePoint,
    isNews: Bool,
    _ settings: DecisionSettings,
    _ world: ArrivalWorld
  ) -> [String] {
    guard isNews, !stays.isEmpty else { return [] }
    var ended: [String] = []
    for i in stays.indices {
      guard isAway(here, from: stays[i], settings, world) else {
        stays[i].awaySince = nil
        continue
      }
      if let since = stays[i].awaySince {
        if now - since >= settings.ownAwayFor { ended.append(stays[i].place) }
      } else {
        stays[i].awaySince = now
      }
    }
    if !ended.isEmpty { stays.removeAll { ended.contains($0.place) } }
    return ended
  }

  /// Ends the stays at places that the person was last seen away from: the app has slept since, for nothing
  /// else happened there.
  ///
  /// - Returns: the places.
  mutating func endUnseen() -> [String] { endAll { $0.awaySince != nil } }

  /// Ends all of them: the person is far from every place.
  ///
  /// - Returns: the places.
  mutating func endFarAway(_ world: ArrivalWorld) -> [String] {
    known = world.placeIDs
    return endAll { _ in true }
  }

  /// Whether a fix at a position would leave everything as it is.
  func isCalm(at here: SurfacePoint, _ settings: DecisionSettings, _ world: ArrivalWorld) -> Bool {
    stays.allSatisfy { $0.awaySince == nil && !isAway(here, from: $0, settings, world) }
  }

  private mutating func endAll(where isOver: (Stay) -> Bool) -> [String] {
    let ended = stays.filter(isOver).map(\.place)
    if !ended.isEmpty { stays.removeAll(where: isOver) }
    return ended
  }

  private func isAway(
    _ here: SurfacePoint,
    from stay: Stay,
    _ settings: DecisionSettings,
    _ world: ArrivalWorld
  ) -> Bool {
    guard let i = world.placeIDs.firstIndex(of: stay.place) else { return true }
    return settings.isAway(here, from: world.placePoints[i])
  }
}

extension DecisionSettings {
  /// Whether an estimate is good enough to tell being away from being there.
  ///
  /// - Source: twice its deviation holds 86 % of a normal error in two axes.
  func tellsAway(deviationMeters: Double) -> Bool { 2 * deviationMeters <= ownAwayMeters }

  fileprivate func isAway(_ here: SurfacePoint, from place: SurfacePoint) -> Bool {
    here.chordSquared(to: place) > ownAwayMeters * ownAwayMeters
  }
}
