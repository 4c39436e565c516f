/// What is counted, if the user agrees (NM-9.1): the name and the instant, nothing else.
///
/// No title, no place, no coordinate: a record of it has no field for one. The names are those of the
/// requirement.
public enum AnalyticsEvent: String, Hashable, Sendable, Codable, CaseIterable {
  /// A reminder was made.
  case taskCreated = "task_created"
  /// A place was made.
  case placeAdded = "place_added"
  /// A region was registered with the system; safe circles are not counted.
  case geofenceRegistered = "geofence_registered"
  /// A notification was shown; silent updates are not counted.
  case nudgeShown = "nudge_shown"
  /// A reminder was done.
  case taskCompleted = "task_completed"
  /// A reminder was snoozed.
  case snoozeSelected = "snooze_selected"
}
