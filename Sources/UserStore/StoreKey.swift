import Crypto
import Foundation

/// The key that a user database is sealed with: 256 bits.
///
/// Its description never shows it.
public struct StoreKey: Sendable, CustomStringConvertible, CustomReflectable {
  /// A key has so many bytes.
  public static let byteCount = 32

  let symmetric: SymmetricKey

  /// Takes a key from the embedding app, which keeps it where it sees fit, such as in a keychain.
  ///
  /// - Parameter bytes: 32 of them, from a good source of randomness.
  public init(bytes: [UInt8]) {
    precondition(bytes.count == Self.byteCount, "a key has 32 bytes")
    symmetric = SymmetricKey(data: bytes)
  }

  /// A new key, from the system's source of randomness.
  public static func random() -> StoreKey { StoreKey(symmetric: SymmetricKey(size: .bits256)) }

  private init(symmetric: SymmetricKey) { self.symmetric = symmetric }

  /// Says that there is a key, and nothing of it.
  public var description: String { "StoreKey(redacted)" }
  /// Nothing to look into.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where the key comes from.
public enum KeySource: Sendable {
  /// A file that only its owner may read; it is made together with the database.
  case file(String)
  /// From the embedding app.
  case key(StoreKey)

  /// The key file's place where none is named: beside the database.
  public static func besides(_ database: String) -> KeySource { .file(database + ".key") }
}

// MARK: The key file

extension KeySource {
  /// What a key file begins with.
  ///
  /// One line, so that it can be copied from a screen or printed: `near-me-key-1` and 64 digits.
  package static let tag = "near-me-key-1 "

  /// The key of a database that exists.
  ///
  /// - Throws: ``UserStoreError`` if the file is missing, may be read by others, or holds no key.
  package func key() throws(UserStoreError) -> StoreKey {
    switch self {
    case .key(let key): key
    case .file(let path): try readKeyFile(path)
    }
  }

  /// The key of a database that is about to be made: an existing one, or a new one in a new file.
  package func keyForNewDatabase() throws(UserStoreError) -> StoreKey {
    guard case .file(let path) = self else { return try key() }
    do throws(UserStoreError) {
      return try readKeyFile(path)
    } catch {
      guard error.code == .keyMissing else { throw error }
    }
    try writeKeyFile(.random(), path)
    // The process that made the file first has made the key.
    return try readKeyFile(path)
  }
}

private func readKeyFile(_ path: String) throws(UserStoreError) -> StoreKey {
  // A pipe that no process writes to would be waited for.
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  guard descriptor >= 0 else {
    let number = errno
    if number == ENOENT || number == ENOTDIR { throw UserStoreError(.keyMissing, path: path) }
    throw systemError(number, path: path)
  }
  defer { _ = close(descriptor) }
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { throw systemError(errno, path: path) }
  try requireFile(status, path: path)
  let mode = Int(status.st_mode & 0o777)
  guard mode & 0o077 == 0 else {
    throw UserStoreError(.keyReadableByOthers(mode: mode), path: path)
  }
  var bytes = [UInt8](repeating: 0, count: 256)
  let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
  guard count >= 0 else { throw systemError(errno, path: path) }
  guard let key = parseKey(bytes.prefix(count)) else {
    throw UserStoreError(.keyMalformed, path: path)
  }
  return key
}

private func parseKey(_ bytes: ArraySlice<UInt8>) -> StoreKey? {
  var line = bytes
  while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
  guard line.starts(with: Array(KeySource.tag.utf8)) else { return nil }
  let digits = line.dropFirst(KeySource.tag.utf8.count).compactMap { hexValue($0) }
  guard digits.count == 2 * StoreKey.byteCount,
    line.count == KeySource.tag.utf8.count + digits.count
  else { return nil }
  let key = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  return StoreKey(bytes: key)
}

private func hexValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
  default: nil
  }
}

/// Writes a key where there is no file yet: whole or not at all, for its owner alone.
private func writeKeyFile(_ key: StoreKey, _ path: String) throws(UserStoreError) {
  var line = KeySource.tag
  key.symmetric.withUnsafeBytes { bytes in
    for byte in bytes { line += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
  }
  let text = line + "\n"
  try makeFile(path) { (temporary) throws(UserStoreError) in
    let descriptor = open(temporary, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw systemError(errno, path: path) }
    defer { _ = close(descriptor) }
    let bytes = Array(text.utf8)
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count else { throw systemError(count < 0 ? errno : ENOSPC, path: path) }
  }
}
