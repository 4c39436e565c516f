import Geodesy

/// A circle that the operating system is asked to watch.
///
/// ```swift
/// for region in change.start {
///   switch region.kind {
///   case .enter: print("wake me inside", region.center, region.radiusMeters)
///   case .exit, .safe: print("wake me outside", region.center, region.radiusMeters)
///   }
/// }
/// ```
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
  public let center: Coordinate
  /// The radius in meters.
  public let radiusMeters: Double
  /// Which crossing wakes the app.
  public let kind: Kind

  /// The names in states and outboxes, which outlive those of the source.
  private enum CodingKeys: String, CodingKey {
    case id, radiusMeters, kind
    case center = "centre"
  }

  /// Makes a region.
  public init(id: String, center: Coordinate, radiusMeters: Double, kind: Kind) {
    self.id = id
    self.center = center
    self.radiusMeters = radiusMeters
    self.kind = kind
  }
}
