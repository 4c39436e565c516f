import Timeline

/// Watches what the phone says: which signals some reminder listens to.
struct SignalWatch: Sendable {
  /// What survives.
  struct State: Hashable, Sendable, Codable {
    /// The ids of the newest signals, oldest first: the same id twice is one happening.
    var heard: [String] = []
    /// What the host was asked to listen to, in order.
    var asked: [String] = []
    /// What was over in a moment and was told last, one for each reminder, in order of their ids: a snooze
    /// says it again.
    var said: [Occasion] = []
  }

  /// A reminder's trigger that listens.
  private struct Listener {
    let reminder: String
    let trigger: Int
    let from: String?
    let to: String?

    /// Whether a signal is what it listens to.
    ///
    /// Where no level is named, a signal with levels counts when it begins: from one that says no, or none
    /// that is known, to one that does not. So a battery that is full is not plugged in again.
    func isMeant(_ signal: Signal, before: String?) -> Bool {
      // What was opened is no level that lasts: the same app may be opened again.
      if signal.name == Signal.appOpened { return to == nil || to == signal.level }
      if let from, from != before { return false }
      if let to { return signal.level == to && before != to }
      guard let level = signal.level else { return true }
      return from == nil ? Signal.saysNo(before) && !Signal.saysNo(level) : level != before
    }
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
        guard case .signal(let name, let from, let to) = trigger else { continue }
        listeners[name, default: []]
          .append(Listener(reminder: reminder.id, trigger: i, from: from, to: to))
      }
      // Whose level matters is listened to as well, though nothing is said when it is heard.
      for name in reminder.conditions.signals where name != "focus" {
        listeners[name, default: []] += []
      }
    }
    state.said.removeAll { roster[$0.reminder]?.status.isOver ?? true }
    names = listeners.keys.sorted()
  }

  /// Whether some reminder waits for a signal, or asks for its level.
  func listens(to name: String) -> Bool { listeners[name] != nil }

  /// A new process of the host listens to nothing yet.
  mutating func forgetAsked() { state.asked = [] }

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
  ///
  /// - Parameter before: the level that was known before it.
  mutating func take(_ signal: Signal, before: String?, at now: Timestamp) -> [Fact] {
    state.heard.append(Self.mark(signal))
    if state.heard.count > Self.mostHeard { state.heard.removeFirst() }
    let listening = listeners[signal.name] ?? []
    touched += listening.count
    return listening.filter { $0.isMeant(signal, before: before) }
      .map { listener in
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

  /// Notes what was told of a moment.
  mutating func markSaid(_ occasion: Occasion) {
    guard occasion.key.isMomentary else { return }
    state.said.removeAll { $0.reminder == occasion.reminder }
    state.said.append(occasion)
    state.said.sort { $0.reminder < $1.reminder }
  }

  /// Has what was told of a reminder's moments count as told of those numbers that its triggers have after an edit; of a
  /// trigger that is gone nothing is said again.
  mutating func renumber(_ reminder: String, _ numbers: [Int: Int]) {
    state.said = state.said.compactMap { occasion in
      guard occasion.reminder == reminder else { return occasion }
      guard let number = numbers[occasion.key.trigger] else { return nil }
      var kept = occasion
      kept.renumber(number)
      return kept
    }
  }

  /// Which trigger of a reminder was told last of its moments, where that was a step; nil if it was another.
  func lastTold(reminder: String, step: Step) -> Int? {
    state.said.last { $0.reminder == reminder && $0.step == step }?.key.trigger
  }

  /// What a reminder was last told of a moment, to be said again.
  func lastSaid(reminder: String, at now: Timestamp) -> [Occasion] {
    state.said.filter { $0.reminder == reminder }
      .map { Occasion($0.key, at: now, spot: $0.spot, isRepeat: true) }
  }
}
