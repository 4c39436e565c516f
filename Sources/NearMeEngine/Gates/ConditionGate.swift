import Timeline

/// A reminder speaks only while all its conditions hold; what happens before waits until they can.
///
/// What could hold at an instant that is known, or whose change is noticed while the occasion lasts, is
/// waited for. What is over in a moment is not told later, but for a stop where it is still being weighed whether one has
/// arrived: who gets out of the car at home is there before an arrival is found.
struct ConditionGate: Gate {
  let question = "do its conditions hold?"
  var silences: [Silence] {
    [.outsideWindow, .outsideDates, .notInside, .notOutside, .signalLevel, .notLongEnough]
  }

  func objection(to question: Question, _ world: GateWorld) -> Verdict? {
    let (reminder, occasion) = (question.reminder, question.occasion)
    if let open = openQuestion(of: reminder, on: occasion, at: question.now, world) { return open }
    // What was due a while ago is heard only now: the later of the two counts.
    let verdict =
      objection(of: reminder, at: question.now, world)
      ?? objection(of: reminder, at: question.heardAt, world)
    if case .wait(let silence, let until) = verdict, occasion.key.isMomentary {
      // What is told again does not come back with the next day's hours.
      let isOld =
        occasion.nags > 0
        && until.map { $0 - question.now > LatenessGate.momentNewsSpan } ?? false
      if until == nil || isOld { return .silence(silence) }
    }
    return verdict
  }

  func stillHolds(_ waiting: Occasion, at now: Timestamp, _ world: GateWorld) -> Bool {
    guard let reminder = world.roster[waiting.reminder] else { return false }
    if waiting.awaitsOutcome {
      return openQuestion(of: reminder, on: waiting, at: now, world) != nil
    }
    guard case .wait(_, let until) = objection(of: reminder, at: now, world) else { return false }
    // Where the end has become known, it waits anew.
    return until == nil || until == waiting.until
  }

  func end(of waiting: Occasion, at now: Timestamp, _ world: GateWorld) -> NewEnd {
    if waiting.awaitsOutcome {
      let isOpen = world.roster[waiting.reminder]
        .map { openQuestion(of: $0, on: waiting, at: now, world) != nil }
      return isOpen ?? false ? .unchanged : .over
    }
    guard let reminder = world.roster[waiting.reminder],
      case .wait(_, let until) = objection(of: reminder, at: now, world)
    else { return .over }
    return until.map { .at($0) } ?? .unchanged
  }

  func end(of waiting: Occasion, movedBy span: Milliseconds, _ world: GateWorld) -> Timestamp? {
    waiting.awaitsOutcome ? waiting.until.map { $0 + span } : waiting.until
  }

  /// What is over in a moment waits for the outcome of an arrival that may be under way, where its conditions hang on it.
  ///
  /// - Returns: nil where nothing does, and after a few minutes.
  private func openQuestion(
    of reminder: Reminder,
    on occasion: Occasion,
    at now: Timestamp,
    _ world: GateWorld
  ) -> Verdict? {
    let end = occasion.at + Presence.longestOpen
    guard occasion.key.isMomentary, now < end else { return nil }
    let asThingsStand = objection(of: reminder, at: now, world)
    let onceThere = objection(of: reminder, at: now, world, takesOpenArrivals: true)
    guard (asThingsStand == nil) != (onceThere == nil) else { return nil }
    return .waitForArrival(asThingsStand == nil ? .notOutside : .notInside, until: end)
  }

  /// What is said while one of the conditions does not hold; nil while all do.
  ///
  /// - Parameter takesOpenArrivals: whether one is taken to have arrived where that is still being weighed.
  private func objection(
    of reminder: Reminder,
    at instant: Timestamp,
    _ world: GateWorld,
    takesOpenArrivals: Bool = false
  ) -> Verdict? {
    if reminder.conditions.isEmpty { return nil }
    var asked = ConditionQuestion(reminder: reminder.id, at: instant, world: world)
    asked.takesOpenArrivals = takesOpenArrivals
    switch asked.all(reminder.conditions, negated: false) {
    case .holds: return nil
    case .fails(let silence, let until): return .wait(silence, until: until)
    case .never(let silence): return .silence(silence)
    }
  }
}

/// Whether a condition holds.
enum ConditionLevel: Hashable {
  case holds
  /// It does not, and cannot before an instant; nil where that is not known.
  case fails(Silence, until: Timestamp?)
  /// It will not any more.
  case never(Silence)
}

extension Reminder {
  /// Whether its conditions can never hold together from an instant on, or not when its reasons come: the days and hours
  /// that they name have nothing in common, they ask for opposites, or one is to be at what one leaves.
  ///
  /// Where one is and what the phone says may be anything.
  ///
  /// - Complexity: at most 500 changes of a condition are looked at. Hours of a week that have anything in common have it
  ///   within a week, which has some dozens of changes; to days that are far away it is one step.
  public func canNeverSpeak(from start: Timestamp, in zone: UTCOffsetTable) -> Bool {
    if conditions.askForOpposites { return true }
    let parts = conditions.flatMap(\.partsThatMustHold)
    let leavesAll = triggers.allSatisfy {
      if case .leave(let target) = $0 { parts.contains(.inside(target)) } else { false }
    }
    if !triggers.isEmpty, leavesAll { return true }
    return firstHolding(
      from: start,
      GateWorld(policy: Policy(), zone: zone, roster: Roster())
    ) == nil
  }

  /// The first instant at which its conditions may hold together, wherever one is and whatever the phone says; nil if
  /// there is none.
  ///
  /// - Complexity: as ``canNeverSpeak(from:in:)``.
  func firstHolding(from start: Timestamp, _ world: GateWorld) -> Timestamp? {
    var now = start
    for _ in 0..<500 {
      var asked = ConditionQuestion(reminder: id, at: now, world: world)
      asked.assumesTheBest = true
      switch asked.all(conditions, negated: false) {
      case .holds: return now
      case .never: return nil
      case .fails(_, let until):
        guard let until, until > now else { return nil }
        now = until
      }
    }
    return nil
  }
}

extension [Condition] {
  /// Whether two of them, all of which must hold, say the opposite of one place or signal.
  fileprivate var askForOpposites: Bool {
    let parts = flatMap(\.partsThatMustHold)
    return parts.contains { one in
      switch one {
      case .inside(let target): parts.contains(.outside(target))
      case .signal(let name, let level):
        parts.contains { other in
          guard case .signal(name, let wanted) = other else { return false }
          return Signal.exclude(level, wanted)
        }
      case .not(let part): parts.contains(part)
      default: false
      }
    }
  }
}

extension Condition {
  /// What it asks for at once: itself, or all of its list.
  fileprivate var partsThatMustHold: [Condition] {
    if case .all(let parts) = self { parts.flatMap(\.partsThatMustHold) } else { [self] }
  }
}

/// A reminder's conditions, asked at an instant.
struct ConditionQuestion {
  let reminder: String
  let at: Timestamp
  let world: GateWorld
  /// Whether everything but the time is taken to be as it is wanted.
  var assumesTheBest = false
  /// Whether one is taken to have arrived where that is still being weighed.
  var takesOpenArrivals = false

  init(reminder: String, at instant: Timestamp, world: GateWorld) {
    self.reminder = reminder
    at = instant
    self.world = world
  }

  /// All of them; or, negated, that not all hold.
  func all(_ conditions: [Condition], negated: Bool) -> ConditionLevel {
    let levels = conditions.map { level(of: $0, negated: negated) }
    return negated ? Self.any(levels) : Self.all(levels)
  }

  /// A level, negated as far down as there is something to negate.
  func level(of condition: Condition, negated: Bool) -> ConditionLevel {
    switch condition {
    case .inside(let target): level(of: target, isWanted: !negated)
    case .outside(let target): level(of: target, isWanted: negated)
    case .signal(let name, let wanted):
      assumesTheBest || isAt(name, wanted) != negated ? .holds : .fails(.signalLevel, until: nil)
    case .lasting(let part, let span): level(of: part, for: span, negated: negated)
    case .window(let window): level(of: window, negated: negated)
    case .dates(let from, let until): level(from: from, until: until, negated: negated)
    case .all(let parts): all(parts, negated: negated)
    case .any(let parts):
      negated
        ? Self.all(parts.map { level(of: $0, negated: true) })
        : Self.any(parts.map { level(of: $0, negated: false) })
    case .not(let part): level(of: part, negated: !negated)
    }
  }

  private static func all(_ levels: [ConditionLevel]) -> ConditionLevel {
    var found = ConditionLevel.holds
    for level in levels {
      switch (found, level) {
      case (_, .never): return level
      case (.holds, .fails): found = level
      // What is not known in advance is waited for first; of two instants, the later one.
      case (.fails(_, let old?), .fails(_, let new)) where new.map({ $0 > old }) ?? true:
        found = level
      default: continue
      }
    }
    return found
  }

  private static func any(_ levels: [ConditionLevel]) -> ConditionLevel {
    var found: ConditionLevel?
    for level in levels {
      switch (found, level) {
      case (_, .holds): return .holds
      case (nil, _), (.never, .fails): found = level
      case (.fails(let silence, let old), .fails(_, let new)):
        found = .fails(silence, until: earliest(old, new))
      default: continue
      }
    }
    return found ?? .holds
  }

  private func level(of window: WeeklyWindow, negated: Bool) -> ConditionLevel {
    let isOpen = window.contains(at, in: world.zone)
    guard isOpen == negated else { return .holds }
    let until =
      isOpen
      ? window.closing(after: at, in: world.zone) : window.opening(after: at, in: world.zone)
    return .fails(.outsideWindow, until: until)
  }

  private func level(from: CivilDate?, until: CivilDate?, negated: Bool) -> ConditionLevel {
    let begin = from.map { world.zone.instant(of: $0, minuteOfDay: 0) }
    let end = until.map { world.zone.endOfDay($0) }
    let hasBegun = begin.map { $0 <= at } ?? true
    let isOver = end.map { $0 <= at } ?? false
    if negated {
      guard hasBegun, !isOver else { return .holds }
      return end.map { .fails(.outsideDates, until: $0) } ?? .never(.expired)
    }
    if isOver { return .never(.expired) }
    return hasBegun ? .holds : .fails(.outsideDates, until: begin)
  }

  private func level(of target: Reminder.Target, isWanted: Bool) -> ConditionLevel {
    let presence = world.presence(at: target, reminder: reminder)
    let isOpen = takesOpenArrivals && presence?.openUntil.map { at < $0 } ?? false
    let isThere = isOpen || presence?.isThere ?? false
    if assumesTheBest || isThere == isWanted { return .holds }
    return .fails(isWanted ? .notInside : .notOutside, until: nil)
  }

  private func level(
    of part: Condition,
    for span: Milliseconds,
    negated: Bool
  ) -> ConditionLevel {
    if assumesTheBest { return .holds }
    let now = level(of: part, negated: false)
    let lasted = since(of: part).map { $0 + span }
    let holds = now == .holds && lasted.map { $0 <= at } ?? false
    guard holds == negated else { return .holds }
    if negated { return .fails(.notLongEnough, until: nil) }
    return now == .holds ? .fails(.notLongEnough, until: lasted) : now
  }

  private func since(of part: Condition) -> Timestamp? {
    switch part {
    case .inside(let target): world.presence(at: target, reminder: reminder)?.since
    case .signal(let name, let wanted):
      world.surroundings.since(name, isYesOrNo: wanted == "true" || wanted == "false")
    default: nil
    }
  }

  private func isAt(_ name: String, _ wanted: String) -> Bool {
    let level = world.surroundings.level(of: name)
    switch wanted {
    case "true": return !Signal.saysNo(level)
    case "false": return Signal.saysNo(level)
    default: return level == wanted
    }
  }
}

/// Whether one is at a target that a condition asks about.
package struct Presence: Hashable, Sendable {
  package let reminder: String
  package let target: Reminder.Target
  package let isThere: Bool
  /// Since when, where that was seen.
  package let since: Timestamp?
  /// Up to when an arrival may still be found; nil where one is there, is not near, or has not been seen to move.
  package let openUntil: Timestamp?

  /// For so long after the last motion an arrival may still be found.
  ///
  /// - Source: judgment: half of all arrivals are found within two minutes (docs/arrival.md), and after five it is no news
  ///   that the phone has said something.
  static let longestOpen = Milliseconds.minutes(5)
}
