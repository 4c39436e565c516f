import Arrivals
import Fencing
import Geodesy
import NearMeEngine
import Places
import Replay
import Timeline
import Traces

/// Finds the one cause of each visit and notification of a day.
///
/// What the replay's own decisions say is taken first. Where they say nothing, the day is replayed
/// with one thing after the other made perfect, and the first that sets it right is the cause. The
/// order: every fix passed on at once (then, if unlimited regions are enough: a slot, and if a service
/// that loses no crossing of a region put back is: its loss), true speeds, accuracies that say how far
/// each position is off, the true positions at the instants of the fixes, the whole true path, no
/// dwell, no hysteresis. Each replay includes the perfection of those before it, and is made only if
/// something needs it. Where nobody knows the true path, nothing is made perfect that takes it, and what is then left has
/// ``Cause/unknownPath``.
struct CauseFinder {
  enum World: Int {
    case unlimited, losingNoCrossing, everyFix, trueSpeeds, honestAccuracies, trueAtFixes
    case truePath, noDwell, noHysteresis
  }

  private let day: PersonDay
  private let setup: ReplaySetup
  private let visits: [TargetVisit]
  private let actual: JudgedRun
  private var worlds: [World: Known]

  /// A day in a world, as far as it has been asked for.
  private struct Known {
    let judged: JudgedRun
    /// How it goes on; nil once it is over.
    var rest: (replay: DayReplay, after: Timestamp)?
  }

  /// - Parameter truth: the replay of the true path, which scores need anyhow.
  init(
    _ day: PersonDay,
    _ setup: ReplaySetup,
    _ visits: [TargetVisit],
    actual: JudgedRun,
    truth: JudgedRun
  ) {
    self.day = day
    self.setup = setup
    self.visits = visits
    self.actual = actual
    worlds = [.truePath: Known(judged: truth)]
    if setup.service == .stream, setup.handOver == nil { worlds[.everyFix] = Known(judged: actual) }
  }

  static func setup(_ setup: ReplaySetup, _ world: World) -> ReplaySetup {
    var other = setup
    switch world {
    case .unlimited: other.service = setup.service.unlimited
    case .losingNoCrossing: other.service = setup.service.losingNoCrossing
    default: (other.service, other.handOver) = (.stream, nil)
    }
    if world == .noDwell || world == .noHysteresis {
      // The arrival detector waits, too: until an arrival is probable.
      other.policy.fencing.arrivalDetection = .radius
      other.policy.fencing.arrivalHold = .seconds(0)
    }
    if world == .noHysteresis {
      other.policy.fencing.exitBandShare = 0
      other.policy.fencing.exitBandMeters = 0
      other.policy.fencing.exitHold = .seconds(0)
    }
    return other
  }

  /// How the day goes in a world, at least up to an instant; nil: to its end.
  private mutating func judged(
    _ world: World,
    through instant: Timestamp?
  ) throws(ScoringError) -> JudgedRun {
    if let known = worlds[world] {
      guard let rest = known.rest else { return known.judged }
      if let instant, instant <= rest.after { return known.judged }
    }
    let setup = Self.setup(setup, world)
    var replay: DayReplay
    // Taken out, so that it goes on in place: what is held twice is copied when it changes.
    if let begun = worlds.removeValue(forKey: world)?.rest?.replay {
      replay = begun
    } else {
      replay = try DayReplay(FixColumns(fixes(world)), until: day.end, of: day.person, setup)
    }
    // What comes in batches is told late: only the whole day shows what became of an instant.
    let after = setup.handOver == nil ? instant : nil
    try replay.go(through: after)
    let judged = JudgedRun(DayRun(replay, fixSpans: []), visits, of: day)
    worlds[world] = Known(judged: judged, rest: after.map { (replay, $0) })
    return judged
  }

  private func fixes(_ world: World) -> [Fix] {
    switch world {
    case .unlimited, .losingNoCrossing, .everyFix: day.fixes
    case .trueSpeeds: day.fixes.map(withTrueSpeed)
    case .honestAccuracies: day.fixes.map { withHonestAccuracy(withTrueSpeed($0)) }
    case .trueAtFixes: day.fixes.map { day.path.fix(at: $0.at) }
    case .truePath: day.truePathFixes
    // What was seen, where nobody knows more.
    case .noDwell, .noHysteresis: day.isPathUnknown ? day.fixes : day.truePathFixes
    }
  }

  private func withTrueSpeed(_ fix: Fix) -> Fix {
    var fix = fix
    fix.speedMetersPerSecond = day.path.fix(at: fix.at).speedMetersPerSecond
    return fix
  }

  private func withHonestAccuracy(_ fix: Fix) -> Fix {
    var fix = fix
    let off = fix.coordinate.distanceMeters(to: day.path.fix(at: fix.at).coordinate)
    fix.horizontalAccuracyMeters = max(off, setup.policy.arrival.position.leastAccuracyMeters)
    return fix
  }

  /// Of what the receiver says wrongly, what is to be right first for a replay to be so; nil if not even true
  /// positions are enough.
  private mutating func noise(
    through instant: Timestamp?,
    where isRight: (JudgedRun) -> Bool
  ) throws(ScoringError) -> Cause? {
    if isRight(try judged(.trueSpeeds, through: instant)) { return .speedNoise }
    if isRight(try judged(.honestAccuracies, through: instant)) { return .accuracyNoise }
    return isRight(try judged(.trueAtFixes, through: instant)) ? .positionNoise : nil
  }

  // MARK: Visits

  /// Why a visit was announced as it was, or was not.
  mutating func cause(ofVisit index: Int) throws(ScoringError) -> Cause {
    if let announcement = actual.matching.told[index] {
      return cause(ofTrue: actual.arrivals[announcement], since: visits[index].arrive)
    }
    let visit = visits[index]
    guard visit.isInCache else { return .staleCache }
    if let reason = spokenReason(visit) { return reason }
    // Nothing that is told later tells of the visit.
    let over = Matching.window(from: visit.arrive, to: visit.leave).upperBound
    if setup.service != .stream || setup.handOver != nil,
      try judged(.everyFix, through: over).finds(index)
    {
      if try judged(.unlimited, through: over).finds(index) { return .notRegistered }
      guard mayBeSwallowed(visit) else { return .osLatency }
      return try judged(.losingNoCrossing, through: over).finds(index) ? .swallowed : .osLatency
    }
    if !day.isPathUnknown {
      if let cause = try noise(through: over, where: { $0.finds(index) }) { return cause }
      if try judged(.truePath, through: over).finds(index) { return .gapInTrace }
    }
    if try judged(.noDwell, through: over).finds(index) { return .dwell }
    let loose = try judged(.noHysteresis, through: over)
    if loose.finds(index) { return .hysteresis }
    if isInside(loose.run, visit.reminder, at: visit.leave) { return .alreadySaid }
    return day.isPathUnknown ? .unknownPath : .outOfReach
  }

  /// What the replay itself says: a decision at the time of the visit, or a reminder that was off.
  private func spokenReason(_ visit: TargetVisit) -> Cause? {
    if day.person.isMuted(visit.reminder, at: visit.arrive) { return .mute }
    if day.person.wasOver(visit.reminder, at: visit.arrive) { return .completed }
    let window = Matching.window(from: visit.arrive, to: visit.leave)
    var lastDeferral: Silence?
    for decision in actual.run.decisions
    where decision.reminder == visit.reminder && decision.tier == .arrival
      && window.contains(decision.at)
    {
      switch decision.outcome {
      case .delivered, .suppressed(.exit): break
      case .deferred(let silence, _): lastDeferral = silence
      case .suppressed(let silence): return Cause(lastDeferral ?? silence)
      }
    }
    return lastDeferral.map { Cause($0) }
  }

  /// Whether a region around the visited point was registered, or taken away with a crossing under
  /// way, when the person stood in it.
  private func mayBeSwallowed(_ visit: TargetVisit) -> Bool {
    guard let poi = visit.poi, let index = setup.catalog.index(ofSourceID: poi) else {
      return false
    }
    let point = setup.catalog.positions[index]
    var watched: [String: Region] = [:]
    for (at, change) in actual.run.regions where at <= visit.leave {
      let stopped = change.stop.compactMap { watched.removeValue(forKey: $0) }
      for region in change.start { watched[region.id] = region }
      guard at >= visit.arrive - Self.beforeArriving else { continue }
      let here = SurfacePoint(day.path.fix(at: at).coordinate)
      let isAround = (stopped + change.start)
        .contains { region in
          let center = SurfacePoint(region.center)
          return region.kind == .enter && center.distanceMeters(to: point) <= region.radiusMeters
            && center.distanceMeters(to: here) <= region.radiusMeters
        }
      if isAround { return true }
    }
    return false
  }

  /// A region around a place is entered so long before the visit at most: a phone's latency.
  private static let beforeArriving = Milliseconds.minutes(5)

  /// Whether a replay's last word on an arrival ring before an instant was that the phone is inside.
  private func isInside(_ run: DayRun, _ reminder: String, at instant: Timestamp) -> Bool {
    let last = run.transitions.last {
      $0.reminder == reminder && $0.tier == .arrival && $0.at <= instant
    }
    if let last { return last.kind != .exit }
    // Nothing was ever entered: perhaps the day began inside.
    return visits.contains { $0.reminder == reminder && $0.isInitial }
  }

  // MARK: Announcements

  private func cause(ofTrue announcement: Announcement, since start: Timestamp) -> Cause {
    if announcement.at - start > Cause.lateAfter {
      return announcement.heldBackBy.map { Cause($0) } ?? .late
    }
    return announcement.isUpdate ? .bundled : .correct
  }

  /// Why an arrival was told.
  mutating func cause(ofArrival index: Int) throws(ScoringError) -> Cause {
    let announcement = actual.arrivals[index]
    switch actual.matching.verdicts[index] {
    // Whoever begins the day at home has not arrived there.
    case .found(let visit) where visits[visit].isOwnFromBegin:
      return announcement.heldBackBy.map { Cause($0) } ?? .alreadySaid
    case .found(let visit): return cause(ofTrue: announcement, since: visits[visit].arrive)
    case .repeated(let visit):
      if let silence = announcement.heldBackBy { return Cause(silence) }
      guard !day.isPathUnknown else {
        return try judged(.everyFix, through: nil).repeats(visit) ? .unknownPath : .osLatency
      }
      if try judged(.truePath, through: nil).repeats(visit) { return .hysteresis }
      if try !judged(.everyFix, through: nil).repeats(visit) { return .osLatency }
      return try noise(through: nil) { !$0.repeats(visit) } ?? .positionNoise
    case .untrue: return try cause(ofUntrue: announcement)
    }
  }

  /// Why a post-arrival was told that belongs to no long visit.
  mutating func cause(
    ofPostArrival announcement: Announcement,
    _ verdict: Matching.Verdict,
    _ longVisits: [TargetVisit]
  ) throws(ScoringError) -> Cause {
    switch verdict {
    case .found(let visit):
      let delay = postArrivalDelay(announcement.tier)
      return cause(ofTrue: announcement, since: longVisits[visit].arrive + delay)
    case .repeated: return announcement.heldBackBy.map { Cause($0) } ?? .hysteresis
    case .untrue:
      let isShort = visits.contains {
        $0.reminder == announcement.reminder
          && Matching.window(from: $0.arrive, to: $0.leave).contains(announcement.at)
      }
      return try isShort ? .dwell : cause(ofUntrue: announcement)
    }
  }

  /// Why something was told that is not so.
  private mutating func cause(ofUntrue announcement: Announcement) throws(ScoringError) -> Cause {
    if let silence = announcement.heldBackBy { return Cause(silence) }
    let met = Encounter.met(
      by: announcement,
      among: day.truth.encounters,
      latest: Encounter.latest,
      others: false
    )
    for kind in Encounter.Kind.allCases where met.contains(where: { $0.kind == kind }) {
      switch kind {
      case .decoy: return .decoy
      case .nearStay: return .nearStay
      case .driveBy: return .driveBy
      }
    }
    let (kind, reminder, at) = (announcement.tier.kind, announcement.reminder, announcement.at)
    let over = at + JudgedRun.sameEvent
    guard !day.isPathUnknown else {
      let isTold = try judged(.everyFix, through: over).tells(kind, of: reminder, near: at)
      return isTold ? .unknownPath : .osLatency
    }
    if try judged(.truePath, through: over).tells(kind, of: reminder, near: at) {
      // The ring reaches farther than the 100 m within which the truth lists what was passed.
      let isStay = day.truth.stays.contains { $0.arrive <= at && at <= $0.leave }
      return isStay ? .nearStay : .driveBy
    }
    if try judged(.trueAtFixes, through: over).tells(kind, of: reminder, near: at) {
      return .gapInTrace
    }
    if try !judged(.everyFix, through: over).tells(kind, of: reminder, near: at) {
      return .osLatency
    }
    return try noise(through: over) { !$0.tells(kind, of: reminder, near: at) } ?? .positionNoise
  }

  /// Why an approach was told.
  mutating func cause(
    ofApproach index: Int,
    _ approaches: ApproachMatching
  ) throws(ScoringError) -> Cause {
    let announcement = approaches.told[index]
    if let due = approaches.reason[index] {
      let late = announcement.at - approaches.due[due].at
      if late > Cause.lateAfter { return announcement.heldBackBy.map { Cause($0) } ?? .late }
      return announcement.isUpdate && !approaches.due[due].isUpdate ? .bundled : .correct
    }
    if let silence = announcement.heldBackBy { return Cause(silence) }
    if let silence = try truthsSilence(announcement) { return Cause(silence) }
    let (reminder, at) = (announcement.reminder, announcement.at)
    let over = at + JudgedRun.sameEvent
    guard !day.isPathUnknown else {
      let isTold = try judged(.everyFix, through: over).tells(.approach, of: reminder, near: at)
      return isTold ? .unknownPath : .osLatency
    }
    if try judged(.trueAtFixes, through: over).tells(.approach, of: reminder, near: at) {
      return .gapInTrace
    }
    if try !judged(.everyFix, through: over).tells(.approach, of: reminder, near: at) {
      return .osLatency
    }
    return try noise(through: over) { !$0.tells(.approach, of: reminder, near: at) }
      ?? .positionNoise
  }

  /// Why the perfect monitor, which came into the same ring, said nothing of it.
  private mutating func truthsSilence(
    _ announcement: Announcement
  ) throws(ScoringError) -> Silence? {
    let decisions = try judged(.truePath, through: nil).run.decisions
    for decision in decisions
    where decision.reminder == announcement.reminder && decision.tier == announcement.tier
      && isWithin(ApproachMatching.window, decision.at, announcement.at)
    {
      switch decision.outcome {
      case .deferred(let silence, _): return silence
      case .suppressed(let silence) where silence != .exit: return silence
      default: break
      }
    }
    return nil
  }
}

/// How long after an arrival a tier speaks.
func postArrivalDelay(_ tier: Tier) -> Milliseconds {
  if case .postArrival(let delay) = tier { delay } else { .seconds(0) }
}
