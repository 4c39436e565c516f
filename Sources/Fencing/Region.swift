import Geodesy

/// A circle that the operating system is asked to watch.
public struct Region: Hashable, Sendable, Codable {
  /// Which crossing wakes the app.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// Coming in.
    case enter
    /// Going out.
    case exit
    /// Going out of the circle within which nothing that is not registered can happen.
    case safe
  }

  /// Identity: the same fence has the same id in every plan; a safe circle never comes back.
  public let id: String
  /// The middle.
  public let centre: Coordinate
  /// The radius in meters.
  public let radiusMeters: Double
  /// Which crossing wakes the app.
  public let kind: Kind

  /// Makes a region.
  public init(id: String, centre: Coordinate, radiusMeters: Double, kind: Kind) {
    self.id = id
    self.centre = centre
    self.radiusMeters = radiusMeters
    self.kind = kind
  }
}

/// What a location service can do; the planner stays within it.
public struct MonitorLimits: Hashable, Sendable, Codable {
  /// The most regions at once; nil is no limit.
  public var slots: Int?
  /// The smallest safe circle that it serves well.
  public var smallestSafeRadiusMeters: Double
  /// How far beyond a boundary, in place and time, it may notice: kept from the safe circle.
  public var safeMarginMeters: Double

  /// Makes limits; the defaults are those of a service that is never late.
  public init(
    slots: Int? = 20,
    smallestSafeRadiusMeters: Double = 0,
    safeMarginMeters: Double = 0
  ) {
    precondition(slots.map { $0 >= 1 } ?? true, "a monitor without a single region sees nothing")
    self.slots = slots
    self.smallestSafeRadiusMeters = smallestSafeRadiusMeters
    self.safeMarginMeters = safeMarginMeters
  }
}

/// What a plan promises, in a form that can be checked.
public struct Certificate: Hashable, Sendable, Codable {
  /// A boundary that may be crossed without a wake.
  public struct Risk: Hashable, Sendable, Codable {
    /// The region that would have watched it.
    public let id: String
    /// How far away it is, in meters.
    public let slackMeters: Double
    /// Why it is not watched.
    public let reason: Reason
  }

  /// Why a boundary is not watched.
  public enum Reason: String, Hashable, Sendable, Codable {
    /// It lies nearer than the smallest safe circle, and every slot holds something nearer still.
    case nearerThanSmallestRegion = "nearer_than_smallest_region"
    /// The strategy's circle has a fixed size, and reaches beyond it.
    case insideFixedBubble = "inside_fixed_bubble"
  }

  /// Boundaries with a region of their own, by region id, in order.
  public let covered: [String]
  /// Within this many meters of the plan's centre no boundary without a region can be crossed; nil
  /// if every boundary has one.
  public let safeRadiusMeters: Double?
  /// Boundaries that neither a region nor the safe circle covers, in order of slack, then id.
  public let atRisk: [Risk]
}
