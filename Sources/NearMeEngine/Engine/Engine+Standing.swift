import Fencing
import Geodesy
import Traces

/// A plan of regions that is right as long as the ladders stand as they stood and the phone stays in a
/// circle in which it crosses no region's edge.
struct StandingPlan: Hashable, Sendable, Codable {
  /// The ladders for which it was made, reminder by reminder.
  let ladders: [Ladder]
  /// Where, and how far one can be from there in a straight line.
  let centre: Coordinate
  let chordMeters: Double
}

/// While an arrival or an exit must hold, positions come every second. The plan that was made when that
/// began stays right: each boundary has a region of its own or lies outside the safe circle, and neither
/// changes while nothing is crossed. So plans are made where a ladder changed or an edge is near, and
/// when the app goes to sleep again.
extension Engine {
  /// Whether the present plan is right at a position, too.
  func stands(at fix: Fix, _ limits: MonitorLimits) -> Bool {
    guard let standing = state.standing, let certificate = state.certificate,
      limits.marginMeters(after: fix) <= certificate.marginMeters
        || certificate.safeRadiusMeters == nil
    else { return false }
    var index = 0
    for r in state.reminders.indices {
      for w in state.reminders[r].watches.indices {
        guard index < standing.ladders.count,
          state.reminders[r].watches[w].ladder == standing.ladders[index]
        else { return false }
        index += 1
      }
    }
    let reach = standing.chordMeters * standing.chordMeters
    return index == standing.ladders.count
      && SurfacePoint(standing.centre).chordSquared(to: SurfacePoint(fix.coordinate)) <= reach
  }

  /// Notes that the present plan was made at a position, and how far it reaches.
  mutating func stand(at fix: Fix) {
    guard state.certificate?.atRisk.isEmpty ?? false else { return }
    let here = SurfacePoint(fix.coordinate)
    var slackMeters = 1e6
    for entry in state.regions {
      let radius = entry.region.radiusMeters
      let asked = entry.askedRadiusMeters ?? radius
      let distance = here.distanceMeters(to: SurfacePoint(entry.region.centre))
      let slack =
        entry.region.kind == .enter ? distance - max(radius, asked) : min(radius, asked) - distance
      slackMeters = min(slackMeters, slack - max(0.05, distance * 4e-5) - Self.kept)
    }
    guard slackMeters > 0 else { return }
    state.standing = StandingPlan(
      ladders: state.reminders.flatMap { $0.watches.map(\.ladder) },
      centre: fix.coordinate,
      chordMeters: chordSquared(arcMeters: slackMeters).squareRoot()
    )
  }

  /// A meter is kept: the service may round otherwise than we do.
  private static let kept = 1.0
}
