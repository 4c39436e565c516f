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

  /// What it means to the person, and what still works.
  public var sentence: String {
    switch self {
    case .always: "The position is known again: all reminders work"
    case .whileInUse:
      "The position is known only while the app is open: until it may always look, reminders about places keep silent; "
        + "times and signals still work"
    case .servicesOff:
      "The position is not known: until location services are on, reminders about places keep silent; times and signals "
        + "still work"
    }
  }
}
