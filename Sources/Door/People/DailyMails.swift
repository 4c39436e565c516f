import Channels
import Foundation
import LiveHost
import Logging
import NearMeEngine
import Places
import Recurrence
import TimeZones
import Timeline
import UserStore

/// Mails each person what is to be done, once for each date.
///
/// A mail counts once the machine's mail program has taken it: what becomes of it then nobody here learns. One that was
/// not taken is tried again on the same date, and changes nothing. Killed between both, the door hands the same mail
/// over once more, under the same Message-ID, by which mail programs know it.
package struct DailyMails: Sendable {
  private static let roundSpan = Duration.seconds(5)
  private static let peopleAtOnce = 16
  private static let mostInRound = 200
  /// After so long a mail that was not taken is tried again; twice as long each time.
  private static let retrySpan = Milliseconds.minutes(5)
  private static let longestRetrySpan = Milliseconds.minutes(80)
  /// No mail is due later than this: a date may have had its own, and the next one's may be over where one has traveled.
  private static let farthest = Milliseconds.minutes(4 * 24 * 60)

  let household: Household
  let services: ChannelServices
  private let lastLook = LastLook()

  private var setup: DoorSetup { household.setup }

  /// Whether this door can mail.
  var isOffered: Bool { services.mail != nil }

  /// Does what is due every few seconds, until it is canceled.
  func run() async {
    guard isOffered else { return }
    mend()
    while !Task.isCancelled {
      await work()
      try? await Task.sleep(for: Self.roundSpan)
    }
  }

  /// Reckons anew for those whose mail would never come: an earlier life was killed when it had been set, or a clock
  /// was years ahead, in this life or in that one.
  package func mend() {
    do throws(HostFailure) {
      let latest = setup.clock.now() + Self.farthest
      for person in try setup.store.people() {
        let settings = try PersonSettings(of: person, in: setup.store)
        guard settings.dailyMail != nil else { continue }
        let (due, _) = try setup.store.dailyMail(of: person)
        if due.map({ $0 > latest }) ?? true { try plan(person, from: nil, to: settings) }
      }
    } catch {
      setup.log.error("\(error)")
    }
  }

  /// Reckons anew when a person's next mail is due, after something was set.
  ///
  /// A mail that is owed for today goes out at once, by the new settings: it was put off or refused, or its time has
  /// come by the new clock and had not by the old one.
  func plan(
    _ person: DoorPerson,
    from old: PersonSettings?,
    to new: PersonSettings
  ) throws(HostFailure) {
    var (due, memory) = try setup.store.dailyMail(of: person)
    if let old, (old.dailyMail, old.zone) == (new.dailyMail, new.zone),
      (due == nil) == (new.dailyMail == nil)
    {
      return
    }
    let failed = memory.lastFailure
    memory.forgetFailures()
    guard let mail = new.dailyMail else {
      return try setup.store.setDailyMail(due: nil, memory, of: person)
    }
    let (now, zone) = (setup.clock.now(), setup.zone(of: new))
    let today = zone.local(at: now).date
    var isOwed = failed == today
    if let old, old.dailyMail != nil, let due {
      isOwed = isOwed || setup.zone(of: old).local(at: due).date <= today
    }
    isOwed =
      isOwed && !DailyMail.hasHadIts(today, memory.lastDate) && mail.due(on: today, in: zone) <= now
    due = isOwed ? now : mail.next(after: now, mailedFor: memory.lastDate, in: zone)
    try setup.store.setDailyMail(due: due, memory, of: person)
  }

  /// Mails what is due.
  package func work() async {
    let due: [DoorPerson]
    let now = setup.clock.now()
    if lastLook.isSetBack(at: now) { mend() }
    do throws(HostFailure) {
      due = try setup.store.dailyMailsDue(at: now, most: Self.mostInRound)
    } catch {
      return setup.log.error("\(error)")
    }
    guard !due.isEmpty else { return }
    await withTaskGroup(of: Void.self) { group in
      for (index, person) in due.enumerated() {
        if index >= Self.peopleAtOnce { await group.next() }
        guard !Task.isCancelled else { return }
        group.addTask { await self.mail(person) }
      }
    }
  }

  private func mail(_ person: DoorPerson) async {
    do throws(HostFailure) {
      let settings = try PersonSettings(of: person, in: setup.store)
      let (_, memory) = try setup.store.dailyMail(of: person)
      guard let mail = settings.dailyMail, isOffered else {
        return try setup.store.setDailyMail(due: nil, memory, of: person)
      }
      let (now, zone) = (setup.clock.now(), setup.zone(of: settings))
      let date = zone.local(at: now).date
      guard !DailyMail.hasHadIts(date, memory.lastDate), mail.due(on: date, in: zone) <= now
      else {
        // The door was away at yesterday's time, or clocks were set: today's is yet to come.
        let due = mail.next(after: now, mailedFor: memory.lastDate, in: zone)
        return try setup.store.setDailyMail(due: due, memory, of: person)
      }
      let attempt = Attempt(person: person, settings: settings, date: date)
      guard try !setup.store.unconfirmed(of: person).contains(AnswerWay.mail(mail.to).name) else {
        return try note(.putOff(reason: AskedAddresses.trouble, atLeast: nil), nil, attempt)
      }
      // What could not be noted would be mailed again and again.
      try setup.store.requireRightToWrite()
      do throws(HostFailure) {
        let tasks = try await tasks(of: person, on: date, in: zone)
        let list = DailyList(tasks, after: memory, mode: mail.mode, on: date, in: zone)
        let outcome = list.count == 0 ? .delivered : try await send(list, to: mail.to, attempt)
        try note(outcome, list, attempt)
      } catch {
        setup.log.error("the daily mail: \(error)", metadata: ["person": "\(person.id)"])
        try note(.putOff(reason: Self.doorFailed, atLeast: nil), nil, attempt)
      }
    } catch {
      // Said once, by the file that is held; the mail waits.
      guard error.code != .held else { return }
      setup.log.error("the daily mail: \(error)", metadata: ["person": "\(person.id)"])
    }
  }

  /// The mail of a date, by what was set when it was begun.
  private struct Attempt {
    let person: DoorPerson
    let settings: PersonSettings
    let date: CivilDate
  }

  /// What a person is told of the door's own failures, whose words are for who keeps it.
  private static let doorFailed = "something is wrong at the door, and its log says what"

  private func send(
    _ list: DailyList,
    to reader: MailAddress,
    _ attempt: Attempt
  ) async throws(HostFailure) -> DeliveryOutcome {
    guard let services = services.mail else { return .refused(reason: "no mail is offered") }
    // Two doors may mail from one address.
    let door = try setup.store.secret("daily").prefix(6).map { String($0, radix: 16) }.joined()
    let mail = MailMessage(
      from: services.from,
      to: reader,
      subject: list.subject(on: attempt.date),
      lines: list.lines,
      date: setup.clock.now(),
      identity: "daily.\(door).\(attempt.person.id).\(attempt.date.daysSinceEpoch)"
    )
    return try await MailProgram(services.command).send(mail)
  }

  /// What is open, as it stands on a date.
  private func tasks(
    of person: DoorPerson,
    on date: CivilDate,
    in zone: UTCOffsetTable
  ) async throws(HostFailure) -> [DailyList.Task] {
    let policy = setup.policy
    let desk = household.desk(person)
    // What has rung meanwhile is open, and the next one stands: nobody may have come in since.
    await desk.tick()
    do {
      return
        try await desk
        .look { store, state, _ in
          try store.reminders().filter { $0.status == .active }
            .map { reminder in
              DailyList.Task(
                reminder,
                open: state.openTimes(ofReminder: reminder.id, in: zone),
                next: state.nextDue(ofReminder: reminder.id, in: zone),
                by: zone.instant(of: date, minuteOfDay: 24 * 60),
                reading: zone,
                policy.schedules
              )
            }
        }
    } catch let failure as HostFailure {
      throw failure
    } catch {
      throw HostFailure(.inputOutput, "\(error)")
    }
  }

  /// Notes how it went, and when the next one is due.
  private func note(
    _ outcome: DeliveryOutcome,
    _ list: DailyList?,
    _ attempt: Attempt
  ) throws(HostFailure) {
    let (person, now) = (attempt.person, setup.clock.now())
    // While it was on its way something else may have been set.
    let settings = try PersonSettings(of: person, in: setup.store)
    func due(after memory: DailyMemory) -> Timestamp? {
      settings.dailyMail?.next(after: now, mailedFor: memory.lastDate, in: setup.zone(of: settings))
    }
    let (reason, isFinal): (String, Bool)
    switch outcome {
    case .delivered:
      guard let list else { return }
      return try setup.store.setDailyMail(due: due(after: list.memory), list.memory, of: person)
    case .putOff(let why, _): (reason, isFinal) = (why, false)
    case .waits: (reason, isFinal) = ("the mail program is busy", false)
    case .refused(let why): (reason, isFinal) = (why, true)
    case .broken: (reason, isFinal) = (Self.doorFailed, true)
    }
    // Then it was planned anew, and what failed was by the old settings.
    guard
      (settings.dailyMail, settings.zone) == (attempt.settings.dailyMail, attempt.settings.zone)
    else { return }
    var (_, memory) = try setup.store.dailyMail(of: person)
    memory.fail(attempt.date, because: reason)
    // What is refused for good is refused in five minutes, too. By the next date it is the mail of that date.
    var span = Self.retrySpan
    for _ in 1..<min(memory.failures, 5) { span = span + span }
    try setup.store.setDailyMail(
      due: isFinal ? due(after: memory) : now + min(span, Self.longestRetrySpan),
      memory,
      of: person
    )
  }

}

/// Notices that the clock was set back: what is due was reckoned by one that was ahead.
///
/// Unchecked: the instant is touched under the lock only.
private final class LastLook: @unchecked Sendable {
  private let lock = NSLock()
  private var at: Timestamp?

  func isSetBack(at now: Timestamp) -> Bool {
    lock.withLock {
      defer { at = now }
      return at.map { now < $0 } ?? false
    }
  }
}

extension DailyList.Task {
  /// Looks at a reminder.
  ///
  /// - Parameters:
  ///   - open: the times for which it has rung, and that nobody has answered.
  ///   - next: when it is due next, if anything is to come.
  ///   - end: when the date is over: of what recurs, the newest time before that is told.
  fileprivate init(
    _ reminder: Reminder,
    open: [Timestamp],
    next: Timestamp?,
    by end: Timestamp,
    reading zone: UTCOffsetTable,
    _ schedules: Policy.Schedules
  ) {
    let own = reminder.triggers.compactMap { trigger -> Schedule? in
      if case .schedule(let schedule) = trigger { schedule } else { nil }
    }
    let newest = (open + [next].compactMap(\.self)).filter { $0 < end }.max()
    let passed = own.filter { !$0.recurs }
      .map { schedule in
        let zone = schedule.zone.flatMap { SystemZones().zone(named: $0) } ?? zone
        guard schedule.start.isDate else { return schedule.start.instant(in: zone) }
        return zone.instant(of: schedule.start.local.date, minuteOfDay: schedules.minuteOfDay)
      }
    self.init(
      id: reminder.id,
      title: reminder.title,
      due: newest ?? next ?? passed.max(),
      recurs: own.contains { $0.recurs },
      isOfDates: !own.isEmpty && own.allSatisfy { $0.start.isDate }
    )
  }
}
