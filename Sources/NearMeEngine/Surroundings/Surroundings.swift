/// The last known level of each signal of the phone.
struct Surroundings: Hashable, Sendable {
  /// Whether Do Not Disturb or a Focus is on.
  var isFocusOn = false
  /// What the app may know of the position; nil is everything.
  var access: LocationAccess?

  /// Whether no position comes while the app sleeps.
  var isBlind: Bool { access.map { $0 != .always } ?? false }
}
