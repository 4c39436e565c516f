import Fencing
import Geodesy

extension SlotPlan {
  /// Slots that are not on the phone what they are here, in order.
  func differing(from held: [HeldRegion]) -> [Int] {
    let bySlot = Self.watched(held)
    return regions.indices.filter { slot in
      switch (regions[slot], bySlot[slot]) {
      case (nil, nil): false
      case (.some(let region), .some(let there)): !Self.isSame(region, there)
      default: true
      }
    }
  }

  /// What the phone watches in our slots; a parked slot is an empty one.
  fileprivate static func watched(_ held: [HeldRegion]) -> [Int: HeldRegion] {
    var bySlot: [Int: HeldRegion] = [:]
    for region in held where isWatched(region) {
      guard let id = region.slotID, let slot = slot(id: id) else { continue }
      bySlot[slot] = region
    }
    return bySlot
  }

  fileprivate static func isWatched(_ region: HeldRegion) -> Bool {
    guard let center = region.center, region.radiusMeters > 0 else { return false }
    return region.slotID == nil || abs(center.latitude - Double(parkedLatitude)) > 1e-4
  }

  /// Within a meter: an app may keep fewer digits.
  fileprivate static func isSame(_ region: Region, _ there: HeldRegion) -> Bool {
    guard let center = there.center else { return false }
    return abs(there.radiusMeters - Double(SlotCircle(region).radiusMeters)) <= 1
      && abs(center.latitude - region.center.latitude) <= 1e-5
      && abs(center.longitude - region.center.longitude) <= 1e-5
  }
}

/// What a phone holds beside what it was asked to hold.
///
/// - Parameter held: all that the phone says it holds.
/// - Returns: the ids of the regions that it does not hold as asked, in the order of their slots; and how many
///   it watches that were not asked for: each of them takes one of the system's twenty on an iPhone.
package func differences(
  asked: SlotPlan,
  held: [HeldRegion]
) -> (missing: [String], strange: Int) {
  let bySlot = SlotPlan.watched(held)
  let missing = asked.regions.indices.compactMap { slot -> String? in
    guard let region = asked.regions[slot] else { return nil }
    if let there = bySlot[slot], SlotPlan.isSame(region, there) { return nil }
    return region.id
  }
  let foreign = held.count { SlotPlan.isWatched($0) && $0.slotID == nil }
  let stale = bySlot.keys.count { asked.regions[$0] == nil }
  return (missing, foreign + stale)
}
