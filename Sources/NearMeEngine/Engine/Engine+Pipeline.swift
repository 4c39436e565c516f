import Fencing
import Geodesy
import Places
import Timeline

/// From transitions to notifications: one pipeline, in one order, with a reason for every silence.
extension Engine {
  /// What the pipeline says of a candidate.
  enum Verdict: Hashable {
    case deliver
    case wait(Silence, until: Timestamp?)
    case silence(Silence)
  }

  // MARK: Facts

  /// Records a ring's transition and draws its consequences.
  ///
  /// - Returns: the candidate that it makes, if it may speak.
  mutating func note(
    _ transition: RingTransition,
    _ r: Int,
    _ w: Int,
    _ spot: Spot,
    at position: SurfacePoint?
  ) -> [Candidate] {
    let tracked = state.reminders[r]
    let tier = tracked.plan.ringTiers[transition.ring]
    var candidate = Candidate(
      reminder: tracked.reminder.id,
      watchedPOI: tracked.watches[w].poi,
      tier: tier,
      depth: transition.ring,
      at: transition.at,
      spot: spot,
      isDense: false
    )
    record(candidate, transition.kind)
    if transition.kind == .exit {
      record(.suppressed(.exit), of: candidate, at: transition.at)
      state.reminders[r].watches[w].said[transition.ring] = false
      if tier == .arrival {
        cancelPostArrival(r, w, .left, at: transition.at)
        state.reminders[r].watches[w].isPostArrivalDone = false
        state.reminders[r].watches[w].arrivalSpot = nil
      }
      closeDeferred(.stale, at: transition.at) {
        $0.reminder == candidate.reminder && $0.watchedPOI == candidate.watchedPOI
          && $0.depth >= transition.ring
      }
      return []
    }
    if tier == .arrival {
      state.reminders[r].watches[w].isPostArrivalDone = false
      state.reminders[r].watches[w].arrivalSpot = spot
    }
    if transition.isSuperseded {
      record(.suppressed(.superseded), of: candidate, at: transition.at)
      return []
    }
    if case .approach = tier, let position { candidate.isDense = isDense(around: position) }
    return [candidate]
  }

  /// Whether points of the categories that are being looked for crowd here.
  private func isDense(around position: SurfacePoint) -> Bool {
    var slots: [Int] = []
    for r in state.reminders.indices where isLive(r) {
      guard case .category(let category) = state.reminders[r].reminder.target else { continue }
      let slot =
        if case .category(let known) = targets[r].first?.target {
          known
        } else {
          catalog.slot(of: category)
        }
      if let slot, !slots.contains(slot) { slots.append(slot) }
    }
    var points: [Int] = []
    for slot in slots {
      catalog.forEach(
        slot: slot,
        withinMeters: policy.cooldown.denseRadiusMeters,
        of: position
      ) { points.append($0) }
    }
    guard points.count >= policy.cooldown.densePOIs else { return false }
    // A point of several categories counts once.
    points.sort()
    let repeated = zip(points, points.dropFirst()).count { $0 == $1 }
    return points.count - repeated >= policy.cooldown.densePOIs
  }

  // MARK: Verdicts

  /// Asks every stage in turn; the first that objects gives the reason.
  func judge(_ candidate: Candidate, at now: Timestamp, joinsBundle: Bool) -> Verdict {
    guard let r = index(of: candidate.reminder) else { return .silence(.deleted) }
    let tracked = state.reminders[r]
    let reminder = tracked.reminder
    if reminder.status == .completed { return .silence(.completed) }
    if !isEntitled(reminder) { return .silence(.notEntitled) }
    if reminder.isMuted { return .silence(.muted) }
    if let (_, end) = snoozing(reminder, candidate.tier, at: now) {
      return .wait(.snoozed, until: end)
    }
    // What was due a while ago is heard only now: the later of the two counts.
    let heard = max(now, heardAt ?? now)
    if let opening = opening(of: reminder, at: now) ?? opening(of: reminder, at: heard) {
      return .wait(.outsideWindow, until: opening)
    }
    if !candidate.isRepeat, wasSaid(candidate, tracked) { return .silence(.alreadySaid) }
    if let end = quietEnd(at: now) ?? quietEnd(at: heard) {
      return .wait(.quietHours, until: end)
    }
    if state.isFocusOn { return .wait(.focus, until: nil) }
    if case .approach = candidate.tier,
      let (silence, end) = cooldown(tracked, candidate, at: now, joinsBundle: joinsBundle)
    {
      return .wait(silence, until: end)
    }
    return .deliver
  }

  /// The free tier's reminders that may speak are the first of those that are live.
  private func isEntitled(_ reminder: Reminder) -> Bool {
    state.entitlement.liveReminders == nil || state.entitledReminders.contains(reminder.id)
  }

  /// Whether a snooze keeps a tier silent, and until when; nil until the next arrival.
  private func snoozing(
    _ reminder: Reminder,
    _ tier: Tier,
    at now: Timestamp
  ) -> (Silence, until: Timestamp?)? {
    switch reminder.snooze {
    case .until(let end) where now < end: (.snoozed, end)
    case .untilNextArrival where tier != .arrival: (.snoozed, nil)
    default: nil
    }
  }

  /// When a reminder's window opens, if it is closed at an instant.
  private func opening(of reminder: Reminder, at instant: Timestamp) -> Timestamp? {
    guard let window = reminder.window, !window.contains(instant, in: zone) else { return nil }
    return window.opening(after: instant, in: zone)
  }

  /// When the quiet hours end, if an instant is one of them.
  private func quietEnd(at instant: Timestamp) -> Timestamp? {
    policy.quietHours?.closing(at: instant, in: zone)
  }

  /// Looks again at what waits for something that is over, whoever ended it: nothing waits for ever.
  mutating func lookAgainAtFreed(at now: Timestamp) {
    let freed = state.deferred.filter { !isHeld($0, at: now) }
    if !freed.isEmpty { lookAgain(at: now) { freed.contains($0) } }
  }

  /// Whether what a candidate waits for is still so, or will end at an instant of its own.
  private func isHeld(_ waiting: Candidate, at now: Timestamp) -> Bool {
    switch waiting.silence {
    case .focus: return state.isFocusOn
    case .snoozed:
      guard let r = index(of: waiting.reminder) else { return false }
      return snoozing(state.reminders[r].reminder, waiting.tier, at: now) != nil
    default: return waiting.until != nil
    }
  }

  /// Reckons anew until when the closed windows and the quiet hours last that something waits for: the
  /// zone or a window may be another.
  mutating func waitAnewForLocalTimes(at now: Timestamp) {
    for i in state.deferred.indices {
      let waiting = state.deferred[i]
      let end: Timestamp?
      switch waiting.silence {
      case .quietHours: end = quietEnd(at: now)
      case .outsideWindow:
        end = index(of: waiting.reminder)
          .flatMap { opening(of: state.reminders[$0].reminder, at: now) }
      default: continue
      }
      guard end ?? now != waiting.until else { continue }
      state.deferred[i].until = end ?? now
      if let silence = waiting.silence, let end, !waiting.isRepeat {
        record(.deferred(silence, until: end), of: waiting, at: now)
      }
    }
  }

  private func wasSaid(_ candidate: Candidate, _ tracked: TrackedReminder) -> Bool {
    guard let watch = tracked.watches.first(where: { $0.poi == candidate.watchedPOI }),
      candidate.depth < watch.said.count
    else { return false }
    return watch.said[candidate.depth]
  }

  /// The cooldown that ends last, if any is on.
  ///
  /// What joins a notification of approaches that is on the screen makes no new one, so only the
  /// reminder's own cooldown can hold it back.
  private func cooldown(
    _ tracked: TrackedReminder,
    _ candidate: Candidate,
    at now: Timestamp,
    joinsBundle: Bool
  ) -> (Silence, Timestamp)? {
    var ends: [(Silence, Timestamp)] = []
    // The end of a snooze was asked for; the reminder's own cooldown does not hold it back, whatever
    // else it has waited for since.
    if candidate.wasSnoozed != true, let last = tracked.lastApproachAt {
      ends.append((.reminderCooldown, last + policy.cooldown.perReminder))
    }
    if !joinsBundle, let last = state.lastApproachAt {
      ends.append((.overallCooldown, last + policy.cooldown.overall))
      if candidate.isDense { ends.append((.denseCooldown, last + policy.cooldown.dense)) }
    }
    var latest: (Silence, Timestamp)?
    for end in ends where end.1 > now && latest.map({ $0.1 < end.1 }) ?? true { latest = end }
    return latest
  }

  // MARK: Decisions

  /// Decides on everything that happened at one instant, and tells what is to be told.
  mutating func decide(_ candidates: [Candidate], at now: Timestamp, asSummary: Bool = false) {
    guard !candidates.isEmpty else { return }
    let bundle = asSummary ? nil : joinableBundle(at: now)
    // All are judged before any of them spends a cooldown: what happens together is told together.
    let verdicts = candidates.map { candidate in
      endSnoozeOnArrival(candidate)
      return judge(candidate, at: now, joinsBundle: asSummary || bundle?.tellsApproach ?? false)
    }
    var told: [Candidate] = []
    for (candidate, verdict) in zip(candidates, verdicts) {
      switch verdict {
      case .deliver:
        supersedeDeferred(by: candidate, at: now)
        told.append(candidate)
        markSaid(candidate, at: now)
        record(.delivered, of: candidate, at: now)
      case .wait(let silence, let until):
        supersedeDeferred(by: candidate, at: now)
        var waiting = candidate
        waiting.silence = silence
        waiting.until = until
        state.deferred.append(waiting)
        if !candidate.isRepeat {
          record(.deferred(silence, until: until), of: candidate, at: now)
        }
      case .silence(let silence):
        if !candidate.isRepeat { record(.suppressed(silence), of: candidate, at: now) }
      }
    }
    guard !told.isEmpty else { return }
    tell(told, joining: bundle, at: now, asSummary: asSummary)
  }

  /// A snooze until the next arrival has done its work when that comes.
  private mutating func endSnoozeOnArrival(_ candidate: Candidate) {
    guard candidate.tier == .arrival, let r = index(of: candidate.reminder),
      state.reminders[r].reminder.snooze == .untilNextArrival
    else { return }
    state.reminders[r].reminder.snooze = nil
  }

  private mutating func markSaid(_ candidate: Candidate, at now: Timestamp) {
    guard let r = index(of: candidate.reminder) else { return }
    if let w = state.reminders[r].watches.firstIndex(where: { $0.poi == candidate.watchedPOI }),
      candidate.depth < state.reminders[r].watches[w].said.count
    {
      // One who only passed through has left again: the ring is armed for the next time.
      let level = state.reminders[r].watches[w].ladder.level ?? 0
      state.reminders[r].watches[w].said[candidate.depth] = level > candidate.depth
      state.reminders[r].watches[w].saidSpot = candidate.spot
    }
    if case .approach = candidate.tier {
      state.reminders[r].lastApproachAt = now
      state.lastApproachAt = now
    }
  }

  /// What a nearer tier has overtaken is not told any more.
  mutating func supersedeDeferred(by candidate: Candidate, at now: Timestamp) {
    closeDeferred(.superseded, at: now) {
      $0.reminder == candidate.reminder && $0.watchedPOI == candidate.watchedPOI
        && $0.depth <= candidate.depth
    }
  }

  /// Ends the waiting of candidates, with a final reason.
  mutating func closeDeferred(
    _ silence: Silence,
    at now: Timestamp,
    where isClosed: (Candidate) -> Bool
  ) {
    guard state.deferred.contains(where: isClosed) else { return }
    let closed = state.deferred.filter(isClosed)
    state.deferred.removeAll(where: isClosed)
    for candidate in closed where !candidate.isRepeat {
      record(.suppressed(silence), of: candidate, at: now)
    }
  }

  /// Looks again at what waited, now that its reason has ended; tells it if it is still true.
  mutating func lookAgain(at now: Timestamp, where isReady: (Candidate) -> Bool) {
    let ready = state.deferred.filter(isReady)
    guard !ready.isEmpty else { return }
    state.deferred.removeAll(where: isReady)
    var summary: [Candidate] = []
    var plain: [Candidate] = []
    for candidate in ready {
      guard isStillTrue(candidate) else {
        if !candidate.isRepeat { record(.suppressed(.stale), of: candidate, at: now) }
        continue
      }
      var candidate = candidate
      if candidate.silence == .snoozed { candidate.wasSnoozed = true }
      if candidate.isRepeat {
        record(candidate, .dwell, at: now)
        candidate.isRepeat = false
        forgetSaid(candidate)
      }
      if candidate.silence == .quietHours || candidate.silence == .focus {
        summary.append(candidate)
      } else {
        plain.append(candidate)
      }
    }
    decide(summary, at: now, asSummary: true)
    decide(plain, at: now)
  }

  /// A tier that is about to be looked at again has not been said.
  private mutating func forgetSaid(_ candidate: Candidate) {
    guard let r = index(of: candidate.reminder),
      let w = state.reminders[r].watches.firstIndex(where: { $0.poi == candidate.watchedPOI }),
      candidate.depth < state.reminders[r].watches[w].said.count
    else { return }
    state.reminders[r].watches[w].said[candidate.depth] = false
  }

  private func isStillTrue(_ candidate: Candidate) -> Bool {
    guard let r = index(of: candidate.reminder), isLive(r),
      let watch = watch(of: candidate), let level = watch.ladder.level
    else { return false }
    let rings = state.reminders[r].plan.shape.rings.count
    return candidate.depth < rings ? level > candidate.depth : watch.ladder.arrivedAt != nil
  }

  private func watch(of candidate: Candidate) -> Watch? {
    index(of: candidate.reminder)
      .flatMap { r in
        state.reminders[r].watches.first { $0.poi == candidate.watchedPOI }
      }
  }

  // MARK: Records

  mutating func record(
    _ candidate: Candidate,
    _ kind: RingTransition.Kind,
    at instant: Timestamp? = nil
  ) {
    effects.append(
      .record(
        .transition(
          TransitionRecord(
            at: instant ?? candidate.at,
            reminder: candidate.reminder,
            tier: candidate.tier,
            kind: kind,
            poi: candidate.spot.poi,
            distanceMeters: candidate.spot.distanceMeters
          )
        )
      )
    )
  }

  mutating func record(
    _ outcome: DecisionRecord.Outcome,
    of candidate: Candidate,
    at now: Timestamp
  ) {
    effects.append(
      .record(
        .decision(
          DecisionRecord(
            at: now,
            reminder: candidate.reminder,
            tier: candidate.tier,
            outcome: outcome
          )
        )
      )
    )
  }

  func index(of reminder: String) -> Int? {
    // By index: a closure would be given a copy of each.
    state.reminders.indices.first { state.reminders[$0].reminder.id == reminder }
  }
}
