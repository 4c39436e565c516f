import Fencing
import Geodesy
import Places

/// Chooses regions as other projects do: the nearest, and a circle of a fixed size in which they stay.
///
/// - Complexity: O(k log n) for k slots and n points of interest per ladder and boundary.
/// - Source: ``RegionStrategy``, case by case.
package struct RivalPlanner: Sendable {
  private let strategy: RegionStrategy
  private let bubbleMeters: Double
  private let slots: Int
  private let catalog: POICatalog

  /// Makes a planner of one of the strategies that have a bubble.
  package init(_ strategy: RegionStrategy, slots: Int, catalog: POICatalog) {
    guard let bubble = strategy.bubbleMeters else {
      preconditionFailure("\(strategy.rawValue) is planned by RegionPlanner")
    }
    precondition(slots >= 1, "a monitor without a single region sees nothing")
    self.strategy = strategy
    bubbleMeters = bubble
    self.slots = slots
    self.catalog = catalog
  }

  /// Plans from a position.
  ///
  /// - Parameter current: what is watched now; the bubble stays until the phone leaves it.
  /// - Parameter safeID: the id for the bubble, one that was never used before.
  /// - Returns: equal plans for equal inputs: ties end with the region's id.
  package func plan(
    around position: Coordinate,
    _ ladders: [WatchedLadder],
    current: [Region],
    safeID: String
  ) -> RegionPlan {
    let here = SurfacePoint(position)
    var circles = circles(around: here, ladders)
    circles.sort { ($0.rank, $0.id) < ($1.rank, $1.id) }
    var entries: [RegionPlan.Entry] = []
    var rest: [Circle] = []
    // The bubble comes first, so that nothing can take its slot.
    let bubble = bubble(around: position, here, current, safeID)
    let suffix = strategy == .serverBubble ? "@" + safeID : ""
    for circle in circles {
      if let known = entries.firstIndex(where: { $0.region.id == circle.id + suffix }) {
        if entries[known].owners.last != circle.owner { entries[known].owners.append(circle.owner) }
      } else if entries.count < slots - 1 {
        entries.append(
          RegionPlan.Entry(region: circle.region(suffix: suffix), owners: [circle.owner])
        )
      } else {
        rest.append(circle)
      }
    }
    return RegionPlan(
      entries: [RegionPlan.Entry(region: bubble, owners: [])] + entries,
      certificate: certificate(of: entries, rest: rest, bubble: bubble, from: here)
    )
  }

  private func bubble(
    around position: Coordinate,
    _ here: SurfacePoint,
    _ current: [Region],
    _ safeID: String
  ) -> Region {
    if strategy != .serverBubble,
      let old = current.first(where: { $0.kind == .safe }),
      SurfacePoint(old.center).distanceMeters(to: here) < old.radiusMeters
    {
      return old
    }
    return Region(id: safeID, center: position, radiusMeters: bubbleMeters, kind: .safe)
  }

  /// What these strategies leave unsaid: what can be crossed inside the bubble without a wake.
  private func certificate(
    of entries: [RegionPlan.Entry],
    rest: [Circle],
    bubble: Region,
    from here: SurfacePoint
  ) -> Certificate {
    let middle = SurfacePoint(bubble.center)
    var atRisk: [Certificate.Risk] = []
    for circle in rest where circle.slackMeters(from: middle) < bubble.radiusMeters {
      let slack = circle.slackMeters(from: here)
      guard !atRisk.contains(where: { $0.id == circle.id }) else { continue }
      atRisk.append(
        Certificate.Risk(id: circle.id, slackMeters: slack, reason: .insideFixedBubble)
      )
    }
    atRisk.sort { ($0.slackMeters, $0.id) < ($1.slackMeters, $1.id) }
    return Certificate(
      covered: entries.map(\.region.id),
      safeRadiusMeters: rest.map { max(0, $0.slackMeters(from: here)) }.min(),
      atRisk: atRisk
    )
  }

  // MARK: Candidates

  private struct Circle {
    let id: String
    let owner: String
    let coordinate: Coordinate
    let center: SurfacePoint
    let radiusMeters: Double
    let side: Boundary.Side
    let rank: Double

    func slackMeters(from point: SurfacePoint) -> Double {
      let distance = center.distanceMeters(to: point)
      return side == .in ? distance - radiusMeters : radiusMeters - distance
    }

    func region(suffix: String) -> Region {
      Region(
        id: id + suffix,
        center: coordinate,
        radiusMeters: radiusMeters,
        kind: side == .in ? .enter : .exit
      )
    }
  }

  private func circles(around here: SurfacePoint, _ ladders: [WatchedLadder]) -> [Circle] {
    var circles: [Circle] = []
    for ladder in ladders {
      for boundary in ladder.boundaries {
        for candidate in candidates(of: boundary, ladder, here) {
          let distance = here.distanceMeters(to: SurfacePoint(candidate.coordinate))
          let side = boundary.side
          let slack =
            side == .in ? distance - candidate.radiusMeters : candidate.radiusMeters - distance
          // A circle that is crossed already would never fire.
          guard slack > 0 else { continue }
          let kind: Region.Kind = side == .in ? .enter : .exit
          let centimeters = Int64((candidate.radiusMeters * 100).rounded())
          circles.append(
            Circle(
              id: "\(kind.rawValue):\(candidate.id):\(centimeters)",
              owner: ladder.owner,
              coordinate: candidate.coordinate,
              center: SurfacePoint(candidate.coordinate),
              radiusMeters: candidate.radiusMeters,
              side: side,
              // Meters, rounded: "edgeDistance = max(0, centreDistance − radius)".
              rank: strategy == .nearestCenter
                ? distance.rounded() : max(0, distance - candidate.radiusMeters).rounded()
            )
          )
        }
      }
    }
    return circles
  }

  private func candidates(
    of boundary: Boundary,
    _ ladder: WatchedLadder,
    _ here: SurfacePoint
  ) -> [(id: String, coordinate: Coordinate, radiusMeters: Double)] {
    let discs: DiscRadius
    var beyond = 0.0
    switch boundary.reach {
    case .distance(let meters): discs = DiscRadius(leastMeters: meters)
    case .arrival(let beyondMeters):
      guard let arrival = ladder.arrival else { return [] }
      discs = arrival
      beyond = beyondMeters
    }
    switch ladder.target {
    case .place(let id, let coordinate):
      return [(id, coordinate, discs.leastMeters + beyond)]
    case .category(let slot):
      guard let slot else { return [] }
      // Centers are the edges of discs without a size. Going out is watched around one point.
      let near = catalog.nearestEdges(
        slot: slot,
        to: here,
        of: strategy == .nearestCenter && boundary.side == .in
          ? DiscRadius(leastMeters: 0) : discs,
        count: boundary.side == .in ? slots + 1 : 1
      )
      return near.map {
        let point = catalog.points[$0.index]
        let radius = discs.meters(footprintMeters: point.footprintRadiusMeters)
        return (point.sourceID, point.coordinate, radius + beyond)
      }
    }
  }
}
