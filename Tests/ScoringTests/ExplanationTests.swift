import Arrivals
import Fencing
import Geodesy
import NearMeEngine
import Places
import Replay
import Scoring
import Testing
import Timeline
import Traces

/// What is said where arrivals are weighed.
@Suite struct ExplanationTests {
  /// Somebody waits beside the pharmacy and drives on.
  private static func explain(
    minutes: Double,
    threshold: Double,
    hold: Milliseconds = .seconds(0),
    _ monitor: LocationService = .stream
  ) throws -> Explanation {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 40)
    let at = scene.now
    scene.wait(beside: 1, minutes: minutes)
    scene.drive(to: 3_000)
    let day = try scene.day(person: Scene.person())
    let setup = scene.setup(monitor) {
      $0.monitor.longestWeighing = .minutes(30)
      $0.fencing.arrivalDetection = .posterior
      $0.arrival.decision.threshold = threshold
      $0.arrival.decision.hold = hold
      $0.arrival.asleep.threshold = threshold
      $0.arrival.asleep.hold = hold
    }
    // Approaches are told, too, some of them nearer in time.
    var person = day.person
    person.reminders[0].tiers = [.arrival]
    return try Explanation(
      day.fixes,
      of: person,
      setup,
      day: nil,
      reminder: person.reminders[0],
      at: at
    )
  }

  @Test func `a guard that kept an arrival from being told is named`() throws {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 0)
    let at = scene.now
    scene.visit(1, minutes: 20)
    scene.drive(to: 3_000)
    // The recording begins there: nobody was seen to come.
    let day = try scene.day(person: Scene.person()) { $0.at < at ? nil : $0 }
    let setup = scene.setup(.stream) {
      $0.fencing.arrivalDetection = .posterior
      $0.arrival.decision.threshold = 0.05
      $0.arrival.decision.hold = .seconds(0)
    }
    let explanation = try Explanation(
      day.fixes,
      of: day.person,
      setup,
      day: nil,
      reminder: day.person.reminders[0],
      at: at + .minutes(10)
    )
    #expect(!explanation.outcome.contains("arrival of node/1 was told"), "\(explanation.outcome)")
    let blocked = try #require(Self.text(explanation, "blocked"), "\(explanation.evidence)")
    #expect(blocked.contains("least_motion"), "\(blocked)")
    #expect(explanation.causes.contains { $0.contains("least_motion") }, "\(explanation.causes)")
  }

  @Test func `an arrival that was told again is explained as the ledger has it`() throws {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 0)
    let at = scene.now
    scene.visit(1, minutes: 40)
    scene.drive(to: 3_000)
    // For six minutes of the visit positions lie a few streets away.
    let day = try scene.day(person: Scene.person()) { fix in
      guard at + .minutes(12) <= fix.at, fix.at <= at + .minutes(18) else { return fix }
      return Fix(
        at: fix.at,
        coordinate: Scene.spot(900),
        horizontalAccuracyMeters: fix.horizontalAccuracyMeters,
        speedMetersPerSecond: 0
      )
    }
    let setup = scene.setup(.stream) { $0.fencing.arrivalDetection = .radius }
    let ledger = try DayScore(day, setup, keepsLedger: true).ledger
    let again = try #require(
      ledger.first { $0.subject == .arrival && $0.cause != .correct && $0.cause != .late },
      "\(ledger)"
    )
    let explanation = try Explanation(
      day.fixes,
      of: day.person,
      setup,
      day: day,
      reminder: day.person.reminders[0],
      at: again.at
    )
    #expect(
      explanation.causes.first?.hasPrefix(again.cause.label) ?? false,
      "\(again) \(explanation.causes)"
    )
  }

  /// Somebody who is told of a time on the way, and of nothing else.
  private static func explainTime(
    minutesLater: Double,
    _ change: (inout Reminder) -> Void = { _ in }
  ) throws -> Explanation {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 0)
    let due = scene.now + .minutes(1)
    scene.visit(1, minutes: 100)
    let day = try scene.day(person: Scene.person())
    var person = day.person
    var call = Reminder(id: "call", title: "call", triggers: [.schedule(.instant(due))])
    change(&call)
    person.reminders = [call]
    return try Explanation(
      day.fixes,
      of: person,
      scene.setup(.stream),
      day: nil,
      reminder: call,
      at: due + Milliseconds(Int64(minutesLater * 60_000))
    )
  }

  @Test func `what was told by its time is said to have been told`() throws {
    let told = try Self.explainTime(minutesLater: 2)
    #expect(told.outcome.hasPrefix("call: schedule:"), "\(told.outcome)")
    #expect(told.outcome.contains(" was told at "), "\(told.outcome)")
    #expect(told.causes.contains { $0.contains("its time had come") }, "\(told.causes)")
    let held = try Self.explainTime(minutesLater: 2) {
      $0.conditions = [.signal("charging", is: "true")]
    }
    #expect(held.outcome.contains("nothing was told"), "\(held.outcome)")
    #expect(held.causes.contains { $0.contains("signal_level") }, "\(held.causes)")
  }

  @Test func `what has ended is said to have ended`() throws {
    let spent = try Self.explainTime(minutesLater: 60) { $0.persistence = .once }
    #expect(spent.outcome.contains("nothing was told"), "\(spent.outcome)")
    #expect(spent.causes.contains { $0.contains("it was to speak once, and did at") })
    let quiet = try Self.explainTime(minutesLater: 60)
    #expect(quiet.causes == ["none of its times came within half an hour"])
  }

  @Test func `a reminder that speaks on the way only has reasons for its silence`() throws {
    var scene = Scene([(0, "pharmacy")])
    let home = Scene.noon + .minutes(5)
    scene.stay("home", minutes: 60)
    let leaving = scene.now
    scene.drive(to: 0)
    let arriving = scene.now
    scene.visit(1, minutes: 100)
    func explain(
      _ at: Timestamp,
      miles: Double = 1,
      withTruth: Bool = false,
      _ change: (inout Reminder) -> Void = { _ in },
      spoil: (Fix) -> Fix? = { $0 }
    ) throws -> Explanation {
      var person = Scene.person()
      person.reminders[0].tiers = [.approach(miles: miles)]
      change(&person.reminders[0])
      let day = try scene.day(person: person, spoil: spoil)
      return try Explanation(
        day.fixes,
        of: person,
        scene.setup(),
        day: withTruth ? day : nil,
        reminder: person.reminders[0],
        at: at
      )
    }
    let far = try explain(home)
    #expect(far.outcome.contains("nothing was told"))
    #expect(far.causes.count == 1, "\(far.causes)")
    #expect(
      far.causes[0].hasPrefix("no approach: out of reach: the nearest fix was 33"),
      "\(far.causes)"
    )
    #expect(far.causes[0].hasSuffix("m outside the ring of 1mi"), "\(far.causes)")
    #expect(Self.text(far, "closest")?.hasSuffix("ring 1609 m") ?? false, "\(far.evidence)")
    let said = try explain(arriving + .minutes(60))
    #expect(
      said.causes.first?.hasPrefix("no approach: already said: the ring of 1mi was entered at ")
        ?? false
    )
    #expect(Self.text(said, "inside")?.contains("must hold") == false, "\(said.evidence)")
    let truly = try explain(arriving + .minutes(60), withTruth: true)
    #expect(truly.causes == said.causes)
    let begun = try explain(home, miles: 5)
    #expect(begun.causes.first?.hasPrefix("no approach: hysteresis: ") ?? false, "\(begun.causes)")
    let silent = try explain(arriving) { $0.conditions = [.signal("charging", is: "true")] }
    #expect(
      silent.causes.first?.hasPrefix("no approach: condition: approach:1mi ") ?? false,
      "\(silent.causes)"
    )
    let lost = try explain(arriving + .minutes(50), spoil: { $0.at < leaving ? $0 : nil })
    #expect(lost.causes.first?.hasPrefix("no approach: gap in trace: ") ?? false, "\(lost.causes)")
    let told = try explain(arriving)
    #expect(told.outcome.contains("approach:1mi of node/1 was told"), "\(told.outcome)")
    #expect(told.causes == ["the ring of 1mi was entered, and nothing spoke against it"])
    let muted = try explain(home) { $0.isMuted = true }
    #expect(muted.causes == ["mute: the reminder was muted"])
  }

  @Test func `one fix is no fixes`() throws {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 0)
    let at = scene.now
    scene.visit(1, minutes: 20)
    scene.drive(to: 3_000)
    for (accuracy, label, words) in [
      (10.0, "inside", " 1 fix"), (900, "too poor", "1 fix inside the ring was worse than "),
    ] {
      // One of the visit's fixes, and none else near the place.
      var isSeen = false
      let day = try scene.day(person: Scene.person()) { fix in
        guard fix.coordinate.distanceMeters(to: Scene.spot(0)) < 1_000 else { return fix }
        guard !isSeen, fix.at > at + .minutes(9) else { return nil }
        isSeen = true
        var fix = fix
        fix.horizontalAccuracyMeters = accuracy
        return fix
      }
      #expect(isSeen)
      let explanation = try Explanation(
        day.fixes,
        of: day.person,
        scene.setup(.stream),
        day: nil,
        reminder: day.person.reminders[0],
        at: at + .minutes(10)
      )
      let text = try #require(Self.text(explanation, label), "\(explanation.evidence)")
      #expect(text.contains(words) && !text.contains("1 fixes"), "\(text)")
    }
  }

  private static func text(_ explanation: Explanation, _ label: String) -> String? {
    explanation.evidence.first { $0.label == label }?.text
  }

  @Test(arguments: [
    LocationService.stream, .ideal(slots: 20), .phone(.ios, slots: 20, seed: 3),
  ])
  func `what is called most probable is what a lower threshold would have told`(
    monitor: LocationService
  ) throws {
    var tried = 0
    for minutes in [0.5, 1, 2, 3, 4, 6, 8, 12] {
      let quiet = try Self.explain(minutes: minutes, threshold: 0.99, monitor)
      let probable = try #require(Self.text(quiet, "probable"))
      let peak = try #require(Double(probable.prefix(4)))
      #expect(probable.contains("of pharmacy 1 (node/1)"), "\(probable)")
      #expect(Self.text(quiet, "against")?.contains("bias -") == true)
      let cause = "probable at most, and 0.99"
      #expect(quiet.causes.contains { $0.contains(cause) }, "\(quiet.causes)")
      guard (0.06...0.94).contains(peak) else { continue }
      tried += 1
      let lower = try Self.explain(minutes: minutes, threshold: peak - 0.03, monitor)
      #expect(lower.outcome.contains("arrival of node/1 was told"), "\(minutes): \(lower.outcome)")
      let higher = try Self.explain(minutes: minutes, threshold: peak + 0.03, monitor)
      #expect(!higher.outcome.contains("arrival of node/1"), "\(minutes): \(higher.outcome)")
    }
    #expect(tried >= 3)
  }

  @Test func `what was probable enough for too short a time is told with the time`() throws {
    let quiet = try Self.explain(minutes: 8, threshold: 0.01, hold: .minutes(60))
    #expect(quiet.causes.contains { $0.contains("probable enough for ") }, "\(quiet.causes)")
    #expect(quiet.causes.contains { $0.contains("0.01 must hold for 1h") }, "\(quiet.causes)")
  }

  /// Two stops at places of one kind within the half hour that is looked at, the first of them much the surer one.
  @Test func `a stop is explained by its own evidence`() throws {
    var scene = Scene([(0, "pharmacy"), (2_000, "pharmacy")])
    scene.drive(to: 0)
    let first = scene.now
    scene.visit(1, minutes: 15)
    scene.drive(to: 2_000)
    let second = scene.now
    scene.visit(2, minutes: 3)
    scene.drive(to: 6_000)
    let day = try scene.day(person: Scene.person())
    let setup = scene.setup { $0.fencing.arrivalDetection = .posterior }
    let run = try DayRun(day.fixes, until: day.end, of: day.person, setup)
    let arrivals = run.announcements.filter { $0.tier.kind == .arrival }.map(\.at)
    for (at, point) in [(first + .minutes(1), "node/1"), (second + .minutes(1), "node/2")]
      + arrivals.map({ ($0, $0 < second ? "node/1" : "node/2") })
    {
      let explanation = try Explanation(
        day.fixes,
        of: day.person,
        setup,
        day: day,
        reminder: day.person.reminders[0],
        at: at
      )
      let probable = try #require(Self.text(explanation, "probable"), "\(explanation.evidence)")
      #expect(probable.contains("(\(point))"), "\(at): \(probable)")
    }
    #expect(!arrivals.isEmpty)
  }
}
