/// Something that goes wrong with a phone during a replay, or right again.
///
/// The names are those of the incidents file.
public enum Incident: String, Hashable, Sendable, CaseIterable {
  /// The system ends the process; its regions stay, and the next crossing starts it again.
  case killed
  /// The person opens the app.
  case launched
  /// Location only while the app is in use: no region wakes it any more.
  case permissionReduced = "permission_while_in_use"
  /// Location always, as at the beginning.
  case permissionGranted = "permission_always"
  /// Location services are switched off.
  case servicesOff = "services_off"
  /// Location services are switched on again.
  case servicesOn = "services_on"
}
