import Fencing
import Places

/// What regions are planned for.
extension PlaceWatch: LadderSource {
  package var ladderCount: Int { state.ladders.count }

  package func ladder(_ i: Int) -> Ladder { state.ladders[i].ladder }

  package func watchedLadders() -> [WatchedLadder] {
    var ladders: [WatchedLadder] = []
    for aim in state.aims where aim.isLive {
      for i in aim.range {
        let boundaries = state.ladders[i].ladder.watchedBoundaries(aim.plan.shape, fencing)
        guard !boundaries.isEmpty else { continue }
        ladders.append(
          WatchedLadder(
            owner: aim.owner,
            target: targets[i].target,
            arrival: targets[i].arrival,
            boundaries: boundaries
          )
        )
      }
    }
    return ladders
  }

  package var liveOwners: [String] {
    Array(state.aims.lazy.filter { $0.isLive && !$0.range.isEmpty }.map(\.owner))
  }

  package var ownersOfMissingCategories: [String] {
    Array(
      state.aims.lazy
        .filter { $0.isLive && targets[$0.range].contains { $0.target == .category(slot: nil) } }
        .map(\.owner)
    )
  }

  package var anyLadderNeedsFix: Bool {
    for a in state.aims.indices where state.aims[a].isLive {
      for i in state.aims[a].range where state.ladders[i].ladder.needsNextFix {
        if targets[i].target != .category(slot: nil) { return true }
      }
    }
    return false
  }
}
