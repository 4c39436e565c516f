import Crypto
import Foundation

/// Seals what is personal, with AES-256-GCM.
///
/// A sealed value is a byte for the version of this form, the nonce (12 bytes, random for each
/// writing), the text in cipher, and the tag (16 bytes). Table, row, column and version go in as
/// additional data, so that a value that was moved to another row or column does not open.
///
/// - Source: NIST SP 800-38D, 8.3: at most 2³² values with random nonces under one key. At a state a
///   second, that is 136 years.
package struct Vault: Sendable {
  /// Where a sealed value stands.
  package struct Cell: Sendable {
    let table: String
    let row: String
    let column: String

    /// Names a cell.
    package init(table: String, row: String, column: String) {
      (self.table, self.row, self.column) = (table, row, column)
    }
  }

  private static let version: UInt8 = 1
  private let key: StoreKey

  /// Seals with a key.
  package init(_ key: StoreKey) { self.key = key }

  /// Seals bytes for one cell.
  package func seal(_ plain: Data, for cell: Cell) -> Data {
    guard
      let box = try? AES.GCM.seal(plain, using: key.symmetric, authenticating: Self.context(cell)),
      let sealed = box.combined
    else { preconditionFailure("AES-GCM seals whatever it is given") }
    return Data([Self.version]) + sealed
  }

  /// Opens what was sealed for one cell.
  ///
  /// - Returns: nil if it was sealed with another key or for another cell, or was changed since.
  package func open(_ sealed: Data, for cell: Cell) -> Data? {
    guard sealed.first == Self.version,
      let box = try? AES.GCM.SealedBox(combined: sealed.dropFirst())
    else { return nil }
    return try? AES.GCM.open(box, using: key.symmetric, authenticating: Self.context(cell))
  }

  /// A name that stands for another one and does not give it away: the same for the same name and
  /// scope, different for others.
  ///
  /// - Source: HMAC-SHA-256 (RFC 2104) with a key derived from the database's (RFC 5869), cut to 64
  ///   bits.
  func pseudonym(of name: String, in scope: String) -> String {
    let derived = HKDF<SHA256>
      .deriveKey(
        inputKeyMaterial: key.symmetric,
        info: Data("near-me pseudonyms 1".utf8),
        outputByteCount: 32
      )
    let code = HMAC<SHA256>
      .authenticationCode(for: Data("\(scope.utf8.count):\(scope)\(name)".utf8), using: derived)
    return code.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The lengths keep neighbors apart: "ab" and "c" are not "a" and "bc".
  private static func context(_ cell: Cell) -> Data {
    let parts = ["near-me", String(version), cell.table, cell.row, cell.column]
    return Data(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)
  }
}

// MARK: Values

extension Vault {
  /// Seals a value as JSON.
  func seal(_ value: some Encodable, for cell: Cell) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return seal(try encoder.encode(value), for: cell)
  }

  /// Opens a value that was sealed as JSON.
  ///
  /// - Throws: ``SealBroken``, or what the decoder says of a value in another form.
  func open<Value: Decodable>(_ type: Value.Type, _ sealed: Data, for cell: Cell) throws -> Value {
    guard let plain = open(sealed, for: cell) else { throw SealBroken(cell: cell) }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return try decoder.decode(type, from: plain)
  }
}

/// A sealed value that does not open: the key has been checked before, so the bytes are not what was
/// written.
struct SealBroken: Error {
  let cell: Vault.Cell
}
