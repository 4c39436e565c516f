import Arrivals
import Scoring

/// Policies that are tried together, with those that share their evidence in groups.
struct EvidenceBatch {
  /// The policies of each group that shares a recording.
  private(set) var groups: [[Int]] = []
  /// All policies, each with its group; nil for one that shares with no other.
  private(set) var items: [(item: Int, group: Int?)] = []

  /// Sorts policies into batches whose recordings fit into memory.
  ///
  /// - Parameters:
  ///   - keys: for each policy, what it shares with those that have the same; nil for nothing.
  ///   - fixes: how many fixes a recording of all days holds.
  static func all(_ keys: [SharedEvidence.Key?], fixes: Int) -> [EvidenceBatch] {
    var groups: [[Int]] = []
    var known: [SharedEvidence.Key: Int] = [:]
    var alone = EvidenceBatch()
    for (item, key) in keys.enumerated() {
      guard let key else {
        alone.items.append((item, nil))
        continue
      }
      if let group = known[key] {
        groups[group].append(item)
      } else {
        known[key] = groups.count
        groups.append([item])
      }
    }
    var batches: [EvidenceBatch] = []
    var batch = EvidenceBatch()
    for group in groups {
      // A recording costs as much as a trial.
      guard group.count > 1 else {
        alone.items.append((group[0], nil))
        continue
      }
      if !batch.groups.isEmpty, (batch.groups.count + 1) * fixes > mostFixes {
        batches.append(batch)
        batch = EvidenceBatch()
      }
      batch.items += group.map { ($0, batch.groups.count) }
      batch.groups.append(group)
    }
    if !batch.groups.isEmpty { batches.append(batch) }
    if !alone.items.isEmpty { batches.append(alone) }
    return batches
  }

  /// So many fixes are recorded at a time: with their ticks and chances, some 400 bytes each.
  private static let mostFixes = 1_000_000
}
