import NearMeEngine
import Replay
import Timeline

/// The spans of a day in which something was so.
struct DayBands {
  let start: Timestamp
  let end: Timestamp
  let zone: UTCOffsetTable
  /// By which it is reckoned when what was snoozed for the day is told.
  let policy: Policy

  /// A span cut to the day; nil if nothing is left of it.
  func band(
    _ kind: String,
    from: Timestamp,
    until: Timestamp?,
    text: String
  ) -> DayBand? {
    let (from, until) = (max(from, start), min(until ?? end, end))
    return from < until ? DayBand(kind: kind, from: from, until: until, text: text) : nil
  }

  // MARK: Of the whole day

  func quietHours(_ window: DailyWindow?) -> [DayBand] {
    guard let window else { return [] }
    let name =
      WeeklyWindow.text(ofMinute: window.startMinute) + "–"
      + WeeklyWindow.text(ofMinute: window.endMinute)
    return spans(isOpen: { window.closing(at: $0, in: zone) }) {
      zone.next(minuteOfDay: window.startMinute, after: $0)
    }
    .compactMap { band("quiet_hours", from: $0.0, until: $0.1, text: "quiet hours \(name)") }
  }

  func focus(_ actions: [ReplayAction]) -> [DayBand] {
    let switches = sorted(actions)
      .compactMap { action -> (Timestamp, Bool)? in
        if case .focus(let isOn) = action.kind { (action.at, isOn) } else { nil }
      }
    return spans(of: switches)
      .compactMap { band("focus", from: $0.0, until: $0.1, text: "a focus is on") }
  }

  func accesses(_ changes: [(at: Timestamp, access: LocationAccess)]) -> [DayBand] {
    changes.indices.compactMap { i in
      let (at, access) = changes[i]
      guard access != .always else { return nil }
      let next = i + 1 < changes.count ? changes[i + 1].at : nil
      let words = String(access.rawValue.map { $0 == "_" ? " " : $0 })
      return band("access", from: at, until: next, text: "position: \(words)")
    }
  }

  /// Where no fix came for longer than ten minutes.
  func gaps(_ instants: [Timestamp]) -> [DayBand] {
    zip(instants, instants.dropFirst())
      .filter { $1 - $0 > .minutes(10) }
      .compactMap { a, b in
        let minutes = Int((b - a).seconds / 60)
        return band("gap", from: a, until: b, text: "no fix for \(minutes) min")
      }
  }

  // MARK: Of a reminder

  func windows(_ window: WeeklyWindow?) -> [DayBand] {
    guard let window else { return [] }
    return spans(
      isOpen: { window.contains($0, in: zone) ? window.closing(after: $0, in: zone) : nil }
    ) { window.opening(after: $0, in: zone) }
    .compactMap { band("window", from: $0.0, until: $0.1, text: "its window is open") }
  }

  /// Snoozes, mutes, and from when on it was done, by what the person did.
  ///
  /// - Parameter arrivals: when its target was arrived at, ascending.
  func answers(
    _ reminder: Reminder,
    _ actions: [ReplayAction],
    arrivals: [Timestamp]
  ) -> [DayBand] {
    let own = sorted(actions)
      .compactMap { action -> (at: Timestamp, answer: ReminderAction)? in
        guard case .reminder(reminder.id, let answer) = action.kind else { return nil }
        return (action.at, answer)
      }
    var bands: [DayBand?] = []
    // What is done, opened again or snoozed anew is not snoozed as before.
    func addSnooze(
      from: Timestamp,
      until: Timestamp?,
      since: Timestamp? = nil,
      _ text: String = "snoozed"
    ) {
      let over = own.first { $0.at > since ?? from && $0.answer.endsSnooze }?.at
      let end = [until, over].compactMap(\.self).min()
      bands.append(band("snooze", from: from, until: end, text: text))
    }
    switch reminder.snooze {
    case .until(let end): addSnooze(from: start, until: end)
    case .untilNextArrival: addSnooze(from: start, until: arrivals.first)
    case nil: break
    }
    for (at, answer) in own {
      switch answer {
      case .snoozeFor(let span): addSnooze(from: at, until: at + span)
      case .snoozeToday:
        let midnight = zone.nextDay(after: at)
        addSnooze(from: at, until: midnight)
        let morning = policy.morning(after: at, for: reminder, in: zone)
        addSnooze(from: midnight, until: morning, since: at, "what was snoozed waits")
      case .snoozeUntilNextArrival: addSnooze(from: at, until: arrivals.first { $0 > at })
      default: break
      }
    }
    let mutes: [(Timestamp, Bool)] =
      (reminder.isMuted ? [(start, true)] : [])
      + own.compactMap { at, answer in
        answer == .mute ? (at, true) : answer == .unmute ? (at, false) : nil
      }
    bands += spans(of: mutes).map { band("mute", from: $0.0, until: $0.1, text: "muted") }
    let ends: [(Timestamp, Bool)] =
      (reminder.status == .active ? [] : [(start, true)])
      + own.compactMap { at, answer in
        answer == .complete ? (at, true) : answer == .reopen ? (at, false) : nil
      }
    bands += spans(of: ends).map { band("done", from: $0.0, until: $0.1, text: "done") }
    return bands.compactMap(\.self)
  }

  /// When something of a reminder waited, each with its reason.
  func waits(_ reminder: String, _ waiting: [DayWaiting]) -> [DayBand] {
    var bands: [DayBand] = []
    var open: [(item: DayWaiting.Item, since: Timestamp)] = []
    for change in waiting {
      let own = change.items.filter { $0.reminder == reminder }
      let ended = open.filter { !own.contains($0.item) }
      open = open.filter { own.contains($0.item) }
      bands += ended.compactMap { wait($0.item, from: $0.since, until: change.at) }
      for item in own where !open.contains(where: { $0.item == item }) {
        open.append((item, change.at))
      }
    }
    bands += open.compactMap { wait($0.item, from: $0.since, until: nil) }
    return bands.enumerated().sorted { ($0.1.from, $0.0) < ($1.1.from, $1.0) }.map(\.element)
  }

  private func wait(_ item: DayWaiting.Item, from: Timestamp, until: Timestamp?) -> DayBand? {
    let reason = item.reason ?? "position"
    return band("waiting", from: from, until: until, text: "\(item.tier) waits: \(reason)")
  }

  // MARK: Spans

  private func sorted(_ actions: [ReplayAction]) -> [ReplayAction] {
    actions.enumerated().sorted { ($0.1.at, $0.0) < ($1.1.at, $1.0) }.map(\.element)
  }

  /// From each switching on to the next switching off.
  private func spans(of switches: [(Timestamp, Bool)]) -> [(Timestamp, Timestamp?)] {
    var spans: [(Timestamp, Timestamp?)] = []
    var since: Timestamp?
    for (at, isOn) in switches {
      if isOn {
        since = since ?? at
      } else if let begun = since {
        spans.append((begun, at))
        since = nil
      }
    }
    return spans + (since.map { [($0, nil)] } ?? [])
  }

  /// The spans of something that opens and closes by the clock.
  private func spans(
    isOpen closing: (Timestamp) -> Timestamp?,
    opening: (Timestamp) -> Timestamp
  ) -> [(Timestamp, Timestamp)] {
    var spans: [(Timestamp, Timestamp)] = []
    var now = start
    // A replay of a year has some hundred windows; more would be a line too thin to see.
    while now < end, spans.count < 1_000 {
      if let close = closing(now), close > now {
        spans.append((now, close))
        now = close
      } else {
        let next = opening(now)
        guard next > now else { break }
        now = next
      }
    }
    return spans
  }
}

extension ReminderAction {
  /// Whether a snooze from before it is over, be it for another one.
  fileprivate var endsSnooze: Bool {
    switch self {
    case .complete, .reopen, .snoozeFor, .snoozeToday, .snoozeUntilNextArrival: true
    default: false
    }
  }
}
