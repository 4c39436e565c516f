import Basics
import Geodesy
import Timeline
import Traces

/// What a phone saw as the files of a corpus.
extension SimulatedDay {
  /// What the phone saw as GPX 1.1, with accuracy, speed and course in a namespace of our own.
  ///
  /// - Source: topografix.com/GPX/1/1.
  static func gpx(_ fixes: [SeenFix], _ name: String) -> String {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="near-me simulate" xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:nm="urn:near-me:fix:1">
      <metadata><name>\(name)</name></metadata>
      <trk><name>\(name)</name><trkseg>

      """
    var before: Timestamp?
    for seen in fixes {
      let fix = seen.fix
      if let before, fix.at - before > .minutes(10) { text += "</trkseg><trkseg>\n" }
      before = fix.at
      let latitude = degreesText(e7: fix.coordinate.latitudeE7)
      let longitude = degreesText(e7: fix.coordinate.longitudeE7)
      text +=
        "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\"><time>\(RFC3339.format(fix.at))</time>"
      text += "<hdop>\(fixed(fix.horizontalAccuracyMeters / 5, 1))</hdop><extensions>"
      text += "<nm:hacc>\(fixed(fix.horizontalAccuracyMeters, 1))</nm:hacc>"
      if let speed = fix.speedMetersPerSecond {
        text += "<nm:speed>\(fixed(speed, 2))</nm:speed>"
      }
      if let course = fix.courseDegrees {
        text += "<nm:course>\(fixed(course, 0))</nm:course>"
      }
      text += "</extensions></trkpt>\n"
    }
    return text + "</trkseg></trk>\n</gpx>\n"
  }

  /// For each fix how it erred.
  static func errors(_ fixes: [SeenFix]) -> String {
    var text = "t_unix,surroundings,kind,sigma_m,error_m\n"
    for seen in fixes {
      let meters = seen.error.distanceMeters(to: PlanePoint(0, 0))
      text +=
        "\(seen.fix.at.milliseconds / 1_000).000,\(seen.surroundings.rawValue),"
        + "\(seen.kind.rawValue),\(fixed(seen.sigmaMeters, 1)),\(fixed(meters, 1))\n"
    }
    return text
  }
}
