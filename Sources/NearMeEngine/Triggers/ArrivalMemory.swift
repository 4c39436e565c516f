import Arrivals

/// What the arrival detector remembers: with the detector that is at work, or as it was stored.
///
/// A detector at work changes it in place, at every fix; stored, compared or hashed, it is the same
/// either way.
struct ArrivalMemory: Hashable, Sendable {
  /// The detector that is at work; nil where there is none.
  var detector: ArrivalDetector?
  private let stored: ArrivalDetector.State?

  /// As it was stored; nil is nothing.
  init(_ stored: ArrivalDetector.State? = nil) { self.stored = stored }

  /// What is to be stored; nil if nothing ever weighed.
  var state: ArrivalDetector.State? { detector?.state ?? stored }

  /// Forgets what was known of one of the user's own places, for it has moved; the detector is made anew.
  mutating func forget(place: String) {
    guard var remembered = state else { return }
    remembered.forget(place: place)
    self = ArrivalMemory(remembered)
  }

  static func == (a: ArrivalMemory, b: ArrivalMemory) -> Bool { a.state == b.state }

  func hash(into hasher: inout Hasher) { hasher.combine(state) }
}
