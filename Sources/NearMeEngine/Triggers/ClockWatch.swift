import Recurrence
import Timeline

/// Watches the clock: which schedules are due.
struct ClockWatch: Sendable {
  /// What survives.
  struct State: Hashable, Sendable {
    /// One for each schedule of each reminder that is not done, and one for each of its leads, in the
    /// order of the reminders.
    var alarms: [Alarm] = []
    /// How many alarms had no room among what the system shows by itself, when last reported.
    var leftOut = 0
  }

  /// What a watch is made with.
  struct Settings: Sendable {
    let zones: any ZoneSource
    /// The second of the day that a date is due at.
    let timeOfDay: Int
    /// How many notifications the system shows by itself at most.
    let mostPending: Int

    /// More than any system holds.
    private static let most = 10_000

    init(_ policy: Policy.Schedules, _ zones: any ZoneSource) {
      self.zones = zones
      timeOfDay = policy.minuteOfDay * 60
      mostPending = min(max(0, policy.mostPending), Self.most)
    }
  }

  /// A time that is still to come.
  struct Coming: Hashable, Sendable {
    let alarm: Int
    let time: WrittenTime
    /// When it rings.
    let at: Timestamp
  }

  var state: State
  private let made: Shared<Settings>
  private(set) var zone: UTCOffsetTable

  // Derived, and made anew.

  /// When each alarm rings next; nil if it does not.
  private var dues: [Timestamp?] = []
  /// The alarms that ring, the soonest first.
  private var order: [Int] = []
  /// The soonest times of all, one more than the system shows by itself; nil: to be gathered anew.
  private var ahead: [Coming]?
  private var hasNew = false
  /// What the new alarms of series were that have another end, or other exceptions, now.
  var changed: [Alarm.Identity: Alarm] = [:]

  var timeOfDay: Int { made.value.timeOfDay }
  var mostPending: Int { made.value.mostPending }

  init(
    _ zone: UTCOffsetTable,
    policy: Policy.Schedules,
    zones: any ZoneSource,
    _ state: State
  ) {
    self.zone = zone
    made = Shared(Settings(policy, zones))
    self.state = state
    restamp()
    reckon()
  }

  // MARK: Reminders

  /// Why a schedule cannot be watched for; nil if it can.
  func refusal(of schedule: Schedule) -> ReminderError? {
    guard let zone = table(of: schedule) else { return .unknownZone(schedule.zone ?? "") }
    do {
      _ = try schedule.times(in: zone, timeOfDay: timeOfDay)
      return nil
    } catch {
      return .badSchedule(error)
    }
  }

  /// Takes up the schedules of the reminders that are to be done; one that has rung stays so.
  ///
  /// - Parameter isBlind: whether the position is unknown: those about places fall back to a time.
  mutating func follow(_ roster: Roster, isBlind: Bool) {
    var alarms = Self.alarms(of: roster, isBlind: isBlind)
    if alarms.isEmpty, state.alarms.isEmpty { return }
    var known: [Alarm.Identity: Alarm] = [:]
    for alarm in state.alarms { known[alarm.identity] = alarm }
    // Looked up by name, and not walked through.
    let active = Set(roster.reminders.lazy.filter { $0.status == .active }.map(\.id))
    var unmatched: [Alarm.Identity: Alarm]?
    for i in alarms.indices {
      defer { if !active.contains(alarms[i].reminder) { alarms[i].standing = .over } }
      guard let old = known[alarms[i].identity] else {
        guard let series = alarms[i].series, !state.alarms.isEmpty else { continue }
        if unmatched == nil { unmatched = Self.series(of: state.alarms, besides: alarms) }
        if let old = unmatched?[series] { keep(old, in: &alarms[i]) }
        continue
      }
      alarms[i].standing = old.standing
      alarms[i].open = old.open
      alarms[i].before = old.before
      alarms[i].answeredAhead = old.answeredAhead
    }
    state.alarms = alarms
    if !changed.isEmpty {
      let new = Set(alarms.lazy.filter { $0.standing == .new }.map(\.identity))
      changed = changed.filter { new.contains($0.key) }
    }
    reckon()
  }

  /// What is to ring for the reminders that are to be done, in their order.
  static func alarms(of roster: Roster, isBlind: Bool) -> [Alarm] {
    var alarms: [Alarm] = []
    for reminder in roster.reminders where !reminder.status.isOver {
      for (i, trigger) in reminder.triggers.enumerated() {
        guard case .schedule(let schedule) = trigger else { continue }
        for lead in schedule.leads + [.seconds(0)] {
          alarms.append(Alarm(reminder.id, trigger: i, schedule, lead: lead))
        }
      }
      if isBlind, let fallback = reminder.fallback {
        let trigger = Reminder.fallbackTrigger
        alarms.append(Alarm(reminder.id, trigger: trigger, fallback, lead: .seconds(0)))
      }
    }
    return alarms
  }

  /// Forgets what a reminder's alarms have done: it begins anew.
  mutating func beginAnew(reminder: String) {
    state.alarms.removeAll { $0.reminder == reminder }
  }

  /// Reckons from when on new alarms ring: a series from now, a single time also if it is past.
  mutating func begin(at now: Timestamp) { begin { _ in now } }

  /// Reckons from when on the new alarms of some reminders ring, each from its own instant.
  mutating func begin(each reminders: [String: Timestamp]) { begin { reminders[$0] } }

  private mutating func begin(from instant: (_ reminder: String) -> Timestamp?) {
    guard hasNew else { return }
    let new = state.alarms.indices.filter { state.alarms[$0].standing == .new }
    // Leads go by the times that they come before.
    for isLead in [false, true] {
      for i in new where (state.alarms[i].lead.value > 0) == isLead {
        guard let from = instant(state.alarms[i].reminder) else { continue }
        begin(i, from: from)
      }
    }
    reckon()
  }

  /// Reckons from when on a new alarm rings, and what it goes back to where the last answer is taken back.
  private mutating func begin(_ i: Int, from now: Timestamp) {
    let old = changed[state.alarms[i].identity]
    // A lead that is added goes by what was answered of the times that it comes before.
    let main = old == nil ? main(of: i) : nil
    if let main { state.alarms[i].answeredAhead = main.answeredAhead }
    let new = first(of: i, from: now)
    changed[state.alarms[i].identity] = nil
    if let old {
      noteAnsweredAhead(i, behind: old, new)
      state.alarms[i].before = before(of: i, behind: old, new)
    } else if let main, let times = times(of: i) {
      state.alarms[i].before = main.before.map { before in
        Alarm.Before(
          standing: standing(ofLead: i, before.standing, times, from: now),
          open: [],
          answeredAhead: before.answeredAhead
        )
      }
    }
    state.alarms[i].standing = new
  }

  /// The alarm at the times that a lead comes before; nil for what is no lead.
  func main(of i: Int) -> Alarm? {
    guard state.alarms[i].lead.value > 0 else { return nil }
    return state.alarms[i...].first { $0.lead.value == 0 }
  }

  private func first(of i: Int, from now: Timestamp) -> Alarm.Standing {
    let alarm = state.alarms[i]
    guard let times = times(of: i) else { return .over }
    if let old = changed[alarm.identity], let standing = standing(i, behind: old, times, from: now)
    {
      return standing
    }
    guard alarm.lead.value > 0 else {
      return standing(alarm.schedule.recurs ? firstToRing(i, of: times, from: now) : times.first())
    }
    // A lead that is added to times that are watched already goes by what was answered of them; they come behind it.
    return standing(ofLead: i, main(of: i)?.standing ?? .new, times, from: now)
  }

  /// By so much a lead of days may be longer or shorter than so many times 24 hours.
  ///
  /// - Source: clocks are set by an hour, by half of one on Lord Howe, and by two at Troll.
  private static let mostClockChange = Milliseconds.minutes(120)

  /// The first time whose alarm rings from an instant on, and that is not before another one.
  func firstToRing(
    _ i: Int,
    of times: RecurrenceSet,
    from now: Timestamp,
    notBefore least: Timestamp = Timestamp(milliseconds: .min)
  ) -> Occurrence? {
    let lead = state.alarms[i].lead
    let slack = lead.isOfDays ? Self.mostClockChange : .seconds(0)
    var next = times.first(from: max(now + lead - slack, least))
    while let time = next, let at = time.instant,
      ring(at, i) < now || Alarm.isAhead(time, in: state.alarms[i].answeredAhead)
    {
      next = times.first(after: at)
    }
    return next
  }

  func standing(_ occurrence: Occurrence?) -> Alarm.Standing {
    guard let occurrence else { return .over }
    return .rings(
      for: WrittenTime(local: occurrence.local, offsetSeconds: occurrence.offsetSeconds)
    )
  }

  // MARK: Zones

  /// Local times are those of a new zone from now on; those that have come stay where they were.
  mutating func change(to zone: UTCOffsetTable) {
    self.zone = zone
    restamp()
    reckon()
  }

  /// A wall clock's time to come that was reckoned in another zone is the same time of the clock here.
  private mutating func restamp() {
    for i in state.alarms.indices where state.alarms[i].schedule.isFloating {
      guard case .rings(let time) = state.alarms[i].standing, let offset = time.offsetSeconds,
        zone.offsetSeconds(at: time.instant(in: zone)) != offset
      else { continue }
      let here = WrittenTime(local: time.local).instant(in: zone)
      state.alarms[i].standing = .rings(
        for: WrittenTime(local: time.local, offsetSeconds: zone.offsetSeconds(at: here))
      )
    }
  }

  // MARK: A clock that was wrong

  /// A clock that is set back by more was wrong, and what rang by it rang for nothing; by less, nothing rings twice.
  ///
  /// - Source: Vixie cron goes by the new time where clocks change by more than three hours, and repeats nothing where they
  ///   change by less.
  static let mostSetByHand = Milliseconds.minutes(180)

  /// Goes by a clock that was far ahead and was set back: what rang ahead of its time rings again at it.
  ///
  /// Else a series that had come to another year would be silent until then.
  mutating func followSetBack(to now: Timestamp, from old: Timestamp) {
    guard old - now > Self.mostSetByHand else { return }
    for i in state.alarms.indices {
      let open = state.alarms[i].open
      let early = open.filter { ring($0.instant(in: zone), i) > now }
      if !early.isEmpty { state.alarms[i].open = open.filter { !early.contains($0) } }
      guard let standing = standingAgain(i, early: early.first, at: now, from: old) else {
        continue
      }
      state.alarms[i].standing = standing
      state.alarms[i].before = nil
    }
    reckon()
  }

  /// What an alarm rings for after a clock was set back; nil if that has not changed.
  private func standingAgain(
    _ i: Int,
    early: WrittenTime?,
    at now: Timestamp,
    from old: Timestamp
  ) -> Alarm.Standing? {
    let alarm = state.alarms[i]
    guard alarm.goesOn else {
      if let early { return .rings(for: early) }
      // Answered by the wrong clock, it is counted from no later than now.
      guard alarm.schedule.recurs, case .rings(let time) = alarm.standing, let times = times(of: i),
        let next = try? times.next(answered: now, completedAt: now, anchor: .completion),
        let instant = next.instant, instant < time.instant(in: zone)
      else { return nil }
      return standing(next)
    }
    guard let times = times(of: i),
      let next = firstToRing(i, of: times, from: now + Milliseconds(1)),
      let instant = next.instant, ring(instant, i) <= old
    else { return nil }
    return standing(next)
  }

  func table(of schedule: Schedule) -> UTCOffsetTable? {
    guard let name = schedule.zone, name != zone.identifier else { return zone }
    return made.value.zones.zone(named: name)
  }

  func times(of i: Int) -> RecurrenceSet? { times(of: state.alarms[i].schedule) }

  func times(of schedule: Schedule) -> RecurrenceSet? {
    table(of: schedule).flatMap { try? schedule.times(in: $0, timeOfDay: timeOfDay) }
  }

  /// When an alarm rings next; nil if it does not.
  private func due(of i: Int) -> Timestamp? {
    guard case .rings(let time) = state.alarms[i].standing else { return nil }
    return ring(time.instant(in: zone), i)
  }

  /// When an alarm rings for a time: its lead before it.
  ///
  /// Days are those of the calendar: the day before, at the same hour by the clock, though that may be 23 hours.
  ///
  /// - Source: RFC 5545, 3.3.6, of durations in days and weeks.
  func ring(_ instant: Timestamp, _ i: Int) -> Timestamp {
    let lead = state.alarms[i].lead
    let ring = instant - lead
    guard lead.isOfDays, let zone = table(of: state.alarms[i].schedule) else { return ring }
    let shift = zone.offsetSeconds(at: instant) - zone.offsetSeconds(at: ring)
    return ring + .seconds(Int64(shift))
  }

  private mutating func reckon() {
    hasNew = state.alarms.contains { $0.standing == .new }
    dues = state.alarms.indices.map { due(of: $0) }
    order = dues.indices.filter { dues[$0] != nil }.sorted { isSooner($0, $1) }
    ahead = nil
  }

  /// Puts the first alarms of the order, whose times have changed, where they belong now.
  private mutating func reorder(first count: Int) {
    guard count > 0 else { return }
    let moved = order.prefix(count).filter { dues[$0] != nil }.sorted { isSooner($0, $1) }
    var merged: [Int] = []
    merged.reserveCapacity(order.count)
    var next = moved.startIndex
    for i in order[count...] {
      while next < moved.endIndex, isSooner(moved[next], i) {
        merged.append(moved[next])
        next += 1
      }
      merged.append(i)
    }
    order = merged + moved[next...]
    ahead = nil
  }

  /// Whether an alarm rings before another one; what does not ring comes last.
  private func isSooner(_ a: Int, _ b: Int) -> Bool {
    (dues[a] ?? .endOfTime, a) < (dues[b] ?? .endOfTime, b)
  }

  // MARK: What comes

  /// The soonest times of all alarms, one more than the system shows by itself.
  ///
  /// - Complexity: O(what the system shows · log of it), but for what has changed since.
  private mutating func lookAhead() -> [Coming] {
    if let ahead { return ahead }
    let most = mostPending + 1
    var found: [Coming] = []
    for i in order {
      guard let due = dues[i], case .rings(let next) = state.alarms[i].standing else { continue }
      // What is found is in order here; while an alarm's own times are gathered it is not.
      let last = found.count == most ? found[most - 1].at : .endOfTime
      if due > last { break }
      found.append(Coming(alarm: i, time: next, at: due))
      if state.alarms[i].goesOn, let times = times(of: i) {
        var later = times.occurrences(from: next.instant(in: zone) + .seconds(1))
        for _ in 1..<most {
          let one = later.next(besides: state.alarms[i].answeredAhead)
          guard case .rings(let time) = standing(one) else { break }
          let at = ring(time.instant(in: zone), i)
          if at > last { break }
          found.append(Coming(alarm: i, time: time, at: at))
        }
      }
      found.sort { ($0.at, $0.alarm) < ($1.at, $1.alarm) }
      if found.count > most { found.removeSubrange(most...) }
    }
    ahead = found
    return found
  }

  private func key(_ i: Int, _ time: WrittenTime) -> OccasionKey {
    let alarm = state.alarms[i]
    return OccasionKey(
      reminder: alarm.reminder,
      trigger: alarm.trigger,
      happening: .due(.schedule(time.instant(in: zone), lead: alarm.lead))
    )
  }

  /// When the next schedule is due that the system does not show by itself; or when the last of those
  /// is shown that it does, for more to be handed to it.
  mutating func nextInstant(shownLater: [ReminderNotification]) -> Timestamp? {
    guard !order.isEmpty else { return nil }
    let ahead = lookAhead()
    let next = ahead.first { !shownLater.tell(key($0.alarm, $0.time)) }
    return next?.at ?? (ahead.count > mostPending ? ahead.last?.at : nil)
  }

  /// What is due later, or has been scheduled: the soonest, as many as the system takes.
  mutating func coming(
    after now: Timestamp,
    heardAt: Timestamp,
    shownLater: [ReminderNotification]
  ) -> [Occasion] {
    guard !order.isEmpty else { return [] }
    var coming: [Occasion] = []
    for next in lookAhead().prefix(mostPending) {
      let key = key(next.alarm, next.time)
      // What nobody has asked the system for is not shown in the past.
      guard next.at > max(now, heardAt) || shownLater.tells(key, nil) else { continue }
      coming.append(Occasion(key, at: next.at, spot: nil))
    }
    return coming
  }

  /// How many alarms have no time at all among those that the system shows by itself, and up to when
  /// it shows any; nil if that is what was reported last.
  ///
  /// - Parameters:
  ///   - crowdedOut: how many more have none, for what is told again before them needs the room.
  ///   - last: up to when it shows any then.
  mutating func newlyLeftOut(
    crowdedOut: Int,
    last: Timestamp?
  ) -> (count: Int, heldUntil: Timestamp)? {
    // Where the system shows nothing by itself, nothing is left out of it.
    guard mostPending > 0 else { return nil }
    guard order.count > mostPending || crowdedOut > 0 || state.leftOut > 0 else { return nil }
    let ahead = lookAhead()
    let isFull = ahead.count > mostPending
    let heldUntil = isFull ? ahead[mostPending - 1].at : .endOfTime
    let held = Set(ahead.prefix(mostPending).map(\.alarm))
    let count = (isFull ? order.count - held.count : 0) + crowdedOut
    defer { state.leftOut = count }
    return count > state.leftOut ? (count, min(heldUntil, last ?? heldUntil)) : nil
  }

  // MARK: What rings

  /// Of a series that was slept through, so many times are named; those before are passed over.
  private static let mostNamed = 16

  /// The schedules whose time has come, and that are meant.
  ///
  /// Of several times of one trigger the newest speaks; the others are superseded.
  ///
  /// - Parameter heardAt: when what rings now of a reminder is heard: a series that was slept through rings for its
  ///   newest time up to then.
  mutating func take(
    upTo now: Timestamp,
    heardAt: (_ reminder: String) -> Timestamp,
    where isMeant: (OccasionKey) -> Bool
  ) -> [Fact] {
    var rung: [Fact] = []
    let due = order.prefix { dues[$0].map { $0 <= now } ?? false }
    defer { reorder(first: due.count) }
    // The newest of a series that was slept through, which rings at its own time.
    var newest: [OccasionKey] = []
    for i in due.sorted() {
      let end = max(now, heardAt(state.alarms[i].reminder))
      for number in 1... {
        guard let at = dues[i], at <= end, case .rings(let time) = state.alarms[i].standing
        else { break }
        let key = key(i, time)
        guard isMeant(key) else { break }
        if at > now, !goesOn(i, after: time, upTo: end) {
          newest.append(key)
          break
        }
        var fact = Fact(key: key, kind: .due, at: now)
        // What was to come in ten minutes is no news when it is heard that it has come.
        fact.isSuperseded = state.alarms[i].lead.value > 0 && time.instant(in: zone) <= end
        rung.append(fact)
        ring(i, time)
        if number == Self.mostNamed { passOver(i, upTo: end) }
      }
    }
    let speaking = rung.map(\.key) + newest
    return rung.map { fact in
      var fact = fact
      fact.isSuperseded = fact.isSuperseded || speaking.contains { $0.speaks(for: fact.key) }
      return fact
    }
  }

  /// Whether one more time of a series rings by an instant.
  private func goesOn(_ i: Int, after time: WrittenTime, upTo end: Timestamp) -> Bool {
    guard state.alarms[i].goesOn else { return false }
    let next = times(of: i)
      .flatMap { self.next(of: i, after: time.instant(in: zone), of: $0)?.instant }
    return next.map { ring($0, i) <= end } ?? false
  }

  private mutating func ring(_ i: Int, _ time: WrittenTime) {
    let alarm = state.alarms[i]
    state.alarms[i].open = alarm.lead.value == 0 ? Alarm.added(time, to: alarm.open) : [time]
    if alarm.goesOn {
      state.alarms[i].standing = standing(
        times(of: i).flatMap { next(of: i, after: time.instant(in: zone), of: $0) }
      )
      let ahead = alarm.answeredAhead?.filter { $0.local > time.local } ?? []
      state.alarms[i].answeredAhead = ahead.isEmpty ? nil : ahead
    } else {
      state.alarms[i].standing = alarm.schedule.rule == nil ? .over : .awaitsAnswer
    }
    dues[i] = due(of: i)
    if let before = alarm.before { state.alarms[i].before = rung(i, time, before) }
  }

  /// What was before an answer, had this time rung then, too: taking the answer back is not to ring it again.
  private func rung(_ i: Int, _ time: WrittenTime, _ before: Alarm.Before) -> Alarm.Before {
    let alarm = state.alarms[i]
    var after = alarm.asBefore
    if before.answeredAhead != alarm.answeredAhead, alarm.goesOn, let times = times(of: i) {
      // Times that were answered ahead come after all where the answer is taken back.
      let next = times.first(after: time.instant(in: zone))
      after = Alarm.Before(
        standing: standing(unanswered(next, before.answeredAhead, of: times)),
        open: alarm.open,
        answeredAhead: before.answeredAhead
      )
    }
    guard alarm.lead.value == 0 else { return after }
    var open = before.open
    // Answered ahead of its time, which has passed meanwhile.
    if case .rings(let next) = before.standing, next.instant(in: zone) < time.instant(in: zone) {
      open = Alarm.added(next, to: open)
    }
    return Alarm.Before(
      standing: after.standing,
      open: Alarm.added(time, to: open),
      answeredAhead: after.answeredAhead
    )
  }

  /// Goes on with the newest time of a series that has come.
  private mutating func passOver(_ i: Int, upTo now: Timestamp) {
    guard let next = dues[i], next <= now, let times = times(of: i) else { return }
    let lead = state.alarms[i].lead
    let end = now + lead + (lead.isOfDays ? Self.mostClockChange : .seconds(1))
    var found = try? times.previous(before: end)
    while let time = found, let at = time.instant,
      ring(at, i) > now || Alarm.isAhead(time, in: state.alarms[i].answeredAhead)
    {
      found = try? times.previous(before: at)
    }
    guard let newest = found else { return }
    state.alarms[i].standing = standing(newest)
    dues[i] = due(of: i)
  }

  // MARK: Answers

  /// Takes in that a reminder was done this time.
  ///
  /// Done are the times that have come, as the anchor has it, or else the next one.
  ///
  /// - Returns: the times that were answered.
  mutating func answer(reminder: String, at now: Timestamp) -> [Timestamp] {
    let own = state.alarms.indices.filter { state.alarms[$0].reminder == reminder }
    for i in own { state.alarms[i].before = nil }
    let main = own.filter { state.alarms[$0].lead.value == 0 }
    var chosen = main.filter { !state.alarms[$0].open.isEmpty }
    if chosen.isEmpty {
      let next = main.filter { dues[$0] != nil }.min { isSooner($0, $1) }
      chosen = next.map { [$0] } ?? []
    }
    var answered: [Timestamp] = []
    for i in chosen {
      guard let time = state.alarms[i].answering else { continue }
      let instant = time.instant(in: zone)
      answered.append(instant)
      let leads = own.filter {
        state.alarms[$0].trigger == state.alarms[i].trigger && $0 != i
      }
      for one in leads + [i] { goOn(one, answered: instant, at: now) }
    }
    reckon()
    return answered
  }

  /// Takes in that a time was answered where the reminder comes from: what is still open here and later stays so.
  ///
  /// - Returns: whether it closed times that had come here.
  /// - Complexity: O(alarms).
  mutating func goOn(reminder: String, from answer: ReminderAnswer) -> Bool {
    let own = state.alarms.indices.filter { state.alarms[$0].reminder == reminder }
    let main = own.first {
      state.alarms[$0].lead.value == 0 && state.alarms[$0].standing != .new
        && has($0, answer.due)
    }
    guard let main else { return false }
    let old = state.alarms[main]
    var keepsStanding = false
    if old.isCountedFromAnswers {
      guard let next = next(of: main, after: answer) else { return false }
      keepsStanding = isBehind(next, old, answer)
    }
    let alarms = state.alarms
    let isOld = own.contains { isOlder(answer, than: $0) }
    var closes = false
    for i in own where state.alarms[i].trigger == old.trigger {
      let old = state.alarms[i]
      goOn(i, answered: answer.due, at: answer.at)
      if keepsStanding { state.alarms[i].standing = old.standing }
      state.alarms[i].open = old.open.filter { $0.instant(in: zone) > answer.due }
      let isSame = state.alarms[i].standing == old.standing && state.alarms[i].open == old.open
      if !keepsStanding {
        state.alarms[i].before = before(answer, of: i, old)
      } else if isSame {
        state.alarms[i].before = old.before
      }
      if state.alarms[i].open != old.open { closes = true }
    }
    let new = state.alarms[main]
    let isSame = new.standing == old.standing && new.open == old.open
    if isSame, isOld {
      // Taken back is the newest answer.
      for i in own { state.alarms[i].before = alarms[i].before }
    } else if !(isSame && keepsStanding) {
      for i in own where state.alarms[i].trigger != old.trigger { state.alarms[i].before = nil }
    }
    reckon()
    return closes
  }

  /// Whether an answer is to no newer time than the last one that an alarm was given.
  private func isOlder(_ answer: ReminderAnswer, than i: Int) -> Bool {
    guard state.alarms[i].lead.value == 0, let before = state.alarms[i].before else { return false }
    return answered(i, since: before).contains { $0.instant(in: zone) >= answer.due }
  }

  /// What was before an answer from elsewhere, as it was there: taken back, its time is open again, or still to come.
  ///
  /// - Parameter old: the alarm as it was here.
  private func before(_ answer: ReminderAnswer, of i: Int, _ old: Alarm) -> Alarm.Before {
    let isOpen = old.open.contains { $0.instant(in: zone) == answer.due }
    var isAhead = false
    if case .rings(let next) = old.standing { isAhead = next.instant(in: zone) <= answer.due }
    if isOpen || isAhead { return old.asBefore }
    let offset = (table(of: old.schedule) ?? zone).offsetSeconds(at: answer.due)
    let due = WrittenTime(
      local: LocalDateTime(clamping: answer.due.wholeSeconds + Int64(offset)),
      offsetSeconds: offset
    )
    guard ring(answer.due, i) <= answer.at else {
      return Alarm.Before(
        standing: .rings(for: due),
        open: old.open,
        answeredAhead: old.answeredAhead
      )
    }
    if old.isCountedFromAnswers { return Alarm.Before(standing: .awaitsAnswer, open: [due]) }
    let others = old.lead.value == 0 ? old.open : []
    var open = others.filter { $0.instant(in: zone) < answer.due }
    open = Alarm.added(due, to: open)
    for later in others where later.instant(in: zone) > answer.due {
      open = Alarm.added(later, to: open)
    }
    return Alarm.Before(
      standing: state.alarms[i].standing,
      open: open,
      answeredAhead: old.answeredAhead
    )
  }

  /// What an answer from elsewhere leads to where times are counted from answers; nil: to nothing, and it counts for none.
  private func next(of i: Int, after answer: ReminderAnswer) -> Timestamp? {
    let next = try? times(of: i)?
      .next(answered: answer.due, completedAt: answer.at, anchor: .completion)
    return next?.instant
  }

  /// Whether an alarm has come further than to a time that an answer from elsewhere leads to.
  private func isBehind(_ next: Timestamp, _ alarm: Alarm, _ answer: ReminderAnswer) -> Bool {
    switch alarm.standing {
    // What has never been answered here was only begun where it is.
    case .rings(let time): alarm.before != nil && time.instant(in: zone) > next
    case .awaitsAnswer: alarm.open.contains { $0.instant(in: zone) > answer.due }
    case .new, .over: false
    }
  }

  /// Whether an alarm has a time at an instant, as far as that can be told: what is counted from answers has any from its
  /// first one on; those before are of an earlier form of it.
  private func has(_ i: Int, _ due: Timestamp) -> Bool {
    let alarm = state.alarms[i]
    guard alarm.schedule.recurs, let times = times(of: i) else { return false }
    if alarm.isCountedFromAnswers { return times.first()?.instant.map { $0 <= due } ?? false }
    return times.first(from: due)?.instant == due
  }

  private mutating func goOn(_ i: Int, answered: Timestamp, at now: Timestamp) {
    let alarm = state.alarms[i]
    state.alarms[i].before = alarm.asBefore
    let isAnswered: (WrittenTime) -> Bool = { [zone] in $0.instant(in: zone) <= answered }
    state.alarms[i].open =
      alarm.schedule.anchor == .schedule ? alarm.open.filter { !isAnswered($0) } : []
    guard alarm.schedule.recurs else {
      state.alarms[i].standing = .over
      return
    }
    guard let times = times(of: i) else { return }
    if alarm.isCountedFromAnswers {
      let next = try? times.next(answered: answered, completedAt: now, anchor: .completion)
      state.alarms[i].standing = standing(next)
      if let due = next?.instant, alarm.lead.value > 0, ring(due, i) <= now {
        state.alarms[i].standing = .awaitsAnswer
      }
    } else if case .rings(let time) = alarm.standing, isAnswered(time) {
      // Done before it rang.
      let tick = Milliseconds(1)
      state.alarms[i].standing = standing(
        alarm.lead.value > 0
          ? firstToRing(i, of: times, from: now + tick, notBefore: answered + tick)
          : next(of: i, after: answered, of: times)
      )
    }
  }

  /// Takes the last answer back.
  ///
  /// - Returns: the times that had been answered; nil if there was no answer.
  mutating func takeBackAnswer(reminder: String) -> [Timestamp]? {
    var times: [WrittenTime] = []
    let own = state.alarms.indices.filter { state.alarms[$0].reminder == reminder }
    let answered = own.filter { state.alarms[$0].lead.value == 0 && state.alarms[$0].before != nil }
    guard !answered.isEmpty else { return nil }
    let triggers = Set(answered.map { state.alarms[$0].trigger })
    for i in own where triggers.contains(state.alarms[i].trigger) {
      guard let before = state.alarms[i].before else { continue }
      if state.alarms[i].lead.value == 0 { times += self.answered(i, since: before) }
      (state.alarms[i].standing, state.alarms[i].open) = (before.standing, before.open)
      state.alarms[i].answeredAhead = before.answeredAhead
      state.alarms[i].before = nil
    }
    restamp()
    reckon()
    return times.map { $0.instant(in: zone) }.sorted()
  }

  /// The times that an alarm had before an answer and has no longer: those that had come, or else the next one.
  private func answered(_ i: Int, since before: Alarm.Before) -> [WrittenTime] {
    let alarm = state.alarms[i]
    let closed = before.open.filter { !alarm.open.contains($0) }
    return closed.isEmpty ? Self.answeredAhead(alarm, since: before) : closed
  }

  /// Whether no schedule of a reminder will ring any more, and all that have rung are answered.
  func isOver(reminder: String) -> Bool {
    state.alarms.allSatisfy {
      $0.reminder != reminder || $0.lead.value > 0 || $0.standing == .over && $0.open.isEmpty
    }
  }

  /// The times of a reminder that have come and are not answered.
  func openTimes(reminder: String) -> [Timestamp] {
    state.alarms.indices.filter { state.alarms[$0].reminder == reminder }
      .flatMap { i in state.alarms[i].open.map { $0.instant(in: zone) } }
  }

  /// What a reminder was last told of, to be said again.
  func lastSaid(reminder: String, at now: Timestamp) -> [Occasion] {
    var last: (at: Timestamp, key: OccasionKey)?
    for i in state.alarms.indices where state.alarms[i].reminder == reminder {
      guard let time = state.alarms[i].open.last else { continue }
      let at = ring(time.instant(in: zone), i)
      if last.map({ $0.at <= at }) ?? true { last = (at, key(i, time)) }
    }
    return last.map { [Occasion($0.key, at: now, spot: nil, isRepeat: true)] } ?? []
  }

  /// The newest time of a reminder that has come and is to be done, for one that listens anew.
  ///
  /// Of a series that goes on by itself, one of today only: the next one comes.
  func ringAgain(reminder: String, at now: Timestamp) -> [Fact] {
    var newest: (at: Timestamp, key: OccasionKey)?
    for i in state.alarms.indices {
      let alarm = state.alarms[i]
      guard alarm.reminder == reminder, alarm.lead.value == 0, let time = alarm.open.last else {
        continue
      }
      let at = time.instant(in: zone)
      guard !alarm.goesOn || zone.nextDay(after: at) > now else { continue }
      if newest.map({ $0.at <= at }) ?? true { newest = (at, key(i, time)) }
    }
    return newest.map { [Fact(key: $0.key, kind: .due, at: now)] } ?? []
  }

  /// Whether what was due is still to be said: its reminder is to be done, at that time.
  func isStillTrue(_ key: OccasionKey) -> Bool {
    guard case .due(.schedule(let due, let lead)) = key.happening else { return false }
    return state.alarms.contains { alarm in
      alarm.reminder == key.reminder && alarm.trigger == key.trigger && alarm.lead == lead
        && alarm.open.contains { $0.instant(in: zone) == due }
    }
  }

  /// The next times at which a reminder's schedules ring, ahead of their time too, the soonest first; for lists.
  func next(_ count: Int, reminder: String) -> [Timestamp] {
    var found: [Timestamp] = []
    for i in state.alarms.indices where state.alarms[i].reminder == reminder {
      guard case .rings(let time) = state.alarms[i].standing else { continue }
      found.append(ring(time.instant(in: zone), i))
      guard state.alarms[i].goesOn, let times = times(of: i) else { continue }
      var later = times.occurrences(from: time.instant(in: zone) + .seconds(1))
      for _ in 1..<max(1, count) {
        let one = later.next(besides: state.alarms[i].answeredAhead)
        guard let instant = one?.instant else { break }
        found.append(ring(instant, i))
      }
    }
    return Array(found.sorted().prefix(count))
  }
}

extension RecurrenceIterator {
  /// The next time that was not answered before it comes.
  fileprivate mutating func next(besides answered: [WrittenTime]?) -> Occurrence? {
    var one = next()
    while let time = one, Alarm.isAhead(time, in: answered) { one = next() }
    return one
  }
}

extension RecurrenceSet {
  func first() -> Occurrence? {
    var all = occurrences()
    return all.next()
  }

  func first(from instant: Timestamp) -> Occurrence? {
    var later = occurrences(from: instant)
    return later.next()
  }

  func first(after instant: Timestamp) -> Occurrence? {
    first(from: instant + Milliseconds(1))
  }
}
