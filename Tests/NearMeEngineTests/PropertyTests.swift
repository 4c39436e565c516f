import Fencing
import Foundation
import NearMeEngine
import Places
import TestSupport
import Testing
import Timeline
import Traces

/// What holds whatever happens, over random lives; a message names the seed that repeats it.
@Suite struct PropertyTests {
  private static let lives = 10_000

  /// With the policy that ships, and in every fifth life with one that measures arrivals.
  @Test
  func `NM-2.5, NM-5.6: what must be silent is silent, and every transition ends in one decision`()
    throws
  {
    var events = 0
    var transitions = 0
    var told = 0
    for seed in (1...Self.lives).map({ UInt64($0) }) {
      let life = RandomLife(seed: seed, measures: seed % 5 == 0)
      var engine = try life.engine()
      var audit = Audit(life)
      func send(_ event: Event) {
        audit.note(event, engine.handle(event))
        events += 1
        for wrong in engine.violations() {
          Issue.record("seed \(seed), after \(event.kind) at \(RFC3339.format(event.at)): \(wrong)")
        }
      }
      for event in life.events {
        // Every third life has a host whose timers come late, with the next event.
        while seed % 3 != 0, let due = engine.nextTimer, due < event.at {
          send(Event(at: due, .timer))
        }
        send(event)
      }
      events += try audit.end(&engine)
      transitions += audit.transitions
      told += audit.told
    }
    print(
      "\(Self.lives) random lives: \(events) events, \(transitions) transitions, "
        + "\(told) tellings"
    )
    #expect(events > 1_000_000)
    #expect(transitions > 60_000)
    #expect(told > 15_000)
  }

  @Test func `a state read back at any event has the same future`() throws {
    var restored = 0
    for seed in UInt64(5_001)...5_200 {
      let life = RandomLife(seed: seed)
      var whole = try life.engine()
      var pieces = try life.engine()
      var zone = life.zone
      for (i, event) in life.events.enumerated() {
        if i % 5 == Int(seed % 5) {
          let data = try JSONEncoder().encode(pieces.state)
          let state = try JSONDecoder().decode(EngineState.self, from: data)
          if state != pieces.state { Issue.record("seed \(seed): event \(i): another state") }
          pieces = try life.engine(state, zone: zone)
          restored += 1
        }
        if case .zoneChanged(let other) = event.kind { zone = other }
        while let due = whole.state.nextTimer, due < event.at {
          let timer = Event(at: due, .timer)
          if whole.handle(timer) != pieces.handle(timer) {
            Issue.record("seed \(seed): another future at the timer before event \(i)")
          }
        }
        if whole.handle(event) != pieces.handle(event) {
          Issue.record("seed \(seed): another future at event \(i), \(event.kind)")
          break
        }
      }
    }
    print("\(restored) states were read back")
    #expect(restored > 4_000)
  }

  @Test func `a journal replays to the same effects`() throws {
    let encoder = JSONEncoder()
    for seed in UInt64(6_001)...6_060 {
      let life = RandomLife(seed: seed)
      var live = try life.engine()
      var replayed = try life.engine()
      for event in life.events {
        let line = try encoder.encode(event)
        let read = try JSONDecoder().decode(Event.self, from: line)
        #expect(read == event, "seed \(seed)")
        let effects = live.handle(event)
        #expect(effects == replayed.handle(read), "seed \(seed)")
        let stored = try JSONDecoder().decode([Effect].self, from: encoder.encode(effects))
        #expect(stored == effects, "seed \(seed)")
      }
    }
  }

  @Test func `who was away catches up with the same notifications`() throws {
    var compared = 0
    for seed in UInt64(7_001)...7_600 {
      // Silence that was slept through is weighed at the next fix, not at its own instant.
      let life = RandomLife(seed: seed, knowsLocalTimes: false, hasUser: false, measures: true)
      var engine = try life.engine()
      for (i, event) in life.events.enumerated() {
        if let due = engine.state.nextTimer, due < event.at {
          // One host sends every timer; another is started again after they were all due.
          var prompt = engine
          var heard: [String] = []
          var takenBack: Set<String> = []
          while let due = prompt.state.nextTimer, due < event.at {
            let effects = prompt.handle(Event(at: due, .timer))
            heard += Self.heard(effects)
            for case .unschedule(let id) in effects { takenBack.insert(id) }
          }
          let data = try JSONEncoder().encode(engine.state)
          var late = try life.engine(JSONDecoder().decode(EngineState.self, from: data))
          let effects = late.handle(Event(at: event.at - Milliseconds(1), .launched))
          let caughtUp = Self.heard(effects)
          // What a running app took back in time, the system has shown for one that slept.
          let wasShown = effects.contains { effect in
            if case .record(.presented(let n)) = effect { takenBack.contains(n.id) } else { false }
          }
          if caughtUp != heard, !wasShown {
            Issue.record("seed \(seed), before event \(i): \(caughtUp) instead of \(heard)")
          }
          compared += heard.count
          engine = prompt
        }
        _ = engine.handle(event)
      }
    }
    print("\(compared) notifications were caught up with")
    #expect(compared > 300)
  }

  /// A phone's system holds up to 64 notifications to come, another none.
  ///
  /// In these lives to the second. In one of some hundred others an app that sleeps sums up a time with an approach at the
  /// end of quiet hours or of a focus: the whole waits for a position, and the system, which needs none, does not.
  @Test func `whatever the system shows by itself, the same is told at the same time`() throws {
    var compared = 0
    for seed in UInt64(13_601)...14_000 {
      let life = RandomLife(seed: seed, measures: true)
      var engines = try [64, 0]
        .map { mostPending in
          var policy = life.policy
          policy.schedules.mostPending = mostPending
          // What a stay brings waits up to a window for what the system shows with it.
          policy.bundle.window = .seconds(0)
          var engine = Engine(
            policy: policy,
            zone: life.zone,
            catalog: life.catalog,
            monitoring: life.monitoring
          )
          try engine.load(
            places: life.places,
            reminders: life.reminders,
            entitlement: life.entitlement
          )
          return engine
        }
      for (i, event) in life.events.enumerated() {
        let heard = engines.indices.map { e in
          var effects: [Effect] = []
          while let due = engines[e].nextTimer, due <= event.at {
            effects += engines[e].handle(Event(at: due, .timer))
          }
          effects += engines[e].handle(event)
          return Self.told(effects)
        }
        compared += heard[1].count
        if heard[0] != heard[1] {
          Issue.record(
            "seed \(seed), event \(i) \(event.kind): \(heard[0]) instead of \(heard[1])"
          )
          break
        }
      }
    }
    print("\(compared) lines were told with and without the system's help")
    #expect(compared > 1_000)
  }

  /// What is told, each with its instant, in order.
  private static func told(_ effects: [Effect]) -> [String] {
    effects.compactMap { effect in
      guard case .record(.decision(let decision)) = effect, decision.outcome == .delivered else {
        return nil
      }
      return "\(RFC3339.format(decision.at)) \(decision.reminder) \(decision.step.name)"
    }
    .sorted()
  }

  /// Everything seen or heard, with its instant.
  private static func heard(_ effects: [Effect]) -> [String] {
    effects.compactMap { effect in
      switch effect {
      case .post(let n): "post \(n.at.milliseconds) \(n.id) \(n.text)"
      case .replace(let n): "replace \(n.at.milliseconds) \(n.id) \(n.text)"
      case .record(.presented(let n)): "presented \(n.at.milliseconds) \(n.id) \(n.text)"
      case .withdraw(let id): "withdraw \(id)"
      default: nil
      }
    }
  }

  @Test func `a clock that is set changes nothing that counts a span`() throws {
    var changes = 0
    for seed in UInt64(8_001)...8_400 {
      // The arrival detector gathers its evidence anew when a clock is set.
      let life = RandomLife(seed: seed, knowsLocalTimes: false, measures: true)
      var random = SeededGenerator(seed: seed)
      var right = try life.engine()
      var wrong = try life.engine()
      var error = Milliseconds(0)
      for (i, event) in life.events.enumerated() {
        while let due = right.state.nextTimer, due < event.at {
          let expected = Self.heard(right.handle(Event(at: due, .timer)), Milliseconds(0))
          let got = Self.heard(wrong.handle(Event(at: due + error, .timer)), error)
          if got != expected { Issue.record("seed \(seed), timer before \(i): \(got) \(expected)") }
        }
        if random.integer(0...9) == 0 {
          let spans: [Int64] = [-3_600, 3_600, 86_400, -86_400, 7, -1]
          let span = Milliseconds.seconds(spans[random.integer(0...5)])
          let before = (right.state.newestInstant ?? event.at) + error
          error = error + span
          changes += 1
          let effects = wrong.handle(Event(at: before + span, .clockChanged(by: span)))
          if !Self.heard(effects, error).isEmpty {
            Issue.record("seed \(seed): setting the clock is heard before event \(i)")
          }
        }
        let expected = Self.heard(right.handle(event), Milliseconds(0))
        let got = Self.heard(wrong.handle(event.later(by: error)), error)
        if got != expected {
          Issue.record("seed \(seed), event \(i) \(event.kind): \(got) instead of \(expected)")
          break
        }
      }
    }
    print("\(changes) clocks were set")
    #expect(changes > 3_000)
  }

  /// The same with instants reckoned from a clock that is wrong by so much.
  private static func heard(_ effects: [Effect], _ error: Milliseconds) -> [String] {
    effects.compactMap { effect in
      switch effect {
      case .post(let n): "post \((n.at - Timestamp(seconds: 0)).value - error.value) \(n.text)"
      case .record(.presented(let n)):
        "presented \((n.at - Timestamp(seconds: 0)).value - error.value) \(n.text)"
      case .replace(let n): "replace \(n.text)"
      case .withdraw(let id): "withdraw \(id)"
      default: nil
      }
    }
  }
}

extension Event {
  fileprivate func later(by span: Milliseconds) -> Event {
    func moved(_ fix: Fix) -> Fix {
      var fix = fix
      fix.at = fix.at + span
      return fix
    }
    switch kind {
    case .fix(let fix): return Event(at: at + span, .fix(moved(fix)))
    case .woken(let fix, let previous):
      return Event(at: at + span, .woken(by: moved(fix), previous: previous.map(moved)))
    default: return Event(at: at + span, kind)
    }
  }
}

extension Effect {
  /// Whether it says what becomes of a notification on the screen.
  fileprivate func shows(_ id: String) -> Bool {
    switch self {
    case .post(let notification), .replace(let notification): notification.id == id
    case .withdraw(let gone): gone == id
    default: false
    }
  }
}

/// Keeps account of what an engine says, from the outside.
private struct Audit {
  let life: RandomLife
  private(set) var transitions = 0
  private(set) var told = 0
  private var zone: UTCOffsetTable
  private var isFocusOn = false
  private var isCounted = false
  private var known: Set<String>
  /// The newest reminder that was made, not edited.
  private var taken: String?
  private var done: Set<String> = []
  private var muted: Set<String> = []
  /// Transitions without a final decision.
  private var open: [String: Int] = [:]
  /// Reminders of more than one place, whose rings have the same names.
  private var aimsTwice: Set<String> = []
  /// What ends each reminder, as it was saved last, and before that.
  private var endings: [String: Reminder.Persistence] = [:]
  private var endingsBefore: [String: Reminder.Persistence] = [:]
  /// Whether a ring was left since it was last entered, as far as ladders were not begun anew.
  private var inside: Set<String> = []

  init(_ life: RandomLife) {
    self.life = life
    zone = life.zone
    known = Set(life.reminders.map(\.id))
    muted = Set(life.reminders.filter(\.isMuted).map(\.id))
    aimsTwice = Set(life.reminders.filter(Self.aimsTwice).map(\.id))
    for reminder in life.reminders { endings[reminder.id] = reminder.endsBy }
  }

  private static func aimsTwice(_ reminder: Reminder) -> Bool {
    reminder.triggers.count { if case .place = $0 { true } else { false } } > 1
  }

  mutating func note(_ event: Event, _ effects: [Effect]) {
    let before = silent
    let zoneBefore = zone
    learn(event.kind)
    for (i, effect) in effects.enumerated() {
      switch effect {
      case .post(let notification):
        hear(notification, event, isNow: true, in: zone)
        see(notification, event, silent)
      // What the system showed before the event may have changed it, and then the event.
      case .replace(let notification)
      where effects[(i + 1)...].contains { $0.shows(notification.id) }:
        break
      case .schedule(let notification, _), .replace(let notification):
        see(notification, event, silent)
      case .record(.presented(let notification)):
        // The system showed it before the event, if only by a moment; but what the event itself had it show.
        let isOfThisEvent = effects[..<i]
          .contains {
            if case .schedule(let new, _) = $0 { new.id == notification.id } else { false }
          }
        hear(
          notification,
          event,
          isNow: false,
          in: notification.at == event.at ? zone : zoneBefore
        )
        see(notification, event, isOfThisEvent ? before.intersection(silent) : before)
      case .record(let record): note(record, event)
      case .archive(let reminder):
        known.remove(reminder.id)
        muted.remove(reminder.id)
        done.insert(reminder.id)
      default: break
      }
    }
  }

  /// Who is done or muted.
  private var silent: Set<String> { done.union(muted) }

  private mutating func learn(_ kind: Event.Kind) {
    switch kind {
    case .focus(let isOn): isFocusOn = isOn
    case .zoneChanged(let other): zone = other
    case .analytics(let isOn): isCounted = isOn
    case .reminderDeleted(let id):
      known.remove(id)
      done.remove(id)
      muted.remove(id)
      forget(id)
    case .action(let id, .reopen) where known.contains(id):
      done.remove(id)
      forget(id)
    case .reminderReopened(let reminder) where known.contains(reminder.id):
      done.remove(reminder.id)
      forget(reminder.id)
    case .reminderReopened(let reminder):
      if Self.aimsTwice(reminder) { aimsTwice.insert(reminder.id) }
      endings[reminder.id] = reminder.endsBy
      taken = reminder.id
      known.insert(reminder.id)
      done.remove(reminder.id)
      if reminder.isMuted { muted.insert(reminder.id) }
      forget(reminder.id)
    case .action(let id, let action) where known.contains(id) && !done.contains(id):
      switch action {
      // What recurs is done this time.
      case .complete: if endings[id] != .perOccurrence { done.insert(id) }
      case .mute:
        muted.insert(id)
        forget(id)
      case .unmute: muted.remove(id)
      default: break
      }
    case .reminderSaved(let reminder):
      if Self.aimsTwice(reminder) { aimsTwice.insert(reminder.id) }
      endingsBefore = endings
      endings[reminder.id] = reminder.endsBy
      // Only a new one is taken in as it is; an edit neither mutes nor unmutes.
      taken = known.insert(reminder.id).inserted ? reminder.id : nil
      if taken != nil {
        done.remove(reminder.id)
        if reminder.isMuted { muted.insert(reminder.id) }
      }
      forget(reminder.id)
    case .placeSaved, .placeDeleted: inside = []
    default: break
    }
  }

  private mutating func forget(_ id: String) {
    inside = inside.filter { !$0.hasPrefix(id + " ") }
  }

  /// Something with a sound, at its own instant or, caught up with, at the event's.
  private mutating func hear(
    _ notification: ReminderNotification,
    _ event: Event,
    isNow: Bool,
    in zone: UTCOffsetTable
  ) {
    told += 1
    for instant in isNow ? [notification.at, event.at] : [notification.at] {
      if life.policy.quietHours?.closing(at: instant, in: zone) != nil {
        complain("heard in quiet hours, \(RFC3339.format(instant)): \(notification.text)", event)
      }
    }
    if isNow, isFocusOn { complain("heard in a focus: \(notification.text)", event) }
  }

  private func see(
    _ notification: ReminderNotification,
    _ event: Event,
    _ silent: Set<String>
  ) {
    for member in notification.members where silent.contains(member.reminder) {
      let why = muted.contains(member.reminder) ? "muted" : "done"
      complain(
        "\(member.reminder) speaks at \(RFC3339.format(notification.at)) though \(why): \(notification.text)",
        event
      )
    }
  }

  private mutating func note(_ record: NearMeEngine.Record, _ event: Event) {
    switch record {
    case .transition(let transition):
      transitions += 1
      let ring = "\(transition.reminder) \(transition.step.name)"
      open[ring, default: 0] += 1
      guard life.policy.tiers.fenceSemantics != .perPOI, !aimsTwice.contains(transition.reminder)
      else { return }
      switch transition.kind {
      case .enter where !inside.insert(ring).inserted: complain("\(ring) entered twice", event)
      case .exit: inside.remove(ring)
      default: break
      }
    case .decision(let decision):
      if case .deferred = decision.outcome { return }
      let ring = "\(decision.reminder) \(decision.step.name)"
      open[ring, default: 0] -= 1
      if open[ring, default: 0] < 0 { complain("\(ring) decided twice", event) }
    case .reminderRefused(_, let refusal) where refusal.reminder != taken:
      endings[refusal.reminder] = endingsBefore[refusal.reminder]
    case .reminderRefused(_, let refusal) where refusal.reminder == taken:
      // It was not taken in after all.
      known.remove(refusal.reminder)
      muted.remove(refusal.reminder)
    case .actionRefused(_, let id, .daysAreOver) where id == taken:
      // Nor was one that was to begin again after its days.
      guard case .reminderReopened = event.kind else { return }
      known.remove(id)
      muted.remove(id)
    case .analytics: if !isCounted { complain("counted without consent", event) }
    default: break
    }
  }

  /// Nothing waits for ever: when all reasons have ended, nothing is left without a decision.
  mutating func end(_ engine: inout Engine) throws -> Int {
    let undecided = open.values.reduce(0, +)
    #expect(undecided == engine.state.waitingCount, "seed \(life.seed)")
    var events = 0
    func send(_ event: Event, _ audit: inout Audit, _ engine: inout Engine) {
      audit.note(event, engine.handle(event))
      events += 1
    }
    var now = engine.state.newestInstant ?? Timestamp(seconds: 0)
    send(Event(at: now, .focus(false)), &self, &engine)
    for reminder in engine.state.currentReminders {
      // What goes on for ever, and what waits for the phone or its owner, is ended by hand.
      if reminder.goesOn || reminder.waitsForLevels || reminder.fallbackMinute != nil {
        send(Event(at: now, .reminderDeleted(reminder.id)), &self, &engine)
      } else if reminder.endsBy == .perOccurrence, isNeverHeard(reminder, from: now) {
        // Done this time, it comes again.
        send(Event(at: now, .reminderDeleted(reminder.id)), &self, &engine)
      } else if reminder.snooze == .untilNextArrival || isNeverHeard(reminder, from: now) {
        send(Event(at: now, .action(reminder: reminder.id, .complete)), &self, &engine)
      }
    }
    let end = now + .minutes(40 * 24 * 60)
    while let due = engine.state.nextTimer, due <= end {
      now = due
      send(Event(at: due, .timer), &self, &engine)
      if events > 10_000 {
        Issue.record("seed \(life.seed): timers without end")
        break
      }
    }
    #expect(engine.state.waitingCount == 0, "seed \(life.seed): something waits for ever")
    #expect(open.values.allSatisfy { $0 == 0 }, "seed \(life.seed)")
    return events
  }

  /// Whether a window is only ever open in quiet hours: then it is the user's own doing.
  private func isNeverHeard(_ reminder: Reminder, from now: Timestamp) -> Bool {
    guard let window = reminder.window, let quiet = life.policy.quietHours else { return false }
    return !(0..<8 * 1_440)
      .contains { minute in
        let instant = now + .minutes(Int64(minute))
        return window.contains(instant, in: zone) && quiet.closing(at: instant, in: zone) == nil
      }
  }

  private func complain(_ what: String, _ event: Event) {
    Issue.record("seed \(life.seed), \(RFC3339.format(event.at)) \(event.kind): \(what)")
  }
}

extension Reminder {
  fileprivate var goesOn: Bool {
    triggers.contains { if case .schedule(let schedule) = $0 { schedule.recurs } else { false } }
  }

  fileprivate var waitsForLevels: Bool {
    conditions.contains { if case .window = $0 { false } else { true } }
  }
}
