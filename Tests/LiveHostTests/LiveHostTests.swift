import Fencing
import Foundation
import LiveHost
import Logging
import NearMeEngine
import Recurrence
import TestSupport
import Testing
import Timeline
import TraceFiles
import Traces
import UserStore

@Suite struct LiveHostTests {
  private let day: SmallDay
  private let clock = VirtualClock()

  init() throws { day = try SmallDay() }

  private func host(
    _ store: UserStore,
    _ sinks: [any Sink],
    time: TimeSource = .wall
  ) async throws -> LiveHost {
    try await makeHost(day.setup(time), store: store, sinks: sinks, clock: clock)
  }

  @Test func `a timer that comes due while no fix comes is served by the clock`() async throws {
    let store = try day.database.open()
    let sink = RecordingSink(takesRecords: false)
    let host = try await host(store, [sink])
    try await day.arrive(host, clock)
    try await host.settle()
    #expect(sink.heard.last == "Arriving at Home [31m — take out the bins now?")
    // Half an hour of silence: after five minutes there, it asks whether it is done.
    let due = try #require(await host.nextTick)
    #expect(due > clock.now())
    while clock.now() < due {
      try await host.tick()
      try await host.settle()
      #expect(sink.deliveries.count == 1)
      clock.advance(.seconds(20))
    }
    try await host.tick()
    try await host.settle()
    #expect(sink.heard.last == "Still need to take out the bins?")
    try await host.finish()
  }

  @Test func `what comes due while nothing runs is told at the next start`() async throws {
    let sink = RecordingSink(takesRecords: false)
    var store = try day.database.open()
    let first = try await host(store, [sink])
    try await day.arrive(first, clock)
    try await first.finish()
    try store.close()
    #expect(sink.deliveries.count == 1)
    clock.advance(.minutes(90))
    store = try day.database.open()
    let second = try await host(store, [sink])
    try await second.settle()
    #expect(sink.heard.dropFirst() == ["- n1", "Still need to take out the bins?"])
    try await second.finish()
  }

  @Test func `what ends while a recorded day is taken in has ended when its days were over`()
    async throws
  {
    let store = try day.database.open()
    let begin = clock.now()
    _ =
      try store.addReminder(id: "note", at: begin, zone: .utc) {
        var note = Reminder(id: $0, title: "leave a note", target: .place("home"))
        note.expires = WrittenTime(String(RFC3339.format(begin + .minutes(25)).prefix(16)))
        return note
      }
      .get()
    let host = try await host(store, [], time: .fixes)
    try await host.take(
      (0..<20)
        .map {
          SmallDay.record(SmallDay.fix(north: 9_000, at: begin + .minutes(Int64($0) * 5)))
        }
    )
    try await host.finish()
    #expect(try store.history().map(\.at) == [begin + .minutes(25)])
  }

  @Test func `of a series that nothing told of while no host ran the newest is told, once`()
    async throws
  {
    let sink = RecordingSink(takesRecords: false)
    var store = try day.database.open()
    let due = clock.now() + .minutes(10)
    _ =
      try store.addReminder(id: "pills", at: clock.now(), zone: .utc) {
        var schedule = Schedule.instant(due)
        schedule.rule = try? RecurrenceRule("FREQ=DAILY")
        return Reminder(id: $0, title: "take pills", triggers: [.schedule(schedule)])
      }
      .get()
    let first = try await host(store, [sink])
    try await first.settle()
    try await first.finish()
    try store.close()
    #expect(sink.deliveries.isEmpty)
    clock.advance(.minutes(9 * 1_440 + 60))
    store = try day.database.open()
    let second = try await host(store, [sink])
    try await second.settle()
    #expect(sink.heard == ["Take pills."])
    try await second.finish()
  }

  /// A time with nagging comes while no host runs, and is answered, or not, before the next one.
  @Test(arguments: ["answered", "open", "by night"])
  func `what came due while nothing ran is told once, and not if it was answered`(
    how: String
  )
    async throws
  {
    let sink = RecordingSink(takesRecords: false)
    var setup = day.setup(.wall)
    if how == "by night" {
      setup.policy.quietHours = DailyWindow(startMinute: 10 * 60, endMinute: 14 * 60)
    }
    var store = try day.database.open()
    let due = clock.now() + .minutes(40)
    _ =
      try store.addReminder(id: "pills", at: clock.now(), zone: .utc) {
        var pills = Reminder(id: $0, title: "take pills", triggers: [.schedule(.instant(due))])
        pills.nag = Reminder.Nag(every: .minutes(10))
        return pills
      }
      .get()
    let first = try await makeHost(setup, store: store, sinks: [sink], clock: clock)
    try await first.settle()
    try await first.finish()
    try store.close()
    clock.advance(.minutes(30))
    store = try day.database.open()
    if how == "answered" {
      _ = try store.act(.complete, on: "pills", at: clock.now(), zone: .utc).get()
    }
    clock.advance(.minutes(150))
    let second = try await makeHost(setup, store: store, sinks: [sink], clock: clock)
    try await second.settle()
    #expect(sink.heard == (how == "open" ? ["Take pills."] : []))
    try await second.finish()
  }

  /// The way home by car, ten minutes there with some fixes that are followed by silence.
  private static let wayHome: [Fix] = {
    let start = Timestamp(seconds: 1_772_524_800)
    var fixes = (0..<60)
      .map { step in
        Fix(
          at: start + .seconds(10 * Int64(step)),
          coordinate: SmallDay.fix(north: 7_080 - 120 * Double(step), at: start).coordinate,
          horizontalAccuracyMeters: 8,
          speedMetersPerSecond: 12
        )
      }
    for seconds: Int64 in [600, 610, 620, 630, 660, 1_200, 1_210] {
      fixes.append(
        Fix(
          at: start + .seconds(seconds),
          coordinate: SmallDay.home,
          horizontalAccuracyMeters: 12,
          speedMetersPerSecond: 0
        )
      )
    }
    return fixes
  }()

  /// What the way home tells, with a life that ends before one of its fixes.
  private func told(endingBefore end: Int?) async throws -> [String] {
    let day = try SmallDay()
    let sink = RecordingSink()
    var setup = day.setup(.fixes, .regions(MonitorLimits(slots: 20)))
    setup.policy = Policy()
    setup.make = "of the same"
    var store = try day.database.open()
    var host = try await makeHost(setup, store: store, sinks: [sink], clock: clock)
    for (index, fix) in Self.wayHome.enumerated() {
      if index == end {
        try await host.flush()
        try await host.settle()
        await host.abandon()
        try store.close()
        store = try day.database.open()
        host = try await makeHost(setup, store: store, sinks: [sink], clock: clock)
      }
      try await host.take([SmallDay.record(fix)])
    }
    try await host.finish()
    try store.close()
    return sink.deliveries.map(\.replayLine)
  }

  @Test func `a phone that is followed is followed on, whenever its host begins anew`() async throws
  {
    let whole = try await told(endingBefore: nil)
    #expect(whole.contains { $0.contains("arrival") })
    for end in Self.wayHome.indices.dropFirst() {
      #expect(try await told(endingBefore: end) == whole, "before fix \(end)")
    }
  }

  @Test func `a phone is not followed beyond what was asked for, though no news ends it`()
    async throws
  {
    // Its folder is there for as long as its database is open.
    defer { withExtendedLifetime(day) {} }
    var setup = day.setup(.wall, .regions(MonitorLimits(slots: 20)))
    setup.policy = Policy()
    let store = try day.database.open()
    let host = try await makeHost(setup, store: store, sinks: [], clock: clock)
    clock.advance(Self.wayHome[0].at - clock.now())
    for fix in Self.wayHome.prefix(62) {
      clock.advance(fix.at - clock.now())
      try await host.take([SmallDay.record(fix)])
    }
    let until = try #require(await host.asked.followUntil)
    clock.advance((until + .seconds(-1)) - clock.now())
    #expect(await host.asked.followUntil == until)
    clock.advance(.seconds(1))
    #expect(await host.asked.followUntil == nil)
    try await host.finish()
  }

  private struct Mark: HostGuest {
    var stored: Data
    init(_ text: String) { stored = Data(text.utf8) }
  }

  @Test func `what says that a fix has come in is not kept with what was due before it`()
    async throws
  {
    let sink = RecordingSink(takesRecords: false)
    let store = try day.database.open()
    let host = try await host(store, [sink], time: .fixes)
    let start = clock.now()
    // There for four minutes: what is asked after five is due before the next fix.
    try await host.take([SmallDay.record(SmallDay.fix(north: 9_000, at: start))])
    for minutes: Int64 in 30..<34 {
      let fix = SmallDay.fix(north: 10, at: start + .minutes(minutes))
      try await host.take(.point(SmallDay.record(fix)), keeping: Mark("there"))
    }
    try await host.flush()
    let count = await host.counts.notifications
    #expect(count == 1)
    let late = SmallDay.fix(north: 11, at: start + .minutes(50))
    try await host.take(.point(SmallDay.record(late)), keeping: Mark("late"))
    #expect(await host.counts.notifications == 2)
    #expect(await host.newestFix == late.at)
    // The fix itself has changed nothing, so nothing has been kept since: a kill now takes it back.
    #expect(try LiveHost.keptForGuest(in: store) == Mark("there").stored)
    try await host.flush()
    #expect(try LiveHost.keptForGuest(in: store) == Mark("late").stored)
    try await host.finish()
  }

  @Test func `what a command changes is noticed at the next tick, and never spoken of again`()
    async throws
  {
    let store = try day.database.open()
    let sink = RecordingSink(takesRecords: false)
    let host = try await host(store, [sink])
    try await day.arrive(host, clock)
    try await host.settle()
    let command = try day.database.open()
    _ = try command.act(.complete, on: "bins", at: clock.now(), zone: .utc).get()
    try command.close()
    try await host.tick()
    try await host.settle()
    let id = try #require(sink.deliveries.first?.notificationID)
    #expect(sink.heard.last == "- \(id)")
    clock.advance(.minutes(60))
    try await host.tick()
    try await host.settle()
    #expect(sink.deliveries.count == 2)
    #expect(try store.pendingInbox().isEmpty)
    try await host.finish()
  }

  @Test func `of what was taken away while a server was down nobody is told`() async throws {
    let store = try day.database.open()
    let down = DeliveryOutcome.putOff(reason: "down", atLeast: nil)
    let web = RecordingSink(
      "web",
      takesRecords: false,
      batchLimit: 1,
      answers: .init(repeating: down, count: 50)
    )
    let screen = RecordingSink("screen", takesRecords: false)
    let host = try await host(store, [web, screen])
    try await day.arrive(host, clock)
    try await host.settle()
    // A server that is down holds up nobody else.
    #expect(screen.deliveries.count == 1)
    #expect(web.deliveries.isEmpty)
    let command = try day.database.open()
    _ = try command.act(.complete, on: "bins", at: clock.now(), zone: .utc).get()
    try command.close()
    try await host.tick()
    clock.advance(.minutes(10))
    try await host.tick()
    try await host.settle()
    #expect(screen.deliveries.count == 2)
    #expect(web.deliveries.isEmpty)
    #expect(try store.unperformed().isEmpty)
    try await host.finish()
  }

  @Test
  func `what a command has answered is not told, though it is due at the same look`() async throws {
    let store = try day.database.open()
    let time = try #require(WrittenTime(RFC3339.format(clock.now() + .minutes(5))))
    _ =
      try store.addReminder(id: "a", at: clock.now()) {
        Reminder(id: $0, title: "do it", triggers: [.schedule(Schedule(start: time))])
      }
      .get()
    let sink = RecordingSink(takesRecords: false)
    let host = try await host(store, [sink])
    clock.advance(.minutes(4))
    let command = try day.database.open()
    _ = try command.act(.complete, on: "a", at: clock.now(), zone: .utc).get()
    try command.close()
    // The machine slept before the host could look.
    clock.advance(.minutes(60))
    try await host.tick()
    try await host.settle()
    #expect(sink.heard == [])
  }

  @Test
  func `who is told that a wait is over while it is being asked for does not wait`() async throws {
    let store = try day.database.open()
    let time = try #require(WrittenTime(RFC3339.format(clock.now() + .minutes(5))))
    _ =
      try store.addReminder(id: "a", at: clock.now()) {
        Reminder(id: $0, title: "do it", triggers: [.schedule(Schedule(start: time))])
      }
      .get()
    let asked = AskedSink(until: clock.now() + .minutes(15))
    let host = try await host(store, [asked])
    asked.whileAsked = { await host.hurry() }
    clock.advance(.minutes(5))
    try await host.tick()
    try await host.settle()
    #expect(asked.sink.heard == ["Do it."])
  }

  /// Two reminders are told in one notification, and answered one after the other, before a server is told: one that is
  /// down, one that waits, and one that waits and is told by a later life.
  @Test(arguments: ["down", "waits", "dead"])
  func `what was answered in two steps is told to nobody`(_ how: String) async throws {
    var store = try day.database.open()
    let time = try #require(WrittenTime(RFC3339.format(clock.now() + .minutes(5))))
    for id in ["a", "b"] {
      _ =
        try store.addReminder(id: id, at: clock.now()) {
          Reminder(id: $0, title: "do \($0)", triggers: [.schedule(Schedule(start: time))])
        }
        .get()
    }
    let outcome: DeliveryOutcome =
      how == "down"
      ? .putOff(reason: "down", atLeast: .minutes(10)) : .waits(until: clock.now() + .minutes(15))
    let web = RecordingSink("web", takesRecords: false, batchLimit: 1, answers: [outcome])
    var host = try await host(store, [web])
    clock.advance(.minutes(5))
    try await host.tick()
    try await host.settle()
    #expect(web.attemptCount == 1 && web.deliveries.isEmpty)
    for id in ["a", "b"] {
      let command = try day.database.open()
      _ = try command.act(.complete, on: id, at: clock.now(), zone: .utc).get()
      try command.close()
      clock.advance(.seconds(1))
      try await host.tick()
      try await host.settle()
    }
    if how == "dead" {
      try await host.finish()
      try store.close()
      store = try day.database.open()
      clock.advance(.minutes(3))
      host = try await self.host(store, [web])
      try await host.settle()
    }
    clock.advance(.minutes(20))
    try await host.tick()
    try await host.settle()
    #expect(web.heard == [])
    try await host.finish()
  }

  @Test func `what never works is given up, and the next one is delivered`() async throws {
    let store = try day.database.open()
    let sink = RecordingSink(
      takesRecords: false,
      batchLimit: 1,
      answers: [.refused(reason: "status 404")]
    )
    let host = try await host(store, [sink])
    try await day.arrive(host, clock)
    clock.advance(.minutes(10))
    try await host.tick()
    try await host.finish()
    #expect(sink.heard == ["- n1", "Still need to take out the bins?"])
    #expect(await host.counts.givenUp == 1)
    #expect(try store.unperformed().isEmpty)
  }

  @Test(arguments: [false, true])
  func `what has waited for days behind other news is given up after a dozen attempts`(
    isOld: Bool
  ) async throws {
    let sink = RecordingSink(
      takesRecords: false,
      batchLimit: 1,
      answers: Array(repeating: .putOff(reason: "status 503", atLeast: nil), count: 30)
    )
    let store = try day.database.open()
    let host = try await host(store, [sink])
    try await day.arrive(host, clock)
    try await host.settle()
    if isOld { clock.advance(.minutes(3 * 24 * 60)) }
    for _ in 0..<19 {
      clock.advance(.minutes(6))
      // No tick: what is told stays as it is.
      try await host.settle()
    }
    // On the way home it may have been tried more than once, which counts for nothing later.
    #expect(isOld ? (13...14).contains(sink.attemptCount) : sink.attemptCount >= 19)
    #expect(await host.waitingCount == (isOld ? 0 : 1))
    #expect(try store.unperformed().count == (isOld ? 0 : 1))
  }

  @Test func `a broken sink stops the host, and what it did not take waits`() async throws {
    let broken = HostFailure(.inputOutput, "the disk is full")
    let sink = RecordingSink(answers: [.broken(broken)])
    var store = try day.database.open()
    let first = try await host(store, [sink])
    await #expect(throws: broken) {
      try await day.arrive(first, clock)
      try await first.settle()
    }
    await first.abandon()
    try store.close()
    store = try day.database.open()
    #expect(try !store.unperformed().isEmpty)
    let second = try await host(store, [sink])
    try await second.finish()
    #expect(sink.heard.count == 1)
    #expect(try store.unperformed().isEmpty)
  }

  @Test func `a log that was away has everything, also what was over by then`() async throws {
    let away = DeliveryOutcome.putOff(reason: "the disk is full", atLeast: nil)
    let rounds = 60
    // Each thing is put off once when its turn comes.
    let log = RecordingSink(
      "log",
      batchLimit: 1,
      answers: (0..<rounds).flatMap { _ in [away, .delivered] }
    )
    let other = RecordingSink("other")
    let store = try day.database.open()
    let host = try await host(store, [log, other])
    try await day.arrive(host, clock)
    try await host.settle()
    for _ in 0..<rounds {
      clock.advance(.minutes(10))
      try await host.tick()
      try await host.settle()
    }
    try await host.finish()
    #expect(other.heard.contains("- n1"))
    #expect(log.lines == other.lines)
    #expect(try store.unperformed().isEmpty)
  }

  @Test func `what waits for a sink that is over is let go of, and for others it waits on`()
    async throws
  {
    let away = DeliveryOutcome.putOff(reason: "status 503", atLeast: nil)
    let sinks = ["over", "away"]
      .map { name in
        // On the way home it may be tried more than once.
        RecordingSink(name, takesRecords: false, answers: Array(repeating: away, count: 30))
      }
    var store = try day.database.open()
    let first = try await host(store, sinks)
    try await day.arrive(first, clock)
    try await first.settle()
    await first.abandon()
    #expect(try store.unperformed().count == 2)
    try store.close()
    store = try day.database.open()
    var setup = day.setup(.wall)
    setup.isOver = { $0 == "over" }
    let second = try await makeHost(setup, store: store, sinks: [], clock: clock)
    #expect(try store.unperformed().map(\.key).allSatisfy { $0.hasPrefix("away/") })
    #expect(try store.unperformed().count == 1)
    try await second.finish()
  }

  /// The host's clock is set, an hour back or a day ahead; the fixes' times jump with it, as a phone's
  /// do, or go on, as a receiver's.
  @Test(arguments: [-60, 24 * 60] as [Int64], [true, false])
  func `a clock that is set hurries nothing, holds up nothing and repeats nothing`(
    _ minutes: Int64,
    _ fixesFollow: Bool
  ) async throws {
    let store = try day.database.open()
    let sink = RecordingSink(takesRecords: false)
    let host = try await host(store, [sink])
    try await day.arrive(host, clock)
    try await host.settle()
    let arrived = clock.uptime()
    var truth = clock.now()
    clock.set(by: .minutes(minutes))
    if fixesFollow { truth = clock.now() }
    var asked: Milliseconds?
    for _ in 0..<120 {
      try await host.tick()
      try await host.take([SmallDay.record(SmallDay.fix(north: 10, at: truth))])
      try await host.settle()
      if sink.deliveries.count > 1, asked == nil { asked = clock.uptime() }
      clock.advance(.seconds(10))
      truth = truth + .seconds(10)
    }
    #expect(sink.heard.dropFirst() == ["- n1", "Still need to take out the bins?"])
    // Five minutes after the arrival, which was told half a minute before the clock was set.
    let told = try #require(asked)
    let waited = told.value - arrived.value
    #expect((240_000...300_000).contains(waited), "\(waited) ms")
    #expect(await host.counts.refused.isEmpty)
    #expect(await host.newestFix == truth - .seconds(10))
    try await host.finish()
  }

  @Test func `a host that starts in another zone reckons quiet hours anew`() async throws {
    let sink = RecordingSink(takesRecords: false)
    var setup = day.setup(.wall)
    setup.policy.quietHours = DailyWindow(startMinute: 7 * 60, endMinute: 11 * 60)
    // It is 08:30 in UTC, and then 10:30 two hours further east, and 11:30 three hours.
    for (hours, isHeard) in [(0, false), (2, false), (3, true)] as [(Int, Bool)] {
      setup.zone = UTCOffsetTable(
        identifier: "East/\(hours)",
        initialOffsetSeconds: hours * 3_600,
        eras: []
      )
      let store = try day.database.open()
      let host = try await makeHost(setup, store: store, sinks: [sink], clock: clock)
      if hours == 0 { try await day.arrive(host, clock) }
      try await host.finish()
      try store.close()
      #expect(sink.heard.isEmpty != isHeard, "\(hours): \(sink.heard)")
    }
  }

  /// From nine hours east to five west, with the bins and a time answered while no host ran.
  @Test func `inbox and new zone: what was answered comes by the new zone, and rings nothing`()
    async throws
  {
    let sink = RecordingSink(takesRecords: false)
    var setup = day.setup(.wall)
    let start = clock.now()
    for hours in [9, -5] {
      setup.zone = UTCOffsetTable(
        identifier: "Zone/\(hours)",
        initialOffsetSeconds: hours * 3_600,
        eras: []
      )
      let store = try day.database.open()
      if hours == 9 {
        let early = try #require(WrittenTime("2026-01-05T06:56"))
        let daily = Schedule(start: early, rule: try RecurrenceRule("FREQ=DAILY"))
        let rent = Schedule.instant(start + .minutes(12 * 60))
        for (id, schedule) in [("pills", daily), ("rent", rent)] {
          _ =
            try store.addReminder(id: id, at: start, zone: setup.zone) {
              Reminder(id: $0, title: "see to \(id)", triggers: [.schedule(schedule)])
            }
            .get()
        }
      } else {
        for id in ["bins", "rent"] {
          _ = try store.act(.complete, on: id, at: clock.now(), zone: setup.zone).get()
        }
        // 06:56 has come where the first host ran, and not here.
        clock.advance(.minutes(4 * 60))
      }
      let host = try await makeHost(setup, store: store, sinks: [sink], clock: clock)
      try await host.settle()
      #expect(sink.heard == [], "\(hours)")
      clock.advance(hours == 9 ? .minutes(10) : start + .minutes(28 * 60) - clock.now())
      if hours == -5 {
        try await host.tick()
        try await host.settle()
        #expect(sink.heard == ["See to pills."])
        let due = start + .minutes(27 * 60 + 56)
        #expect(sink.deliveries.allSatisfy { $0.at >= due })
      }
      try await host.finish()
      try store.close()
      if hours == 9 { clock.advance(.minutes(10 * 60)) }
    }
  }

  @Test func `a snooze for today lasts as long as the day does where the host is started again`()
    async throws
  {
    var setup = day.setup(.wall)
    var ends: [Timestamp] = []
    for west in [0, 10] {
      if west > 0 {
        setup.zone = UTCOffsetTable(
          identifier: "West/10",
          initialOffsetSeconds: -west * 3_600,
          eras: []
        )
      }
      let store = try day.database.open()
      if west == 0 {
        _ = try store.act(.snoozeToday, on: "bins", at: clock.now(), zone: setup.zone).get()
      }
      let host = try await makeHost(setup, store: store, sinks: [], clock: clock)
      try await host.settle()
      try await host.finish()
      if case .until(let end) = try store.reminders()[0].snooze { ends.append(end) }
      try store.close()
    }
    #expect(ends.count == 2 && ends[1] - ends[0] == .minutes(10 * 60), "\(ends)")
  }

  @Test func `signals of a feed are taken in once, whoever is killed between them`() async throws {
    let store = try day.database.open()
    _ =
      try store.addReminder(id: "mail", at: Timestamp(seconds: 0)) {
        Reminder(id: $0, title: "mail it", triggers: [.signal("unlock")])
      }
      .get()
    try store.close()
    let lines = [
      #"{"signal":"unlock"}"#, #"{"signal":"unlock","at":"2026-01-05T08:00:00Z","id":"a"}"#,
      #"{"time":"2026-01-05T08:10:00Z","lat":38.5,"lon":-34}"#,
      #"{"signal":"unlock","at":"2026-01-05T08:05:00Z","id":"b"}"#,
      #"{"signal":"unlock","at":"2026-01-05T08:40:00Z","id":"c"}"#,
      #"{"signal":"unlock","at":"2026-01-05T08:40:00Z","id":"c"}"#,
      #"{"signal":"unlock","at":"2026-01-05T08:01:00Z","id":"d"}"#,
    ]
    let sink = RecordingSink(takesRecords: false)
    // Each life reads the feed anew, and comes a line further.
    for count in 1...lines.count {
      let store = try day.database.open()
      let host = try await makeHost(day.setup(.fixes), store: store, sinks: [sink], clock: clock)
      var reader = FixLineReader()
      let text = lines.prefix(count).joined(separator: "\n") + "\n"
      try await host.take(Array(text.utf8).withUnsafeBytes { reader.read($0) })
      try await host.finish()
      try store.close()
    }
    let told = sink.deliveries.compactMap { delivery -> String? in
      if case .posted = delivery.news { RFC3339.format(delivery.at) } else { nil }
    }
    #expect(
      told == ["2026-01-05T08:00:00Z", "2026-01-05T08:10:00Z", "2026-01-05T08:40:00Z"]
    )
  }

  @Test func `what joins other news says more, also where its fix is heard of a moment later`()
    async throws
  {
    let store = try day.database.open()
    let start = Timestamp(seconds: 0)
    _ = try store.deleteReminder("bins", at: start).get()
    for (id, trigger) in [("keys", Trigger.leave(.place("home"))), ("mail", .signal("unlock"))] {
      _ =
        try store.addReminder(id: id, at: start) {
          Reminder(id: $0, title: id, triggers: [trigger])
        }
        .get()
    }
    let sink = RecordingSink(takesRecords: false)
    let host = try await host(store, [sink])
    // Two minutes at home, and then away from it; a fix takes some time to come in.
    for step in -12...16 {
      clock.advance(.seconds(step < 0 ? 10 : 5))
      let measured = clock.now() - Milliseconds(400)
      let fix = SmallDay.fix(north: 50 * Double(max(0, step)), at: measured)
      try await host.take([SmallDay.record(fix)])
      if step == 4 { try await host.take(signal(at: clock.now())) }
    }
    try await host.settle()
    #expect(sink.heard.count == 2, "\(sink.heard)")
    #expect(sink.heard.first == "Don't forget: mail.")
    #expect(sink.heard.last?.hasPrefix("+ Don't forget: mail.\nLeaving Home") == true)
    // What loses a line says less.
    let command = try day.database.open()
    _ = try command.act(.complete, on: "mail", at: clock.now(), zone: .utc).get()
    try command.close()
    clock.advance(.seconds(1))
    try await host.tick()
    try await host.settle()
    #expect(sink.heard.last?.hasPrefix("~ Leaving Home") == true, "\(sink.heard)")
    try await host.finish()
  }

  @Test func `a signal from the future does not silence those that come after it`() async throws {
    let store = try day.database.open()
    let host = try await host(store, [])
    for seconds in [3_600, 5, 10] as [Int64] {
      try await host.take(signal(at: clock.now() + .seconds(seconds)))
    }
    #expect(await host.counts.signals == 3)
    #expect(await host.counts.takenBefore == 0)
    try await host.finish()
  }

  @Test func `a clock set back before the first fix silences no signal`() async throws {
    let store = try day.database.open()
    let host = try await host(store, [])
    try await host.take(signal(at: clock.now()))
    clock.set(by: .minutes(-60))
    try await host.take([SmallDay.record(SmallDay.fix(north: 0, at: clock.now()))])
    try await host.take(signal(at: clock.now()))
    #expect(await host.counts.signals == 2)
    #expect(await host.counts.takenBefore == 0)
    try await host.finish()
  }

  /// The clock is set ahead while nobody sends a position, as on a board that learns the time after its start.
  @Test(arguments: [false, true])
  func `without a position, a clock that stays set is right`(_ isSetBack: Bool) async throws {
    let store = try day.database.open()
    let sink = RecordingSink(takesRecords: false)
    let due = clock.now() + .minutes(61)
    _ =
      try store.addReminder(id: "pills", at: clock.now(), zone: .utc) {
        Reminder(id: $0, title: "take pills", triggers: [.schedule(.instant(due))])
      }
      .get()
    let host = try await host(store, [sink])
    clock.set(by: .minutes(60))
    for second in 0..<90 {
      // Put right again at once: then the reminder is not due for an hour.
      if isSetBack, second == 10 { clock.set(by: .minutes(-60)) }
      try await host.tick()
      try await host.settle()
      clock.advance(.seconds(1))
    }
    #expect(sink.heard == (isSetBack ? [] : ["Take pills."]))
    try await host.finish()
  }

  /// A receiver is without reception for a while after the clock was set wrongly.
  @Test func `a receiver that is heard again is believed, whatever the clock shows`() async throws {
    let store = try day.database.open()
    let host = try await host(store, [])
    var truth = clock.now()
    for second in 0..<120 {
      if second == 20 { clock.set(by: .minutes(-60)) }
      try await host.tick()
      if !(20..<80).contains(second) {
        try await host.take([SmallDay.record(SmallDay.fix(north: Double(second), at: truth))])
      }
      clock.advance(.seconds(1))
      truth = truth + .seconds(1)
    }
    #expect(await host.counts.refused.isEmpty)
    #expect(await host.counts.fixes == 60)
    try await host.finish()
  }

  @Test func `each name of signals has its own order`() async throws {
    let store = try day.database.open()
    let host = try await host(store, [])
    let now = clock.now()
    try await host.take(signal(at: now, name: "battery"))
    try await host.take(signal(at: now - .seconds(3)))
    try await host.take(signal(at: now - .seconds(4)))
    // What was kept somewhere for hours is no news, though it is the first of its name.
    try await host.take(signal(at: now - .minutes(180), name: "car"))
    #expect(await host.counts.signals == 2)
    #expect(await host.counts.takenBefore == 2)
    try await host.finish()
  }

  @Test func `a clock that was ahead for one life makes no later one deaf`() async throws {
    for days in [0, 2, -2] as [Int64] {
      clock.set(by: .minutes(days * 1_440))
      let store = try day.database.open()
      let host = try await host(store, [])
      clock.advance(.minutes(1))
      try await host.take([SmallDay.record(SmallDay.fix(north: 0, at: clock.now()))])
      #expect(await host.counts.fixes == 1, "\(days)")
      #expect(await host.counts.takenBefore == 0, "\(days)")
      try await host.finish()
      try store.close()
    }
  }

  private func signal(at instant: Timestamp, name: String = "unlock") -> [FeedItem] {
    var reader = FixLineReader()
    let line = #"{"signal":"\#(name)","at":"\#(RFC3339.format(instant))"}"# + "\n"
    return Array(line.utf8).withUnsafeBytes { reader.read($0) }
  }

  @Test func `fixes from the future and late ones are counted and move nothing`() async throws {
    let store = try day.database.open()
    let host = try await host(store, [])
    let now = clock.now()
    for offset in [0, 3_600, -10, 0, 5] as [Int64] {
      try await host.take([SmallDay.record(SmallDay.fix(north: 0, at: now + .seconds(offset)))])
    }
    #expect(await host.counts.refused == [.future: 1, .late: 1, .duplicateTime: 1])
    #expect(await host.newestFix == now + .seconds(5))
    try await host.finish()
  }

  @Test func `a second host is told who runs the first`() throws {
    let path = day.database.path
    let first = try HostLock(database: path)
    let error = #expect(throws: HostFailure.self) { try HostLock(database: path) }
    #expect(error?.code == .busy)
    #expect(
      error?.description.contains("process \(getpid())") == true,
      "\(String(describing: error))"
    )
    withExtendedLifetime(first) {}
  }

  /// Their numbers are given anew at once, to whichever thread opens a file next: here to one that does nothing else.
  @Test func `a lock and a journal that are refused close their own files, and no other's`() throws
  {
    let path = day.database.path
    let journal = path + ".journal"
    let holders = (try HostLock(database: path), try Journal(path: journal))
    let isDone = Flag()
    let lost = Flag()
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while !isDone.isSet {
        let own = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if own < 0 || close(own) != 0 { lost.set() }
      }
      hasEnded.signal()
    }
    // On two cores a file that is closed twice is another's in one of some ten thousand refusals.
    for _ in 0..<20_000 {
      #expect(throws: HostFailure.self) { try HostLock(database: path) }
      #expect(throws: HostFailure.self) { try Journal(path: journal) }
    }
    isDone.set()
    hasEnded.wait()
    #expect(!lost.isSet)
    withExtendedLifetime(holders) {}
  }

  @Test func `a lock goes with its holder`() throws {
    do { _ = try HostLock(database: day.database.path) }
    #expect(throws: Never.self) { _ = try HostLock(database: day.database.path) }
  }

  /// Everything that is logged in a day with every kind of trouble, searched for what is private.
  @Test func `the log names no title, no place, no position and no address`() async throws {
    let lines = Lines()
    let log = Logger(label: "test") { _ in
      HostLogHandler(level: .trace, clock: SystemClock()) { lines.add($0) }
    }
    let server = try SmallServer([.status(500), .status(404), .hangUp])
    defer { server.stop() }
    let store = try day.database.open()
    let web = WebhookSink(try WebhookAddress(server.address), clock: clock)
    let host = try await makeHost(
      day.setup(.wall),
      store: store,
      sinks: [web, try CommandSink(["false"])],
      clock: clock,
      log: log
    )
    try await day.arrive(host, clock)
    try await host.take([SmallDay.record(SmallDay.fix(north: 0, at: Timestamp(seconds: 5)))])
    for _ in 0..<20 {
      clock.advance(.minutes(1))
      try await host.tick()
      try await host.settle()
    }
    try await host.finish()
    // Without the instants, whose seconds may look like degrees.
    let text = lines.text.split(separator: "\n").map { $0.dropFirst(24) }.joined(separator: "\n")
    for word in ["put off", "given up", "a position is refused", "delivered", "<redacted>"] {
      #expect(text.contains(word), "\(word)")
    }
    for secret in ["bins", "Home", "home", "38.0", "-34.0", "127.0.0.1", "/hook"] {
      #expect(!text.contains(secret), "\(secret): \(text)")
    }
  }

  /// Unchecked: touched under the lock only.
  private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var held = false

    var isSet: Bool { lock.withLock { held } }

    func set() { lock.withLock { held = true } }
  }

  /// Unchecked: the lines are touched under the lock only.
  private final class Lines: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    func add(_ line: String) { lock.withLock { lines.append(line) } }
    var text: String { lock.withLock { lines.joined(separator: "\n") } }
  }
}

/// A sink that has the first delivery wait.
///
/// Unchecked: the test sets it up before anything is delivered.
private final class AskedSink: Sink, @unchecked Sendable {
  let sink = RecordingSink("asked", takesRecords: false, batchLimit: 1)
  let until: Timestamp
  /// Happens while the first delivery is asked for.
  var whileAsked: (@Sendable () async -> Void)?

  init(until: Timestamp) { self.until = until }

  var name: String { sink.name }
  var takesRecords: Bool { false }
  var batchLimit: Int { 1 }

  func alreadyDelivered(among pending: [Delivery]) throws(HostFailure) -> Set<String> { [] }

  func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    guard let asked = whileAsked else { return await sink.deliver(deliveries) }
    whileAsked = nil
    await asked()
    return .waits(until: until)
  }
}
