// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Signatures of User Notifications as their public documentation gives them, as far as NearMeCoreLocation uses
// them. What is optional for a delegate is required here, so that a slip in a signature does not go unseen.
import Foundation

public struct UNAuthorizationOptions: OptionSet, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  public static let badge = Self(rawValue: 1)
  public static let sound = Self(rawValue: 2)
  public static let alert = Self(rawValue: 4)
}

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  public static let badge = Self(rawValue: 1)
  public static let sound = Self(rawValue: 2)
  public static let list = Self(rawValue: 8)
  public static let banner = Self(rawValue: 16)
}

public struct UNNotificationActionOptions: OptionSet, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  public static let foreground = Self(rawValue: 4)
}

public struct UNNotificationCategoryOptions: OptionSet, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  public static let customDismissAction = Self(rawValue: 1)
}

public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

public struct UNError: Error {
  public enum Code: Int, Sendable {
    case notificationsNotAllowed = 1
    case attachmentInvalidURL = 100
    case notificationInvalidNoDate = 1_400
  }

  public let code: Code

  public init(_ code: Code) { self.code = code }
}

public enum UNNotificationInterruptionLevel: UInt, Sendable {
  case passive, active, timeSensitive, critical
}

public final class UNNotificationSound: NSObject {
  public class var `default`: UNNotificationSound { UNNotificationSound() }
}

public class UNNotificationContent: NSObject {
  public fileprivate(set) var content = Content()

  public struct Content {
    public var title = ""
    public var body = ""
    public var categoryIdentifier = ""
    public var userInfo: [AnyHashable: Any] = [:]
    public var sound: UNNotificationSound?
    public var interruptionLevel = UNNotificationInterruptionLevel.active
  }

  public var userInfo: [AnyHashable: Any] { content.userInfo }
  public var sound: UNNotificationSound? { content.sound }
}

public final class UNMutableNotificationContent: UNNotificationContent {
  public var title: String {
    get { content.title }
    set { content.title = newValue }
  }
  public var body: String {
    get { content.body }
    set { content.body = newValue }
  }
  public var categoryIdentifier: String {
    get { content.categoryIdentifier }
    set { content.categoryIdentifier = newValue }
  }
  public override var userInfo: [AnyHashable: Any] {
    get { content.userInfo }
    set { content.userInfo = newValue }
  }
  public override var sound: UNNotificationSound? {
    get { content.sound }
    set { content.sound = newValue }
  }
  public var interruptionLevel: UNNotificationInterruptionLevel {
    get { content.interruptionLevel }
    set { content.interruptionLevel = newValue }
  }
}

public class UNNotificationTrigger: NSObject {}

public final class UNTimeIntervalNotificationTrigger: UNNotificationTrigger {
  public let timeInterval: TimeInterval

  public init(timeInterval: TimeInterval, repeats: Bool) { self.timeInterval = timeInterval }
}

public final class UNCalendarNotificationTrigger: UNNotificationTrigger {
  public let dateComponents: DateComponents

  public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
    self.dateComponents = dateComponents
  }
}

public final class UNNotificationRequest: NSObject {
  public let identifier: String
  public let content: UNNotificationContent
  public let trigger: UNNotificationTrigger?

  public init(
    identifier: String,
    content: UNNotificationContent,
    trigger: UNNotificationTrigger?
  ) {
    self.identifier = identifier
    self.content = content
    self.trigger = trigger
  }
}

public final class UNNotification: NSObject {
  public let request: UNNotificationRequest

  public init(request: UNNotificationRequest) { self.request = request }
}

public final class UNNotificationResponse: NSObject {
  public let notification: UNNotification
  public let actionIdentifier: String

  public init(notification: UNNotification, actionIdentifier: String) {
    self.notification = notification
    self.actionIdentifier = actionIdentifier
  }
}

public final class UNNotificationAction: NSObject {
  public let identifier: String

  public init(identifier: String, title: String, options: UNNotificationActionOptions = []) {
    self.identifier = identifier
  }
}

public final class UNNotificationCategory: NSObject {
  public let identifier: String
  public let actions: [UNNotificationAction]

  public init(
    identifier: String,
    actions: [UNNotificationAction],
    intentIdentifiers: [String],
    options: UNNotificationCategoryOptions = []
  ) {
    self.identifier = identifier
    self.actions = actions
  }
}

public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
  func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    willPresent notification: UNNotification,
    withCompletionHandler completionHandler:
      @escaping @Sendable (UNNotificationPresentationOptions) -> Void
  )
  func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping @Sendable () -> Void
  )
  func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    openSettingsFor notification: UNNotification?
  )
}

/// Remembers what it was given, and shows nothing.
public final class UNUserNotificationCenter: NSObject {
  private static nonisolated(unsafe) let one = UNUserNotificationCenter()

  public weak var delegate: (any UNUserNotificationCenterDelegate)?
  /// Of this stub alone.
  public var pending: [UNNotificationRequest] = []
  public var delivered: [UNNotificationRequest] = []
  public var categories: Set<UNNotificationCategory> = []
  public var log: [String] = []
  /// Why nothing is taken.
  public var refusal: UNError?

  public class func current() -> UNUserNotificationCenter { one }

  public func requestAuthorization(
    options: UNAuthorizationOptions = [],
    completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    log.append("ask")
    completionHandler(true, nil)
  }

  public func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
    self.categories = categories
  }

  public func getNotificationCategories(
    completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void
  ) {
    completionHandler(categories)
  }

  public func add(
    _ request: UNNotificationRequest,
    withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    removePendingNotificationRequests(withIdentifiers: [request.identifier])
    removeDeliveredNotifications(withIdentifiers: [request.identifier])
    if let refusal {
      completionHandler?(refusal)
      return
    }
    if request.trigger == nil { delivered.append(request) } else { pending.append(request) }
    completionHandler?(nil)
  }

  public func getPendingNotificationRequests(
    completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void
  ) {
    completionHandler(pending)
  }

  public func getDeliveredNotifications(
    completionHandler: @escaping @Sendable ([UNNotification]) -> Void
  ) {
    completionHandler(delivered.map(UNNotification.init))
  }

  public func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
    pending.removeAll { identifiers.contains($0.identifier) }
  }

  public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
    delivered.removeAll { identifiers.contains($0.identifier) }
  }
}
