import Fencing
import Geodesy
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
/// changes while nothing is crossed. So plans are made where a ladder changed or an edge is near, and
/// when the app goes to sleep again.
extension RegionWatch {
  /// Whether the present plan is right at a position, too.
  func stands(at fix: Fix, _ ladders: some LadderSource) -> Bool {
    guard let standing = state.standing, let certificate = state.certificate,
      limits.marginMeters(after: fix) <= certificate.marginMeters
        || certificate.safeRadiusMeters == nil,
      standing.ladders.count == ladders.ladderCount
    else { return false }
    for i in standing.ladders.indices where standing.ladders[i] != ladders.ladder(i) {
      return false
    }
    let reach = standing.chordMeters * standing.chordMeters
    return SurfacePoint(standing.center).chordSquared(to: SurfacePoint(fix.coordinate)) <= reach
  }

  /// Notes that the present plan was made at a position, and how far it reaches.
  mutating func stand(at fix: Fix, _ ladders: some LadderSource) {
    guard state.certificate?.atRisk.isEmpty ?? false else { return }
    let here = SurfacePoint(fix.coordinate)
    var slackMeters = 1e6
    for entry in state.regions {
      let radius = entry.region.radiusMeters
      let asked = entry.askedRadiusMeters ?? radius
      let distance = here.distanceMeters(to: SurfacePoint(entry.region.center))
      let slack =
        entry.region.kind == .enter ? distance - max(radius, asked) : min(radius, asked) - distance
      slackMeters = min(slackMeters, slack - max(0.05, distance * 4e-5) - Self.keptMeters)
    }
    guard slackMeters > 0 else { return }
    state.standing = StandingPlan(
      ladders: (0..<ladders.ladderCount).map { ladders.ladder($0) },
      center: fix.coordinate,
      chordMeters: chordSquared(arcMeters: slackMeters).squareRoot()
    )
  }

  /// The service may round otherwise than we do.
  private static let keptMeters = 1.0
}
