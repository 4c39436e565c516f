import Geodesy
import Timeline
import Traces

/// What a repair did.
package enum RepairStep: String, Hashable, Sendable, CaseIterable {
  /// Points that are no fixes were dropped.
  case droppedUnusable = "dropped_unusable"
  /// Fixes at exactly 0, 0 were dropped.
  case droppedNullIsland = "dropped_null_island"
  /// Fixes of a clock that was not set were dropped.
  case droppedDate = "dropped_implausible_date"
  /// Fixes were put in order of time.
  case sorted
  /// Fixes with a stamp far from all others were dropped.
  case droppedStray = "dropped_stray_time"
  /// The second of two fixes with the same stamp was dropped.
  case droppedSameStamp = "dropped_same_stamp"
  /// Positions that stood still while the device moved were dropped.
  case droppedStuck = "dropped_stuck"
  /// Fixes that nothing could have reached were dropped.
  case droppedJump = "dropped_jump"
  /// A new segment now says that the trace was interrupted.
  case markedBreak = "marked_break"

  /// What was done, for people, with a number of fixes or of breaks before it.
  package func meaning(of count: Int) -> String {
    let isOne = count == 1
    let fixes = isOne ? "fix" : "fixes"
    return switch self {
    case .droppedUnusable:
      isOne ? "point dropped that is no fix" : "points dropped that are no fixes"
    case .droppedNullIsland: "\(fixes) dropped that \(isOne ? "lies" : "lie") at exactly 0, 0"
    case .droppedDate: "\(fixes) dropped whose clock was not set"
    case .sorted: "\(fixes) moved to \(isOne ? "its" : "their") place in time"
    case .droppedStray: "\(fixes) dropped whose stamp is far from all others"
    case .droppedSameStamp: "\(fixes) dropped that had the same stamp as another"
    case .droppedStuck: "\(fixes) dropped that stood still while the device moved"
    case .droppedJump: "\(fixes) dropped that nothing could have reached"
    case .markedBreak: "\(isOne ? "gap" : "gaps") marked with a new segment"
    }
  }
}

/// Cleans a trace: puts fixes in order, and leaves out those that cannot be true.
///
/// Never makes, moves or changes a fix. What it cannot know how to cure stays: claims of accuracy and
/// speed, and a jump between two long parts of which neither is more likely true.
///
/// - Complexity: O(n log n); holds the whole trace, about 100 bytes a fix, since its last fix may
///   belong before its first.
package struct TraceRepair {
  /// A fix of the repaired trace.
  package struct Kept: Hashable, Sendable {
    /// The fix, as it was.
    package var fix: Fix
    /// Where its accuracy comes from.
    package var accuracySource: AccuracySource
    /// Whether it starts a segment.
    package var startsSegment: Bool
    /// Its number among the points of the file, the first being 1.
    package var number: Int
    var segment: Int
  }

  /// The most fixes that are dropped to do away with one jump: a twentieth of the trace, at least
  /// ten and at most 600.
  private var mostForOneJump: Int { min(600, max(10, kept.count / 20)) }

  private let settings: DoctorSettings
  private var kept: [Kept] = []
  private var counts = RepairStep.allCases.map { _ in 0 }
  private var points = 0
  private var segment = 0

  /// Begins with a trace.
  package init(settings: DoctorSettings = DoctorSettings()) { self.settings = settings }

  /// Takes the next point in the order of the file.
  package mutating func add(_ record: TraceRecord) {
    points += 1
    guard let fix = record.fix, fix.horizontalAccuracyMeters >= 0,
      fix.horizontalAccuracyMeters.isFinite
    else {
      count(.droppedUnusable)
      return
    }
    if record.startsSegment { segment += 1 }
    if fix.coordinate.latitude == 0, fix.coordinate.longitude == 0 {
      count(.droppedNullIsland)
      return
    }
    kept.append(
      Kept(
        fix: fix,
        accuracySource: record.accuracySource,
        startsSegment: false,
        number: points,
        segment: segment
      )
    )
  }

  /// Repairs what was added.
  ///
  /// - Returns: the fixes in order of time, and what was done, in the order in which it was done.
  package mutating func finish() -> (fixes: [Kept], steps: [(step: RepairStep, count: Int)]) {
    dropDates()
    sort()
    dropSameStamps()
    // Each round drops something, so there is a last one.
    while dropStuck() || dropJumps() {}
    markSegments()
    let steps = zip(RepairStep.allCases, counts).filter { $0.1 > 0 }
      .map { (step: $0.0, count: $0.1) }
    return (kept, steps)
  }

  private mutating func count(_ step: RepairStep, _ number: Int = 1) {
    for (index, candidate) in RepairStep.allCases.enumerated() where candidate == step {
      counts[index] += number
    }
  }

  private mutating func keep(_ step: RepairStep, where isKept: [Bool]) {
    let before = kept.count
    var index = 0
    kept.removeAll { _ in
      defer { index += 1 }
      return !isKept[index]
    }
    count(step, before - kept.count)
  }

  // MARK: - Time

  /// Drops the instants of a clock that was not set, unless it never was.
  private mutating func dropDates() {
    let isPlausible = kept.map { $0.fix.at >= settings.earliest && $0.fix.at < settings.latest }
    guard isPlausible.contains(true) else { return }
    keep(.droppedDate, where: isPlausible)
  }

  private mutating func sort() {
    let isInPlace = longestOrderedPart(kept.map(\.fix.at))
    guard isInPlace.contains(false) else { return }
    let order = kept.indices.sorted {
      (kept[$0].fix.at, $0) < (kept[$1].fix.at, $1)
    }
    let sorted = order.map { kept[$0] }
    // A fix out of place that stands alone in its new place, too, has a wrong stamp.
    var isKept = [Bool](repeating: true, count: sorted.count)
    for place in sorted.indices where !isInPlace[order[place]] {
      let isFarFromBefore =
        place == 0 || sorted[place].fix.at - sorted[place - 1].fix.at > settings.silence
      let isFarFromAfter =
        place == sorted.count - 1
        || sorted[place + 1].fix.at - sorted[place].fix.at > settings.silence
      isKept[place] = !(isFarFromBefore && isFarFromAfter)
    }
    let stray = isKept.count { !$0 }
    count(.sorted, isInPlace.count { !$0 } - stray)
    kept = sorted
    keep(.droppedStray, where: isKept)
  }

  /// Which instants belong to the longest part that never goes back.
  ///
  /// - Complexity: O(n log n).
  /// - Source: C. Schensted, "Longest Increasing and Decreasing Subsequences", 1961.
  private func longestOrderedPart(_ instants: [Timestamp]) -> [Bool] {
    // For each length the index of the least instant with which a part of that length ends.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: instants.count)
    for index in instants.indices {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if instants[ends[middle]] <= instants[index] { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var belongs = [Bool](repeating: false, count: instants.count)
    var index = ends.last ?? -1
    while index >= 0 {
      belongs[index] = true
      index = previous[index]
    }
    return belongs
  }

  /// Of several fixes with one stamp keeps the first that the fix before them can reach.
  private mutating func dropSameStamps() {
    var isKept = [Bool](repeating: true, count: kept.count)
    var before: Fix?
    var start = 0
    while start < kept.count {
      var end = start + 1
      while end < kept.count, kept[end].fix.at == kept[start].fix.at { end += 1 }
      var chosen = start
      if let before, end > start + 1 {
        chosen =
          (start..<end).first { settings.isReachable(before, kept[$0].fix) } ?? start
      }
      for index in start..<end { isKept[index] = index == chosen }
      before = kept[chosen].fix
      start = end
    }
    keep(.droppedSameStamp, where: isKept)
  }

  // MARK: - Movement

  /// Drops all but the first of positions that stood still while the device moved.
  private mutating func dropStuck() -> Bool {
    var isKept = [Bool](repeating: true, count: kept.count)
    var hasDropped = false
    var start = 0
    while start < kept.count {
      var run = StillRun(kept[start].fix, settings)
      var end = start + 1
      while end < kept.count, run.extend(kept[end].fix, settings) { end += 1 }
      let next = end < kept.count ? kept[end].fix : nil
      if run.nature(before: next, settings) == .stuck {
        for index in (start + 1)..<end { isKept[index] = false }
        hasDropped = true
      }
      start = end
    }
    keep(.droppedStuck, where: isKept)
    return hasDropped
  }

  /// Drops what the doctor calls a jump.
  private mutating func dropJumps() -> Bool {
    var doctor = TraceDoctor(settings: settings, placesKept: .max)
    for fix in kept {
      doctor.examine(
        TraceRecord(outcome: .fix(fix.fix), accuracySource: fix.accuracySource, line: fix.number)
      )
    }
    let diagnosis = doctor.finish()
    let undone = diagnosis.tally(.teleport).places + diagnosis.tally(.loneJump).places
    guard undone.isEmpty else {
      var isKept = [Bool](repeating: true, count: kept.count)
      for finding in undone {
        for number in finding.first.number...finding.last.number { isKept[number - 1] = false }
      }
      keep(.droppedJump, where: isKept)
      return true
    }
    return diagnosis.count(.impossibleSpeed) > 0 && dropUnreachable()
  }

  /// Keeps the most fixes that can all be true.
  ///
  /// The trace falls into pieces within which every fix is reachable from the one before. Of all
  /// chains of pieces, each reachable from the one before it, the one with the most fixes stays; a
  /// link that is not reachable costs as much as ``mostForOneJump`` fixes.
  ///
  /// - Complexity: O(n + 256 p) for p pieces: a link spans at most 256 of them.
  private mutating func dropUnreachable() -> Bool {
    var pieces: [Range<Int>] = []
    var start = 0
    for index in kept.indices.dropFirst()
    where !settings.isReachable(kept[index - 1].fix, kept[index].fix) {
      pieces.append(start..<index)
      start = index
    }
    guard !pieces.isEmpty else { return false }
    pieces.append(start..<kept.count)

    let price = mostForOneJump
    var best: [Int] = []
    var previous: [Int] = []
    for (number, piece) in pieces.enumerated() {
      var value = 0
      var link = -1
      for earlier in max(0, number - 256)..<number {
        let isReachable = settings.isReachable(
          kept[pieces[earlier].upperBound - 1].fix,
          kept[piece.lowerBound].fix
        )
        let candidate = best[earlier] - (isReachable ? 0 : price)
        if candidate > value {
          value = candidate
          link = earlier
        }
      }
      best.append(value + piece.count)
      previous.append(link)
    }
    var number = 0
    for candidate in pieces.indices where best[candidate] > best[number] { number = candidate }
    var isKept = [Bool](repeating: false, count: kept.count)
    while number >= 0 {
      for index in pieces[number] { isKept[index] = true }
      number = previous[number]
    }
    keep(.droppedJump, where: isKept)
    return isKept.contains(false)
  }

  // MARK: - Segments

  private mutating func markSegments() {
    for index in kept.indices {
      guard index > 0 else {
        kept[index].startsSegment = true
        continue
      }
      let (before, here) = (kept[index - 1], kept[index])
      kept[index].startsSegment = before.segment != here.segment
      if !kept[index].startsSegment, here.fix.at - before.fix.at > settings.silence,
        settings.hasMoved(before.fix, here.fix)
      {
        kept[index].startsSegment = true
        count(.markedBreak)
      }
    }
  }
}
