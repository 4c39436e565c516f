import Timeline

/// Goes through a zone's changes beside a series, so that none is searched for.
struct ZoneCursor {
  private let eras: [UTCOffsetTable.Era]
  private let initialOffset: Int
  /// How many eras have begun.
  private var begun = 0
  /// Seconds east of UTC now.
  private(set) var offset: Int
  /// The instant at which the next era begins, in seconds; `Int.max` after the last.
  private(set) var nextChange = Int.max
  /// The wall time from which the next era's offset is read.
  private var wallEnd = Int.max
  /// The wall time from which the clocks jump over what is left until `wallEnd`.
  private var gapBegin = Int.max

  init(_ zone: UTCOffsetTable?) {
    eras = zone?.eras ?? []
    initialOffset = zone?.initialOffsetSeconds ?? 0
    offset = initialOffset
    load(0)
  }

  /// The instant of a wall time; times must come ascending.
  ///
  /// In a gap it is as much later as the clocks jump, in a fold the first of the two.
  @inline(__always)
  mutating func instant(ofWall wall: Int) -> (instant: Int, isInGap: Bool) {
    while wall >= wallEnd { load(begun + 1) }
    return (wall - offset, wall >= gapBegin)
  }

  /// Goes to the era of an instant; instants must come ascending, unless `seek` comes between.
  @inline(__always)
  mutating func advance(to instant: Int) {
    while instant >= nextChange { load(begun + 1) }
  }

  /// Goes to the era of an instant, wherever it is.
  mutating func seek(_ instant: Int) {
    var low = 0
    var high = eras.count
    while low < high {
      let middle = (low + high) / 2
      if start(of: middle) <= instant { low = middle + 1 } else { high = middle }
    }
    load(low)
  }

  /// Goes to the era of an instant, or the one before it if times that the clocks jumped over at its
  /// beginning come at or after the instant.
  ///
  /// - Returns: the first wall time that can be at or after the instant.
  mutating func seekWall(_ instant: Int) -> Int {
    seek(instant)
    let wall = instant + offset
    guard begun > 0 else { return wall }
    let before = begun == 1 ? initialOffset : eras[begun - 2].offsetSeconds
    guard offset > before, instant < start(of: begun - 1) + offset - before else {
      // In a fold the first reading belongs to the era before.
      if offset < before, wall < start(of: begun - 1) + before { load(begun - 1) }
      return wall
    }
    load(begun - 1)
    return instant + offset
  }

  private func start(of index: Int) -> Int {
    floorQuotient(Int(eras[index].start.milliseconds), 1_000)
  }

  private mutating func load(_ count: Int) {
    begun = count
    offset = count == 0 ? initialOffset : eras[count - 1].offsetSeconds
    guard count < eras.count else {
      nextChange = .max
      wallEnd = .max
      gapBegin = .max
      return
    }
    let change = start(of: count)
    let after = eras[count].offsetSeconds
    nextChange = change
    wallEnd = change + max(offset, after)
    gapBegin = after > offset ? change + offset : .max
  }
}
