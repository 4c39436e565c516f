import Basics
import Foundation
import NearMeEngine
import Places
import SettingsFiles
import Timeline
import Tones

/// Tells engines apart by what they are made of, beside their state.
///
/// What many have in common is gone through once.
package struct EngineMake: Sendable {
  private let common: FNV1a

  /// What all have in common.
  ///
  /// - Complexity: O(points of the catalog).
  package init(policy: Policy, tones: TonePacks, catalog: POICatalog) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do {
      var make = FNV1a(CatalogFingerprint(catalog).text)
      make.add(try encoder.encode(StoredPolicy(policy)))
      make.add(try encoder.encode(tones))
      common = make
    } catch {
      preconditionFailure("a policy and tones can always be written: \(error)")
    }
  }

  /// Of one engine, for ``LiveHost/Setup/make``.
  package func text(
    quietHours: DailyWindow?,
    zone: UTCOffsetTable,
    hasRegions: Bool
  ) -> String {
    var make = common
    if let hours = quietHours {
      make.add(bits: UInt64(hours.startMinute))
      make.add(bits: UInt64(hours.endMinute))
    }
    make.add(zone.identifier.utf8)
    for era in zone.eras {
      make.add(bits: UInt64(bitPattern: era.start.milliseconds))
      make.add(bits: UInt64(bitPattern: Int64(era.offsetSeconds)))
    }
    make.add(hasRegions ? 1 : 0)
    return make.text
  }
}
