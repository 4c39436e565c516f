import Geodesy

/// What a user's own place is to them; it decides the default tiers.
public enum PlaceKind: String, Hashable, Sendable, Codable, CaseIterable {
  /// Where they live.
  case home
  /// Where they work.
  case work
  /// Anywhere else.
  case other
}

/// A named point of the user's own.
///
/// ```swift
/// let home = Place(
///   id: "home",
///   name: "Home",
///   kind: .home,
///   coordinate: try Coordinate(latitude: 39.2904, longitude: -76.6122)
/// )
/// ```
public struct Place: Hashable, Sendable, Codable {
  /// Identity, unique among the user's places.
  public let id: String
  /// What the user calls it.
  public let name: String
  /// What it is to them.
  public let kind: PlaceKind
  /// Where it is.
  public let coordinate: Coordinate
  /// Radius in meters within which one has arrived; nil, which stands for what is no length, takes the policy's default.
  public let arrivalRadiusMeters: Double?

  /// Makes a place.
  public init(
    id: String,
    name: String,
    kind: PlaceKind,
    coordinate: Coordinate,
    arrivalRadiusMeters: Double? = nil
  ) {
    self.id = id
    self.name = name
    self.kind = kind
    self.coordinate = coordinate
    self.arrivalRadiusMeters = arrivalRadiusMeters.flatMap { $0 > 0 && $0 <= 1_000_000 ? $0 : nil }
  }

  /// Two places of one name, or of one id, that are no farther from each other are the same.
  ///
  /// - Source: two addresses' positions of one house differ by its length, and some programs write fewer digits; a
  ///   neighbor's home has another name.
  package static let samePlaceMeters = 25.0

  /// Whether another place lies where this one does, as far as addresses and other programs can tell.
  package func lies(where other: Place) -> Bool {
    coordinate.distanceMeters(to: other.coordinate) <= Self.samePlaceMeters
  }
}
