// Linux: against the signatures in Tests/CoreLocation.
#if canImport(UserNotifications) && (os(iOS) || os(Linux))
import Foundation
import NearMe
import UserNotifications

/// Notifications by `UNUserNotificationCenter`.
@MainActor
public final class UserNotificationCenter: NSObject, NotificationService {
  /// Requests of this host begin with this, among those of the app.
  private nonisolated static let prefix = "nearme/"
  private nonisolated static let remindersKey = "nearme.reminders"
  private nonisolated static let mapKey = "nearme.map"

  /// Who is told what happens.
  public weak var listener: (any PhoneListener)?
  private let center = UNUserNotificationCenter.current()
  private let label: @Sendable (String) -> String
  private var hasSetCategories = false

  /// Adds this host's categories to those of the app, and takes the user's answers.
  ///
  /// - Parameters:
  ///   - isDelegate: whether the center's delegate is set; an app that is the delegate itself passes answers
  ///     on to ``take(_:)``.
  ///   - label: what is written on the button of an action, by its name.
  public init(
    isDelegate: Bool = true,
    label: @escaping @Sendable (String) -> String = { PhoneNotification.Buttons.label(of: $0) }
  ) {
    self.label = label
    super.init()
    if isDelegate { center.delegate = self }
  }

  /// Adds this host's categories to those that are set, unless they are there.
  ///
  /// Categories can be set as a whole only, so those that the app sets between the two steps would be lost: it is
  /// done when the main actor is free, which at a launch is after the app has set its own, and again whenever
  /// the app comes to the screen, should it have set them without these since.
  private func addCategories() {
    let (label, isFirst) = (label, !hasSetCategories)
    hasSetCategories = true
    Task { @MainActor in
      // The center calls back on a queue of its own: without the word, Swift 6.1 takes each closure for the main actor's.
      center.getNotificationCategories { @Sendable old in
        let ours = Self.categories(label)
        let names = Set(ours.map(\.identifier))
        let others = old.filter { !names.contains($0.identifier) }
        guard isFirst || old.count - others.count < ours.count else { return }
        UNUserNotificationCenter.current().setNotificationCategories(others.union(ours))
      }
    }
  }

  /// The categories of this host, for an app that sets its own later.
  public nonisolated static func categories(
    _ label: (String) -> String = { PhoneNotification.Buttons.label(of: $0) }
  ) -> Set<UNNotificationCategory> {
    Set(
      PhoneNotification.Buttons.allCases.map { buttons in
        UNNotificationCategory(
          identifier: buttons.rawValue,
          actions: buttons.actions.map {
            UNNotificationAction(
              identifier: $0,
              title: label($0),
              options: $0 == "open_map" ? [.foreground] : []
            )
          },
          intentIdentifiers: [],
          options: [.customDismissAction]
        )
      }
    )
  }

  /// Asks the user whether notifications may be shown.
  public func ask() {
    center.requestAuthorization(options: [.alert, .sound]) { @Sendable _, _ in }
  }

  /// Shows a notification, now or at an instant.
  public func show(
    _ notification: PhoneNotification,
    at instant: Timestamp?,
    told: @escaping @MainActor @Sendable (Bool) -> Void
  ) {
    let content = UNMutableNotificationContent()
    content.title = notification.title ?? ""
    content.body = notification.text
    content.categoryIdentifier = notification.buttons.rawValue
    var info: [AnyHashable: Any] = [Self.remindersKey: notification.reminders]
    info[Self.mapKey] = notification.mapLink
    content.userInfo = info
    content.sound = notification.isSilent ? nil : .default
    content.interruptionLevel = notification.isSilent ? .passive : .active
    let request = UNNotificationRequest(
      identifier: Self.prefix + notification.id,
      content: content,
      trigger: instant.map(Self.trigger)
    )
    center.add(request) { @Sendable error in
      let hasTaken = error == nil
      Task { @MainActor in told(hasTaken) }
    }
  }

  /// At an instant by the clock, in whole seconds and never before it, whatever zone the phone goes to.
  private static func trigger(at instant: Timestamp) -> UNNotificationTrigger {
    let second = (instant + Milliseconds(999)).wholeSeconds
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    var components = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second],
      from: Timestamp(seconds: second).date
    )
    components.calendar = calendar
    components.timeZone = .gmt
    return UNCalendarNotificationTrigger(dateMatching: components, repeats: false)
  }

  /// Takes notifications away, shown or to come.
  public func remove(_ ids: [String]) {
    let identifiers = ids.map { Self.prefix + $0 }
    center.removePendingNotificationRequests(withIdentifiers: identifiers)
    center.removeDeliveredNotifications(withIdentifiers: identifiers)
  }

  /// Finds what the system holds of this host's, and sees to it that it has the buttons.
  public func standing(
    _ found: @escaping @MainActor @Sendable (_ pending: [String], _ shown: [String]) -> Void
  ) {
    addCategories()
    center.getPendingNotificationRequests { @Sendable requests in
      let pending = requests.compactMap { Self.id(of: $0) }
      UNUserNotificationCenter.current()
        .getDeliveredNotifications { @Sendable notifications in
          let shown = notifications.compactMap { Self.id(of: $0.request) }
          Task { @MainActor in found(pending, shown) }
        }
    }
  }

  /// Takes the user's answer to a notification.
  ///
  /// - Parameter done: called when what follows from it has been handed to the system; what the system's delegate calls
  ///   to say that the app may be put to sleep.
  /// - Returns: whether it was one of this host's; else `done` is not called.
  @discardableResult
  public func take(
    _ response: UNNotificationResponse,
    whenTold done: (@MainActor @Sendable () -> Void)? = nil
  ) -> Bool {
    guard let answer = Self.answer(response) else { return false }
    take(answer, whenTold: done ?? {})
    return true
  }

  private func take(_ answer: PhoneAnswer, whenTold done: @escaping @MainActor @Sendable () -> Void)
  {
    guard let listener else { return done() }
    listener.take(.answered(answer))
    listener.whenTold(done)
  }

  private nonisolated static func id(of request: UNNotificationRequest) -> String? {
    guard request.identifier.hasPrefix(prefix) else { return nil }
    return String(request.identifier.dropFirst(prefix.count))
  }

  private nonisolated static func answer(_ response: UNNotificationResponse) -> PhoneAnswer? {
    let request = response.notification.request
    guard let id = id(of: request),
      let reminders = request.content.userInfo[remindersKey] as? [String]
    else { return nil }
    let choice: PhoneAnswer.Choice =
      switch response.actionIdentifier {
      case UNNotificationDefaultActionIdentifier: .opened
      case UNNotificationDismissActionIdentifier: .dismissed
      default: .button(response.actionIdentifier)
      }
    return PhoneAnswer(
      notification: id,
      reminders: reminders,
      mapLink: request.content.userInfo[mapKey] as? String,
      choice: choice
    )
  }
}

// The center calls back on the main thread.
extension UserNotificationCenter: UNUserNotificationCenterDelegate {
  /// Shows notifications while the app is on the screen, too.
  public nonisolated func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    willPresent notification: UNNotification,
    withCompletionHandler completionHandler:
      @escaping @Sendable (UNNotificationPresentationOptions) -> Void
  ) {
    // What is renewed in silence belongs in the list only.
    let isSilent = notification.request.content.sound == nil
    completionHandler(isSilent ? [.list] : [.banner, .list, .sound])
  }

  /// Takes the user's answer, before the app may be put to sleep again.
  public nonisolated func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping @Sendable () -> Void
  ) {
    guard let answer = Self.answer(response) else { return completionHandler() }
    MainActor.assumeIsolated { take(answer, whenTold: completionHandler) }
  }
}
#endif
