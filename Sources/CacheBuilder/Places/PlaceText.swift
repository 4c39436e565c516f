import Basics
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
  let (latitude, longitude) = degrees(place)
  return
    "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(longitude),\(latitude)]},"
    + "\"properties\":{\(properties)}}"
}

/// The header of a table of places, with its line feed.
package let csvHeader =
  "source_id,categories,name,brand,lat,lon,footprint_radius_m,"
  + PlaceDetails.keys.joined(separator: ",") + "\n"

/// A place as a row of CSV, with its line feed; categories are separated by `;`.
package func csvRow(_ place: PointOfInterest, details: String? = nil) -> String {
  let values = PlaceDetails.values(details)
  let (latitude, longitude) = degrees(place)
  let fields = [
    place.sourceID, place.categories.map(\.name).joined(separator: ";"), place.name ?? "",
    place.brand ?? "", latitude, longitude, "\(place.footprintRadiusMeters)",
  ]
  let all = fields + PlaceDetails.keys.map { values[$0] ?? "" }
  return all.map(csvField).joined(separator: ",") + "\n"
}

private func csvField(_ text: String) -> String {
  guard text.utf8.contains(where: { [0x22, 0x2C, 0x3B, 0x09, 0x0A, 0x0D].contains($0) }) else {
    return text
  }
  // By scalars: a quote with a combining mark behind it is another character than a quote.
  return "\""
    + text.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false)
    .map { String($0) }.joined(separator: "\"\"") + "\""
}

private func degrees(_ place: PointOfInterest) -> (latitude: String, longitude: String) {
  (
    degreesText(e7: place.coordinate.latitudeE7), degreesText(e7: place.coordinate.longitudeE7)
  )
}

/// A text in JSON's quotes.
func quoted(_ text: String) -> String { JSONText.quoted(text, shortEscapes: false) }
