import Crypto
import Foundation

/// Messages that only one browser can read: `aes128gcm` with one record.
///
/// - Source: RFC 8291 for the keys, RFC 8188 for the form.
package enum PushEncryption {
  /// What goes before the text: salt, size of records, the sender's key with its length.
  private static let headerBytes = 16 + 4 + 1 + 65
  private static let recordBytes = 4_096
  /// What services take is 4,096 bytes; a byte ends the text, sixteen prove it.
  package static let mostPlainBytes = recordBytes - headerBytes - 1 - 16

  /// Encrypts.
  ///
  /// - Parameter sender: a new key for each message.
  /// - Parameter salt: 16 random bytes, new for each message.
  /// - Throws: an error of the library for a receiver's key that is none.
  package static func encrypt(
    _ plain: [UInt8],
    to subscription: PushSubscription,
    sender: P256.KeyAgreement.PrivateKey,
    salt: [UInt8]
  ) throws -> [UInt8] {
    precondition(salt.count == 16, "RFC 8188, section 2.1")
    precondition(plain.count <= mostPlainBytes, "one record")
    let receiver = try P256.KeyAgreement.PublicKey(x963Representation: subscription.publicKey)
    let senderKey = Array(sender.publicKey.x963Representation)
    let keys = try keys(
      shared: sender.sharedSecretFromKeyAgreement(with: receiver),
      subscription: subscription,
      senderKey: senderKey,
      salt: salt
    )
    // 2 ends the last record.
    let box = try AES.GCM.seal(plain + [2], using: keys.key, nonce: keys.nonce)
    let size = UInt32(recordBytes)
    let sizeBytes = (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) }
    return salt + sizeBytes + [UInt8(senderKey.count)] + senderKey + Array(box.ciphertext)
      + Array(box.tag)
  }

  private static func keys(
    shared: SharedSecret,
    subscription: PushSubscription,
    senderKey: [UInt8],
    salt: [UInt8]
  ) throws -> (key: SymmetricKey, nonce: AES.GCM.Nonce) {
    let input = shared.hkdfDerivedSymmetricKey(
      using: SHA256.self,
      salt: subscription.secret,
      sharedInfo: Array("WebPush: info\0".utf8) + subscription.publicKey + senderKey,
      outputByteCount: 32
    )
    func derive(_ info: String, _ count: Int) -> SymmetricKey {
      HKDF<SHA256>
        .deriveKey(
          inputKeyMaterial: input,
          salt: salt,
          info: Array("Content-Encoding: \(info)\0".utf8),
          outputByteCount: count
        )
    }
    let nonce = try derive("nonce", 12).withUnsafeBytes { try AES.GCM.Nonce(data: $0) }
    return (derive("aes128gcm", 16), nonce)
  }
}
