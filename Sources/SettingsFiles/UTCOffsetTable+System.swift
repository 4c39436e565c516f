import Foundation
import Timeline

extension UTCOffsetTable {
  /// Reads a zone of this system as a value, from 1970 to 2100.
  ///
  /// - Returns: nil if the system has no zone of this name.
  package init?(systemZone identifier: String) {
    guard let zone = TimeZone(identifier: identifier) else { return nil }
    let start = Date(timeIntervalSince1970: 0)
    let end = Date(timeIntervalSince1970: 4_102_444_800)
    var eras: [Era] = []
    var now = start
    while let next = zone.nextDaylightSavingTimeTransition(after: now), next > now, next < end {
      eras.append(
        Era(
          start: Timestamp(milliseconds: Int64((next.timeIntervalSince1970 * 1_000).rounded())),
          offsetSeconds: zone.secondsFromGMT(for: next)
        )
      )
      now = next
    }
    self.init(
      identifier: identifier,
      initialOffsetSeconds: zone.secondsFromGMT(for: start),
      eras: eras
    )
  }
}
