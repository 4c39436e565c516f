/// A position on the WGS 84 ellipsoid, in degrees.
///
/// Always within the poles and with a finite longitude in −180 … 180, unless it was made by
/// ``init(uncheckedLatitude:longitude:)`` from data that had been checked before.
///
/// ```swift
/// let harbor = try Coordinate(latitude: 39.2854, longitude: -76.6089)
/// let degrees = (harbor.latitude, harbor.longitude)
/// ```
public struct Coordinate: Hashable, Sendable, Codable {
  /// Degrees north, −90 … 90.
  public let latitude: Double
  /// Degrees east, −180 … 180.
  public let longitude: Double

  /// Makes a coordinate, or says which of the two numbers is impossible.
  ///
  /// - Throws: ``CoordinateError`` for a non-finite number, a latitude beyond the poles or a
  ///   longitude beyond ±180.
  public init(latitude: Double, longitude: Double) throws(CoordinateError) {
    guard latitude.isFinite, (-90.0...90.0).contains(latitude) else {
      throw .latitudeOutOfRange(latitude)
    }
    guard longitude.isFinite, (-180.0...180.0).contains(longitude) else {
      throw .longitudeOutOfRange(longitude)
    }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Makes a coordinate from numbers that are known to be valid.
  public init(uncheckedLatitude latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Makes a coordinate from ten-millionths of a degree, the unit of OpenStreetMap and of the cache.
  ///
  /// - Precision: one unit is at most 11.1 mm on the ground.
  public init(latitudeE7: Int32, longitudeE7: Int32) {
    self.init(
      uncheckedLatitude: Double(latitudeE7) / 1e7,
      longitude: Double(longitudeE7) / 1e7
    )
  }

  /// The latitude in ten-millionths of a degree, rounded to the nearest.
  public var latitudeE7: Int32 { Int32((latitude * 1e7).rounded()) }
  /// The longitude in ten-millionths of a degree, rounded to the nearest.
  public var longitudeE7: Int32 { Int32((longitude * 1e7).rounded()) }

  private enum CodingKeys: String, CodingKey {
    case latitude = "lat"
    case longitude = "lon"
  }

  /// Reads the two numbers.
  ///
  /// An estimate beside the antimeridian may lie some meters beyond it, and is stored so. What is refused is no
  /// position at all; whoever reads what people write checks the bounds (``init(latitude:longitude:)``).
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    latitude = try container.decode(Double.self, forKey: .latitude)
    longitude = try container.decode(Double.self, forKey: .longitude)
    guard abs(latitude) <= 360, abs(longitude) <= 360 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "these are no coordinates")
      )
    }
  }
}

/// Why two numbers are not a position.
public enum CoordinateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Not finite, or beyond a pole.
  case latitudeOutOfRange(Double)
  /// Not finite, or beyond ±180 degrees.
  case longitudeOutOfRange(Double)

  /// The reason as a sentence.
  public var description: String {
    switch self {
    case .latitudeOutOfRange(let value): "latitude \(value) is not between -90 and 90"
    case .longitudeOutOfRange(let value): "longitude \(value) is not between -180 and 180"
    }
  }
}
