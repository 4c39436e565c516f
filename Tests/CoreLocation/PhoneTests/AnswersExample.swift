import Foundation
import NearMeCoreLocation
import UserNotifications

/// The delegate of an app whose phone is `.coreLocation(isDelegate: false)`; the app keeps it.
@MainActor final class Answers: NSObject, UNUserNotificationCenterDelegate {
  private let host: PhoneHost

  init(_ host: PhoneHost) {
    self.host = host
    super.init()
    UNUserNotificationCenter.current().delegate = self
  }

  nonisolated func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    willPresent notification: UNNotification,
    withCompletionHandler completionHandler:
      @escaping @Sendable (UNNotificationPresentationOptions) -> Void
  ) {
    // Nil is one of the app's own.
    completionHandler(UserNotificationCenter.presentation(of: notification) ?? [.banner])
  }

  nonisolated func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping @Sendable () -> Void
  ) {
    guard let answer = UserNotificationCenter.answer(response) else { return completionHandler() }
    MainActor.assumeIsolated { host.take(answer, whenTold: completionHandler) }
  }
}
