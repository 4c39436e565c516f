import NearMeCoreLocation

extension Reminders {
  /// For SwiftUI's `backgroundTask(.appRefresh("reminders"))`: returns when all that is due is the system's, or when the
  /// system takes the time back.
  func refresh() async { await host.refresh() }
}
