import Traces

/// What a location service can do, and how late it does it; the planner stays within it.
///
/// ```swift
/// let limits = MonitorLimits(slots: 20)
/// ```
public struct MonitorLimits: Hashable, Sendable, Codable {
  /// The most regions at once; nil is no limit.
  public var slots: Int?
  /// The smallest region that it serves, in meters: a smaller fence is watched by a circle of this
  /// size, and the next positions say whether it was reached.
  public var smallestRegionMeters: Double
  /// The largest region that it serves, in meters; 0 is any.
  ///
  /// A larger safe circle is cut to it, and what would need a larger region for itself is guarded by the safe circle.
  public var largestRegionMeters: Double
  /// The smallest safe circle that it serves well, in meters.
  public var smallestSafeRadiusMeters: Double
  /// Kept from the safe circle in any case, in meters.
  public var safeMarginMeters: Double
  /// How far beyond a boundary it notices a crossing, in meters: kept from the safe circle.
  public var cushionMeters: Double
  /// How late it wakes the app, in seconds: kept from the safe circle is what one moves in that time.
  public var latencySeconds: Double
  /// The speed to reckon with while none is known or it is lower, in m/s.
  public var leastSpeedMetersPerSecond: Double
  /// This share of a position's accuracy is kept from the safe circle, too.
  public var accuracyShare: Double

  /// Makes limits; the defaults are those of a service that is never late.
  public init(
    slots: Int? = 20,
    smallestRegionMeters: Double = 0,
    largestRegionMeters: Double = 0,
    smallestSafeRadiusMeters: Double = 0,
    safeMarginMeters: Double = 0,
    cushionMeters: Double = 0,
    latencySeconds: Double = 0,
    leastSpeedMetersPerSecond: Double = 0,
    accuracyShare: Double = 0
  ) {
    precondition(slots.map { $0 >= 1 } ?? true, "a monitor without a single region sees nothing")
    self.slots = slots
    self.smallestRegionMeters = smallestRegionMeters
    self.largestRegionMeters = largestRegionMeters
    self.smallestSafeRadiusMeters = smallestSafeRadiusMeters
    self.safeMarginMeters = safeMarginMeters
    self.cushionMeters = cushionMeters
    self.latencySeconds = latencySeconds
    self.leastSpeedMetersPerSecond = leastSpeedMetersPerSecond
    self.accuracyShare = accuracyShare
  }

  /// Reads limits; those of before had no largest region.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    slots = try container.decodeIfPresent(Int.self, forKey: .slots)
    func number(_ key: CodingKeys) throws -> Double {
      try container.decode(Double.self, forKey: key)
    }
    smallestRegionMeters = try number(.smallestRegionMeters)
    largestRegionMeters =
      try container.decodeIfPresent(Double.self, forKey: .largestRegionMeters) ?? 0
    smallestSafeRadiusMeters = try number(.smallestSafeRadiusMeters)
    safeMarginMeters = try number(.safeMarginMeters)
    cushionMeters = try number(.cushionMeters)
    latencySeconds = try number(.latencySeconds)
    leastSpeedMetersPerSecond = try number(.leastSpeedMetersPerSecond)
    accuracyShare = try number(.accuracyShare)
  }

  /// The largest radius of a region, in meters; infinite where any is served.
  package var mostRegionMeters: Double {
    largestRegionMeters > 0 ? largestRegionMeters : .infinity
  }

  /// What is kept from the safe circle after a fix, in meters.
  ///
  /// - Source: shared specification of the planner: "a margin for accuracy, cushion and speed ×
  ///   latency".
  public func marginMeters(after fix: Fix) -> Double {
    let speed = max(leastSpeedMetersPerSecond, fix.speedMetersPerSecond ?? 0)
    return safeMarginMeters + cushionMeters + speed * latencySeconds
      + accuracyShare * fix.horizontalAccuracyMeters
  }
}
