import Foundation
import Timeline

/// The zones of this system, each read once.
///
/// Unchecked: what is known is touched under the lock only. A mutex of the standard library would need iOS 18.
package final class SystemZones: ZoneSource, @unchecked Sendable {
  private let lock = NSLock()
  private var known: [String: UTCOffsetTable] = [:]

  /// Makes one that knows nothing yet.
  package init() {}

  package func zone(named name: String) -> UTCOffsetTable? {
    lock.withLock {
      if let zone = known[name] { return zone }
      let zone = UTCOffsetTable(systemZone: name)
      known[name] = zone
      return zone
    }
  }
}

extension UTCOffsetTable {
  /// Reads a zone of this system as a value, from 1970 to 2100.
  ///
  /// - Returns: nil if the system has no zone of this name.
  package init?(systemZone identifier: String) {
    self.init(systemZone: identifier, from: 0, to: 4_102_444_800)
  }

  /// Reads all that this system knows of a zone, from local mean time to the end of year 9999.
  ///
  /// It is for series that go on for ever. A zone with daylight saving time has some 16,000 changes.
  ///
  /// - Returns: nil if the system has no zone of this name.
  package init?(wholeSystemZone identifier: String) {
    // 1800-01-01, before any zone had a standard time, and 10000-01-01.
    self.init(systemZone: identifier, from: -5_364_662_400, to: 253_402_300_800)
  }

  private init?(systemZone identifier: String, from first: Double, to last: Double) {
    guard let zone = TimeZone(identifier: identifier) else { return nil }
    let start = Date(timeIntervalSince1970: first)
    let end = Date(timeIntervalSince1970: last)
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
