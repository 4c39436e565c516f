import Recurrence
import Timeline

/// Series that get another end, or times added or left out: what was told and answered of them goes on.
extension ClockWatch {
  /// The alarms of series that there are no more, by what they have in common with those that come in their place.
  static func series(
    of old: [Alarm],
    besides new: [Alarm]
  ) -> [Alarm.Identity: Alarm] {
    let kept = Set(new.map(\.identity))
    var series: [Alarm.Identity: Alarm] = [:]
    for alarm in old where !kept.contains(alarm.identity) {
      if let key = alarm.series { series[key] = alarm }
    }
    return series
  }

  /// Has a new alarm keep what was told and answered of its series, as far as those are still times of it.
  mutating func keep(_ old: Alarm, in alarm: inout Alarm) {
    changed[alarm.identity] = old
    guard let times = times(of: alarm.schedule) else { return }
    let isCounted = alarm.isCountedFromAnswers
    let isTime: (WrittenTime) -> Bool = { [zone] time in
      let instant = time.instant(in: zone)
      // What is counted from answers has any times.
      return isCounted
        ? !times.leavesOut(instant) : times.first(from: instant)?.instant == instant
    }
    alarm.open = old.open.filter(isTime)
    alarm.answeredAhead = old.answeredAhead
    guard let before = old.before else { return }
    let open = before.open.filter(isTime)
    // A lead goes by the times that it comes before.
    if alarm.lead.value == 0 {
      var answered = open.filter { !old.open.contains($0) }
      answered += Self.answeredAhead(old, since: before).filter(isTime)
      guard !answered.isEmpty else { return }
    }
    alarm.before = Alarm.Before(
      standing: before.standing,
      open: open,
      answeredAhead: before.answeredAhead
    )
  }

  /// The times of an alarm that the last answer was given to before they came.
  static func answeredAhead(
    _ alarm: Alarm,
    since before: Alarm.Before
  ) -> [WrittenTime] {
    let known = before.answeredAhead ?? []
    var ahead = (alarm.answeredAhead ?? []).filter { !known.contains($0) }
    if case .rings(let next) = before.standing, before.standing != alarm.standing,
      !ahead.contains(next)
    {
      ahead.append(next)
    }
    return ahead
  }

  /// Notes which times to come of a series were answered, where one that was added comes before them.
  mutating func noteAnsweredAhead(_ i: Int, behind old: Alarm, _ new: Alarm.Standing) {
    guard !old.isCountedFromAnswers, case .rings(let time) = new,
      let before = times(of: old.schedule)
    else { return }
    var next: Timestamp?
    switch old.standing {
    case .rings(let old): next = old.instant(in: zone)
    case .over: next = nil
    case .new, .awaitsAnswer: return
    }
    let from = time.instant(in: zone)
    // What follows a time that was there before was not answered.
    guard before.first(from: from)?.instant != from else { return }
    var ahead = state.alarms[i].answeredAhead ?? []
    var later = before.occurrences(from: from)
    while ahead.count < Self.mostAnsweredAhead, let one = later.next(), let at = one.instant,
      next.map({ at < $0 }) ?? true
    {
      if case .rings(let time) = standing(one), !ahead.contains(time) { ahead.append(time) }
    }
    state.alarms[i].answeredAhead = ahead.isEmpty ? nil : ahead
  }

  /// What was before the last answer to a series, had it had its end, and its exceptions, by then.
  func before(
    of i: Int,
    behind old: Alarm,
    _ new: Alarm.Standing
  ) -> Alarm.Before? {
    let alarm = state.alarms[i]
    guard let before = alarm.before, !alarm.isCountedFromAnswers else { return alarm.before }
    guard before.standing != old.standing, case .rings(let time) = before.standing else {
      let isSame = before.answeredAhead == old.answeredAhead
      return Alarm.Before(
        standing: new,
        open: before.open,
        answeredAhead: isSame ? alarm.answeredAhead : before.answeredAhead
      )
    }
    // The answer was given ahead.
    guard let times = times(of: i) else { return nil }
    var standing = standing(
      unanswered(times.first(from: time.instant(in: zone)), before.answeredAhead, of: times)
    )
    // What was added may come sooner.
    if case .rings(let added) = new {
      var later: Timestamp?
      if case .rings(let time) = standing { later = time.instant(in: zone) }
      if later.map({ added.instant(in: zone) < $0 }) ?? true { standing = new }
    }
    return Alarm.Before(
      standing: standing,
      open: before.open,
      answeredAhead: before.answeredAhead
    )
  }

  /// The first time, from one on, that was not answered before it comes.
  func unanswered(
    _ first: Occurrence?,
    _ answered: [WrittenTime]?,
    of times: RecurrenceSet
  ) -> Occurrence? {
    var next = first
    while let time = next, let at = time.instant, Alarm.isAhead(time, in: answered) {
      next = times.first(after: at)
    }
    return next
  }

  /// The time of an alarm behind another one that is still to come.
  func next(of i: Int, after instant: Timestamp, of times: RecurrenceSet) -> Occurrence? {
    unanswered(times.first(after: instant), state.alarms[i].answeredAhead, of: times)
  }

  /// What a lead rings for, by what is told at the times themselves.
  func standing(
    ofLead i: Int,
    _ main: Alarm.Standing,
    _ times: RecurrenceSet,
    from now: Timestamp
  ) -> Alarm.Standing {
    switch main {
    case .new: return standing(firstToRing(i, of: times, from: now))
    case .awaitsAnswer: return .awaitsAnswer
    case .over: return .over
    case .rings(let time):
      let instant = time.instant(in: zone)
      guard state.alarms[i].isCountedFromAnswers else {
        return standing(firstToRing(i, of: times, from: now, notBefore: instant))
      }
      return ring(instant, i) >= now ? .rings(for: time) : .awaitsAnswer
    }
  }

  /// What an alarm rings for behind what was told and answered of its series, before that got another end, or other
  /// exceptions; nil where that says nothing.
  func standing(
    _ i: Int,
    behind old: Alarm,
    _ times: RecurrenceSet,
    from now: Timestamp
  ) -> Alarm.Standing? {
    var next: Timestamp?
    switch old.standing {
    case .new: return nil
    case .awaitsAnswer, .rings:
      if old.isCountedFromAnswers { return countedStanding(i, behind: old, times) }
      if case .rings(let time) = old.standing { next = time.instant(in: zone) }
    case .over: next = nil
    }
    // What had ended begins again behind what was told.
    guard !old.isCountedFromAnswers, let before = self.times(of: old.schedule) else { return nil }
    var first = firstToRing(i, of: times, from: next.map { min(now, ring($0, i)) } ?? now)
    // Those that were times before and do not ring any more were answered ahead.
    for _ in 0..<Self.mostAnsweredAhead {
      guard let at = first?.instant, next.map({ at < $0 }) ?? true,
        before.first(from: at)?.instant == at
      else { break }
      first = firstToRing(i, of: times, from: now, notBefore: at + Milliseconds(1))
    }
    return standing(first)
  }

  /// What an alarm that is counted from answers rings for behind what was told and answered; nil where that says nothing.
  private func countedStanding(
    _ i: Int,
    behind old: Alarm,
    _ times: RecurrenceSet
  ) -> Alarm.Standing? {
    if let main = main(of: i) {
      // What has rung already does not ring again for the same time.
      guard case .rings(let time) = main.standing else { return main.standing }
      return old.standing == main.standing || old.open.contains(time) ? old.standing : nil
    }
    guard case .rings(let time) = old.standing else {
      // What it awaited an answer to was left out.
      return state.alarms[i].open.isEmpty && !old.open.isEmpty ? nil : old.standing
    }
    let instant = time.instant(in: zone)
    if ends(i, before: instant) { return .over }
    guard times.leavesOut(instant) else { return old.standing }
    return standing(
      try? times.next(answered: instant, completedAt: instant, anchor: .completion)
    )
  }

  /// Nobody answers so many times of a series ahead.
  private static let mostAnsweredAhead = 64

  /// Whether an alarm's rule ends before an instant.
  private func ends(_ i: Int, before instant: Timestamp) -> Bool {
    let schedule = state.alarms[i].schedule
    let clock = table(of: schedule) ?? zone
    switch schedule.rule?.until {
    case nil: return false
    case .day(let date)?: return clock.local(at: instant).date > date
    case .wall(let last)?: return WrittenTime(local: last).instant(in: clock) < instant
    case .utc(let last)?:
      return WrittenTime(local: last, offsetSeconds: 0).instant(in: clock) < instant
    }
  }
}
