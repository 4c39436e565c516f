import Basics
import Geodesy
import Timeline

/// A circle in which nothing can change, for finding the first fix that leaves it.
///
/// Fixes are compared in degrees, without a sine or cosine: a move by so many degrees is at most so
/// many meters long, everywhere in the circle. So a fix that passes here is in the circle, and was
/// reached at a speed that a ``FixGate`` lets pass. One that does not pass may be either; a caller that
/// needs to know compares it in space.
///
/// - Source: on a surface with the line element (M dφ)² + (P dλ)², the way that is straight in φ and
///   λ is at most √((M Δφ)² + (P Δλ)²) long for the largest M and P along it, and a chord is shorter
///   than any way. M is the meridian's radius of curvature, which grows with the latitude; P the
///   parallel's radius, which shrinks.
package struct CalmColumns {
  private let latitude: Double
  private let longitude: Double
  private let metersPerDegreeNorth: Double
  private let metersPerDegreeEast: Double
  private let radiusSquared: Double

  /// Lays a circle around a coordinate.
  ///
  /// - Parameter chordSquared: the square of the straight line from its center to its edge, in square
  ///   meters.
  package init(around center: Coordinate, chordSquared: Double) {
    // A millimeter and a billionth are kept for rounding, a thousand times what it comes to.
    let radius = max(0, chordSquared.squareRoot() * (1 - 1e-9) - 1e-3)
    // The smallest radius of curvature, at the equator, gives the largest angle.
    let reachDegrees = radius / 6_335_439 * 180 / .pi
    let farthest = min(90, abs(center.latitude) + reachDegrees)
    let nearest = max(0, abs(center.latitude) - reachDegrees)
    let e2 = WGS84.eccentricitySquared
    let farthestSine = sineAndCosine(degrees: farthest).sine
    let w2 = 1 - e2 * farthestSine * farthestSine
    let meridian = WGS84.equatorialRadiusMeters * (1 - e2) / (w2 * w2.squareRoot())
    let (sine, cosine) = sineAndCosine(degrees: nearest)
    let parallel = WGS84.equatorialRadiusMeters * cosine / (1 - e2 * sine * sine).squareRoot()
    latitude = center.latitude
    longitude = center.longitude
    metersPerDegreeNorth = meridian * .pi / 180
    metersPerDegreeEast = parallel * .pi / 180
    radiusSquared = radius * radius
  }

  /// How many rows from the first of a range on lie in the circle, before an instant.
  package func count(_ rows: FixColumns.Rows, _ range: Range<Int>, before end: Int64) -> Int {
    var row = range.lowerBound
    while row < range.upperBound {
      let north = (rows.latitude[row] - latitude) * metersPerDegreeNorth
      let east = (rows.longitude[row] - longitude) * metersPerDegreeEast
      guard north * north + east * east <= radiusSquared, rows.at[row] < end else { break }
      row &+= 1
    }
    return row - range.lowerBound
  }

  /// How many rows from the first of a range on lie in the circle, before an instant, and pass a gate
  /// one after the other.
  ///
  /// - Parameter last: the fix that passed the gate before them; in the circle, too.
  /// - Parameter accuracyMeters: how bad they may be; infinite for any accuracy that a fix can have.
  package func count(
    _ rows: FixColumns.Rows,
    _ range: Range<Int>,
    before end: Int64,
    after last: Fix,
    _ settings: FixGateSettings,
    accuracyMeters: Double = .infinity
  ) -> Int {
    // A gate for walkers only would be nearer to rounding than the margin below.
    guard settings.jumpSpeedMetersPerSecond >= 1 else { return 0 }
    // Only in the circle are degrees known not to be longer.
    guard contains(last.coordinate) else { return 0 }
    let metersPerMillisecond = settings.jumpSpeedMetersPerSecond / 1_000 * (1 - 1e-7)
    let worst = min(accuracyMeters, .greatestFiniteMagnitude)
    var lastLatitude = last.coordinate.latitude
    var lastLongitude = last.coordinate.longitude
    var lastAt = last.at.milliseconds
    var row = range.lowerBound
    while row < range.upperBound {
      let at = rows.at[row]
      let latitude = rows.latitude[row]
      let longitude = rows.longitude[row]
      let north = (latitude - self.latitude) * metersPerDegreeNorth
      let east = (longitude - self.longitude) * metersPerDegreeEast
      let stepNorth = (latitude - lastLatitude) * metersPerDegreeNorth
      let stepEast = (longitude - lastLongitude) * metersPerDegreeEast
      let reach = metersPerMillisecond * Double(max(1_000, at &- lastAt))
      let accuracy = rows.accuracyMeters[row]
      guard north * north + east * east <= radiusSquared,
        stepNorth * stepNorth + stepEast * stepEast <= reach * reach,
        at > lastAt, at < end, accuracy >= 0, accuracy <= worst
      else { break }
      lastLatitude = latitude
      lastLongitude = longitude
      lastAt = at
      row &+= 1
    }
    return row - range.lowerBound
  }

  private func contains(_ coordinate: Coordinate) -> Bool {
    let north = (coordinate.latitude - latitude) * metersPerDegreeNorth
    let east = (coordinate.longitude - longitude) * metersPerDegreeEast
    return north * north + east * east <= radiusSquared
  }
}
