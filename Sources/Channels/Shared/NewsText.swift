import Crypto
import NearMeEngine

/// How much noise a notification makes.
package enum Loudness: Hashable, Sendable {
  /// None: it changes what is shown.
  case quiet
  /// The phone's usual.
  case usual
  /// As for a message: the moment passes.
  case prompt

  /// That of new news: there, or a time or a signal that has come, is prompt; on the way, still there and a
  /// summary can be read a little later.
  package init(_ kind: NotificationKind) {
    self =
      switch kind {
      case .arrival, .scheduled, .leave, .signal: .prompt
      case .approach, .postArrival, .summary: .usual
      }
  }
}

/// What a channel says.
struct NewsText: Hashable, Sendable {
  /// The line over it; nil where the notification has none.
  var title: String?
  /// The sentences, a line each.
  var body: String

  init(_ notification: ReminderNotification) {
    title = notification.headline
    body = notification.lines.joined(separator: "\n")
  }

  /// With a title in any case: where there is no headline, the first sentence.
  var titled: (title: String, body: String) {
    if let title { return (title, body) }
    let lines = body.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(lines[0]), lines.count > 1 ? String(lines[1]) : "")
  }
}

/// What a withdrawal says on channels that cannot take anything away.
let withdrawnText = "No longer needed."

/// The longest beginning of a text for which something made of it is short enough; an ellipsis says that
/// it was cut, and no character is torn apart.
///
/// - Parameter make: makes what is sent of a text; a longer text never gives less.
/// - Returns: nil if it is too long even without any text.
func cut<Made>(
  _ text: String,
  isShortEnough: (Made) -> Bool,
  make: (String) -> Made
) -> Made? {
  let whole = make(text)
  if isShortEnough(whole) { return whole }
  // No message of any channel has more characters than that.
  let characters = Array(text.prefix(8_192))
  var (fits, tooLong) = (-1, characters.count + 1)
  var best: Made?
  while tooLong - fits > 1 {
    let middle = (fits + tooLong) / 2
    let made = make(middle == 0 ? "" : String(characters[..<middle]) + "…")
    if isShortEnough(made) {
      (fits, best) = (middle, made)
    } else {
      tooLong = middle
    }
  }
  return best
}

/// A name for a notification that outsiders may see: 128 bits of a hash over the person and the id, as 22
/// characters of base64url, which every service takes for a tag or a topic.
func publicName(person: String, notification: String) -> String {
  var bytes = Array("nearme tag 1".utf8)
  bytes += [UInt8](String(person.utf8.count).utf8) + [0x3A] + Array(person.utf8)
  bytes += Array(notification.utf8)
  return Base64URL.encode(SHA256.hash(data: bytes).prefix(16))
}
