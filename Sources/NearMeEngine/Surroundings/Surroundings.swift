import Timeline

/// The last known level of each signal of the phone.
package struct Surroundings: Hashable, Sendable, Codable {
  /// Whether Do Not Disturb or a Focus is on.
  package var isFocusOn = false
  /// What the app may know of the position; nil is everything.
  package var access: LocationAccess?
  /// The levels that signals have told, in order of their names.
  package private(set) var levels: [Level] = []

  /// The last known level of a signal.
  package struct Level: Hashable, Sendable, Codable {
    package let signal: String
    package let level: String
    /// Since when it has been so without a change.
    package var since: Timestamp
  }

  package init(isFocusOn: Bool = false, access: LocationAccess? = nil, levels: [Level] = []) {
    self.isFocusOn = isFocusOn
    self.access = access
    self.levels = levels
  }

  /// Notes the level that a signal tells, if it tells one.
  package mutating func note(_ signal: Signal, at now: Timestamp) {
    guard let level = signal.level else { return }
    let known = levels.first { $0.signal == signal.name }
    guard known?.level != level else { return }
    levels.removeAll { $0.signal == signal.name }
    levels.append(Level(signal: signal.name, level: level, since: now))
    levels.sort { $0.signal < $1.signal }
  }

  mutating func shiftClock(by span: Milliseconds) {
    for i in levels.indices { levels[i].since = levels[i].since + span }
  }

  /// Whether no position comes while the app sleeps.
  var isBlind: Bool { access.map { $0 != .always } ?? false }
}
