import Fencing
import Geodesy
import Timeline
import Traces

/// What a position does from which no plan can be made.
extension RegionWatch {
  /// Puts a safe circle around a position that is too poor to plan from, where the present one may be behind the
  /// phone: a circle that was left wakes the app never again.
  ///
  /// No fence is touched, and the next position is asked for. Should the app be ended before it comes, it is woken once
  /// more at the new circle's edge, and is not deaf.
  ///
  /// - Parameter position: in whose accuracy the phone is.
  mutating func replaceLeftSafeCircle(
    around position: Sighted,
    at now: Timestamp,
    areCounted: Bool,
    _ turn: inout EventTurn
  ) {
    guard chooser == nil, let certificate = state.certificate,
      let left = state.regions.firstIndex(where: { $0.region.kind == .safe }),
      mayHaveLeft(state.regions[left].region, certificate, position, at: now)
    else { return }
    let accuracyMeters = position.fix.horizontalAccuracyMeters
    state.safeCircleSerial += 1
    let safe = Region(
      id: "safe:\(state.safeCircleSerial)",
      center: position.fix.coordinate,
      radiusMeters: min(
        max(accuracyMeters, policy.poorAccuracyMeters, limits.smallestSafeRadiusMeters),
        limits.mostRegionMeters
      ),
      kind: .safe
    )
    var entries = state.regions
    entries.remove(at: left)
    entries.append(RegionPlan.Entry(region: safe, owners: []))
    change(
      to: entries,
      Certificate(
        covered: certificate.covered,
        safeRadiusMeters: 0,
        atRisk: certificate.atRisk
      ),
      from: nil,
      anticipationMeters: 0,
      at: now,
      areCounted: areCounted,
      &turn
    )
  }

  /// Whether a safe circle is behind the phone, or may be: what woke an app that asked for nothing was a region.
  private func mayHaveLeft(
    _ safe: Region,
    _ certificate: Certificate,
    _ position: Sighted,
    at now: Timestamp
  ) -> Bool {
    let distanceMeters = safe.center.distanceMeters(to: position.fix.coordinate)
    if distanceMeters > safe.radiusMeters { return true }
    // One that promises nothing is already such a circle.
    let isWoken = !isPositionAwaited && state.followUntil.map { $0 <= now } ?? true
    return isWoken && certificate.safeRadiusMeters != 0
      && distanceMeters + position.fix.horizontalAccuracyMeters > safe.radiusMeters
  }
}
