/// A set of the words and classes that rules ask for; each has a number below ``capacity``.
struct TermSet: Hashable, Sendable {
  static let capacity = 1_024
  private var bits = SIMD16<UInt64>()

  init() {}

  mutating func insert(_ term: Int) { bits[term >> 6] |= 1 << UInt64(term & 63) }

  @inline(__always)
  func contains(_ term: Int) -> Bool { bits[term >> 6] >> UInt64(term & 63) & 1 == 1 }

  mutating func formUnion(_ other: TermSet) { bits |= other.bits }

  @inline(__always)
  func meets(_ other: TermSet) -> Bool { (bits & other.bits) != SIMD16<UInt64>() }

  /// The set as words of 64, as many as ``wordCount``.
  func append(to words: inout [UInt64]) { for i in 0..<Self.wordCount { words.append(bits[i]) } }

  static let wordCount = capacity / 64

  var isEmpty: Bool { bits == SIMD16<UInt64>() }
}
