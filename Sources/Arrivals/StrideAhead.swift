import Basics
import Geodesy

/// How far a phone whose fixes lie far apart may go on before it would be heard of again.
///
/// If it then tells nothing for long, its way has ended in there. An errand ends, and the next fix comes; people stay
/// for hours at their own places, so a long silence speaks for one of those.
struct StrideAhead {
  /// Where the newest fix was.
  let from: PlanePoint
  /// Where the way ends, most probably.
  let end: PlanePoint
  /// And its variance per axis, in square meters.
  let variance: Double

  /// The log odds of one of the user's own places against the unknown; nil beyond its reach, and for all others.
  func term(of entry: PlacesNearby.Entry, _ settings: PlaceSettings) -> Double? {
    guard (entry.position - from).lengthSquared <= entry.aheadSquared else { return nil }
    let squared = (entry.position - end).lengthSquared
    let odds =
      logNormalDensity(squared, variance: variance + entry.variance)
      + naturalLogarithm(entry.weight) - naturalLogarithm(settings.unknownPerSquareMeter)
    return min(max(odds, settings.leastTerm), settings.mostTerm)
  }
}
