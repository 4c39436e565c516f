import Fencing
import Geodesy
import Timeline

/// From facts to notifications: one pipeline, in one order, with a reason for every silence.
extension Engine {
  var gateWorld: GateWorld {
    GateWorld(
      policy: policy,
      zone: zone,
      roster: roster,
      surroundings: surroundings,
      cooldowns: waiting.cooldowns
    )
  }

  // MARK: Facts

  /// Decides on what was found at a fix, and on what is due by then.
  ///
  /// - Returns: whether anything came of it.
  @discardableResult
  mutating func decide(
    on found: PlaceFindings,
    from point: SurfacePoint,
    at now: Timestamp,
    _ turn: inout Turn
  ) -> Bool {
    var occasions = occasions(of: found.seen, from: point, &turn)
    occasions += self.occasions(of: found.weighed, from: nil, &turn)
    occasions += dueDwells(at: now, &turn)
    let hasChanged = found.hasChanged || !occasions.isEmpty || !turn.effects.isEmpty
    decide(occasions, at: now, &turn)
    return hasChanged
  }

  /// Records facts and draws their consequences.
  ///
  /// - Parameter point: the position at which they were seen; nil where time alone passed.
  /// - Returns: those that may speak.
  mutating func occasions(
    of facts: [Fact],
    from point: SurfacePoint?,
    _ turn: inout Turn
  ) -> [Occasion] {
    var occasions: [Occasion] = []
    for fact in facts {
      var occasion = Occasion(fact)
      switch fact.kind {
      case .cancelled:
        turn.record(.cancelled(CancelRecord(fact, .left)))
        continue
      case .enter: record(fact, .enter, &turn)
      case .dwell: record(fact, .dwell, &turn)
      case .exit:
        record(fact, .exit, &turn)
        turn.record(.decision(occasion.decided(.suppressed(.exit), at: fact.at)))
        if let cancelled = fact.cancels { turn.record(.cancelled(cancelled)) }
        close(.stale, at: fact.at, &turn) {
          $0.key.isOnLadder(of: fact.key) && $0.key.depth >= fact.key.depth
        }
        continue
      }
      if fact.isSuperseded {
        turn.record(.decision(occasion.decided(.suppressed(.superseded), at: fact.at)))
        continue
      }
      if case .approach = fact.key.tier, let point { occasion.isDense = isDense(around: point) }
      occasions.append(occasion)
    }
    return occasions
  }

  /// Whether points of the categories that are being looked for crowd here.
  private func isDense(around position: SurfacePoint) -> Bool {
    places.countPoints(withinMeters: policy.cooldown.denseRadiusMeters, of: position)
      >= policy.cooldown.densePOIs
  }

  private func record(_ fact: Fact, _ kind: RingTransition.Kind, _ turn: inout Turn) {
    turn.record(
      .transition(
        TransitionRecord(
          at: fact.at,
          reminder: fact.key.reminder,
          tier: fact.key.tier,
          kind: kind,
          poi: fact.spot?.poi,
          distanceMeters: fact.spot?.distanceMeters ?? 0
        )
      )
    )
  }

  /// Dwells whose time has come, and that the system does not show by itself.
  mutating func dueDwells(at now: Timestamp, _ turn: inout Turn) -> [Occasion] {
    noteShown(upTo: now, &turn)
    let facts = places.dueDwells(at: now) { [screen] in screen.isScheduled($0, $1) }
    return occasions(of: facts, from: nil, &turn)
  }

  /// Records what the system has shown by itself, with the facts behind it.
  mutating func noteShown(upTo now: Timestamp, _ turn: inout Turn) {
    while let notification = screen.takeShown(upTo: now) {
      let facts = places.dwells(shownAt: notification.at) { notification.tells(of: $0, $1) }
      for occasion in occasions(of: facts, from: nil, &turn) {
        supersede(by: occasion, at: notification.at, &turn)
        turn.record(.decision(occasion.decided(.delivered, at: notification.at)))
      }
      screen.noteShown(notification, policy, &turn)
      count(.nudgeShown, at: notification.at, &turn)
    }
  }

  // MARK: Decisions

  /// Decides on everything that happened at one instant, and tells what is to be told.
  mutating func decide(
    _ occasions: [Occasion],
    at now: Timestamp,
    asSummary: Bool = false,
    _ turn: inout Turn
  ) {
    guard !occasions.isEmpty else { return }
    let bundle = asSummary ? nil : screen.joinable(at: now, policy)
    // All are judged before any of them spends a cooldown: what happens together is told together.
    let verdicts = occasions.map { occasion in
      roster.endSnooze(on: occasion)
      return judge(
        occasion,
        at: now,
        heardAt: turn.heardAt,
        joinsApproaches: asSummary || bundle?.tellsApproach ?? false
      )
    }
    var told: [Occasion] = []
    for (occasion, verdict) in zip(occasions, verdicts) {
      switch verdict {
      case .deliver:
        supersede(by: occasion, at: now, &turn)
        told.append(occasion)
        markSaid(occasion, at: now)
        turn.record(.decision(occasion.decided(.delivered, at: now)))
      case .wait(let silence, let until):
        supersede(by: occasion, at: now, &turn)
        var waits = occasion
        waits.wait(silence, until: until)
        waiting.occasions.append(waits)
        record(occasion, .deferred(silence, until: until), at: now, &turn)
      case .silence(let silence): record(occasion, .suppressed(silence), at: now, &turn)
      }
    }
    guard !told.isEmpty else { return }
    let news = told.compactMap { ReminderNotification.Member($0, policy, roster) }
    let isNew = screen.tell(
      news,
      joining: bundle,
      asSummary: asSummary,
      at: now,
      policy,
      roster,
      &turn
    )
    if isNew { count(.nudgeShown, at: now, &turn) }
  }

  private func judge(
    _ occasion: Occasion,
    at now: Timestamp,
    heardAt: Timestamp,
    joinsApproaches: Bool
  ) -> Verdict {
    Gates(world: gateWorld)
      .judge(
        occasion,
        at: now,
        heardAt: heardAt,
        wasSaid: places.wasSaid(occasion.key),
        joinsApproaches: joinsApproaches
      )
  }

  /// What says again what was said leaves no line.
  private func record(
    _ occasion: Occasion,
    _ outcome: DecisionRecord.Outcome,
    at now: Timestamp,
    _ turn: inout Turn
  ) {
    guard !occasion.isRepeat else { return }
    turn.record(.decision(occasion.decided(outcome, at: now)))
  }

  private mutating func markSaid(_ occasion: Occasion, at now: Timestamp) {
    places.markSaid(occasion)
    if case .approach = occasion.tier { waiting.cooldowns.spend(occasion.reminder, at: now) }
  }

  /// What a nearer tier has overtaken is not told any more.
  private mutating func supersede(by occasion: Occasion, at now: Timestamp, _ turn: inout Turn) {
    for overtaken in waiting.takeOvertaken(by: occasion.key) {
      record(overtaken, .suppressed(.superseded), at: now, &turn)
    }
  }

  /// Ends the waiting of occasions, with a final reason.
  mutating func close(
    _ silence: Silence,
    at now: Timestamp,
    _ turn: inout Turn,
    where isClosed: (Occasion) -> Bool
  ) {
    for closed in waiting.take(where: isClosed) {
      record(closed, .suppressed(silence), at: now, &turn)
    }
  }

  // MARK: Looking again

  /// Looks again at what waited, now that its reason has ended; tells it if it is still true.
  mutating func lookAgain(
    at now: Timestamp,
    _ turn: inout Turn,
    where isReady: (Occasion) -> Bool
  ) {
    var summary: [Occasion] = []
    var plain: [Occasion] = []
    for var occasion in waiting.take(where: isReady) {
      guard places.isStillTrue(occasion.key) else {
        record(occasion, .suppressed(.stale), at: now, &turn)
        continue
      }
      let gate = Gates.gate(of: occasion)
      gate?.release(&occasion)
      if occasion.isRepeat {
        recordRepeat(occasion, at: now, &turn)
        occasion.isRepeat = false
        places.forgetSaid(occasion.key)
      }
      if gate?.endsInSummary ?? false { summary.append(occasion) } else { plain.append(occasion) }
    }
    decide(summary, at: now, asSummary: true, &turn)
    decide(plain, at: now, &turn)
  }

  private func recordRepeat(_ occasion: Occasion, at now: Timestamp, _ turn: inout Turn) {
    turn.record(
      .transition(
        TransitionRecord(
          at: now,
          reminder: occasion.reminder,
          tier: occasion.tier,
          kind: .dwell,
          poi: occasion.spot?.poi,
          distanceMeters: occasion.spot?.distanceMeters ?? 0
        )
      )
    )
  }

  /// Looks again at what waits for something that is over, whoever ended it: nothing waits for ever.
  mutating func lookAgainAtFreed(at now: Timestamp, _ turn: inout Turn) {
    guard !waiting.occasions.isEmpty else { return }
    let gates = Gates(world: gateWorld)
    lookAgain(at: now, &turn) { !gates.isHeld($0, at: now) }
  }

  /// Reckons anew until when everything waits that depends on local time.
  mutating func reckonLocalTimesAnew(at now: Timestamp, _ turn: inout Turn) {
    guard !waiting.occasions.isEmpty else { return }
    for record in waiting.reckonAnew(at: now, gateWorld) { turn.record(.decision(record)) }
  }

  // MARK: What the system shows by itself

  /// Has the system show by itself what nothing speaks against as things stand.
  mutating func reconcileSchedule(at now: Timestamp, _ turn: inout Turn) {
    var due: [(at: Timestamp, member: ReminderNotification.Member)] = []
    let coming = places.comingDwells(after: now) { screen.isScheduled($0, $1) }
    for dwell in coming {
      let verdict = judge(
        dwell,
        at: max(dwell.at, now),
        heardAt: turn.heardAt,
        joinsApproaches: true
      )
      guard verdict == .deliver, let member = ReminderNotification.Member(dwell, policy, roster)
      else { continue }
      due.append((dwell.at, member))
    }
    screen.reconcile(due, after: now, policy, roster, &turn)
  }
}

extension CancelRecord {
  fileprivate init(_ fact: Fact, _ reason: Reason) {
    self.init(
      at: fact.at,
      reminder: fact.key.reminder,
      tier: fact.key.tier,
      poi: fact.spot?.poi,
      reason: reason
    )
  }
}
