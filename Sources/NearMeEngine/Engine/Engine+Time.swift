import Arrivals
import Fencing
import Geodesy
import Places
import Timeline
import Traces

extension Engine {
  /// Lets everything happen that is due up to an instant, each at its own.
  mutating func advance(to now: Timestamp) {
    while let next = nextInstant(), next <= now {
      // What became due behind the clock's back happens now, not in the past.
      let due = max(next, state.now ?? next)
      state.now = due
      step(at: due)
    }
    state.now = max(now, state.now ?? now)
  }

  /// When something happens without an event; nil if nothing does.
  func nextInstant() -> Timestamp? {
    var next: Timestamp?
    func consider(_ instant: Timestamp?) {
      guard let instant else { return }
      next = next.map { min($0, instant) } ?? instant
    }
    // By index: copies of reminders and watches would count references, several times a fix.
    for r in state.reminders.indices where isLive(r) {
      for w in state.reminders[r].watches.indices {
        let ladder = state.reminders[r].watches[w].ladder
        consider(ladder.nextInstant)
        guard ladder.exitHoldsAt == nil, awaitsPostArrival(r, w) else { continue }
        let (tracked, watch) = (state.reminders[r], state.reminders[r].watches[w])
        if !isScheduled(tracked, watch) { consider(postArrivalDue(tracked, watch)) }
      }
    }
    if let tick = nextTick, isAwake(at: tick) { consider(tick) }
    consider(state.scheduled.first?.at)
    for candidate in state.deferred { consider(candidate.until) }
    return next
  }

  private mutating func step(at due: Timestamp) {
    var candidates: [Candidate] = []
    for r in state.reminders.indices where isLive(r) {
      let shape = state.reminders[r].plan.shape
      for w in state.reminders[r].watches.indices {
        for transition in state.reminders[r].watches[w].ladder.advance(to: due, shape) {
          let spot = state.reminders[r].watches[w].pendingSpot ?? fallbackSpot(r)
          candidates += note(transition, r, w, spot, at: nil)
        }
      }
    }
    candidates += weighSilence(upTo: due)
    candidates += duePostArrivals(at: due)
    decide(candidates, at: due)
    lookAgain(at: due) { $0.until.map { $0 <= due } ?? false }
    // As the app would have done if it had run: who is caught up with late is told the same.
    reconcileSchedule(at: due)
  }

  /// The target by name alone, for a state that lost sight of it.
  func fallbackSpot(_ r: Int) -> Spot {
    let position = state.lastFix?.coordinate ?? Coordinate(uncheckedLatitude: 0, longitude: 0)
    let name =
      switch state.reminders[r].reminder.target {
      case .category(let category): category.label
      case .place(let id): state.places.first { $0.id == id }?.name ?? id
      }
    return Spot(poi: nil, name: name, coordinate: position, distanceMeters: 0)
  }

  // MARK: After arrival

  /// Whether ``postArrivalDue(_:_:)`` is not nil, by index: without copies.
  private func awaitsPostArrival(_ r: Int, _ w: Int) -> Bool {
    state.reminders[r].watches[w].ladder.arrivedAt != nil
      && !state.reminders[r].watches[w].isPostArrivalDone
      && state.reminders[r].plan.postArrivalDelay != nil
  }

  /// When the tier after arrival speaks; nil if there is none, or it has spoken.
  func postArrivalDue(_ tracked: TrackedReminder, _ watch: Watch) -> Timestamp? {
    guard let delay = tracked.plan.postArrivalDelay, let arrivedAt = watch.ladder.arrivedAt,
      !watch.isPostArrivalDone
    else { return nil }
    return arrivedAt + delay
  }

  /// Whether the system will show it by itself, perhaps a little later, with others.
  private func isScheduled(_ tracked: TrackedReminder, _ watch: Watch) -> Bool {
    state.scheduled.contains { $0.members.contains { isNews($0, of: tracked, watch) } }
  }

  private func isNews(
    _ member: ReminderNotification.Member,
    of tracked: TrackedReminder,
    _ watch: Watch
  ) -> Bool {
    member.reminder == tracked.reminder.id && member.poi == watch.arrivalSpot?.poi
  }

  /// Those who are still there when their time has come; not those who may be leaving.
  ///
  /// What the system showed by itself is recorded here; the rest becomes candidates.
  mutating func duePostArrivals(at now: Timestamp) -> [Candidate] {
    noteShown(upTo: now)
    var candidates: [Candidate] = []
    for r in state.reminders.indices where isLive(r) {
      for w in state.reminders[r].watches.indices where awaitsPostArrival(r, w) {
        let (tracked, watch) = (state.reminders[r], state.reminders[r].watches[w])
        guard let due = postArrivalDue(tracked, watch), due <= now,
          watch.ladder.exitHoldsAt == nil, !isScheduled(tracked, watch),
          let spot = watch.arrivalSpot,
          let candidate = postArrival(tracked, watch, spot, at: now)
        else { continue }
        state.reminders[r].watches[w].isPostArrivalDone = true
        record(candidate, .dwell)
        candidates.append(candidate)
      }
    }
    return candidates
  }

  /// The candidate of the tier after arrival; nil if the reminder has none.
  func postArrival(
    _ tracked: TrackedReminder,
    _ watch: Watch,
    _ spot: Spot,
    at now: Timestamp
  ) -> Candidate? {
    guard let delay = tracked.plan.postArrivalDelay else { return nil }
    return Candidate(
      reminder: tracked.reminder.id,
      watchedPOI: watch.poi,
      tier: .postArrival(delay: delay),
      depth: tracked.plan.shape.rings.count,
      at: now,
      spot: spot,
      isDense: false
    )
  }

  /// Records what the system has shown by itself, with the facts behind it.
  mutating func noteShown(upTo now: Timestamp) {
    while let notification = state.scheduled.first, notification.at <= now {
      state.scheduled.removeFirst()
      var told: [Candidate] = []
      for r in state.reminders.indices {
        for w in state.reminders[r].watches.indices {
          let (tracked, watch) = (state.reminders[r], state.reminders[r].watches[w])
          guard let due = postArrivalDue(tracked, watch), due <= notification.at,
            notification.members.contains(where: { isNews($0, of: tracked, watch) }),
            let spot = watch.arrivalSpot,
            let candidate = postArrival(tracked, watch, spot, at: notification.at)
          else { continue }
          state.reminders[r].watches[w].isPostArrivalDone = true
          record(candidate, .dwell)
          told.append(candidate)
        }
      }
      for candidate in told {
        supersedeDeferred(by: candidate, at: notification.at)
        record(.delivered, of: candidate, at: notification.at)
      }
      keepPosted(notification)
      state.openBundle = OpenBundle(id: notification.id, since: notification.at)
      effects.append(.record(.presented(notification)))
      count(.nudgeShown, at: notification.at)
    }
  }

  /// Makes what the system will show by itself equal to what should be shown, by difference.
  mutating func reconcileSchedule(at now: Timestamp) {
    let wanted = wantedSchedule(after: now)
    if wanted.isEmpty, state.scheduled.isEmpty { return }
    var kept: [ReminderNotification] = []
    for old in state.scheduled {
      if wanted.contains(where: { $0.at == old.at && $0.members == old.members }) {
        kept.append(old)
      } else {
        unschedule(old.id)
      }
    }
    for group in wanted
    where !kept.contains(where: { $0.at == group.at && $0.members == group.members }) {
      state.notificationSerial += 1
      let notification = ReminderNotification(
        id: "n\(state.notificationSerial)",
        at: group.at,
        members: group.members
      )
      kept.append(notification)
      effects.append(.schedule(notification, at: group.at))
    }
    state.scheduled = kept.sorted { ($0.at, $0.id) < ($1.at, $1.id) }
  }

  /// Takes back what the system was to show by itself, also if it has not been asked yet.
  mutating func unschedule(_ id: String) {
    let isNew = effects.contains { effect in
      if case .schedule(let notification, _) = effect { notification.id == id } else { false }
    }
    guard isNew else { return effects.append(.unschedule(id: id)) }
    effects.removeAll { effect in
      if case .schedule(let notification, _) = effect { notification.id == id } else { false }
    }
  }

  /// Post-arrivals that nothing speaks against as things stand, those within one bundle window as
  /// one, shown when the last of them is due.
  private func wantedSchedule(
    after now: Timestamp
  ) -> [(at: Timestamp, members: [ReminderNotification.Member])] {
    var due: [(at: Timestamp, member: ReminderNotification.Member)] = []
    for r in state.reminders.indices where isLive(r) {
      for w in state.reminders[r].watches.indices where awaitsPostArrival(r, w) {
        let (tracked, watch) = (state.reminders[r], state.reminders[r].watches[w])
        guard watch.ladder.exitHoldsAt == nil, let at = postArrivalDue(tracked, watch),
          // One that waits for others of its group is past its own time.
          at > now || isScheduled(tracked, watch),
          let spot = watch.arrivalSpot,
          let candidate = postArrival(tracked, watch, spot, at: at),
          case .deliver = judge(candidate, at: max(at, now), joinsBundle: true)
        else { continue }
        due.append((at, member(candidate)))
      }
    }
    due.sort {
      ($0.at, $0.member.reminder, $0.member.poi ?? "")
        < ($1.at, $1.member.reminder, $1.member.poi ?? "")
    }
    var groups: [(at: Timestamp, members: [ReminderNotification.Member])] = []
    var groupSince: Timestamp?
    for (at, member) in due {
      if let since = groupSince, (at - since) <= policy.bundle.window {
        groups[groups.count - 1].at = at
        groups[groups.count - 1].members.append(member)
      } else {
        groupSince = at
        groups.append((at, [member]))
      }
    }
    return groups.map { (max($0.at, now), nearestFirst($0.members)) }
  }
}
