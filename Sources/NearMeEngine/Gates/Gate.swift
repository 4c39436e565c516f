import Timeline

/// One reason for silence, with all that the engine ever asks of it.
///
/// A gate is asked about an occasion; the first in ``Gates/inOrder`` that objects gives the reason.
protocol Gate: Sendable {
  /// What it asks, in a few words.
  var question: String { get }

  /// The names under which it makes an occasion wait.
  var silences: [Silence] { get }

  /// The names of all its objections, also of those after which nothing is waited for.
  var objections: [Silence] { get }

  /// Whether it objects to an occasion; nil lets it pass.
  func objection(to question: Question, _ world: GateWorld) -> Verdict?

  /// Whether what waits for it is to go on waiting, though its instant has not come or it has none.
  func stillHolds(_ waiting: Occasion, at now: Timestamp, _ world: GateWorld) -> Bool

  /// Until when an occasion waits, now that the zone or the reminder may have changed.
  func end(of waiting: Occasion, at now: Timestamp, _ world: GateWorld) -> NewEnd

  /// Until when an occasion waits by a clock that was set.
  func end(of waiting: Occasion, movedBy span: Milliseconds, _ world: GateWorld) -> Timestamp?

  /// What becomes of an occasion that need not wait for it any longer.
  func release(_ occasion: inout Occasion)

  /// Whether what waited for it is told as a summary of what happened meanwhile.
  var endsInSummary: Bool { get }

  /// Whether it ends on the way, as a rule: how far something is, is then not to be said of an old position.
  var endsOnTheWay: Bool { get }
}

/// Until when something waits after a change of local time.
enum NewEnd: Hashable {
  /// As before.
  case unchanged
  /// Up to an instant that is still ahead.
  case at(Timestamp)
  /// The reason has ended.
  case over
}

extension Gate {
  var silences: [Silence] { [] }
  var objections: [Silence] { silences }
  func stillHolds(_ waiting: Occasion, at now: Timestamp, _ world: GateWorld) -> Bool {
    waiting.until != nil
  }
  func end(of waiting: Occasion, at now: Timestamp, _ world: GateWorld) -> NewEnd { .unchanged }
  func end(of waiting: Occasion, movedBy span: Milliseconds, _ world: GateWorld) -> Timestamp? {
    waiting.until.map { $0 + span }
  }
  func release(_ occasion: inout Occasion) {}
  var endsInSummary: Bool { false }
  var endsOnTheWay: Bool { false }
}

/// What is said of an occasion.
package enum Verdict: Hashable {
  case deliver
  /// It takes the place of an older line about the same target, without a sound.
  case renew
  case wait(Silence, until: Timestamp?)
  /// It is over in a moment, and waits for it to be clear whether one has arrived.
  case waitForArrival(Silence, until: Timestamp)
  case silence(Silence)
}

/// An occasion as gates look at it.
struct Question {
  let occasion: Occasion
  /// The reminder that it belongs to.
  let reminder: Reminder
  /// When it is decided.
  let now: Timestamp
  /// When it would be heard: later, for what is caught up with.
  let heardAt: Timestamp
  /// Whether the same step has spoken since it was last left.
  let wasSaid: Bool
  /// Whether it would join a notification that tells of approaches already.
  let joinsApproaches: Bool
  /// Whether a farther tier of the same target is on the screen.
  let isNearerThanShown: Bool
  /// Whether a farther tier of the same target has been told since one came in.
  let isNearerThanSaid: Bool
  /// When it will be clear whether it is still so; nil where it was seen just now.
  let settlesAt: Timestamp?
}

/// What gates may look at besides the occasion.
package struct GateWorld {
  package var policy: Policy {
    _read { yield shared.value }
  }
  private let shared: Shared<Policy>
  package let zone: UTCOffsetTable
  package let roster: Roster
  package let surroundings: Surroundings
  package let cooldowns: Cooldowns
  /// Where conditions ask whether one is.
  package var presences: [Presence] = []
  /// Whether the newest position came so late that it says nothing of the present.
  var isHistory = false

  package init(
    policy: Policy,
    zone: UTCOffsetTable,
    roster: Roster,
    surroundings: Surroundings = Surroundings(),
    cooldowns: Cooldowns = Cooldowns()
  ) {
    self.init(
      Shared(policy),
      zone: zone,
      roster: roster,
      surroundings: surroundings,
      cooldowns: cooldowns
    )
  }

  func presence(at target: Reminder.Target, reminder: String) -> Presence? {
    presences.first { $0.reminder == reminder && $0.target == target }
  }

  init(
    _ policy: Shared<Policy>,
    zone: UTCOffsetTable,
    roster: Roster,
    surroundings: Surroundings,
    cooldowns: Cooldowns
  ) {
    shared = policy
    self.zone = zone
    self.roster = roster
    self.surroundings = surroundings
    self.cooldowns = cooldowns
  }
}

/// All reasons for silence, in the order in which they are asked.
package struct Gates {
  static let inOrder: [any Gate] = [
    StatusGate(), EntitlementGate(), MuteGate(), SnoozeGate(), ConditionGate(), SaidGate(),
    LatenessGate(), QuietHoursGate(), FocusGate(), CooldownGate(), NagGate(),
  ]

  /// The gate that makes an occasion wait under a name.
  private static let bySilence: [Silence: any Gate] = Dictionary(
    uniqueKeysWithValues: inOrder.flatMap { gate in gate.silences.map { ($0, gate) } }
  )

  /// What the gates ask, in their order, with the names of their objections.
  package static let questions = inOrder.map { (asks: $0.question, objections: $0.objections) }

  package let world: GateWorld

  package init(world: GateWorld) { self.world = world }

  /// Asks every gate in turn; the first that objects gives the reason.
  package func judge(
    _ occasion: Occasion,
    at now: Timestamp,
    heardAt: Timestamp,
    wasSaid: Bool,
    joinsApproaches: Bool,
    isNearerThanShown: Bool = false,
    isNearerThanSaid: Bool = false,
    settlesAt: Timestamp? = nil
  ) -> Verdict {
    guard let reminder = world.roster[occasion.reminder] else { return .silence(.deleted) }
    let question = Question(
      occasion: occasion,
      reminder: reminder,
      now: now,
      heardAt: max(now, heardAt),
      wasSaid: wasSaid,
      joinsApproaches: joinsApproaches,
      isNearerThanShown: isNearerThanShown,
      isNearerThanSaid: isNearerThanSaid,
      settlesAt: settlesAt
    )
    for gate in Self.inOrder {
      if let verdict = gate.objection(to: question, world) { return verdict }
    }
    return .deliver
  }

  /// The gate that an occasion waits for.
  static func gate(of waiting: Occasion) -> (any Gate)? {
    waiting.silence.flatMap { bySilence[$0] }
  }

  /// Whether what an occasion waits for is still so, or will end at an instant of its own.
  package func isHeld(_ waiting: Occasion, at now: Timestamp) -> Bool {
    Self.gate(of: waiting)?.stillHolds(waiting, at: now, world) ?? (waiting.until != nil)
  }
}
