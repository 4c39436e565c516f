extension String {
  /// Makes a text of bytes in UTF-8; nil where they are not.
  ///
  /// - Source: `String(validating:as:)` is of iOS 18 and macOS 15; this runs on those before.
  /// - Complexity: O(n); of ASCII, bytes are looked at eight at a time and copied.
  package init?(ifUTF8 bytes: some Collection<UInt8>) {
    let text =
      bytes.withContiguousStorageIfAvailable(Self.valid)
      ?? Array(bytes).withUnsafeBufferPointer(Self.valid)
    guard let text else { return nil }
    self = text
  }

  private static func valid(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let raw = UnsafeRawBufferPointer(bytes)
    var text = String(decoding: bytes, as: UTF8.self)
    if isASCII(raw) { return text }
    // What is no UTF-8 was replaced, and a replacement may be as long as what it stands for.
    return text.withUTF8 { areEqual(UnsafeRawBufferPointer($0), raw) } ? text : nil
  }

  private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var i = 0
    while i + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { return false }
      i += 8
    }
    while i < bytes.count {
      if bytes[i] >= 0x80 { return false }
      i += 1
    }
    return true
  }

  private static func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    var i = 0
    while i + 8 <= a.count {
      if a.loadUnaligned(fromByteOffset: i, as: UInt64.self)
        != b.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      {
        return false
      }
      i += 8
    }
    while i < a.count {
      if a[i] != b[i] { return false }
      i += 1
    }
    return true
  }
}
