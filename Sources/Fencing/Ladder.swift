import Geodesy
import Timeline

/// How a target lies to a fix: the two distances that a ladder climbs by.
public struct TargetSight: Hashable, Sendable {
  /// To the target's nearest point.
  public var distanceMeters: Double
  /// To the edge of the nearest arrival disc, negative inside; the same for targets without arrival
  /// as for infinity.
  public var arrivalSlackMeters: Double
  /// The least distance on the straight way from the fix before; nil where there is none that counts.
  public var passingDistanceMeters: Double?

  /// Makes a sight.
  public init(
    distanceMeters: Double,
    arrivalSlackMeters: Double,
    passingDistanceMeters: Double? = nil
  ) {
    self.distanceMeters = distanceMeters
    self.arrivalSlackMeters = arrivalSlackMeters
    self.passingDistanceMeters = passingDistanceMeters
  }
}

/// A fact about one ring of a ladder.
public struct RingTransition: Hashable, Sendable {
  /// Which way.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// Came in.
    case enter
    /// Went out.
    case exit
    /// Was still there after a time.
    case dwell
  }

  /// Which ring, 0 being the outermost.
  public let ring: Int
  /// Which way.
  public let kind: Kind
  /// When.
  public let at: Timestamp
  /// Whether a deeper ring was entered at the same moment and speaks instead.
  public let isSuperseded: Bool
}

/// How deep inside a target's rings the phone is: facts with a memory, no decisions.
///
/// The level is the number of rings that it has come inside of. Coming in raises it, going out lowers it
/// late. A level changes only at a fix that crosses one of the boundaries that
/// ``watchedBoundaries(_:_:)`` names, or at ``nextInstant``; so a sleeping app that is woken for
/// these and for nothing else sees the same transitions as one that sees every fix. But a way out that
/// one fix has shown, and that is doubted, is ended by the next fix wherever it is.
public struct Ladder: Hashable, Sendable, Codable {
  /// Rings inside of; nil until a fix could tell.
  public private(set) var level: Int?
  /// Since when the phone has been inside the arrival ring without it being an arrival yet; it may
  /// hold, or the arrival detector may find that it is one.
  public private(set) var arrivalPendingSince: Timestamp?
  /// When the pending arrival has held.
  public private(set) var arrivalHoldsAt: Timestamp?
  /// When the pending exit from the arrival ring has held; the end of time where only ``leave(at:_:)`` ends it.
  public private(set) var exitHoldsAt: Timestamp?
  /// When a single fix, which did not say that it was on the way, was outside of the arrival ring; nil where
  /// that is known better.
  ///
  /// Indoors a position jumps by hundreds of meters and comes back: the silence after it holds nothing.
  private var exitSeenOnceAt: Timestamp?
  /// When the present arrival began; nil unless inside the arrival ring, or if it began there.
  public private(set) var arrivedAt: Timestamp?
  /// Whether the last fix left a boundary undecided, so that the next fix is needed.
  public private(set) var needsNextFix = true

  /// A ladder of which no ring has been entered yet.
  public init() {}

  /// When this ladder changes without a fix.
  public var nextInstant: Timestamp? {
    arrivalHoldsAt ?? exitHoldsAt.flatMap { $0 == .endOfTime ? nil : $0 }
  }

  /// Lets time pass up to an instant, inclusive.
  ///
  /// - Parameter keepsArrival: whether only ``leave(at:_:)`` ends an arrival.
  /// - Returns: the transition that was due, if any.
  public mutating func advance(
    to now: Timestamp,
    _ shape: LadderShape,
    keepsArrival: Bool = false
  ) -> [RingTransition] {
    if let due = arrivalHoldsAt, due <= now {
      let ring = shape.rings.count - 1
      level = shape.rings.count
      arrivedAt = arrivalPendingSince
      arrivalPendingSince = nil
      arrivalHoldsAt = nil
      return [RingTransition(ring: ring, kind: .enter, at: due, isSuperseded: false)]
    }
    if let due = exitHoldsAt, due <= now, due != .endOfTime {
      if keepsArrival {
        // Whoever keeps the arrival decides, or a fix from inside; of a single one outside, the next.
        exitHoldsAt = exitSeenOnceAt == nil ? .endOfTime : nil
        return []
      }
      guard exitSeenOnceAt != nil else { return [leaveArrival(shape, at: due)] }
      // The next fix decides.
      exitHoldsAt = nil
    }
    return []
  }

  /// Takes in a fix that came after everything before it.
  ///
  /// - Parameters:
  ///   - doubt: what a single fix outside of the arrival ring is worth that is no fast one.
  ///   - keepsArrival: whether only ``leave(at:_:)`` ends an arrival; until then a way out is pending at most.
  /// - Returns: what changed, outer rings first on the way in, inner rings first on the way out.
  public mutating func observe(
    _ sight: TargetSight,
    accuracyMeters: Double,
    speedMetersPerSecond: Double?,
    at now: Timestamp,
    _ shape: LadderShape,
    _ settings: FencingSettings,
    doubt: SingleFixDoubt = .none,
    keepsArrival: Bool = false
  ) -> [RingTransition] {
    precondition(nextInstant.map { $0 > now } ?? true, "time must pass before a fix is observed")
    needsNextFix = false
    guard let before = level else {
      let transitions = begin(sight, accuracyMeters: accuracyMeters, at: now, shape, settings)
      if settings.watchesDiscs, level != nil, let ring = shape.rings.last, shape.hasArrival {
        // Starting inside a disc may be an arrival, and no line around the disc is ahead any more.
        if accuracyMeters <= settings.entryAccuracyMeters(for: ring),
          sight.arrivalSlackMeters <= 0
        {
          arrivalPendingSince = now
        }
        needsNextFix = isUndecided(sight, accuracyMeters: accuracyMeters, shape, settings)
      }
      return transitions
    }
    var transitions = climb(
      sight,
      accuracyMeters: accuracyMeters,
      speedMetersPerSecond: speedMetersPerSecond,
      from: before,
      at: now,
      shape,
      settings
    )
    transitions += descend(
      sight,
      accuracyMeters: accuracyMeters,
      doubt: speedMetersPerSecond.map { $0 >= settings.slowSpeedMetersPerSecond } ?? false
        ? .none : doubt,
      keepsArrival: keepsArrival,
      at: now,
      shape,
      settings
    )
    let isInDoubt =
      exitSeenOnceAt != nil
      || exitHoldsAt.map { $0 != .endOfTime && $0 > now + settings.exitHold } ?? false
    needsNextFix =
      isInDoubt || isUndecided(sight, accuracyMeters: accuracyMeters, shape, settings)
    return transitions
  }

  /// Goes on by a clock that was set by a span.
  package mutating func shiftClock(by span: Milliseconds) {
    func moved(_ instant: Timestamp?) -> Timestamp? {
      instant.map { $0 == .endOfTime ? $0 : $0 + span }
    }
    arrivalPendingSince = moved(arrivalPendingSince)
    arrivalHoldsAt = moved(arrivalHoldsAt)
    exitHoldsAt = moved(exitHoldsAt)
    exitSeenOnceAt = moved(exitSeenOnceAt)
    arrivedAt = moved(arrivedAt)
  }

  // MARK: Beginning

  /// A ladder that begins inside a ring has not entered it; it re-arms by leaving.
  private mutating func begin(
    _ sight: TargetSight,
    accuracyMeters: Double,
    at now: Timestamp,
    _ shape: LadderShape,
    _ settings: FencingSettings
  ) -> [RingTransition] {
    var inside = 0
    for ring in shape.rings {
      // With the arrival detector on, starting inside the ring is not an arrival.
      if ring.kind == .arrival, settings.arrivalDetection == .posterior { continue }
      let slack = Self.slackMeters(sight, ring)
      // A ring's side is known if the fix is good enough for it, or far enough from it.
      guard
        accuracyMeters <= settings.entryAccuracyMeters(for: ring) || abs(slack) > accuracyMeters
      else {
        needsNextFix = true
        return []
      }
      if slack <= 0 { inside += 1 }
    }
    level = inside
    guard inside > 0, settings.announcesInitial else { return [] }
    if inside == shape.rings.count, shape.hasArrival { arrivedAt = now }
    return (0..<inside)
      .map {
        RingTransition(ring: $0, kind: .enter, at: now, isSuperseded: $0 < inside - 1)
      }
  }

  // MARK: Coming in

  private mutating func climb(
    _ sight: TargetSight,
    accuracyMeters: Double,
    speedMetersPerSecond: Double?,
    from before: Int,
    at now: Timestamp,
    _ shape: LadderShape,
    _ settings: FencingSettings
  ) -> [RingTransition] {
    var reached = before
    for (i, ring) in shape.rings.enumerated().dropFirst(before) {
      guard accuracyMeters <= settings.entryAccuracyMeters(for: ring) else { continue }
      switch ring.kind {
      case .approach:
        let nearest = min(sight.distanceMeters, sight.passingDistanceMeters ?? .infinity)
        if nearest <= ring.radiusMeters { reached = i + 1 }
      case .arrival:
        guard settings.arrivalDetection == .radius || settings.watchesDiscs,
          sight.arrivalSlackMeters <= 0, arrivalPendingSince == nil
        else { continue }
        reached = max(reached, i)
        guard settings.arrivalDetection == .radius else {
          arrivalPendingSince = now
          continue
        }
        let isSlow = speedMetersPerSecond.map { $0 < settings.slowSpeedMetersPerSecond } ?? false
        let hold = settings.arrivalHold
        arrivalPendingSince = now
        arrivalHoldsAt = now + (isSlow ? hold : hold + hold)
      }
    }
    level = reached
    return (before..<reached)
      .map {
        RingTransition(ring: $0, kind: .enter, at: now, isSuperseded: $0 < reached - 1)
      }
  }

  /// Arrives because the arrival detector has found so.
  ///
  /// - Parameter since: when the stay is thought to have begun; a dwell counts from there.
  /// - Returns: the rings that were not reached before, outer ones first.
  public mutating func arrive(
    at now: Timestamp,
    since: Timestamp,
    _ shape: LadderShape
  ) -> [RingTransition] {
    let count = shape.rings.count
    guard shape.hasArrival, level != count else { return [] }
    let before = level ?? count - 1
    level = count
    arrivedAt = since
    arrivalPendingSince = nil
    arrivalHoldsAt = nil
    exitHoldsAt = nil
    exitSeenOnceAt = nil
    return (before..<count)
      .map { RingTransition(ring: $0, kind: .enter, at: now, isSuperseded: $0 < count - 1) }
  }

  /// Leaves the arrival ring because the arrival detector has found so.
  public mutating func leave(at now: Timestamp, _ shape: LadderShape) -> [RingTransition] {
    guard shape.hasArrival, level == shape.rings.count else { return [] }
    return [leaveArrival(shape, at: now)]
  }

  // MARK: Going out

  private mutating func descend(
    _ sight: TargetSight,
    accuracyMeters: Double,
    doubt: SingleFixDoubt,
    keepsArrival: Bool,
    at now: Timestamp,
    _ shape: LadderShape,
    _ settings: FencingSettings
  ) -> [RingTransition] {
    if arrivalPendingSince != nil,
      isBeyond(shape.rings.count, by: sight, accuracyMeters: accuracyMeters, shape, settings)
    {
      arrivalPendingSince = nil
      arrivalHoldsAt = nil
    }
    var transitions: [RingTransition] = []
    while let level, level > 0 {
      if shape.rings[level - 1].kind == .arrival {
        guard isBeyond(level, by: sight, accuracyMeters: accuracyMeters, shape, settings) else {
          if sight.arrivalSlackMeters <= Self.exitSlackMeters(level, shape, settings) {
            exitHoldsAt = nil
            exitSeenOnceAt = nil
          }
          break
        }
        // Beyond the next ring's fall, too: so far away that waiting would prove nothing.
        // What was kept and is so no more, as in a state that another policy goes on with, has to hold as any.
        if !keepsArrival, exitHoldsAt == .endOfTime { exitHoldsAt = nil }
        let isFar =
          level > 1
          && isBeyond(level - 1, by: sight, accuracyMeters: accuracyMeters, shape, settings)
        if let holdsAt = exitHoldsAt, holdsAt != .endOfTime, holdsAt > now + settings.exitHold {
          // A second fix says the same: it has to hold as any.
          exitHoldsAt = holdsAt - settings.doubtedExitHold + settings.exitHold
        }
        let seenAt = exitSeenOnceAt.map { $0 + settings.exitHold } ?? exitHoldsAt
        let hasHeld = seenAt.map { $0 <= now } ?? false
        guard !keepsArrival, isFar || hasHeld || settings.exitHold.value == 0 else {
          let since = exitSeenOnceAt ?? now
          let isFirst = exitHoldsAt == nil && exitSeenOnceAt == nil
          exitSeenOnceAt = isFirst && doubt == .untilTheNext ? now : nil
          if exitHoldsAt == nil {
            exitHoldsAt =
              since
              + (isFirst && doubt == .forAWhile ? settings.doubtedExitHold : settings.exitHold)
          }
          break
        }
        transitions.append(leaveArrival(shape, at: now))
      } else {
        guard isBeyond(level, by: sight, accuracyMeters: accuracyMeters, shape, settings) else {
          break
        }
        self.level = level - 1
        transitions.append(
          RingTransition(ring: level - 1, kind: .exit, at: now, isSuperseded: false)
        )
      }
    }
    return transitions
  }

  private mutating func leaveArrival(_ shape: LadderShape, at now: Timestamp) -> RingTransition {
    level = shape.rings.count - 1
    exitHoldsAt = nil
    exitSeenOnceAt = nil
    arrivedAt = nil
    return RingTransition(
      ring: shape.rings.count - 1,
      kind: .exit,
      at: now,
      isSuperseded: false
    )
  }

  private func isBeyond(
    _ level: Int,
    by sight: TargetSight,
    accuracyMeters: Double,
    _ shape: LadderShape,
    _ settings: FencingSettings
  ) -> Bool {
    let ring = shape.rings[level - 1]
    return switch ring.kind {
    case .arrival:
      sight.arrivalSlackMeters
        > max(Self.exitSlackMeters(level, shape, settings), accuracyMeters)
    case .approach:
      sight.distanceMeters
        > max(settings.fallRadiusMeters(shape, level: level), ring.radiusMeters + accuracyMeters)
    }
  }

  /// How far outside the arrival disc one must be to have left it, the accuracy aside.
  private static func exitSlackMeters(
    _ level: Int,
    _ shape: LadderShape,
    _ settings: FencingSettings
  ) -> Double {
    settings.exitBandMeters(for: shape.rings[level - 1])
  }

  private static func slackMeters(_ sight: TargetSight, _ ring: Ring) -> Double {
    switch ring.kind {
    case .arrival: sight.arrivalSlackMeters
    case .approach: sight.distanceMeters - ring.radiusMeters
    }
  }

  // MARK: What to watch

  /// Where this ladder would change next, coming in and going out.
  ///
  /// - Returns: nothing while the level is unknown.
  public func watchedBoundaries(
    _ shape: LadderShape,
    _ settings: FencingSettings
  ) -> [Boundary] {
    guard let level else { return [] }
    let count = shape.rings.count
    var boundaries: [Boundary] = []
    if arrivalPendingSince != nil || (level == count && shape.hasArrival) {
      let band = settings.exitBandMeters(for: shape.rings[count - 1])
      if exitHoldsAt == nil {
        return [Boundary(side: .out, reach: .arrival(beyondMeters: band))]
      }
      // The exit may hold or be taken back; both futures are watched, so that no plan is needed
      // at the instant between them, when no position is known.
      // Coming in again crosses the band first, so the disc itself needs no boundary yet.
      boundaries.append(Boundary(side: .in, reach: .arrival(beyondMeters: band)))
      if level > 1 { boundaries.append(approachFall(level - 1, shape, settings)) }
      return boundaries
    }
    if level < count,
      settings.arrivalDetection == .radius || settings.watchesDiscs
        || shape.rings[level].kind == .approach
    {
      let ring = shape.rings[level]
      boundaries.append(
        Boundary(
          side: .in,
          reach: ring.kind == .arrival
            ? .arrival(beyondMeters: 0) : .distance(meters: ring.radiusMeters)
        )
      )
    }
    if level > 0 { boundaries.append(approachFall(level, shape, settings)) }
    return boundaries
  }

  private func approachFall(
    _ level: Int,
    _ shape: LadderShape,
    _ settings: FencingSettings
  ) -> Boundary {
    Boundary(
      side: .out,
      reach: .distance(meters: settings.fallRadiusMeters(shape, level: level))
    )
  }

  /// Whether the fix lies beyond a watched boundary without having been good enough to act on.
  private func isUndecided(
    _ sight: TargetSight,
    accuracyMeters: Double,
    _ shape: LadderShape,
    _ settings: FencingSettings
  ) -> Bool {
    watchedBoundaries(shape, settings)
      .contains { boundary in
        let outsideBy: Double =
          switch boundary.reach {
          case .distance(let meters): sight.distanceMeters - meters
          case .arrival(let beyondMeters): sight.arrivalSlackMeters - beyondMeters
          }
        let margin = Self.decisionMarginMeters
        return boundary.side == .in ? outsideBy <= margin : outsideBy > -margin
      }
  }

  /// Nearer to a boundary than this, the next fix is needed, too: a location service may round
  /// otherwise than we do, and believe the boundary crossed when we do not.
  private static let decisionMarginMeters = 0.01
}

/// What a single fix outside of an arrival ring is worth that does not say that it is on the way.
///
/// Indoors a position jumps by hundreds of meters, and comes back.
public enum SingleFixDoubt: Sendable {
  /// A way out, when it has held.
  case none
  /// The same, but it has to hold for ``FencingSettings/doubtedExitHold`` unless the next fix is outside, too.
  case forAWhile
  /// Nothing before the next one: the silence after it holds nothing.
  case untilTheNext
}

/// A line around a target at which its ladder would change.
public struct Boundary: Hashable, Sendable {
  /// From which side it is watched.
  public enum Side: Sendable {
    /// Crossed by coming in.
    case `in`
    /// Crossed by going out.
    case out
  }

  /// Around what.
  public enum Reach: Hashable, Sendable {
    /// At a distance from the target's nearest point.
    case distance(meters: Double)
    /// At the edge of the arrival discs, or so far beyond it.
    case arrival(beyondMeters: Double)
  }

  /// From which side it is watched.
  public let side: Side
  /// Around what.
  public let reach: Reach

  /// Makes a boundary.
  public init(side: Side, reach: Reach) {
    self.side = side
    self.reach = reach
  }
}
