/// What an app may know of the position.
///
/// The names are part of the replay's output.
public enum LocationAccess: String, Hashable, Sendable, Codable, CaseIterable {
  /// Also while it sleeps.
  case always
  /// Only while it is on the screen: no region wakes it.
  case whileInUse = "while_in_use"
  /// No position is to be had: location services are switched off, or the app may not use them, or has not asked yet.
  case servicesOff = "services_off"
}
