import Fencing
import Geodesy
import Timeline
import Traces

/// A plan of regions that is right as long as the ladders stand as they stood and the phone stays in a
/// circle in which it crosses no region's edge.
package struct StandingPlan: Hashable, Sendable, Codable {
  /// The ladders for which it was made, reminder by reminder.
  package let ladders: [Ladder]
  /// Where, and how far one can be from there in a straight line.
  package let center: Coordinate
  package let chordMeters: Double

  /// The names in states, which outlive those of the source.
  private enum CodingKeys: String, CodingKey {
    case ladders, chordMeters
    case center = "centre"
  }
}

/// While an arrival or an exit must hold, positions come every second. The plan that was made when that
/// began stays right: each boundary has a region of its own or lies outside the safe circle, and neither
/// changes while nothing is crossed. So plans are made where a ladder changed or a boundary is near, and
/// when the app goes to sleep again.
extension RegionWatch {
  /// Whether the present plan is right at a position, too.
  ///
  /// A region that was asked for earlier than its boundary, and crossed there, is asked for anew: should the app be
  /// killed, it is woken as by a plan that was made here.
  ///
  /// - Complexity: O(ladders), and O(regions) near what was asked for early.
  mutating func stands(
    at fix: Fix,
    _ now: Timestamp,
    areCounted: Bool,
    _ ladders: some LadderSource,
    _ turn: inout EventTurn
  ) -> Bool {
    guard let standing = state.standing, let certificate = state.certificate,
      limits.marginMeters(after: fix) <= certificate.marginMeters
        || certificate.safeRadiusMeters == nil,
      standing.ladders.count == ladders.ladderCount
    else { return false }
    for i in standing.ladders.indices where standing.ladders[i] != ladders.ladder(i) {
      return false
    }
    let here = SurfacePoint(fix.coordinate)
    let reach = standing.chordMeters * standing.chordMeters
    guard SurfacePoint(standing.center).chordSquared(to: here) <= reach else { return false }
    if let askedCircle, askedCircle.center.chordSquared(to: here) <= askedCircle.chordSquared {
      return true
    }
    renew(from: here, at: now, areCounted: areCounted, &turn)
    askedCircle = circle(around: here, asAsked: true).map { (here, $0) }
    return true
  }

  /// Notes that the present plan was made at a position, and how far it reaches.
  mutating func stand(at fix: Fix, _ ladders: some LadderSource) {
    let here = SurfacePoint(fix.coordinate)
    askedCircle = nil
    guard state.certificate?.atRisk.isEmpty ?? false,
      let chordSquared = circle(around: here, asAsked: false)
    else { return }
    state.standing = StandingPlan(
      ladders: (0..<ladders.ladderCount).map { ladders.ladder($0) },
      center: fix.coordinate,
      chordMeters: chordSquared.squareRoot()
    )
  }

  /// How far the phone can go before it crosses the boundary of a region, or the edge that was asked for.
  ///
  /// - Returns: the square of the straight line, in square meters; nil where it may have crossed one.
  private func circle(around here: SurfacePoint, asAsked: Bool) -> Double? {
    var slackMeters = 1e6
    for entry in state.regions {
      let radius = asAsked ? entry.askedRadiusMeters : nil
      let edge = radius ?? entry.region.radiusMeters
      let distance = here.distanceMeters(to: SurfacePoint(entry.region.center))
      let slack = entry.region.kind == .enter ? distance - edge : edge - distance
      slackMeters = min(slackMeters, slack - max(0.05, distance * 4e-5) - Self.keptMeters)
      if slackMeters <= 0 { return nil }
    }
    return chordSquared(arcMeters: slackMeters)
  }

  /// Asks anew for the regions whose asked edge the phone has crossed, each as early as it can still fire.
  private mutating func renew(
    from here: SurfacePoint,
    at now: Timestamp,
    areCounted: Bool,
    _ turn: inout EventTurn
  ) {
    var start: [Region] = []
    for i in state.regions.indices {
      let region = state.regions[i].region
      let distance = here.distanceMeters(to: SurfacePoint(region.center))
      guard isSpent(state.regions[i], fromMeters: distance) else { continue }
      let asked = region.anticipated(
        byMeters: policy.anticipationMeters,
        fromMeters: distance,
        atLeast: limits.smallestRegionMeters,
        atMost: limits.mostRegionMeters
      )
      state.regions[i].askedRadiusMeters = asked.radiusMeters
      start.append(asked)
    }
    request(start: start, stop: start.map(\.id), at: now, areCounted: areCounted, &turn)
  }

  /// The service may round otherwise than we do.
  private static let keptMeters = 1.0
}
