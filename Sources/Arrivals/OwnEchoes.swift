import Geodesy
import Timeline

/// Where positions jump to from one of the user's own places, and come back from, again and again.
///
/// A network in the house is known at a wrong spot, and heard for minutes every hour. The first time nobody can tell; who
/// was seen neither to go there nor to come back, more than once, was at the place all along. Rest there is no way out for
/// as long as a jump by networks lasts: who has moved next door has left after that.
///
/// - Complexity: O(places) for a fix that lies away from one, else nothing.
struct OwnEchoes: Hashable, Sendable, Codable {
  private struct Echo: Hashable, Sendable, Codable {
    let place: String
    let point: SpacePoint
    /// How often positions have come back from there.
    var times: Int
  }

  private struct WayOut: Hashable, Sendable, Codable {
    let place: String
    let point: SpacePoint
    /// How much motion had been seen by then, ever.
    let motionSeconds: Double
  }

  /// In the order in which they were found.
  private var echoes: [Echo] = []
  /// The newest way out, if it may have been a jump.
  private var wayOut: WayOut?

  /// Of each place so many are remembered: the newest.
  ///
  /// - Source: judgment: few networks are heard in one house, and fewer have moved.
  private static let most = 4

  /// Whether positions have jumped before to where one seems to rest, away from a place.
  func explains(
    _ moment: ArrivalMoment,
    awayFrom place: String,
    _ settings: DecisionSettings
  ) -> Bool {
    let here = moment.measured ?? moment.here
    return echoes.contains {
      $0.place == place && $0.times >= settings.echoTimes && Self.isNear($0.point, here, settings)
    }
  }

  /// Takes in that somebody has left a place.
  ///
  /// - Parameter mayHaveJumped: whether they were only seen to rest elsewhere.
  mutating func leave(_ place: String, at moment: ArrivalMoment, mayHaveJumped: Bool) {
    wayOut =
      mayHaveJumped
      ? WayOut(
        place: place,
        point: SpacePoint(moment.measured ?? moment.here),
        motionSeconds: moment.motionSeconds
      ) : nil
  }

  /// Takes in that somebody is said to have arrived at a place; who was not seen on a way meanwhile had not left.
  mutating func arrive(at place: String, _ moment: ArrivalMoment, _ settings: DecisionSettings) {
    guard let out = wayOut else { return }
    wayOut = nil
    guard out.place == place else { return }
    let seconds = moment.motionSeconds - out.motionSeconds
    guard seconds >= 0, seconds < settings.ownAwayFor.seconds, !moment.isWalking else { return }
    if let i = echoes.firstIndex(where: {
      $0.place == place && Self.isNear($0.point, out.point.surface, settings)
    }) {
      echoes[i].times += 1
      return
    }
    let others = echoes.indices.filter { echoes[$0].place == place }
    if others.count >= Self.most { echoes.remove(at: others[0]) }
    echoes.append(Echo(place: place, point: out.point, times: 1))
  }

  /// Forgets what was found at places that are not these.
  mutating func keep(_ places: [String]) {
    echoes.removeAll { !places.contains($0.place) }
    if let out = wayOut, !places.contains(out.place) { wayOut = nil }
  }

  /// Forgets a way out: somebody has been elsewhere since, or may have been.
  mutating func forgetWayOut() { wayOut = nil }

  private static func isNear(
    _ point: SpacePoint,
    _ here: SurfacePoint,
    _ settings: DecisionSettings
  ) -> Bool {
    here.chordSquared(to: point.surface) <= settings.echoMeters * settings.echoMeters
  }
}
