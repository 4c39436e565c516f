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
  private let isDelegate: Bool
  /// Who was the delegate before: what is not this host's is passed on.
  private weak var next: (any UNUserNotificationCenterDelegate)?
  private var hasLostAnswers = false

  /// Adds this host's categories to those of the app, and takes the user's answers.
  ///
  /// - Parameters:
  ///   - isDelegate: whether the center's delegate is set, and passes on what is not this host's to the one before; an
  ///     app that is the delegate itself passes answers on, to ``take(_:whenTold:)`` or to its host.
  ///   - label: what is written on the button of an action, by its name.
  public init(
    isDelegate: Bool = true,
    label: @escaping @Sendable (String) -> String = { PhoneNotification.Buttons.label(of: $0) }
  ) {
    self.label = label
    self.isDelegate = isDelegate
    super.init()
    guard isDelegate else { return }
    next = center.delegate
    center.delegate = self
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
    told: @escaping @MainActor @Sendable (PhoneReceipt) -> Void
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
      let receipt = Self.receipt(error)
      Task { @MainActor in told(receipt) }
    }
  }

  private nonisolated static func receipt(_ error: (any Error)?) -> PhoneReceipt {
    guard let error else { return .taken }
    if (error as? UNError)?.code == .notificationsNotAllowed { return .notAllowed }
    return .refused("\(error)")
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
    lookForAnswers()
    center.getPendingNotificationRequests { @Sendable requests in
      let pending = requests.compactMap { Self.id(of: $0) }
      UNUserNotificationCenter.current()
        .getDeliveredNotifications { @Sendable notifications in
          let shown = notifications.compactMap { Self.id(of: $0.request) }
          Task { @MainActor in found(pending, shown) }
        }
    }
  }

  /// An app that becomes the delegate later takes the answers away, and nothing of this host would notice.
  private func lookForAnswers() {
    guard isDelegate, center.delegate !== self, !hasLostAnswers else { return }
    hasLostAnswers = true
    listener?.take(.answersGoElsewhere)
  }

  /// Takes the user's answer to a notification, where the app's delegate is on the main actor.
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

  /// Takes an answer as ``answer(_:)`` reads it, which may go from one actor to another.
  ///
  /// - Parameter done: called when what follows from it has been handed to the system.
  public func take(_ answer: PhoneAnswer, whenTold done: @escaping @MainActor @Sendable () -> Void)
  {
    guard let listener else { return done() }
    listener.take(answer, whenTold: done)
  }

  private nonisolated static func id(of request: UNNotificationRequest) -> String? {
    guard request.identifier.hasPrefix(prefix) else { return nil }
    return String(request.identifier.dropFirst(prefix.count))
  }

  /// How a notification of this host is presented while the app is on the screen; nil for any other.
  public nonisolated static func presentation(
    of notification: UNNotification
  ) -> UNNotificationPresentationOptions? {
    guard id(of: notification.request) != nil else { return nil }
    // What is renewed in silence belongs in the list only.
    return notification.request.content.sound == nil ? [.list] : [.banner, .list, .sound]
  }

  /// Reads the user's answer to a notification of this host; nil for any other.
  public nonisolated static func answer(_ response: UNNotificationResponse) -> PhoneAnswer? {
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

// The center calls back on the main thread: what it hands over stays there, also where it is passed on.
extension UserNotificationCenter: UNUserNotificationCenterDelegate {
  /// Shows notifications while the app is on the screen, too; those of others as the delegate before says.
  public nonisolated func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    willPresent notification: UNNotification,
    withCompletionHandler completionHandler:
      @escaping @Sendable (UNNotificationPresentationOptions) -> Void
  ) {
    if let options = Self.presentation(of: notification) { return completionHandler(options) }
    nonisolated(unsafe) let theirs = notification
    MainActor.assumeIsolated {
      typealias Method = (
        UNUserNotificationCenter, UNNotification,
        @escaping @Sendable (UNNotificationPresentationOptions) -> Void
      ) -> Void
      let method: Method? =
        next?.userNotificationCenter(_:willPresent:withCompletionHandler:)
      // As the system does without a delegate.
      guard let method else { return completionHandler([]) }
      method(self.center, theirs, completionHandler)
    }
  }

  /// Takes the user's answer, before the app may be put to sleep again; those to others go to the delegate before.
  public nonisolated func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping @Sendable () -> Void
  ) {
    if let answer = Self.answer(response) {
      return MainActor.assumeIsolated { take(answer, whenTold: completionHandler) }
    }
    nonisolated(unsafe) let theirs = response
    MainActor.assumeIsolated {
      typealias Method = (
        UNUserNotificationCenter, UNNotificationResponse, @escaping @Sendable () -> Void
      ) -> Void
      let method: Method? = next?.userNotificationCenter(_:didReceive:withCompletionHandler:)
      guard let method else { return completionHandler() }
      method(self.center, theirs, completionHandler)
    }
  }

  /// Passes on that the user wants to see the app's settings.
  public nonisolated func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    openSettingsFor notification: UNNotification?
  ) {
    nonisolated(unsafe) let theirs = notification
    MainActor.assumeIsolated {
      typealias Method = (UNUserNotificationCenter, UNNotification?) -> Void
      let method: Method? = next?.userNotificationCenter(_:openSettingsFor:)
      method?(self.center, theirs)
    }
  }
}
#endif
