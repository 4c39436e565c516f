import Arrivals
import Basics
import Fencing
import Geodesy
import Places
import Timeline
import Traces

/// What happens without a fix: holds that end, silence that says something, dwells that are due.
extension PlaceWatch {
  /// When something happens without a fix, the detector's looks aside; nil if nothing does.
  ///
  /// - Parameter shownLater: what the system shows by itself, and for how long something may wait there for what else
  ///   comes.
  func nextInstant(shownLater: [ReminderNotification], within window: Milliseconds) -> Timestamp? {
    var next: Timestamp?
    // By index: copies would count references, several times a fix.
    for a in state.aims.indices where state.aims[a].isLive {
      for i in state.aims[a].range {
        next = earliest(next, state.ladders[i].ladder.nextInstant)
        guard !mayBeLeaving(a, i), let due = dwellDue(a, i) else { continue }
        if !shownLater.tell(dwellKey(a, i), state.ladders[i].arrivalSpot, by: due + window) {
          next = earliest(next, due)
        }
      }
    }
    return next
  }

  /// Lets time pass up to an instant at which something is due.
  mutating func advance(to due: Timestamp, awakeUntil: Timestamp?) -> [Fact] {
    var facts: [Fact] = []
    for a in state.aims.indices where state.aims[a].isLive {
      for i in state.aims[a].range {
        guard let next = state.ladders[i].ladder.nextInstant, next <= due else { continue }
        let shape = state.aims[a].plan.shape
        let isKept = isKept(a)
        for transition in state.ladders[i].ladder.advance(to: due, shape, keepsArrival: isKept) {
          let spot = state.ladders[i].pendingSpot ?? fallbackSpot(a)
          if let fact = fact(of: transition, a, i, at: spot) { facts.append(fact) }
        }
      }
    }
    return facts + weighSilence(upTo: due, awakeUntil: awakeUntil)
  }

  /// Up to when an arrival or an exit that has begun must hold; nil if none does within a span.
  func mustHoldUntil(at now: Timestamp, atMost span: Milliseconds) -> Timestamp? {
    var until: Timestamp?
    for a in state.aims.indices where state.aims[a].isLive {
      for i in state.aims[a].range {
        guard let holdsAt = state.ladders[i].ladder.nextInstant, holdsAt - now <= span else {
          continue
        }
        until = max(until ?? holdsAt, holdsAt)
      }
    }
    return until
  }

  // MARK: After arrival

  /// When the tier after arrival speaks; nil if there is none, or it has been dealt with.
  func dwellDue(_ a: Int, _ i: Int) -> Timestamp? {
    guard !state.ladders[i].isPostArrivalDone, let delay = state.aims[a].plan.postArrivalDelay,
      let arrivedAt = state.ladders[i].ladder.arrivedAt
    else { return nil }
    guard let heardAt = state.ladders[i].arrivalHeardAt else { return arrivedAt + delay }
    // One that was heard of late is not followed at once: half of the delay is left to act on it, a judgment.
    return max(arrivedAt + delay, heardAt + Milliseconds(delay.value / 2))
  }

  /// What is due later, or has been scheduled, if the person does not leave before.
  func comingDwells(
    after now: Timestamp,
    shownLater: [ReminderNotification]
  ) -> [Occasion] {
    var coming: [Occasion] = []
    for a in state.aims.indices where state.aims[a].isLive {
      for i in state.aims[a].range {
        guard let due = dwellDue(a, i), !mayBeLeaving(a, i),
          // One that waits for others of its group is past its own time.
          let fact = dwell(a, i, at: due), due > now || shownLater.tells(fact.key, fact.spot)
        else { continue }
        coming.append(Occasion(fact))
      }
    }
    return coming
  }

  /// Those dwells whose time has come, and where no exit is pending.
  mutating func dueDwells(
    at now: Timestamp,
    shownLater: [ReminderNotification],
    within window: Milliseconds
  ) -> [Fact] {
    dwells(reportedAt: now, unlessLeaving: true) { aim, fact, due in
      aim.isLive && !shownLater.tell(fact.key, fact.spot, by: due + window)
    }
  }

  /// Whether one was last seen outside of where one had arrived: what is due there waits.
  private func mayBeLeaving(_ a: Int, _ i: Int) -> Bool {
    state.ladders[i].ladder.exitHoldsAt != nil || state.aims[a].isOfPoints && hasSteppedOut
  }

  /// The dwells that the system has shown by itself.
  mutating func dwells(shownBy notification: ReminderNotification) -> [Fact] {
    dwells(reportedAt: notification.at) { _, fact, _ in notification.tells(fact.key, fact.spot) }
  }

  private mutating func dwells(
    reportedAt instant: Timestamp,
    unlessLeaving: Bool = false,
    where isMeant: (_ aim: PlaceAim, _ fact: Fact, _ due: Timestamp) -> Bool
  ) -> [Fact] {
    var facts: [Fact] = []
    for a in state.aims.indices {
      for i in state.aims[a].range {
        guard let due = dwellDue(a, i), due <= instant, let fact = dwell(a, i, at: instant),
          !(unlessLeaving && mayBeLeaving(a, i)), isMeant(state.aims[a], fact, due)
        else { continue }
        state.ladders[i].isPostArrivalDone = true
        facts.append(fact)
      }
    }
    return facts
  }

  /// The dwell of an arrival; nil where there is no arrival, or no tier comes after.
  private func dwell(_ a: Int, _ i: Int, at instant: Timestamp) -> Fact? {
    guard state.aims[a].plan.postArrivalDelay != nil, let spot = state.ladders[i].arrivalSpot
    else { return nil }
    return Fact(key: dwellKey(a, i), kind: .dwell, at: instant, spot: spot)
  }

  private func dwellKey(_ a: Int, _ i: Int) -> OccasionKey {
    state.aims[a]
      .key(
        .postArrival(delay: state.aims[a].plan.postArrivalDelay ?? .seconds(0)),
        depth: state.aims[a].plan.shape.rings.count,
        poi: state.ladders[i].poi
      )
  }

  // MARK: What was said, and what is still so

  func wasSaid(_ key: OccasionKey) -> Bool {
    guard let (_, i, depth) = rung(key), depth < state.ladders[i].said.count else { return false }
    return state.ladders[i].said[depth]
  }

  mutating func markSaid(_ occasion: Occasion) {
    guard let (_, i, depth) = rung(occasion.key), depth < state.ladders[i].said.count else {
      return
    }
    // Passing through has left the ring again: it is armed for the next time.
    state.ladders[i].said[depth] = state.ladders[i].ladder.level ?? 0 > depth
    state.ladders[i].saidSpot = occasion.spot
  }

  /// A tier that is about to be looked at again has not been said.
  mutating func forgetSaid(_ key: OccasionKey) {
    guard let (_, i, depth) = rung(key), depth < state.ladders[i].said.count else { return }
    state.ladders[i].said[depth] = false
  }

  /// Whether the phone is still as deep inside as when it happened.
  func isStillTrue(_ key: OccasionKey) -> Bool {
    guard let (a, i, depth) = rung(key), state.aims[a].isLive,
      let level = state.ladders[i].ladder.level
    else { return false }
    return depth < state.aims[a].plan.shape.rings.count
      ? level > depth : state.ladders[i].ladder.arrivedAt != nil
  }

  /// Whether one is again at what an occasion tells that it was left.
  func isBack(_ occasion: Occasion) -> Bool {
    let key = occasion.key
    guard case .left(_, let poi) = key.happening,
      let a = state.aims.firstIndex(where: {
        $0.reminder == key.reminder && $0.trigger == key.trigger && $0.role == .leaves
      })
    else { return false }
    let rings = state.aims[a].plan.shape.rings
    let isInside = state.aims[a].range
      .contains { i in
        let ladder = state.ladders[i]
        return ladder.ladder.level == rings.count && (ladder.arrivalSpot?.poi ?? poi) == poi
      }
    guard !isInside, let fix = state.lastFix, let place = occasion.spot?.coordinate else {
      return isInside
    }
    // Who has come to the door has not been found there yet.
    return fix.coordinate.distanceMeters(to: place) <= rings.last?.radiusMeters ?? 0
  }

  /// Whether a farther tier of the same target has spoken since its ring was entered.
  func hasSaid(fartherThan key: OccasionKey) -> Bool {
    guard key.step.kind == .approach, let (_, i, depth) = rung(key) else { return false }
    return state.ladders[i].said.prefix(depth).contains(true)
  }

  /// Whether the target of an approach is farther away by now than when it was told.
  func isReceding(_ occasion: Occasion) -> Bool {
    guard case .tier(.approach) = occasion.step, let told = occasion.spot?.distanceMeters,
      let fix = state.lastFix, let here = meters(to: occasion.key, from: fix)
    else { return false }
    return here - fix.horizontalAccuracyMeters > told
  }

  /// Whether one has come by a place since an approach to it, and rides away from it, as far as the newest fix tells.
  ///
  /// A road that bends away for a while is no such thing: there was time to be there, and to come this far.
  func liesBehind(_ occasion: Occasion, at now: Timestamp) -> Bool {
    guard case .tier(.approach) = occasion.step, let told = occasion.spot?.distanceMeters,
      let (_, i, _) = rung(occasion.key), case .place(_, let place) = targets[i].target,
      let fix = state.lastFix, now - fix.at <= Self.rideNewsSpan,
      let speed = fix.speedMetersPerSecond, speed >= Self.rideMetersPerSecond,
      let course = fix.courseDegrees, course.isFinite, abs(course) <= 360
    else { return false }
    let (east, north) = LocalPlane(origin: fix.coordinate).project(place)
    let here = (east * east + north * north).squareRoot()
    let (eastward, northward) = sineAndCosine(degrees: course)
    let isAhead = east * eastward + north * northward > -here / 2
    let ridden = speed * (fix.at - occasion.at).seconds
    return !isAhead && ridden > Self.leastShareOfWay * (told + here)
  }

  /// A fix that is older tells nothing of where one rides now.
  ///
  /// - Source: judgment.
  private static let rideNewsSpan = Milliseconds.minutes(1)

  /// Of the way to a place and on, at the speed of now: one may have come more slowly.
  ///
  /// - Source: judgment.
  private static let leastShareOfWay = 0.8

  /// Whether somebody who has gone on as at the newest fix is elsewhere by now, as far as a target's distance goes.
  ///
  /// - Parameter share: of that distance, by which it may be wrong.
  func mayBeElsewhere(than occasion: Occasion, at now: Timestamp, beyond share: Double) -> Bool {
    guard let fix = state.lastFix, let speed = fix.speedMetersPerSecond,
      speed >= Self.rideMetersPerSecond, let here = meters(to: occasion.key, from: fix)
    else { return false }
    return speed * (now - fix.at).seconds > share * here
  }

  /// Who is slower is soon at rest, and a phone at rest may be silent.
  ///
  /// - Source: judgment: faster than nearly all who walk or run.
  private static let rideMetersPerSecond = 5.0

  /// How far beyond its ring the target of an approach is from here, as a share of the ring; 0 within it.
  func shareBeyondRing(_ occasion: Occasion) -> Double {
    guard case .tier(.approach(let ringMeters)) = occasion.step, let fix = state.lastFix,
      let here = meters(to: occasion.key, from: fix)
    else { return 0 }
    return max(0, here - fix.horizontalAccuracyMeters - ringMeters) / ringMeters
  }

  /// How far a target is from a fix; nil where there is none.
  private func meters(to key: OccasionKey, from fix: Fix) -> Double? {
    rung(key).flatMap { nearest(to: SurfacePoint(fix.coordinate), of: targets[$0.ladder].target) }?
      .meters
  }

  /// Whether one may be leaving what a key tells of.
  func isInDoubt(_ key: OccasionKey) -> Bool {
    rung(key).map { mayBeLeaving($0.aim, $0.ladder) } ?? false
  }

  /// Has an approach that waited speak of the distance from here.
  ///
  /// A sleeping app that has asked for a position and got none speaks of where it was last seen, which may be
  /// later than when the ring was crossed.
  ///
  /// - Returns: whether the target is still as near as the ring; true where nothing is to be measured.
  func lookAnew(_ occasion: inout Occasion) -> Bool {
    guard case .tier(.approach(let ringMeters)) = occasion.step, let fix = state.lastFix,
      let (a, i, _) = rung(occasion.key),
      let nearest = nearest(to: SurfacePoint(fix.coordinate), of: targets[i].target)
    else { return true }
    guard nearest.meters - fix.horizontalAccuracyMeters <= ringMeters else { return false }
    occasion.spot?.distanceMeters = nearest.meters
    if let point = nearest.point {
      occasion.spot?.poi = point.sourceID
      occasion.spot?.name = point.spokenName ?? fallbackSpot(a).name
      occasion.spot?.coordinate = point.coordinate
    }
    return true
  }

  /// The nearest of a target; nil where there is none.
  private func nearest(
    to here: SurfacePoint,
    of target: FenceTarget
  ) -> (meters: Double, point: PointOfInterest?)? {
    switch target {
    case .place(_, let coordinate):
      return (SurfacePoint(coordinate).distanceMeters(to: here), nil)
    case .category(let slot):
      guard let slot, let nearest = catalog.nearest(slot: slot, to: here) else { return nil }
      return (nearest.distanceMeters, catalog.points[nearest.index])
    }
  }

  /// The deepest tier of each ladder of a reminder that has spoken and is still true, to be said again.
  func lastSaid(reminder: String, at now: Timestamp) -> [Occasion] {
    var said: [Occasion] = []
    for a in state.aims.indices where state.aims[a].reminder == reminder {
      for i in state.aims[a].range {
        let ladder = state.ladders[i]
        if ladder.isPostArrivalDone, ladder.ladder.arrivedAt != nil, ladder.arrivalSpot != nil {
          guard let fact = dwell(a, i, at: now) else { continue }
          said.append(Occasion(fact.key, at: now, spot: fact.spot, isRepeat: true))
        } else if let level = ladder.ladder.level, level > 0,
          let depth = ladder.said.prefix(level).lastIndex(of: true), let spot = ladder.saidSpot
        {
          let tier = state.aims[a].plan.ringTiers[depth]
          let key = state.aims[a].key(tier, depth: depth, poi: ladder.poi)
          said.append(Occasion(key, at: now, spot: spot, isRepeat: true))
        }
      }
    }
    return said
  }

  // MARK: What came to nothing

  /// What a reminder has under way, for it ends.
  ///
  /// - Parameters:
  ///   - target: what is at one target; nil: all.
  ///   - kept: the numbers of triggers that go on.
  func canceled(
    reminder: String,
    target: Reminder.Target? = nil,
    besides kept: Set<Int> = [],
    _ reason: CancelRecord.Reason,
    at now: Timestamp
  ) -> [CancelRecord] {
    var records: [CancelRecord] = []
    for a in state.aims.indices
    where state.aims[a].isOf(reminder, at: target) && !kept.contains(state.aims[a].trigger) {
      for i in state.aims[a].range {
        if state.ladders[i].ladder.arrivalPendingSince != nil, state.aims[a].role == .speaks,
          state.aims[a].plan.speaksOfArrival
        {
          records.append(
            CancelRecord(
              at: now,
              reminder: reminder,
              tier: .arrival,
              poi: state.ladders[i].pendingSpot?.poi,
              reason: reason
            )
          )
        }
        if let canceled = canceledDwell(a, i, reason, at: now) { records.append(canceled) }
      }
    }
    return records
  }

  /// What a reminder was to say of the visits that are under way, for it was done this time.
  mutating func endVisits(reminder: String, at now: Timestamp) -> [CancelRecord] {
    var records: [CancelRecord] = []
    for a in state.aims.indices where state.aims[a].reminder == reminder {
      for i in state.aims[a].range {
        guard let canceled = canceledDwell(a, i, .completed, at: now) else { continue }
        state.ladders[i].isPostArrivalDone = true
        records.append(canceled)
      }
    }
    return records
  }

  /// What was to come after an arrival, for it was told as that a short while before; nil where nothing was.
  mutating func endQuestion(
    after arrival: OccasionKey,
    at now: Timestamp,
    within span: Milliseconds
  ) -> CancelRecord? {
    guard let (a, i, _) = rung(arrival), let arrivedAt = state.ladders[i].ladder.arrivedAt,
      let delay = state.aims[a].plan.postArrivalDelay, arrivedAt + delay - now <= span,
      let canceled = canceledDwell(a, i, .asked, at: now)
    else { return nil }
    state.ladders[i].isPostArrivalDone = true
    return canceled
  }

  /// What comes after an arrival is not due any more; nil where nothing was.
  func canceledDwell(
    _ a: Int,
    _ i: Int,
    _ reason: CancelRecord.Reason,
    at now: Timestamp
  ) -> CancelRecord? {
    guard !state.ladders[i].isPostArrivalDone, let dwell = dwell(a, i, at: now) else { return nil }
    return CancelRecord(dwell, reason)
  }
}
