import Fencing
import Timeline

/// What an app may know of the position.
///
/// The names are part of the replay's output.
public enum LocationAccess: String, Hashable, Sendable, Codable, CaseIterable {
  /// Also while it sleeps.
  case always
  /// Only while it is on the screen: no region wakes it.
  case whileInUse = "while_in_use"
  /// Location services are switched off, for all apps.
  case servicesOff = "services_off"
}

extension Engine {
  /// Takes in that the position can be known, or no longer.
  ///
  /// Regions stay as they are, for the system keeps them; timers go on.
  ///
  /// - Returns: whether the position is needed now, because crossings may have gone unnoticed.
  mutating func change(to access: LocationAccess, at now: Timestamp) -> Bool {
    guard access != state.access ?? .always else { return false }
    state.access = access
    state.standing = nil
    effects.append(.record(.locationAccess(at: now, access)))
    return access == .always
  }

  /// Forgets regions that the location service did not take, and plans with fewer from now on.
  ///
  /// - Returns: whether the position is needed now, for a plan that fits.
  mutating func loseRegions(_ ids: [String], at now: Timestamp) -> Bool {
    let refused = state.regions.map(\.region.id).filter { ids.contains($0) }
    guard !refused.isEmpty else { return false }
    state.regions.removeAll { refused.contains($0.region.id) }
    state.standing = nil
    let slots = max(1, state.regions.count)
    state.acceptedRegions = slots
    effects.append(.record(.regionsRefused(at: now, ids: refused, slots: slots)))
    return true
  }
}
