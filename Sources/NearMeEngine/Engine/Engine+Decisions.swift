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
      if fact.isSuperseded {
        turn.record(.decision(occasion.decided(.suppressed(.superseded), at: fact.at)))
        continue
      }
      if let point, fact.key.step.kind == .approach { occasion.isDense = isDense(around: point) }
      occasions.append(occasion)
    }
    return occasions
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
        supersede(by: occasion, at: now, &turn)
        var waits = occasion
        waits.wait(silence, until: until)
        waiting.occasions.append(waits)
        record(occasion, .deferred(silence, until: until), at: now, &turn)
      case .silence(let silence): record(occasion, .suppressed(silence), at: now, &turn)
      }
    }
    for (id, occasions) in renewing { tell(occasions, joining: screen[id], at: now, &turn) }
    tell(told, joining: bundle, asSummary: asSummary, at: now, &turn)
    for occasion in spoken { follow(up: occasion, at: now, heardAt: max(now, turn.heardAt), &turn) }
  }

  /// Who is asked so late after arriving whether something is still needed is not asked so again within minutes, as at the
  /// end of a snooze.
  private mutating func endQuestion(
    after occasion: Occasion,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    guard occasion.asksOfArrival(at: now),
      let canceled = places.endQuestion(after: occasion.key, at: now, within: Self.isAskedAgain)
    else { return }
    turn.record(.canceled(canceled))
  }

  /// What is asked again within that is asked twice.
  ///
  /// - Source: judgment: as long as after arriving one is asked whether something is still needed.
  private static let isAskedAgain = Milliseconds.minutes(5)

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

  private var speech: Speech { Speech(policy.text, tones: tones.value, said: screen.said) }

  /// An occasion as a line, which does not say what the one before it said.
  private func line(
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
    let isNew = screen.tell(
      told.compactMap { line(for: $0, at: $0.step.isAhead ? heardAt : now, &speech) },
      joining: bundle,
      standing: standing,
      asSummary: asSummary,
      at: now,
      policy: policy,
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
    guard line.step.kind == .approach else { return line }
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
  private func record(
    _ occasion: Occasion,
    _ outcome: DecisionRecord.Outcome,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    guard !occasion.isRepeat else { return }
    turn.record(.decision(occasion.decided(outcome, at: now)))
  }

  /// What a nearer tier has overtaken is not told any more.
  private mutating func supersede(by occasion: Occasion, at now: Timestamp, _ turn: inout EventTurn)
  {
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

  // MARK: Looking again

  /// Looks again at what waited, now that its reason has ended; tells it if it is still true.
  mutating func lookAgain(
    at now: Timestamp,
    _ turn: inout EventTurn,
    where isReady: (Occasion) -> Bool
  ) {
    var summary: [Occasion] = []
    var plain: [Occasion] = []
    let ready = waiting.take(where: isReady)
    let asking = ready.map { needsPosition($0, at: now) && isStillTrue($0, at: now) }
    for (var occasion, asks) in zip(ready, asking) {
      let gate = Gates.gate(of: occasion)
      let endsInSummary = gate?.endsInSummary ?? false
      // What belongs in one summary waits for the position together.
      let waits =
        asks
        || endsInSummary && occasion.locatingSince == nil && asking.contains(true)
          && monitoring != .everyFix
      // Driving away is not news, but where the user has named the instant.
      let isAskedFor = occasion.wasSnoozed || occasion.silence == .snoozed
      let isGoing =
        !waits
        && (occasion.nags > 0
          ? places.isReceding(occasion) : !isAskedFor && places.liesBehind(occasion, at: now))
      guard isStillTrue(occasion, at: now), !isGoing, !isLost(occasion, at: now),
        waits || places.lookAnew(&occasion)
      else {
        record(occasion, .suppressed(.stale), at: now, &turn)
        continue
      }
      if waits {
        occasion.locatingSince = now
        occasion.until =
          now + (monitoring == .everyFix ? Self.longestWait : policy.monitor.patience)
        waiting.occasions.append(occasion)
        turn.needsPosition = true
        continue
      }
      release(&occasion, at: now, &turn)
      if endsInSummary { summary.append(occasion) } else { plain.append(occasion) }
    }
    decide(summary, at: now, asSummary: true, &turn)
    decide(plain, at: now, &turn)
  }

  /// For so long a stream's next position is waited for.
  ///
  /// - Source: judgment: longer than tunnels and rides below the ground.
  private static let longestWait = Milliseconds.minutes(60)

  /// Whether a stream's next position was waited for in vain: of the last one no distance is to be told.
  private func isLost(_ occasion: Occasion, at now: Timestamp) -> Bool {
    guard monitoring == .everyFix, let since = occasion.locatingSince,
      occasion.until.map({ $0 <= now }) ?? false
    else { return false }
    return places.state.lastFix.map { $0.at < since } ?? true
  }

  /// Lets go what has waited.
  private mutating func release(
    _ occasion: inout Occasion,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    occasion.locatingSince = nil
    Gates.gate(of: occasion)?.release(&occasion)
    guard occasion.isRepeat else { return }
    recordRepeat(occasion, at: now, &turn)
    occasion.isRepeat = false
    places.forgetSaid(occasion.key)
  }

  /// Whether an app is to know where it is before it says how far something is; it asks once.
  ///
  /// Of a stream, the next fix says so: it is waited for where the newest is from before a tunnel, and not where the
  /// user has named the instant.
  private func needsPosition(_ occasion: Occasion, at now: Timestamp) -> Bool {
    guard occasion.step.kind == .approach, occasion.locatingSince == nil, !surroundings.isBlind,
      let fix = places.state.lastFix, fix.at < now
    else { return false }
    guard monitoring == .everyFix else { return true }
    return Gates.gate(of: occasion)?.endsOnTheWay ?? false && !occasion.wasSnoozed
      && places.mayBeElsewhere(than: occasion, at: now, beyond: policy.text.lateShare)
  }

  /// Whether what happened is still so, by the watch that found it.
  ///
  /// What was over in a moment is told later only where the user asked to hear it again. That one has left is so for
  /// as long as one is away: where nothing was to be heard meanwhile it is summed up, else it is news for a while.
  private func isStillTrue(_ occasion: Occasion, at now: Timestamp) -> Bool {
    switch occasion.key.happening {
    case .rung: places.isStillTrue(occasion.key)
    case .due: clock.isStillTrue(occasion.key)
    case .left:
      (occasion.isRepeat || occasion.wasSnoozed || occasion.nags > 0
        || Gates.gate(of: occasion)?.endsInSummary ?? false
        || now - occasion.at <= LatenessGate.momentIsNews)
        && !places.isBack(occasion)
    case .edge: occasion.isRepeat || occasion.wasSnoozed || occasion.nags > 0
    }
  }

  private func recordRepeat(_ occasion: Occasion, at now: Timestamp, _ turn: inout EventTurn) {
    turn.record(
      .transition(
        TransitionRecord(
          at: now,
          reminder: occasion.reminder,
          step: occasion.step,
          kind: occasion.step.tier == nil ? .due : .dwell,
          poi: occasion.spot?.poi,
          distanceMeters: occasion.spot?.distanceMeters
        )
      )
    )
  }

  /// Looks again at what waits for something that is over, whatever ended it: nothing waits for ever.
  mutating func lookAgainAtFreed(at now: Timestamp, _ turn: inout EventTurn) {
    // What is told can end what others wait for, as an arrival ends a snooze until the next one.
    for _ in 0..<Self.mostLooks where !waiting.occasions.isEmpty {
      let gates = Gates(world: gateWorld)
      let (shownLater, window) = (screen.scheduled, policy.bundle.window)
      let isFreed: (Occasion) -> Bool = {
        $0.locatingSince == nil && !gates.isHeld($0, at: now)
          && !($0.until != nil && shownLater.tell($0, within: window))
      }
      guard waiting.occasions.contains(where: isFreed) else { return }
      lookAgain(at: now, &turn, where: isFreed)
    }
  }

  /// A reason that one look has ended ends within the next; more would be a circle.
  private static let mostLooks = 4

  /// Reckons anew until when everything waits that depends on local time.
  mutating func reckonLocalTimesAnew(at now: Timestamp, _ turn: inout EventTurn) {
    guard !waiting.occasions.isEmpty else { return }
    for record in waiting.reckonAnew(at: now, gateWorld) { turn.record(.decision(record)) }
  }

  // MARK: What the system shows by itself

  /// What waits for an instant and will be true then, unless something that wakes the app happens meanwhile, as when
  /// one leaves; with every further time that a reminder tells of it if it is not answered.
  ///
  /// How far away something is changes with each step, so nothing is told of a way.
  private func comingAgain(
    after now: Timestamp,
    _ gates: Gates,
    _ turn: EventTurn
  ) -> [Occasion] {
    waiting.occasions.flatMap { waiting -> [Occasion] in
      guard let until = waiting.until, isStillTrue(waiting, at: max(now, until)),
        waiting.step.kind != .approach, !places.isInDoubt(waiting.key),
        until > now || screen.scheduled.tells(waiting.key, waiting.spot)
      else { return [] }
      var told = waiting
      told.cameAt = waiting.at
      told.at = until
      told.isRepeat = true
      if told.silence == .snoozed { told.wasSnoozed = true }
      guard let shown = held(told, by: gates, at: now, turn) else { return [] }
      return [shown] + repeats(of: waiting, toldAt: shown.at, gates, at: now, turn)
    }
  }

  /// Every further time that a reminder tells of something if it is not answered: the system shows those by
  /// itself, too, each counted from when the one before is heard.
  private func repeats(
    of occasion: Occasion,
    toldAt instant: Timestamp,
    _ gates: Gates,
    at now: Timestamp,
    _ turn: EventTurn
  ) -> [Occasion] {
    guard let reminder = roster[occasion.reminder], let nag = reminder.nag,
      reminder.endsBy != .once, !occasion.step.isAhead
    else { return [] }
    var repeats: [Occasion] = []
    var (last, toldAt) = (occasion, instant)
    while repeats.count < clock.mostPending, let again = last.nagging(nag, at: toldAt, in: zone),
      let next = again.until
    {
      var told = again
      told.at = next
      guard let shown = held(told, by: gates, at: now, turn) else { break }
      repeats.append(shown)
      (last, toldAt) = (again, shown.at)
    }
    return repeats
  }

  /// What comes as the system is to show it: at its time or, where it is kept silent then, when that is known to end.
  ///
  /// A sleeping app is not there to look at that end.
  ///
  /// - Returns: nil if something speaks against it whose end is not known.
  private func held(
    _ coming: Occasion,
    by gates: Gates,
    at now: Timestamp,
    _ turn: EventTurn
  ) -> Occasion? {
    var coming = coming
    // What the system has shown by now was heard then.
    let isShown = screen.scheduled.tell(coming.key, coming.spot, by: turn.heardAt)
    for _ in 0..<Self.mostLooks {
      let instant = isShown ? coming.at : max(coming.at, now)
      let verdict = gates.judge(
        coming,
        at: instant,
        heardAt: isShown ? instant : turn.heardAt,
        wasSaid: places.wasSaid(coming.key),
        joinsApproaches: true
      )
      switch verdict {
      case .deliver: return coming
      case .wait(let silence, let end?) where end > coming.at:
        coming.wait(silence, until: end)
        coming.cameAt = coming.cameAt ?? coming.at
        coming.at = end
      case .wait, .renew, .silence: return nil
      }
    }
    return nil
  }

  /// The order in which the system shows what comes.
  private static func isShownBefore(_ a: Occasion, _ b: Occasion) -> Bool {
    if a.at != b.at { return a.at < b.at }
    if a.reminder != b.reminder { return a.reminder < b.reminder }
    if a.key.trigger != b.key.trigger { return a.key.trigger < b.key.trigger }
    if a.step != b.step { return a.step.name < b.step.name }
    return (a.nags, a.spot?.poi ?? "") < (b.nags, b.spot?.poi ?? "")
  }

  /// Without what follows the one time of a reminder that speaks once, and what comes ahead of a time after it.
  private func spokenOnce(_ inOrder: [Occasion]) -> [Occasion] {
    var spoken: [String: Timestamp] = [:]
    let told = inOrder.filter { occasion in
      guard !occasion.step.isAhead, roster[occasion.reminder]?.endsBy == .once else { return true }
      defer { spoken[occasion.reminder] = spoken[occasion.reminder] ?? occasion.at }
      return spoken[occasion.reminder] == nil
    }
    return told.filter { occasion in
      !occasion.step.isAhead || spoken[occasion.reminder].map { occasion.at < $0 } ?? true
    }
  }

  /// Without times that are shown with a newer one of the same schedule, which speaks for them.
  private static func newest(_ dates: [Occasion]) -> [Occasion] {
    dates.filter { old in
      !dates.contains { $0.at == old.at && $0.key.speaks(for: old.key) }
    }
  }

  /// Has the system show by itself what nothing speaks against as things stand.
  mutating func reconcileSchedule(at now: Timestamp, _ turn: inout EventTurn) {
    guard policy.schedules.timers == .allowed else { return }
    var dwells = places.comingDwells(after: now, shownLater: screen.scheduled)
    let dates = clock.coming(
      after: now,
      heardAt: turn.heardAt,
      shownLater: screen.scheduled
    )
    var due: [Occasion] = []
    if !dwells.isEmpty || !dates.isEmpty || !waiting.occasions.isEmpty {
      let gates = Gates(world: gateWorld)
      let again = comingAgain(after: max(now, turn.heardAt), gates, turn)
      dwells.removeAll { dwell in
        again.contains {
          $0.asksOfArrival(at: $0.at) && $0.key.isOvertaken(by: dwell.key) && $0.at <= dwell.at
            && dwell.at - $0.at <= Self.isAskedAgain
        }
      }
      let told = Self.newest(dates.compactMap { held($0, by: gates, at: now, turn) })
      // What a newer time of the same schedule overtakes is not told again beside it, nor what was not told once.
      let repeated =
        (again + told.flatMap { repeats(of: $0, toldAt: $0.at, gates, at: now, turn) })
        .filter { old in
          !(dates + dwells)
            .contains {
              $0.key != old.key && old.key.isOvertaken(by: $0.key)
                && $0.at <= old.at + policy.bundle.window
            }
        }
      let all = told + dwells.compactMap { held($0, by: gates, at: now, turn) } + repeated
      due = spokenOnce(all.sorted(by: Self.isShownBefore))
    }
    var speech = speech
    let lines = due.compactMap { occasion in
      line(for: occasion, at: occasion.at, &speech)
        .map { line in
          let isSummed = Gates.gate(of: occasion)?.endsInSummary ?? false
          return Screen.Due(at: occasion.at, member: line, isSummed: isSummed)
        }
    }
    let shown = Screen.held(of: lines, policy)
    if let (count, heldUntil) = clock.newlyLeftOut(
      crowdedOut: shown.crowdedOut,
      last: shown.crowdedOut > 0 ? shown.lines.last?.at : nil
    ) {
      turn.record(.schedulesLeftOut(at: now, count: count, heldUntil: heldUntil))
    }
    guard !lines.isEmpty || !screen.scheduled.isEmpty else { return }
    screen.reconcile(
      shown.lines,
      after: now,
      heardAt: turn.heardAt,
      policy: policy,
      roster: roster,
      &turn
    )
  }
}
