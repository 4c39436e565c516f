import Crypto
import Foundation

/// A word that nobody can guess, and what is kept of it.
package enum Secret {
  /// A new one of 160 random bits, in letters and digits that no link or form has to escape.
  ///
  /// - Source: RFC 4648, section 6, in lower case; ASCII, as OwnTracks for iOS sends no other password.
  package static func make() -> String {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    var generator = SystemRandomNumberGenerator()
    return String((0..<32).map { _ in alphabet[Int.random(in: 0..<32, using: &generator)] })
  }

  /// What is kept of it; a word of 160 random bits needs no slow function.
  package static func hash(_ secret: some StringProtocol) -> Data {
    Data(SHA256.hash(data: Data(secret.utf8)))
  }

  /// Whether two are the same, in a time that does not say where they differ.
  static func areEqual(_ one: Data, _ other: Data) -> Bool {
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
