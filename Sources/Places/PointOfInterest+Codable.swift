import Geodesy

/// Places for an app that reads no caches: `nearme cache export --format places` writes a list of them.
///
/// ```swift
/// let catalog = try JSONDecoder().decode(POICatalog.self, from: data)
/// ```
extension PointOfInterest: Codable {
  private enum CodingKeys: String, CodingKey {
    case sourceID = "source_id"
    case categories, name, brand
    case latitude = "lat"
    case longitude = "lon"
    case footprintRadiusMeters = "footprint_radius"
  }

  /// Reads a place.
  ///
  /// - Throws: `DecodingError` where a key is missing, there is no category, or the coordinate is not on the earth.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let categories = try container.decode([CategoryID].self, forKey: .categories)
    guard !categories.isEmpty else {
      throw DecodingError.dataCorruptedError(
        forKey: .categories,
        in: container,
        debugDescription: "a place has at least one category"
      )
    }
    let coordinate: Coordinate
    do {
      coordinate = try Coordinate(
        latitude: try container.decode(Double.self, forKey: .latitude),
        longitude: try container.decode(Double.self, forKey: .longitude)
      )
    } catch let error as CoordinateError {
      throw DecodingError.dataCorruptedError(
        forKey: .latitude,
        in: container,
        debugDescription: "\(error)"
      )
    }
    let radius = try container.decodeIfPresent(Double.self, forKey: .footprintRadiusMeters) ?? 0
    self.init(
      sourceID: try container.decode(String.self, forKey: .sourceID),
      categories: categories,
      name: try container.decodeIfPresent(String.self, forKey: .name),
      brand: try container.decodeIfPresent(String.self, forKey: .brand),
      coordinate: coordinate,
      footprintRadiusMeters: radius.isFinite ? max(0, radius) : 0
    )
  }

  /// Writes a place.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(sourceID, forKey: .sourceID)
    try container.encode(categories, forKey: .categories)
    try container.encodeIfPresent(name, forKey: .name)
    try container.encodeIfPresent(brand, forKey: .brand)
    try container.encode(coordinate.latitude, forKey: .latitude)
    try container.encode(coordinate.longitude, forKey: .longitude)
    if footprintRadiusMeters > 0 {
      try container.encode(footprintRadiusMeters, forKey: .footprintRadiusMeters)
    }
  }
}

extension POICatalog: Decodable {
  /// Reads a list of places.
  ///
  /// - Throws: `DecodingError` where one cannot be read, or two have one id.
  public init(from decoder: any Decoder) throws {
    let places = try [PointOfInterest](from: decoder)
    var ids: Set<String> = []
    for place in places where !ids.insert(place.sourceID).inserted {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "two places have the source_id \(place.sourceID)"
        )
      )
    }
    self.init(places)
  }
}
