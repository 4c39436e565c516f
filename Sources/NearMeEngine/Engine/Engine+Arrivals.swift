import Arrivals
import Fencing
import Geodesy
import Places
import Timeline
import Traces

/// Arrivals that are weighed, not measured: what the detector finds becomes transitions of ladders.
extension Engine {
  /// The numbers for ladders: a sleeping app is woken at arrival discs, and weighs while it follows;
  /// one that cannot follow measures.
  static func fencing(_ policy: Policy, _ monitoring: Monitoring) -> FencingSettings {
    var fencing = policy.fencing
    guard case .regions = monitoring, fencing.arrivalDetection == .posterior else { return fencing }
    if policy.monitor.longestWeighing.value > 0 {
      fencing.watchesDiscs = true
    } else {
      fencing.arrivalDetection = .radius
    }
    return fencing
  }

  /// Up to when a sleeping app follows because someone is where they may be arriving; nil if nobody is.
  func weighsUntil(at now: Timestamp) -> Timestamp? {
    guard fencing.watchesDiscs else { return nil }
    let detector = state.arrivals.detector
    let movedAt = detector?.tracker.movedAt
    var last: Timestamp?
    for r in state.reminders.indices where isLive(r) {
      for w in state.reminders[r].watches.indices {
        guard let since = state.reminders[r].watches[w].ladder.arrivalPendingSince else { continue }
        let moved = max(since, movedAt ?? since)
        last = max(last ?? moved, moved)
      }
    }
    guard let last, last + policy.monitor.longestWeighing > now,
      !(detector?.needsNoMoreFixes(at: now) ?? false)
    else { return nil }
    // The host is not asked anew with every fix in motion.
    let end = last + policy.monitor.longestWeighing
    let grain = Self.followGrain.value
    return Timestamp(milliseconds: (end.milliseconds + grain - 1) / grain * grain)
  }

  private static let followGrain = Milliseconds.seconds(30)

  /// What has been gathered of arrivals; nil where a radius decides.
  package var arrivalTracker: ArrivalTracker? { state.arrivals.detector?.tracker }

  /// Whether the detector can be looked after at an instant without a fix.
  package func isAwake(at instant: Timestamp) -> Bool {
    !fencing.watchesDiscs || state.followUntil.map { instant <= $0 } ?? false
  }

  /// Makes the detector of the present catalog and places, with what it knew.
  mutating func resolveDetector() {
    if let playback {
      precondition(playback.places == state.places, "a recording is of other places")
      return
    }
    let remembered = state.arrivals.state
    state.arrivals = ArrivalMemory(remembered)
    guard fencing.arrivalDetection == .posterior else { return }
    state.arrivals.detector = ArrivalDetector(
      settings: fencing.watchesDiscs ? policy.arrival.whileAsleep : policy.arrival,
      catalog: catalog,
      places: state.places,
      state: remembered ?? ArrivalDetector.State()
    )
    state.arrivals.detector?.looksAtEveryTick = looksAtEveryTick
  }

  /// Lets the detector see a fix.
  ///
  /// - Returns: what it found, and whether it wants to be asked before the host's next timer.
  mutating func weigh(
    _ fix: Fix,
    at point: SurfacePoint
  ) -> (findings: [ArrivalFinding], needsTimer: Bool) {
    if playback != nil { return weighRecorded(fix) }
    guard state.arrivals.detector != nil else { return ([], false) }
    let before = state.arrivals.detector?.sleepsWithin
    let hasSlept = !isAwake(at: fix.at)
    let findings = state.arrivals.detector?.observe(fix, at: point, afterSleep: hasSlept) ?? []
    // Asleep in the same circle, it wants nothing.
    if let before, let after = state.arrivals.detector?.sleepsWithin, before.centre == after.centre,
      before.radiusMeters == after.radiusMeters
    {
      return (findings, false)
    }
    guard let tick = state.arrivals.detector?.nextInstant else { return (findings, false) }
    // A timer that comes too early finds nothing due and asks again.
    return (findings, state.wakeAt.map { tick < $0 } ?? true)
  }

  /// How much of a circle the detector sleeps through, as the square of a chord.
  ///
  /// - Returns: nil if it is awake, or wakes at the circle's middle.
  func chordSquaredAsleep(around centre: SurfacePoint, within chordSquared: Double) -> Double? {
    guard state.arrivals.detector != nil else { return chordSquared }
    guard let sleep = state.arrivals.detector?.sleepsWithin else { return nil }
    let left = sleep.radiusMeters - sleep.centre.chordSquared(to: centre).squareRoot()
    return left > 0 ? min(chordSquared, left * left) : nil
  }

  /// Whether a fix at a position is nothing to the detector.
  func sleeps(through point: SurfacePoint) -> Bool {
    guard state.arrivals.detector != nil else { return true }
    guard let sleep = state.arrivals.detector?.sleepsWithin else { return false }
    return sleep.centre.chordSquared(to: point) <= sleep.radiusMeters * sleep.radiusMeters
  }

  /// When the detector wants to look without a fix.
  var nextTick: Timestamp? {
    playback == nil ? state.arrivals.detector?.nextInstant : playback?.nextInstant
  }

  /// Lets the detector see that time has passed without a fix.
  mutating func weighSilence(upTo now: Timestamp) -> [Candidate] {
    guard let tick = nextTick, tick <= now, isAwake(at: tick) else { return [] }
    if playback != nil { return candidates(of: playback?.advance(to: now) ?? []) }
    return candidates(of: state.arrivals.detector?.advance(to: now) ?? [])
  }

  /// Climbs and leaves ladders as the detector found.
  mutating func candidates(of findings: [ArrivalFinding]) -> [Candidate] {
    var candidates: [Candidate] = []
    for finding in findings {
      for r in state.reminders.indices where isLive(r) {
        let shape = state.reminders[r].plan.shape
        for w in state.reminders[r].watches.indices {
          switch finding {
          case .arrived(let arrival):
            guard isMeant(arrival, r, w) else { continue }
            let transitions = state.reminders[r].watches[w].ladder
              .arrive(at: arrival.at, since: arrival.since, shape)
            let spot = spot(of: arrival)
            for transition in transitions {
              candidates += note(transition, r, w, spot, at: nil)
            }
          case .left(let at):
            let transitions = state.reminders[r].watches[w].ladder.leave(at: at, shape)
            for transition in transitions {
              let spot = state.reminders[r].watches[w].arrivalSpot ?? fallbackSpot(r)
              candidates += note(transition, r, w, spot, at: nil)
            }
          }
        }
      }
    }
    return candidates
  }

  private func isMeant(_ arrival: Arrival, _ r: Int, _ w: Int) -> Bool {
    switch (state.reminders[r].reminder.target, arrival.group) {
    case (.category(let wanted), .category(let found)):
      guard wanted == found else { return false }
      // Where every point has a fence of its own, the one that was reached is meant.
      guard let poi = state.reminders[r].watches[w].poi else { return true }
      return arrival.place == .pointOfInterest(poi)
    case (.place(let wanted), .place(let found)): return wanted == found
    default: return false
    }
  }

  private func spot(of arrival: Arrival) -> Spot {
    switch arrival.place {
    case .pointOfInterest(let id):
      let point = catalog.points[arrival.index.index]
      return Spot(
        poi: id,
        name: point.name ?? point.categories[0].label,
        coordinate: point.coordinate,
        distanceMeters: arrival.distanceMeters
      )
    case .place:
      let place = state.places[arrival.index.index]
      return Spot(
        poi: nil,
        name: place.name,
        coordinate: place.coordinate,
        distanceMeters: arrival.distanceMeters
      )
    }
  }
}
