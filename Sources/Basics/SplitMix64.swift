/// Numbers that look drawn, of which a seed fixes every bit on every machine.
///
/// Sample files, simulated days, latencies, intervals and the seeds that tests print rest on these
/// sequences: none of the functions may ever give other bits.
///
/// - Source: S. Vigna, SplitMix64, public domain (prng.di.unimi.it).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Begins the sequence of a seed.
  package init(seed: UInt64) { state = seed }

  /// Any 64 bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number from 0 to below 1.
  package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A number of a range.
  package mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + unit() * (range.upperBound - range.lowerBound)
  }

  /// A whole number of a range, by the remainder: not what ``index(below:)`` gives.
  package mutating func integer(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }

  /// A whole number from 0 to below a bound.
  ///
  /// - Source: the high half of a product (D. Lemire, ACM TOMACS 29, 2019), without rejection: the
  ///   bias is below bound / 2⁶⁴.
  package mutating func index(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }
}
