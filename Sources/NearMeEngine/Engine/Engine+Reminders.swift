import Fencing
import Geodesy
import Places
import Timeline

/// Reminders and places as the user makes, changes and answers them.
extension Engine {
  // MARK: Setting up

  /// Sets the places and reminders of a new engine.
  ///
  /// - Throws: the id of the first reminder that cannot be watched for, with the reason.
  public mutating func load(
    places: [Place],
    reminders: [Reminder],
    entitlement: Entitlement = .premium
  ) throws(ReminderLoadError) {
    state.places = places.sorted { $0.id < $1.id }
    state.entitlement = entitlement
    state.reminders = []
    for reminder in reminders {
      do {
        state.reminders.append(try track(reminder))
      } catch {
        throw ReminderLoadError(reminder: reminder.id, reason: error)
      }
    }
    resolveTargets()
    loseStillness()
  }

  private func track(_ reminder: Reminder) throws(ReminderError) -> TrackedReminder {
    let tiers: [Tier]
    var arrivalRadius = policy.tiers.arrivalRadiusMeters
    switch reminder.target {
    case .category:
      tiers = policy.tiers.category
    case .place(let id):
      guard let place = state.places.first(where: { $0.id == id }) else {
        throw .unknownPlace(id)
      }
      arrivalRadius = place.arrivalRadiusMeters ?? arrivalRadius
      tiers = policy.tiers.tiers(of: place.kind)
    }
    let plan = try TierPlan(reminder.tiers ?? tiers, arrivalRadiusMeters: arrivalRadius)
    return TrackedReminder(
      reminder: reminder,
      plan: plan,
      watches: freshWatches(reminder.target, plan)
    )
  }

  private func freshWatches(_ target: Reminder.Target, _ plan: TierPlan) -> [Watch] {
    let rings = plan.shape.rings.count
    switch target {
    case .place(let id):
      return state.places.contains { $0.id == id } ? [Watch(poi: nil, rings: rings)] : []
    case .category(let category):
      guard policy.tiers.fenceSemantics == .perPOI else { return [Watch(poi: nil, rings: rings)] }
      guard let slot = catalog.slot(of: category) else { return [] }
      return catalog.indices(slot: slot)
        .map {
          Watch(poi: catalog.points[$0].sourceID, rings: rings)
        }
    }
  }

  /// Looks up what every watch stands around.
  mutating func resolveTargets() {
    rests = []
    resolveDetector()
    targets = state.reminders.map { tracked in
      let arrival = fencing.arrivalDiscs(tracked.plan.shape)
      return tracked.watches.map { watch in
        switch tracked.reminder.target {
        case .place(let id):
          let place = state.places.first { $0.id == id }
          return ResolvedTarget(
            target: place.map { .place(id: id, coordinate: $0.coordinate) }
              ?? .category(slot: nil),
            arrival: arrival
          )
        case .category(let category):
          guard let poi = watch.poi else {
            return ResolvedTarget(
              target: .category(slot: catalog.slot(of: category)),
              arrival: arrival
            )
          }
          guard let index = catalog.index(ofSourceID: poi) else {
            return ResolvedTarget(target: .category(slot: nil), arrival: arrival)
          }
          let point = catalog.points[index]
          let own = arrival.map {
            DiscRadius(leastMeters: $0.meters(footprintMeters: point.footprintRadiusMeters))
          }
          return ResolvedTarget(
            target: .place(id: poi, coordinate: point.coordinate),
            arrival: own
          )
        }
      }
    }
  }

  /// Where fences are per point: takes up points that a new catalog has, and lets go of those that
  /// it has not.
  mutating func refreshPerPOIWatches(at now: Timestamp) {
    guard policy.tiers.fenceSemantics == .perPOI else { return }
    for r in state.reminders.indices {
      guard case .category = state.reminders[r].reminder.target else { continue }
      let old = state.reminders[r].watches
      let fresh = freshWatches(state.reminders[r].reminder.target, state.reminders[r].plan)
      let id = state.reminders[r].reminder.id
      state.reminders[r].watches = fresh.map { new in old.first { $0.poi == new.poi } ?? new }
      closeDeferred(.stale, at: now) { waiting in
        waiting.reminder == id && !fresh.contains { $0.poi == waiting.watchedPOI }
      }
    }
  }

  // MARK: Answers

  /// Does what the user says.
  mutating func obey(_ kind: Event.Kind, at now: Timestamp) {
    switch kind {
    case .action(let reminder, let action): act(on: reminder, action, at: now)
    case .focus(let isOn): state.isFocusOn = isOn
    case .reminderSaved(let reminder): save(reminder, at: now)
    case .reminderDeleted(let id): delete(id, at: now)
    case .placeSaved(let place): save(place, at: now)
    case .placeDeleted(let id): deletePlace(id, at: now)
    case .entitlement(let entitlement):
      guard entitlement != state.entitlement else { return }
      state.entitlement = entitlement
      let live = state.entitledReminders
      effects.append(.record(.entitlement(at: now, entitlement, live: live)))
    case .analytics(let isOn):
      guard isOn != state.isAnalyticsOn else { return }
      state.isAnalyticsOn = isOn
      effects.append(.record(.analyticsConsent(at: now, isOn: isOn)))
    default: preconditionFailure("nobody said this: \(kind)")
    }
  }

  /// Notes something to be counted, if the user agrees.
  mutating func count(_ event: AnalyticsEvent, at now: Timestamp) {
    if state.isAnalyticsOn { effects.append(.record(.analytics(at: now, event))) }
  }

  private mutating func refuse(_ id: String, _ refusal: ActionRefusal, at now: Timestamp) {
    effects.append(.record(.actionRefused(at: now, reminder: id, refusal)))
  }

  private mutating func act(on id: String, _ action: ReminderAction, at now: Timestamp) {
    guard let r = index(of: id) else { return refuse(id, .unknownReminder, at: now) }
    guard state.reminders[r].reminder.status == .active else {
      return refuse(id, .completed, at: now)
    }
    switch action {
    case .complete:
      state.reminders[r].reminder.status = .completed
      state.reminders[r].reminder.snooze = nil
      endLadders(r, .completed, at: now)
      count(.taskCompleted, at: now)
    case .mute:
      state.reminders[r].reminder.isMuted = true
      endLadders(r, .muted, at: now)
    case .unmute:
      guard state.reminders[r].reminder.isMuted else { return }
      state.reminders[r].reminder.isMuted = false
      loseStillness()
    case .dismiss:
      shrinkPosted { $0.reminder == id }
    case .snoozeFor(let span):
      guard policy.snooze.least <= span, span <= policy.snooze.most else {
        return refuse(id, .snoozeOutOfRange, at: now)
      }
      snooze(r, .until(now + span), at: now)
    case .snoozeToday:
      snooze(r, .until(zone.nextDay(after: now)), at: now)
    case .snoozeUntilNextArrival:
      guard state.reminders[r].plan.shape.hasArrival else {
        return refuse(id, .snoozeWithoutArrival, at: now)
      }
      snooze(r, .untilNextArrival, at: now)
    }
  }

  /// Silences a reminder, counted from the tap; at the end it says again what is still true.
  private mutating func snooze(_ r: Int, _ snooze: Reminder.Snooze, at now: Timestamp) {
    let tracked = state.reminders[r]
    let id = tracked.reminder.id
    state.reminders[r].reminder.snooze = snooze
    count(.snoozeSelected, at: now)
    shrinkPosted { $0.reminder == id }
    let until: Timestamp?
    switch snooze {
    case .until(let end): until = end
    case .untilNextArrival: until = nil
    }
    // What waited for something else, or for an earlier snooze, waits for this one now.
    for i in state.deferred.indices where state.deferred[i].reminder == id {
      state.deferred[i].silence = .snoozed
      state.deferred[i].until = until
    }
    guard let until else { return }
    for watch in tracked.watches {
      guard let repeated = lastSaid(tracked, watch, at: now),
        !state.deferred.contains(where: {
          $0.reminder == id && $0.watchedPOI == watch.poi && $0.depth >= repeated.depth
        })
      else { continue }
      var waiting = repeated
      waiting.silence = .snoozed
      waiting.until = until
      state.deferred.append(waiting)
    }
  }

  /// Forgets snoozes that are over.
  mutating func endSnoozes(at now: Timestamp) {
    for r in state.reminders.indices {
      guard case .until(let end) = state.reminders[r].reminder.snooze, end <= now else { continue }
      state.reminders[r].reminder.snooze = nil
    }
  }

  /// The deepest tier that has spoken and is still true.
  private func lastSaid(_ tracked: TrackedReminder, _ watch: Watch, at now: Timestamp) -> Candidate?
  {
    if watch.isPostArrivalDone, watch.ladder.arrivedAt != nil, let spot = watch.arrivalSpot {
      var candidate = postArrival(tracked, watch, spot, at: now)
      candidate?.isRepeat = true
      return candidate
    }
    guard let level = watch.ladder.level, level > 0,
      let depth = watch.said.prefix(level).lastIndex(of: true), let spot = watch.saidSpot
    else { return nil }
    return Candidate(
      reminder: tracked.reminder.id,
      watchedPOI: watch.poi,
      tier: tracked.plan.ringTiers[depth],
      depth: depth,
      at: now,
      spot: spot,
      isDense: false,
      isRepeat: true
    )
  }

  /// Ends everything that a reminder has under way: it is done, muted or gone.
  private mutating func endLadders(_ r: Int, _ silence: Silence, at now: Timestamp) {
    let id = state.reminders[r].reminder.id
    let reason: CancelRecord.Reason =
      switch silence {
      case .completed: .completed
      case .deleted: .deleted
      case .muted: .muted
      default: .edited
      }
    for w in state.reminders[r].watches.indices {
      cancelArrival(r, w, reason, at: now)
      cancelPostArrival(r, w, reason, at: now)
    }
    state.reminders[r].watches = freshWatches(
      state.reminders[r].reminder.target,
      state.reminders[r].plan
    )
    closeDeferred(silence, at: now) { $0.reminder == id }
    shrinkPosted { $0.reminder == id }
    resolveTargets()
    loseStillness()
  }

  // MARK: Changes

  mutating func save(_ reminder: Reminder, at now: Timestamp) {
    guard let r = index(of: reminder.id) else {
      guard let tracked = trackOrRecord(reminder, at: now) else { return }
      state.reminders.append(tracked)
      count(.taskCreated, at: now)
      resolveTargets()
      loseStillness()
      return
    }
    let old = state.reminders[r].reminder
    var edited = reminder
    // An answer is newer than the form that was filled in before it.
    edited.status = old.status
    edited.isMuted = old.isMuted
    let isElsewhere = edited.target != old.target || edited.tiers != old.tiers
    // A snooze was for the time that the reminder had then.
    edited.snooze = isElsewhere || edited.window != old.window ? nil : old.snooze
    // What was stored with the reminder stays, whatever the defaults are now (NM-2.3).
    if isElsewhere {
      guard let new = trackOrRecord(edited, at: now) else { return }
      endLadders(r, .stale, at: now)
      state.reminders[r].plan = new.plan
      state.reminders[r].watches = new.watches
    }
    state.reminders[r].reminder = edited
    if isElsewhere { resolveTargets() }
    waitAnewForLocalTimes(at: now)
  }

  /// A reminder that cannot be watched for changes nothing, and leaves its reason.
  private mutating func trackOrRecord(_ reminder: Reminder, at now: Timestamp) -> TrackedReminder? {
    do {
      return try track(reminder)
    } catch {
      let refusal = ReminderLoadError(reminder: reminder.id, reason: error)
      effects.append(.record(.reminderRefused(at: now, refusal)))
      return nil
    }
  }

  mutating func delete(_ id: String, at now: Timestamp) {
    guard let r = index(of: id) else { return }
    endLadders(r, .deleted, at: now)
    state.reminders.remove(at: r)
    resolveTargets()
  }

  mutating func save(_ place: Place, at now: Timestamp) {
    let old = state.places.first { $0.id == place.id }
    if old == nil { count(.placeAdded, at: now) }
    state.places.removeAll { $0.id == place.id }
    state.places.append(place)
    state.places.sort { $0.id < $1.id }
    guard
      old?.coordinate != place.coordinate || old?.kind != place.kind
        || old?.arrivalRadiusMeters != place.arrivalRadiusMeters
    else { return }
    for r in state.reminders.indices where state.reminders[r].reminder.target == .place(place.id) {
      endLadders(r, .stale, at: now)
      do {
        state.reminders[r].plan = try plan(of: state.reminders[r], at: place, before: old)
      } catch {
        // Rings that do not fit the new radius stay as they are.
        let refusal = ReminderLoadError(reminder: state.reminders[r].reminder.id, reason: error)
        effects.append(.record(.reminderRefused(at: now, refusal)))
      }
      state.reminders[r].watches = freshWatches(.place(place.id), state.reminders[r].plan)
    }
    resolveTargets()
  }

  /// The tiers of a reminder whose place has changed: those that it was made with, unless another kind
  /// of place has others; arrival where the place says.
  private func plan(
    of tracked: TrackedReminder,
    at place: Place,
    before old: Place?
  ) throws(ReminderError) -> TierPlan {
    let isOtherKind = old.map { $0.kind != place.kind } ?? false
    let keepsTiers = tracked.reminder.tiers != nil || !isOtherKind
    let tiers = keepsTiers ? tracked.plan.tiers : policy.tiers.tiers(of: place.kind)
    let radius =
      place.arrivalRadiusMeters == old?.arrivalRadiusMeters
      ? tracked.plan.arrivalRadiusMeters : place.arrivalRadiusMeters
    return try TierPlan(
      tiers,
      arrivalRadiusMeters: radius ?? policy.tiers.arrivalRadiusMeters
    )
  }

  mutating func deletePlace(_ id: String, at now: Timestamp) {
    state.places.removeAll { $0.id == id }
    for r in state.reminders.indices where state.reminders[r].reminder.target == .place(id) {
      endLadders(r, .deleted, at: now)
    }
    resolveTargets()
  }
}

/// A reminder that cannot be watched for.
public struct ReminderLoadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which.
  public let reminder: String
  /// Why.
  public let reason: ReminderError

  /// Both as a sentence.
  public var description: String { "reminder \"\(reminder)\": \(reason)" }
}
