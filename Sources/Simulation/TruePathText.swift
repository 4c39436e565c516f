import Basics
import Geodesy

/// Where the person really was, as a table: a row a second in motion and a row a minute at rest.
package struct TruePathText {
  /// The rows so far, with a header.
  package private(set) var text = "t_unix,lat,lon,speed_mps,state\n"

  /// No row yet.
  package init() {}

  /// Adds what the person did from one second on, at one spot.
  package mutating func add(
    second: Int,
    seconds: Int,
    _ coordinate: Coordinate,
    metersPerSecond: Double,
    state: String
  ) {
    let rest =
      "\(degreesText(e7: coordinate.latitudeE7)),\(degreesText(e7: coordinate.longitudeE7)),"
      + "\(fixed(metersPerSecond, 2)),\(state)\n"
    for second in stride(from: second, to: second + seconds, by: 60) {
      text += "\(second).0," + rest
    }
    // The last second of a rest, so that no line leads from its middle to the next place.
    if seconds > 1 { text += "\(second + seconds - 1).5," + rest }
  }
}
