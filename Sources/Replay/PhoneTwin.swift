import Fencing
import Geodesy
import NearMeEngine
import OutputLines
import Timeline
import Traces

/// A location service as phones have it: it notices late, tells later, and takes only so many regions.
///
/// It is given every fix that the receiver could make, and shows the app a few of them. A crossing
/// counts when the phone has stayed beyond the boundary, and a cushion, for a time; it is told after
/// a span drawn from the seed and the instant of the crossing. Each wake comes with the position
/// that the phone has at that moment, not with the one at which it crossed.
///
/// - Complexity: a fix within the circle in which nothing can be crossed costs O(1), any other
///   O(regions).
public struct PhoneTwin: Sendable {
  /// A moment at which the app runs.
  public struct Wake: Hashable, Sendable {
    /// When.
    public let at: Timestamp
    /// Why.
    public let cause: WakeCause
    /// The position that the phone has then.
    public let fix: Fix
    /// The position before it, where the service hands it over.
    public let previous: Fix?
    /// Whether the app is awake anyway and follows.
    public let isFollowed: Bool
  }

  private struct Watched: Sendable {
    let region: Region
    let center: SurfacePoint
    /// Not below the smallest that the service serves.
    let radiusMeters: Double
    var isInside: Bool
    /// Since when the phone has been beyond the boundary, while that does not count yet.
    var crossingSince: Timestamp?
  }

  /// Where the phone was when something began to be measured.
  private struct Anchor: Sendable {
    let coordinate: Coordinate
    let point: SurfacePoint
    let at: Timestamp

    func circle(meters: Double) -> CalmColumns {
      CalmColumns(around: coordinate, chordSquared: meters * meters)
    }
  }

  /// Something that the app will be woken for.
  private struct Due: Sendable {
    let at: Timestamp
    let cause: WakeCause
    /// The region that was crossed.
    let region: String?
  }

  private let settings: TwinSettings
  private let hasLimit: Bool
  private let gateSettings: FixGateSettings
  private let crossingGap: Milliseconds
  private let seed: UInt64

  private var gate = FixGate()
  private var fixBefore: Fix?
  /// The position that came with the last wake.
  private var handedOver: Fix?
  private var watched: [Watched] = []
  private var dues: [Due] = []
  private var isAskedForNext = false
  private var followsUntil: Timestamp?
  /// How the receiver rests meanwhile; nil where it does not.
  private var easing: Easing?
  private var isBlind = false
  private var mustLookAnew = false
  private var lastRegionWake: Timestamp?
  /// Around the fix that was last compared with every region: within it, no boundary can be crossed,
  /// and a phone beyond one stays there, by fixes that are not worse than so many meters.
  private var calm:
    (at: Coordinate, center: SurfacePoint, chordSquared: Double, accuracyMeters: Double)?
  /// When the first of the crossings counts that do not yet.
  private var nextCrossing: Timestamp?
  private var changeAnchor: Anchor?
  private var visitAnchor: Anchor?
  private var isVisiting = false
  private var restAnchor: Anchor?
  private var roseAt: Timestamp?
  /// The ids of the regions that were crossed for the last wake.
  package private(set) var crossed: [String] = []
  /// Regions that could never fire as they were registered: going out of a circle from outside it.
  public private(set) var deadRegistrations = 0
  /// Crossings that had been noticed and were never told, because their region was taken away.
  public private(set) var swallowedCrossings = 0

  /// Makes a service.
  ///
  /// - Parameter hasLimit: whether it refuses regions beyond its number, as every phone does.
  /// - Parameter seed: of its latencies.
  public init(
    _ settings: TwinSettings,
    hasLimit: Bool = true,
    gate: FixGateSettings = FixGateSettings(),
    crossingGap: Milliseconds = .minutes(10),
    seed: UInt64
  ) {
    self.settings = settings
    self.hasLimit = hasLimit
    gateSettings = gate
    self.crossingGap = crossingGap
    self.seed = seed
  }

  /// How many regions are watched.
  public var held: Int { watched.count }

  // MARK: What the app asks for

  /// Changes the watched regions: first stops some, then starts others.
  ///
  /// - Returns: the ids of those that it did not take, because it is full.
  public mutating func apply(start: [Region], stop stopped: [String]) -> [String] {
    if !stopped.isEmpty {
      let stop = stopped
      watched.removeAll { stop.contains($0.region.id) }
      // What was noticed and not told yet is lost with its region.
      let kept = dues.filter {
        settings.crossing.keepsNoticed || $0.region.map { !stop.contains($0) } ?? true
      }
      swallowedCrossings += dues.count - kept.count
      dues = kept
      findNextCrossing()
    }
    calm = nil
    // A phone has one position at a time: the newest, be it measured or the one that the app was woken with.
    let last = [gate.last, handedOver].compactMap(\.self).max { $0.at < $1.at }
    let position = last.map { SurfacePoint($0.coordinate) }
    var refused: [String] = []
    for region in start {
      if hasLimit, watched.count >= settings.regions {
        refused.append(region.id)
        continue
      }
      let center = SurfacePoint(region.center)
      let radius = max(region.radiusMeters, settings.crossing.smallestRadiusMeters)
      let isInside =
        position.map { center.chordSquared(to: $0) <= chordSquared(arcMeters: radius) } ?? false
      if region.kind != .enter, !isInside { deadRegistrations += 1 }
      watched.append(
        Watched(region: region, center: center, radiusMeters: radius, isInside: isInside)
      )
      if isInside, region.kind == .enter, settings.crossing.tellsInitial, let last {
        schedule(.regionEnter, region.id, noticedAt: last.at)
      }
    }
    return refused
  }

  /// Delivers the next position whatever it crosses.
  public mutating func locate() { isAskedForNext = true }

  /// Delivers every position up to an instant; nil: no longer.
  public mutating func follow(until end: Timestamp?) {
    followsUntil = end
    if end == nil { easing = nil }
  }

  /// From an instant on, delivers a position every so often only, while it is followed.
  public mutating func ease(from: Timestamp, every interval: Milliseconds) {
    easing =
      easing?.again(from: from, every: interval)
      ?? Easing(from: from, every: interval, feelsMotion: settings.feelsMotion)
  }

  /// Forgets that positions were asked for: the process that asked is gone.
  public mutating func forgetRequest() {
    isAskedForNext = false
    follow(until: nil)
    dues.removeAll { $0.cause == .fix }
  }

  /// The app may no longer know the position, or may again.
  ///
  /// What was noticed and not told is lost. Afterward, what lies on which side is taken as it is.
  public mutating func goBlind(_ isBlind: Bool) {
    self.isBlind = isBlind
    guard isBlind else { return }
    dues.removeAll()
    isAskedForNext = false
    follow(until: nil)
    calm = nil
    changeAnchor = nil
    visitAnchor = nil
    isVisiting = false
    for i in watched.indices { watched[i].crossingSince = nil }
    nextCrossing = nil
    mustLookAnew = true
  }

  // MARK: What the receiver measures

  /// Takes in what the receiver measured.
  ///
  /// - Returns: why it is not believed, or nil.
  public mutating func consume(_ fix: Fix) -> FixRefusal? {
    if isBlind { return nil }
    let point = SurfacePoint(fix.coordinate)
    let previous = gate.last
    if let refusal = gate.refuse(fix, at: point, gateSettings) { return refusal }
    fixBefore = previous
    noteRest(fix, point)
    noteChange(fix, point)
    noteVisit(fix, point)
    let isTaken = isFollowed(at: fix.at) && easing?.takes(fix, after: previous) ?? true
    if isAskedForNext || isTaken {
      isAskedForNext = false
      dues.append(Due(at: fix.at, cause: .fix, region: nil))
    }
    if let calm, point.chordSquared(to: calm.center) < calm.chordSquared,
      fix.horizontalAccuracyMeters <= calm.accuracyMeters
    {
      return nil
    }
    compare(fix, point, previous)
    return nil
  }

  /// Compares a position with every region.
  private mutating func compare(_ fix: Fix, _ point: SurfacePoint, _ previous: Fix?) {
    let crossing = settings.crossing
    func cushionMeters(_ accuracyMeters: Double) -> Double {
      max(crossing.cushionMeters, crossing.cushionPerAccuracy * accuracyMeters)
    }
    let worst = fix.horizontalAccuracyMeters * Self.accuracyAllowance
    let (cushion, largestCushion) = (
      cushionMeters(fix.horizontalAccuracyMeters), cushionMeters(worst)
    )
    var isCrossing = false
    let way = crossing.tellsPassing ? wayStart(previous, fix, point) : nil
    let looksAnew = mustLookAnew
    mustLookAnew = false
    var leastSlack = Double.infinity
    var passed: [String] = []
    for i in watched.indices {
      let radius = watched[i].radiusMeters
      let distanceSquared = watched[i].center.chordSquared(to: point)
      if looksAnew {
        watched[i].isInside = distanceSquared <= chordSquared(arcMeters: radius)
        watched[i].crossingSince = nil
      }
      let isBeyond: Bool
      let nearestBoundary: Double
      if watched[i].isInside {
        isBeyond = distanceSquared > chordSquared(arcMeters: radius + cushion)
        nearestBoundary = radius + crossing.cushionMeters
      } else {
        // The smallest region is entered at its radius, however large the cushion.
        let least = min(radius, crossing.smallestRadiusMeters)
        isBeyond = distanceSquared <= chordSquared(arcMeters: max(radius - cushion, least))
        nearestBoundary = max(radius - crossing.cushionMeters, least)
      }
      guard isBeyond else {
        watched[i].crossingSince = nil
        leastSlack = min(
          leastSlack,
          abs(distanceSquared.squareRoot() - chordSquared(arcMeters: nearestBoundary).squareRoot())
        )
        if let way, !watched[i].isInside, watched[i].region.kind == .enter,
          passes(watched[i].center, chordSquared(arcMeters: radius), from: way, to: point)
        {
          passed.append(watched[i].region.id)
        }
        continue
      }
      if watched[i].crossingSince == nil { watched[i].crossingSince = fix.at }
      isCrossing = true
      // As long as the phone does not come back over the line that the worst of the coming fixes draws.
      let least = min(radius, crossing.smallestRadiusMeters)
      let isInside = watched[i].isInside
      let line = isInside ? radius + largestCushion : max(radius - largestCushion, least)
      let beyond = distanceSquared.squareRoot() - chordSquared(arcMeters: line).squareRoot()
      leastSlack = min(leastSlack, max(0, isInside ? beyond : -beyond))
    }
    findNextCrossing()
    for id in passed { schedule(.regionEnter, id, noticedAt: fix.at) }
    // Chords are lengths in space: a phone that moved by less than this has crossed nothing. A meter
    // is kept for rounding.
    let calmChord = max(0, leastSlack - 1)
    calm =
      leastSlack > 1
      ? (fix.coordinate, point, calmChord * calmChord, isCrossing ? worst : .infinity) : nil
  }

  /// While a crossing does not count yet, fixes up to so many times worse need not be compared.
  private static let accuracyAllowance = 1.5

  private mutating func findNextCrossing() {
    nextCrossing = nil
    for i in watched.indices {
      guard let since = watched[i].crossingSince else { continue }
      let counts = since + hold(wasInside: watched[i].isInside)
      nextCrossing = nextCrossing.map { min($0, counts) } ?? counts
    }
  }

  /// Where the straight way to a fix began, if the gap allows to speak of one.
  private func wayStart(_ previous: Fix?, _ fix: Fix, _ point: SurfacePoint) -> SurfacePoint? {
    guard let previous, fix.at - previous.at <= crossingGap else { return nil }
    let start = SurfacePoint(previous.coordinate)
    return start == point ? nil : start
  }

  // MARK: Time

  /// When something happens without a further position; nil if nothing does.
  public var nextInstant: Timestamp? {
    guard !isBlind else { return nil }
    var next = nextCrossing
    for i in dues.indices {
      let instant = dueInstant(dues[i])
      next = next.map { min($0, instant) } ?? instant
    }
    return next
  }

  /// Lets everything happen that is due up to an instant.
  ///
  /// - Parameter next: the fix that the receiver will make next, if one is known: between two fixes
  ///   the phone is on the straight line between them.
  /// - Returns: the wake that comes of it, if the app is woken.
  public mutating func advance(to now: Timestamp, toward next: Fix? = nil) -> Wake? {
    guard !isBlind else { return nil }
    let counts = nextCrossing.map { $0 <= now } ?? false
    for i in counts ? watched.indices : 0..<0 {
      guard let since = watched[i].crossingSince,
        since + hold(wasInside: watched[i].isInside) <= now
      else { continue }
      watched[i].crossingSince = nil
      watched[i].isInside.toggle()
      let (isInside, kind) = (watched[i].isInside, watched[i].region.kind)
      if isInside == (kind == .enter) {
        schedule(
          isInside ? .regionEnter : .regionExit,
          watched[i].region.id,
          noticedAt: since + hold(wasInside: !isInside)
        )
      }
    }
    if counts {
      // The lines have changed.
      calm = nil
      findNextCrossing()
    }
    guard let last = gate.last else { return nil }
    let ready = dues.filter { dueInstant($0) <= now }
    guard !ready.isEmpty else { return nil }
    let cause =
      Self.order.first { cause in ready.contains { $0.cause == cause } } ?? ready[0].cause
    dues = dues.filter { dueInstant($0) > now }
    crossed = ready.compactMap(\.region)
    if !crossed.isEmpty { lastRegionWake = now }
    let fix = position(at: now, after: last, toward: next)
    handedOver = fix
    return Wake(
      at: now,
      cause: cause,
      fix: fix,
      previous: settings.crossing.tellsPrevious ? fixBefore : nil,
      isFollowed: isFollowed(at: now)
    )
  }

  /// What the receiver says when it is asked between two fixes.
  private func position(at now: Timestamp, after last: Fix, toward next: Fix?) -> Fix {
    guard now > last.at else { return last }
    var fix = last
    fix.at = now
    guard let next, next.at > now, next.at - last.at <= crossingGap else { return fix }
    let reach = gateSettings.jumpSpeedMetersPerSecond * max(1, (next.at - last.at).seconds)
    guard
      SurfacePoint(next.coordinate).chordSquared(to: SurfacePoint(last.coordinate))
        <= reach * reach
    else { return fix }
    let share = (now - last.at).seconds / (next.at - last.at).seconds
    let plane = LocalPlane(origin: last.coordinate)
    let end = plane.project(next.coordinate)
    fix.coordinate = plane.coordinate(
      eastMeters: end.eastMeters * share,
      northMeters: end.northMeters * share
    )
    fix.horizontalAccuracyMeters = max(last.horizontalAccuracyMeters, next.horizontalAccuracyMeters)
    return fix
  }

  private func isFollowed(at now: Timestamp) -> Bool { followsUntil.map { now <= $0 } ?? false }

  /// Where several things come together, the first of these names the wake.
  private static let order: [WakeCause] = [
    .regionEnter, .regionExit, .significantChange, .visit, .fix,
  ]

  private func hold(wasInside: Bool) -> Milliseconds {
    wasInside ? settings.crossing.exitHold : settings.crossing.enterHold
  }

  /// What comes within the span of a batch comes with the next one.
  private func dueInstant(_ due: Due) -> Timestamp {
    guard due.region != nil, settings.latency.batch.value > 0, let last = lastRegionWake else {
      return due.at
    }
    return max(due.at, last + settings.latency.batch)
  }

  private mutating func schedule(_ cause: WakeCause, _ region: String, noticedAt at: Timestamp) {
    let isRising = roseAt.map { at - $0 <= Self.risingSpan } ?? false
    let latency = isRising ? settings.latency.still : settings.latency.moving
    dues.append(
      Due(at: at + latency.span(at: draw(seed: seed, at: at)), cause: cause, region: region)
    )
  }

  /// How long after a long rest a phone still notices as slowly as at rest.
  ///
  /// - Source: judgment: sensors that rest look every few minutes.
  private static let risingSpan = Milliseconds.minutes(2)
  /// A phone that has not moved this far is at rest.
  private static let restMeters = 100.0

  // MARK: What the system notices by itself

  private mutating func noteRest(_ fix: Fix, _ point: SurfacePoint) {
    let at = fix.at
    guard let stillAfter = settings.latency.stillAfter else { return }
    guard let anchor = restAnchor else {
      restAnchor = Anchor(coordinate: fix.coordinate, point: point, at: at)
      return
    }
    guard point.chordSquared(to: anchor.point) > Self.restMeters * Self.restMeters else { return }
    if at - anchor.at >= stillAfter { roseAt = at }
    restAnchor = Anchor(coordinate: fix.coordinate, point: point, at: at)
  }

  private mutating func noteChange(_ fix: Fix, _ point: SurfacePoint) {
    let at = fix.at
    let changes = settings.changes
    guard changes.isOn else { return }
    guard let anchor = changeAnchor else {
      changeAnchor = Anchor(coordinate: fix.coordinate, point: point, at: at)
      return
    }
    guard at - anchor.at >= changes.interval,
      point.chordSquared(to: anchor.point) >= changes.distanceMeters * changes.distanceMeters
    else { return }
    changeAnchor = Anchor(coordinate: fix.coordinate, point: point, at: at)
    dues.append(Due(at: at, cause: .significantChange, region: nil))
  }

  private mutating func noteVisit(_ fix: Fix, _ point: SurfacePoint) {
    let at = fix.at
    let visits = settings.visits
    guard visits.isOn else { return }
    guard let anchor = visitAnchor else {
      visitAnchor = Anchor(coordinate: fix.coordinate, point: point, at: at)
      return
    }
    if point.chordSquared(to: anchor.point) <= visits.radiusMeters * visits.radiusMeters {
      guard !isVisiting, at - anchor.at >= visits.stay else { return }
      isVisiting = true
      dues.append(Due(at: at + visits.arrivalDelay, cause: .visit, region: nil))
    } else {
      if isVisiting {
        dues.append(Due(at: at + visits.departureDelay, cause: .visit, region: nil))
      }
      isVisiting = false
      visitAnchor = Anchor(coordinate: fix.coordinate, point: point, at: at)
    }
  }
}

extension PhoneTwin {
  /// Takes in fixes as long as they change nothing but the newest position.
  ///
  /// The same as ``consume(_:)`` with each of them in turn, none of which would be refused or make
  /// anything due.
  ///
  /// - Returns: how many rows from the first of the range on were taken in.
  mutating func skip(
    through rows: FixColumns.Rows,
    _ range: Range<Int>,
    before end: Timestamp
  ) -> Int {
    guard let nextAt = range.first.map({ Timestamp(milliseconds: rows.at[$0]) }), !isBlind,
      !mustLookAnew, !isAskedForNext, !isFollowed(at: nextAt), let calm, let last = gate.last
    else { return 0 }
    // Each circle is looked through by itself, so not too far ahead of the one that ends it.
    let first = range.lowerBound
    let most = first..<min(range.upperBound, first + Self.rowsAhead)
    var count = CalmColumns(around: calm.at, chordSquared: calm.chordSquared)
      .count(
        rows,
        most,
        before: min(end, nextInstant ?? end).milliseconds,
        after: last,
        gateSettings,
        accuracyMeters: calm.accuracyMeters
      )
    if settings.latency.stillAfter != nil {
      guard let restAnchor else { return 0 }
      count = restAnchor.circle(meters: Self.restMeters)
        .count(rows, first..<(first + count), before: .max)
    }
    if settings.changes.isOn {
      guard let changeAnchor else { return 0 }
      // Before its interval is over, any distance will do.
      let open = (changeAnchor.at + settings.changes.interval).milliseconds
      var early = 0
      while early < count, rows.at[first + early] < open { early += 1 }
      count =
        early
        + changeAnchor.circle(meters: settings.changes.distanceMeters)
        .count(rows, (first + early)..<(first + count), before: .max)
    }
    if settings.visits.isOn {
      guard let visitAnchor else { return 0 }
      let stayed = (visitAnchor.at + settings.visits.stay).milliseconds
      count = visitAnchor.circle(meters: settings.visits.radiusMeters)
        .count(rows, first..<(first + count), before: isVisiting ? .max : stayed)
    }
    guard count > 0 else { return 0 }
    fixBefore = count > 1 ? rows.fix(first + count - 2) : last
    gate.accept(rows.fix(first + count - 1))
    return count
  }

  private static let rowsAhead = 256
}

/// Whether a straight way comes within a chord of a point.
func passes(
  _ center: SurfacePoint,
  _ radiusChordSquared: Double,
  from start: SurfacePoint,
  to end: SurfacePoint
) -> Bool {
  let dx = end.x - start.x
  let dy = end.y - start.y
  let dz = end.z - start.z
  let dot =
    (center.x - start.x) * dx + (center.y - start.y) * dy + (center.z - start.z) * dz
  let share = min(1, max(0, dot / (dx * dx + dy * dy + dz * dz)))
  let nearest = SurfacePoint(
    x: start.x + share * dx,
    y: start.y + share * dy,
    z: start.z + share * dz
  )
  return nearest.chordSquared(to: center) <= radiusChordSquared
}
