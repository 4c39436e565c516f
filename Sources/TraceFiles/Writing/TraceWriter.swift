import Geodesy
import Timeline
import Traces

/// Writes fixes as text, one after the other.
///
/// Every format keeps coordinates and numbers to the last bit, times to the millisecond, and where
/// the accuracy came from: one that was modeled is written as the dilution it was modeled from,
/// one that was assumed is left out, so that reading again gives the same fix for the same reason.
///
/// - Complexity: O(1) memory.
package struct TraceWriter {
  /// The formats that can be written.
  package enum Format: String, Hashable, Sendable, CaseIterable {
    /// GPX 1.1, with accuracy, speed and course in a namespace of our own.
    case gpx
    /// Comma-separated values with a header.
    case csv
    /// A collection of points.
    case geojson
    /// One JSON object for each fix, on a line of its own.
    case ndjson
  }

  private let format: Format
  private let model: AccuracyModel
  private var segment = 0
  private var count = 0

  /// Starts a file.
  ///
  /// - Parameter model: the model that gave the fixes their accuracy where the file did not.
  package init(_ format: Format, accuracyModel model: AccuracyModel = AccuracyModel()) {
    self.format = format
    self.model = model
  }

  /// What stands before the first fix.
  package var head: String {
    switch format {
    case .gpx:
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="Near Me" xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:nm="urn:near-me:fix:1">
      <trk>

      """
    case .csv: "time,lat,lon,accuracy_m,hdop,speed_mps,course_deg,segment\n"
    case .geojson: "{\"type\":\"FeatureCollection\",\"features\":[\n"
    case .ndjson: ""
    }
  }

  /// A fix.
  ///
  /// - Parameter startsSegment: whether the recording was interrupted before it; the first fix
  ///   starts one in any case.
  package mutating func add(
    _ fix: Fix,
    accuracySource: AccuracySource,
    startsSegment: Bool
  ) -> String {
    let begins = startsSegment || segment == 0
    if begins { segment += 1 }
    defer { count += 1 }
    let accuracy = accuracySource == .reported ? plain(fix.horizontalAccuracyMeters) : nil
    let dilution =
      accuracySource == .modeledFromHDOP
      ? plain(dilution(givingMeters: fix.horizontalAccuracyMeters)) : nil
    let speed = fix.speedMetersPerSecond.map(plain)
    let course = fix.courseDegrees.map(plain)
    let latitude = plain(fix.coordinate.latitude)
    let longitude = plain(fix.coordinate.longitude)
    let time = RFC3339.format(fix.at)
    switch format {
    case .gpx:
      var text = begins ? (segment == 1 ? "<trkseg>\n" : "</trkseg>\n<trkseg>\n") : ""
      text += "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\"><time>\(time)</time>"
      if let dilution { text += "<hdop>\(dilution)</hdop>" }
      if accuracy != nil || speed != nil || course != nil {
        text += "<extensions>"
        if let accuracy { text += "<nm:hacc>\(accuracy)</nm:hacc>" }
        if let speed { text += "<nm:speed>\(speed)</nm:speed>" }
        if let course { text += "<nm:course>\(course)</nm:course>" }
        text += "</extensions>"
      }
      return text + "</trkpt>\n"
    case .csv:
      let optional = [accuracy, dilution, speed, course].map { $0 ?? "" }.joined(separator: ",")
      return "\(time),\(latitude),\(longitude),\(optional),\(segment)\n"
    case .geojson:
      return (count == 0 ? "" : ",\n")
        + "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":"
        + "[\(longitude),\(latitude)]},\"properties\":{\"time\":\"\(time)\""
        + members(accuracy: accuracy, dilution: dilution, speed: speed, course: course) + "}}"
    case .ndjson:
      return "{\"time\":\"\(time)\",\"lat\":\(latitude),\"lon\":\(longitude)"
        + members(accuracy: accuracy, dilution: dilution, speed: speed, course: course) + "}\n"
    }
  }

  /// What stands after the last fix.
  package var end: String {
    switch format {
    case .gpx: (segment > 0 ? "</trkseg>\n" : "") + "</trk>\n</gpx>\n"
    case .geojson: "\n]}\n"
    case .csv, .ndjson: ""
    }
  }

  private func members(
    accuracy: String?,
    dilution: String?,
    speed: String?,
    course: String?
  ) -> String {
    var text = ""
    if let accuracy { text += ",\"accuracy_m\":\(accuracy)" }
    if let dilution { text += ",\"hdop\":\(dilution)" }
    if let speed { text += ",\"speed_mps\":\(speed)" }
    if let course { text += ",\"course_deg\":\(course)" }
    return text + ",\"segment\":\(segment)"
  }

  /// The dilution that the model turns into exactly these meters.
  private func dilution(givingMeters meters: Double) -> Double {
    let quotient = meters / model.metersPerHDOP
    // A quotient rounds, so that the product may miss by a last bit.
    for candidate in [quotient, quotient.nextUp, quotient.nextDown]
    where candidate * model.metersPerHDOP == meters {
      return candidate
    }
    return quotient
  }
}

/// A number with as many digits as give back the same one, and without an exponent, which
/// `xsd:decimal` of GPX does not have.
func plain(_ value: Double) -> String {
  let text = String(describing: value)
  guard let mark = text.firstIndex(where: { $0 == "e" || $0 == "E" }),
    let exponent = Int(text[text.index(after: mark)...])
  else { return text.hasSuffix(".0") ? String(text.dropLast(2)) : text }
  var digits = text[..<mark].filter { $0 != "." && $0 != "-" }
  let whole = text[..<mark].drop { $0 == "-" }.prefix { $0 != "." }.count
  let point = whole + exponent
  if point <= 0 {
    digits = "0." + String(repeating: "0", count: -point) + digits
  } else if point >= digits.count {
    digits += String(repeating: "0", count: point - digits.count)
  } else {
    digits.insert(".", at: digits.index(digits.startIndex, offsetBy: point))
  }
  return (value < 0 ? "-" : "") + digits
}
