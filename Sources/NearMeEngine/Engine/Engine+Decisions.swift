import Fencing
import Geodesy
import Timeline
import Traces

/// From facts to notifications: one pipeline, in one order, with a reason for every silence.
extension Engine {
  var gateWorld: GateWorld {
    var world = GateWorld(
      shared,
      zone: zone,
      roster: roster,
      surroundings: surroundings,
      cooldowns: waiting.cooldowns
    )
    world.presences = places.presences
    world.isHistory = places.state.lateness.isHistory
    return world
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
    _ turn: inout EventTurn
  ) -> Bool {
    var occasions = occasions(of: found.seen, from: point, &turn)
    occasions += self.occasions(of: found.weighed, from: nil, &turn)
    occasions += dueOccasions(at: now, &turn)
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
    _ turn: inout EventTurn
  ) -> [Occasion] {
    var occasions: [Occasion] = []
    let passed = passed(in: facts)
    for fact in facts {
      var occasion = Occasion(fact)
      if fact.isSilent {
        takeSilent(fact, &turn)
        continue
      }
      switch fact.kind {
      case .canceled:
        turn.record(.canceled(CancelRecord(fact, .left)))
        continue
      case .enter: record(fact, .enter, &turn)
      case .dwell: record(fact, .dwell, &turn)
      case .due: record(fact, .due, &turn)
      case .edge: record(fact, .edge, &turn)
      case .exit where fact.key.isMomentary: record(fact, .exit, &turn)
      case .exit:
        record(fact, .exit, &turn)
        turn.record(.decision(occasion.decided(.suppressed(.exit), at: fact.at)))
        if let canceled = fact.cancels { turn.record(.canceled(canceled)) }
        close(.stale, at: fact.at, &turn) { fact.key.isOvertaken(by: $0.key) }
        continue
      }
      if passed.contains(fact.key)
        || fact.isSuperseded && (passed.isEmpty || isSpokenFor(fact, in: facts, without: passed))
      {
        let silence = fact.isSuperseded ? Silence.superseded : .stale
        turn.record(.decision(occasion.decided(.suppressed(silence), at: fact.at)))
        continue
      }
      if let point, fact.key.step.kind == .approach { occasion.isDense = isDense(around: point) }
      occasions.append(occasion)
    }
    return occasions
  }

  /// The rings through which one has come between two positions, and that one is beyond again.
  ///
  /// What would be told of them now is not so. As a rule there are none.
  private func passed(in facts: [Fact]) -> [OccasionKey] {
    let left = facts.filter { $0.kind == .exit }.map(\.key)
    return facts.compactMap { fact in
      guard fact.kind == .enter, fact.key.step.kind == .approach else { return nil }
      let isBeyond =
        left.contains(fact.key) || places.shareBeyondRing(Occasion(fact)) > policy.text.lateShare
      return isBeyond ? fact.key : nil
    }
  }

  /// Whether a deeper ring that was entered at the same moment, and is not passed, speaks instead.
  private func isSpokenFor(
    _ fact: Fact,
    in facts: [Fact],
    without passed: [OccasionKey]
  ) -> Bool {
    guard fact.key.step.kind == .approach else { return true }
    return facts.contains {
      $0.kind == .enter && $0.key != fact.key && fact.key.isOvertaken(by: $0.key)
        && !passed.contains($0.key)
    }
  }

  /// Lets what nobody is told of end and overtake what it would if it was told.
  private mutating func takeSilent(_ fact: Fact, _ turn: inout EventTurn) {
    if let canceled = fact.cancels { turn.record(.canceled(canceled)) }
    if fact.kind == .exit {
      close(.stale, at: fact.at, &turn) { fact.key.isOvertaken(by: $0.key) }
    } else {
      let occasion = Occasion(fact)
      _ = roster.endSnooze(on: occasion)
      supersede(by: occasion, at: fact.at, &turn)
    }
  }

  /// Whether points of the categories that are being looked for crowd here.
  private func isDense(around position: SurfacePoint) -> Bool {
    places.countPoints(withinMeters: policy.cooldown.denseRadiusMeters, of: position)
      >= policy.cooldown.densePOIs
  }

  private func record(_ fact: Fact, _ kind: TransitionRecord.Kind, _ turn: inout EventTurn) {
    turn.record(
      .transition(
        TransitionRecord(
          at: fact.at,
          reminder: fact.key.reminder,
          step: fact.key.step,
          kind: kind,
          poi: fact.spot?.poi,
          distanceMeters: fact.spot?.distanceMeters
        )
      )
    )
  }

  /// What is due by now, and what the system does not show by itself.
  mutating func dueOccasions(at now: Timestamp, _ turn: inout EventTurn) -> [Occasion] {
    noteShown(upTo: now, &turn)
    let shownLater = screen.scheduled
    let dwells = places.dueDwells(
      at: now,
      shownLater: shownLater,
      within: policy.bundle.window
    )
    let heardAt = turn.heardAt
    // What the system has shown meanwhile was heard then: a series goes on up to there as if the app had run.
    let dates = clock.take(
      upTo: now,
      heardAt: { reminder in
        shownLater.first { $0.at <= heardAt && $0.members.contains { $0.reminder == reminder } }?.at
          ?? heardAt
      },
      where: { !shownLater.tell($0) }
    )
    return occasions(of: dwells + dates, from: nil, &turn)
  }

  /// Records what the system has shown by itself, with the facts behind it.
  mutating func noteShown(upTo now: Timestamp, _ turn: inout EventTurn) {
    while let notification = screen.takeShown(upTo: now) {
      let dwells = places.dwells(shownBy: notification)
      let dates = clock.take(
        upTo: notification.at,
        heardAt: { _ in notification.at },
        where: { notification.tells($0, nil) || notification.speaks(for: $0) }
      )
      var shown = occasions(of: dwells + dates, from: nil, &turn)
      for var again in waiting.take(where: {
        $0.until.map { $0 <= notification.at } ?? false && notification.tells($0.key, $0.spot)
      }) {
        release(&again, at: notification.at, &turn)
        shown.append(again)
      }
      for occasion in shown {
        supersede(by: occasion, at: notification.at, &turn)
        turn.record(.decision(occasion.decided(.delivered, at: notification.at)))
        endQuestion(after: occasion, at: notification.at, &turn)
      }
      for occasion in shown {
        follow(up: occasion, at: notification.at, heardAt: notification.at, &turn)
      }
      var speech = speech
      for line in notification.members { speech.note(line) }
      screen.said = speech.said
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
    _ turn: inout EventTurn
  ) {
    guard !occasions.isEmpty else { return }
    // What the system has summed up by itself is gone on with.
    let bundle = screen.joinable(at: now, policy)
      .flatMap { open in
        !asSummary || open.kind == .summary ? open : nil
      }
    // All are judged before any of them spends a cooldown: what happens together is told together.
    var gates = Gates(world: gateWorld)
    var judged: [(occasion: Occasion, verdict: Verdict, fartherID: String?)] = []
    for occasion in occasions {
      let fartherID = asSummary ? nil : screen.shown(fartherThan: occasion, policy)
      if roster.endSnooze(on: occasion) { gates = Gates(world: gateWorld) }
      let verdict = gates.judge(
        occasion,
        at: now,
        heardAt: turn.heardAt,
        wasSaid: places.wasSaid(occasion.key),
        joinsApproaches: asSummary || bundle?.tellsApproach ?? false,
        isNearerThanShown: fartherID != nil,
        isNearerThanSaid: places.hasSaid(fartherThan: occasion.key),
        settlesAt: turn.settlesAt
      )
      judged.append((occasion, verdict, fartherID))
    }
    var told: [Occasion] = []
    var spoken: [Occasion] = []
    var renewing: [(id: String, occasions: [Occasion])] = []
    for (occasion, verdict, fartherID) in judged {
      switch verdict {
      case .deliver, .renew:
        if isSpent(occasion, by: spoken) {
          record(occasion, .suppressed(.fired), at: now, &turn)
          continue
        }
        spoken.append(occasion)
        supersede(by: occasion, at: now, &turn)
        if verdict == .renew, let id = fartherID {
          if let group = renewing.firstIndex(where: { $0.id == id }) {
            renewing[group].occasions.append(occasion)
          } else {
            renewing.append((id, [occasion]))
          }
        } else {
          told.append(occasion)
        }
        places.markSaid(occasion)
        turn.record(.decision(occasion.decided(.delivered, at: now)))
        endQuestion(after: occasion, at: now, &turn)
      case .wait(let silence, let until):
        putOff(occasion, silence, until: until, at: now, &turn)
      case .waitForArrival(let silence, let until):
        putOff(occasion, silence, until: until, forArrival: true, at: now, &turn)
      case .silence(let silence): record(occasion, .suppressed(silence), at: now, &turn)
      }
    }
    for (id, occasions) in renewing { tell(occasions, joining: screen[id], at: now, &turn) }
    tell(told, joining: bundle, asSummary: asSummary, at: now, &turn)
    for occasion in spoken { follow(up: occasion, at: now, heardAt: max(now, turn.heardAt), &turn) }
  }

  /// Has an occasion wait.
  ///
  /// - Parameter forArrival: whether it waits for it to be clear whether one has arrived.
  private mutating func putOff(
    _ occasion: Occasion,
    _ silence: Silence,
    until: Timestamp?,
    forArrival: Bool = false,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    supersede(by: occasion, at: now, &turn)
    // What the phone says again and again at the curb is told once.
    close(.superseded, at: now, &turn) {
      forArrival && $0.awaitsOutcome && $0.reminder == occasion.reminder
        && $0.key.trigger == occasion.key.trigger
    }
    var waits = occasion
    waits.wait(silence, until: until)
    waits.awaitsOutcome = forArrival
    waiting.occasions.append(waits)
    record(occasion, .deferred(silence, until: until), at: now, &turn)
  }

  /// Who is asked so late after arriving whether something is still needed is not asked so again within minutes, as at the
  /// end of a snooze.
  private mutating func endQuestion(
    after occasion: Occasion,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    guard occasion.asksOfArrival(at: now),
      let canceled = places.endQuestion(after: occasion.key, at: now, within: Self.askedAgainSpan)
    else { return }
    turn.record(.canceled(canceled))
  }

  /// What is asked again within that is asked twice.
  ///
  /// - Source: judgment: as long as after arriving one is asked whether something is still needed.
  static let askedAgainSpan = Milliseconds.minutes(5)

  /// Whether another occasion of a reminder that speaks once has been told.
  private func isSpent(_ occasion: Occasion, by told: [Occasion]) -> Bool {
    told.contains { $0.reminder == occasion.reminder && !$0.step.isAhead }
      && roster[occasion.reminder]?.endsBy == .once
  }

  /// What comes of an occasion that was told: the end of a reminder that speaks once, or the next time
  /// that it is told if it is not answered.
  ///
  /// - Parameter heardAt: when the person heard it: what the app catches up with is heard later than its
  ///   time, and what the system showed by itself at its time.
  private mutating func follow(
    up occasion: Occasion,
    at now: Timestamp,
    heardAt: Timestamp,
    _ turn: inout EventTurn
  ) {
    signals.markSaid(occasion)
    guard let reminder = roster[occasion.reminder], reminder.status == .active else { return }
    // What comes before its time asks for no answer yet, and is not the one time.
    if occasion.step.isAhead { return }
    if reminder.endsBy == .once {
      finish(reminder.id, as: .fired, .fired, at: now, &turn)
    } else if let nag = reminder.nag, let again = occasion.nagging(nag, at: heardAt, in: zone) {
      // One that is asked for every ten minutes comes every ten minutes, whatever it has been told of.
      close(.superseded, at: now, &turn) {
        $0.reminder == occasion.reminder && $0.silence == .nag && $0.key != occasion.key
      }
      waiting.occasions.append(again)
    }
  }

  var speech: Speech { Speech(policy.text, tones: tones.value, said: screen.said) }

  /// An occasion as a line, which does not say what the one before it said.
  func line(
    for occasion: Occasion,
    at told: Timestamp,
    _ speech: inout Speech
  ) -> ReminderNotification.Member? {
    guard let line = ReminderNotification.Member(occasion, roster, speech, at: told) else {
      return nil
    }
    speech.note(line)
    return line
  }

  /// Puts what is told on the screen; a new notification makes a sound, and cooldowns count those.
  private mutating func tell(
    _ told: [Occasion],
    joining bundle: ReminderNotification?,
    asSummary: Bool = false,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    guard !told.isEmpty else { return }
    var speech = speech
    let standing = (bundle?.members ?? [])
      .compactMap { old -> ReminderNotification.Member? in
        if told.contains(where: { old.isOver(with: $0) }) { return nil }
        return told.contains { $0.reminder == old.reminder } ? old : fromHere(old, at: now, &speech)
      }
    // How far ahead a time is, is true when it is heard.
    let heardAt = max(now, turn.heardAt)
    let news = told.compactMap { line(for: $0, at: $0.step.isAhead ? heardAt : now, &speech) }
    // Not by way of the engine, whose screen is being changed: all of it would be copied.
    let (shared, roster) = (shared, roster)
    let isNew = screen.tell(
      news,
      joining: bundle,
      standing: standing,
      asSummary: asSummary,
      at: now,
      policy: shared.value,
      roster: roster,
      speech: speech,
      &turn
    )
    guard isNew else { return }
    for occasion in told where occasion.step.kind == .approach {
      waiting.cooldowns.spend(occasion.reminder, at: now)
    }
    count(.nudgeShown, at: now, &turn)
  }

  /// A line that stays on the screen while news joins it: with the distance from here; nil if it is not true any more.
  private func fromHere(
    _ line: ReminderNotification.Member,
    at now: Timestamp,
    _ speech: inout Speech
  ) -> ReminderNotification.Member? {
    // Of one that has spoken its one time nothing is followed any more.
    guard line.step.kind == .approach, roster[line.reminder]?.status != .fired else { return line }
    let all = places.lastSaid(reminder: line.reminder, at: now)
      .filter {
        $0.step == line.step && places.isStillTrue($0.key)
          && places.shareBeyondRing($0) <= policy.text.lateShare
      }
    guard var said = all.first else { return nil }
    // Of several targets a line does not say which was meant.
    guard all.count == 1 else { return line }
    // A little beyond the ring it still holds, and its distance is that of before.
    guard places.lookAnew(&said), said.spot?.distanceMeters != line.distanceMeters else {
      return line
    }
    return self.line(for: said, at: now, &speech) ?? line
  }

  /// What says again what was said leaves no line.
  func record(
    _ occasion: Occasion,
    _ outcome: DecisionRecord.Outcome,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    guard !occasion.isRepeat else { return }
    turn.record(.decision(occasion.decided(outcome, at: now)))
  }

  /// What a nearer tier has overtaken is not told any more.
  mutating func supersede(by occasion: Occasion, at now: Timestamp, _ turn: inout EventTurn) {
    for overtaken in waiting.takeOvertaken(by: occasion.key) {
      record(overtaken, .suppressed(.superseded), at: now, &turn)
    }
  }

  /// Ends the waiting of occasions, with a final reason.
  mutating func close(
    _ silence: Silence,
    at now: Timestamp,
    _ turn: inout EventTurn,
    where isClosed: (Occasion) -> Bool
  ) {
    for closed in waiting.take(where: isClosed) {
      record(closed, .suppressed(silence), at: now, &turn)
    }
  }
}
