import Fencing
import Geodesy
import NearMeEngine
import Places
import TestSupport
import Timeline
import Traces

/// A ladder's move, as the oracle and a replay both tell it.
struct Move: Hashable, CustomStringConvertible {
  let at: Timestamp
  let reminder: String
  let tier: String
  let kind: TransitionRecord.Kind

  var description: String { "\(RFC3339.format(at)) \(reminder) \(tier) \(kind.rawValue)" }
}

/// What an unlimited monitor without latency would see: every fix, every point, no index, no plan.
struct Oracle {
  private struct Target {
    let id: String
    let points: [(SurfacePoint, arrivalRadius: Double)]
    let tiers: [Tier]
    let shape: LadderShape
    var ladder = Ladder()
  }

  private let settings = FencingSettings()
  private let gateSettings = FixGateSettings()
  private var gate = FixGate()
  private var targets: [Target] = []
  private var newest: Timestamp?
  private(set) var moves: [Move] = []

  init(places: [Place], reminders: [Reminder], pois: [PointOfInterest], policy: Policy) throws {
    for reminder in reminders {
      let tiers: [Tier]
      var arrivalRadius = policy.tiers.arrivalRadiusMeters
      var points: [(SurfacePoint, arrivalRadius: Double)] = []
      switch reminder.target {
      case .category(let category):
        tiers = reminder.tiers ?? policy.tiers.category
        for poi in pois where poi.categories.contains(category) {
          let reach = Double(Float(poi.footprintRadiusMeters).nextUp)
          points.append(
            (
              SurfacePoint(poi.coordinate),
              poi.footprintRadiusMeters > 0 ? max(arrivalRadius, reach + 50) : arrivalRadius
            )
          )
        }
      case .place(let id):
        guard let place = places.first(where: { $0.id == id }) else { continue }
        arrivalRadius = place.arrivalRadiusMeters ?? arrivalRadius
        tiers =
          reminder.tiers
          ?? (place.kind == .home
            ? policy.tiers.home : place.kind == .work ? policy.tiers.work : policy.tiers.other)
        points.append((SurfacePoint(place.coordinate), arrivalRadius))
      case nil: continue
      }
      let ringTiers = tiers.filter {
        if case .postArrival = $0 { return false }
        return true
      }
      let rings = ringTiers.map { tier in
        if case .approach(let meters) = tier {
          return Ring(kind: .approach, radiusMeters: meters)
        }
        return Ring(kind: .arrival, radiusMeters: arrivalRadius)
      }
      targets.append(
        Target(
          id: reminder.id,
          points: points,
          tiers: ringTiers,
          shape: try LadderShape(rings)
        )
      )
    }
  }

  mutating func consume(_ fix: Fix) {
    let point = SurfacePoint(fix.coordinate)
    let previous = gate.last
    // Time passes whether or not the position is believed.
    advance(to: fix.at)
    newest = max(newest ?? fix.at, fix.at)
    guard gate.refuse(fix, at: point, gateSettings) == nil else { return }
    for t in targets.indices where !targets[t].points.isEmpty {
      var sight = TargetSight(distanceMeters: .infinity, arrivalSlackMeters: .infinity)
      for (center, radius) in targets[t].points {
        let distance = center.distanceMeters(to: point)
        sight.distanceMeters = min(sight.distanceMeters, distance)
        if targets[t].shape.hasArrival {
          sight.arrivalSlackMeters = min(sight.arrivalSlackMeters, distance - radius)
        }
      }
      if let previous, fix.at - previous.at <= settings.crossingGap,
        SurfacePoint(previous.coordinate).chordSquared(to: point).squareRoot()
          <= 100 * max(1, (fix.at - previous.at).seconds)
      {
        sight.passingDistanceMeters = targets[t].points
          .map { leastDistance(SurfacePoint(previous.coordinate), point, to: $0.0) }.min()
      }
      note(
        targets[t].ladder
          .observe(
            sight,
            accuracyMeters: fix.horizontalAccuracyMeters,
            speedMetersPerSecond: fix.speedMetersPerSecond,
            at: fix.at,
            targets[t].shape,
            settings
          ),
        targets[t]
      )
    }
  }

  /// Ends the trace at its newest fix.
  mutating func finish() {
    if let newest { advance(to: newest) }
  }

  private mutating func advance(to now: Timestamp) {
    while true {
      let due = targets.compactMap(\.ladder.nextInstant).min()
      guard let due, due <= now else { return }
      for t in targets.indices {
        note(targets[t].ladder.advance(to: due, targets[t].shape), targets[t])
      }
    }
  }

  private mutating func note(_ transitions: [RingTransition], _ target: Target) {
    for transition in transitions {
      moves.append(
        Move(
          at: transition.at,
          reminder: target.id,
          tier: target.tiers[transition.ring].name,
          kind: transition.kind == .enter ? .enter : .exit
        )
      )
    }
  }

  private func leastDistance(
    _ a: SurfacePoint,
    _ b: SurfacePoint,
    to c: SurfacePoint
  ) -> Double {
    let (dx, dy, dz) = (b.x - a.x, b.y - a.y, b.z - a.z)
    let lengthSquared = dx * dx + dy * dy + dz * dz
    let dot = (c.x - a.x) * dx + (c.y - a.y) * dy + (c.z - a.z) * dz
    let share = lengthSquared > 0 ? min(1, max(0, dot / lengthSquared)) : 0
    let nearest = SurfacePoint(x: a.x + share * dx, y: a.y + share * dy, z: a.z + share * dz)
    return arcMeters(chordSquared: nearest.chordSquared(to: c))
  }
}
