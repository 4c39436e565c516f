import Fencing
import Places

extension PlaceWatch {
  /// What regions are planned for: a few references, where all of the watch would be copied.
  var ladderView: PlaceLadders {
    PlaceLadders(
      aims: state.aims,
      ladders: state.ladders,
      targets: targets,
      settings: made,
      catalog: catalog
    )
  }
}

/// The ladders of a place watch, as regions are planned for them.
struct PlaceLadders: LadderSource {
  let aims: [PlaceAim]
  let ladders: [PlaceLadder]
  let targets: [ResolvedTarget]
  let settings: Shared<PlaceWatch.Settings>
  let catalog: POICatalog

  var ladderCount: Int { ladders.count }

  func ladder(_ i: Int) -> Ladder { ladders[i].ladder }

  func watchedLadders() -> [WatchedLadder] {
    var watched: [WatchedLadder] = []
    for aim in aims where aim.isLive {
      let fencing = settings.value.fencing(of: aim)
      for i in aim.range {
        let boundaries = ladders[i].ladder.watchedBoundaries(aim.plan.shape, fencing)
        guard !boundaries.isEmpty else { continue }
        watched.append(
          WatchedLadder(
            owner: aim.owner,
            target: targets[i].target,
            arrival: targets[i].arrival,
            boundaries: boundaries
          )
        )
      }
    }
    return watched
  }

  var liveOwners: [String] {
    Array(aims.lazy.filter { $0.isLive && !$0.range.isEmpty }.map(\.owner))
  }

  var ownersOfMissingCategories: [String] {
    // A part of a catalog that has none says that none is near.
    guard catalog.knownMeters == .infinity else { return [] }
    return Array(
      aims.lazy
        .filter { $0.isLive && targets[$0.range].contains { $0.target == .category(slot: nil) } }
        .map(\.owner)
    )
  }

  var anyLadderNeedsFix: Bool {
    for a in aims.indices where aims[a].isLive {
      for i in aims[a].range where ladders[i].ladder.needsNextFix {
        if targets[i].target != .category(slot: nil) || catalog.knownMeters < .infinity {
          return true
        }
      }
    }
    return false
  }
}
