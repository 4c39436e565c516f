import Fencing
import Places
import Timeline
import Tones

/// Reminders and places as the user makes, changes and answers them.
extension Engine {
  // MARK: Setting up

  /// Sets the places and reminders of a new engine, which has no state of an earlier life: they take the place of all
  /// that it has.
  ///
  /// A place that lies nowhere on the globe is left out.
  ///
  /// - Throws: the id of the first reminder that cannot be watched for, with the reason.
  public mutating func load(
    places newPlaces: [Place],
    reminders: [Reminder],
    entitlement: Entitlement = .premium
  ) throws(ReminderLoadError) {
    roster = Roster()
    roster.setPlaces(newPlaces.filter { $0.coordinate.fault == nil })
    roster.entitlement = entitlement
    places.state.aims = []
    places.state.ladders = []
    places.follow(roster)
    for reminder in reminders {
      do throws(ReminderError) {
        guard roster[reminder.id] == nil else {
          throw ReminderError.outOfBounds("another one has its id")
        }
        try add(reminder)
      } catch {
        throw ReminderLoadError(reminder: reminder.id, reason: error)
      }
    }
    followChange()
  }

  private mutating func add(_ reminder: Reminder) throws(ReminderError) {
    let aims = try checked(reminder)
    roster.append(reminder)
    places.add(aims)
  }

  /// What a reminder aims at.
  ///
  /// - Throws: why it cannot be watched for.
  private func checked(_ reminder: Reminder) throws(ReminderError) -> [PlaceAim] {
    if let fault = reminder.fault { throw .outOfBounds(fault) }
    if reminder.conditions.contains(where: { $0.isDeeper(than: Condition.deepest) }) {
      throw .badCondition(
        "conditions stand within conditions deeper than \(Condition.deepest) levels"
      )
    }
    for case .schedule(let schedule) in reminder.triggers {
      if let refusal = clock.refusal(of: schedule) { throw refusal }
    }
    if let fault = reminder.conditions.lazy.compactMap(\.fault).first { throw .badCondition(fault) }
    return try places.aims(of: reminder)
  }

  /// Has the watches take up what the roster has now.
  mutating func followRoster() {
    places.resolve(roster)
    clock.follow(roster, isBlind: surroundings.isBlind)
    signals.follow(roster)
    findNextEnd()
    hasEndedReminders = roster.reminders.contains { $0.status != .active }
  }

  // MARK: Answers

  /// Does what the user says.
  mutating func apply(_ kind: Event.Kind, at now: Timestamp, _ turn: inout EventTurn) {
    // What is taken up anew has not seen where one is.
    let stays = kind.takesUpReminders ? places.staysNow() : [:]
    defer { if kind.takesUpReminders { places.noteStays(known: stays, at: now) } }
    switch kind {
    case .action(let reminder, let action): act(on: reminder, action, at: now, &turn)
    case .focus(let isOn): surroundings.isFocusOn = isOn
    case .reminderSaved(let reminder): save(reminder, at: now, &turn)
    case .reminderReopened(let reminder): takeBack(reminder, at: now, &turn)
    case .reminderDeleted(let id): delete(id, at: now, &turn)
    case .reminderAnswered(let id, let answer): goOn(id, from: answer, at: now, &turn)
    case .placeSaved(let place): save(place, at: now, &turn)
    case .placeDeleted(let id): deletePlace(id, at: now, &turn)
    case .entitlement(let entitlement):
      guard entitlement != roster.entitlement else { return }
      roster.entitlement = entitlement
      turn.record(.entitlement(at: now, entitlement, live: roster.entitled(policy.plans)))
    case .analytics(let isOn):
      guard isOn != roster.allowsAnalytics else { return }
      roster.allowsAnalytics = isOn
      turn.record(.analyticsConsent(at: now, isOn: isOn))
    default: preconditionFailure("nobody said this: \(kind)")
    }
  }

  /// Does what the user did while nobody listened.
  ///
  /// New reminders in a row are taken up by the watches at once: each by itself, a thousand would be looked through a
  /// thousand times.
  mutating func takeIn(_ written: [Event], at now: Timestamp, _ turn: inout EventTurn) {
    var news: [String: Timestamp] = [:]
    var answers: [(reminder: String, answer: ReminderAnswer)] = []
    let stays = places.staysNow()
    defer { places.noteStays(known: stays, at: now) }
    for event in written where event.kind.isOfUser {
      let madeAt = min(event.at, now)
      if case .reminderSaved(let reminder) = event.kind, roster.index(of: reminder.id) == nil,
        !roster.hasEnded(reminder.id)
      {
        do throws(ReminderError) {
          try add(reminder)
          count(.taskCreated, at: now, &turn)
          news[reminder.id] = madeAt
        } catch {
          refuse(reminder, error, at: now, &turn)
        }
        continue
      }
      if case .reminderAnswered(let id, let answer) = event.kind {
        answers.append((id, answer))
        continue
      }
      follow(&news, &answers, at: now, &turn)
      apply(event.kind, at: instant(of: event.kind, madeAt: madeAt, heardAt: now), &turn)
      clock.begin(at: madeAt)
    }
    follow(&news, &answers, at: now, &turn)
  }

  /// When something that the user did counts: an answer from the tap on, as a snooze does, and all else when it is heard
  /// of.
  func instant(of kind: Event.Kind, madeAt: Timestamp?, heardAt now: Timestamp) -> Timestamp {
    guard case .action = kind, let madeAt else { return now }
    return min(now, max(madeAt, newestInstant ?? madeAt))
  }

  /// Has the watches take up new reminders, each from when it was made and what was answered of it before.
  private mutating func follow(
    _ news: inout [String: Timestamp],
    _ answers: inout [(reminder: String, answer: ReminderAnswer)],
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    if !news.isEmpty {
      followChange()
      clock.begin(each: news)
      news = [:]
    }
    for (reminder, answer) in answers { goOn(reminder, from: answer, at: now, &turn) }
    answers = []
  }

  /// Has a reminder go on behind an answer that was given elsewhere.
  private mutating func goOn(
    _ id: String,
    from answer: ReminderAnswer,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    if clock.goOn(reminder: id, from: answer) { closeAnswered(id, at: now, &turn) }
  }

  /// Takes away what was told of a reminder, or waits to be, but of the times that are still open.
  private mutating func closeAnswered(
    _ id: String,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    let open = Set(clock.openTimes(reminder: id))
    let isOpen: (Step) -> Bool = { step in
      if case .schedule(let due, _) = step { open.contains(due) } else { false }
    }
    close(.completed, at: now, &turn) { $0.reminder == id && !isOpen($0.step) }
    screen.shrink(&turn) { $0.reminder == id && !isOpen($0.step) }
  }

  /// A reminder that cannot be watched for changes nothing, and leaves its reason.
  private func refuse(
    _ reminder: Reminder,
    _ reason: ReminderError,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    turn.record(
      .reminderRefused(at: now, ReminderLoadError(reminder: reminder.id, reason: reason))
    )
  }

  /// Notes something to be counted, if the user agrees.
  func count(_ event: AnalyticsEvent, at now: Timestamp, _ turn: inout EventTurn) {
    if roster.allowsAnalytics { turn.record(.analytics(at: now, event)) }
  }

  private mutating func act(
    on id: String,
    _ action: ReminderAction,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    guard let r = roster.index(of: id) else {
      let why: ActionRefusal = roster.hasEnded(id) ? .completed : .unknownReminder
      return turn.record(.actionRefused(at: now, reminder: id, why))
    }
    let status = roster[at: r].status
    guard action == .reopen || !status.isOver else {
      return turn.record(.actionRefused(at: now, reminder: id, .completed))
    }
    switch action {
    case .complete: complete(r, at: now, &turn)
    case .reopen: reopen(r, at: now, &turn)
    case .mute:
      roster[at: r].isMuted = true
      end(id, .muted, because: .muted, at: now, &turn)
    case .unmute:
      guard roster[at: r].isMuted else { return }
      roster[at: r].isMuted = false
      places.follow(roster)
      invalidateCircles()
      arriveAgain(id, withTimes: true, at: now, &turn)
    case .dismiss: screen.shrink(&turn) { $0.reminder == id }
    case .snoozeFor, .snoozeToday, .snoozeUntilNextArrival:
      snooze(r, action, at: now, &turn)
    }
  }

  /// Silences a reminder, counted from the tap; at the end it says again what is still true.
  private mutating func snooze(
    _ r: Int,
    _ action: ReminderAction,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    let id = roster[at: r].id
    var until: Timestamp?
    switch action {
    case .snoozeFor(let span):
      guard policy.snooze.least <= span, span <= policy.snooze.most else {
        return turn.record(.actionRefused(at: now, reminder: id, .snoozeOutOfRange))
      }
      until = now + span
    case .snoozeToday: until = policy.morning(after: now, for: roster[at: r], in: zone)
    default:
      guard places.awaitsArrival(reminder: id) else {
        return turn.record(.actionRefused(at: now, reminder: id, .snoozeWithoutArrival))
      }
    }
    if let until, !until.canBeRead {
      return turn.record(.actionRefused(at: now, reminder: id, .snoozeOutOfRange))
    }
    roster[at: r].snooze = until.map { .until($0) } ?? .untilNextArrival
    roster.noteSnooze(of: id, isForToday: action == .snoozeToday)
    count(.snoozeSelected, at: now, &turn)
    screen.shrink(&turn) { $0.reminder == id }
    if roster[at: r].status == .fired {
      roster[at: r].status = .active
      followRoster()
    }
    let said =
      places.lastSaid(reminder: id, at: now) + clock.lastSaid(reminder: id, at: now)
      + signals.lastSaid(reminder: id, at: now)
    let repeats = until != nil && !roster[at: r].isMuted
    waiting.snooze(id, until: until, repeating: repeats ? said : [])
  }

  /// Does what being done means to a reminder: it is done for good, or for this time.
  private mutating func complete(_ r: Int, at now: Timestamp, _ turn: inout EventTurn) {
    let id = roster[at: r].id
    count(.taskCompleted, at: now, &turn)
    roster[at: r].snooze = nil
    if roster[at: r].endsBy == .perOccurrence {
      let answered = clock.answer(reminder: id, at: now)
      turn.record(.answered(at: now, reminder: id, times: answered))
      for canceled in places.endVisits(reminder: id, at: now) { turn.record(.canceled(canceled)) }
      closeAnswered(id, at: now, &turn)
      let onlyTimes = roster[at: r].triggers
        .allSatisfy {
          if case .schedule = $0 { true } else { false }
        }
      guard onlyTimes, clock.isOver(reminder: id) else { return }
    }
    roster[at: r].status = .completed
    end(id, .completed, because: .completed, at: now, &turn)
  }

  /// Takes the last answer back.
  private mutating func reopen(_ r: Int, at now: Timestamp, _ turn: inout EventTurn) {
    let id = roster[at: r].id
    if roster[at: r].status == .active {
      if roster[at: r].snooze != nil {
        // What it held back is told now, if it is still so.
        roster[at: r].snooze = nil
        waiting.endSnooze(id, at: now)
        return
      }
      guard let times = clock.takeBackAnswer(reminder: id) else {
        return turn.record(.actionRefused(at: now, reminder: id, .nothingToReopen))
      }
      turn.record(.answerTakenBack(at: now, reminder: id, times: times))
      guard !roster[at: r].isMuted else { return }
      var said = clock.lastSaid(reminder: id, at: now).filter { !$0.step.isAhead }
      if let nag = roster[at: r].nag {
        // What is open again is told again until it is answered.
        let nags = waiting.occasions.contains { $0.reminder == id && $0.nags > 0 }
        if !nags { waiting.occasions += said.compactMap { $0.nagging(nag, at: now, in: zone) } }
      } else if roster[at: r].snooze == nil, !screen.tells(of: id) {
        // Its line went with the answer, and comes with what was taken back.
        for i in said.indices { said[i].wait(.snoozed, until: now) }
        waiting.occasions += said
      }
      return
    }
    if let end = roster[at: r].end(in: zone), end <= now {
      return turn.record(.actionRefused(at: now, reminder: id, .daysAreOver))
    }
    roster[at: r].status = .active
    clock.beginAnew(reminder: id)
    places.follow(roster)
    places.beginAnew(reminder: id)
    followChange()
    arriveAgain(id, at: now, &turn)
  }

  /// Has one that listens anew tell of where one has arrived meanwhile, and still is.
  ///
  /// - Parameter withTimes: whether it tells of what was due meanwhile, too, and is to be done.
  private mutating func arriveAgain(
    _ id: String,
    withTimes: Bool = false,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    var facts = places.arriveAgain(reminder: id, at: now)
    if withTimes, roster[id]?.status == .active {
      facts += clock.ringAgain(reminder: id, at: now)
    }
    decide(occasions(of: facts, from: nil, &turn), at: now, &turn)
  }

  /// Takes in a reminder again that had ended.
  private mutating func takeBack(
    _ reminder: Reminder,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    if let r = roster.index(of: reminder.id) {
      return reopen(r, at: now, &turn)
    }
    if let end = reminder.end(in: zone), end <= now {
      return turn.record(.actionRefused(at: now, reminder: reminder.id, .daysAreOver))
    }
    var again = reminder
    again.status = .active
    again.snooze = nil
    do {
      try add(again)
    } catch {
      let refusal = ReminderLoadError(reminder: reminder.id, reason: error)
      return turn.record(.reminderRefused(at: now, refusal))
    }
    roster.forgetEnd(of: reminder.id)
    followChange()
    arriveAgain(reminder.id, at: now, &turn)
  }

  /// Lets go of the reminders that have ended and of which nothing is on the screen that could be answered.
  mutating func letGoOfEnded(_ turn: inout EventTurn) {
    guard hasEndedReminders else { return }
    let ended = roster.reminders.filter { reminder in
      reminder.status.isOver || reminder.status == .fired && !screen.tells(of: reminder.id)
    }
    guard !ended.isEmpty else { return }
    for reminder in ended {
      roster.noteEnd(of: reminder.id)
      turn.emit(.archive(reminder))
    }
    forget(ended.map(\.id))
    followRoster()
  }

  /// Forgets reminders that have nothing under way.
  private mutating func forget(_ ids: [String]) {
    roster.remove(Set(ids))
    for id in ids {
      waiting.cooldowns.forget(id)
      screen.said.forget(id)
      places.remove(reminder: id)
    }
  }

  /// Ends a reminder that has spoken for the last time; what it has said last stays on the screen.
  ///
  /// - Parameter following: whether the watches take it up now. Of many, that is done once and after all of them.
  mutating func finish(
    _ id: String,
    as status: Reminder.Status,
    _ silence: Silence,
    at now: Timestamp,
    following: Bool = true,
    _ turn: inout EventTurn
  ) {
    guard let r = roster.index(of: id) else { return }
    turn.hasEnded = true
    roster[at: r].status = status
    roster[at: r].snooze = nil
    for canceled in places.canceled(reminder: id, .ended, at: now) {
      turn.record(.canceled(canceled))
    }
    close(silence, at: now, &turn) { $0.reminder == id }
    if status.isOver { screen.shrink(&turn) { $0.reminder == id } }
    if following { followChange() }
  }

  /// Has the watches take up reminders that have changed.
  mutating func followChange() {
    followRoster()
    invalidateCircles()
  }

  /// Ends everything that a reminder has under way: it is done, muted, edited or gone.
  ///
  /// - Parameters:
  ///   - kept: the numbers of triggers of which what has come stays as it is.
  ///   - following: whether the watches take it up now. Of many, that is done once and after all of them.
  private mutating func end(
    _ id: String,
    _ silence: Silence,
    because reason: CancelRecord.Reason,
    keeping kept: Set<Int> = [],
    at now: Timestamp,
    following: Bool = true,
    _ turn: inout EventTurn
  ) {
    for canceled in places.canceled(reminder: id, besides: kept, reason, at: now) {
      turn.record(.canceled(canceled))
    }
    places.follow(roster)
    places.beginAnew(reminder: id, besides: kept)
    let triggers = roster[id]?.triggers ?? []
    let goesOn = kept.contains { number in
      if triggers.indices.contains(number), case .place = triggers[number] { true } else { false }
    }
    // Begun anew, it is not held back by what it has said before.
    if !goesOn { waiting.cooldowns.forget(id) }
    close(silence, at: now, &turn) { $0.reminder == id && !kept.contains($0.key.trigger) }
    screen.shrink(&turn) { [clock, signals, roster, catalog] line in
      line.reminder == id
        && !kept.contains { number in
          let key = OccasionKey(reminder: id, trigger: number, happening: .due(line.step))
          if clock.isStillTrue(key) { return true }
          // Another trigger of the same name was told.
          let told = signals.lastTold(reminder: id, step: line.step) ?? number
          return told == number && triggers.indices.contains(number)
            && triggers[number].tells(line, roster, catalog)
        }
    }
    if following { followChange() }
  }

  /// Ends what a reminder has under way at a place of the user's own that has changed or is gone; what else it waits for
  /// stays, and its conditions are asked again.
  ///
  /// - Parameter place: as it was before.
  private mutating func end(
    _ reminder: Reminder,
    at place: Place,
    _ silence: Silence,
    because reason: CancelRecord.Reason,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    let (id, target) = (reminder.id, Reminder.Target.place(place.id))
    for canceled in places.canceled(reminder: id, target: target, reason, at: now) {
      turn.record(.canceled(canceled))
    }
    places.beginAnew(reminder: id, at: target)
    let numbers = reminder.triggers.indices.filter { reminder.triggers[$0].target == target }
    guard !numbers.isEmpty else { return }
    // Begun anew, it is not held back by what it has said before.
    waiting.cooldowns.forget(id)
    close(silence, at: now, &turn) { $0.reminder == id && numbers.contains($0.key.trigger) }
    screen.shrink(&turn) {
      $0.reminder == id && $0.poi == nil && $0.coordinate == place.coordinate
    }
  }

  // MARK: Changes

  private mutating func save(_ reminder: Reminder, at now: Timestamp, _ turn: inout EventTurn) {
    do throws(ReminderError) {
      if let r = roster.index(of: reminder.id) {
        try edit(r, to: reminder, at: now, &turn)
      } else if roster.hasEnded(reminder.id) {
        // An answer is newer than the form that was filled in before it.
        throw ReminderError.hasEnded
      } else {
        try add(reminder)
        count(.taskCreated, at: now, &turn)
        followChange()
      }
    } catch {
      refuse(reminder, error, at: now, &turn)
    }
  }

  private mutating func edit(
    _ r: Int,
    to reminder: Reminder,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) throws(ReminderError) {
    let old = roster[at: r]
    var edited = reminder
    // An answer is newer than the form that was filled in before it.
    edited.status = old.status
    edited.isMuted = old.isMuted
    let isElsewhere =
      edited.triggers != old.triggers || edited.conditions.targets != old.conditions.targets
    // One that has spoken its one time is asked for anew by who gives it another time or place.
    let isAnew =
      edited.status == .fired && isElsewhere
      && (edited.triggers.map(\.withoutLeads) != old.triggers.map(\.withoutLeads)
        || edited.conditions.targets != old.conditions.targets)
    if isAnew { edited.status = .active }
    // A snooze was for the time that the reminder had then.
    edited.snooze = isElsewhere || edited.conditions != old.conditions ? nil : old.snooze
    // What was stored with the reminder stays, whatever the defaults are now (NM-2.3).
    let checkedAims = try checked(edited)
    let aims = isElsewhere ? checkedAims : []
    let numbers = isAnew || !isElsewhere ? [:] : old.numbersOfKept(in: edited)
    if isElsewhere {
      end(old.id, .stale, because: .edited, keeping: Set(numbers.keys), at: now, &turn)
      waiting.renumber(old.id, numbers)
      signals.renumber(old.id, numbers)
    }
    if edited.snooze == nil, old.snooze != nil { waiting.endSnooze(old.id, at: now) }
    roster[at: r] = edited
    if edited.title != old.title {
      let (tone, longest) = (tones.value[old.tone], policy.text.longestName)
      screen.reword(&turn) { line in
        line.reminder != old.id
          ? nil
          : tone.retitled(line.text, from: old.title, to: edited.title, longestName: longest)
      }
    }
    if isAnew { clock.beginAnew(reminder: edited.id) }
    followNag(of: edited, before: old.nag, at: now, &turn)
    if isElsewhere {
      places.replace(edited.id, by: aims, keeping: numbers, roster)
      // Regions are held under the numbers of triggers.
      if !aims.isEmpty { turn.needsPosition = true }
    }
    followRoster()
    if isElsewhere { shrinkToTimes(of: edited.id, &turn) }
    reckonLocalTimesAnew(at: now, &turn)
  }

  /// Takes lines away that tell of times which an edited reminder has no more.
  private mutating func shrinkToTimes(of id: String, _ turn: inout EventTurn) {
    let numbers = (roster[id]?.triggers.indices).map { Array($0) } ?? []
    screen.shrink(&turn) { [clock] line in
      guard line.reminder == id, case .schedule = line.step else { return false }
      return !(numbers + [Reminder.fallbackTrigger])
        .contains {
          clock.isStillTrue(OccasionKey(reminder: id, trigger: $0, happening: .due(line.step)))
        }
    }
  }

  /// What is told again goes on by how often the reminder asks for it now.
  private mutating func followNag(
    of edited: Reminder,
    before old: Reminder.Nag?,
    at now: Timestamp,
    _ turn: inout EventTurn
  ) {
    guard let old, edited.nag != old else { return }
    let zone = zone
    close(.superseded, at: now, &turn) { again in
      // That a snooze ends was asked for, however often it was told before.
      guard again.reminder == edited.id, again.nags > 0, again.silence != .snoozed else {
        return false
      }
      guard let nag = edited.nag, again.nags <= nag.atMost else { return true }
      guard let minute = nag.untilMinute, let until = again.until else { return false }
      return until >= zone.next(minuteOfDay: minute, after: again.at)
    }
    for i in waiting.occasions.indices
    where waiting.occasions[i].reminder == edited.id && waiting.occasions[i].silence == .snoozed {
      waiting.occasions[i].nags = min(waiting.occasions[i].nags, edited.nag?.atMost ?? 0)
    }
    guard let nag = edited.nag else { return }
    for i in waiting.occasions.indices
    where waiting.occasions[i].reminder == edited.id && waiting.occasions[i].silence == .nag {
      waiting.occasions[i].until = waiting.occasions[i].until
        .map { max(now, $0 - old.every + nag.every) }
    }
  }

  private mutating func delete(_ id: String, at now: Timestamp, _ turn: inout EventTurn) {
    // What is made under its id afterward is another reminder, and not an older form of it.
    roster.forgetEnd(of: id)
    guard roster.index(of: id) != nil else { return }
    end(id, .deleted, because: .deleted, at: now, following: false, &turn)
    forget([id])
    followChange()
  }

  private mutating func save(_ place: Place, at now: Timestamp, _ turn: inout EventTurn) {
    if let fault = place.coordinate.fault {
      return turn.record(.placeRefused(at: now, PlaceRefusal(place: place.id, reason: fault)))
    }
    let old = roster.save(place)
    places.follow(roster)
    if old == nil { count(.placeAdded, at: now, &turn) }
    if let old, old.name != place.name { rename(old, to: place.name, &turn) }
    guard
      old?.coordinate != place.coordinate || old?.kind != place.kind
        || old?.arrivalRadiusMeters != place.arrivalRadiusMeters
    else { return }
    for reminder in roster.reminders where reminder.aims(at: .place(place.id)) {
      end(reminder, at: old ?? place, .stale, because: .edited, at: now, &turn)
      do {
        try places.move(reminder, to: place, from: old)
      } catch {
        // Rings that do not fit the new radius stay as they are.
        let refusal = ReminderLoadError(reminder: reminder.id, reason: error)
        turn.record(.reminderRefused(at: now, refusal))
      }
      places.beginAnew(reminder: reminder.id, at: .place(place.id))
    }
    // Where it lies as before, what the detector has seen of it is so still.
    if let old, !old.lies(where: place) { places.state.arrivals.forget(place: place.id) }
    followChange()
  }

  /// Has what is on the screen say a place's new name.
  private mutating func rename(_ place: Place, to name: String, _ turn: inout EventTurn) {
    let (roster, tones, longest) = (roster, tones.value, policy.text.longestName)
    screen.reword(&turn) { line in
      guard let reminder = roster[line.reminder], reminder.aims(at: .place(place.id)) else {
        return nil
      }
      return tones[reminder.tone]
        .renamed(
          line.text,
          title: reminder.title,
          placeFrom: place.name,
          to: name,
          longestName: longest
        )
    }
  }

  private mutating func deletePlace(_ id: String, at now: Timestamp, _ turn: inout EventTurn) {
    guard let place = roster.place(id) else { return }
    roster.deletePlace(id)
    places.follow(roster)
    for reminder in roster.reminders where reminder.aims(at: .place(id)) {
      end(reminder, at: place, .deleted, because: .deleted, at: now, &turn)
    }
    followChange()
  }
}

/// A reminder that cannot be watched for.
public struct ReminderLoadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which.
  public let reminder: String
  /// Why.
  public let reason: ReminderError

  package init(reminder: String, reason: ReminderError) {
    (self.reminder, self.reason) = (reminder, reason)
  }

  /// Both as a sentence.
  public var description: String { "reminder \"\(reminder)\": \(reason)" }
}

extension Trigger {
  /// Whether a line tells of a happening of this trigger: at a place, that one was left, or a signal.
  fileprivate func tells(
    _ line: ReminderNotification.Member,
    _ roster: Roster,
    _ catalog: POICatalog
  ) -> Bool {
    switch self {
    case .signal(let name, _, _): return line.step == .signal(name)
    case .leave where line.step != .leave: return false
    case .place where line.tier == nil: return false
    case .leave(let target), .place(let target, _):
      switch target {
      case .place(let id):
        return line.poi == nil && line.coordinate == roster.place(id)?.coordinate
      case .category(let category):
        guard let poi = line.poi else { return false }
        // What lies in another part of the catalog may be one.
        guard let i = catalog.index(ofSourceID: poi) else { return true }
        return catalog.points[i].categories.contains(category)
      }
    // A time has lines of its own, and so has a trigger of a new kind.
    default: return false
    }
  }
}

extension Event.Kind {
  /// Whether reminders may be taken up anew by it, which have not seen where one is.
  fileprivate var takesUpReminders: Bool {
    switch self {
    case .reminderSaved, .reminderReopened, .placeSaved: true
    case .action(_, let action): action == .unmute || action == .reopen
    default: false
    }
  }
}
