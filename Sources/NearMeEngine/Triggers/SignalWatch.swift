import Timeline

/// Watches what the phone says: which signals some reminder listens to.
struct SignalWatch: Sendable {
  /// What survives.
  struct State: Hashable, Sendable, Codable {
    /// The ids of the newest signals, oldest first: the same id twice is one happening.
    var heard: [String] = []
    /// What the host was asked to listen to, in order.
    var asked: [String] = []
  }

  /// A reminder's trigger that listens.
  private struct Listener {
    let reminder: String
    let trigger: Int
  }

  var state: State
  /// The triggers that listen to a signal, by its name; nothing walks through it.
  private var listeners: [String: [Listener]] = [:]
  /// What is listened to, in order.
  private var names: [String] = []
  /// Triggers that were looked at; a signal touches only those that listen to it.
  private(set) var touched = 0

  init(_ state: State) { self.state = state }

  /// So many ids are remembered.
  ///
  /// - Source: hosts repeat what they could not deliver within one wake, which is far fewer.
  static let mostHeard = 64

  /// Takes up the triggers of the reminders that are to be done.
  mutating func follow(_ roster: Roster) {
    listeners = [:]
    for reminder in roster.reminders where reminder.status == .active {
      for (i, trigger) in reminder.triggers.enumerated() {
        guard case .signal(let name) = trigger else { continue }
        listeners[name, default: []].append(Listener(reminder: reminder.id, trigger: i))
      }
    }
    names = listeners.keys.sorted()
  }

  /// What the host is to listen to from now on; nil if that is what it was asked before.
  mutating func namesToAsk() -> [String]? {
    guard names != state.asked else { return nil }
    state.asked = names
    return names
  }

  /// Whether a signal has been taken in before.
  func hasHeard(_ signal: Signal) -> Bool { state.heard.contains(Self.mark(signal)) }

  /// Names and ids may hold blanks: the length keeps "a b" and "c" apart from "a" and "b c".
  private static func mark(_ signal: Signal) -> String {
    "\(signal.name.utf8.count) \(signal.name) \(signal.id)"
  }

  /// Takes in a signal that is new.
  mutating func take(_ signal: Signal, at now: Timestamp) -> [Fact] {
    state.heard.append(Self.mark(signal))
    if state.heard.count > Self.mostHeard { state.heard.removeFirst() }
    let listening = listeners[signal.name] ?? []
    touched += listening.count
    return listening.map { listener in
      Fact(
        key: OccasionKey(
          reminder: listener.reminder,
          trigger: listener.trigger,
          happening: .edge(name: signal.name, id: signal.id)
        ),
        kind: .edge,
        at: now
      )
    }
  }

  /// A signal is news for a moment; what must wait is over before it is told.
  func isStillTrue(_ key: OccasionKey) -> Bool { false }
}
