/// Why the app was woken.
///
/// The names are part of the replay's output.
public enum WakeCause: String, Hashable, Sendable, Codable, CaseIterable {
  /// It left a region.
  case regionExit = "region_exit"
  /// It came into a region.
  case regionEnter = "region_enter"
  /// The system noticed a larger move.
  case significantChange = "significant_change"
  /// The system noticed an arrival or a departure.
  case visit
  /// The instant that the engine asked for came.
  case scheduled
  /// The app was started.
  case launch
  /// The next position, which the engine had asked for.
  case fix
}
