import Timeline

/// The last known level of each signal of the phone.
package struct Surroundings: Hashable, Sendable, Codable {
  /// Whether Do Not Disturb or a Focus is on.
  package var isFocusOn = false
  /// What the app may know of the position; nil is everything.
  package var access: LocationAccess?
  /// The levels that signals have told, in order of their names.
  package private(set) var levels: [Level] = []
  /// What is known of the battery; nil if nothing was ever told of it.
  private var power: PowerState?

  /// The last known level of a signal.
  package struct Level: Hashable, Sendable, Codable {
    package let signal: String
    package let level: String
    /// Since when it has been so without a change.
    package var since: Timestamp
    /// Since when it has said yes, or no, without a change; nil: since then.
    package var sideSince: Timestamp?
  }

  package init(isFocusOn: Bool = false, access: LocationAccess? = nil, levels: [Level] = []) {
    self.isFocusOn = isFocusOn
    self.access = access
    self.levels = levels
  }

  /// Notes the level that a signal tells, if it tells one.
  ///
  /// - Parameter isListenedTo: whether some reminder listens to a signal: then it is never forgotten.
  package mutating func note(
    _ signal: Signal,
    at now: Timestamp,
    isListenedTo: (String) -> Bool = { _ in false }
  ) {
    guard let level = signal.level else { return }
    let known = levels.first { $0.signal == signal.name }
    guard known?.level != level else { return }
    levels.removeAll { $0.signal == signal.name }
    var new = Level(signal: signal.name, level: level, since: now)
    if let known, Signal.saysNo(known.level) == Signal.saysNo(level) {
      new.sideSince = known.sideSince ?? known.since
    }
    let idle = levels.filter {
      !isListenedTo($0.signal) && !Signal.namesOfPower.contains($0.signal)
    }
    if idle.count >= Self.mostLevels, let oldest = idle.min(by: Self.isForgottenBefore) {
      levels.removeAll { $0.signal == oldest.signal }
    }
    levels.append(new)
    levels.sort { $0.signal < $1.signal }
  }

  /// An app may make up a name for each of its signals; of more than this many that nothing listens to, the one that has
  /// been the same for longest is forgotten, as if it had never been told.
  ///
  /// - Source: judgment: several times what a phone has to tell.
  private static let mostLevels = 256

  private static func isForgottenBefore(_ a: Level, _ b: Level) -> Bool {
    (a.since, a.signal) < (b.since, b.signal)
  }

  /// What is done without for the battery's sake.
  var powerLevel: PowerLevel { power?.level ?? .normal }

  /// Takes in what signals have told of the battery.
  ///
  /// - Returns: the level of saving, if it has changed.
  mutating func followPower(_ policy: Policy.Power) -> PowerLevel? {
    var next = power ?? PowerState()
    let hasChanged = next.follow(policy) { level(of: $0) }
    power = next
    return hasChanged ? next.level : nil
  }

  /// The last known level of a signal; nil if it never told one.
  func level(of signal: String) -> String? {
    if signal == "focus" { return isFocusOn ? "on" : "off" }
    return levels.first { $0.signal == signal }?.level
  }

  /// Since when a signal has had its level or, to those who ask for yes or no only, has said so.
  func since(_ signal: String, isYesOrNo: Bool) -> Timestamp? {
    guard let level = levels.first(where: { $0.signal == signal }) else { return nil }
    return isYesOrNo ? level.sideSince ?? level.since : level.since
  }

  mutating func shiftClock(by span: Milliseconds) {
    for i in levels.indices {
      levels[i].since = levels[i].since + span
      levels[i].sideSince = levels[i].sideSince.map { $0 + span }
    }
  }

  /// Whether no position comes while the app sleeps.
  var isBlind: Bool { access.map { $0 != .always } ?? false }
}
