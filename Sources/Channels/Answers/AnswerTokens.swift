import Crypto
import LiveHost
import NearMeEngine
import Timeline

/// What one token stands for.
package struct AnswerSubject: Hashable, Sendable, Codable {
  /// Whose notification.
  package let person: String
  /// The notification's id.
  package let notification: String
  /// When the notification was shown: the same id that comes again later has other tokens, so that a
  /// press of yesterday does not make today's "already done".
  package let shownAt: Timestamp
  /// The reminders that are answered, in the notification's order.
  package let reminders: [String]
  /// What becomes of them.
  package private(set) var action: AnswerAction
  /// By which way the button went out: the name of an ``AnswerWay``.
  package let channel: String
  /// What the notification said when the button went out: its pages show this and nothing of later; nil: it was made
  /// before that was kept.
  package let text: String?
  /// Where the map opens, as a link for map apps and as a web page; of the notification's own page alone, and nil where
  /// no place is meant.
  package let mapLink, mapPage: String?

  /// Makes it.
  package init(
    person: String,
    notification: String,
    shownAt: Timestamp,
    reminders: [String],
    action: AnswerAction,
    channel: String,
    text: String? = nil,
    mapLink: String? = nil,
    mapPage: String? = nil
  ) {
    self.person = person
    self.notification = notification
    self.shownAt = shownAt
    self.reminders = reminders
    self.action = action
    self.channel = channel
    self.text = text
    self.mapLink = mapLink
    self.mapPage = mapPage
  }
}

/// The ways by which buttons go out, as tokens name them.
package enum AnswerChannel: String, Hashable, Sendable, CaseIterable {
  case ntfy, mail, telegram
  case webPush = "web-push"
  case homeAssistant = "home-assistant"
}

extension AnswerSubject {
  /// What another button of the same notification stands for.
  package func with(_ action: AnswerAction) -> AnswerSubject {
    var other = self
    other.action = action
    return other
  }

  /// Whether another button does the same to the same news, by whatever way it went out.
  package func isLike(_ other: AnswerSubject) -> Bool {
    (person, notification, shownAt) == (other.person, other.notification, other.shownAt)
      && (reminders, action) == (other.reminders, other.action)
  }
}

/// A secret in an address or a button: 128 bits, which say nothing by themselves.
package struct AnswerToken: Hashable, Sendable {
  /// Twenty-two characters of base64url.
  package let text: String
  /// What is stored of it.
  package let hash: TokenHash

  fileprivate init(bytes: [UInt8]) {
    text = Base64URL.encode(bytes)
    hash = TokenHash(bytes: Array(SHA256.hash(data: bytes)))
  }

  /// Reads what came back; nil for what no token looks like.
  package init?(_ text: String) {
    guard text.utf8.count == 22, let bytes = Base64URL.decode(text), bytes.count == 16 else {
      return nil
    }
    self.init(bytes: bytes)
  }
}

/// The SHA-256 of a token's bytes: who reads the database can answer nothing by it.
package struct TokenHash: Hashable, Sendable {
  /// Thirty-two bytes.
  package let bytes: [UInt8]

  /// Makes it of what was stored; nil unless these are 32 bytes.
  package init?(stored bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  fileprivate init(bytes: [UInt8]) { self.bytes = bytes }
}

/// Makes tokens: the same subject always has the same one, so that a delivery that is tried again, perhaps
/// after a restart, shows the buttons that the first attempt may have shown.
package struct AnswerTokens: Sendable {
  /// How long a token is good where nobody says otherwise: until the evening of the next day.
  package static let usualLifetime = Milliseconds.minutes(36 * 60)

  private let key: SymmetricKey

  /// Makes it.
  ///
  /// - Parameter secret: the server's own random bytes, kept for ever: with others, the buttons that are
  ///   out there stop working.
  /// - Throws: `.usage` for fewer than 32 bytes.
  package init(secret: [UInt8]) throws(HostFailure) {
    guard secret.count >= 32 else {
      throw HostFailure(.usage, "answer secret: 32 random bytes are needed, not \(secret.count)")
    }
    key = SymmetricKey(data: secret)
  }

  /// The token of a subject: HMAC-SHA256 over its parts but the text and the map, cut to 128 bits (RFC 2104, section 5).
  package func token(for subject: AnswerSubject) -> AnswerToken {
    var bytes = Array("nearme answer 1".utf8)
    // Each part with its length before it, so that no two subjects are one text.
    func add(_ part: String) {
      let count = UInt32(part.utf8.count)
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
      bytes += Array(part.utf8)
    }
    add(subject.person)
    add(subject.notification)
    add(String(subject.shownAt.milliseconds))
    add(String(subject.reminders.count))
    for reminder in subject.reminders { add(reminder) }
    add(subject.action.name)
    add(subject.channel)
    let code = HMAC<SHA256>.authenticationCode(for: bytes, using: key)
    return AnswerToken(bytes: Array(code.prefix(16)))
  }
}
