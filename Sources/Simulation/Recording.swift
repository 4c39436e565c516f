import Basics
import Geodesy
import Timeline
import Traces

/// A day that was there before, seen anew by another phone.
package struct Recording: Sendable {
  /// What the phone saw, in the order in which it told it.
  package let fixes: [SeenFix]
  /// Times of a minute and more without a fix that have a known reason.
  package let silences: [(start: Timestamp, end: Timestamp, reason: String)]
  private let name: String

  /// Sees a day.
  ///
  /// - Parameter name: the day's; with the seed it says what is drawn, so that every phone meets a day
  ///   with the luck of its own.
  /// - Complexity: O(seconds of the day).
  package init(_ path: ReceiverPath, name: String, by phone: Phone, seed: UInt64) {
    var settings = SimulationSettings(
      firstDate: CivilDate(daysSinceEpoch: path.start / 86_400),
      zone: .utc
    )
    settings.seed = seed
    settings.phone = phone
    let letters = name.utf8.map { Int($0) }
    let stream = letters.reduce(into: SplitMix64.stream(seed, 5)) {
      $0 = SplitMix64.stream($0.next(), $1)
    }
    let receiver = Receiver(path, stream, settings)
    fixes = receiver.fixes
    silences = receiver.silences.map {
      (Timestamp(seconds: Int64($0.start)), Timestamp(seconds: Int64($0.end)), $0.reason)
    }
    self.name = name
  }

  /// The trace as GPX 1.1.
  package var gpx: String { SimulatedDay.gpx(fixes, name) }

  /// For each fix how it erred.
  package var errors: String { SimulatedDay.errors(fixes) }
}
