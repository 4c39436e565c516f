import Timeline

/// What the system shows by itself, while the app sleeps or is dead.
extension Engine {
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
        waiting.step.kind != .approach, !places.isInDoubt(waiting.key), !waiting.awaitsOutcome,
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
      case .wait, .waitForArrival, .renew, .silence: return nil
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
            && dwell.at - $0.at <= Self.askedAgainSpan
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
          return Screen.Due(
            at: occasion.at,
            member: line,
            isSummed: isSummed,
            nags: occasion.nags
          )
        }
    }
    let shown = Screen.held(of: lines, after: now, policy)
    if let (count, heldUntil) = clock.newlyLeftOut(
      crowdedOut: shown.crowdedOut,
      last: shown.crowdedOut > 0 ? shown.lines.last?.at : nil
    ) {
      turn.record(.schedulesLeftOut(at: now, count: count, heldUntil: heldUntil))
    }
    guard !lines.isEmpty || !screen.scheduled.isEmpty else { return }
    // As in `tell`: by way of the engine, all of it would be copied.
    let (shared, roster) = (shared, roster)
    screen.reconcile(
      shown.lines,
      after: now,
      heardAt: turn.heardAt,
      policy: shared.value,
      roster: roster,
      speech: speech,
      &turn
    )
  }
}
