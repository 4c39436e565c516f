import Foundation
import NearMeEngine
import Places
import Timeline

/// An engine that is told what happens, minute by minute, and what came of it.
///
/// What does not hold ends the program with a sentence.
struct Check {
  static let start = Timestamp(seconds: 1_767_600_000)

  private(set) var engine = Check.engine(EngineState())
  /// What came of the last event.
  private(set) var effects: [Effect] = []

  private static func engine(_ state: EngineState) -> Engine {
    Engine(
      policy: Policy(),
      zone: .utc,
      catalog: POICatalog([]),
      monitoring: .everyFix,
      state: state
    )
  }

  static func instant(_ minute: Int64) -> Timestamp { start + .minutes(minute) }

  init(_ reminders: [Reminder]) throws {
    try engine.load(places: [], reminders: reminders)
    try send(.launched, 0)
  }

  /// Sends an event, in the form in which a journal keeps it, and looks after the engine's invariants.
  mutating func send(_ kind: Event.Kind, _ minute: Int64) throws {
    let event = Event(at: Self.instant(minute), kind)
    expect(try Self.reread(event) == event, "an event reads back as it was written: \(event)")
    effects = engine.handle(event)
    for effect in effects {
      expect(try Self.reread(effect) == effect, "an effect reads back as it was written: \(effect)")
    }
    for wrong in engine.violations() { expect(false, "\(wrong) at minute \(minute)") }
  }

  /// Ends the process and starts another one with what was stored.
  mutating func restart(_ minute: Int64) throws {
    let state = engine.state
    let again = try Self.reread(state)
    expect(again == state, "the state reads back as it was written")
    engine = Self.engine(again)
    expect(engine.state == state, "an engine takes up its state as it is")
    try send(.launched, minute)
  }

  static func reread<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }

  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  // MARK: What came of it

  /// What was heard, now or by the system itself.
  var heard: [String] {
    effects.compactMap { effect in
      switch effect {
      case .post(let notification), .replace(let notification),
        .record(.presented(let notification)):
        notification.text
      default: nil
      }
    }
  }

  /// Which notifications the system was told to show by itself, in minutes.
  var scheduled: [Int64] {
    effects.compactMap { effect in
      if case .schedule(_, let at) = effect { Self.minute(at) } else { nil }
    }
  }

  var unscheduledCount: Int {
    effects.count { if case .unschedule = $0 { true } else { false } }
  }

  /// What the host was asked to listen to.
  var names: [[String]] {
    effects.compactMap { if case .listen(let names) = $0 { names } else { nil } }
  }

  /// The facts with their steps' names, and what became of them, as they are stored.
  var records: [String] {
    effects.compactMap { effect in
      switch effect {
      case .record(.transition(let fact)): "\(fact.kind.rawValue) \(fact.step.name)"
      case .record(.decision(let decision)):
        switch decision.outcome {
        case .delivered: "delivered \(decision.step.name)"
        case .deferred(let silence, let until):
          "deferred \(decision.step.name) \(silence.rawValue)"
            + (until.map { " until \(Self.minute($0))" } ?? "")
        case .suppressed(let silence): "suppressed \(decision.step.name) \(silence.rawValue)"
        }
      default: nil
      }
    }
  }

  /// The minute at which the engine is to be woken.
  var wake: Int64? { engine.nextTimer.map(Self.minute) }

  private static func minute(_ instant: Timestamp) -> Int64 {
    (instant - start).value / 60_000
  }
}

/// Ends the program with a sentence if something does not hold.
func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) {
  if holds { return }
  FileHandle.standardError.write(Data(("it does not hold that " + sentence() + "\n").utf8))
  exit(1)
}

/// Ends the program if two things differ.
func expect<Value: Equatable>(_ value: Value, is wanted: Value, _ what: String) {
  expect(value == wanted, "\(what) is \(wanted): it is \(value)")
}
