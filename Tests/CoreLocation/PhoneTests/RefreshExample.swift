import NearMeCoreLocation

extension Reminders {
  /// For SwiftUI's `backgroundTask(.appRefresh("reminders"))`: returns when all that is due is the system's.
  func refresh() async {
    host.tick()
    await withCheckedContinuation { told in host.whenTold { told.resume() } }
  }
}
