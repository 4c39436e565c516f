import Basics
import Crypto
import LiveHost
import Timeline

/// Whom a push service can ask about our pushes: `mailto:` or https.
///
/// Apple's answers 403 to one whose host is not of the Internet; others do not look.
package struct VAPIDContact: Hashable, Sendable {
  /// The address, as it goes into the token.
  package let text: String

  /// Reads `mailto:anna@example.org` or `https://example.org`.
  ///
  /// - Throws: `.usage` for anything else, and for hosts without a dot or under names that the Internet
  ///   does not have (RFC 6761, RFC 6762).
  package init(_ text: String) throws(HostFailure) {
    let host: Substring?
    if text.hasPrefix("mailto:") {
      host = try? MailAddress(String(text.dropFirst(7))).host
    } else if text.hasPrefix("https://") {
      host = text.dropFirst(8).prefix { $0 != "/" && $0 != ":" && $0 != "?" }
    } else {
      host = nil
    }
    guard let host, Self.isOfTheInternet(host.lowercased()),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"\\@".utf8.contains($0) || $0 == 0x40 })
    else {
      throw HostFailure(
        .usage,
        "push contact \(text): an address that exists is needed, as mailto:anna@example.org: Apple refuses "
          + "localhost, .local and .invalid"
      )
    }
    self.text = text
  }

  private static func isOfTheInternet(_ host: String) -> Bool {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    let unknown = ["localhost", "local", "invalid", "test", "internal", "lan", "home", "arpa"]
    guard labels.count > 1, let last = labels.last, !unknown.contains(String(last)) else {
      return false
    }
    return labels.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isNameByte) }
      && !last.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}

/// The server's key pair for pushes: kept for ever, as browsers subscribe to it and to no other.
///
/// - Source: RFC 8292.
package struct VAPIDKey: Sendable {
  private let key: P256.Signing.PrivateKey

  /// Makes a new one.
  package init() { key = P256.Signing.PrivateKey() }

  /// Reads the stored form.
  ///
  /// - Throws: `.badInput` for what is no such key.
  package init(stored: String) throws(HostFailure) {
    guard let bytes = Base64URL.decode(stored),
      let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
    else {
      throw HostFailure(
        .badInput,
        "push key: it is damaged: restore it from a backup; with a new one, every browser has to subscribe "
          + "again"
      )
    }
    self.key = key
  }

  /// The stored form, a secret: 32 bytes as base64url.
  package var stored: String { Base64URL.encode(key.rawRepresentation) }

  /// What a page gives to `pushManager.subscribe` as `applicationServerKey`: 65 bytes as base64url.
  package var publicText: String { Base64URL.encode(key.publicKey.x963Representation) }

  /// The header by which a push service knows us, good for 12 hours (RFC 8292 allows 24).
  ///
  /// - Parameter origin: of the push service.
  func authorization(
    origin: String,
    contact: VAPIDContact,
    now: Timestamp
  ) throws -> HTTPRequest.Header {
    var claims = JSONText()
    claims.add("aud", origin)
    claims.add("exp", Int((now + .minutes(12 * 60)).milliseconds / 1_000))
    claims.add("sub", contact.text)
    let header = #"{"typ":"JWT","alg":"ES256"}"#
    let signed = [header, claims.closed].map { Base64URL.encode($0.utf8) }.joined(separator: ".")
    let signature = try key.signature(for: Array(signed.utf8))
    return HTTPRequest.Header(
      "Authorization",
      "vapid t=\(signed).\(Base64URL.encode(signature.rawRepresentation)), k=\(publicText)"
    )
  }
}
