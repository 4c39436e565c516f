import NearMe

/// A notification as the system is to show it.
public struct PhoneNotification: Hashable, Sendable {
  /// Which buttons it has.
  public enum Buttons: String, Hashable, Sendable, CaseIterable {
    /// About one reminder at a place: all.
    case place = "nearme.place"
    /// About one reminder at no place: all but the map.
    case plain = "nearme.plain"
    /// About several: what can be meant of all of them, to snooze.
    case several = "nearme.several"

    /// The actions, by the names of ``ReminderNotification/actions``, those that matter most first.
    public var actions: [String] {
      switch self {
      case .place: ReminderNotification.actions
      case .plain: ReminderNotification.actions.filter { $0 != "open_map" }
      case .several: ReminderNotification.actions.filter { $0.hasPrefix("snooze:") }
      }
    }

    /// What is written on the button of an action, in English.
    public static func label(of action: String) -> String {
      switch action {
      case "complete": "Done"
      case "snooze:15m": "In 15 minutes"
      case "snooze:1h": "In an hour"
      case "snooze:today": "Not today"
      case "open_map": "Open map"
      case "mute": "Mute"
      default: action
      }
    }
  }

  /// Identity: it takes the place of one with the same id.
  public let id: String
  /// The line over the text; nil for none.
  public let title: String?
  /// What it says, a line for each reminder.
  public let text: String
  /// The ids of the reminders that it is about.
  public let reminders: [String]
  /// Where the map opens; nil where no place is meant.
  public let mapLink: String?
  /// Which buttons it has.
  public let buttons: Buttons
  /// Whether it comes without a sound.
  public let isSilent: Bool

  /// Makes a notification.
  public init(
    id: String,
    title: String? = nil,
    text: String,
    reminders: [String],
    mapLink: String? = nil,
    buttons: Buttons,
    isSilent: Bool = false
  ) {
    self.id = id
    self.title = title
    self.text = text
    self.reminders = reminders
    self.mapLink = mapLink
    self.buttons = buttons
    self.isSilent = isSilent
  }

  /// Makes what the system shows of what the engine tells.
  public init(_ news: ReminderNotification, isSilent: Bool = false) {
    id = news.id
    title = news.headline
    text = news.lines.joined(separator: "\n")
    var reminders: [String] = []
    for member in news.members where !reminders.contains(member.reminder) {
      reminders.append(member.reminder)
    }
    self.reminders = reminders
    mapLink = news.mapLink
    buttons = reminders.count > 1 ? .several : mapLink == nil ? .plain : .place
    self.isSilent = isSilent
  }
}

extension ReminderNotification {
  /// Whether it tells of where one is or was, which is no news for long; what was due at a time is still to be done.
  var isOfPlace: Bool {
    switch head.step {
    case .tier, .leave: true
    case .schedule, .signal: false
    }
  }
}

/// A link to a place as an iPhone opens it, of one such as `geo:18.34,-64.95`, which its maps do not take; nil for any
/// other link.
///
/// - Source: Apple's map links, parameter `ll`.
public func mapLinkForApple(_ link: String) -> String? {
  guard link.hasPrefix("geo:") else { return nil }
  let parts = link.dropFirst(4).split(separator: ",", omittingEmptySubsequences: false)
  guard parts.count == 2, parts.allSatisfy({ Double($0)?.isFinite ?? false }) else { return nil }
  return "https://maps.apple.com/?ll=\(parts[0]),\(parts[1])&q=\(parts[0]),\(parts[1])"
}

/// What became of a notification that was handed to the system.
public enum PhoneReceipt: Hashable, Sendable {
  /// The system has taken it.
  case taken
  /// The user does not let the app show notifications.
  case notAllowed
  /// The system did not take it, for a reason in its words.
  case refused(String)
}

/// What the user did with a notification.
public struct PhoneAnswer: Hashable, Sendable {
  /// What was done.
  public enum Choice: Hashable, Sendable {
    /// The notification itself was tapped.
    case opened
    /// It was swiped away.
    case dismissed
    /// A button was pressed, by the name of its action.
    case button(String)
  }

  /// The id of the notification.
  public let notification: String
  /// The ids of the reminders that it is about.
  public let reminders: [String]
  /// Where the map opens; nil where no place is meant.
  public let mapLink: String?
  /// What was done.
  public let choice: Choice

  /// Makes an answer.
  public init(notification: String, reminders: [String], mapLink: String?, choice: Choice) {
    self.notification = notification
    self.reminders = reminders
    self.mapLink = mapLink
    self.choice = choice
  }

  /// What it means to each of the reminders; nil where it means nothing to them.
  var action: ReminderAction? {
    switch choice {
    // The system takes a notification away whatever the user does with it.
    case .opened, .button("open_map"), .dismissed: .dismiss
    case .button("complete"): .complete
    case .button("mute"): .mute
    case .button("snooze:today"): .snoozeToday
    case .button(let name):
      name.hasPrefix("snooze:")
        ? Milliseconds(String(name.dropFirst(7))).map { .snoozeFor($0) } : nil
    }
  }
}
