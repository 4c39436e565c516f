import Crypto
import Foundation
import LiveHost

/// A browser that has agreed to be pushed to.
package struct PushSubscription: Hashable, Sendable {
  /// Where its push service takes messages for it.
  package let endpoint: String
  /// The browser's public key, 65 bytes.
  package let publicKey: [UInt8]
  /// The secret that it shares with us, 16 bytes.
  package let secret: [UInt8]

  /// Why a subscription is of no use, by a name to count.
  package enum Refusal: String, Error, Hashable, Sendable {
    /// No JSON of a subscription, or more than 4 kB.
    case malformed = "subscription_malformed"
    /// The address is not https, or more than the origin and the path of a push service.
    case endpoint = "subscription_endpoint"
    /// The key is no point of P-256 in 65 bytes.
    case key = "subscription_key"
    /// The secret does not have 16 bytes.
    case secret = "subscription_secret"
  }

  private struct Form: Decodable {
    struct Keys: Decodable {
      let p256dh: String
      let auth: String
    }
    let endpoint: String
    let keys: Keys
  }

  /// Reads what `JSON.stringify` makes of a browser's `PushSubscription`.
  ///
  /// Whether the address leads to the Internet is looked at with each push, on the number that is
  /// connected to: a name may be given another one at any time.
  ///
  /// - Parameter recipients: others than strangers are for tests, whose push service is on this machine.
  package init(json: [UInt8], recipients: Recipients = .strangers) throws(Refusal) {
    guard json.count <= 4_096, let form = try? JSONDecoder().decode(Form.self, from: Data(json))
    else { throw .malformed }
    guard Self.origin(of: form.endpoint, recipients) != nil else { throw .endpoint }
    guard let key = Base64URL.decode(form.keys.p256dh), key.count == 65, key[0] == 4,
      (try? P256.KeyAgreement.PublicKey(x963Representation: key)) != nil
    else { throw .key }
    guard let secret = Base64URL.decode(form.keys.auth), secret.count == 16 else { throw .secret }
    endpoint = form.endpoint
    publicKey = key
    self.secret = secret
  }

  /// It as JSON, in the form that is read.
  package var json: String {
    // The endpoint was checked to be without quotes and backslashes.
    "{\"endpoint\":\"\(endpoint)\",\"keys\":{\"p256dh\":\"\(Base64URL.encode(publicKey))\","
      + "\"auth\":\"\(Base64URL.encode(secret))\"}}"
  }

  /// Scheme, host and port of the push service, as a token for it names them (RFC 6454).
  package var origin: String {
    // It was read with an origin; both kinds of it are looked for here.
    Self.origin(of: endpoint, .anyoneSecurely) ?? ""
  }

  /// Whether it is Safari: there `tag` replaces nothing, and each push is one more notification.
  var isApple: Bool {
    let host = origin.dropFirst("https://".count)
    return host == "push.apple.com" || host.hasSuffix(".push.apple.com")
  }

  private static func origin(of endpoint: String, _ recipients: Recipients) -> String? {
    let isPlain = recipients != .strangers && endpoint.hasPrefix("http://")
    guard endpoint.utf8.count <= 2_048, endpoint.hasPrefix("https://") || isPlain,
      endpoint.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"\\@#<>^`{|}".utf8.contains($0) })
    else { return nil }
    let scheme = isPlain ? "http://" : "https://"
    let host = endpoint.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
    let isHost = host.utf8.allSatisfy { isNameByte($0) || ".:[]".utf8.contains($0) }
    guard let first = host.first, first != ":", first != ".", isHost else { return nil }
    let name = host.lowercased()
    return scheme + (name.hasSuffix(":443") && !isPlain ? String(name.dropLast(4)) : name)
  }
}
