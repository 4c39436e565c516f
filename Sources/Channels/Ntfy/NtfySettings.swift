import Foundation
import LiveHost

/// A topic of an ntfy server.
package struct NtfySettings: Hashable, Sendable {
  /// How the server knows us.
  package enum Credentials: Hashable, Sendable {
    /// It need not.
    case none
    /// An access token, `tk_…`.
    case token(String)
    /// A name and a password.
    case password(user: String, password: String)

    /// The header; nil where there is none.
    var header: HTTPRequest.Header? {
      switch self {
      case .none: nil
      case .token(let token): HTTPRequest.Header("Authorization", "Bearer \(token)")
      case .password(let user, let password):
        HTTPRequest.Header(
          "Authorization",
          "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        )
      }
    }
  }

  /// The server.
  package let server: ServiceAddress
  /// The topic: who knows it can read along, unless the server asks for credentials.
  package let topic: String
  /// How the server knows us.
  package let credentials: Credentials
  /// Whether the server can replace and delete what it sent, as ntfy 2.16 and later can; nil to find out
  /// from its answers.
  package let canReplace: Bool?

  /// Makes settings.
  ///
  /// - Throws: `.usage` for a topic that ntfy does not take: up to 64 letters, digits, `-` and `_`.
  package init(
    server: ServiceAddress,
    topic: String,
    credentials: Credentials = .none,
    canReplace: Bool? = nil
  ) throws(HostFailure) {
    guard (1...64).contains(topic.utf8.count), topic.utf8.allSatisfy(isNameByte) else {
      throw HostFailure(
        .usage,
        "ntfy topic \(topic): 1 to 64 letters, digits, hyphens and underscores are needed"
      )
    }
    self.server = server
    self.topic = topic
    self.credentials = credentials
    self.canReplace = canReplace
  }
}

/// Whether a byte is a letter, a digit, `-` or `_`.
func isNameByte(_ byte: UInt8) -> Bool {
  (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x2D
    || byte == 0x5F
}
