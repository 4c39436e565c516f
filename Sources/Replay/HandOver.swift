import NearMeEngine
import Timeline
import Traces

/// A phone that gathers fixes and hands them over in batches, each of them late.
///
/// The span between two batches is drawn from the seed and the instant of the one before, each length as likely
/// as another.
public struct HandOver: Hashable, Sendable {
  /// The least span between two batches.
  public var least: Milliseconds
  /// The greatest.
  public var most: Milliseconds
  /// Of the spans.
  public var seed: UInt64

  /// Makes one; spans below a second are taken as one, and turned ones are put right.
  public init(from least: Milliseconds, to most: Milliseconds, seed: UInt64 = 1) {
    self.least = max(min(least, most), .seconds(1))
    self.most = max(least, most, .seconds(1))
    self.seed = seed
  }

  /// When the next batch is handed over.
  func next(after instant: Timestamp) -> Timestamp {
    let span = Double(most.value - least.value) * draw(seed: seed, at: instant)
    return instant + least + Milliseconds(Int64(span))
  }
}

extension ReplaySession {
  /// What has been measured and not handed over yet.
  struct Batch: Sendable {
    let handOver: HandOver
    var fixes: [Fix] = []
    var due: Timestamp?
  }

  /// Gathers a fix, and hands over what is due before it.
  mutating func gather(_ fix: Fix) throws(RegionLimitExceeded) {
    guard let handOver = batch?.handOver else { return }
    while let due = batch?.due, due <= fix.at {
      try handOverBatch(at: due)
      batch?.due = handOver.next(after: due)
    }
    if batch?.due == nil { batch?.due = handOver.next(after: fix.at) }
    batch?.fixes.append(fix)
  }

  /// Hands over what has been gathered, all at once.
  mutating func handOverBatch(at instant: Timestamp) throws(RegionLimitExceeded) {
    guard let fixes = batch?.fixes, !fixes.isEmpty else { return }
    batch?.fixes = []
    try runTimeline(upTo: instant)
    for fix in fixes {
      let refusedBefore = summary.refusedCount
      try send(Event(at: instant, .fix(fix)))
      if summary.refusedCount == refusedBefore { summary.note(fix) }
    }
  }
}
