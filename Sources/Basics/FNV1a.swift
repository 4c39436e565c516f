/// A number that differs for different bytes, accidents aside: a guard against mistakes, not
/// against malice.
///
/// - Source: FNV-1a, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo,
///   draft-eastlake-fnv).
package struct FNV1a: Hashable, Sendable {
  /// The number of what was added so far.
  package var hash: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Begins with nothing.
  @inlinable
  package init() {}

  /// The number of a text's UTF-8.
  package init(_ text: String) { add(text.utf8) }

  /// Adds a byte.
  @inlinable
  package mutating func add(_ byte: UInt8) {
    hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
  }

  /// Adds bytes in their order.
  @inlinable
  package mutating func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { add(byte) } }

  /// Adds the bits of a number, the lowest byte first.
  package mutating func add(bits: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: bits >> shift)) }
  }

  /// The number in hexadecimal, without leading zeros.
  package var text: String { String(hash, radix: 16) }
}
