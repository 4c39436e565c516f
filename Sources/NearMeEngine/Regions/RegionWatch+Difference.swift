import Fencing
import Geodesy
import Timeline

/// From one set of regions to the next: what is started, what is stopped, what is left alone.
extension RegionWatch {
  /// Lets go of regions that nothing needs any more; nothing is started, for the position is not
  /// known.
  mutating func release(
    at now: Timestamp,
    areCounted: Bool,
    _ ladders: some LadderSource,
    _ turn: inout EventTurn
  ) {
    guard !state.regions.isEmpty, let certificate = state.certificate else { return }
    let live = Set(ladders.liveOwners)
    let isNeeded = { (owner: String) in live.contains(owner) }
    if !live.isEmpty,
      state.regions.allSatisfy({ $0.region.kind == .safe || $0.owners.allSatisfy(isNeeded) })
    {
      return
    }
    var kept: [RegionPlan.Entry] = []
    for var entry in state.regions where !live.isEmpty {
      if entry.region.kind != .safe {
        entry.owners = entry.owners.filter(isNeeded)
        if entry.owners.isEmpty { continue }
      }
      kept.append(entry)
    }
    change(
      to: kept,
      certificate.covering(kept.map(\.region.id)),
      from: nil,
      anticipationMeters: 0,
      at: now,
      areCounted: areCounted,
      &turn
    )
  }

  /// Asks for the difference between what is watched and what a plan wants.
  ///
  /// - Parameter position: from which the plan was made; nil where nothing new is in it.
  mutating func change(
    to entries: [RegionPlan.Entry],
    _ certificate: Certificate,
    from position: Coordinate?,
    anticipationMeters: Double,
    at now: Timestamp,
    areCounted: Bool,
    _ turn: inout EventTurn
  ) {
    let here = position.map(SurfacePoint.init)
    func distance(to region: Region) -> Double? {
      here?.distanceMeters(to: SurfacePoint(region.center))
    }
    let known = RegionIndex(state.regions)
    var after = entries
    var start: [Region] = []
    var isStaying = [Bool](repeating: false, count: state.regions.count)
    for i in after.indices {
      let region = after[i].region
      let old = known[region.id].flatMap { state.regions[$0].region == region ? $0 : nil }
      if let old, !isSpent(state.regions[old], fromMeters: distance(to: region)) {
        after[i].askedRadiusMeters = state.regions[old].askedRadiusMeters
        isStaying[old] = true
      } else if anticipationMeters > 0, let distance = distance(to: region) {
        let asked = region.anticipated(
          byMeters: anticipationMeters,
          fromMeters: distance,
          atLeast: limits.smallestRegionMeters,
          atMost: limits.mostRegionMeters
        )
        after[i].askedRadiusMeters = asked.radiusMeters
        start.append(asked)
      } else {
        start.append(region)
      }
    }
    let stop = state.regions.indices
      .filter { i in
        !isStaying[i] && !(known[state.regions[i].region.id].map { isStaying[$0] } ?? false)
      }
      .map { state.regions[$0].region.id }
    state.standing = nil
    state.regions = after
    state.certificate = certificate
    request(start: start, stop: stop, at: now, areCounted: areCounted, &turn)
  }

  /// Asks the service to stop and to start regions, if there are any; what is in both is replaced.
  func request(
    start: [Region],
    stop: [String],
    at now: Timestamp,
    areCounted: Bool,
    _ turn: inout EventTurn
  ) {
    guard !start.isEmpty || !stop.isEmpty, let certificate = state.certificate else { return }
    for region in start where areCounted && region.kind != .safe {
      turn.record(.analytics(at: now, .geofenceRegistered))
    }
    turn.emit(
      .monitor(
        RegionChange(
          start: start,
          stop: stop.sorted(),
          held: state.regions.count,
          certificate: certificate
        )
      )
    )
  }

  /// Whether a region was asked for earlier than its boundary, and the phone is beyond what was asked:
  /// it will not fire again, and the boundary is still ahead.
  func isSpent(
    _ entry: RegionPlan.Entry,
    fromMeters distance: @autoclosure () -> Double?
  ) -> Bool {
    guard let asked = entry.askedRadiusMeters, let distanceMeters = distance() else { return false }
    return switch entry.region.kind {
    case .enter: asked > entry.region.radiusMeters && distanceMeters <= asked
    case .exit: asked < entry.region.radiusMeters && distanceMeters >= asked
    case .safe: false
    }
  }
}

/// Where a region of an id stands among those that are watched: the first of that id.
private struct RegionIndex {
  private let regions: [RegionPlan.Entry]
  /// For thousands of regions without a limit; nothing walks through it.
  private let table: [String: Int]

  init(_ regions: [RegionPlan.Entry]) {
    self.regions = regions
    table =
      regions.count > 64
      ? Dictionary(regions.enumerated().map { ($1.region.id, $0) }) { first, _ in first } : [:]
  }

  subscript(id: String) -> Int? {
    table.isEmpty ? regions.firstIndex { $0.region.id == id } : table[id]
  }
}
