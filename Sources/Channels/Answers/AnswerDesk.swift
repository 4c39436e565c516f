import LiveHost
import NearMeEngine
import Timeline

/// A button of a notification.
package struct AnswerButton: Hashable, Sendable {
  /// What stands on it.
  package let label: String
  /// What it does.
  package let action: AnswerAction
  /// Its token, for channels that bring back a text and not a request.
  package let token: String
  /// Where a press is posted to; by GET, this address does nothing.
  package let url: String

  /// Makes a button.
  package init(label: String, action: AnswerAction, token: String, url: String) {
    self.label = label
    self.action = action
    self.token = token
    self.url = url
  }
}

/// Makes the buttons of notifications.
package protocol AnswerMinting: Sendable {
  /// The buttons of a notification, the most wanted first, and the address of its page, which shows on GET
  /// and acts only on POST.
  func buttons(
    for notification: ReminderNotification,
    channel: String
  ) throws -> (buttons: [AnswerButton], page: String)
}

/// The buttons of one person's notifications; their tokens are on the shelf before anybody sees them.
package struct AnswerDesk: AnswerMinting {
  private let person: String
  private let origin: String
  private let tokens: AnswerTokens
  private let shelf: any TokenShelf
  private let lifetime: Milliseconds

  /// Makes it.
  ///
  /// - Parameter origin: what stands before every address, such as `https://near.example.org`: scheme,
  ///   host and, behind a proxy, a path, without a slash at its end.
  package init(
    person: String,
    origin: String,
    tokens: AnswerTokens,
    shelf: any TokenShelf,
    lifetime: Milliseconds = AnswerTokens.usualLifetime
  ) {
    self.person = person
    self.origin = origin.hasSuffix("/") ? String(origin.dropLast()) : origin
    self.tokens = tokens
    self.shelf = shelf
    self.lifetime = lifetime
  }

  /// The buttons, posted to `ORIGIN/a/TOKEN`, and the page, `ORIGIN/n/TOKEN`.
  package func buttons(
    for notification: ReminderNotification,
    channel: String
  ) throws -> (buttons: [AnswerButton], page: String) {
    var shelved: [ShelvedToken] = []
    func mint(_ action: AnswerAction) -> String {
      let subject = AnswerSubject(
        person: person,
        notification: notification.id,
        shownAt: notification.at,
        reminders: notification.members.map(\.reminder),
        action: action,
        channel: channel,
        text: notification.text,
        mapLink: action == .open ? notification.mapLink : nil,
        mapPage: action == .open ? notification.mapPage : nil
      )
      let token = tokens.token(for: subject)
      // Counted from when it was shown, so that an attempt of later prolongs nothing.
      shelved.append(
        ShelvedToken(hash: token.hash, subject: subject, expires: notification.at + lifetime)
      )
      return token.text
    }
    let buttons = AnswerAction.offered(for: notification)
      .map { action in
        let token = mint(action)
        return AnswerButton(
          label: action.label,
          action: action,
          token: token,
          url: "\(origin)/a/\(token)"
        )
      }
    let page = "\(origin)/n/\(mint(.open))"
    try shelf.put(shelved)
    return (buttons, page)
  }
}
