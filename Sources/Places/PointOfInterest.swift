import Geodesy

/// The name of a kind of place that reminders can aim at, such as `pharmacy`.
///
/// ```swift
/// let pharmacy = CategoryID("pharmacy")
/// ```
public struct CategoryID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
  /// The name, in snake_case.
  public let name: String

  /// Makes a category's name.
  public init(_ name: String) { self.name = name }

  /// Reads the bare name.
  public init(from decoder: any Decoder) throws {
    name = try decoder.singleValueContainer().decode(String.self)
  }

  /// Writes the bare name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }

  /// The name.
  public var description: String { name }

  /// The name for people: `gas_station` is a "gas station".
  public var label: String {
    // Letter by letter it would take as long as all that is said of a place besides.
    String(decoding: name.utf8.map { $0 == UInt8(ascii: "_") ? 0x20 : $0 }, as: UTF8.self)
  }

  /// Orders categories by name.
  public static func < (a: CategoryID, b: CategoryID) -> Bool { a.name < b.name }
}

/// One place of the offline cache: a shop, a pump, a counter.
///
/// ```swift
/// let corner = PointOfInterest(
///   sourceID: "node/1",
///   categories: [CategoryID("pharmacy")],
///   name: "Corner Pharmacy",
///   coordinate: try Coordinate(latitude: 39.29, longitude: -76.61)
/// )
/// ```
public struct PointOfInterest: Hashable, Sendable {
  /// Where it comes from, such as `node/123`: its identity over updates of the cache.
  public let sourceID: String
  /// What it is; in order, at least one.
  public let categories: [CategoryID]
  /// Its name; nil where the map has none.
  public let name: String?
  /// The chain it belongs to; nil where the map has none.
  public let brand: String?
  /// What people call it: its name or, without one, the chain's; nil where the map has neither.
  package var spokenName: String? { name ?? brand }
  /// A point on it.
  public let coordinate: Coordinate
  /// How far its outline reaches from the point, in meters; 0 for something mapped as a point.
  public let footprintRadiusMeters: Double
  /// The widest that a place can be, as a footprint's radius: some 700 km are the largest national park of the earth; more is a
  /// corner that is elsewhere.
  package static let mostFootprintMeters = 1_000_000.0

  /// Makes a place; sorts its categories.
  public init(
    sourceID: String,
    categories: [CategoryID],
    name: String? = nil,
    brand: String? = nil,
    coordinate: Coordinate,
    footprintRadiusMeters: Double = 0
  ) {
    precondition(!categories.isEmpty, "a point of interest has at least one category")
    self.sourceID = sourceID
    // Most have one: a million places may share the memory of a few lists.
    self.categories = categories.count == 1 ? categories : categories.sorted()
    self.name = name
    self.brand = brand
    self.coordinate = coordinate
    self.footprintRadiusMeters = footprintRadiusMeters
  }
}
