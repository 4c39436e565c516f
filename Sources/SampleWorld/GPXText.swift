import Basics
import Geodesy
import Simulation
import Timeline
import Traces

/// Fixes as GPX 1.1, with what it has no element for in a namespace of our own.
///
/// - Source: topografix.com/GPX/1/1.
func gpxText(_ fixes: [Fix], name: String) -> String {
  var text = """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="near-me make-samples" xmlns="http://www.topografix.com/GPX/1/1" \
    xmlns:nm="urn:near-me:fix:1">
    <metadata><name>\(name)</name></metadata>
    <trk><name>\(name)</name><trkseg>

    """
  var before: Fix?
  for fix in fixes {
    if let before, fix.at - before.at > .minutes(10) { text += "</trkseg><trkseg>\n" }
    before = fix
    text += trackPoint(fix)
  }
  return text + "</trkseg></trk>\n</gpx>\n"
}

private func trackPoint(_ fix: Fix) -> String {
  let latitude = degreesText(e7: fix.coordinate.latitudeE7)
  let longitude = degreesText(e7: fix.coordinate.longitudeE7)
  let accuracy = fix.horizontalAccuracyMeters
  var extensions = "<nm:hacc>\(fixed(accuracy, 1))</nm:hacc>"
  if let speed = fix.speedMetersPerSecond {
    extensions += "<nm:speed>\(fixed(speed, 2))</nm:speed>"
  }
  if let course = fix.courseDegrees {
    extensions += "<nm:course>\(fixed(course, 0))</nm:course>"
  }
  return "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\"><time>\(RFC3339.format(fix.at))</time>"
    + "<hdop>\(fixed(accuracy / 5, 1))</hdop>"
    + "<extensions>\(extensions)</extensions></trkpt>\n"
}
