import Timeline

/// Watches the clock: which schedules are due.
struct ClockWatch: Sendable {
  /// What survives.
  struct State: Hashable, Sendable, Codable {
    /// One for each schedule of each reminder that is to be done, in the order of the reminders.
    var alarms: [Alarm] = []
  }

  /// A schedule of a reminder.
  struct Alarm: Hashable, Sendable, Codable {
    let reminder: String
    /// Which of the reminder's triggers.
    let trigger: Int
    let schedule: Schedule
    /// Whether it has been dealt with: it rings once.
    var hasRung = false

    func key(in zone: UTCOffsetTable) -> OccasionKey {
      OccasionKey(
        reminder: reminder,
        trigger: trigger,
        happening: .due(.schedule(schedule.instant(in: zone)))
      )
    }
  }

  var state: State
  /// The instants of the alarms, as the zone has them; derived.
  private var dueInstants: [Timestamp] = []
  private var zone: UTCOffsetTable

  init(_ zone: UTCOffsetTable, _ state: State) {
    self.zone = zone
    self.state = state
    reckon()
  }

  /// Takes up the schedules of the reminders that are to be done; one that has rung stays so.
  mutating func follow(_ roster: Roster) {
    var alarms = Self.alarms(of: roster)
    if alarms.isEmpty, state.alarms.isEmpty { return }
    let rung = Set(state.alarms.filter(\.hasRung).map { Rung($0) })
    for i in alarms.indices { alarms[i].hasRung = rung.contains(Rung(alarms[i])) }
    state.alarms = alarms
    reckon()
  }

  /// What is to ring for the reminders that are to be done, in their order.
  static func alarms(of roster: Roster) -> [Alarm] {
    var alarms: [Alarm] = []
    for reminder in roster.reminders where reminder.status == .active {
      for (i, trigger) in reminder.triggers.enumerated() {
        guard case .schedule(let schedule) = trigger else { continue }
        alarms.append(Alarm(reminder: reminder.id, trigger: i, schedule: schedule))
      }
    }
    return alarms
  }

  /// An alarm that has rung, whatever other triggers its reminder has had since.
  private struct Rung: Hashable {
    let reminder: String
    let schedule: Schedule

    init(_ alarm: Alarm) { (reminder, schedule) = (alarm.reminder, alarm.schedule) }
  }

  /// Local times are those of a new zone from now on.
  mutating func change(to zone: UTCOffsetTable) {
    self.zone = zone
    reckon()
  }

  private mutating func reckon() {
    dueInstants = state.alarms.map { $0.schedule.instant(in: zone) }
  }

  /// When the next schedule is due that the system does not show by itself.
  func nextInstant(shownLater: [ReminderNotification]) -> Timestamp? {
    var next: Timestamp?
    for i in state.alarms.indices where !state.alarms[i].hasRung {
      guard next.map({ dueInstants[i] < $0 }) ?? true else { continue }
      if !shownLater.tells(state.alarms[i].key(in: zone), nil) { next = dueInstants[i] }
    }
    return next
  }

  /// What is due later, or has been scheduled.
  func coming(after now: Timestamp, shownLater: [ReminderNotification]) -> [Occasion] {
    state.alarms.indices.compactMap { i in
      guard !state.alarms[i].hasRung else { return nil }
      let key = state.alarms[i].key(in: zone)
      guard dueInstants[i] > now || shownLater.tells(key, nil) else { return nil }
      return Occasion(key, at: dueInstants[i], spot: nil)
    }
  }

  /// The schedules whose time has come, and that are meant.
  mutating func take(upTo now: Timestamp, where isMeant: (OccasionKey) -> Bool) -> [Fact] {
    var facts: [Fact] = []
    for i in state.alarms.indices where !state.alarms[i].hasRung && dueInstants[i] <= now {
      let key = state.alarms[i].key(in: zone)
      guard isMeant(key) else { continue }
      state.alarms[i].hasRung = true
      facts.append(Fact(key: key, kind: .due, at: now))
    }
    return facts
  }

  /// What a reminder was last told of, to be said again.
  func lastSaid(reminder: String, at now: Timestamp) -> [Occasion] {
    let rung = state.alarms.filter { $0.reminder == reminder && $0.hasRung }
    let last = rung.max { $0.schedule.instant(in: zone) < $1.schedule.instant(in: zone) }
    return last.map { [Occasion($0.key(in: zone), at: now, spot: nil, isRepeat: true)] } ?? []
  }

  /// Whether what was due is still to be said: its reminder is to be done, at that time.
  func isStillTrue(_ key: OccasionKey) -> Bool {
    state.alarms.contains {
      $0.hasRung && $0.reminder == key.reminder && $0.trigger == key.trigger
    }
  }
}
