import Geodesy
import Places

/// What stands before the features of a GeoJSON collection.
package let geoJSONStart = "{\"type\":\"FeatureCollection\",\"features\":[\n"
/// What stands after the features of a GeoJSON collection.
package let geoJSONEnd = "\n]}\n"

/// A place as a GeoJSON feature on one line.
package func geoJSONFeature(_ place: PointOfInterest, details: String? = nil) -> String {
  var properties = "\"source_id\":\(quoted(place.sourceID))"
  let categories = place.categories.map { quoted($0.name) }.joined(separator: ",")
  properties += ",\"categories\":[\(categories)]"
  if let name = place.name { properties += ",\"name\":\(quoted(name))" }
  if let brand = place.brand { properties += ",\"brand\":\(quoted(brand))" }
  if place.footprintRadiusMeters > 0 {
    properties += ",\"footprint_radius_m\":\(place.footprintRadiusMeters)"
  }
  let values = PlaceDetails.values(details)
  for key in PlaceDetails.keys {
    if let value = values[key] { properties += ",\(quoted(key)):\(quoted(value))" }
  }
  let position = "\(degrees(place.coordinate.longitudeE7)),\(degrees(place.coordinate.latitudeE7))"
  return "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(position)]},"
    + "\"properties\":{\(properties)}}"
}

/// The header of a table of places, with its line feed.
package let csvHeader =
  "source_id,categories,name,brand,lat,lon,footprint_radius_m,"
  + PlaceDetails.keys.joined(separator: ",") + "\n"

/// A place as a row of CSV, with its line feed; categories are separated by `;`.
package func csvRow(_ place: PointOfInterest, details: String? = nil) -> String {
  let values = PlaceDetails.values(details)
  let fields = [
    place.sourceID, place.categories.map(\.name).joined(separator: ";"), place.name ?? "",
    place.brand ?? "", degrees(place.coordinate.latitudeE7), degrees(place.coordinate.longitudeE7),
    "\(place.footprintRadiusMeters)",
  ]
  let all = fields + PlaceDetails.keys.map { values[$0] ?? "" }
  return all.map(csvField).joined(separator: ",") + "\n"
}

private func csvField(_ text: String) -> String {
  guard text.utf8.contains(where: { [0x22, 0x2C, 0x3B, 0x09, 0x0A, 0x0D].contains($0) }) else {
    return text
  }
  return "\""
    + text.split(separator: "\"", omittingEmptySubsequences: false)
    .joined(separator: "\"\"") + "\""
}

/// Ten-millionths of a degree as a decimal number, all digits of it.
private func degrees(_ e7: Int32) -> String {
  let magnitude = e7.magnitude
  let fraction = String(magnitude % 10_000_000)
  let zeros = String(repeating: "0", count: 7 - fraction.count)
  return "\(e7 < 0 ? "-" : "")\(magnitude / 10_000_000).\(zeros)\(fraction)"
}

/// A text in JSON's quotes.
func quoted(_ text: String) -> String {
  var quoted = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": quoted += "\\\""
    case "\\": quoted += "\\\\"
    case _ where scalar.value < 0x20:
      let digits = String(scalar.value, radix: 16)
      quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: quoted.unicodeScalars.append(scalar)
    }
  }
  return quoted + "\""
}
