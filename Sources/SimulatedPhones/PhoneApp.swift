import Timeline
import Traces

/// An app on a phone that measures, queues and sends, by its documented behavior.
///
/// It is told what the receiver measures and what its requests are answered; it says what it sends. Time comes from
/// its caller, and nothing in it is random, so that a day is the same each time.
package protocol PhoneApp: Sendable {
  /// Takes in what the receiver measured; fixes come in order of time.
  mutating func take(_ fix: Fix)

  /// What it sends now: none while it waits, several where the app sends several at once.
  ///
  /// Each of them is answered with ``answered(_:_:at:)`` before this is asked again.
  mutating func nextRequests(at now: Timestamp) -> [OutgoingRequest]

  /// Takes in what a request came to.
  mutating func answered(_ id: Int, _ answer: Answer, at now: Timestamp)

  /// The system ends the app and starts it again; what was queued is on the phone's disk.
  mutating func restart(at now: Timestamp)

  /// When it sends or does something without a new fix; nil: never.
  var nextInstant: Timestamp? { get }

  /// How many messages wait to be sent.
  var waitingCount: Int { get }
}

/// A request that an app sends.
package struct OutgoingRequest: Hashable, Sendable {
  /// The message it carries: a repeat has the same one.
  package let id: Int
  /// The method, `POST` or `GET`.
  package let method: String
  /// The path with the query.
  package let path: String
  /// The header fields in order; without `Host` and `Content-Length`, which belong to the connection.
  package let headers: [Header]
  /// The body.
  package let body: [UInt8]
  /// What it says of positions to one who knows the app: what a server must make of it, in order of time.
  package let fixes: [Fix]

  /// A header field.
  package struct Header: Hashable, Sendable {
    /// Its name.
    package let name: String
    /// Its value.
    package let value: String

    /// Makes one.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }
}

extension OutgoingRequest {
  /// A message of OwnTracks, on either system.
  init(_ message: Message, to account: Account, userAgent: String) {
    self.init(
      id: message.id,
      method: "POST",
      path: account.path,
      headers: [
        Header("Content-Type", "application/json"), account.basic,
        Header("X-Limit-U", account.user), Header("X-Limit-D", account.device),
        Header("User-Agent", userAgent),
      ],
      body: message.body,
      fixes: message.fixes
    )
  }
}

/// What came of a request.
package enum Answer: Hashable, Sendable {
  /// A server answered.
  case status(Int, body: [UInt8])
  /// No answer came: it was lost on the way, in one direction or the other.
  case none

  /// Whether it says that the request was taken: 200 to 299.
  package var isSuccess: Bool { if case .status(200...299, _) = self { true } else { false } }

  /// The body as text; empty where there was none.
  var text: String {
    if case .status(_, let body) = self { String(decoding: body, as: UTF8.self) } else { "" }
  }
}

/// How a phone is let in.
package struct Account: Hashable, Sendable {
  /// The user of Basic authentication.
  package var user: String
  /// Its password, ASCII.
  package var password: String
  /// The token of Bearer authentication.
  package var token: String
  /// The path to post to, with its secret where the app cannot send any header.
  package var path: String
  /// The name that the app gives the phone.
  package var device: String

  /// Makes one.
  package init(user: String, password: String, token: String, path: String, device: String) {
    self.user = user
    self.password = password
    self.token = token
    self.path = path
    self.device = device
  }

  var basic: OutgoingRequest.Header {
    OutgoingRequest.Header("Authorization", "Basic " + base64(Array("\(user):\(password)".utf8)))
  }

  var bearer: OutgoingRequest.Header { OutgoingRequest.Header("Authorization", "Bearer \(token)") }
}

/// Bytes as base64 of RFC 4648.
func base64(_ bytes: [UInt8]) -> String {
  let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var text: [UInt8] = []
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    var bits = 0
    for i in 0..<3 { bits = bits << 8 | (start + i < bytes.count ? Int(bytes[start + i]) : 0) }
    for i in 0..<4 {
      text.append(i <= group.count ? letters[bits >> (18 - 6 * i) & 63] : UInt8(ascii: "="))
    }
  }
  return String(decoding: text, as: UTF8.self)
}
