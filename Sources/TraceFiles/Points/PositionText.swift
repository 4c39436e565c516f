import Basics
import Traces

/// Positions that a format writes as one text.
enum PositionText {
  /// Reads `geo:48.1,11.5`, `48.1°, 11.5°`, `48.1, 11.5` or `POINT(11.5 48.1)`, where a third number is an
  /// elevation unless `M` alone says that it is a measure, and `SRID=4326;` may stand before it.
  ///
  /// - Source: RFC 5870 (geo URIs), Google's timeline exports, OGC 06-103r4 (well-known text, where
  ///   the longitude comes first).
  static func parse(
    _ text: String
  ) -> (
    latitude: Double, longitude: Double, elevationMeters: Double?
  )? {
    var rest = text[...].drop { $0 == " " }
    // Of other systems the numbers are no degrees.
    let system = "SRID=4326;"
    if rest.prefix(system.count).uppercased() == system {
      rest = rest.dropFirst(system.count).drop { $0 == " " }
    }
    var isMeasure = false
    var isLongitudeFirst = false
    if rest.hasPrefix("geo:") {
      rest = rest.dropFirst(4).prefix { $0 != ";" }
    } else if rest.lowercased().hasPrefix("point") {
      isLongitudeFirst = true
      guard let open = rest.firstIndex(of: "("), let close = rest.lastIndex(of: ")"), open < close
      else { return nil }
      let dimensions = rest[..<open].dropFirst(5).uppercased()
      isMeasure = dimensions.contains("M") && !dimensions.contains("Z")
      rest = rest[rest.index(after: open)..<close]
    }
    let parts = rest.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "°" })
    // A third is an altitude, a fourth of well-known text a measure.
    guard (2...(isLongitudeFirst ? 4 : 3)).contains(parts.count),
      let first = DecimalText.parse(String(parts[0])),
      let second = DecimalText.parse(String(parts[1]))
    else { return nil }
    let third = parts.count > 2 && !isMeasure ? DecimalText.parse(String(parts[2])) : nil
    return isLongitudeFirst ? (second, first, third) : (first, second, third)
  }

  /// Whether a text is several positions, as WKT or as JSON.
  static func isLine(_ text: String) -> Bool {
    let text = text.drop { $0 == " " }.prefix(20).uppercased()
    return text.hasPrefix("LINESTRING") || text.hasPrefix("MULTILINESTRING")
      || text.hasPrefix("[[")
  }
}
