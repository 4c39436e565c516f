import Geodesy

/// What a plan promises, in a form that can be checked: see ``CertificateCheck``.
///
/// It holds while the phone has not left the safe circle and no position has been asked for.
public struct Certificate: Hashable, Sendable, Codable {
  /// A boundary that may be crossed without a wake.
  public struct Risk: Hashable, Sendable, Codable {
    /// The region that would have watched it.
    public let id: String
    /// How far away it is, in meters.
    public let slackMeters: Double
    /// Why it is not watched.
    public let reason: Reason

    package init(id: String, slackMeters: Double, reason: Reason) {
      self.id = id
      self.slackMeters = slackMeters
      self.reason = reason
    }
  }

  /// Why a boundary is not watched.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// It lies nearer than the smallest safe circle, and every slot holds something nearer still, or no region is as large.
    case nearerThanSmallestRegion = "nearer_than_smallest_region"
    /// It is a circle smaller than the service watches. Leaving it is noticed late, by a larger one; and where the
    /// phone is inside that and outside of the fence, only the next positions say whether it comes in.
    case smallerThanSmallestRegion = "smaller_than_smallest_region"
    /// The strategy's circle has a fixed size, and reaches beyond it.
    case insideFixedBubble = "inside_fixed_bubble"
  }

  /// Boundaries with a region of their own, by region id, in order.
  public let covered: [String]
  /// Within this many meters of the safe circle's middle no boundary without a region can be crossed;
  /// nil if every boundary has one.
  public let safeRadiusMeters: Double?
  /// Boundaries that neither a region nor the safe circle covers, in order of slack, then id.
  public let atRisk: [Risk]
  /// How far beyond the safe circle there is still nothing, for a service that notices late.
  public let marginMeters: Double

  package init(
    covered: [String],
    safeRadiusMeters: Double?,
    atRisk: [Risk],
    marginMeters: Double = 0
  ) {
    self.covered = covered
    self.safeRadiusMeters = safeRadiusMeters
    self.atRisk = atRisk
    self.marginMeters = marginMeters
  }

  /// The same for those regions only that are still watched.
  public func covering(_ watched: [String]) -> Certificate {
    Certificate(
      covered: covered.filter { watched.contains($0) },
      safeRadiusMeters: safeRadiusMeters,
      atRisk: atRisk,
      marginMeters: marginMeters
    )
  }
}
