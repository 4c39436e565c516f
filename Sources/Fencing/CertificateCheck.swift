import Geodesy
import Places

/// Checks a plan's certificate by brute force: every boundary of every ladder, around every point.
///
/// It shares nothing with the planner but the measure of distance: no index, no order, no cut-off.
/// Coming in is checked exactly: each disc must be inside a region that wakes on the way in, or
/// outside the safe circle by the margin. Going out is checked by what holds the phone inside: the
/// safe circle or a region must lie within one disc of the target.
///
/// - Complexity: O(boundaries · points · regions).
public struct CertificateCheck: Sendable {
  /// Something that the certificate promises and that is not so.
  public enum Violation: Hashable, Sendable, CustomStringConvertible {
    /// More regions are watched than the service has.
    case tooManyRegions(held: Int, slots: Int)
    /// A boundary is called covered, and no region of that id is watched.
    case notWatched(id: String)
    /// The phone could come into a target's disc without a wake; nothing says that it is at risk.
    case unseenEntry(owner: String, center: String, radiusMeters: Double, slackMeters: Double)
    /// The phone could leave a target's discs without a wake; nothing says that it is at risk.
    case unseenExit(owner: String, radiusMeters: Double)

    /// What is wrong, as a sentence.
    public var description: String {
      switch self {
      case .tooManyRegions(let held, let slots):
        "\(held) regions are watched, and the service has \(slots)"
      case .notWatched(let id):
        "\(id) is called covered, and no such region is watched"
      case .unseenEntry(let owner, let center, let radius, let slack):
        "\(owner) can come within \(Int(radius)) m of \(center) unseen: that is "
          + "\(Int(slack)) m from the middle of the safe circle"
      case .unseenExit(let owner, let radius):
        "\(owner) can go farther than \(Int(radius)) m away unseen"
      }
    }
  }

  private let certificate: Certificate
  private let regions: [Region]
  private let safe: Region?
  private let catalog: POICatalog

  /// Checks a certificate.
  ///
  /// - Parameter regions: what is watched.
  /// - Parameter slots: how many regions the service has; nil is no limit.
  /// - Parameter ladders: what has to be noticed.
  /// - Returns: what is wrong, in the order of the ladders; nothing if all is as promised.
  public static func violations(
    of certificate: Certificate,
    regions: [Region],
    slots: Int?,
    _ ladders: [WatchedLadder],
    in catalog: POICatalog
  ) -> [Violation] {
    CertificateCheck(
      certificate: certificate,
      regions: regions,
      safe: regions.first { $0.kind == .safe },
      catalog: catalog
    )
    .violations(slots: slots, ladders)
  }

  private func violations(slots: Int?, _ ladders: [WatchedLadder]) -> [Violation] {
    var violations: [Violation] = []
    if let slots, regions.count > slots {
      violations.append(.tooManyRegions(held: regions.count, slots: slots))
    }
    for id in certificate.covered where !regions.contains(where: { $0.id == id }) {
      violations.append(.notWatched(id: id))
    }
    for ladder in ladders {
      for boundary in ladder.boundaries {
        let discs = discs(of: ladder, boundary)
        switch boundary.side {
        case .in:
          for disc in discs where !isSeenComingIn(disc) && !isComingInAtRisk(disc) {
            violations.append(
              .unseenEntry(
                owner: ladder.owner,
                center: disc.id,
                radiusMeters: disc.radiusMeters,
                slackMeters: safe.map { slackMeters(disc, from: $0) } ?? 0
              )
            )
          }
        case .out:
          if !discs.isEmpty, !isSeenGoingOut(discs),
            !discs.contains(where: { isGoingOutAtRisk($0) })
          {
            violations.append(
              .unseenExit(owner: ladder.owner, radiusMeters: discs[0].radiusMeters)
            )
          }
        }
      }
    }
    return violations
  }

  private struct Disc {
    let id: String
    let point: SurfacePoint
    let radiusMeters: Double
  }

  /// All discs that a boundary runs around.
  private func discs(of ladder: WatchedLadder, _ boundary: Boundary) -> [Disc] {
    let rule: DiscRadius
    let beyond: Double
    switch boundary.reach {
    case .distance(let meters): (rule, beyond) = (DiscRadius(leastMeters: meters), 0)
    case .arrival(let meters):
      guard let arrival = ladder.arrival else { return [] }
      (rule, beyond) = (arrival, meters)
    }
    switch ladder.target {
    case .place(let id, let coordinate):
      return [
        Disc(id: id, point: SurfacePoint(coordinate), radiusMeters: rule.leastMeters + beyond)
      ]
    case .category(let slot):
      guard let slot else { return [] }
      let category = catalog.categories[slot]
      return catalog.points.filter { $0.categories.contains(category) }
        .map { point in
          // The catalog keeps footprints as 32-bit numbers, rounded up.
          let stored = Float(point.footprintRadiusMeters)
          let footprint = Double(stored) < point.footprintRadiusMeters ? stored.nextUp : stored
          return Disc(
            id: point.sourceID,
            point: SurfacePoint(point.coordinate),
            radiusMeters: rule.meters(footprintMeters: Double(footprint)) + beyond
          )
        }
    }
  }

  private func slackMeters(_ disc: Disc, from region: Region) -> Double {
    SurfacePoint(region.center).distanceMeters(to: disc.point) - disc.radiusMeters
  }

  /// The phone cannot come into it without coming into a region, or leaving the safe circle long before.
  private func isSeenComingIn(_ disc: Disc) -> Bool {
    if let safe, slackMeters(disc, from: safe) > safe.radiusMeters + certificate.marginMeters {
      return true
    }
    return regions.contains { region in
      region.kind == .enter
        && SurfacePoint(region.center).distanceMeters(to: disc.point) + disc.radiusMeters
          <= region.radiusMeters + Self.rounding
    }
  }

  /// The phone cannot leave all discs without leaving a region that lies within one of them.
  private func isSeenGoingOut(_ discs: [Disc]) -> Bool {
    for region in regions where region.kind != .enter {
      let margin = region.kind == .safe ? certificate.marginMeters : 0
      let middle = SurfacePoint(region.center)
      for disc in discs
      where middle.distanceMeters(to: disc.point) + region.radiusMeters + margin
        <= disc.radiusMeters + Self.rounding
      {
        return true
      }
    }
    return false
  }

  /// Whether it is said that the disc, or a larger one around the same point, may be come into unseen.
  ///
  /// Once a doubted way out has held, coming in is at the disc's own edge. Until the next position, the plan
  /// speaks of the line around it at which it would have ceased to be doubted.
  private func isComingInAtRisk(_ disc: Disc) -> Bool {
    let prefix = "enter:\(disc.id):"
    return certificate.atRisk.contains { risk in
      risk.id.hasPrefix(prefix)
        && Int64(risk.id.dropFirst(prefix.count)).map { $0 >= centimeters(disc) } ?? false
    }
  }

  private func isGoingOutAtRisk(_ disc: Disc) -> Bool {
    let id = "exit:\(disc.id):\(centimeters(disc))"
    return certificate.atRisk.contains { $0.id == id }
  }

  private func centimeters(_ disc: Disc) -> Int64 { Int64((disc.radiusMeters * 100).rounded()) }

  /// Sums of meters round in their last bits.
  private static let rounding = 0.001
}
